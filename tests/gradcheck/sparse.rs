//! Calls of sparse tensors, whose gradients are compared with differences, too.

use latten::prelude::*;
use latten::{Error, RawSparse, args, call};

use super::{Example, Outputs, all, grid};

/// A sparse tensor of two rows and three columns, of three values.
fn sparse(values: &DynTensor) -> Result<RawSparse, Error> {
    sparsely(call("sparse_coo_tensor", args![&grid(&[[0, 1, 0], [2, 0, 2]]), values, [2, 3]]))
}

fn sparsely(outcome: Result<latten::Outcome, Error>) -> Result<RawSparse, Error> {
    match outcome? {
        latten::Outcome::Sparse(tensor) => Ok(*tensor),
        other => panic!("{other:?} isn't sparse"),
    }
}

/// The whole of what a call gives that is sparse.
fn dense(outcome: Result<latten::Outcome, Error>) -> Outputs {
    all(call("to_dense", args![&sparsely(outcome)?]))
}

/// Calls of sparse tensors, whose gradients go to the values that they are made of.
pub(super) fn examples() -> Vec<Example> {
    let sizes = |all: &[&'static [usize]]| all.to_vec();
    vec![
        ("sparse_coo_tensor", sizes(&[&[3]]), |x| dense(call("sparse_coo_tensor", args![&grid(&[[0, 1, 0], [2, 0, 2]]), &x[0], [2, 3]]))),
        ("to_dense", sizes(&[&[3, 2]]), |x| dense(call("sparse_coo_tensor", args![&grid(&[[0, 1, 0], [2, 0, 2]]), &x[0], [2, 3, 2]]))),
        ("to_sparse", sizes(&[&[2, 3]]), |x| dense(call("to_sparse", args![&x[0]]))),
        ("coalesce", sizes(&[&[3]]), |x| dense(call("coalesce", args![&sparse(&x[0])?]))),
        ("values", sizes(&[&[3]]), |x| all(call("values", args![&sparsely(call("coalesce", args![&sparse(&x[0])?]))?]))),
        ("sparse mm", sizes(&[&[3], &[3, 2]]), |x| all(call("mm", args![&sparse(&x[0])?, &x[1]]))),
        ("sparse mv", sizes(&[&[3], &[3]]), |x| all(call("mv", args![&sparse(&x[0])?, &x[1]]))),
        ("sparse matmul", sizes(&[&[3], &[3, 2]]), |x| all(call("matmul", args![&sparse(&x[0])?, &x[1]]))),
        ("sparse add", sizes(&[&[3], &[3]]), |x| dense(call("add", args![&sparse(&x[0])?, &sparse(&x[1])?, alpha = 2]))),
        ("sparse sub", sizes(&[&[3], &[3]]), |x| dense(call("sub", args![&sparse(&x[0])?, &sparse(&x[1])?]))),
        ("dense add", sizes(&[&[2, 3], &[3]]), |x| all(call("add", args![&x[0], &sparse(&x[1])?]))),
        ("sparse mul", sizes(&[&[3], &[3]]), |x| dense(call("mul", args![&sparse(&x[0])?, &sparse(&x[1])?]))),
        ("sparse mul dense", sizes(&[&[3], &[2, 3]]), |x| dense(call("mul", args![&sparse(&x[0])?, &x[1]]))),
        ("dense mul sparse", sizes(&[&[2, 3], &[3]]), |x| dense(call("mul", args![&x[0], &sparse(&x[1])?]))),
        ("sparse div", sizes(&[&[3]]), |x| dense(call("div", args![&sparse(&x[0])?, 3.0]))),
        ("sparse neg", sizes(&[&[3]]), |x| dense(call("neg", args![&sparse(&x[0])?]))),
        ("sparse t", sizes(&[&[3]]), |x| dense(call("t", args![&sparse(&x[0])?]))),
        ("sparse sum", sizes(&[&[3]]), |x| all(call("sum", args![&sparse(&x[0])?]))),
        ("sparse clone", sizes(&[&[3]]), |x| dense(call("clone", args![&sparse(&x[0])?]))),
    ]
}
