//! Calls by name (`calls.txt`) beside PyTorch's of that name, each with the same operands and with answers that are compared: where among all
//! operations latten is behind, and not only in the rows of the table.

use latten::Outcome;
use latten::by_name::{Arguments, NamedArgument};
use latten::prelude::*;

use crate::measure::{Sampler, Times};
use crate::sizes::numbers;
use crate::torch::Torch;
use crate::work::{Numbers, difference};

const CALLS: &str = include_str!("../calls.txt");
/// Samples of each side, which take turns.
const ROUNDS: usize = 7;
/// By what share of the largest number answers may differ.
const WITHIN: f64 = 1e-3;
/// Operations that choose among answers: signs and orders of vectors, and places of equal numbers.
const CHOOSING: [&str; 11] =
    ["argsort", "linalg.eig", "linalg.eigh", "linalg.lstsq", "linalg.qr", "linalg.svd", "mode", "sort", "topk", "median", "msort"];

/// One line: a name, its operands, and its arguments, which are the operands where nothing else is said.
struct NamedCall {
    name: &'static str,
    operands: Vec<Vec<&'static str>>,
    arguments: Vec<&'static str>,
}

impl NamedCall {
    fn of(line: &'static str) -> Self {
        let mut parts = line.split(" | ");
        let mut next = || parts.next().unwrap_or_default();
        let name = next();
        let operands: Vec<Vec<&str>> = next().split("; ").map(|operand| operand.split(' ').collect()).collect();
        let arguments = match next() {
            "" => ["a", "b", "c", "d"][..operands.len()].to_vec(),
            given => in_parts(given),
        };
        Self { name, operands, arguments }
    }

    /// Python that makes the operands, and the statement.
    fn torch(&self) -> [String; 2] {
        let made = self.operands.iter().enumerate().map(|(at, words)| format!("{} = made({at}, {words:?})", letter(at)));
        [made.collect::<Vec<_>>().join("; "), format!("named({:?})({})", self.name, self.arguments.join(", "))]
    }

    fn arguments<'t>(&self, operands: &'t [DynTensor]) -> Arguments<'t> {
        self.arguments.iter().fold(Arguments::new(), |all, &argument| {
            match operands.iter().enumerate().find(|(at, _)| letter(*at).to_string() == argument) {
                Some((_, tensor)) => all.with(tensor),
                None => all.with(literal(argument)),
            }
        })
    }
}

fn letter(at: usize) -> char {
    char::from(b'a' + at as u8)
}

/// What stands between commas outside brackets.
fn in_parts(text: &'static str) -> Vec<&'static str> {
    let mut depth = 0;
    let outside = |sign: char| {
        depth += i32::from(sign == '[') - i32::from(sign == ']');
        sign == ',' && depth == 0
    };
    text.split(outside).map(str::trim).collect()
}

fn literal(text: &str) -> NamedArgument<'static> {
    let whole = |text: &str| text.trim().parse::<i64>().expect("an integer");
    if let Some(list) = text.strip_prefix('[') {
        return list.trim_end_matches(']').split(',').map(whole).collect::<Vec<_>>().into();
    }
    if text.contains('.') { text.parse::<f64>().expect("a number").into() } else { whole(text).into() }
}

/// An operand. `torch_side.py` makes the same.
fn made(at: usize, words: &[&str]) -> DynTensor {
    let sizes: Vec<usize> = words[1].split('x').map(|size| size.parse().expect("a size")).collect();
    let dtype: DType = words[0].parse().expect("a dtype");
    let tensor = |numbers: Vec<f64>| {
        let wide = Tensor::<f64>::from_vec(numbers, &sizes[..]).expect("a tensor").erase();
        wide.to_dtype(dtype).expect("a conversion")
    };
    let each = |of: &dyn Fn(f64) -> f64| numbers(at, sizes.iter().product()).map(|x| of(x.into())).collect::<Vec<_>>();
    let last = sizes[sizes.len() - 1];
    match words[2..] {
        ["unit"] => tensor(each(&|x| (x + 4.0) / 8.0)),
        ["positive"] => tensor(each(&|x| x + 4.5)),
        ["true"] => tensor(each(&|_| 1.0)),
        ["steps"] => tensor((0..last).map(|step| step as f64 / last as f64 - 0.5).collect()),
        ["order"] => tensor((0..last).rev().map(|place| place as f64).collect()),
        ["below", count] => {
            let count: f64 = count.parse().expect("a number");
            tensor(each(&|x| ((x + 4.0) * 2_097_152.0) % count))
        }
        ["definite"] => {
            let all = each(&|x| x / 8.0);
            let at = |row: usize, column: usize| all[row * last + column];
            let own = |row, column| at(row, column) + at(column, row) + if row == column { last as f64 } else { 0.0 };
            tensor((0..last).flat_map(|row| (0..last).map(move |column| (row, column))).map(|(row, column)| own(row, column)).collect())
        }
        _ if dtype == DType::Bool => tensor(each(&|x| f64::from(u8::from(x > 0.0)))),
        _ if dtype.is_integral() => tensor(each(&|x| ((x + 4.0) * 12.5).floor() + 1.0)),
        _ => tensor(each(&|x| x)),
    }
}

/// Measures all calls whose lines contain one of the texts, and prints those in which latten is behind first.
///
/// # Errors
/// Where a call fails on a side, and where answers differ.
pub fn sweep(torch: &mut Torch, only: &[String]) -> Result<(), String> {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for line in CALLS.lines().filter(|line| only.is_empty() || only.iter().any(|only| line.contains(only.as_str()))) {
        match measured(&NamedCall::of(line), torch) {
            Ok(times) => rows.push((times[1] / times[0], line, times)),
            Err(fault) => faults.push(format!("{line}: {fault}")),
        }
    }
    rows.sort_by(|x, y| x.0.total_cmp(&y.0));
    println!("{}\n\n| call | latten, µs | PyTorch, µs | ratio |\n|---|---|---|---|", torch.version);
    for (ratio, line, [own, other]) in &rows {
        println!("| {} | {:.1} | {:.1} | {ratio:.2} |", line.replace(" | ", ": "), own * 1e6, other * 1e6);
    }
    let from = |least: f64| rows.iter().filter(|row| row.0 >= least).count();
    println!(
        "\n{} calls: {} at PyTorch's speed or above, {} at 1.2 times or above, {} below a third.",
        rows.len(),
        from(1.0),
        from(1.2),
        rows.len() - from(1.0 / 3.0)
    );
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The least times of both sides.
fn measured(call: &NamedCall, torch: &mut Torch) -> Result<[f64; 2], String> {
    let operands: Vec<DynTensor> = call.operands.iter().enumerate().map(|(at, words)| made(at, words)).collect();
    let own = || latten::call(call.name, call.arguments(&operands)).map_err(|error| error.message().to_string());
    let [setup, statement] = call.torch();
    let theirs = torch.prepare([&setup, &statement, &format!("first({statement})")])?;
    let first = match own()? {
        Outcome::Tensor(only) => only,
        several => several.several().map_err(|error| error.message().to_string())?.remove(0),
    };
    let chooses = CHOOSING.contains(&call.name);
    if let Some(fault) = difference(&first.numbers(), &theirs, WITHIN).filter(|_| !chooses) {
        return Err(format!("latten has {fault}"));
    }
    let once = || drop(std::hint::black_box(own()));
    let sampler = Sampler::calibrated(once);
    let other = Sampler::from(|count| torch.run(count).unwrap_or(f64::INFINITY));
    let mut times = [Times::default(), Times::default()];
    for _ in 0..ROUNDS {
        sampler.part().sample(once);
        times[0].push(sampler.sample(once));
        torch.run(other.part().count)?;
        times[1].push(torch.run(other.count)? / other.count as f64);
    }
    Ok(times.map(|times| times.least()))
}
