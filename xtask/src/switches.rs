//! Many planted faults in one build: each stands beside what it replaces, and `LATTEN_FAULT` says which one counts in a run. A fault in the
//! body of a function makes the body twice, one in a formula becomes an `if` of the formula. Others can't be switched.

use std::fmt::Write as _;
use std::ops::Range;

use crate::faults::Mutant;
use crate::source::{code_only, item_length, words};

/// The variable of the environment that chooses the fault, by its number in the list.
pub const VARIABLE: &str = "LATTEN_FAULT";

/// Where formulas are strings.
const FORMULAS: &str = "tensor-spec/src/operation/";

/// What formulas call the fault of number 0: no formula of the library has a number like that, and all that formulas write are floats here.
const FIRST: usize = 1_000_000;

/// What makes numbers of formulas switches: a file, what stands there once, and what is put there instead.
pub const SUPPORT: [[&str; 3]; 3] = [
    [
        "tensor-elements/src/loops/vocabulary.rs",
        "    T::cast_from(number)\n",
        "    if number < 1e6 {
        return T::cast_from(number);
    }
    static FAULT: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    let planted = || std::env::var(\"LATTEN_FAULT\").ok().and_then(|fault| fault.parse().ok()).unwrap_or(-1.0);
    T::cast_from(f64::from(number == 1e6 + *FAULT.get_or_init(planted)))\n",
    ],
    [
        "tensor-macros/src/kernels.rs",
        "            quote! { constant(#number) }",
        "            if text.len() > 8 && text.starts_with(\"1000\") && text.ends_with(\".0\") { quote! { constant::<f64>(#number) } } \
         else { quote! { constant(#number) } }",
    ],
    [
        "tensor-kernel/src/check.rs",
        "        ExprNode::Number(text) if category == Category::Boolean =>",
        "        ExprNode::Number(text) if category == Category::Boolean && text.len() < 7 && text != \"1\" =>",
    ],
];

/// A file with those faults in it that can be switched, and the numbers of the others.
///
/// # Errors
/// Where what a fault replaces isn't there once.
pub fn switched(text: &str, faults: &[(usize, &Mutant)]) -> Result<(String, Vec<usize>), String> {
    let code = code_only(text);
    let (mut places, mut alone) = (Vec::<Place>::new(), Vec::new());
    for &(number, mutant) in faults {
        mutant.planted(text)?;
        let at = text.find(&mutant.from).unwrap_or_default();
        let found = if mutant.path.starts_with(FORMULAS) { formula(number, mutant, at) } else { body(number, mutant, text, &code, at) };
        let overlaps = |found: &Place| places.iter().any(|place| place.range != found.range && place.meets(found));
        match found.filter(|found| !overlaps(found)) {
            Some(found) => match places.iter_mut().find(|place| place.range == found.range) {
                Some(place) => place.faults.extend(found.faults),
                None => places.push(found),
            },
            None => alone.push(number),
        }
    }
    places.sort_by_key(|place| place.range.start);
    let (mut result, mut at) = (String::new(), 0);
    for place in &places {
        result.push_str(&text[at..place.range.start]);
        place.write(text, &mut result);
        at = place.range.end;
    }
    Ok((result + &text[at..], alone))
}

/// What one or several faults replace: the body of a function, within its braces, or a formula, within its quotes.
struct Place {
    range: Range<usize>,
    is_formula: bool,
    /// The number of each, and the body or formula with it.
    faults: Vec<(usize, String)>,
}

impl Place {
    fn meets(&self, other: &Self) -> bool {
        self.range.start < other.range.end && other.range.start < self.range.end
    }

    fn write(&self, text: &str, into: &mut String) {
        let sound = &text[self.range.clone()];
        if self.is_formula {
            let chain = self.faults.iter().fold(sound.to_owned(), |otherwise, (number, faulty)| {
                format!("if {} == 1 {{ {faulty} }} else {{ {otherwise} }}", FIRST + number)
            });
            into.push_str(&chain);
            return;
        }
        for (number, faulty) in &self.faults {
            let planted = format!(
                "{{ static PLANTED: std::sync::OnceLock<bool> = std::sync::OnceLock::new(); \
                 *PLANTED.get_or_init(|| std::env::var(\"{VARIABLE}\").is_ok_and(|fault| fault == \"{number}\")) }}"
            );
            let _ = write!(into, " if {planted} {{{faulty}}} else");
        }
        let _ = write!(into, " {{{sound}}} ");
    }
}

/// The one formula in which a fault differs from what it replaces.
fn formula(number: usize, mutant: &Mutant, at: usize) -> Option<Place> {
    let (from, to): (Vec<_>, Vec<_>) = (mutant.from.split('"').collect(), mutant.to.split('"').collect());
    let differ: Vec<usize> = (0..from.len().max(to.len())).filter(|&i| from.get(i) != to.get(i)).collect();
    let &[one] = &differ[..] else { return None };
    let start = at + from[..one].iter().map(|part| part.len() + 1).sum::<usize>();
    let place = Place { range: start..start + from[one].len(), is_formula: true, faults: vec![(number, to[one].to_owned())] };
    (one % 2 == 1).then_some(place)
}

/// The body of the innermost function around a fault.
fn body(number: usize, mutant: &Mutant, text: &str, code: &str, at: usize) -> Option<Place> {
    let end = at + mutant.from.len();
    let mut open = Vec::new();
    for (offset, byte) in code.bytes().enumerate().take(at) {
        match byte {
            b'{' => open.push(offset),
            b'}' => drop(open.pop()),
            _ => {}
        }
    }
    let start = open.into_iter().rev().find(|&brace| is_body(&code[..brace]).is_some())?;
    // A constant function asks no environment, and two bodies have two types behind an `impl`.
    if is_body(&code[..start])? == Switchable::No {
        return None;
    }
    let range = start + 1..start + item_length(&code[start..]) - 1;
    let faulty = format!("{}{}{}", &text[range.start..at], mutant.to, &text[end..range.end.max(end)]);
    (end <= range.end).then(|| Place { range, is_formula: false, faults: vec![(number, faulty)] })
}

#[derive(PartialEq, Eq)]
enum Switchable {
    Yes,
    No,
}

/// Whether a brace after this code opens the body of a function.
fn is_body(before: &str) -> Option<Switchable> {
    let header = &before[before.rfind(['{', '}']).map_or(0, |brace| brace + 1)..];
    let at = words(header).filter(|(_, word)| *word == "fn").last()?.0;
    let (qualifiers, signature) = header.split_at(at);
    let mut depth = 0_isize;
    for byte in signature.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            // The function had no body, or the brace is that of a constant.
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    let qualifiers = &qualifiers[qualifiers.rfind([';', ']']).map_or(0, |end| end + 1)..];
    let result = signature.split_once("->").map_or("", |(_, result)| result);
    let is_fixed = words(qualifiers).any(|(_, word)| word == "const") || words(result).any(|(_, word)| word == "impl");
    Some(if is_fixed { Switchable::No } else { Switchable::Yes })
}
