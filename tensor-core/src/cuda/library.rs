//! The kernels of a device: found by what a call needs, else loaded from disk, else compiled. What was compiled is kept for all processes.
#![expect(unsafe_code, reason = "calls the driver")]

use std::collections::HashMap;
use std::ffi::CString;
use std::ptr;

use tensor_spec::operation::Op;
use tensor_spec::{DType, promote_types};

use super::driver::{Context, Handle, call};
use super::folds::Folding;
use super::products::Product;
use super::rows::Rows;
use super::source::{Function, Operand, Output, Unit, Walk, source};
use super::{cache, compiler, folds, products, rows};
use crate::error::{Error, Result};

/// What a call needs a kernel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// An operation of the table; what it has no operand for is `None`.
    Operation { function: Function, params: usize, computing: DType, operands: [Option<Operand>; 3], output: Output },
    /// A copy from one dtype to another.
    Copy(DType, DType),
    /// One element of so many bytes in all places.
    Fill(usize),
    /// A reduction.
    Fold(Folding),
    /// What goes along one dimension.
    Rows(Rows),
    /// A product of matrices.
    Product(Product),
}

impl Key {
    /// The kernel that does it.
    ///
    /// # Errors
    /// Never so far.
    pub(crate) fn unit(&self) -> Result<Unit> {
        match *self {
            Self::Copy(from, to) => Ok(Unit::copy(from, to)),
            Self::Fill(itemsize) => Ok(Unit::fill(itemsize)),
            Self::Fold(folding) => Ok(folding.unit()),
            Self::Rows(rows) => Ok(rows.unit()),
            Self::Product(product) => Ok(product.unit()),
            Self::Operation { function, params, computing, operands, output } => {
                let operands: Vec<Operand> = operands.into_iter().flatten().collect();
                Ok(Unit::operation(&function, &operands, params, computing, output))
            }
        }
    }
}

/// The kernels of an operation that programs ask for first: operands of one dtype, and numbers beside them.
pub(crate) fn variants(op: Op) -> Vec<Key> {
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
                *operand = Some(Operand { memory: (!number).then_some(dtype), through, to });
            }
            let result = op.result(common);
            let output = Output { from: op.given(common), through: result, memory: result };
            let Some(function) = Function::of(op, common.category()) else { continue };
            keys.push(Key::Operation { function, params: op.row().params.len(), computing: common.computing(), operands, output });
        }
    }
    keys
}

/// The kernels of an operation of two operands, with dimensions, of any dtypes.
pub(crate) fn pairs(op: Op) -> Vec<Key> {
    let all = || DType::COMPUTING.iter().copied();
    let mut keys = Vec::new();
    for (left, right) in all().flat_map(|left| all().map(move |right| (left, right))) {
        let Ok(promoted) = promote_types(left, right) else { continue };
        let common = op.common(promoted, DType::F32);
        if op.computes(common) {
            let operand = |memory: DType| Some(Operand { memory: Some(memory), through: common, to: common.computing() });
            let result = op.result(common);
            let output = Output { from: op.given(common), through: result, memory: result };
            let Some(function) = Function::of(op, common.category()) else { continue };
            let (params, operands) = (op.row().params.len(), [operand(left), operand(right), None]);
            keys.push(Key::Operation { function, params, computing: common.computing(), operands, output });
        }
    }
    keys
}

/// The reductions of a dtype.
pub(crate) fn folds(dtype: DType) -> Vec<Key> {
    folds::of(dtype).into_iter().map(Key::Fold).collect()
}

/// What goes along one dimension of a dtype.
pub(crate) fn rows(dtype: DType) -> Vec<Key> {
    rows::of(dtype).into_iter().map(Key::Rows).collect()
}

/// The products of a dtype.
pub(crate) fn products(dtype: DType) -> Vec<Key> {
    products::of(dtype).into_iter().map(Key::Product).collect()
}

/// A kernel that is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    functions: [Handle; 3],
    /// Elements that a thread takes at a time, where they lie side by side.
    pub(crate) width: usize,
}

impl Kernel {
    /// The function of one walk.
    pub(crate) fn function(&self, walk: Walk) -> Handle {
        self.functions[walk as usize]
    }

    /// The function of one walk of another family, by its number among the walks of the unit.
    pub(crate) fn numbered(&self, walk: usize) -> Handle {
        self.functions[walk]
    }
}

/// The kernels that a device has loaded.
#[derive(Debug, Default)]
pub(crate) struct Library {
    by_key: HashMap<Key, Kernel>,
    by_stem: HashMap<String, Kernel>,
    /// Kernels that were compiled in this process, and those that came from disk.
    pub(crate) compiled: usize,
    pub(crate) loaded: usize,
}

/// The kernel for a call, compiled if it must be.
///
/// # Errors
/// Where there is neither a compiled kernel nor NVRTC, and where the driver doesn't take the kernel.
pub(crate) fn kernel(context: &'static Context, key: &Key) -> Result<Kernel> {
    if let Some(kernel) = context.library.lock().by_key.get(key) {
        return Ok(*kernel);
    }
    let unit = key.unit()?;
    // Not under the lock: other kernels can be used meanwhile. Two threads that compile the same do no harm.
    let kernel = kernel_of(context, &unit)?;
    context.library.lock().by_key.insert(*key, kernel);
    Ok(kernel)
}

/// The kernel of a unit, compiled if it must be.
///
/// # Errors
/// As [`kernel`].
pub(crate) fn kernel_of(context: &'static Context, unit: &Unit) -> Result<Kernel> {
    let known = context.library.lock().by_stem.get(&unit.stem).copied();
    known.map_or_else(|| load(context, std::slice::from_ref(unit)), Ok)
}

/// What a module is kept by.
fn module_key(text: &str, capability: (u32, u32)) -> u128 {
    cache::hash(&[text.as_bytes(), compiler::fingerprint(capability).as_bytes()])
}

/// Compiles kernels, each as a module of its own, into a pack that [`cache`] reads.
///
/// # Errors
/// Where there is no NVRTC.
pub(crate) fn pack(units: &[Unit], capability: (u32, u32)) -> Result<Vec<u8>> {
    let mut pack = Vec::new();
    for unit in units {
        let text = source(std::slice::from_ref(unit));
        let module = compiler::compile(&text, capability, &[])?;
        cache::append(&mut pack, module_key(&text, capability), &module);
    }
    Ok(pack)
}

/// Loads kernels as one module, compiled if it must be, and returns the last.
///
/// # Errors
/// As [`kernel`].
pub(crate) fn load(context: &'static Context, units: &[Unit]) -> Result<Kernel> {
    let text = source(units);
    let capability = context.properties().capability;
    let key = module_key(&text, capability);
    if let Some(module) = cache::get(key) {
        match take(context, &module, units) {
            Ok(kernel) => {
                context.library.lock().loaded += 1;
                return Ok(kernel);
            }
            Err(error) => {
                log::debug!("latten: a kept CUDA kernel is made again: {error}");
                cache::remove(key);
            }
        }
    }
    let module = compiler::compile(&text, capability, &[])?;
    let kernel = take(context, &module, units)?;
    cache::put(key, &module);
    context.library.lock().compiled += 1;
    Ok(kernel)
}

/// Gives a module to the driver, for the rest of the process.
fn take(context: &Context, module: &[u8], units: &[Unit]) -> Result<Kernel> {
    context.enter()?;
    let mut raw = ptr::null_mut();
    call!(cuModuleLoadData(&raw mut raw, module.as_ptr().cast()))?;
    let mut last = None;
    for unit in units {
        let mut functions = [Handle(ptr::null_mut()); 3];
        for (place, symbol) in functions.iter_mut().zip(unit.symbols()) {
            let symbol = CString::new(symbol).map_err(|_| Error::value("a symbol has a NUL"))?;
            let mut function = ptr::null_mut();
            call!(cuModuleGetFunction(&raw mut function, raw, symbol.as_ptr()))?;
            *place = Handle(function.cast());
        }
        let kernel = Kernel { functions, width: unit.width };
        context.library.lock().by_stem.insert(unit.stem.clone(), kernel);
        last = Some(kernel);
    }
    last.ok_or_else(|| Error::value("no kernels to load"))
}
