//! Single numbers: as tensors print them, in a format that suits all of a tensor's, and as Python prints them.

use latten_spec::{Category, DType};
use num_complex::Complex;

use super::options::PrintOptions;
use crate::convert::CastFrom;
use crate::scalar::Scalar;

/// How all floats of a tensor are written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// `1.5000e+00`
    Scientific,
    /// `2.`
    Whole,
    /// `1.5000`
    Fixed,
}

/// A format for floats, and the width of the longest that it was made for.
pub(super) struct Formatter {
    style: Style,
    precision: usize,
    width: usize,
}

impl Formatter {
    /// Chooses by the numbers that are finite and not zero; the others follow.
    fn new(values: impl Iterator<Item = f64> + Clone, options: &PrintOptions) -> Self {
        let counted = values.filter(|x| x.is_finite() && *x != 0.0);
        let (least, greatest) =
            counted.clone().map(f64::abs).fold((f64::INFINITY, 0.0), |(least, greatest), x| (x.min(least), x.max(greatest)));
        let far = greatest / least > 1000.0 || greatest > 1e8 || least < 1e-4;
        let style = if greatest == 0.0 {
            // None counts; not even `sci_mode` matters.
            Style::Whole
        } else if options.sci_mode.unwrap_or(far) {
            Style::Scientific
        } else if counted.clone().all(|x| x == x.trunc()) {
            Style::Whole
        } else {
            Style::Fixed
        };
        let mut formatter = Self { style, precision: options.precision, width: 1 };
        formatter.width = counted.map(|x| formatter.format(x).len()).max().unwrap_or(1);
        formatter
    }

    /// The number, padded on the left.
    pub(super) fn format(&self, x: f64) -> String {
        let text = match self.style {
            _ if x.is_nan() => "nan".to_owned(),
            _ if x.is_infinite() => x.to_string(),
            Style::Scientific => scientific(x, self.precision),
            Style::Whole => format!("{x:.0}."),
            Style::Fixed => format!("{x:.*}", self.precision),
        };
        format!("{text:>width$}", width = self.width)
    }
}

/// C's `%.{precision}e`: the exponent has a sign and at least two digits.
fn scientific(x: f64, precision: usize) -> String {
    with_exponent(&format!("{x:.precision$e}"))
}

/// Rust's `1.5e-7` as C's `1.5e-07`.
fn with_exponent(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else { return text.to_owned() };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The formats of a tensor's elements.
pub(super) enum Parts {
    Exact { dtype: DType, width: usize },
    Real(Formatter),
    Complex(Formatter, Formatter),
}

impl Parts {
    pub(super) fn new(dtype: DType, values: &[Scalar], options: &PrintOptions) -> Self {
        let complex = values.iter().map(|&value| Complex::<f64>::cast_from(value));
        match dtype.category() {
            Category::Boolean | Category::Integral => {
                let width = values.iter().map(|&value| element_repr(dtype, value).len()).max().unwrap_or(0);
                Self::Exact { dtype, width }
            }
            Category::Floating => Self::Real(Formatter::new(complex.map(|z| z.re), options)),
            Category::Complex => {
                Self::Complex(Formatter::new(complex.clone().map(|z| z.re), options), Formatter::new(complex.map(|z| z.im), options))
            }
        }
    }

    /// The characters that a line reserves for an element.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Exact { width, .. } => *width,
            Self::Real(real) => real.width,
            Self::Complex(real, imaginary) => real.width + imaginary.width + 1,
        }
    }

    pub(super) fn text(&self, value: Scalar) -> String {
        match self {
            Self::Exact { dtype, width } => format!("{:>width$}", element_repr(*dtype, value)),
            Self::Real(real) => real.format(f64::cast_from(value)),
            Self::Complex(real, imaginary) => {
                let z = Complex::<f64>::cast_from(value);
                let (re, im) = (real.format(z.re), imaginary.format(z.im));
                let im = im.trim_start();
                let plus = if im.starts_with('-') { "" } else { "+" };
                format!("{re}{plus}{im}j")
            }
        }
    }
}

/// The element as Python prints it: `True`, `3`, `0.1`, `1e-08`, `(1+2j)`.
///
/// ```
/// use latten_core::{dtype::DType, print::element_repr};
/// assert_eq!(element_repr(DType::F32, 0.1_f32.into()), "0.10000000149011612");
/// assert_eq!(element_repr(DType::U64, u64::MAX.into()), "18446744073709551615");
/// ```
#[must_use]
pub fn element_repr(dtype: DType, value: Scalar) -> String {
    match dtype.category() {
        Category::Boolean => if bool::cast_from(value) { "True" } else { "False" }.to_owned(),
        Category::Integral if dtype == DType::U64 => u64::cast_from(value).to_string(),
        Category::Integral => i64::cast_from(value).to_string(),
        Category::Floating => python_float(f64::cast_from(value), ".0"),
        Category::Complex => python_complex(Complex::cast_from(value)),
    }
}

/// The shortest digits that read back as the same number, with an exponent below -4 or from 16 on; `whole` ends a number
/// without fraction.
fn python_float(x: f64, whole: &str) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    let shortest = format!("{x:e}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return shortest };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let decimals = digits.trim_start_matches('-').len().saturating_sub(2);
    // Where two shortest texts are as near, Python's ends in an even digit, as a text of fixed length does; Rust's needn't.
    let (even, other) = match usize::try_from(decimals as i32 - exponent) {
        _ if !(-4..16).contains(&exponent) => (scientific(x, decimals), with_exponent(&shortest)),
        Ok(places) if places > 0 => (format!("{x:.places$}"), x.to_string()),
        _ => return format!("{x}{whole}"),
    };
    if even.parse() == Ok(x) { even } else { other }
}

fn python_complex(z: Complex<f64>) -> String {
    let im = python_float(z.im, "");
    if z.re == 0.0 && z.re.is_sign_positive() {
        return format!("{im}j");
    }
    let plus = if im.starts_with('-') { "" } else { "+" };
    format!("({}{plus}{im}j)", python_float(z.re, ""))
}
