//! The kernels of a device: found by what a call needs, else in a pack, else loaded from disk, else compiled. What was compiled is kept for
//! all processes, and what is likely to be needed next is compiled in the background (`background`).
#![expect(unsafe_code, reason = "calls the driver")]

use std::ffi::CString;
use std::ptr;

use latten_kernel::kernels::source::{MOST_WALKS, Recipe, Unit, source};
use latten_kernel::kernels::{keys, pack as packs};
use latten_kernel::nvrtc::Asked;

use super::context::Context;
pub(crate) use latten_kernel::kernels::keys::Key;

use super::cache::{module_key, packed};
use super::driver::{Handle, call};
pub(crate) use super::loaded::LoadedKernel;
use super::{FUNCTIONS, background, cache, compiling, line};
use crate::error::{Error, Result};

/// The kernel for a call, compiled if it must be.
///
/// # Errors
/// Where there is neither a compiled kernel nor NVRTC, and where the driver doesn't take the kernel.
pub(crate) fn kernel(context: &'static Context, key: &Key) -> Result<LoadedKernel> {
    if let Some(kernel) = context.library.lock().by_key.get(key) {
        return Ok(*kernel);
    }
    let unit = key.unit(&FUNCTIONS);
    // Not under the lock: other kernels can be used meanwhile. Two threads that compile the same do no harm.
    let (kernel, origin) = kernel_of(context, &unit)?;
    context.library.lock().by_key.insert(*key, kernel);
    if origin == Origin::Compiled {
        background::begin(context.properties().capability, keys::family(&FUNCTIONS, key));
    }
    Ok(kernel)
}

/// The kernel for an expression, compiled if it must be. Its text is only written for the first call of a kind.
///
/// # Errors
/// As [`kernel`].
pub(crate) fn kernel_of_recipe(context: &'static Context, recipe: Recipe) -> Result<LoadedKernel> {
    if let Some(kernel) = context.library.lock().by_recipe.get(&recipe) {
        return Ok(*kernel);
    }
    let (kernel, _) = kernel_of(context, &Unit::program(&recipe))?;
    context.library.lock().by_recipe.insert(recipe, kernel);
    Ok(kernel)
}

/// Where a kernel was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the process, in a pack or on disk.
    Kept,
    /// Nowhere.
    Compiled,
}

fn kernel_of(context: &'static Context, unit: &Unit) -> Result<(LoadedKernel, Origin)> {
    let known = context.library.lock().by_stem.get(&unit.stem).copied();
    known.map_or_else(|| load(context, std::slice::from_ref(unit)), |kernel| Ok((kernel, Origin::Kept)))
}

/// Compiles kernels as one module, into a pack that [`cache`] reads.
///
/// # Errors
/// Where there is no NVRTC.
pub(crate) fn pack(units: &[Unit], capability: (u32, u32)) -> Result<Vec<u8>> {
    let mut pack = Vec::new();
    let module = compiling::compile(&source(units), capability, Asked::Module)?;
    let keys: Vec<u128> = units.iter().map(|unit| module_key(&source(std::slice::from_ref(unit)), capability)).collect();
    packs::append(&mut pack, &keys, &module);
    Ok(pack)
}

/// Loads kernels as one module, compiled if it must be, and returns the last.
///
/// # Errors
/// As [`kernel`].
pub(crate) fn load(context: &'static Context, units: &[Unit]) -> Result<(LoadedKernel, Origin)> {
    let text = source(units);
    let capability = context.properties().capability;
    if let Some(module) = packed(&text, capability) {
        match take_packed(context, module, units) {
            Ok(kernel) => return Ok((kernel, Origin::Kept)),
            Err(error) => log::debug!("latten: a CUDA kernel of a pack isn't used: {error}"),
        }
    }
    let key = module_key(&text, capability);
    if let Some(module) = cache::get(key) {
        match take(context, &module, units) {
            Ok(kernel) => {
                context.library.lock().loaded += 1;
                return Ok((kernel, Origin::Kept));
            }
            Err(error) => {
                log::debug!("latten: a kept CUDA kernel is made again: {error}");
                cache::remove(key);
            }
        }
    }
    let module = {
        let _first = line::Foreground::new();
        compiling::compile(&text, capability, Asked::Module)?
    };
    let kernel = take(context, &module, units)?;
    cache::put(key, &module);
    context.library.lock().compiled += 1;
    Ok((kernel, Origin::Compiled))
}

/// Gives a module of a pack to the driver, once.
fn take_packed(context: &Context, module: &'static [u8], units: &[Unit]) -> Result<LoadedKernel> {
    let known = context.library.lock().packed.get(&module.as_ptr().addr()).copied();
    let raw = match known {
        Some(raw) => raw,
        None => {
            let raw = load_module(context, module)?;
            let mut library = context.library.lock();
            library.loaded += 1;
            library.packed.insert(module.as_ptr().addr(), raw);
            raw
        }
    };
    functions(context, raw, units)
}

/// Gives a module to the driver, for the rest of the process.
fn take(context: &Context, module: &[u8], units: &[Unit]) -> Result<LoadedKernel> {
    functions(context, load_module(context, module)?, units)
}

fn load_module(context: &Context, module: &[u8]) -> Result<Handle> {
    context.enter()?;
    if module.is_empty() {
        return Err(Error::runtime("a module without bytes"));
    }
    let mut raw = ptr::null_mut();
    call!(cuModuleLoadData(&raw mut raw, module.as_ptr().cast()))?;
    Ok(Handle(raw.cast()))
}

/// The kernels of a module, of which the last is returned.
fn functions(context: &Context, module: Handle, units: &[Unit]) -> Result<LoadedKernel> {
    context.enter()?;
    let mut last = None;
    for unit in units {
        let mut functions = [Handle(ptr::null_mut()); MOST_WALKS];
        for (place, symbol) in functions.iter_mut().zip(unit.symbols()) {
            let symbol = CString::new(symbol).map_err(|_| Error::value("a symbol has a NUL"))?;
            let mut function = ptr::null_mut();
            call!(cuModuleGetFunction(&raw mut function, module.0.cast(), symbol.as_ptr()))?;
            *place = Handle(function.cast());
        }
        let kernel = LoadedKernel { functions, width: unit.width };
        context.library.lock().by_stem.insert(unit.stem.clone(), kernel);
        last = Some(kernel);
    }
    last.ok_or_else(|| Error::value("no kernels to load"))
}
