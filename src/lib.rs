//! latten
