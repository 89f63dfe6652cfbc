"""Records how PyTorch prints tensors: python record_printing.py > printing.jsonl

A line is a tensor as it lies in its storage (bytes in hexadecimal), the options that differ from the default ones, and the text."""
import json
import random
import sys

import torch

random.seed(1)
LINES = []


def add(about, tensor, default="float32", **options):
    torch.set_default_dtype(getattr(torch, default))
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    line = {
        "about": about,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "device": tensor.device.type,
        "sizes": list(tensor.shape),
        "strides": list(tensor.stride()),
        "offset": tensor.storage_offset(),
    }
    if tensor.device.type == "cpu":
        line["storage"] = bytes(tensor.untyped_storage().tolist()).hex()
    if default != "float32":
        line["default"] = default
    if options:
        line["options"] = options
    line["repr"] = repr(tensor)
    LINES.append(line)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")


INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
COMPLEX = [torch.complex32, torch.complex64, torch.complex128]
nan, inf = float("nan"), float("inf")

for dtype in [torch.bool] + INTEGERS:
    add("integers", torch.tensor([[0, 1, 2], [3, 100, 127]]).to(dtype))
for dtype in FLOATS + FLOAT8:
    add("floats", torch.tensor([[0.5, -1.0, 2.25], [3.0, 100.0, 0.0]]).to(dtype))
for dtype in COMPLEX:
    add("complex numbers", torch.tensor([[0.5 - 1j, 2.25j], [3.0, complex(nan, -inf)]]).to(dtype))
add("extremes of integers", torch.tensor([-(2**63), 2**63 - 1, 0]))
add("extremes of integers", torch.tensor([2**64 - 1, 0], dtype=torch.uint64))

for value in [0.0, -0.0, 1.0, 1.5, 1e-5, 1e9, 123456.789, nan, inf, -inf]:
    add("without dimensions", torch.tensor(value))
add("without dimensions", torch.tensor(True))
add("without dimensions", torch.tensor(-7, dtype=torch.int8))
add("without dimensions", torch.tensor(1 + 2j))
add("without dimensions", torch.tensor(complex(-0.0, -0.0), dtype=torch.complex128))
add("without dimensions", torch.tensor(1.5, dtype=torch.float64), default="float64")

for shape in [(0,), (0, 3), (2, 0), (2, 0, 3)]:
    for dtype in [torch.float32, torch.int64, torch.bool, torch.complex64]:
        add("empty", torch.empty(shape, dtype=dtype))
for shape in [(), (3,), (2, 3)]:
    for dtype in [torch.float32, torch.int64, torch.float64]:
        add("meta", torch.empty(shape, dtype=dtype, device="meta"))
add("meta with another default", torch.empty(2, dtype=torch.float64, device="meta"), default="float64")

for values in [
    [1e-4, 1.0], [1.0001e-4, 1.0], [0.1, 100.0], [0.1, 101.0], [1e8, 1.0], [1e8, 1e8], [1.1e8, 2e8], [1e-38, 1e38], [1e10, nan], [nan, nan], [inf, 1.5],
    [-inf, 2.0], [0.0, 0.0], [0.0, 1e-6], [-0.0, 3.0], [1e-45, 0.0], [999.5, 1.0], [0.99995, 0.99994], [-1.5, 22.25], [1e5, 12.5], [1.0, 1e6], [1e15, 1e16],
]:
    add("fixed, whole or scientific", torch.tensor(values))
    add("fixed, whole or scientific", torch.tensor(values, dtype=torch.float64))
for values in [[1e-5 + 1j, 2.0], [complex(nan, 0.0), 1j], [complex(1.0, -0.0), complex(-0.0, 1e9)], [1.5 + 100000j, 2.5 - 3j], [1e10 + 1e-10j]]:
    add("complex numbers", torch.tensor(values))

x = torch.arange(6.0).reshape(2, 3)
add("transposed", x.t())
add("a part", x[:, 1:])
add("every other", torch.arange(10)[1::3])
add("repeated", torch.tensor([1.5, 2.5]).expand(3, 2))
add("diagonal", torch.arange(9).reshape(3, 3).diagonal())
add("overlapping windows", torch.arange(5).unfold(0, 3, 1))
add("one element of many", x[1, 2])
add("channels last", torch.arange(16.0).reshape(1, 2, 2, 4).contiguous(memory_format=torch.channels_last))
add("bytes as bools", torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool))
add("floats as integers", torch.tensor([1.0, -2.0]).view(torch.int32))
add("three dimensions", torch.arange(24).reshape(2, 3, 4))
add("five dimensions", torch.arange(16).reshape(2, 1, 2, 2, 2).to(torch.int16))

add("summarised", torch.arange(1001))
add("not yet summarised", torch.arange(1000))
add("summarised", torch.arange(1200.0).reshape(30, 40) / 7)
add("summarised", torch.arange(2048).reshape(8, 16, 16).to(torch.int16))
add("summarised and transposed", torch.arange(1050).reshape(2, 525).t().to(torch.int32))
add("summarised: only what is shown counts", torch.cat([torch.ones(500), torch.full((500,), 1e9), torch.ones(500)]))
add("summarised complex numbers", torch.complex(torch.arange(1100.0), -torch.arange(1100.0) / 3))

long = torch.arange(40.0) / 3
for linewidth in [1, 20, 40, 79, 80, 81, 120, 1000]:
    add("line width", long, linewidth=linewidth)
    add("line width", torch.arange(40, dtype=torch.int8), linewidth=linewidth)
for precision in [0, 1, 2, 6, 10, 20]:
    add("precision", torch.tensor([0.1, 2.5, -1234.5678]), precision=precision)
    add("precision", torch.tensor([1e-9, 0.5, 1e9]), precision=precision)
for sci in [True, False]:
    add("scientific or not", torch.tensor([0.1, 2.5, -1234.5678]), sci_mode=sci)
    add("scientific or not", torch.tensor([1e-9, 0.5, 1e9]), sci_mode=sci)
    add("scientific or not", torch.tensor([1.0, 2.0, 0.0]), sci_mode=sci)
    add("scientific or not", torch.tensor([1.0 + 1e-9j, 2.0]), sci_mode=sci)
for edgeitems in [0, 1, 2, 5]:
    add("edge items", torch.arange(1200.0), edgeitems=edgeitems)
    add("edge items", torch.arange(1200).reshape(30, 40).to(torch.int16), edgeitems=edgeitems)
for threshold in [0, 3, 6, 1 << 40]:
    add("threshold", torch.arange(8).reshape(2, 4), threshold=threshold, edgeitems=1)
    add("threshold", torch.arange(6), threshold=threshold, edgeitems=2)

for default in ["float16", "bfloat16", "float64"]:
    for dtype in [torch.float16, torch.float32, torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.int64, torch.int32]:
        add("another default dtype", torch.tensor([1, 2]).to(dtype), default=default)
    add("another default dtype, empty", torch.empty(0, dtype=torch.float64), default=default)
    add("another default dtype, empty", torch.empty(0, dtype=torch.int64), default=default)
# The suffix goes to a line of its own where it would make the last one too long.
for size in range(10, 24):
    add("where the suffix goes", torch.full((size,), 7, dtype=torch.int32))
for _ in range(40):
    shape = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    numbers = torch.tensor([random.uniform(-1, 1) * 10 ** random.randint(-6, 9) for _ in range(torch.Size(shape).numel())]).reshape(shape)
    add("random", numbers.to(random.choice(FLOATS)).transpose(0, -1))

for line in LINES:
    print(json.dumps(line))
print(f"{len(LINES)} tensors", file=sys.stderr)
