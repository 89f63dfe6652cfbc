//! What a call needs a kernel for, and which kernels belong together: those that a program is likely to need next. A build script
//! that compiles kernels ahead takes them from here, too.

use latten_spec::operation::Op;
use latten_spec::{DType, promote_types};

use super::folds::{self, FoldKernel};
use super::functions::Functions;
use super::meets::{self, MeetKernel};
use super::products::{self, ProductKernel};
use super::rows::{self, RowKernel};
use super::sorts;
use super::source::{KernelFunction, KernelOperand, KernelOutput, Unit};

/// What a call needs a kernel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// An operation of the table; what it has no operand for is `None`.
    Operation {
        /// Which.
        function: KernelFunction,
        /// How many parameters it has.
        params: usize,
        /// What it computes in.
        computing: DType,
        /// Its operands.
        operands: [Option<KernelOperand>; 3],
        /// Its result.
        output: KernelOutput,
    },
    /// A copy from one dtype to another.
    Copy(DType, DType),
    /// One element of that many bytes in all places.
    Fill(usize),
    /// Elements of that many bytes at places that tensors name.
    Places(usize),
    /// The places of what is true.
    Truths,
    /// A reduction.
    Fold(FoldKernel),
    /// What goes along one dimension.
    Rows(RowKernel),
    /// The elements of rows in order.
    Sort(DType),
    /// Keys of that many bytes in order.
    Radix(usize),
    /// What meets at one place.
    Meet(MeetKernel),
    /// A product of matrices.
    Product(ProductKernel),
}

impl Key {
    /// The kernel that does it.
    pub fn unit(&self, functions: &Functions) -> Unit {
        match *self {
            Self::Copy(from, to) => Unit::copy(from, to),
            Self::Fill(itemsize) => Unit::fill(itemsize),
            Self::Places(itemsize) => Unit::places(itemsize),
            Self::Truths => Unit::truths(),
            Self::Fold(folding) => folding.unit(functions),
            Self::Rows(rows) => rows.unit(),
            Self::Sort(dtype) => sorts::sort(dtype),
            Self::Radix(bytes) => sorts::radix(bytes),
            Self::Meet(meet) => meet.unit(),
            Self::Product(product) => product.unit(),
            Self::Operation { function, params, computing, operands, output } => {
                let operands: Vec<KernelOperand> = operands.into_iter().flatten().collect();
                Unit::operation(&function, &operands, params, computing, output)
            }
        }
    }
}

/// The kernels of an operation that programs ask for first: operands of one dtype, and numbers beside them.
pub fn variants(functions: &Functions, op: Op) -> Vec<Key> {
    let numbers: &[&[usize]] = match op.row().operands.len() {
        1 => &[&[]],
        2 => &[&[], &[1], &[0]],
        _ => &[&[], &[2], &[1, 2]],
    };
    let mut keys = Vec::new();
    for &common in DType::COMPUTING.iter().filter(|&&common| op.computes(common)) {
        for numbers in numbers {
            let mut operands = [None; 3];
            for (i, operand) in operands.iter_mut().enumerate().take(op.row().operands.len()) {
                let dtype = op.operand(i, common);
                let (number, to) = (numbers.contains(&i), dtype.computing());
                let through = if number { to } else { dtype };
                *operand = Some(KernelOperand { memory: (!number).then_some(dtype), through, to });
            }
            let result = op.result(common);
            let output = KernelOutput { from: op.given(common), through: result, memory: result };
            let Some(function) = KernelFunction::of(functions, op, common.category()) else { continue };
            keys.push(Key::Operation { function, params: op.row().params.len(), computing: common.computing(), operands, output });
        }
    }
    keys
}

/// The kernels of an operation of two operands, with dimensions, of any dtypes.
pub fn pairs(functions: &Functions, op: Op) -> Vec<Key> {
    let all = || DType::COMPUTING.iter().copied();
    let mut keys = Vec::new();
    for (left, right) in all().flat_map(|left| all().map(move |right| (left, right))) {
        let Ok(promoted) = promote_types(left, right) else { continue };
        let common = op.common(promoted, DType::F32);
        if op.computes(common) {
            let operand = |memory: DType| Some(KernelOperand { memory: Some(memory), through: common, to: common.computing() });
            let result = op.result(common);
            let output = KernelOutput { from: op.given(common), through: result, memory: result };
            let Some(function) = KernelFunction::of(functions, op, common.category()) else { continue };
            let (params, operands) = (op.row().params.len(), [operand(left), operand(right), None]);
            keys.push(Key::Operation { function, params, computing: common.computing(), operands, output });
        }
    }
    keys
}

/// The reductions of a dtype, of whole tensors and in two kernels.
pub fn folds(dtype: DType) -> Vec<Key> {
    folds::of(dtype).into_iter().map(Key::Fold).collect()
}

/// What goes along one dimension of a dtype.
pub fn rows(dtype: DType) -> Vec<Key> {
    rows::of(dtype).into_iter().map(Key::Rows).collect()
}

/// The products of a dtype.
pub fn products(dtype: DType) -> Vec<Key> {
    products::of(dtype).into_iter().map(Key::Product).collect()
}

/// The conversions from one dtype to all others.
pub fn casts(from: DType) -> Vec<Key> {
    let targets = DType::ALL.iter().filter(|to| !from.is_quantized() && !to.is_quantized());
    targets.map(|&to| Key::Copy(from, to)).collect()
}

/// One element in all places, for all sizes of elements.
pub fn fills() -> Vec<Key> {
    [1, 2, 4, 8, 16].map(Key::Fill).into()
}

/// What indexing needs, for all sizes of elements, and what sorting does.
pub fn places() -> Vec<Key> {
    at_places().into_iter().chain(in_order()).collect()
}

/// What meets at places, of a dtype.
pub fn meets(dtype: DType) -> Vec<Key> {
    meets::of(dtype).into_iter().map(Key::Meet).collect()
}

fn at_places() -> Vec<Key> {
    [1, 2, 4, 8, 16].map(Key::Places).into_iter().chain([Key::Truths]).collect()
}

fn in_order() -> Vec<Key> {
    [4, 8].map(Key::Radix).into_iter().chain(sorts::dtypes().map(Key::Sort)).collect()
}

/// What a program that needed a kernel is likely to need next, the likeliest first: the same on numbers, and on other dtypes. A user's
/// operation has no such kernels: which dtypes it is for, only its calls say.
pub fn family(functions: &Functions, key: &Key) -> Vec<Key> {
    let mut keys = match *key {
        Key::Operation { function, .. } => function.op().map(|op| variants(functions, op)).unwrap_or_default(),
        Key::Copy(from, _) => casts(from).into_iter().filter(|key| matches!(key, Key::Copy(_, to) if to.is_computing())).collect(),
        Key::Fill(_) => fills(),
        Key::Places(_) | Key::Truths => at_places(),
        Key::Sort(_) | Key::Radix(_) => in_order(),
        Key::Meet(known) => meets(known.dtype),
        Key::Fold(folding) => folding.next().into_iter().map(Key::Fold).collect(),
        Key::Rows(known) => rows(known.dtype()),
        Key::Product(product) => products(product.dtype()),
    };
    keys.extend(turned(key));
    keys.retain(|other| other != key);
    // Stable: among those that are as near, the order of the table.
    keys.sort_by_key(|other| !is_near(key, other));
    keys
}

/// The same for two operands the other way round.
fn turned(key: &Key) -> Option<Key> {
    match *key {
        Key::Operation { function, params, computing, operands: [Some(left), Some(right), None], output } => {
            Some(Key::Operation { function, params, computing, operands: [Some(right), Some(left), None], output })
        }
        _ => None,
    }
}

/// Whether all tensors of the other have dtypes of this one's.
fn is_near(key: &Key, other: &Key) -> bool {
    let (Key::Operation { operands, .. }, Key::Operation { operands: others, .. }) = (key, other) else { return true };
    let known = |dtype: DType| operands.iter().flatten().any(|operand| operand.memory == Some(dtype));
    others.iter().flatten().filter_map(|operand| operand.memory).all(known)
}
