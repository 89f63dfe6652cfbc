//! Which operations a GPU computes, by every operation's row and by calls of it. What the host computes for it counts.

use latten::{DeviceType, Result};

use crate::attempt::on_device;

#[test]
fn rows_say_what_a_gpu_computes() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    let (wrong, right) = on_device("cuda:0", DeviceType::Cuda)?;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 900, "{right} are right");
    Ok(())
}
