//! What is true of a literal: its shape, where the rows are as long as each other, and its dtype, which every number fits.

use latten_spec::{Category, DType};
use syn::Expr;

use super::parse::{Literal, Node, Number, Value};

/// The longest shape that types can say.
const MAX_RANK: usize = 8;

/// All mistakes of a literal.
#[derive(Default)]
pub(super) struct Mistakes(Option<syn::Error>);

impl Mistakes {
    pub(super) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(super) fn into_error(self) -> Option<syn::Error> {
        self.0
    }
}

/// The length of a row.
#[derive(Clone)]
pub(super) enum Length {
    Known(usize),
    /// A constant of the user's.
    Constant(Expr),
}

impl PartialEq for Length {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a == b,
            (Self::Constant(a), Self::Constant(b)) => quote::quote!(#a).to_string() == quote::quote!(#b).to_string(),
            _ => false,
        }
    }
}

impl Length {
    fn shown(&self) -> String {
        match self {
            Self::Known(1) => "1 element".into(),
            Self::Known(length) => format!("{length} elements"),
            Self::Constant(count) => format!("{} elements", quote::quote!(#count)),
        }
    }
}

/// What a node is, seen from its row.
#[derive(Clone)]
pub(super) struct LiteralExtent {
    /// The lengths of rows, from outside.
    pub(super) lengths: Vec<Length>,
    /// What stands innermost.
    pub(super) inside: Inside,
}

/// What stands in the innermost rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Numbers, and expressions that must be numbers then.
    Numbers,
    /// Expressions only: numbers or tensors.
    Expressions,
    /// Somewhere an expression stands beside a row: it is a tensor.
    Tensors,
    /// Nothing.
    Nothing,
}

/// The extent of a node, where its rows are alike.
pub(super) fn extent(node: &Node, mistakes: &mut Mistakes) -> Option<LiteralExtent> {
    match node {
        Node::Number(_) => Some(LiteralExtent { lengths: Vec::new(), inside: Inside::Numbers }),
        Node::Expression(_) => Some(LiteralExtent { lengths: Vec::new(), inside: Inside::Expressions }),
        Node::Repeat(inner, count, _) => {
            let mut extent = extent(inner, mistakes)?;
            extent.lengths.insert(0, length(count));
            Some(extent)
        }
        Node::Row(items, _) => row(items, mistakes),
    }
}

/// How often a row is repeated.
pub(super) fn length(count: &Expr) -> Length {
    match count {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => match number.base10_parse() {
            Ok(length) => Length::Known(length),
            Err(_) => Length::Constant(count.clone()),
        },
        _ => Length::Constant(count.clone()),
    }
}

fn row(items: &[Node], mistakes: &mut Mistakes) -> Option<LiteralExtent> {
    let own = Length::Known(items.len());
    let mut first: Option<(usize, LiteralExtent)> = None;
    let (mut expressions, mut is_good) = (false, true);
    for (at, item) in items.iter().enumerate() {
        if matches!(item, Node::Expression(_)) {
            expressions = true;
            continue;
        }
        let Some(found) = extent(item, mistakes) else {
            is_good = false;
            continue;
        };
        match &mut first {
            None => first = Some((at, found)),
            Some((reference, expected)) => match difference(at, &found, *reference, expected) {
                Some(message) => {
                    mistakes.add(syn::Error::new(item.span(), message));
                    is_good = false;
                }
                None => expected.inside = together(expected.inside, found.inside),
            },
        }
    }
    if !is_good {
        return None;
    }
    let (mut lengths, inside) = match first {
        None if expressions => (Vec::new(), Inside::Expressions),
        None => (Vec::new(), Inside::Nothing),
        Some((_, LiteralExtent { lengths, inside })) => {
            let rows = !lengths.is_empty();
            (lengths, if expressions && rows { Inside::Tensors } else { inside })
        }
    };
    lengths.insert(0, own);
    Some(LiteralExtent { lengths, inside })
}

fn together(a: Inside, b: Inside) -> Inside {
    match (a, b) {
        (Inside::Tensors, _) | (_, Inside::Tensors) => Inside::Tensors,
        (Inside::Numbers, _) | (_, Inside::Numbers) => Inside::Numbers,
        (Inside::Nothing, other) | (other, _) => other,
    }
}

/// How a row differs from the first one.
fn difference(at: usize, found: &LiteralExtent, reference: usize, expected: &LiteralExtent) -> Option<String> {
    if found.lengths == expected.lengths {
        return None;
    }
    let (at, reference) = (at + 1, reference + 1);
    let what = |extent: &LiteralExtent| extent.lengths.first().map_or("is a number".into(), |length| format!("has {}", length.shown()));
    Some(match (found.lengths.first(), expected.lengths.first()) {
        (Some(a), Some(Length::Known(b))) if *a != Length::Known(*b) => {
            format!("row {at} has {}, but row {reference} has {b}", a.shown())
        }
        (Some(a), Some(b)) if a == b => {
            let deeper = found.lengths.iter().zip(&expected.lengths).find(|(a, b)| a != b);
            match deeper {
                Some((a, b)) => format!("row {at} has rows of {}, but those of row {reference} have {}", a.shown(), b.shown()),
                None => {
                    format!("row {at} has {} dimensions, but row {reference} has {}", found.lengths.len(), expected.lengths.len())
                }
            }
        }
        _ => format!("row {at} {}, but row {reference} {}", what(found), what(expected)),
    })
}

/// Refuses shapes that no type has.
pub(super) fn rank(literal: &Literal, extent: &LiteralExtent, mistakes: &mut Mistakes) {
    if extent.lengths.len() > MAX_RANK {
        let message = format!("tensor!: types have at most {MAX_RANK} dimensions, not {}", extent.lengths.len());
        mistakes.add(syn::Error::new(literal.root.span(), message));
    }
}

/// Every number of a tree, in order.
fn numbers<'a>(node: &'a Node, visit: &mut impl FnMut(&'a Number)) {
    match node {
        Node::Number(number) => visit(number),
        Node::Expression(_) => {}
        Node::Row(items, _) => items.iter().for_each(|item| numbers(item, visit)),
        Node::Repeat(inner, ..) => numbers(inner, visit),
    }
}

fn category(value: Value) -> Category {
    match value {
        Value::Bool(_) => Category::Boolean,
        Value::Int(_) => Category::Integral,
        Value::Float(_) => Category::Floating,
        Value::Complex(..) => Category::Complex,
    }
}

/// Whether the literal says its dtype itself: behind its numbers, or by a suffix of one.
pub(super) fn says_its_dtype(literal: &Literal) -> bool {
    let mut says = literal.dtype.is_some();
    numbers(&literal.root, &mut |number| says |= number.suffix.is_some());
    says
}

/// Whether a dtype can hold all numbers.
pub(super) fn holds(literal: &Literal, dtype: DType) -> bool {
    let mut holds = true;
    numbers(&literal.root, &mut |number| holds &= converted(number.value, dtype).is_ok());
    holds
}

/// The dtype that the numbers have: the one that is written after them, that of a suffix, or PyTorch's for their categories. None where
/// only expressions can say it.
pub(super) fn dtype(literal: &Literal, extent: Option<&LiteralExtent>, mistakes: &mut Mistakes) -> Option<DType> {
    if literal.dtype.is_some() {
        return literal.dtype;
    }
    let (mut suffixed, mut most): (Option<&Number>, _) = (None, None);
    numbers(&literal.root, &mut |number| {
        most = most.max(Some(category(number.value)));
        suffixed = suffixed.or(number.suffix.is_some().then_some(number));
    });
    if let Some(dtype) = suffixed.and_then(|first| first.suffix) {
        let name = dtype.variant().to_ascii_lowercase();
        numbers(&literal.root, &mut |number| {
            let other = number.suffix.filter(|&other| other != dtype).map(|other| other.variant().to_ascii_lowercase());
            let wider = number.suffix.is_none() && category(number.value) > dtype.category();
            let what = match (other, wider) {
                (Some(other), _) => format!("this element is {other}"),
                (None, true) => format!("this element is {}", shown(category(number.value))),
                (None, false) => return,
            };
            mistakes.add(syn::Error::new(
                number.span,
                format!("{what}, but another one says `{name}`; write the dtype behind all: `tensor![…; {name}]`"),
            ));
        });
        return Some(dtype);
    }
    match most {
        Some(Category::Complex) => Some(DType::C64),
        Some(Category::Floating) => Some(DType::F32),
        Some(Category::Integral) => Some(DType::I64),
        Some(Category::Boolean) => Some(DType::Bool),
        None if extent.is_some_and(|extent| extent.inside == Inside::Nothing) => Some(DType::F32),
        None => None,
    }
}

fn shown(category: Category) -> &'static str {
    match category {
        Category::Boolean => "a truth",
        Category::Integral => "an integer",
        Category::Floating => "a float",
        Category::Complex => "complex",
    }
}

/// Refuses the numbers that don't fit the dtype, as PyTorch does.
pub(super) fn fit(literal: &Literal, dtype: DType, mistakes: &mut Mistakes) {
    numbers(&literal.root, &mut |number| {
        if let Err(message) = converted(number.value, dtype) {
            mistakes.add(syn::Error::new(number.span, message));
        }
    });
}

/// A number as the dtype holds it, before it is rounded to the dtype.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as PyTorch converts it; the range was checked")]
pub(super) fn converted(value: Value, dtype: DType) -> Result<Value, String> {
    let overflow = || Err(format!("value {} cannot be converted to type {} without overflow", text(value), dtype.name()));
    Ok(match (value, dtype.category()) {
        (Value::Complex(..), Category::Integral) => return Err("'complex' object cannot be interpreted as an integer".into()),
        (Value::Complex(..), Category::Floating) => return Err("must be real number, not complex".into()),
        (Value::Complex(re, im), Category::Boolean) => Value::Bool(re != 0.0 || im != 0.0),
        (Value::Complex(..), Category::Complex) => value,
        (Value::Bool(x), Category::Boolean) => Value::Bool(x),
        (Value::Int(x), Category::Boolean) => Value::Bool(x != 0),
        (Value::Float(x), Category::Boolean) => Value::Bool(x != 0.0),
        (Value::Bool(x), Category::Integral) => Value::Int(x.into()),
        (Value::Int(x), Category::Integral) => {
            let (least, greatest) = limits(dtype);
            // An unsigned dtype takes negative integers, and wraps them.
            let below = if least == 0 { -greatest } else { least };
            if x < below || x > greatest {
                return overflow();
            }
            Value::Int(if x < least { x + greatest + 1 } else { x })
        }
        (Value::Float(x), Category::Integral) => {
            let (least, greatest) = limits(dtype);
            if !(x >= least as f64 && x < (greatest + 1) as f64) {
                return overflow();
            }
            Value::Int(x as i128)
        }
        (Value::Bool(x), Category::Floating) => Value::Float(f64::from(u8::from(x))),
        (Value::Int(x), Category::Floating) => Value::Float(x as f64),
        (Value::Float(x), Category::Floating) => Value::Float(x),
        (Value::Bool(x), Category::Complex) => Value::Complex(f64::from(u8::from(x)), 0.0),
        (Value::Int(x), Category::Complex) => Value::Complex(x as f64, 0.0),
        (Value::Float(x), Category::Complex) => Value::Complex(x, 0.0),
    })
}

fn text(value: Value) -> String {
    match value {
        Value::Bool(x) => x.to_string(),
        Value::Int(x) => x.to_string(),
        Value::Float(x) => x.to_string(),
        Value::Complex(re, im) => format!("{re}{im:+}i"),
    }
}

fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.itemsize();
    if dtype.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
