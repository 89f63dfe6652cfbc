//! Random tensors: made, filled in place, and drawn by chances that stand in tensors. These methods draw from the default generator; a
//! [`Generator`] has those that fill a tensor by the same names, and draws from itself.

use super::declared::{argument, certain, declared, kind};
use super::further::in_place;
use super::{OfShape, Tensor, made};
use crate::call::{Call, CallArgument, Function, run};
use crate::element::{Element, Native};
use crate::error::{Result, proved};
use crate::kinds::{Continuous, ContinuousReal, Real};
use crate::random::init::{Fan, Nonlinearity, Truncated};
use crate::random::{Generator, Mode, Replacement};
use crate::relations::RealNumber;
use crate::shape::{KnownShape, Rank, Shape, ShapeArgument, SizeInteger};

fn number<'a>(x: impl RealNumber) -> CallArgument<'a> {
    CallArgument::Number(x.into())
}

fn whole<'a>(x: impl SizeInteger) -> CallArgument<'a> {
    CallArgument::Int(x.to_isize())
}

/// What has PyTorch's default, where the generator stands behind it.
const LEFT_OUT: CallArgument<'static> = CallArgument::None;

/// The draws that fill a tensor: as methods of tensors, and of generators.
macro_rules! draws {
    ($($(#[doc = $doc:literal])+ $name:ident($($arg:ident: $type:ty),*) of $Element:ident = $Function:ident($($given:expr),*), $errors:literal;)+) => {
        /// Draws from the default generator.
        impl<E: Element, S: Shape> Tensor<E, S> { $(
            $(#[doc = $doc])+
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $name(&mut self, $($arg: $type),*) -> Result<&mut Self>
            where
                E: $Element,
            {
                run(Call::in_place(Function::$Function, self.raw_mut(), &[$($given),*]))?;
                Ok(self)
            }
        )+ }

        /// The same draws from this generator.
        impl Generator { $(
            $(#[doc = $doc])+
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $name<'t, E: $Element, S: Shape>(&self, tensor: &'t mut Tensor<E, S>, $($arg: $type),*) -> Result<&'t mut Tensor<E, S>> {
                run(Call::in_place(Function::$Function, tensor.raw_mut(), &[$($given,)* self.into()]))?;
                Ok(tensor)
            }
        )+ }
    };
}

draws! {
    /// PyTorch's `uniform_()`: numbers from 0 up to 1, and without it.
    uniform_() of Continuous // or x.uniform_with_(-1.0, 1.0)?
        = Uniform(LEFT_OUT, LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// PyTorch's `uniform_(from, to)`: numbers from `low` up to `high`, and without it.
    ///
    /// ```
    /// # use latten_core::{random::Generator, tensor::Tensor};
    /// let generator = Generator::seeded(0);
    /// let mut x = Tensor::from([0.0_f32; 3]);
    /// generator.uniform_with_(&mut x, -1.0, 1.0)?;
    /// assert_eq!(x.to_string(), "tensor([-0.0075,  0.5364, -0.8230])");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    uniform_with_(low: impl RealNumber, high: impl RealNumber) of Continuous = Uniform(number(low), number(high)), "For bounds that the dtype can't hold, or in the wrong order.";
    /// PyTorch's `normal_()`: normal numbers of mean 0 and standard deviation 1.
    normal_() of Continuous // or x.normal_with_(0.0, 0.1)?
        = Normal(LEFT_OUT, LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// PyTorch's `normal_(mean, std)`: normal numbers of that mean and standard deviation.
    normal_with_(mean: impl RealNumber, deviation: impl RealNumber) of Continuous = Normal(number(mean), number(deviation)), "For a deviation below zero.";
    /// PyTorch's `exponential_()`, of rate 1.
    exponential_() // or x.exponential_with_(2)?
        of ContinuousReal = Exponential(LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// PyTorch's `exponential_(lambd)`.
    exponential_with_(rate: impl RealNumber) of ContinuousReal = Exponential(number(rate)), "For a rate that isn't above zero.";
    /// PyTorch's `cauchy_()`, of median 0 and `sigma` 1.
    cauchy_() // or x.cauchy_with_(0.0, 2.0)?
        of ContinuousReal = Cauchy(LEFT_OUT, LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// PyTorch's `cauchy_(median, sigma)`.
    cauchy_with_(median: impl RealNumber, sigma: impl RealNumber) of ContinuousReal = Cauchy(number(median), number(sigma)), "For a `sigma` that isn't above zero.";
    /// PyTorch's `log_normal_()`: the exponential of normal numbers of mean 1 and deviation 2.
    log_normal_() // or x.log_normal_with_(0.0, 1.0)?
        of ContinuousReal = LogNormal(LEFT_OUT, LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// PyTorch's `log_normal_(mean, std)`: the exponential of normal numbers.
    log_normal_with_(mean: impl RealNumber, deviation: impl RealNumber) of ContinuousReal = LogNormal(number(mean), number(deviation)), "For a deviation that isn't above zero.";
    /// PyTorch's `geometric_`: how many trials it takes until the first success.
    geometric_(probability: impl RealNumber) of Element = Geometric(number(probability)), "For a probability that isn't between 0 and 1, and for bools and complex numbers.";
    /// PyTorch's `bernoulli_()`: 1 or 0, one as likely as the other.
    bernoulli_() of Element // or x.bernoulli_with_(0.3)?
        = Bernoulli(LEFT_OUT), "For complex numbers.";
    /// PyTorch's `bernoulli_(p)`: 1 with that probability, else 0.
    bernoulli_with_(probability: impl RealNumber) of Element = Bernoulli(number(probability)), "For what is no probability, and for complex numbers.";
    /// PyTorch's `random_()`: integers from 0 up to the greatest of the dtype; of a float, as far as it holds all of them.
    random_() of Element // or x.random_with_(0, 9)?
        = Random(), "For complex numbers.";
    /// PyTorch's `random_(from, to)`: integers from `low` up to `high`, and without it, each as likely as another.
    random_with_(low: impl SizeInteger, high: impl SizeInteger) of Element = RandomBetween(whole(low), whole(high)), "For bounds that the dtype can't hold or that have nothing between them, and for complex numbers.";
    /// He's initialisation of weights with uniform numbers: `torch.nn.init.kaiming_uniform_()`, which keeps the variance of what goes forward.
    kaiming_uniform_() of Continuous // or x.kaiming_uniform_with_(Fan::In, Nonlinearity::Relu)?
        = InitKaimingUniform(LEFT_OUT, LEFT_OUT, LEFT_OUT), "For weights of fewer than two dimensions.";
    /// `torch.nn.init.kaiming_uniform_(a, mode, nonlinearity)`: by which fan, and what is before the weights; its slope stands with it.
    kaiming_uniform_with_(fan: Fan, before: Nonlinearity) of Continuous
        = InitKaimingUniform(number(before.slope()), fan.name().into(), before.name().into()), "For weights of fewer than two dimensions.";
    /// He's initialisation of weights with normal numbers: `torch.nn.init.kaiming_normal_()`, which keeps the variance of what goes forward.
    kaiming_normal_() of Continuous // or x.kaiming_normal_with_(Fan::In, Nonlinearity::Relu)?
        = InitKaimingNormal(LEFT_OUT, LEFT_OUT, LEFT_OUT), "For weights of fewer than two dimensions.";
    /// `torch.nn.init.kaiming_normal_(a, mode, nonlinearity)`: by which fan, and what is before the weights; its slope stands with it.
    kaiming_normal_with_(fan: Fan, before: Nonlinearity) of Continuous
        = InitKaimingNormal(number(before.slope()), fan.name().into(), before.name().into()), "For weights of fewer than two dimensions.";
    /// Glorot's initialisation of weights with uniform numbers: `torch.nn.init.xavier_uniform_()`.
    xavier_uniform_() of Continuous // or x.xavier_uniform_with_(2)?
        = InitXavierUniform(LEFT_OUT), "For weights of fewer than two dimensions.";
    /// `torch.nn.init.xavier_uniform_(gain)`.
    xavier_uniform_with_(gain: impl RealNumber) of Continuous = InitXavierUniform(number(gain)), "For weights of fewer than two dimensions.";
    /// Glorot's initialisation of weights with normal numbers: `torch.nn.init.xavier_normal_()`.
    xavier_normal_() // or weight.xavier_normal_with_(2)?
        of Continuous = InitXavierNormal(LEFT_OUT), "For weights of fewer than two dimensions.";
    /// `torch.nn.init.xavier_normal_(gain)`.
    xavier_normal_with_(gain: impl RealNumber) of Continuous = InitXavierNormal(number(gain)), "For weights of fewer than two dimensions.";
    /// Normal numbers of mean 0 and deviation 1 between -2 and 2: `torch.nn.init.trunc_normal_()`.
    trunc_normal_() // or weight.trunc_normal_with_(init::Truncated { deviation: 0.02, ..Default::default() })?
        of ContinuousReal = InitTruncated(LEFT_OUT, LEFT_OUT, LEFT_OUT, LEFT_OUT), "Where only the run knows the dtype, and it is one of integers.";
    /// Normal numbers between two bounds: `torch.nn.init.trunc_normal_(mean, std, a, b)`.
    trunc_normal_with_(of: Truncated) of ContinuousReal
        = InitTruncated(number(of.mean), number(of.deviation), number(of.low), number(of.high)), "For bounds in the wrong order.";
    /// Rows, or columns where there are fewer of these, at right angles and of length 1: `torch.nn.init.orthogonal_()`.
    orthogonal_() // or weight.orthogonal_with_(2)?
        of ContinuousReal = InitOrthogonal(LEFT_OUT), "For weights of fewer than two dimensions, and of `f16` and `bf16`.";
    /// The same of length `gain`: `torch.nn.init.orthogonal_(gain)`.
    orthogonal_with_(gain: impl RealNumber) of ContinuousReal = InitOrthogonal(number(gain)), "For weights of fewer than two dimensions, and of `f16` and `bf16`.";
    /// Columns in which that share of the numbers is zero, the others normal with deviation 0.01: `torch.nn.init.sparse_(sparsity)`.
    sparse_(sparsity: impl RealNumber) // or weight.sparse_with_(0.5, 0.1)?
        of ContinuousReal = InitSparse(number(sparsity), LEFT_OUT), "For weights that are no matrix.";
    /// The same with another deviation: `torch.nn.init.sparse_(sparsity, std)`.
    sparse_with_(sparsity: impl RealNumber, std: impl RealNumber) of ContinuousReal = InitSparse(number(sparsity), number(std)), "For weights that are no matrix.";
}

/// First values of weights without chance.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Ones on the diagonal of a matrix, zeros beside it: `torch.nn.init.eye_`.
    ///
    /// # Errors
    /// Where it is no matrix.
    pub fn eye_(&mut self) -> Result<&mut Self> {
        self.changed(Function::InitEye, &[])
    }

    as_written! {
        /// Weights of a convolution that leaves as many channels as there are as they were: `torch.nn.init.dirac_`.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let mut weight = Tensor::from([[[0.5_f32; 3]]]);
        /// weight.dirac_()?;
        /// assert_eq!(weight.to_vec(), [0.0, 1.0, 0.0]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where there aren't three to five dimensions.
        pub fn dirac_( // or kernel.dirac_with_(2)?
            &mut self,
        ) -> Result<&mut Self> {
            self.dirac_with_(1)
        }
    }

    /// `torch.nn.init.dirac_(groups)`: [`dirac_`](Self::dirac_) of each of several groups of channels.
    ///
    /// # Errors
    /// As [`dirac_`](Self::dirac_), and where the groups don't divide the first size.
    pub fn dirac_with_(&mut self, groups: impl SizeInteger) -> Result<&mut Self> {
        self.changed(Function::InitDirac, &[groups.to_isize().into()])
    }
}

declared! {
    /// A tensor like this one with integers from 0 up to `high`, and without it: PyTorch's `randint_like(high)`.
    RandintLike randint_like(count high) // or x.randint_like_with(3, 9)?
        -> Self, "Where there are none, or the dtype can't hold them.";
    /// A tensor like this one with integers from `low` up to `high`, and without it: PyTorch's `randint_like(low, high)`.
    RandintLikeFrom randint_like_with(count low, count high) -> Self, "Where there are none, or the dtype can't hold them.";
}

/// New tensors of numbers that this generator draws.
impl Generator {
    /// Numbers from 0 to 1: `let x: Tensor<f32, _> = generator.rand([2, 3])?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    pub fn rand<E: Native + Continuous, A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        let mut new = <Tensor<E> as OfShape>::empty(shape)?;
        self.uniform_(&mut new)?;
        Ok(new)
    }

    /// Normal numbers of mean 0 and deviation 1.
    ///
    /// ```
    /// # use latten_core::{random::Generator, shape::Rank, tensor::Tensor};
    /// let x: Tensor<f32, _> = Generator::seeded(0).randn([3])?;
    /// assert_eq!(x.to_string(), "tensor([ 1.5410, -0.2934, -2.1788])");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Generator::rand`].
    pub fn randn<E: Native + Continuous, A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        let mut new = <Tensor<E> as OfShape>::empty(shape)?;
        self.normal_(&mut new)?;
        Ok(new)
    }

    /// Integers from `low` up to `high`, and without it.
    ///
    /// # Errors
    /// As [`Generator::rand`], and for bounds that have nothing between them.
    pub fn randint<A: ShapeArgument>(&self, low: impl SizeInteger, high: impl SizeInteger, shape: A) -> Result<Tensor<i64, A::Shape>> {
        let mut new = <Tensor<i64> as OfShape>::empty(shape)?;
        self.random_with_(&mut new, low, high)?;
        Ok(new)
    }

    /// The integers from 0 up to `count`, in an order by chance.
    ///
    /// # Errors
    /// Where there isn't as much memory.
    pub fn randperm(&self, count: impl SizeInteger) -> Result<Tensor<i64, Rank<1>>> {
        made(Function::Randperm, &[count.to_isize().into(), self.into(), <i64 as Native>::DTYPE.into()])
    }

    /// PyTorch's `bernoulli`: at each place 1 with the probability that stands there, else 0.
    ///
    /// # Panics
    /// Where [`try_bernoulli`](Self::try_bernoulli) is an error.
    #[must_use]
    #[track_caller]
    pub fn bernoulli<E: ContinuousReal, S: Shape>(&self, chances: &Tensor<E, S>) -> Tensor<E, S> {
        proved(self.try_bernoulli(chances))
    }

    /// What [`bernoulli`](Self::bernoulli) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where one is no probability.
    pub fn try_bernoulli<E: ContinuousReal, S: Shape>(&self, chances: &Tensor<E, S>) -> Result<Tensor<E, S>> {
        made(Function::BernoulliOf, &[chances.raw().into(), self.into()])
    }

    as_written! {
        /// PyTorch's `multinomial(samples)`: that many places of each row, each as often as its weight says, and none twice.
        ///
        /// # Errors
        /// As [`Tensor::multinomial`].
        pub fn multinomial<E: ContinuousReal, S: Shape>( // or chances.multinomial_with(20, true)?
            &self,
            weights: &Tensor<E, S>,
            samples: impl SizeInteger,
        ) -> Result<Tensor<i64, S::SameRank>> {
            self.multinomial_with(weights, samples, Replacement::No)
        }
    }

    /// The same, where a place may be drawn again, or not.
    ///
    /// # Errors
    /// As [`Tensor::multinomial`].
    pub fn multinomial_with<E: ContinuousReal, S: Shape>(
        &self,
        weights: &Tensor<E, S>,
        samples: impl SizeInteger,
        replacement: impl Into<Replacement>,
    ) -> Result<Tensor<i64, S::SameRank>> {
        let replacement = replacement.into().into();
        made(Function::Multinomial, &[weights.raw().into(), samples.to_isize().into(), replacement, self.into()])
    }
}

/// What chances in tensors give.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `multinomial(samples)`: that many places of each row, each as often as its weight says, and none twice.
        ///
        /// ```
        /// # use latten_core::{random::{Replacement, manual_seed}, tensor::Tensor};
        /// let weights = Tensor::from([0.0_f32, 10.0, 0.0]);
        /// assert_eq!(weights.multinomial(1)?.to_vec(), [1]);
        /// assert_eq!(weights.multinomial_with(2, Replacement::Yes)?.to_vec(), [1, 1]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where the weights are no row or matrix, not all finite and at least 0, or fewer than the samples.
        pub fn multinomial( // x.multinomial(20)?, or with replacement x.multinomial_with(20, true)?
            &self,
            samples: impl SizeInteger,
        ) -> Result<Tensor<i64, S::SameRank>>
        where
            E: ContinuousReal,
        {
            self.multinomial_with(samples, Replacement::No)
        }
    }

    /// The same, where a place may be drawn again, or not: PyTorch's `multinomial(samples, replacement=True)`.
    ///
    /// # Errors
    /// As [`Tensor::multinomial`].
    pub fn multinomial_with(&self, samples: impl SizeInteger, replacement: impl Into<Replacement>) -> Result<Tensor<i64, S::SameRank>>
    where
        E: ContinuousReal,
    {
        made(Function::Multinomial, &[self.raw().into(), samples.to_isize().into(), replacement.into().into()])
    }

    /// PyTorch's `dropout`: elements are left out with that probability, and the others grow so that sums stay.
    ///
    /// # Panics
    /// Where [`try_dropout`](Self::try_dropout) is an error.
    #[must_use]
    #[track_caller]
    pub fn dropout(&self, probability: impl RealNumber, mode: impl Into<Mode>) -> Self
    where
        E: Continuous,
    {
        proved(self.try_dropout(probability, mode))
    }

    /// What [`dropout`](Self::dropout) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For what is no probability.
    pub fn try_dropout(&self, probability: impl RealNumber, mode: impl Into<Mode>) -> Result<Self>
    where
        E: Continuous,
    {
        let mode: Mode = mode.into();
        made(Function::Dropout, &[self.raw().into(), number(probability), mode.into()])
    }
}

certain! {
    /// PyTorch's `dropout1d`: [`dropout`](Self::dropout) of whole channels.
    Dropout1d dropout1d try_dropout1d(float p, mode training) [E: Continuous] -> Self, "For what is no probability.";
    /// PyTorch's `dropout2d`: [`dropout`](Self::dropout) of whole channels of pictures.
    Dropout2d dropout2d try_dropout2d(float p, mode training) [E: Continuous] -> Self, "For what is no probability.";
    /// PyTorch's `dropout3d`: [`dropout`](Self::dropout) of whole channels of films.
    Dropout3d dropout3d try_dropout3d(float p, mode training) [E: Continuous] -> Self, "For what is no probability.";
    /// PyTorch's `alpha_dropout`: elements become what `selu` makes of very small ones, and mean and variance stay.
    AlphaDropout alpha_dropout try_alpha_dropout(float p, mode training) [E: Continuous] -> Self, "For what is no probability.";
    /// PyTorch's `feature_alpha_dropout`: [`alpha_dropout`](Self::alpha_dropout) of whole channels.
    FeatureAlphaDropout feature_alpha_dropout try_feature_alpha_dropout(float p, mode training) [E: Continuous] -> Self, "For what is no probability.";
}

in_place! {
    Dropout dropout_ of dropout(float p, mode training) [E: Continuous];
    AlphaDropout alpha_dropout_ of alpha_dropout(float p, mode training) [E: Continuous];
    FeatureAlphaDropout feature_alpha_dropout_ of feature_alpha_dropout(float p, mode training) [E: Continuous];
}

certain! {
    /// PyTorch's `bernoulli`: at each place 1 with the probability that stands there, else 0.
    BernoulliOf bernoulli try_bernoulli() [E: ContinuousReal] -> Self, "Where one is no probability.";
    /// PyTorch's `poisson`: at each place a number of events, of which that many are to be expected.
    Poisson poisson try_poisson() [E: ContinuousReal] -> Self, "Where one is below 0.";
    /// A tensor like this one with numbers from 0 to 1: PyTorch's `rand_like`.
    RandLike rand_like try_rand_like() [E: Continuous] -> Self, "Where only the run knows the dtype, and it is one of integers; and where there isn't as much memory.";
    /// A tensor like this one with normal numbers: PyTorch's `randn_like`.
    RandnLike randn_like try_randn_like() [E: Continuous] -> Self, "Where only the run knows the dtype, and it is one of integers; and where there isn't as much memory.";
}

/// Random tensors whose type knows everything: `Tensor::<f32, shape![5, 3]>::randn()`.
///
/// They panic only where there isn't as much memory.
impl<E: Native, S: KnownShape> Tensor<E, S> {
    as_written! {
        /// Numbers from 0 to 1.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// # use latten_core::shape::D;
        /// let x = Tensor::<f32, (D<2>, D<3>)>::rand();
        /// assert!(x.ge(0).all().item() && x.lt(1).all().item());
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        #[must_use]
        pub fn rand() -> Self // of sizes of the run: Tensor::<f32>::rand([n, 3])?
        where
            E: Continuous,
        {
            let mut new = Self::empty();
            proved(new.uniform_().map(drop));
            new
        }
    }

    as_written! {
        /// Normal numbers of mean 0 and deviation 1.
        ///
        /// ```
        /// # use latten_core::{random::manual_seed, shape::D, tensor::Tensor};
        /// manual_seed(0);
        /// let x = Tensor::<f32, (D<3>,)>::randn();
        /// assert_eq!(x.to_string(), "tensor([ 1.5410, -0.2934, -2.1788])");
        /// ```
        #[must_use]
        pub fn randn() -> Self // of sizes of the run: Tensor::<f32>::randn([n, 3])?
        where
            E: Continuous,
        {
            Self::normal(0.0, 1.0)
        }
    }

    /// Normal numbers of that mean and deviation. The type may come from where they go: `weight: Tensor::normal(0.0, 0.1)`.
    #[must_use]
    pub fn normal(mean: impl RealNumber, deviation: impl RealNumber) -> Self
    where
        E: Continuous,
    {
        let mut new = Self::empty();
        proved(new.normal_with_(mean, deviation).map(drop));
        new
    }

    /// Numbers from `low` to `high`, one as likely as another.
    #[must_use]
    pub fn uniform(low: impl RealNumber, high: impl RealNumber) -> Self
    where
        E: Continuous,
    {
        let mut new = Self::empty();
        proved(new.uniform_with_(low, high).map(drop));
        new
    }

    /// Integers from `low` up to `high`, and without it: `Tensor::<i64, shape![3]>::randint(0, 10)`.
    ///
    /// # Panics
    /// For bounds that the dtype can't hold or that have nothing between them.
    #[must_use]
    #[track_caller]
    pub fn randint(low: impl SizeInteger, high: impl SizeInteger) -> Self
    where
        E: Real,
    {
        let mut new = Self::empty();
        proved(new.random_with_(low, high).map(drop));
        new
    }
}
