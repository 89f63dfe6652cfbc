//! Replays recorded PyTorch programs.
fn main() {}
