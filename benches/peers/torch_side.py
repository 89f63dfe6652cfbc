"""PyTorch's side of a run: `torch_side.py NUMBERS sketch|whole`; one line in, one line out.

`prepare <setup> \\t <statement> \\t <answer>` compiles them; `answer <path>` runs the statement once and writes what it gave, as float64;
`run <count>` answers the seconds that so many statements take together. A setup may define its own `loop`.

`NUMBERS` is a file of the float32 that all sides compute with: `x(*sizes)` are its first ones, `y` and `z` begin one and two later.
"""

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


SCOPE = {"torch": torch, "of": of, "places": places, "N": of(10**7), "S": of(10**5), "SIDE": of(2048)} | {name: operand(at) for at, name in enumerate("xyz")}


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


main()
