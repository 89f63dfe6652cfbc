//! Running other programs: each is shown before it runs, and a failure is one line that says which.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a command of xtask answers: the line to stop with, if it failed.
pub type Outcome<T = ()> = Result<T, String>;

/// The root of the repository. Cargo says at run time where it is; what it said at compile time may come from another
/// checkout that shares the folder of build outputs.
#[must_use]
pub fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&xtask).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that runs us, in the root, with these arguments (split at spaces).
#[must_use]
pub fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace()).current_dir(root());
    command
}

/// What a person would type to run it, without the folders of this machine.
#[must_use]
pub fn shown(command: &Command) -> String {
    let settings = command.get_envs().filter_map(|(name, value)| Some(format!("{}={:?} ", name.display(), value?)));
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().display();
    let arguments = command.get_args().map(|argument| format!(" {}", argument.display()));
    settings.chain([program.to_string()]).chain(arguments).collect()
}

/// Runs it with its output shown, and says how long it took.
///
/// # Errors
/// If it can't start or answers a failure.
pub fn run(command: &mut Command) -> Outcome {
    println!("\n== {}", shown(command));
    let (start, before) = (Instant::now(), processors());
    let status = command.status().map_err(|error| format!("`{}` can't start: {error}", shown(command)))?;
    // On a busy machine time says less than work.
    let work = processors().zip(before).map(|(after, before)| format!(", {:.0} of processors", after - before)).unwrap_or_default();
    println!("== took {:.0} s{work}", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// The seconds that processors have worked for programs that this one has waited for, where the system says so in a file (`man 5 proc`): in
/// hundredths, as fields 16 and 17, the fourteenth and fifteenth behind the name in parentheses.
fn processors() -> Option<f64> {
    let all = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = all.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

/// What a command prints, if it succeeds.
#[must_use]
pub fn answers(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
