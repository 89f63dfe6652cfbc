//! Calls by name: `call("index_add", args![&x, 0, &index, &source, alpha = 2])`, with PyTorch's arguments, defaults, overloads and words for
//! wrong calls. Interpreters, importers of models and tests stand on this.
//!
//! `value` is what a person gives, `binding` gives it the kinds that a row of the table asks for. Who knows the call when the program is
//! compiled writes the method instead.

mod binding;
mod complaint;
mod value;

use latten_spec::DType;
use latten_spec::schema::Place;

pub use value::{Arguments, NamedArgument};

use crate::call::{CallEntry, Destination, ENTRIES, Outcome};
use crate::device::DeviceType;
use crate::dtype::default_dtype;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::tensor::{DynTensor, SparseTensor, Tensor};
use binding::{Shown, bind};

/// An operation of the table: PyTorch's name with one list of arguments. Several of one name are its overloads.
#[derive(Clone, Copy, Debug)]
pub struct Operation(&'static CallEntry);

/// Every operation that there is, by theme.
pub fn operations() -> impl ExactSizeIterator<Item = Operation> {
    ENTRIES.iter().map(Operation)
}

impl Operation {
    /// PyTorch's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The arguments, as PyTorch's messages write them: `(Tensor input, int dim, Tensor index)`.
    #[must_use]
    pub fn signature(self) -> String {
        complaint::signature(self.0, if self.0.function { Shown::Function } else { Shown::Method })
    }

    /// Whether tensors have it as a method.
    #[must_use]
    pub fn is_method(self) -> bool {
        self.0.method
    }

    /// Whether it is a function.
    #[must_use]
    pub fn is_function(self) -> bool {
        self.0.function
    }

    /// Whether it can give new tensors: all can, but for those that only change one, as `zero_`.
    #[must_use]
    pub fn has_new(self) -> bool {
        self.0.new.is_some()
    }

    /// Whether there is a form that changes its tensor: `add_`.
    #[must_use]
    pub fn has_in_place(self) -> bool {
        self.0.in_place.is_some()
    }

    /// Whether there is a form that writes into an output: `add(…, out=…)`.
    #[must_use]
    pub fn has_out(self) -> bool {
        self.0.has_out()
    }

    /// The dtypes that its tensors may have, beside indices and masks; where it takes none, those that it makes. Quantised ones are left out.
    #[must_use]
    pub fn dtypes(self) -> Vec<DType> {
        let default = default_dtype();
        DType::ALL.iter().copied().filter(|&dtype| self.0.taken.contains(dtype, default)).collect()
    }

    /// The devices that its tensors may be on; where it takes none, those that it makes. On `meta` there are no elements, so what depends on them
    /// isn't computed there. What the host computes for a GPU counts.
    #[must_use]
    pub fn devices(self) -> Vec<DeviceType> {
        let all = [(Place::Cpu, DeviceType::Cpu), (Place::Cuda, DeviceType::Cuda), (Place::Meta, DeviceType::Meta)];
        all.into_iter().filter(|(place, _)| self.0.devices.contains(*place)).map(|(_, device)| device).collect()
    }
}

/// Makes a call by PyTorch's name: of a function, or of a method, which takes its tensor first. A name that ends in `_` changes that tensor, and
/// the argument `out` is written into; both are given as `&mut`. The results are of dtypes and shapes that only the run knows.
///
/// ```
/// use latten_core::{args, by_name::call, tensor::Tensor};
///
/// let x = Tensor::from([[3, 1, 2], [6, 5, 4]]);
/// let rows = call("sort", args![&x, descending = true])?.tensors()?;
/// assert_eq!(rows[0].to_string(), "tensor([[3, 2, 1],\n        [6, 5, 4]], dtype=torch.int32)");
///
/// let mut sums = x.erase();
/// call("cumsum_", args![&mut sums, 1])?;
/// assert_eq!(sums.typed::<i32, (latten_core::shape::D<2>, latten_core::shape::D<3>)>()?.to_vec(), [3, 4, 6, 6, 11, 15]);
///
/// let error = call("gather", args![&x, 1.5, &x]).unwrap_err();
/// assert_eq!(error.to_string(), "gather(): argument 'dim' (position 2) must be int, not float");
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where no operation has the name or takes the arguments, in PyTorch's words; and the operation's own. Then nothing was changed.
pub fn call(name: &str, arguments: Arguments<'_>) -> Result<Outcome> {
    let mut arguments = arguments;
    let in_place = in_place(name);
    let row_name = if in_place { name.trim_end_matches('_') } else { name };
    let named = |entry: &&CallEntry| match (in_place, entry.in_place) {
        (true, Some(_)) => entry.name.strip_suffix('_').unwrap_or(entry.name) == row_name,
        (false, _) => entry.name == row_name && entry.new.is_some(),
        _ => false,
    };
    let found: Vec<&'static CallEntry> = ENTRIES.iter().filter(named).collect();
    if found.is_empty() {
        return Err(Error::type_error(format!("no operation is called {name}{}", nearest(row_name, in_place))));
    }
    if in_place {
        let tensor = arguments.take_changed(name)?;
        let bound = bind(&found, &arguments, Shown::Method, None)
            .map_err(|misfits| complaint::of(name, Shown::Method, &misfits, &arguments, None))?;
        return bound.call(Destination::InPlace(tensor));
    }
    let shown = if found.iter().any(|entry| entry.function) { Shown::Function } else { Shown::Method };
    let out = arguments.take_out(name)?;
    let tensor = if shown == Shown::Method { Some(arguments.take_first(name)?) } else { None };
    let bound = bind(&found, &arguments, shown, tensor.as_ref());
    bound.map_err(|misfits| complaint::of(name, shown, &misfits, &arguments, tensor.as_ref()))?.call(out)
}

/// What may have been meant by a name that isn't there: the one that differs least, in at most two letters, underscores aside.
#[cold]
fn nearest(name: &str, in_place: bool) -> String {
    let letters = |name: &str| -> Vec<char> { name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect() };
    let wanted = letters(name);
    let near = ENTRIES.iter().filter(|entry| if in_place { entry.in_place.is_some() } else { entry.new.is_some() });
    let near = near.map(|entry| (distance(&wanted, &letters(entry.name)), entry.name)).min();
    match near {
        Some((distance, near)) if distance <= 2.min(wanted.len() / 3) => format!("; did you mean {near}?"),
        _ => String::new(),
    }
}

/// How many letters have to be added, removed or exchanged.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let cost = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

/// Whether a name stands for what changes a tensor.
fn in_place(name: &str) -> bool {
    name.ends_with('_') && !name.ends_with("__")
}

/// A tensor of a type, where the call has given one.
impl<E: Element, S: Shape> TryFrom<Outcome> for Tensor<E, S> {
    type Error = Error;

    fn try_from(outcome: Outcome) -> Result<Self> {
        outcome.tensor()?.typed()
    }
}

/// The results of calls by name.
impl Outcome {
    /// The tensor that the call has given, of a type: `call("bincount", args![&x])?.typed::<i64, Rank<1>>()?`.
    ///
    /// # Errors
    /// Where it gives something else, or a tensor of another dtype or shape.
    pub fn typed<E: Element, S: Shape>(self) -> Result<Tensor<E, S>> {
        self.tensor()?.typed()
    }

    /// The tensor that the call has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn tensor(self) -> Result<DynTensor> {
        self.one().map(DynTensor::from)
    }

    /// The tensors that the call has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn tensors(self) -> Result<Vec<DynTensor>> {
        Ok(self.several()?.into_iter().map(DynTensor::from).collect())
    }

    /// The sparse tensor that the call has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn sparse(self) -> Result<SparseTensor> {
        self.sparse_tensor().map(SparseTensor::from)
    }
}
