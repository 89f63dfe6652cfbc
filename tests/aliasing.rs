//! Tensors that share memory: what one thread's operations make of overlap, and threads that write and read one storage at once.
//! `cargo xtask sanitize thread` runs this under ThreadSanitizer.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use latten::prelude::*;
use latten::storage::{TypedStorage, UntypedStorage};
use latten::{ErrorKind, Result, cat_out};
use latten::{args, call};

const THREADS: usize = 8;
/// Rounds of each thread: few where a tool makes everything slow.
const ROUNDS: usize = if cfg!(miri) { 3 } else { 60 };
/// Elements for which an operation uses several threads of its own.
const LARGE: usize = 100_000;

fn matrix() -> DynTensor {
    Tensor::<i64>::from_vec((1..=4).collect(), [2, 2]).expect("four numbers").erase()
}

fn line(numbers: std::ops::Range<i64>) -> DynTensor {
    let numbers: Vec<i64> = numbers.collect();
    Tensor::<i64>::from_slice(&numbers, &[numbers.len()][..]).expect("a line").erase()
}

fn list(x: &DynTensor) -> Vec<i64> {
    x.to_vec_of().expect("integers")
}

/// Operations whose output overlaps an input give what they would give if the input had been copied first.
#[test]
fn overlap_as_if_inputs_were_read_first() -> Result<()> {
    let mut b = matrix();
    b.sub_(&b.narrow(1, 0, 1)?)?;
    assert_eq!(list(&b), [0, 1, 0, 1], "PyTorch 2.15 has [0, 2, 0, 4]");
    let mut b = matrix();
    b.add_(b.t().clone())?;
    let c = matrix();
    c.i(i![.., 0]).copy_(&c.i(i![1, ..]))?;
    let d = line(0..6);
    d.i(i![1..]).i(i![..;2]).copy_(&d.i(i![..3]))?;
    let mut e = line(0..6);
    e.copy_(&e.flip([0])?)?;
    let f = line(0..6);
    let windows = f.unfold(0, 2, 2)?;
    f.view([3, 2])?.mul_(&windows)?;
    let h = matrix();
    h.t().add_(&h.i(i![0, ..]).expand([2, 2])?)?;
    let table = [
        ("b += b.t().clone()", list(&b), vec![2, 5, 5, 8]),
        ("c[:, 0] = c[1, :]", list(&c), vec![3, 2, 4, 4]),
        ("d[1::2] = d[:3]", list(&d), vec![0, 0, 2, 1, 4, 2]),
        ("e = flipped", list(&e), vec![5, 4, 3, 2, 1, 0]),
        ("f *= windows of f", list(&f), vec![0, 1, 4, 9, 16, 25]),
        ("h.t() += h[0]", list(&h), vec![2, 3, 5, 6]),
    ];
    for (what, got, expected) in table {
        assert_eq!(got, expected, "{what}");
    }
    f.i(i![0]).fill_(7)?;
    assert_eq!((list(&f)[0], list(&windows)[0]), (7, 7), "views write through");
    Ok(())
}

/// What PyTorch refuses is refused, and nothing changes.
#[test]
fn refused_overlap() -> Result<()> {
    let repeated = "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please \
                    clone() the tensor before performing the operation.";
    let partial = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory \
                   location. Please clone() the tensor before performing the operation.";
    let x = line(0..6);
    let (mut head, mut tail, mut spread) = (x.i(i![..4]), x.i(i![2..]), x.i(i![..1]).expand([3])?);
    let mut square = matrix();
    let answers = [
        ("head += tail", head.add_(tail.alias()).map(drop), partial),
        ("tail = head", tail.copy_(&head).map(drop), partial),
        ("exp(head, out=tail)", tail.to_dtype(DType::I64)?.alias().copy_(&head).map(drop), partial),
        ("square += square[0, 0]", square.add_(square.i(i![0, 0])).map(drop), partial),
        ("square += square.t()", square.add_(square.t()).map(drop), partial),
        ("spread += 1", spread.add_(1).map(drop), repeated),
        ("spread = 3 numbers", spread.copy_(&line(0..3)).map(drop), repeated),
        ("maximum(.., out=spread)", line(0..3).maximum_out(1, &mut spread).map(drop), repeated),
        // Of another size than the result: it is looked at before it is resized.
        (
            "index_select(.., out=spread)",
            call("index_select", args![&line(0..6), 0, &line(0..2), out = &mut spread.alias().erase()]).map(drop),
            repeated,
        ),
        ("cat(head, tail, out=x)", cat_out(&[&head.erase(), &tail.erase()], 0, &mut x.alias()).map(drop), partial),
    ];
    for (what, answer, text) in answers {
        let error = answer.expect_err(what);
        assert_eq!((error.kind(), error.message()), (ErrorKind::Runtime, text), "{what}");
    }
    assert_eq!((list(&x), list(&square)), ((0..6).collect(), vec![1, 2, 3, 4]), "a refusal changed elements");
    Ok(())
}

/// Tensors over slices of one storage share memory too, at any byte. PyTorch takes them for unrelated, and computes garbage.
#[test]
fn slices_of_a_storage_overlap() -> Result<()> {
    let whole = TypedStorage::from_slice(&[1_i64, 2, 3, 4, 5, 6])?;
    let over = |bytes: std::ops::Range<i64>, dtype| -> Result<DynTensor> {
        let mut tensor = DynTensor::empty([0], dtype)?;
        tensor.set_(&whole.untyped().slice(bytes)?)?;
        Ok(tensor)
    };
    let (mut low, mut high) = (over(0..32, DType::I64)?, over(8..40, DType::I64)?);
    high.add_(&low)?;
    assert_eq!(whole.tolist()?, [1, 3, 5, 7, 9, 6]);
    low.copy_(&high)?;
    assert_eq!(whole.tolist()?, [3, 5, 7, 9, 9, 6]);
    // Between two elements.
    let bytes: Vec<u8> = (0..12).collect();
    let storage = UntypedStorage::from_bytes(&bytes)?;
    let mut odd = [0, 3].map(|start| {
        let mut tensor = Tensor::<i16>::empty([0]).expect("nothing");
        tensor.set_(&storage.slice(start..start + 8).expect("on the host")).expect("eight bytes");
        tensor
    });
    let expected: Vec<i16> = odd[0].to_vec().iter().zip(odd[1].to_vec()).map(|(low, high)| low.wrapping_add(high)).collect();
    let [low, high] = &mut odd;
    high.add_(&*low)?;
    assert_eq!(high.to_vec(), expected);
    assert_eq!(storage.tolist()?[..3], [0, 1, 2]);
    assert_eq!(storage.tolist()?[11], 11);
    Ok(())
}

/// An expression is computed, and then put into its output, however they overlap.
#[test]
fn fused_expressions_over_shifted_slices() -> Result<()> {
    let numbers = || Tensor::<f32>::from_vec((1..=8).map(|number| number as f32).collect(), [8]);
    for start in 0..3 {
        let (x, y) = (numbers()?, numbers()?);
        let (l, r, mut m) = (x.i(i![0..6]), x.i(i![1..7]), x.i(i![start..start + 6]));
        fuse!(m = l * r);
        let product = &y.i(i![0..6]) * &y.i(i![1..7]);
        y.i(i![start..start + 6]).copy_(&product)?;
        assert_eq!(x.to_vec(), y.to_vec(), "at {start}");
        let (l, mut m) = (x.i(i![0..6]), x.i(i![start..start + 6]));
        fuse!(m = exp(l) + 1.0);
        let sum = y.i(i![0..6]).exp() + 1.0;
        y.i(i![start..start + 6]).copy_(&sum)?;
        assert_eq!(x.to_vec(), y.to_vec(), "at {start}");
    }
    Ok(())
}

/// Threads that make room in one storage at once: each has its own at the end.
#[test]
fn room_for_many_threads() -> Result<()> {
    for _ in 0..if cfg!(miri) { 2 } else { 300 } {
        let storage = UntypedStorage::new(0, Device::CPU)?;
        together(4, |thread| {
            let mut tensor = Tensor::<u8>::empty([0]).expect("nothing").erase();
            tensor.set_((&storage, 0, [1000 * (4 - thread as isize)])).expect("room");
        });
        assert_eq!(storage.nbytes(), 4000);
    }
    Ok(())
}

/// Runs so many threads at once, and fails if they don't come to an end.
fn together(threads: usize, work: impl Fn(usize) + Sync) {
    let start = Instant::now();
    let barrier = Barrier::new(threads);
    let (ended, is_over) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (barrier, work, ended) = (&barrier, &work, ended.clone());
            scope.spawn(move || {
                barrier.wait();
                work(thread);
                drop(ended);
            });
        }
        drop(ended);
        // Threads that wait for each other would make this test hang: it ends the process instead.
        scope.spawn(move || {
            if is_over.recv_timeout(Duration::from_secs(300)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                eprintln!("deadlock: {threads} threads still run after {:?}", start.elapsed());
                std::process::exit(101);
            }
        });
    });
}

/// A number of eight equal bytes, so that a torn write would show.
fn pattern(thread: usize, round: usize) -> i64 {
    i64::from_ne_bytes([(1 + (thread * 31 + round) % 255) as u8; 8])
}

fn is_pattern(number: i64) -> bool {
    let bytes = number.to_ne_bytes();
    bytes.iter().all(|byte| *byte == bytes[0])
}

/// Eight views of 64 × 64 numbers that overlap in every way.
fn views(x: &DynTensor) -> Vec<DynTensor> {
    let views = [
        Ok(x.alias()),
        x.try_i(i![..;2]),
        x.narrow(1, 16, 32),
        x.try_t(),
        x.try_diagonal(),
        x.try_i(i![8..56, 8..56;3]),
        x.select(1, 33),
        x.view([4096]).and_then(|x| x.erase().try_i(i![5..;7])),
    ];
    views.into_iter().map(|view| view.expect("a view").erase()).collect()
}

/// Every element is one that some thread wrote, whole.
#[test]
fn eight_threads_write_and_read_overlapping_views() -> Result<()> {
    let x = DynTensor::zeros([64, 64], DType::I64)?;
    let views = views(&x);
    together(THREADS, |thread| {
        for round in 0..ROUNDS {
            let (mut mine, other) = (views[thread].alias(), &views[(thread + round) % THREADS]);
            let value = pattern(thread, round);
            match round % 4 {
                0 => mine.fill_(value).map(drop),
                1 => DynTensor::full(mine.sizes(), value, DType::I64).and_then(|source| mine.copy_(&source).map(drop)),
                2 => mine.bitwise_or_(value).map(drop),
                _ => mine.maximum_(value).map(drop),
            }
            .expect("a write");
            for number in list(other).into_iter().chain(list(&views[thread])) {
                assert!(is_pattern(number), "nobody wrote {number:#x}");
            }
        }
    });
    assert!(list(&x).into_iter().all(is_pattern));
    Ok(())
}

/// Operations are atomic: additions from eight threads to overlapping views are all there in the end, also where an operation uses
/// threads of its own.
#[test]
fn no_addition_is_lost() -> Result<()> {
    let small = DynTensor::zeros([64, 64], DType::I64)?;
    let views = views(&small);
    let mut expected = vec![0; 4096];
    for view in &views {
        let ones = DynTensor::zeros([64, 64], DType::I64)?;
        let mut over_ones = view.alias();
        over_ones.set_((ones.untyped_storage(), view.storage_offset() as isize, view.sizes(), view.strides()))?;
        over_ones.fill_(ROUNDS as i64)?;
        expected.iter_mut().zip(list(&ones)).for_each(|(sum, one)| *sum += one);
    }
    let large = DynTensor::zeros([LARGE], DType::I32)?;
    together(THREADS, |thread| {
        let (mut small, mut large, one) = (views[thread].alias(), large.alias(), DynTensor::ones([1], DType::I64).expect("one"));
        for round in 0..ROUNDS {
            if round % 2 == 0 { small.add_(1) } else { small.add_(&one) }.expect("an addition");
            if round < ROUNDS / 6 {
                large.i(i![thread as isize..]).add_(1).expect("an addition");
                large.add_(0).expect("an addition");
            }
        }
    });
    assert_eq!(list(&small), expected);
    let all = large.to_vec_of::<i32>()?;
    assert!(all[THREADS..].iter().all(|&sum| sum as usize == THREADS * (ROUNDS / 6)), "{:?}", &all[..20]);
    assert!((0..THREADS).all(|at| all[at] as usize == (at + 1) * (ROUNDS / 6)), "{:?}", &all[..20]);
    Ok(())
}

/// `a = op(b, a)` in all orders of three tensors: threads wait for each other's storages, but never in a circle.
#[test]
fn crossing_operations_end() -> Result<()> {
    let tensors: Vec<DynTensor> =
        (0..3).map(|i| DynTensor::full([1000 + LARGE * (i / 2)], pattern(i, 0), DType::I64)).collect::<Result<_>>()?;
    let start = Instant::now();
    together(THREADS, |thread| {
        for round in 0..ROUNDS {
            let at = |i: usize| tensors[(thread + i * (1 + round % 2)) % 3].i(i![..1000]);
            let (mut a, b, mut c) = (at(0), at(1), at(2));
            match round % 5 {
                0 => a.maximum_(&b).map(drop),
                1 => b.maximum_out(a.alias(), &mut a).map(drop),
                2 => b.minimum_out(c.alias(), &mut a).map(drop),
                3 => c.copy_(&b).map(drop),
                _ => cat_out(&[&b.i(i![..500]).erase(), &c.i(i![500..]).erase()], 0, &mut a).map(drop),
            }
            .expect("no wait goes against the order");
            let (big, small) = (tensors[2].alias(), tensors[round % 2].i(i![..1]));
            if round % 10 == thread {
                big.alias().maximum_(&small).expect("an operation with threads of its own");
            }
        }
    });
    for number in tensors.iter().flat_map(list) {
        assert!(is_pattern(number), "nobody wrote {number:#x}");
    }
    assert!(start.elapsed() < Duration::from_secs(250));
    Ok(())
}

/// Programs with a rayon pool of their own may use tensors in it: no thread that keeps a storage takes up other work of the pool.
#[test]
fn operations_inside_a_pool_of_the_user() -> Result<()> {
    use rayon::prelude::*;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    let tensors: Vec<DynTensor> = (0..2).map(|_| DynTensor::zeros([LARGE], DType::I32)).collect::<Result<_>>()?;
    let count = if cfg!(miri) { 4 } else { 100 };
    let work = |round: usize| {
        let (mut mine, other) = (tensors[round % 2].alias(), &tensors[1 - round % 2]);
        mine.add_(1).and_then(|mine| mine.maximum_(other).map(drop)).expect("an operation in the pool");
    };
    // One thread outside of the pool, and all of both pools.
    together(3, |thread| match thread {
        0 => (0..count).for_each(work),
        1 => pool.install(|| (0..count).into_par_iter().for_each(work)),
        _ => (0..count).into_par_iter().for_each(work),
    });
    let last = tensors[0].to_vec_of::<i32>()?;
    assert!(last.iter().all(|&number| number == last[0] && number as usize >= count), "{}", last[0]);
    Ok(())
}

/// Slices, resizing and moving to shared memory among operations: each waits for the others.
#[test]
fn slices_resizing_and_sharing_among_threads() -> Result<()> {
    let x = Tensor::<i64>::zeros([1000])?;
    let y = Tensor::<i64>::zeros([1000])?;
    together(THREADS, |thread| {
        let (mut x, y) = (x.alias(), y.alias());
        for round in 0..ROUNDS {
            match thread {
                0 | 1 => x.slice_mut().expect("a slice").iter_mut().for_each(|number| *number += 1),
                2 | 3 => drop(x.add_(1).expect("an addition")),
                4 => {
                    let slice = x.slice().expect("a slice");
                    assert!(slice.windows(2).all(|two| two[0] == two[1]), "half of an operation");
                }
                5 => {
                    y.untyped_storage().resize_(8 * [1000, 10, 100_000][round % 3]).expect("it can be resized");
                }
                6 if round == ROUNDS / 2 => {
                    let mut other = Tensor::<i64>::zeros([1000]).expect("zeros");
                    other.share_memory_().expect("shared memory");
                }
                _ => match y.try_to_vec() {
                    Ok(numbers) => assert_eq!(numbers.len(), 1000),
                    Err(error) => {
                        assert_eq!(error.message(), "the tensor reads 8000 bytes of a storage that has been resized to 80");
                    }
                },
            }
        }
    });
    assert_eq!(x.to_vec(), vec![4 * ROUNDS as i64; 1000]);
    Ok(())
}

/// Tensors keep their elements while another thread moves their storage into shared memory.
#[cfg(unix)]
#[test]
fn sharing_while_others_add() -> Result<()> {
    let x = Tensor::<i64>::zeros([5000])?;
    together(THREADS, |thread| {
        let mut x = x.alias();
        for round in 0..ROUNDS {
            if thread == 0 && round == ROUNDS / 3 {
                x.share_memory_().expect("shared memory");
            }
            x.add_(1).expect("an addition");
        }
    });
    assert!(x.is_shared());
    assert_eq!(x.to_vec(), vec![(THREADS * ROUNDS) as i64; 5000]);
    Ok(())
}

/// Each tensor has room for what it was resized to, whoever else makes room in the same storage at that moment: it only ever grows.
#[test]
fn tensors_grow_together() -> Result<()> {
    for round in 0..ROUNDS {
        let x = Tensor::<i64>::zeros([1])?.erase();
        together(THREADS, |thread| {
            let mut x = x.alias();
            for step in 1..20 {
                let count = 1 + (thread * 7 + step * 13 + round) % 300;
                x.resize_([count]).expect("room");
                assert_eq!(x.to_scalars().map(|numbers| numbers.len()), Ok(count), "thread {thread}, step {step}");
            }
        });
    }
    Ok(())
}
