"""Compare the gradients of random programs with PyTorch's.

    python programs.py PROGRAMS.tsv

reads what `LATTEN_GRADIENT_PROGRAMS_TO=PROGRAMS.tsv cargo test --release --test gradients typed` wrote: in each line the expressions of a program,
each of the last one's result, and for its three leaves the dtype, the numbers and the gradient of the sum. Needs torch only.
"""
import sys

import torch

WITHIN = {"float64": 1e-9, "float32": 2e-4}
SIZES = [(3, 4), (4,), (3, 1)]
WORDS = {"torch": torch}


def gradients(program, leaves):
    value = leaves[0]
    for text in program.split("; "):
        value = eval(text, WORDS, {"a": value, "b": leaves[1], "c": leaves[2]})
    value.sum().backward()
    return [leaf.grad for leaf in leaves]


def main():
    torch.set_num_threads(1)
    wrong = count = elements = 0
    for line in open(sys.argv[1]):
        program, *fields = line.rstrip("\n").split("\t")
        dtypes, numbers, found = fields[0::3], fields[1::3], fields[2::3]
        leaves = [torch.tensor([float(n) for n in own.split()], dtype=getattr(torch, dtype)).reshape(size).requires_grad_()
                  for own, dtype, size in zip(numbers, dtypes, SIZES)]
        within = max(WITHIN[dtype] for dtype in dtypes)
        count += 1
        theirs = gradients(program, leaves)
        # What cancels is as inexact as what it was made of.
        largest = max([1.0] + [gradient.abs().nan_to_num(0.0, 0.0, 0.0).max().item() for gradient in theirs if gradient is not None])
        for place, (own, theirs, dtype) in enumerate(zip(found, theirs, dtypes)):
            own = torch.tensor([float(n) for n in own.split()], dtype=torch.float64)
            theirs = torch.zeros(0) if theirs is None else theirs.flatten()
            elements += own.numel()
            if own.shape != theirs.shape or not torch.allclose(own, theirs.double(), rtol=0, atol=within * largest, equal_nan=True):
                wrong += 1
                print(f"{program}: gradient {place} ({dtype}) is {own}, PyTorch's {theirs}")
    print(f"{count} programs, {elements} numbers, {wrong} gradients differ")
    sys.exit(wrong != 0)


main()
