//! A tour of latten on a GPU: `cargo run --release --features cuda --example cuda_tour`. Where there is none it says what is missing, and
//! the same program goes on, on the CPU.

use latten::cuda::{self, Event, Stream};
use latten::prelude::*;
use latten::{DeviceType, Result, where_};

fn main() -> Result<()> {
    let device = device();
    computing(device)?;
    views_and_promotion(device)?;
    choosing(device)?;
    moving(device)?;
    if device != Device::CPU { order(device) } else { Ok(()) }
}

fn title(text: &str) {
    println!("\n── {text} ──");
}

/// The GPU, where there is one.
fn device() -> Device {
    title("Which devices there are");
    match cuda::device_properties(0) {
        Ok(properties) => {
            let gib = properties.total_memory >> 30;
            println!(
                "{} of {}: {}, sm_{}{}, {gib} GiB",
                1,
                cuda::device_count(),
                properties.name,
                properties.capability.0,
                properties.capability.1
            );
            DeviceType::Cuda.into()
        }
        Err(error) => {
            println!("{error}\nSo what follows runs on the CPU: the same code, the same results.");
            Device::CPU
        }
    }
}

fn computing(device: Device) -> Result<()> {
    title("The same expressions");
    let x = Tensor::<f32>::arange(-3..3)?.to_device(device)?;
    let y = (&x * 2.5 + 1.0).tanh();
    println!("tanh(x * 2.5 + 1)    : {} on {}\n{y}", y.dtype(), y.device());
    let mut z = y.clone();
    z.mul_(&x)?.add_(0.5)?;
    println!("in place\n{z}");
    let chosen = where_(&x.lt(0.0), &x, &z);
    println!("where(x < 0, x, z)\n{chosen}");
    Ok(())
}

fn views_and_promotion(device: Device) -> Result<()> {
    title("Views, broadcasting and promotion");
    let counts = Tensor::from([[1_i64, 2, 3], [4, 5, 6]]).to_device(device)?;
    let weights = Tensor::from([0.5_f32, 1.0, 1.5]).to_device(device)?.half();
    let scaled = &counts * &weights;
    println!("i64 [2, 3] times f16 [3]    : {}\n{scaled}", scaled.dtype());
    let turned = counts.t();
    println!("the transpose of the counts, plus itself: strides {:?}\n{}", (&turned + &turned).strides(), &turned + &turned);
    // What a float result can't be stored in is refused by the compiler where types are known, else when it runs.
    let refused = counts.erase().add_(weights.erase()).map(|_| ()).expect_err("a cast that isn't allowed");
    println!("counts += weights    : {refused}");
    Ok(())
}

fn choosing(device: Device) -> Result<()> {
    title("Elements by indices and masks");
    let x = Tensor::<f32>::arange(12)?.reshape([3, 4])?.to_device(device)?;
    let rows = Tensor::from([2_i64, 0]).to_device(device)?;
    println!("rows 2 and 0\n{}", x.index(&rows)?);
    println!("above 7\n{}", x.masked_select(&x.gt(7.0)));
    println!("backwards\n{}", x.flip([0, 1])?);
    let (largest, places) = x.max_along(1)?;
    println!("the largest of each row\n{largest}\nand where\n{places}");
    Ok(())
}

fn moving(device: Device) -> Result<()> {
    title("From the host and back");
    let host = Tensor::<f64>::arange(5)?;
    let there = host.to_device(device)?;
    println!("{} on {}, {} bytes of storage\n{}", there.dtype(), there.device(), there.untyped_storage().nbytes(), there.cpu()?);
    println!("one element: {}", there.raw().element(&[3]).map(|number| format!("{number:?}"))?);
    if device != Device::CPU {
        let refused = there.try_add(&host).map(|_| ()).expect_err("two devices");
        println!("there + host    : {refused}");
    }
    Ok(())
}

fn order(device: Device) -> Result<()> {
    title("Streams and pinned memory");
    let pinned = Tensor::<f32>::arange(1_000_000)?.pin_memory()?;
    let stream = Stream::new(device)?;
    let (start, end, root) = stream.scope(|| -> Result<_> {
        let start = Event::record(device)?;
        let x = pinned.to_device_non_blocking(device)?;
        let root = x.sqrt();
        Ok((start, Event::record(device)?, root))
    })?;
    end.synchronize()?;
    println!(
        "copied and computed in {:.3} ms: {}",
        start.milliseconds_to(&end)?,
        root.raw().element(&[999_999]).map(|last| format!("{last:?}"))?
    );
    Ok(())
}
