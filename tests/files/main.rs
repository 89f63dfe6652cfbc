//! Files of tensors: what is written is read again, with its sharing; what is broken is an error; what fails changes nothing.

mod broken;
mod formats;
// Holes in files are Linux's here, and so is a memory of 64 bits.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod large;
mod saving;
mod values;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for a test, which goes away with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("latten-files-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of all files in it.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The message of what must be an error.
fn refusal<T>(outcome: latten::Result<T>) -> String {
    match outcome {
        Ok(_) => panic!("this should have been an error"),
        Err(error) => error.message().to_owned(),
    }
}

/// A message without the folder of the test.
fn without_folder(message: &str, path: &Path) -> String {
    message.replace(&path.parent().expect("a folder").display().to_string(), "…").replace("…/", "")
}
