//! Where elements lie: memory formats, what keeps them and what changes them, against `golden/layout.jsonl`, which was recorded from
//! PyTorch by `golden/record_layout.py`; and the meta device, which has nothing but layouts.

use latten::prelude::*;
use latten::storage::UntypedStorage;
use latten::{Error, ErrorKind, Layout, Result, cat, try_where};
use serde_json::Value;

const FORMATS: [(&str, MemoryFormat); 4] = [
    ("contiguous", MemoryFormat::Contiguous),
    ("channels_last", MemoryFormat::ChannelsLast),
    ("channels_last_3d", MemoryFormat::ChannelsLast3d),
    ("preserve", MemoryFormat::Preserve),
];

fn numbers(list: &Value) -> Vec<usize> {
    list.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number") as usize).collect()
}

fn strided(sizes: &[usize], strides: &[usize]) -> Result<DynTensor> {
    let mut x = DynTensor::empty([0], DType::F32)?;
    x.set_((&UntypedStorage::zeroed(1 << 16, Device::CPU)?, 0, sizes, strides))?;
    Ok(x)
}

/// What became of a tensor, as the file has it.
fn made(x: &DynTensor, y: Result<DynTensor>) -> Value {
    match y {
        Err(error) => serde_json::json!({ "error": error.message() }),
        Ok(y) => {
            let itself = y.untyped_storage().is_same(x.untyped_storage()) && x.numel() > 0;
            serde_json::json!({ "strides": y.strides(), "itself": itself })
        }
    }
}

#[test]
fn strides_are_as_in_pytorch() -> Result<()> {
    let mut wrong = Vec::new();
    let lines: Vec<Value> =
        include_str!("golden/layout.jsonl").lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    for line in &lines {
        let x = strided(&numbers(&line["sizes"]), &numbers(&line["strides"]))?;
        let mut check = |what: &str, got: Value| {
            if got != line[what] {
                wrong.push(format!("{what} of sizes {:?}, strides {:?}: {got}, PyTorch has {}", x.sizes(), x.strides(), line[what]));
            }
        };
        check("is_contiguous", FORMATS.map(|(_, format)| x.is_contiguous_with(format)).as_slice().into());
        for (name, format) in FORMATS {
            check(&format!("contiguous {name}"), made(&x, x.contiguous_with(format)));
            check(&format!("to {name}"), made(&x, x.to_format(format)));
            check(&format!("clone {name}"), made(&x, x.clone_with(format)));
            check(&format!("empty_like {name}"), made(&x, x.empty_like_with(Options::new().format(format))));
        }
        check("double", made(&x, x.to_dtype(DType::F64)));
        check("x + 1", made(&x, x.try_add(1)));
        check("meta", made(&x, x.to_device("meta")));
    }
    assert!(
        wrong.is_empty(),
        "{} answers about {} tensors are wrong:\n{}",
        wrong.len(),
        lines.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(lines.len() >= 150, "{}", lines.len());
    Ok(())
}

#[test]
fn the_first_operand_decides() -> Result<()> {
    let x = DynTensor::empty([2, 3, 4, 5], DType::F32)?;
    let last = x.contiguous_with(MemoryFormat::ChannelsLast)?;
    let channels = DynTensor::empty([1, 3, 1, 1], DType::F32)?;
    let contiguous = [60, 20, 5, 1];
    let channels_last = [60, 1, 15, 3];
    let table: [(&str, DynTensor, [usize; 4]); 12] = [
        ("x + last", x.try_add(&last)?, contiguous),
        ("last + x", last.try_add(&x)?, channels_last),
        ("last + last", last.try_add(&last)?, channels_last),
        ("channels + last", channels.try_add(&last)?, channels_last),
        ("last + channels", last.try_add(&channels)?, channels_last),
        ("exp(last)", last.try_exp()?, channels_last),
        ("last == x", last.try_eq(&x)?, channels_last),
        ("where(last, x, x)", try_where(&last.to_dtype(DType::Bool)?, &x, &x)?.erase(), channels_last),
        ("last as int64", last.to_dtype(DType::I64)?, channels_last),
        ("last.clone()", last.clone(), channels_last),
        ("last.flip(0)", last.flip([0])?, channels_last),
        ("cat(last, x)", cat(&[&last, &x], 0)?.i(i![..2]), contiguous),
    ];
    for (what, y, strides) in table {
        assert_eq!(y.strides(), strides, "{what}");
    }
    assert_eq!(last.new_empty([2, 3, 4, 5])?.strides(), contiguous);
    Ok(())
}

#[test]
fn names_and_refusals() -> Result<()> {
    let names = FORMATS.map(|(_, format)| format.to_string());
    assert_eq!(names, ["torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d", "torch.preserve_format"]);
    assert_eq!([Layout::Strided, Layout::SparseCoo].map(|layout| layout.to_string()), ["torch.strided", "torch.sparse_coo"]);
    let x = DynTensor::empty([2, 3], DType::F32)?;
    assert_eq!(x.layout(), Layout::Strided);
    let with = |format| DynTensor::empty([2, 3], Options::new().dtype(DType::F32).format(format));
    let rank = |rank, name| format!("required rank {rank} tensor to use {name} format");
    let answers = [
        (with(MemoryFormat::ChannelsLast), rank(4, "channels_last")),
        (with(MemoryFormat::ChannelsLast3d), rank(5, "channels_last_3d")),
        (with(MemoryFormat::Preserve), "unsupported memory format Preserve".to_owned()),
        (x.t().contiguous_with(MemoryFormat::Preserve), "preserve memory format is unsupported by the contiguous operator".to_owned()),
        (DynTensor::zeros([-1, 2], DType::F32), "zeros: Dimension size must be non-negative.".to_owned()),
        (DynTensor::empty([-1, 2], DType::F32), "Trying to create tensor with negative dimension -1: [-1, 2]".to_owned()),
        (
            DynTensor::empty([1_u64 << 62, 4], (DType::F32, "meta")),
            "Storage size calculation overflowed with sizes=[4611686018427387904, 4]".to_owned(),
        ),
    ];
    for (answer, text) in answers {
        assert_eq!(answer.map_err(|error| (error.kind(), error.message().to_owned())).err(), Some((ErrorKind::Runtime, text)));
    }
    Ok(())
}

/// A meta tensor has all but data: sizes, strides, dtypes, sharing.
#[test]
fn the_meta_device() -> Result<()> {
    let meta = |sizes: &[usize], dtype| DynTensor::empty(sizes, (dtype, Device::META));
    let (x, host) = (meta(&[2, 3], DType::F32)?, DynTensor::zeros([2, 3], DType::F32)?);
    let seen = |y: &DynTensor| (y.sizes().to_vec(), y.strides().to_vec(), y.dtype(), y.device());
    let is = |sizes: &[usize], strides: &[usize], dtype| (sizes.to_vec(), strides.to_vec(), dtype, Device::META);
    let table = [
        ("x.t()", seen(&x.t()), is(&[3, 2], &[1, 3], DType::F32)),
        ("x.t() + 1", seen(&x.t().try_add(1)?), is(&[3, 2], &[1, 3], DType::F32)),
        ("x + int64", seen(&x.try_add(&meta(&[3], DType::I64)?)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("int32 * 2.5", seen(&meta(&[2], DType::I32)?.try_mul(2.5)?), is(&[2], &[1], DType::F32)),
        ("x < 1", seen(&x.try_lt(1)?), is(&[2, 3], &[3, 1], DType::Bool)),
        ("x + number on the host", seen(&x.try_add(&DynTensor::ones((), DType::F64)?)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("number on the host + x", seen(&DynTensor::ones((), DType::F64)?.try_add(&x)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("host.t() to meta", seen(&host.t().to_device("meta")?), is(&[3, 2], &[1, 3], DType::F32)),
        ("x as half", seen(&x.to_dtype(DType::F16)?), is(&[2, 3], &[3, 1], DType::F16)),
        ("ones like x", seen(&x.ones_like()), is(&[2, 3], &[3, 1], DType::F32)),
        ("x.clone()", seen(&x.clone()), is(&[2, 3], &[3, 1], DType::F32)),
        ("cat", seen(&cat(&[&x, &x], 0)?), is(&[4, 3], &[3, 1], DType::F32)),
        ("a terabyte", seen(&meta(&[1 << 40], DType::I8)?), is(&[1 << 40], &[1], DType::I8)),
        ("arange", seen(&DynTensor::arange(5, (DType::I64, "meta:3"))?), is(&[5], &[1], DType::I64)),
        ("x.fill_(3)", seen(x.alias().fill_(3)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("x.copy_(host)", seen(x.alias().copy_(&host)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("x.add_(x)", seen(x.alias().add_(&x)?), is(&[2, 3], &[3, 1], DType::F32)),
        ("x.add_(overlapping)", seen(x.i(i![.., 1..]).add_(x.i(i![.., ..2]))?), is(&[2, 2], &[3, 1], DType::F32)),
        ("repeated.add_(1)", seen(meta(&[1], DType::F32)?.expand([3])?.erase().add_(1)?), is(&[3], &[0], DType::F32)),
    ];
    for (what, got, expected) in table {
        assert_eq!(got, expected, "{what}");
    }
    assert!(x.is_meta() && !host.is_meta());
    assert_eq!((x.t().untyped_storage().nbytes(), x.data_ptr(), x.get_device(), host.get_device()), (24, 0, -1, -1));
    assert!(x.t().untyped_storage().is_same(x.untyped_storage()), "views share");
    assert!(!x.clone().untyped_storage().is_same(x.untyped_storage()), "copies don't");
    Ok(())
}

#[test]
fn what_a_meta_tensor_refuses() -> Result<()> {
    let mut x = DynTensor::empty([2, 3], (DType::F32, Device::META))?;
    let mut host = DynTensor::ones([2, 3], DType::F32)?;
    let one = DynTensor::empty([1], (DType::F32, "meta"))?;
    let number = DynTensor::empty((), (DType::F32, "meta"))?;
    let other = |theirs, ours| format!("Tensor on device {theirs} is not on the expected device {ours}!");
    let no_data = "Cannot copy out of meta tensor; no data!".to_owned();
    let no_item = "Tensor.item() cannot be called on meta tensors".to_owned();
    let cast = "result type Float can't be cast to the desired output type Int".to_owned();
    use ErrorKind::{NotImplemented, Runtime};
    let answers: Vec<(&str, Result<(), Error>, ErrorKind, String)> = vec![
        ("item", one.try_item().map(drop), Runtime, no_item.clone()),
        ("get", x.get([0, 0]).map(drop), Runtime, no_item),
        ("to_vec", x.to_vec_of::<f32>().map(drop), NotImplemented, no_data.clone()),
        ("to cpu", x.to_device("cpu").map(drop), NotImplemented, no_data.clone()),
        ("host.copy_(x)", host.copy_(&x).map(drop), NotImplemented, no_data),
        ("host + x", host.try_add(&x).map(drop), Runtime, other("meta", "cpu")),
        ("x + host", x.try_add(&host).map(drop), Runtime, other("cpu", "meta")),
        ("host + number on meta", host.try_add(&number).map(drop), Runtime, other("meta", "cpu")),
        ("x += host", x.add_(&host).map(drop), Runtime, other("cpu", "meta")),
        ("host += x", host.add_(&x).map(drop), Runtime, other("meta", "cpu")),
        ("cat(x, host)", cat(&[&x, &host], 0).map(drop), Runtime, other("cpu", "meta")),
        ("int += 1.5", DynTensor::empty([2], (DType::I32, "meta"))?.add_(1.5).map(drop), Runtime, cast),
        (
            "x.copy_(other sizes)",
            x.copy_(&DynTensor::ones([4], DType::F32)?).map(drop),
            Runtime,
            "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1".to_owned(),
        ),
        (
            "view",
            x.t().view([6]).map(drop),
            Runtime,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous \
             subspaces). Use .reshape(...) instead."
                .to_owned(),
        ),
    ];
    for (what, answer, kind, text) in answers {
        let error = answer.expect_err(what);
        assert_eq!((error.kind(), error.message()), (kind, text.as_str()), "{what}");
    }
    assert_eq!(host.to_vec_of::<f32>()?, [1.0; 6], "a refusal changed elements");
    assert_eq!(x.to_string(), "tensor(..., device='meta', size=(2, 3))");
    Ok(())
}

#[test]
fn rows_of_any_width_are_copied_as_they_are() -> Result<()> {
    let count = 5 * 300;
    let bytes = Tensor::from_vec((0..count).map(|i| (i * 7 % 251) as u8).collect(), [5, 300])?;
    let floats = Tensor::from_vec((0..count).map(|i| i as f32).collect(), [5, 300])?;
    for width in (1..=140).chain([255, 256, 257]) {
        let of = |row: usize, at: usize| row * 300 + 7 + at;
        let places: Vec<usize> = (0..5).flat_map(|row| (0..width).map(move |at| of(row, at))).collect();
        let found = bytes.narrow(1, 7, width as isize)?.contiguous().to_vec();
        assert!(found.iter().copied().eq(places.iter().map(|&i| (i * 7 % 251) as u8)), "{width} bytes");
        let found = floats.narrow(1, 7, width as isize)?.contiguous().to_vec();
        assert!(found.iter().copied().eq(places.iter().map(|&i| i as f32)), "{width} floats");
    }
    Ok(())
}
