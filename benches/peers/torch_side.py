"""PyTorch's side of a run: one line in, one line out.

`prepare <setup> \\t <statement>` compiles both; `run <count>` answers the seconds that so many statements take together.
"""

import sys
import time

import torch

SCOPE = {"torch": torch}


def prepare(setup, statement):
    scope = dict(SCOPE)
    exec(setup, scope)
    exec(f"def loop(numbers):\n    for _ in numbers:\n        {statement}", scope)
    return scope["loop"]


def main():
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    loop = None
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        if command == "prepare":
            loop = None
            loop = prepare(*rest.split("\t"))
            print("ready", flush=True)
        else:
            numbers = range(int(rest))
            start = time.perf_counter()
            loop(numbers)
            print(time.perf_counter() - start, flush=True)


main()
