//! Kernels that are compiled in the background when one was missing: to disk, that many, as long as the process lasts, and never an error.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use latten::cuda::inspect::{counts, warmed};
use latten::elementwise::{Params, RawOperand, apply};
use latten::{Op, RawTensor, Result, Scalar};

use crate::stand_in::{is_here, passes, run};

const EXPECTED: &str = "LATTEN_TEST_WARMED";

fn expected() -> Option<usize> {
    env::var(EXPECTED).ok()?.parse().ok()
}

fn add(other: RawOperand<'_>) -> Result<()> {
    let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)?;
    assert_eq!(apply(Op::Add, &[(&x).into(), other], &Params::none())?.scalars()?, [3.0, 4.0].map(Scalar::Float));
    Ok(())
}

fn tensor() -> Result<RawTensor> {
    RawTensor::from_vec(vec![2.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)
}

/// Needs one kernel, and waits for the others.
#[test]
fn misses_one() -> Result<()> {
    let Some(expected) = expected() else { return Ok(()) };
    add((&tensor()?).into())?;
    assert_eq!(warmed(), expected, "kernels compiled in the background");
    assert_eq!(counts(0)?, (1, 0), "what a call needs comes first, and the rest goes to disk only");
    Ok(())
}

#[test]
fn ends_at_once() -> Result<()> {
    if expected().is_some() { add((&tensor()?).into()) } else { Ok(()) }
}

/// Needs a kernel that another process has compiled in the background.
#[test]
fn finds_another() -> Result<()> {
    if expected().is_some() {
        add(2.0.into())?;
        assert_eq!(counts(0)?, (0, 1));
    }
    Ok(())
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("warm-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn files(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_family_of_a_kernel_follows_it() {
    if is_here() {
        return;
    }
    let folder = folder("family");
    let cache = folder.display().to_string();
    passes("warming::misses_one", &[("LATTEN_CUDA_CACHE", &cache), ("LATTEN_CUDA_WARM", "4"), (EXPECTED, "4")]);
    if !folder.exists() {
        return;
    }
    assert_eq!(files(&folder).len(), 5, "one and four more: {:?}", files(&folder));
    // By a process whose compiler fails.
    passes("warming::finds_another", &[("LATTEN_CUDA_CACHE", &cache), ("STANDIN_COMPILES", "0"), (EXPECTED, "0")]);
    fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn it_can_be_switched_off() {
    if is_here() {
        return;
    }
    let folder = folder("off");
    let cache = folder.display().to_string();
    passes("warming::misses_one", &[("LATTEN_CUDA_CACHE", &cache), ("LATTEN_CUDA_WARM", "0"), (EXPECTED, "0")]);
    assert!(files(&folder).len() <= 1, "{:?}", files(&folder));
    // Nowhere to put them.
    passes("warming::misses_one", &[("LATTEN_CUDA_CACHE", ""), ("LATTEN_CUDA_WARM", "4"), (EXPECTED, "0")]);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_failure_is_nobodys_business() {
    if is_here() {
        return;
    }
    let folder = folder("failing");
    let cache = folder.display().to_string();
    let variables = [("LATTEN_CUDA_CACHE", cache.as_str()), ("LATTEN_CUDA_WARM", "4"), ("STANDIN_COMPILES", "1"), (EXPECTED, "0")];
    let Some(output) = run("warming::misses_one", &variables) else { return };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !error.contains("panicked"), "{}\n{error}", output.status);
    assert_eq!(files(&folder).len(), 1);
    fs::remove_dir_all(folder).expect("it is there");
}

/// The process waits for the kernel that is being compiled, not for the hundreds after it, and leaves whole files only.
#[test]
fn a_process_ends_when_it_wants_to() {
    if is_here() {
        return;
    }
    let folder = folder("ending");
    let cache = folder.display().to_string();
    let start = Instant::now();
    passes("warming::ends_at_once", &[("LATTEN_CUDA_CACHE", &cache), ("LATTEN_CUDA_WARM", "1000"), (EXPECTED, "0")]);
    let took = start.elapsed();
    let found = files(&folder);
    assert!(found.len() < 20 && took < Duration::from_secs(60), "{} kernels in {took:?}", found.len());
    assert!(found.iter().all(|name| name.len() == 32 && !name.contains('.')), "{found:?}");
    let _ = fs::remove_dir_all(folder);
}
