//! The functions of `tests/every_name/`, theme by theme. What uses this says what `ty`, `erase!` and `typed!` do there, and which names lines know.

use latten::Result;

use super::{prelude, ty};

#[path = "../every_name/arithmetic.rs"]
mod arithmetic;
#[path = "../every_name/functions.rs"]
mod functions;
#[path = "../every_name/comparisons.rs"]
mod comparisons;
#[path = "../every_name/reductions.rs"]
mod reductions;
#[path = "../every_name/orders.rs"]
mod orders;
#[path = "../every_name/views.rs"]
mod views;
#[path = "../every_name/joins.rs"]
mod joins;
#[path = "../every_name/indexing.rs"]
mod indexing;
#[path = "../every_name/creation.rs"]
mod creation;
#[path = "../every_name/properties.rs"]
mod properties;
#[path = "../every_name/products.rs"]
mod products;
#[path = "../every_name/linalg.rs"]
mod linalg;
#[path = "../every_name/fft.rs"]
mod fft;
#[path = "../every_name/special.rs"]
mod special;
#[path = "../every_name/layers.rs"]
mod layers;
#[path = "../every_name/losses.rs"]
mod losses;
#[path = "../every_name/random.rs"]
mod random;
#[path = "../every_name/sparse.rs"]
mod sparse;
#[path = "../every_name/masked.rs"]
mod masked;

/// The examples of a theme, and its name.
pub(super) type Theme = (&'static str, fn() -> Result<()>);

/// All examples, theme by theme.
pub(super) const THEMES: &[Theme] = &[
    ("arithmetic: sums_and_products", arithmetic::sums_and_products),
    ("arithmetic: powers_and_rounding", arithmetic::powers_and_rounding),
    ("arithmetic: bounds_and_choices", arithmetic::bounds_and_choices),
    ("functions: exponentials_and_angles", functions::exponentials_and_angles),
    ("functions: activations", functions::activations),
    ("comparisons: comparisons", comparisons::comparisons),
    ("comparisons: logic_and_bits", comparisons::logic_and_bits),
    ("reductions: sums_and_spreads", reductions::sums_and_spreads),
    ("reductions: extremes_and_shares", reductions::extremes_and_shares),
    ("reductions: what_runs_along_a_dimension", reductions::what_runs_along_a_dimension),
    ("orders: orders", orders::orders),
    ("orders: counts", orders::counts),
    ("views: shapes", views::shapes),
    ("views: orders_of_dimensions", views::orders_of_dimensions),
    ("views: parts", views::parts),
    ("views: views_in_place", views::views_in_place),
    ("views: copies_of_views", views::copies_of_views),
    ("joins: joins", joins::joins),
    ("joins: parts", joins::parts),
    ("joins: turned_and_repeated", joins::turned_and_repeated),
    ("indexing: read", indexing::read),
    ("indexing: written", indexing::written),
    ("indexing: triangles_and_diagonals", indexing::triangles_and_diagonals),
    ("creation: of_sizes", creation::of_sizes),
    ("creation: like_others", creation::like_others),
    ("properties: properties", properties::properties),
    ("properties: conversions", properties::conversions),
    ("properties: storages", properties::storages),
    ("products: products", products::products),
    ("products: distances", products::distances),
    ("linalg: decompositions", linalg::decompositions),
    ("linalg: solutions", linalg::solutions),
    ("linalg: numbers_of_matrices", linalg::numbers_of_matrices),
    ("fft: spectra", fft::spectra),
    ("fft: signals", fft::signals),
    ("special: functions", special::functions),
    ("special: polynomials", || {
        special::polynomials();
        Ok(())
    }),
    ("layers: convolutions", layers::convolutions),
    ("layers: pools", layers::pools),
    ("layers: pictures", layers::pictures),
    ("layers: norms", layers::norms),
    ("layers: attention", layers::attention),
    ("losses: of_numbers", losses::of_numbers),
    ("losses: of_rows", losses::of_rows),
    ("losses: of_texts", losses::of_texts),
    ("losses: backwards", losses::backwards),
    ("random: new", random::new),
    ("random: filled", random::filled),
    ("random: weights", random::weights),
    ("random: dropouts", random::dropouts),
    ("sparse: sparse", sparse::sparse),
    ("masked: masked", masked::masked),
];
