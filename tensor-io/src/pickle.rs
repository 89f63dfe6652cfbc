//! Pickles, read by a machine that can only build values: the opcodes of `torch.load(weights_only=True)` and a closed list of names, each with
//! its own meaning (`names`). Nothing is ever called, and nothing that isn't in the list has a meaning.
//!
//! The result is a table of nodes; what is mentioned twice is one node. `object` has the nodes, `machine` the opcodes, `write` the way back.

pub(crate) mod machine;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod write;
