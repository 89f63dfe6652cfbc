//! Values by name and by type.

use std::collections::{BTreeMap, HashMap};

use latten_core::element::Element;
use latten_core::error::{Error, ErrorKind, Result};
use latten_core::shape::Shape;
use latten_core::tensor::{SparseTensor, Tensor};

use super::{Dict, Value};

/// How many names an error lists.
const MOST_NAMES: usize = 8;

/// What a value can be taken as. Tensors share their storage with it.
#[diagnostic::on_unimplemented(
    message = "no value of a file is a `{Self}`",
    label = "neither a tensor nor a value",
    note = "a tensor has its dtype and its shape in one type: `get::<Tensor<f32, Rank<1>>>(\"bias\")`, or `let bias: Tensor<f32, Rank<1>> = …`; others are `DynTensor`, `bool`, `i64`, `f64`, `String`, `io::Dict` and `io::Value`"
)]
pub trait FromValue: Sized {
    /// Takes the value as this.
    ///
    /// # Errors
    /// Where it is something else, with what it is; the name comes from the one that asks.
    fn from_value(value: &Value) -> Result<Self>;
}

fn other_kind<T>(wanted: &str, found: &Value) -> Result<T> {
    Err(Error::new(ErrorKind::Type, format!("expected a {wanted}, found a {}", found.kind())))
}

impl<E: Element, S: Shape> FromValue for Tensor<E, S> {
    fn from_value(value: &Value) -> Result<Self> {
        let Value::Tensor(saved) = value else { return other_kind("tensor", value) };
        let (raw, wanted) = (saved.tensor().raw(), E::KNOWN_DTYPE.unwrap_or_else(|| saved.tensor().raw().dtype()));
        if wanted != raw.dtype() || !S::admits(raw.sizes()) {
            return Err(Error::new(
                ErrorKind::Type,
                format!(
                    "expected a tensor of {wanted} and shape {}, found one of {} and shape {:?}",
                    S::describe(),
                    raw.dtype(),
                    raw.sizes()
                ),
            ));
        }
        saved.tensor().typed()
    }
}

impl<E: Element> FromValue for SparseTensor<E> {
    fn from_value(value: &Value) -> Result<Self> {
        let Value::Sparse(sparse) = value else { return other_kind("sparse tensor", value) };
        sparse.typed()
    }
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self> {
        Ok(value.clone())
    }
}

impl FromValue for Dict {
    fn from_value(value: &Value) -> Result<Self> {
        if let Value::Dict(dict) = value { Ok(dict.clone()) } else { other_kind("dict", value) }
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<Self> {
        if let Value::Bool(truth) = value { Ok(*truth) } else { other_kind("bool", value) }
    }
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<Self> {
        if let Value::Int(number) = value { Ok(*number) } else { other_kind("int", value) }
    }
}

/// Integers count as floats, as in Python.
impl FromValue for f64 {
    fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Float(number) => Ok(*number),
            Value::Int(number) => Ok(*number as Self),
            other => other_kind("float", other),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Result<Self> {
        if let Value::Str(text) = value { Ok(text.to_string()) } else { other_kind("str", value) }
    }
}

/// What a file can hold: a tensor, tensors by name, or a [`Value`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be saved",
    label = "neither a tensor nor tensors by name",
    note = "save a tensor, `[(\"weight\", &weight)]`, a `HashMap` or `BTreeMap` of tensors by name, or an `io::Value`"
)]
pub trait ToValue {
    /// The same as a value of a file; tensors share their storage with it.
    fn to_value(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl ToValue for Dict {
    fn to_value(&self) -> Value {
        self.clone().into()
    }
}

impl<E: Element, S: Shape> ToValue for Tensor<E, S> {
    fn to_value(&self) -> Value {
        self.into()
    }
}

/// In the order in which they stand.
impl<N: AsRef<str>, T: ToValue> ToValue for [(N, T)] {
    fn to_value(&self) -> Value {
        self.iter().map(|(name, value)| (name.as_ref(), value.to_value())).collect::<Dict>().into()
    }
}

#[diagnostic::do_not_recommend]
impl<N: AsRef<str>, T: ToValue, const L: usize> ToValue for [(N, T); L] {
    fn to_value(&self) -> Value {
        self[..].to_value()
    }
}

#[diagnostic::do_not_recommend]
impl<N: AsRef<str>, T: ToValue> ToValue for Vec<(N, T)> {
    fn to_value(&self) -> Value {
        self[..].to_value()
    }
}

impl<N: AsRef<str>, T: ToValue> ToValue for BTreeMap<N, T> {
    fn to_value(&self) -> Value {
        self.iter().map(|(name, value)| (name.as_ref(), value.to_value())).collect::<Dict>().into()
    }
}

/// In the order of the names, so that the same map gives the same file.
impl<N: AsRef<str>, T: ToValue, H> ToValue for HashMap<N, T, H> {
    fn to_value(&self) -> Value {
        self.iter().map(|(name, value)| (name.as_ref(), value)).collect::<BTreeMap<_, _>>().to_value()
    }
}

impl Value {
    /// The value of a name of a dict, taken as a type.
    ///
    /// # Errors
    /// Where this is no dict or has no such name, and where the value is something else: of a tensor, another dtype or shape.
    ///
    /// ```
    /// # use latten_io::Dict;
    /// # use latten_core::{shape::Rank, tensor::Tensor};
    /// let state: Dict = [("bias", &Tensor::from([1.0_f32, 2.0]))].into_iter().collect();
    /// let bias: Tensor<f32, Rank<1>> = state.get("bias")?;
    /// let refused = state.get::<Tensor<i64, Rank<2>>>("bias").unwrap_err();
    /// assert_eq!(refused.message(), "bias: expected a tensor of int64 and shape [_, _], found one of float32 and shape [2]");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        match self {
            Self::Dict(dict) => dict.get(name),
            other => {
                let kind = other.kind();
                Err(Error::new(ErrorKind::Type, format!("{name}: a {kind} has no names; `.tensor()` of an archive gives it as it is")))
            }
        }
    }
}

impl Dict {
    /// The value of a name, taken as a type: [`Value::get`].
    ///
    /// # Errors
    /// As there.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        let Some(value) = self.value(name) else { return Err(self.no_such(name)) };
        T::from_value(value).map_err(|error| Error::new(error.kind(), format!("{name}: {}", error.message())))
    }

    fn no_such(&self, name: &str) -> Error {
        let mut names: Vec<&str> = self.names().take(MOST_NAMES).collect();
        if self.len() > MOST_NAMES {
            names.push("…");
        }
        let there = if names.is_empty() { "no names".to_owned() } else { names.join(", ") };
        Error::new(ErrorKind::Value, format!("{name}: there is no such name; there are {there}"))
    }
}
