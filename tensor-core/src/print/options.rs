//! The options of printing, which hold for the whole process.

use std::sync::Mutex;

use crate::process::{PerProcess, left_behind, locked};

/// How tensors are printed.
///
/// To change one option and keep the others, start from the current ones. PyTorch forgets `sci_mode` whenever another
/// option is set; here nothing changes by itself.
///
/// ```
/// use latten_core::print::{PrintOptions, print_options, set_print_options};
/// set_print_options(PrintOptions { precision: 2, ..print_options() });
/// assert_eq!(print_options(), PrintOptions { precision: 2, ..PrintOptions::DEFAULT });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: usize,
    /// Tensors of more elements are summarised.
    pub threshold: usize,
    /// How many elements a summary shows at either end of each dimension.
    pub edgeitems: usize,
    /// Characters of a line.
    pub linewidth: usize,
    /// Scientific notation always or never; where `None`, if the numbers ask for it.
    pub sci_mode: Option<bool>,
}

impl PrintOptions {
    /// PyTorch's profile `default`.
    pub const DEFAULT: Self = Self { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80, sci_mode: None };
    /// PyTorch's profile `short`.
    pub const SHORT: Self = Self { precision: 2, edgeitems: 2, ..Self::DEFAULT };
    /// PyTorch's profile `full`: nothing is left out.
    pub const FULL: Self = Self { threshold: usize::MAX, ..Self::DEFAULT };
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

static OPTIONS: PerProcess<Mutex<PrintOptions>> = PerProcess::new(Mutex::default, left_behind);

/// The options that printing uses.
#[must_use]
pub fn print_options() -> PrintOptions {
    *locked(OPTIONS.get())
}

/// Replaces [`print_options`], for the whole process.
pub fn set_print_options(options: PrintOptions) {
    *locked(OPTIONS.get()) = options;
}
