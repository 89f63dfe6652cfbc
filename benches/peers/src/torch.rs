//! PyTorch's side: a child process that runs statements when asked, over lines of text (`torch_side.py`).

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use std::{env, fs, process};

use crate::sizes::{big, is_sketched, numbers};

/// A Python that has torch.
pub struct Torch {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
    /// Which version, and how many threads.
    pub version: String,
}

impl Torch {
    /// Starts the child with that interpreter.
    ///
    /// # Errors
    /// Where the interpreter doesn't start or has no torch.
    pub fn start(python: &str) -> Result<Self, String> {
        let folder = env::temp_dir().join(format!("latten-peers-{}", process::id()));
        let all: Vec<u8> = numbers(0, big().max(1 << 19) + 2).flat_map(f32::to_le_bytes).collect();
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("numbers"), all));
        written.map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut child = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/torch_side.py"))
            .arg(folder.join("numbers"))
            .arg(if is_sketched() { "sketch" } else { "whole" })
            // Its threads stay where they are: on virtual machines the system may put two on one core, and leave them there.
            .env("OMP_PROC_BIND", "true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}"))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{python}: no pipes"));
        };
        let mut torch = Self { child, requests, answers: BufReader::new(answers), folder, version: String::new() };
        torch.version = torch.answer()?;
        Ok(torch)
    }

    /// Makes a statement ready, after what stands before it, and answers what it gives, or the last text of what it did.
    ///
    /// # Errors
    /// Where Python raises.
    pub fn prepare(&mut self, texts: [&str; 3]) -> Result<Vec<f64>, String> {
        let path = self.folder.join("answer");
        self.ask(&format!("prepare {}", texts.join("\t")))?;
        self.ask(&format!("answer {}", path.display()))?;
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect())
    }

    /// The seconds that a number of runs of the statement take.
    ///
    /// # Errors
    /// Where Python raises.
    pub fn run(&mut self, count: usize) -> Result<f64, String> {
        let seconds = self.ask(&format!("run {count}"))?;
        // OpenMP's threads spin for a while after the work: they would take the processor from who comes next.
        std::thread::sleep(Duration::from_millis(5));
        seconds.parse().map_err(|_| format!("torch answered {seconds:?}"))
    }

    fn ask(&mut self, line: &str) -> Result<String, String> {
        writeln!(self.requests, "{line}").map_err(|error| format!("torch: {error}"))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) | Err(_) => Err("torch's process ended".into()),
            Ok(_) => match line.trim().strip_prefix("error ") {
                Some(text) => Err(text.into()),
                None => Ok(line.trim().into()),
            },
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
