//! Children of a process that uses devices: whatever they do with these is an error, and nothing waits. And the end of a process while
//! kernels are compiled: it waits for the one, and not for the others.
#![cfg(unix)]

use std::env;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use latten::cuda::{Event, Stream, WarmUp, synchronize, warm_up};
use latten::elementwise::{Params, apply};
use latten::{DType, Device, Op, RawTensor, Result, Scalar};

use crate::process::child;
use crate::stand_in::{command, is_here, passes};

/// Set where a test below is run by another one.
const ASKED: &str = "LATTEN_TEST_FORKS";

fn tensor() -> Result<RawTensor> {
    RawTensor::from_vec(vec![1.0_f32; 100], &[100])
}

/// The same in memory that the device may use by itself.
fn pin() -> Result<RawTensor> {
    let near = tensor()?;
    RawTensor::over(near.storage().pin_memory()?, DType::F32, near.geometry().clone())
}

/// What a process has of its device.
struct Things {
    far: RawTensor,
    pinned: RawTensor,
    stream: Stream,
    event: Event,
    warm: WarmUp,
}

fn things() -> Result<Things> {
    let device = Device::parse("cuda")?;
    let far = tensor()?.to_device(device)?;
    // What is compiled in the background may begin after the first child: NVRTC is this process's from here on.
    latten::cuda::inspect::nvrtc_version()?;
    Ok(Things {
        pinned: pin()?,
        stream: Stream::new(device)?,
        event: Event::record(device)?,
        warm: warm_up(device, &[Op::Exp, Op::Sin, Op::Cos, Op::Tan, Op::Sqrt], &[DType::F32, DType::F64])?,
        far,
    })
}

/// What a child does with what its parent had.
fn use_everything(things: &mut Option<Things>) -> Result<()> {
    let Some(Things { far, pinned, stream, event, warm }) = things.take() else { return Ok(()) };
    let device = Device::parse("cuda")?;
    let add = |x: &RawTensor| apply(Op::Add, &[x.into(), x.into()], &Params::none()).map(drop);
    for (what, outcome) in [
        ("elements", far.scalars().map(drop)),
        ("a sum", add(&far)),
        ("a copy to the host", far.to_device(Device::CPU).map(drop)),
        ("a copy to the device", tensor()?.to_device(device).map(drop)),
        ("a tensor", RawTensor::empty(&[3], &[1], DType::F32, device).map(drop)),
        ("pinned memory that is there", pinned.scalars().map(drop)),
        ("pinned memory", pin().map(drop)),
        ("a stream", Stream::new(device).map(drop)),
        ("waiting for a stream", stream.synchronize()),
        ("an event", stream.record().map(drop)),
        ("waiting for an event", event.synchronize()),
        ("whether an event is there", event.is_done().map(drop)),
        ("the device", synchronize(device)),
    ] {
        let text = outcome.map_or_else(|error| error.to_string(), |()| "it worked".to_owned());
        assert!(text.starts_with("Cannot re-initialize CUDA in forked subprocess."), "{what}: {text}");
    }
    assert!(!latten::cuda::is_available());
    let compiled = latten::cuda::inspect::nvrtc_version().map(drop).map_err(|error| error.to_string());
    assert!(compiled.is_err_and(|text| text.starts_with("NVRTC can't be used in a forked process")));
    let kernels = warm.wait().map_err(|error| error.to_string());
    assert!(kernels.is_err_and(|text| text.contains("isn't in this process")));
    drop((far, pinned, stream, event));
    // The host goes on.
    let sum = apply(Op::Add, &[(&tensor()?).into(), Scalar::from(1.0).into()], &Params::none())?;
    assert_eq!(sum.scalars()?, [Scalar::Float(2.0); 100]);
    Ok(())
}

#[test]
fn has_children() -> Result<()> {
    if env::var_os(ASKED).is_none() {
        return Ok(());
    }
    let mut own = Some(things()?);
    let over = AtomicBool::new(false);
    let failures = std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let device = Device::parse("cuda").expect("a device");
                while !over.load(Ordering::Relaxed) {
                    let far = pin().and_then(|near| near.to_device(device)).expect("the parent goes on");
                    apply(Op::Add, &[(&far).into(), (&far).into()], &Params::none()).expect("the parent goes on");
                }
            });
        }
        let ends = |number: usize| number.is_multiple_of(2);
        let one = |number: usize, own: &mut Option<Things>| {
            child(|| {
                use_everything(own)?;
                // What the C library calls when a process ends must not wait either.
                if ends(number) { exit(0) } else { Ok(()) }
            })
        };
        let failures: Vec<String> =
            (0..20).filter_map(|number| one(number, &mut own).err().map(|what| format!("child {number}: {what}"))).collect();
        over.store(true, Ordering::Relaxed);
        failures
    });
    assert!(failures.is_empty(), "{} of 20:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(own.expect("the parent's").far.scalars()?, [Scalar::Float(1.0); 100]);
    Ok(())
}

#[test]
fn children_get_errors_and_end() {
    if !is_here() {
        passes("forks::has_children", &[(ASKED, "1"), ("LATTEN_CUDA_CACHE", ""), ("LATTEN_CUDA_WARM", "1000")]);
    }
}

#[test]
fn ends_while_it_compiles() -> Result<()> {
    if env::var_os(ASKED).is_some() {
        let _warm = things()?;
        // By now the other thread is at its first kernel.
        std::thread::sleep(Duration::from_millis(100));
        exit(7);
    }
    Ok(())
}

/// The stand-in ends a process by a signal whose compiler is shut down at work.
#[test]
fn a_process_that_ends_waits_for_the_compiler() {
    if is_here() {
        return;
    }
    let Some(mut command) = command("forks::ends_while_it_compiles") else { return };
    let start = Instant::now();
    let output = command.env(ASKED, "1").env("LATTEN_CUDA_CACHE", "").output().expect("tests can start themselves");
    let took = start.elapsed();
    assert_eq!(output.status.code(), Some(7), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(took < Duration::from_secs(60), "{took:?}");
}
