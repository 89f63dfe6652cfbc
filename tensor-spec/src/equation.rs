//! Equations of `einsum`: read by the run time, and by the macro that gives their results types.

use crate::error::{Error, Result};

/// What stands in a list of subscripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// An index, as an ASCII letter.
    Letter(u8),
    /// `...`: dimensions that broadcast.
    Ellipsis,
}

/// The subscripts of each operand, and of the output where they are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// One list an operand.
    pub operands: Vec<Vec<Subscript>>,
    /// Which letters these have, in the order of the alphabet (capitals first), each with the number of its occurrences.
    pub letters: Vec<(u8, usize)>,
    output: Option<Vec<Subscript>>,
}

/// An error in the words of `einsum`.
///
/// # Errors
/// Always.
pub fn refuse<T>(text: impl std::fmt::Display) -> Result<T> {
    Err(Error::runtime(format!("einsum(): {text}")))
}

impl Equation {
    /// Reads an equation.
    ///
    /// # Errors
    /// Where something else than letters, spaces and an ellipsis stands in a list.
    pub fn parse(text: &str) -> Result<Self> {
        let arrow = text.find("->");
        let mut operands = Vec::new();
        let mut at = 0;
        for (number, list) in text[..arrow.unwrap_or(text.len())].split(',').enumerate() {
            operands.push(subscripts(list, at, Some(number))?);
            at += list.len() + 1;
        }
        let output = arrow.map(|arrow| subscripts(&text[arrow + 2..], arrow + 2, None)).transpose()?;
        Ok(Self { letters: occurrences(&operands), operands, output })
    }

    /// That there are as many operands as lists.
    ///
    /// # Errors
    /// Where there are more or fewer.
    pub fn check_count(&self, operands: usize) -> Result<()> {
        match self.operands.len() {
            lists if lists > operands => refuse("fewer operands were provided than specified in the equation"),
            lists if lists < operands => refuse("more operands were provided than specified in the equation"),
            _ => Ok(()),
        }
    }

    /// The subscripts of the output. Where they aren't given the ellipsis comes first, then every letter that occurs once.
    ///
    /// # Errors
    /// Where a letter stands there twice, or in no operand.
    pub fn output(&self) -> Result<Vec<Subscript>> {
        let Some(output) = &self.output else {
            let once = self.letters.iter().filter(|(_, count)| *count == 1).map(|&(letter, _)| Subscript::Letter(letter));
            return Ok(std::iter::once(Subscript::Ellipsis).chain(once).collect());
        };
        for (at, subscript) in output.iter().enumerate() {
            let Subscript::Letter(letter) = *subscript else { continue };
            let name = char::from(letter);
            if output[..at].contains(subscript) {
                return refuse(format!("output subscript {name} appears more than once in the output"));
            }
            if !self.letters.iter().any(|(other, _)| *other == letter) {
                return refuse(format!("output subscript {name} does not appear in the equation for any input operand"));
            }
        }
        Ok(output.clone())
    }
}

fn occurrences(operands: &[Vec<Subscript>]) -> Vec<(u8, usize)> {
    let mut letters: Vec<(u8, usize)> = Vec::new();
    for subscript in operands.iter().flatten() {
        let Subscript::Letter(letter) = *subscript else { continue };
        match letters.iter_mut().find(|(other, _)| *other == letter) {
            Some((_, count)) => *count += 1,
            None => letters.push((letter, 1)),
        }
    }
    letters.sort_unstable();
    letters
}

/// One list of subscripts, which begins at byte `start` of the equation.
fn subscripts(list: &str, start: usize, operand: Option<usize>) -> Result<Vec<Subscript>> {
    let mut found = Vec::new();
    let bytes = list.as_bytes();
    let place = operand.map_or_else(|| "output".to_owned(), |number| format!("operand {number}"));
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' => {}
            letter if letter.is_ascii_alphabetic() => found.push(Subscript::Letter(letter)),
            b'.' if found.contains(&Subscript::Ellipsis) => {
                return refuse(format!("found '.' for {place} for which an ellipsis was already found"));
            }
            b'.' if bytes[at..].starts_with(b"...") => {
                found.push(Subscript::Ellipsis);
                at += 2;
            }
            b'.' => {
                let dots = if operand.is_none() { " (...)" } else { "" };
                return refuse(format!("found '.' for {place} that is not part of any ellipsis{dots}"));
            }
            _ => {
                let at = start + at;
                return refuse(format!("invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"));
            }
        }
        at += 1;
    }
    Ok(found)
}
