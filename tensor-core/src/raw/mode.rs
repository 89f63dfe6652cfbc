//! Whether calls of this thread are recorded for gradients, and what is looked for on the way back.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What becomes of the history of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HistoryMode {
    /// It is recorded.
    #[default]
    Recording,
    /// It isn't.
    NoGrad,
    /// It isn't, and new tensors never take part in what is recorded later.
    Inference,
    /// It is, though new tensors are as in inference mode: a scope of recording within one of inference.
    RecordingInference,
    /// A call is being computed that is recorded as a whole.
    Within,
}

impl HistoryMode {
    /// Whether calls are recorded.
    #[inline]
    pub(crate) fn records(self) -> bool {
        matches!(self, Self::Recording | Self::RecordingInference)
    }

    /// Whether new tensors are inference tensors.
    pub(crate) fn infers(self) -> bool {
        matches!(self, Self::Inference | Self::RecordingInference)
    }
}

thread_local! {
    static MODE: Cell<HistoryMode> = const { Cell::new(HistoryMode::Recording) };
}

/// How many scopes of inference there are in all threads. While there are none, calls needn't ask for their mode.
static INFERENCES: AtomicUsize = AtomicUsize::new(0);

/// The mode of this thread.
#[inline]
pub(crate) fn mode() -> HistoryMode {
    MODE.get()
}

/// Whether new tensors of this thread are inference tensors.
#[inline]
pub(crate) fn infers() -> bool {
    INFERENCES.load(Ordering::Relaxed) != 0 && mode().infers()
}

/// Keeps a mode in this thread until it is dropped.
#[derive(Debug)]
pub(crate) struct InMode {
    before: HistoryMode,
    counted: bool,
}

impl InMode {
    /// Sets the mode of this thread.
    #[inline]
    pub(crate) fn new(mode: HistoryMode) -> Self {
        let counted = mode.infers();
        if counted {
            INFERENCES.fetch_add(1, Ordering::Relaxed);
        }
        Self { before: MODE.replace(mode), counted }
    }

    /// That of the way back, which is recorded where gradients are to have gradients.
    #[inline]
    pub(crate) fn way_back(create: bool) -> Self {
        Self::new(if create { HistoryMode::Recording } else { HistoryMode::NoGrad })
    }
}

/// A mode that is kept, and then is what it was before.
pub(crate) trait KeptMode {
    /// Ends before one that began later and goes on: what was before this one is as it will be after that one.
    fn end_below(self, later: &mut Self);
}

impl KeptMode for InMode {
    fn end_below(self, later: &mut Self) {
        later.before = self.before;
        if self.counted {
            INFERENCES.fetch_sub(1, Ordering::Relaxed);
        }
        std::mem::forget(self);
    }
}

impl Drop for InMode {
    #[inline]
    fn drop(&mut self) {
        MODE.set(self.before);
        if self.counted {
            INFERENCES.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What is looked for while gradients go back, and remembered of calls for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnomalyMode {
    /// Nothing.
    #[default]
    Off,
    /// Where a node was made, to be told when it fails.
    Traced,
    /// That, and gradients that aren't numbers, which are errors.
    Checked,
}

thread_local! {
    static ANOMALIES: Cell<AnomalyMode> = const { Cell::new(AnomalyMode::Off) };
}

/// The mode of this thread.
#[inline]
pub(crate) fn anomalies() -> AnomalyMode {
    ANOMALIES.get()
}

/// Keeps a mode of anomalies in this thread until it is dropped.
#[derive(Debug)]
pub(crate) struct InAnomalyMode(AnomalyMode);

impl InAnomalyMode {
    /// Sets the mode of this thread.
    pub(crate) fn new(mode: AnomalyMode) -> Self {
        Self(ANOMALIES.replace(mode))
    }
}

impl KeptMode for InAnomalyMode {
    fn end_below(self, later: &mut Self) {
        later.0 = self.0;
        std::mem::forget(self);
    }
}

impl Drop for InAnomalyMode {
    fn drop(&mut self) {
        ANOMALIES.set(self.0);
    }
}
