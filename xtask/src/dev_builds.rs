//! What debug builds of a user's program cost and give, by what stands in its `[profile.dev.package]`: the table of docs/builds.md. Times are those
//! of processors, so that a busy machine changes little; where the system doesn't tell them, they are those of the clock.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::command::{Outcome, cargo, shown};

/// What a user writes, as cargo takes it in a command, and what the table says of it.
const PROFILES: [(&str, &[&str]); 3] = [
    ("nothing", &[]),
    ("`latten-elements`", &["latten-elements.opt-level=3"]),
    ("both", &["latten-elements.opt-level=3", "latten-core.opt-level=3"]),
];

/// The programs that are run, from many small tensors to few large ones.
const PROGRAMS: [&str; 4] = ["logistic", "heat", "normalise", "train"];

/// Builds and runs the programs with each profile, from nothing each time.
///
/// # Errors
/// If something doesn't build or run.
pub fn dev_builds() -> Outcome {
    let target = std::env::temp_dir().join(format!("latten-dev-builds-{}", std::process::id()));
    println!("{:<20}{:>10}{}", "optimised, seconds", "build", PROGRAMS.map(|name| format!("{name:>11}")).concat());
    let outcome = PROFILES.iter().try_for_each(|(name, packages)| {
        let _ = fs::remove_dir_all(&target);
        // The program's own crate isn't optimised, as with cargo's defaults.
        let mut build = cargo("build --quiet --config profile.dev.opt-level=0 --config profile.dev.debug=true");
        for package in *packages {
            build.arg("--config").arg(format!("profile.dev.package.{package}"));
        }
        build.args(PROGRAMS.iter().flat_map(|program| ["--example", program]));
        let built = seconds(build.arg("--target-dir").arg(&target))?;
        let program = |name: &str| {
            let path = target.join("debug").join("examples").join(name);
            seconds(&mut Command::new(path)).map(|seconds| format!("{seconds:>11.2}"))
        };
        let ran: String = PROGRAMS.into_iter().map(program).collect::<Outcome<_>>()?;
        println!("{name:<20}{built:>10.0}{ran}");
        Ok(())
    });
    let _ = fs::remove_dir_all(&target);
    outcome
}

/// How long a command works.
fn seconds(command: &mut Command) -> Outcome<f64> {
    let (before, start) = (of_children(), Instant::now());
    let output = command.output().map_err(|error| format!("`{}` can't start: {error}", shown(command)))?;
    if !output.status.success() {
        return Err(format!("{}\n`{}` failed", String::from_utf8_lossy(&output.stderr), shown(command)));
    }
    Ok(before.zip(of_children()).map_or_else(|| start.elapsed().as_secs_f64(), |(before, after)| after - before))
}

/// The time that this process's children have worked so far, of those that have ended: Linux counts it in hundredths of a second.
fn of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name of the program, which may have spaces in it.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}
