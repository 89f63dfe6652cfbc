//! cuBLAS: matrix products by NVIDIA's library, where it is installed. cudarc panics where it is missing, so it is looked for first, as
//! NVRTC is. Sums of `f16` and `bf16` are `f32`. Each stream has a handle of its own: only then are results the same bits each time.
#![expect(unsafe_code, reason = "calls cuBLAS")]

use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use cudarc::cublas::sys::{self, cublasComputeType_t, cublasGemmAlgo_t, cublasOperation_t, cublasStatus_t, cudaDataType_t};
use latten_kernel::nvrtc::{folders, library, named};
use latten_spec::DType;
use num_complex::Complex;
use parking_lot::Mutex;

use super::context::Context;
use super::driver::Handle;
use super::queue::Queue;
use crate::error::{Error, Result};
use crate::warning;

/// The environment variable that names the folder of cuBLAS; empty, it isn't used.
const FOLDER_VARIABLE: &str = "LATTEN_CUBLAS";

/// What is loaded: cuBLAS needs the other one.
const LIBRARIES: [&str; 2] = ["libcublasLt.so", "libcublas.so"];

/// A batch of matrices on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceFactor {
    /// Where the first one begins.
    pub(crate) address: u64,
    /// Whether columns lie side by side, not rows.
    pub(crate) turned: bool,
    /// Elements from one line to the next.
    pub(crate) leading: usize,
    /// Elements from one matrix to the next.
    pub(crate) stride: usize,
}

/// Products of [m, k] and [k, n] into contiguous [m, n].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gemm {
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) batch: usize,
    pub(crate) left: DeviceFactor,
    pub(crate) right: DeviceFactor,
    pub(crate) out: u64,
    /// Of the factors, and of the results.
    pub(crate) dtypes: [DType; 2],
}

/// A number where cuBLAS reads it as a whole: its complex numbers are aligned to their size, which Rust's aren't.
#[repr(C, align(16))]
struct AlignedNumber<T>(Complex<T>);

/// What cuBLAS calls a dtype, and what it sums in.
const fn names(dtype: DType) -> Option<(cudaDataType_t, cublasComputeType_t)> {
    use cublasComputeType_t::{CUBLAS_COMPUTE_32F as SINGLE, CUBLAS_COMPUTE_64F as DOUBLE};
    Some(match dtype {
        DType::F16 => (cudaDataType_t::CUDA_R_16F, SINGLE),
        DType::BF16 => (cudaDataType_t::CUDA_R_16BF, SINGLE),
        DType::F32 => (cudaDataType_t::CUDA_R_32F, SINGLE),
        DType::C64 => (cudaDataType_t::CUDA_C_32F, SINGLE),
        DType::F64 => (cudaDataType_t::CUDA_R_64F, DOUBLE),
        DType::C128 => (cudaDataType_t::CUDA_C_64F, DOUBLE),
        // others: cuBLAS has no product of them; a kernel has.
        _ => return None,
    })
}

/// Whether cuBLAS multiplies matrices of a dtype into another one.
pub(crate) fn computes(dtype: DType, out: DType) -> bool {
    names(dtype).is_some() && (out == dtype || out == dtype.computing())
}

/// Loads them from a folder, for good: afterwards they are found by their names.
fn load(folder: &Path) {
    for stem in LIBRARIES {
        if let Some(library) = library(folder, &[stem]) {
            std::mem::forget(library);
        }
    }
}

/// Whether the library can be loaded.
fn is_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // SAFETY: looks whether a library can be loaded.
        let present = || unsafe { sys::is_culib_present() };
        match std::env::var_os(FOLDER_VARIABLE) {
            Some(folder) if folder.is_empty() => false,
            Some(_) => {
                if let Some(folder) = named(FOLDER_VARIABLE) {
                    load(&folder);
                }
                present()
            }
            None => {
                let found = |folder: &PathBuf| {
                    load(folder);
                    present()
                };
                present() || folders().iter().any(found)
            }
        }
    })
}

fn check(code: cublasStatus_t, call: &str) -> Result<()> {
    if code == cublasStatus_t::CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(Error::runtime(format!("CUDA error: {code:?} ({call})"))) }
}

/// Calls a function of cuBLAS. Whoever writes a call has seen that it is installed, and makes sure that pointers among the arguments are
/// valid for what the function does with them.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the library is there, and so is what the arguments point to.
        let code = unsafe { sys::$function($($argument),*) };
        check(code, stringify!($function))
    }};
}

/// The handles of streams, for the rest of the process.
static HANDLES: Mutex<Vec<(u8, usize, Handle)>> = Mutex::new(Vec::new());

/// The handle of a stream. Called under the lock of all.
fn handle(handles: &mut Vec<(u8, usize, Handle)>, context: &Context, queue: &Queue) -> Result<Handle> {
    let stream = queue.raw().addr();
    if let Some((_, _, handle)) = handles.iter().find(|(ordinal, other, _)| (*ordinal, *other) == (context.ordinal, stream)) {
        return Ok(*handle);
    }
    context.enter()?;
    let mut raw = ptr::null_mut();
    call!(cublasCreate_v2(&raw mut raw))?;
    handles.push((context.ordinal, stream, Handle(raw.cast())));
    Ok(Handle(raw.cast()))
}

/// Whether cuBLAS is installed and works with the device.
pub(crate) fn is_there(context: &'static Context) -> bool {
    static WORKS: Mutex<Vec<(u8, bool)>> = Mutex::new(Vec::new());
    if !is_installed() {
        return false;
    }
    let mut works = WORKS.lock();
    if let Some((_, works)) = works.iter().find(|(ordinal, _)| *ordinal == context.ordinal) {
        return *works;
    }
    let made = handle(&mut HANDLES.lock(), context, &context.queue());
    works.push((context.ordinal, made.is_ok()));
    // A hook may multiply, too.
    drop(works);
    if let Err(error) = &made {
        warning::warn(&format!("products are computed without cuBLAS: {error}"));
    }
    made.is_ok()
}

/// Multiplies; false where a number is too large for cuBLAS.
///
/// # Errors
/// Where cuBLAS refuses.
pub(crate) fn multiply(context: &'static Context, queue: &Queue, gemm: &Gemm) -> Result<bool> {
    let Gemm { m, k, n, batch, left, right, out, dtypes } = *gemm;
    let (Some((dtype, compute)), Some((out_dtype, _))) = (names(dtypes[0]), names(dtypes[1])) else { return Ok(false) };
    let number = |number: usize| i32::try_from(number).ok();
    let (Some(m), Some(k), Some(n), Some(batch)) = (number(m), number(k), number(n), number(batch)) else { return Ok(false) };
    let (Some(left_leading), Some(right_leading)) = (number(left.leading), number(right.leading)) else { return Ok(false) };
    // One and zero, in each of the types that sums can have: a complex number begins with its real part.
    let singles = [1.0_f32, 0.0].map(|part| AlignedNumber(Complex::new(part, 0.0)));
    let doubles = [1.0_f64, 0.0].map(|part| AlignedNumber(Complex::new(part, 0.0)));
    let [one, zero] = match compute {
        cublasComputeType_t::CUBLAS_COMPUTE_64F => [(&raw const doubles[0]).cast(), (&raw const doubles[1]).cast()],
        _ => [(&raw const singles[0]).cast(), (&raw const singles[1]).cast()],
    };
    let turned = |factor: DeviceFactor| if factor.turned { cublasOperation_t::CUBLAS_OP_T } else { cublasOperation_t::CUBLAS_OP_N };
    let pointer = |address: u64| ptr::without_provenance_mut(usize::try_from(address).unwrap_or(0));
    let stride = |stride: usize| i64::try_from(stride).unwrap_or(i64::MAX);
    let mut handles = HANDLES.lock();
    let handle = handle(&mut handles, context, queue)?.0.cast();
    context.enter()?;
    call!(cublasSetStream_v2(handle, queue.raw().cast()))?;
    // cuBLAS knows columns: what lies in rows is the transposed matrix to it, and the product of these, exchanged, is the transposed product.
    call!(cublasGemmStridedBatchedEx(
        handle,
        turned(right),
        turned(left),
        n,
        m,
        k,
        one,
        pointer(right.address),
        dtype,
        right_leading,
        stride(right.stride),
        pointer(left.address),
        dtype,
        left_leading,
        stride(left.stride),
        zero,
        pointer(out),
        out_dtype,
        n,
        i64::from(m) * i64::from(n),
        batch,
        compute,
        cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
    ))?;
    Ok(true)
}
