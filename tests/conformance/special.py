"""Record what real PyTorch gives for special values: every unary and binary operation of the table, in every dtype that it takes.

    python special.py cases

writes cases/special-unary.jsonl.gz, special-binary.jsonl.gz, special-numbers.jsonl.gz and special-large.jsonl.gz. Needs torch only. PyTorch has several
loops for one operation: vectors, single elements, steps. Each call is made through all of them, and elements for which their
answers differ are left out: nobody can say which of them is PyTorch's. So are complex numbers for which complex64 gives anything but
what complex128 gives, rounded, or for which Python's cmath gives another number. The rest makes two cases: the elements whose results are zeros,
infinities, NaN and small integers must be the same to the sign of a zero, the others within a tolerance of the dtype.
"""
import base64
import cmath
import gzip
import io
import json
import math
import sys
import warnings

import torch

INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
DTYPES = [torch.bool, *INTEGERS, *FLOATS, *COMPLEX]
INF, NAN = math.inf, math.nan

UNARY = """neg positive abs sign sgn floor ceil trunc round frac square reciprocal nan_to_num angle isnan isinf isfinite signbit sqrt
rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc logit sinc deg2rad rad2deg
relu gelu silu softplus logical_not bitwise_not""".split()
BINARY = """add sub rsub mul div floor_divide remainder fmod pow float_power maximum minimum fmax fmin atan2 hypot copysign logaddexp
xlogy eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
clamp_min clamp_max""".split()
# The name, what follows the tensor, and what is given by name.
VARIANTS = [("gelu", [], {"approximate": "tanh"}), ("round", [], {"decimals": 1}), ("round", [], {"decimals": -1}),
            ("nan_to_num", [1.5, 7.0, -3.0], {}), ("softplus", [], {"beta": 2.0, "threshold": 1.0}), ("logit", [0.25], {})]
PAIRED_VARIANTS = [("div", {"rounding_mode": "trunc"}), ("div", {"rounding_mode": "floor"}), ("add", {"alpha": 2}), ("sub", {"alpha": -3}),
                   ("rsub", {"alpha": 2})]
NUMBERS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0, -2.0, 0.25, INF, -INF, NAN]
WITH_NUMBERS = "pow mul div add sub maximum clamp_min clamp_max remainder floor_divide fmod eq lt xlogy copysign".split()

EXACT = set("""neg positive abs sign floor ceil trunc round frac isnan isinf isfinite signbit relu logical_not nan_to_num maximum minimum fmax
fmin copysign clamp_min clamp_max eq ne lt le gt ge""".split())

TOLERANCE = {torch.float16: 2.0 ** -10, torch.bfloat16: 2.0 ** -7, torch.float32: 3e-6, torch.float64: 4e-15, torch.complex64: 1e-5,
             torch.complex128: 1e-13}


def reals(dtype, many=True):
    info = torch.finfo(dtype)
    few = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -2.5, info.max]
    more = [-0.5, 2.0, -2.0, 1.5, 2.5, -info.max, info.tiny, -info.tiny, info.smallest_normal / 4, info.eps, 1 - info.eps, 1 + info.eps, 3.0,
            math.pi / 2, math.pi, 10.0, 20.5, -20.5, 88.0, 100.0, -100.0, 1e-3, -1e-3, 0.1, 0.3, -0.7, 7.0, -7.0, 1e4, -1e4]
    return torch.tensor(few + (more if many else []), dtype=dtype)


def numbers(dtype, many=True):
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if dtype in INTEGERS:
        info = torch.iinfo(dtype)
        return torch.tensor([x for x in (0, 1, 2, 3, 7, 8, 63, 64, 100, info.max, info.max - 1, info.min, info.min + 1, -1, -2, -3, -7, -64)
                             if info.min <= x <= info.max], dtype=dtype)
    if dtype in FLOATS:
        return reals(dtype, many)
    part = torch.float32 if dtype == torch.complex64 else torch.float64
    parts = torch.tensor([0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -2.5] + ([torch.finfo(part).max, 2.0, 1e-3, -30.0, 100.0] if many else []),
                         dtype=part)
    n = len(parts)
    return torch.complex(parts.repeat_interleave(n), parts.repeat(n)).to(dtype)


def pairs(dtype):
    x = numbers(dtype, many=False)
    if dtype in COMPLEX:
        # All pairs of so many would be ten thousand: each number with nine others, and no place twice.
        n = len(x)
        at = torch.arange(n * 9)
        return x[at % n].clone(), x[(at % n * 7 + at // n * 11) % n].clone()
    return x.repeat_interleave(len(x)), x.repeat(len(x))


def call(op, *args, **kw):
    home = torch if hasattr(torch, op) else torch.nn.functional
    return getattr(home, op)(*args, **kw)


def logical_bytes(x):
    x = x.detach().resolve_conj().contiguous()
    return bytes(x.view(torch.uint8).flatten().tolist()) if x.numel() else b""


def bits(x):
    """One row of bytes an element; NaN is one number."""
    x = x.contiguous()
    if x.is_complex():
        x = torch.view_as_real(x)
    if x.is_floating_point():
        x = torch.where(x.isnan(), torch.full_like(x, NAN), x).contiguous()
    return x.reshape(len(x), -1).contiguous().view(torch.uint8).reshape(len(x), -1)


def stepped(x):
    """The same elements, two apart."""
    wide = torch.zeros(2 * len(x), dtype=x.dtype)
    wide[::2] = x
    return wide[::2]


def close(x, y, dtype):
    parts = [torch.view_as_real(z) if z.is_complex() else z.unsqueeze(-1) for z in (x, y)]
    x, y = (p.to(torch.float64) for p in parts)
    tol = TOLERANCE.get(dtype, 0)
    same = (x == y) & (x.signbit() == y.signbit()) | x.isnan() & y.isnan()
    near = x.isfinite() & y.isfinite() & ((x - y).abs() <= tol * y.abs())
    return (same | near & (y != 0)).all(-1)


def settled(op, tensors, args, kw, singly=True):
    """Which elements all loops agree on."""
    keep = torch.ones(len(tensors[0]), dtype=torch.bool)
    whole = call(op, *tensors, *args, **kw)
    ways = [call(op, *map(stepped, tensors), *args, **kw), call(op, *[t.flip(0) for t in tensors], *args, **kw).flip(0)]
    if singly:
        ways.append(torch.cat([call(op, *[t[i:i + 1] for t in tensors], *args, **kw) for i in range(len(keep))]))
    for way in ways:
        keep &= close(way, whole, whole.dtype)
    if tensors[0].is_complex():
        keep &= of_both_widths(op, tensors, args, kw, whole)
        if tensors[0].dtype == torch.complex128 and len(tensors) == 1 and not args:
            keep &= of_python(op, tensors[0], whole)
    return keep, whole


def of_both_widths(op, tensors, args, kw, whole):
    """Which elements complex64 and complex128 agree on, where both have the numbers: the wider one rounded is the narrower one."""
    if tensors[0].dtype == torch.complex64:
        wide = call(op, *[t.to(torch.complex128) for t in tensors], *args, **kw)
        return close(whole, wide.to(whole.dtype), torch.complex64)
    narrow = [t.to(torch.complex64) for t in tensors]
    both = torch.stack([(bits(n.to(t.dtype)) == bits(t)).all(-1) for n, t in zip(narrow, tensors)]).all(0)
    result = call(op, *narrow, *args, **kw)
    return ~both | close(result, whole.to(result.dtype), torch.complex64)


def of_python(op, x, whole):
    """Which elements Python's own functions agree on, where it has such: PyTorch loses digits of acos where it is small."""
    keep = torch.ones(len(whole), dtype=torch.bool)
    for i, z in enumerate(x.tolist()):
        if op in ("acos", "acosh") and cmath.isfinite(z):
            try:
                keep[i] = close(torch.tensor([getattr(cmath, op)(z)], dtype=torch.complex128), whole[i:i + 1], whole.dtype)[0]
            except (ValueError, OverflowError):
                pass
    return keep


def plain(op, result):
    """Elements whose results say everything by their bits: zeros, infinities, NaN, and all of operations that round once or never."""
    parts = torch.view_as_real(result) if result.is_complex() else result.unsqueeze(-1)
    if op in EXACT and not result.is_complex() or not result.dtype.is_floating_point and not result.is_complex():
        return torch.ones(len(result), dtype=torch.bool)
    return (~parts.isfinite() | (parts == 0)).all(-1)


def encoded(x):
    return base64.b64encode(logical_bytes(x)).decode()


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def wrapped(x):
    if isinstance(x, str):
        return {"str": x}
    if isinstance(x, bool):
        return {"bool": x}
    if isinstance(x, int):
        return {"int": x}
    return {"float": x if math.isfinite(x) else str(x)}


class Recording:
    def __init__(self, area):
        self.area, self.cases, self.left_out, self.elements = area, [], 0, 0

    def add(self, op, tensors, args=(), kw=None):
        kw = kw or {}
        try:
            keep, result = settled(op, tensors, args, kw)
        except (RuntimeError, TypeError, NotImplementedError, IndexError):
            return
        self.left_out += int((~keep).sum())
        self.elements += len(keep)
        exact = plain(op, result)
        least = torch.finfo(result.dtype).smallest_normal * torch.finfo(result.dtype).eps if result.dtype.is_floating_point else 0.0
        near = {"rel": TOLERANCE.get(result.dtype, 0.0), "abs": least}
        for chosen, tol in ((keep & exact, {"exact": True}), (keep & ~exact, near)):
            self.record(op, [t[chosen] for t in tensors], args, kw, tol, result[chosen])

    def record(self, op, tensors, args, kw, tol, whole):
        # Fewer elements are another call, whose loop may cut them otherwise.
        same = close(call(op, *tensors, *args, **kw), whole, whole.dtype) if len(whole) else torch.ones(0, dtype=torch.bool)
        self.left_out += int((~same).sum())
        tensors = [t[same] for t in tensors]
        if not len(tensors[0]):
            return
        names = "ab"[:len(tensors)]
        inputs = {n: {"dtype": name_of(t.dtype), "shape": [len(t)], "strides": [1], "offset": 0, "storage": encoded(t)} for n, t in zip(names, tensors)}
        result = call(op, *tensors, *args, **kw)
        expect = {"r": {"dtype": name_of(result.dtype), "shape": list(result.shape), "strides": list(result.stride()), "offset": 0, "data": encoded(result)}}
        said = {k: v if k == "decimals" else wrapped(v) for k, v in kw.items()}
        step = {"let": "r", "op": op, "args": [*("$" + n for n in names), *map(wrapped, args)]}
        if said:
            step["kw"] = said
        self.cases.append({"id": f"{self.area}/{len(self.cases):06}", "area": self.area, "torch": torch.__version__.split("+")[0], "inputs": inputs,
                           "steps": [step], "expect": expect, "tol": tol})

    def write(self, folder):
        data = io.BytesIO()
        with gzip.GzipFile(filename="", fileobj=data, mode="wb", mtime=0) as f:
            for case in self.cases:
                f.write((json.dumps(case, separators=(",", ":"), allow_nan=False) + "\n").encode())
        path = f"{folder}/{self.area}.jsonl.gz"
        with open(path, "wb") as f:
            f.write(data.getvalue())
        print(f"{path}: {len(self.cases)} cases, {self.elements} elements, {self.left_out} left out, {len(data.getvalue())} bytes")


def many(dtype, count, generator):
    """So many numbers of few values, special ones at every kind of place: vectors, their ends, blocks and threads all get some."""
    few = numbers(dtype, many=dtype not in COMPLEX)
    return few[torch.randint(len(few), (count,), generator=generator)]


def large(recording):
    """Loops of vectors, of blocks and of threads, whose sizes are no multiple of any of them; and two dimensions in the other order."""
    generator = torch.Generator().manual_seed(5)
    for dtype in (torch.float32, torch.bfloat16, torch.complex64, torch.int32):
        for op in LARGE + LARGE_PAIRED if dtype not in COMPLEX else ["exp", "sqrt", "abs", "add", "mul", "eq"]:
            for count in (1037, *((50021,) if dtype == torch.float32 and op in ("exp", "lt") else ())):
                tensors = [many(dtype, count, generator) for _ in range(2 if op in LARGE_PAIRED else 1)]
                try:
                    keep, _ = settled(op, tensors, (), {}, singly=False)
                except (RuntimeError, TypeError, NotImplementedError):
                    continue
                one = torch.ones((), dtype=dtype)
                tensors = [torch.where(keep, t, one) for t in tensors]
                result = call(op, *tensors)
                exact = op in EXACT or not (result.dtype.is_floating_point or result.dtype.is_complex)
                least = torch.finfo(result.dtype).smallest_normal * torch.finfo(result.dtype).eps if result.dtype.is_floating_point else 0.0
                tol = {"exact": True} if exact else {"rel": TOLERANCE.get(result.dtype, 0.0), "abs": least}
                recording.record(op, tensors, (), {}, tol, result)


LARGE = "exp log sin tanh sqrt abs neg floor isnan reciprocal sigmoid relu".split()
LARGE_PAIRED = "add mul div maximum lt eq atan2 remainder copysign fmod pow".split()


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    unary, binary, mixed = Recording("special-unary"), Recording("special-binary"), Recording("special-numbers")
    for dtype in DTYPES:
        for op in UNARY:
            unary.add(op, [numbers(dtype)])
        for op, args, kw in VARIANTS:
            unary.add(op, [numbers(dtype)], args, kw)
        lhs, rhs = pairs(dtype)
        # Integers divided by zero raise, and the least by -1 ends the process.
        divisible = torch.ones(len(rhs), dtype=torch.bool)
        if dtype in INTEGERS:
            divisible = (rhs != 0) & ~((rhs == -1) & (lhs == torch.iinfo(dtype).min))
        for op, kw in [(op, {}) for op in BINARY] + PAIRED_VARIANTS:
            divides = op in ("floor_divide", "remainder", "fmod") or "rounding_mode" in kw
            chosen = divisible if divides else torch.ones_like(divisible)
            binary.add(op, [lhs[chosen], rhs[chosen]], (), kw)
        if dtype in FLOATS + COMPLEX:
            for op in WITH_NUMBERS:
                for number in NUMBERS:
                    mixed.add(op, [numbers(dtype)], [number])
    of_many = Recording("special-large")
    large(of_many)
    for recording in (unary, binary, mixed, of_many):
        recording.write(sys.argv[1])


main()
