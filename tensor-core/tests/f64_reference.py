"""Writes f64_reference.txt: arguments and correctly rounded results of functions of f64, as bits. Needs mpmath.

python3 f64_reference.py > f64_reference.txt
"""
import math
import random
import struct

import mpmath

mpmath.mp.prec = 400
DRAWN = 150


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def near(low, high):
    return lambda rng: rng.uniform(low, high)


def wide(low, high, signed=True):
    """Numbers whose exponents are spread evenly."""
    return lambda rng: (rng.choice([-1, 1]) if signed else 1) * rng.uniform(1, 2) * 2.0 ** rng.randint(low, high)


m = mpmath
FUNCTIONS = {
    "exp": (m.exp, [near(-700, 700), wide(-60, 3)]),
    "exp2": (lambda x: m.power(2, x), [near(-1000, 1000), wide(-60, 3)]),
    "expm1": (m.expm1, [near(-40, 700), wide(-60, 3)]),
    "log": (m.log, [wide(-1000, 1000, False), near(0.5, 2)]),
    "log2": (lambda x: m.log(x, 2), [wide(-1000, 1000, False), near(0.5, 2)]),
    "log10": (m.log10, [wide(-1000, 1000, False), near(0.5, 2)]),
    "log1p": (m.log1p, [wide(-60, -2), wide(-60, 1000, False), near(-0.9, 2)]),
    "sin": (m.sin, [near(-10, 10), wide(-30, 60)]),
    "cos": (m.cos, [near(-10, 10), wide(-30, 60)]),
    "tan": (m.tan, [near(-10, 10), wide(-30, 60)]),
    "asin": (m.asin, [near(-1, 1), wide(-30, -2)]),
    "acos": (m.acos, [near(-1, 1), wide(-30, -2)]),
    "atan": (m.atan, [near(-10, 10), wide(-30, 60)]),
    "sinh": (m.sinh, [near(-700, 700), wide(-30, 3)]),
    "cosh": (m.cosh, [near(-700, 700), wide(-30, 3)]),
    "tanh": (m.tanh, [near(-20, 20), wide(-30, 3)]),
    "asinh": (m.asinh, [near(-100, 100), wide(-30, 300)]),
    "acosh": (m.acosh, [near(1, 100), wide(0, 300, False)]),
    "atanh": (m.atanh, [near(-1, 1), wide(-30, -2)]),
    "erf": (m.erf, [near(-6, 6), wide(-30, 2)]),
    "erfc": (m.erfc, [near(-6, 26), wide(-30, 2)]),
    "erfinv": (m.erfinv, [near(-1, 1), wide(-30, -2), lambda rng: 1 - rng.uniform(1, 2) * 2.0 ** rng.randint(-50, -2)]),

    "hypot": (m.hypot, [near(-10, 10), wide(-1000, 1000)]),
}

for name, (function, draws) in FUNCTIONS.items():
    rng = random.Random(name)
    for i in range(DRAWN):
        x = draws[i % len(draws)](rng)
        # Numbers of the same size, where both count.
        arguments = [x, x * rng.uniform(-4, 4)] if name == "hypot" else [x]
        result = float(function(*map(m.mpf, arguments)))
        assert math.isfinite(result), (name, x)
        print(name, *(f"{bits(number):x}" for number in [*arguments, result]))
