//! Orders and what is put together at places on a device, element by element with the host.

use latten::elementwise::Target;
use latten::indexing;
use latten::{DType, Extreme, Order, RawTensor, Result};

use super::{both, on_device, ready};
use crate::compare::{bytes, numbers};

/// The dtypes that have an order.
const ORDERED: [DType; 10] =
    [DType::Bool, DType::U8, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64];

/// That two tensors have the same bits.
fn alike(what: &str, cpu: &RawTensor, device: &RawTensor) -> Result<()> {
    assert_eq!((cpu.dtype(), cpu.sizes(), cpu.strides()), (device.dtype(), device.sizes(), device.strides()), "{what}");
    assert!(bytes(cpu)? == bytes(device)?, "{what}: {cpu:?} on the CPU, {device:?} on the device");
    Ok(())
}

fn sorts(x: &RawTensor, dim: isize) -> Result<()> {
    let what = |name: &str| format!("{name} of {} {:?} {:?} along {dim}", x.dtype(), x.sizes(), x.strides());
    let dx = on_device(x)?;
    for order in [Order::Ascending, Order::Descending] {
        let (values, places) = indexing::sort(x, dim, order, [Target::New; 2])?;
        let (of_device, at) = indexing::sort(&dx, dim, order, [Target::New; 2])?;
        alike(&what("sort"), &places, &at)?;
        alike(&what("sort"), &values, &of_device)?;
    }
    let size = x.sizes().get(dim as usize).map_or(1, |&size| size as isize);
    for (count, end) in [(size.min(3), Extreme::Largest), (size / 2, Extreme::Smallest)] {
        if x.dtype() == DType::Bool {
            continue;
        }
        let (values, places) = indexing::topk(x, count, dim, end, [Target::New; 2])?;
        let (of_device, at) = indexing::topk(&dx, count, dim, end, [Target::New; 2])?;
        alike(&what("topk"), &places, &at)?;
        alike(&what("topk"), &values, &of_device)?;
    }
    Ok(())
}

/// Short rows, rows that a block keeps and rows of several parts; few values, and many.
#[test]
fn every_dtype_is_sorted() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in ORDERED {
        let planes = numbers(dtype, 60, 5)?.view(&[3, 4, 5])?;
        for x in [&planes, &planes.permute(&[2, 0, 1])?, &planes.narrow(1, 1, 2)?, &planes.select(0, 1)?.select(0, 2)?] {
            for dim in 0..x.rank() {
                sorts(x, dim as isize)?;
            }
        }
        let kept = numbers(dtype, 300, 6)?.view(&[2, 150])?;
        sorts(&kept, 1)?;
        sorts(&kept.t()?, 0)?;
        sorts(&numbers(dtype, 2 * 4500, 7)?.view(&[4500, 2])?, 0)?;
        sorts(&numbers(dtype, 1, 8)?, 0)?;
        sorts(&numbers(dtype, 1, 8)?.select(0, 0)?, 0)?;
        sorts(&numbers(dtype, 4, 8)?.narrow(0, 0, 0)?, 0)?;
    }
    // Exactly what a block keeps, and one more, nearly all of them equal.
    for count in [2048, 2049] {
        sorts(&numbers(DType::Bool, count, 9)?.to_dtype(DType::I64)?, 0)?;
    }
    Ok(())
}

#[test]
fn orders_go_into_outputs() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let x = numbers(DType::F32, 60, 5)?.view(&[3, 20])?;
    both("sort into outputs", &|to| {
        let x = to(&x)?;
        let (values, places) = (to(&numbers(DType::F32, 60, 1)?.view(&[20, 3])?.t()?)?, to(&numbers(DType::I64, 60, 1)?.view(&[3, 20])?)?);
        indexing::sort(&x, 1, Order::Ascending, [Target::Out(&values, |_| Ok(())), Target::Out(&places, |_| Ok(()))])?;
        // Into itself.
        let places_too = indexing::sort(&x, 0, Order::Descending, [Target::Out(&x, |_| Ok(())), Target::New])?.1;
        Ok(vec![values, places, x, places_too])
    });
    both("sort into another dtype", &|to| {
        let (x, values) = (to(&x)?, to(&numbers(DType::F64, 60, 1)?.view(&[3, 20])?)?);
        indexing::sort(&x, 1, Order::Ascending, [Target::Out(&values, |_| Ok(())), Target::New]).map(|_| vec![])
    });
    Ok(())
}
