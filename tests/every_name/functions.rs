//! Functions of each element: exponentials, angles, errors, gammas; activations of networks.

use super::prelude::*;

use super::ty;

pub(super) fn exponentials_and_angles() -> Result<()> {
    let (mut x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[1.5, 4.0, 1.0], [2.0, 1.25, 8.0]]);
    let z = Tensor::<c64, shape![2, 3]>::ones();
    erase!(x, y, z);

    ty(x.exp()); // exp
    ty(x.exp2()); // exp2, special.exp2
    ty(x.expm1()); // expm1, special.expm1
    ty(x.log()); // log
    ty(x.log2()); // log2
    ty(x.log10()); // log10
    ty(x.log1p()); // log1p, special.log1p
    ty(x.logaddexp(&y)); // logaddexp
    ty(x.logaddexp2(&y)); // logaddexp2
    ty(x.xlogy(&y)); // xlogy, special.xlogy
    ty(x.xlogy(2)); // xlogy, special.xlogy
    ty(x.sin()); // sin
    ty(x.cos()); // cos
    ty(x.tan()); // tan
    ty(x.asin()); // asin
    ty(x.acos()); // acos
    ty(x.atan()); // atan
    ty(x.atan2(&y)); // atan2
    ty(x.sinh()); // sinh
    ty(x.cosh()); // cosh
    ty(x.tanh()); // tanh
    ty(x.asinh()); // asinh
    ty(y.acosh()); // acosh
    ty(x.atanh()); // atanh
    ty(x.sinc()); // sinc, special.sinc
    ty(x.deg2rad()); // deg2rad
    ty(x.rad2deg()); // rad2deg
    ty(x.erf()); // erf, special.erf
    ty(x.erfc()); // erfc, special.erfc
    ty(x.erfinv()); // erfinv, special.erfinv
    ty(x.lgamma()); // lgamma, special.gammaln
    ty(x.digamma()); // digamma, special.digamma, special.psi
    ty(x.polygamma(1)?); // polygamma, special.polygamma
    x.polygamma_(1)?; // polygamma
    ty(y.mvlgamma(2)?); // mvlgamma
    x.abs().mvlgamma_(1)?; // mvlgamma
    ty(x.igamma(&y)); // igamma
    x.igamma_(&y)?; // igamma
    ty(x.igammac(&y)); // igammac
    x.igammac_(&y)?; // igammac
    ty(x.i0()); // i0
    x.i0_()?; // i0
    ty(x.logit()); // logit, special.logit
    ty(x.logit_with(1e-6)); // logit, special.logit
    ty(z.real()); // real
    ty(z.imag()); // imag
    ty(z.conj()); // conj, conj_physical
    ty(z.angle()); // angle
    ty(complex(&x, &y)); // complex
    ty(polar(&y, &x)); // polar
    Ok(())
}

pub(super) fn activations() -> Result<()> {
    let (mut x, w) = (tensor![[0.1, -0.2, 0.3], [0.4, -0.5, 0.6]], tensor![0.25, 0.5, 1.0]);
    let wide = Tensor::<f32, shape![2, 4]>::ones();
    erase!(x, w, wide);

    ty(x.relu()); // relu
    x.relu_()?; // relu
    ty(x.relu6()); // relu6
    x.relu6_()?; // relu6
    ty(x.sigmoid()); // sigmoid, special.expit
    ty(x.hardsigmoid()); // hardsigmoid
    ty(x.logsigmoid()); // logsigmoid
    ty(x.silu()); // silu
    ty(x.hardswish()); // hardswish
    ty(x.gelu()); // gelu
    ty(x.gelu_tanh()); // gelu
    ty(x.mish()); // mish
    x.mish_()?; // mish
    ty(x.softplus()); // softplus
    ty(x.softplus_with(1, 20)); // softplus
    ty(x.softsign()); // softsign
    ty(x.tanhshrink()); // tanhshrink
    ty(x.softshrink()); // softshrink
    ty(x.softshrink_with(0.5)); // softshrink
    ty(x.hardshrink()); // hardshrink
    ty(x.hardshrink_with(0.5)); // hardshrink
    ty(x.hardtanh()); // hardtanh
    ty(x.hardtanh_with(-1, 1)); // hardtanh
    x.hardtanh_()?; // hardtanh
    x.hardtanh_with_(-1, 1)?; // hardtanh
    ty(x.threshold(0.1, 20)); // threshold
    ty(x.leaky_relu()); // leaky_relu
    ty(x.leaky_relu_with(0.01)); // leaky_relu
    ty(x.elu()); // elu
    ty(x.elu_with(1.0)); // elu
    ty(x.celu()); // celu
    ty(x.celu_with(1)); // celu
    x.celu_()?; // celu
    x.celu_with_(1)?; // celu
    ty(x.selu()); // selu
    x.selu_()?; // selu
    ty(x.prelu(&w)); // prelu
    ty(wide.glu(axis::<1>())); // glu
    ty(wide.glu(-1)?); // glu
    ty(x.softmax(axis::<-1>())); // softmax, special.softmax
    ty(x.softmax(-1)?); // softmax, special.softmax
    ty(x.softmax_as(-1, DType::F64)?); // softmax, special.softmax
    ty(x.log_softmax(axis::<-1>())); // log_softmax, special.log_softmax
    ty(x.log_softmax(-1)?); // log_softmax, special.log_softmax
    ty(x.log_softmax_as(-1, DType::F64)?); // log_softmax, special.log_softmax
    ty(x.softmin(axis::<-1>())); // softmin
    ty(x.softmin(-1)?); // softmin
    ty(call("_safe_softmax", args![&x, -1])?.tensor()?); // _safe_softmax
    Ok(())
}
