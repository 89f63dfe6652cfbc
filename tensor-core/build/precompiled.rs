//! The feature `precompiled`: a pack of compiled kernels, which the program then has in it. `LATTEN_CUDA_PACK` names one that is there;
//! else NVRTC compiles it, or nvcc where there is no NVRTC, for the GPUs of `LATTEN_CUDA_ARCHS` and the operations of `LATTEN_CUDA_OPS`.
//! Where there is neither, a warning says so, and the program compiles what it needs when it runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use latten_kernel::kernels::keys::{self, Key};
use latten_kernel::kernels::source::{Unit, source};
use latten_kernel::kernels::{Functions, pack};
use latten_kernel::nvrtc::{self, Result};
use latten_spec::DType;
use latten_spec::operation::Op;

const PACK: &str = "LATTEN_CUDA_PACK";
const ARCHITECTURES: &str = "LATTEN_CUDA_ARCHS";
const OPERATIONS: &str = "LATTEN_CUDA_OPS";

/// The GPUs of data centres, whose kernels run on the others of their generations too.
const USUAL: &str = "80 90";

pub(super) fn write(functions: &Functions, folder: &Path) {
    for name in [PACK, ARCHITECTURES, OPERATIONS, nvrtc::FOLDER_VARIABLE, "NVCC", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build");
    let (pack, manifest) = match env::var_os(PACK).filter(|pack| !pack.is_empty()).map(PathBuf::from) {
        Some(pack) => given(&pack),
        None => compiled(functions, folder),
    };
    fs::write(folder.join("pack"), pack).expect("OUT_DIR is writable");
    fs::write(folder.join("pack.txt"), manifest).expect("OUT_DIR is writable");
}

/// A pack that was made before.
fn given(path: &Path) -> (Vec<u8>, String) {
    println!("cargo:rerun-if-changed={}", path.display());
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{PACK}={}: {error}", path.display()));
    let (mut manifest, mut whole) = (String::new(), true);
    for packed in pack::modules(&bytes) {
        whole &= packed.module().is_some();
        packed.keys().for_each(|key| _ = writeln!(manifest, "? {key:032x} ?"));
    }
    assert!(whole && !manifest.is_empty(), "{PACK}={}: it isn't a pack of this version, or it is spoilt", path.display());
    (bytes, manifest)
}

/// What compiles.
enum Compiler {
    Nvrtc,
    Nvcc(PathBuf),
}

fn compiled(functions: &Functions, folder: &Path) -> (Vec<u8>, String) {
    let architectures = env::var(ARCHITECTURES).unwrap_or_else(|_| USUAL.into());
    let architectures: Vec<(u32, u32)> = words(&architectures).map(architecture).collect();
    let groups = groups(functions, &env::var(OPERATIONS).unwrap_or_default());
    let compiler = match (nvrtc::version(), nvcc()) {
        (Ok(_), _) => Compiler::Nvrtc,
        (Err(_), Some(nvcc)) => Compiler::Nvcc(nvcc),
        (Err(error), None) => {
            println!(
                "cargo:warning=the feature `precompiled` has no effect: there is no nvcc, and {error}. Kernels are compiled when the \
                 program runs"
            );
            return (Vec::new(), String::new());
        }
    };
    let (mut pack, mut manifest) = (Vec::new(), String::new());
    for capability in architectures {
        for group in &groups {
            let module = match &compiler {
                Compiler::Nvrtc => nvrtc::compile(&source(group), capability, nvrtc::Asked::Module),
                Compiler::Nvcc(nvcc) => by_nvcc(nvcc, &source(group), capability, folder),
            };
            let module = module.unwrap_or_else(|error| panic!("kernels for sm_{}{}: {error}", capability.0, capability.1));
            let alone = |unit: &Unit| pack::key(&source(std::slice::from_ref(unit)), &nvrtc::fingerprint(capability));
            let keys: Vec<u128> = group.iter().map(alone).collect();
            pack::append(&mut pack, &keys, &module);
            for (unit, key) in group.iter().zip(keys) {
                _ = writeln!(manifest, "sm_{}{} {key:032x} {}", capability.0, capability.1, unit.stem);
            }
        }
    }
    (pack, manifest)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',']).filter(|word| !word.is_empty())
}

fn architecture(word: &str) -> (u32, u32) {
    let number = word.trim_start_matches("sm_").parse::<u32>().ok().filter(|number| (50..1000).contains(number));
    let number = number.unwrap_or_else(|| panic!("{ARCHITECTURES} has `{word}`: name compute capabilities, as `{USUAL}`"));
    (number / 10, number % 10)
}

/// The kernels, those of one module together: of the named operations, or of all there are.
fn groups(functions: &Functions, named: &str) -> Vec<Vec<Unit>> {
    let units = |keys: &[Key]| keys.iter().map(|key| key.unit(functions)).collect::<Vec<_>>();
    let copies = || DType::COMPUTING.iter().map(|&from| units(&keys::casts(from)));
    let reductions = || DType::COMPUTING.iter().flat_map(|&dtype| [units(&keys::folds(dtype)), units(&keys::rows(dtype))]);
    let products = || DType::COMPUTING.iter().map(|&dtype| units(&keys::products(dtype))).filter(|units| !units.is_empty());
    let fills = || units(&keys::fills());
    let places = || {
        DType::COMPUTING.iter().map(|&dtype| units(&keys::meets(dtype))).filter(|units| !units.is_empty()).chain([units(&keys::places())])
    };
    if words(named).next().is_none() {
        let operations = Op::ALL.iter().map(|&op| units(&keys::variants(functions, op)));
        return operations.chain(copies()).chain(reductions()).chain(products()).chain([fills()]).chain(places()).collect();
    }
    let mut groups = Vec::new();
    for word in words(named) {
        match (word, Op::parse(word)) {
            ("copies", _) => groups.extend(copies()),
            ("reductions", _) => groups.extend(reductions()),
            ("products", _) => groups.extend(products()),
            ("fills", _) => groups.push(fills()),
            ("places", _) => groups.extend(places()),
            (_, Some(op)) => groups.push(units(&keys::variants(functions, op))),
            _ => panic!(
                "{OPERATIONS} has `{word}`: name operations of docs/operations.md, `copies`, `fills`, `places`, `products` and `reductions`"
            ),
        }
    }
    groups
}

/// nvcc, where the environment, a toolkit or the path has it.
fn nvcc() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(named).chain([PathBuf::from("/usr/local/cuda")]);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = toolkits.map(|toolkit| toolkit.join("bin")).chain(env::split_paths(&path)).collect::<Vec<_>>();
    let files = folders.into_iter().map(|folder| folder.join(format!("nvcc{}", env::consts::EXE_SUFFIX)));
    named("NVCC").into_iter().chain(files).find(|file| file.is_file())
}

fn by_nvcc(nvcc: &Path, source: &str, capability: (u32, u32), folder: &Path) -> Result<Vec<u8>> {
    let (text, module) = (folder.join("nvcc.cu"), folder.join("nvcc.cubin"));
    fs::write(&text, source).map_err(|error| error.to_string())?;
    let mut command = Command::new(nvcc);
    command.args(["-std=c++17", "--fmad=false", "--cubin", &format!("-arch=sm_{}{}", capability.0, capability.1), "-o"]);
    let output = command.arg(&module).arg(&text).output().map_err(|error| format!("{}: {error}", nvcc.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", nvcc.display(), String::from_utf8_lossy(&output.stderr)));
    }
    fs::read(&module).map_err(|error| error.to_string())
}
