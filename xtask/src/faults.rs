//! The list of faults: `mutants.txt`.

const LIST: &str = include_str!("../mutants.txt");

/// A fault: text that stands once in a file, and what is put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The file, from the root of the repository.
    pub path: String,
    /// What stands there.
    pub from: String,
    /// What is put there.
    pub to: String,
    /// What cargo runs first, where the list names tests for the file.
    pub first: Option<String>,
}

impl Mutant {
    /// How it is shown.
    #[must_use]
    pub fn name(&self) -> String {
        let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: {} => {}", self.path, word(&self.from), word(&self.to))
    }

    /// The text of a file with the fault in it.
    ///
    /// # Errors
    /// Where what it replaces isn't there once.
    pub fn planted(&self, text: &str) -> Result<String, String> {
        let count = text.matches(&self.from).count();
        once(text, &self.from, &self.to).ok_or_else(|| format!("{count} times in the file: {}", self.name()))
    }
}

/// The text with something else in the place of what stands there once.
#[must_use]
pub fn once(text: &str, from: &str, to: &str) -> Option<String> {
    (text.matches(from).count() == 1).then(|| text.replacen(from, to, 1))
}

/// All faults of a list.
#[must_use]
pub fn mutants(list: &str) -> Vec<Mutant> {
    let (mut found, mut path, mut first, mut in_to) = (Vec::<Mutant>::new(), "", None, false);
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(tests) = line.strip_prefix("= ") {
            first = Some(tests.to_owned());
            continue;
        }
        match (line.strip_prefix("- "), line.strip_prefix("+ "), line.strip_prefix("| "), found.last_mut()) {
            (Some(from), ..) => {
                found.push(Mutant { path: path.to_owned(), from: from.to_owned(), to: String::new(), first: first.clone() });
                in_to = false;
            }
            (_, Some(to), _, Some(last)) => {
                last.to.push_str(to);
                in_to = true;
            }
            (_, _, Some(more), Some(last)) => {
                let text = if in_to { &mut last.to } else { &mut last.from };
                text.push('\n');
                text.push_str(more);
            }
            _ => (path, first) = (line, None),
        }
    }
    found
}

/// The list as it is in the repository.
#[must_use]
pub fn listed() -> Vec<Mutant> {
    mutants(LIST)
}
