//! Normal numbers for tensors. A contiguous tensor of 16 or more elements gets them in blocks of 16 (Box and Muller's pairs); any other one by
//! one, in `f64`. The functions for `f32` are Cephes's polynomials, as PyTorch's vector code has them: other roundings would be other numbers.

use std::f32::consts::FRAC_1_SQRT_2;
use std::f64::consts::TAU;

use half::{bf16, f16};
use latten_spec::DType;

use super::counted;
use super::fill::each;
use super::fill::fill;
use super::generator::{Generator, GeneratorState};
use crate::convert::CastFrom;
use crate::dtype::six_digits;
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;

/// Elements of a block: half of them are radii, half angles.
const BLOCK: usize = 16;
const LANES: usize = BLOCK / 2;
/// Elements for one thread at a time.
const PART: usize = 1 << 14;

/// PyTorch's `normal_`: normal numbers of that mean and standard deviation. A complex number has half of the variance in each part.
///
/// # Errors
/// For a deviation below zero, and for tensors of integers.
pub fn normal_(tensor: &RawTensor, mean: f64, deviation: f64, generator: Option<&Generator>) -> Result<()> {
    if deviation.is_nan() || deviation < 0.0 {
        return Err(Error::runtime(format!("normal expects std >= 0.0, but found std {}", six_digits(deviation))));
    }
    if tensor.dtype().is_complex() {
        return normal_(&tensor.view_as_real()?, mean, deviation / 2_f64.sqrt(), generator);
    }
    if tensor.numel() > 0 && (!tensor.dtype().is_floating_point() || tensor.dtype().is_float8()) {
        return Err(unsupported("normal_kernel_cpu", tensor.dtype()));
    }
    if counted::fill(tensor, generator, &|draw| draw.normal(tensor.dtype().computing(), mean, deviation))? {
        return Ok(());
    }
    if tensor.numel() < BLOCK || !tensor.is_contiguous(MemoryFormat::Contiguous) {
        return each(tensor, generator, |state| state.normal().mul_add(deviation, mean));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the dtype of the computation")]
    let narrow = NormalSpread { mean: mean as f32, deviation: deviation as f32 };
    match tensor.dtype() {
        DType::F64 => fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [f64]| {
            state.uniform_f64(to);
            let whole = to.len() / BLOCK * BLOCK;
            hand_out(&mut to[..whole].chunks_mut(PART), &|_, to| wide_blocks(to, mean, deviation));
            if whole < to.len() {
                let from = to.len() - BLOCK;
                state.uniform_f64(&mut to[from..]);
                wide_blocks(&mut to[from..], mean, deviation);
            }
        }),
        DType::F16 => {
            fill(tensor, generator, &mut |state, to| narrow.fill(state, to, Rest::NotDrawn, |x| f32::cast_from(f16::cast_from(x))))
        }
        DType::BF16 => {
            fill(tensor, generator, &mut |state, to| narrow.fill(state, to, Rest::NotDrawn, |x| f32::cast_from(bf16::cast_from(x))))
        }
        // others: single precision; other dtypes were refused before.
        _ => fill(tensor, generator, &mut |state, to| narrow.fill(state, to, Rest::Drawn, |x| x)),
    }
}

/// Whether words are drawn for the elements after the last whole block, though others take their place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Drawn,
    NotDrawn,
}

#[derive(Clone, Copy)]
struct NormalSpread {
    mean: f32,
    deviation: f32,
}

impl NormalSpread {
    fn fill(self, state: &mut GeneratorState, to: &mut [f32], rest: Rest, round: impl Fn(f32) -> f32) {
        let whole = to.len() / BLOCK * BLOCK;
        let drawn = if rest == Rest::Drawn { to.len() } else { whole };
        state.uniform_f32(&mut to[..drawn]);
        hand_out(&mut to[..whole].chunks_mut(PART), &|_, to| vectorised(NormalBlocks { to, of: self }));
        if whole < to.len() {
            let from = to.len() - BLOCK;
            state.uniform_f32(&mut to[from..]);
            vectorised(NormalBlocks { to: &mut to[from..], of: self });
        }
        to.iter_mut().for_each(|to| *to = round(*to));
    }
}

fn wide_blocks(to: &mut [f64], mean: f64, deviation: f64) {
    for block in to.chunks_exact_mut(BLOCK) {
        let (first, second) = block.split_at_mut(LANES);
        for (x, y) in first.iter_mut().zip(second) {
            let (radius, angle) = ((-2.0 * (1.0 - *x).ln()).sqrt(), TAU * *y);
            *x = (radius * angle.cos()).mul_add(deviation, mean);
            *y = (radius * angle.sin()).mul_add(deviation, mean);
        }
    }
}

struct NormalBlocks<'a> {
    to: &'a mut [f32],
    of: NormalSpread,
}

impl Job for NormalBlocks<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the dtype of the computation")]
    fn run(self) {
        let NormalSpread { mean, deviation } = self.of;
        for block in self.to.chunks_exact_mut(BLOCK) {
            let (first, second) = block.split_at_mut(LANES);
            for (x, y) in first.iter_mut().zip(second) {
                let radius = (-2.0 * ln(1.0 - *x)).sqrt();
                let (sin, cos) = sin_cos(TAU as f32 * *y);
                *x = (radius * cos).mul_add(deviation, mean);
                *y = (radius * sin).mul_add(deviation, mean);
            }
        }
    }
}

/// The natural logarithm of a number above zero that isn't subnormal.
#[inline(always)]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_wrap, clippy::excessive_precision, reason = "Cephes's numbers")]
fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
    let below = mantissa < FRAC_1_SQRT_2;
    let exponent = (bits >> 23) as i32 - 126 - i32::from(below);
    let y = (mantissa - 1.0) + if below { mantissa } else { 0.0 };
    let exponent = exponent as f32;
    let z = y * y;
    let mut p = 7.037_683_629_2e-2_f32;
    for coefficient in [
        -1.151_461_031_0e-1,
        1.167_699_874_0e-1,
        -1.242_014_084_6e-1,
        1.424_932_278_7e-1,
        -1.666_805_766_5e-1,
        2.000_071_476_5e-1,
        -2.499_999_399_3e-1,
        3.333_333_117_4e-1,
    ] {
        p = p.mul_add(y, coefficient);
    }
    p = (p * y).mul_add(z, exponent * -2.121_944_40e-4);
    p = (-z).mul_add(0.5, p);
    exponent.mul_add(0.693_359_375, y + p)
}

/// Sine and cosine of an angle of a circle.
#[inline(always)]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::excessive_precision, reason = "Cephes's numbers")]
fn sin_cos(angle: f32) -> (f32, f32) {
    let octant = ((angle * 1.273_239_544_735_16) as i32 + 1) & !1;
    let part = octant as f32;
    let mut x = part.mul_add(-0.785_156_25, angle);
    x = part.mul_add(-2.418_756_484_985_351_562_5e-4, x);
    x = part.mul_add(-3.774_894_977_445_941_08e-8, x);
    let z = x * x;
    let mut cos = 2.443_315_711_809_948e-5_f32.mul_add(z, -1.388_731_625_493_765e-3);
    cos = cos.mul_add(z, 4.166_664_568_298_827e-2);
    cos = (cos * z).mul_add(z, -(z * 0.5)) + 1.0;
    let mut sin = (-1.951_529_589_1e-4_f32).mul_add(z, 8.332_160_873_6e-3);
    sin = sin.mul_add(z, -1.666_665_461_1e-1);
    sin = (sin * z).mul_add(x, x);
    let (sin, cos) = if octant & 2 != 0 { (cos, sin) } else { (sin, cos) };
    (if octant & 4 != 0 { -sin } else { sin }, if (octant - 2) & 4 != 0 { cos } else { -cos })
}
