//! A function over what only the run knows: the mean of any column of any table.
use latten::prelude::*;

fn column_mean(table: &DynTensor, column: usize) -> latten::Result<f64> {
    if table.dim() != 2 {
        return Err(latten::Error::value("a table has two dimensions"));
    }
    let column = table.select(1, column)?;
    let column = if column.dtype().is_floating_point() { column } else { column.to_dtype(DType::F64)? };
    Ok(column.double().mean().item())
}

pub(crate) fn main() -> latten::Result<()> {
    let bytes = Tensor::from([[1_u8, 2], [3, 4]]).erase();
    let halves = tensor![[0.5, 1.5], [1.0, 2.0]].half().erase();
    assert_eq!(column_mean(&bytes, 1)?, 3.0);
    assert_eq!(column_mean(&halves, 0)?, 0.75);
    assert!(column_mean(&halves, 2).is_err() && column_mean(&tensor![1.0].erase(), 0).is_err());
    let sum = &bytes + &halves;
    assert_eq!(sum.dtype(), DType::F16);
    let typed: Tensor<f16, shape![2, 2]> = sum.typed()?;
    assert_eq!(typed.float().to_vec(), [1.5, 3.5, 4.0, 6.0]);
    Ok(())
}
