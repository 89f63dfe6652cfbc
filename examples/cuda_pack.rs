//! Compiles kernels for programs that are to run where no NVRTC is:
//! `cargo run --release --features cuda --example cuda_pack -- kernels.pack 80 90 add mul exp` makes a file for two kinds of GPUs, without a
//! GPU. `LATTEN_CUDA_PACK=$PWD/kernels.pack` names it to a program, and to `cargo build --features precompiled`. Without names: everything.

use std::process::ExitCode;

use latten::cuda::inspect::Kernels;
use latten::{DType, Op, Result};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, rest)) = arguments.split_first() else {
        println!("cuda_pack FILE [80 90 …] [add mul …]: which file, which compute capabilities, which operations");
        return ExitCode::FAILURE;
    };
    let capabilities: Vec<u32> = rest.iter().filter_map(|argument| argument.parse().ok()).collect();
    let capabilities = if capabilities.is_empty() { vec![80, 90] } else { capabilities };
    let named: Vec<Op> = rest.iter().filter_map(|argument| Op::parse(argument)).collect();
    let all = named.is_empty();
    let ops = if all { Op::ALL.to_vec() } else { named };
    match capabilities.iter().map(|capability| pack((capability / 10, capability % 10), &ops, all)).collect::<Result<Vec<_>>>() {
        Ok(packs) => match std::fs::write(file, packs.concat()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error),
        },
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::fmt::Display) -> ExitCode {
    println!("{error}");
    ExitCode::FAILURE
}

fn pack(capability: (u32, u32), ops: &[Op], all: bool) -> Result<Vec<u8>> {
    let mut pack = Vec::new();
    let mut add = |kernels: Kernels| -> Result<()> {
        if !kernels.is_empty() {
            pack.extend(kernels.pack(capability)?);
        }
        Ok(())
    };
    for &op in ops {
        add(Kernels::of(op)?)?;
    }
    for &from in DType::COMPUTING {
        add(Kernels::casts(from)?)?;
    }
    if all {
        for &dtype in DType::COMPUTING {
            add(Kernels::folds(dtype)?)?;
            add(Kernels::rows(dtype)?)?;
            add(Kernels::products(dtype)?)?;
        }
    }
    add(Kernels::fills()?)?;
    add(Kernels::places()?)?;
    for &dtype in DType::COMPUTING.iter().filter(|&&dtype| dtype != DType::Bool) {
        add(Kernels::meets(dtype)?)?;
    }
    println!("sm_{}{}: {} bytes", capability.0, capability.1, pack.len());
    Ok(pack)
}
