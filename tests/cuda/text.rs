//! The text of kernels: one of each family as it was read last, in `golden/cuda`, and what must hold for all. `UPDATE_GOLDEN=1` records.
//! What a text has from a header of the kernels is recorded by the header's name.

use std::{env, fs};

use latten::cuda::inspect::{Kernels, manifest, prelude};
use latten::{DType, Op, Result};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/cuda");
const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tensor-kernel/src/kernels");

fn check(name: &str, kernels: &Kernels) {
    assert!(!kernels.is_empty(), "{name}");
    check_text(name, &kernels.source());
}

fn check_text(name: &str, source: &str) {
    let text = by_headers(source.strip_prefix(prelude()).expect("every text begins with the prelude").trim_start());
    let path = format!("{GOLDEN}/{name}.cu");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(GOLDEN).expect("the folder is writable");
        fs::write(&path, &text).expect("the file is writable");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differing = found.lines().zip(text.lines()).find(|(found, text)| found != text);
    assert!(found == text, "{path} isn't what is written now ({differing:?}): UPDATE_GOLDEN=1 cargo test --features cuda --test cuda text");
}

/// The same with the names of the headers that stand in it.
fn by_headers(text: &str) -> String {
    let mut text = text.to_owned();
    for file in fs::read_dir(HEADERS).expect("the kernels' folder is there") {
        let path = file.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "cuh") {
            let header = fs::read_to_string(&path).expect("a header can be read");
            let name = path.file_name().expect("a file has a name").to_string_lossy();
            text = text.replace(&header, &format!("// {name}\n"));
        }
    }
    text
}

#[test]
fn one_of_each_family_is_as_it_was_read() -> Result<()> {
    let of = |op: Op, stem: &str| Kernels::of(op).map(|kernels| kernels.only(stem));
    check("one_tensor", &of(Op::Gelu, "gelu__f16_")?);
    check("two_tensors", &of(Op::Add, "add__f32_f32_")?);
    check("a_tensor_and_a_number", &of(Op::Mul, "mul__bf16_number_")?);
    check("two_dtypes", &Kernels::pairs(Op::Add)?.only("add__i64_by_f16_f16_"));
    check("a_comparison", &of(Op::Lt, "lt__u8_u8_")?);
    check("complex_numbers", &of(Op::NanToNum, "nan_to_num__c32_")?);
    check("a_condition", &of(Op::Where, "where__bool_i64_i64_")?);
    check("a_conversion", &Kernels::casts(DType::F64)?.only("copy__f64__f8e4m3fnuz"));
    check("a_copy", &Kernels::casts(DType::C128)?.only("copy__u128"));
    check("a_reduction", &Kernels::folds(DType::BF16)?.only("mean__"));
    check("a_reduction_to_a_place", &Kernels::folds(DType::F16)?.only("max__f16"));
    check("rows", &Kernels::rows(DType::F16)?);
    check("a_product", &Kernels::products(DType::BF16)?);
    check("elements_at_places", &Kernels::places()?.only("places__u16"));
    check("an_order", &Kernels::places()?.only("sort__bf16"));
    check("an_order_by_bytes", &Kernels::places()?.only("radix__u64"));
    check("what_meets", &Kernels::meets(DType::BF16)?);
    check("a_fill", &Kernels::fills()?.only("fill__u16"));
    Ok(())
}

/// What a `fuse!` and a `#[kernel]` have compiled.
#[test]
fn an_expression_and_a_users_kernel_are_as_they_were_read() {
    for (name, expression) in [("an_expression", "fused leaky"), ("a_users_kernel", "within")] {
        let texts = crate::expressions::texts(expression);
        match &texts[..] {
            [] => println!("not run: `{expression}` needs the stand-in"),
            [text] => check_text(name, text),
            _ => panic!("`{expression}` is {} kernels", texts.len()),
        }
    }
}

#[test]
fn there_is_a_device_function_for_every_operation_and_dtype() -> Result<()> {
    for &op in Op::ALL {
        for &dtype in DType::COMPUTING {
            let line = format!("{op} {dtype} ");
            assert_eq!(manifest().lines().any(|found| found.starts_with(&line)), op.computes(dtype), "{op} of {dtype}");
        }
        let kernels = Kernels::of(op)?;
        let dtypes = DType::COMPUTING.iter().filter(|&&dtype| op.computes(dtype)).count();
        assert_eq!(kernels.len() % dtypes, 0, "{op}: as many kernels for each dtype");
        assert_eq!(kernels.source(), Kernels::of(op)?.source(), "{op}: the same text each time");
    }
    Ok(())
}
