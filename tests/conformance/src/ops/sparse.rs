//! Sparse tensors, which are a type of their own: what only dense ones have, or only sparse ones, doesn't compile for the other.

use latten::elementwise::Operand;
use latten::{Coalesced, RawSparse, Scalar, SparseTensor};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

/// The methods of sparse tensors that dense ones haven't got.
const ONLY_SPARSE: [&str; 7] = ["indices", "values", "_indices", "_values", "coalesce", "is_coalesced", "_nnz"];
/// The methods of dense tensors, among those that programs call, that sparse ones haven't got.
const ONLY_DENSE: [&str; 3] = ["view", "as_strided", "untyped_storage"];

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    if op == "sparse_coo_tensor" {
        return made(args);
    }
    if op == "add_" && matches!(args.at(1, "other").value(), Ok(Value::Sparse(_))) {
        return args.in_place(|tensor, args| {
            let other = args.at(1, "other").sparse()?;
            Ok(other.raw().add_to_dense_in_place(tensor.raw(), alpha(args)?)?)
        });
    }
    match args.at(0, "input").value() {
        Ok(Value::Sparse(x)) => of_sparse(op, x, args),
        Ok(Value::Tensor(x)) => match op {
            "to_sparse" => match args.at(1, "sparse_dim").given() {
                None => Ok(x.to_sparse()?.into()),
                Some(dims) => Ok(x.to_sparse_dims(dims.int()?)?.into()),
            },
            "add" if other(args).is_some() => {
                let sparse = args.at(1, "other").sparse()?;
                Ok(x.add_sparse(sparse, alpha(args)?)?.into())
            }
            "mul" if other(args).is_some() => Ok(args.at(1, "other").sparse()?.scale(x)?.into()),
            "sparse_dim" => Ok(x.sparse_dim().into()),
            "dense_dim" => Ok(x.dense_dim().into()),
            _ if ONLY_SPARSE.contains(&op) => Err(Failure::Uncompilable),
            _ => Err(unknown(op)),
        },
        _ => Err(unknown(op)),
    }
}

/// The second argument, where it is sparse.
fn other(args: &Arguments) -> Option<&SparseTensor> {
    args.at(1, "other").sparse().ok()
}

fn alpha(args: &Arguments) -> Outcome<Scalar> {
    args.named("alpha").given().map_or(Ok(Scalar::Int(1)), |alpha| alpha.scalar())
}

/// latten always checks what PyTorch checks with `check_invariants`.
fn made(args: &Arguments) -> Outcome {
    args.named("check_invariants").flag_or(true)?;
    let coalesced = if args.named("is_coalesced").flag_or(false)? { Coalesced::Yes } else { Coalesced::Unknown };
    let sizes = args.at(2, "size").given().map(|sizes| sizes.ints()).transpose()?;
    let (indices, values) = (args.at(0, "indices").tensor()?, args.at(1, "values").tensor()?);
    Ok(SparseTensor::from(RawSparse::new(indices.raw(), values.raw(), sizes.as_deref(), coalesced)?).into())
}

fn of_sparse(op: &str, x: &SparseTensor, args: &Arguments) -> Outcome {
    let int = |at: usize, name: &str| args.at(at, name).int();
    Ok(match op {
        "indices" => x.indices()?.erase().into(),
        "values" => x.values()?.into(),
        "_indices" => x.raw_indices().erase().into(),
        "_values" => x.raw_values().into(),
        "coalesce" => x.coalesce()?.into(),
        "is_coalesced" => x.is_coalesced().into(),
        "_nnz" => x.nnz().into(),
        "sparse_dim" => x.sparse_dim().into(),
        "dense_dim" => x.dense_dim().into(),
        "shape" => x.sizes().into(),
        "stride" => x.strides().into(),
        "storage_offset" => x.storage_offset().into(),
        "dim" => x.rank().into(),
        "numel" => x.numel().into(),
        "dtype" => x.dtype().into(),
        "layout" => latten::Layout::SparseCoo.to_string().trim_start_matches("torch.").into(),
        "repr" => x.to_string().into(),
        "to_dense" => x.to_dense()?.into(),
        "to" => x.to_dtype(args.at(1, "dtype").dtype()?)?.into(),
        "clone" => x.copied()?.into(),
        "neg" => x.neg()?.into(),
        "abs" => x.abs()?.into(),
        "sum" => x.sum()?.erase().into(),
        "t" => x.t()?.into(),
        "transpose" => x.transpose(int(1, "dim0")?, int(2, "dim1")?)?.into(),
        "mm" | "matmul" if args.at(1, "mat2").tensor()?.rank() == 2 => x.mm(args.at(1, "mat2").tensor()?)?.erase().into(),
        "mv" | "matmul" => x.mv(args.at(1, "vec").tensor()?)?.erase().into(),
        "add" | "sub" => {
            let alpha = alpha(args)?;
            let alpha = if op == "sub" { negative(alpha).ok_or_else(|| unknown(op))? } else { alpha };
            x.add(args.at(1, "other").sparse()?, alpha)?.into()
        }
        "mul" => match args.at(1, "other").value()? {
            Value::Sparse(other) => x.mul(other)?.into(),
            Value::Tensor(other) => x.scale(other)?.into(),
            _ => SparseTensor::from(x.raw().scale(latten::Op::Mul, Operand::Scalar(args.at(1, "other").number()?))?).into(),
        },
        "div" => SparseTensor::from(x.raw().scale(latten::Op::Div, args.at(1, "other").operand()?)?).into(),
        _ if ONLY_DENSE.contains(&op) => return Err(Failure::Uncompilable),
        _ => return Err(unknown(op)),
    })
}

fn negative(alpha: Scalar) -> Option<Scalar> {
    match alpha {
        Scalar::Bool(_) => None,
        Scalar::Int(x) => Some(Scalar::Int(x.wrapping_neg())),
        Scalar::Float(x) => Some(Scalar::Float(-x)),
        Scalar::Complex(z) => Some(Scalar::Complex(-z)),
    }
}
