//! Random numbers on a device: what counters give is what they give on the host, the rest is drawn on the host and copied.

use latten::OfOptions as _;
use latten::elementwise::Target;
use latten::random::{self, Dropped, Generator, Integers, Many, Mode, default_of, manual_seed};
use latten::tensor::DynTensor;
use latten::{DType, Device, MemoryFormat, Options, RawTensor, Result};

use crate::compare::{same, tolerance};

type Fill = fn(&RawTensor, &Generator) -> Result<()>;

/// Every draw that fills a tensor; whether it computes what no two libraries compute to the last bit.
const FILLS: [(&str, Fill, bool); 13] = [
    ("all integers", |x, g| random::random_(x, Integers::From(i64::MIN), Some(g)), false),
    ("dice", |x, g| random::random_(x, Integers::Between(1, 7), Some(g)), false),
    ("more than half of all", |x, g| random::random_(x, Integers::Between(-(7 << 60), 7 << 60), Some(g)), false),
    ("the range of the dtype", |x, g| random::random_(x, Integers::All, Some(g)), false),
    ("bernoulli", |x, g| random::bernoulli_(x, 0.3, Some(g)), false),
    ("uniform", |x, g| random::uniform_(x, -1.5, 2.0, Some(g)), false),
    ("normal", |x, g| random::normal_(x, 0.5, 2.0, Some(g)), true),
    ("exponential", |x, g| random::exponential_(x, 0.7, Some(g)), true),
    ("cauchy", |x, g| random::cauchy_(x, 0.0, 1.0, Some(g)), true),
    ("log-normal", |x, g| random::log_normal_(x, 0.0, 0.5, Some(g)), true),
    ("geometric", |x, g| random::geometric_(x, 0.3, Some(g)), true),
    ("randperm", |x, g| random::randperm_(&x.view(&[-1])?, Some(g)), false),
    (
        "bernoulli by a tensor",
        |x, g| random::bernoulli_by_(x, &RawTensor::full(&[1], 0.3.into(), &Options::new().device(x.device())?)?, Some(g)),
        false,
    ),
];

const DTYPES: [DType; 6] = [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::Bool];

fn cuda() -> Device {
    "cuda:0".parse().expect("a device")
}

/// What a draw makes of a tensor on a device, or its refusal, and what it drew.
fn drawn(fill: Fill, sizes: &[usize], dtype: DType, device: Device) -> Result<(RawTensor, u64)> {
    let generator = Generator::counting(0xdead_beef_0000_0001);
    // The counters have more than 32 bits on the way.
    generator.set_offset(4 * 0xffff_fff0)?;
    let tensor = RawTensor::zeros(sizes, &Options::new().dtype(dtype).device(device)?)?;
    fill(&tensor, &generator)?;
    Ok((tensor, generator.offset()?))
}

#[test]
fn numbers_are_those_of_the_host() {
    if !latten::cuda::is_available() {
        return;
    }
    for (name, fill, near) in FILLS {
        for dtype in DTYPES {
            let what = format!("{name} of {dtype}");
            match (drawn(fill, &[7, 33], dtype, Device::CPU), drawn(fill, &[7, 33], dtype, cuda())) {
                (Ok((cpu, offset)), Ok((device, other))) => {
                    same(&what, &cpu, &device, if near && dtype.is_floating_point() { tolerance(dtype) } else { 0.0 });
                    assert_eq!(offset, other, "{what}: as many words");
                }
                (Err(cpu), Err(device)) => assert_eq!(cpu.message(), device.message(), "{what}"),
                (cpu, device) => panic!("{what}: {:?} on the host, {:?} on the device", cpu.map(|_| ()), device.map(|_| ())),
            }
        }
    }
}

#[test]
fn numbers_lie_in_the_order_of_the_memory() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    let plain = drawn(FILLS[5].1, &[35, 20], DType::F32, cuda())?.0;
    let generator = Generator::counting(0xdead_beef_0000_0001);
    for (fill, expected) in [(true, plain.t()?), (false, plain.clone())] {
        generator.set_offset(4 * 0xffff_fff0)?;
        let wide = RawTensor::zeros(&[35, 40], &Options::new().device(cuda())?)?;
        let target = if fill { RawTensor::zeros(&[35, 20], &Options::new().device(cuda())?)?.t()? } else { wide.narrow(1, 3, 20)? };
        random::uniform_(&target, -1.5, 2.0, Some(&generator))?;
        let [found, expected] = [target, expected].map(|tensor| tensor.contiguous(MemoryFormat::Contiguous));
        same("another layout", &expected?, &found?, 0.0);
    }
    Ok(())
}

#[test]
fn default_generators_are_seeded_together() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    manual_seed(7);
    let sizes = [3, 50];
    let device = DynTensor::rand(sizes, (DType::F32, cuda()))?;
    let cpu = RawTensor::zeros(&sizes, &Options::new())?;
    random::uniform_(&cpu, 0.0, 1.0, Some(&Generator::counting(7)))?;
    same("rand after manual_seed", &cpu, device.raw(), 0.0);
    assert_eq!(default_of(cuda())?.offset()?, 4 * 150);
    let mut again = DynTensor::zeros(sizes, cuda())?;
    manual_seed(7);
    again.uniform_()?;
    same("uniform_ after manual_seed", &cpu, again.raw(), 0.0);

    let refused = random::uniform_(again.raw(), 0.0, 1.0, Some(&Generator::new())).expect_err("its words are the host's");
    assert_eq!(refused.message(), "Expected a 'cuda' device type for generator but found 'cpu'");
    Ok(())
}

#[test]
fn what_is_made_of_draws_is_on_the_device() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    let made = |device: Device| -> Result<Vec<RawTensor>> {
        let generator = Generator::counting(11);
        let on = |tensor: RawTensor| tensor.to_device(device);
        let weights = on(RawTensor::from_vec((1_u8..=60).map(f32::from).collect(), &[4, 15])?)?;
        let new = |sizes: &[usize]| RawTensor::zeros(sizes, &Options::new().device(device)?);
        let kaiming = new(&[6, 5])?;
        random::init::kaiming_uniform_(&kaiming, random::init::Fan::In, random::init::Nonlinearity::Relu, Some(&generator))?;
        let cut = new(&[6, 5])?;
        random::init::trunc_normal_(&cut, random::init::Truncated::default(), Some(&generator))?;
        Ok(vec![
            random::multinomial(&weights, 4, random::Replacement::Yes, Some(&generator), Target::New)?,
            random::multinomial(&weights, 4, random::Replacement::No, Some(&generator), Target::New)?,
            random::poisson(&weights, Some(&generator))?,
            random::normal(Many::Tensor(&weights), Many::Number(2.0), Some(&generator), Target::New)?,
            random::bernoulli(&on(RawTensor::full(&[9], 0.5.into(), &Options::new())?)?, Some(&generator))?,
            kaiming,
            cut,
        ])
    };
    for (cpu, device) in made(Device::CPU)?.iter().zip(&made(cuda())?) {
        assert!(device.device() == cuda(), "it is on the device");
        same("what is made of draws", cpu, device, tolerance(cpu.dtype()));
    }
    manual_seed(2);
    let kept = random::dropout(Dropped::Elements, DynTensor::ones([1000], cuda())?.raw(), 0.25, Mode::Training)?;
    let kept = kept.scalars()?.iter().filter(|x| **x != 0.0).count();
    assert!((650..850).contains(&kept), "{kept} of 1000 are kept");
    Ok(())
}
