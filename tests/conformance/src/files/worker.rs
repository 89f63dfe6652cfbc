//! The child: reads files as a user does, copied and mapped, and says what is wrong with the answers.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use latten::io::{Archive, Load, Save};
use serde_json::Value as Json;

use super::compare::differences;

/// Where a corpus lies, and what reading one file may take beside it and its tensors.
struct Task {
    folder: PathBuf,
    bytes: u64,
    write: Option<PathBuf>,
}

/// Answers each line of the input with a line: a list of what is wrong.
///
/// # Errors
/// Where the arguments are missing, and where the parent is gone.
pub fn work(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let folder = words.next().ok_or("no folder")?.into();
    let mebibytes: u64 = words.next().and_then(|text| text.parse().ok()).ok_or("no limit")?;
    let task = Task { folder, bytes: mebibytes << 20, write: words.next().map(PathBuf::from) };
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let wrong = match serde_json::from_str::<Json>(&line) {
            Ok(line) => task.judge(&line),
            Err(error) => vec![format!("the line can't be read: {error}")],
        };
        let answer = serde_json::to_string(&wrong).map_err(|error| error.to_string())?;
        writeln!(std::io::stdout().lock(), "{answer}").map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Task {
    fn judge(&self, line: &Json) -> Vec<String> {
        let path = self.folder.join(line["file"].as_str().unwrap_or_default());
        let mut wrong = Vec::new();
        for (way, load) in [("", Load::new()), ("mapped: ", Load::new().mapped())] {
            let (mut texts, archive) = self.read(&path, load, line, !way.is_empty());
            wrong.extend(texts.drain(..).map(|text| format!("{way}{text}")));
            if let (Some(archive), Some(folder), true) =
                (archive, &self.write, way.is_empty() && line["accept"] == serde_json::json!(["value"]))
            {
                wrong.extend(write_again(&archive, &folder.join(line["file"].as_str().unwrap_or_default()), line));
            }
        }
        wrong
    }

    fn read(&self, path: &Path, load: Load<'_>, line: &Json, is_mapped: bool) -> (Vec<String>, Option<Archive>) {
        let before = Memory::now();
        let start = Instant::now();
        let answer = load.load(path);
        let (seconds, used) = (start.elapsed().as_secs_f64(), before.peak());
        let file = fs::metadata(path).map_or(0, |about| about.len());
        let mut wrong = Vec::new();
        if seconds > 5.0 {
            wrong.push(format!("it took {seconds:.1} s"));
        }
        let tensors = answer.as_ref().map_or(0, tensor_bytes);
        if used > self.bytes + file + tensors {
            wrong.push(format!("it took {} MiB", used >> 20));
        }
        match &answer {
            Ok(archive) => wrong.extend(judge_value(archive, line)),
            Err(error) => wrong.extend(judge_error(error.message(), path, line, is_mapped)),
        }
        (wrong, answer.ok())
    }
}

fn accepts(line: &Json, what: &str) -> bool {
    line["accept"].as_array().is_some_and(|accepted| accepted.iter().any(|one| one == what))
}

fn judge_value(archive: &Archive, line: &Json) -> Vec<String> {
    if accepts(line, "unspecified") {
        return Vec::new();
    }
    let mut wrong = vec!["a value, where an error is expected".to_owned()];
    if accepts(line, "value") {
        wrong = differences(line, line, archive);
    }
    if !wrong.is_empty() && accepts(line, "original") {
        let other = differences(&line["original"], line, archive);
        wrong = if other.is_empty() { other } else { [wrong, other].concat() };
    }
    wrong.truncate(6);
    wrong
}

/// An error must be right, and clear: it names the file and is no longer than a person reads.
fn judge_error(message: &str, path: &Path, line: &Json, is_mapped: bool) -> Vec<String> {
    let may_refuse = accepts(line, "error") || is_mapped && line["map"] == "no";
    if !may_refuse {
        return vec![format!("error: {message}")];
    }
    let name = path.display().to_string();
    let rest = message.strip_prefix(&name);
    match rest {
        None => vec![format!("the error doesn't name the file: {message}")],
        Some(rest) if rest.len() > 1000 || rest.len() < 10 => vec![format!("an error of {} letters: {message:.200}", rest.len())],
        Some(_) => Vec::new(),
    }
}

fn tensor_bytes(archive: &Archive) -> u64 {
    archive.value.tensors().iter().map(|(_, tensor)| tensor.tensor().untyped_storage().nbytes() as u64).sum()
}

fn write_again(archive: &Archive, path: &Path, line: &Json) -> Option<String> {
    if line["format"] == "gguf" {
        return None;
    }
    let texts: Vec<(&str, &str)> = archive.metadata.iter().flatten().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| error.to_string());
    let saved = made.and_then(|()| Save::new().metadata(&texts).save(path, &archive.value).map_err(|error| error.to_string()));
    saved.err().map(|error| format!("writing again: {error}"))
}

/// How much memory this process has: what Linux says of it, and nothing elsewhere.
struct Memory(u64);

impl Memory {
    /// What it has now; from here on the peak is counted anew.
    fn now() -> Self {
        // Where the system doesn't let it, the peak so far stands: too much then, never too little.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self(field("VmRSS:"))
    }

    /// How much more it has had since.
    fn peak(&self) -> u64 {
        field("VmHWM:").saturating_sub(self.0)
    }
}

fn field(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0) << 10
}
