//! Operands of kinds that are rare: which of them are taken, and what PyTorch 2.15 says to the others.

use latten::prelude::*;
use latten::{Outcome, args, call};

/// What a call says, or the dtype and the sizes of what it gives.
fn outcome(outcome: Result<Outcome>) -> String {
    outcome
        .and_then(Outcome::tensor)
        .map_or_else(|error| error.message().to_owned(), |tensor| format!("{} {:?}", tensor.dtype(), tensor.sizes()))
}

fn ones(sizes: &[usize], dtype: DType) -> Result<DynTensor> {
    DynTensor::ones(sizes, dtype)
}

/// A bias is added to rows of a matrix, or to whatever the product is.
#[test]
fn a_bias_of_linear_is_a_row_or_anything_that_fits() -> Result<()> {
    const NO_MATRIX: &str = "addmm: mat2 must be a matrix, got 1-D tensor";
    const F32: DType = DType::F32;
    let (real, one) = (|sizes: &[usize]| ones(sizes, F32), |dtype| ones(&[], dtype));
    let every_second = real(&[6])?.i(i![..;2]).erase();
    let turned = real(&[5, 2, 3])?.transpose(0, 1)?.erase();
    let cases = [
        (real(&[3])?, real(&[3])?, one(F32)?, "float32 []"),
        (real(&[3])?, real(&[3])?, one(DType::F64)?, "float32 []"),
        (real(&[3])?, real(&[3])?, real(&[1])?, NO_MATRIX),
        (real(&[3])?, real(&[3])?, real(&[1, 4])?, NO_MATRIX),
        (real(&[3])?, real(&[3])?, real(&[2, 5])?, "output with shape [] doesn't match the broadcast shape [2, 5]"),
        (every_second, real(&[3])?, real(&[1])?, "output with shape [] doesn't match the broadcast shape [1]"),
        (real(&[2, 3])?, real(&[3])?, one(F32)?, NO_MATRIX),
        (real(&[2, 3])?, real(&[3])?, real(&[2, 5])?, NO_MATRIX),
        (real(&[2, 5, 3])?, real(&[3])?, one(F32)?, "float32 [2, 5]"),
        (real(&[2, 5, 3])?, real(&[3])?, real(&[2, 5])?, "float32 [2, 5]"),
        (real(&[2, 5, 3])?, real(&[3])?, real(&[5])?, NO_MATRIX),
        (real(&[5, 2, 3])?.transpose(0, 1)?.erase(), real(&[3])?, real(&[1])?, "float32 [2, 5]"),
        (turned, real(&[4, 3])?, ones(&[4], DType::F64)?, "float32 [2, 5, 4]"),
        (real(&[2, 5, 3])?, real(&[4, 3])?, ones(&[5, 4], DType::F64)?, "float32 [2, 5, 4]"),
        (
            real(&[2, 5, 3])?,
            real(&[4, 3])?,
            real(&[2, 5])?,
            "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2",
        ),
        (real(&[3])?, real(&[4, 3])?, real(&[5, 4])?, "output with shape [4] doesn't match the broadcast shape [5, 4]"),
        (real(&[3])?, real(&[4, 3])?, ones(&[4], DType::F64)?, "self and mat2 must have the same dtype, but got Double and Float"),
        (real(&[3])?, ones(&[3], DType::F64)?, real(&[2])?, "self and mat2 must have the same dtype, but got Float and Double"),
        (real(&[3])?, real(&[3])?, one(DType::C64)?, "result type ComplexFloat can't be cast to the desired output type Float"),
        (
            ones(&[3], DType::I64)?,
            ones(&[3], DType::I64)?,
            one(DType::F16)?,
            "result type Half can't be cast to the desired output type Long",
        ),
    ];
    for (input, weight, bias, expected) in &cases {
        assert_eq!(
            outcome(call("linear", args![input, weight, bias])),
            *expected,
            "{:?} {:?} {:?}",
            input.sizes(),
            weight.sizes(),
            bias.sizes()
        );
    }
    let bias = Tensor::<f64, shape![5, 4]>::ones().requiring_grad()?;
    let sum = call("linear", args![&real(&[2, 5, 3])?, &real(&[4, 3])?, &bias])?.tensor()?.sum();
    sum.backward()?;
    assert_eq!(bias.grad().map(|grad| grad.to_vec()), Some(vec![2.0; 20]));
    // The product is rounded before something is added to it that isn't a row of a matrix.
    let halves = |numbers: &[f64], sizes: &[usize]| Tensor::<f64>::from_vec(numbers.to_vec(), sizes.to_vec())?.to_dtype(DType::BF16);
    let x = halves(&[1.0078125, 1.0, 0.3, 0.2, 3.0, 0.01, 0.7, 7.0], &[1, 2, 2, 2])?.transpose(1, 2)?;
    let (weight, bias) = (halves(&[1.0, 0.0039, 0.31, 0.11], &[2, 2])?, halves(&[0.0037, 0.77], &[2])?);
    let numbers = |x: &DynTensor| Ok::<_, Error>(call("linear", args![x, &weight, &bias])?.tensor()?.reshape([-1])?.to_string());
    assert_eq!(
        numbers(&x.contiguous().erase())?,
        "tensor([1.0156, 1.1953, 3.0000, 1.7031, 0.3047, 0.8867, 0.7305, 1.7578],\n       dtype=torch.bfloat16)"
    );
    assert_eq!(
        numbers(&x.erase())?,
        "tensor([1.0156, 1.1875, 3.0000, 1.7031, 0.3047, 0.8828, 0.7305, 1.7500],\n       dtype=torch.bfloat16)"
    );
    Ok(())
}
