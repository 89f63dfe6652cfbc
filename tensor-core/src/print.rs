//! Printing, character for character as PyTorch does: tensors here, single numbers in `print/number.rs`, storages in
//! `print/storage.rs`, the options in `print/options.rs`. Nothing here knows how a tensor keeps its elements.

mod number;
mod options;
mod storage;

use std::fmt::Write as _;

use latten_spec::DType;

use crate::device::{Device, DeviceType};
use crate::dtype::default_dtype;
use crate::geometry::count;
use crate::scalar::Scalar;
use number::Parts;

pub use number::element_repr;
pub use options::{PrintOptions, print_options, set_print_options};

/// What is printed of a tensor. Elements that aren't shown are never asked for, and those of a meta tensor don't exist.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The dtype of the elements.
    pub dtype: DType,
    /// The number of elements along each dimension.
    pub sizes: &'a [usize],
    /// Where the tensor is.
    pub device: Device,
    /// The element at an index, one number for each dimension. A `u64` may come wrapped, as scalars are.
    pub element: &'a dyn Fn(&[usize]) -> Scalar,
    /// What is said of gradients: `requires_grad=True`, or what the tensor was made by.
    pub gradient: Option<&'a str>,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&repr(self))
    }
}

/// A sparse tensor as its parts.
#[derive(Clone, Copy, Debug)]
pub struct SparseView<'a> {
    /// The coordinates, one column for each element that is stored.
    pub indices: View<'a>,
    /// The elements that are stored.
    pub values: View<'a>,
    /// The sizes of the whole.
    pub sizes: &'a [usize],
}

/// The tensor as PyTorch's `repr` has it, with the global options and the default dtype.
#[must_use]
pub fn repr(view: &View<'_>) -> String {
    repr_with(view, &print_options(), default_dtype())
}

/// The tensor as PyTorch's `repr` has it.
#[must_use]
pub fn repr_with(view: &View<'_>, options: &PrintOptions, default: DType) -> String {
    let mut suffixes = device_suffix(view.device);
    let text = if view.device.kind() == DeviceType::Meta || is_endless(view.sizes, options) {
        suffixes.push(size_suffix(view.sizes));
        suffixes.extend((view.dtype != default).then(|| dtype_suffix(view.dtype)));
        "...".to_owned()
    } else if view.sizes.contains(&0) {
        suffixes.extend((view.sizes.len() != 1).then(|| size_suffix(view.sizes)));
        suffixes.extend((view.dtype != default).then(|| dtype_suffix(view.dtype)));
        "[]".to_owned()
    } else {
        suffixes.extend((options.edgeitems == 0).then(|| size_suffix(view.sizes)));
        suffixes.extend((!goes_without_saying(view.dtype, default)).then(|| dtype_suffix(view.dtype)));
        elements(view, options, PREFIX.len())
    };
    suffixes.extend(view.gradient.map(str::to_owned));
    close(format!("{PREFIX}{text}"), &suffixes, options, false)
}

/// The sparse tensor as PyTorch's `repr` has it, with the global options and the default dtype.
#[must_use]
pub fn sparse_repr(view: &SparseView<'_>) -> String {
    sparse_repr_with(view, &print_options(), default_dtype())
}

/// The sparse tensor as PyTorch's `repr` has it.
#[must_use]
pub fn sparse_repr_with(view: &SparseView<'_>, options: &PrintOptions, default: DType) -> String {
    let (device, dtype) = (view.values.device, view.values.dtype);
    let meta = device.kind() == DeviceType::Meta;
    let mut suffixes = device_suffix(device);
    suffixes.push(size_suffix(view.sizes));
    if !meta {
        suffixes.push(format!("nnz={}", view.values.sizes.first().copied().unwrap_or(0)));
    }
    if !goes_without_saying(dtype, default) {
        suffixes.push(dtype_suffix(dtype));
    }
    suffixes.push("layout=torch.sparse_coo".to_owned());
    let part = |name: &str, part: &View<'_>| {
        let prefix = format!("{name}=tensor(");
        let empty = part.sizes.contains(&0);
        let hidden = meta || is_endless(part.sizes, options);
        let text = match (hidden, empty) {
            (true, _) => "...".to_owned(),
            (_, true) => "[]".to_owned(),
            _ => elements(part, options, PREFIX.len() + prefix.len()),
        };
        let size = if hidden || empty { format!(", {}", size_suffix(part.sizes)) } else { String::new() };
        format!("{prefix}{text}{size})")
    };
    let (indices, values) = (part("indices", &view.indices), part("values", &view.values));
    let text = format!("{PREFIX}{indices},\n{:indent$}{values}", "", indent = PREFIX.len());
    close(text, &suffixes, options, true)
}

const PREFIX: &str = "tensor(";

fn device_suffix(device: Device) -> Vec<String> {
    let device = device.resolved();
    if device == Device::CPU { Vec::new() } else { vec![format!("device='{device}'")] }
}

fn dtype_suffix(dtype: DType) -> String {
    format!("dtype={dtype:?}")
}

fn size_suffix(sizes: &[usize]) -> String {
    match sizes {
        [one] => format!("size=({one},)"),
        _ => format!("size=({})", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Whether the elements show their dtype: those that a literal has.
fn goes_without_saying(dtype: DType, default: DType) -> bool {
    let complex = if default == DType::F64 { DType::C128 } else { DType::C64 };
    dtype == default || dtype == complex || dtype == DType::I64 || dtype == DType::Bool
}

/// Appends the suffixes and the parenthesis; what would make the line too long starts a new one.
fn close(mut text: String, suffixes: &[String], options: &PrintOptions, mut new_line: bool) -> String {
    // PyTorch counts two characters more than the line has.
    let mut length = text.rfind('\n').map_or(text.len() + 2, |newline| text.len() - newline + 1);
    for suffix in suffixes {
        if new_line || length + suffix.len() + 2 > options.linewidth {
            let _ = write!(text, ",\n{:indent$}{suffix}", "", indent = PREFIX.len());
            length = PREFIX.len() + suffix.len();
            new_line = false;
        } else {
            let _ = write!(text, ", {suffix}");
            length += suffix.len() + 2;
        }
    }
    text.push(')');
    text
}

/// More dimensions than Python, which prints PyTorch's tensors, goes down into.
const DEEPEST: usize = 900;
/// More elements than anyone reads, from the ends of all dimensions together.
const MOST_SHOWN: usize = 1 << 20;

fn is_summarised(sizes: &[usize], options: &PrintOptions) -> bool {
    !sizes.is_empty() && count(sizes) > options.threshold
}

/// Whether the text would have no end: the ends of twenty dimensions are more elements than a memory has room for.
fn is_endless(sizes: &[usize], options: &PrintOptions) -> bool {
    if sizes.len() > DEEPEST {
        return true;
    }
    if sizes.contains(&0) || !is_summarised(sizes, options) {
        return false;
    }
    let shown = sizes.iter().try_fold(1_usize, |shown, &size| shown.checked_mul(size.min(options.edgeitems.saturating_mul(2))));
    shown.is_none_or(|shown| shown > MOST_SHOWN)
}

/// The elements in brackets, without prefix and suffixes; `indent` is the column of the first bracket.
fn elements(view: &View<'_>, options: &PrintOptions, indent: usize) -> String {
    let summarised = is_summarised(view.sizes, options);
    let shown: Vec<ShownIndices> = view.sizes.iter().map(|&size| ShownIndices::new(size, summarised, options.edgeitems)).collect();
    let mut values = Vec::new();
    if !(summarised && options.edgeitems == 0) {
        collect(view, &shown, &mut Vec::with_capacity(shown.len()), &mut values);
    }
    let parts = Parts::new(view.dtype, &values, options);
    let mut writer = Layouter { parts, values: values.into_iter(), options };
    writer.dimension(&shown, indent)
}

/// Which indices of a dimension are shown: all, or that many at either end.
#[derive(Clone, Copy)]
struct ShownIndices {
    size: usize,
    edge: Option<usize>,
}

impl ShownIndices {
    fn new(size: usize, summarised: bool, edgeitems: usize) -> Self {
        Self { size, edge: (summarised && size > edgeitems.saturating_mul(2)).then_some(edgeitems) }
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        let (head, tail) = self.edge.map_or((self.size, self.size), |edge| (edge, self.size - edge));
        (0..head).chain(tail..self.size)
    }

    /// Before which of the shown ones the dots stand.
    fn dots_at(self) -> Option<usize> {
        self.edge
    }
}

/// Reads the shown elements in order.
fn collect(view: &View<'_>, shown: &[ShownIndices], index: &mut Vec<usize>, values: &mut Vec<Scalar>) {
    match shown.get(index.len()) {
        None => values.push((view.element)(index)),
        Some(dimension) => {
            for i in dimension.indices() {
                index.push(i);
                collect(view, shown, index, values);
                index.pop();
            }
        }
    }
}

/// Lays out the shown elements, which it takes one after the other.
struct Layouter<'a> {
    parts: Parts,
    values: std::vec::IntoIter<Scalar>,
    options: &'a PrintOptions,
}

impl Layouter<'_> {
    fn dimension(&mut self, shown: &[ShownIndices], indent: usize) -> String {
        match shown {
            [] => self.next().trim_start().to_owned(),
            [line] => self.line(*line, indent),
            [outer, inner @ ..] => {
                let mut rows = Vec::new();
                if self.options.edgeitems > 0 || outer.edge.is_none() {
                    rows.extend(outer.indices().map(|_| self.dimension(inner, indent + 1)));
                }
                if let Some(at) = outer.dots_at() {
                    rows.insert(at, "...".to_owned());
                }
                let separator = format!(",{}{:spaces$}", "\n".repeat(inner.len()), "", spaces = indent + 1);
                format!("[{}]", rows.join(&separator))
            }
        }
    }

    fn line(&mut self, shown: ShownIndices, indent: usize) -> String {
        let mut items: Vec<String> = shown.indices().map(|_| self.next()).collect();
        if let Some(at) = shown.dots_at() {
            // The space makes it ",  ...,": PyTorch's dots are an element with a margin.
            items.insert(at, if items.is_empty() { "..." } else { " ..." }.to_owned());
        }
        let per_line = (self.options.linewidth.saturating_sub(indent) / (self.parts.width() + 2)).max(1);
        let lines: Vec<String> = items.chunks(per_line).map(|line| line.join(", ")).collect();
        format!("[{}]", lines.join(&format!(",\n{:spaces$}", "", spaces = indent + 1)))
    }

    fn next(&mut self) -> String {
        self.values.next().map_or_else(String::new, |value| self.parts.text(value))
    }
}

#[cfg(test)]
#[path = "print/tests.rs"]
mod tests;
