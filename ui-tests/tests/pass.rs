//! Programs that must compile and run, as a user would write them: all in one, which is compiled once.
#![allow(clippy::all, clippy::allow_attributes_without_reason, clippy::unwrap_used, unused_qualifications, reason = "they are a user's")]

#[path = "../pass/any_dtype.rs"]
mod any_dtype;
#[path = "../pass/channels_last.rs"]
mod channels_last;
#[path = "../pass/image_normalisation.rs"]
mod image_normalisation;
#[path = "../pass/layers_of_any_size.rs"]
mod layers_of_any_size;
#[path = "../pass/literals_have_a_type_at_once.rs"]
mod literals_have_a_type_at_once;
#[path = "../pass/literals_of_the_type_that_is_expected.rs"]
mod literals_of_the_type_that_is_expected;
#[path = "../pass/mapped_files.rs"]
mod mapped_files;
#[path = "../pass/masks.rs"]
mod masks;
#[path = "../pass/matrix_powers.rs"]
mod matrix_powers;
#[path = "../pass/measures_of_a_classifier.rs"]
mod measures_of_a_classifier;
#[path = "../pass/moving_averages.rs"]
mod moving_averages;
#[path = "../pass/multiplying_in_place_by_what_fits.rs"]
mod multiplying_in_place_by_what_fits;
#[path = "../pass/shapes_and_numbers_that_fit.rs"]
mod shapes_and_numbers_that_fit;
#[path = "../pass/sizes_of_any_kind.rs"]
mod sizes_of_any_kind;
#[path = "../pass/standardise.rs"]
mod standardise;
#[path = "../pass/text_statistics.rs"]
mod text_statistics;
#[path = "../pass/training_and_saving.rs"]
mod training_and_saving;

use std::collections::BTreeSet;
use std::fs;
use std::process::{ExitCode, Termination as _};

macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                let ended = $name::main().report();
                assert_eq!(format!("{ended:?}"), format!("{:?}", ExitCode::SUCCESS));
            }
        )*
    };
}

programs! {
    any_dtype
    channels_last
    image_normalisation
    layers_of_any_size
    literals_have_a_type_at_once
    literals_of_the_type_that_is_expected
    mapped_files
    masks
    matrix_powers
    measures_of_a_classifier
    moving_averages
    multiplying_in_place_by_what_fits
    shapes_and_numbers_that_fit
    sizes_of_any_kind
    standardise
    text_statistics
    training_and_saving
}

#[test]
fn all_are_here() {
    let files = fs::read_dir(ui_tests::root().join("pass")).expect("the programs are there").flatten();
    let names: BTreeSet<String> = files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)).collect();
    assert_eq!(names, PROGRAMS.iter().map(|name| (*name).to_owned()).collect());
}
