//! NVRTC: from the text of kernels to a module for one kind of device. cudarc panics where the library is missing, so it is looked for
//! first: by name, then where toolkits and Python's packages put it.
#![expect(unsafe_code, reason = "calls NVRTC")]

use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self, nvrtcResult};

use crate::error::{Error, Result};

/// The environment variable that names the folder of NVRTC.
pub(crate) const FOLDER_VARIABLE: &str = "LATTEN_NVRTC";

/// How kernels are compiled. Products and sums stay apart, as on the CPU, so that both give the same numbers.
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-as-default-execution-space"];

fn check(code: nvrtcResult, call: &str) -> Result<()> {
    if code == nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(Error::runtime(format!("NVRTC failed: {code:?} ({call})")))
}

/// Calls a function of NVRTC. Whoever writes a call has asked `version` first, and makes sure that pointers among the arguments are valid.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the library is there, and so is what the arguments point to.
        let code = unsafe { sys::$function($($argument),*) };
        check(code, stringify!($function))
    }};
}

/// The version of NVRTC.
///
/// # Errors
/// Where there is none.
pub(crate) fn version() -> Result<(i32, i32)> {
    static VERSION: OnceLock<Result<(i32, i32)>> = OnceLock::new();
    VERSION.get_or_init(start).clone()
}

fn start() -> Result<(i32, i32)> {
    // SAFETY: looks whether a library can be loaded.
    let present = || unsafe { sys::is_culib_present() };
    let named = std::env::var_os(FOLDER_VARIABLE).is_some_and(|folder| load(Path::new(&folder), &LIBRARIES));
    if !named && !present() && !folders().iter().any(|folder| load(folder, &LIBRARIES)) {
        return Err(Error::runtime(format!(
            "NVRTC, the compiler of CUDA kernels, isn't installed: it comes with the CUDA toolkit and with `pip install \
             nvidia-cuda-nvrtc`. {FOLDER_VARIABLE} may name the folder that has libnvrtc.so"
        )));
    }
    let (mut major, mut minor) = (0, 0);
    call!(nvrtcVersion(&raw mut major, &raw mut minor))?;
    Ok((major, minor))
}

/// NVRTC's files: the compiler looks for its builtins by name.
const LIBRARIES: [&str; 2] = ["libnvrtc-builtins.so", "libnvrtc.so"];

/// Where NVIDIA's libraries may be: what the environment names, the toolkit, and Python's packages.
pub(super) fn folders() -> Vec<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut folders: Vec<PathBuf> = named(FOLDER_VARIABLE).into_iter().collect();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(named).chain([PathBuf::from("/usr/local/cuda")]);
    folders.extend(toolkits.flat_map(|toolkit| [toolkit.join("lib64"), toolkit.join("targets/x86_64-linux/lib"), toolkit.join("bin")]));
    let pythons = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(named).map(|python| python.join("lib"));
    for packages in pythons.flat_map(|lib| entries(&lib)).map(|python| python.join("site-packages/nvidia")) {
        folders.extend(entries(&packages).into_iter().map(|package| package.join("lib")));
    }
    folders
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

/// Loads libraries of NVIDIA's from a folder, for good: afterwards they are found by their names. Says whether there was one.
pub(super) fn load(folder: &Path, stems: &[&str]) -> bool {
    let files = entries(folder);
    let named = |stem: &&str| {
        let is = |file: &&PathBuf| file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(stem));
        files.iter().rfind(is)
    };
    let loads = |library: &&PathBuf| {
        // SAFETY: NVIDIA's libraries, whose start does nothing that matters here.
        let loaded = unsafe { libloading::Library::new(library.as_path()) };
        loaded.map(std::mem::forget).is_ok()
    };
    stems.iter().filter_map(named).filter(loads).count() > 0
}

/// What a device of a compute capability is called, or the newest kind that this NVRTC knows, as a text that the driver translates.
fn architecture(capability: (u32, u32)) -> Result<(String, bool)> {
    let own = i32::try_from(10 * capability.0 + capability.1).unwrap_or(i32::MAX);
    let mut count = 0;
    call!(nvrtcGetNumSupportedArchs(&raw mut count))?;
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    call!(nvrtcGetSupportedArchs(known.as_mut_ptr()))?;
    match known.iter().copied().max() {
        Some(newest) if newest < own => Ok((format!("compute_{newest}"), false)),
        _ => Ok((format!("sm_{own}"), true)),
    }
}

/// What the result of a compilation depends on, apart from the text. The version of NVRTC is no part of it: what another one compiled is as
/// good, and can be used where there is none.
pub(crate) fn fingerprint(capability: (u32, u32)) -> String {
    format!("sm_{}{} {}", capability.0, capability.1, OPTIONS.join(" "))
}

/// A program of NVRTC's.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = call!(nvrtcDestroyProgram(&raw mut self.0));
    }
}

/// Compiles the text of kernels for devices of a compute capability, with more options.
///
/// # Errors
/// Where there is no NVRTC, and where it refuses the text, with what it says.
pub(crate) fn compile(source: &str, capability: (u32, u32), more: &[&str]) -> Result<Vec<u8>> {
    version()?;
    let (architecture, native) = architecture(capability)?;
    let text = CString::new(source).map_err(|_| Error::value("the text of a kernel has a NUL"))?;
    let mut program = Program(ptr::null_mut());
    call!(nvrtcCreateProgram(&raw mut program.0, text.as_ptr(), c"latten.cu".as_ptr(), 0, ptr::null(), ptr::null()))?;
    let architecture = format!("--gpu-architecture={architecture}");
    let options: Vec<CString> = OPTIONS
        .into_iter()
        .chain([architecture.as_str()])
        .chain(more.iter().copied())
        .map(CString::new)
        .collect::<Result<_, _>>()
        .unwrap_or_default();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let count = i32::try_from(pointers.len()).unwrap_or(0);
    if let Err(error) = call!(nvrtcCompileProgram(program.0, count, pointers.as_ptr())) {
        return Err(Error::runtime(format!("{error}\n{}", log(&program).unwrap_or_default())));
    }
    let mut size = 0;
    if native {
        call!(nvrtcGetCUBINSize(program.0, &raw mut size))?;
        let mut module = vec![0; size];
        call!(nvrtcGetCUBIN(program.0, module.as_mut_ptr().cast()))?;
        return Ok(module);
    }
    call!(nvrtcGetPTXSize(program.0, &raw mut size))?;
    let mut module = vec![0; size];
    call!(nvrtcGetPTX(program.0, module.as_mut_ptr().cast()))?;
    Ok(module)
}

fn log(program: &Program) -> Result<String> {
    let mut size = 0;
    call!(nvrtcGetProgramLogSize(program.0, &raw mut size))?;
    let mut text = vec![0_u8; size];
    call!(nvrtcGetProgramLog(program.0, text.as_mut_ptr().cast()))?;
    text.retain(|&byte| byte != 0);
    Ok(String::from_utf8_lossy(&text).into_owned())
}
