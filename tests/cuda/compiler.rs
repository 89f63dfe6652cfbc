//! The compiler of CUDA itself, without a GPU: whether every kernel is its language, and whether its last step takes an eighth of them for each
//! of two kinds of GPUs (`LATTEN_EVERY_KERNEL=1`: all). Where it isn't installed a line says so; with `REQUIRE_NVRTC=1` it is installed below
//! `target`, by Python's pip, and what fails then is a failure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use latten::cuda::inspect::{Asked, Kernels, compile, nvrtc_version};
use latten::{DType, Op, Result};

const PACKAGE: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Set in the process that compiles.
const HERE: &str = "LATTEN_TEST_NVRTC";

/// The folder with libnvrtc, where pip puts it.
fn library(environment: &Path) -> Option<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let packages = entries(&environment.join("lib")).into_iter().map(|python| python.join("site-packages/nvidia"));
    let libraries = packages.flat_map(|packages| entries(&packages)).map(|package| package.join("lib"));
    let has = |folder: &PathBuf| entries(folder).iter().any(|file| file.to_string_lossy().contains("libnvrtc.so"));
    libraries.into_iter().find(has)
}

fn installed() -> Result<PathBuf, String> {
    let environment = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nvrtc");
    if let Some(library) = library(&environment) {
        return Ok(library);
    }
    if env::var_os("REQUIRE_NVRTC").is_none() {
        return Err(format!("REQUIRE_NVRTC=1 installs {PACKAGE} below target, LATTEN_NVRTC may name the folder of another one"));
    }
    let run = |command: &mut Command| -> Result<(), String> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))) }
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    run(Command::new(environment.join("bin/python")).args(["-m", "pip", "install", "--quiet", PACKAGE]))?;
    library(&environment).ok_or_else(|| format!("{PACKAGE} has no libnvrtc.so"))
}

/// Where NVRTC is; `None` where it isn't, which was said then.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(|| env::var_os("LATTEN_NVRTC").map(PathBuf::from).map_or_else(installed, Ok)) {
        Ok(folder) => Some(folder),
        Err(why) => {
            assert!(env::var_os("REQUIRE_NVRTC").is_none(), "REQUIRE_NVRTC is set, but NVRTC can't be installed: {why}");
            println!("not run: NVRTC isn't installed ({why})");
            None
        }
    }
}

/// Compiles in a process of its own: NVRTC compiles one text at a time, and has to be found when the process starts.
fn compiles(test: &str, capability: (u32, u32), asked: Asked, part: usize, of: usize) -> Result<()> {
    if env::var_os(HERE).is_some() {
        return compile_some(capability, asked, part, of);
    }
    compiles_with(test, &[])
}

/// The same, with more environment variables.
fn compiles_with(test: &str, variables: &[(&str, &str)]) -> Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    let mut command = Command::new(env::current_exe().expect("tests have a program"));
    command.args([test, "--nocapture"]).env("LATTEN_NVRTC", folder).env(HERE, "1").envs(variables.iter().copied());
    let output = command.output().expect("tests can start themselves");
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("NVRTC ("), "{test}: {}\n{out}\n{error}", output.status);
    out.lines().filter(|line| line.contains("NVRTC (")).for_each(|line| println!("{line}"));
    Ok(())
}

/// One part of all texts, of so many.
fn compile_some(capability: (u32, u32), asked: Asked, part: usize, of: usize) -> Result<()> {
    let (mut number, mut count, mut bytes) = (0, 0, 0);
    let mut compile = |kernels: Kernels| -> Result<()> {
        number += 1;
        if number % of == part {
            count += 3 * kernels.len();
            bytes += kernels.compile(capability, asked)?;
        }
        Ok(())
    };
    for &op in Op::ALL {
        compile(Kernels::of(op)?)?;
    }
    compile(Kernels::pairs(Op::Add)?)?;
    for &from in DType::ALL.iter().filter(|dtype| !dtype.is_quantized()) {
        compile(Kernels::casts(from)?)?;
        if from.is_computing() {
            compile(Kernels::folds(from)?)?;
            compile(Kernels::rows(from)?)?;
        }
        if from.is_computing() && from != DType::Bool {
            compile(Kernels::products(from)?)?;
            compile(Kernels::meets(from)?)?;
        }
    }
    compile(Kernels::fills()?)?;
    compile(Kernels::places()?)?;
    println!("NVRTC {:?} compiled {count} kernels for sm_{}{}: {bytes} bytes", nvrtc_version()?, capability.0, capability.1);
    Ok(())
}

// Two tests, since each is a processor's work for half a minute.
#[test]
fn every_second_kernel_is_cuda() -> Result<()> {
    compiles("compiler::every_second_kernel_is_cuda", (8, 0), Asked::Language, 0, 2)
}

#[test]
fn every_other_kernel_is_cuda() -> Result<()> {
    compiles("compiler::every_other_kernel_is_cuda", (8, 0), Asked::Language, 1, 2)
}

/// The last step is given what the ones before it have made, which is the same for all GPUs, and takes most of the time.
fn some() -> usize {
    if env::var_os("LATTEN_EVERY_KERNEL").is_some() { 1 } else { 8 }
}

#[test]
fn kernels_compile_for_sm_80() -> Result<()> {
    compiles("compiler::kernels_compile_for_sm_80", (8, 0), Asked::Whole, some() / 2, some())
}

#[test]
fn kernels_compile_for_sm_90() -> Result<()> {
    compiles("compiler::kernels_compile_for_sm_90", (9, 0), Asked::Whole, 0, some())
}

/// The folder with the texts, in the process that compiles them.
const TEXTS: &str = "LATTEN_TEST_TEXTS";

#[test]
fn expressions_and_users_kernels_compile_for_both() -> Result<()> {
    if let Some(folder) = env::var_os(TEXTS) {
        let (mut count, mut bytes) = (0, 0);
        for file in fs::read_dir(folder).expect("it was made").flatten() {
            let text = fs::read_to_string(file.path()).expect("a text");
            for capability in [(8, 0), (9, 0)] {
                bytes += compile(&text, capability, Asked::Whole)?;
                count += 1;
            }
        }
        println!("NVRTC {:?} compiled {count} kernels of expressions and users for sm_80 and sm_90: {bytes} bytes", nvrtc_version()?);
        return Ok(());
    }
    let texts = crate::expressions::texts("");
    if texts.is_empty() {
        return Ok(());
    }
    let fused = texts.iter().filter(|text| text.contains("KERNELS(fused_")).count();
    let own = texts.iter().filter(|text| text.contains("namespace own_")).count();
    assert!(fused >= 15 && own >= 8, "{fused} texts of expressions, {own} of users' operations");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled-texts-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("target is writable");
    for (i, text) in texts.iter().enumerate() {
        fs::write(folder.join(format!("{i}.cu")), text).expect("target is writable");
    }
    let named = folder.display().to_string();
    let compiled = compiles_with("compiler::expressions_and_users_kernels_compile_for_both", &[(TEXTS, &named)]);
    let _ = fs::remove_dir_all(folder);
    compiled
}
