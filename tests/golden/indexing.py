"""Records what PyTorch answers for indexing by tensors, sorting and their like: `python indexing.py > indexing.txt`.

Each line is a call and its answer, `op arguments = dtype sizes : values` or `… ! class text`; several results are joined by ` & `.
An argument is the name of an input, a number, a list of those (`_` is all of a dimension), or `name=value`. Inputs stand at the head.
What an operation in place answers is its tensor afterwards.
"""
import warnings

import torch
import torch.nn.functional as F

from written import NAMES, shown

warnings.simplefilter("ignore")
NAN, INF = float("nan"), float("inf")
INPUTS = {}


def add(name, dtype, sizes, elements):
    INPUTS[name] = torch.tensor(elements, dtype=NAMES[dtype]).reshape(sizes)


PLAIN = [1, -2, 3, 0, 2, -1, 4, 3, 1, -3, 2, 1, 0, 2, -4, 1, 3, 3, -1, 2, 0, 1, -2, 4]
for d in NAMES:
    values = [x > 0 for x in PLAIN] if d == "bool" else [abs(x) for x in PLAIN] if d == "u8" else PLAIN
    if d[0] == "c":
        values = [complex(x, -x) for x in PLAIN]
    add(f"x.{d}", d, [2, 4, 3], values)
    add(f"m.{d}", d, [3, 4], values[:12])
    add(f"v.{d}", d, [6], values[:6])
    add(f"one.{d}", d, [], values[2])
for d in ["f16", "f32", "f64"]:
    add(f"nan.{d}", d, [8], [1, NAN, -INF, 0.0, -0.0, INF, NAN, 1])
add("none", "f32", [0, 3], [])
add("empty", "f32", [0], [])
add("flat", "i64", [0], [])
add("i", "i64", [3], [2, 0, 1])
add("i32", "i32", [3], [2, 0, 1])
add("back", "i64", [2], [-1, 0])
add("far", "i64", [2], [0, 5])
add("twice", "i64", [3], [1, 1, 0])
add("two", "i64", [2], [0, 1])
add("square", "i64", [2, 2], [0, 1, 2, 0])
add("at", "i64", [3, 2], [0, 3, 1, 1, 2, 0])
add("atfar", "i64", [3, 2], [0, 3, 1, 4, -2, 0])
add("wide", "i64", [4, 2], [0] * 8)
add("zero", "i64", [], [0])
add("i16", "i16", [2], [0, 1])
add("real", "f32", [2], [0, 1])
add("rows", "bool", [3], [1, 0, 1])
add("rows4", "bool", [4], [1, 0, 1, 1])
add("mask", "bool", [3, 4], [1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1])
add("byte", "u8", [3], [1, 0, 1])
add("src", "f32", [3, 2], [10, 20, 30, 40, 50, 60])
add("small", "f32", [1, 1], [1])
add("src64", "f64", [3, 2], [10, 20, 30, 40, 50, 60])
add("b", "bool", [], [1])
add("n", "i64", [3], [1, 0, 2])
add("minus", "i64", [3], [1, -1, 2])
add("lines", "i32", [4, 2], [3, 1, 0, 2, 3, 1, 0, 2])
add("tall", "f32", [9, 2], [0] * 18)
add("cube", "i16", [2, 2, 2], range(8))
add("nul", "i32", [2, 3], [0, 5, 0, 7, 0, 0])


def index(x, where):
    return torch.ops.aten.index.Tensor(x, where)


def index_put_(x, where, values, accumulate=False):
    return torch.ops.aten.index_put_.default(x, where, values, accumulate)


OWN = dict(index=index, index_put_=index_put_, embedding=F.embedding, one_hot=F.one_hot, pad=F.pad,
           unique_all=lambda x: torch.unique(x, return_inverse=True, return_counts=True),
           unique_dim=lambda x, dim: torch.unique(x, return_inverse=True, return_counts=True, dim=dim),
           unique_consecutive=lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
           sort=lambda x, dim, descending=False: torch.sort(x, dim=dim, descending=descending, stable=True),
           argsort=lambda x, dim, descending=False: torch.argsort(x, dim=dim, descending=descending, stable=True),
           scatter_reduce=lambda x, dim, i, src, reduce, include_self=True: x.scatter_reduce(dim, i, src, reduce, include_self=include_self))


def value(word):
    if word.startswith("["):
        return [value(part) for part in word[1:-1].split(",") if part]
    if word in ("_", "none()"):
        return None
    if word in INPUTS:
        return INPUTS[word].clone()
    try:
        return int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return word == "yes" if word in ("yes", "no") else word


def record(line):
    op, *words = line.split()
    args = [value(word) for word in words if "=" not in word]
    named = dict((word.split("=")[0], value(word.split("=")[1])) for word in words if "=" in word)
    call = OWN.get(op) or getattr(torch.Tensor, op)
    try:
        result = call(*args, **named)
    except Exception as error:  # every class that PyTorch raises is an answer
        print(f"{line} ! {type(error).__name__} {str(error).splitlines()[0]}")
        return
    results = result if isinstance(result, tuple) else [result]
    print(f"{line} = " + " & ".join(shown(r) for r in results))


CALLS = [
    *[f"gather m.{d} 1 at" for d in NAMES], "gather m.f32 0 i", "gather m.f32 1 atfar", "gather m.f32 1 wide", "gather m.f32 2 at",
    "gather m.f32 1 flat", "gather one.f32 0 zero", "gather one.f32 0 two", "gather v.i32 0 zero", "gather m.f32 1 src",
    *[f"take x.{d} at" for d in ("bool", "f16", "c128")], "take x.f32 back", "take x.i64 i32", "take empty zero", "take v.f32 far", "take v.f32 i",
    "take m.f32 minus", "take v.f32 wide",
    *[f"index_select x.{d} {dim} two" for d in NAMES for dim in (0, 1, -1)], "index_select m.f32 0 i32", "index_select m.f32 1 far",
    "index_select m.f32 0 far", "index_select v.f32 0 far", "index_select m.f32 0 square", "index_select m.f32 0 real", "index_select one.f32 0 two",
    "index_select one.f32 0 zero", "index_select m.f32 3 i", "index_select m.f32 1 flat", "index_select none 0 two", "index_select none 1 far",
    "embedding i m.f32", "embedding square m.f64", "embedding zero m.i64", "embedding far m.f32", "embedding i v.f32", "embedding real m.f32",
    *[f"index {x} {w}" for x in ("x.f32", "x.i16", "x.c64", "x.bool") for w in
      ("[two]", "[_,i]", "[_,_,i]", "[two,two]", "[two,_,two]", "[two,_,square]", "[_,two,two]", "[_,square]", "[back,back,back]", "[_,rows4]",
       "[_,rows4,n]", "[zero]", "[zero,_,two]", "[i32,i32]")],
    "index m.f32 [mask]", "index m.f32 [rows,i]", "index m.f32 [byte]", "index m.f32 [far]", "index m.f32 [_,far]", "index m.f32 [i,two]",
    "index m.f32 [i,two,two]", "index m.f32 [rows4]", "index m.f32 [real]", "index m.f32 [i16]", "index none [zero]", "index none [flat]",
    "index none [_,far]", "index x.f32 [_,mask]", "index m.f32 [flat]",
    *[f"index_put_ m.{d} [i,i] one.{d}" for d in NAMES], *[f"index_put_ m.{d} [twice] one.{d} accumulate=yes" for d in NAMES],
    "index_put_ m.f32 [_,far] one.f32", "index_put_ m.f32 [_,two] real", "index_put_ m.f32 [mask] one.f32", "index_put_ m.f32 [mask] one.f64",
    "index_put_ m.f32 [mask] real", "index_put_ m.f32 [two] one.f64", "index_put_ m.f32 [i,two] one.f32", "index_put_ m.f32 [_,i] src",
    "index_put_ x.f32 [two,_,back] one.f32 accumulate=yes", "index_put_ none [zero] one.f32", "index_put_ m.f32 [rows,i] one.f32",
    *[f"scatter {x} 1 at {s}" for x, s in (("m.f32", "src"), ("m.f64", "src64"), ("m.f32", "7"), ("m.i32", "-2"), ("m.bool", "1"), ("m.u8", "2.5"))],
    "scatter m.u8 1 at 300", "scatter m.f32 1 at src64", "scatter m.f32 1 at small", "scatter m.f32 1 atfar src", "scatter m.f32 0 i src",
    "scatter m.f32 2 at src", "scatter m.f32 1 src src", "scatter m.f32 0 wide 1", "scatter one.f32 0 zero 4", "scatter m.f32 1 flat 4",
    "scatter_ m.f32 1 at src", "scatter_ m.f32 1 atfar src", "scatter_ m.f32 1 atfar 3",
    "scatter_add m.f32 1 at src", "scatter_add_ m.f32 1 at src", "scatter_add m.f32 0 wide src", "scatter_add_ m.f32 1 at src64",
    *[f"scatter_reduce m.f32 1 {i} src reduce={r}{own}" for i in ("at",) for r in ("sum", "prod", "amax", "amin", "mean")
      for own in ("", " include_self=no")],
    *[f"masked_fill m.{d} mask 2" for d in NAMES if d != "bool"], "masked_fill m.f32 rows4 2.5", "masked_fill m.i32 rows4 2.5", "masked_fill m.f32 b 1",
    "masked_fill m.u8 mask 300", "masked_fill m.f32 rows 1", "masked_fill m.f32 byte 1", "masked_fill m.f32 mask one.i64", "masked_fill m.f32 mask v.f32",
    "masked_fill v.f32 mask 1", "masked_fill_ m.f32 mask -1", "masked_fill_ m.f32 rows4 -1", "masked_fill_ one.f32 mask 1", "masked_fill_ m.i8 mask 1000",
    *[f"masked_select m.{d} mask" for d in NAMES], "masked_select m.f32 rows4", "masked_select m.f32 byte", "masked_select m.f32 rows", "masked_select one.f32 mask",
    *[f"nonzero x.{d}" for d in NAMES], "nonzero one.f32", "nonzero none", "nonzero nan.f32", "argwhere m.i64",
    *[f"sort x.{d} {dim}{w}" for d in NAMES for dim in (0, 1, -1) for w in ("", " descending=yes")],
    *[f"{op} nan.{d} 0{w}" for d in ("f16", "f32", "f64") for op in ("sort", "argsort") for w in ("", " descending=yes")],
    "sort one.f32 0", "sort m.f32 2", "sort none 0", "argsort m.i16 1",
    "topk m.f32 1 1", "topk i 2 0", "topk i 3 0 largest=no", "topk m.f32 5 1", "topk m.f32 -1 1", "topk m.f32 1 3", "topk m.bool 1 1", "topk m.c64 1 1", "topk m.i8 0 0", "topk one.f32 1 0",
    "topk m.f32 1 0 largest=no", "topk nan.f32 3 0", "topk nan.f32 1 0 largest=no",
    *[f"unique_all x.{d}" for d in NAMES if d[0] != "c"], "unique_all m.c64", "unique_all nan.f32", "unique_all one.i64", "unique_all empty",
    "unique_dim lines 0", "unique_dim lines 1", "unique_dim lines -1", "unique_dim m.f32 2", "unique_dim one.f32 0", "unique_dim none 1",
    "unique_consecutive v.i64", "unique_consecutive x.bool", "unique_consecutive nul",
    *[f"{op} {x} {k}" for op in ("tril", "triu") for x in ("m.f32", "x.i16", "m.bool", "x.c128") for k in (-3, -1, 0, 1, 5)], "tril v.f32 0",
    "tril_ m.f32 0", "triu_ x.f64 1", "triu_ v.f32 0", "tril none 0",
    *[f"diag {x} {k}" for x in ("m.f32", "v.bool", "v.c64", "m.i64") for k in (-4, -1, 0, 2)], "diag x.f32 0", "diag one.f32 0", "diag empty 2",
    *[f"fill_diagonal_ m.{d} 2" for d in NAMES], "fill_diagonal_ tall 2", "fill_diagonal_ tall 2 wrap=yes", "fill_diagonal_ wide 2 wrap=yes",
    "fill_diagonal_ src 2 wrap=yes", "fill_diagonal_ m.i32 2.5 wrap=yes", "fill_diagonal_ m.u8 300", "fill_diagonal_ cube -1 wrap=yes", "fill_diagonal_ x.f32 1",
    "fill_diagonal_ v.f32 1", "fill_diagonal_ one.f32 1", "fill_diagonal_ none 1 wrap=yes",
    "pad m.f32 [1,2]", "pad m.i32 [1,0,0,2] value=7.0", "pad m.f32 [-1,1,0,-1]", "pad m.f32 [-1,-2]", "pad m.f32 [1]", "pad m.f32 [1,1,1,1,1,1]",
    "pad m.f32 [-9,0]", "pad m.u8 [1,1] value=300.0", "pad m.bool [1,1] value=1.0", "pad one.f32 []", "pad none [1,1]", "pad none [1,1,1,0]",
    *[f"pad {x} {a} mode={m}" for m in ("reflect", "replicate", "circular") for x, a in
      (("m.f32", "[2,1]"), ("m.i64", "[1,1]"), ("x.f64", "[2,2]"), ("x.c64", "[1,1,2,1]"), ("x.f32", "[-1,2]"), ("m.f32", "[5,1]"), ("v.f32", "[1,1]"),
       ("m.bool", "[1,1]"), ("x.f32", "[0,-3]"))], "pad m.f32 [1,1] mode=other", "pad m.f32 [1,1] mode=reflect value=1.0",
    "repeat_interleave m.f32 2", "repeat_interleave m.bool 2 dim=0", "repeat_interleave x.f16 3 dim=-1", "repeat_interleave m.f32 -1", "repeat_interleave m.f32 0 dim=1",
    "repeat_interleave m.f32 2 dim=2", "repeat_interleave m.f32 n dim=0", "repeat_interleave m.f32 n dim=1", "repeat_interleave m.f32 minus dim=0",
    "repeat_interleave m.f32 zero dim=0", "repeat_interleave m.f32 square dim=0", "repeat_interleave m.f32 real dim=0", "repeat_interleave one.f32 3",
    "one_hot i", "one_hot i 4", "one_hot square 2", "one_hot zero", "one_hot flat", "one_hot flat 3", "one_hot minus", "one_hot i32", "one_hot i 3",
]


def main():
    print(f"# PyTorch {torch.__version__.split('+')[0]}. Written by indexing.py.")
    for name, tensor in INPUTS.items():
        print(f"input {name} {shown(tensor)}")
    for line in CALLS:
        record(line)


main()
