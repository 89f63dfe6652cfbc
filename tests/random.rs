//! Random numbers: what doesn't depend on threads or instruction sets, states that come and go, and arguments that change nothing. That the
//! numbers are PyTorch's is replayed by `tests/conformance`.

use std::sync::Mutex;

use latten::elementwise::Target;
use latten::prelude::*;
use latten::random::{self, Dropped, Generator, Integers, Many, Mode, Replacement, init};
use latten::{RawTensor, Result, args, set_num_threads};

/// The default generator belongs to the whole process: who draws from it and who looks at its state take turns.
static DEFAULT: Mutex<()> = Mutex::new(());

/// What PyTorch 2.15 draws after `manual_seed(0)`.
const AFTER_SEED_0: [f32; 3] = [1.540_996_1, -0.293_428_9, -2.178_789_4];

#[test]
fn typed_tensors_draw_as_dynamic_ones_and_calls_by_name() {
    let generator = Generator::seeded(0);
    let mut typed = Tensor::<f32, shape![3]>::zeros();
    generator.normal_(&mut typed).expect("a deviation");
    assert_eq!(typed.to_vec(), AFTER_SEED_0);
    generator.manual_seed(0);
    let mut dynamic = DynTensor::zeros([3], DType::F32).expect("memory");
    generator.normal_(&mut dynamic).expect("a deviation");
    generator.manual_seed(0);
    let named = call("randn", args![[3], generator = &generator]).and_then(latten::Outcome::tensor).expect("a size");
    for other in [dynamic, named] {
        assert_eq!(other.typed::<f32, shape![3]>().expect("three numbers").to_vec(), AFTER_SEED_0);
    }
}

#[test]
fn constructors_have_the_shape_that_they_are_given() {
    let _turn = DEFAULT.lock();
    let x = Tensor::<f32, shape![2, 3]>::rand();
    assert!(x.to_vec().iter().all(|x| (0.0..1.0).contains(x)), "{x}");
    let y: Tensor<i64, shape![4]> = Tensor::<i64>::randint(-2, 3, shape![4]).expect("bounds");
    assert!(y.to_vec().iter().all(|y| (-2..3).contains(y)), "{y}");
    let mut order = Tensor::<i64>::randperm(20).expect("a count").to_vec();
    order.sort_unstable();
    assert_eq!(order, (0..20).collect::<Vec<_>>());
    let like = x.randn_like();
    assert_eq!(like.sizes(), [2, 3]);
    let chances = Tensor::from([0.0_f32, 1.0]);
    assert_eq!(chances.bernoulli().to_vec(), [0.0, 1.0]);
    let kept = Tensor::<f32, shape![100]>::ones().dropout(0.5, Mode::Training);
    assert!(kept.to_vec().iter().all(|x| *x == 0.0 || *x == 2.0), "{kept}");
}

type Draw = fn(&RawTensor, &Generator) -> Result<()>;

/// Every draw that fills a tensor.
const FILLS: [(&str, Draw); 9] = [
    ("uniform_", |x, g| random::uniform_(x, -1.0, 2.0, Some(g))),
    ("normal_", |x, g| random::normal_(x, 0.5, 2.0, Some(g))),
    ("exponential_", |x, g| random::exponential_(x, 0.7, Some(g))),
    ("cauchy_", |x, g| random::cauchy_(x, 0.0, 1.0, Some(g))),
    ("log_normal_", |x, g| random::log_normal_(x, 0.0, 0.5, Some(g))),
    ("geometric_", |x, g| random::geometric_(x, 0.3, Some(g))),
    ("bernoulli_", |x, g| random::bernoulli_(x, 0.3, Some(g))),
    ("random_", |x, g| random::random_(x, Integers::Between(0, 100), Some(g))),
    ("randperm_", |x, g| random::randperm_(&x.view(&[-1])?, Some(g))),
];

const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

fn bytes(tensor: &RawTensor) -> Vec<u8> {
    tensor.storage().tolist().expect("a storage on the host")
}

/// What a draw makes of a tensor of that many elements, and the state after it.
fn drawn(draw: Draw, dtype: DType, len: usize) -> (Vec<u8>, Vec<u8>) {
    let (tensor, generator) = (RawTensor::zeros(&[len], &Options::new().dtype(dtype)).expect("memory"), Generator::seeded(9));
    draw(&tensor, &generator).expect("arguments in order");
    (bytes(&tensor), generator.get_state())
}

#[test]
fn numbers_do_not_depend_on_threads() {
    for (name, draw) in FILLS {
        for dtype in FLOATS {
            // f16 and bf16 don't hold all places of a long permutation.
            let lengths: &[usize] = if name == "randperm_" { &[100, 257] } else { &[15, 1000, 100_003] };
            for &len in lengths {
                set_num_threads(1);
                let alone = drawn(draw, dtype, len);
                set_num_threads(3);
                assert!(alone == drawn(draw, dtype, len), "{name} of {len} {dtype} differs between 1 and 3 threads");
            }
        }
    }
}

#[test]
fn a_generator_goes_on_from_a_saved_state() {
    for (name, draw) in FILLS {
        for len in [1, 7, 16, 623, 624, 700] {
            let generator = Generator::seeded(3);
            let some = RawTensor::zeros(&[len.min(250)], &Options::new()).expect("memory");
            draw(&some, &generator).expect("arguments in order");
            let other = Generator::new();
            other.set_state(&generator.get_state()).expect("a state");
            let clone = generator.clone_state();
            let (x, y, z) = (some.zeros_like(), some.zeros_like(), some.zeros_like());
            for (tensor, generator) in [(&x, &generator), (&y, &other), (&z, &clone)] {
                draw(tensor, generator).expect("arguments in order");
            }
            assert_eq!(bytes(&x), bytes(&y), "{name} after a state of {len} numbers");
            assert_eq!(bytes(&x), bytes(&z), "{name} after a clone of {len} numbers");
            assert_eq!(generator.get_state(), other.get_state(), "{name} of {len} numbers");
        }
    }
}

trait ZerosLike {
    fn zeros_like(&self) -> RawTensor;
}

impl ZerosLike for RawTensor {
    fn zeros_like(&self) -> RawTensor {
        Self::zeros(self.sizes(), &Options::new().dtype(self.dtype())).expect("memory")
    }
}

#[test]
fn a_fork_leaves_no_trace() {
    let generator = Generator::seeded(5);
    let x = RawTensor::zeros(&[3], &Options::new()).expect("memory");
    // A kept normal number is part of the state.
    random::normal_(&x, 0.0, 1.0, Some(&generator)).expect("a deviation");
    let before = generator.get_state();
    {
        let _fork = generator.fork();
        generator.manual_seed(8);
        random::uniform_(&x, 0.0, 1.0, Some(&generator)).expect("bounds");
        assert_ne!(generator.get_state(), before);
    }
    assert_eq!(generator.get_state(), before);
}

#[test]
fn bad_arguments_change_neither_tensor_nor_generator() {
    let float = RawTensor::full(&[20], 7.into(), &Options::new().dtype(DType::F32)).expect("memory");
    let long = RawTensor::full(&[20], 7.into(), &Options::new().dtype(DType::I64)).expect("memory");
    let half = RawTensor::full(&[20], 7.into(), &Options::new().dtype(DType::F16)).expect("memory");
    let expanded = float.select(0, 0).expect("a place").expand(&[20]).expect("a shape");
    type Refused<'a> = (&'a str, &'a RawTensor, Box<dyn Fn(&RawTensor, &Generator) -> Result<()>>);
    let refused: Vec<Refused<'_>> = vec![
        ("uniform_ expects to return a [from, to) range", &float, Box::new(|x, g| random::uniform_(x, 1.0, 0.0, Some(g)))),
        ("to is out of bounds for c10::Half", &half, Box::new(|x, g| random::uniform_(x, 0.0, 1e9, Some(g)))),
        ("\"check_uniform_bounds\" not implemented for 'Long'", &long, Box::new(|x, g| random::uniform_(x, 0.0, 1.0, Some(g)))),
        ("normal expects std >= 0.0, but found std nan", &float, Box::new(|x, g| random::normal_(x, 0.0, f64::NAN, Some(g)))),
        ("\"normal_kernel_cpu\" not implemented for 'Long'", &long, Box::new(|x, g| random::normal_(x, 0.0, 1.0, Some(g)))),
        ("exponential_ expects lambda > 0.0", &float, Box::new(|x, g| random::exponential_(x, 0.0, Some(g)))),
        ("cauchy_ expects sigma > 0.0", &float, Box::new(|x, g| random::cauchy_(x, 0.0, -1.0, Some(g)))),
        ("log_normal_ expects std > 0.0", &float, Box::new(|x, g| random::log_normal_(x, 0.0, 0.0, Some(g)))),
        ("geometric_ expects p to be in (0, 1)", &long, Box::new(|x, g| random::geometric_(x, 1.0, Some(g)))),
        ("bernoulli_ expects p to be in [0, 1]", &long, Box::new(|x, g| random::bernoulli_(x, 1.5, Some(g)))),
        ("random_ expects 'from' to be less than 'to'", &long, Box::new(|x, g| random::random_(x, Integers::Between(5, 5), Some(g)))),
        ("to - 1 is out of bounds for c10::Half", &half, Box::new(|x, g| random::random_(x, Integers::Between(0, 70_000), Some(g)))),
        (
            "n cannot be greater than 2049",
            &half,
            Box::new(|_, g| random::randperm(2050, &Options::new().dtype(DType::F16), Some(g)).map(drop)),
        ),
        ("more than one element of the written-to tensor", &expanded, Box::new(|x, g| random::uniform_(x, 0.0, 1.0, Some(g)))),
        ("invalid Poisson rate", &float, Box::new(|x, g| random::poisson(&x.map_to(-1.0), Some(g)).map(drop))),
        (
            "cannot sample n_sample > prob_dist.size(-1)",
            &float,
            Box::new(|x, g| random::multinomial(x, 21, Replacement::No, Some(g), Target::New).map(drop)),
        ),
        (
            "normal expects all elements of std >= 0.0",
            &float,
            Box::new(|x, g| random::normal(Many::Number(0.0), Many::Tensor(&x.map_to(f64::NAN)), Some(g), Target::New).map(drop)),
        ),
        ("Fan in and fan out can not be computed", &float, Box::new(|x, g| init::xavier_uniform_(x, 1.0, Some(g)))),
    ];
    for (text, tensor, draw) in refused {
        let generator = Generator::seeded(2);
        let before = (bytes(tensor), generator.get_state());
        let error = draw(tensor, &generator).expect_err(text);
        assert!(error.message().contains(text), "{}\nis not\n{text}", error.message());
        assert!(before == (bytes(tensor), generator.get_state()), "after {text}");
    }
}

trait MapTo {
    fn map_to(&self, number: f64) -> RawTensor;
}

impl MapTo for RawTensor {
    fn map_to(&self, number: f64) -> RawTensor {
        Self::full(self.sizes(), number.into(), &Options::new().dtype(self.dtype())).expect("memory")
    }
}

#[test]
fn dropout_of_nothing_to_drop_is_the_tensor_itself() {
    let _turn = DEFAULT.lock();
    let x = RawTensor::full(&[4], 3.into(), &Options::new().dtype(DType::F32)).expect("memory");
    let before = random::default_generator().get_state();
    for (probability, mode) in [(0.0, Mode::Training), (0.5, Mode::Evaluating)] {
        let y = random::dropout(Dropped::Elements, &x, probability, mode).expect("a probability");
        assert!(y.storage().is_same(x.storage()));
    }
    assert_eq!(random::default_generator().get_state(), before);
}

#[test]
fn states_that_are_none_are_refused() {
    let generator = Generator::seeded(1);
    let before = generator.get_state();
    let with = |at: usize, byte: u8| {
        let mut state = before.clone();
        state[at] = byte;
        state
    };
    for (state, text) in [
        (before[..5048].to_vec(), "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5048"),
        (with(8, 0), "Invalid mt19937 state"),
        (with(9, 3), "Invalid mt19937 state"),
        (with(12, 0), "Invalid mt19937 state"),
        (with(17, 9), "Invalid mt19937 state"),
    ] {
        assert_eq!(generator.set_state(&state).expect_err(text).message(), text);
        assert_eq!(generator.get_state(), before);
    }
}

#[test]
fn orthogonal_weights_are_orthogonal() {
    for (rows, columns) in [(6, 4), (4, 6), (5, 5)] {
        let weights = RawTensor::zeros(&[rows, columns], &Options::new().dtype(DType::F64)).expect("memory");
        init::orthogonal_(&weights, 2.0, Some(&Generator::seeded(4))).expect("a matrix");
        let weights = DynTensor::from(weights);
        let transposed = weights.t();
        let product = if rows > columns { transposed.matmul(&weights) } else { weights.matmul(&transposed) };
        let expected = DynTensor::eye([rows.min(columns); 2], DType::F64).expect("memory") * 4.0;
        assert!(product.allclose(&expected), "{product}");
    }
}
