//! Forked children of a test, which are killed where they hang.
#![expect(unsafe_code, reason = "forks")]

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use latten::Result;

unsafe extern "C" {
    safe fn fork() -> c_int;
    safe fn _exit(code: c_int) -> !;
    safe fn kill(process: c_int, signal: c_int) -> c_int;
    safe fn waitpid(process: c_int, status: Option<&mut c_int>, options: c_int) -> c_int;
}

const DONT_WAIT: c_int = 1;
const KILL: c_int = 9;

/// Does something in a forked child, and says what became of it.
pub(crate) fn child(work: impl FnOnce() -> Result<()>) -> std::result::Result<(), String> {
    let process = fork();
    assert!(process >= 0, "no child");
    if process == 0 {
        // The test's harness must not run here a second time.
        let code = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => {
                eprintln!("in the child: {error}");
                1
            }
            Err(_) => 2,
        };
        _exit(code);
    }
    let (start, mut status) = (Instant::now(), 0);
    while waitpid(process, Some(&mut status), DONT_WAIT) == 0 {
        if start.elapsed() > Duration::from_secs(20) {
            kill(process, KILL);
            waitpid(process, None, 0);
            return Err("hung".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    if status == 0 { Ok(()) } else { Err(format!("status {status}")) }
}
