//! What several streams do with the same memory. On the stand-in work is done late and in an order that nobody hopes for, so that a wait
//! that is missing shows; `planted` proves that.

use latten::OfOptions as _;
use latten::cuda::{Event, Stream};
use latten::elementwise::{Params, apply, apply_in_place};
use latten::tensor::DynTensor;
use latten::{DType, Device, Op, RawTensor, Result, Scalar};

use crate::stand_in::{is_here, passes, run};

const COUNT: usize = 3000;

fn ready() -> bool {
    latten::cuda::is_available()
}

fn cuda() -> Result<Device> {
    "cuda:0".parse()
}

fn of(number: i32) -> Result<RawTensor> {
    RawTensor::from_vec(vec![number; COUNT], &[COUNT])?.to_device(cuda()?)
}

fn plus(tensor: &RawTensor, number: i64) -> Result<RawTensor> {
    apply(Op::Add, &[tensor.into(), number.into()], &Params::none())
}

fn is_all(tensor: &RawTensor, number: i64) -> Result<()> {
    let wrong = tensor.scalars()?.into_iter().enumerate().find(|(_, found)| *found != Scalar::Int(number));
    assert_eq!(wrong, None, "all should be {number}");
    Ok(())
}

#[test]
fn what_one_writes_another_reads() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let (first, second) = (Stream::new(cuda()?)?, Stream::new(cuda()?)?);
    let mut x = of(1)?;
    for turn in 0..5 {
        x = first.scope(|| plus(&x, 1))?;
        x = second.scope(|| plus(&x, 1))?;
        x = plus(&x, 1)?;
        if turn == 2 {
            is_all(&x, 10)?;
        }
    }
    is_all(&x, 16)
}

#[test]
fn nobody_writes_what_is_still_read() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let stream = Stream::new(cuda()?)?;
    let x = of(1)?;
    for turn in 1..6 {
        let read = stream.scope(|| plus(&x, 10))?;
        // On the default stream, while the other one reads.
        apply_in_place(Op::Add, &x, &[1.into()], &Params::none())?;
        is_all(&read, 10 + turn)?;
        is_all(&x, turn + 1)?;
    }
    // Two readers, then a writer on a third stream.
    let (second, third) = (Stream::new(cuda()?)?, Stream::new(cuda()?)?);
    let (a, b) = (stream.scope(|| plus(&x, 1))?, second.scope(|| plus(&x, 2))?);
    third.scope(|| x.fill_(100))?;
    is_all(&b, 8)?;
    is_all(&a, 7)?;
    is_all(&x, 100)
}

#[test]
fn memory_is_freed_behind_all_that_use_it() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let stream = Stream::new(cuda()?)?;
    for turn in 0..5 {
        let x = of(turn)?;
        let y = stream.scope(|| plus(&x, 1))?;
        // Its memory belongs to the default stream, and the other one reads it still.
        drop(x);
        let other = of(77)?;
        // What a stream made outlives it.
        let own = Stream::new(cuda()?)?;
        let z = own.scope(|| plus(&y, 1))?;
        drop((own, y));
        is_all(&z, i64::from(turn) + 2)?;
        is_all(&other, 77)?;
    }
    Ok(())
}

#[test]
fn pinned_memory_is_left_alone_while_a_device_uses_it() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let stream = Stream::new(cuda()?)?;
    for _ in 0..3 {
        let mut host = DynTensor::arange(1000, DType::I64)?.pin_memory()?;
        let there = stream.scope(|| host.to_device_non_blocking("cuda"))?;
        // The copy may not have begun.
        host.fill_(5)?;
        assert_eq!(there.raw().element(&[999])?, Scalar::Int(999));
        // Read as soon as it is asked for.
        host.copy_non_blocking_(&there)?;
        assert_eq!(host.raw().element(&[998])?, Scalar::Int(998));
        let back = stream.scope(|| there.to_device_non_blocking("cpu"))?;
        drop(there);
        assert_eq!(back.raw().element(&[997])?, Scalar::Int(997));
        // Freed while it is on its way.
        let again = stream.scope(|| back.to_device_non_blocking("cuda"))?;
        drop(back);
        assert_eq!(again.raw().element(&[996])?, Scalar::Int(996));
    }
    Ok(())
}

#[test]
fn events_say_how_far_a_stream_is() -> Result<()> {
    if !ready() {
        return Ok(());
    }
    let (first, second) = (Stream::new(cuda()?)?, Stream::new(cuda()?)?);
    let (start, x) = first.scope(|| Ok::<_, latten::Error>((Event::record(cuda()?)?, plus(&of(1)?, 1)?)))?;
    let end = first.record()?;
    second.wait(&end)?;
    let behind = second.record()?;
    while !behind.is_done()? {
        std::thread::yield_now();
    }
    assert!(start.is_done()? && end.is_done()?, "what an event waits for is before it");
    assert!(start.milliseconds_to(&end)? >= 0.0);
    first.synchronize()?;
    latten::cuda::synchronize(cuda()?)?;
    is_all(&x, 2)
}

#[test]
fn orders_that_nobody_hopes_for() {
    if is_here() {
        return;
    }
    for order in ["lazy", "eager", "shuffle"] {
        passes("streams::", &[("STANDIN_STREAMS", order)]);
    }
}

#[test]
fn planted() {
    if is_here() {
        return;
    }
    for (wait, tests) in [
        ("cuStreamWaitEvent", &["what_one_writes", "nobody_writes", "memory_is_freed"][..]),
        ("cuEventSynchronize", &["pinned_memory"]),
        ("cuStreamSynchronize", &["what_one_writes"]),
    ] {
        for test in tests {
            let found = ["lazy", "eager", "shuffle"].iter().any(|order| {
                let output = run(&format!("streams::{test}"), &[("STANDIN_STREAMS", order), ("STANDIN_FORGET", wait)]);
                output.is_none_or(|output| !output.status.success())
            });
            assert!(found, "{test} doesn't see that {wait} does nothing");
        }
    }
}
