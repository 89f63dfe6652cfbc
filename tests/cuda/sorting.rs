//! Orders and what is put together at places on a device, element by element with the host.

use latten::elementwise::Target;
use latten::indexing;
use latten::{Accumulate, DType, Extreme, IncludeSelf, Order, RawTensor, Result, ScatterReduce};

use super::{Below, both, on_device, ready};
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
    // So many parts that a block adds what they have of a byte.
    sorts(&numbers(DType::F32, 140_000, 7)?, 0)?;
    // So many rows that a block goes over a whole one.
    let rows = numbers(DType::U8, 1024 * 4097, 3)?.view(&[1024, 4097])?;
    let (values, places) = indexing::sort(&rows, 1, Order::Ascending, [Target::New; 2])?;
    let (of_device, at) = indexing::sort(&on_device(&rows)?, 1, Order::Ascending, [Target::New; 2])?;
    alike("sort of many rows", &values, &of_device)?;
    alike("sort of many rows", &places, &at)?;
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

/// Every way to combine what meets, one after the other and in parts; indices outside change nothing.
#[test]
fn what_meets_is_combined_as_on_the_host() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    const WAYS: [ScatterReduce; 5] =
        [ScatterReduce::Sum, ScatterReduce::Prod, ScatterReduce::Mean, ScatterReduce::Amax, ScatterReduce::Amin];
    for &dtype in DType::COMPUTING {
        let plane = numbers(dtype, 60, 3)?.view(&[3, 4, 5])?;
        for (layout, x) in [&plane, &plane.permute(&[1, 2, 0])?].into_iter().enumerate() {
            let ways = WAYS.iter().flat_map(|&combine| [(combine, IncludeSelf::Yes), (combine, IncludeSelf::No)]);
            // Each way along one dimension, each dimension by several ways.
            for (dim, (combine, own)) in (layout..).map(|turn| turn % 3).zip(ways) {
                let mut sizes: Vec<isize> = x.sizes().iter().map(|&size| size as isize).collect();
                sizes[dim] = 9;
                let count = sizes.iter().product::<isize>() as usize;
                let index = numbers(DType::I64, count, 4)?.numbers_mod(x.sizes()[dim] as i64)?.view(&sizes)?;
                let source = numbers(dtype, count, 5)?.view(&sizes)?;
                let what = format!("{combine:?} of {dtype} {:?} along {dim}, {own:?}", x.strides());
                both(&what, &|to| {
                    let (out, index, source) = (to(x)?, to(&index)?, to(&source)?);
                    let new = indexing::scatter(&out, dim as isize, &index, (&source).into(), (combine, own), Target::New)?;
                    indexing::scatter(&out, dim as isize, &index, (&source).into(), (combine, own), Target::InPlace(&out))?;
                    Ok(vec![new, out])
                });
                let outside = RawTensor::from_vec(vec![9_i64; count], &[count])?.view(&sizes)?;
                both(&format!("{what}, outside"), &|to| {
                    let out = to(x)?;
                    let place = (dim as isize, to(&outside)?, to(&source)?);
                    let refused = indexing::scatter(&out, place.0, &place.1, (&place.2).into(), (combine, own), Target::InPlace(&out));
                    assert!(refused.is_err(), "an index outside");
                    Ok(vec![out])
                });
            }
            let (a, b) = (RawTensor::from_vec(vec![0_i64, -1, 0, 2, 2], &[5])?, RawTensor::from_vec(vec![1_i64, 1], &[2, 1])?);
            for indices in [vec![Some(&a)], vec![None, Some(&b)], vec![Some(&a), None, Some(&b)], vec![Some(&a), Some(&b)]] {
                both(&format!("accumulate {dtype}"), &|to| {
                    let out = to(x)?;
                    let there = indices.iter().map(|index| index.map(to).transpose()).collect::<Result<Vec<_>>>()?;
                    let there: Vec<Option<&RawTensor>> = there.iter().map(Option::as_ref).collect();
                    let sizes: Vec<isize> = indexing::index(&out, &there)?.sizes().iter().map(|&size| size as isize).collect();
                    let values = to(&numbers(dtype, sizes.iter().product::<isize>() as usize, 8)?.view(&sizes)?)?;
                    indexing::index_put_in_place(&out, &there, &values, Accumulate::Yes)?;
                    indexing::index_put_in_place(&out, &there, &to(&numbers(dtype, 1, 1)?.select(0, 0)?)?, Accumulate::Yes)?;
                    Ok(vec![out])
                });
            }
        }
    }
    let (places, far) = (numbers(DType::I64, 140_000, 3)?.numbers_mod(10)?, RawTensor::from_vec(vec![10_i64], &[1])?);
    // As many that a place has a thread, but not parts.
    let scattered = numbers(DType::I64, 140_000, 3)?.numbers_mod(3000)?;
    for dtype in [DType::F16, DType::F32, DType::I32] {
        // Finite, so that the order of adding shows.
        let source = RawTensor::from_vec((0..140_000).map(|i| f64::from(i * 7919 % 1000 - 480) / 7.0).collect(), &[140_000])?;
        let (x, source) = (numbers(dtype, 10, 1)?, source.to_dtype(dtype)?);
        for combine in WAYS {
            both(&format!("{combine:?} of many {dtype}"), &|to| {
                let way = (combine, IncludeSelf::No);
                let few = indexing::scatter(&to(&x)?, 0, &to(&places)?, (&to(&source)?).into(), way, Target::New)?;
                let wide = to(&numbers(dtype, 3000, 1)?)?;
                Ok(vec![few, indexing::scatter(&wide, 0, &to(&scattered)?, (&to(&source)?).into(), way, Target::New)?])
            });
        }
        both("accumulate outside", &|to| {
            let out = to(&x)?;
            let refused = indexing::index_put_in_place(&out, &[Some(&to(&far)?)], &to(&source.narrow(0, 0, 1)?)?, Accumulate::Yes);
            assert!(refused.is_err(), "an index outside");
            Ok(vec![out])
        });
    }
    Ok(())
}
