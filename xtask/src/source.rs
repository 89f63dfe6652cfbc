//! The repository's files as text, and Rust source reduced to its code: comments and literals become spaces, so that
//! offsets and lines stay what they were. The rules in `tidy` and `order` look at nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs, io};

/// One text file; `path` is relative to the repository's root, with `/` between its parts.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Where it lies.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// A rule broken in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The short name of the rule.
    pub rule: &'static str,
    /// What is wrong here.
    pub text: String,
}

impl SourceFile {
    /// A fault in this file.
    #[must_use]
    pub fn fault(&self, line: usize, rule: &'static str, text: impl Into<String>) -> Fault {
        Fault { path: self.path.clone(), line, rule, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} [{}]", self.path, self.line, self.text, self.rule)
    }
}

/// The text files of a repository, or of a planted one in a test.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The files, sorted by path.
    pub files: Vec<SourceFile>,
}

impl Tree {
    /// The files that git knows or would add. Where git doesn't answer (an unpacked archive), all but build outputs.
    ///
    /// # Errors
    /// Where a file or a folder can't be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut paths = git_files(root).map_or_else(|| walk(root), Ok)?;
        paths.sort();
        let mut tree = Self::default();
        for path in paths.iter().filter(|path| root.join(path).is_file()) {
            // Recorded cases may be compressed: what isn't text has no rules.
            if let Ok(text) = String::from_utf8(fs::read(root.join(path))?) {
                tree.files.push(SourceFile { path: path.to_string_lossy().replace('\\', "/"), text });
            }
        }
        Ok(tree)
    }

    /// The file at that path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

fn git_files(root: &Path) -> Option<Vec<PathBuf>> {
    let listed =
        Command::new("git").current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output().ok()?;
    let names = String::from_utf8(listed.stdout).ok()?;
    listed.status.success().then(|| names.split_terminator('\0').map(PathBuf::from).collect())
}

fn walk(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                found.extend(entry.path().strip_prefix(root).map(Path::to_path_buf));
            } else if entry.file_name() != "target" && entry.file_name() != ".git" {
                folders.push(entry.path());
            }
        }
    }
    Ok(found)
}

/// The line of an offset, counted from 1.
#[must_use]
pub fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The words of a text with their offsets: runs of letters, digits and `_`.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter_map(move |word| {
        let start = at;
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start, word))
    })
}

/// The source with comments, strings and characters blanked.
#[must_use]
pub fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (end, is_code) = token(text, at);
        if is_code {
            code.push_str(&text[at..end]);
        } else {
            blank(&text[at..end], &mut code);
        }
        at = end;
    }
    code
}

fn blank(text: &str, into: &mut String) {
    into.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

/// Where the token that starts at `at` ends, and whether it is code.
fn token(text: &str, at: usize) -> (usize, bool) {
    let rest = &text[at..];
    let after = |pattern: &str, from: usize| text[from..].find(pattern).map_or(text.len(), |found| from + found + pattern.len());
    if rest.starts_with("//") {
        return (rest.find('\n').map_or(text.len(), |length| at + length), false);
    }
    if rest.starts_with("/*") {
        return (block_comment_end(text, at), false);
    }
    if rest.starts_with('"') {
        return (string_end(text, at + 1), false);
    }
    if let Some(quoted) = rest.strip_prefix('\'') {
        let first = quoted.chars().next();
        let width = first.map_or(0, char::len_utf8);
        return match first {
            Some('\\') => (after("'", (at + 3).min(text.len())), false),
            Some(_) if quoted[width..].starts_with('\'') => (at + 2 + width, false),
            _ => (at + 1, true), // a lifetime
        };
    }
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    if matches!(&rest[..word], "r" | "br" | "cr") {
        let hashes = rest[word..].len() - rest[word..].trim_start_matches('#').len();
        if rest[word + hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            return (after(&close, at + word + hashes + 1), false);
        }
    }
    (at + word.max(rest.chars().next().map_or(1, char::len_utf8)), true)
}

fn string_end(text: &str, from: usize) -> usize {
    let mut escaped = false;
    for (offset, c) in text[from..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return from + offset + 1,
            _ => {}
        }
    }
    text.len()
}

fn block_comment_end(text: &str, at: usize) -> usize {
    let (mut depth, mut end) = (0_usize, at);
    while end < text.len() {
        let rest = &text.as_bytes()[end..];
        let (deeper, step) = if rest.starts_with(b"/*") {
            (1, 2)
        } else if rest.starts_with(b"*/") {
            (-1, 2)
        } else {
            (0, 1)
        };
        depth = depth.saturating_add_signed(deeper);
        end += step;
        if depth == 0 {
            break;
        }
    }
    end
}

/// Code (as [`code_only`] gives it) with the items under `#[cfg(test)]` blanked.
#[must_use]
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut rest) = (String::with_capacity(code.len()), code);
    while let Some(start) = rest.find(MARK) {
        let end = start + MARK.len() + item_length(&rest[start + MARK.len()..]);
        kept.push_str(&rest[..start]);
        blank(&rest[start..end], &mut kept);
        rest = &rest[end..];
    }
    kept + rest
}

/// How far the item at the start of `code` reaches: to its `;`, or to the brace that closes it.
pub(crate) fn item_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return offset + 1;
                }
            }
            b';' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::{code_only, line_of, without_tests, words};

    #[test]
    fn code_keeps_its_offsets_and_loses_comments_and_literals() {
        let cases = [
            ("a // b\nc", "a c"),
            ("a /* b /* c */ d */ e", "a e"),
            (r#"f("x \" y", 1)"#, "f( , 1)"),
            ("r#\"a\"b\"# c r#d", "c r#d"),
            ("br\"a\\\" c", "c"),
            (r"'\'' 'é' &'a str '{'", "&'a str"),
            ("é '\\u{41}' x", "é x"),
            ("a /* b", "a"),
            ("a \"b\n", "a"),
        ];
        for (text, expected) in cases {
            let code = code_only(text);
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "of {text}");
            assert_eq!((code.len(), code.lines().count()), (text.len(), text.lines().count()), "of {text}");
        }
    }

    #[test]
    fn test_items_are_left_out() {
        let code = "a; #[cfg(test)] mod t { f(x[1;2]) { } } b; #[cfg(test)]\nmod u; c";
        assert_eq!(without_tests(code).split_whitespace().collect::<Vec<_>>(), ["a;", "b;", "c"]);
        assert_eq!(without_tests(code).len(), code.len());
    }

    #[test]
    fn words_know_where_they_are() {
        assert_eq!(words("é.ab\ncd!").collect::<Vec<_>>(), [(0, "é"), (3, "ab"), (6, "cd")]);
        assert_eq!(line_of("é.ab\ncd!", 6), 2);
    }
}
