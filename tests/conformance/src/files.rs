//! `conformance files DIR`: replays a corpus of tensor files. Each line of DIR/expect.jsonl says which answers to a file are right; each file
//! is read copied and mapped, in a child process with bounded memory and time. `worker` reads and judges, `compare` compares trees.

mod compare;
mod worker;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::Deserialize;

pub use worker::work;

const USAGE: &str = "usage: conformance files DIR [--only PREFIX] [--show N] [--write FOLDER]";
/// The word that makes this program the child.
pub const WORKER: &str = "files-worker";

/// What a corpus allows.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Limits {
    seconds: u64,
    mebibytes: u64,
}

#[derive(Deserialize)]
struct About {
    limits: Limits,
}

struct Options {
    folder: PathBuf,
    only: String,
    show: usize,
    write: Option<PathBuf>,
}

/// Passed and all, by format and group.
type Score = BTreeMap<(String, String), (usize, usize)>;

/// Replays a corpus and prints the score; true where every file passes.
///
/// # Errors
/// Where the corpus can't be read or the command line isn't understood.
pub fn replay(words: impl Iterator<Item = String>) -> Result<bool, String> {
    let options = options(words)?;
    let fault = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let about = options.folder.join("corpus.json");
    let limits = match fs::read_to_string(&about) {
        Ok(text) => serde_json::from_str::<About>(&text).map_err(|error| fault(&about, &error))?.limits,
        Err(_) => Limits { seconds: 5, mebibytes: 256 },
    };
    let expect = options.folder.join("expect.jsonl");
    let lines = fs::File::open(&expect).map_err(|error| fault(&expect, &error))?;
    let (mut score, mut shown) = (Score::new(), 0);
    let mut reader = Reader::start(&options, limits)?;
    for line in BufReader::new(lines).lines() {
        let line = line.map_err(|error| fault(&expect, &error))?;
        let Head { id, format } = serde_json::from_str(&line).map_err(|error| fault(&expect, &error))?;
        if !id.starts_with(&options.only) {
            continue;
        }
        let wrong = reader.ask(&line, &options, limits)?;
        let group = id.split('/').next().unwrap_or_default().to_owned();
        let (passed, all) = score.entry((format, group)).or_default();
        *all += 1;
        *passed += usize::from(wrong.is_empty());
        for text in wrong {
            if shown < options.show {
                println!("{id}: {text}");
            }
            shown += 1;
        }
    }
    Ok(report(&score))
}

#[derive(Deserialize)]
struct Head {
    id: String,
    format: String,
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let (mut folder, mut options) = (None, Options { folder: PathBuf::new(), only: String::new(), show: 50, write: None });
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--only" => options.only = value()?,
            "--show" => options.show = value()?.parse().map_err(|_| format!("--show needs a number\n{USAGE}"))?,
            "--write" => options.write = Some(value()?.into()),
            _ if word.starts_with('-') || folder.is_some() => return Err(format!("{word}?\n{USAGE}")),
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    options.folder = folder.ok_or(USAGE)?;
    Ok(options)
}

fn report(score: &Score) -> bool {
    let (mut passed, mut all) = (0, 0);
    for ((format, group), (good, count)) in score {
        println!("{format:<12} {group:<5} {good:>5} of {count}");
        passed += good;
        all += count;
    }
    println!("{passed} of {all} files, read and mapped");
    passed == all && all > 0
}

/// The child that reads files, and its answers.
struct Reader {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reader {
    fn start(options: &Options, limits: Limits) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| format!("this program isn't found: {error}"))?;
        let mut command = command(&own);
        command.arg(WORKER).arg(&options.folder).arg(limits.mebibytes.to_string());
        command.args(options.write.iter());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the process that reads files can't start: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipes".to_owned()) };
        let (send, answers) = channel();
        std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Ok(Self { child, input, answers })
    }

    /// What is wrong with the answer to a line.
    fn ask(&mut self, line: &str, options: &Options, limits: Limits) -> Result<Vec<String>, String> {
        if writeln!(self.input, "{line}").and_then(|()| self.input.flush()).is_ok() {
            // Judging takes time as well, in a build that isn't optimised.
            match self.answers.recv_timeout(Duration::from_secs(limits.seconds * 6)) {
                Ok(answer) => return serde_json::from_str(&answer).map_err(|error| format!("{answer}: {error}")),
                Err(why) => {
                    let what = if why == RecvTimeoutError::Timeout { "no answer in time" } else { "the process that read it ended" };
                    *self = Self::start(options, limits)?;
                    return Ok(vec![what.to_owned()]);
                }
            }
        }
        *self = Self::start(options, limits)?;
        Ok(vec!["the process that read it ended".to_owned()])
    }
}

/// The child can't take more memory than any file of a corpus may need, whatever it is asked for.
#[cfg(unix)]
fn command(own: &Path) -> Command {
    /// The program itself, its threads, the line, and what a file may take.
    const KIBIBYTES: u64 = 3 << 20;
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {KIBIBYTES}; exec \"$0\" \"$@\"")).arg(own);
    command
}

#[cfg(not(unix))]
fn command(own: &Path) -> Command {
    Command::new(own)
}
