//! Which operations a GPU computes, by every operation's row and by calls of it. What the host computes for it counts.

use latten::by_name::NamedArgument;
use latten::{DeviceType, Result};

use crate::arguments::Operands;
use crate::attempt::{Attempt, asked, makes_by};

#[test]
fn rows_say_what_a_gpu_computes() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    let operands = Operands::new()?;
    let there = operands.map(&|tensor| tensor.to_device("cuda:0"))?;
    let (mut wrong, mut right) = (Vec::new(), 0);
    for operation in asked() {
        let name = format!("{}{}", operation.name(), operation.signature());
        let (form, choice) = Attempt::fitting(operation, &operands).unwrap_or_else(|| panic!("{name} takes nothing"));
        let named = makes_by("device", operation).then(|| ("device", NamedArgument::from("cuda:0")));
        let found = Attempt { operation, form, operands: &there, choice: &choice }.run(named);
        if operation.devices().contains(&DeviceType::Cuda) == found.is_ok() {
            right += 1;
        } else {
            wrong.push(format!("{name} says {:?}, and gives {found:?}", operation.devices()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 900, "{right} are right");
    Ok(())
}
