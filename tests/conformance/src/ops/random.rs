//! What isn't an operation about random numbers: generators and their states, and the parameters of new modules.

use latten::random::{self, Generator, init};
use latten::{DynTensor, Options, RawTensor, Scalar};

use super::unknown;
use crate::arguments::{Argument, Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    if let Some(name) = op.strip_prefix("nn.") {
        return module(name, args);
    }
    generators(op, args)?.ok_or_else(|| unknown(op))
}

fn options(args: &Arguments) -> Outcome<Options> {
    Ok(Options { dtype: args.named("dtype").given().map(|dtype| dtype.dtype()).transpose()?, ..Options::new() })
}

fn whole(argument: Argument<'_>) -> Outcome<i64> {
    match argument.number()? {
        Scalar::Int(x) => Ok(x),
        other => Err(Failure::Unsupported(format!("the seed {other:?}"))),
    }
}

fn generators(op: &str, args: &Arguments) -> Outcome<Option<Value>> {
    let seed = |at: usize| Outcome::Ok(whole(args.at(at, "seed"))?.cast_unsigned());
    let own = || args.at(0, "generator").generator();
    match op {
        "manual_seed" => random::manual_seed(seed(0)?),
        "set_rng_state" => random::default_generator().set_state_tensor(args.tensor()?.raw())?,
        "generator.manual_seed" => own()?.manual_seed(seed(1)?),
        "generator.set_state" => own()?.set_state_tensor(args.at(1, "state").tensor()?.raw())?,
        "fork_rng.end" => drop(args.at(0, "fork").fork()?.borrow_mut().take()),
        _ => return asked(op, args),
    }
    Ok(Some(Value::None))
}

/// What a generator answers, and new ones.
fn asked(op: &str, args: &Arguments) -> Outcome<Option<Value>> {
    let own = || args.at(0, "generator").generator();
    let state = |generator: &Generator| Outcome::Ok(DynTensor::from(generator.get_state_tensor()?).into());
    Ok(Some(match op {
        "initial_seed" => Value::Int(random::initial_seed().into()),
        "get_rng_state" => state(random::default_generator())?,
        "generator" => Value::Generator(Generator::new()),
        "generator.initial_seed" => Value::Int(own()?.initial_seed().into()),
        "generator.get_state" => state(own()?)?,
        "generator.clone_state" => Value::Generator(own()?.clone_state()),
        "fork_rng" => Value::Fork(std::rc::Rc::new(std::cell::RefCell::new(Some(random::fork())))),
        _ => return Ok(None),
    }))
}

/// The parameters of a new module, made as PyTorch makes them.
fn module(name: &str, args: &Arguments) -> Outcome {
    let dtype = options(args)?;
    let new = |sizes: &[usize]| RawTensor::new(sizes, &dtype);
    let count = |at: usize| args.at(at, "").count();
    let with_bias = args.named("bias").given().map_or(Ok(true), |bias| bias.flag())?;
    let root = init::Nonlinearity::LeakyRelu(5_f64.sqrt());
    let done = |made: Vec<RawTensor>| Ok(made.into_iter().map(DynTensor::from).collect::<Vec<_>>().into());
    #[expect(clippy::cast_precision_loss, reason = "small sizes")]
    let uniform = |tensor: &RawTensor, fan: usize| {
        let bound = if fan > 0 { 1.0 / (fan as f64).sqrt() } else { 0.0 };
        random::uniform_(tensor, -bound, bound, None)
    };
    let weights_and_bias = |sizes: &[usize], bias: usize| -> Outcome {
        let weights = new(sizes)?;
        init::kaiming_uniform_(&weights, init::Fan::In, root, None)?;
        let mut made = vec![weights];
        if with_bias {
            let bias = new(&[bias])?;
            uniform(&bias, sizes[1..].iter().product())?;
            made.push(bias);
        }
        done(made)
    };
    match name {
        "Linear" => weights_and_bias(&[count(1)?, count(0)?], count(1)?),
        "Bilinear" => {
            let (weights, bias) = (new(&[count(2)?, count(0)?, count(1)?])?, new(&[count(2)?])?);
            uniform(&weights, count(0)?)?;
            uniform(&bias, count(0)?)?;
            done(vec![weights, bias])
        }
        "Embedding" => {
            let weights = new(&[count(0)?, count(1)?])?;
            random::normal_(&weights, 0.0, 1.0, None)?;
            if let Some(padding) = args.named("padding_idx").given() {
                weights.select(0, padding.int()?)?.zero_()?;
            }
            done(vec![weights])
        }
        "LayerNorm" => {
            let sizes: Vec<usize> = args.at(0, "").ints()?.iter().map(|size| size.unsigned_abs()).collect();
            done(vec![RawTensor::full(&sizes, 1.0.into(), &with_default(&dtype))?, RawTensor::zeros(&sizes, &dtype)?])
        }
        _ if name.starts_with("Conv") => convolution(name, args, &weights_and_bias),
        _ => Err(unknown(name)),
    }
}

fn with_default(options: &Options) -> Options {
    Options { dtype: Some(options.dtype.unwrap_or_else(latten::default_dtype)), ..*options }
}

fn convolution(name: &str, args: &Arguments, make: &dyn Fn(&[usize], usize) -> Outcome) -> Outcome {
    let (into, out) = (args.at(0, "").count()?, args.at(1, "").count()?);
    let groups = args.named("groups").given().map_or(Ok(1), |groups| groups.count())?;
    let kernel: Vec<usize> = args.at(2, "").ints()?.iter().map(|size| size.unsigned_abs()).collect();
    let rank = if name.ends_with("1d") { 1 } else { 2 };
    let kernel = if kernel.len() == 1 { vec![kernel[0]; rank] } else { kernel };
    for (what, channels) in [("in_channels", into), ("out_channels", out)] {
        if !channels.is_multiple_of(groups) {
            return Err(latten::Error::new(latten::ErrorKind::Value, format!("{what} must be divisible by groups")).into());
        }
    }
    let channels = if name.contains("Transpose") { [into, out / groups] } else { [out, into / groups] };
    make(&[&channels[..], &kernel].concat(), out)
}
