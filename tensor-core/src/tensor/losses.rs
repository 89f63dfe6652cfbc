//! Losses and further activations as methods. They take real floats; what they are made of is declared in `call`.

use super::declared::{argument, declared, kind};
use super::further::in_place;
use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Error, Result, proved};
use crate::kinds::RealFloat;
use crate::relations::RealNumber;
use crate::shape::{AnyShape, Shape};

macro_rules! curves {
    ($($function:ident $name:ident $try_name:ident ($($argument:ident),*) $([$with:ident $try_with:ident ($($more:ident),+)])? $what:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            curves!(@ $function $name $try_name ($($argument),*) concat!("PyTorch's `", stringify!($name), "`: ", $what));
            $(curves!(@ $function $with $try_with ($($more),+) concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with other numbers than PyTorch's."));)?
        )+}
    };
    (@ $function:ident $name:ident $try_name:ident ($($argument:ident),*) $doc:expr) => {
        #[doc = $doc]
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") is an error.")]
        #[must_use]
        #[track_caller]
        pub fn $name(&self $(, $argument: impl RealNumber)*) -> Self
        where
            E: RealFloat,
        {
            proved(self.$try_name($($argument),*))
        }

        #[doc = concat!("The same as [`", stringify!($name), "`](Self::", stringify!($name), "), with errors.")]
        ///
        /// # Errors
        /// Where a dtype that only the run knows isn't a real float's, and where a number is none that PyTorch takes.
        pub fn $try_name(&self $(, $argument: impl RealNumber)*) -> Result<Self>
        where
            E: RealFloat,
        {
            made(Function::$function, &[self.raw().into() $(, CallArgument::Number($argument.into()))*])
        }
    };
}

curves! {
    Celu celu try_celu() // or x.celu_with(1)
        [celu_with try_celu_with(alpha)] "`elu` that is stretched, so that it is smooth at zero.";
    Selu selu try_selu() "`elu` with the numbers that keep means and variances.";
    Hardtanh hardtanh try_hardtanh() // or x.hardtanh_with(-1, 1)
        [hardtanh_with try_hardtanh_with(low, high)] "numbers between -1 and 1.";
    Relu6 relu6 try_relu6() "numbers between 0 and 6.";
    Mish mish try_mish() "numbers times the `tanh` of their `softplus`.";
    Tanhshrink tanhshrink try_tanhshrink() "numbers less their `tanh`.";
    Softsign softsign try_softsign() "numbers divided by one more than their sizes.";
    Logsigmoid logsigmoid try_logsigmoid() "the logarithm of `sigmoid`, without overflow.";
}

in_place! {
    Celu celu_ of celu() // or x.celu_with_(1)?
        [E: RealFloat];
    Celu celu_with_ of celu_with(float alpha) [E: RealFloat];
    Selu selu_ of selu() [E: RealFloat];
    Hardtanh hardtanh_ of hardtanh() // or x.hardtanh_with_(-1, 1)?
        [E: RealFloat];
    Hardtanh hardtanh_with_ of hardtanh_with(float low, float high) [E: RealFloat];
    Relu6 relu6_ of relu6() [E: RealFloat];
    Mish mish_ of mish() [E: RealFloat];
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
    MseLoss mse_loss // or x.mse_loss_with(&y, Reduction::Sum)?
        "the squares of differences.";
    L1Loss l1_loss // or x.l1_loss_with(&y, Reduction::None)?
        "the distances.";
    SmoothL1Loss smooth_l1_loss // or x.smooth_l1_loss_with(&y, Reduction::Mean, 0.5)?
        "halves of squares where the distance is less than 1, distances less a half elsewhere.";
    HuberLoss huber_loss // or x.huber_loss_with(&y, Reduction::Mean, 0.5)?
        "halves of squares up to a distance of 1, from there on a line.";
    KlDiv kl_div // or x.log().kl_div_with(&y.log(), Reduction::Sum, true)?
        "how far the target's probabilities are from these logarithms of probabilities.";
    BinaryCrossEntropy binary_cross_entropy // or x.binary_cross_entropy_with(&y, &w, Reduction::Mean)?
        "how far probabilities are from other ones.";
    PoissonNllLoss poisson_nll_loss // or x.poisson_nll_loss_with(&y, false, true, 1e-8, Reduction::Mean)?
        "how unlikely counts are where these are the logarithms of their means.";
    SoftMarginLoss soft_margin_loss // or x.soft_margin_loss_with(&signs, Reduction::Sum)?
        "how far numbers are on the wrong side of zero; targets are 1 and -1.";
    HingeEmbeddingLoss hinge_embedding_loss // or x.hinge_embedding_loss_with(&signs, 0.5, Reduction::None)?
        "distances where the target is 1, and what they lack of 1 where it is -1.";
    BceWithLogits binary_cross_entropy_with_logits // or x.binary_cross_entropy_with_logits_with(&y, None, Reduction::Mean, &w)?
        "how far the `sigmoid` of numbers is from probabilities, computed without it.";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
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
        pub fn cross_entropy<I: Element, T: Shape>( // or x.cross_entropy_with(&classes, &w, -100, Reduction::Sum, 0.1)?
            &self,
            target: &Tensor<I, T>,
        ) -> Result<Tensor<E, ()>>
        where
            E: RealFloat,
        {
            made(Function::CrossEntropy, &[self.raw().into(), target.raw().into()])
        }
    }

    as_written! {
        /// PyTorch's `nll_loss`: the same of logarithms of probabilities, which `log_softmax` gives.
        ///
        /// # Errors
        /// As for [`Tensor::cross_entropy`].
        pub fn nll_loss<I: Element, T: Shape>( // or x.nll_loss_with(&classes, &w, -100, Reduction::None)?
            &self,
            target: &Tensor<I, T>,
        ) -> Result<Tensor<E, ()>>
        where
            E: RealFloat,
        {
            made(Function::NllLoss, &[self.raw().into(), target.raw().into()])
        }
    }
}

declared! {
    /// PyTorch's `gaussian_nll_loss`: how unlikely targets are where these are their means. The mean over all elements.
    GaussianNllLoss gaussian_nll_loss(same target, same variance) // or x.gaussian_nll_loss_with(&y, &x, true, 1e-6, Reduction::Sum)?
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't fit each other, and where a variance is negative.";
    /// PyTorch's `margin_ranking_loss`: how far the order of two is not the target's, which is 1 or -1. The mean over all elements.
    MarginRankingLoss margin_ranking_loss(same other, same target) // or x.margin_ranking_loss_with(&y, &signs, 0.5, Reduction::Sum)?
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't fit each other.";
    /// PyTorch's `cosine_embedding_loss`: how far the angles of rows are from what the target says, 1 or -1. The mean over all rows.
    CosineEmbeddingLoss cosine_embedding_loss // or x.cosine_embedding_loss_with(&y, &signs, 0.5, Reduction::None)?
        (same other, classes target)
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't fit each other.";
    /// PyTorch's `triplet_margin_loss`: how much nearer the positive is than the negative, less than 1. The mean over all rows.
    TripletMarginLoss triplet_margin_loss // or x.triplet_margin_loss_with(&y, &x, 1.0, 2.0, 1e-6, true, Reduction::Sum)?
        (same positive, same negative)
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't fit each other.";
    /// PyTorch's `ctc_loss`: how unlikely texts are by the logarithms of probabilities of signs, which are there step by step: `(steps, texts, signs)`; targets, and how many
    /// steps and signs each text has, are tensors of integers. The mean over all texts, each divided by its length.
    CtcLossByTensors ctc_loss // or logs.ctc_loss_with(&targets, &steps, &signs, 0, Reduction::Sum, true)?
        (classes targets, classes input_lengths, classes target_lengths)
        [E: RealFloat] -> Tensor<E, ()>, "Where a length is too large, and where the shapes don't fit each other.";
    /// PyTorch's `multi_margin_loss`: how much the right class is above all others, less than 1. The mean over all rows.
    MultiMarginLoss multi_margin_loss(classes target) // or x.multi_margin_loss_with(&classes, 1.0, 0.5, &w, Reduction::Sum)?
        [E: RealFloat] -> Tensor<E, ()>, "Where a class isn't there, and where the shapes don't fit each other.";
    /// PyTorch's `multilabel_margin_loss`: the same of several classes of each row, which -1 ends. The mean over all rows.
    MultilabelMarginLoss multilabel_margin_loss(classes target) // or x.multilabel_margin_loss_with(&several, Reduction::None)?
        [E: RealFloat] -> Tensor<E, ()>, "Where a class isn't there, and where the shapes don't fit each other.";
    /// PyTorch's `multilabel_soft_margin_loss`: how far the `sigmoid`s of numbers are from what is there of each class. The mean over all elements.
    MultilabelSoftMarginLoss multilabel_soft_margin_loss(same target) // or x.multilabel_soft_margin_loss_with(&y, &w, Reduction::Sum)?
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't fit each other.";
}

/// What a loss makes of the losses of its elements, by PyTorch's names: the last arguments of a loss whose name ends in `_with`.
///
/// ```
/// # use latten_core::tensor::{LossesAs as Reduction, Tensor};
/// let (x, y) = (Tensor::from([1.0_f32, 4.0]), Tensor::from([0.0_f32, 2.0]));
/// assert_eq!(x.mse_loss_with(&y, Reduction::Sum)?.item(), 5.0);
/// assert_eq!(x.mse_loss_with(&y, Reduction::None)?.to_vec(), [1.0, 4.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Debug)]
pub enum LossesAs {}

#[expect(
    non_upper_case_globals,
    reason = "they are written as the cases of an enum, but each has a type, by which the result has its shape"
)]
impl LossesAs {
    /// The mean over all of them.
    pub const Mean: OfLosses<0> = OfLosses;
    /// Their sum.
    pub const Sum: OfLosses<1> = OfLosses;
    /// The losses themselves.
    pub const None: OfLosses<2> = OfLosses;
}

/// The value of a [`LossesAs`].
#[derive(Clone, Copy, Debug)]
pub struct OfLosses<const HOW: u8>;

/// How losses of that shape are reduced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no reduction of a loss",
    note = "it is `Reduction::Mean`, `Reduction::Sum` or `Reduction::None`; a name of the run, `\"sum\"`, forgets the shape"
)]
pub trait Reduces<S: Shape> {
    /// The shape of the result.
    type Output: Shape;
    /// PyTorch's name.
    #[doc(hidden)]
    fn name(&self) -> &str;
}

impl<S: Shape> Reduces<S> for OfLosses<0> {
    type Output = ();

    fn name(&self) -> &str {
        "mean"
    }
}

impl<S: Shape> Reduces<S> for OfLosses<1> {
    type Output = ();

    fn name(&self) -> &str {
        "sum"
    }
}

impl<S: Shape> Reduces<S> for OfLosses<2> {
    type Output = S;

    fn name(&self) -> &str {
        "none"
    }
}

/// A name that only the run knows: then only the run knows the shape.
impl<S: Shape> Reduces<S> for &str {
    type Output = AnyShape;

    fn name(&self) -> &str {
        self
    }
}

/// Losses, reduced or not, that have the shape which the reduction says. A target that stretches makes more of them.
fn of_shape<E: Element, S: Shape>(function: Function, name: &str, arguments: &[CallArgument<'_>]) -> Result<Tensor<E, S>> {
    let losses: Tensor<E, AnyShape> = made(function, arguments)?;
    if !S::admits(losses.sizes()) {
        return Err(Error::runtime(format!("{name}: the losses have shape {:?}, not {}", losses.sizes(), S::describe())));
    }
    Ok(Tensor::proved(losses.raw))
}

macro_rules! reduced {
    ($($function:ident $name:ident $plain:ident of $Losses:ty: ($($kind:ident $argument:ident),*) $what:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            #[doc = concat!("[`", stringify!($plain), "`](Self::", stringify!($plain), ") with PyTorch's other arguments: ", $what)]
            ///
            /// # Errors
            #[doc = concat!("As for [`", stringify!($plain), "`](Self::", stringify!($plain), "); and where single losses haven't the sizes of this tensor.")]
            #[allow(clippy::too_many_arguments, reason = "PyTorch's")]
            pub fn $name<R: Reduces<$Losses>>(&self $(, $argument: kind!($kind))*) -> Result<Tensor<E, R::Output>>
            where
                E: RealFloat,
            {
                of_shape(Function::$function, stringify!($plain), &[self.raw().into() $(, argument!($kind $argument))*])
            }
        )+}
    };
}

reduced! {
    MseLoss mse_loss_with mse_loss of S: (same target, reduction reduction) "what is made of the losses.";
    L1Loss l1_loss_with l1_loss of S: (same target, reduction reduction) "what is made of the losses.";
    SmoothL1Loss smooth_l1_loss_with smooth_l1_loss of S: (same target, reduction reduction, float beta) "what is made of the losses, and where the line begins.";
    HuberLoss huber_loss_with huber_loss of S: (same target, reduction reduction, float delta) "what is made of the losses, and where the line begins.";
    KlDiv kl_div_with kl_div of S: (same target, reduction reduction, flag log_target) "what is made of the losses, and whether the target's are logarithms, too.";
    BinaryCrossEntropy binary_cross_entropy_with binary_cross_entropy of S: (same target, maybe weight, reduction reduction) "a factor for each loss, and what is made of them.";
    BceWithLogits binary_cross_entropy_with_logits_with binary_cross_entropy_with_logits of S: (same target, maybe weight, reduction reduction, maybe pos_weight) "a factor for each loss, what is made of them, and a factor for positive answers.";
    PoissonNllLoss poisson_nll_loss_with poisson_nll_loss of S: (same target, flag log_input, flag full, float eps, reduction reduction) "whether these are logarithms, whether Stirling's term is added, what keeps logarithms from zero, and what is made of the losses.";
    SoftMarginLoss soft_margin_loss_with soft_margin_loss of S: (same target, reduction reduction) "what is made of the losses.";
    HingeEmbeddingLoss hinge_embedding_loss_with hinge_embedding_loss of S: (same target, float margin, reduction reduction) "the margin, and what is made of the losses.";
    CrossEntropy cross_entropy_with cross_entropy of S::RankBelow: (classes target, maybe weight, count ignore_index, reduction reduction, float label_smoothing) "a factor for each class, the class that isn't counted (-100), what is made of the losses, and how much of the target goes to all classes.";
    NllLoss nll_loss_with nll_loss of S::RankBelow: (classes target, maybe weight, count ignore_index, reduction reduction) "a factor for each class, the class that isn't counted (-100), and what is made of the losses.";
    GaussianNllLoss gaussian_nll_loss_with gaussian_nll_loss of S: (same target, same variance, flag full, float eps, reduction reduction) "whether Stirling's term is added, what variances are at least, and what is made of the losses.";
    MarginRankingLoss margin_ranking_loss_with margin_ranking_loss of S: (same other, same target, float margin, reduction reduction) "the margin, and what is made of the losses.";
    CosineEmbeddingLoss cosine_embedding_loss_with cosine_embedding_loss of S::RankBelow: (same other, classes target, float margin, reduction reduction) "the margin, and what is made of the losses.";
    TripletMarginLoss triplet_margin_loss_with triplet_margin_loss of S::RankBelow: (same positive, same negative, float margin, float p, float eps, flag swap, reduction reduction) "the margin, the norm, what is added to differences, whether the negative is compared with the positive, too, and what is made of the losses.";
    CtcLossByTensors ctc_loss_with ctc_loss of <S::RankBelow as Shape>::RankBelow: (classes targets, classes input_lengths, classes target_lengths, count blank, reduction reduction, flag zero_infinity) "the sign that separates, what is made of the losses, and whether infinite ones count as zero.";
    MultiMarginLoss multi_margin_loss_with multi_margin_loss of S::RankBelow: (classes target, float p, float margin, maybe weight, reduction reduction) "the exponent, the margin, a factor for each class, and what is made of the losses.";
    MultilabelMarginLoss multilabel_margin_loss_with multilabel_margin_loss of S::RankBelow: (classes target, reduction reduction) "what is made of the losses.";
    MultilabelSoftMarginLoss multilabel_soft_margin_loss_with multilabel_soft_margin_loss of S::RankBelow: (same target, maybe weight, reduction reduction) "a factor for each class, and what is made of the losses.";
}
