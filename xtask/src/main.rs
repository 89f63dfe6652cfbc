//! `cargo xtask <command>`: the project's own commands.

use std::process::ExitCode;

use xtask::build_time::build_time;
use xtask::check::{bless, check, check_elsewhere, check_tidy, package};
use xtask::dev_builds::dev_builds;
use xtask::mutants::{check_mutants, share};
use xtask::sanitize::{Tool, sanitize};

const USAGE: &str = "\
cargo xtask check                  all that CI runs
cargo xtask check-elsewhere        of it: CUDA, other processors, the benchmarks' workspace
cargo xtask tidy                   the rules about the repository's text
cargo xtask package                what would be published, built from what was packed
cargo xtask build-time [--strict]  how long users wait; --strict fails over limits of seconds
cargo xtask dev-builds             what debug builds of a user's program cost and give: docs/builds.md
cargo xtask bless                  record all snapshots anew
cargo xtask sanitize [tool]        memory under thread, address, miri or memcheck; without a tool, all there are
cargo xtask mutants [10..20]       plants faults, and says which no test notices; goes on where it stopped";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check"] => check(),
        ["check-elsewhere"] => check_elsewhere(),
        ["tidy"] => check_tidy(),
        ["package"] => package(),
        ["build-time"] => build_time(false),
        ["build-time", "--strict"] => build_time(true),
        ["dev-builds"] => dev_builds(),
        ["bless"] => bless(),
        ["sanitize"] => sanitize(None),
        ["sanitize", name] => match Tool::named(name) {
            Some(tool) => sanitize(Some(tool)),
            None => Err(format!("which tool?\n{USAGE}")),
        },
        ["mutants"] => check_mutants(None),
        ["mutants", some] => match share(some) {
            Some(some) => check_mutants(Some(some)),
            None => Err(format!("which share?\n{USAGE}")),
        },
        _ => Err(format!("which command?\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("\nxtask: stopped: {line}");
            ExitCode::FAILURE
        }
    }
}
