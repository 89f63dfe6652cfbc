//! The kernels of matrix products, for `products.cuh`.

use latten_spec::DType;

use super::folds::FOLDS;
use super::source::{Unit, in_memory, in_registers};

/// The walks of products.
const PRODUCTS: &str = include_str!("products.cuh");

/// A product of matrices of one dtype, into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProductKernel {
    dtype: DType,
    out: DType,
}

impl ProductKernel {
    /// Of the factors' dtype, into another one.
    #[must_use]
    pub const fn new(dtype: DType, out: DType) -> Self {
        Self { dtype, out }
    }

    /// Of the factors.
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// The dtype that products of a dtype are summed in, as on the CPU.
    pub fn number(dtype: DType) -> DType {
        match dtype {
            DType::U8 | DType::I8 | DType::I16 => DType::I32,
            // others: what any operation computes them in.
            other => other.computing(),
        }
    }

    /// The kernel.
    pub fn unit(self) -> Unit {
        let Self { dtype, out } = self;
        let number = in_registers(Self::number(dtype));
        let stem = format!("product__{}__{number}__{}", in_registers(dtype), in_registers(out));
        let text = format!(
            "struct {stem} {{\n    typedef {number} Acc;\n    typedef {} In;\n    typedef {} Out;\n    \
             DEVICE Acc element(const In x) {{ return cast<Acc>(x); }}\n    \
             DEVICE void put(const ProductArguments &a, const i64 at, const Acc sum) {{ static_cast<Out *>(a.out)[at] = cast<Out>(sum); }}\n\
             }};\nPRODUCTS({stem}, {stem})\n",
            in_memory(dtype),
            in_memory(out)
        );
        Unit { stem, functions: vec![FOLDS.into(), PRODUCTS.into()], width: 1, text, walks: &["tiles", "dots"] }
    }
}

/// The products of a dtype: into itself, and into the dtype that they are summed in.
pub fn of(dtype: DType) -> Vec<ProductKernel> {
    let number = ProductKernel::number(dtype);
    let outs = [dtype, number];
    if dtype == DType::Bool {
        Vec::new()
    } else {
        outs[..1 + usize::from(number != dtype)].iter().map(|&out| ProductKernel::new(dtype, out)).collect()
    }
}
