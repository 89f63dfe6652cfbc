//! Arguments for every operation of the table, so large that what is made of them needs memory. What an operation takes, its signature says;
//! which tensors and numbers go together is found by trying.

use latten::by_name::{Arguments, NamedArgument, Operation};
use latten::prelude::*;
use latten::random::Generator;
use latten::tensor::SparseTensor;
use latten::{Outcome, RawTensor, Result, call};

use super::layers::Layers;

/// Elements of most operands: more bytes than are granted where each has four.
const COUNT: usize = 20_800;
/// So many that truth values of them are more, too.
const MANY: usize = 80_000;

/// What operations are run on.
#[derive(Debug)]
pub(crate) struct Operands {
    /// What stands for tensors.
    pub(crate) tensors: Vec<DynTensor>,
    pub(crate) sparse: SparseTensor,
    pub(crate) mask: DynTensor,
    /// As long as a matrix is wide.
    pub(crate) row: DynTensor,
    /// Indices along the last dimension of a matrix: as many as it has elements, and one for each column.
    pub(crate) places: [DynTensor; 2],
    /// Where a part begins.
    pub(crate) start: DynTensor,
    pub(crate) generator: Generator,
    pub(crate) layers: Layers,
}

impl Operands {
    pub(crate) fn new() -> Result<Self> {
        let numbers = |count: usize, modulus: usize| (0..count).map(move |i| (i * 7919 + 13) % modulus);
        let floats = |sizes: &[usize]| {
            let count = sizes.iter().product();
            RawTensor::from_vec(numbers(count, 1 << 20).map(|n| n as f32 / (1 << 20) as f32).collect(), sizes).map(DynTensor::from)
        };
        let places = |sizes: &[usize]| {
            RawTensor::from_vec(numbers(sizes.iter().product(), 130).map(|n| n as i64).collect(), sizes).map(DynTensor::from)
        };
        let matrix = floats(&[160, 130])?;
        let mask = matrix.gt(0.5).erase();
        let (classes, places) = (places(&[160])?, [places(&[160, 130])?, places(&[130])?]);
        let tensors = vec![
            matrix.clone(),
            matrix.t().erase(),
            places[0].clone(),
            mask.clone(),
            floats(&[MANY])?,
            floats(&[160])?,
            floats(&[140, 140])?,
            floats(&[2, 140, 140])?,
            floats(&[2, 270, 270])?,
            floats(&[160, 65, 2])?,
            floats(&[10, 8, 10, 26])?,
            matrix.to::<Complex<f32>>().erase(),
            matrix.to::<f64>().erase(),
            floats(&[])?,
            classes,
        ];
        let row = floats(&[130])?;
        let layers = Layers::new(&floats)?;
        Ok(Self {
            layers,
            row,
            sparse: matrix.to_sparse().erase(),
            places,
            start: Tensor::from(1_i64).erase(),
            tensors,
            mask,
            generator: Generator::new(),
        })
    }

    pub(crate) fn matrix(&self) -> &DynTensor {
        &self.tensors[0]
    }

    pub(crate) fn long(&self) -> &DynTensor {
        &self.tensors[4]
    }

    pub(crate) fn batch(&self) -> &DynTensor {
        &self.tensors[7]
    }

    /// The number of the tensor with the most elements.
    fn largest(&self) -> usize {
        (0..self.tensors.len()).max_by_key(|&at| self.tensors[at].numel()).unwrap_or(0)
    }

    pub(crate) fn row(&self) -> &DynTensor {
        &self.row
    }

    pub(crate) fn mask(&self) -> &DynTensor {
        &self.mask
    }

    pub(crate) fn classes(&self) -> &DynTensor {
        &self.tensors[self.tensors.len() - 1]
    }

    pub(crate) fn places(&self) -> &[DynTensor; 2] {
        &self.places
    }

    /// A copy of the tensor that stands first, unless that is sparse.
    pub(crate) fn copy(&self, choice: &Choice) -> Option<DynTensor> {
        self.tensors.get(choice.tensor).cloned()
    }

    /// The tensor that stands first; the last choice is the sparse one.
    fn first(&self, choice: &Choice) -> NamedArgument<'_> {
        self.tensors.get(choice.tensor).map_or_else(|| NamedArgument::from(&self.sparse), NamedArgument::from)
    }
}

/// How an operation is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    New,
    InPlace,
    Out,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::New, Self::InPlace, Self::Out];

    pub(crate) fn is_of(self, operation: Operation) -> bool {
        match self {
            Self::New => operation.has_new(),
            Self::InPlace => operation.has_in_place(),
            Self::Out => operation.has_out(),
        }
    }
}

/// Which of the things that may stand for an argument is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) tensor: usize,
    others: usize,
    places: usize,
    /// The first integer; those after it are greater by one each.
    int: i64,
    ints: usize,
    /// Whether arguments that could be left out are given.
    all: bool,
}

/// Lists of sizes and of dimensions.
const INTS: [&[i64]; 6] = [&[0], &[160, 130], &[1, 0], &[2, 1], &[130, 160], &[80, 80]];

/// What makes truth values or small counts on its way, of which only a larger tensor's are more than is granted.
const MASKING: [&str; 12] = [
    "dropout",
    "native_dropout",
    "alpha_dropout",
    "bernoulli",
    "bernoulli_",
    "normal",
    "init.trunc_normal_",
    "mode",
    "nanmedian",
    "histc",
    "histogram",
    "histogramdd",
];

/// All choices that differ in what the operation is given, the usual ones first.
pub(crate) fn choices(operation: Operation, form: Form, operands: &Operands) -> Vec<Choice> {
    let own = operands.layers.arguments(operation, operands);
    let signature = operation.signature();
    let up_to = |count: usize, needed: bool| if needed { 0..count } else { 0..1 };
    let count = operands.tensors.len();
    let (few, full) = (parameters(&signature, false), parameters(&signature, true));
    let first = if MASKING.contains(&operation.name()) { operands.largest() } else { 0 };
    let mut all = Vec::new();
    for given in if own.is_some() || few == full { vec![few] } else { vec![few, full] } {
        let has = |word: &str| own.is_none() && given.iter().any(|one| one.kind.contains(word) || one.name.contains(word));
        let tensors = given.iter().filter(|one| one.kind == "Tensor").count() + usize::from(operation.is_method());
        let has_others = has("tuple of Tensors") || has("") && tensors > 1;
        for ints in up_to(INTS.len(), has("tuple of ints")) {
            for int in up_to(3, has("int")) {
                for places in up_to(2, has("index") || has("indices") || has("weights") || has("repeats") || has("mode")) {
                    for tensor in up_to(count + 1, own.is_none() || form == Form::InPlace) {
                        let tensor = if tensor == 0 { first } else { tensor };
                        let others = if has_others { vec![tensor, 0, 5, 6, count - 2, count - 1, count] } else { vec![tensor] };
                        let all_given = given.iter().any(|one| one.is_optional);
                        let choice = |others| Choice { tensor, others, places, int: int as i64, ints, all: all_given };
                        all.extend(others.into_iter().map(choice));
                    }
                }
            }
        }
    }
    all
}

/// What a signature says of one argument.
#[derive(Debug, PartialEq)]
struct Parameter<'s> {
    kind: &'s str,
    name: &'s str,
    is_keyword: bool,
    is_optional: bool,
}

/// The arguments that a call is given: what could be left out only if `all`, and by keyword never.
fn parameters(signature: &str, all: bool) -> Vec<Parameter<'_>> {
    let mut is_keyword = false;
    let parts = signature.trim_matches(['(', ')']).split(", ").filter(|part| !part.is_empty());
    parts
        .filter_map(|part| {
            is_keyword |= part == "*";
            let (written, is_optional) = part.split_once(" = ").map_or((part, false), |(written, _)| (written, true));
            let (kind, name) = written.rsplit_once(' ')?;
            (!is_optional || all && !is_keyword).then_some(Parameter { kind, name, is_keyword, is_optional })
        })
        .collect()
}

/// One call, which may change a copy of its tensor or write into outputs, with an argument that has a name.
///
/// # Errors
/// The call's.
pub(crate) fn attempt<'a>(
    operation: Operation,
    form: Form,
    operands: &'a Operands,
    choice: &Choice,
    changed: &'a mut [DynTensor],
    named: Option<(&'static str, NamedArgument<'a>)>,
) -> Result<Outcome> {
    let signature = operation.signature();
    let mut ints = choice.int..;
    let is_method = operation.is_method() && !operation.is_function();
    let mut first = true;
    let name = if form == Form::InPlace { format!("{}_", operation.name().trim_end_matches('_')) } else { operation.name().to_owned() };
    let mut changed = changed.iter_mut();
    if let Some(own) = operands.layers.arguments(operation, operands) {
        let keywords = operands.layers.keywords(operation.name());
        let tensor = if form == Form::InPlace { changed.next() } else { None };
        let skipped = usize::from(tensor.is_some());
        let start = tensor.map_or_else(Arguments::new, |tensor| Arguments::new().with(tensor));
        let keywords = keywords.into_iter().chain(named);
        let given = own.into_iter().skip(skipped).fold(start, Arguments::with);
        let given = keywords.fold(given, |given, (name, value)| given.with_named(name, value));
        return call(&name, into_outputs(given, form, changed));
    }
    let mut given = Arguments::new();
    if is_method || form == Form::InPlace {
        given = match if form == Form::InPlace { changed.next() } else { None } {
            Some(tensor) => given.with(tensor),
            None => given.with(operands.first(choice)),
        };
        first = false;
    }
    let skipped = usize::from(form == Form::InPlace && !is_method);
    for Parameter { kind, name, is_keyword, .. } in parameters(&signature, choice.all).into_iter().skip(skipped) {
        let value = match (operation.name(), kind) {
            // The rows and columns of a matrix.
            ("eye", "int") => 150.into(),
            // As many bytes as there are elements to a row, of whatever dtype.
            ("view", "torch.dtype") => DType::U8.into(),
            _ => value(operands, choice, kind, name, &mut ints, std::mem::take(&mut first)),
        };
        given = if is_keyword { given.with_named(name, value) } else { given.with(value) };
    }
    if let Some((name, value)) = named {
        given = given.with_named(name, value);
    }
    call(&name, into_outputs(given, form, changed))
}

/// The arguments of a form with outputs.
fn into_outputs<'a>(given: Arguments<'a>, form: Form, changed: std::slice::IterMut<'a, DynTensor>) -> Arguments<'a> {
    if form != Form::Out {
        return given;
    }
    let outputs: Vec<NamedArgument<'_>> = changed.map(NamedArgument::from).collect();
    match <[_; 1]>::try_from(outputs) {
        Ok([out]) => given.with_named("out", out),
        Err(outputs) => given.with_named("out", outputs),
    }
}

/// What stands for one argument.
fn value<'a>(
    operands: &'a Operands,
    choice: &Choice,
    kind: &str,
    parameter: &str,
    ints: &mut std::ops::RangeFrom<i64>,
    first: bool,
) -> NamedArgument<'a> {
    let other = || operands.tensors.get(choice.others).map_or_else(|| NamedArgument::from(&operands.sparse), NamedArgument::from);
    match (kind, parameter) {
        ("Tensor", "vec" | "vec2") => (&operands.row).into(),
        ("Tensor", "mat") => (&operands.tensors[0]).into(),
        ("Tensor", "vec1") => (&operands.tensors[5]).into(),
        ("Tensor", "batch1" | "batch2") => operands.batch().into(),
        ("Tensor", "mask" | "condition") => (&operands.mask).into(),
        ("Tensor", "index" | "indices" | "repeats" | "fweights") => (&operands.places[choice.places]).into(),
        ("Tensor", "start") => (&operands.start).into(),
        ("Tensor", "aweights") => ().into(),
        ("Tensor", "input2" | "positive" | "negative" | "var") => operands.first(choice),
        ("Tensor", _) if first => operands.first(choice),
        ("Tensor", _) => other(),
        ("tuple of Tensors", "indices") => vec![&operands.places[choice.places]].into(),
        ("tuple of Tensors", "spacing") => vec![operands.first(choice)].into(),
        ("tuple of Tensors", _) => vec![operands.first(choice), other()].into(),
        ("Number", "end" | "steps") | ("int", "steps") => (COUNT as i64).into(),
        // That many numbers, or a matrix of that many columns.
        ("int", "n") => if choice.int == 0 { COUNT as i64 } else { 150 }.into(),
        // Beside integers a whole one: some operations take no other.
        ("Number", _) if operands.tensors.get(choice.tensor).is_some_and(|tensor| tensor.dtype().is_integral()) => 1.into(),
        ("Number" | "float", _) => 0.5.into(),
        ("int", "M") => (COUNT as i64).into(),
        ("int", "k" | "num_samples" | "length") => 100.into(),
        ("int", _) => ints.next().unwrap_or(0).into(),
        ("index", _) => 0.into(),
        ("Storage", _) => other(),
        ("tuple of ints", _) => INTS[choice.ints].into(),
        ("bool", _) => true.into(),
        ("torch.dtype", _) => DType::F64.into(),
        ("torch.device", _) => Device::CPU.into(),
        ("torch.memory_format", _) => MemoryFormat::Contiguous.into(),
        ("torch._C.Generator", _) => (&operands.generator).into(),
        ("tuple of tuples of ints", _) => vec![vec![0], vec![0]].into(),
        ("tuple of floats", _) => 0.5.into(),
        ("str", "ord" | "p") => "fro".into(),
        ("str", "padding") => "valid".into(),
        ("str", "interpolation") => "linear".into(),
        ("str", "side") => "left".into(),
        ("str", "indexing") => "ij".into(),
        ("str", "equation") => "ij,ij->ji".into(),
        ("str", "mode") => if choice.places == 0 { "constant" } else { "fan_in" }.into(),
        ("str", "nonlinearity") => "relu".into(),
        ("str", "reduction") => "none".into(),
        // `scatter` has other words than `scatter_reduce`.
        ("str", "reduce") => if choice.int == 0 { "sum" } else { "add" }.into(),
        ("str", "rounding_mode") => "floor".into(),
        ("str", "approximate") => "tanh".into(),
        _ => panic!("nothing stands for {kind} {parameter}"),
    }
}
