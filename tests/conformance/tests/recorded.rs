//! The recordings beside this file, replayed: seeds 1 to 3 of the generator, 300 cases an area, and the stand-alone facts.

use std::path::Path;

use conformance::case::{cases, recordings};
use conformance::report::{AREAS, Report};

#[test]
fn recorded_programs_give_what_pytorch_gave() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut report = Report::keeping(5);
    for recording in recordings(&folder).expect("the recordings are there") {
        for case in cases(&recording).expect("a recording can be opened") {
            report.add(&case.expect("a recording can be read"));
        }
    }
    let wanted: Vec<&str> = AREAS.into_iter().chain(["standalone"]).collect();
    report.add_missing(&wanted);
    assert!(report.is_perfect(), "\n{}{}", report.failures(), report.summary());
}
