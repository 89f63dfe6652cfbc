//! Workloads with gradients: latten's side and candle's. A step of training is PyTorch's `SGD` without momentum, of a network of three layers.

use candle_core::{D, DType as CandleType, Result, Tensor as Candle, Var};
use latten::optim::{Parameter, Sgd};
use latten::prelude::*;
use latten_core::raw::RawTensor;
use latten_spec::DType;

use crate::latten::{operand, tensor};
use crate::sizes::numbers;
use crate::work::{Work, work};

/// Images, their pixels, hidden units, and the kinds of images.
const BATCH: usize = 128;
const PIXELS: usize = 784;
const HIDDEN: usize = 512;
const KINDS: usize = 10;
const RATE: f64 = 0.01;

type Row = Tensor<f32, Rank<1>>;

fn row(number: usize, count: usize) -> Row {
    DynTensor::from(operand(number, &[count], DType::F32)).typed::<f32, Rank<1>>().expect("its type")
}

fn leaf(number: usize, count: usize) -> Row {
    row(number, count).requiring_grad().expect("a leaf")
}

/// `sum(sigmoid(a * b + a) * b - a)` there and back, in `fuse!`.
pub fn fused(count: usize) -> Work {
    let [mut a, mut b] = [0, 1].map(|number| leaf(number, count));
    work(move || {
        a.zero_grad();
        b.zero_grad();
        fuse!(sum(sigmoid(a * b + a) * b - a)).backward().expect("gradients");
        (a.grad().expect("a gradient"), b.grad().expect("a gradient"))
    })
}

/// The same by operators.
pub fn by_operators(count: usize) -> Work {
    let [mut a, mut b] = [0, 1].map(|number| leaf(number, count));
    work(move || {
        a.zero_grad();
        b.zero_grad();
        ((&a * &b + &a).sigmoid() * &b - &a).sum().backward().expect("gradients");
        (a.grad().expect("a gradient"), b.grad().expect("a gradient"))
    })
}

/// candle's.
pub fn by_candle(count: usize) -> Work {
    let [a, b] = [0, 1].map(|number| variable(number, &[count], 1.0));
    let there_and_back = move || {
        let (a, b) = (a.as_tensor(), b.as_tensor());
        let product = ((a * b)? + a)?;
        let sigmoid = (product.neg()?.exp()? + 1.0)?.recip()?;
        let gradients = ((sigmoid * b)? - a)?.sum_all()?.backward()?;
        let of = |variable| gradients.get(variable).cloned().expect("a gradient");
        Result::Ok((of(a), of(b)))
    };
    work(move || there_and_back().expect("gradients"))
}

/// One product of ten elements that is recorded.
pub fn small() -> Work {
    let (a, b) = (leaf(0, 10), row(1, 10));
    work(move || &a * &b)
}

/// The same, and back.
pub fn small_and_back() -> Work {
    let (mut a, b, gradient) = (leaf(0, 10), row(1, 10), row(2, 10));
    work(move || {
        a.zero_grad();
        (&a * &b).backward_with(&gradient).expect("a gradient");
        a.grad().expect("a gradient")
    })
}

/// The parameters of a layer: small numbers.
fn weights(sizes: &[usize]) -> RawTensor {
    let weights = DynTensor::from(tensor(sizes, DType::F32)) * 0.01;
    weights.raw().clone()
}

struct Layer<const TO: usize, const FROM: usize> {
    weight: Tensor<f32, shape![TO, FROM]>,
    bias: Tensor<f32, shape![TO]>,
}

impl<const TO: usize, const FROM: usize> Layer<TO, FROM> {
    fn new() -> Self {
        let weight = DynTensor::from(weights(&[TO, FROM])).typed::<f32, shape![TO, FROM]>().expect("its type");
        let bias = DynTensor::from(weights(&[TO])).typed::<f32, shape![TO]>().expect("its type");
        Self { weight: weight.requiring_grad().expect("a leaf"), bias: bias.requiring_grad().expect("a leaf") }
    }

    fn of(&self, input: &Tensor<f32, shape![BATCH, FROM]>) -> Tensor<f32, shape![BATCH, TO]> {
        input.linear_with(&self.weight, &self.bias)
    }
}

/// The kinds of the images.
fn kinds() -> Vec<i64> {
    (0_i64..).map(|image| image * 7 % KINDS as i64).take(BATCH).collect()
}

/// A step of training.
pub fn step() -> Work {
    let images = DynTensor::from(tensor(&[BATCH, PIXELS], DType::F32)).typed::<f32, shape![BATCH, PIXELS]>().expect("its type");
    let kinds =
        DynTensor::from(RawTensor::from_vec(kinds(), &[BATCH, 1]).expect("memory")).typed::<i64, shape![BATCH, 1]>().expect("its type");
    let (mut first, mut second, mut third) =
        (Layer::<HIDDEN, PIXELS>::new(), Layer::<HIDDEN, HIDDEN>::new(), Layer::<KINDS, HIDDEN>::new());
    let mut sgd = Sgd::new(RATE);
    work(move || {
        let hidden = second.of(&first.of(&images).relu()).relu();
        let surprise = third.of(&hidden).log_softmax::<f32, _>(1).expect("a dimension").gather(1, &kinds).expect("places");
        let loss: Tensor<f32, ()> = -surprise.mean();
        let mut parameters: [&mut dyn Parameter; 6] =
            [&mut first.weight, &mut first.bias, &mut second.weight, &mut second.bias, &mut third.weight, &mut third.bias];
        loss.backward().expect("gradients");
        sgd.step(&mut parameters).expect("a step");
        first.weight.zero_grad();
        first.bias.zero_grad();
        second.weight.zero_grad();
        second.bias.zero_grad();
        third.weight.zero_grad();
        third.bias.zero_grad();
        loss
    })
}

fn variable(number: usize, sizes: &[usize], scale: f64) -> Var {
    let numbers: Vec<f32> = numbers(number, sizes.iter().product()).map(|x| x * scale as f32).collect();
    Var::from_vec(numbers, sizes, &candle_core::Device::Cpu).expect("memory")
}

/// candle's step.
pub fn step_by_candle() -> Work {
    let images = variable(0, &[BATCH, PIXELS], 1.0).as_detached_tensor();
    let kinds =
        Candle::from_vec(kinds(), (BATCH, 1), &candle_core::Device::Cpu).and_then(|kinds| kinds.to_dtype(CandleType::U32)).expect("memory");
    let layers =
        [[HIDDEN, PIXELS], [HIDDEN, HIDDEN], [KINDS, HIDDEN]].map(|[to, from]| (variable(0, &[to, from], 0.01), variable(0, &[to], 0.01)));
    let one = move || -> Result<Candle> {
        let layer = |input: &Candle, (weight, bias): &(Var, Var)| input.matmul(&weight.t()?)?.broadcast_add(bias);
        let hidden = layer(&layer(&images, &layers[0])?.relu()?, &layers[1])?.relu()?;
        let logits = layer(&hidden, &layers[2])?;
        let below = logits.broadcast_sub(&logits.max_keepdim(D::Minus1)?)?;
        let logarithms = below.broadcast_sub(&below.exp()?.sum_keepdim(D::Minus1)?.log()?)?;
        let loss = logarithms.gather(&kinds, 1)?.mean_all()?.neg()?;
        let gradients = loss.backward()?;
        for parameter in layers.iter().flat_map(|(weight, bias)| [weight, bias]) {
            if let Some(gradient) = gradients.get(parameter) {
                parameter.set(&(parameter.as_tensor() - (gradient * RATE)?)?)?;
            }
        }
        Ok(loss)
    };
    work(move || one().expect("a step"))
}
