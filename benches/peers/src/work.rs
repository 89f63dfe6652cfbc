//! A side's work: what is timed, and the numbers that it gives, which all sides must agree on before anything is timed.

use std::hint::black_box;
use std::marker::PhantomData;

use candle_core::{DType as CandleType, Tensor as Candle};
use latten::prelude::*;
use latten_core::raw::RawTensor;
use ndarray::{Array, Dimension};

/// Work that a row times.
pub struct Work(Box<dyn Repeated>);

impl Work {
    /// Does it once.
    pub fn once(&mut self) {
        self.0.once();
    }

    /// Does it once more, and says what it gave.
    pub fn answer(&mut self) -> Vec<f64> {
        self.0.answer()
    }
}

/// Work that gives a new value each time.
pub fn work<R: Numbers + 'static>(once: impl FnMut() -> R + 'static) -> Work {
    Work(Box::new(New(once, PhantomData)))
}

/// Work that changes a value.
pub fn work_on<S: Numbers + 'static>(state: S, once: impl FnMut(&mut S) + 'static) -> Work {
    Work(Box::new(Changed(state, once)))
}

trait Repeated {
    fn once(&mut self);
    fn answer(&mut self) -> Vec<f64>;
}

struct New<F, R>(F, PhantomData<R>);

impl<R: Numbers, F: FnMut() -> R> Repeated for New<F, R> {
    fn once(&mut self) {
        black_box((self.0)());
    }

    fn answer(&mut self) -> Vec<f64> {
        (self.0)().numbers()
    }
}

struct Changed<S, F>(S, F);

impl<S: Numbers, F: FnMut(&mut S)> Repeated for Changed<S, F> {
    fn once(&mut self) {
        (self.1)(black_box(&mut self.0));
    }

    fn answer(&mut self) -> Vec<f64> {
        self.once();
        self.0.numbers()
    }
}

/// What a side gives, as numbers; complex ones are two each.
pub trait Numbers {
    /// All of them, in the order of their indices.
    fn numbers(&self) -> Vec<f64>;
}

impl Numbers for RawTensor {
    fn numbers(&self) -> Vec<f64> {
        let real = if self.dtype().is_complex() { self.view_as_real().expect("its parts") } else { self.clone() };
        let wide = real.to_dtype(DType::F64).expect("a conversion");
        DynTensor::from(wide).to_vec_of::<f64>().expect("numbers")
    }
}

impl<E: Element, S: Shape> Numbers for Tensor<E, S> {
    fn numbers(&self) -> Vec<f64> {
        self.raw().numbers()
    }
}

impl Numbers for Candle {
    fn numbers(&self) -> Vec<f64> {
        let flat = self.to_dtype(CandleType::F64).and_then(|numbers| numbers.flatten_all());
        flat.and_then(|numbers| numbers.to_vec1()).expect("numbers")
    }
}

impl<A: Number, D: Dimension> Numbers for Array<A, D> {
    fn numbers(&self) -> Vec<f64> {
        self.iter().map(|number| number.wide()).collect()
    }
}

impl Numbers for f32 {
    fn numbers(&self) -> Vec<f64> {
        vec![self.wide()]
    }
}

/// Some numbers after some others.
impl<A: Numbers, B: Numbers> Numbers for (A, B) {
    fn numbers(&self) -> Vec<f64> {
        [self.0.numbers(), self.1.numbers()].concat()
    }
}

/// An element of an array.
pub trait Number: Copy {
    /// The nearest of the largest floats.
    fn wide(self) -> f64;
}

macro_rules! number {
    ($($element:ty)*) => {$(
        impl Number for $element {
            fn wide(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

number!(f32 f64 u8 bool);

/// Where two answers differ by more than that share of the largest number, if they do.
pub fn difference(own: &[f64], other: &[f64], share: f64) -> Option<String> {
    if own.len() != other.len() {
        return Some(format!("{} numbers beside {}", own.len(), other.len()));
    }
    let largest = other.iter().filter(|number| number.is_finite()).fold(0.0_f64, |most, number| most.max(number.abs()));
    let differ = |x: f64, y: f64| {
        if x.is_finite() && y.is_finite() { (x - y).abs() > share * largest } else { x.is_nan() != y.is_nan() || (!x.is_nan() && x != y) }
    };
    let mut places = own.iter().zip(other).enumerate().filter(|(_, (x, y))| differ(**x, **y));
    let (place, (x, y)) = places.next()?;
    Some(format!("{x} beside {y} at place {place}, and {} more", places.count()))
}
