//! Which dtypes and devices each operation takes: what its row says is what calls of it say. Every operation is called with elements of every
//! dtype, and on the meta device; what isn't taken is an error and never a panic.

#[path = "allocation/arguments.rs"]
mod arguments;
#[path = "allocation/layers.rs"]
mod layers;
#[path = "dtypes/attempt.rs"]
mod attempt;
#[path = "dtypes/mapped.rs"]
mod mapped;

use std::panic::{AssertUnwindSafe, catch_unwind};

use latten::by_name::NamedArgument;
use latten::prelude::*;
use latten::{DeviceType, Op, Result, args, call, promote_types};

use arguments::Operands;
use attempt::{Attempt, asked, makes_by, on_device};

fn dtypes() -> Vec<DType> {
    DType::ALL.iter().copied().filter(|dtype| !dtype.is_quantized()).collect()
}

/// A tensor with elements of a dtype, none of which becomes zero.
fn cast(tensor: &DynTensor, dtype: DType) -> Result<DynTensor> {
    let whole = !(dtype.is_floating_point() || dtype.is_complex());
    match (whole, tensor.dtype()) {
        (true, DType::F32 | DType::F64) => tensor.ceil().to_dtype(dtype),
        // The largest is less than 128 then.
        (true, DType::I64) => tensor.remainder(100).to_dtype(dtype),
        _ => tensor.to_dtype(dtype),
    }
}

/// Whether elements are those of another dtype where that is tried: not indices and masks, unless they stand first.
fn has_values(tensor: &DynTensor) -> bool {
    matches!(tensor.dtype(), DType::F32 | DType::C64)
}

fn cast_values(tensor: &DynTensor, dtype: DType) -> Result<DynTensor> {
    if has_values(tensor) { cast(tensor, dtype) } else { Ok(tensor.clone()) }
}

#[test]
fn rows_say_which_dtypes_are_taken() -> Result<()> {
    // Others than these threads have more to do.
    latten::set_num_threads(1);
    let operands = Operands::new()?;
    let others = dtypes().into_iter().map(|dtype| Ok((dtype, operands.map(&|tensor| cast_values(tensor, dtype))?)));
    let mut others = others.collect::<Result<Vec<_>>>()?;
    let mut wrong = Vec::new();
    for operation in asked() {
        let name = format!("{}{}", operation.name(), operation.signature());
        let (form, choice) = Attempt::fitting(operation, &operands).unwrap_or_else(|| panic!("{name} takes nothing"));
        let mut taken = Vec::new();
        for (dtype, own) in &mut others {
            let first = operands.tensors.get(choice.tensor).filter(|first| !has_values(first));
            let first = first.map(|first| cast(first, *dtype)).transpose()?;
            let before = own.tensors.get_mut(choice.tensor).zip(first).map(|(place, first)| std::mem::replace(place, first));
            let named = makes_by("dtype", operation).then(|| ("dtype", NamedArgument::from(*dtype)));
            let attempt = Attempt { operation, form, operands: own, choice: &choice };
            match catch_unwind(AssertUnwindSafe(|| attempt.run(named))) {
                Ok(Ok(())) => taken.push(*dtype),
                Ok(Err(_)) => {}
                Err(_) => wrong.push(format!("{name} of {dtype} panics")),
            }
            if let Some((place, before)) = own.tensors.get_mut(choice.tensor).zip(before) {
                *place = before;
            }
        }
        // With a number beside it a tensor may be of more dtypes: of those that promote with the number to what the row says.
        let with_number = operation.signature().split(", *").next().is_some_and(|given| given.contains("Number "));
        let said: Vec<DType> = operation.dtypes().into_iter().filter(|dtype| others.iter().any(|(own, _)| own == dtype)).collect();
        let right = if with_number { said.iter().all(|dtype| taken.contains(dtype)) } else { said == taken };
        if !right {
            wrong.push(format!("{name} says {said:?}, and takes {taken:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn rows_say_what_the_meta_device_computes() -> Result<()> {
    let (wrong, _) = on_device("meta", DeviceType::Meta)?;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn what_a_row_refuses_names_pytorchs_kernel() -> Result<()> {
    let (image, places) = (Tensor::<f32, shape![1, 2, 4, 4]>::ones().erase(), Tensor::<i64, shape![1, 2, 4, 4]>::zeros().erase());
    let (classes, row) = (Tensor::from([0_i64, 1, 1, 0]).erase(), Tensor::from([0.5_f32, 0.5]).erase());
    let matrix = Tensor::<f32, shape![4, 4]>::ones().erase();
    let of = |tensor: &DynTensor, dtype| tensor.to_dtype(dtype).map(|tensor| tensor.erase());
    let cases = [
        ("conv_transpose2d", DType::I32, "\"slow_conv_transpose2d_out_cpu\" not implemented for 'Int'"),
        ("max_unpool2d", DType::I64, "\"max_unpool2d\" not implemented for 'Long'"),
        ("avg_pool3d", DType::F16, "\"avg_pool3d_out_frame\" not implemented for 'Half'"),
        ("multi_margin_loss", DType::BF16, "\"multi_margin_loss_cpu_kernel\" not implemented for 'BFloat16'"),
        ("nn.functional.unfold", DType::U8, "\"im2col_out_cpu\" not implemented for 'Byte'"),
        ("linalg.householder_product", DType::I16, "\"orgqr_cpu\" not implemented for 'Short'"),
        ("special.erfcx", DType::F16, "\"erfcx_cpu\" not implemented for 'Half'"),
        ("special.zeta", DType::BF16, "\"zeta_cpu\" not implemented for 'BFloat16'"),
        ("kl_div", DType::I64, "kl_div: Integral inputs not supported."),
        ("kl_div", DType::C64, "kl_div: Complex inputs not supported."),
        (
            "embedding_bag",
            DType::I32,
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got \
             torch.IntTensor instead (while checking arguments for embedding_bag)",
        ),
        (
            "embedding_bag",
            DType::Bool,
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got \
             CPUBoolType instead (while checking arguments for embedding_bag)",
        ),
    ];
    for (name, dtype, said) in cases {
        let (image, matrix, row) = (of(&image, dtype)?, of(&matrix, dtype)?, of(&row, dtype)?);
        let (kernel, starts) = (of(&DynTensor::ones([2, 2, 3, 3], DType::F32)?, dtype)?, Tensor::from([0_i64, 2]));
        let given = match name {
            "conv_transpose2d" => args![&image, &kernel],
            "max_unpool2d" => args![&image, &places, 1],
            "avg_pool3d" => args![&image, 2],
            "nn.functional.unfold" => args![&image, 3],
            "multi_margin_loss" => args![&matrix, &classes],
            "linalg.householder_product" => args![&matrix, &row],
            "special.zeta" | "kl_div" => args![&matrix, &matrix],
            "embedding_bag" => args![&classes, &matrix, &starts],
            _ => args![&row],
        };
        let found = call(name, given).map(|_| String::new()).unwrap_or_else(|error| error.message().to_owned());
        assert_eq!(found, said, "{name} of {dtype}");
    }
    Ok(())
}

/// Two tensors of any dtypes give what `promote_types` and the table say, or an error.
#[test]
fn every_pair_of_dtypes_is_computed_or_refused() -> Result<()> {
    let ones = Tensor::from([1.0_f32; 40]);
    // These look at each operand, and `div_trunc` is `div` with an argument.
    let own = ["sub", "rsub", "huber_loss", "div_trunc"];
    let mut wrong = Vec::new();
    for &op in Op::ALL.iter().filter(|op| op.row().operands.len() == 2) {
        for lhs in dtypes() {
            for rhs in dtypes() {
                let tensors = [ones.to_dtype(lhs)?.erase(), ones.to_dtype(rhs)?.erase()];
                let made = || call(op.name(), args![&tensors[0], &tensors[1]]).and_then(|found| found.tensor());
                let found = catch_unwind(AssertUnwindSafe(made)).map(|found| found.map(|found| found.dtype()).ok());
                let said = promote_types(lhs, rhs).ok().and_then(|promoted| op.answer(promoted, DType::F32).ok());
                if found.is_err() || !own.contains(&op.name()) && found.as_ref().ok() != Some(&said) {
                    wrong.push(format!("{op} of {lhs} and {rhs}: {found:?} where the table says {said:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
