//! Memory that is refused: every operation gives an error then, and the process goes on. The allocator of this program refuses all large
//! requests from the n-th on; each operation is run with every n until it gets all that it asks for, in a child process that says what it
//! runs, so that an abort names the operation.
#![expect(unsafe_code, reason = "an allocator")]

#[path = "allocation/arguments.rs"]
mod arguments;
#[path = "allocation/layers.rs"]
mod layers;
#[path = "allocation/outputs.rs"]
mod outputs;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;
use std::io::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use latten::by_name::{Arguments, Operation};
use latten::prelude::*;
use latten::{Options, Outcome, RawTensor, Result, operations, storage};

use arguments::{Choice, Form, Operands, attempt, choices};

/// Requests of that many bytes depend on the size of a tensor.
const LARGE: usize = 1 << 16;
/// More is never granted: an outer product of what is tried would fill the machine.
const MOST: usize = 1 << 28;
/// Says to a child with which call it begins.
const FIRST: &str = "LATTEN_TEST_ALLOCATION";
/// What stands before the number and the name of a call that is about to be made.
const MARK: &str = "@ ";
/// What stands before what came of it.
const ANSWER: &str = "= ";
const REFUSED: &str = "refused";
const WRONG: &str = "wrong:";

/// How many large requests are granted from now on.
static GRANTED: AtomicUsize = AtomicUsize::new(0);

/// The largest request since this was last set.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// The bytes of all large requests since this was last set.
static ASKED: AtomicUsize = AtomicUsize::new(0);

struct Miser;

thread_local! {
    /// Whether this thread's requests count: not those of the harness.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

fn grants(nbytes: usize) -> bool {
    if nbytes < LARGE || !COUNTED.try_with(Cell::get).unwrap_or(false) {
        return true;
    }
    LARGEST.fetch_max(nbytes, Ordering::Relaxed);
    ASKED.fetch_add(nbytes, Ordering::Relaxed);
    let less = |left: usize| left.checked_sub(1);
    nbytes < MOST && GRANTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
}

// SAFETY: what it grants, the system's allocator gives and takes back.
unsafe impl GlobalAlloc for Miser {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if grants(layout.size()) {
            // SAFETY: as the caller promises.
            unsafe { System.alloc(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if grants(layout.size()) {
            // SAFETY: as the caller promises.
            unsafe { System.alloc_zeroed(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if grants(size) {
            // SAFETY: as the caller promises.
            unsafe { System.realloc(start, layout, size) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static MISER: Miser = Miser;

/// What is counted is counted for the whole program, and threads are set for it: so no two tests count at once.
static COUNTING: Mutex<()> = Mutex::new(());

/// What came of a call in one form.
enum Found {
    /// That many requests were refused, one after the other.
    Refused(usize),
    /// It asks for no memory.
    AsksForNone,
    /// What is wrong.
    Wrong(String),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(count) => write!(f, "{REFUSED} {count}"),
            Self::AsksForNone => write!(f, "asks for none"),
            Self::Wrong(what) => write!(f, "{WRONG} {}", what.replace('\n', " | ")),
        }
    }
}

/// A call with that many large requests granted. How many of them are left comes back, too.
fn granted(count: usize, call: impl FnOnce() -> Result<Outcome>) -> (Result<()>, usize) {
    storage::empty_cache();
    GRANTED.store(count, Ordering::Relaxed);
    COUNTED.set(true);
    let outcome = call().map(drop);
    COUNTED.set(false);
    (outcome, GRANTED.load(Ordering::Relaxed))
}

/// The tensors that a form changes: a copy of the choice's own, or outputs of the right sizes and dtypes.
enum Changed {
    None,
    Copy(DynTensor),
    Outputs(Vec<(Vec<usize>, DType)>),
}

impl Changed {
    fn of(operation: Operation, form: Form, operands: &Operands, choice: &Choice) -> Result<Option<Self>> {
        Ok(match form {
            Form::New => Some(Self::None),
            Form::InPlace => operands.copy(choice).map(Self::Copy),
            Form::Out => {
                let outcome = attempt(operation, Form::New, operands, choice, &mut [], None)?;
                let several = operation.signature().contains("tuple of Tensors out");
                let results = if several { outcome.tensors()? } else { vec![outcome.tensor()?] };
                Some(Self::Outputs(results.iter().map(|result| (result.sizes().to_vec(), result.dtype())).collect()))
            }
        })
    }

    /// The same with outputs that have no elements yet.
    fn emptied(&self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Copy(tensor) => Self::Copy(tensor.clone()),
            Self::Outputs(outputs) => Self::Outputs(outputs.iter().map(|(_, dtype)| (vec![0], *dtype)).collect()),
        }
    }

    /// New ones.
    fn made(&self) -> Result<Vec<DynTensor>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Copy(tensor) => Ok(vec![tensor.clone()]),
            Self::Outputs(outputs) => outputs.iter().map(|(sizes, dtype)| DynTensor::zeros(&sizes[..], *dtype)).collect(),
        }
    }
}

/// Runs a call with less and less refused.
fn refusals(operation: Operation, form: Form, operands: &Operands) -> Found {
    const ALL: usize = 1_000_000;
    let (mut complaint, mut taken) = (String::new(), false);
    for choice in choices(operation, form, operands) {
        let run = |changed: &Changed| {
            let mut tensors = changed.made()?;
            let (outcome, left) = granted(ALL, || attempt(operation, form, operands, &choice, &mut tensors, None));
            outcome.map(|()| left)
        };
        match Changed::of(operation, form, operands, &choice) {
            Ok(None) => {}
            Ok(Some(changed)) => match run(&changed.emptied()) {
                Ok(ALL) => taken = true,
                Ok(_) => {
                    let found = refused(operation, form, operands, &choice, &changed.emptied());
                    return match refused(operation, form, operands, &choice, &changed) {
                        wrong @ Found::Wrong(_) if form == Form::Out => wrong,
                        _ => found,
                    };
                }
                Err(error) => complaint = error.to_string(),
            },
            Err(error) => complaint = error.to_string(),
        }
    }
    if taken { Found::AsksForNone } else { Found::Wrong(format!("nothing that was tried is taken: {complaint}")) }
}

fn refused(operation: Operation, form: Form, operands: &Operands, choice: &Choice, changed: &Changed) -> Found {
    for count in 0..200 {
        let mut tensors = changed.made().expect("memory is there again");
        let before = bits(&tensors);
        let (outcome, left) = granted(count, || attempt(operation, form, operands, choice, &mut tensors, None));
        match outcome {
            Ok(()) if left > 0 => return Found::Refused(count),
            Ok(()) => {}
            Err(error) if !error.message().contains("memory") => return Found::Wrong(format!("with {count} requests granted: {error}")),
            Err(_) if !is_in_steps(operation) && bits(&tensors) != before => {
                return Found::Wrong(format!("with {count} requests granted it has changed its tensor"));
            }
            Err(_) => {}
        }
    }
    Found::Wrong("it never got all that it asked for".into())
}

/// Sizes and elements.
fn bits(tensors: &[DynTensor]) -> Vec<(Vec<usize>, Vec<u8>)> {
    let bits = |tensor: &DynTensor| {
        let dense = tensor.raw().clone_as(MemoryFormat::Contiguous).expect("memory is there again");
        (tensor.sizes().to_vec(), dense.storage().tolist().expect("memory is there again"))
    };
    tensors.iter().map(bits).collect()
}

/// Whether it is documented to change its tensor in several steps.
fn is_in_steps(operation: Operation) -> bool {
    operation.name().starts_with("init.")
}

/// What asks a device's driver for memory, and not this process; what takes indices and storages, and asks for none; and what takes sizes and
/// strides that fit each other.
const LEFT_OUT: [&str; 4] = ["pin_memory", "__getitem__", "set_", "as_strided_scatter"];

/// Every call in every form.
fn calls() -> impl Iterator<Item = (Operation, Form)> {
    let own = operations().filter(|operation| !LEFT_OUT.contains(&operation.name()));
    own.flat_map(|operation| Form::ALL.map(|form| (operation, form))).filter(|(operation, form)| form.is_of(*operation))
}

/// What a child does: all calls from one on, each said before and after.
fn run_from(first: usize) -> Result<()> {
    // Then all that is asked for is asked for by this thread.
    latten::set_num_threads(1);
    let operands = Operands::new()?;
    for (number, (operation, form)) in calls().enumerate().skip(first) {
        println!("{MARK}{number} {form:?} {}{}", operation.name(), operation.signature());
        std::io::stdout().flush().expect("a pipe");
        println!("{ANSWER}{}", refusals(operation, form, &operands));
    }
    Ok(())
}

/// Each call in a child, which goes on with the next; after an abort another child does.
#[test]
fn memory_that_is_refused_is_an_error() -> Result<()> {
    if let Some(first) = std::env::var(FIRST).ok().and_then(|first| first.parse().ok()) {
        return run_from(first);
    }
    let own = std::env::current_exe().expect("this program");
    let (mut first, mut wrong, mut asking) = (0, Vec::new(), 0);
    let all = calls().count();
    while first < all {
        let output = Command::new(&own)
            .args(["--exact", "memory_that_is_refused_is_an_error", "--nocapture"])
            .env(FIRST, first.to_string())
            .output()
            .expect("this program again");
        let said = String::from_utf8_lossy(&output.stdout);
        let mut last = "";
        for line in said.lines() {
            if let Some(call) = line.strip_prefix(MARK) {
                last = call;
                first += 1;
            } else if let Some(found) = line.strip_prefix(ANSWER) {
                asking += usize::from(found.starts_with(REFUSED));
                if found.starts_with(WRONG) {
                    wrong.push(format!("{last}: {found}"));
                }
            }
        }
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).lines().take(3).collect::<Vec<_>>().join(" | ");
            wrong.push(format!("{last}: {}: {why}", output.status));
            assert!(said.contains(MARK), "{wrong:#?}");
        }
    }
    assert!(wrong.is_empty(), "{} of {all}: {wrong:#?}", wrong.len());
    assert!(4 * asking > all, "only {asking} of {all} calls ask for memory");
    Ok(())
}

/// A product that has an output asks for no memory as large as that, whatever its strides: sums are made there, or a part of them at a time.
#[test]
fn products_into_outputs_ask_for_nothing_of_their_size() -> Result<()> {
    const SIZE: usize = 1200;
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    latten::set_num_threads(1);
    let some = |sizes: &[usize], dtype| RawTensor::full(sizes, 1.into(), &Options::new().dtype(dtype)).map(DynTensor::from);
    for dtype in [DType::F32, DType::F16, DType::I8, DType::I64, DType::C64] {
        let (tall, wide, long) = (some(&[SIZE, 2], dtype)?, some(&[2, SIZE], dtype)?, some(&[SIZE * SIZE, 2], dtype)?);
        let (row, pair) = (some(&[SIZE], dtype)?, some(&[2], dtype)?);
        let batch = |matrix: &DynTensor| matrix.raw().unsqueeze(0).map(DynTensor::from);
        let (talls, wides) = (batch(&tall)?, batch(&wide)?);
        let square = || some(&[SIZE, SIZE], dtype);
        let mut calls = vec![
            ("mm", vec![&tall, &wide], square()?),
            ("mv", vec![&long, &pair], some(&[SIZE * SIZE], dtype)?),
            ("outer", vec![&row, &row], square()?),
            ("matmul", vec![&tall, &wide], square()?),
            ("bmm", vec![&talls, &wides], batch(&square()?)?),
        ];
        if !dtype.is_complex() {
            calls.push(("mm", vec![&tall, &wide], square()?.t().erase()));
            calls.push(("mm", vec![&tall, &wide], some(&[SIZE, 2 * SIZE], dtype)?.raw().slice(1, None, None, 2)?.into()));
        }
        if matches!(dtype, DType::F32 | DType::I64) {
            calls.push(("addmm", vec![&row, &tall, &wide], square()?));
            calls.push(("linear", vec![&tall, &tall, &row], square()?));
            calls.push(("linear", vec![&talls, &tall, &row], batch(&square()?)?));
            calls.push(("baddbmm", vec![&row, &talls, &wides], batch(&square()?)?));
        }
        for (name, operands, mut out) in calls {
            let what = format!("{name} of {dtype} with strides {:?}", out.strides());
            LARGEST.store(0, Ordering::Relaxed);
            let (made, _) = granted(usize::MAX, || {
                let given = operands.iter().fold(Arguments::new(), |given, operand| given.with(*operand));
                call(name, given.with_named("out", &mut out))
            });
            made?;
            let (asked, result) = (LARGEST.load(Ordering::Relaxed), out.raw().numel() * dtype.itemsize());
            assert!(asked < result, "{what}: {asked} bytes at once for a result of {result}");
        }
    }
    Ok(())
}

/// Products of sizes that take every way: a wide one of few rows on two threads, packed ones, and vectors that are converted or turned.
#[test]
fn products_of_every_way_refuse_in_place_of_aborting() -> Result<()> {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let some = |sizes: [usize; 2], dtype| RawTensor::full(&sizes, 1.into(), &Options::new().dtype(dtype)).map(DynTensor::from);
    let ways = [[3, 30, 40_000], [100, 500, 300], [120_000, 1, 2], [300_000, 1, 1], [1, 1, 300_000], [2, 90_000, 1], [4000, 40, 1]];
    let mut asking = 0;
    for threads in [1, 2] {
        latten::set_num_threads(threads);
        for (dtype, [m, k, n]) in
            [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64].iter().flat_map(|&x| ways.map(|way| (x, way)))
        {
            for turned in [false, true] {
                let made = |[rows, columns]: [usize; 2]| {
                    if turned {
                        some([columns, 2 * rows], dtype)?.raw().slice(1, None, None, 2)?.t().map(DynTensor::from)
                    } else {
                        some([rows, columns], dtype)
                    }
                };
                let (left, right) = (made([m, k])?, made([k, n])?);
                let what = format!("{dtype} [{m}, {k}] × [{k}, {n}], turned: {turned}, on {threads}");
                // An abort says nothing of its own.
                println!("{what}");
                let product = || call("mm", Arguments::new().with(&left).with(&right));
                let refused = (0..100).map(|count| granted(count, product)).take_while(|(outcome, _)| outcome.is_err());
                let refusals = refused.map(|(outcome, _)| outcome.expect_err("it was refused")).collect::<Vec<_>>();
                assert!(refusals.len() < 100, "{what} never got all that it asked for");
                assert!(refusals.iter().all(|error| error.message().contains("memory")), "{what}: {refusals:?}");
                asking += usize::from(!refusals.is_empty());
            }
        }
    }
    // What has a small result of factors that lie well asks for nothing.
    assert!(asking > 110, "only {asking} of 140 products ask for memory");
    Ok(())
}
