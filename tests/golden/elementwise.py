"""Records what PyTorch answers for every elementwise operation: `python elementwise.py > elementwise.txt`.

Each line is a call and its answer, `operation form operands parameters = dtype values` or `… ! class text`. Operands are `x.f32` (a
list in the head of the file) or a number. Forms: `new`, `place` (into the first operand), `out.f32` (into a tensor of that dtype).
"""
import itertools
import warnings

import torch

warnings.simplefilter("ignore")
NAMES = dict(bool=torch.bool, u8=torch.uint8, i8=torch.int8, i16=torch.int16, i32=torch.int32, i64=torch.int64, f16=torch.float16,
             bf16=torch.bfloat16, f32=torch.float32, f64=torch.float64, c32=torch.complex32, c64=torch.complex64, c128=torch.complex128)
SHORT = {dtype: name for name, dtype in NAMES.items()}
INF, NAN = float("inf"), float("nan")
INPUTS = {
    "bool": ([1, 0, 1, 0, 1, 1], [1, 1, 0, 0, 1, 0], [0, 1, 1, 0, 0, 1]),
    "u8": ([7, 250, 0, 1, 5, 100], [2, 3, 5, 255, 1, 7], [3, 1, 9, 4, 250, 6]),
    "int": ([-7, -3, 0, 1, 5, 100], [2, -3, 5, -1, 1, 7], [3, 1, -9, 4, 2, -6]),
    "float": ([-2.5, -0.75, 0.0, 0.5, 1.25, NAN, INF, 3.5], [1.5, -0.25, 2.0, -1.5, 0.0, 3.0, 1.0, -INF], [0.25, 2.0, -3.0, 1.0, 0.5, 1.0, 2.0, 4.0]),
    "complex": ([1 + 2j, -0.5 + 0.25j, 0j, 2 - 1j, -1.5 + 0j, 0.75j], [0.5 - 1j, 2 + 0j, -1 + 0.5j, 1j, -0.25 - 0.75j, 1.5 + 0.5j],
                [1j, 0.5 + 0.5j, 2 - 1j, -1 + 0j, 0.25 + 1j, 3 + 0j]),
}
LEAST, GREATEST = -(1 << 62), 1 << 62  # become the limits of each dtype
EDGES = {
    "bool": ([0, 0, 1, 1], [0, 1, 0, 1]),
    "u8": ([0, 1, 127, 128, 255, 255, 254, 2, 3, 200], [1, 255, 2, 128, 255, 1, 3, 7, 8, 200]),
    "int": ([LEAST, LEAST, GREATEST, GREATEST, -1, 0, 7, -7, 7, -7, 1, LEAST], [-1, 1, -1, GREATEST, LEAST, LEAST, 2, 2, -2, -2, 64, 2]),
    "float": ([0.0, -0.0, 1.0, -1.0, INF, -INF, INF, NAN, -7.0, 7.0, 6e-8, 60000.0, -6e-8, 5.0, -0.0, 2.5, -3.5],
              [0.0, 0.0, 0.0, -0.0, 2.0, 2.0, INF, 1.0, 2.0, -2.0, 3.0, 2.0, 3.0, -INF, -INF, -0.0, 0.5]),
    "complex": ([1e-3 + 0j, -1e-3 - 1e-3j, 100 + 100j, -2 + 0j, 0 - 3j, 0.5 + 0.5j], [1 + 0j, 0 + 1j, -1 + 0j, 0.5 + 0j, 2 + 0j, 0.5 - 0.5j]),
}
KIND = {"bool": "bool", "u8": "u8", **dict.fromkeys(["i8", "i16", "i32", "i64"], "int"), **dict.fromkeys(["f16", "bf16", "f32", "f64"], "float"),
        **dict.fromkeys(["c32", "c64", "c128"], "complex")}
NUMBERS = ["true", "2", "-1", "2.5", "1.5+0.5j"]
OTHERS = {"bool": ["u8", "i64", "f16", "c64"], "u8": ["i8", "bool", "f32", "c128"], "i8": ["u8", "i32", "bf16", "f64"],
          "i16": ["bool", "i64", "f16", "c64"], "i32": ["i8", "f32", "f64", "c64"], "i64": ["i32", "f16", "bf16", "c64"],
          "f16": ["bf16", "i64", "f32", "c64"], "bf16": ["f16", "u8", "f64", "c64"], "f32": ["bool", "f16", "f64", "c128"],
          "f64": ["i32", "bf16", "f32", "c64"], "c32": ["f16", "i32"], "c64": ["f32", "f64", "c128", "i64"], "c128": ["i16", "f32", "c64"]}
OUTPUTS = ["bool", "i32", "f64", "c64"]
nn = torch._C._nn


def tensor(name, columns=None):
    which, dtype = name.split(".")
    if which in "vw":
        values = EDGES[KIND[dtype]]["vw".index(which)]
        if KIND[dtype] == "int":
            limits = torch.iinfo(NAMES[dtype])
            values = [max(limits.min, min(limits.max, value)) for value in values]
        return torch.tensor(values, dtype=NAMES["c64" if dtype == "c32" else dtype]).to(NAMES[dtype])
    values = INPUTS[KIND[dtype]]["xyz".index(which)][:6]
    if KIND[dtype] == "float" and which != "z":
        values = INPUTS[KIND[dtype]]["xyz".index(which)]
    made = torch.tensor(values, dtype=NAMES["c64" if dtype == "c32" else dtype]).to(NAMES[dtype])
    return made[:columns] if columns else made


def operands(names):
    """The operands, cut to the same length."""
    if names[0][:2] in ("v.", "w.") or names[-1][:2] in ("v.", "w."):
        return [tensor(n) if n[:2] in ("v.", "w.") else number(n) for n in names]
    length = min((8 if KIND[n.split(".")[1]] == "float" and n[0] != "z" else 6) for n in names if n[:2] in ("x.", "y.", "z."))
    return [tensor(n, length) if n[:2] in ("x.", "y.", "z.") else number(n) for n in names]


def number(text):
    return {"true": True, "false": False}[text] if text in ("true", "false") else eval(text, {"inf": INF, "nan": NAN})


def element(value, dtype):
    if dtype == torch.bool:
        return "1" if value else "0"
    if dtype.is_complex:
        part = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}[dtype]
        value = complex(value)
        return element(value.real, part) + "," + element(value.imag, part)
    if dtype.is_floating_point:
        digits = {torch.float16: 5, torch.bfloat16: 4, torch.float32: 9, torch.float64: 17}[dtype]
        return f"{float(value):.{digits}g}"
    return str(int(value))


def answer(call):
    try:
        result = call()
    except Exception as error:  # every class that PyTorch raises is an answer
        text = str(error).split("\n")[0]
        if isinstance(error, AttributeError) or "(): argument" in text or "invalid combination" in text or "got an unexpected keyword" in text or "missing 1 required" in text:
            return None
        return f"! {type(error).__name__} {str(error)}".replace("\n", "\\n")
    dtype = result.dtype
    if dtype not in SHORT:
        return None
    shown = result.resolve_conj().to(torch.complex64) if dtype == torch.complex32 else result.resolve_conj()
    return f"= {SHORT[dtype]} " + " ".join(element(v, dtype) for v in shown.tolist())


def record(op, form, names, call, params=""):
    """`call(arguments, out)`, where `out` is given for that form only; in place the call is on the first argument."""
    if form.startswith("out."):
        arguments = operands(names)
        length = next(a.numel() for a in arguments if isinstance(a, torch.Tensor))
        out = torch.zeros(length, dtype=torch.float32).to(NAMES[form[4:]])
        said = answer(lambda: call(*arguments, out=out))
    else:
        said = answer(lambda: call(*operands(names)))
    if said is not None:
        print(" ".join([op, form, *names, *([params] if params else []), said]))


UNARY = """neg positive abs sign sgn sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
sigmoid relu erf erfc floor ceil trunc round frac reciprocal square isnan isinf isfinite signbit logical_not bitwise_not angle
deg2rad rad2deg nan_to_num""".split()
SPECIAL = {
    "gelu": lambda x, **k: nn.gelu(x, **k), "gelu_tanh": lambda x, **k: nn.gelu(x, approximate="tanh", **k), "silu": lambda x, **k: nn.silu(x, **k),
    "softplus": lambda x, **k: nn.softplus(x, **k), "conj": lambda x: torch.conj(x), "real": lambda x: torch.real(x), "imag": lambda x: torch.imag(x),
}
BINARY = """add sub rsub mul div floor_divide div_trunc remainder fmod pow float_power maximum minimum fmax fmin atan2 hypot copysign logaddexp xlogy eq
ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift clamp_min
clamp_max""".split()
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floor_divide": "//", "remainder": "%", "pow": "**", "bitwise_and": "&",
             "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>"}


def binary(op):
    if op == "div_trunc":
        return lambda x, y, **k: torch.div(x, y, rounding_mode="trunc", **k)
    return getattr(torch, op)


def in_place(op):
    if op == "div_trunc":
        return lambda x, y: x.div_(y, rounding_mode="trunc")
    return lambda x, *rest: getattr(x, op + "_")(*rest)


def record_unary():
    for op in [*UNARY, *SPECIAL]:
        function = SPECIAL.get(op) or getattr(torch, op)
        for dtype in NAMES:
            x = f"x.{dtype}"
            record(op, "new", [f"v.{dtype}"], function)
            record(op, "new", [x], function)
            record(op, "place", [x], in_place(op))
            for out in dict.fromkeys([dtype, *OUTPUTS]):
                record(op, f"out.{out}", [x], function)


def record_binary():
    for op in BINARY:
        for dtype in NAMES:
            x = f"x.{dtype}"
            for rhs in [*(f"y.{other}" for other in [dtype, *OTHERS[dtype]]), *NUMBERS]:
                if rhs in NUMBERS and op in ("bitwise_left_shift", "bitwise_right_shift") and rhs == "-1":
                    continue
                record(op, "new", [x, rhs], binary(op))
                record(op, "place", [x, rhs], in_place(op))
            if op not in ("div_trunc", "fmod") or KIND[dtype] != "int":  # the least number by -1 kills the process
                record(op, "new", [f"v.{dtype}", f"w.{dtype}"], binary(op))
            for edge in ["0", "300", "0.1", "-0.3", "1e5"]:
                record(op, "new", [f"v.{dtype}", edge], binary(op))
            for number_ in ["true", "2", "2.5", "1.5+0.5j"]:
                symbol = OPERATORS.get(op)
                left = (lambda a, b, s=symbol: eval(f"a {s} b", {"a": a, "b": b})) if symbol else binary(op)
                record(op, "new", [number_, x], left)
            for out in dict.fromkeys([dtype, *OUTPUTS]):
                record(op, f"out.{out}", [x, f"y.{dtype}"], binary(op))


def record_parameters():
    def alpha(op, value):
        return lambda x, y, **k: getattr(torch, op)(x, y, alpha=value, **k)

    for dtype in NAMES:
        x, y, z = (f"{name}.{dtype}" for name in "xyz")
        for op, value in itertools.product(["add", "sub", "rsub"], ["true", "2", "-1", "2.5", "1.5+0.5j"]):
            for rhs in [y, "y.i32", "y.f32", "2", "2.5"]:
                record(op, "new", [x, rhs], alpha(op, number(value)), f"alpha={value}")
                if op != "rsub":
                    record(op, "place", [x, rhs], lambda x, y, op=op: getattr(x, op + "_")(y, alpha=number(value)), f"alpha={value}")
        for decimals in ["0", "1", "2", "-1"]:
            record("round_decimals", "new", [x], lambda x, **k: torch.round(x, decimals=int(decimals), **k), f"decimals={decimals}")
            record("round_decimals", "place", [x], lambda x: x.round_(decimals=int(decimals)), f"decimals={decimals}")
        for beta, threshold in [("1", "20"), ("2", "1"), ("-0.5", "3"), ("0.25", "2.5")]:
            call = lambda x, **k: nn.softplus(x, number(beta), number(threshold), **k)
            record("softplus", "new", [x], call, f"beta={beta},threshold={threshold}")
        for nan, top, bottom in [("1.5", "none", "none"), ("none", "2", "none"), ("none", "none", "-3"), ("-1", "7.5", "0.5"), ("1e9", "1e300", "-1e300")]:
            given = {key: number(v) for key, v in (("nan", nan), ("posinf", top), ("neginf", bottom)) if v != "none"}
            params = f"nan={nan},top={top},bottom={bottom}"
            record("nan_to_num", "new", [x], lambda x, **k: torch.nan_to_num(x, **given, **k), params)
            record("nan_to_num", "place", [x], lambda x: x.nan_to_num_(**given), params)
        for op in ["addcmul", "addcdiv"]:
            for value in ["1", "2", "2.5", "1.5+0.5j"]:
                for names in [[x, y, z], [x, "y.f32", z], ["x.f64", y, z], [x, y, "z.i32"]]:
                    record(op, "new", names, lambda x, y, z, **k: getattr(torch, op)(x, y, z, value=number(value), **k), f"value={value}")
                record(op, "place", [x, y, z], lambda x, y, z: getattr(x, op + "_")(y, z, value=number(value)), f"value={value}")
            for out in dict.fromkeys([dtype, *OUTPUTS]):
                record(op, f"out.{out}", [x, y, z], getattr(torch, op))


def record_ternary():
    for dtype in NAMES:
        x, y, z = (f"{name}.{dtype}" for name in "xyz")
        bounds = [("0", "2"), ("-1", "2.5"), ("0.5", "1.5"), ("true", "2"), ("1.5+0.5j", "2"), ("2", "-1"), ("-200", "200"), ("300", "400"), ("-400", "-300"), ("0", "1e5"), ("0", "1e40"), ("nan", "1.0"), (y, z), ("y.f32", "z.f32"), ("y.i32", "z.f64"), ("y.u8", z)]
        for low, high in bounds:
            record("clamp", "new", [x, low, high], torch.clamp)
            record("clamp", "place", [x, low, high], lambda x, low, high: x.clamp_(low, high))
        for out in dict.fromkeys([dtype, *OUTPUTS]):
            record("clamp", f"out.{out}", [x, y, z], torch.clamp)
            record("clamp", f"out.{out}", [x, "0", "2"], torch.clamp)
            record("lerp", f"out.{out}", [x, y, z], torch.lerp)
            record("lerp", f"out.{out}", [x, y, "0.25"], torch.lerp)
            record("clamp_min", f"out.{out}", [x, "2"], torch.clamp_min)
            record("clamp_max", f"out.{out}", [x, "2"], torch.clamp_max)
            record("where", f"out.{out}", ["x.bool", x, y], torch.where)
        for end, weight in [(y, z), (y, "0.25"), (y, "2"), (y, "true"), (y, "1.5+0.5j"), ("y.f32", z), (y, "z.f64"), (y, "z.f32")]:
            record("lerp", "new", [x, end, weight], torch.lerp)
            record("lerp", "place", [x, end, weight], lambda x, end, weight: x.lerp_(end, weight))
        record("where", "new", [x, "y.f32", "z.f32"], torch.where)
        for other in [*(f"y.{other}" for other in [dtype, *OTHERS[dtype]]), "true", "2", "2.5", "1.5+0.5j"]:
            record("where", "new", ["x.bool", x, other], torch.where)
            record("where", "new", ["x.bool", other, x], torch.where)


def main():
    print(f"# PyTorch {torch.__version__.split('+')[0]}. Written by elementwise.py.")
    for dtype in NAMES:
        for name in "xyzvw":
            print(f"input {name}.{dtype} " + " ".join(element(v, NAMES[dtype]) for v in (tensor(f"{name}.{dtype}").to(torch.complex64) if dtype == "c32" else tensor(f"{name}.{dtype}")).tolist()))
    record_unary()
    record_binary()
    record_parameters()
    record_ternary()


main()
