//! Printing against PyTorch 2.15. `facts.txt` has, for each tensor, a line of what it is, a line of its elements (floats
//! as the bits of an `f64`) and what PyTorch printed.

use latten_spec::{Category, DType};
use num_complex::Complex;

use super::{PrintOptions, SparseView, View, element_repr, repr_with, sparse_repr_with};
use crate::device::{Device, IntoDevice};
use crate::scalar::Scalar;
use crate::storage::{TypedStorage, UntypedStorage};

struct Fact<'a> {
    about: &'a str,
    elements: &'a str,
    printed: String,
}

fn facts(text: &str) -> Vec<Fact<'_>> {
    let mut facts: Vec<Fact<'_>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match (line.strip_prefix("# "), facts.last_mut()) {
            (Some(about), _) => facts.push(Fact { about, elements: lines.next().expect("elements"), printed: String::new() }),
            (None, Some(fact)) => {
                fact.printed += if fact.printed.is_empty() { "" } else { "\n" };
                fact.printed += line.strip_prefix('|').expect("printed line");
            }
            _ => panic!("not a fact: {line}"),
        }
    }
    facts
}

fn scalars(dtype: DType, words: &str, numel: usize) -> Vec<Scalar> {
    if words == "formula" {
        let unsigned = i64::from(!dtype.is_signed() && dtype != DType::Bool);
        return (0..numel as i64).map(|i| Scalar::Int((i * 7 + i / 13) % 23 - 5 + 5 * unsigned)).collect();
    }
    let float = |word: &str| if word == "nan" { f64::NAN } else { f64::from_bits(u64::from_str_radix(word, 16).expect("hex")) };
    let words: Vec<&str> = words.split_whitespace().collect();
    match dtype.category() {
        Category::Boolean => words.iter().map(|&word| Scalar::Bool(word == "1")).collect(),
        Category::Integral => words.iter().map(|word| Scalar::Int(word.parse().expect("an integer"))).collect(),
        Category::Floating => words.iter().map(|word| Scalar::Float(float(word))).collect(),
        Category::Complex => words.chunks(2).map(|part| Scalar::Complex(Complex::new(float(part[0]), float(part[1])))).collect(),
    }
}

/// The element at an index of a contiguous tensor.
fn at<'a>(sizes: &'a [usize], values: &'a [Scalar]) -> impl Fn(&[usize]) -> Scalar + 'a {
    move |index| values[index.iter().zip(sizes).fold(0, |flat, (i, size)| flat * size + i)]
}

fn printed(fact: &Fact<'_>) -> String {
    let words: Vec<&str> = fact.about.split(' ').collect();
    let option = |name: &str| {
        let word = words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).expect("an option");
        (word, word.parse::<usize>().unwrap_or(0))
    };
    let dtype = DType::parse(words[0]).expect("a dtype");
    let sizes: Vec<usize> = words[1].trim_matches(['[', ']']).split(',').filter_map(|size| size.parse().ok()).collect();
    let options = PrintOptions {
        precision: option("precision").1,
        threshold: option("threshold").1,
        edgeitems: option("edgeitems").1,
        linewidth: option("linewidth").1,
        sci_mode: option("sci").0.parse().ok(),
    };
    let values = scalars(dtype, fact.elements, sizes.iter().product());
    let view =
        View { dtype, sizes: &sizes, device: words[2].into_device().expect("a device"), element: &at(&sizes, &values), gradient: None };
    repr_with(&view, &options, DType::parse(option("default").0).expect("a dtype"))
}

fn check(text: &str) {
    let facts = facts(text);
    let wrong: Vec<String> = facts
        .iter()
        .map(|fact| (fact, printed(fact)))
        .filter(|(fact, got)| *got != fact.printed)
        .map(|(fact, got)| format!("{}\n{}\ngot\n{got}\nPyTorch has\n{}\n", fact.about, fact.elements, fact.printed))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), facts.len(), wrong[..wrong.len().min(4)].join("\n"));
    assert!(facts.len() > 200, "{}", facts.len());
}

#[test]
fn tensors_print_as_in_pytorch() {
    check(include_str!("facts.txt"));
}

#[test]
fn numbers_print_as_in_python() {
    let complex = |re, im| Scalar::Complex(Complex::new(re, im));
    let table: &[(DType, Scalar, &str)] = &[
        (DType::Bool, Scalar::Bool(true), "True"),
        (DType::I8, Scalar::Int(-128), "-128"),
        (DType::U64, Scalar::Int(-1), "18446744073709551615"),
        (DType::F32, 0.1_f32.into(), "0.10000000149011612"),
        (DType::F64, 0.1.into(), "0.1"),
        (DType::F64, 1e-4.into(), "0.0001"),
        (DType::F64, 1e-5.into(), "1e-05"),
        (DType::F64, 1.5e-8.into(), "1.5e-08"),
        (DType::F64, 1e15.into(), "1000000000000000.0"),
        (DType::F64, 1e16.into(), "1e+16"),
        (DType::F64, 1.234_567_890_123_456_7e16.into(), "1.2345678901234568e+16"),
        (DType::F64, 9_999_999_999_999_998.0.into(), "9999999999999998.0"),
        (DType::F64, (1_929_377_421_321_310.0 + 0.25).into(), "1929377421321310.2"),
        (DType::F64, 45.0.into(), "45.0"),
        (DType::F64, 1e22.into(), "1e+22"),
        (DType::F64, (-1.5e300).into(), "-1.5e+300"),
        (DType::F64, f64::MAX.into(), "1.7976931348623157e+308"),
        (DType::F64, 5e-324.into(), "5e-324"),
        (DType::F64, (-0.0).into(), "-0.0"),
        (DType::F64, f64::NAN.into(), "nan"),
        (DType::F64, f64::NEG_INFINITY.into(), "-inf"),
        (DType::C128, complex(1.0, 2.0), "(1+2j)"),
        (DType::C128, complex(-0.0, 1.0), "(-0+1j)"),
        (DType::C128, complex(0.0, -0.0), "-0j"),
        (DType::C128, complex(f64::NAN, f64::INFINITY), "(nan+infj)"),
        (DType::C128, complex(1e16, -1e-5), "(1e+16-1e-05j)"),
    ];
    for (dtype, value, expected) in table {
        assert_eq!(element_repr(*dtype, *value), *expected);
    }
}

#[test]
fn storages_print_as_in_pytorch() {
    let untyped = |bytes: &[u8]| UntypedStorage::from_bytes(bytes).expect("two bytes").to_string();
    assert_eq!(untyped(&[0, 63]), " 0\n 63\n[torch.storage.UntypedStorage(device=cpu) of size 2]");
    assert_eq!(untyped(&[]), " \n[torch.storage.UntypedStorage(device=cpu) of size 0]");
    let meta = UntypedStorage::new(8, Device::META).expect("no memory is needed");
    assert_eq!(meta.to_string(), "...\n[torch.storage.UntypedStorage(device=meta) of size 8]");
    let typed = TypedStorage::from_slice(&[1.5, 0.1_f32]).expect("two numbers");
    let expected = " 1.5\n 0.10000000149011612\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]";
    assert_eq!(typed.to_string(), expected);
}

#[test]
fn sparse_tensors_print_as_in_pytorch() {
    let check = |dtype, value_sizes: &[usize], index_sizes: &[usize], sizes: &[usize], device, expected: &str| {
        let coordinates = [0, 1, 1, 2, 0, 2].map(Scalar::Int);
        let values = [3.0, 4.0, 5.0].map(Scalar::Float);
        let view = SparseView {
            indices: View { dtype: DType::I64, sizes: index_sizes, device, element: &at(index_sizes, &coordinates), gradient: None },
            values: View { dtype, sizes: value_sizes, device, element: &at(value_sizes, &values), gradient: None },
            sizes,
        };
        assert_eq!(sparse_repr_with(&view, &PrintOptions::DEFAULT, DType::F32), expected);
    };
    let indices = "tensor(indices=tensor([[0, 1, 1],\n                       [2, 0, 2]]),\n       values=tensor([3., 4., 5.]),\n       ";
    check(DType::F32, &[3], &[2, 3], &[2, 3], Device::CPU, &format!("{indices}size=(2, 3), nnz=3, layout=torch.sparse_coo)"));
    check(
        DType::F64,
        &[3],
        &[2, 3],
        &[2, 3],
        Device::CPU,
        &format!("{indices}size=(2, 3), nnz=3, dtype=torch.float64, layout=torch.sparse_coo)"),
    );
    check(
        DType::F32,
        &[0],
        &[2, 0],
        &[2, 3],
        Device::CPU,
        "tensor(indices=tensor([], size=(2, 0)),\n       values=tensor([], size=(0,)),\n       size=(2, 3), nnz=0, layout=torch.sparse_coo)",
    );
    check(
        DType::F32,
        &[0],
        &[2, 0],
        &[2, 3],
        Device::META,
        "tensor(indices=tensor(..., size=(2, 0)),\n       values=tensor(..., size=(0,)),\n       device='meta', size=(2, 3), layout=torch.sparse_coo)",
    );
}

/// Elements that a summary leaves out aren't read: the closure knows none of them.
#[test]
fn a_summary_reads_only_what_it_shows() {
    let sizes = [1_000_000, 1_000_000];
    let element = |index: &[usize]| {
        assert!(index.iter().all(|&i| !(3..999_997).contains(&i)), "{index:?}");
        Scalar::Int(7)
    };
    let view = View { dtype: DType::I64, sizes: &sizes, device: Device::CPU, element: &element, gradient: None };
    let row = "[7, 7, 7,  ..., 7, 7, 7]";
    let expected = format!("tensor([{row},\n        {row},\n        {row},\n        ...,\n        {row},\n        {row},\n        {row}])");
    assert_eq!(repr_with(&view, &PrintOptions::DEFAULT, DType::F32), expected);
}
