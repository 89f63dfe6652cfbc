//! Runs the cases, and holds what they say to the rules for messages.

use std::collections::BTreeSet;
use std::{env, fs};

use latten_spec::lattice::join;
use ui_tests::{faults, generated, plain, printed_name, refused, root, rust_name};

/// Set to write the generated cases anew; `TRYBUILD=overwrite` does the same for what the compiler says.
fn update() -> bool {
    env::var_os("UPDATE_GOLDEN").is_some()
}

#[test]
fn cases() {
    for file in generated() {
        let path = root().join(&file.path);
        if update() {
            fs::write(&path, &file.text).expect("the cases can be written");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == file.text, "{} doesn't follow from the tables; UPDATE_GOLDEN=1 writes it anew", file.path.display());
    }
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.compile_fail("fail/*.rs");
}

#[test]
fn every_refused_pair_says_so() {
    let mut missing = Vec::new();
    for (output, operand) in refused() {
        let path = root().join(format!("fail/multiplying_{}_in_place_by_what_it_cannot_hold.stderr", rust_name(output)));
        let stderr = plain(&fs::read_to_string(&path).unwrap_or_default());
        let (result, output_name) = (printed_name(join(output, operand)), printed_name(output));
        let message = format!("result type `{result}` can't be cast to the desired output type `{output_name}`");
        let function = format!("fn {}_by_{}(", rust_name(output), rust_name(operand));
        let said = stderr.split("\n\n").filter(|block| block.contains(&message)).count();
        let expected = refused().filter(|&(o, other)| o == output && join(o, other) == join(output, operand)).count();
        if said != expected {
            missing.push(format!("{function}): `{message}` stands {said} times, not {expected}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What rustc says by itself, where no message of ours can stand.
const RUSTC: [&str; 7] = ["error[E0061]", "error[E0107]", "error[E0308]", "error[E0499]", "error[E0502]", "error[E0599]", "error[E0369]"];

#[test]
fn at_least_fifty_mistakes_have_a_message_of_ours() {
    let mut messages = BTreeSet::new();
    for entry in fs::read_dir(root().join("fail")).expect("the cases are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            let stderr = fs::read_to_string(&path).expect("the file can be read");
            let first = |line: &&str| line.starts_with("error") && !RUSTC.iter().any(|code| line.starts_with(code));
            messages.extend(stderr.lines().filter(first).map(plain));
        }
    }
    // The pairs of dtypes that can't be cast are one mistake, whatever the dtypes.
    messages.retain(|message| !message.contains("can't be cast to the desired output type"));
    println!("{} messages", messages.len());
    assert!(messages.len() >= 50, "only {} different messages:\n{messages:#?}", messages.len());
}

#[test]
fn messages_come_to_the_point() {
    let mut all = Vec::new();
    for entry in fs::read_dir(root().join("fail")).expect("the cases are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            let stderr = fs::read_to_string(&path).expect("the file can be read");
            all.extend(faults(&stderr).into_iter().map(|fault| format!("{}: {fault}", path.display())));
        } else {
            assert!(path.with_extension("stderr").exists(), "{} has no .stderr", path.display());
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
