//! The gradients of matrix products: products with the other factor, transposed and conjugated.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::value::{Value, binary};
use super::super::{cast, conj};
use super::nodes::requires_grad;
use super::views::{as_sized, expanded, permuted, placed, reshaped, transposed, unsqueezed};
use super::{conjugate, one, zeros};
use crate::error::Result;
use crate::product::adds_rows;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;

/// The transpose of matrices, conjugated: PyTorch's `mH`.
pub(super) fn adjoint(tensor: &RawTensor) -> Result<RawTensor> {
    transposed(&conj(tensor)?, -2, -1)
}

pub(super) fn mm(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::Mm, &[left.into(), right.into()])
}

pub(super) fn bmm(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::Bmm, &[left.into(), right.into()])
}

pub(super) fn mv(matrix: &RawTensor, vector: &RawTensor) -> Result<RawTensor> {
    one(Function::Mv, &[matrix.into(), vector.into()])
}

/// The product of a column and a row.
pub(super) fn outer(column: &RawTensor, row: &RawTensor) -> Result<Value> {
    Ok(binary(Op::Mul, &unsqueezed(column, 1)?.into(), Value::from(row)))
}

/// A factor as its product's gradient is multiplied with it: its conjugate, in the dtype of the gradient.
pub(super) fn factor(factor: &RawTensor, g: &RawTensor) -> Result<RawTensor> {
    conj(&cast(factor, g.dtype())?)
}

/// Elements times elements.
pub(super) fn times(left: &RawTensor, right: &RawTensor) -> Value {
    binary(Op::Mul, &left.into(), Value::from(right))
}

/// A gradient times the conjugate of a number that stood before the operand.
pub(super) fn scaled(g: &RawTensor, by: Scalar) -> Result<RawTensor> {
    if by == 1.0 { Ok(g.clone()) } else { binary(Op::Mul, &g.into(), conjugate(by)).tensor() }
}

/// Matrices out of what `matmul` takes: a vector on the left is a row, one on the right a column.
fn matrices(left: &RawTensor, right: &RawTensor, g: &RawTensor) -> Result<[RawTensor; 3]> {
    let (mut left, mut right, mut g) = (left.clone(), right.clone(), g.clone());
    let was_vector = right.rank() == 1;
    if left.rank() == 1 {
        left = unsqueezed(&left, 0)?;
        g = unsqueezed(&g, if was_vector { 0 } else { -2 })?;
    }
    if was_vector {
        right = unsqueezed(&right, 1)?;
        g = unsqueezed(&g, -1)?;
    }
    Ok([left, right, g])
}

fn matmul(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::Matmul, &[left.into(), right.into()])
}

/// Of the left factor of `matmul`; `left` has only sizes.
pub(super) fn of_left(g: &RawTensor, left: &[usize], right: &RawTensor) -> Result<RawTensor> {
    let shape = zeros(g, left)?;
    let [_, right, g] = matrices(&shape, right, g)?;
    let found = matmul(&g, &adjoint(&right)?)?;
    if left.len() == 1 { summed_to_row(&found, left) } else { Ok(found) }
}

/// Of the right one.
pub(super) fn of_right(g: &RawTensor, left: &RawTensor, right: &[usize]) -> Result<RawTensor> {
    let shape = zeros(g, right)?;
    let [left, _, g] = matrices(left, &shape, g)?;
    if right.len() <= 2 && left.rank() > 2 {
        // All batches are rows of one matrix.
        let rows = |tensor: &RawTensor| reshaped(tensor, &[-1, tensor.sizes()[tensor.rank() - 1].cast_signed()]);
        if left.numel() > 0 && g.numel() > 0 {
            return as_sized(&mm(&adjoint(&rows(&left)?)?, &rows(&g)?)?, right);
        }
    }
    let found = matmul(&adjoint(&left)?, &g)?;
    if right.len() == 1 { summed_to_row(&found, right) } else { Ok(found) }
}

/// Batches of rows or columns of which each is a vector's gradient, summed.
fn summed_to_row(found: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    let rows = reshaped(found, &[if found.numel() == 0 { found.numel().cast_signed() } else { -1 }, sizes[0].cast_signed()]);
    let summed = Value::from(rows?).reduced(Reduction::Sum, &Along::dims(&[0]))?;
    summed.tensor()
}

/// What the node of a `matmul` is called.
pub(super) fn matmul_node(left: &RawTensor, right: &RawTensor) -> &'static str {
    match (left.rank(), right.rank()) {
        (1, 1) => "DotBackward0",
        (2, 1) => "MvBackward0",
        (1, 2) => "SqueezeBackward4",
        (2, 2) => "MmBackward0",
        // Batches of columns are rows of one matrix, and turned.
        (2, _) if requires_grad(left) => {
            let [rows, columns] = [left.sizes()[0], right.sizes()[right.rank() - 1]];
            let in_order = rows < 2 || columns < 2 || right.sizes()[..right.rank() - 2].contains(&0);
            if in_order { "TransposeBackward0" } else { "CloneBackward0" }
        }
        _ => "UnsafeViewBackward0",
    }
}

/// And of a `linear`.
pub(super) fn linear_node(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> &'static str {
    match bias {
        None => matmul_node(input, weight),
        Some(_) if input.rank() == 2 => "AddmmBackward0",
        Some(bias) if adds_rows(input, bias) => "UnsafeViewBackward0",
        Some(_) => "AddBackward0",
    }
}

/// Of the input of `linear`.
pub(super) fn of_linear_input(g: &RawTensor, weight: &RawTensor) -> Result<RawTensor> {
    if weight.rank() == 1 {
        return outer_last(g, &conj(weight)?);
    }
    matmul(g, &conj(weight)?)
}

fn outer_last(g: &RawTensor, row: &RawTensor) -> Result<RawTensor> {
    binary(Op::Mul, &unsqueezed(g, -1)?.into(), Value::from(row)).tensor()
}

/// Of its weight.
pub(super) fn of_linear_weight(g: &RawTensor, input: &RawTensor, weight: &[usize]) -> Result<RawTensor> {
    let features = input.sizes()[input.rank() - 1];
    let outputs = if weight.len() == 1 { 1 } else { weight[0] };
    let rows = input.numel().checked_div(features).unwrap_or_else(|| g.numel().checked_div(outputs).unwrap_or(0)).cast_signed();
    let g = reshaped(g, &[rows, outputs.cast_signed()])?;
    let input = reshaped(&conj(input)?, &[rows, features.cast_signed()])?;
    as_sized(&mm(&transposed(&g, 0, 1)?, &input)?, weight)
}

/// The letters of the operands of an `einsum` and of its result; dimensions of an ellipsis have got letters of their own.
struct Letters {
    operands: Vec<Vec<u8>>,
    output: Vec<u8>,
}

impl Letters {
    fn of(equation: &str, operands: &[&RawTensor]) -> Self {
        let plain: String = equation.chars().filter(|letter| !letter.is_whitespace()).collect();
        let (lists, output) = plain.split_once("->").map_or((plain.as_str(), None), |(lists, output)| (lists, Some(output)));
        let mut free = (b'a'..=b'z').chain(b'A'..=b'Z').filter(|letter| !plain.as_bytes().contains(letter));
        let lists: Vec<&str> = lists.split(',').collect();
        let own = |list: &str, rank: usize| if list.contains("...") { rank + 3 - list.len() } else { 0 };
        let widest = lists.iter().zip(operands).map(|(list, operand)| own(list, operand.rank())).max().unwrap_or(0);
        let hidden: Vec<u8> = free.by_ref().take(widest).collect();
        let spelt = |list: &str, count: usize| -> Vec<u8> {
            match list.split_once("...") {
                Some((before, behind)) => [before.as_bytes(), &hidden[widest - count..], behind.as_bytes()].concat(),
                None => list.as_bytes().to_vec(),
            }
        };
        let spelt_operands: Vec<Vec<u8>> =
            lists.iter().zip(operands).map(|(list, operand)| spelt(list, own(list, operand.rank()))).collect();
        let output = output.map_or_else(
            || {
                let mut once: Vec<u8> = spelt_operands.concat();
                once.sort_unstable();
                let count = |letter: &u8| once.iter().filter(|other| *other == letter).count();
                let mut alone: Vec<u8> = once.iter().copied().filter(|letter| count(letter) == 1 && !hidden.contains(letter)).collect();
                alone.dedup();
                [hidden.clone(), alone].concat()
            },
            |output| spelt(output, widest),
        );
        Self { operands: spelt_operands, output }
    }
}

/// What the node of an `einsum` is called: by its last step, a sum where letters end there.
pub(super) fn einsum_node(equation: &str, operands: &[&RawTensor]) -> &'static str {
    let Letters { operands: lists, output } = Letters::of(equation, operands);
    // The first step takes two operands.
    let last = if lists.len() > 2 { lists.len() - 1 } else { 0 };
    let summed = lists[last..].iter().flatten().any(|letter| !output.contains(letter));
    match (lists.len(), summed) {
        (1, true) => "SumBackward1",
        (1, false) => "PermuteBackward0",
        (_, true) => "ViewBackward0",
        (_, false) => "MulBackward0",
    }
}

/// Of an operand of `einsum`: the product of the gradient and the other operands, in its letters.
fn of_operand(g: &RawTensor, letters: &Letters, operands: &[&RawTensor], place: usize) -> Result<RawTensor> {
    let own = &letters.operands[place];
    let mut unique: Vec<u8> = Vec::new();
    own.iter().for_each(|letter| {
        if !unique.contains(letter) {
            unique.push(*letter)
        }
    });
    let others = letters.operands.iter().enumerate().filter(|(other, _)| *other != place);
    let mut lists = vec![letters.output.clone()];
    let mut factors = vec![g.clone()];
    for (other, list) in others {
        lists.push(list.clone());
        factors.push(conj(operands[other])?);
    }
    let found: Vec<u8> = unique.iter().copied().filter(|letter| lists.iter().any(|list| list.contains(letter))).collect();
    let text = |list: &[u8]| list.iter().copied().map(char::from).collect::<String>();
    let equation = format!("{}->{}", lists.iter().map(|list| text(list)).collect::<Vec<_>>().join(","), text(&found));
    let factors: Vec<&RawTensor> = factors.iter().collect();
    let product = one(Function::Einsum, &[CallArgument::Text(&equation), CallArgument::Tensors(&factors)])?;
    // Letters that nothing else has were summed over: all their elements get the same.
    let size = |letter: &u8| own.iter().position(|other| other == letter).map_or(1, |dim| operands[place].sizes()[dim]);
    let mut shape = Vec::new();
    let mut dims = product.sizes().iter();
    for letter in &unique {
        shape.push(if found.contains(letter) { dims.next().copied().unwrap_or(1) } else { 1 });
    }
    let aligned = reshaped(&product, &signed(&shape))?;
    let whole: Vec<usize> = shape.iter().zip(&unique).map(|(&have, letter)| have.max(size(letter))).collect();
    let aligned = if whole == shape || whole.contains(&0) { aligned } else { expanded(&aligned, &whole)? };
    if unique.len() == own.len() {
        return Ok(aligned);
    }
    let sizes: Vec<usize> = own.iter().map(size).collect();
    placed(&aligned, &sizes, |whole| {
        let mut strides = vec![0; unique.len()];
        for (dim, letter) in own.iter().enumerate() {
            let at = unique.iter().position(|other| other == letter).unwrap_or(0);
            strides[at] += whole.strides()[dim].cast_signed();
        }
        whole.as_strided(&signed(aligned.sizes()), &strides, None)
    })
}

/// Of all operands of an `einsum`.
pub(super) fn of_einsum(
    g: &RawTensor,
    equation: &str,
    operands: &[&RawTensor],
    wants: impl Fn(usize) -> bool,
) -> Result<Vec<Option<RawTensor>>> {
    let letters = Letters::of(equation, operands);
    let each = (0..operands.len()).map(|place| if wants(place) { of_operand(g, &letters, operands, place).map(Some) } else { Ok(None) });
    each.collect()
}

/// The dimensions of a matrix in the other order.
pub(super) fn t(tensor: &RawTensor) -> Result<RawTensor> {
    if tensor.rank() < 2 { Ok(tensor.clone()) } else { permuted(tensor, &[1, 0]) }
}
