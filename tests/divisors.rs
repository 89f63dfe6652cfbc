//! Integers that are divided by zero are an error, whoever writes the divisors meanwhile: they are looked at under the locks of the division. What
//! divisions of floats leave has the same bits whatever stands beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use latten::elementwise::{Params, apply, apply_in_place, apply_out};
use latten::prelude::*;
use latten::{Op, RawTensor, Result};

const LEN: usize = 100_000;
const DIVISIONS: usize = 400;

fn filled(number: i64, sizes: &[usize]) -> RawTensor {
    RawTensor::from_scalars(&vec![number.into(); sizes.iter().product()], sizes, &Options::new().dtype(DType::I64)).expect("numbers")
}

/// All divisors are one or all are zero, as each write of them is under their lock. So a division gives the dividends, or an error.
#[test]
fn no_thread_puts_a_zero_between_the_check_and_the_division() {
    let (dividends, divisors, ended) = (filled(7, &[LEN]), filled(1, &[LEN]), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                divisors.fill_(0).expect("zeros");
                divisors.fill_(1).expect("ones");
            }
        });
        let (mut divided, mut refused) = (0, 0);
        for division in 0..DIVISIONS {
            let result = match division % 2 {
                0 => apply(Op::DivFloor, &[(&dividends).into(), (&divisors).into()], &Params::none()),
                _ => {
                    let mut out = filled(0, &[0]);
                    apply_out(Op::Remainder, &[(&dividends).into(), (&divisors).into()], &mut out, &Params::none()).map(|_| out)
                }
            };
            match result {
                Ok(result) => {
                    let expected = if division % 2 == 0 { 7 } else { 0 };
                    let wrong = result.scalars().expect("numbers").iter().filter(|&&number| number != expected).count();
                    assert_eq!(wrong, 0, "division {division}: {wrong} of {LEN} results are those of a division by zero");
                    divided += 1;
                }
                Err(error) => {
                    assert_eq!(error.message(), "ZeroDivisionError", "division {division}");
                    refused += 1;
                }
            }
        }
        ended.store(true, Ordering::Relaxed);
        println!("{divided} divided, {refused} refused");
    });
}

/// Divisors of all kinds: the error comes before anything is written, and an output keeps its storage.
#[test]
fn a_division_by_zero_changes_nothing() {
    for op in [Op::DivFloor, Op::DivTrunc, Op::Remainder, Op::Fmod] {
        for (zeros, what) in [
            (filled(0, &[2]), "a row"),
            (filled(0, &[]), "no dimensions"),
            (filled(256, &[2]).to_dtype(DType::U8).expect("bytes"), "bytes"),
        ] {
            let dividends = filled(5, &[3, 2]).to_dtype(if what == "bytes" { DType::U8 } else { DType::I64 }).expect("integers");
            let error = |outcome: Result<()>, how: &str| {
                assert_eq!(outcome.expect_err(how).message(), "ZeroDivisionError", "{op} by {what}, {how}");
            };
            error(apply(op, &[(&dividends).into(), (&zeros).into()], &Params::none()).map(drop), "new");
            error(apply_in_place(op, &dividends, &[(&zeros).into()], &Params::none()), "in place");
            let mut out = filled(9, &[1]).to_dtype(dividends.dtype()).expect("integers");
            let nbytes = out.storage().nbytes();
            error(apply_out(op, &[(&dividends).into(), (&zeros).into()], &mut out, &Params::none()).map(drop), "out=");
            assert_eq!((out.scalars().expect("numbers"), out.storage().nbytes()), (vec![9.into()], nbytes), "{op} by {what}");
            assert_eq!(dividends.scalars().expect("numbers"), vec![5; 6], "{op} by {what}");
        }
    }
}

/// A division of floats as Python defines it, from what is left of it: `fmod`, `remainder` and `floor_divide`.
macro_rules! divided {
    ($T:ty: $op:expr, $x:expr, $y:expr) => {{
        let (x, y): ($T, $T) = ($x, $y);
        let rest = x % y;
        let opposite = rest != 0.0 && (rest < 0.0) != (y < 0.0);
        let quotient = (x - rest) / y - if opposite { 1.0 } else { 0.0 };
        let floor = quotient.floor() + if quotient - quotient.floor() > 0.5 { 1.0 } else { 0.0 };
        match $op {
            Op::Fmod => rest,
            Op::Remainder if opposite => rest + y,
            Op::Remainder => rest,
            _ if y == 0.0 => x / y,
            _ if quotient == 0.0 => (0.0 as $T).copysign(x / y),
            _ => floor,
        }
    }};
}

macro_rules! what_is_left {
    ($name:ident, $T:ty) => {
        #[test]
        fn $name() -> Result<()> {
            let near: Vec<$T> = [0.1, -0.1, 1.0, -1.0, 2.5, -3.0, 7.0, 1e3, -65536.5, 0.3, <$T>::MIN_POSITIVE, 3e-6].into();
            let far = [0.0, -0.0, 1e30, -3e33, <$T>::MAX, <$T>::INFINITY, <$T>::NEG_INFINITY, <$T>::NAN, <$T>::MIN_POSITIVE / 8.0];
            let pairs = |from: &[$T]| from.iter().flat_map(|&x| from.iter().map(move |&y| (x, y))).collect::<Vec<_>>();
            let small: Vec<_> = pairs(&near).into_iter().filter(|(x, y)| (x / y).abs() < 1e5).chain([(0.0, 2.0), (-0.0, 0.5)]).collect();
            let all = pairs(&[&near[..], &far].concat());
            let mut compared = 0;
            for count in [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 1000, 40_000] {
                let few: Vec<_> = small.iter().cycle().take(count).copied().collect();
                let mixed: Vec<_> = all.iter().cycle().take(count).copied().collect();
                // One large quotient among small ones.
                let one: Vec<_> = few.iter().enumerate().map(|(at, &pair)| if at == count / 2 { (1e30, 3.0) } else { pair }).collect();
                for (op, pairs) in [Op::Fmod, Op::Remainder, Op::DivFloor].into_iter().flat_map(|op| [&few, &mixed, &one].map(|own| (op, own))) {
                    let side = |number: fn(&($T, $T)) -> $T| RawTensor::from_vec(pairs.iter().map(number).collect(), &[count]);
                    let (x, y) = (side(|pair| pair.0)?, side(|pair| pair.1)?);
                    let room = RawTensor::from_vec(vec![0.0 as $T; 2 * count], &[2 * count])?.slice(0, None, None, 2)?;
                    room.copy_(&x)?;
                    let new = apply(op, &[(&x).into(), (&y).into()], &Params::none())?;
                    apply_in_place(op, &x, &[(&y).into()], &Params::none())?;
                    apply_in_place(op, &room, &[(&y).into()], &Params::none())?;
                    for (how, found) in [("new", &new), ("in place", &x), ("every second", &room)] {
                        let found = DynTensor::from(found.clone()).to_vec_of::<$T>()?;
                        for (at, (&(x, y), found)) in pairs.iter().zip(found).enumerate() {
                            let expected = divided!($T: op, x, y);
                            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                            assert!(same, "{op} {how}, number {at} of {count}: {x} by {y} is {found}, not {expected}");
                            compared += 1;
                        }
                    }
                }
            }
            assert!(compared > 100_000, "{compared}");
            Ok(())
        }
    };
}

what_is_left!(what_divisions_of_f32_leave, f32);
what_is_left!(what_divisions_of_f64_leave, f64);
