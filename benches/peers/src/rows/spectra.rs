//! Rows of Fourier transforms.

use latten::prelude::DynTensor;
use latten_core::args;
use latten_spec::DType::{C64, F32, F64};

use super::Row;
use crate::latten::{by_name, called, tensor};
use crate::sizes::of;

/// Transforms of rows, of one long row, and of a square.
pub fn transformed() -> Vec<Row> {
    rows! {
        "fft of 1024 rows of 1024 f32" Some(1.0), None;
            "a = x(of(1024), of(1024))" "torch.fft.fft(a)";
            by_name([tensor(&[of(1024), of(1024)], F32)], |[a]| called("fft.fft", args![a]));
        "fft of 1024 rows of 1024 c64" Some(1.0), None;
            "a = x(of(1024), of(1024), dtype=torch.complex64)" "torch.fft.fft(a)";
            by_name([tensor(&[of(1024), of(1024)], C64)], |[a]| called("fft.fft", args![a]));
        "rfft of 1024 rows of 1024 f32" Some(1.0), None;
            "a = x(of(1024), of(1024))" "torch.fft.rfft(a)";
            by_name([tensor(&[of(1024), of(1024)], F32)], |[a]| called("fft.rfft", args![a]));
        "rfft of 1024 rows of 1024 f64" Some(1.0), None;
            "a = x(of(1024), of(1024), dtype=torch.float64)" "torch.fft.rfft(a)";
            by_name([tensor(&[of(1024), of(1024)], F64)], |[a]| called("fft.rfft", args![a]));
        "irfft to 1024 rows of 1024 f32" Some(1.0), None;
            "a = torch.fft.rfft(x(of(1024), of(1024)))" "torch.fft.irfft(a)";
            by_name([called("fft.rfft", args![&DynTensor::from(tensor(&[of(1024), of(1024)], F32))]).raw().clone()], |[a]| called("fft.irfft", args![a]));
        "fft of 1000 rows of 1000 f32" Some(1.0), None;
            "a = x(of(1000), of(1000))" "torch.fft.fft(a)";
            by_name([tensor(&[of(1000), of(1000)], F32)], |[a]| called("fft.fft", args![a]));
        "fft of 2²⁰ c64" Some(1.0), None;
            "a = x(of(2**20), dtype=torch.complex64)" "torch.fft.fft(a)";
            by_name([tensor(&[of(1 << 20)], C64)], |[a]| called("fft.fft", args![a]));
        "fft2 of 512² f32" Some(1.0), None;
            "a = x(of(512), of(512))" "torch.fft.fft2(a)";
            by_name([tensor(&[of(512), of(512)], F32)], |[a]| called("fft.fft2", args![a]));
    }
}
