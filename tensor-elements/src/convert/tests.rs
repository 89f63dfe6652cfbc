//! Conversions against PyTorch 2.15 (`facts.txt`: bits of numbers and what they become) and against a second formulation.

use half::{bf16, f16};
use num_complex::Complex;

use super::{CastFrom, Float8, Number, Written};
use crate::error::ErrorKind;
use crate::match_stored;
use crate::scalar::Scalar;
use latten_spec::DType;

/// Numbers as bits, which is how the facts are written down.
trait Bits: Copy {
    fn from_word(bits: u64) -> Self;
    fn word(self) -> u64;
    fn is_not_a_number(self) -> bool {
        false
    }
}

macro_rules! bits {
    ($($native:ty: $word:ty, |$bits:ident| $from:expr, |$number:ident| $to:expr, $nan:expr;)*) => { $(
        impl Bits for $native {
            fn from_word(bits: u64) -> Self {
                let $bits = bits as $word;
                $from
            }
            fn word(self) -> u64 {
                let $number = self;
                u64::from($to as $word)
            }
            fn is_not_a_number(self) -> bool {
                let nan: fn($native) -> bool = $nan;
                nan(self)
            }
        }
    )* };
}

bits! {
    bool: u8, |b| b != 0, |x| x, |_| false;
    u8: u8, |b| b, |x| x, |_| false;
    i8: u8, |b| b as Self, |x| x, |_| false;
    i16: u16, |b| b as Self, |x| x, |_| false;
    i32: u32, |b| b as Self, |x| x, |_| false;
    i64: u64, |b| b as Self, |x| x, |_| false;
    u16: u16, |b| b, |x| x, |_| false;
    u32: u32, |b| b, |x| x, |_| false;
    u64: u64, |b| b, |x| x, |_| false;
    f16: u16, |b| Self::from_bits(b), |x| x.to_bits(), f16::is_nan;
    bf16: u16, |b| Self::from_bits(b), |x| x.to_bits(), bf16::is_nan;
    f32: u32, |b| Self::from_bits(b), |x| x.to_bits(), f32::is_nan;
    f64: u64, |b| Self::from_bits(b), |x| x.to_bits(), f64::is_nan;
}

impl<const DTYPE: u8> Bits for Float8<DTYPE> {
    fn from_word(bits: u64) -> Self {
        Self(bits as u8)
    }
    fn word(self) -> u64 {
        self.0.into()
    }
    fn is_not_a_number(self) -> bool {
        self.to_f32().is_nan()
    }
}

/// Complex numbers have no facts: their parts convert.
impl<P> Bits for Complex<P>
where
    Self: Copy,
{
    fn from_word(_: u64) -> Self {
        unreachable!("complex numbers have no facts")
    }
    fn word(self) -> u64 {
        unreachable!("complex numbers have no facts")
    }
}

/// Runs the code for the type of that name.
macro_rules! by_name {
    ($name:expr, $T:ident => $body:expr) => {{
        let dtype = DType::ALL.iter().find(|dtype| dtype.variant().eq_ignore_ascii_case($name)).expect("a dtype");
        match_stored!(*dtype, $T => $body, else panic!("{dtype} has no type"))
    }};
}

fn parse<S: Bits>(word: &str, nan: S) -> S {
    if word == "nan" { nan } else { S::from_word(u64::from_str_radix(word, 16).expect("hex")) }
}

/// The line `name: bits…` of the facts, for sources of type `S`.
fn check_line<S: Bits + std::fmt::Debug + 'static, T: Bits + std::fmt::Debug + CastFrom<S>>(
    sources: &[S],
    words: &[&str],
    wrong: &mut Vec<String>,
) {
    assert_eq!(sources.len(), words.len());
    for (&source, &word) in sources.iter().zip(words) {
        let got = T::cast_from(source);
        let right = if word == "nan" { got.is_not_a_number() } else { got.word() == u64::from_str_radix(word, 16).expect("hex") };
        if !right {
            wrong.push(format!(
                "{source:?} ({}) to {}: got {got:?} ({:x}), PyTorch has {word}",
                std::any::type_name::<S>(),
                std::any::type_name::<T>(),
                got.word()
            ));
        }
    }
}

#[test]
fn conversions_are_those_of_pytorch() {
    let (mut sources, mut from, mut wrong, mut checked) = (Vec::new(), "", Vec::new(), 0);
    for line in include_str!("facts.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "from" {
            (from, sources) = (words[1], words[2..].to_vec());
            continue;
        }
        by_name!(from, S => {
            let numbers: Vec<S> = sources.iter().map(|word| parse(word, <S as CastFrom<f32>>::cast_from(f32::NAN))).collect();
            by_name!(words[0], T => check_line::<S, T>(&numbers, &words[1..], &mut wrong));
        });
        checked += sources.len();
    }
    assert!(wrong.is_empty(), "{} of {checked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 4000, "{checked}");
}

/// Floats to integers as a person would say it: truncate; what 32 (64) bits can't hold is the least integer of those; keep
/// the low bits.
fn truncated(x: f64, through_64: bool) -> i128 {
    let end = if through_64 { 63 } else { 31 };
    let limit = 2_f64.powi(end);
    if x.is_nan() || x.trunc() < -limit || x.trunc() >= limit { -(1_i128 << end) } else { x.trunc() as i128 }
}

fn interesting() -> Vec<f64> {
    let mut numbers = vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e-310, 0.1, 1.0 / 3.0];
    for exponent in -160..160 {
        for factor in
            [1.0, 1.25, 1.5, 1.0 + 2_f64.powi(-10), 1.0 + 2_f64.powi(-23), 2.0 - 2_f64.powi(-52), 1.0 + 2_f64.powi(-8) + 2_f64.powi(-40)]
        {
            numbers.push(factor * 2_f64.powi(exponent));
        }
    }
    for power in [7, 8, 15, 16, 31, 32, 63, 64] {
        numbers.extend([-1.5, -1.0, -0.5, 0.5, 1.0].map(|near| 2_f64.powi(power) + near));
    }
    let negative: Vec<f64> = numbers.iter().map(|x| -x).collect();
    numbers.extend(negative);
    numbers
}

#[test]
fn floats_become_integers_by_the_stated_rule() {
    fn check<S: Copy>(of: impl Fn(f64) -> S, to_f64: impl Fn(S) -> f64)
    where
        i8: CastFrom<S>,
        u8: CastFrom<S>,
        i16: CastFrom<S>,
        i32: CastFrom<S>,
        i64: CastFrom<S>,
        bool: CastFrom<S>,
    {
        let double = size_of::<S>() == 8;
        for x in interesting() {
            let s = of(x);
            let exact = to_f64(s);
            assert_eq!(u8::cast_from(s), truncated(exact, double) as u8, "{exact} to u8");
            assert_eq!(i8::cast_from(s), truncated(exact, false) as i8, "{exact} to i8");
            assert_eq!(i16::cast_from(s), truncated(exact, false) as i16, "{exact} to i16");
            assert_eq!(i32::cast_from(s), truncated(exact, false) as i32, "{exact} to i32");
            assert_eq!(i64::cast_from(s), truncated(exact, true) as i64, "{exact} to i64");
            assert_eq!(bool::cast_from(s), exact != 0.0, "{exact} to bool");
        }
    }
    check(|x| x, |x| x);
    check(|x| x as f32, f64::from);
    check(f16::from_f64, f64::from);
    check(bf16::from_f64, f64::from);
}

/// All `f32` whose lower half is zero, the greatest below a middle, a middle, or the least above it.
fn patterns() -> impl Iterator<Item = f32> {
    (0..=0xffff_u32).flat_map(|high| [0, 0x7fff, 0x8000, 0x8001].map(|low| f32::from_bits(high << 16 | low)))
}

/// FNV-1a, by which a quarter of a million of PyTorch's answers fit into one line.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The codes of an 8-bit float, by search: the nearest number, of two the one with the even code.
fn nearest(x: f32, decode: impl Fn(u8) -> f32) -> f32 {
    let mut best = (f64::INFINITY, 0_u8);
    for code in (0..=0x7f_u8).filter(|&c| decode(c).is_finite()) {
        let distance = (f64::from(decode(code)) - f64::from(x.abs())).abs();
        if distance < best.0 || distance == best.0 && code % 2 == 0 {
            best = (distance, code);
        }
    }
    decode(best.1).copysign(x)
}

/// What PyTorch makes of all patterns, and of the 256 codes.
const FLOAT8: &[(DType, u64, u64)] = &[
    (DType::F8E4M3Fn, 0x6008_0c10_054f_d725, 0xdad1_d9c5_0f74_9ca5),
    (DType::F8E5M2, 0xbe58_5bc7_abf7_3025, 0x6c1e_56b6_fb09_c905),
    (DType::F8E4M3FnUz, 0x4891_e00e_cfdd_35a5, 0xf518_51cb_11c6_3018),
    (DType::F8E5M2FnUz, 0x1fbe_edd6_a2c5_14a5, 0x94ae_6fc4_93d4_9818),
];

#[test]
fn float8_is_that_of_pytorch() {
    for &(dtype, encode, decode) in FLOAT8 {
        match_stored!(dtype, T => {
            let read = (0..=255).flat_map(|code| {
                let x = f32::cast_from(T::from_word(code));
                if x.is_nan() { 0x7fc0_0000_u32.to_le_bytes() } else { x.to_le_bytes() }
            });
            assert_eq!(digest(read), decode, "the 256 codes of {dtype} don't read as in PyTorch");
            let written = patterns().map(|x| T::cast_from(x).word() as u8);
            assert_eq!(digest(written), encode, "some of 262144 numbers aren't written as {dtype} as in PyTorch");
        }, else unreachable!("{dtype} isn't quantised"));
    }
}

/// Of all rows.
#[test]
fn float8_codes_are_the_nearest_and_come_back() {
    for &dtype in DType::ALL.iter().filter(|dtype| dtype.is_float8()) {
        match_stored!(dtype, T => {
            let decode = |code: u8| f32::cast_from(T::from_word(code.into()));
            for code in 0..=255 {
                let (x, back) = (decode(code), T::cast_from(decode(code)));
                assert!(x.is_nan() || back.word() == code.into(), "{code:#x} of {dtype} is {x}, which is {back:?}");
            }
            let greatest = dtype.float8().expect("a format").greatest as u8;
            // From the middle on to what would be the next number, others become what lies beyond.
            let beyond = decode(greatest) + (decode(greatest) - decode(greatest - 1)) / 2.0;
            for x in patterns().filter(|x| x.abs() < beyond).step_by(7) {
                let (got, expected) = (f32::cast_from(T::cast_from(x)), nearest(x, decode));
                assert!(got == expected, "{x:e} became {got} in {dtype}, the nearest is {expected}");
            }
            let limits = crate::dtype::finfo(dtype).expect("a float");
            let finite: Vec<f32> = (0..=255).map(decode).filter(|x| x.is_finite()).collect();
            assert_eq!(limits.max, finite.iter().copied().fold(0.0, f32::max).into(), "{dtype}");
            let one = T::cast_from(1.0_f32).word() as u8;
            assert_eq!(limits.eps, f64::from(decode(one + 1) - 1.0), "{dtype}");
            let has_infinity = (0..=255).map(decode).any(f32::is_infinite);
            assert_eq!(Scalar::Float(f64::INFINITY).check(dtype, Written::Many).is_ok(), has_infinity, "{dtype}");
        }, else unreachable!("{dtype} isn't quantised"));
    }
}

#[test]
fn half_precision_is_that_of_the_half_crate() {
    for code in 0..=u16::MAX {
        let (half, brain) = (f16::from_bits(code), bf16::from_bits(code));
        let (got, expected) = (f32::cast_from(half), half.to_f32());
        assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{code:#x}: {got} for {expected}");
        let (got, expected) = (f32::cast_from(brain), brain.to_f32());
        assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{code:#x}: {got} for {expected}");
    }
    for x in patterns() {
        let (got, expected) = (f16::cast_from(x), f16::from_f32(x));
        assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{x:e}: {got:?} for {expected:?}");
        let (got, expected) = (bf16::cast_from(x), bf16::from_f32(x));
        assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{x:e}: {got:?} for {expected:?}");
    }
    let bits = |x: u16, nan: bool| if nan { 0x7fff_u16 } else { x }.to_le_bytes();
    let halves = patterns().map(f16::cast_from).flat_map(|x: f16| bits(x.to_bits(), x.is_nan()));
    assert_eq!(digest(halves), 0xe7a1_b722_c6af_6339, "f16 differs from PyTorch");
    let brains = patterns().map(bf16::cast_from).flat_map(|x: bf16| bits(x.to_bits(), x.is_nan()));
    assert_eq!(digest(brains), 0x382e_c5ee_a69f_a8a5, "bf16 differs from PyTorch");
}

#[test]
fn complex_numbers_lose_or_gain_an_imaginary_part() {
    let z = Complex::new(-1.5_f64, 2.0);
    assert_eq!(i32::cast_from(z), -1);
    assert_eq!(f16::cast_from(z), f16::from_f32(-1.5));
    assert_eq!(Complex::<f16>::cast_from(z), Complex::new(f16::from_f32(-1.5), f16::from_f32(2.0)));
    assert_eq!(Complex::<f32>::cast_from(7_u64), Complex::new(7.0, 0.0));
    assert_eq!(Complex::<f32>::cast_from(Float8::<{ DType::F8E5M2 as u8 }>(0x3c)), Complex::new(1.0, 0.0));
    for (re, im, truth) in [(0.0, 0.0, false), (-0.0, 0.0, false), (0.0, 1.0, true), (1.0, 0.0, true), (0.0, f64::NAN, true)] {
        assert_eq!(bool::cast_from(Complex::new(re, im)), truth, "{re} {im}");
    }
    assert_eq!(u8::cast_from(Scalar::Complex(z)), 255);
    assert_eq!(u8::cast_from(Scalar::Int(300)), 44);
    assert_eq!(f16::cast_from(Scalar::Float(1e6)), f16::INFINITY);
    assert_eq!(bf16::cast_from(1.0_f64 + 2_f64.powi(-8) + 2_f64.powi(-40)), bf16::ONE, "rounds twice");
}

/// Every type has every conversion.
#[test]
fn every_pair_converts() {
    fn one<T: Number>() -> Scalar {
        T::cast_from(T::cast_from(Scalar::Bool(true)).to_scalar()).to_scalar()
    }
    for dtype in DType::ALL.iter().filter(|dtype| !dtype.is_quantized()) {
        let (number, expected) = match_stored!(*dtype, T => (one::<T>(), Scalar::from(T::cast_from(true))), else unreachable!());
        assert_eq!(number, expected, "{dtype}");
    }
}

fn scalar(text: &str) -> Scalar {
    let words: Vec<&str> = text.split(' ').collect();
    let float = |word: &str| word.parse::<f64>().expect("a float");
    match words[..] {
        ["bool", word] => Scalar::Bool(word == "true"),
        ["int", word] => Scalar::Int(word.parse().expect("an integer")),
        ["float", word] => Scalar::Float(float(word)),
        ["complex", re, im] => Scalar::Complex(Complex::new(float(re), float(im))),
        _ => panic!("no scalar: {text}"),
    }
}

/// `written_facts.txt`: a dtype, a number, and what `full((3,), x)`, `full((1,), x)` and `tensor(x)` hold, or the error.
#[test]
fn numbers_that_are_written_must_fit() {
    let mut wrong = Vec::new();
    for line in include_str!("written_facts.txt").lines() {
        let columns: Vec<&str> = line.split(" | ").collect();
        let dtype = DType::parse(columns[0]).expect("a dtype");
        for (written, expected) in [Written::Many, Written::One, Written::Literal].into_iter().zip(&columns[2..]) {
            let got = scalar(columns[1]).checked_into(dtype, written);
            let right = match (&got, expected.split_once(' ')) {
                (_, None) => continue, // PyTorch has no answer.
                (Err(error), Some(("overflow", name))) => {
                    error.message() == format!("value cannot be converted to type {name} without overflow")
                }
                (Err(error), Some(("TypeError", text))) => error.message() == text && error.kind() == ErrorKind::Type,
                (Ok(got), Some(("bool" | "int" | "float" | "complex", _))) => format!("{got:?}") == format!("{:?}", scalar(expected)),
                _ => false,
            };
            if !right {
                wrong.push(format!("{dtype} {} {written:?}: got {got:?}, PyTorch has {expected}", columns[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
