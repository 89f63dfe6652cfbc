//! Numbers as Python prints them, which `Scalar`'s `Display` is; tensors print elements in a format that suits all of them, and that is
//! tensor-core's.

use std::fmt;

use num_complex::Complex;

use super::Scalar;

/// As Python prints it: `True`, `3`, `0.1`, `1e-08`, `(1+2j)`. A width and an alignment are those of the text; a precision rounds floats.
///
/// ```
/// use latten_elements::scalar::Scalar;
/// let shown: Vec<String> = [Scalar::from(true), 3.into(), 2.0.into(), 1e-8.into()].iter().map(Scalar::to_string).collect();
/// assert_eq!(shown, ["True", "3", "2.0", "1e-08"]);
/// assert_eq!(format!("{:>8.2}", Scalar::from(3.14159)), "    3.14");
/// ```
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bool(truth) => f.pad(if truth { "True" } else { "False" }),
            Self::Int(number) => fmt::Display::fmt(&number, f),
            Self::Float(number) if f.precision().is_some() => fmt::Display::fmt(&number, f),
            Self::Float(number) => f.pad(&float(number, ".0")),
            Self::Complex(number) => f.pad(&complex(number)),
        }
    }
}

/// C's `%.{precision}e`: the exponent has a sign and at least two digits.
#[must_use]
pub fn scientific(x: f64, precision: usize) -> String {
    with_exponent(&format!("{x:.precision$e}"))
}

/// Rust's `1.5e-7` as C's `1.5e-07`.
fn with_exponent(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else { return text.to_owned() };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The shortest digits that read back as the same number, with an exponent below -4 or from 16 on; `whole` ends a number
/// without fraction.
fn float(x: f64, whole: &str) -> String {
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

fn complex(z: Complex<f64>) -> String {
    let im = float(z.im, "");
    if z.re == 0.0 && z.re.is_sign_positive() {
        return format!("{im}j");
    }
    let plus = if im.starts_with('-') { "" } else { "+" };
    format!("({}{plus}{im}j)", float(z.re, ""))
}
