//! CUDA, against the CPU: the tests in `on_device` run on a GPU where there is one. Elsewhere they run on a stand-in for the driver and NVRTC
//! that g++ compiles (`cuda/standin`), in a process of their own, which the tests below start: the backend is the real one. Where g++ is
//! missing a line says so; `REQUIRE_STANDIN=1` makes that a failure, and `REQUIRE_NVRTC=1` does so for the compiler of CUDA.
#![cfg(feature = "cuda")]

#[path = "allocation/arguments.rs"]
mod arguments;
#[path = "dtypes/attempt.rs"]
mod attempt;
#[path = "gradcheck/calls.rs"]
mod calls;
#[path = "cuda/compare.rs"]
mod compare;
#[path = "cuda/compiler.rs"]
mod compiler;
#[path = "cuda/devices.rs"]
mod devices;
#[path = "cuda/draws.rs"]
mod draws;
#[path = "cuda/expressions.rs"]
mod expressions;
#[path = "cuda/failures.rs"]
mod failures;
#[path = "cuda/forks.rs"]
mod forks;
#[path = "cuda/gradients.rs"]
mod gradients;
#[path = "cuda/indexing.rs"]
mod indexing;
#[path = "allocation/layers.rs"]
mod layers;
#[path = "dtypes/mapped.rs"]
mod mapped;
#[path = "cuda/matrix.rs"]
mod matrix;
#[path = "cuda/on_device.rs"]
mod on_device;
#[cfg(unix)]
#[path = "forks/process.rs"]
mod process;
#[path = "cuda/stand_in.rs"]
mod stand_in;
#[path = "cuda/streams.rs"]
mod streams;
#[path = "cuda/text.rs"]
mod text;
#[path = "cuda/trust.rs"]
mod trust;
#[path = "cuda/warming.rs"]
mod warming;

/// In three orders of threads, and of work on streams.
fn passes_in_every_order(tests: &str) {
    if stand_in::is_here() {
        return;
    }
    stand_in::passes(tests, &[("STANDIN_ORDER", "forward"), ("STANDIN_STREAMS", "lazy")]);
    stand_in::passes(tests, &[("STANDIN_ORDER", "reverse")]);
    stand_in::passes(tests, &[("STANDIN_ORDER", "shuffle"), ("STANDIN_STREAMS", "shuffle")]);
}

#[test]
fn tests_of_devices_pass() {
    passes_in_every_order("on_device::");
}

#[test]
fn indexing_passes() {
    passes_in_every_order("indexing::");
}

#[test]
fn random_numbers_and_places() {
    passes_in_every_order("draws::");
}

#[test]
fn expressions_pass() {
    passes_in_every_order("expressions::on_a_device");
}

#[test]
fn operations_say_where_they_are_computed() {
    if !stand_in::is_here() {
        stand_in::passes("devices::", &[("STANDIN_STREAMS", "lazy")]);
    }
}

#[test]
fn the_way_back() {
    if !stand_in::is_here() {
        for tests in ["gradients::gradients_of_expressions", "gradients::of_every_row"] {
            stand_in::passes(tests, &[("STANDIN_STREAMS", "lazy")]);
        }
    }
}

#[test]
fn products_by_cublas() {
    if let (false, Ok(folder)) = (stand_in::is_here(), stand_in::folder()) {
        let cublas = ("LATTEN_CUBLAS", folder.to_str().expect("a path that is text"));
        stand_in::passes("on_device::products::", &[cublas, ("STANDIN_STREAMS", "lazy")]);
        // They are its own: where it refuses, products fail; and where it can't start, they are latten's.
        let test = "on_device::products::products_that_round";
        let refused = stand_in::run(test, &[cublas, ("STANDIN_FAIL", "cublasGemmStridedBatchedEx=7")]);
        assert!(refused.is_none_or(|output| !output.status.success()), "nobody called cuBLAS");
        stand_in::passes(test, &[cublas, ("STANDIN_FAIL", "cublasCreate_v2=3")]);
    }
}
