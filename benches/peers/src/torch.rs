//! PyTorch's side: a child process that runs statements when asked, over lines of text (`torch_side.py`).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A Python that has torch.
pub struct Torch {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Which version, and how many threads.
    pub version: String,
}

impl Torch {
    /// Starts the child with that interpreter.
    ///
    /// # Errors
    /// Where the interpreter doesn't start or has no torch.
    pub fn start(python: &str) -> Result<Self, String> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/torch_side.py");
        let mut child = Command::new(python)
            .arg(script)
            // Its threads stay where they are: on virtual machines the system may put two on one core, and leave them there.
            .env("OMP_PROC_BIND", "true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}"))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{python}: no pipes"));
        };
        let mut torch = Self { child, requests, answers: BufReader::new(answers), version: String::new() };
        torch.version = torch.answer()?;
        Ok(torch)
    }

    /// Makes a statement ready.
    ///
    /// # Errors
    /// Where Python raises.
    pub fn prepare(&mut self, setup: &str, statement: &str) -> Result<(), String> {
        self.ask(&format!("prepare {setup}\t{statement}")).map(drop)
    }

    /// The seconds that so many runs of the statement take.
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
            Ok(_) => Ok(line.trim().into()),
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
