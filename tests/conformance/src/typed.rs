//! The typed layer: `+ - * /` and their assignments on tensors whose types know dtype and rank. What doesn't compile is an answer
//! too. Tensors without dimensions and of rank 2 come in every pair of dtypes; other ranks with a dtype that only the run knows.

use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};
use std::panic::{self, AssertUnwindSafe};

use latten::Scalar;
use latten::default_dtype;
use latten::prelude::*;

use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

/// Makes a call by an operator between typed operands; nothing, where it is none of these.
pub(crate) fn call(op: &str, args: &Arguments) -> Option<Outcome> {
    // Types always say `f32` where PyTorch says the default dtype; tests/defaults.rs looks at that.
    if default_dtype() != DType::F32 {
        return None;
    }
    let place = ["add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_"].into_iter().position(|name| name == op);
    let place = if op == "true_divide" { 3 } else { place? };
    let (lhs, rhs) = args.only_two()?;
    let operator = match (lhs, rhs) {
        (Value::Tensor(a), Value::Tensor(b)) => tensors(a, b)?,
        (Value::Tensor(a), Value::Number(b)) => with_number(a, *b, Side::Right)?,
        // `2 / a` is PyTorch's operator, which isn't `div(2, a)`: it multiplies by the reciprocal.
        (Value::Number(a), Value::Tensor(b)) if place < 3 => with_number(b, *a, Side::Left)?,
        _ => return None,
    }[place];
    // An operator panics with the text of the error.
    let made = panic::catch_unwind(AssertUnwindSafe(|| operator(lhs, rhs)));
    Some(made.unwrap_or_else(|payload| match payload.downcast::<String>() {
        Ok(message) => Err(Failure::Panicked(*message)),
        Err(payload) => panic::resume_unwind(payload),
    }))
}

/// An operator between two types, as a function of erased operands.
type Operator = fn(&Value, &Value) -> Outcome;

/// `+ - * /`, then the assignments.
type Operators = [Operator; 8];

/// Two types of operands.
struct Pair<A, B>(PhantomData<(A, B)>);

/// An operand or an answer, with and without its type.
trait Known: Sized {
    fn from(value: &Value) -> Outcome<Self>;
    fn forget(self) -> Outcome;
}

impl<E: Element, S: Shape> Known for Tensor<E, S> {
    fn from(value: &Value) -> Outcome<Self> {
        match value {
            Value::Tensor(tensor) => Ok(tensor.typed()?),
            other => Err(Failure::Unsupported(format!("{other:?} as a tensor"))),
        }
    }

    /// A type that says another dtype or rank than there is doesn't come from `typed`, but from a rule.
    fn forget(self) -> Outcome {
        let tensor = self.erase();
        match tensor.typed::<E, S>() {
            Ok(_) => Ok(tensor.into()),
            Err(error) => Err(Failure::Panicked(format!("the type of the result is wrong: {error}"))),
        }
    }
}

macro_rules! numbers {
    ($($number:ty: $pattern:pat => $value:expr;)+) => { $(
        impl Known for $number {
            fn from(value: &Value) -> Outcome<Self> {
                match value {
                    Value::Number($pattern) => Ok($value),
                    other => Err(Failure::Unsupported(format!("{other:?} as a number"))),
                }
            }

            fn forget(self) -> Outcome {
                Ok(Scalar::from(self).into())
            }
        }
    )+ };
}

numbers! {
    bool:         Scalar::Bool(x) => *x;
    i64:          Scalar::Int(x) => *x;
    f64:          Scalar::Float(x) => *x;
    Complex<f64>: Scalar::Complex(x) => *x;
}

macro_rules! operators {
    ($($name:ident $Trait:ident $assign:ident $Assign:ident $op:tt $op_assign:tt;)+) => {
        $(
            impl<A: Known + $Trait<B, Output: Known>, B: Known> Pair<A, B> {
                fn $name(a: &Value, b: &Value) -> Outcome {
                    (A::from(a)? $op B::from(b)?).forget()
                }
            }

            impl<A: Known + $Assign<B>, B: Known> Pair<A, B> {
                fn $assign(a: &Value, b: &Value) -> Outcome {
                    let (mut a, b) = (A::from(a)?, B::from(b)?);
                    a $op_assign b;
                    a.forget()
                }
            }
        )+
    };
}

operators! {
    add Add add_assign AddAssign + +=;
    sub Sub sub_assign SubAssign - -=;
    mul Mul mul_assign MulAssign * *=;
    div Div div_assign DivAssign / /=;
}

/// What an operator is where types may have none: the functions of [`Pair`] come first where their bounds hold. (`+`, `*` and `/`
/// take every pair of dtypes.)
trait Refused {
    fn sub(_: &Value, _: &Value) -> Outcome {
        Err(Failure::Uncompilable)
    }

    fn add_assign(_: &Value, _: &Value) -> Outcome {
        Err(Failure::Uncompilable)
    }

    fn sub_assign(_: &Value, _: &Value) -> Outcome {
        Err(Failure::Uncompilable)
    }

    fn mul_assign(_: &Value, _: &Value) -> Outcome {
        Err(Failure::Uncompilable)
    }

    fn div_assign(_: &Value, _: &Value) -> Outcome {
        Err(Failure::Uncompilable)
    }
}

impl<A, B> Refused for Pair<A, B> {}

macro_rules! pair {
    ($A:ty, $B:ty) => {
        [
            Pair::<$A, $B>::add as Operator,
            Pair::<$A, $B>::sub,
            Pair::<$A, $B>::mul,
            Pair::<$A, $B>::div,
            Pair::<$A, $B>::add_assign,
            Pair::<$A, $B>::sub_assign,
            Pair::<$A, $B>::mul_assign,
            Pair::<$A, $B>::div_assign,
        ]
    };
}

macro_rules! every_dtype {
    ($row:ident) => {
        every_dtype!(@ $row [bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128] [bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128])
    };
    (@ $row:ident [$($lhs:ident)+] $all:tt) => { [$($row!($lhs $all)),+] };
}

macro_rules! tensor_pairs {
    ($lhs:ident [$($rhs:ident)+]) => { [$([
        pair!(Tensor<$lhs, ()>, Tensor<$rhs, ()>),
        pair!(Tensor<$lhs, ()>, Tensor<$rhs, Rank<2>>),
        pair!(Tensor<$lhs, Rank<2>>, Tensor<$rhs, ()>),
        pair!(Tensor<$lhs, Rank<2>>, Tensor<$rhs, Rank<2>>),
    ]),+] };
}

macro_rules! number_pairs {
    ($tensor:ident $all:tt) => {
        [number_pairs!(@ Tensor<$tensor, ()>), number_pairs!(@ Tensor<$tensor, Rank<2>>)]
    };
    (@ $tensor:ty) => {
        [
            [pair!($tensor, bool), pair!(bool, $tensor)],
            [pair!($tensor, i64), pair!(i64, $tensor)],
            [pair!($tensor, f64), pair!(f64, $tensor)],
            [pair!($tensor, Complex<f64>), pair!(Complex<f64>, $tensor)],
        ]
    };
}

macro_rules! rank_pairs {
    ([$($lhs:literal)+] $all:tt) => { [$(rank_pairs!(@ $lhs $all)),+] };
    (@ $lhs:literal [$($rhs:literal)+]) => { [$(pair!(Tensor<Any, Rank<$lhs>>, Tensor<Any, Rank<$rhs>>)),+] };
}

/// By the dtypes of both, then by the ranks.
static TENSORS: [[[Operators; 4]; 13]; 13] = every_dtype!(tensor_pairs);

/// By the dtype and the rank of the tensor, the category of the number, and whether the number is on the left.
static NUMBERS: [[[[Operators; 2]; 4]; 2]; 13] = every_dtype!(number_pairs);

/// By the ranks, where only the run knows the dtypes.
static RANKS: [[Operators; 6]; 6] = rank_pairs!([0 1 2 3 4 5] [0 1 2 3 4 5]);

fn place(dtype: DType) -> Option<usize> {
    DType::COMPUTING.iter().position(|&computing| computing == dtype)
}

/// Whether a tensor has rank 2; nothing, where it has another than 0.
fn of_rank_2(tensor: &DynTensor) -> Option<usize> {
    [0, 2].into_iter().position(|rank| rank == tensor.dim())
}

fn tensors(a: &DynTensor, b: &DynTensor) -> Option<Operators> {
    let (left, right) = (place(a.dtype())?, place(b.dtype())?);
    match (of_rank_2(a), of_rank_2(b)) {
        (Some(a), Some(b)) => Some(TENSORS[left][right][2 * a + b]),
        _ => RANKS.get(a.dim())?.get(b.dim()).copied(),
    }
}

fn with_number(tensor: &DynTensor, number: Scalar, side: Side) -> Option<Operators> {
    Some(NUMBERS[place(tensor.dtype())?][of_rank_2(tensor)?][number.category() as usize][side as usize])
}

/// Where a number stands beside a tensor.
#[derive(Clone, Copy)]
enum Side {
    Right,
    Left,
}
