//! Numbers, rows and halves beside neighbours: loops of their own give what others do.

use latten::elementwise::{Params, RawOperand, apply, apply_in_place};
use latten::{DType, DynTensor, MemoryFormat, Op, Options, RawTensor, Result, f16};

use super::{bytes, numbered, values};

/// Beside neighbours a number is a row that is used again, beside others it stays one: the same, whatever the length.
#[test]
fn a_number_beside_neighbours_is_what_it_is_beside_others() {
    let mut compared = 0;
    for (&op, &dtype) in Op::ALL.iter().flat_map(|op| DType::COMPUTING.iter().map(move |dtype| (op, dtype))) {
        for len in [1, 129, 1_025, 2_049, 4_095] {
            let apart = numbered(dtype, &[len, 2]).select(1, 0).expect("a column");
            let neighbours = apart.contiguous(MemoryFormat::Contiguous).expect("memory");
            for number in [3.into(), 0.5.into()] {
                for first in [true, false] {
                    let with = |x| {
                        if first {
                            [RawOperand::Scalar(number), RawOperand::Tensor(x)]
                        } else {
                            [RawOperand::Tensor(x), RawOperand::Scalar(number)]
                        }
                    };
                    let found = |x| apply(op, &with(x), &Params::none()).and_then(|result| result.contiguous(MemoryFormat::Contiguous));
                    let (Ok(one), Ok(other)) = (found(&neighbours), found(&apart)) else { continue };
                    assert!(bytes(&one) == bytes(&other), "{op:?} of {len} {dtype:?} beside {number:?}, first: {first}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 3_000, "{compared}");
}

/// Numbers beside one operand are what tensors full of them are.
#[test]
fn numbers_beside_one_operand_are_what_tensors_full_of_them_are() {
    let mut compared = 0;
    for (&op, dtype) in Op::ALL.iter().flat_map(|op| [DType::F32, DType::F64].map(move |dtype| (op, dtype))) {
        let count = op.row().operands.len();
        for (len, one) in [1, 129, 2_049, 40_000].into_iter().flat_map(|len| (0..count).map(move |one| (len, one))) {
            for numbers in [[2.5, 7.5], [7.5, f64::NAN], [f64::NAN, 2.5]] {
                let x = numbered(dtype, &[len]);
                let mut others = numbers.into_iter().cycle();
                let numbers: Vec<f64> = (0..count).filter_map(|_| others.next()).collect();
                let full = |number: &f64| RawTensor::full(&[len], (*number).into(), &Options::new().dtype(dtype)).expect("numbers");
                let tensors: Vec<RawTensor> = numbers.iter().map(full).collect();
                let own = |at| if at == one { Some(RawOperand::Tensor(&x)) } else { None };
                let with_numbers: Vec<RawOperand<'_>> = (0..count).map(|at| own(at).unwrap_or(numbers[at].into())).collect();
                let with_tensors: Vec<RawOperand<'_>> = (0..count).map(|at| own(at).unwrap_or((&tensors[at]).into())).collect();
                let [found, expected] = [with_numbers, with_tensors].map(|operands| apply(op, &operands, &Params::none()));
                let (Ok(found), Ok(expected)) = (found, expected) else { continue };
                let [left, right] = [&found, &expected].map(|result| values(&result.to_dtype(DType::F64).expect("numbers")));
                let alike = left.iter().zip(&right).all(|(x, y)| x == y || x.to_f64().is_nan() && y.to_f64().is_nan());
                assert!(alike && left.len() == right.len(), "{op:?} of {len} {dtype:?} at {one} beside {numbers:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Beside neighbours a row is used again and again, beside others it is broadcast: the same, in new tensors and in place.
#[test]
fn a_row_beside_neighbours_is_what_it_is_beside_others() {
    let mut compared = 0;
    let cases: [(&[usize], &[usize]); 9] = [
        (&[7], &[]),
        (&[3, 5], &[5]),
        (&[3, 5], &[1, 5]),
        (&[2, 3, 4], &[3, 4]),
        (&[2, 3, 4], &[1, 1]),
        (&[1, 6], &[6]),
        (&[300, 7], &[7]),
        (&[3, 1_100], &[1_100]),
        (&[40, 100], &[100]),
    ];
    for (&op, &dtype) in Op::ALL.iter().flat_map(|op| DType::COMPUTING.iter().map(move |dtype| (op, dtype))) {
        for (sizes, own) in cases {
            let apart = numbered(dtype, &[sizes, &[2]].concat()).select(-1, 0).expect("a part");
            let row = numbered(dtype, &[own, &[2]].concat()).select(-1, 1).expect("a part");
            let neighbours = |tensor: &RawTensor| tensor.contiguous(MemoryFormat::Contiguous).expect("memory");
            let (whole, part) = (neighbours(&apart), neighbours(&row));
            for first in [true, false] {
                let found = |whole, row| apply(op, &if first { [whole, row] } else { [row, whole] }, &Params::none());
                let (one, other) = (found((&whole).into(), (&part).into()), found((&apart).into(), (&row).into()));
                let (Ok(one), Ok(other)) = (&one, &other) else {
                    assert!(one.is_err() && other.is_err(), "{op:?} {dtype:?} {sizes:?} {own:?}");
                    continue;
                };
                assert!(
                    bytes(one) == bytes(&neighbours(other)) && one.strides() == whole.strides(),
                    "{op:?} {dtype:?} {sizes:?} beside {own:?}, row first: {}",
                    !first
                );
                compared += 1;
                let changed = apart.contiguous(MemoryFormat::Contiguous).expect("memory");
                if first && one.dtype() == dtype {
                    apply_in_place(op, &changed, &[(&part).into()], &Params::none()).expect("the same");
                    assert!(bytes(&changed) == bytes(one), "{op:?} {dtype:?} {sizes:?} in place beside {own:?}");
                }
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
}

/// What a calculation gives for neighbours, and for the same elements with others between them.
fn dense_and_apart(calculation: impl Fn(&[RawTensor]) -> Result<RawTensor>, operands: &[RawTensor]) -> Result<[Vec<u8>; 2]> {
    let apart = |tensor: &RawTensor| {
        let twice = RawTensor::zeros(&[tensor.numel(), 2], &Options::new().dtype(tensor.dtype()))?.select(1, 1)?;
        twice.copy_(tensor)?;
        Ok(twice)
    };
    let spread = operands.iter().map(apart).collect::<Result<Vec<_>>>()?;
    Ok([bytes(&calculation(operands)?), bytes(&calculation(&spread)?)])
}

/// Neighbours are converted by instructions of their own, all others by arithmetic.
#[test]
fn halves_beside_each_other_are_converted_as_others_are() -> Result<()> {
    let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    // Each half, what lies between it and the next one, and their neighbours.
    let near = |half: f16| {
        let bits = half.to_f32().to_bits();
        [0, 1, 0xfff, 0x1000, 0x1001].into_iter().flat_map(move |more| [bits.wrapping_add(more), bits.wrapping_sub(more)])
    };
    let singles: Vec<f32> = halves.iter().copied().flat_map(near).chain((0..1 << 13).map(|at| at << 19)).map(f32::from_bits).collect();
    let singles = RawTensor::from_vec::<f32>(singles, &[halves.len() * 10 + (1 << 13)])?;
    // Not a whole number of vectors.
    let halves = RawTensor::from_vec::<f16>(halves, &[1 << 16])?.narrow(0, 0, (1 << 16) - 3)?;
    let [dense, apart] = dense_and_apart(|all| all[0].to_dtype(DType::F32), std::slice::from_ref(&halves))?;
    assert!(dense == apart, "f16 to f32");
    let [dense, apart] = dense_and_apart(|all| all[0].to_dtype(DType::F16), &[singles])?;
    assert!(dense == apart, "f32 to f16");
    let backwards = halves.flip(&[0])?.roll(&[77], &[0])?;
    let wide = [&halves, &backwards].map(|tensor| tensor.to_dtype(DType::F32).expect("a conversion"));
    for op in [Op::Add, Op::Sub, Op::Mul, Op::Div] {
        let found = apply(op, &[(&halves).into(), (&backwards).into()], &Params::none())?;
        let expected = apply(op, &[(&wide[0]).into(), (&wide[1]).into()], &Params::none())?.to_dtype(DType::F16)?;
        let [found, expected] = [found, expected].map(|tensor| DynTensor::from(tensor).to_vec_of::<f16>().expect("halves"));
        let wrong =
            (0..found.len()).find(|&at| found[at].to_bits() != expected[at].to_bits() && !(found[at].is_nan() && expected[at].is_nan()));
        assert_eq!(wrong.map(|at| (at, found[at], expected[at])), None, "{op:?}");
    }
    Ok(())
}
