//! Macros of latten.
