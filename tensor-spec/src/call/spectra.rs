//! Fourier transforms: three that compute, and PyTorch's `fft` in terms of them.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    FftC2c "_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor" [function no_out] => to spectra::complex(to, input, dim, normalization, forward), of C64 | C128,
        grad FftC2CBackward0 { input: turned_back(g, dim, normalization, forward) };
    FftR2c "_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor" [function no_out] => to spectra::of_real(to, input, dim, normalization, onesided), of F32 | F64,
        grad FftR2CBackward0 { input: of_half(g, known(input), dim, normalization, onesided) };
    FftC2r "_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor" [function no_out] => to spectra::to_real(to, input, dim, normalization, last_dim_size), of C64 | C128,
        grad FftC2RBackward0 { input: of_whole(g, dim, normalization) };

    Fft "fft.fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::FFT, input, n, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ifft "fft.ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::IFFT, input, n, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Rfft "fft.rfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::RFFT, input, n, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Irfft "fft.irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::IRFFT, input, n, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Hfft "fft.hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::HFFT, input, n, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ihfft "fft.ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor" [function] => to spectra::along_one(to, Spectrum::IHFFT, input, n, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Fft2 "fft.fft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::FFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ifft2 "fft.ifft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::IFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Rfft2 "fft.rfft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::RFFT, input, s, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Irfft2 "fft.irfft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::IRFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Hfft2 "fft.hfft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::HFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ihfft2 "fft.ihfft2(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_two(to, Spectrum::IHFFT, input, s, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Fftn "fft.fftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::FFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ifftn "fft.ifftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::IFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Rfftn "fft.rfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::RFFT, input, s, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Irfftn "fft.irfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::IRFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Hfftn "fft.hfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::HFFT, input, s, dim, norm), of bool | precise | integers | unsigned, grad parts;
    Ihfftn "fft.ihfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor" [function] => to spectra::along_several(to, Spectrum::IHFFT, input, s, dim, norm), of integers | unsigned | Bool | F32 | F64, grad parts;
    Fftfreq "fft.fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new spectra::frequencies("fftfreq", n, d, &options(dtype, device, None)), of floats;
    Rfftfreq "fft.rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new spectra::frequencies("rfftfreq", n, d, &options(dtype, device, None)), of floats;
    Fftshift "fft.fftshift(Tensor self, int[1]? dim=None) -> Tensor" [function] => new spectra::shifted(input, dim, 0), grad parts;
    Ifftshift "fft.ifftshift(Tensor self, int[1]? dim=None) -> Tensor" [function] => new spectra::shifted(input, dim, 1), grad parts;

    Stft "stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor"
        => new frames::stft(input, Frames { size: n_fft, hop: hop_length, width: win_length, window, center, normalized, onesided }, pad_mode, return_complex, align_to_window), of F32 | F64,
        grad parts { name: if return_complex == Some(false) { "" } else if input.rank() == 1 { "SqueezeBackward4" } else { "TransposeBackward1" } };
    Istft "istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor"
        => new frames::istft(input, Frames { size: n_fft, hop: hop_length, width: win_length, window, center, normalized, onesided }, length, return_complex), of C64 | C128,
        grad parts;
};
