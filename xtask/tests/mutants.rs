//! The list of planted faults, and how one is planted.

use std::collections::BTreeSet;
use std::path::Path;

use xtask::faults::{Mutant, listed, mutants};
use xtask::mutants::share;
use xtask::switches::{SUPPORT, switched};

#[test]
fn a_list_has_files_and_faults() {
    let list = "# a comment\n\na.rs\n= test -p a\n- one\n| more\n+ two\n- three\n+ \n\nb.rs\n- x < y\n+ x <= y\n";
    let mutant = |path: &str, from: &str, to: &str, first: Option<&str>| {
        let [path, from, to] = [path, from, to].map(str::to_owned);
        Mutant { path, from, to, first: first.map(str::to_owned) }
    };
    let first = Some("test -p a");
    let expected = [mutant("a.rs", "one\nmore", "two", first), mutant("a.rs", "three", "", first), mutant("b.rs", "x < y", "x <= y", None)];
    assert_eq!(mutants(list), expected);
}

#[test]
fn a_fault_replaces_what_stands_there_once() {
    let [mutant] = &mutants("a.rs\n- x < y\n+ x <= y\n")[..] else { panic!("one fault") };
    assert_eq!(mutant.planted("if x < y { 1 }"), Ok("if x <= y { 1 }".to_owned()));
    assert!(mutant.planted("x < y, x < y").is_err_and(|why| why.starts_with("2 times")));
    assert!(mutant.planted("nothing").is_err_and(|why| why.starts_with("0 times")));
}

#[test]
fn the_faults_are_many_and_different() {
    let all = listed();
    assert!(all.len() >= 150, "{}", all.len());
    let different: BTreeSet<_> = all.iter().map(|mutant| (&mutant.path, &mutant.from, &mutant.to)).collect();
    assert_eq!(different.len(), all.len());
    for mutant in &all {
        assert!(mutant.from != mutant.to && !mutant.from.is_empty(), "{mutant:?}");
    }
}

#[test]
fn a_share_is_a_range() {
    assert_eq!((share("10..20"), share("10"), share("a..b")), (Some(10..20), None, None));
}

#[test]
fn a_fault_of_a_function_stands_beside_its_body() {
    let text = "impl A {\n    fn f(&self, x: [i32; 2]) -> bool {\n        if x[0] < 1 { true } else { false }\n    }\n}\n";
    let list = mutants("a.rs\n- x[0] < 1\n+ x[0] <= 1\n- { true }\n+ { false }\n");
    let faults: Vec<_> = list.iter().enumerate().map(|(i, mutant)| (i + 7, mutant)).collect();
    let (text, alone) = switched(text, &faults).expect("a file with its faults");
    assert!(alone.is_empty());
    let code: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        [r#"fault == "7")) } { if x[0] <= 1 { true }"#, r#"fault == "8")) } { if x[0] < 1 { false }"#, "else { if x[0] < 1 { true }"]
    {
        assert!(code.contains(part), "{part} isn't in {code}");
    }
}

#[test]
fn what_cannot_be_switched_is_planted_alone() {
    let text = "const A: u8 = 1;\nconst fn f() -> u8 { 2 }\nfn g() -> impl Fn() { || drop(3) }\nfn h() -> u8 { 4 }\n";
    let list = mutants("a.rs\n- 1\n+ 5\n- 2\n+ 5\n- 3\n+ 5\n- 4\n+ 5\n");
    let faults: Vec<_> = list.iter().enumerate().collect();
    assert_eq!(switched(text, &faults).map(|(_, alone)| alone), Ok(vec![0, 1, 2]));
}

#[test]
fn a_fault_of_a_formula_is_an_if_of_the_formula() {
    let text = "Add \"add\" { BOOLEAN: \"x | y\", REAL: \"x + y\" }";
    let list = mutants("tensor-spec/src/operation/table.rs\n- REAL: \"x + y\"\n+ REAL: \"x - y\"\n- \"add\"\n+ \"mul\" \"\"\n");
    let faults: Vec<_> = list.iter().enumerate().collect();
    let expected = text.replace("x + y", "if 1000000 == 1 { x - y } else { x + y }");
    assert_eq!(switched(text, &faults), Ok((expected, vec![1])));
}

#[test]
fn most_faults_can_be_switched() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of the repository");
    let list = listed();
    let paths: BTreeSet<_> = list.iter().map(|mutant| mutant.path.as_str()).collect();
    let alone: Vec<_> = paths
        .iter()
        .flat_map(|path| {
            let faults: Vec<_> = list.iter().enumerate().filter(|(_, mutant)| mutant.path == *path).collect();
            switched(&read(path), &faults).expect("a file with its faults").1
        })
        .map(|number| format!("{}: {}", list[number].path, list[number].to))
        .collect();
    assert!(alone.len() <= 3, "{} of {} are planted alone: {alone:#?}", alone.len(), list.len());
    for [path, from, _] in SUPPORT {
        assert_eq!(read(path).matches(from).count(), 1, "{path}: {from}");
    }
}
