//! Decompositions of matrices, on the host and in double precision, of real numbers or of complex ones; what comes out is put into tensors of
//! the input's dtype. Products of matrices are in [`product`](crate::product).

/// What is done with matrices of a tensor, as real numbers or as complex ones.
macro_rules! by_number {
    ($dtype:expr, $of:ident($($argument:expr),*)) => {
        match $dtype {
            DType::F32 => $of::<f32, f64>($($argument),*),
            dtype if dtype.is_complex() => $of::<C, C>($($argument),*),
            _ => $of::<f64, f64>($($argument),*),
        }
    };
}

mod batch;
mod blocks;
mod columns;
mod factoring;
mod factors;
mod few;
mod francis;
mod groups;
mod indefinite;
mod least;
mod made;
mod matrix;
mod mirrors;
mod number;
mod polar;
mod schur;
mod singular;
mod spread;
mod symmetric;

use latten_spec::DType;
use num_complex::Complex;

use crate::convert::CastFrom;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::room::{filled, room};

use batch::{Batch, Each};
pub(crate) use blocks::{blocks, solve_blocks};
pub(crate) use indefinite::OwnOther;
use least::NearestByMirrors;
use made::MadeNumbers;
pub(crate) use made::Zeros;
use matrix::MatrixOf;
pub(crate) use matrix::Vectors;
use number::MatrixNumber;
pub(crate) use polar::polar;
use schur::Turnable;

/// An element of a matrix.
type C = Complex<f64>;

/// A place as LAPACK counts them, from 1 on; 0 for none.
fn counted(place: Option<usize>) -> i32 {
    place.map_or(0, |place| i32::try_from(place + 1).unwrap_or(i32::MAX))
}

/// A number of a tensor whose matrices are computed with as others.
trait TensorNumber<N>: Native + Default + CastFrom<N> {}

impl<T: Native + Default + CastFrom<N>, N> TensorNumber<N> for T {}

/// Numbers in row-major order as a tensor.
fn tensor<N: Native>(numbers: Vec<N>, sizes: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
    if like.is_meta() {
        return RawTensor::empty(sizes, &contiguous_strides(sizes), dtype, like.device());
    }
    RawTensor::from_vec(numbers, sizes)?.to_dtype(dtype)?.to_device(like.device())
}

/// The factors of matrices: columns at right angles, singular values from the largest one on, and rows at right angles.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn svd(input: &RawTensor, wanted: Vectors) -> Result<[RawTensor; 3]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor, wanted: Vectors) -> Result<[RawTensor; 3]> {
        let batch = Batch::<T, N>::of(input)?;
        let (count, [rows, columns]) = (batch.count, [batch.rows, batch.columns]);
        let inner = rows.min(columns);
        let [height, width] = match wanted {
            Vectors::None => [0, 0],
            Vectors::AsValues => [inner, inner],
            Vectors::All => [rows, columns],
        };
        let (mut left, mut right) = (filled(count * rows * height, T::default())?, filled(count * width * columns, T::default())?);
        let mut values = filled(count * inner, 0.0)?;
        let results =
            (Each::<_, N>::new(&mut left, rows * height), Each::same(&mut values, inner), Each::<_, N>::new(&mut right, width * columns));
        batch.each(
            results,
            || (),
            |(), at, matrix, (left, values, right)| {
                let found = singular::singular(MatrixOf::new(rows, columns, matrix)?, wanted)?;
                found.left.put(left.of(at));
                values.of(at).copy_from_slice(&found.values);
                found.right.put_adjoint(right.of(at));
                Ok(())
            },
        )?;
        let dtype = input.dtype();
        Ok([
            tensor(left, &batch.sizes(&[rows, height]), dtype, input)?,
            tensor(values, &batch.sizes(&[inner]), dtype.to_real(), input)?,
            tensor(right, &batch.sizes(&[width, columns]), dtype, input)?,
        ])
    }
    by_number!(input.dtype(), of(input, wanted))
}

/// Eigenvalues of square matrices and the vectors that belong to them, complex ones of real matrices, too; or the number of a matrix of which
/// none were found.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn eig(input: &RawTensor) -> Result<std::result::Result<[RawTensor; 2], usize>> {
    fn of<T: TensorNumber<N>, N: Turnable + CastFrom<T>>(input: &RawTensor) -> Result<std::result::Result<[RawTensor; 2], usize>> {
        let batch = Batch::<T, N>::of(input)?;
        let (dtype, size) = (input.dtype(), batch.rows);
        let complex = dtype.to_complex().unwrap_or(dtype);
        let (mut values, mut vectors) = (filled(batch.count * size, C::default())?, filled(batch.count * size * size, C::default())?);
        let mut none = filled(batch.count, false)?;
        let results = (Each::same(&mut values, size), Each::same(&mut vectors, size * size), Each::same(&mut none, 1));
        batch.each(
            results,
            || (),
            |(), at, matrix, (values, vectors, none)| {
                if let Some(found) = schur::eigen(MatrixOf::new(size, size, matrix)?)? {
                    values.of(at).copy_from_slice(&found.values);
                    found.vectors.put(vectors.of(at));
                } else {
                    none.of(at).fill(true);
                }
                Ok(())
            },
        )?;
        if let Some(at) = none.iter().position(|&none| none) {
            return Ok(Err(at));
        }
        let values = tensor(values, &batch.sizes(&[batch.rows]), complex, input)?;
        Ok(Ok([values, tensor(vectors, input.sizes(), complex, input)?]))
    }
    by_number!(input.dtype(), of(input))
}

/// The inverses of square matrices, and the first place of the diagonal of each one's triangular factors that is zero, or 0.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn inverses(to: Target<'_>, input: &RawTensor, zeros: Zeros) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(to: Target<'_>, input: &RawTensor, zeros: Zeros) -> Result<[RawTensor; 2]> {
        let mut batch = Batch::<T, N>::unheld(input)?;
        let (size, mut places) = (batch.rows, filled(batch.count, 0)?);
        let mut found = MadeNumbers::beside(batch.at_once(to), input.sizes(), input, [&mut batch])?;
        batch.change_each(
            found.numbers(),
            Each::same(&mut places, 1),
            || factors::making(size, size),
            |factors, at, matrices, place| {
                factors.factor(matrices.of(at))?;
                let zero = counted(factors.singular());
                place.of(at).fill(zero);
                if zeros.refuses(zero) {
                    matrices.withhold();
                    return Ok(());
                }
                factors.invert(matrices.of(at))
            },
        )?;
        let (to, places) = (zeros.behind(to, &places), tensor(places, &batch.outer, DType::I32, input)?);
        Ok([found.tensor(to, input.dtype(), input)?, places])
    }
    by_number!(input.dtype(), of(to, input, zeros))
}

/// What gives a right side, multiplied by square matrices, and the first place of the diagonal of each one's triangular factors that is zero, or 0.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn solve(to: Target<'_>, left: &RawTensor, right: &RawTensor, zeros: Zeros) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(
        to: Target<'_>,
        left: &RawTensor,
        right: &RawTensor,
        zeros: Zeros,
    ) -> Result<[RawTensor; 2]> {
        let (mut batch, mut sides) = (Batch::<T, N>::unheld(left)?, Batch::<T, N>::unheld(right)?);
        batch.count = batch.count.min(sides.count);
        let (size, width, mut places) = (batch.rows, sides.columns, filled(batch.count, 0)?);
        let mut found = MadeNumbers::beside(batch.at_once(to), right.sizes(), right, [&mut batch, &mut sides])?;
        batch.each(
            (Each::<_, N>::changed(sides.numbers(), found.numbers(), size * width), Each::same(&mut places, 1)),
            || factors::making(size, size),
            |factors, at, matrix, (sides, place)| {
                factors.factor(matrix)?;
                let zero = counted(factors.singular());
                place.of(at).fill(zero);
                if zeros.refuses(zero) {
                    sides.withhold();
                    return Ok(());
                }
                factors.solve(sides.of(at), width)
            },
        )?;
        let (to, places) = (zeros.behind(to, &places), tensor(places, &batch.outer, DType::I32, right)?);
        Ok([found.tensor(to, right.dtype(), right)?, places])
    }
    by_number!(right.dtype(), of(to, left, right, zeros))
}

/// What comes nearest to right sides, multiplied by matrices, and is shortest: where all of their smallest singular values are surely more than so
/// much of their largest ones.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn nearest(left: &RawTensor, right: &RawTensor, least: f64) -> Result<Option<RawTensor>> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(left: &RawTensor, right: &RawTensor, least: f64) -> Result<Option<RawTensor>> {
        let (mut batch, mut sides) = (Batch::<T, N>::unheld(left)?, Batch::<T, N>::unheld(right)?);
        let ([rows, columns], width) = ([batch.rows, batch.columns], sides.columns);
        let (sizes, mut known) = (batch.sizes(&[columns, width]), filled(batch.count, false)?);
        let mut found = MadeNumbers::beside(Target::New, &sizes, left, [&mut batch, &mut sides])?;
        batch.each(
            (
                Each::<_, N>::known(sides.numbers(), rows * width),
                Each::<_, N>::changed(&[], found.numbers(), columns * width),
                Each::same(&mut known, 1),
            ),
            || NearestByMirrors::new(columns, width),
            |memory, at, matrix, (sides, found, known)| {
                known.of(at).fill(memory.solve(matrix, sides.of(at), least, found.of(at))?);
                Ok(())
            },
        )?;
        let all = known.iter().all(|&known| known);
        all.then(|| found.tensor(Target::New, left.dtype(), left)).transpose()
    }
    by_number!(left.dtype(), of(left, right, least))
}

/// Triangular factors in one matrix, which rows change places in each step, from 1 on, and the first place of each diagonal that is zero, or 0.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn triangular(input: &RawTensor) -> Result<[RawTensor; 3]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor) -> Result<[RawTensor; 3]> {
        let batch = Batch::<T, N>::of(input)?;
        let (count, [rows, columns]) = (batch.count, [batch.rows, batch.columns]);
        let steps = rows.min(columns);
        let (mut pivots, mut places) = (filled(count * steps, 0)?, filled(count, 0)?);
        let mut both = MadeNumbers::new(input.sizes(), input)?;
        batch.change_each(
            both.numbers(),
            (Each::same(&mut pivots, steps), Each::same(&mut places, 1)),
            || factors::making(rows, columns),
            |factors, at, matrices, (pivots, place)| {
                let matrix = matrices.of(at);
                factors.factor(matrix)?;
                pivots.of(at).iter_mut().zip(factors.pivots()).for_each(|(to, &row)| *to = counted(Some(row)));
                place.of(at).fill(counted(factors.singular()));
                factors.put(matrix);
                Ok(())
            },
        )?;
        let of_pivots = batch.sizes(&[steps]);
        Ok([
            both.tensor(Target::New, input.dtype(), input)?,
            tensor(pivots, &of_pivots, DType::I32, input)?,
            tensor(places, &batch.outer, DType::I32, input)?,
        ])
    }
    by_number!(input.dtype(), of(input))
}

/// Where each row comes from, after rows have changed places one after the other: a row of numbers for each list of them.
///
/// # Errors
/// Where there is no such row, and where there is no memory.
pub(crate) fn orders(pivots: &RawTensor, rows: usize) -> Result<RawTensor> {
    let (steps, outer) = match pivots.sizes() {
        [] => return Err(Error::runtime("lists of pivots have a dimension")),
        [outer @ .., steps] => (*steps, outer),
    };
    let sizes = [outer, &[rows]].concat();
    if pivots.is_meta() {
        return tensor::<i64>(Vec::new(), &sizes, DType::I64, pivots);
    }
    let numbers = pivots.numbers::<i32>()?;
    let count = outer.iter().product::<usize>();
    let mut orders = room(count * rows)?;
    for list in 0..count {
        let start = orders.len();
        orders.extend(0..rows as i64);
        for (at, &pivot) in numbers[list * steps..][..steps].iter().enumerate() {
            let there = usize::try_from(pivot).ok().and_then(|pivot| pivot.checked_sub(1)).filter(|&there| there < rows && at < rows);
            let there = there.ok_or_else(|| Error::runtime("pivots passed to lu_solve must be between 1 and LU.size(-2) inclusive."))?;
            orders.swap(start + at, start + there);
        }
    }
    tensor(orders, &sizes, DType::I64, pivots)
}

/// The determinants of square matrices.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn determinants(input: &RawTensor) -> Result<RawTensor> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor) -> Result<RawTensor> {
        let batch = Batch::<T, N>::of(input)?;
        let (size, mut found) = (batch.rows, filled(batch.count, T::default())?);
        batch.each(
            Each::<_, N>::new(&mut found, 1),
            || factors::making(size, size),
            |factors, at, matrix, found| {
                factors.factor(matrix)?;
                found.of(at).fill(factoring::determinant(&**factors));
                Ok(())
            },
        )?;
        tensor(found, &batch.outer, input.dtype(), input)
    }
    by_number!(input.dtype(), of(input))
}

/// The determinants of square matrices: numbers of length 1, and the logarithms of what they are multiplied by.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn logarithms_of_determinants(input: &RawTensor) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor) -> Result<[RawTensor; 2]> {
        let batch = Batch::<T, N>::of(input)?;
        let size = batch.rows;
        let (mut signs, mut sizes) = (filled(batch.count, T::default())?, filled(batch.count, 0.0)?);
        batch.each(
            (Each::<_, N>::new(&mut signs, 1), Each::same(&mut sizes, 1)),
            || factors::making(size, size),
            |factors, at, matrix, (sign, size)| {
                factors.factor(matrix)?;
                let found = factoring::logarithm_of_determinant(&**factors);
                sign.of(at).fill(found.0);
                size.of(at).fill(found.1);
                Ok(())
            },
        )?;
        let dtype = input.dtype();
        Ok([tensor(signs, &batch.outer, dtype, input)?, tensor(sizes, &batch.outer, dtype.to_real(), input)?])
    }
    by_number!(input.dtype(), of(input))
}

/// Lower triangles that times their adjoints are matrices; and for each matrix how many rows and columns of it are not that of one.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn cholesky(to: Target<'_>, input: &RawTensor, zeros: Zeros) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(to: Target<'_>, input: &RawTensor, zeros: Zeros) -> Result<[RawTensor; 2]> {
        let mut batch = Batch::<T, N>::unheld(input)?;
        let (size, mut places) = (batch.rows, filled(batch.count, 0)?);
        let mut lower = MadeNumbers::beside(batch.at_once(to), input.sizes(), input, [&mut batch])?;
        batch.change_each(
            lower.numbers(),
            Each::same(&mut places, 1),
            || MatrixOf::unmade(size, size),
            |memory, at, matrices, place| {
                let minor = counted(factors::cholesky(memory, matrices.of(at))?);
                place.of(at).fill(minor);
                if zeros.refuses(minor) {
                    matrices.withhold();
                }
                Ok(())
            },
        )?;
        let (to, places) = (zeros.behind(to, &places), tensor(places, &batch.outer, DType::I32, input)?);
        Ok([lower.tensor(to, input.dtype(), input)?, places])
    }
    by_number!(input.dtype(), of(to, input, zeros))
}

/// Columns at right angles and upper triangles; on request as many columns as make square matrices.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn qr(input: &RawTensor, complete: bool) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor, complete: bool) -> Result<[RawTensor; 2]> {
        let batch = Batch::<T, N>::of(input)?;
        let (count, [rows, columns]) = (batch.count, [batch.rows, batch.columns]);
        let steps = rows.min(columns);
        let height = if complete { rows } else { steps };
        let (mut left, mut right) = (filled(count * rows * height, T::default())?, filled(count * height * columns, T::default())?);
        batch.each(
            (Each::<_, N>::new(&mut left, rows * height), Each::<_, N>::new(&mut right, height * columns)),
            || (MatrixOf::unmade(rows, columns), Vec::new(), MatrixOf::unmade(rows, height), MatrixOf::unmade(height, columns)),
            |(both, factors, turned, triangle), at, matrix, (left, right)| {
                both.refill(matrix)?;
                mirrors::mirrors(both, steps, factors)?;
                mirrors::turned(both, factors, 0, turned)?;
                mirrors::upper(both, triangle)?;
                turned.put(left.of(at));
                triangle.put(right.of(at));
                Ok(())
            },
        )?;
        let dtype = input.dtype();
        Ok([tensor(left, &batch.sizes(&[rows, height]), dtype, input)?, tensor(right, &batch.sizes(&[height, columns]), dtype, input)?])
    }
    by_number!(input.dtype(), of(input, complete))
}

/// The eigenvalues of matrices that are their own adjoints, of which one triangle is looked at, and their vectors, if these are asked for.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn eigh(input: &RawTensor, upper: bool, wanted: Vectors) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor, upper: bool, wanted: Vectors) -> Result<[RawTensor; 2]> {
        let batch = Batch::<T, N>::of(input)?;
        let (count, size) = (batch.count, batch.rows);
        let height = if wanted == Vectors::None { 0 } else { size };
        let (mut values, mut vectors) = (filled(count * size, 0.0)?, filled(count * height * size, T::default())?);
        batch.each(
            (Each::same(&mut values, size), Each::<_, N>::new(&mut vectors, height * size)),
            || (),
            |(), at, matrix, (values, vectors)| {
                let own = MatrixOf::of(size, size, |row, column| {
                    let there = if upper { row <= column } else { row >= column };
                    let number = if there { matrix[row * size + column] } else { matrix[column * size + row].conj() };
                    if row == column { N::from(number.real()) } else { number }
                })?;
                let (found, turned) = symmetric::symmetric(own, wanted)?;
                values.of(at).copy_from_slice(&found);
                turned.put(vectors.of(at));
                Ok(())
            },
        )?;
        let dtype = input.dtype();
        Ok([tensor(values, &batch.sizes(&[size]), dtype.to_real(), input)?, tensor(vectors, &batch.sizes(&[height, size]), dtype, input)?])
    }
    by_number!(input.dtype(), of(input, upper, wanted))
}

/// Upper triangles with the mirrors below that make them, and the factors of the mirrors.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn mirrors(input: &RawTensor) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(input: &RawTensor) -> Result<[RawTensor; 2]> {
        let batch = Batch::<T, N>::of(input)?;
        let [rows, columns] = [batch.rows, batch.columns];
        let steps = rows.min(columns);
        let mut factors = filled(batch.count * steps, T::default())?;
        let mut both = MadeNumbers::new(input.sizes(), input)?;
        batch.change_each(
            both.numbers(),
            Each::<_, N>::new(&mut factors, steps),
            || (MatrixOf::unmade(rows, columns), Vec::new()),
            |(both, own), at, matrices, factors| {
                let matrix = matrices.of(at);
                both.refill(matrix)?;
                mirrors::mirrors(both, steps, own)?;
                both.put(matrix);
                factors.of(at).copy_from_slice(own);
                Ok(())
            },
        )?;
        let (dtype, of_factors) = (input.dtype(), batch.sizes(&[steps]));
        Ok([both.tensor(Target::New, dtype, input)?, tensor(factors, &of_factors, dtype, input)?])
    }
    by_number!(input.dtype(), of(input))
}
