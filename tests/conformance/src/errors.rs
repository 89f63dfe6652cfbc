//! Why a step ends without an answer, and how PyTorch's exceptions compare with latten's errors.

use latten::{Error, ErrorKind};

use crate::case::Raised;

/// Why a step gives no answer.
#[derive(Debug)]
pub enum Failure {
    /// The replayer doesn't know the operation, or not with such arguments.
    Unsupported(String),
    /// latten says no.
    Raised(Error),
    /// An operator panics, with the text of latten's error.
    Panicked(String),
    /// The types say no when the program is compiled.
    Uncompilable,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Raised(error)
    }
}

/// What a class of PyTorch's exceptions is here.
#[must_use]
pub fn kind_of(class: &str) -> Option<ErrorKind> {
    Some(match class {
        "RuntimeError" | "OverflowError" | "ZeroDivisionError" => ErrorKind::Runtime,
        "IndexError" => ErrorKind::Index,
        "TypeError" | "AttributeError" => ErrorKind::Type,
        "ValueError" | "KeyError" => ErrorKind::Value,
        "NotImplementedError" => ErrorKind::NotImplemented,
        _ => return None,
    })
}

/// Up to a newline, or a full stop and a space.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let stop = line.match_indices('.').find(|(at, _)| line[at + 1..].starts_with(char::is_whitespace));
    stop.map_or(line, |(at, _)| &line[..at])
}

/// How an error differs from the recorded exception, if it does.
#[must_use]
pub fn difference(error: &Error, recorded: &Raised) -> Option<String> {
    if kind_of(&recorded.kind) != Some(error.kind()) {
        return Some("an error of another kind".to_owned());
    }
    (!says(error.message(), recorded)).then(|| "an error with another message".to_owned())
}

/// Whether a message is that of the recorded exception, as far as it is to be compared.
#[must_use]
pub fn says(message: &str, recorded: &Raised) -> bool {
    !recorded.text || first_sentence(message.trim()) == first_sentence(recorded.message.trim())
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_sentence_ends_with_a_full_stop_and_a_space() {
        for (text, sentence) in [
            ("result type 1.5 can't", "result type 1.5 can't"),
            ("It failed. Call .coalesce() first", "It failed"),
            ("One line\nmore", "One line"),
            ("Ends with a stop.", "Ends with a stop."),
            ("of size [2, 3].\u{20} Two", "of size [2, 3]"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
