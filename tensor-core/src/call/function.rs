//! The names of calls that have a row of their own.

latten_macros::call_names!();
