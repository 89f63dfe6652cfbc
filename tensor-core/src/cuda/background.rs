//! Compiling in the background what is likely to be needed next, when a kernel had to be compiled. It goes to disk only.

use std::thread::current;

use latten_kernel::kernels::source::source;

use super::line::{background, ended, give_up, most, next};
use super::{FUNCTIONS, cache, compiling};
use latten_kernel::kernels::keys::Key;
use latten_kernel::nvrtc::Asked;

/// Compiles kernels to disk in the background, as far as they aren't there and the process may. Nothing of that is an error.
pub(super) fn begin(capability: (u32, u32), keys: Vec<Key>) {
    let mut background = background();
    let left = *background.left.get_or_insert_with(most);
    if left == 0 {
        return;
    }
    // What was needed last is likelier to be followed by more.
    for key in keys.into_iter().rev() {
        background.work.push_front((key, capability));
    }
    background.work.truncate(left);
    if background.running || background.work.is_empty() {
        return;
    }
    let thread = std::thread::Builder::new().name("latten-cuda".into()).spawn(work);
    background.running = thread.is_ok();
    drop(background);
    if let Err(error) = thread {
        log::debug!("latten: no thread to compile CUDA kernels ahead: {error}");
    }
}

/// What the thread does, until there is no more.
fn work() {
    /// Says that the thread has ended, should it panic.
    struct RunningThread;
    impl Drop for RunningThread {
        fn drop(&mut self) {
            ended(&mut background());
        }
    }
    let running = RunningThread;
    background().thread = Some(current().id());
    while let Some((key, capability)) = next() {
        let text = source(&[key.unit(&FUNCTIONS)]);
        let kept = cache::module_key(&text, capability);
        if !cache::is_missing(kept) || cache::packed(&text, capability).is_some() {
            continue;
        }
        match compiling::compile(&text, capability, Asked::Module) {
            Ok(module) => {
                cache::put(kept, &module);
                let mut background = background();
                background.compiled += 1;
                background.left = background.left.map(|left| left.saturating_sub(1));
            }
            Err(error) => {
                log::debug!("latten: a CUDA kernel isn't compiled ahead: {error}");
                give_up();
            }
        }
    }
    // `next` has said it.
    std::mem::forget(running);
}
