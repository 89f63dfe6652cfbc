//! Memory that is refused: every operation gives an error then, and the process goes on. The allocator of this program refuses all large
//! requests from the n-th on; each operation is run with every n until it gets all that it asks for, in a process of its own, so that an
//! abort names the operation.
#![expect(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use latten::prelude::*;
use latten::{Result, args, call, storage};

/// Requests of so many bytes depend on the size of a tensor.
const LARGE: usize = 1 << 18;
/// Elements of each operand.
const COUNT: usize = 300_000;
/// What names the operation to the process that runs it.
const ASKED: &str = "LATTEN_TEST_ALLOCATION";

/// How many large requests are granted from now on.
static GRANTED: AtomicUsize = AtomicUsize::new(usize::MAX);

struct Miser;

fn grants(nbytes: usize) -> bool {
    let less = |left: usize| if left == usize::MAX { Some(left) } else { left.checked_sub(1) };
    nbytes < LARGE || GRANTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
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

/// What operations are run on.
struct Operands {
    floats: DynTensor,
    matrix: DynTensor,
    turned: DynTensor,
    mask: DynTensor,
    places: DynTensor,
    rows: DynTensor,
    row: DynTensor,
    bytes: DynTensor,
}

impl Operands {
    fn new() -> Result<Self> {
        let numbers = |modulus: usize| (0..COUNT).map(move |i| (i * 7919 + 13) % modulus);
        let floats = DynTensor::from(latten::RawTensor::from_vec(numbers(1 << 20).map(|n| n as f32).collect(), &[COUNT])?);
        let places = DynTensor::from(latten::RawTensor::from_vec(numbers(COUNT).map(|n| n as i64).collect(), &[COUNT])?);
        let matrix = floats.view([600, 500])?.erase();
        Ok(Self {
            turned: matrix.t()?.erase(),
            mask: floats.gt(500_000).erase(),
            bytes: floats.to(DType::U8)?.erase(),
            rows: places.remainder(500)?.view([600, 500])?.erase(),
            row: places.narrow(0, 0, 600)?.remainder(500)?.erase(),
            floats,
            matrix,
            places,
        })
    }
}

type Operation = fn(&Operands) -> Result<()>;

/// Operations that ask for memory, by name and as a call.
macro_rules! operations {
    ($($name:literal: |$o:ident| $call:expr;)+) => { &[$(($name, |$o| $call.map(drop))),+] };
}

const OPERATIONS: &[(&str, Operation)] = operations! {
    "add": |o| call("add", args![&o.floats, 1]);
    "add of a view": |o| call("add", args![&o.matrix, &o.matrix.t()?.contiguous()?.t()?.erase()]);
    "clone": |o| call("clone", args![&o.turned]);
    "where": |o| call("where", args![&o.mask, &o.floats, 0]);
    "gather": |o| call("gather", args![&o.matrix, 1, &o.rows]);
    "take": |o| call("take", args![&o.floats, &o.places]);
    "index_select": |o| call("index_select", args![&o.floats, 0, &o.places]);
    "index_select of columns": |o| call("index_select", args![&o.matrix, 1, &o.row]);
    "index_select of a byte by many": |o| call("index_select", args![&o.bytes.narrow(0, 0, 1)?.erase(), 0, &o.places.mul(0).erase()]);
    "index": |o| latten::indexing::index(o.matrix.raw(), &[None, Some(o.row.raw())]);
    "index by a mask": |o| latten::indexing::index(o.floats.raw(), &[Some(o.mask.raw())]);
    "index_put_": |o| latten::indexing::index_put_in_place(
        o.matrix.raw(), &[None, Some(o.row.raw())], &o.floats.raw().narrow(0, 0, 600)?, latten::Accumulate::Yes);
    "masked_select": |o| call("masked_select", args![&o.floats, &o.mask]);
    "nonzero": |o| call("nonzero", args![&o.matrix]);
    "masked_fill": |o| call("masked_fill", args![&o.floats, &o.mask, 0]);
    "scatter": |o| call("scatter", args![&o.matrix, 1, &o.rows, &o.matrix]);
    "scatter_add": |o| call("scatter_add", args![&o.matrix, 1, &o.rows, &o.matrix]);
    "scatter_reduce": |o| call("scatter_reduce", args![&o.matrix, 1, &o.rows, &o.matrix, "mean"]);
    "sort": |o| call("sort", args![&o.floats]);
    "sort of columns": |o| call("sort", args![&o.matrix, 0]);
    "sort of bytes": |o| call("sort", args![&o.bytes]);
    "argsort": |o| call("argsort", args![&o.places]);
    "topk": |o| call("topk", args![&o.floats, 100_000]);
    "unique": |o| call("unique", args![&o.floats]);
    "unique of rows": |o| call("unique", args![&o.matrix; dim = 0]);
    "tril": |o| call("tril", args![&o.matrix]);
    "diag": |o| call("diag", args![&o.row]);
    "one_hot": |o| call("one_hot", args![&o.row]);
    "pad": |o| call("pad", args![&o.matrix, [1, 1]]);
    "pad by elements": |o| call("pad", args![&o.matrix, [1, 1], "reflect"]);
    "cat": |o| call("cat", args![[&o.matrix, &o.turned.reshape([600, 500])?.erase()]]);
    "stack": |o| call("stack", args![[&o.matrix, &o.matrix], -1]);
    "flip": |o| call("flip", args![&o.matrix, [0, 1]]);
    "roll": |o| call("roll", args![&o.floats, 3]);
    "repeat": |o| call("repeat", args![&o.matrix, 2, 2]);
    "repeat_interleave": |o| call("repeat_interleave", args![&o.floats, 2]);
    "repeat_interleave by a tensor": |o| call("repeat_interleave", args![&o.floats, &o.places.remainder(3)?.erase()]);
    "unbind": |o| o.floats.unbind(0);
    "split": |o| o.floats.split(1, 0);
    "arange": |o| call("arange", args![o.floats.numel() as i64]);
    "linspace": |o| call("linspace", args![0, 1, o.floats.numel() as i64]);
    "to_vec": |o| o.matrix.to_vec_of::<f32>();
    "scalars": |o| o.turned.raw().scalars();
    "mm": |o| call("mm", args![&o.matrix, &o.turned]);
    "mv": |o| call("mv", args![&o.matrix, &o.floats.narrow(0, 0, 500)?.erase()]);
    "einsum": |o| call("einsum", args!["ij,ij->ji", [&o.matrix, &o.matrix]]);
};

/// Runs an operation with less and less refused. The answer is how often it was refused.
fn refusals(operation: Operation, operands: &Operands) -> usize {
    for granted in 0..200 {
        storage::empty_cache();
        GRANTED.store(granted, Ordering::Relaxed);
        let outcome = operation(operands);
        let left = GRANTED.swap(usize::MAX, Ordering::Relaxed);
        match outcome {
            Ok(()) if left > 0 || granted == 0 => return granted,
            Ok(()) => {}
            Err(error) => assert!(error.message().contains("memory"), "{error}"),
        }
    }
    panic!("it never got all that it asked for")
}

/// Each operation in a process of its own.
#[test]
fn memory_that_is_refused_is_an_error() -> Result<()> {
    if let Ok(asked) = std::env::var(ASKED) {
        let operands = Operands::new()?;
        let (_, operation) = OPERATIONS.iter().find(|(name, _)| *name == asked).expect("an operation");
        assert!(refusals(*operation, &operands) > 0, "it asks for no memory");
        return Ok(());
    }
    let own = std::env::current_exe().expect("this program");
    let mut wrong = Vec::new();
    for (name, _) in OPERATIONS {
        let output = Command::new(&own).arg("--nocapture").env(ASKED, name).output().expect("this program again");
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).lines().take(4).collect::<Vec<_>>().join(" | ");
            wrong.push(format!("{name}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}
