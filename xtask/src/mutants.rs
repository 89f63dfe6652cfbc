//! Do the tests notice? Each fault of `mutants.txt` is planted alone in a checkout of its own below target, and the tests run until one
//! fails: those first that the list names for the file, which are small. What is known of a commit is kept, so that a run can be stopped,
//! and goes on; a share is `cargo xtask mutants 10..20`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Outcome, cargo, root, run};

const LIST: &str = include_str!("../mutants.txt");

/// What runs where the tests that are named for a file don't notice, those first that notice most.
const TESTS: [&str; 3] = ["test --quiet -p conformance", "test --quiet -p latten-spec -p latten-core", "test --quiet -p latten"];

/// A fault: text that stands once in a file, and what is put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The file, from the root of the repository.
    pub path: String,
    /// What stands there.
    pub from: String,
    /// What is put there.
    pub to: String,
    /// What cargo runs first, where the list names tests for the file.
    pub first: Option<String>,
}

impl Mutant {
    fn name(&self) -> String {
        let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: {} => {}", self.path, word(&self.from), word(&self.to))
    }

    /// The text of a file with the fault in it.
    ///
    /// # Errors
    /// Where what it replaces isn't there once.
    pub fn planted(&self, text: &str) -> Result<String, String> {
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            count => Err(format!("{} times in the file: {}", count, self.name())),
        }
    }
}

/// All faults of a list.
#[must_use]
pub fn mutants(list: &str) -> Vec<Mutant> {
    let (mut found, mut path, mut first, mut in_to) = (Vec::<Mutant>::new(), "", None, false);
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(tests) = line.strip_prefix("= ") {
            first = Some(tests.to_owned());
            continue;
        }
        match (line.strip_prefix("- "), line.strip_prefix("+ "), line.strip_prefix("| "), found.last_mut()) {
            (Some(from), ..) => {
                found.push(Mutant { path: path.to_owned(), from: from.to_owned(), to: String::new(), first: first.clone() });
                in_to = false;
            }
            (_, Some(to), _, Some(last)) => {
                last.to.push_str(to);
                in_to = true;
            }
            (_, _, Some(more), Some(last)) => {
                let text = if in_to { &mut last.to } else { &mut last.from };
                text.push('\n');
                text.push_str(more);
            }
            _ => (path, first) = (line, None),
        }
    }
    found
}

/// The list as it is in the repository.
#[must_use]
pub fn listed() -> Vec<Mutant> {
    mutants(LIST)
}

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
    let folder = ["target", "mutants"].iter().fold(root(), |folder, name| folder.join(name));
    let tree = folder.join("tree");
    let commit = checkout(&tree)?;
    let record = folder.join(format!("{commit}.txt"));
    let mut known = known(&record);
    // Without a fault all of them pass: else every fault would be noticed.
    for tests in TESTS.iter().filter(|_| known.is_empty()) {
        run(cargo(tests).current_dir(&tree).env("CARGO_TARGET_DIR", folder.join("build")))?;
    }
    for mutant in list.get(share.clone()).ok_or_else(|| format!("there are {} faults", list.len()))? {
        if known.contains_key(&mutant.name()) {
            continue;
        }
        let fate = fate(mutant, &tree, &folder.join("build"))?;
        println!("{}: {}", fate.word(), mutant.name());
        known.insert(mutant.name(), fate.word().to_owned());
        let text = known.iter().fold(String::new(), |mut text, (name, fate)| {
            let _ = writeln!(text, "{fate}\t{name}");
            text
        });
        fs::write(&record, text).map_err(|error| format!("{}: {error}", record.display()))?;
    }
    summary(&list[share], &known)
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

/// What an earlier run of the same commit found.
fn known(record: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(record).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once('\t')).map(|(fate, name)| (name.to_owned(), fate.to_owned())).collect()
}

/// Plants one fault, runs the tests, and takes it back.
fn fate(mutant: &Mutant, tree: &Path, build: &Path) -> Result<Fate, String> {
    let path: PathBuf = tree.join(&mutant.path);
    let fault = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(fault)?;
    fs::write(&path, mutant.planted(&text)?).map_err(fault)?;
    let fate = tested(mutant, tree, build);
    fs::write(&path, text).map_err(fault)?;
    fate
}

/// A fault may make a test hang: then it was noticed.
const LONGEST: Duration = Duration::from_secs(1800);

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

fn tested(mutant: &Mutant, tree: &Path, build: &Path) -> Result<Fate, String> {
    let quiet = |arguments: &str| {
        let mut command = cargo(arguments);
        command.current_dir(tree).env("CARGO_TARGET_DIR", build).stdout(Stdio::null()).stderr(Stdio::null());
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

/// `10..20`.
#[must_use]
pub fn share(text: &str) -> Option<Range<usize>> {
    let (from, to) = text.split_once("..")?;
    Some(from.parse().ok()?..to.parse().ok()?)
}
