//! CUDA, against the CPU: the tests in `on_device` run on a GPU where there is one. Elsewhere they run on a stand-in for the driver and NVRTC
//! that g++ compiles (`cuda/standin`), in a process of their own, which the tests below start: the backend is the real one. Where g++ is
//! missing a line says so; `REQUIRE_STANDIN=1` makes that a failure, and `REQUIRE_NVRTC=1` does so for the compiler of CUDA.
#![cfg(feature = "cuda")]

#[path = "cuda/compare.rs"]
mod compare;
#[path = "cuda/compiler.rs"]
mod compiler;
#[path = "cuda/expressions.rs"]
mod expressions;
#[path = "cuda/failures.rs"]
mod failures;
#[path = "cuda/indexing.rs"]
mod indexing;
#[path = "cuda/matrix.rs"]
mod matrix;
#[path = "cuda/on_device.rs"]
mod on_device;
#[path = "cuda/stand_in.rs"]
mod stand_in;
#[path = "cuda/streams.rs"]
mod streams;
#[path = "cuda/text.rs"]
mod text;
#[path = "cuda/warming.rs"]
mod warming;

/// In three orders of threads, and of work on streams.
#[test]
fn tests_of_devices_pass() {
    if stand_in::is_here() {
        return;
    }
    for tests in ["on_device::", "indexing::", "expressions::on_a_device"] {
        stand_in::passes(tests, &[("STANDIN_ORDER", "forward"), ("STANDIN_STREAMS", "lazy")]);
        stand_in::passes(tests, &[("STANDIN_ORDER", "reverse")]);
        stand_in::passes(tests, &[("STANDIN_ORDER", "shuffle"), ("STANDIN_STREAMS", "shuffle")]);
    }
}
