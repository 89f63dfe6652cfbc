//! How long a user waits: for the first build of latten, and for each rebuild of a program that uses it. Both are taken in
//! a folder of their own, with nothing built before. A busy machine measures itself, so only `--strict` fails over a limit of seconds;
//! what seconds come from is the same on every machine, and fails always: how many crates there are, and how much is compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::command::{Outcome, cargo, root, run, shown};
use crate::user_program;

/// Seconds of the first release build.
const COLD_LIMIT: f64 = 60.0;
/// Crates in that build, latten's own among them.
const CRATES_LIMIT: f64 = 27.0;
/// Megabytes of latten's own libraries of that build: machine code, and what dependents read of them.
const SIZE_LIMIT: f64 = 71.9;
/// Seconds of a rebuild of the user's program.
const REBUILD_LIMIT: f64 = 1.0;

/// A folder that goes away with the value.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Measures and prints. Too many crates and too much code are a failure; with `strict` too many seconds, too.
///
/// # Errors
/// If something doesn't build, or over a limit.
pub fn build_time(strict: bool) -> Outcome {
    let scratch = Scratch(std::env::temp_dir().join(format!("latten-build-time-{}", std::process::id())));
    let (user, target) = (scratch.0.join("user"), scratch.0.join("target"));
    // Downloads are the network's time.
    run(&mut cargo("fetch --quiet --locked"))?;
    write_program(&user)?;
    // As the user builds it: built from here, it would be built once more for the user's program.
    let (seconds, crates) = build(cargo("build --release --package latten").current_dir(&user), &target)?;
    let size = size_of_libraries(&target.join("release").join("deps"))?;
    let rebuild = rebuild(&user, &target)?;
    let rows = [
        ("first release build, s", seconds, COLD_LIMIT, strict),
        ("crates compiled for it", crates, CRATES_LIMIT, true),
        ("latten's libraries of it, MB", size, SIZE_LIMIT, true),
        ("rebuild of a user's 500 lines, s", rebuild, REBUILD_LIMIT, strict),
    ];
    let mut over = Vec::new();
    for (what, value, limit, fails) in rows {
        let verdict = if value <= limit { "" } else { "  OVER" };
        println!("{what:<34}{value:>7.1}  (limit {limit}){verdict}");
        if value > limit && fails {
            over.push(what);
        }
    }
    if over.is_empty() { Ok(()) } else { Err(format!("over the limit: {}", over.join("; "))) }
}

/// How many megabytes our libraries in that folder have together. The macros are no library; what they need is in it.
fn size_of_libraries(folder: &Path) -> Outcome<f64> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{} can't be read: {error}", folder.display()))?;
    let libraries = entries.flatten().filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("liblatten") && name.ends_with(".rlib")
    });
    let bytes: u64 = libraries.map(|entry| entry.metadata().map_or(0, |data| data.len())).sum();
    Ok(f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0)
}

/// Writes a file of the user's program.
fn write(folder: &Path, path: &str, text: &str) -> Outcome {
    fs::write(folder.join(path), text).map_err(|error| format!("can't write {path}: {error}"))
}

/// Writes the user's program into a new folder.
fn write_program(folder: &Path) -> Outcome {
    fs::create_dir_all(folder.join("src")).map_err(|error| format!("can't make {}: {error}", folder.display()))?;
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|error| format!("can't read Cargo.lock: {error}"))?;
    // The same versions as here, so that nothing is downloaded.
    write(folder, "Cargo.lock", &lock)?;
    write(folder, "Cargo.toml", &manifest())?;
    write(folder, "src/main.rs", &user_program::source())
}

/// The best of three rebuilds of the user's program, its one file touched before each.
fn rebuild(folder: &Path, target: &Path) -> Outcome<f64> {
    let build = || build(cargo("build --release").current_dir(folder), target);
    build()?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        write(folder, "src/main.rs", &user_program::source())?;
        best = best.min(build()?.0);
    }
    Ok(best)
}

fn manifest() -> String {
    let package = "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    format!("{package}\n[dependencies]\nlatten = {{ path = {:?} }}\n\n[workspace]\n", root())
}

/// Builds into that folder; answers the seconds and how many crates were compiled.
fn build(command: &mut Command, target: &Path) -> Outcome<(f64, f64)> {
    command.env_remove("RUSTC_WRAPPER").env("CARGO_TERM_COLOR", "never").arg("--target-dir").arg(target);
    let start = Instant::now();
    let output = command.output().map_err(|error| format!("`{}` can't start: {error}", shown(command)))?;
    let seconds = start.elapsed().as_secs_f64();
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{messages}\n`{}` failed", shown(command)));
    }
    let compiled = messages.lines().filter(|line| line.trim_start().starts_with("Compiling ")).count();
    Ok((seconds, f64::from(u32::try_from(compiled).unwrap_or(u32::MAX))))
}
