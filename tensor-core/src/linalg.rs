//! Decompositions of matrices, on the host and in double precision, of real numbers or of complex ones; what comes out is put into tensors of
//! the input's dtype. Products of matrices are in [`product`](crate::product).

mod columns;
mod factors;
mod francis;
mod groups;
mod indefinite;
mod matrix;
mod mirrors;
mod number;
mod schur;
mod singular;
mod symmetric;

use latten_spec::DType;
use num_complex::Complex;

use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::raw::RawTensor;
use crate::room::{listed, room};

pub(crate) use indefinite::OwnOther;
use matrix::MatrixOf;
pub(crate) use matrix::Vectors;
use number::MatrixNumber;
use schur::Turnable;

/// An element of a matrix.
type C = Complex<f64>;

/// The matrices in the last two dimensions of a tensor, one after the other. Of a meta tensor there are none, and what is made of them is
/// a meta tensor, too.
struct Batch<N> {
    numbers: Vec<N>,
    count: usize,
    outer: Vec<usize>,
    rows: usize,
    columns: usize,
}

impl<N: MatrixNumber> Batch<N> {
    fn of(tensor: &RawTensor) -> Result<Self> {
        let &[ref outer @ .., rows, columns] = tensor.sizes() else {
            return Err(Error::runtime("The input tensor A must have at least 2 dimensions."));
        };
        let meta = tensor.is_meta();
        let numbers = if meta { Vec::new() } else { tensor.to_dtype(N::DTYPE)?.numbers()? };
        let count = if meta { 0 } else { outer.iter().product() };
        Ok(Self { numbers, count, outer: outer.to_vec(), rows, columns })
    }

    fn matrix(&self, at: usize) -> Result<MatrixOf<N>> {
        let count = self.rows * self.columns;
        MatrixOf::new(self.rows, self.columns, &self.numbers[at * count..][..count])
    }

    fn sizes(&self, own: &[usize]) -> Vec<usize> {
        [&self.outer, own].concat()
    }
}

/// Numbers in row-major order as a tensor.
fn tensor<N: Native>(numbers: Vec<N>, sizes: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
    if like.is_meta() {
        return RawTensor::empty(sizes, &contiguous_strides(sizes), dtype, like.device());
    }
    RawTensor::from_vec(numbers, sizes)?.to_dtype(dtype)?.to_device(like.device())
}

/// The same of complex numbers, which are real ones where the dtype is.
fn narrowed(numbers: Vec<C>, sizes: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
    if dtype.is_complex() {
        return tensor(numbers, sizes, dtype, like);
    }
    tensor(listed(numbers.iter().map(|number| number.re))?, sizes, dtype, like)
}

/// What is done with matrices of a tensor, as real numbers or as complex ones.
macro_rules! by_number {
    ($dtype:expr, $of:ident($($argument:expr),*)) => {
        if $dtype.is_complex() { $of::<C>($($argument),*) } else { $of::<f64>($($argument),*) }
    };
}

/// The factors of matrices: columns at right angles, singular values from the largest one on, and rows at right angles.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn svd(input: &RawTensor, wanted: Vectors) -> Result<[RawTensor; 3]> {
    fn of<N: MatrixNumber>(input: &RawTensor, wanted: Vectors) -> Result<[RawTensor; 3]> {
        let batch = Batch::<N>::of(input)?;
        let (count, inner) = (batch.count, batch.rows.min(batch.columns));
        let [height, width] = match wanted {
            Vectors::None => [0, 0],
            Vectors::AsValues => [inner, inner],
            Vectors::All => [batch.rows, batch.columns],
        };
        let mut left = room(count * batch.rows * height)?;
        let mut values = room(count * inner)?;
        let mut right = room(count * width * batch.columns)?;
        for at in 0..count {
            let found = singular::singular(batch.matrix(at)?, wanted)?;
            found.left.put(&mut left);
            values.extend(found.values);
            found.right.adjoint()?.put(&mut right);
        }
        let dtype = input.dtype();
        Ok([
            tensor(left, &batch.sizes(&[batch.rows, height]), dtype, input)?,
            tensor(values, &batch.sizes(&[inner]), dtype.to_real(), input)?,
            tensor(right, &batch.sizes(&[width, batch.columns]), dtype, input)?,
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
    fn of<N: Turnable>(input: &RawTensor) -> Result<std::result::Result<[RawTensor; 2], usize>> {
        let batch = Batch::<N>::of(input)?;
        let dtype = input.dtype();
        let complex = dtype.to_complex().unwrap_or(dtype);
        let (mut values, mut vectors) = (room(batch.count * batch.rows)?, room(batch.numbers.len())?);
        for at in 0..batch.count {
            let Some(found) = schur::eigen(batch.matrix(at)?)? else { return Ok(Err(at)) };
            values.extend(found.values);
            found.vectors.put(&mut vectors);
        }
        let values = tensor(values, &batch.sizes(&[batch.rows]), complex, input)?;
        Ok(Ok([values, tensor(vectors, input.sizes(), complex, input)?]))
    }
    by_number!(input.dtype(), of(input))
}

/// What a matrix has no inverse by: the number of the matrix, and the place on its diagonal.
pub(crate) struct Unsolvable {
    pub(crate) matrix: usize,
    pub(crate) place: usize,
}

/// What gives a right side, multiplied by square matrices; and where there is no such thing.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn solve(left: &RawTensor, right: &RawTensor) -> Result<(RawTensor, Option<Unsolvable>)> {
    fn of<N: MatrixNumber>(left: &RawTensor, right: &RawTensor) -> Result<(RawTensor, Option<Unsolvable>)> {
        let (batch, sides) = (Batch::<N>::of(left)?, Batch::<N>::of(right)?);
        let mut numbers = room(sides.numbers.len())?;
        let mut unsolvable = None;
        for at in 0..sides.count {
            let factors = factors::factors(batch.matrix(at)?)?;
            let known = factors.singular.map(|place| Unsolvable { matrix: at, place });
            unsolvable = unsolvable.or(known);
            factors.solve(sides.matrix(at)?)?.put(&mut numbers);
        }
        Ok((tensor(numbers, right.sizes(), right.dtype(), right)?, unsolvable))
    }
    by_number!(right.dtype(), of(left, right))
}

/// Triangular factors in one matrix, which rows change places in each step, from 1 on, and the first place of each diagonal that is zero, or 0.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn triangular(input: &RawTensor) -> Result<[RawTensor; 3]> {
    fn of<N: MatrixNumber>(input: &RawTensor) -> Result<[RawTensor; 3]> {
        let batch = Batch::<N>::of(input)?;
        let (count, steps) = (batch.count, batch.rows.min(batch.columns));
        let (mut numbers, mut pivots, mut infos) = (room(batch.numbers.len())?, room(count * steps)?, room(count)?);
        let counted = |place: usize| i32::try_from(place + 1).unwrap_or(i32::MAX);
        for at in 0..count {
            let found = factors::factors(batch.matrix(at)?)?;
            found.both.put(&mut numbers);
            pivots.extend(found.pivots.iter().map(|&row| counted(row)));
            infos.push(found.singular.map_or(0, counted));
        }
        Ok([
            tensor(numbers, input.sizes(), input.dtype(), input)?,
            tensor(pivots, &batch.sizes(&[steps]), DType::I32, input)?,
            tensor(infos, &batch.outer, DType::I32, input)?,
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
    fn of<N: MatrixNumber>(input: &RawTensor) -> Result<RawTensor> {
        let batch = Batch::<N>::of(input)?;
        let mut found = room(batch.count)?;
        for at in 0..batch.count {
            found.push(factors::factors(batch.matrix(at)?)?.determinant());
        }
        tensor(found, &batch.outer, input.dtype(), input)
    }
    by_number!(input.dtype(), of(input))
}

/// The determinants of square matrices: numbers of length 1, and the logarithms of what they are multiplied by.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn logarithms_of_determinants(input: &RawTensor) -> Result<[RawTensor; 2]> {
    fn of<N: MatrixNumber>(input: &RawTensor) -> Result<[RawTensor; 2]> {
        let batch = Batch::<N>::of(input)?;
        let (mut signs, mut sizes) = (room(batch.count)?, room(batch.count)?);
        for at in 0..batch.count {
            let (sign, size) = factors::factors(batch.matrix(at)?)?.logarithm_of_determinant();
            signs.push(sign);
            sizes.push(size);
        }
        let dtype = input.dtype();
        Ok([tensor(signs, &batch.outer, dtype, input)?, tensor(sizes, &batch.outer, dtype.to_real(), input)?])
    }
    by_number!(input.dtype(), of(input))
}

/// Lower triangles that times their adjoints are matrices; and for each matrix how many rows and columns of it are not that of one.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn cholesky(input: &RawTensor) -> Result<[RawTensor; 2]> {
    fn of<N: MatrixNumber>(input: &RawTensor) -> Result<[RawTensor; 2]> {
        let batch = Batch::<N>::of(input)?;
        let (mut numbers, mut found) = (room(batch.numbers.len())?, room(batch.count)?);
        for at in 0..batch.count {
            let (lower, failed) = factors::cholesky(&batch.matrix(at)?)?;
            lower.put(&mut numbers);
            found.push(failed.map_or(0, |place| i32::try_from(place + 1).unwrap_or(i32::MAX)));
        }
        Ok([tensor(numbers, input.sizes(), input.dtype(), input)?, tensor(found, &batch.outer, DType::I32, input)?])
    }
    by_number!(input.dtype(), of(input))
}

/// Columns at right angles and upper triangles; on request as many columns as make square matrices.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn qr(input: &RawTensor, complete: bool) -> Result<[RawTensor; 2]> {
    fn of<N: MatrixNumber>(input: &RawTensor, complete: bool) -> Result<[RawTensor; 2]> {
        let batch = Batch::<N>::of(input)?;
        let (count, columns) = (batch.count, if complete { batch.rows } else { batch.rows.min(batch.columns) });
        let (mut left, mut right) = (room(count * batch.rows * columns)?, room(count * columns * batch.columns)?);
        for at in 0..count {
            let (factor, triangle) = mirrors::orthogonal(batch.matrix(at)?, columns)?;
            factor.put(&mut left);
            triangle.put(&mut right);
        }
        let dtype = input.dtype();
        Ok([
            tensor(left, &batch.sizes(&[batch.rows, columns]), dtype, input)?,
            tensor(right, &batch.sizes(&[columns, batch.columns]), dtype, input)?,
        ])
    }
    by_number!(input.dtype(), of(input, complete))
}

/// The eigenvalues of matrices that are their own adjoints, of which one triangle is looked at, and their vectors, if these are asked for.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn eigh(input: &RawTensor, upper: bool, wanted: Vectors) -> Result<[RawTensor; 2]> {
    fn of<N: MatrixNumber>(input: &RawTensor, upper: bool, wanted: Vectors) -> Result<[RawTensor; 2]> {
        let batch = Batch::<N>::of(input)?;
        let (count, size) = (batch.count, batch.rows);
        let (mut values, mut vectors) = (room(count * size)?, room(count * size * size)?);
        let height = if wanted == Vectors::None { 0 } else { size };
        for at in 0..count {
            let matrix = batch.matrix(at)?;
            let own = MatrixOf::of(size, size, |row, column| {
                let there = if upper { row <= column } else { row >= column };
                let number = if there { matrix.at(row, column) } else { matrix.at(column, row).conj() };
                if row == column { N::from(number.real()) } else { number }
            })?;
            let (found, turned) = symmetric::symmetric(own, wanted)?;
            values.extend(found);
            turned.put(&mut vectors);
        }
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
    fn of<N: MatrixNumber>(input: &RawTensor) -> Result<[RawTensor; 2]> {
        let batch = Batch::<N>::of(input)?;
        let (count, steps) = (batch.count, batch.rows.min(batch.columns));
        let (mut numbers, mut factors) = (room(batch.numbers.len())?, room(count * steps)?);
        for at in 0..count {
            let (both, own) = mirrors::mirrors(batch.matrix(at)?)?;
            both.put(&mut numbers);
            factors.extend(own);
        }
        let dtype = input.dtype();
        Ok([tensor(numbers, input.sizes(), dtype, input)?, tensor(factors, &batch.sizes(&[steps]), dtype, input)?])
    }
    by_number!(input.dtype(), of(input))
}

/// Factors of matrices that are their own transposes or adjoints, how rows change places, and the first place of each diagonal that is zero, or 0.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn blocks(input: &RawTensor, kind: OwnOther) -> Result<[RawTensor; 3]> {
    let batch = Batch::<C>::of(input)?;
    let (mut numbers, mut pivots, mut infos) = (room(batch.numbers.len())?, room(batch.count * batch.rows)?, room(batch.count)?);
    for at in 0..batch.count {
        let found = indefinite::factored(batch.matrix(at)?, kind)?;
        found.both.put(&mut numbers);
        pivots.extend(found.pivots);
        infos.push(found.info);
    }
    Ok([
        narrowed(numbers, input.sizes(), input.dtype(), input)?,
        tensor(pivots, &batch.sizes(&[batch.rows]), DType::I32, input)?,
        tensor(infos, &batch.outer, DType::I32, input)?,
    ])
}

/// What gives right sides, multiplied by the matrices that have these factors.
///
/// # Errors
/// Where rows change places with none, and where there is no memory.
pub(crate) fn solve_blocks(both: &RawTensor, pivots: &RawTensor, right: &RawTensor, kind: OwnOther) -> Result<RawTensor> {
    let (batch, sides) = (Batch::<C>::of(both)?, Batch::<C>::of(right)?);
    let pivots: Vec<i64> = if pivots.is_meta() { Vec::new() } else { pivots.to_dtype(DType::I64)?.numbers()? };
    let mut numbers = room(sides.numbers.len())?;
    for at in 0..sides.count {
        let (own, mut side) = (batch.matrix(at)?, sides.matrix(at)?);
        let steps = indefinite::steps(&pivots[at * batch.rows..][..batch.rows])?;
        (0..side.columns).for_each(|column| indefinite::solved(&own, &steps, kind, side.column_mut(column)));
        side.put(&mut numbers);
    }
    narrowed(numbers, right.sizes(), right.dtype(), right)
}
