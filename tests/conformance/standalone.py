"""Record the stand-alone cases from real PyTorch: broadcasting, memory formats, overlap, rounding, devices, powers, printing.

    python standalone.py FOLDER_OF_THE_GENERATOR > cases/standalone.jsonl

FOLDER_OF_THE_GENERATOR holds gen_cases.py and its package `gen`, which runs and encodes the programs. Each program below asks one
question that other suites ask, too; all answers are PyTorch's.
"""
import json
import math
import sys
import warnings

import torch

sys.path.insert(0, sys.argv[1])
from gen.program import Program, Raised, Scalar, reset_globals  # noqa: E402

F32, F64, F16, BF16, I32, I64, U8 = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64,
                                     torch.uint8)
CL, CL3, CF = torch.channels_last, torch.channels_last_3d, torch.contiguous_format
PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def each(*rows):
    """One program a row of arguments."""
    def add(f):
        PROGRAMS.extend(lambda p, row=row: f(p, *row) for row in rows)
        return f
    return add


def grid(*shape, dtype=F32):
    return torch.arange(math.prod(shape)).reshape(shape).to(dtype)


# --------------------------------------------------------------------------------------------------- broadcasting

@each(([5, 7, 3], [5, 7, 3]), ([5, 3, 4, 1], [3, 1, 1]), ([1], [3, 1, 7]), ([0], [2, 2]), ([5, 2, 4, 1], [3, 1, 1]), ([], [2, 3]),
      ([0], [1]), ([0], [2, 1]), ([4, 1], [1, 5]), ([3, 4], [4, 3]), ([2, 0, 3], [1, 3]), ([2, 1, 6, 5], [7, 1, 5]))
def sums(p, a, b):
    p.step("add", p.input(grid(*a)), p.input(grid(*b)))


@each(([5, 3, 4, 1], [3, 1, 1]), ([1, 3, 1], [3, 1, 7]), ([3], []), ([2, 3], [1, 2, 3]), ([0], [1]))
def sums_in_place(p, a, b):
    p.step("add_", p.input(grid(*a)), p.input(grid(*b)))


@each(([2, 1], [1, 3], [2, 3]), ([2], [3, 1], [4, 1, 1]), ([2], [3], [2]))
def of_three(p, a, b, c):
    p.step("broadcast_shapes", a, b, c)
    p.step("addcmul", *[p.input(grid(*s)) for s in (a, b, c)])


@each(([3, 1], [3, 4]), ([3], [-1, 3]), ([3], [4]))
def expanded(p, a, shape):
    p.step("expand", p.input(grid(*a)), shape)


# -------------------------------------------------------------------------------------------------- memory formats

def asked(p, x):
    for f in (CF, CL):
        p.step("is_contiguous", x, memory_format=f)


SLICES = [("slice", 0, 0, 1, 1), ("slice", 1, 0, 2, 1), ("slice", 2, 0, 2, 1), ("slice", 3, 0, 2, 1), ("slice", 3, 0, 4, 2),
          ("slice", 1, 1, None, 2), ("transpose", 2, 3), ("transpose", 1, 2), ("transpose", 0, 1)]


@each(*[(f, *view) for f in (CF, CL) for view in SLICES])
def through_views(p, f, op, *args):
    """What a sum, a clone and an empty tensor make of a view's layout."""
    v = p.step(op, p.input(torch.arange(2 * 3 * 4 * 4).reshape(2, 3, 4, 4).to(F32).contiguous(memory_format=f)), *args)
    asked(p, v)
    p.step("add", v, Scalar(1))
    p.step("clone", v)
    p.step("contiguous", v)


@each((CF, CL), (CL, CF))
def first_wins(p, f, g):
    a = p.input(grid(2, 3, 2, 2).contiguous(memory_format=f))
    b = p.input(grid(2, 3, 2, 2).contiguous(memory_format=g))
    p.step("mul", a, b)


@each(([2, 1, 4, 4],), ([2, 3, 1, 1],), ([1, 1, 1, 1],))
def both_formats(p, shape):
    a = p.input(grid(*shape))
    asked(p, a)
    p.step("to", a, memory_format=CL)
    p.step("contiguous", a, memory_format=CL)


@each((CL3, [1, 2, 2, 2, 2]), (CL, [1, 2, 2, 2, 2]), (CL3, [2, 2, 2, 2]))
def of_rank_five(p, f, shape):
    p.step("contiguous", p.input(grid(*shape)), memory_format=f)


# --------------------------------------------------------------------------------------------------------- overlap

@program
def itself(p):
    a = p.input(grid(2, 2))
    p.step("add_", a, a)


@each(("add_",), ("copy_",), ("mul_",))
def shifted(p, op):
    a = p.input(grid(6))
    p.step(op, p.step("slice", a, 0, 1, None, 1), p.step("slice", a, 0, 0, 5, 1))


@program
def transposed(p):
    a = p.input(grid(3, 3))
    p.step("add_", a, p.step("t", a))


@program
def copied_from_its_transpose(p):
    a = p.input(grid(3, 3))
    p.step("copy_", a, p.step("t", a))


@program
def halves(p):
    a = p.input(grid(6))
    p.step("add_", p.step("slice", a, 0, 0, 3, 1), p.step("slice", a, 0, 3, 6, 1))


@program
def interleaved(p):
    a = p.input(grid(6))
    p.step("add_", p.step("slice", a, 0, 0, None, 2), p.step("slice", a, 0, 1, None, 2))


@each(("add_", Scalar(1)), ("fill_", Scalar(1)), ("zero_",), ("exp_",))
def many_in_one(p, op, *args):
    a = p.input(grid(1, dtype=F32))
    p.step(op, p.step("expand", a, [3]), *args)
    p.watch(a)


@program
def out_is_an_operand(p):
    a = p.input(grid(4))
    p.step("mul", a, Scalar(3), out=a)


@program
def out_overlaps(p):
    a = p.input(grid(6))
    p.step("neg", p.step("slice", a, 0, 0, 5, 1), out=p.step("slice", a, 0, 1, None, 1))


@program
def out_is_expanded(p):
    a, b = p.input(grid(1)), p.input(grid(3))
    p.step("add", b, b, out=p.step("expand", a, [3]))


# -------------------------------------------------------------------------------------------------------- rounding

@each((F32, F16, [65504.0, 65519.0, 65520.0, 1e6, -65520.0]), (F32, F16, [2049.0, 2051.0, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 0.1]),
      (F32, F16, [2.0 ** -24, 2.0 ** -25, 1.5 * 2 ** -25, 6e-8, 5.96e-8]), (F32, BF16, [1 + 2 ** -8, 1 + 3 * 2 ** -8, 257.0, 259.0, 3.39e38]),
      (F64, BF16, [1 + 2 ** -8 + 2 ** -40, 1e39, -1e-40]), (I64, BF16, [2 ** 30 + 2 ** 22 + 1, 257, 259]), (I64, F16, [2049, 2051, 65519, 65520]),
      (F32, BF16, [math.nan, math.inf, -math.inf, -0.0]))
def rounded(p, src, dst, values):
    p.step("to", p.input(torch.tensor(values, dtype=src)), dst)


@each((F16, [1.0, 2048.0, 0.333, 60000.0]), (BF16, [1.0, 256.0, 0.333, 3e38]))
def rounded_once(p, d, values):
    a = p.input(torch.tensor(values, dtype=d))
    b = p.step("add", a, Scalar(1.0))
    p.step("mul", b, Scalar(3.1))
    p.step("sub", a, b)


# --------------------------------------------------------------------------------------------------------- devices

@each("cpu", "cuda", "cuda:0", "cuda:1", "meta", "", ":", "cuda:", ":0", "cuda:01", "cuda:-1", "cuda0", " cuda", "cuda:0:1", "1", "foo")
def device(p, *text):
    p.step("device", "".join(text))


# ----------------------------------------------------------------------------------------------------------- powers

@each((I32, [2, -3, 0], 3), (I32, [2, -3, 7], -1), (I32, [2, 3], 0.5), (U8, [2, 3, 17], 2), (F32, [4.0, 0.0, -2.0], 0.5),
      (F32, [2.0, -3.0, 0.5], -2), (F64, [math.inf, -math.inf, math.nan, 0.0], 0), (F32, [2.0, 4.0], -0.5), (torch.bool, [True, False], 2))
def power(p, d, values, exponent):
    p.tolerate()
    p.step("pow", p.input(torch.tensor(values, dtype=d)), Scalar(exponent))


@program
def powers_of_integers(p):
    p.step("pow", p.input(torch.tensor([1, -1, -1, 2, 0, 3])), p.input(torch.tensor([-5, -1, -2, -1, 0, 39])))


@program
def two_to_the(p):
    p.step("pow", Scalar(2), p.input(torch.tensor([0, 1, 10, 62])))


# --------------------------------------------------------------------------------------------------------- printing

@each((torch.tensor(1.5),), (torch.tensor([1.0, 2.0]),), (torch.tensor([0.1, 1e-6]),), (torch.tensor([1e9, 1.0]),),
      (torch.tensor([math.nan, math.inf, -math.inf]),), (torch.tensor([True, False]),), (torch.tensor([[1, -20], [300, 4]]),),
      (torch.tensor([1 + 2j, -0.5j]),), (torch.zeros(0, 3),), (torch.zeros(0, dtype=I64),), (torch.arange(1001),),
      (torch.tensor([1.5, 2.0], dtype=F16),), (torch.arange(30, dtype=F64).reshape(2, 3, 5),))
def printed(p, t):
    p.step("repr", p.input(t))


# ---------------------------------------------------------------------------------------------------------- overlap

@program
def sums_into_what_they_read(p):
    a = p.input(torch.arange(35, dtype=F64).as_strided((4, 4), (2, 8), 3))
    first = p.step("narrow", a, 0, 0, 3)
    p.step("add", first, first, out=p.step("narrow", a, 0, 1, 3))


@program
def differences_of_a_column(p):
    a = p.input(torch.tensor([[1, 2], [3, 4]]))
    p.step("sub_", a, p.step("narrow", a, 1, 0, 1))


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for number, draw in enumerate(PROGRAMS):
        p = Program()
        reset_globals()
        try:
            draw(p)
        except Raised:
            pass
        print(json.dumps(p.case("standalone", number), separators=(",", ":"), ensure_ascii=False, allow_nan=False))


main()
