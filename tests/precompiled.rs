//! A program with compiled kernels in it: the build has found a compiler, and the program needs none. `cargo xtask check` builds this with
//! the kernels of `add`, `exp` and fills, by NVIDIA's compiler. Their instructions are a GPU's; the stand-in for the driver
//! (`cuda/standin`) takes them, looks for their names, and runs nothing.
#![cfg(feature = "precompiled")]

use std::env;

use latten::cuda::inspect::{Kernels, counts, module, packed};
use latten::elementwise::{Params, apply};
use latten::{DType, Op, RawTensor, Result};

#[path = "cuda/stand_in.rs"]
mod stand_in;

/// Set in the processes on the stand-in: whether the kernel is found.
const FOUND: &str = "LATTEN_TEST_FOUND";

/// The kernels in the program: their architectures, keys and names. None where the build found no compiler, which was said then.
fn kernels() -> Option<Vec<(&'static str, u128, &'static str)>> {
    let line = |line: &'static str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [architecture, key, name] = words[..] else { panic!("{line}") };
        (architecture, u128::from_str_radix(key, 16).expect("a key"), name)
    };
    let kernels: Vec<_> = packed().lines().map(line).collect();
    if kernels.is_empty() {
        assert!(env::var_os("REQUIRE_NVRTC").is_none(), "REQUIRE_NVRTC is set, but the build found no compiler");
        println!("not run: this was built without NVRTC and without nvcc");
        return None;
    }
    Some(kernels)
}

#[test]
fn the_pack_has_what_was_asked_for() -> Result<()> {
    let Some(kernels) = kernels() else { return Ok(()) };
    for architecture in ["sm_80", "sm_90"] {
        for all in [Kernels::of(Op::Add)?, Kernels::of(Op::Exp)?, Kernels::fills()?] {
            for name in all.names() {
                assert!(kernels.iter().any(|kernel| (kernel.0, kernel.2) == (architecture, name)), "{name} for {architecture}");
            }
        }
    }
    let neg = Kernels::of(Op::Neg)?;
    let unasked = neg.names().filter(|name| kernels.iter().any(|kernel| kernel.2 == *name)).count();
    assert_eq!(unasked, 0, "`neg` wasn't asked for");
    for (architecture, key, name) in kernels {
        let module = module(key).unwrap_or_else(|| panic!("{name} for {architecture} isn't in the pack"));
        // An ELF file for NVIDIA's processors, with a function of that name.
        assert!(module.starts_with(b"\x7fELF") && module[18..20] == [190, 0], "{name}: no module of NVIDIA's");
        let symbol = format!("\0{name}__dense\0");
        assert!(module.windows(symbol.len()).any(|bytes| bytes == symbol.as_bytes()), "{name} isn't in its module");
        let number: u8 = architecture.trim_start_matches("sm_").parse().expect("a number");
        assert!(module[48..52].contains(&number), "{name}: made for {:?}, not for {architecture}", &module[48..52]);
    }
    Ok(())
}

/// On the stand-in, where each text that a compiler is given is refused.
#[test]
fn adds() -> Result<()> {
    let Ok(found) = env::var(FOUND) else { return Ok(()) };
    let x = RawTensor::empty(&[2], &[1], DType::F32, "cuda".parse()?)?;
    let sum = apply(Op::Add, &[(&x).into(), (&x).into()], &Params::none());
    match (found == "1", sum) {
        (true, sum) => assert_eq!((sum?.sizes(), counts(0)?), (&[2][..], (0, 1)), "one module, from the pack"),
        (false, sum) => assert!(sum.expect_err("no kernel").message().contains("NVRTC"), "it is looked for, then compiled"),
    }
    // Another one of the same module: it isn't loaded twice.
    if found == "1" {
        apply(Op::Add, &[(&x).into(), 2.0.into()], &Params::none())?;
        assert_eq!(counts(0)?, (0, 1));
        let refused = apply(Op::Neg, &[(&x).into()], &Params::none()).expect_err("it isn't in the pack");
        assert!(refused.message().contains("NVRTC"), "{refused}");
    }
    Ok(())
}

#[test]
fn a_program_with_kernels_needs_no_compiler() {
    if stand_in::is_here() || kernels().is_none() {
        return;
    }
    // A GPU of the same generation as 8.0 runs its kernels; one of another has none.
    for (capability, found) in [("90", "1"), ("80", "1"), ("86", "1"), ("75", "0"), ("100", "0")] {
        let variables = [
            (FOUND, found),
            ("STANDIN_CAPABILITY", capability),
            ("STANDIN_CUBINS", "1"),
            ("STANDIN_COMPILES", "0"),
            ("LATTEN_CUDA_CACHE", ""),
        ];
        stand_in::passes("adds", &variables);
    }
}
