"""Record the gradients of recorded calls, and the names of their nodes.

    python gradients.py OUT.jsonl.gz EACH CASES.jsonl.gz [more]

takes cases with one call each, as of PyTorch's own database of operators, and asks PyTorch for the gradients of all their floating and complex
operands with a gradient of random numbers: EACH cases an area, in double precision. Needs torch only. Calls that draw random numbers or give no
tensors are left out, as are those with NaN among their operands, for which PyTorch's loops over vectors and over single elements differ.
"""
import base64
import collections
import functools
import gzip
import io
import json
import sys
import warnings

import torch
import torch.nn.functional as F

KINDS = {"float64", "complex128"}
LARGEST = 1600
READERS = {"dtype": lambda v: getattr(torch, v), "memory_format": lambda v: getattr(torch, v), "device": torch.device, "float": float,
           "complex": lambda v: complex(float(v[0]), float(v[1]))}


def made(described):
    data = base64.b64decode(described["storage"])
    storage = torch.UntypedStorage(len(data))
    for at, byte in enumerate(data):
        storage[at] = byte
    whole = torch.empty(0, dtype=getattr(torch, described["dtype"]))
    return whole.set_(storage, described["offset"], described["shape"], described["strides"])


def argument(value, tensors):
    if isinstance(value, str):
        return tensors[value.removeprefix("$")]
    if isinstance(value, list):
        return [argument(one, tensors) for one in value]
    if isinstance(value, dict):
        kind, inner = next(iter(value.items()))
        return READERS.get(kind, lambda v: v)(inner)
    return value


def function(name, first):
    """What the step calls: a method of its first tensor, or a function of PyTorch."""
    for home in (torch, F, first):
        try:
            return functools.reduce(getattr, name.split("."), home)
        except AttributeError:
            pass
    raise LookupError(name)


def answer(step, tensors):
    arguments = [argument(value, tensors) for value in step["args"]]
    names = {name: argument(value, tensors) for name, value in step.get("kw", {}).items()}
    results = function(step["op"], arguments[0] if arguments else None)(*arguments, **names)
    return list(results) if isinstance(results, (tuple, list)) else [results]


def data(tensor):
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return {"dtype": str(plain.dtype)[6:], "shape": list(plain.shape)}, base64.b64encode(plain.numpy(force=True).tobytes()).decode()


def same(one, other):
    return all(torch.equal(a.detach(), b.detach()) for a, b in zip(one, other))


def program(case):
    """The case as a program with a way back; nothing, where there is none to record."""
    step, inputs = case["steps"][0], dict(case["inputs"])
    tensors = {name: made(described) for name, described in inputs.items()}
    leaves = [name for name, tensor in tensors.items() if tensor.is_floating_point() or tensor.is_complex()]
    if any(tensors[name].isnan().any() for name in leaves):
        return None
    for name in leaves:
        tensors[name].requires_grad_()
    results = answer(step, tensors)
    names = step["let"] if isinstance(step["let"], list) else [step["let"]]
    if len(names) != len(results) or not all(isinstance(result, torch.Tensor) for result in results) or not same(results, answer(step, tensors)):
        return None
    steps, expected = [{"op": "requires_grad_", "args": ["$" + name]} for name in leaves] + [step], {}
    found = [(name, result) for name, result in zip(names, results) if result.grad_fn is not None]
    for name, result in found:
        steps.append({"let": "node_" + name, "op": "grad_fn.name", "args": ["$" + name]})
        expected["node_" + name] = {"value": type(result.grad_fn).__name__}
    if found and str(found[0][1].dtype)[6:] in KINDS:
        name, result = found[0]
        gradient = torch.randn_like(result).contiguous()
        described, numbers = data(gradient)
        inputs["gradient"] = {**described, "strides": list(gradient.stride()), "offset": 0, "storage": numbers}
        result.backward(gradient)
        steps.append({"op": "backward", "args": ["$" + name, "$gradient"]})
        for leaf in (leaf for leaf in leaves if tensors[leaf].grad is not None):
            steps.append({"let": "of_" + leaf, "op": "grad", "args": ["$" + leaf]})
            described, numbers = data(tensors[leaf].grad)
            expected["of_" + leaf] = {**described, "data": numbers}
    tolerance = case["tol"]
    least = {"rel": max(tolerance.get("rel", 0), 1e-7), "abs": max(tolerance.get("abs", 0), 1e-9)}
    return {**case, "id": "gradient/" + case["id"], "torch": torch.__version__.split("+")[0], "inputs": inputs, "steps": steps, "expect": expected,
            "tol": least}


def is_fit(case):
    steps, inputs = case["steps"], case["inputs"].values()
    plain = len(steps) == 1 and "let" in steps[0] and not steps[0]["op"].endswith("_") and "out" not in steps[0].get("kw", {})
    small = all("view_of" not in described and len(described["storage"]) <= LARGEST for described in inputs)
    return plain and small and "error" not in case and any(described["dtype"] in KINDS for described in inputs)


def main():
    warnings.simplefilter("ignore")
    torch.manual_seed(7)
    out, each, *files = sys.argv[1:]
    counts, lines = collections.Counter(), []
    for file in files:
        for line in gzip.open(file, "rt"):
            case = json.loads(line)
            if counts[case["area"]] >= int(each) or not is_fit(case):
                continue
            try:
                found = program(case)
            except (RuntimeError, LookupError, TypeError, ValueError, NotImplementedError):
                continue  # what has no gradient, or is no function of this PyTorch
            if found:
                counts[case["area"]] += 1
                lines.append(json.dumps(found, separators=(",", ":")) + "\n")
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed, io.TextIOWrapper(packed) as text:
        text.writelines(lines)
    print(len(lines), "cases of", len(counts), "areas")


main()
