//! Clearing, counting and replacing by masks.
use latten::prelude::*;

pub(crate) fn main() -> latten::Result<()> {
    let mut readings = tensor![[1.5, -999.0, 3.0], [-999.0, 2.0, 4.5]];
    let bad = readings.eq(-999.0);
    assert_eq!(bad.sum().item(), 2);
    let good = readings.masked_select(&!&bad);
    let mean = good.mean().item();
    assert_eq!(mean, 2.75);
    readings.masked_fill_(&bad, mean)?;
    assert_eq!(readings.to_vec(), [1.5, 2.75, 3.0, 2.75, 2.0, 4.5]);
    let in_range = readings.gt(1.9) & readings.lt(3.5);
    let clipped = where_(&in_range, &readings, 0.0);
    assert_eq!(clipped.to_vec(), [0.0, 2.75, 3.0, 2.75, 2.0, 0.0]);
    let rows_with_gaps = bad.any_along(axis::<1>());
    assert!(rows_with_gaps.all().item());
    let chosen = readings.index((readings.gt(2.9),))?;
    assert_eq!(chosen.to_vec(), [3.0, 4.5]);
    Ok(())
}
