"""Records what PyTorch answers for products of vectors and matrices: `python product.py > product.txt`.

Each line is a call and its answer, `op operand operand … arguments = dtype sizes : values` or `… ! class text`. An operand is
`dtype:sizes:seed`: element i is element i + seed of the list below, as far as the dtype can hold it.
"""
import itertools
import warnings

import torch

warnings.simplefilter("ignore")
NAMES = dict(bool=torch.bool, u8=torch.uint8, i8=torch.int8, i16=torch.int16, i32=torch.int32, i64=torch.int64, f16=torch.float16,
             bf16=torch.bfloat16, f32=torch.float32, f64=torch.float64, c64=torch.complex64, c128=torch.complex128)
SHORT = {dtype: name for name, dtype in NAMES.items()}
LIST = [1, -2, 3, 0, 2, -1, 4, -3, 5]
EQUATIONS = [
    "ij,jk->ik 2,3 3,4", "ij,jk 2,3 3,4", "ij,jk->ki 2,3 3,4", "ij->ji 2,3", "ij-> 2,3", "ij->j 2,3", "ij 2,3", "ji 2,3", "ii->i 3,3",
    "ii 3,3", "i,i-> 4 4", "i,j->ij 3 4", "bij,bjk->bik 2,2,3 2,3,4", "bij,bjk->ik 2,2,3 2,3,4", "ij,ij->ij 2,3 2,3", "ij,j->i 2,3 3",
    "...ij,...jk->...ik 2,2,3 3,4", "...ij->...ji 2,3,4", "ij,kj->ik 2,3 4,3", "ij,jk,kl->il 2,3 3,2 2,4", "ij,jk,kl->li 2,3 3,2 2,4",
    "ab,cd->abcd 2,2 2,2", "ab,cd-> 2,3 3,2", "ijj->i 2,3,3", "i...i->... 2,3,2", "ij,ij->ij 2,3 1,3", "i...,j...->ij... 2,3 2,3",
    "...i,...i 2,3 2,3", "ab...,bc...->ac... 2,3,4 3,5,4", "ij,jk->ik 0,3 3,2", "ij,jk->ik 2,0 0,2", "i j , j k -> i k 2,3 3,4",
    "Ij,jK->IK 2,3 3,4", "bA,Ac 2,3 3,4", "-> ", ", ", "ij->i... 2,3", "ij,jk->ik 2,3 4,4", "ij->k 2,3", "ij,jk->ik 2,3", "ijk->i 2,3",
    "i,i->ii 3 3", "ii->i 2,3", "ij 2,3 2,3", "i1->i 2,3", "..ij->i 2,3", "i...j...->i 2,3", "ij->i->j 2,3", "ij->i. 2,3",
    "i...,i...->... 2,3 2,4", "b,b 2,3 3,4", "ij...k->i 2,3", "abc,bd,cd->a 2,3,4 3,2 4,2",
]
SHAPES = {
    "mm": ["2,3 3,4", "1,3 3,4", "2,3 3,1", "0,3 3,2", "2,0 0,3", "2,3 4,5", "2,3 3", "3 3,2", "2,3,4 4,2"],
    "mv": ["2,3 3", "0,3 3", "2,0 0", "2,3 2", "3 3", "2,3 3,1"],
    "dot": ["3 3", "0 0", "1 1", "3 4", "2,3 3", "3 3,3"],
    "vdot": ["3 3", "0 0", "3 4", "2,3 3"],
    "outer": ["3 4", "0 2", "2,2 3", "2 3,1"],
    "bmm": ["2,2,3 2,3,4", "0,2,3 0,3,4", "2,0,3 2,3,2", "2,2,0 2,0,3", "2,3,4 3,4,5", "2,3,4 2,3,5", "3,4 3,4,5", "2,3,4 4,5"],
    "matmul": ["3 3", "2,3 3", "3 3,4", "2,3 3,4", "2,3,4 4,2", "2,3 2,3,4", "3 2,3,4", "2,3,4 4", "2,2,3 2,3,4", "2,2,3 1,3,4",
               "3,1,2,4 2,4,3", "2,1,2,3 2,1,3,2", "- 3", "2,3 -", "3 4", "2,3 4,5", "2,3 4", "4 3,2", "2,3,4 3,4,5", "2,2,3 4,5",
               "2,2,3 4", "4 2,3,2", "2,0,3 3,2", "2,2,0 0,3"],
    "addmm": ["2,4 2,3 3,4", "4 2,3 3,4", "1,4 2,3 3,4", "2,1 2,3 3,4", "- 2,3 3,4", "2,4 2,0 0,4", "3,3 2,3 3,4", "2,2,4 2,3 3,4", "2,4 2,3 4,4",
              "2,4 3 3,4", "2,4 2,3 4"],
    "baddbmm": ["2,2,4 2,2,3 2,3,4", "4 2,2,3 2,3,4", "2,1,1 2,2,3 2,3,4", "5 2,2,3 2,3,4", "4 2,2,3 2,2,4", "4 2,3 2,3,4"],
    "linear": ["2,3 5,3", "2,3 5,3 5", "2,2,3 5,3 5", "3 5,3 5", "3 5,3", "3 3", "2,2,3 5,3", "2,3 5,4", "2,3 5,4 5", "2,3 5,3 4"],
}


def operand(text):
    dtype, sizes, seed = text.split(":")
    sizes = [int(n) for n in sizes.split(",") if n not in ("-", "")]
    count = torch.Size(sizes).numel()
    values = [LIST[(i + int(seed)) % 9] for i in range(count)]
    if dtype in ("bool", "u8"):
        values = [abs(x) for x in values]
    if dtype.startswith("c"):
        values = [complex(x, LIST[(i + 4) % 9]) for i, x in enumerate(values)]
    if dtype in ("f16", "bf16", "f32", "f64"):
        values = [x / 2 for x in values]
    return torch.tensor(values, dtype=NAMES[dtype]).reshape(sizes)


def element(value, dtype):
    if dtype.is_complex:
        return f"{value.real:.9g},{value.imag:.9g}"
    return f"{float(value):.9g}" if dtype.is_floating_point else str(int(value))


def record(op, operands, text="", call=None, **arguments):
    tensors = [operand(o) for o in operands]
    function = torch.nn.functional.linear if op == "linear" else getattr(torch, op.split(" ")[0])
    head = " ".join([op, *operands, *([text] if text else [])])
    try:
        result = call(tensors) if call else function(*tensors, **arguments)
    except Exception as error:  # every class that PyTorch raises is an answer
        print(f"{head} ! {type(error).__name__} {str(error).splitlines()[0]}")
        return
    sizes = ",".join(map(str, result.shape)) or "-"
    print(f"{head} = {SHORT[result.dtype]} {sizes} : " + " ".join(element(x, result.dtype) for x in result.flatten().tolist()))


def main():
    print(f"# PyTorch {torch.__version__.split('+')[0]}. Written by product.py.")
    for op, lists in SHAPES.items():
        for dtype in NAMES:
            for shapes in lists:
                record(op, [f"{dtype}:{s}:{2 * i}" for i, s in enumerate(shapes.split(" "))])
        for a, b in [("f32", "f64"), ("i64", "i32"), ("f16", "bf16"), ("c64", "f32"), ("u8", "bool"), ("i16", "c128")]:
            shapes = lists[0].split(" ")
            for mixed in itertools.product([a, b], repeat=len(shapes)):
                if len(set(mixed)) > 1:
                    record(op, [f"{dtype}:{s}:{2 * i}" for i, (dtype, s) in enumerate(zip(mixed, shapes))])
    for shapes in SHAPES["matmul"][4:12]:
        record("matmul", [f"{d}:{s}:{i}" for i, (d, s) in enumerate(zip(["f32", "f64"], shapes.split(" ")))])
    for op in ["addmm", "baddbmm"]:
        for dtype in ["u8", "i64", "f16", "f32", "c64"]:
            for beta, alpha in [(0, 1), (2, 1), (1, -1), (0.5, 2), (2, 0.5), (0, 0), (True, True)]:
                shapes = SHAPES[op][0].split(" ")
                record(op, [f"{dtype}:{s}:{2 * i}" for i, s in enumerate(shapes)], f"beta={beta} alpha={alpha}", beta=beta, alpha=alpha)
    for text in EQUATIONS:
        equation, *shapes = split(text)
        for dtype in ["bool", "i32", "f32", "f16", "c64"]:
            operands = [f"{dtype}:{s}:{2 * i}" for i, s in enumerate(shapes)]
            record(f"einsum {equation.replace(' ', '_')}", operands, call=lambda tensors, e=equation: torch.einsum(e, *tensors))


def split(text):
    """An equation, which may have spaces, and the shapes after it."""
    words = text.split(" ")
    shapes = []
    while words and words[-1] and all(c in "0123456789," for c in words[-1]) and words[-1] != ",":
        shapes.insert(0, words.pop())
    if text == "-> ":
        return ["->", "-"]
    if text == ", ":
        return [",", "-", "-"]
    return [" ".join(words), *shapes]


main()
