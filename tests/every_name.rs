//! Every name of PyTorch's, as it is written here: an example a line, with the names behind it. These lines are the list of
//! `docs/from_pytorch.md`, which `tests/from_pytorch.rs` makes of them; here they are compiled and run.

#[path = "every_name/arithmetic.rs"]
mod arithmetic;
#[path = "every_name/functions.rs"]
mod functions;
#[path = "every_name/comparisons.rs"]
mod comparisons;
#[path = "every_name/reductions.rs"]
mod reductions;
#[path = "every_name/orders.rs"]
mod orders;
#[path = "every_name/views.rs"]
mod views;
#[path = "every_name/joins.rs"]
mod joins;
#[path = "every_name/indexing.rs"]
mod indexing;
#[path = "every_name/creation.rs"]
mod creation;
#[path = "every_name/properties.rs"]
mod properties;
#[path = "every_name/products.rs"]
mod products;
#[path = "every_name/linalg.rs"]
mod linalg;
#[path = "every_name/fft.rs"]
mod fft;
#[path = "every_name/special.rs"]
mod special;
#[path = "every_name/layers.rs"]
mod layers;
#[path = "every_name/losses.rs"]
mod losses;
#[path = "every_name/random.rs"]
mod random;
#[path = "every_name/sparse.rs"]
mod sparse;
#[path = "every_name/masked.rs"]
mod masked;
