//! The repository is tidy, and each rule finds a fault that is planted for it.

use xtask::command::root;
use xtask::source::{SourceFile, Tree};
use xtask::tidy;

#[test]
fn the_repository_is_tidy() {
    let tree = Tree::read(&root()).expect("the repository can be read");
    assert!(tree.file("xtask/tests/tidy.rs").is_some(), "the files were found");
    let faults: Vec<String> = tidy::check(&tree).iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Plants these files, and expects these faults as `path:line rule`.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let files = files.iter().map(|(path, text)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
    let faults = tidy::check(&Tree { files });
    let found: Vec<String> = faults.iter().map(|fault| format!("{}:{} {}", fault.path, fault.line, fault.rule)).collect();
    assert_eq!(found, expected, "{faults:#?}");
}

/// A crate whose order is a, b, c, with this text in `b` and in `b/inner`.
#[track_caller]
fn check_order(b: &str, inner: &str, expected: &[&str]) {
    let lib = "//! x\npub mod a;\npub mod __private { pub use a::X; }\nmod b;\npub mod c;\n#[cfg(test)]\nmod tests;\npub use c::Late;\npub use a::{Early, deep::Deeper};\n";
    let (b, inner) = (format!("//! x\n{b}"), format!("//! x\n{inner}"));
    let files = [
        ("tensor-core/src/lib.rs", lib),
        ("tensor-core/src/a.rs", "//! x\n"),
        ("tensor-core/src/b.rs", &b),
        ("tensor-core/src/b/inner.rs", &inner),
        ("tensor-core/src/c.rs", "//! x\nuse crate::{a, b::inner};\n"),
        ("tensor-core/src/tests.rs", "//! x\nuse crate::c;\n"),
    ];
    check(&files, expected);
}

#[test]
fn a_module_uses_only_those_before_it() {
    let fault = "tensor-core/src/b.rs:2 module-order";
    check_order(
        "use crate::a::X;\nuse crate::__private::X;\nuse crate::{Early, a::{c, d}};\n",
        "use crate::b::Y;\nuse super::super::a;\nuse super::c;\n",
        &[],
    );
    check_order("use crate::c::X;\n", "", &[fault]);
    check_order("use crate::{a::{X, Y},\n    c::Z};\n", "", &["tensor-core/src/b.rs:3 module-order"]);
    check_order("fn f() { crate::c::g() }\n", "", &[fault]);
    check_order("macro_rules! m { () => { $crate::c::g() } }\n", "", &[fault]);
    check_order("use super::c;\n", "", &[fault]);
    check_order("use crate::Late;\n", "", &[fault]);
    check_order("", "use super::super::c::X;\n", &["tensor-core/src/b/inner.rs:2 module-order"]);
}

/// A room with the modules x, y and z, which have these texts; `z` has a module `deep` with the last one.
#[track_caller]
fn check_room([x, y, z, deep]: [&str; 4], expected: &[&str]) {
    let [x, y, z, deep] = [x, y, z, deep].map(|text| format!("//! x\n{text}"));
    let files = [
        ("tensor-core/src/lib.rs", "//! x\nmod room;\n"),
        ("tensor-core/src/room.rs", "//! x\nmod x;\nmod y;\nmod z;\npub use y::Known;\nstruct Own;\n"),
        ("tensor-core/src/room/x.rs", &x),
        ("tensor-core/src/room/y.rs", &y),
        ("tensor-core/src/room/z.rs", &z),
        ("tensor-core/src/room/z/deep.rs", &deep),
    ];
    check(&files, expected);
}

#[test]
fn modules_of_a_room_do_not_use_each_other_in_circles() {
    let fault = |file: &str, line: usize| format!("tensor-core/src/room/{file}.rs:{line} module-circle");
    let all = |faults: &[(&str, usize)]| faults.iter().map(|(file, line)| fault(file, *line)).collect::<Vec<_>>();
    let check_room = |texts, faults: &[(&str, usize)]| {
        let faults = all(faults);
        check_room(texts, &faults.iter().map(String::as_str).collect::<Vec<_>>());
    };
    check_room(["use super::Own;\nuse super::y;\n", "use super::z;\n", "", "use super::super::Own;\n"], &[]);
    check_room(["use super::y::A;\n", "use crate::room::x::B;\n", "", ""], &[("x", 2), ("y", 2)]);
    check_room(["use super::{Own, y::A};\n", "use super::z;\n", "fn f() { super::x::g() }\n", ""], &[("x", 2), ("y", 2), ("z", 2)]);
    // By a name that the room re-exports, and from below.
    check_room(["", "use super::z;\n", "use super::Known;\n", ""], &[("y", 2), ("z", 2)]);
    check_room(["", "use super::z;\n", "", "\nuse super::super::y;\n"], &[("y", 2), ("z/deep", 3)]);
    // What only tests use is no circle, and neither is what a module has below itself.
    check_room(["use super::y;\n", "#[cfg(test)]\nmod tests {\n    use super::super::x;\n}\n", "mod deep;\n", "use super::X;\n"], &[]);
}

#[test]
fn the_name_of_a_type_has_one_meaning() {
    let one = "//! x\npub(crate) struct Walk;\ntype Step = Walk;\n#[cfg(test)]\nmod tests {\n    struct Block;\n}\n";
    let check_names = |other: &str, home: &str, expected: &[&str]| {
        let (other, lib) = (format!("//! x\n{other}\n"), "//! x\nmod one;\nmod two;\n");
        check(&[("tensor-core/src/lib.rs", lib), ("tensor-core/src/one.rs", one), (&format!("{home}/src/two.rs"), &other)], expected);
    };
    let fault = "tensor-core/src/two.rs:2 type-name";
    check_names("enum Walk {}", "tensor-core", &[fault]);
    check_names("pub trait Walk {}", "tensor-core", &[fault]);
    check_names("union Walk { a: u8 }", "tensor-core", &[fault]);
    // An alias, a name of another crate or of a test, and what stands in a block.
    check_names("type Step = u8;\nstruct Block;\nfn f() {\n    struct Walk;\n}", "tensor-core", &[]);
    check_names("struct Walk;", "tensor-io", &[]);
}

#[test]
fn what_computes_is_called_through_one_gate() {
    let views = "//! x\nimpl RawTensor {\n    pub fn view(&self) {}\n    pub fn item(&self) {}\n}\n";
    let typed = |text: &str, expected: &[&str]| {
        let text = format!("//! x\n{text}\n");
        let lib = "//! x\nmod views;\nmod joins;\nmod tensor;\n";
        let files = [
            ("tensor-core/src/lib.rs", lib),
            ("tensor-core/src/views.rs", views),
            ("tensor-core/src/joins.rs", "//! x\nfn f(raw: RawTensor) { raw.view() }\n"),
            ("tensor-core/src/tensor.rs", &text),
        ];
        check(&files, expected);
    };
    let fault = "tensor-core/src/tensor.rs:2 one-gate";
    typed("use crate::joins::{Join, deep::Deeper};\nuse crate::random::default_generator;\nfn f() { self.view(); x.raw().item() }", &[]);
    typed("use crate::joins::cat;", &[fault]);
    typed("use crate::joins::{Join, deep::cat};", &[fault]);
    typed("use crate::joins::{self, Join};", &[fault]);
    typed("fn f() { crate::joins::cat(x) }", &[fault]);
    typed("fn f() { x.raw().view() }", &[fault]);
    typed("fn f() { self.raw.view() }", &[fault]);
    typed("fn f() { RawTensor::view(x) }", &[fault]);
}

#[test]
fn a_match_over_a_table_names_its_rows() {
    let arms = |arms: &str, expected: &[&str]| {
        let text = format!("//! x\nfn f() {{\nmatch x {{\n{arms}\n}}\n}}\n");
        check(&[("a/src/b.rs", &text), ("a/tests/b.rs", &text)], expected);
    };
    let fault = |line: usize| format!("a/src/b.rs:{line} wildcard");
    arms("DType::F32 => 1,\nDType::F64 | DType::F16 => 2,", &[]);
    arms("Some(x) => DType::F32,\n_ => DType::F64,", &[]);
    arms("Kind::A => 1,\n_ => 2,", &[]);
    arms("DType::F32 => 1,\n_ => 2,", &[&fault(5)]);
    arms("Op::Add | Op::Sub => { f(1, 2) }\nother => other,", &[&fault(5)]);
    arms("Reduction::Sum if x => 1,\n_ if y => 2,\n_ => 3,", &[]);
    arms("Reduction::Sum => 1,\n_ if y => 2,\n_ => 3,", &[&fault(6)]);
    arms("DType::F32 => match y {\n_ => 1,\n},\nDType::F64 => 2,", &[]);
    arms("x => match y {\nDType::F32 => 1,\n_ => 1,\n},", &[&fault(6)]);
    arms("(DType::F32, true) => 1,\n(_, false) => 2,\n(DType::F64, _) => 3", &[&fault(5)]);
    arms("(true, DType::F32) => 1,\n(_, DType::F64) => 2,\n_ => 3", &[&fault(6)]);
    arms("(Kind::A(x), _) => 1,\n(Kind::B(x), DType::F64) => 2,\n(Kind::B(_), other) => 3", &[&fault(6)]);
    arms("DType::F32 => 1,\n// others: rows to come\n// have none.\n_ => 2,", &[]);
    arms("DType::F32 => 1,\n_ => 2, // others: rows to come have none", &[]);
    arms("DType::F32 => 1,\n// others: \n_ => 2,", &[&fault(6)]);
    let home = "//! x\nfn f() { match self { Self::A => 1,\n_ => 2 } }\n";
    check(&[("tensor-spec/src/dtype.rs", home), ("tensor-spec/src/lattice.rs", home)], &["tensor-spec/src/dtype.rs:3 wildcard"]);
}

#[test]
fn comments_literals_and_tests_may_name_later_modules() {
    check_order("//! [`crate::c`]\nconst A: &str = \"crate::c\";\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n", "", &[]);
}

#[test]
fn a_module_that_is_not_declared_has_no_place() {
    let files = [("src/lib.rs", "//! x\n"), ("src/lost.rs", "//! x\n"), ("src/main.rs", "//! x\n")];
    check(&files, &["src/lost.rs:1 module-order"]);
}

#[test]
fn unsafe_stands_in_few_files() {
    let text = "//! unsafe\n\n// unsafe \"unsafe\"\n#![expect(unsafe_code, reason = \"unsafe\")]\nunsafe fn f() {}\n";
    check(&[("tensor-core/src/raw.rs", text)], &["tensor-core/src/raw.rs:5 unsafe"]);
    check(&[("tensor-core/src/storage.rs", text), ("tensor-core/src/storage/memory.rs", text)], &[]);
    check(&[("tensor-core/src/storages.rs", text)], &["tensor-core/src/storages.rs:5 unsafe"]);
}

#[test]
fn a_plain_name_shows_its_twin() {
    let path = "tensor-core/src/tensor/a.rs";
    let fault = format!("{path}:3 hint");
    for (text, is_fault) in [
        ("pub fn triu(&self) {}\npub fn triu_with(&self, k: i8) {}", true),
        ("pub fn triu( // or x.triu_with(1)\n    &self,\n) {}\npub fn triu_with(&self, k: i8) {}", false),
        ("pub fn triu( // or x.tril_with(1)\n    &self,\n) {}\npub fn triu_with(&self, k: i8) {}", true),
        ("    Triu triu try_triu() -> X;\n    Triu triu_with try_triu_with(int k) -> X;\n", true),
        ("    Triu triu try_triu() // or x.triu_with(1)\n        -> X;\n    Triu triu_with try_triu_with(int k) -> X;\n", false),
        ("    pub fn celu_(&mut self) {}\n    Celu celu_with_ of celu_with(real alpha);", true),
        ("    celu_ // or x.celu_with_(1)?\n        Celu \"\";\n    Celu celu_with_ of celu_with(real alpha);", false),
        ("pub fn try_triu(&self) {}\npub fn try_triu_with(&self, k: i8) {}", false),
        ("pub fn triu_with(&self, k: i8) {}", false),
    ] {
        let expected: &[&str] = if is_fault { &[&fault] } else { &[] };
        check(&[(path, &format!("//! x\n\n{text}\n"))], expected);
    }
    check(&[("tensor-core/src/views.rs", "//! x\npub fn triu() {}\npub fn triu_with(k: i8) {}\n")], &[]);
}

#[test]
fn nothing_is_left_unfinished() {
    for (note, fault) in [
        (concat!("// TO", "DO: later"), true),
        (concat!("// FIX", "ME"), true),
        ("fn f() { todo!() }", true),
        ("fn f() { unimplemented!() }", true),
        ("fn f() { dbg!(1) }", true),
        ("// a todo! in a comment is about the macro", false),
        ("let todo = !true; // todo", false),
    ] {
        let expected: &[&str] = if fault { &["a.rs:3 unfinished"] } else { &[] };
        check(&[("a.rs", &format!("//! x\n\n{note}\n"))], expected);
    }
}

#[test]
fn a_long_file_says_why() {
    let lines = |count: usize, last: &str| format!("//! x\n{}{last}\n", "\n".repeat(count - 2));
    check(&[("a.rs", &lines(500, ""))], &[]);
    check(&[("a.rs", &lines(501, ""))], &["a.rs:501 long-file"]);
    check(&[("a.rs", &lines(501, "// long: "))], &["a.rs:501 long-file"]);
    check(&[("a.rs", &lines(501, "// long: one table"))], &[]);
}

#[test]
fn a_file_begins_by_saying_what_it_is() {
    check(&[("a.rs", "\n//! x\n")], &["a.rs:1 header"]);
    check(&[("a.rs", &"//! x\n".repeat(9))], &["a.rs:9 header"]);
    check(&[("a.rs", &"//! x\n".repeat(8)), ("src/lib.rs", &"//! x\n".repeat(50)), ("ui-tests/fail/a.rs", "fn main() {}\n")], &[]);
}

#[test]
fn documents_stay_short() {
    check(&[("ARCHITECTURE.md", &"\n".repeat(200)), ("CONTRIBUTING.md", &"\n".repeat(80)), ("README.md", &"\n".repeat(999))], &[]);
    let faults = ["ARCHITECTURE.md:201 long-document", "CONTRIBUTING.md:81 long-document"];
    check(&[("ARCHITECTURE.md", &"\n".repeat(201)), ("CONTRIBUTING.md", &"\n".repeat(81))], &faults);
}

#[test]
fn no_file_knows_a_machine() {
    for place in [concat!("/wo", "rk/x"), concat!("/t", "mp/x"), concat!("/ro", "ot/x"), concat!("https://arti", "factory.example")] {
        check(&[("a.md", &format!("x\nsee {place}\n"))], &["a.md:2 machine"]);
    }
    check(&[("a.md", "at work, in the root: std::env::temp_dir()\n")], &[]);
}
