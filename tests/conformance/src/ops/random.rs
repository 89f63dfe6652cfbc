//! Random numbers: draws, generators and their states, first values of weights, and the parameters of new modules.

use latten::random::{self, Dropped, Generator, Integers, Many, Mode, Replacement, init};
use latten::{DynTensor, Options, RawTensor};

use super::unknown;
use crate::arguments::{Argument, Arguments, Outcome, real};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    if let Some(name) = op.strip_prefix("init.") {
        return initialised(name, args);
    }
    if let Some(name) = op.strip_prefix("nn.") {
        return module(name, args);
    }
    if let Some(value) = generators(op, args)? {
        return Ok(value);
    }
    match op {
        "rand" | "randn" | "randint" | "randperm" | "rand_like" | "randn_like" | "randint_like" => new(op, args),
        "normal" | "bernoulli" | "poisson" | "multinomial" => by_tensors(op, args),
        _ if op.contains("dropout") => dropped(op, args),
        _ => filled(op, args),
    }
}

fn generator(args: &Arguments) -> Outcome<Option<&Generator>> {
    args.named("generator").given().map(|generator| generator.generator()).transpose()
}

fn number(argument: Argument<'_>) -> Outcome<f64> {
    argument.scalar().map(real)
}

fn number_or(argument: Argument<'_>, default: f64) -> Outcome<f64> {
    argument.given().map_or(Ok(default), number)
}

fn whole(argument: Argument<'_>) -> Outcome<i64> {
    Ok(match argument.scalar()? {
        latten::Scalar::Int(x) => x,
        other => real(other) as i64,
    })
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

fn filled(op: &str, args: &mut Arguments) -> Outcome {
    if !matches!(op, "uniform_" | "normal_" | "exponential_" | "cauchy_" | "log_normal_" | "geometric_" | "bernoulli_" | "random_") {
        return Err(unknown(op));
    }
    args.in_place(|tensor, args| {
        let (tensor, generator) = (tensor.raw(), generator(args)?);
        let [first, second] = [args.at(1, "from"), args.at(2, "to")];
        match op {
            "uniform_" => random::uniform_(tensor, number_or(first, 0.0)?, number_or(second, 1.0)?, generator)?,
            "normal_" => random::normal_(tensor, number_or(first, 0.0)?, number_or(second, 1.0)?, generator)?,
            "exponential_" => random::exponential_(tensor, number_or(first, 1.0)?, generator)?,
            "cauchy_" => random::cauchy_(tensor, number_or(first, 0.0)?, number_or(second, 1.0)?, generator)?,
            "log_normal_" => random::log_normal_(tensor, number_or(first, 1.0)?, number_or(second, 2.0)?, generator)?,
            "geometric_" => random::geometric_(tensor, number(first)?, generator)?,
            "bernoulli_" => match first.tensor() {
                Ok(chances) => random::bernoulli_by_(tensor, chances.raw(), generator)?,
                Err(_) => random::bernoulli_(tensor, number_or(first, 0.5)?, generator)?,
            },
            _ => random::random_(tensor, integers(args, 1)?, generator)?,
        }
        Ok(())
    })
}

fn integers(args: &Arguments, first: usize) -> Outcome<Integers> {
    let (low, high) = (args.at(first, "from"), args.at(first + 1, "to"));
    Ok(match (low.given(), args.positions() > first + 1) {
        (None, _) => Integers::All,
        (Some(end), false) => Integers::Between(0, whole(end)?),
        (Some(low), true) => match high.given() {
            Some(high) => Integers::Between(whole(low)?, whole(high)?),
            None => Integers::From(whole(low)?),
        },
    })
}

fn options(args: &Arguments) -> Outcome<Options> {
    Ok(Options {
        dtype: args.named("dtype").given().map(|dtype| dtype.dtype()).transpose()?,
        device: args.named("device").given().map(|device| device.device()).transpose()?,
        format: args.named("memory_format").given().map(|format| format.format()).transpose()?,
    })
}

/// The tensor that a draw fills: the one that is given, or a new one.
fn target(
    args: &mut Arguments,
    new: impl FnOnce(&Arguments) -> Outcome<DynTensor>,
    fill: impl FnOnce(&RawTensor, &Arguments) -> Outcome<()>,
) -> Outcome {
    if args.named("out").is_none() {
        let tensor = new(args)?;
        fill(tensor.raw(), args)?;
        return Ok(tensor.into());
    }
    args.into_raw_out(|out, args| fill(out, args))
}

fn new(op: &str, args: &mut Arguments) -> Outcome {
    let like = op.ends_with("_like");
    let first = usize::from(like);
    // Of randint's numbers the last one may be missing, and the size comes after them.
    let numbers = (first..args.positions()).take_while(|&at| args.at(at, "").number().is_ok()).count();
    let make = |args: &Arguments| match like {
        true => Ok(args.tensor()?.empty_like_with(options(args)?)?),
        false => {
            let dtype = if matches!(op, "randint" | "randperm") { Some(latten::DType::I64) } else { None };
            let mut options = options(args)?;
            options.dtype = options.dtype.or(dtype);
            if op == "randperm" {
                let count = args.at(0, "n").int()?;
                if count >= 0 {
                    return Ok(DynTensor::from(random::randperm(count.unsigned_abs(), &options, generator(args)?)?));
                }
                return Ok(DynTensor::empty([count], options)?);
            }
            Ok(DynTensor::empty(args.at(numbers, "size").ints()?, options)?)
        }
    };
    if op == "randperm" {
        return target(args, make, |tensor, args| match args.named("out").is_none() {
            true => Ok(()),
            false => {
                args.at(0, "n").int()?;
                Ok(random::randperm_(tensor, generator(args)?)?)
            }
        });
    }
    target(args, make, |tensor, args| {
        if !like {
            args.at(numbers, "size").ints()?;
        }
        let generator = generator(args)?;
        match op {
            "rand" | "rand_like" => random::uniform_(tensor, 0.0, 1.0, generator)?,
            "randn" | "randn_like" => random::normal_(tensor, 0.0, 1.0, generator)?,
            _ => {
                let limits = (first..).take(if like { args.positions() - 1 } else { numbers });
                let limits = limits.map(|at| whole(args.at(at, ""))).collect::<Outcome<Vec<_>>>()?;
                let (low, high) = if let [low, high] = limits[..] { (low, high) } else { (0, limits[0]) };
                random::random_(tensor, Integers::Between(low, high), generator)?;
            }
        }
        Ok(())
    })
}

fn many<'a>(argument: Argument<'a>, default: f64) -> Outcome<Many<'a>> {
    match argument.given().map(Argument::tensor) {
        Some(Ok(tensor)) => Ok(Many::Tensor(tensor.raw())),
        _ => number_or(argument, default).map(Many::Number),
    }
}

fn by_tensors(op: &str, args: &mut Arguments) -> Outcome {
    let result = |args: &Arguments| -> Outcome<RawTensor> {
        let generator = generator(args)?;
        Ok(match op {
            "poisson" => random::poisson(args.tensor()?.raw(), generator)?,
            "bernoulli" => {
                let x = args.tensor()?;
                let new = RawTensor::new(x.raw().sizes(), &Options::new().dtype(x.dtype()))?;
                match args.at(1, "p").given() {
                    None => random::bernoulli_by_(&new, x.raw(), generator)?,
                    Some(p) => random::bernoulli_(&new, number(p)?, generator)?,
                }
                new
            }
            "multinomial" => {
                let replacement = if args.at(2, "replacement").flag_or(false)? { Replacement::Yes } else { Replacement::No };
                random::multinomial(args.tensor()?.raw(), args.at(1, "num_samples").int()?, replacement, generator)?
            }
            _ if !args.at(2, "size").is_none() => {
                let new = DynTensor::empty(args.at(2, "size").ints()?, options(args)?)?;
                random::normal_(new.raw(), number(args.at(0, "mean"))?, number(args.at(1, "std"))?, generator)?;
                new.raw().clone()
            }
            _ => random::normal(many(args.at(0, "mean"), 0.0)?, many(args.at(1, "std"), 1.0)?, generator)?,
        })
    };
    if args.named("out").is_none() {
        return Ok(DynTensor::from(result(args)?).into());
    }
    args.into_raw_out(|out, args| {
        if op == "bernoulli" {
            return Ok(random::bernoulli_by_(out, args.tensor()?.raw(), generator(args)?)?);
        }
        Ok(out.copy_(&result(args)?)?)
    })
}

fn dropped(op: &str, args: &mut Arguments) -> Outcome {
    let (name, in_place) = op.strip_suffix('_').map_or((op, false), |name| (name, true));
    let of = match name {
        "dropout" => Dropped::Elements,
        "feature_dropout" | "dropout1d" | "dropout2d" | "dropout3d" => Dropped::Features,
        "alpha_dropout" => Dropped::Alpha,
        "feature_alpha_dropout" => Dropped::FeatureAlpha,
        "native_dropout" => Dropped::Elements,
        _ => return Err(unknown(op)),
    };
    let probability = number(args.at(1, "p"))?;
    let mode = if args.at(2, "train").flag()? { Mode::Training } else { Mode::Evaluating };
    if name == "native_dropout" {
        let (result, mask) = random::native_dropout(args.tensor()?.raw(), probability, mode)?;
        return Ok(vec![DynTensor::from(result), DynTensor::from(mask)].into());
    }
    if in_place {
        return args.in_place(|tensor, _| Ok(random::dropout_(of, tensor.raw(), probability, mode)?));
    }
    Ok(DynTensor::from(random::dropout(of, args.tensor()?.raw(), probability, mode)?).into())
}

fn initialised(name: &str, args: &mut Arguments) -> Outcome {
    if name == "calculate_gain" {
        let of: init::Nonlinearity = args.at(0, "nonlinearity").text()?.parse()?;
        let of = args.at(1, "param").given().map_or(Ok(of), |slope| Outcome::Ok(of.with_slope(number(slope)?)))?;
        return Ok(of.gain().into());
    }
    args.in_place(|tensor, args| {
        let (tensor, generator) = (tensor.raw(), generator(args)?);
        let at = |at: usize, name: &str, default: f64| number_or(args.at(at, name), default);
        let fan = || args.at(2, "mode").given().map_or(Ok(init::Fan::In), |mode| Outcome::Ok(mode.text()?.parse()?));
        let after = || -> Outcome<init::Nonlinearity> {
            let of: init::Nonlinearity = args.at(3, "nonlinearity").given().map_or(Ok("leaky_relu"), Argument::text)?.parse()?;
            Ok(of.with_slope(at(1, "a", 0.0)?))
        };
        match name {
            "uniform_" => random::uniform_(tensor, at(1, "a", 0.0)?, at(2, "b", 1.0)?, generator)?,
            "normal_" => random::normal_(tensor, at(1, "mean", 0.0)?, at(2, "std", 1.0)?, generator)?,
            "trunc_normal_" => {
                let of = init::Truncated {
                    mean: at(1, "mean", 0.0)?,
                    deviation: at(2, "std", 1.0)?,
                    low: at(3, "a", -2.0)?,
                    high: at(4, "b", 2.0)?,
                };
                init::trunc_normal_(tensor, of, generator)?;
            }
            "kaiming_uniform_" => init::kaiming_uniform_(tensor, fan()?, after()?, generator)?,
            "kaiming_normal_" => init::kaiming_normal_(tensor, fan()?, after()?, generator)?,
            "xavier_uniform_" => init::xavier_uniform_(tensor, at(1, "gain", 1.0)?, generator)?,
            "xavier_normal_" => init::xavier_normal_(tensor, at(1, "gain", 1.0)?, generator)?,
            "orthogonal_" => init::orthogonal_(tensor, at(1, "gain", 1.0)?, generator)?,
            "sparse_" => init::sparse_(tensor, at(1, "sparsity", 0.0)?, at(2, "std", 0.01)?, generator)?,
            "eye_" => init::eye_(tensor)?,
            "dirac_" => init::dirac_(tensor, args.at(1, "groups").given().map_or(Ok(1), |groups| groups.count())?)?,
            "constant_" => tensor.fill_(args.at(1, "val").scalar()?)?,
            _ => return Err(unknown(name)),
        }
        Ok(())
    })
}

/// The parameters of a new module, made as PyTorch makes them.
fn module(name: &str, args: &Arguments) -> Outcome {
    let dtype = options(args)?;
    let new = |sizes: &[usize]| RawTensor::new(sizes, &dtype);
    let count = |at: usize| args.at(at, "").count();
    let with_bias = args.named("bias").flag_or(true)?;
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
