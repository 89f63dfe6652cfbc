//! The dtypes that the types say, the dtypes that the table says, and the dtypes that PyTorch gave: all the same.
//!
//! `golden/promotion_oracle.json` holds PyTorch 2.15's answers for every pair of dtypes and ranks. Where this library differs on
//! purpose, `DIFFERENCES` says so by name.

mod oracle;

use latten::op;
use latten::prelude::*;
use latten::relations::{CastInto, PromoteWith, SubtractWith};
use latten::shape::{AnyRank, Dimensioned, Wrapped, WrappedComplex, ZeroDim};
use oracle::{Operand, Oracle, Rank};

/// What the types say of a pair of operands: the promoted dtype, and whether they may be subtracted.
struct Pair {
    lhs: Operand,
    rhs: Operand,
    promoted: Option<DType>,
    subtracts: bool,
}

/// What the types say of an operation: its result for each promoted dtype, `None` where it isn't implemented.
type Row = (&'static str, Vec<(DType, Option<DType>)>);

/// The dtype that an implemented relation gives, or `None` where the relation isn't implemented.
macro_rules! output_of {
    ($element:ty: $relation:path) => {{
        struct Probe<T>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "shadowed where the relation is implemented")]
        trait Missing {
            const OUTPUT: Option<DType> = None;
        }
        impl<T> Missing for Probe<T> {}
        #[allow(dead_code, reason = "unused where the relation is missing")]
        impl<T: $relation> Probe<T> {
            const OUTPUT: Option<DType> = <<T as $relation>::Output as Element>::KNOWN_DTYPE;
        }
        <Probe<$element>>::OUTPUT
    }};
}

/// Whether a relation without output is implemented.
macro_rules! holds {
    ($element:ty: $($relation:tt)+) => {{
        struct Probe<T>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "shadowed where the relation is implemented")]
        trait Missing {
            const HOLDS: bool = false;
        }
        impl<T> Missing for Probe<T> {}
        #[allow(dead_code, reason = "unused where the relation is missing")]
        impl<T: $($relation)+> Probe<T> {
            const HOLDS: bool = true;
        }
        <Probe<$element>>::HOLDS
    }};
}

fn promoted<E: PromoteWith<L, R, F>, L, R, F>() -> Option<DType> {
    <E::Output as Element>::KNOWN_DTYPE
}

/// Calls a macro with each of the thirteen types, a list of all of them, and where to put what it finds.
macro_rules! for_each_type {
    ($callback:ident, $found:ident) => {
        for_each_type!(@ $callback, $found, [bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128] [bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128])
    };
    (@ $callback:ident, $found:ident, [$($one:ident)+] $all:tt) => {
        $( $callback!($found; $one $all); )+
    };
}

macro_rules! pairs_of {
    ($pairs:ident; $lhs:ident [$($rhs:ident)+]) => { $(
        for (left, right, dtype) in [
            (Rank::Dimensioned, Rank::Dimensioned, promoted::<$lhs, Dimensioned, Dimensioned, $rhs>()),
            (Rank::Dimensioned, Rank::ZeroDim, promoted::<$lhs, Dimensioned, ZeroDim, $rhs>()),
            (Rank::ZeroDim, Rank::Dimensioned, promoted::<$lhs, ZeroDim, Dimensioned, $rhs>()),
            (Rank::ZeroDim, Rank::ZeroDim, promoted::<$lhs, ZeroDim, ZeroDim, $rhs>()),
        ] {
            $pairs.push(Pair {
                lhs: Operand::new(left, <$lhs>::DTYPE),
                rhs: Operand::new(right, <$rhs>::DTYPE),
                promoted: dtype,
                subtracts: holds!($lhs: SubtractWith<$rhs>),
            });
        }
    )+ };
}

macro_rules! numbers_of {
    ($pairs:ident; $lhs:ident $all:tt) => { numbers_of!(@ $pairs $lhs: bool Wrapped, i64 Wrapped, f32 Wrapped, c64 WrappedComplex) };
    (@ $pairs:ident $lhs:ident: $($number:ident $Level:ident),+) => { $(
        for (rank, dtype) in [
            (Rank::Dimensioned, promoted::<$lhs, Dimensioned, $Level, $number>()),
            (Rank::ZeroDim, promoted::<$lhs, ZeroDim, $Level, $number>()),
        ] {
            let (tensor, number) = (Operand::new(rank, <$lhs>::DTYPE), Operand::new(Rank::Number, <$number>::DTYPE));
            let subtracts = holds!($lhs: SubtractWith<$number>);
            $pairs.push(Pair { lhs: tensor, rhs: number, promoted: dtype, subtracts });
            $pairs.push(Pair { lhs: number, rhs: tensor, promoted: dtype, subtracts });
        }
    )+ };
}

/// All that the types say of pairs: 13 × 13 dtypes × 4 ranks, and numbers on either side.
fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for_each_type!(pairs_of, pairs);
    for_each_type!(numbers_of, pairs);
    pairs
}

macro_rules! operation_rows {
    ($($name:literal $relation:ident),+ $(,)?) => {
        vec![$(($name, operation_rows!(@ $relation [bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128]))),+]
    };
    (@ $relation:ident [$($element:ident)+]) => {
        vec![$((<$element>::DTYPE, output_of!($element: op::$relation))),+]
    };
}

/// Binary operations by the name that the oracle has for them.
fn binary() -> Vec<Row> {
    operation_rows![
        "add" Add, "sub" Sub, "mul" Mul, "div" Div, "floordiv" DivFloor, "mod" Remainder, "and" BitwiseAnd, "lshift" LeftShift,
        "eq" Eq, "lt" Lt, "maximum" Maximum, "fmod" Fmod, "atan2" Atan2, "bitwise_or" BitwiseOr, "float_power" FloatPower,
        "copysign" Copysign, "logical_or" LogicalOr, "hypot" Hypot, "where" Where, "pow" Pow, "floor_divide" DivFloor,
        "remainder" Remainder, "bitwise_and" BitwiseAnd, "logical_and" LogicalAnd,
    ]
}

fn unary() -> Vec<Row> {
    operation_rows![
        "abs" Abs, "neg" Neg, "positive" Positive, "sign" Sign, "sgn" Sgn, "floor" Floor, "ceil" Ceil, "trunc" Trunc, "round" Round,
        "frac" Frac, "sqrt" Sqrt, "rsqrt" Rsqrt, "exp" Exp, "log" Log, "sin" Sin, "tanh" Tanh, "sigmoid" Sigmoid,
        "reciprocal" Reciprocal, "square" Square, "relu" Relu, "angle" Angle, "real" Real, "imag" Imag, "conj" Conj,
        "logical_not" LogicalNot, "bitwise_not" BitwiseNot, "isnan" Isnan, "isinf" Isinf, "isfinite" Isfinite, "signbit" Signbit,
        "erf" Erf, "deg2rad" Deg2rad, "nan_to_num" NanToNum,
    ]
}

fn reductions() -> Vec<Row> {
    operation_rows![
        "sum" Sum, "prod" Prod, "mean" Mean, "std" Std, "var" Var, "amax" Amax, "amin" Amin, "max" Max, "min" Min, "argmax" Argmax,
        "argmin" Argmin, "any" Any, "all" All, "median" Median, "nansum" Nansum, "count_nonzero" CountNonzero, "aminmax" Aminmax,
        "norm" Norm, "cumsum" Cumsum, "cumprod" Cumprod, "logsumexp" Logsumexp, "sort" Sort, "cummax" Cummax,
    ]
}

/// Where the types differ from PyTorch on purpose, or can't know what PyTorch knows: the name of the difference, if it is one.
fn difference(name: &str, lhs: Operand, rhs: Operand) -> Option<&'static str> {
    let half_with_complex = |a: Operand, b: Operand| a.dtype == DType::BF16 && a.rank < b.rank && b.dtype.is_complex();
    if half_with_complex(lhs, rhs) || half_with_complex(rhs, lhs) {
        return Some("bfloat16 with a complex number is complex64: PyTorch's bcomplex32 can't compute");
    }
    let makes_c32 = |a: Operand, b: Operand| a.dtype == DType::F16 && a.rank < b.rank && b.dtype.is_complex();
    if matches!(name, "div" | "pow" | "logical_or") && (makes_c32(lhs, rhs) || makes_c32(rhs, lhs)) {
        return Some("complex32 divides, has powers and logic: PyTorch has no kernel of these for it on the CPU");
    }
    if name == "pow" && lhs.dtype == DType::Bool && rhs == Operand::new(Rank::Number, DType::Bool) {
        return Some("a bool tensor to the power of `true`: whether the exponent is a number isn't known to the relation");
    }
    None
}

#[test]
fn pairs_promote_as_in_pytorch() {
    let oracle = Oracle::load();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for pair in pairs() {
        let Some(expected) = oracle.result_type(pair.lhs, pair.rhs) else { continue };
        compared += 1;
        let found = pair.promoted.map(DType::name);
        if found != Some(expected) && difference("result_type", pair.lhs, pair.rhs).is_none() {
            failures.push(format!("{} with {}: PyTorch {expected}, types {found:?}", pair.lhs, pair.rhs));
        }
        let table = latten::promote_levels([pair.lhs.into_table(), pair.rhs.into_table()]).ok();
        if table != pair.promoted {
            failures.push(format!("{} with {}: table {table:?}, types {:?}", pair.lhs, pair.rhs, pair.promoted));
        }
    }
    assert_eq!(compared, 24 * 24 + 24 * 4 * 2);
    oracle::report(&failures);
}

#[test]
fn binary_operations_give_the_dtypes_of_pytorch() {
    let oracle = Oracle::load();
    let (mut failures, mut compared, mut differing) = (Vec::new(), 0, std::collections::BTreeSet::new());
    let pairs = pairs();
    for (name, row) in binary() {
        for pair in &pairs {
            let Some(expected) = oracle.binary(name, pair.lhs, pair.rhs) else { continue };
            compared += 1;
            let result = pair.promoted.and_then(|promoted| row.iter().find(|(dtype, _)| *dtype == promoted)?.1);
            let found = result.filter(|_| name != "sub" || pair.subtracts).map(DType::name);
            if found == expected.dtype() {
                continue;
            }
            match difference(name, pair.lhs, pair.rhs) {
                Some(difference) => _ = differing.insert(difference),
                None => failures.push(format!("{name} of {} and {}: PyTorch {expected}, types {found:?}", pair.lhs, pair.rhs)),
            }
        }
    }
    assert!(compared > 20 * (24 * 24 + 24 * 8) / 2, "only {compared} cells were compared");
    assert_eq!(differing.len(), 3, "{differing:?}");
    oracle::report(&failures);
}

#[test]
fn unary_operations_and_reductions_give_the_dtypes_of_pytorch() {
    let oracle = Oracle::load();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for (section, rows) in [("unary", unary()), ("reduction", reductions())] {
        for (name, row) in rows {
            for (dtype, result) in row {
                let Some(expected) = oracle.unary(section, name, dtype) else { continue };
                compared += 1;
                if expected.dtype() != result.map(DType::name) {
                    failures.push(format!("{name} of {dtype}: PyTorch {expected}, types {result:?}"));
                }
            }
        }
    }
    assert_eq!(compared, (33 + 23) * 12);
    oracle::report(&failures);
}

macro_rules! casts_of {
    ($casts:ident; $from:ident [$($to:ident)+]) => { $(
        $casts.push((<$from>::DTYPE, <$to>::DTYPE, holds!($from: CastInto<$to>)));
    )+ };
}

#[test]
fn results_are_cast_as_in_pytorch() {
    let oracle = Oracle::load();
    let mut casts = Vec::new();
    for_each_type!(casts_of, casts);
    assert_eq!(casts.len(), 169);
    let mut failures = Vec::new();
    for (from, to, allowed) in casts {
        let table = can_cast(from, to);
        let pytorch = oracle.can_cast(from, to).unwrap_or(table);
        if (allowed, allowed) != (table, pytorch) {
            failures.push(format!("{from} into {to}: PyTorch {pytorch}, table {table}, types {allowed}"));
        }
    }
    oracle::report(&failures);
}

/// In place and `out=`: what the types refuse is what PyTorch refuses, and for the same reason.
#[test]
fn outputs_are_refused_as_in_pytorch() {
    let oracle = Oracle::load();
    let mut casts = Vec::new();
    for_each_type!(casts_of, casts);
    let allowed = |from, to| casts.iter().any(|&(f, t, allowed)| f == from && t == to && allowed);
    let (mut failures, mut compared) = (Vec::new(), 0);
    let pairs = pairs();
    for (name, row) in binary() {
        let any_output = matches!(name, "lt" | "eq" | "logical_and" | "logical_or");
        for pair in &pairs {
            let result = pair.promoted.and_then(|promoted| row.iter().find(|(dtype, _)| *dtype == promoted)?.1);
            let result = result.filter(|_| name != "sub" || pair.subtracts);
            let stores = |to| result.is_some_and(|result| any_output || allowed(result, to));
            // A zero-dim tensor can't grow: PyTorch speaks of the shapes first.
            let grows = pair.lhs.rank == Rank::ZeroDim && pair.rhs.rank == Rank::Dimensioned;
            if let Some(expected) = oracle.in_place(name, pair.lhs, pair.rhs).filter(|_| !grows) {
                compared += 1;
                if expected.is_ok() != stores(pair.lhs.dtype) && difference(name, pair.lhs, pair.rhs).is_none() {
                    failures.push(format!("{name}_ of {} and {}: PyTorch {expected}, types {result:?}", pair.lhs, pair.rhs));
                }
            }
            if pair.lhs == pair.rhs && pair.lhs.rank == Rank::Dimensioned {
                for &out in DType::COMPUTING {
                    let Some(expected) = oracle.out(name, pair.lhs.dtype, out) else { continue };
                    compared += 1;
                    if expected.is_ok() != stores(out) {
                        failures.push(format!("{name} of {} into {out}: PyTorch {expected}, types {result:?}", pair.lhs));
                    }
                }
            }
        }
    }
    assert!(compared > 6000, "only {compared} cells were compared");
    oracle::report(&failures);
}

/// Where a rank is unknown, the answer is typed exactly where it doesn't depend on that rank.
#[test]
fn unknown_ranks_leave_open_only_what_depends_on_them() {
    macro_rules! with_any_rank {
        ($rows:ident; $lhs:ident [$($rhs:ident)+]) => { $(
            $rows.extend([(
                [
                    promoted::<$lhs, Dimensioned, Dimensioned, $rhs>(),
                    promoted::<$lhs, Dimensioned, ZeroDim, $rhs>(),
                    promoted::<$lhs, ZeroDim, Dimensioned, $rhs>(),
                    promoted::<$lhs, ZeroDim, ZeroDim, $rhs>(),
                ],
                promoted::<$lhs, AnyRank, AnyRank, $rhs>(),
                promoted::<$lhs, AnyRank, Dimensioned, $rhs>(),
            )]);
        )+ };
    }
    type Row = ([Option<DType>; 4], Option<DType>, Option<DType>);
    let mut rows: Vec<Row> = Vec::with_capacity(169);
    for_each_type!(with_any_rank, rows);
    let unanimous = |answers: &[Option<DType>]| answers[0].filter(|_| answers.iter().all(|answer| *answer == answers[0]));
    for (answers, both, left) in &rows {
        assert_eq!(*both, unanimous(answers), "{answers:?}");
        assert_eq!(*left, unanimous(&[answers[0], answers[2]]), "{answers:?}");
    }
    assert_eq!(rows.iter().filter(|(_, both, _)| both.is_some()).count(), 115);
}
