//! Fourier transforms: of even and odd sizes, shorter and longer than the input, along several dimensions.

use latten::prelude::*;
use latten::{args, call};

use super::{Example, Function, all, sizes};

/// Complex numbers of real ones.
fn complex(x: &DynTensor) -> Result<DynTensor, Error> {
    call("add", args![x, Complex::new(0.0, 0.0)])?.tensor()
}

pub(super) fn examples() -> Vec<Example> {
    vec![
        example!("_fft_c2c", [[2, 3]], |x| &complex(&x[0])?, [1, 0], 1, true),
        example!("_fft_r2c", [[2, 4]], |x| &x[0], [0, 1], 2, true),
        example!("_fft_r2c", [[2, 3]], |x| &x[0], [1], 0, false),
        example!("_fft_c2r", [[3, 3]], |x| &complex(&x[0])?, [0, 1], 2, 4),
        example!("_fft_c2r", [[3, 3]], |x| &complex(&x[0])?, [1], 0, 5),
        example!("fft.fft", [[2, 3]], |x| &x[0], n = 5),
        example!("fft.ifft", [[2, 3]], |x| &x[0], dim = 0),
        example!("fft.rfft", [[2, 5]], |x| &x[0], norm = "ortho"),
        example!("fft.irfft", [[2, 3]], |x| &x[0]),
        example!("fft.hfft", [[2, 3]], |x| &x[0], n = 3),
        example!("fft.ihfft", [[2, 4]], |x| &x[0], n = 3),
        example!("fft.fft2", [[2, 3]], |x| &x[0], s = [3, 2]),
        example!("fft.ifft2", [[2, 3]], |x| &x[0], norm = "forward"),
        example!("fft.rfft2", [[3, 2]], |x| &x[0]),
        example!("fft.irfft2", [[2, 3]], |x| &x[0], s = [2, 5]),
        example!("fft.hfft2", [[2, 3]], |x| &x[0]),
        example!("fft.ihfft2", [[2, 3]], |x| &x[0]),
        example!("fft.fftn", [[2, 1, 2]], |x| &x[0], dim = [2, 0]),
        example!("fft.ifftn", [[2, 1, 2]], |x| &x[0]),
        example!("fft.rfftn", [[2, 2, 2]], |x| &x[0]),
        example!("fft.irfftn", [[2, 2, 2]], |x| &x[0], dim = [0, 1]),
        example!("fft.hfftn", [[2, 1, 2]], |x| &x[0]),
        example!("fft.ihfftn", [[2, 1, 3]], |x| &x[0]),
        example!("fft.fftshift", [[2, 3]], |x| &x[0], dim = 1),
        example!("fft.ifftshift", [[2, 3]], |x| &x[0]),
    ]
}
