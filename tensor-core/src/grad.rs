//! Gradients: in which scopes calls are recorded, and what goes back through what was recorded.
//!
//! What a tensor knows of its history is in `raw/history.rs`; `call/recording.rs` writes it when calls are made. Here it is read: `engine` goes
//! back through a graph, `backward` checks what it is asked for, `leaves` is what tensors are told and asked; `check`
//! compares gradients with differences.

mod backward;
mod check;
mod engine;
mod gathering;
mod leaves;
mod run;
mod scopes;

pub(crate) use backward::{Asked, Unused, backward, gradients};
pub use check::Tolerances;
pub(crate) use check::{check, check_twice};
pub use leaves::HookHandle;
pub(crate) use leaves::{
    ONLY_FLOATING, detach_in_place, grad, grad_fn, is_leaf, register_after, register_hook, requires_grad, retain_grad, retains_grad,
    set_grad, set_requires_grad, version,
};
pub use scopes::{
    Guard, NanCheck, detect_anomaly, enable_grad, inference_mode, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_detect_anomaly, set_grad_enabled, within,
};
