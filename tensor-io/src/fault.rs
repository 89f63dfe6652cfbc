//! Errors of files: what is wrong, and around it where: the entry, the file.

use std::fmt::Display;
use std::io;

use latten_core::error::{Error, ErrorKind, Result};

/// What is wrong with a file's content.
pub(crate) fn broken(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Runtime, text)
}

/// What the system refused.
pub(crate) fn refused(what: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{what}: {error}"))
}

/// What a format or this build doesn't have.
pub(crate) fn unsupported(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotImplemented, text)
}

/// Says where an error is.
pub(crate) trait Within {
    /// Puts the place before the message.
    fn within(self, place: impl Display) -> Self;

    /// Puts the file before the message, which a person reads: names from the file may be long, and hold what moves a terminal's cursor.
    fn of_file(self, name: &str) -> Self;
}

/// The letters of the beginning and of the end that are left of a message that is too long.
const START: usize = 500;
const REST: usize = 300;

impl<T> Within for Result<T> {
    fn within(self, place: impl Display) -> Self {
        self.map_err(|error| Error::new(error.kind(), format!("{place}: {}", error.message())))
    }

    fn of_file(self, name: &str) -> Self {
        self.map_err(|error| Error::new(error.kind(), format!("{name}: {}", readable(error.message()))))
    }
}

/// A message without letters that can't be seen, and of a length that is read.
fn readable(message: &str) -> String {
    let letters: Vec<char> = message.chars().collect();
    match letters.len().checked_sub(REST).filter(|start| *start > START) {
        Some(start) => format!("{} … {}", visible(&letters[..START]), visible(&letters[start..])),
        None => visible(&letters),
    }
}

fn visible(letters: &[char]) -> String {
    let show = |text: &mut String, letter: &char| match letter {
        '"' | '\'' | '\\' => text.push(*letter),
        _ => text.extend(letter.escape_debug()),
    };
    letters.iter().fold(String::new(), |mut text, letter| {
        show(&mut text, letter);
        text
    })
}
