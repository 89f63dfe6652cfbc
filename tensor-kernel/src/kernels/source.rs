//! The text of kernels: a body for the dtypes of one call, around the device functions of the tables, and the three walks of the prelude.
//! The same call always gives the same text and the same symbol. What compiles it is `nvrtc`; what loads and runs it, the run time's.

use std::fmt::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use latten_spec::dtype::Float8Format;
use latten_spec::operation::Op;
use latten_spec::step::{self, Argument};
use latten_spec::{Category, DType};

use super::functions::Functions;
use super::pack::hash;
use crate::words::{WORDS, Word};

/// What every text begins with: numbers and their words, complex ones, the walks over elements, and the names of 8-bit floats.
pub static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    [&*words(), include_str!("prelude.cuh"), include_str!("complex.cuh"), include_str!("walks.cuh"), &*floats_of_8_bits()].concat()
});

/// The words that are functions of CUDA, for macros by how many numbers they take; and those of them that complex numbers have, too.
fn words() -> String {
    let (mut floats, mut complex) = (String::new(), String::new());
    for Word { symbol, arguments, cuda, takes, .. } in WORDS {
        let Some(cuda) = cuda else { continue };
        _ = write!(floats, " WORD_{arguments}({symbol}, {cuda}f, {cuda})");
        if takes.contains(Category::Complex) {
            _ = write!(complex, " WORD({symbol})");
        }
    }
    format!("#define FLOAT_WORDS(WORD_1, WORD_2, WORD_3){floats}\n#define COMPLEX_WORDS(WORD){complex}\n")
}

fn floats_of_8_bits() -> String {
    let mut text = "\nnamespace latten {\n".to_owned();
    for (dtype, format) in DType::ALL.iter().filter_map(|dtype| Some((*dtype, dtype.float8()?))) {
        let Float8Format { mantissa, bias, greatest, beyond, one_zero } = format;
        _ = writeln!(text, "typedef float8<{mantissa}, {bias}, {greatest}, {beyond}, {one_zero}> {};", in_registers(dtype));
    }
    text + "} // namespace latten\n"
}

/// A device function.
#[derive(Clone, Copy, Debug)]
pub struct KernelFunction {
    /// The operation's name.
    operation: &'static str,
    category: Category,
    /// Whether the operation is a user's, which may have any name.
    own: bool,
    /// All functions of the operation.
    text: &'static str,
}

/// Texts are long, and mostly the same one.
impl PartialEq for KernelFunction {
    fn eq(&self, other: &Self) -> bool {
        let same_text = || std::ptr::eq(self.text, other.text) || self.text == other.text;
        (self.operation, self.category, self.own) == (other.operation, other.category, other.own) && same_text()
    }
}

impl Eq for KernelFunction {}

/// Without the text.
impl std::hash::Hash for KernelFunction {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.operation, self.category).hash(state);
    }
}

impl KernelFunction {
    /// The function of an operation on numbers of a category.
    #[must_use]
    pub fn of(functions: &Functions, op: Op, category: Category) -> Option<Self> {
        Some(Self { operation: op.name(), category, own: false, text: functions.operation(op, category)? })
    }

    /// The operation of the table whose function it is.
    pub fn op(&self) -> Option<Op> {
        if self.own { None } else { Op::parse(self.operation) }
    }

    /// The function of a user's operation.
    pub fn own(operation: &'static str, text: &'static str, category: Category) -> Self {
        Self { operation, category, own: true, text }
    }

    /// What calls it.
    fn name(&self) -> String {
        let home = self.home().map(|home| home + "::").unwrap_or_default();
        format!("{home}{}_{}", self.operation, format!("{:?}", self.category).to_lowercase())
    }

    /// What symbols begin with: of a user's operation also what tells it from others of its name.
    fn stem(&self) -> String {
        let home = self.home().map(|home| home + "_").unwrap_or_default();
        format!("{home}{}", self.operation)
    }

    /// The namespace of a user's operation: it may have any name, and one expression several of a name.
    fn home(&self) -> Option<String> {
        self.own.then(|| format!("own_{:016x}", hash(&[self.text.as_bytes()]) as u64))
    }

    /// Its definition.
    fn definition(&self) -> Definition {
        Definition { home: self.home(), text: self.text }
    }
}

/// Device functions that a kernel calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The namespace that they are in.
    home: Option<String>,
    text: &'static str,
}

impl From<&'static str> for Definition {
    fn from(text: &'static str) -> Self {
        Self { home: None, text }
    }
}

/// Elements at places that tensors name.
const PLACES: &str = include_str!("places.cuh");

/// How a kernel walks over the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalkKind {
    /// Every operand lies in the order of the walk, or is one element.
    Dense,
    /// The same along the innermost dimension, several elements at a time.
    Rows,
    /// Any strides.
    Strided,
}

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelOperand {
    /// Its dtype in memory; a number is given in the dtype that the operation takes.
    pub memory: Option<DType>,
    /// A dtype that it is rounded to on its way.
    pub through: DType,
    /// The dtype that the operation takes.
    pub to: DType,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelOutput {
    /// The dtype that the operation gives.
    pub from: DType,
    /// A dtype that it is rounded to on its way.
    pub through: DType,
    /// The dtype in memory.
    pub memory: DType,
}

/// A step of an expression, whose numbers are already in the dtypes that it takes.
pub type Step = step::Step<KernelFunction, ()>;

/// What a whole expression computes, whatever its numbers are: the same recipe is the same kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The dtypes of the operands.
    pub operands: Vec<DType>,
    /// What is computed, of which the last step is the result.
    pub steps: Vec<Step>,
    /// The dtype of the output.
    pub out: DType,
    /// The steps that give further results, of their own dtypes.
    pub more: Vec<usize>,
}

/// Walks that a unit has at most.
pub const MOST_WALKS: usize = 6;

/// One kernel, in its three walks.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What its symbols begin with.
    pub stem: String,
    /// The device functions that it calls.
    pub functions: Vec<Definition>,
    /// Elements that a thread takes at a time, where they lie side by side.
    pub width: usize,
    pub(super) text: String,
    /// What its symbols end with: the walks.
    pub(super) walks: &'static [&'static str],
}

/// What a dtype is called in memory.
pub fn in_memory(dtype: DType) -> String {
    if dtype == DType::Bool { "bool8".into() } else { dtype.variant().to_ascii_lowercase() }
}

/// What it is called in a computation.
pub fn in_registers(dtype: DType) -> String {
    dtype.variant().to_ascii_lowercase()
}

/// An expression, converted along some dtypes.
pub fn converted(mut value: String, path: &[DType]) -> String {
    for two in path.windows(2).filter(|two| two[0] != two[1]) {
        value = format!("cast<{}>({value})", in_registers(two[1]));
    }
    value
}

/// A type of that many bytes, whatever they mean.
const fn raw(itemsize: usize) -> &'static str {
    match itemsize {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "u128",
    }
}

impl Unit {
    /// An operation of the table.
    pub fn operation(function: &KernelFunction, operands: &[KernelOperand], params: usize, computing: DType, output: KernelOutput) -> Self {
        let mut stem = format!("{}_", function.stem());
        let (mut memory, mut arguments, mut numbers) = (Vec::new(), Vec::new(), 0);
        for operand in operands {
            let value = match operand.memory {
                None => {
                    numbers += 1;
                    _ = write!(stem, "_number");
                    format!("number<{}>(a.numbers[{}])", in_registers(operand.to), numbers - 1)
                }
                Some(dtype) => {
                    memory.push((in_memory(dtype), dtype.itemsize()));
                    _ = write!(stem, "_{}", in_registers(dtype));
                    let loaded = format!("cast<{}>(a{})", in_registers(dtype), memory.len());
                    let loaded = if dtype == DType::Bool { loaded } else { format!("a{}", memory.len()) };
                    converted(loaded, &[dtype, operand.through, operand.to])
                }
            };
            if operand.memory.is_some() && operand.through != dtype_of(operand) && operand.through != operand.to {
                _ = write!(stem, "_by_{}", in_registers(operand.through));
            }
            arguments.push(value);
        }
        for param in 0..params {
            arguments.push(format!("number<{}>(a.numbers[{}])", in_registers(computing), numbers + param));
        }
        let called = format!("{}<{}>({})", function.name(), in_registers(computing), arguments.join(", "));
        let result = converted(called, &[output.from, output.through, output.memory]);
        let result = if output.memory == DType::Bool { format!("cast<bool8>({result})") } else { result };
        _ = write!(stem, "__{}__{}", in_registers(computing), in_registers(output.memory));
        if output.through != output.from && output.through != output.memory {
            _ = write!(stem, "_by_{}", in_registers(output.through));
        }
        let out = (in_memory(output.memory), output.memory.itemsize());
        Self::new(stem, vec![function.definition()], &[out], &memory, numbers + params, ("", &result))
    }

    /// A copy that converts each element.
    pub fn copy(from: DType, to: DType) -> Self {
        if from == to && from != DType::Bool {
            let (name, size) = (raw(from.itemsize()), from.itemsize());
            return Self::new(format!("copy__{name}"), Vec::new(), &[(name.into(), size)], &[(name.into(), size)], 0, ("", "a1"));
        }
        let stem = format!("copy__{}__{}", in_registers(from), in_registers(to));
        let result = format!("cast<{}>(a1)", in_memory(to));
        let result = if from == to { "cast<bool8>(cast<bool>(a1))".into() } else { result };
        Self::new(stem, Vec::new(), &[(in_memory(to), to.itemsize())], &[(in_memory(from), from.itemsize())], 0, ("", &result))
    }

    /// A whole expression.
    pub fn program(Recipe { operands, steps, out, more }: &Recipe) -> Self {
        let out = *out;
        let (mut lines, mut functions, mut numbers) = (String::new(), Vec::new(), 0);
        let mut number = |dtype: DType| {
            numbers += 1;
            format!("number<{}>(a.numbers[{}])", in_registers(dtype), numbers - 1)
        };
        for (i, step) in steps.iter().enumerate() {
            let mut arguments: Vec<String> = Vec::new();
            for (argument, [through, to]) in step.arguments() {
                arguments.push(match argument {
                    Argument::Number(()) => number(to),
                    Argument::Step(at) => converted(format!("s{at}"), &[steps[at].result, through, to]),
                    Argument::Index => converted(format!("a{}.number", operands.len() + 1), &[DType::I64, through, to]),
                    Argument::Operand(at) => {
                        let loaded = format!("a{}", at + 1);
                        let loaded = if operands[at] == DType::Bool { format!("cast<bool>({loaded})") } else { loaded };
                        converted(loaded, &[operands[at], through, to])
                    }
                });
            }
            let value = match &step.task {
                None => arguments.swap_remove(0),
                Some(task) => {
                    arguments.extend(step.params().map(|()| number(task.computing)));
                    functions.push(task.operation.definition());
                    let called = format!("{}<{}>({})", task.operation.name(), in_registers(task.computing), arguments.join(", "));
                    converted(called, &[task.gives, step.result])
                }
            };
            _ = writeln!(lines, "        const {} s{i} = {value};", in_registers(step.result));
        }
        let last = steps.last().map_or(out, |step| step.result);
        let result = converted(format!("s{}", steps.len().saturating_sub(1)), &[last, out]);
        let result = if out == DType::Bool { format!("cast<bool8>({result})") } else { result };
        let counts = steps.iter().any(Step::counts);
        let places = counts.then(|| ("place".to_owned(), 1));
        let memory: Vec<_> = operands.iter().map(|&dtype| (in_memory(dtype), dtype.itemsize())).chain(places).collect();
        let further: Vec<(String, usize)> =
            more.iter().map(|&step| (in_memory(steps[step].result), steps[step].result.itemsize())).collect();
        for (at, &step) in more.iter().enumerate() {
            let value = if steps[step].result == DType::Bool { format!("cast<bool8>(s{step})") } else { format!("s{step}") };
            _ = writeln!(lines, "        more{at} = {value};");
        }
        let dtypes = format!("{operands:?} {out:?}");
        let texts = functions.iter().map(|functions: &Definition| functions.text.as_bytes());
        let parts: Vec<&[u8]> = [lines.as_bytes(), dtypes.as_bytes()].into_iter().chain(texts).collect();
        let stem = format!("fused_{:032x}", hash(&parts));
        let outs: Vec<(String, usize)> = [(in_memory(out), out.itemsize())].into_iter().chain(further).collect();
        Self::new(stem, functions, &outs, &memory, numbers, (&lines, &result))
    }

    /// One element in all places.
    pub fn fill(itemsize: usize) -> Self {
        let name = raw(itemsize);
        Self::new(format!("fill__{name}"), Vec::new(), &[(name.into(), itemsize)], &[], 1, ("", &format!("number<{name}>(a.numbers[0])")))
    }

    /// Elements at places that tensors name.
    pub fn places(itemsize: usize) -> Self {
        let (name, stem) = (raw(itemsize), format!("places__{}", raw(itemsize)));
        let text = format!("PLACES({stem}, {name})\n");
        Self { stem, functions: vec![PLACES.into()], width: 1, text, walks: &["pick", "claim", "put", "lead"] }
    }

    /// The places of what is true.
    pub fn truths() -> Self {
        let text = "TRUTHS(truths)\n".into();
        Self { stem: "truths".into(), functions: vec![PLACES.into()], width: 1, text, walks: &["count", "write"] }
    }

    /// Outputs after the first stand after all that is read.
    fn new(
        stem: String,
        functions: Vec<Definition>,
        outs: &[(String, usize)],
        memory: &[(String, usize)],
        numbers: usize,
        (lines, result): (&str, &str),
    ) -> Self {
        let largest = outs.iter().chain(memory).map(|(_, size)| *size).fold(1, usize::max);
        let (out, further) = (&outs[0].0, &outs[1..]);
        let inputs = memory.len() + further.len();
        WRITTEN.fetch_add(1, Ordering::Relaxed);
        let width = (16 / largest).clamp(1, 8);
        let mut text = format!(
            "struct {stem} {{\n    static constexpr int operands = {}, width = {width};\n    typedef Arguments<{inputs}, {numbers}> A;\n",
            inputs + 1
        );
        let (mut takes, mut given, mut loads, mut stores) = (String::new(), String::new(), String::new(), String::new());
        for (i, (name, _)) in memory.iter().enumerate().map(|(i, memory)| (i + 1, memory)) {
            _ = write!(takes, "const {name} a{i}, ");
            _ = write!(given, "a{i}.at[i], ");
            _ = writeln!(loads, "        const Pack<{name}, V> a{i} = load<{name}, V>(a.at[{i}], offsets[{i}], a.packed >> {i} & 1);");
        }
        for (at, (name, _)) in further.iter().enumerate() {
            let i = memory.len() + 1 + at;
            _ = write!(takes, "{name} &more{at}, ");
            _ = write!(given, "more{at}.at[i], ");
            _ = writeln!(loads, "        Pack<{name}, V> more{at};");
            _ = writeln!(stores, "        store(a.at[{i}], offsets[{i}], more{at});");
        }
        _ = write!(
            text,
            "    DEVICE {out} compute({takes}const A &a) {{\n{lines}        return {result};\n    }}\n    \
             template <int V> DEVICE void step(const A &a, const i64 *offsets) {{\n{loads}        Pack<{out}, V> out;\n#pragma unroll\n        \
             for (int i = 0; i < V; ++i) {{ out.at[i] = compute({given}a); }}\n        store(a.at[0], offsets[0], out);\n{stores}    }}\n}};\n\
             KERNELS({stem}, {stem})\n"
        );
        Self { stem, functions, width, text, walks: &["dense", "rows", "strided"] }
    }

    /// The symbols of its walks: those of [`WalkKind`], unless it is of another family.
    pub fn symbols(&self) -> Vec<String> {
        self.walks.iter().map(|walk| format!("{}__{walk}", self.stem)).collect()
    }
}

/// The dtype that a conversion begins with.
fn dtype_of(operand: &KernelOperand) -> DType {
    operand.memory.unwrap_or(operand.through)
}

/// Texts that this process has written.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// How many texts this process has written.
pub fn written() -> usize {
    WRITTEN.load(Ordering::Relaxed)
}

/// A text that defines some kernels.
pub fn source(units: &[Unit]) -> String {
    WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut text = PRELUDE.clone();
    text.push_str("\nnamespace latten {\n");
    let mut written: Vec<&Definition> = Vec::new();
    for unit in units {
        for definition in &unit.functions {
            if written.contains(&definition) {
                continue;
            }
            written.push(definition);
            match &definition.home {
                None => text.push_str(definition.text),
                Some(home) => _ = write!(text, "namespace {home} {{\n{}}} // namespace {home}\n", definition.text),
            }
        }
        text.push_str(&unit.text);
    }
    text.push_str("} // namespace latten\n");
    text
}

/// One line for each operation and dtype: the device function that computes it.
#[must_use]
pub fn manifest(functions: &Functions) -> String {
    let all = Op::ALL.iter().flat_map(|&op| DType::COMPUTING.iter().map(move |&dtype| (op, dtype)));
    let lines = all.filter_map(|(op, dtype)| {
        let function = KernelFunction::of(functions, op, dtype.category())?;
        Some(format!("{op} {dtype} {}<{}>\n", function.name(), in_registers(dtype.computing())))
    });
    lines.collect()
}
