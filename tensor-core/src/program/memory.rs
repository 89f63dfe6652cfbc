//! What was decided of the last programs of a thread: an expression in a loop is decided once, as long as its numbers and the dtypes and
//! shapes of its operands stay.

use std::cell::RefCell;
use std::rc::Rc;

use latten_spec::DType;
use smallvec::SmallVec;

use super::{Action, Argument, Decided, ProgramCall, Step};
use crate::dtype::promotion_default;
use crate::geometry::Dims;
use crate::raw::RawTensor;
use crate::strictness::{self, Strictness};
use crate::warning::warns_of_broadcasting;

/// How many programs a thread remembers.
const PROGRAMS: usize = 8;
/// Longer programs take longer to compare, and to compute.
const MOST_STEPS: usize = 64;

/// A program that was decided, and all that the decision came from.
struct KnownProgram {
    steps: Vec<Step>,
    more: SmallVec<[usize; 4]>,
    operands: SmallVec<[Option<(DType, Dims, Dims)>; 4]>,
    rules: (DType, Strictness),
    decided: Rc<Decided>,
}

thread_local! {
    /// The last one to be used comes first.
    static KNOWN: RefCell<Vec<KnownProgram>> = const { RefCell::new(Vec::new()) };
}

fn rules() -> (DType, Strictness) {
    (promotion_default(), strictness::current())
}

/// Whether decisions on a program are kept. Warnings are for every call.
fn is_kept(call: &ProgramCall<'_>) -> bool {
    call.program.steps.len() <= MOST_STEPS && !warns_of_broadcasting()
}

/// What was decided of such a call.
pub(super) fn recall(call: &ProgramCall<'_>) -> Option<Rc<Decided>> {
    if !is_kept(call) {
        return None;
    }
    let recalled = KNOWN.try_with(|known| {
        let mut known = known.borrow_mut();
        let place = known.iter().position(|known| known.is_of(call))?;
        known[..=place].rotate_right(1);
        Some(known[0].decided.clone())
    });
    recalled.ok().flatten()
}

/// Remembers what was decided of a call.
pub(super) fn keep(call: &ProgramCall<'_>, decided: &Rc<Decided>) {
    if !is_kept(call) {
        return;
    }
    let operand = |tensor: &RawTensor| (tensor.dtype(), tensor.geometry().sizes.clone(), tensor.strides().clone());
    let new = KnownProgram {
        steps: call.program.steps.clone(),
        more: call.program.more.clone(),
        operands: call.operands.iter().map(|tensor| tensor.map(operand)).collect(),
        rules: rules(),
        decided: decided.clone(),
    };
    // Where the thread ends its memory may be gone.
    let _ = KNOWN.try_with(|known| {
        let mut known = known.borrow_mut();
        known.truncate(PROGRAMS - 1);
        known.insert(0, new);
    });
}

impl KnownProgram {
    fn is_of(&self, call: &ProgramCall<'_>) -> bool {
        let operand = |(own, tensor): (&Option<(DType, Dims, Dims)>, &Option<&RawTensor>)| match (own, tensor) {
            (Some((dtype, sizes, strides)), Some(tensor)) => {
                *dtype == tensor.dtype() && **sizes == *tensor.sizes() && strides == tensor.strides()
            }
            (None, None) => true,
            _ => false,
        };
        let steps = &call.program.steps;
        self.steps.len() == steps.len()
            && self.more == call.program.more
            && self.operands.len() == call.operands.len()
            && self.rules == rules()
            && self.operands.iter().zip(call.operands).all(operand)
            && self.steps.iter().zip(steps).all(|(own, step)| is_same_step(own, step))
    }
}

fn is_same_step(left: &Step, right: &Step) -> bool {
    let actions = match (&left.action, &right.action) {
        (Action::Cast(left), Action::Cast(right)) => left == right,
        (Action::Apply(left, params), Action::Apply(right, others)) => left.is_same(*right) && params.is_same(others),
        _ => false,
    };
    let argument = |(left, right): (&Argument, &Argument)| match (left, right) {
        (Argument::Number(left), Argument::Number(right)) => left.is_same(*right),
        _ => left == right,
    };
    actions && left.arguments.len() == right.arguments.len() && left.arguments.iter().zip(&right.arguments).all(argument)
}
