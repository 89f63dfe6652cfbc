//! Single numbers: as tensors print them, in a format that suits all of a tensor's, and as Python prints them.

use latten_spec::{Category, DType};
use num_complex::Complex;

use super::options::PrintOptions;
use crate::convert::CastFrom;
use crate::scalar::Scalar;
use crate::scalar::text::scientific;

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
        Category::Boolean => Scalar::Bool(bool::cast_from(value)).to_string(),
        Category::Integral if dtype == DType::U64 => u64::cast_from(value).to_string(),
        Category::Integral => i64::cast_from(value).to_string(),
        Category::Floating => Scalar::Float(f64::cast_from(value)).to_string(),
        Category::Complex => Scalar::Complex(Complex::cast_from(value)).to_string(),
    }
}
