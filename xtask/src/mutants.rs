//! Do the tests notice? The faults of `mutants.txt` are planted in a checkout of its own below target: those that can be switched in one
//! build, the others alone. For each the tests run until one fails: those first that the list names for the file, which are small. What is
//! known of a commit is kept, so that a run can be stopped, and goes on; a share is `cargo xtask mutants 10..20`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Outcome, cargo, root, run};
use crate::faults::{Mutant, listed, once};
use crate::switches::{SUPPORT, VARIABLE, switched};

/// What runs where the tests that are named for a file don't notice, those first that notice most.
const TESTS: [&str; 3] = [
    "test --quiet -p conformance",
    "test --quiet -p latten-spec -p latten-core -p latten-elements --lib",
    "test --quiet -p latten --tests",
];

/// What became of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Killed,
    Lives,
    /// The fault is no Rust: the list is wrong.
    NotCompiled,
}

impl Fate {
    const ALL: [(Self, &'static str); 3] = [(Self::Killed, "killed"), (Self::Lives, "lives"), (Self::NotCompiled, "doesn't compile")];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(fate, _)| *fate == self).map_or("", |(_, word)| word)
    }
}

/// Plants the faults of a share, or all.
///
/// # Errors
/// Where a fault can't be planted or doesn't compile, and where one lives.
pub fn check_mutants(share: Option<Range<usize>>) -> Outcome {
    let list = listed();
    let share = share.unwrap_or(0..list.len());
    let some = list.get(share.clone()).ok_or_else(|| format!("there are {} faults", list.len()))?;
    let folder = ["target", "mutants"].iter().fold(root(), |folder, name| folder.join(name));
    let bench = Bench { tree: folder.join("tree"), build: folder.join("build") };
    let commit = checkout(&bench.tree)?;
    let mut record = Record::of(folder.join(format!("{commit}.txt")));
    let alone = bench.plant_switched(&list)?;
    // Without a fault all of them pass: else every fault would be noticed.
    if record.fates.is_empty() {
        for tests in TESTS.into_iter().chain(list.iter().filter_map(|mutant| mutant.first.as_deref())).collect::<BTreeSet<_>>() {
            run(&mut bench.cargo(tests))?;
        }
    }
    let unknown = |record: &Record, mutant: &Mutant| !record.fates.contains_key(&mutant.name());
    for (number, mutant) in share.clone().zip(some).filter(|(number, _)| !alone.contains(number)) {
        if unknown(&record, mutant) {
            record.add(mutant, bench.fate(mutant, Some(number))?)?;
        }
    }
    checkout(&bench.tree)?;
    for (_, mutant) in share.clone().zip(some).filter(|(number, _)| alone.contains(number)) {
        if unknown(&record, mutant) {
            record.add(mutant, bench.fate_alone(mutant)?)?;
        }
    }
    summary(some, &record.fates)
}

/// What is known of a commit's faults.
struct Record {
    path: PathBuf,
    fates: BTreeMap<String, String>,
}

impl Record {
    /// What an earlier run found.
    fn of(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let fates = text.lines().filter_map(|line| line.split_once('\t')).map(|(fate, name)| (name.to_owned(), fate.to_owned())).collect();
        Self { path, fates }
    }

    fn add(&mut self, mutant: &Mutant, fate: Fate) -> Outcome {
        println!("{}: {}", fate.word(), mutant.name());
        self.fates.insert(mutant.name(), fate.word().to_owned());
        let text = self.fates.iter().fold(String::new(), |mut text, (name, fate)| {
            let _ = writeln!(text, "{fate}\t{name}");
            text
        });
        fs::write(&self.path, text).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

fn summary(list: &[Mutant], known: &BTreeMap<String, String>) -> Outcome {
    let with =
        |word: &str| list.iter().map(Mutant::name).filter(|name| known.get(name).is_some_and(|fate| fate == word)).collect::<Vec<_>>();
    let (killed, lives, broken) = (with(Fate::Killed.word()), with(Fate::Lives.word()), with(Fate::NotCompiled.word()));
    println!("\n{} of {} faults were noticed", killed.len(), list.len());
    for (names, word) in [(&lives, "lives"), (&broken, "doesn't compile")] {
        names.iter().for_each(|name| println!("{word}: {name}"));
    }
    if lives.is_empty() && broken.is_empty() { Ok(()) } else { Err(format!("{} faults live, {} don't compile", lives.len(), broken.len())) }
}

/// A checkout of what was committed last; its name.
fn checkout(tree: &Path) -> Result<String, String> {
    let head = git(&root(), &["rev-parse", "HEAD"])?;
    if tree.join("Cargo.toml").exists() {
        git(tree, &["checkout", "--quiet", "--force", "--detach", &head])?;
    } else {
        let place = tree.display().to_string();
        git(&root(), &["worktree", "add", "--force", "--detach", &place, &head])?;
    }
    Ok(head)
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(folder).output().map_err(|error| format!("git can't start: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(format!("git {}: {}", arguments.join(" "), text(&output.stderr))) }
}

/// The checkout in which faults are planted, and what it builds.
struct Bench {
    tree: PathBuf,
    build: PathBuf,
}

impl Bench {
    fn cargo(&self, arguments: &str) -> Command {
        let mut command = cargo(arguments);
        // A fault may leave something unused.
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.build).env("RUSTFLAGS", "-A warnings");
        command
    }

    /// Changes a file of the checkout, and gives what it was.
    fn change(&self, path: &str, change: impl FnOnce(&str) -> Result<String, String>) -> Result<String, String> {
        let path = self.tree.join(path);
        let fault = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(fault)?;
        fs::write(&path, change(&text)?).map_err(fault)?;
        Ok(text)
    }

    /// Plants all faults at once that the environment can choose among; the numbers of the others.
    fn plant_switched(&self, list: &[Mutant]) -> Result<Vec<usize>, String> {
        let mut alone = Vec::new();
        for path in list.iter().map(|mutant| mutant.path.as_str()).collect::<BTreeSet<_>>() {
            let faults: Vec<_> = list.iter().enumerate().filter(|(_, mutant)| mutant.path == path).collect();
            self.change(path, |text| {
                let (text, others) = switched(text, &faults)?;
                alone.extend(others);
                Ok(text)
            })?;
        }
        for [path, from, to] in SUPPORT {
            self.change(path, |text| once(text, from, to).ok_or_else(|| format!("not once in {path}: {from}")))?;
        }
        Ok(alone)
    }

    /// Plants one fault, runs the tests, and takes it back.
    fn fate_alone(&self, mutant: &Mutant) -> Result<Fate, String> {
        let text = self.change(&mutant.path, |text| mutant.planted(text))?;
        let fate = self.fate(mutant, None);
        self.change(&mutant.path, |_| Ok(text))?;
        fate
    }

    /// Whether a test notices the fault that stands there, or is switched on by its number.
    fn fate(&self, mutant: &Mutant, number: Option<usize>) -> Result<Fate, String> {
        let quiet = |arguments: &str| {
            let mut command = self.cargo(arguments);
            command.envs(number.map(|number| (VARIABLE, number.to_string()))).stdout(Stdio::null()).stderr(Stdio::null());
            within(&mut command).map_err(|error| format!("cargo can't start: {error}"))
        };
        for tests in mutant.first.iter().map(String::as_str).chain(TESTS) {
            if quiet(tests)? {
                continue;
            }
            // A test that fails and a program that doesn't compile look alike from outside.
            return Ok(if quiet(&format!("{tests} --no-run"))? { Fate::Killed } else { Fate::NotCompiled });
        }
        Ok(Fate::Lives)
    }
}

/// A fault may make a test hang: then it was noticed.
const LONGEST: Duration = Duration::from_secs(600);

/// Whether it succeeds in that time.
fn within(command: &mut Command) -> std::io::Result<bool> {
    // Of the tests that cargo runs, too, the group is one.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let (mut child, start) = (command.spawn()?, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > LONGEST {
            Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// `10..20`.
#[must_use]
pub fn share(text: &str) -> Option<Range<usize>> {
    let (from, to) = text.split_once("..")?;
    Some(from.parse().ok()?..to.parse().ok()?)
}
