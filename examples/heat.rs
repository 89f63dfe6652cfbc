//! Heat in a plate whose edges are kept cold: the pattern that fades slowest fades as the equation says.

use latten::prelude::*;

const SIZE: usize = 32;
type Plate = Tensor<f64, shape![SIZE, SIZE]>;

/// One step: each inner point goes towards the mean of its neighbours.
fn step(plate: &mut Plate, rate: f64) -> Result<()> {
    let inner = plate.i(i![1..-1, 1..-1]);
    let (up, down) = (plate.i(i![..-2, 1..-1]), plate.i(i![2.., 1..-1]));
    let (left, right) = (plate.i(i![1..-1, ..-2]), plate.i(i![1..-1, 2..]));
    let change = fuse!((up + down + left + right - inner * 4) * rate);
    plate.i(i![1..-1, 1..-1]).add_(&change)?;
    Ok(())
}

fn main() -> Result<()> {
    let (rate, steps) = (0.2, 500);
    let places = Tensor::<f64>::linspace(0.0, std::f64::consts::PI, SIZE)?;
    let wave = places.sin();
    let mut plate: Plate = wave.unsqueeze(1)?.matmul(&wave.unsqueeze(0)?).typed()?;
    plate.i(i![-1]).fill_(0)?;
    plate.i(i![.., -1]).fill_(0)?;
    let before = plate.max().item();
    for _ in 0..steps {
        step(&mut plate, rate)?;
    }
    let left = plate.max().item() / before;
    let angle = std::f64::consts::PI / (SIZE - 1) as f64;
    let expected = (1.0 - 4.0 * rate * (1.0 - angle.cos())).powi(steps);
    println!("{left:.6} of the heat is left, {expected:.6} by the equation");
    assert!((left - expected).abs() < 1e-6);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn heat_fades_as_the_equation_says() -> latten::Result<()> {
        super::main()
    }
}
