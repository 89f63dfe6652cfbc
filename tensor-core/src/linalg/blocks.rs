//! Matrices that are their own transposes or adjoints, of a tensor: their factors with blocks of two, and what is solved with these. What is done with
//! one of them is in `indefinite`.

use latten_spec::DType;

use super::batch::{Batch, Each};
use super::indefinite::{self, OwnOther};
use super::made::{MadeNumbers, Zeros};
use super::matrix::MatrixOf;
use super::{C, TensorNumber, tensor};
use crate::convert::CastFrom;
use crate::error::Result;
use crate::layout::MemoryFormat;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::room::filled;

/// What is done with matrices of a tensor, as complex numbers.
macro_rules! by_complex {
    ($dtype:expr, $of:ident($($argument:expr),*)) => {
        match $dtype {
            DType::F32 => $of::<f32>($($argument),*),
            dtype if dtype.is_complex() => $of::<C>($($argument),*),
            // others: doubles; halves have no factors.
            _ => $of::<f64>($($argument),*),
        }
    };
}

/// Factors of matrices that are their own transposes or adjoints, how rows change places, and the first place of each diagonal that is zero, or 0.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn blocks(to: Target<'_>, input: &RawTensor, kind: OwnOther, zeros: Zeros) -> Result<[RawTensor; 3]> {
    fn of<T: TensorNumber<C>>(to: Target<'_>, input: &RawTensor, kind: OwnOther, zeros: Zeros) -> Result<[RawTensor; 3]>
    where
        C: CastFrom<T>,
    {
        let mut batch = Batch::<T, C>::unheld(input)?;
        let (size, mut pivots, mut infos) = (batch.rows, filled(batch.count * batch.rows, 0)?, filled(batch.count, 0)?);
        let mut both = MadeNumbers::beside(batch.at_once(to), input.sizes(), input, [&mut batch])?;
        batch.change_each(
            both.numbers(),
            (Each::same(&mut pivots, size), Each::same(&mut infos, 1)),
            || (),
            |(), at, matrices, (pivots, info)| {
                let found = indefinite::factored(MatrixOf::new(size, size, matrices.of(at))?, kind)?;
                found.both.put(matrices.of(at));
                pivots.of(at).copy_from_slice(&found.pivots);
                info.of(at).fill(found.info);
                if zeros.refuses(found.info) {
                    matrices.withhold();
                }
                Ok(())
            },
        )?;
        let (to, infos) = (zeros.behind(to, &infos), tensor(infos, &batch.outer, DType::I32, input)?);
        let pivots = tensor(pivots, &batch.sizes(&[size]), DType::I32, input)?;
        Ok([both.tensor(to, input.dtype(), input)?, pivots, infos])
    }
    by_complex!(input.dtype(), of(to, input, kind, zeros))
}

/// What gives right sides, multiplied by the matrices that have these factors: the columns lie one behind the other, as LAPACK leaves them, unless
/// the rows of what is offered do.
///
/// # Errors
/// Where rows change places with none, and where there is no memory.
pub(crate) fn solve_blocks(to: Target<'_>, both: &RawTensor, pivots: &RawTensor, right: &RawTensor, kind: OwnOther) -> Result<RawTensor> {
    fn of<T: TensorNumber<C>>(
        to: Target<'_>,
        both: &RawTensor,
        pivots: &RawTensor,
        right: &RawTensor,
        kind: OwnOther,
        by_rows: bool,
    ) -> Result<RawTensor>
    where
        C: CastFrom<T>,
    {
        let (mut batch, mut sides) = (Batch::<T, C>::unheld(both)?, Batch::<T, C>::unheld(right)?);
        let pivots: Vec<i64> = if pivots.is_meta() { Vec::new() } else { pivots.to_dtype(DType::I64)?.numbers()? };
        batch.count = batch.count.min(sides.count);
        let (size, width) = (batch.rows, sides.columns);
        let sizes = batch.sizes(&if by_rows { [size, width] } else { [width, size] });
        let mut found = MadeNumbers::beside(batch.at_once(to), &sizes, right, [&mut batch, &mut sides])?;
        batch.each(
            (Each::<_, C>::changed(sides.numbers(), found.numbers(), size * width), Each::<_, i64>::known(&pivots, size)),
            || (MatrixOf::unmade(size, size), MatrixOf::unmade(size, width)),
            |(own, side), at, matrix, (sides, pivots)| {
                own.refill(matrix)?;
                side.refill(sides.of(at))?;
                let steps = indefinite::steps(pivots.of(at))?;
                (0..width).for_each(|column| indefinite::solved(own, &steps, kind, side.column_mut(column)));
                if by_rows {
                    side.put(sides.of(at));
                } else {
                    sides.of(at).copy_from_slice(side.split(0).1);
                }
                Ok(())
            },
        )?;
        found.tensor(to, right.dtype(), right)
    }
    if let Target::Offered(out) = to
        && out.is_contiguous(MemoryFormat::Contiguous)
    {
        return by_complex!(right.dtype(), of(to, both, pivots, right, kind, true));
    }
    let room = to.seen_as(right.sizes(), |out| out.transpose(-1, -2));
    by_complex!(right.dtype(), of(Target::offering(room.as_ref()), both, pivots, right, kind, false))?.transpose(-1, -2)
}
