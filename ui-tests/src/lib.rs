//! What must not compile, and what it says.
