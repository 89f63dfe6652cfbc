//! `torch.fft`, and spectra of parts of a signal.

use latten::prelude::*;
use latten::{fft, signal};

#[test]
fn spectra() -> Result<()> {
    let (x, z, n) = (tensor![[1.0, 2.0, 3.0, 2.0], [4.0, 5.0, 6.0, 5.0]], Tensor::<c64, shape![2, 4]>::ones(), 4);

    _ = fft::fft(&x)?; // fft.fft
    _ = fft::fft_with(&x, n)?; // fft.fft
    _ = fft::fft_with(&x, fft::FftOptions::new().size(n).dim(0).norm(fft::Norm::Ortho))?; // fft.fft
    _ = fft::ifft(&z)?; // fft.ifft
    _ = fft::ifft_with(&z, axis::<0>())?; // fft.ifft
    _ = fft::rfft(&x)?; // fft.rfft
    _ = fft::rfft_with(&x, n)?; // fft.rfft
    _ = fft::irfft(&z)?; // fft.irfft
    _ = fft::irfft_with(&z, n)?; // fft.irfft
    _ = fft::hfft(&z)?; // fft.hfft
    _ = fft::hfft_with(&z, n)?; // fft.hfft
    _ = fft::ihfft(&x)?; // fft.ihfft
    _ = fft::ihfft_with(&x, fft::Norm::Ortho)?; // fft.ihfft
    _ = fft::fft2(&x)?; // fft.fft2
    _ = fft::fft2_with(&x, axes![0, 1])?; // fft.fft2
    _ = fft::ifft2(&z)?; // fft.ifft2
    _ = fft::ifft2_with(&z, [2, n])?; // fft.ifft2
    _ = fft::rfft2(&x)?; // fft.rfft2
    _ = fft::rfft2_with(&x, [2, n])?; // fft.rfft2
    _ = fft::irfft2(&z)?; // fft.irfft2
    _ = fft::irfft2_with(&z, [2, n])?; // fft.irfft2
    _ = fft::hfft2(&z)?; // fft.hfft2
    _ = fft::hfft2_with(&z, fft::Norm::Ortho)?; // fft.hfft2
    _ = fft::ihfft2(&x)?; // fft.ihfft2
    _ = fft::ihfft2_with(&x, fft::Norm::Ortho)?; // fft.ihfft2
    _ = fft::fftn(&x)?; // fft.fftn
    _ = fft::fftn_with(&x, axes![0, 1])?; // fft.fftn
    _ = fft::ifftn(&z)?; // fft.ifftn
    _ = fft::ifftn_with(&z, [2, 4])?; // fft.ifftn
    _ = fft::rfftn(&x)?; // fft.rfftn
    _ = fft::rfftn_with(&x, [2, 4])?; // fft.rfftn
    _ = fft::irfftn(&z)?; // fft.irfftn
    _ = fft::irfftn_with(&z, [2, 4])?; // fft.irfftn
    _ = fft::hfftn(&z)?; // fft.hfftn
    _ = fft::hfftn_with(&z, axes![0, 1])?; // fft.hfftn
    _ = fft::ihfftn(&x)?; // fft.ihfftn
    _ = fft::ihfftn_with(&x, axes![0, 1])?; // fft.ihfftn
    _ = fft::fftfreq(n)?; // fft.fftfreq
    _ = fft::fftfreq_with::<f64>(n, 0.1)?; // fft.fftfreq
    _ = fft::rfftfreq(n)?; // fft.rfftfreq
    _ = fft::rfftfreq_with::<f64>(n, 0.1)?; // fft.rfftfreq
    _ = fft::fftshift(&x)?; // fft.fftshift
    _ = fft::fftshift_with(&x, [0, 1])?; // fft.fftshift
    _ = fft::ifftshift(&x)?; // fft.ifftshift
    _ = fft::ifftshift_with(&x, 1)?; // fft.ifftshift
    _ = call("_fft_c2c", args![&z, [1], 0, true])?.tensor()?; // _fft_c2c
    _ = call("_fft_c2r", args![&z, [1], 0, 4])?.tensor()?; // _fft_c2r
    _ = call("_fft_r2c", args![&x, [1], 0, true])?.tensor()?; // _fft_r2c
    Ok(())
}

#[test]
fn signals() -> Result<()> {
    let (row, n) = (Tensor::<f32, shape![64]>::ones(), 16);
    let hann = Tensor::<f32>::hann_window(n)?;
    let spectra = row.stft(n, 4, &hann)?;

    _ = row.stft(n, 4, &hann)?; // stft
    _ = spectra.istft(n, 4, &hann)?; // istft
    _ = signal::windows::bartlett::<f32>(n)?; // signal.windows.bartlett
    _ = signal::windows::bartlett_with::<f32>(n, false)?; // signal.windows.bartlett
    _ = signal::windows::blackman::<f32>(n)?; // signal.windows.blackman
    _ = signal::windows::blackman_with::<f32>(n, false)?; // signal.windows.blackman
    _ = signal::windows::cosine::<f32>(n)?; // signal.windows.cosine
    _ = signal::windows::cosine_with::<f32>(n, false)?; // signal.windows.cosine
    _ = signal::windows::exponential::<f32>(n)?; // signal.windows.exponential
    _ = signal::windows::exponential_with::<f32>(n, 8, 1.0, false)?; // signal.windows.exponential
    _ = signal::windows::gaussian::<f32>(n)?; // signal.windows.gaussian
    _ = signal::windows::gaussian_with::<f32>(n, 1.0, false)?; // signal.windows.gaussian
    _ = signal::windows::general_cosine::<f32>(n, &[0.5, 0.5])?; // signal.windows.general_cosine
    _ = signal::windows::general_cosine_with::<f32>(n, &[0.5, 0.5], false)?; // signal.windows.general_cosine
    _ = signal::windows::general_hamming::<f32>(n)?; // signal.windows.general_hamming
    _ = signal::windows::general_hamming_with::<f32>(n, 0.54, false)?; // signal.windows.general_hamming
    _ = signal::windows::hamming::<f32>(n)?; // signal.windows.hamming
    _ = signal::windows::hamming_with::<f32>(n, false)?; // signal.windows.hamming
    _ = signal::windows::hann::<f32>(n)?; // signal.windows.hann
    _ = signal::windows::hann_with::<f32>(n, false)?; // signal.windows.hann
    _ = signal::windows::kaiser::<f32>(n)?; // signal.windows.kaiser
    _ = signal::windows::kaiser_with::<f32>(n, 12.0, false)?; // signal.windows.kaiser
    _ = signal::windows::nuttall::<f32>(n)?; // signal.windows.nuttall
    _ = signal::windows::nuttall_with::<f32>(n, false)?; // signal.windows.nuttall
    Ok(())
}
