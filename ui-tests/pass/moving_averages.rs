//! Moving averages of a series, by views and by sums.
use latten::prelude::*;

pub(crate) fn main() -> latten::Result<()> {
    let prices = tensor![10.0, 11.0, 12.5, 12.0, 13.0, 15.0, 14.0];
    let days = 3;
    let windows = prices.unfold(0, days, 1)?;
    let simple = windows.mean_along(1)?;
    assert_eq!(simple.sizes(), [5]);
    let sums = prices.cumsum(0)?;
    let zero = Tensor::<f32>::zeros([1])?;
    let padded = latten::cat(&[zero.erase(), sums.erase()], 0)?;
    let by_sums = (padded.narrow(0, days, 5)? - padded.narrow(0, 0, 5)?) / days as f64;
    let by_sums: Tensor<f32, Rank<1>> = by_sums.typed()?;
    assert!((by_sums - &simple).abs().max().item() < 1e-5);
    let mut smooth = prices.i(i![0]).clone();
    for price in &prices {
        smooth = smooth * 0.9 + price * 0.1;
    }
    assert!(smooth.item() > 10.0 && smooth.item() < 15.0);
    let changes = (prices.i(i![1..]) - prices.i(i![..-1])) / prices.i(i![..-1]);
    assert_eq!(changes.argmax().item(), 4);
    Ok(())
}
