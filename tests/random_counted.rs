//! Generators that count: words that are published, numbers that depend on the seed, the offset and the place alone, and states of 16 bytes.

use latten::random::{self, Generator, Integers};
use latten::{DType, Options, RawTensor, Result, Scalar, args, call, set_num_threads};

type Fill = fn(&RawTensor, &Generator) -> Result<()>;

/// What is computed from counters alone, with the mean and the variance of its numbers.
const FILLS: [(&str, Fill, [f64; 2]); 9] = [
    ("uniform", |x, g| random::uniform_(x, -1.0, 3.0, Some(g)), [1.0, 16.0 / 12.0]),
    ("normal", |x, g| random::normal_(x, 0.5, 2.0, Some(g)), [0.5, 4.0]),
    ("exponential", |x, g| random::exponential_(x, 2.0, Some(g)), [0.5, 0.25]),
    ("log-normal", |x, g| random::log_normal_(x, 0.0, 0.25, Some(g)), [1.031_743, 0.068_654]),
    ("geometric", |x, g| random::geometric_(x, 0.25, Some(g)), [4.0, 12.0]),
    ("dice", |x, g| random::random_(x, Integers::Between(1, 7), Some(g)), [3.5, 35.0 / 12.0]),
    ("bernoulli", |x, g| random::bernoulli_(x, 0.3, Some(g)), [0.3, 0.21]),
    ("bernoulli by a tensor", |x, g| random::bernoulli_by_(x, &RawTensor::from_vec(vec![0.3_f32], &[1])?, Some(g)), [0.3, 0.21]),
    ("the default range", |x, g| random::random_(x, Integers::Between(-100, 101), Some(g)), [0.0, 201.0 * 201.0 / 12.0]),
];

fn empty(sizes: &[usize], dtype: DType) -> RawTensor {
    RawTensor::new(sizes, &Options::new().dtype(dtype)).expect("memory")
}

fn numbers(tensor: &RawTensor) -> Vec<f64> {
    let real = |number: &Scalar| match *number {
        Scalar::Float(x) => x,
        #[expect(clippy::cast_precision_loss, reason = "small ones")]
        Scalar::Int(x) => x as f64,
        other => panic!("{other:?} isn't real"),
    };
    tensor.scalars().expect("numbers").iter().map(real).collect()
}

#[test]
fn words_are_those_that_are_published() {
    let words = empty(&[1], DType::I64);
    random::random_(&words, Integers::From(i64::MIN), Some(&Generator::counting(0))).expect("all integers");
    assert_eq!(words.scalars().expect("a number"), [Scalar::Int(0xe169_c58d_6627_e8d5_u64.cast_signed())], "Random123's first vector");
}

#[test]
fn numbers_have_the_mean_and_the_variance_of_their_distribution() {
    let count = 40_000_u32;
    for (name, fill, [mean, variance]) in FILLS {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let tensor = empty(&[count as usize], dtype);
            fill(&tensor, &Generator::counting(9)).expect(name);
            let numbers = numbers(&tensor);
            let found = numbers.iter().sum::<f64>() / f64::from(count);
            let spread = numbers.iter().map(|x| (x - found).powi(2)).sum::<f64>() / f64::from(count);
            // Six deviations of a mean of that many, and what halves round away.
            let most = 6.0 * (variance / f64::from(count)).sqrt() + 4e-3 * mean.abs();
            assert!((found - mean).abs() <= most, "{name} {dtype}: a mean of {found}, not {mean}");
            assert!((spread / variance - 1.0).abs() < 0.1, "{name} {dtype}: a variance of {spread}, not {variance}");
            let distinct = numbers.iter().map(|x| x.to_bits()).collect::<std::collections::HashSet<_>>().len();
            assert!(distinct >= 2, "{name} {dtype}: {distinct} numbers");
        }
    }
    let wide = empty(&[1000], DType::C128);
    random::normal_(&wide, 0.0, 1.0, Some(&Generator::counting(1))).expect("a deviation");
    let square = |z: &Scalar| if let Scalar::Complex(z) = z { z.norm_sqr() } else { f64::NAN };
    let squares = wide.scalars().expect("numbers").iter().map(square).sum::<f64>();
    assert!((squares / 1000.0 - 1.0).abs() < 0.2, "half of the variance in each part: {squares}");
}

#[test]
fn numbers_depend_on_the_place_alone() {
    for (name, fill, _) in FILLS {
        for dtype in [DType::F32, DType::F64, DType::BF16] {
            let generator = Generator::counting(5);
            let all = empty(&[60, 401], dtype);
            fill(&all, &generator).expect(name);
            assert_eq!(generator.offset(), Ok(4 * 60 * 401), "{name}: four words for each element");
            for threads in [1, 2] {
                set_num_threads(threads);
                generator.set_offset(0).expect("a multiple of 4");
                let (first, rest) = (empty(&[17], dtype), empty(&[60 * 401 - 17], dtype));
                fill(&first, &generator).expect(name);
                fill(&rest, &generator).expect(name);
                assert_eq!([numbers(&first), numbers(&rest)].concat(), numbers(&all), "{name} {dtype} on {threads} threads, in two parts");
                // In the order of the memory.
                generator.set_offset(0).expect("a multiple of 4");
                let turned = empty(&[60, 401], dtype).t().expect("a matrix");
                fill(&turned, &generator).expect(name);
                assert_eq!(numbers(&turned.t().expect("a matrix")), numbers(&all), "{name} {dtype} on {threads} threads, transposed");
            }
        }
    }
}

#[test]
fn draws_on_the_host_begin_with_a_word() {
    let draw = |generator: &Generator, name: &str| match name {
        "randperm" => call(name, args![100, generator = generator]),
        "poisson" => call(name, args![&RawTensor::full(&[50], Scalar::Float(4.0), &Options::new())?, generator = generator]),
        _ => call(name, args![&RawTensor::full(&[50], Scalar::Float(4.0), &Options::new())?, 20, true, generator = generator]),
    };
    for name in ["randperm", "poisson", "multinomial"] {
        let generator = Generator::counting(3);
        let one = draw(&generator, name).and_then(latten::Outcome::tensor).expect(name);
        let other = draw(&generator, name).and_then(latten::Outcome::tensor).expect(name);
        assert_ne!(one.raw().scalars(), other.raw().scalars(), "{name}: the generator goes on");
        generator.manual_seed(3);
        let again = draw(&generator, name).and_then(latten::Outcome::tensor).expect(name);
        assert_eq!(one.raw().scalars(), again.raw().scalars(), "{name}: and begins anew");
    }
}

#[test]
fn states_are_a_seed_and_an_offset() {
    let generator = Generator::counting(0x0102_0304_0506_0708);
    generator.set_offset(12).expect("a multiple of 4");
    let state = generator.get_state();
    assert_eq!(state, [8, 7, 6, 5, 4, 3, 2, 1, 12, 0, 0, 0, 0, 0, 0, 0]);
    let other = Generator::counting(0);
    other.set_state(&state).expect("its own");
    assert_eq!((other.initial_seed(), other.offset()), (0x0102_0304_0506_0708, Ok(12)));
    for (bytes, text) in [(&state[..15], "RNG state is wrong size"), (&Generator::new().get_state(), "RNG state is wrong size")] {
        assert_eq!(other.set_state(bytes).expect_err("no state of it").message(), text);
    }
    assert_eq!(other.set_offset(6).expect_err("6").message(), "offset must be a multiple of 4");
    assert_eq!(Generator::new().offset().expect_err("it goes from word to word").message(), "CPU Generator does not use offset");
    let before = other.get_state();
    {
        let _fork = other.fork();
        random::uniform_(&empty(&[3], DType::F32), 0.0, 1.0, Some(&other)).expect("a range");
        assert_ne!(other.get_state(), before);
    }
    assert_eq!(other.get_state(), before);
    assert_eq!(other.clone_state().get_state(), before);
    random::uniform_(&empty(&[3], DType::F32), 2.0, 1.0, Some(&other)).expect_err("no range");
    assert_eq!(other.get_state(), before, "a refused call draws nothing");
}
