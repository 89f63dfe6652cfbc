//! Functions of each element: exponentials, angles, errors, gammas; activations of networks.

use latten::prelude::*;

#[test]
fn exponentials_and_angles() -> Result<()> {
    let (mut x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[1.5, 4.0, 1.0], [2.0, 1.25, 8.0]]);
    let z = Tensor::<c64, shape![2, 3]>::ones();

    _ = x.exp(); // exp
    _ = x.exp2(); // exp2, special.exp2
    _ = x.expm1(); // expm1, special.expm1
    _ = x.log(); // log
    _ = x.log2(); // log2
    _ = x.log10(); // log10
    _ = x.log1p(); // log1p, special.log1p
    _ = x.logaddexp(&y); // logaddexp
    _ = x.logaddexp2(&y); // logaddexp2
    _ = x.xlogy(&y); // xlogy, special.xlogy
    _ = x.sin(); // sin
    _ = x.cos(); // cos
    _ = x.tan(); // tan
    _ = x.asin(); // asin
    _ = x.acos(); // acos
    _ = x.atan(); // atan
    _ = x.atan2(&y); // atan2
    _ = x.sinh(); // sinh
    _ = x.cosh(); // cosh
    _ = x.tanh(); // tanh
    _ = x.asinh(); // asinh
    _ = y.acosh(); // acosh
    _ = x.atanh(); // atanh
    _ = x.sinc(); // sinc, special.sinc
    _ = x.deg2rad(); // deg2rad
    _ = x.rad2deg(); // rad2deg
    _ = x.erf(); // erf, special.erf
    _ = x.erfc(); // erfc, special.erfc
    _ = x.erfinv(); // erfinv, special.erfinv
    _ = x.lgamma(); // lgamma, special.gammaln
    _ = x.digamma(); // digamma, special.digamma, special.psi
    _ = x.polygamma(1)?; // polygamma, special.polygamma
    x.polygamma_(1)?; // polygamma
    _ = y.mvlgamma(2)?; // mvlgamma
    x.abs().mvlgamma_(1)?; // mvlgamma
    _ = x.igamma(&y); // igamma
    x.igamma_(&y)?; // igamma
    _ = x.igammac(&y); // igammac
    x.igammac_(&y)?; // igammac
    _ = x.i0(); // i0
    x.i0_()?; // i0
    _ = x.logit(); // logit, special.logit
    _ = x.logit_with(1e-6); // logit, special.logit
    _ = z.real(); // real
    _ = z.imag(); // imag
    _ = z.conj(); // conj, conj_physical
    _ = z.angle(); // angle
    _ = complex(&x, &y); // complex
    _ = polar(&y, &x); // polar
    Ok(())
}

#[test]
fn activations() -> Result<()> {
    let (mut x, w) = (tensor![[0.1, -0.2, 0.3], [0.4, -0.5, 0.6]], tensor![0.25, 0.5, 1.0]);
    let wide = Tensor::<f32, shape![2, 4]>::ones();

    _ = x.relu(); // relu
    x.relu_()?; // relu
    _ = x.relu6(); // relu6
    x.relu6_()?; // relu6
    _ = x.sigmoid(); // sigmoid, special.expit
    _ = x.hardsigmoid(); // hardsigmoid
    _ = x.logsigmoid(); // logsigmoid
    _ = x.silu(); // silu
    _ = x.hardswish(); // hardswish
    _ = x.gelu(); // gelu
    _ = x.gelu_tanh(); // gelu
    _ = x.mish(); // mish
    x.mish_()?; // mish
    _ = x.softplus(); // softplus
    _ = x.softplus_with(1, 20); // softplus
    _ = x.softsign(); // softsign
    _ = x.tanhshrink(); // tanhshrink
    _ = x.softshrink(); // softshrink
    _ = x.softshrink_with(0.5); // softshrink
    _ = x.hardshrink(); // hardshrink
    _ = x.hardshrink_with(0.5); // hardshrink
    _ = x.hardtanh(); // hardtanh
    _ = x.hardtanh_with(-1, 1); // hardtanh
    x.hardtanh_()?; // hardtanh
    x.hardtanh_with_(-1, 1)?; // hardtanh
    _ = x.threshold(0.1, 20); // threshold
    _ = x.leaky_relu(); // leaky_relu
    _ = x.leaky_relu_with(0.01); // leaky_relu
    _ = x.elu(); // elu
    _ = x.elu_with(1.0); // elu
    _ = x.celu(); // celu
    _ = x.celu_with(1); // celu
    x.celu_()?; // celu
    x.celu_with_(1)?; // celu
    _ = x.selu(); // selu
    x.selu_()?; // selu
    _ = x.prelu(&w); // prelu
    _ = wide.glu(axis::<1>()); // glu
    _ = wide.glu(-1)?; // glu
    _ = x.softmax(axis::<-1>()); // softmax, special.softmax
    _ = x.softmax(-1)?; // softmax, special.softmax
    _ = x.softmax_as(-1, DType::F64)?; // softmax, special.softmax
    _ = x.log_softmax(axis::<-1>()); // log_softmax, special.log_softmax
    _ = x.log_softmax(-1)?; // log_softmax, special.log_softmax
    _ = x.log_softmax_as(-1, DType::F64)?; // log_softmax, special.log_softmax
    _ = x.softmin(axis::<-1>()); // softmin
    _ = x.softmin(-1)?; // softmin
    _ = call("_safe_softmax", args![&x, -1])?.tensor()?; // _safe_softmax
    Ok(())
}
