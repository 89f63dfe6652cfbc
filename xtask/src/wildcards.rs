//! A match over the dtypes, the operations or the reductions names them all: a new row of a table then is a compile error in each place that
//! has to know it. An arm for all others says why it is right for rows to come, in a comment `// others: …`.
//! Clippy's `wildcard_enum_match_arm` knows no single enums: it would ask this of every enum.

use crate::source::{Fault, SourceFile, Tree, code_only, item_length, line_of, without_tests, words};

const RULE: &str = "wildcard";

/// The enums whose variants are rows of a table, and the file in which `Self` is one.
const TABLES: [(&str, &str); 3] =
    [("DType", "tensor-spec/src/dtype.rs"), ("Op", "tensor-spec/src/operation.rs"), ("Reduction", "tensor-spec/src/reduction.rs")];

/// Every arm that takes the rows that nobody named, and doesn't say why.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let sources = tree.rust().filter(|file| file.path.contains("src/") && !file.path.contains("tests"));
    sources.flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Fault> {
    let code = without_tests(&code_only(&file.text));
    let names: Vec<String> = TABLES
        .iter()
        .flat_map(|(name, home)| [Some(format!("{name}::")), (*home == file.path).then(|| "Self::".to_owned())])
        .flatten()
        .collect();
    let mut faults = Vec::new();
    for (at, _) in words(&code).filter(|(_, word)| *word == "match") {
        let arms = patterns(&code, at + "match".len());
        for (start, pattern) in arms.iter().filter(|(_, pattern)| takes_others(pattern, &arms, &names)) {
            let line = line_of(&code, *start);
            if !is_explained(&file.text, line) {
                let text =
                    format!("`{pattern} =>` takes rows of a table that nobody named: name them, or say why in `// others: …` above it");
                faults.push(file.fault(line, RULE, text));
            }
        }
    }
    faults
}

/// The patterns of a match whose value begins at `from`, each with its offset; one with a condition leaves its rows to the arms below it.
fn patterns(code: &str, from: usize) -> Vec<(usize, &str)> {
    let Some(open) = at_depth_zero(&code[from..], &["{"]).map(|(at, _)| from + at) else { return Vec::new() };
    let close = open + item_length(&code[open..]);
    let (mut at, mut found) = (open + 1, Vec::new());
    while at < close {
        let start = at + code[at..close].len() - code[at..close].trim_start().len();
        let Some((length, _)) = at_depth_zero(&code[start..close], &["=>"]) else { break };
        let pattern = code[start..start + length].trim();
        if !words(pattern).any(|(_, word)| word == "if") {
            found.push((start, pattern));
        }
        let body = start + length + "=>".len();
        let inner = body + code[body..close].len() - code[body..close].trim_start().len();
        let end = if code[inner..].starts_with('{') { inner + item_length(&code[inner..]) } else { inner };
        at = match at_depth_zero(&code[end..close], &[","]) {
            // Behind a block the comma may be left out: then the next comma belongs to a later arm.
            Some((comma, _)) if end == inner || code[end..end + comma].trim().is_empty() => end + comma + 1,
            Some(_) => end,
            None if end == inner => close,
            None => end,
        };
    }
    found
}

/// Where the first of these marks stands outside brackets. An opening brace is looked for before it counts as one.
fn at_depth_zero<'a>(code: &str, marks: &[&'a str]) -> Option<(usize, &'a str)> {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate() {
        if depth == 0
            && let Some(mark) = marks.iter().find(|mark| code.as_bytes()[offset..].starts_with(mark.as_bytes()))
        {
            return Some((offset, mark));
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The pieces of a text between marks that stand outside brackets.
fn split<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let (mut rest, mut parts) = (text, Vec::new());
    while let Some((at, _)) = at_depth_zero(rest, &[mark]) {
        parts.push(rest[..at].trim());
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest.trim());
    parts
}

/// The parts of a pattern of a tuple, in each of its alternatives; of any other pattern itself.
fn parts(pattern: &str) -> Vec<Vec<&str>> {
    let tuple = |text: &'_ str| text.starts_with('(') && text.ends_with(')');
    split(pattern, "|").into_iter().map(|one| if tuple(one) { split(&one[1..one.len() - 1], ",") } else { vec![one] }).collect()
}

/// In which parts of its tuple a pattern names rows.
fn places_of_rows(parts: &[&str], names: &[String]) -> Vec<usize> {
    let is_row = |part: &str| split(part, "|").iter().any(|one| names.iter().any(|name| one.starts_with(name.as_str())));
    (0..parts.len()).filter(|&place| is_row(parts[place])).collect()
}

/// Whether a pattern takes any row where one of the `others` names some: alone, or in a part of a tuple whose other parts could be the same.
fn takes_others(pattern: &str, others: &[(usize, &str)], names: &[String]) -> bool {
    let named = |place: usize, other: &[&str]| places_of_rows(other, names).contains(&place);
    parts(pattern).iter().any(|mine| match mine.as_slice() {
        [whole] if takes_all(whole) => {
            others.iter().flat_map(|(_, other)| parts(other)).any(|other| !places_of_rows(&other, names).is_empty())
        }
        mine => others.iter().flat_map(|(_, other)| parts(other)).any(|other| {
            let meets = |at: usize| takes_all(mine[at]) || takes_all(other[at]) || head(mine[at]) == head(other[at]);
            mine.len() == other.len()
                && (0..mine.len()).any(|place| takes_all(mine[place]) && named(place, &other) && (0..mine.len()).all(meets))
        }),
    })
}

/// Whether a pattern is `_` or a name, and so takes anything.
fn takes_all(part: &str) -> bool {
    part != "true" && part != "false" && part.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The variant that a pattern names.
fn head(part: &str) -> &str {
    part.split(['(', '{', ' ']).next().unwrap_or_default()
}

/// Whether a comment of the lines above an arm, or behind it, says why it takes all others.
fn is_explained(text: &str, line: usize) -> bool {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let (arm, above) = lines.split_last().map_or(("", &[][..]), |(arm, above)| (*arm, above));
    let comments = above.iter().rev().map(|line| line.trim_start()).take_while(|line| line.starts_with("//"));
    let reason = |line: &str| line.split_once("// others: ").is_some_and(|(_, reason)| !reason.is_empty());
    reason(arm) || comments.into_iter().any(reason)
}
