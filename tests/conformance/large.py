"""Record what real PyTorch gives for operands of 10³ to 10⁵ elements: reductions, scans, sorting, indexing, products, conversions and joins.

    python large.py cases

writes cases/large.jsonl.gz. Needs torch only. Sizes are no multiples of a vector, a row of tiles, a block or a thread's share, operands lie in
order, transposed, or with steps between them, and special values stand at places that a generator with a seed chooses. What is summed
or multiplied are small multiples of 1/8 whose sums are exact in every order, so that most answers are the same to the bit; of those that
round, the tolerance is stated.
"""
import base64
import gzip
import io
import json
import sys

import torch

GENERATOR = torch.Generator().manual_seed(17)
F32, F64, F16, BF16, I64, I32, U8, C64, BOOL = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8,
                                                torch.complex64, torch.bool)
VECTOR, LONG, ROWS, BATCH = (1037,), (50021,), (33, 67), (5, 7, 37)


def chosen(shape, dtype, values):
    return torch.tensor(values, dtype=dtype)[torch.randint(len(values), shape, generator=GENERATOR)]


def exact(shape, dtype):
    """Numbers whose sums are exact in every order, as many as there are here."""
    if dtype == BOOL:
        return chosen(shape, dtype, [False, True, False])
    if dtype.is_complex:
        return torch.complex(exact(shape, F32), exact(shape, F32))
    parts = [-3, -2, -1, 0, 1, 2, 3, 4] if dtype.is_floating_point or dtype.is_signed else [0, 1, 2, 3, 4]
    return chosen(shape, dtype, [part / 8 for part in parts] if dtype.is_floating_point else parts)


def special(shape, dtype):
    if not dtype.is_floating_point:
        return exact(shape, dtype) * (40 if dtype not in (BOOL, U8) else 1)
    # No -0.0: of two zeros one of PyTorch's loops takes the one, another the other.
    return chosen(shape, dtype, [0.0, 1.0, -2.5, 7.0, 0.1, -100.0, float("inf"), -float("inf"), float("nan")] + [k / 7 for k in range(40)])


def layouts(make, shape, dtype):
    """The same shape in order, and transposed or with steps."""
    yield make(shape, dtype)
    if shape == LONG:
        return
    if len(shape) == 2:
        yield make(shape[::-1], dtype).T
    else:
        yield make((*shape, 2), dtype)[..., 0]


def encoded(x):
    x = x.detach().resolve_conj().resolve_neg().contiguous().flatten()
    return base64.b64encode(bytes(x.view(torch.uint8).tolist()) if x.numel() else b"").decode()


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def given(x):
    """An operand with the storage that it lies in."""
    whole = torch.empty(0, dtype=x.dtype).set_(x.untyped_storage(), 0, (x.untyped_storage().nbytes() // x.itemsize,))
    return {"dtype": name_of(x.dtype), "shape": list(x.shape), "strides": list(x.stride()), "offset": x.storage_offset(), "storage": encoded(whole)}


CASES = {}


def record(op, tensors, args=(), kw=None, tol=None, results=1, listed=False, inplace=False):
    """One more step of the case of the first tensor: an operand is stored once."""
    kw = kw or {}
    # A case keeps its tensors, so that no later one has the same identity.
    case = CASES.setdefault((id(tensors[0]), tol, inplace), {"tensors": [], "steps": [], "expect": {}})
    case["tensors"] += [t for t in tensors if not any(t is other for other in case["tensors"])]
    place = {id(t): f"t{i}" for i, t in enumerate(case["tensors"])}
    names = [place[id(t)] for t in tensors]
    value = dict(zip((f"${name}" for name in names), tensors))

    def python(argument):
        if isinstance(argument, dict):
            return getattr(torch, argument["dtype"])
        return value[argument] if isinstance(argument, str) else [python(a) for a in argument] if isinstance(argument, list) else argument

    operands = [f"${name}" for name in names]
    if listed:
        said = [operands, *args]
    else:
        # An operation whose numbers stand between its tensors says where each tensor is.
        said = [operands[int(a[1:])] if isinstance(a, str) else a for a in args] if any(isinstance(a, str) for a in args) else [*operands, *args]
    if inplace:
        case["before"] = given(tensors[0])
    home = torch if hasattr(torch, op) else torch.Tensor
    result = getattr(home, op)(*map(python, said), **{k: python(v) for k, v in kw.items()})
    step = {"op": op, "args": said} | ({"kw": kw} if kw else {})
    answers = [tensors[0]] if inplace else [result] if results == 1 else list(result)
    outs = names[:1] if inplace else [f"r{len(case['expect']) + i}" for i in range(len(answers))]
    if not inplace:
        step["let"] = outs if results > 1 else outs[0]
    case["steps"].append(step)
    for out, answer in zip(outs, answers):
        case["expect"][out] = {"dtype": name_of(answer.dtype), "shape": list(answer.shape), "data": encoded(answer)}


def written(number, key, case):
    inputs = {f"t{i}": given(t) for i, t in enumerate(case["tensors"])}
    if "before" in case:
        inputs["t0"] = case["before"]
    tol = {"exact": True} if key[1] is None else {"rel": key[1], "abs": key[1]}
    return {"id": f"large/{number:06}", "area": "large", "torch": torch.__version__.split("+")[0], "inputs": inputs, "steps": case["steps"],
            "expect": case["expect"], "tol": tol}


def reductions():
    for dtype in (F32, BF16, F64, I64, U8, C64, BOOL):
        for shape in (VECTOR, ROWS, BATCH) + ((LONG,) if dtype in (F32, BOOL) else ()):
            for x in layouts(exact, shape, dtype):
                dims = [None, *range(len(shape))] if len(shape) > 1 else [None]
                for dim in dims:
                    over = () if dim is None else (dim,)
                    record("sum", [x], over)
                    record("any", [x], over)
                    record("all", [x], over)
                    if dtype.is_floating_point:
                        record("var", [x], over, tol=1e-2 if dtype == BF16 else 1e-5)
                        record("mean", [x], over, tol=1e-2 if dtype == BF16 else 1e-6)
                    if not dtype.is_complex:
                        record("count_nonzero", [x], over)
                if not dtype.is_complex and dtype != BOOL:
                    for dim in {0, len(shape) - 1}:
                        record("cumsum", [x], (dim,))
    for dtype in (F32, BF16, I32, U8):
        for shape in (VECTOR, ROWS) + ((LONG,) if dtype == F32 else ()):
            for x in layouts(special, shape, dtype):
                for dim in [None] if len(shape) == 1 else [None, 0, 1]:
                    over = () if dim is None else (dim,)
                    for op in ("amax", "amin", "argmax", "argmin"):
                        record(op, [x], over)
                for op in ("cummax", "cummin"):
                    record(op, [x], (0,), results=2)
                if dtype.is_floating_point:
                    record("nansum", [torch.where(x.isnan(), x, exact(shape, dtype))])
    for shape in (VECTOR, ROWS):
        for x in layouts(exact, shape, F32):
            for op in ("softmax", "log_softmax", "logsumexp"):
                for dim in range(len(shape)):
                    record(op, [x], (dim,), tol=2e-6)


def orders():
    for dtype in (F32, BF16, I64, U8):
        for shape in (VECTOR, ROWS) + ((LONG,) if dtype in (F32, I64) else ()):
            for x in layouts(special, shape, dtype):
                for dim in range(len(shape)):
                    for descending in (False, True) if shape != LONG else (dtype == F32,):
                        record("argsort", [x], kw={"dim": dim, "descending": descending, "stable": True})
                record("nonzero", [x])
            record("unique", [exact(shape, dtype)])
        if dtype not in (U8, BF16):
            # Of equal numbers nobody says which is chosen.
            x = torch.randperm(1037, generator=GENERATOR).to(dtype)
            for k in (1, 17, 1000):
                for largest in (True, False):
                    record("topk", [x], (k, 0, largest, True), results=2)
            record("median", [x])


def places():
    for dtype in (F32, BF16, I64, U8, C64, BOOL):
        for x in layouts(special if not dtype.is_complex else exact, ROWS, dtype):
            rows = torch.randint(33, (97,), generator=GENERATOR)
            columns = torch.randint(67, (45,), generator=GENERATOR).to(I32)
            record("index_select", [x, rows], ("$0", 0, "$1"))
            record("index_select", [x, columns], ("$0", 1, "$1"))
            record("gather", [x, torch.randint(33, (40, 67), generator=GENERATOR)], ("$0", 0, "$1"))
            record("gather", [x, torch.randint(67, (33, 31), generator=GENERATOR)], ("$0", 1, "$1"))
            record("take", [x, torch.randint(33 * 67, (1037,), generator=GENERATOR)])
            record("masked_select", [x, exact(ROWS, BOOL)])
            for op, args in (("flip", ([0],)), ("flip", ([0, 1],)), ("roll", ([7, -30], [0, 1])), ("tril", (5,)), ("triu", (-3,)), ("repeat", ([2, 3],)),
                             ("diagonal", (4,)), ("rot90", (1, [0, 1]))):
                if op in ("tril", "triu") and dtype == BOOL:
                    continue
                record(op, [x], args)
            for op in ("cat", "stack"):
                for dim in (0, 1):
                    record(op, [x, x.flip(0), x], (dim,), listed=True)
    for dtype in (F32, I64):
        index = torch.randint(61, (500,), generator=GENERATOR)
        for x in layouts(exact, (61,), dtype):
            record("scatter_add_", [x.clone(), index, exact((500,), dtype)], ("$0", 0, "$1", "$2"), inplace=True)
            record("index_add_", [x.clone(), index, exact((500,), dtype)], ("$0", 0, "$1", "$2"), inplace=True)


def products():
    for dtype in (F32, F64, BF16, I64, I32, C64):
        for a in layouts(exact, (33, 67), dtype):
            for b in layouts(exact, (67, 37), dtype):
                record("matmul", [a, b])
            record("mv", [a, exact((67,), dtype)])
        record("bmm", [exact((5, 19, 37), dtype), exact((5, 37, 41), dtype)])
        record("dot", [exact(VECTOR, dtype), exact(VECTOR, dtype)])
        record("outer", [exact((133,), dtype), exact((71,), dtype)])
    for dtype in (F32, I64):
        record("addmm", [exact((33, 37), dtype), exact((33, 67), dtype), exact((67, 37), dtype)])


def conversions():
    for source in (F32, F64, F16, BF16, I64, I32, U8, BOOL, C64):
        for x in layouts(exact if source in (C64, BOOL) else lambda shape, dtype: chosen(shape, dtype, [0, 1, 2, 3, 7, 90, 100]), ROWS, source):
            for target in (F32, F64, F16, BF16, I64, I32, U8, BOOL, C64):
                if source.is_complex and not target.is_complex:
                    continue
                if source != target:
                    record("to", [x], ({"dtype": name_of(target)},))
    for dtype in (F32, BF16, I64):
        for a in layouts(special, ROWS, dtype):
            record("where", [exact(ROWS, BOOL), a, special(ROWS, dtype)])
            record("add", [a, exact((67,), dtype)])
            record("mul", [a, exact((33, 1), dtype)])
            record("lt", [a, exact((1, 67), F32)])
            record("maximum", [a, special((33, 1), dtype)])


def main():
    torch.set_num_threads(1)
    for group in (reductions, orders, places, products, conversions):
        group()
    data = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=data, mode="wb", mtime=0) as f:
        for number, (key, case) in enumerate(CASES.items()):
            f.write((json.dumps(written(number, key, case), separators=(",", ":"), allow_nan=False) + "\n").encode())
    path = f"{sys.argv[1]}/large.jsonl.gz"
    with open(path, "wb") as f:
        f.write(data.getvalue())
    print(f"{path}: {len(CASES)} cases, {sum(len(case['steps']) for case in CASES.values())} calls, {len(data.getvalue())} bytes")


main()
