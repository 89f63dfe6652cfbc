//! The list of planted faults, and how one is planted.

use std::collections::BTreeSet;
use std::path::Path;

use xtask::mutants::{Mutant, listed, mutants, share};

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
fn each_fault_can_be_planted_in_the_code_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let planted = |mutant: &Mutant| {
        let text = std::fs::read_to_string(root.join(&mutant.path)).map_err(|error| format!("{}: {error}", mutant.path))?;
        mutant.planted(&text)
    };
    let faults: Vec<String> = listed().iter().filter_map(|mutant| planted(mutant).err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_share_is_a_range() {
    assert_eq!((share("10..20"), share("10"), share("a..b")), (Some(10..20), None, None));
}
