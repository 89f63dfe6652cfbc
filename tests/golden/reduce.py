"""Records what PyTorch answers for reductions, scans and softmax: `python reduce.py > reduce.txt`.

Each line is a call and its answer, `op input arguments = dtype sizes : values` or `… ! class text`; two results are joined by ` & `.
Inputs stand at the head: `input name dtype sizes : values`.
"""
import warnings

import torch

from written import NAMES, shown

warnings.simplefilter("ignore")
INF, NAN = float("inf"), float("nan")
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
SHAPE = [2, 4, 3]
PLAIN = [1, -2, 3, 0, 2, -1, 4, 3, 1, -3, 2, 1, 0, 2, -4, 1, 3, 3, -1, 2, 0, 1, -2, 4]
INPUTS = {}


def values(dtype, name):
    if dtype == "bool":
        return [x > 0 for x in PLAIN]
    if dtype == "u8":
        return [abs(x) * 13 for x in PLAIN]
    if dtype in FLOATS:
        floats = [x * 0.75 for x in PLAIN]
        if name == "nan":
            floats[3], floats[13], floats[19], floats[22] = NAN, NAN, INF, -INF
        return floats
    if dtype in COMPLEX:
        return [complex(x * 0.5, PLAIN[-i] * 0.25) for i, x in enumerate(PLAIN)]
    return PLAIN


def add(name, dtype, sizes, elements):
    INPUTS[f"{name}.{dtype}"] = torch.tensor(elements, dtype=NAMES[dtype]).reshape(sizes)


for d in NAMES:
    add("x", d, SHAPE, values(d, "x"))
for d in ["bool", "i64", "f16", "f32", "c64"]:
    add("one", d, [], values(d, "x")[2])
    add("none", d, [2, 0, 3], [])
for d in FLOATS:
    add("nan", d, SHAPE, values(d, "nan"))
for d in ["f16", "f32"]:
    add("infinite", d, [3, 3], [INF, 1, 2, -INF, -INF, -INF, -INF, 0, INF])
for d in ["i64", "f32", "u8"]:
    add("ties", d, [2, 6], [1, 3, 3, 0, 0, 3, 2, 2, 2, 2, 2, 2])

SUMS = ["sum", "mean", "nansum", "nanmean"]
TO_ONE = [*SUMS, "prod", "amax", "amin", "any", "all", "count_nonzero", "var", "std", "norm", "logsumexp", "argmax", "argmin"]
PICKS = ["max", "min", "median"]
SCANS = ["cumsum", "cumprod", "cummax", "cummin", "softmax", "log_softmax"]
ONE_DIM = ["prod", "argmax", "argmin"]
NEEDS_DIM = ["logsumexp", *SCANS]


def record(op, name, text, **arguments):
    try:
        result = getattr(torch, op)(INPUTS[name], **arguments)
    except Exception as error:  # every class that PyTorch raises is an answer
        message = str(error).split("\n")[0]
        if "invalid combination" in message or "unexpected keyword" in message or "missing 1 required" in message:
            return
        print(f"{op} {name} {text} ! {type(error).__name__} {message}")
        return
    results = result if isinstance(result, tuple) else (result,)
    print(f"{op} {name} {text} = " + " & ".join(shown(r) for r in results))


def forms(op):
    """The arguments of each call: as text, and for PyTorch."""
    yield from [] if op in NEEDS_DIM else [("all", {})]
    keeps = op not in [*SCANS, "count_nonzero"]
    for dim in [0, 1, -1]:
        yield f"dim={dim}", dict(dim=dim)
        if keeps and dim == 1:
            yield f"dim={dim} keep", dict(dim=dim, keepdim=True)
    if op in TO_ONE and op not in ONE_DIM:
        for dims in [[2, 0], [-1, 1]]:
            yield "dim=" + ",".join(map(str, dims)), dict(dim=dims)
            if keeps and dims[0] == 2:
                yield "dim=" + ",".join(map(str, dims)) + " keep", dict(dim=dims, keepdim=True)
        yield "dim=0,0", dict(dim=[0, 0])
    yield "dim=3", dict(dim=3)


def misses(rank, arguments):
    """Whether a dimension isn't there, or comes twice."""
    dims = arguments.get("dim", [])
    dims = [d % max(rank, 1) if -max(rank, 1) <= d < max(rank, 1) else None for d in (dims if isinstance(dims, list) else [dims])]
    return None in dims or len(set(dims)) < len(dims)


def main():
    print(f"# PyTorch {torch.__version__.split('+')[0]}. Written by reduce.py.")
    for name, tensor in INPUTS.items():
        print(f"input {name} {shown(tensor)}")
    for op in TO_ONE + PICKS + SCANS:
        for name in INPUTS:
            kind, dtype = name.split(".")
            ties = kind == "ties"
            if ties and (op == "median" or op not in PICKS + ["argmax", "argmin", "cummax", "cummin"]):
                continue
            if op == "median" and kind in ("x", "infinite"):
                continue                              # which of equal elements it finds is left open: `medians` has none
            # What is said of dimensions doesn't depend on the dtype.
            errs = dtype == "f32"
            for text, arguments in forms(op):
                if errs or not misses(INPUTS[name].dim(), arguments):
                    record(op, name, text, **arguments)
    for d in NAMES:
        add("medians", d, [2, 4, 3], [x if d == "bool" else 24 - 5 * x % 24 for x in range(24)])
        print(f"input medians.{d} {shown(INPUTS[f'medians.{d}'])}")
        for text, arguments in forms("median"):
            record("median", f"medians.{d}", text, **arguments)
    for op in [*SUMS, "prod", "cumsum", "cumprod", "softmax", "log_softmax"]:
        for d in ["bool", "u8", "i32", "f16", "f32", "c64"]:
            for to in ["bool", "u8", "i32", "i64", "f16", "f32", "f64", "c64"]:
                record(op, f"x.{d}", f"dim=1 dtype={to}", dim=1, dtype=NAMES[to])
    for op in ["var", "std"]:
        for d in FLOATS + COMPLEX:
            for correction in [0, 2, 4, 5, 0.5]:
                record(op, f"x.{d}", f"dim=1 parameter={correction}", dim=1, correction=correction)
    for d in FLOATS + COMPLEX:
        for kind in ["x", *["none"] * (f"none.{d}" in INPUTS)] + ["nan"] * (d in FLOATS):
            for p in [0, 1, 2, 3, 0.5, -1, INF, -INF]:
                for text, arguments in [("all", {}), ("dim=1", dict(dim=1)), ("dim=0,2 keep", dict(dim=[0, 2], keepdim=True))]:
                    record("norm", f"{kind}.{d}", f"{text} parameter={p}", p=p, **arguments)


main()
