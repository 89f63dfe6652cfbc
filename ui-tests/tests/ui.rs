//! Runs the cases, and holds what they say to the rules for messages.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use latten_spec::lattice::join;
use ui_tests::{faults, generated, plain, printed_name, refused, root, rust_name};

/// Set to write the generated cases anew; `TRYBUILD=overwrite` does the same for what the compiler says.
fn update() -> bool {
    env::var_os("UPDATE_GOLDEN").is_some()
}

/// What rustc only sees when it makes the code of a program.
const WHEN_BUILT: [&str; 5] = [
    "a_chooser_behind_all_dimensions",
    "choosers_that_are_not_borrowed",
    "expanding_another_size",
    "reshaping_to_another_number_of_elements",
    "the_only_one_of_two",
];

/// Cases that have only to be checked: by one cargo, on all cores.
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
    for entry in fs::read_dir(root().join("fail")).expect("the cases are there") {
        let name = entry.expect("a file").file_name();
        let case = name.to_str().and_then(|name| name.strip_suffix(".rs")).filter(|case| !WHEN_BUILT.contains(case));
        // As it is to stand in the messages: no absolute path.
        case.into_iter().for_each(|case| cases.compile_fail(format!("fail/{case}.rs")));
    }
}

/// What rustc says when it makes the code of a case, without what every message ends with and where ours stands in its file.
fn said_when_built(case: &str) -> String {
    let deps = env::current_exe().expect("this program").parent().expect("its folder").to_owned();
    let libraries = fs::read_dir(&deps).expect("it can be read").flatten().filter(|file| {
        let name = file.file_name();
        name.to_str().is_some_and(|name| name.starts_with("liblatten-") && name.ends_with(".rlib"))
    });
    // What this program is built with, or of the same sources.
    let newest =
        libraries.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok()).expect("this program is built with one");
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--crate-name=case", "--emit=obj", "--diagnostic-width=140", "--color=never"])
        .arg("-o")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{case}.o")))
        .arg(format!("-Ldependency={}", deps.display()))
        .arg(format!("--extern=latten={}", newest.path().display()))
        .arg(format!("fail/{case}.rs"))
        .current_dir(root())
        .output()
        .expect("rustc is here");
    assert!(!output.status.success(), "{case} compiles");
    let text = String::from_utf8(output.stderr).expect("a text");
    let (said, _) = text.split_once("\n\nerror: aborting due to").unwrap_or_else(|| panic!("{case}: {text}"));
    let place = |line: &str| match line.split_once(".rs:") {
        Some((file, _)) if file.starts_with(" --> tensor-") || file.starts_with(" ::: tensor-") => format!("{file}.rs\n"),
        _ => format!("{line}\n"),
    };
    // Where rustc has put a type that it shortened is of this machine.
    let elsewhere = |line: &&str| !line.contains("the full name for the type") && !line.contains("using `--verbose`");
    said.lines().filter(elsewhere).map(place).collect()
}

/// trybuild would compile latten once more for these, to have more than its types.
#[test]
fn cases_that_are_built() {
    for case in WHEN_BUILT {
        let (said, recorded) = (said_when_built(case), root().join(format!("fail/{case}.stderr")));
        if env::var_os("TRYBUILD").is_some_and(|what| what == "overwrite") {
            fs::write(&recorded, &said).expect("what it says can be written");
        }
        let expected = fs::read_to_string(&recorded).unwrap_or_default();
        assert_eq!(said, expected, "{case}: if that is what it should say, `cargo xtask bless` records it");
    }
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
