//! Warnings: what PyTorch says without refusing. They go to the `log` crate, or to a hook.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::process::{PerProcess, left_behind, locked};

/// What is done with a warning.
pub type Hook = Box<dyn Fn(&str) + Send + Sync>;

static HOOK: PerProcess<Mutex<Option<Arc<Hook>>>> = PerProcess::new(Mutex::default, left_behind);
static BROADCASTING: AtomicBool = AtomicBool::new(false);
static DISCARDED: AtomicBool = AtomicBool::new(false);

/// Sends warnings to a function; without one they go to `log::warn!`. The function may do whatever it likes, also compute with tensors and
/// set another hook: nothing is locked while it is called. It may be called by several threads at once, and still be at work when another hook
/// has been set.
pub fn set_hook(hook: Option<Hook>) {
    // What is dropped may have a destructor of the user's: not under the lock.
    let before = std::mem::replace(&mut *locked(HOOK.get()), hook.map(Arc::new));
    drop(before);
}

/// Whether an operation warns where tensors of different shapes but equally many elements broadcast, as old programs may not
/// expect. Off by default.
pub fn warn_of_broadcasting(on: bool) {
    BROADCASTING.store(on, Ordering::Relaxed);
}

/// Whether that is so.
pub(crate) fn warns_of_broadcasting() -> bool {
    BROADCASTING.load(Ordering::Relaxed)
}

/// Gives a warning.
pub(crate) fn warn(message: &str) {
    let hook = locked(HOOK.get()).clone();
    match hook {
        Some(hook) => hook(message),
        None => log::warn!(target: "latten", "{message}"),
    }
}

/// Warns where shapes broadcast that PyTorch once took for equally long vectors.
pub(crate) fn broadcasting(shapes: &[&[usize]]) {
    if !warns_of_broadcasting() {
        return;
    }
    let elements = |sizes: &[usize]| sizes.iter().fold(1, |count: usize, &size| count.saturating_mul(size));
    if let [lhs @ [_, ..], rhs @ [_, ..]] = shapes
        && lhs != rhs
        && elements(lhs) == elements(rhs)
    {
        warn(
            "self and other do not have the same shape, but are broadcastable, and have the same number of elements.\n\
             Changing behavior in a backwards incompatible manner to broadcasting rather than viewing as 1-dimensional.",
        );
    }
}

/// Warns, once in a program, where complex numbers become real ones.
pub(crate) fn imaginary_parts_discarded() {
    if !DISCARDED.swap(true, Ordering::Relaxed) {
        warn("Casting complex values to real discards the imaginary part");
    }
}

/// Warns of an output that lost the shape of its elements.
pub(crate) fn output_resized(from: &[usize], to: &[usize]) {
    warn(&format!(
        "An output with one or more elements was resized since it had shape {from:?}, which does not match the required output shape \
         {to:?}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. \
         You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
    ));
}
