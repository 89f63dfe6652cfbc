//! The project's own commands: `check` is what CI runs, `tidy` holds the rules that no compiler checks, `build_time`
//! and `dev_builds` measure what a user waits for, `sanitize` runs the tests under tools that watch memory, `mutants` with planted
//! faults. `cargo xtask` without an argument lists them.

pub mod command;
pub mod source;
pub mod order;
pub mod gate;
pub mod wildcards;
pub mod names;
pub mod hints;
pub mod tidy;
pub mod user_program;
pub mod build_time;
pub mod dev_builds;
pub mod faults;
pub mod check;
pub mod sanitize;
pub mod switches;
pub mod mutants;
