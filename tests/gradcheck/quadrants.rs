//! Elementwise operations at complex numbers of every quadrant, within and without the unit circle; at negative and larger real ones; of a real
//! and a complex operand together; and with the first operand broadcast.

use latten::Op;
use latten::grad::{Tolerances, gradcheck, gradgradcheck};
use latten::prelude::*;

use super::calls::{CURRENT, current, operations, tensor};

/// Operations whose slope is the same everywhere where they have one.
pub(super) const FLAT: [&str; 6] = ["floor", "ceil", "trunc", "round", "sign", "floor_divide"];

/// Operations of so many operands, all of which are numbers.
fn of_numbers(operands: usize) -> impl Iterator<Item = Op> {
    operations().filter(move |op| op.row().operands.len() == operands && op.name() != "where")
}

fn leaf(sizes: &[usize], dtype: DType, seed: usize, by: c128) -> Result<DynTensor> {
    DynTensor::from(tensor(sizes, dtype, seed, by)?).requiring_grad()
}

/// Checks the operation of [`CURRENT`], where it takes the operands and gives numbers; says whether it did.
fn checked(inputs: &[DynTensor], wrong: &mut Vec<String>, what: &str) -> Result<bool> {
    let plain: Vec<DynTensor> = inputs.iter().map(|input| input.detach()).collect();
    let Ok(values) = current(&plain) else { return Ok(false) };
    if call("isfinite", args![&values[0]])?.tensor()?.all().item() != true {
        return Ok(false);
    }
    let name = CURRENT.get();
    if let Err(error) = gradcheck(current, inputs, Tolerances::default()) {
        wrong.push(format!("{name} {what}: {error}"));
    }
    if !FLAT.contains(&name)
        && let Err(error) = gradgradcheck(current, inputs, Tolerances::default())
    {
        wrong.push(format!("{name} twice, {what}: {error}"));
    }
    Ok(true)
}

#[test]
fn functions_have_their_slopes_everywhere() -> Result<()> {
    let factors = [(-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (2.0, 0.0), (0.0, 2.0), (-2.0, 0.0), (0.0, -2.0)];
    let (mut wrong, mut done) = (Vec::new(), 0);
    for op in of_numbers(1) {
        CURRENT.set(op.name());
        for (re, im) in factors {
            for dtype in [DType::F64, DType::C128] {
                if im == 0.0 || dtype == DType::C128 {
                    let x = leaf(&[2, 3], dtype, 0, c128::new(re, im))?;
                    done += usize::from(checked(&[x], &mut wrong, &format!("of {dtype} times {re} + {im} i"))?);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(done > 250, "only {done} were checked");
    Ok(())
}

#[test]
fn operands_may_be_real_and_complex_and_of_fewer_dimensions() -> Result<()> {
    let (mut wrong, mut done) = (Vec::new(), 0);
    let one = c128::new(1.0, 0.0);
    for operands in [2, 3] {
        for op in of_numbers(operands) {
            CURRENT.set(op.name());
            for complex in 0..1_usize << operands {
                for small in 0..operands {
                    let sizes = |at: usize| if at == small { vec![3] } else { vec![2, 3] };
                    let dtype = |at: usize| if complex >> at & 1 == 1 { DType::C128 } else { DType::F64 };
                    let inputs = (0..operands).map(|at| leaf(&sizes(at), dtype(at), at, one)).collect::<Result<Vec<_>>>()?;
                    let dtypes: Vec<DType> = (0..operands).map(dtype).collect();
                    done += usize::from(checked(&inputs, &mut wrong, &format!("of {dtypes:?}, number {small} broadcast"))?);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(done > 100, "only {done} were checked");
    Ok(())
}
