//! Indexing on a device, against the host: results, strides, errors, and that what fails changes nothing.

use latten::elementwise::Target;
use latten::indexing::{self, Half};
use latten::{
    Accumulate, Coalesced, DType, Device, Extreme, IncludeSelf, Order, Padding, RawSparse, RawTensor, Result, Scalar, ScatterReduce,
};

use crate::compare::{numbers, same};

#[path = "sorting.rs"]
mod sorting;

fn ready() -> bool {
    latten::cuda::is_available()
}

fn cuda() -> Device {
    "cuda:0".parse().expect("a device")
}

/// Puts a tensor where a case is to compute: the storage goes there as a whole.
type Place<'a> = &'a dyn Fn(&RawTensor) -> Result<RawTensor>;

fn on_device(tensor: &RawTensor) -> Result<RawTensor> {
    RawTensor::over(tensor.storage().to(cuda())?, tensor.dtype(), tensor.geometry().clone())
}

fn on_host(tensor: &RawTensor) -> Result<RawTensor> {
    RawTensor::over(tensor.storage().deep_clone()?, tensor.dtype(), tensor.geometry().clone())
}

/// That a case gives the same results, or the same error, on both.
fn both(what: &str, case: &dyn Fn(Place<'_>) -> Result<Vec<RawTensor>>) {
    match (case(&on_host), case(&on_device)) {
        (Ok(cpu), Ok(device)) => {
            assert_eq!(cpu.len(), device.len(), "{what}");
            for (cpu, device) in cpu.iter().zip(&device) {
                assert_eq!(device.device(), cuda(), "{what}: the result is where the operands are");
                same(what, cpu, device, 0.0);
            }
        }
        (cpu, device) => {
            let text = |result: Result<Vec<RawTensor>>| result.map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(text(cpu), text(device), "{what}");
        }
    }
}

fn ints(numbers: &[i64], sizes: &[usize]) -> Result<RawTensor> {
    RawTensor::from_vec(numbers.to_vec(), sizes)
}

fn plane(dtype: DType) -> Result<RawTensor> {
    numbers(dtype, 60, 3)?.view(&[3, 4, 5])
}

/// Every size of elements, and dtypes that only store.
const DTYPES: [DType; 8] = [DType::Bool, DType::U8, DType::F8E4M3Fn, DType::BF16, DType::I32, DType::F64, DType::C64, DType::C128];

fn stored(dtype: DType) -> Result<RawTensor> {
    if dtype.is_computing() { plane(dtype) } else { plane(DType::F32)?.to_dtype(dtype) }
}

#[test]
fn along_a_dimension() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in DTYPES {
        let x = stored(dtype)?;
        let turned = x.permute(&[2, 0, 1])?;
        for x in [&x, &turned, &x.narrow(1, 1, 2)?] {
            for dim in 0..3 {
                let size = x.sizes()[dim] as i64;
                let what = |name: &str| format!("{name} of {dtype} {:?} {:?} along {dim}", x.sizes(), x.strides());
                let dim = dim as isize;
                let named = ints(&[0, size - 1, 1, 0], &[4])?;
                both(&what("index_select"), &|to| Ok(vec![indexing::index_select(&to(x)?, dim, &to(&named)?, Target::New)?]));
                let small = named.to_dtype(DType::I32)?;
                both(&what("index_select by i32"), &|to| Ok(vec![indexing::index_select(&to(x)?, dim, &to(&small)?, Target::New)?]));
                both(&what("index_select outside"), &|to| {
                    Ok(vec![indexing::index_select(&to(x)?, dim, &to(&ints(&[0, size], &[2])?)?, Target::New)?])
                });
                both(&what("index_select of nothing"), &|to| {
                    Ok(vec![indexing::index_select(&to(x)?, dim, &to(&ints(&[], &[0])?)?, Target::New)?])
                });
                let all: Vec<i64> = (0..12).map(|i| (i * 7 + 1) % 2).collect();
                let whole = ints(&all, &[2, 2, 3])?;
                let fits = whole.sizes().iter().zip(x.sizes()).all(|(a, b)| a <= b);
                both(&what("gather"), &|to| Ok(vec![indexing::gather(&to(x)?, dim, &to(&whole)?, Target::New)?]));
                if fits {
                    let source = stored(dtype)?.as_strided(&[2, 2, 3], &[1, 7, 3], None)?;
                    both(&what("scatter"), &|to| {
                        let out = indexing::scatter(
                            &to(x)?,
                            dim,
                            &to(&whole)?,
                            (&to(&source)?).into(),
                            (ScatterReduce::Replace, IncludeSelf::Yes),
                            Target::New,
                        )?;
                        Ok(vec![out])
                    });
                    both(&what("scatter of a number"), &|to| {
                        let out = to(x)?;
                        indexing::scatter(
                            &out,
                            dim,
                            &to(&whole)?,
                            1.into(),
                            (ScatterReduce::Replace, IncludeSelf::Yes),
                            Target::InPlace(&out),
                        )?;
                        Ok(vec![out])
                    });
                    let outside = ints(&[9; 12], &[2, 2, 3])?;
                    both(&what("scatter outside"), &|to| {
                        Ok(vec![indexing::scatter(
                            &to(x)?,
                            dim,
                            &to(&outside)?,
                            (&to(&source)?).into(),
                            (ScatterReduce::Replace, IncludeSelf::Yes),
                            Target::New,
                        )?])
                    });
                }
                let counts = ints(&(0..size).collect::<Vec<_>>(), &[size as usize])?;
                both(&what("repeat_interleave"), &|to| Ok(vec![indexing::repeat_interleave_by(&to(x)?, &to(&counts)?, Some(dim))?]));
            }
            both("flip", &|to| Ok(vec![to(x)?.flip(&[0])?, to(x)?.flip(&[1, 2])?, to(x)?.flip(&[-1, 0, 1])?, to(x)?.flip(&[])?]));
            both("roll", &|to| Ok(vec![to(x)?.roll(&[2], &[])?, to(x)?.roll(&[1, -1], &[0, 2])?, to(x)?.rot90(1, &[0, 2])?]));
            let flat = ints(&[0, -1, 5, 3, 3, -7], &[2, 3])?;
            both("take", &|to| Ok(vec![indexing::take(&to(x)?, &to(&flat)?, Target::New)?]));
            both("take outside", &|to| Ok(vec![indexing::take(&to(x)?, &to(&ints(&[1, 60], &[2])?)?, Target::New)?]));
        }
    }
    Ok(())
}

#[test]
fn by_indices_and_masks() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in DTYPES {
        let x = stored(dtype)?;
        let turned = x.permute(&[1, 2, 0])?;
        let mask = |sizes: &[usize], step: usize| -> Result<RawTensor> {
            RawTensor::from_vec((0..sizes.iter().product()).map(|i: usize| i % step == 1).collect::<Vec<_>>(), sizes)
        };
        for x in [&x, &turned] {
            let (a, b) = (ints(&[0, -1, 2], &[3])?, ints(&[1, 0], &[2, 1])?);
            let (whole, rows, none) = (mask(x.sizes(), 3)?, mask(&x.sizes()[..2], 2)?, mask(x.sizes(), 10_000)?);
            let first = mask(&x.sizes()[..1], 2)?;
            let cases: Vec<(&str, Vec<Option<&RawTensor>>)> = vec![
                ("[a]", vec![Some(&a)]),
                ("[:, a]", vec![None, Some(&a)]),
                ("[a, b]", vec![Some(&a), Some(&b)]),
                ("[a, :, b]", vec![Some(&a), None, Some(&b)]),
                ("[:, :, b]", vec![None, None, Some(&b)]),
                ("[whole mask]", vec![Some(&whole)]),
                ("[mask of rows]", vec![Some(&rows)]),
                ("[mask of rows, a]", vec![Some(&rows), Some(&b)]),
                ("[mask, :, b]", vec![Some(&first), None, Some(&b)]),
                ("[nothing]", vec![Some(&none)]),
            ];
            for (name, indices) in &cases {
                let what = format!("{name} of {dtype} {:?}", x.strides());
                let there = |to: Place<'_>| indices.iter().map(|index| index.map(to).transpose()).collect::<Result<Vec<_>>>();
                both(&what, &|to| {
                    let indices = there(to)?;
                    Ok(vec![indexing::index(&to(x)?, &indices.iter().map(Option::as_ref).collect::<Vec<_>>())?])
                });
                both(&format!("{what} = one"), &|to| {
                    let (out, indices) = (to(x)?, there(to)?);
                    let one = to(&RawTensor::from_vec(vec![1_i64], &[])?.to_dtype(dtype)?)?;
                    indexing::index_put_in_place(&out, &indices.iter().map(Option::as_ref).collect::<Vec<_>>(), &one, Accumulate::No)?;
                    Ok(vec![out])
                });
                both(&format!("{what} = some"), &|to| {
                    let (out, indices) = (to(x)?, there(to)?);
                    let indices: Vec<Option<&RawTensor>> = indices.iter().map(Option::as_ref).collect();
                    let sizes = indexing::index(&out, &indices)?;
                    // As many different values, of which several go to one place.
                    let values =
                        to(&numbers(if dtype.is_computing() { dtype } else { DType::F32 }, sizes.numel().max(1), 8)?.to_dtype(dtype)?)?;
                    let signed: Vec<isize> = sizes.sizes().iter().map(|&size| size as isize).collect();
                    let values = if sizes.numel() == 0 { sizes } else { values.view(&signed)? };
                    indexing::index_put_in_place(&out, &indices, &values, Accumulate::No)?;
                    Ok(vec![out])
                });
            }
            both("masked_select", &|to| {
                Ok(vec![
                    indexing::masked_select(&to(x)?, &to(&whole)?, Target::New)?,
                    indexing::masked_select(&to(x)?, &to(&mask(&[x.sizes()[2]], 2)?)?, Target::New)?,
                ])
            });
            both("masked_fill", &|to| Ok(vec![indexing::masked_fill(&to(x)?, &to(&whole)?, 1.into())?]));
            both("nonzero", &|to| Ok(vec![indexing::nonzero(&to(x)?, Target::New)?]));
        }
        let outside = ints(&[0, 3, -9], &[3])?;
        both("an index outside", &|to| Ok(vec![indexing::index(&to(&x)?, &[None, Some(&to(&outside)?)])?]));
        both("a value outside", &|to| {
            let out = to(&x)?;
            let refused = indexing::index_put_in_place(
                &out,
                &[Some(&to(&outside)?)],
                &to(&RawTensor::from_vec(vec![0_i64], &[])?.to_dtype(dtype)?)?,
                Accumulate::No,
            );
            assert!(refused.is_err(), "an index outside");
            Ok(vec![out])
        });
    }
    // Elements of every kind that are or aren't zero.
    for &dtype in DType::COMPUTING {
        let x = numbers(dtype, 1000, 4)?.as_strided(&[20, 2, 25], &[1, 500, 20], None)?;
        both(&format!("nonzero of {dtype}"), &|to| Ok(vec![indexing::nonzero(&to(&x)?, Target::New)?]));
    }
    both("nonzero of a number", &|to| Ok(vec![indexing::nonzero(&to(&RawTensor::from_vec(vec![3_i64], &[])?)?, Target::New)?]));
    both("nonzero of nothing", &|to| Ok(vec![indexing::nonzero(&to(&RawTensor::from_vec(Vec::<i64>::new(), &[0, 3])?)?, Target::New)?]));
    Ok(())
}

#[test]
fn of_several_values_for_one_place_the_last_stays() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let (x, values) = (numbers(DType::F32, 50, 1)?, numbers(DType::F32, 10_000, 2)?);
    let places = numbers(DType::I64, 10_000, 3)?.numbers_mod(50)?;
    both("ten thousand values at fifty places", &|to| {
        let out = to(&x)?;
        indexing::index_put_in_place(&out, &[Some(&to(&places)?)], &to(&values)?, Accumulate::No)?;
        Ok(vec![out])
    });
    Ok(())
}

/// Numbers below another one.
trait Below: Sized {
    fn numbers_mod(&self, size: i64) -> Result<Self>;
}

impl Below for RawTensor {
    fn numbers_mod(&self, size: i64) -> Result<Self> {
        latten::elementwise::apply(latten::Op::Remainder, &[self.into(), size.into()], &latten::elementwise::Params::none())
    }
}

#[test]
fn what_the_host_computes_comes_back() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in [DType::U8, DType::I64, DType::BF16, DType::F32] {
        let x = numbers(dtype, 60, 5)?.view(&[3, 4, 5])?;
        let turned = x.permute(&[2, 0, 1])?;
        for x in [&x, &turned] {
            both("sort", &|to| {
                indexing::sort(&to(x)?, 1, Order::Descending, [Target::New; 2]).map(|(values, places)| vec![values, places])
            });
            both("topk", &|to| {
                indexing::topk(&to(x)?, 2, -1, Extreme::Smallest, [Target::New; 2]).map(|(values, places)| vec![values, places])
            });
            both("unique", &|to| indexing::unique(&to(x)?).map(|unique| vec![unique.values, unique.inverse, unique.counts]));
            both("unique along", &|to| indexing::unique_dim(&to(x)?, 1).map(|unique| vec![unique.values, unique.inverse, unique.counts]));
            let places = ints(&[0, 1, 1, 0, 0, 2, 2, 2, 1, 1, 0, 0], &[3, 4, 1])?.expand(&[3, 4, x.sizes()[2].min(4) as isize])?;
            let places = places.narrow(1, 0, x.sizes()[1].min(4) as isize)?;
            both("scatter_add", &|to| {
                let out = to(x)?;
                indexing::scatter(&out, 0, &to(&places)?, (&to(x)?).into(), (ScatterReduce::Sum, IncludeSelf::Yes), Target::InPlace(&out))?;
                Ok(vec![out])
            });
            both("accumulate", &|to| {
                let out = to(x)?;
                indexing::index_put_in_place(&out, &[Some(&to(&ints(&[1, 1, 0], &[3])?)?)], &to(&x.narrow(0, 0, 1)?)?, Accumulate::Yes)?;
                Ok(vec![out])
            });
        }
    }
    Ok(())
}

#[test]
fn parts_and_paddings() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in DTYPES {
        let x = stored(dtype)?;
        for diagonal in [-5, -1, 0, 2, 9] {
            both("tril", &|to| Ok(vec![indexing::triangle(&to(&x)?, Half::Lower, diagonal, Target::New)?]));
            both("triu_", &|to| {
                let out = to(&x)?;
                indexing::triangle(&out, Half::Upper, diagonal, Target::InPlace(&out))?;
                Ok(vec![out])
            });
        }
        for padding in [Padding::Constant(Scalar::Int(1)), Padding::Reflect, Padding::Replicate, Padding::Circular] {
            both("pad", &|to| Ok(vec![indexing::pad(&to(&x)?, &[1, 2], padding)?]));
            both("pad of two", &|to| Ok(vec![indexing::pad(&to(&x)?, &[2, -1, 1, 1], padding)?]));
            both("pad too far", &|to| Ok(vec![indexing::pad(&to(&x)?, &[9, 0], padding)?]));
        }
    }
    let classes = ints(&[0, 2, 1, 2], &[2, 2])?;
    both("one_hot", &|to| Ok(vec![indexing::one_hot(&to(&classes)?, None)?, indexing::one_hot(&to(&classes)?, Some(5))?]));
    both("one_hot, too few", &|to| Ok(vec![indexing::one_hot(&to(&classes)?, Some(2))?]));
    both("one_hot, below zero", &|to| Ok(vec![indexing::one_hot(&to(&ints(&[0, -1], &[2])?)?, None)?]));
    Ok(())
}

#[test]
fn indices_of_the_host_and_of_other_devices() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let x = plane(DType::F32)?;
    let (dx, index) = (x.to_device(cuda())?, ints(&[2, 0], &[2])?);
    // As in PyTorch, indices of the host go to the tensor; those of a device don't come.
    same("x[host]", &indexing::index(&x, &[Some(&index)])?, &indexing::index(&dx, &[Some(&index)])?, 0.0);
    let refused = indexing::index(&x, &[Some(&index.to_device(cuda())?)]).expect_err("an index elsewhere");
    assert_eq!(refused.message(), "indices should be either on cpu or on the same device as the indexed tensor (cpu)");
    indexing::index_put_in_place(&dx, &[Some(&index)], &RawTensor::from_vec(vec![7.0_f32], &[])?, Accumulate::No)?;
    indexing::index_put_in_place(&x, &[Some(&index)], &RawTensor::from_vec(vec![7.0_f32], &[])?, Accumulate::No)?;
    same("x[host] = 7", &x, &dx, 0.0);
    for refused in [
        indexing::gather(&dx, 0, &ints(&[0], &[1, 1, 1])?, Target::New),
        indexing::index_select(&dx, 0, &index, Target::New),
        indexing::take(&dx, &index, Target::New),
        indexing::masked_select(&dx, &RawTensor::from_vec(vec![true; 5], &[5])?, Target::New),
        indexing::scatter(&dx, 0, &ints(&[0], &[1, 1, 1])?, 1.into(), (ScatterReduce::Replace, IncludeSelf::Yes), Target::New),
    ] {
        let refused = refused.expect_err("two devices");
        assert!(refused.message().starts_with("Expected all tensors to be on the same device"), "{refused}");
    }
    Ok(())
}

#[test]
fn sparse_tensors_of_a_device() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    for dtype in [DType::I64, DType::F32] {
        // Small whole numbers, many of them zero.
        let x = RawTensor::from_vec((0..20).map(|i| [0_i64, 3, 0, -2, 5][i * i % 5]).collect(), &[4, 5])?.to_dtype(dtype)?;
        let twice = ints(&[0, 3, 0, 0, 1, 2, 1, 1], &[2, 4])?;
        both(&format!("sparse {dtype}"), &|to| {
            let sparse = RawSparse::from_dense(&to(&x)?, None)?;
            let known =
                RawSparse::new(&to(&twice)?, &to(&x.select(0, 1)?.narrow(0, 0, 4)?)?, Some(&[4, 5]), Coalesced::Unknown)?.coalesce()?;
            let sum = sparse.add(&known, 2.into())?;
            let right = to(&x.t()?)?;
            let results = [sparse.raw_indices(), sparse.raw_values(), known.raw_indices(), known.raw_values()];
            Ok(results.into_iter().cloned().chain([sum.to_dense()?, known.sum()?, sparse.mm(&right)?]).collect())
        });
    }
    Ok(())
}

/// Tensors that have lost bytes, or begin between two elements, after they were made: an error, wherever they stand in a call.
#[test]
fn operands_that_reach_outside() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let x = || plane(DType::F32)?.to_device(cuda());
    let index = |sizes: &[usize]| ints(&vec![0; sizes.iter().product()], sizes)?.to_device(cuda());
    let cut = |tensor: RawTensor, left: usize| tensor.storage().resize_(left).map(|_| ()).map(|()| tensor);
    let odd = |sizes: &[usize], dtype: DType| -> Result<RawTensor> {
        let count = sizes.iter().product::<usize>() * dtype.itemsize();
        let storage = latten::storage::UntypedStorage::zeroed(count + 8, cuda())?.slice(1..1 + count as i64)?;
        RawTensor::over(storage, dtype, latten::geometry::Geometry::contiguous(sizes))
    };
    type Call<'a> = Box<dyn Fn() -> Result<RawTensor> + 'a>;
    let calls: Vec<(&str, Call<'_>)> = vec![
        ("gather, no index", Box::new(|| indexing::gather(&x()?, 0, &cut(index(&[3, 4, 5])?, 0)?, Target::New))),
        ("gather, half an index", Box::new(|| indexing::gather(&x()?, 0, &cut(index(&[3, 4, 5])?, 64)?, Target::New))),
        ("gather, an odd index", Box::new(|| indexing::gather(&x()?, 0, &odd(&[1, 2, 4], DType::I64)?, Target::New))),
        ("gather, no input", Box::new(|| indexing::gather(&cut(x()?, 0)?, 0, &index(&[3, 4, 5])?, Target::New))),
        ("gather, an odd input", Box::new(|| indexing::gather(&odd(&[3, 4, 5], DType::F32)?, 0, &index(&[3, 4, 5])?, Target::New))),
        ("take, no index", Box::new(|| indexing::take(&x()?, &cut(index(&[7])?, 0)?, Target::New))),
        ("take, an odd index", Box::new(|| indexing::take(&x()?, &odd(&[8], DType::I64)?, Target::New))),
        ("index_select, no index", Box::new(|| indexing::index_select(&x()?, 0, &cut(index(&[7])?, 8)?, Target::New))),
        ("flip, no input", Box::new(|| cut(x()?, 16)?.flip(&[0]))),
        ("nonzero, no input", Box::new(|| indexing::nonzero(&cut(x()?, 16)?, Target::New))),
        ("masked_select, no mask", Box::new(|| indexing::masked_select(&x()?, &cut(x()?.to_dtype(DType::Bool)?, 3)?, Target::New))),
    ];
    for (what, call) in calls {
        match call() {
            Ok(_) if what.ends_with("an odd input") => {}
            Ok(result) => panic!("{what}: {:?}", result.sizes()),
            Err(error) => assert!(
                ["of its storage, which has", "storage that has been resized to", "starts between two elements"]
                    .iter()
                    .any(|known| error.message().contains(known)),
                "{what}: {error}"
            ),
        }
    }
    Ok(())
}

/// Threads that shrink the index and the input of others' calls: results or errors, and no access outside (the stand-in's kernels are the CPU's).
#[test]
fn racing_tensors() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let (x, index) = (plane(DType::F32)?.to_device(cuda())?, ints(&[1; 60], &[3, 4, 5])?.to_device(cuda())?);
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..300_usize {
                for (tensor, full) in [(&x, 240), (&index, 480)] {
                    tensor.storage().resize_(full * (round % 2)).expect("another size");
                }
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !over.load(std::sync::atomic::Ordering::Relaxed) {
            drop(indexing::gather(&x, 0, &index, Target::New));
            drop(indexing::take(&x, &index, Target::New));
        }
    });
    Ok(())
}
