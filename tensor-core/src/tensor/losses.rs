//! Losses and further activations as methods. They take real floats; what they are made of is declared in `call`. Other reductions of a loss
//! than its mean are calls by name, with PyTorch's `reduction`.

use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::scalar::Scalar;
use crate::shape::Shape;

macro_rules! curves {
    ($($function:ident $name:ident $try_name:ident ($($argument:ident: f64),*) $what:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            #[doc = concat!("PyTorch's `", stringify!($name), "`: ", $what)]
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: f64)*) -> Self
            where
                E: RealFloat,
            {
                proved(self.$try_name($($argument),*))
            }

            #[doc = concat!("The same as [`", stringify!($name), "`](Self::", stringify!($name), "), with errors.")]
            ///
            /// # Errors
            /// Where a dtype that only the run knows isn't a real float's, and where a number is none that PyTorch takes.
            pub fn $try_name(&self $(, $argument: f64)*) -> Result<Self>
            where
                E: RealFloat,
            {
                made(Function::$function, &[self.raw().into() $(, CallArgument::Number(Scalar::Float($argument)))*])
            }
        )+}
    };
}

curves! {
    LeakyRelu leaky_relu try_leaky_relu(slope: f64) "numbers that aren't positive, times a slope, which is 0.01 in PyTorch where none is given.";
    Elu elu try_elu(alpha: f64) "below zero a curve towards `-alpha`, which is 1 in PyTorch where none is given.";
    Celu celu try_celu(alpha: f64) "`elu` that is stretched, so that it is smooth at zero.";
    Selu selu try_selu() "`elu` with the numbers that keep means and variances.";
    Hardtanh hardtanh try_hardtanh(low: f64, high: f64) "numbers between two bounds, -1 and 1 in PyTorch where none are given.";
    Relu6 relu6 try_relu6() "numbers between 0 and 6.";
    Hardsigmoid hardsigmoid try_hardsigmoid() "a line from 0 at -3 to 1 at 3.";
    Hardswish hardswish try_hardswish() "numbers times their `hardsigmoid`.";
    Mish mish try_mish() "numbers times the `tanh` of their `softplus`.";
    Tanhshrink tanhshrink try_tanhshrink() "numbers less their `tanh`.";
    Hardshrink hardshrink try_hardshrink(bound: f64) "zero up to that distance from zero, 0.5 in PyTorch where none is given.";
    Softshrink softshrink try_softshrink(bound: f64) "the same, and what is further comes that much nearer.";
    Threshold threshold try_threshold(threshold: f64, value: f64) "another number where it isn't above the threshold.";
    Logsigmoid logsigmoid try_logsigmoid() "the logarithm of `sigmoid`, without overflow.";
}

macro_rules! losses {
    ($($function:ident $name:ident $what:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            #[doc = concat!("PyTorch's `", stringify!($name), "`: ", $what, " The mean over all elements.")]
            ///
            /// # Errors
            /// Where the shapes don't fit each other, and where a dtype that only the run knows isn't a real float's.
            pub fn $name<T: Shape>(&self, target: &Tensor<E, T>) -> Result<Tensor<E, ()>>
            where
                E: RealFloat,
            {
                made(Function::$function, &[self.raw().into(), target.raw().into()])
            }
        )+}
    };
}

losses! {
    MseLoss mse_loss "the squares of differences.";
    L1Loss l1_loss "the distances.";
    SmoothL1Loss smooth_l1_loss "halves of squares where the distance is less than 1, distances less a half elsewhere.";
    HuberLoss huber_loss "halves of squares up to a distance of 1, from there on a line.";
    KlDiv kl_div "how far the target's probabilities are from these logarithms of probabilities.";
    BinaryCrossEntropy binary_cross_entropy "how far probabilities are from other ones.";
    PoissonNllLoss poisson_nll_loss "how unlikely counts are where these are the logarithms of their means.";
    SoftMarginLoss soft_margin_loss "how far numbers are on the wrong side of zero; targets are 1 and -1.";
    HingeEmbeddingLoss hinge_embedding_loss "distances where the target is 1, and what they lack of 1 where it is -1.";
    BceWithLogits binary_cross_entropy_with_logits "how far the `sigmoid` of numbers is from probabilities, computed without it.";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `cross_entropy`: of a row of numbers for each sample, how far their `softmax` is from the class that is right, or from
    /// probabilities of all classes. The mean over all samples whose class isn't -100.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let mut scores = Tensor::from([[2.0_f32, 0.5, -1.0], [0.0, 1.0, 3.0]]);
    /// scores.requires_grad_()?;
    /// let loss = scores.cross_entropy(&Tensor::from([0_i64, 2]))?;
    /// loss.backward()?;
    /// assert!((loss.item() - 0.2055).abs() < 1e-4);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// For a class that isn't there, and where shapes or dtypes aren't those that PyTorch takes.
    pub fn cross_entropy<I: Element, T: Shape>(&self, target: &Tensor<I, T>) -> Result<Tensor<E, ()>>
    where
        E: RealFloat,
    {
        made(Function::CrossEntropy, &[self.raw().into(), target.raw().into()])
    }

    /// PyTorch's `nll_loss`: the same of logarithms of probabilities, which `log_softmax` gives.
    ///
    /// # Errors
    /// As for [`Tensor::cross_entropy`].
    pub fn nll_loss<I: Element, T: Shape>(&self, target: &Tensor<I, T>) -> Result<Tensor<E, ()>>
    where
        E: RealFloat,
    {
        made(Function::NllLoss, &[self.raw().into(), target.raw().into()])
    }
}
