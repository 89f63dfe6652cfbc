//! Scopes in which calls are recorded for gradients, or aren't, and in which anomalies are looked for. They are of a thread, and nest.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::raw::mode::{AnomalyMode, HistoryMode, InAnomalyMode, InMode, KeptMode, anomalies, mode};
use crate::warning::warn;

/// Keeps a mode of recording, or of anomalies, in this thread until it is dropped; guards may be dropped in any order.
#[derive(Debug)]
#[must_use = "the scope ends with the guard: write `let _guard = …` (`let _ = …` drops it at once)"]
pub struct Guard {
    number: u64,
    thread: PhantomData<*const ()>,
}

/// The scopes of a thread, by the numbers of their guards, in the order in which they began.
struct Scopes {
    begun: u64,
    recording: Vec<(u64, InMode)>,
    anomalies: Vec<(u64, InAnomalyMode)>,
}

thread_local! {
    static SCOPES: RefCell<Scopes> = const { RefCell::new(Scopes { begun: 0, recording: Vec::new(), anomalies: Vec::new() }) };
}

impl Guard {
    fn new(begin: impl FnOnce(&mut Scopes)) -> Self {
        let number = SCOPES.with_borrow_mut(|scopes| {
            scopes.begun += 1;
            begin(scopes);
            scopes.begun
        });
        Self { number, thread: PhantomData }
    }

    fn recording(mode: HistoryMode) -> Self {
        Self::new(|scopes| scopes.recording.push((scopes.begun, InMode::new(mode))))
    }
}

/// Ends a scope, if it is one of these.
fn end<M: KeptMode>(open: &mut Vec<(u64, M)>, number: u64) {
    let Some(at) = open.iter().rposition(|(own, _)| *own == number) else { return };
    let (_, ended) = open.remove(at);
    if let Some((_, later)) = open.get_mut(at) {
        ended.end_below(later);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // While a thread ends its scopes are gone already.
        let _ = SCOPES.try_with(|scopes| {
            let mut scopes = scopes.borrow_mut();
            end(&mut scopes.recording, self.number);
            end(&mut scopes.anomalies, self.number);
        });
    }
}

/// Whether gradients that aren't numbers are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanCheck {
    /// They go on.
    No,
    /// They are.
    Yes,
}

/// While the guard lives, nodes remember where they were made, and `backward` refuses gradients that aren't numbers: PyTorch's
/// `torch.autograd.detect_anomaly()`, of this thread. What fails on the way back is told by a warning with the calls that made the node.
///
/// ```
/// # use latten_core::{grad, tensor::Tensor};
/// let mut x = Tensor::from([-1.0_f32, 4.0]);
/// x.requires_grad_();
/// let failed = grad::within(grad::detect_anomaly(), || x.sqrt().sum().backward());
/// assert_eq!(failed.expect_err("of -1").to_string(), "Function 'SqrtBackward0' returned nan values in its 0th output.");
/// ```
pub fn detect_anomaly() -> Guard {
    warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.");
    set_detect_anomaly(true, NanCheck::Yes)
}

/// The same without a warning, with or without a check of gradients, or nothing of that: PyTorch's `torch.autograd.set_detect_anomaly`.
pub fn set_detect_anomaly(enabled: bool, check_nan: NanCheck) -> Guard {
    let mode = match (enabled, check_nan) {
        (false, _) => AnomalyMode::Off,
        (true, NanCheck::No) => AnomalyMode::Traced,
        (true, NanCheck::Yes) => AnomalyMode::Checked,
    };
    Guard::new(|scopes| scopes.anomalies.push((scopes.begun, InAnomalyMode::new(mode))))
}

/// Whether anomalies are looked for.
#[must_use]
pub fn is_anomaly_enabled() -> bool {
    anomalies() != AnomalyMode::Off
}

as_written! {
    /// Nothing is recorded while the guard lives: PyTorch's `torch.no_grad()`.
    ///
    /// ```
    /// # use latten_core::{grad, tensor::Tensor};
    /// let mut x = Tensor::from([1.0_f32, 2.0]);
    /// x.requires_grad_();
    /// let quiet = {
    ///     let _scope = grad::no_grad();
    ///     &x * 2.0
    /// };
    /// assert!(!quiet.requires_grad());
    /// assert!((&x * 2.0).requires_grad());
    /// ```
    pub fn no_grad() -> Guard { // { let _guard = no_grad(); … }, or grad::within(no_grad(), || …)
        set_grad_enabled(false)
    }
}

/// Calls are recorded while the guard lives, also within a scope in which they aren't.
pub fn enable_grad() -> Guard {
    set_grad_enabled(true)
}

/// Calls are recorded while the guard lives, or aren't.
pub fn set_grad_enabled(enabled: bool) -> Guard {
    Guard::recording(match (mode().infers(), enabled) {
        (true, true) => HistoryMode::RecordingInference,
        (true, false) => HistoryMode::Inference,
        (false, true) => HistoryMode::Recording,
        (false, false) => HistoryMode::NoGrad,
    })
}

/// Nothing is recorded while the guard lives, and new tensors never take part in what is recorded later.
pub fn inference_mode() -> Guard {
    Guard::recording(HistoryMode::Inference)
}

/// What a function gives within a scope.
///
/// ```
/// # use latten_core::{grad, tensor::Tensor};
/// # let mut x = Tensor::from([1.0_f32, 2.0]);
/// # x.requires_grad_();
/// let quiet = grad::within(grad::no_grad(), || &x * 2.0);
/// assert!(!quiet.requires_grad());
/// ```
pub fn within<R>(scope: Guard, compute: impl FnOnce() -> R) -> R {
    let result = compute();
    drop(scope);
    result
}

/// Whether calls of this thread are recorded.
#[must_use]
pub fn is_grad_enabled() -> bool {
    mode().records()
}

/// Whether new tensors of this thread never take part in what is recorded later.
#[must_use]
pub fn is_inference_mode_enabled() -> bool {
    mode().infers()
}
