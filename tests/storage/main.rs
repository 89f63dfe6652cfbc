//! Storages through the facade: `untyped` bytes and `typed` numbers, mapped `files`, memory `shared` between processes, the
//! `pool` of freed blocks, slices `lent` under locks, tensors in `parts`, and slices of the user's `borrowed`. Texts are PyTorch 2.15's unless a test says otherwise.

#[macro_use]
mod check;
mod borrowed;
mod files;
mod lent;
mod parts;
mod pool;
mod shared;
mod tensors;
mod typed;
mod untyped;
