//! The stand-in for libcuda, libnvrtc and libcublas: built from `standin/`, and used by processes that start this test program again.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda/standin");

/// Kernels for the CPU are compiled quickly, keep products and sums apart, and stop at misaligned vectors.
const FLAGS: &str = "-Og -ffp-contract=off -fsanitize=alignment -fsanitize-undefined-trap-on-error";

/// The folder with the libraries, or why there is none.
pub(crate) fn folder() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOLDER.get_or_init(build).as_deref().map_err(Clone::clone)
}

fn build() -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("standin");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let gxx = |arguments: &[&str]| -> Result<(), String> {
        let output = Command::new("g++").args(arguments).output().map_err(|error| format!("g++ can't be started: {error}"))?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    };
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(|error| error.to_string());
    write("prelude.cuh", latten::cuda::inspect::prelude())?;
    let texts = format!("-I{}", folder.display());
    for (source, library) in [("driver.cpp", "libcuda.so"), ("nvrtc.cpp", "libnvrtc.so"), ("cublas.cpp", "libcublas.so")] {
        let (source, library) = (format!("{SOURCES}/{source}"), folder.join(library).display().to_string());
        gxx(&["-std=c++17", "-O1", "-Wall", "-Wno-unknown-pragmas", "-shared", "-fPIC", &texts, "-o", &library, &source, "-ldl"])?;
    }
    // Headers that g++ has read before save most of the time of small kernels: one is what all texts begin with, too.
    let text = fs::read_to_string(format!("{SOURCES}/emulation.h")).map_err(|error| error.to_string())?;
    if fs::read_to_string(folder.join("emulation.h")).is_ok_and(|old| old != text) {
        // What was compiled with another header is no kernel of this one's.
        let _ = fs::remove_dir_all(folder.join("cache"));
    }
    let begun = format!("{text}{}", latten::cuda::inspect::prelude());
    for (name, text) in [("emulation.h", &text), ("begun.h", &begun)] {
        write(name, text)?;
        let (header, compiled) = (folder.join(name).display().to_string(), folder.join(format!("{name}.gch")).display().to_string());
        // It isn't a program's main file.
        let flags = FLAGS.split(' ').chain(["-std=c++17", "-fPIC", "-w", "-x", "c++-header", &header, "-o", &compiled]);
        gxx(&flags.collect::<Vec<_>>())?;
    }
    Ok(folder)
}

/// Runs tests of this program on the stand-in, with more environment variables. `None` where there is no g++, which was said then.
pub(crate) fn run(filter: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let mut command = command(filter)?;
    Some(command.envs(variables.iter().copied()).output().expect("tests can start themselves"))
}

/// What starts tests of this program on the stand-in.
pub(crate) fn command(filter: &str) -> Option<Command> {
    let folder = match folder() {
        Ok(folder) => folder,
        Err(why) => {
            assert!(env::var_os("REQUIRE_STANDIN").is_none(), "REQUIRE_STANDIN is set, but the stand-in can't be built: {why}");
            println!("not run: the stand-in for CUDA needs g++ ({why})");
            return None;
        }
    };
    let mut command = Command::new(env::current_exe().expect("tests have a program"));
    command.args([filter, "--nocapture"]);
    // Another compiler, of a virtual environment, say, would be found first.
    command.env("LATTEN_NVRTC", folder).env("LD_LIBRARY_PATH", folder).env("STANDIN_FOLDER", folder).env("STANDIN_CXXFLAGS", FLAGS);
    command.env("LATTEN_TEST_STANDIN", "1").env("LATTEN_CUDA_CACHE", folder.join("cache")).env("LATTEN_CUDA_WARM", "0");
    // Products are latten's own unless a test asks for the stand-in of cuBLAS.
    command.env("LATTEN_CUBLAS", "");
    Some(command)
}

/// Runs tests on the stand-in that must pass.
pub(crate) fn passes(filter: &str, variables: &[(&str, &str)]) {
    let Some(output) = run(filter, variables) else { return };
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{filter} on the stand-in with {variables:?}: {}\n{out}\n{error}", output.status);
    assert!(!out.contains("running 0 tests"), "no test is called {filter}");
}

/// Whether this process is one that runs on the stand-in.
pub(crate) fn is_here() -> bool {
    env::var_os("LATTEN_TEST_STANDIN").is_some()
}
