//! The text of CUDA kernels: what a call needs (`keys`), written around the device functions of the tables (`functions`) and the walks of
//! the `.cuh` files. Nothing here asks a driver or a compiler.

pub mod pack;
pub mod functions;
pub mod source;
pub mod folds;
pub mod rows;
pub mod products;
pub mod sorts;
pub mod meets;
pub mod keys;

pub use functions::Functions;
