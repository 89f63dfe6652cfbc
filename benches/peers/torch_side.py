"""PyTorch's side of a run: `torch_side.py NUMBERS sketch|whole`; one line in, one line out.

`prepare <setup> \\t <statement> \\t <answer>` compiles them; `answer <path>` runs the statement once and writes what it gave, as float64;
`run <count>` answers the seconds that so many statements take together. A setup may define its own `loop`. What Python raises is answered as
`error <text>`.

`NUMBERS` is a file of the float32 that all sides compute with: `x(*sizes)` are its first ones, `y` and `z` begin one and two later.
"""

import functools
import math
import sys
import time

import torch

SKETCHED = sys.argv[2] == "sketch"
NUMBERS = torch.frombuffer(bytearray(open(sys.argv[1], "rb").read()), dtype=torch.float32)


def of(size):
    if not SKETCHED:
        return size
    return size // 1000 if size >= 10_000 else size // 16 if size >= 65 else size


def operand(number):
    def tensor(*sizes, dtype=torch.float32):
        floats = NUMBERS[number : number + math.prod(sizes)].clone().reshape(sizes)
        return (floats if dtype.is_floating_point else (floats + 4) * 12.5).to(dtype)

    return tensor


def places(*sizes, below):
    return (operand(0)(*sizes) * 2097152).to(torch.int64) % below


def made(at, words):
    """An operand as `sweep.rs` makes it."""
    dtype, sizes = DTYPES[words[0]], [int(size) for size in words[1].split("x")]
    wide, last = operand(at)(*sizes, dtype=torch.float64), int(sizes[-1])
    match words[2:]:
        case ["unit"]:
            wide = (wide + 4) / 8
        case ["positive"]:
            wide = wide + 4.5
        case ["true"]:
            wide = wide * 0 + 1
        case ["steps"]:
            wide = torch.arange(last, dtype=torch.float64) / last - 0.5
        case ["order"]:
            wide = torch.arange(last - 1, -1, -1, dtype=torch.float64)
        case ["below", count]:
            wide = ((wide + 4) * 2097152) % float(count)
        case ["definite"]:
            wide = wide / 8
            wide = wide + wide.mT + last * torch.eye(last, dtype=torch.float64)
        case _ if dtype == torch.bool:
            wide = wide > 0
        case _ if not dtype.is_floating_point and not dtype.is_complex:
            wide = torch.floor((wide + 4) * 12.5) + 1
    return wide.to(dtype)


def named(name):
    for room in (torch.nn.functional, torch):
        try:
            return functools.reduce(getattr, name.split("."), room)
        except AttributeError:
            pass
    raise AttributeError(name)


def first(result):
    return result if isinstance(result, torch.Tensor) else result[0]


DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64,
    "i64": torch.int64, "bool": torch.bool,
}  # fmt: skip
SCOPE = {"torch": torch, "of": of, "places": places, "N": of(10**7), "S": of(10**5), "SIDE": of(2048)}
SCOPE |= {"made": made, "named": named, "first": first} | {name: operand(at) for at, name in enumerate("xyz")}


def prepare(setup, statement, answer):
    scope = dict(SCOPE)
    torch.manual_seed(1)
    exec(setup, scope)
    if "loop" not in scope:
        exec(f"def loop(numbers):\n    for _ in numbers:\n        {statement}", scope)
    exec(f"def once():\n    {statement}\n    return {answer}" if answer else f"def once():\n    return {statement}", scope)
    return scope["loop"], scope["once"]


def written(result, path):
    result = result.detach().resolve_conj()
    result = torch.view_as_real(result) if result.is_complex() else result
    with open(path, "wb") as file:
        file.write(memoryview(result.to(torch.float64).contiguous().flatten().numpy()).cast("B"))


def main():
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    loop = once = None
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        try:
            if command == "prepare":
                loop = once = None
                loop, once = prepare(*rest.split("\t"))
                print("ready", flush=True)
            elif command == "answer":
                written(once(), rest)
                print("written", flush=True)
            else:
                numbers = range(int(rest))
                start = time.perf_counter()
                loop(numbers)
                print(time.perf_counter() - start, flush=True)
        except Exception as error:
            print("error", " ".join(str(error).split()), flush=True)


main()
