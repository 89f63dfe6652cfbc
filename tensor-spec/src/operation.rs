//! The table of operations.
