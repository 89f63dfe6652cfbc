"""How the recorders of answers write tensors: `dtype sizes : values`."""
import torch

NAMES = dict(bool=torch.bool, u8=torch.uint8, i8=torch.int8, i16=torch.int16, i32=torch.int32, i64=torch.int64, f16=torch.float16,
             bf16=torch.bfloat16, f32=torch.float32, f64=torch.float64, c64=torch.complex64, c128=torch.complex128)
SHORT = {dtype: name for name, dtype in NAMES.items()}


def element(value, dtype):
    if dtype == torch.bool:
        return "1" if value else "0"
    if dtype.is_complex:
        part = torch.float32 if dtype == torch.complex64 else torch.float64
        return element(value.real, part) + "," + element(value.imag, part)
    if dtype.is_floating_point:
        return f"{float(value):.{dict(f16=5, bf16=4, f32=9, f64=17)[SHORT[dtype]]}g}"
    return str(value)


def shown(tensor):
    sizes = ",".join(map(str, tensor.shape)) or "-"
    return f"{SHORT[tensor.dtype]} {sizes} : " + " ".join(element(x, tensor.dtype) for x in tensor.flatten().tolist())
