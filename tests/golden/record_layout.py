"""Records what PyTorch says of the strides of tensors: python record_layout.py > layout.jsonl

A line is a tensor over a storage of its own, which formats it is contiguous in, and the strides (or the error) of what is made of it."""
import json
import random
import sys

import torch

random.seed(3)
FORMATS = {
    "contiguous": torch.contiguous_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
    "preserve": torch.preserve_format,
}


def made(x, make):
    try:
        y = make()
    except RuntimeError as error:
        return {"error": str(error)}
    return {"strides": list(y.stride()), "itself": y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() and x.numel() > 0}


def line(x):
    answer = {"sizes": list(x.shape), "strides": list(x.stride())}
    answer["is_contiguous"] = [x.is_contiguous(memory_format=f) for f in FORMATS.values()]
    for name, f in FORMATS.items():
        answer[f"contiguous {name}"] = made(x, lambda: x.contiguous(memory_format=f))
        answer[f"to {name}"] = made(x, lambda: x.to(memory_format=f))
        answer[f"clone {name}"] = made(x, lambda: x.clone(memory_format=f))
        answer[f"empty_like {name}"] = made(x, lambda: torch.empty_like(x, memory_format=f))
    answer["double"] = made(x, lambda: x.double())
    answer["x + 1"] = made(x, lambda: x + 1)
    answer["meta"] = made(x, lambda: x.to("meta"))
    return answer


def strided(sizes, strides):
    return torch.empty(1 << 14).as_strided(sizes, strides)


inputs = [torch.empty(s) for s in [(), (0,), (1,), (5,), (2, 3), (0, 3), (2, 0, 3), (2, 1, 4, 4), (2, 3, 1, 1), (1, 1, 1, 1), (0, 3, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5, 6), (1, 2, 1, 2, 1)]]
inputs += [x.contiguous(memory_format=torch.channels_last) for x in inputs if x.dim() == 4]
inputs += [x.contiguous(memory_format=torch.channels_last_3d) for x in inputs if x.dim() == 5]
x = torch.empty(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
inputs += [x[:, :, ::2], x[:, :1], x[:1], x[:, :, :1, :1], x.transpose(0, 1), x[..., 0], x.unsqueeze(0), x.expand(2, 3, 4, 5), x.permute(0, 2, 3, 1)]
inputs += [torch.empty(3, 4).t(), torch.empty(8, 4)[::2], torch.empty(4, 8).t()[::2], torch.empty(3, 1).expand(3, 4), torch.empty(1, 4).expand(3, 4), torch.empty(4, 4).diagonal()]
while len(inputs) < 150:
    rank = random.choice([1, 2, 3, 4, 4, 4, 5, 5])
    sizes = [random.choice([1, 1, 2, 3, 3, 0 if random.random() < 0.1 else 2]) for _ in range(rank)]
    order = random.sample(range(rank), rank)
    if rank > 3 and random.random() < 0.4:
        order = [*range(1, rank)][::-1]
        order = [1, *range(rank - 1, 1, -1), 0]
    strides, step = [0] * rank, 1
    for d in order:
        strides[d] = step
        step *= max(sizes[d], 1)
        if random.random() < 0.15:
            step *= 2
        if random.random() < 0.1:
            strides[d] = random.choice([0, 1, 7])
    if sum((n - 1) * s for n, s in zip(sizes, strides) if n) < 1 << 14:
        inputs.append(strided(sizes, strides))
for x in inputs:
    print(json.dumps(line(x), separators=(",", ":")))
print(f"{len(inputs)} tensors", file=sys.stderr)
