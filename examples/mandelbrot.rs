//! The Mandelbrot set: a step of complex numbers, fused, for all points at once. Run it with `cargo run --release --example mandelbrot`.

use latten::prelude::*;

const STEPS: usize = 60;

fn main() -> Result<()> {
    let re = Tensor::<f32>::linspace(-2.1, 0.7, 78)?;
    let im = Tensor::<f32>::linspace(-1.2, 1.2, 30)?.unsqueeze(1)?;
    let (one, i) = (c64::new(1.0, 0.0), c64::new(0.0, 1.0));
    let c: DynTensor = fuse!(re * one + im * i).erase();
    let mut z = c.clone();
    let mut steps = DynTensor::zeros([30, 78], DType::I32)?;
    for _ in 0..STEPS {
        // Points that have left stay where they are, so that nothing overflows.
        fuse!(steps += abs(z) < 2.0);
        fuse!(z = if abs(z) < 2.0 { z * z + c } else { z });
    }
    let shades = [' ', '.', ':', '-', '=', '+', '*', '%', '@', '#'];
    let counts = steps.typed::<i32, Rank<2>>()?.to_vec();
    for row in counts.chunks(78) {
        println!("{}", row.iter().map(|&count| shades[usize::try_from(count).unwrap_or(0) * 9 / STEPS]).collect::<String>());
    }
    Ok(())
}
