//! `torch.fft`, and spectra of parts of a signal.

use super::prelude::*;
use latten::{fft, signal};

use super::ty;

pub(super) fn spectra() -> Result<()> {
    let (x, z, n) = (tensor![[1.0, 2.0, 3.0, 2.0], [4.0, 5.0, 6.0, 5.0]], Tensor::<c64, shape![2, 4]>::ones(), 4);
    erase!(x, z);

    ty(fft::fft(&x)?); // fft.fft
    ty(fft::fft_with(&x, n)?); // fft.fft
    ty(fft::fft_with(&x, fft::FftOptions::new().size(n).dim(0).norm(fft::Norm::Ortho))?); // fft.fft
    ty(fft::ifft(&z)?); // fft.ifft
    typed! {
        ty(fft::ifft_with(&z, axis::<0>())?); // fft.ifft
    }
    ty(fft::rfft(&x)?); // fft.rfft
    ty(fft::rfft_with(&x, n)?); // fft.rfft
    ty(fft::irfft(&z)?); // fft.irfft
    ty(fft::irfft_with(&z, n)?); // fft.irfft
    ty(fft::hfft(&z)?); // fft.hfft
    ty(fft::hfft_with(&z, n)?); // fft.hfft
    ty(fft::ihfft(&x)?); // fft.ihfft
    ty(fft::ihfft_with(&x, fft::Norm::Ortho)?); // fft.ihfft
    ty(fft::fft2(&x)?); // fft.fft2
    typed! {
        ty(fft::fft2_with(&x, axes![0, 1])?); // fft.fft2
    }
    ty(fft::ifft2(&z)?); // fft.ifft2
    ty(fft::ifft2_with(&z, [2, n])?); // fft.ifft2
    ty(fft::rfft2(&x)?); // fft.rfft2
    ty(fft::rfft2_with(&x, [2, n])?); // fft.rfft2
    ty(fft::irfft2(&z)?); // fft.irfft2
    ty(fft::irfft2_with(&z, [2, n])?); // fft.irfft2
    ty(fft::hfft2(&z)?); // fft.hfft2
    ty(fft::hfft2_with(&z, fft::Norm::Ortho)?); // fft.hfft2
    ty(fft::ihfft2(&x)?); // fft.ihfft2
    ty(fft::ihfft2_with(&x, fft::Norm::Ortho)?); // fft.ihfft2
    ty(fft::fftn(&x)?); // fft.fftn
    typed! {
        ty(fft::fftn_with(&x, axes![0, 1])?); // fft.fftn
    }
    ty(fft::ifftn(&z)?); // fft.ifftn
    ty(fft::ifftn_with(&z, [2, 4])?); // fft.ifftn
    ty(fft::rfftn(&x)?); // fft.rfftn
    ty(fft::rfftn_with(&x, [2, 4])?); // fft.rfftn
    ty(fft::irfftn(&z)?); // fft.irfftn
    ty(fft::irfftn_with(&z, [2, 4])?); // fft.irfftn
    ty(fft::hfftn(&z)?); // fft.hfftn
    typed! {
        ty(fft::hfftn_with(&z, axes![0, 1])?); // fft.hfftn
    }
    ty(fft::ihfftn(&x)?); // fft.ihfftn
    typed! {
        ty(fft::ihfftn_with(&x, axes![0, 1])?); // fft.ihfftn
    }
    ty(fft::fftfreq(n)?); // fft.fftfreq
    ty(fft::fftfreq_with::<f64>(n, 0.1)?); // fft.fftfreq
    ty(fft::rfftfreq(n)?); // fft.rfftfreq
    ty(fft::rfftfreq_with::<f64>(n, 0.1)?); // fft.rfftfreq
    ty(fft::fftshift(&x)?); // fft.fftshift
    ty(fft::fftshift_with(&x, [0, 1])?); // fft.fftshift
    ty(fft::ifftshift(&x)?); // fft.ifftshift
    ty(fft::ifftshift_with(&x, 1)?); // fft.ifftshift
    ty(call("_fft_c2c", args![&z, [1], 0, true])?.tensor()?); // _fft_c2c
    ty(call("_fft_c2r", args![&z, [1], 0, 4])?.tensor()?); // _fft_c2r
    ty(call("_fft_r2c", args![&x, [1], 0, true])?.tensor()?); // _fft_r2c
    Ok(())
}

pub(super) fn signals() -> Result<()> {
    let (row, n) = (Tensor::<f32, shape![64]>::ones(), 16);
    let hann = Tensor::<f32>::hann_window(n)?;
    let spectra = row.stft(n, 4, &hann)?;
    erase!(row, hann, spectra);

    ty(row.stft(n, 4, &hann)?); // stft
    ty(spectra.istft(n, 4, &hann)?); // istft
    ty(signal::windows::bartlett::<f32>(n)?); // signal.windows.bartlett
    ty(signal::windows::bartlett_with::<f32>(n, false)?); // signal.windows.bartlett
    ty(signal::windows::blackman::<f32>(n)?); // signal.windows.blackman
    ty(signal::windows::blackman_with::<f32>(n, false)?); // signal.windows.blackman
    ty(signal::windows::cosine::<f32>(n)?); // signal.windows.cosine
    ty(signal::windows::cosine_with::<f32>(n, false)?); // signal.windows.cosine
    ty(signal::windows::exponential::<f32>(n)?); // signal.windows.exponential
    ty(signal::windows::exponential_with::<f32>(n, 8, 1.0, false)?); // signal.windows.exponential
    ty(signal::windows::gaussian::<f32>(n)?); // signal.windows.gaussian
    ty(signal::windows::gaussian_with::<f32>(n, 1.0, false)?); // signal.windows.gaussian
    ty(signal::windows::general_cosine::<f32>(n, &[0.5, 0.5])?); // signal.windows.general_cosine
    ty(signal::windows::general_cosine_with::<f32>(n, &[0.5, 0.5], false)?); // signal.windows.general_cosine
    ty(signal::windows::general_hamming::<f32>(n)?); // signal.windows.general_hamming
    ty(signal::windows::general_hamming_with::<f32>(n, 0.54, false)?); // signal.windows.general_hamming
    ty(signal::windows::hamming::<f32>(n)?); // signal.windows.hamming
    ty(signal::windows::hamming_with::<f32>(n, false)?); // signal.windows.hamming
    ty(signal::windows::hann::<f32>(n)?); // signal.windows.hann
    ty(signal::windows::hann_with::<f32>(n, false)?); // signal.windows.hann
    ty(signal::windows::kaiser::<f32>(n)?); // signal.windows.kaiser
    ty(signal::windows::kaiser_with::<f32>(n, 12.0, false)?); // signal.windows.kaiser
    ty(signal::windows::nuttall::<f32>(n)?); // signal.windows.nuttall
    ty(signal::windows::nuttall_with::<f32>(n, false)?); // signal.windows.nuttall
    Ok(())
}
