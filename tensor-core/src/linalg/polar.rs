//! Matrices as columns at right angles times a matrix without negative eigenvalues: both are made of the singular values of one matrix, and
//! written where they go when neither can be refused any more.

use latten_spec::DType;

use super::batch::{Batch, Each};
use super::columns::Columns;
use super::groups::{Change, change_all};
use super::made::MadeNumbers;
use super::matrix::{MatrixOf, Vectors};
use super::number::MatrixNumber;
use super::singular::{Singular, singular};
use super::{C, TensorNumber};
use crate::convert::CastFrom;
use crate::error::Result;
use crate::plan::Target;
use crate::product::Panels;
use crate::raw::RawTensor;

/// The columns and what they are multiplied by, of matrices that have at least as many rows as columns.
///
/// # Errors
/// For fewer than two dimensions, and where there is no memory.
pub(crate) fn polar(to: [Target<'_>; 2], input: &RawTensor) -> Result<[RawTensor; 2]> {
    fn of<T: TensorNumber<N>, N: MatrixNumber + CastFrom<T>>(to: [Target<'_>; 2], input: &RawTensor) -> Result<[RawTensor; 2]> {
        let mut batch = Batch::<T, N>::unheld(input)?;
        let [rows, columns] = [batch.rows, batch.columns];
        let (squares, at_once) = (batch.sizes(&[columns, columns]), to.map(|to| batch.at_once(to)));
        let [mut turn, mut stretch] = MadeNumbers::both(at_once, [input.sizes(), &squares], input, &mut batch)?;
        batch.each(
            (Each::<_, N>::changed(&[], turn.numbers(), rows * columns), Each::<_, N>::changed(&[], stretch.numbers(), columns * columns)),
            || [MatrixOf::unmade(rows, columns), MatrixOf::unmade(columns, columns)],
            |[own_turn, own_stretch], at, matrix, (turn, stretch)| {
                let Singular { left, values, mut right } = singular(MatrixOf::new(rows, columns, matrix)?, Vectors::AsValues)?;
                let adjoint = right.adjoint()?;
                own_turn.remake_product(&left, &adjoint)?;
                for (at, &value) in values.iter().enumerate() {
                    right.column_mut(at).iter_mut().for_each(|x| *x = *x * value);
                }
                own_stretch.remake_product(&right, &adjoint)?;
                own_turn.put(turn.of(at));
                own_stretch.put(stretch.of(at));
                Ok(())
            },
        )?;
        let dtype = input.dtype();
        Ok([turn.tensor(to[0], dtype, input)?, stretch.tensor(to[1], dtype, input)?])
    }
    by_number!(input.dtype(), of(to, input))
}

impl<N: MatrixNumber> MatrixOf<N> {
    /// Puts the product of two matrices in place of what was there.
    fn remake_product(&mut self, left: &Self, right: &Self) -> Result<()> {
        let line = |step, row, to: &mut [N]| to.copy_from_slice(&left.column(step)[row..row + to.len()]);
        let left = Panels::new(left.columns, left.rows, line)?;
        self.remake(|_, _| N::default())?;
        let rows = self.rows;
        change_all(self.split(0).1, rows, &AddProduct { left, right: right.all() });
        Ok(())
    }
}

/// Adds a product to columns.
struct AddProduct<'a, N> {
    left: Panels<N>,
    right: Columns<'a, N>,
}

impl<N: MatrixNumber> Change<N> for AddProduct<'_, N> {
    fn effort(&self) -> usize {
        self.right.rows
    }

    fn change(&self, first: usize, columns: &mut [N], rows: usize) {
        let steps = self.right.rows;
        self.left.add(0, columns.len() / rows, (&self.right.numbers[first * steps..], steps), (columns, rows));
    }
}
