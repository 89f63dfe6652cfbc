//! What the tests share: refusals as rows, folders that vanish, and this test run again in another process.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use latten::{Error, ErrorKind, Result};

/// A call that must fail: what it is, what it answered, the class and the text of the error.
pub(crate) type Refusal = (&'static str, Result<(), Error>, ErrorKind, String);

/// Fails with all rows that are wrong.
pub(crate) fn check_refusals(rows: Vec<Refusal>) {
    let count = rows.len();
    let wrong: Vec<String> = rows
        .into_iter()
        .filter_map(|(call, answer, kind, text)| match answer {
            Ok(()) => Some(format!("{call}\n  did not fail; expected {kind:?}: {text}")),
            Err(error) if error.kind() == kind && error.message() == text => None,
            Err(error) => Some(format!("{call}\n  failed with {error:?}\n  expected    {kind:?}: {text}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Rows of refusals: `call => Kind "text"`, one for each line.
macro_rules! refusals {
    ($($call:expr => $kind:ident $text:expr;)+) => {
        $crate::check::check_refusals(vec![$((stringify!($call), $call.map(drop), latten::ErrorKind::$kind, $text.to_string())),+])
    };
}

/// Rows of answers: `call => value`.
macro_rules! answers {
    ($($call:expr => $value:expr;)+) => {{
        let mut wrong = Vec::new();
        $($crate::check::compare(stringify!($call), &$call, &$value, &mut wrong);)+
        assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    }};
}

pub(crate) fn compare<T: Debug + PartialEq<U>, U: Debug>(call: &str, got: &T, expected: &U, wrong: &mut Vec<String>) {
    if got != expected {
        wrong.push(format!("{call}\n  gave     {got:?}\n  expected {expected:?}"));
    }
}

/// A folder of its own, which goes with the value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("latten_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        Self(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.join(name);
        std::fs::write(&path, bytes).expect("a new file");
        path
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The variable that tells a test that it is the other process, and what it is to do there.
const ROLE: &str = "LATTEN_TEST_ROLE";

/// What this process is to do, where it is the other one.
pub(crate) fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Runs one test of this program in another process, with what its standard input is to be, and returns what it printed.
pub(crate) fn other_process(test: &str, role: &str, variables: &[(&str, &str)], stdin: Stdio) -> String {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ROLE, role).envs(variables.iter().copied()).stdin(stdin);
    let output = command.output().expect("the other process starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "`{test}` as {role} failed: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "no test is called `{test}`:\n{stdout}");
    stdout.into_owned()
}
