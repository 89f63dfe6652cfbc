//! The kernels of reductions, for `folds.cuh` and `spreads.cuh`: what the accumulators of a row of the table are on a device, around the
//! device functions of its formulas.

use latten_spec::DType;
use latten_spec::reduction::{Accumulator, FoldRow, Join, Reads, Reduction, ReductionResult, ReductionTrait, When};

use super::functions::Functions;
use super::source::{Unit, converted, in_memory, in_registers};

/// The walks of reductions, and simple folds.
pub const FOLDS: &str = include_str!("folds.cuh");
/// Folds that keep more than a number.
pub const SPREADS: &str = include_str!("spreads.cuh");

/// Elements whose loads don't wait for each other.
const ABREAST: u32 = 8;

/// A fold of the table of reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableFold {
    op: Reduction,
    /// Its number in the row.
    at: usize,
}

/// What of a reduction a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldStage {
    /// All.
    Whole,
    /// Parts, from elements to what is known of them.
    Parts,
    /// The rest, from what is known of parts to results.
    Last,
}

/// A kernel of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FoldKernel {
    fold: TableFold,
    stage: FoldStage,
    /// Elements are converted along these dtypes; of the last is what is computed.
    path: [DType; 3],
    out: DType,
}

/// How many bytes a struct of such fields has, and what its address is a multiple of.
fn packed(fields: impl IntoIterator<Item = (usize, usize)>) -> (usize, usize) {
    let (end, all) = fields.into_iter().fold((0_usize, 1), |(end, all), (bytes, own)| (end.next_multiple_of(own) + bytes, own.max(all)));
    (end.next_multiple_of(all), all)
}

/// The same of an element of so many bytes and its number.
pub(super) fn found(bytes: usize) -> (usize, usize) {
    packed([(bytes, bytes), (4, 4)])
}

/// An accumulator in a kernel.
struct DeviceAccumulator {
    join: Join,
    /// Its type, how many bytes that has, and what their address is a multiple of.
    name: String,
    bytes: usize,
    alignment: usize,
}

impl DeviceAccumulator {
    fn new(accumulator: &Accumulator, number: DType, of_parts: bool) -> Self {
        let term = if of_parts { number.to_real() } else { number };
        let (of, bytes) = (in_registers(term), term.itemsize());
        let (name, (bytes, alignment)) = match accumulator.join {
            Join::Sum | Join::Product | Join::Greatest | Join::Least => (of, (bytes, bytes)),
            Join::Some => ("bool".into(), (1, 1)),
            Join::Count => ("i64".into(), (8, 8)),
            Join::FirstGreatest | Join::FirstLeast => (format!("Found<{of}>"), found(bytes)),
            Join::Moments => (format!("Moments<{of}>"), packed([(8, 8), (bytes, bytes), (bytes, bytes)])),
            Join::Exponentials => (format!("Exponentials<{of}>"), packed([(8, 8), (bytes, bytes)])),
        };
        Self { join: accumulator.join, name, bytes, alignment }
    }

    /// Whether it is more than a number.
    const fn is_several(&self) -> bool {
        matches!(self.join, Join::FirstGreatest | Join::FirstLeast | Join::Moments | Join::Exponentials)
    }

    /// How two become one.
    const fn combines(&self) -> &'static str {
        match self.join {
            Join::Sum | Join::Count => "Sum",
            Join::Product => "Product",
            Join::Some => "Some",
            Join::Greatest => "Greatest",
            Join::Least => "Least",
            Join::FirstGreatest => "FindGreatest",
            Join::FirstLeast => "FindLeast",
            Join::Moments => "Spread",
            Join::Exponentials => "AddExponentials",
        }
    }

    /// What a term becomes.
    fn of_term(&self, term: &str) -> String {
        match self.join {
            Join::Sum | Join::Product | Join::Some | Join::Greatest | Join::Least => term.into(),
            Join::Count => format!("cast<i64>({term})"),
            Join::FirstGreatest | Join::FirstLeast => format!("{}{{{term}, j}}", self.name),
            Join::Moments => format!("moments({term})"),
            Join::Exponentials => format!("exponentials({term})"),
        }
    }

    /// What the last formula takes of it, over numbers of a dtype.
    fn last(&self, known: &str, fold: &FoldRow, number: DType) -> String {
        match self.join {
            Join::Count if !number.is_integral() => format!("cast<{}>({known})", in_registers(number.to_real())),
            Join::Sum | Join::Count | Join::Product | Join::Some | Join::Greatest | Join::Least => known.into(),
            Join::FirstGreatest | Join::FirstLeast if fold.is_place() => format!("(i64){known}.index"),
            Join::FirstGreatest | Join::FirstLeast => format!("{known}.value"),
            Join::Moments => format!("{known}.squares"),
            Join::Exponentials => format!("{known}.most, {known}.sum"),
        }
    }
}

impl TableFold {
    /// What a reduction of the table folds, with its parameter, of one element each or more, or where it picks elements; `None` for what isn't
    /// a fold.
    pub fn of(op: Reduction, parameter: Option<f64>, single: bool, picks: bool) -> Option<Self> {
        let row = op.row();
        row.fold(row.parameter(parameter), single, picks).map(|at| Self { op, at })
    }

    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static FoldRow {
        &self.op.row().folds[self.at]
    }

    /// The dtype of the numbers in the last formula.
    pub fn last(self, number: DType) -> DType {
        let last = self.row().finish(number.category()).map_or(number.category(), |(category, _)| category);
        if last == number.category() && !self.row().is_place() { number } else { DType::I64 }
    }

    /// The dtype of the result, before it is rounded to another one.
    fn result(self, number: DType) -> DType {
        let last = self.last(number);
        if self.op.row().result == ReductionResult::Real { last.to_real() } else { last }
    }

    /// Its functions, and the accumulators.
    fn kept(self, functions: &Functions, number: DType) -> (&'static str, Vec<DeviceAccumulator>) {
        let (text, parts) = functions.fold(self.op, self.at, number.category()).unwrap_or_default();
        let kept = self.row().accumulators.iter().zip(parts);
        (text, kept.map(|(accumulator, &of_parts)| DeviceAccumulator::new(accumulator, number, of_parts)).collect())
    }

    /// How many bytes is known of elements.
    fn known_bytes(self, functions: &Functions, number: DType) -> usize {
        let (_, kept) = self.kept(functions, number);
        packed(kept.iter().map(|kept| (kept.bytes, kept.alignment))).0
    }

    /// What its functions begin with, and what symbols do.
    fn names(self, number: DType) -> (String, String) {
        let name = self.op.row().name;
        let stem = if self.at == 0 { name.into() } else { format!("{name}{}", self.at) };
        (format!("{name}{}_{}", self.at, format!("{:?}", number.category()).to_lowercase()), stem)
    }

    /// The fold whose parts are the same.
    fn of_parts(self) -> Self {
        self.row().shared().map_or(self, |(op, at)| Self { op, at })
    }

    /// The parameter as a kernel takes it, of the numbers that terms or the last formula compute with.
    fn parameter(self, number: DType) -> Option<String> {
        let real = in_registers(number.to_real());
        self.op.row().parameter.filter(|_| number != DType::Bool).map(|_| format!("number<{real}>"))
    }
}

impl FoldKernel {
    /// All of a reduction: elements of a dtype, rounded to another one, into a result.
    pub fn whole(fold: TableFold, input: DType, through: DType, out: DType) -> Self {
        let number = fold.row().number(through);
        // What is wide, or doesn't look at numbers, reads them as they are where it can.
        let direct = matches!(through, DType::I64 | DType::F32 | DType::F64 | DType::C64 | DType::C128);
        let as_they_are = match fold.row().reads {
            Reads::Own => false,
            Reads::Wide => direct,
            Reads::Truth => true,
        };
        let by = if as_they_are { input } else { through };
        Self { fold, stage: FoldStage::Whole, path: [input, by, number], out }
    }

    /// The same, cut into two kernels.
    pub fn cut(self) -> [Self; 2] {
        let number = self.path[2];
        [
            Self { fold: self.fold.of_parts(), stage: FoldStage::Parts, out: number, ..self },
            Self { stage: FoldStage::Last, path: [number; 3], ..self },
        ]
    }

    /// Kernels that a program which needs this one is likely to need next: its other stages, and the commonest of the dtype.
    pub fn next(self) -> Vec<Self> {
        let common = [Reduction::Sum, Reduction::Mean, Reduction::Amax, Reduction::Amin, Reduction::Argmax, Reduction::Var];
        let own = of(self.path[0]).into_iter().filter(|other| other.fold == self.fold);
        own.chain(common.into_iter().flat_map(|op| of_row(op, self.path[0]))).collect()
    }

    /// Of what is known of a part, how many bytes there are.
    pub fn known_bytes(self, functions: &Functions) -> usize {
        self.fold.known_bytes(functions, self.path[2])
    }

    /// The kernel.
    pub fn unit(self, functions: &Functions) -> Unit {
        let Self { fold, stage, path, out } = self;
        let [memory, through, number] = path;
        let (text, kept) = fold.kept(functions, number);
        let (name, stem) = fold.names(number);
        let bytes = fold.known_bytes(functions, number);
        let by = format!("{}_by_{}__{}", in_registers(memory), in_registers(through), in_registers(number));
        let stem = match stage {
            FoldStage::Whole => format!("{stem}__{by}__{}", in_registers(out)),
            FoldStage::Parts => format!("{stem}__{by}__parts"),
            FoldStage::Last => format!("{stem}__parts__{}__{}", in_registers(number), in_registers(out)),
        };
        let known = DeviceAccumulators { stem: &stem, kept: &kept };
        let element = if stage == FoldStage::Last {
            "x".into()
        } else {
            let loaded = if memory == DType::Bool { "cast<bool>(x)" } else { "x" };
            let value = converted(loaded.into(), &path);
            let given = fold.parameter(number).map(|number| format!(", {number}(given)")).unwrap_or_default();
            known.of_terms(&format!("{name}_term"), &format!("<{}>({value}{given})", in_registers(number)))
        };
        let acc = known.name();
        let (taken, given) = (if stage == FoldStage::Last { acc.clone() } else { in_memory(memory) }, in_memory(out));
        let (given, puts) = if stage == FoldStage::Parts {
            (acc.clone(), "static_cast<Out *>(a.out)[at] = folded;".into())
        } else {
            let result = converted(
                format!("{name}_result<{}>({})", in_registers(fold.last(number)), known.last(fold, number)),
                &[fold.result(number), out],
            );
            let result = if out == DType::Bool { format!("cast<bool8>({result})") } else { result };
            let place = if fold.row().when == When::Picking { " static_cast<i64 *>(a.places)[at] = folded.index;" } else { "" };
            (given, format!("static_cast<Out *>(a.out)[at] = {result};{place}"))
        };
        let [begin, combine, paired] = ["begin", "combine", "paired"].map(|function| known.of_each(function));
        let definition = known.definition();
        // Of costly terms one at a time: they keep a device busy, and each has its code.
        let costly = fold.row().accumulators.iter().any(|accumulator| accumulator.is_costly(number.category()));
        let abreast = if costly && stage != FoldStage::Last { 1 } else { ABREAST };
        let unit = format!(
            "{definition}struct {stem} {{\n    typedef {acc} Acc;\n    typedef {taken} In;\n    typedef {given} Out;\n    \
             static constexpr u32 abreast = {abreast};\n    \
             static_assert(sizeof(Acc) == {bytes}, \"as many as parts have room\");\n    \
             DEVICE Acc begin() {{ return {begin}; }}\n    \
             DEVICE Acc combine(const Acc x, const Acc y) {{ return {combine}; }}\n    \
             DEVICE Acc paired(const Acc x, const Acc y) {{ return {paired}; }}\n    \
             DEVICE Acc element(const In x, const u32 j, const Number &given) {{ return {element}; }}\n    \
             DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) {{ {puts} }}\n}};\nFOLDS({stem}, {stem})\n",
        );
        let spreads = kept.iter().any(DeviceAccumulator::is_several).then_some(SPREADS);
        let functions = [Some(FOLDS), spreads, Some(text)].into_iter().flatten().map(Into::into).collect();
        Unit { stem, functions, width: 1, text: unit, walks: &["each", "together"] }
    }
}

/// What is known of elements in a kernel: one accumulator, or a struct of several.
struct DeviceAccumulators<'a> {
    stem: &'a str,
    kept: &'a [DeviceAccumulator],
}

impl DeviceAccumulators<'_> {
    fn name(&self) -> String {
        if let [only] = self.kept { only.name.clone() } else { format!("{}__known", self.stem) }
    }

    fn definition(&self) -> String {
        if self.kept.len() == 1 {
            return String::new();
        }
        let fields: String = self.kept.iter().enumerate().map(|(at, kept)| format!(" {} k{at};", kept.name)).collect();
        format!("struct {} {{{fields} }};\n", self.name())
    }

    /// An expression for each, and what they make.
    fn all(&self, of: impl Fn(usize, &DeviceAccumulator) -> String) -> String {
        let each: Vec<String> = self.kept.iter().enumerate().map(|(at, kept)| of(at, kept)).collect();
        if let [only] = &each[..] { only.clone() } else { format!("{}{{{}}}", self.name(), each.join(", ")) }
    }

    /// A function of each.
    fn of_each(&self, function: &str) -> String {
        let [dot, is_first] = [self.kept.len() > 1, function == "begin"];
        self.all(|at, kept| {
            let field = if dot { format!(".k{at}") } else { String::new() };
            let arguments = if is_first { String::new() } else { format!("x{field}, y{field}") };
            // Of as many elements on both sides, those of `y` later: most combine as ever.
            let pairs = matches!(kept.join, Join::Moments | Join::FirstGreatest | Join::FirstLeast);
            let function = if function == "paired" && !pairs { "combine" } else { function };
            format!("{}::{function}<{}>({arguments})", kept.combines(), kept.name)
        })
    }

    /// What an element becomes.
    fn of_terms(&self, name: &str, arguments: &str) -> String {
        self.all(|at, kept| kept.of_term(&format!("{name}{at}{arguments}")))
    }

    /// What the last formula takes.
    fn last(&self, fold: TableFold, number: DType) -> String {
        let last = fold.last(number);
        let field = |at: usize| if self.kept.len() > 1 { format!("folded.k{at}") } else { "folded".into() };
        let mut arguments: Vec<String> = self.kept.iter().enumerate().map(|(at, kept)| kept.last(&field(at), fold.row(), last)).collect();
        if last != DType::Bool {
            arguments.push(format!("number<{}>(a.elements)", in_registers(last.to_real())));
            arguments.extend(fold.parameter(last).map(|number| format!("{number}(a.given)")));
        }
        arguments.join(", ")
    }
}

/// The kernels of a reduction of the table, of a dtype that it takes: for the whole, and in two.
fn of_row(op: Reduction, dtype: DType) -> Vec<FoldKernel> {
    let Ok(result) = op.result(dtype, DType::F32) else { return Vec::new() };
    let through = if op.row().is(ReductionTrait::InResult) { result } else { dtype };
    let whole = (0..op.row().folds.len()).map(|at| FoldKernel::whole(TableFold { op, at }, dtype, through, result));
    whole.flat_map(|whole| [whole].into_iter().chain(whole.cut())).collect()
}

/// The kernels of all reductions of the table that take a dtype.
pub fn of(dtype: DType) -> Vec<FoldKernel> {
    let mut kernels: Vec<FoldKernel> = Vec::new();
    for kernel in Reduction::ALL.iter().flat_map(|&op| of_row(op, dtype)) {
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    kernels
}
