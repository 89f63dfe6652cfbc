//! Views, joins and indexing: each against PyTorch's answers, random chains of views against a naive model, and what the types know.

mod model;

mod answers;
mod axes;
mod chains;
mod joins;
mod paths;
mod types;
