//! Integers that are divided by zero are an error, whoever writes the divisors meanwhile: they are looked at under the locks of the division.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use latten::elementwise::{Params, apply, apply_in_place, apply_out};
use latten::prelude::*;
use latten::{Op, RawTensor};

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
