//! Which neighbours each number of a dimension of an image is made of where that gets another size, and how much each of them counts.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::Function;
use super::value::{Value, binary};
use crate::error::{Error, Result};
use crate::raw::RawTensor;

/// The neighbours of each new number, with their weights.
pub(super) struct Blend {
    places: Vec<Vec<i64>>,
    weights: Vec<Vec<f64>>,
}

/// A dimension that gets another size.
#[derive(Clone, Copy)]
pub(super) struct Dimension {
    pub(super) own: usize,
    pub(super) size: usize,
    /// How far the new places lie from each other.
    pub(super) step: f64,
    /// Whether places and weights are numbers in single precision.
    pub(super) narrow: bool,
    /// Whether four neighbours count, and not two.
    pub(super) cubic: bool,
    /// Whether the ends stay where they are.
    pub(super) aligned: bool,
    /// Whether all neighbours count that one new number stands for.
    pub(super) smooth: bool,
}

/// Numbers along a dimension, so that they go with a tensor of that many dimensions.
pub(super) fn along<T: crate::element::Native>(numbers: Vec<T>, dim: usize, rank: usize, like: &RawTensor) -> Result<RawTensor> {
    let mut sizes = vec![1; rank];
    sizes[dim] = numbers.len();
    RawTensor::from_vec(numbers, &sizes)?.to_device(like.device())
}

/// The numbers at places along a dimension.
pub(super) fn at_places(x: &Value, dim: usize, places: Vec<i64>) -> Result<Value> {
    let tensor = x.tensor()?;
    let count = places.len();
    let places = RawTensor::from_vec(places, &[count])?.to_device(tensor.device())?;
    x.then(Function::IndexSelect, &[dim.cast_signed().into(), (&places).into()])
}

impl Dimension {
    pub(super) fn rounded(self, number: f64) -> f64 {
        if self.narrow { f64::from(number as f32) } else { number }
    }

    /// Two neighbours of each, or four; or more.
    pub(super) fn blend(self) -> Blend {
        if self.smooth {
            return self.blend_all();
        }
        let (step, last) = (self.rounded(self.step), self.own as i64 - 1);
        let place = |at: usize| {
            let at = at as f64;
            if self.aligned { self.rounded(at * step) } else { self.rounded(self.rounded(step * (at + 0.5)) - 0.5) }
        };
        let two = |at: usize| {
            let place = place(at).max(0.0);
            let low = (place.floor() as i64).min(last);
            let share = (place - low as f64).clamp(0.0, 1.0);
            (vec![low, (low + 1).min(last)], vec![1.0 - share, share])
        };
        let four = |at: usize| {
            let (place, low) = (place(at), place(at).floor());
            let weight = |tap: i64| cubic(place - low - (tap - 1) as f64, -0.75);
            ((0..4).map(|tap| (low as i64 + tap - 1).clamp(0, last)).collect(), (0..4).map(weight).collect())
        };
        let (places, weights) = (0..self.size).map(|at| if self.cubic { four(at) } else { two(at) }).unzip();
        Blend { places, weights }
    }

    /// As many neighbours as one new number stands for, where there are fewer of those.
    fn blend_all(self) -> Blend {
        let step = self.rounded(self.step);
        let reach = if self.cubic { 2.0 } else { 1.0 };
        let (support, inverse) = if step >= 1.0 { (self.rounded(reach * step), self.rounded(1.0 / step)) } else { (reach, 1.0) };
        let most = support.ceil() as i64 * 2 + 1;
        let around = |at: usize| {
            let center = self.rounded(step * (at as f64 + 0.5));
            let first = (self.rounded(center - support + 0.5) as i64).max(0);
            let count = ((self.rounded(center + support + 0.5) as i64).min(self.own as i64) - first).clamp(0, most);
            let weight = |place: i64| {
                let far = (place as f64 - center + 0.5) * inverse;
                if self.cubic { cubic(far, -0.5) } else { (1.0 - far.abs()).max(0.0) }
            };
            let weights: Vec<f64> = (first..first + count).map(weight).collect();
            let total: f64 = weights.iter().sum();
            let scaled = |weight: f64| if total == 0.0 { weight } else { self.rounded(weight / total) };
            ((first..first + count).collect(), weights.into_iter().map(scaled).collect())
        };
        let (places, weights) = (0..self.size).map(around).unzip();
        Blend { places, weights }
    }
}

/// What a neighbour counts that is so far away.
fn cubic(far: f64, a: f64) -> f64 {
    let x = far.abs();
    if x < 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}

impl Blend {
    /// For each number as many neighbours as the most have: others count nothing.
    fn taps(&self) -> impl Iterator<Item = (Vec<i64>, Vec<f64>)> {
        let most = self.places.iter().map(Vec::len).max().unwrap_or(0);
        (0..most).map(|tap| {
            let place = |places: &Vec<i64>| places.get(tap).or(places.last()).copied().unwrap_or(0);
            let weight = |weights: &Vec<f64>| weights.get(tap).copied().unwrap_or(0.0);
            (self.places.iter().map(place).collect(), self.weights.iter().map(weight).collect())
        })
    }

    /// Sums of neighbours along a dimension.
    pub(super) fn of(&self, x: &Value, dim: usize, like: &RawTensor) -> Result<Value> {
        let wide = if like.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let mut sum: Option<Value> = None;
        for (places, weights) in self.taps() {
            let weights = Value::from(along(weights, dim, like.rank(), like)?).cast(wide).tensor()?;
            let part = binary(Op::Mul, &at_places(x, dim, places)?, weights);
            sum = Some(match sum {
                Some(sum) => binary(Op::Add, &sum, part).settled()?,
                None => part,
            });
        }
        sum.ok_or_else(|| Error::runtime("a number has neighbours"))
    }

    /// The same of bytes, which are integers here, too, as the weights are: the largest that two bytes hold.
    pub(super) fn of_bytes(&self, x: &Value, dim: usize, like: &RawTensor) -> Result<Value> {
        let whole = self.merged();
        let most = whole.weights.iter().flatten().copied().fold(0.0, f64::max);
        let digits = (0..22).find(|&digits| (0.5 + most * f64::from(1 << (digits + 1))) as i64 >= 1 << 15).unwrap_or(22);
        let mut sum = Value::from(1_i64 << (digits - 1).max(0)).cast(DType::I32);
        for (places, weights) in whole.taps() {
            let scaled = |weight: f64| (weight * f64::from(1 << digits) + 0.5_f64.copysign(weight)) as i32;
            let weights: Vec<i32> = weights.into_iter().map(scaled).collect();
            let part = binary(Op::Mul, &at_places(x, dim, places)?, along(weights, dim, like.rank(), like)?);
            sum = binary(Op::Add, &sum, part).settled()?;
        }
        let sum = binary(Op::RightShift, &sum, i64::from(digits));
        Ok(binary(Op::ClampMax, &binary(Op::ClampMin, &sum, 0), 255))
    }

    /// The same, where each neighbour of a number is there once.
    fn merged(&self) -> Self {
        let one = |(places, weights): (&Vec<i64>, &Vec<f64>)| {
            let (mut once, mut sums): (Vec<i64>, Vec<f64>) = (Vec::new(), Vec::new());
            for (&place, &weight) in places.iter().zip(weights) {
                match once.iter().position(|&there| there == place) {
                    Some(at) => sums[at] += weight,
                    None => {
                        once.push(place);
                        sums.push(weight);
                    }
                }
            }
            (once, sums)
        };
        let (places, weights) = self.places.iter().zip(&self.weights).map(one).unzip();
        Self { places, weights }
    }
}
