"""Record what real PyTorch says of calls with arbitrary arguments: of the right kinds, but of sizes that may not fit, dtypes that may not be
taken, dimensions and places that may not be there.

    python arbitrary.py OUT.jsonl.gz SEED [CALLS OF EACH ROW]

reads the rows from docs/calls.md, needs torch and numpy, and writes cases for the replayer. Results are compared to two digits, because what
this looks for is another answer: an error in other words, a result where there should be none, another shape or dtype. Many differences are
known and small (docs/differences.md doesn't list them); read them operation by operation. `tests/fuzz/calls.rs` is the part of it that needs
no PyTorch: nothing may panic.
"""
import base64
import gzip
import inspect
import json
import os
import random
import re
import signal
import sys
import warnings

import torch

SHAPES = [(), (), (0,), (1,), (2,), (3,), (3,), (3, 3), (3, 3), (2, 3), (3, 1), (2, 3, 3), (2, 3, 3), (1, 2, 4, 4), (2, 0), (4, 2, 3)]
DTYPES = [torch.float32] * 6 + [torch.float64] * 3 + [torch.int64] * 3 + [
    torch.bool, torch.uint8, torch.int32, torch.float16, torch.bfloat16, torch.complex64, torch.complex64]
WORDS = {
    "mode": ["constant", "reflect", "replicate", "circular", "nearest", "bilinear"],
    "interpolation": ["linear", "lower", "higher", "midpoint", "nearest"],
    "norm": ["ortho", "forward", "backward"],
    "rounding_mode": ["floor", "trunc"],
    "approximate": ["none", "tanh"],
    "reduce": ["sum", "prod", "mean", "amax", "amin", "add", "multiply"],
    "indexing": ["ij", "xy"],
    "side": ["left", "right"],
    "ord": ["fro", "nuc"],
    "p": ["fro", "nuc"],
    "padding": ["valid", "same"],
    "driver": ["gelsd"],
    "UPLO": ["L", "U"],
    "pad_mode": ["reflect", "constant"],
    "equation": ["ij,jk->ik", "ii->i", "...i->...", "ab,ab"],
}
# What isn't told, what draws, what isn't a call of tensors, and what gives memory as it was.
LEFT_OUT = re.compile(
    r"^(new_empty|empty|rand|randn|randint|randperm|normal_?|bernoulli_?|poisson|multinomial|rrelu_?|init\..*|pin_memory|cuda|cpu|to|set_|__.*|"
    r".*dropout.*|.*_like|.*attention.*|geometric.*|exponential.*|cauchy.*|log_normal.*|uniform.*|random.*|resize.*|.*sparse.*|coalesce|"
    r".*permuted|.*strided.*|detach.*|version|item|tolist|broadcast_shapes|result_type|can_cast|promote_types|nonzero_static)$")
UNTOLD = ("out", "generator", "device", "layout", "pin_memory", "requires_grad", "memory_format")
# Windows are told by a number as often as by a list, and a list of one is no number to some of PyTorch's functions.
WINDOWS = ("kernel_size", "stride", "padding", "dilation", "output_size", "output_padding")
# Take tensors one after the other, not as a list.
ONE_BY_ONE = (torch.block_diag, torch.broadcast_tensors, torch.cartesian_prod)
# Complaints of Python's own binding, not of the operation.
BINDING = ("INTERNAL ASSERT", "received an invalid combination", "unexpected keyword", "isn't supported", "missing")


def rows():
    """For each name its forms: whether it is a function, whether it has a form in place, and its parameters."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "calls.md")
    found = {}
    for line in open(path):
        match = re.match(r"\| `([^`]+)` \| `\((.*)\)` \| ([^|]*) \|", line)
        if not match or LEFT_OUT.match(match.group(1)):
            continue
        parameters, keyword = [], False
        for part in filter(None, match.group(2).split(", ")):
            keyword |= part == "*"
            declared = part.split(" = ")[0]
            if " " in declared:
                kind, name = declared.rsplit(" ", 1)
                parameters.append((kind, name, keyword or " = " in part, " = " in part))
        found.setdefault(match.group(1), []).append(("function" in match.group(3), "`_`" in match.group(3) or " _" in match.group(3), parameters))
    return found


def numbers(rng, shape, dtype):
    count = torch.Size(shape).numel()
    signed, quarters = rng.random() < 0.5, lambda: rng.randint(-8 if signed else 1, 8) / 4
    if dtype == torch.bool:
        values = [rng.random() < 0.5 for _ in range(count)]
    elif dtype.is_complex:
        values = [complex(quarters(), quarters()) for _ in range(count)]
    elif dtype.is_floating_point:
        values = [quarters() for _ in range(count)]
    else:
        values = [rng.randint(0 if dtype == torch.uint8 or signed else -3, 3) for _ in range(count)]
    return torch.tensor(values, dtype=dtype).reshape(shape)


def encoded(tensor):
    flat = tensor.detach().resolve_conj().resolve_neg().reshape(-1).clone(memory_format=torch.contiguous_format)
    return base64.b64encode(flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"").decode()


class Arguments:
    """Arguments of one call; most of its tensors are of one shape and one dtype."""

    def __init__(self, rng):
        self.rng, self.inputs, self.shape, self.dtype = rng, {}, rng.choice(SHAPES), rng.choice(DTYPES)

    def tensor(self, name):
        shape = self.shape if self.rng.random() < 0.6 else self.rng.choice(SHAPES)
        dtype = self.dtype if self.rng.random() < 0.85 else self.rng.choice(DTYPES)
        if any(word in name for word in ("index", "indices", "target", "pivots", "lengths", "repeats")) and self.rng.random() < 0.8:
            dtype = torch.int64
        if name in ("mask", "condition") and self.rng.random() < 0.8:
            dtype = torch.bool
        key = "abcdefghijkl"[len(self.inputs)]
        self.inputs[key] = numbers(self.rng, shape, dtype)
        return self.inputs[key], "$" + key

    def of(self, kind, name):
        """A value, and how a case writes it; None for what isn't told."""
        rng = self.rng
        if kind == "Tensor":
            return self.tensor(name)
        if kind == "tuple of Tensors":
            both = [self.tensor(name) for _ in range(rng.randint(1, 3))]
            return [value for value, _ in both], [written for _, written in both]
        if kind == "int":
            value = rng.choice([0, 0, 1, 1, 2, -1, -1, 3, -2, -4])
        elif kind == "tuple of ints":
            value = [rng.choice([0, 1, 1, 2, 2, 3, -1]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
            return value[0] if name in WINDOWS and len(value) == 1 else tuple(value), value
        elif kind == "tuple of tuples of ints":
            value = rng.choice([[[0], [0]], [[0, 1], [1]]])
        elif kind == "bool":
            value = rng.random() < 0.5
        elif kind in ("float", "Number") and (kind == "float" or rng.random() < 0.5):
            value = rng.choice([0.5, 1.0, 2.0, 0.0, -1.0, 0.25])
            return value, {"float": value}
        elif kind == "Number":
            value = rng.randint(-1, 3)
            return value, {"int": value}
        elif kind == "torch.dtype":
            value = rng.choice(DTYPES)
            return value, {"dtype": str(value)[6:]}
        elif kind == "str":
            value = rng.choice(WORDS.get(name, ["mean", "sum", "none"]))
            return value, {"str": value}
        else:
            return None
        return value, value


def resolved(name, parameters):
    """The function of that name: Python's own of a layer, where it takes these arguments, else that of torch or of tensors."""
    own = getattr(torch.nn.functional, name, None)
    try:
        taken = list(inspect.signature(own).parameters)
        placed = [parameter for _, parameter, named, _ in parameters if not named]
        if taken[:len(placed)] == placed and all(parameter in taken for _, parameter, _, _ in parameters if parameter not in UNTOLD):
            return own
    except (TypeError, ValueError):
        pass
    for root in (torch, torch.Tensor, torch.nn.functional):
        found = root
        for part in name.split("."):
            found = getattr(found, part, None)
        if callable(found):
            return found
    return None


def case(name, row, rng, number):
    """One call and PyTorch's answer, or None where there is none to compare with."""
    is_function, has_in_place, parameters = row
    given = Arguments(rng)
    in_place = has_in_place and not name.endswith("_") and rng.random() < 0.2
    op = name + "_" if in_place else name
    function = getattr(torch.Tensor, op, None) if in_place else resolved(name, parameters)
    if function is None:
        return None
    args, written, kw, written_kw = [], [], {}, {}
    if not is_function:
        parameters = [("Tensor", "self", False, False)] + parameters
    for kind, parameter, named, optional in parameters:
        if parameter in UNTOLD or optional and rng.random() > 0.3:
            continue
        told = given.of(kind, parameter)
        if told is None:
            return None
        if named:
            kw[parameter], written_kw[parameter] = told
        elif kind == "tuple of Tensors" and function in ONE_BY_ONE:
            args += told[0]
            written += told[1]
        else:
            args.append(told[0])
            written.append(told[1])
    step = {"let": "r", "op": op, "args": written, **({"kw": written_kw} if written_kw else {})}
    inputs = {
        key: {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape), "strides": list(tensor.stride()), "offset": 0, "storage": encoded(tensor)}
        for key, tensor in given.inputs.items()}
    made = {"id": f"arbitrary/{number:06d}", "area": "arbitrary", "torch": torch.__version__.split("+")[0], "inputs": inputs, "steps": [step],
            "tol": {"rel": 2e-2, "abs": 1e-2}}
    answer = lambda tensor: {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape), "data": encoded(tensor)}
    try:
        result = function(*args, **kw)
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
        if any(text in str(error) for text in BINDING) or isinstance(error, TypeError) and "must be" in str(error):
            return None
        kind = "RuntimeError" if isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError) else type(error).__name__
        return {**made, "expect": {}, "error": {"step": 0, "kind": kind, "message": str(error), "text": True}}
    changed = {"a": answer(given.inputs["a"])} if op.endswith("_") else {}
    if isinstance(result, torch.Tensor) and result.layout == torch.strided:
        return {**made, "expect": {"r": answer(result), **changed}}
    if isinstance(result, (tuple, list)) and result and all(isinstance(one, torch.Tensor) for one in result):
        step["let"] = [f"r{at}" for at in range(len(result))]
        return {**made, "expect": {**{f"r{at}": answer(one) for at, one in enumerate(result)}, **changed}}
    return None


def main():
    path, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 30
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines = []
    for at, (name, forms) in enumerate(rows().items()):
        # In a process of its own, which may hang or crash.
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            signal.alarm(30)
            rng = random.Random(f"{seed} {name}")
            with os.fdopen(write, "w") as pipe:
                for number in range(at * count, (at + 1) * count):
                    torch.manual_seed(0)
                    try:
                        made = case(name, rng.choice(forms), rng, number)
                    except Exception as error:
                        print(f"{name}: {error}", file=sys.stderr)
                        continue
                    if made is not None:
                        pipe.write(json.dumps(made) + "\n")
                        pipe.flush()
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            lines += [line for line in pipe if line.endswith("\n")]
        os.waitpid(child, 0)
    with gzip.open(path, "wt") as file:
        file.writelines(lines)
    refused = sum('"error"' in line for line in lines)
    print(f"{len(lines)} calls, {refused} of them refused")


main()
