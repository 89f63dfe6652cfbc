//! Every operation with arguments that go together.

use latten::by_name::{NamedArgument, Operation};
use latten::{DeviceType, Result, operations};

use super::arguments::{Choice, Form, Operands, attempt, choices};

/// A call in one form.
pub(crate) struct Attempt<'a> {
    pub(crate) operation: Operation,
    pub(crate) form: Form,
    pub(crate) operands: &'a Operands,
    pub(crate) choice: &'a Choice,
}

impl Attempt<'_> {
    /// Makes it, with one more argument.
    pub(crate) fn run(&self, named: Option<(&'static str, NamedArgument<'static>)>) -> Result<()> {
        let Self { operation, form, operands, choice } = *self;
        let mut changed: Vec<_> = if form == Form::InPlace { operands.copy(choice).into_iter().collect() } else { Vec::new() };
        attempt(operation, form, operands, choice, &mut changed, named).map(drop)
    }

    /// The first one that is taken.
    pub(crate) fn fitting(operation: Operation, operands: &Operands) -> Option<(Form, Choice)> {
        let forms = Form::ALL.into_iter().filter(|form| *form != Form::Out && form.is_of(operation));
        let mut all = forms.flat_map(|form| choices(operation, form, operands).into_iter().map(move |choice| (form, choice)));
        all.find(|(form, choice)| Attempt { operation, form: *form, operands, choice }.run(None).is_ok())
    }
}

/// Whether it takes no tensor, and is told what it makes by an argument.
pub(crate) fn makes_by(argument: &str, operation: Operation) -> bool {
    let signature = operation.signature();
    operation.is_function() && !signature.contains("(Tensor") && signature.contains(&format!(" {argument} = "))
}

/// What needs memory that only a driver gives; and what the number of elements decides.
const LEFT_OUT: [&str; 2] = ["pin_memory", "randperm"];

pub(crate) fn asked() -> impl Iterator<Item = Operation> {
    operations().filter(|operation| !LEFT_OUT.contains(&operation.name()))
}

/// What rows say of a device and calls don't, and of how many both say the same.
pub(crate) fn on_device(device: &'static str, kind: DeviceType) -> Result<(Vec<String>, usize)> {
    let operands = Operands::new()?;
    let there = operands.map(&|tensor| tensor.to_device(device))?;
    let (mut wrong, mut right) = (Vec::new(), 0);
    for operation in asked() {
        let name = format!("{}{}", operation.name(), operation.signature());
        let (form, choice) = Attempt::fitting(operation, &operands).unwrap_or_else(|| panic!("{name} takes nothing"));
        let named = makes_by("device", operation).then(|| ("device", NamedArgument::from(device)));
        let found = Attempt { operation, form, operands: &there, choice: &choice }.run(named);
        if operation.devices().contains(&kind) == found.is_ok() {
            right += 1;
        } else {
            wrong.push(format!("{name} says {:?}, and gives {found:?}", operation.devices()));
        }
    }
    Ok((wrong, right))
}
