//! How storages print: an element a line, as Python writes numbers, then what the storage is.

use std::fmt::{self, Display, Write};

use tensor_spec::DType;

use super::untyped::TYPE_NAME;
use super::{TypedStorage, UntypedStorage};
use crate::element::Element;
use crate::error::Result;
use crate::scalar::Scalar;

/// As PyTorch prints it. Where the bytes can't be read, as below a mutable slice of this thread, the reason stands in
/// their place.
impl Display for UntypedStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_meta() {
            f.write_str("...")?;
        } else {
            write_elements(f, self.tolist())?;
        }
        write!(f, "\n[{TYPE_NAME}(device={}) of size {}]", self.device(), self.size())
    }
}

/// What the storage is, without its bytes.
impl fmt::Debug for UntypedStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{TYPE_NAME}(device={}) of size {} at {:#x}]", self.device(), self.size(), self.data_ptr())
    }
}

/// As PyTorch prints it.
impl<E: Element> Display for TypedStorage<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.untyped().is_meta() {
            f.write_str("...")?;
        } else {
            let texts = |numbers: Vec<Scalar>| numbers.into_iter().map(|number| Python(number, self.dtype())).collect();
            write_elements(f, self.scalars().map(texts))?;
        }
        f.write_char('\n')?;
        write_type(f, self)
    }
}

/// What the storage is, without its numbers.
impl<E: Element> fmt::Debug for TypedStorage<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self)
    }
}

fn write_type<E: Element>(f: &mut fmt::Formatter<'_>, storage: &TypedStorage<E>) -> fmt::Result {
    let (dtype, device, size) = (storage.dtype(), storage.device(), storage.size());
    write!(f, "[torch.storage.TypedStorage(dtype={dtype:?}, device={device}) of size {size}]")
}

fn write_elements<T: Display>(f: &mut fmt::Formatter<'_>, elements: Result<Vec<T>>) -> fmt::Result {
    let elements = match elements {
        Ok(elements) => elements,
        Err(error) => return write!(f, " {error}"),
    };
    f.write_char(' ')?;
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            f.write_str("\n ")?;
        }
        write!(f, "{element}")?;
    }
    Ok(())
}

/// A number of a dtype, as Python's `repr` writes it.
struct Python(Scalar, DType);

impl Display for Python {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Scalar::Bool(true) => f.write_str("True"),
            Scalar::Bool(false) => f.write_str("False"),
            // A scalar holds the bits of a large uint64 as a negative number.
            Scalar::Int(x) if self.1 == DType::U64 => write!(f, "{}", x.cast_unsigned()),
            Scalar::Int(x) => write!(f, "{x}"),
            Scalar::Float(x) => f.write_str(&float(x, ".0")),
            Scalar::Complex(z) => {
                let sign = if z.im.is_sign_negative() && !z.im.is_nan() { "" } else { "+" };
                let imaginary = float(z.im, "");
                if z.re == 0.0 && z.re.is_sign_positive() {
                    write!(f, "{imaginary}j")
                } else {
                    write!(f, "({}{sign}{imaginary}j)", float(z.re, ""))
                }
            }
        }
    }
}

/// The shortest digits that mean this number, with an exponent where it is below -4 or above 15, and `integral` after
/// whole numbers without one.
fn float(x: f64, integral: &str) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{x:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let power: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&power) {
        let plain = format!("{x}");
        return if plain.contains('.') { plain } else { plain + integral };
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.unsigned_abs())
}
