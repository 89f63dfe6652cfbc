//! Random numbers: tensors that are filled with them or made of them, dropout, and first values of weights.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Uniform "uniform_(Tensor self, float from=0, float to=1, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::uniform_(input, from, to, generator), of floats | complex,
        grad UniformBackward0 { input: nothing(g) };
    Normal "normal_(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::normal_(input, mean, std, generator), of floats | complex,
        grad NormalBackward0 { input: nothing(g) };
    Exponential "exponential_(Tensor self, float lambd=1, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::exponential_(input, lambd, generator), of floats | eighths,
        grad ExponentialBackward0 { input: nothing(g) };
    Cauchy "cauchy_(Tensor self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::cauchy_(input, median, sigma, generator), of floats | eighths,
        grad CauchyBackward0 { input: nothing(g) };
    LogNormal "log_normal_(Tensor self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::log_normal_(input, mean, std, generator), of floats | eighths,
        grad LogNormalBackward0 { input: nothing(g) };
    Geometric "geometric_(Tensor self, float p, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::geometric_(input, p, generator), of integers | floats,
        grad GeometricBackward0 { input: nothing(g) };
    BernoulliBy "bernoulli_(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::bernoulli_by_(input, p, generator), of floats,
        grad BernoulliBackward1 { input: nothing(g) };
    Bernoulli "bernoulli_(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::bernoulli_(input, p, generator), of reals,
        grad BernoulliBackward2 { input: nothing(g) };
    RandomBetween "random_(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::random_(input, Integers::from_to(from, to), generator), of reals | unsigned,
        grad RandomBackward0 { input: nothing(g) };
    RandomTo "random_(Tensor self, int to, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::random_(input, Integers::from_to(0, Some(to)), generator), of reals | unsigned,
        grad RandomBackward1 { input: nothing(g) };
    Random "random_(Tensor self, *, Generator? generator=None) -> Tensor" [method]
        => in_place random::random_(input, Integers::All, generator), of reals,
        grad RandomBackward2 { input: nothing(g) };

    Rand "rand(int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to drawn(to, size, &options(dtype, device, None), |new| random::uniform_(new, 0.0, 1.0, generator)), of floats | complex;
    Randn "randn(int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to drawn(to, size, &options(dtype, device, None), |new| random::normal_(new, 0.0, 1.0, generator));
    Randint "randint(int high, int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to drawn(to, size, &options(dtype.or(to.tensor().is_none().then_some(DType::I64)), device, None), |new| random::random_(new, Integers::from_to(0, Some(high)), generator)), of reals | unsigned;
    RandintFrom "randint(int low, int high, int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to drawn(to, size, &options(dtype.or(to.tensor().is_none().then_some(DType::I64)), device, None), |new| random::random_(new, Integers::from_to(low, Some(high)), generator)), of reals | unsigned;
    Randperm "randperm(int n, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new random::randperm(sizes(&[n])?[0], &options(dtype, device, None), generator),
        out into_out(out, admitted, |to| drawn(to, &[n], &options(dtype, device, None), |new| random::randperm_(new, generator))), of integers | floats;
    RandLike "rand_like(Tensor self, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new random::rand(input.new_like(&options(dtype, device, memory_format))?, generator), of floats | complex,
        grad none;
    RandnLike "randn_like(Tensor self, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new random::randn(input.new_like(&options(dtype, device, memory_format))?, generator), of floats | complex,
        grad none;
    RandintLike "randint_like(Tensor self, int high, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new random::randint(input.new_like(&options(dtype, device, memory_format))?, 0, high, generator), of reals | unsigned,
        grad none;
    RandintLikeFrom "randint_like(Tensor self, int low, int high, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new random::randint(input.new_like(&options(dtype, device, memory_format))?, low, high, generator), of reals | unsigned,
        grad none;

    BernoulliOf "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor"
        => new random::bernoulli(input, generator),
        out into_out(out, admitted, |to| drawn(to, &signed(input.sizes()), &Options::default(), |new| random::bernoulli_by_(new, input, generator))), of floats,
        grad BernoulliBackward0 { input: nothing(g) };
    BernoulliLike "bernoulli(Tensor self, float p, *, Generator? generator=None) -> Tensor"
        => new random::bernoulli_like(input, p, generator), of reals,
        grad none;
    Poisson "poisson(Tensor self, *, Generator? generator=None) -> Tensor" [function] => new random::poisson(input, generator), of floats,
        grad PoissonBackward0 { input: nothing(g) };
    Multinomial "multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor"
        => to to.take(random::multinomial(input, num_samples, replacement, generator, to)?), of floats,
        grad none;
    NormalByBoth "normal(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor"
        => to to.take(random::normal(Many::Tensor(mean), Many::Tensor(std), generator, to)?), of floats,
        grad NormalBackward3 { mean: zeros(g, known(mean)), std: zeros(g, known(std)) };
    NormalByMean "normal(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor"
        => to to.take(random::normal(Many::Tensor(mean), Many::Number(std), generator, to)?), of floats | complex,
        grad NormalBackward1 { mean: nothing(g) };
    NormalByDeviation "normal(float mean, Tensor std, *, Generator? generator=None) -> Tensor"
        => to to.take(random::normal(Many::Number(mean), Many::Tensor(std), generator, to)?), of floats,
        grad NormalBackward2 { std: nothing(g) };
    NormalOfSize "normal(float mean, float std, int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to drawn(to, size, &options(dtype, device, None), |new| random::normal_(new, mean, std, generator));

    Dropout "dropout(Tensor self, float p, bool train) -> Tensor" [function]
        => new dropout(Dropped::Elements, input, p, train), in_place dropout_in_place(Dropped::Elements, input, p, train), of floats | complex,
        grad parts;
    FeatureDropout "feature_dropout(Tensor self, float p, bool train) -> Tensor" [function]
        => new dropout(Dropped::Features, input, p, train), in_place dropout_in_place(Dropped::Features, input, p, train), of floats | complex,
        grad parts;
    AlphaDropout "alpha_dropout(Tensor self, float p, bool train) -> Tensor" [function]
        => new dropout(Dropped::Alpha, input, p, train), in_place dropout_in_place(Dropped::Alpha, input, p, train), of floats | complex,
        grad parts;
    FeatureAlphaDropout "feature_alpha_dropout(Tensor self, float p, bool train) -> Tensor" [function]
        => new dropout(Dropped::FeatureAlpha, input, p, train), in_place dropout_in_place(Dropped::FeatureAlpha, input, p, train), of floats | complex,
        grad parts;
    FunctionalFeatureAlphaDropout "nn.functional.feature_alpha_dropout(Tensor self, float p=0.5, bool training=False) -> Tensor" [function]
        => new dropout(Dropped::FeatureAlpha, input, p, training), grad parts;
    Dropout1d "dropout1d(Tensor self, float p=0.5, bool training=True) -> Tensor" [function]
        => new dropout(Dropped::Features, input, p, training), of floats | complex,
        grad parts;
    Dropout2d "dropout2d(Tensor self, float p=0.5, bool training=True) -> Tensor" [function]
        => new dropout(Dropped::Features, input, p, training), of floats | complex,
        grad parts;
    Dropout3d "dropout3d(Tensor self, float p=0.5, bool training=True) -> Tensor" [function]
        => new dropout(Dropped::Features, input, p, training), of floats | complex,
        grad parts;
    NativeDropout "native_dropout(Tensor self, float p, bool train) -> (Tensor, Tensor)" [function]
        => new random::native_dropout(input, p, train), of bool | numbers,
        grad NativeDropoutBackward0 { input: of_dropped(g, second, p, train) };

    InitUniform "init.uniform_(Tensor self, float a=0, float b=1, *, Generator? generator=None) -> Tensor" [function]
        => in_place random::uniform_(input, a, b, generator), of floats | complex,
        grad none;
    InitNormal "init.normal_(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor" [function]
        => in_place random::normal_(input, mean, std, generator), of floats | complex,
        grad none;
    InitTruncated "init.trunc_normal_(Tensor self, float mean=0, float std=1, float a=-2, float b=2, *, Generator? generator=None) -> Tensor" [function]
        => in_place init::trunc_normal_(input, Truncated { mean, deviation: std, low: a, high: b }, generator), of floats,
        grad none;
    InitKaimingUniform "init.kaiming_uniform_(Tensor self, float a=0, str mode='fan_in', str nonlinearity='leaky_relu', *, Generator? generator=None) -> Tensor" [function]
        => in_place init::kaiming_uniform_(input, mode.parse()?, Nonlinearity::parse(nonlinearity, a)?, generator), of floats | complex,
        grad none;
    InitKaimingNormal "init.kaiming_normal_(Tensor self, float a=0, str mode='fan_in', str nonlinearity='leaky_relu', *, Generator? generator=None) -> Tensor" [function]
        => in_place init::kaiming_normal_(input, mode.parse()?, Nonlinearity::parse(nonlinearity, a)?, generator), of floats | complex,
        grad none;
    InitXavierUniform "init.xavier_uniform_(Tensor self, float gain=1, *, Generator? generator=None) -> Tensor" [function]
        => in_place init::xavier_uniform_(input, gain, generator), of floats | complex,
        grad none;
    InitXavierNormal "init.xavier_normal_(Tensor self, float gain=1, *, Generator? generator=None) -> Tensor" [function]
        => in_place init::xavier_normal_(input, gain, generator), of floats | complex,
        grad none;
    InitOrthogonal "init.orthogonal_(Tensor self, float gain=1, *, Generator? generator=None) -> Tensor" [function]
        => in_place init::orthogonal_(input, gain, generator), of floats | complex, on cpu | cuda,
        grad none;
    InitSparse "init.sparse_(Tensor self, float sparsity, float std=0.01, *, Generator? generator=None) -> Tensor" [function]
        => in_place init::sparse_(input, sparsity, std, generator), of floats | complex,
        grad none;
    InitEye "init.eye_(Tensor self) -> Tensor" [function] => in_place init::eye_(input),
        grad none;
    InitDirac "init.dirac_(Tensor self, int groups=1) -> Tensor" [function] => in_place init::dirac_(input, count("groups", groups)?),
        grad none;
    InitConstant "init.constant_(Tensor self, Scalar val) -> Tensor" [function] => in_place input.fill_(val),
        grad none;
    InitGain "init.calculate_gain(str nonlinearity, float? param=None) -> float" [function]
        => new Scalar::Float(Nonlinearity::parse(nonlinearity, param.unwrap_or(0.01))?.gain());
};
