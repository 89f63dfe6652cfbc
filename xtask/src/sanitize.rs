//! The memory of storages and views under tools that watch it: ThreadSanitizer, AddressSanitizer and Miri, which need a nightly
//! toolchain, and where there is none, valgrind. Every run says which tool looked at what.

use std::process::Command;

use crate::command::{Outcome, answers, cargo, root, run};

/// Tests of memory that threads share. `fuzz` has tensors that race.
const THREADED: [&str; 3] = ["aliasing", "storage", "fuzz"];
/// Tests of what lies where in memory.
const ADDRESSED: [&str; 5] = ["storage", "aliasing", "views", "layout", "printing"];
/// Random views in memory of exactly their size, without the pool of freed blocks: then reading too late is seen, too.
const FUZZED: [&str; 1] = ["fuzz"];
/// The parts of `tests/storage` that Miri can run: it knows no mapped files and starts no processes.
const INTERPRETED: &str = "untyped:: typed:: lent:: borrowed::";

/// A tool, by the name that it has on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// ThreadSanitizer: data races. The standard library is compiled for it, too.
    Thread,
    /// AddressSanitizer: accesses outside of what is allocated, and leaks.
    Address,
    /// Miri: undefined behaviour of any kind, in what needs no system calls.
    Miri,
    /// valgrind's memcheck: what AddressSanitizer finds, without a nightly toolchain.
    Memcheck,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Thread, Self::Address, Self::Miri, Self::Memcheck];

    /// The tool of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Address => "address",
            Self::Miri => "miri",
            Self::Memcheck => "memcheck",
        }
    }

    /// What is missing on this machine, and how it gets there.
    fn missing(self) -> Option<&'static str> {
        let (present, hint) = match self {
            Self::Thread => (nightly_has("rust-src"), "rustup component add rust-src --toolchain nightly"),
            Self::Address => (nightly_has("rustc"), "rustup toolchain install nightly"),
            Self::Miri => (nightly_has("miri"), "rustup component add miri rust-src --toolchain nightly"),
            Self::Memcheck => (answers(Command::new("valgrind").arg("--version")).is_some(), "install valgrind"),
        };
        (!present).then_some(hint)
    }

    fn run(self) -> Outcome {
        match self {
            Self::Thread => run(nightly(&format!("test -Zbuild-std --target {} {}", host()?, tests(&THREADED)))
                .args(["--target-dir", "target/sanitize-thread"])
                .env("RUSTFLAGS", "-Zsanitizer=thread")
                .env("TSAN_OPTIONS", "halt_on_error=1 allocator_may_return_null=1")),
            Self::Address => {
                let host = host()?;
                let address = |names: &[&str]| {
                    let mut command = nightly(&format!("test --target {host} {}", tests(names)));
                    command.args(["--target-dir", "target/sanitize-address"]).env("RUSTFLAGS", "-Zsanitizer=address");
                    // Tests forget some things on purpose.
                    let suppressions = root().join("xtask").join("leaks.txt");
                    command.env("LSAN_OPTIONS", format!("print_suppressions=0:suppressions={}", suppressions.display()));
                    command.env("ASAN_OPTIONS", "allocator_may_return_null=1");
                    command
                };
                run(&mut address(&ADDRESSED))?;
                run(address(&FUZZED).env("LATTEN_POOL_BYTES", "0"))
            }
            Self::Miri => run(nightly(&format!("miri test --target-dir target/sanitize-miri --test storage -- {INTERPRETED}"))
                // What is forgotten on purpose is no fault; AddressSanitizer looks for leaks.
                .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks")),
            Self::Memcheck => {
                let runner = format!("CARGO_TARGET_{}_RUNNER", host()?.to_uppercase().replace('-', "_"));
                let valgrind = "valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite --trace-children=no";
                run(cargo(&format!("test {}", tests(&ADDRESSED))).env(&runner, valgrind))?;
                run(cargo(&format!("test {}", tests(&FUZZED))).env(&runner, valgrind).env("LATTEN_POOL_BYTES", "0"))
            }
        }
    }
}

/// Runs one tool, or all that this machine has; valgrind only where AddressSanitizer isn't there.
///
/// # Errors
/// If a tool finds something, or the one that was asked for is missing.
pub fn sanitize(only: Option<Tool>) -> Outcome {
    let mut report = Vec::new();
    for tool in Tool::ALL.into_iter().filter(|tool| only.is_none_or(|only| only == *tool)) {
        let line = match tool.missing() {
            Some(hint) if only.is_some() => return Err(format!("`{}` is missing: {hint}", tool.name())),
            Some(hint) => format!("not run; to have it: {hint}"),
            None if only.is_none() && tool == Tool::Memcheck && Tool::Address.missing().is_none() => {
                "not run; AddressSanitizer finds what it finds".to_owned()
            }
            None => {
                tool.run()?;
                "found nothing".to_owned()
            }
        };
        report.push(format!("{:10} {line}", tool.name()));
    }
    println!("\n{}", report.join("\n"));
    Ok(())
}

/// The tests of that name, as arguments.
fn tests(names: &[&str]) -> String {
    names.iter().map(|name| format!("--test {name} ")).collect()
}

/// The cargo of the nightly toolchain.
fn nightly(arguments: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(arguments.split_whitespace()).current_dir(root()).env_remove("CARGO");
    command
}

fn nightly_has(component: &str) -> bool {
    let installed = answers(Command::new("rustup").args(["component", "list", "--toolchain", "nightly", "--installed"]));
    installed.is_some_and(|list| list.lines().any(|line| line.starts_with(component)))
}

/// This machine's target, as rustc names it.
fn host() -> Outcome<String> {
    let about = answers(Command::new("rustc").arg("-vV")).unwrap_or_default();
    about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| "rustc doesn't name this machine".to_owned())
}
