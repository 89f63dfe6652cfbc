//! NVRTC: from the text of kernels to a module for one kind of device. The library is looked for when it is first needed: by name, then
//! where toolkits and Python's packages put it. Build scripts that compile ahead use it, too.
#![expect(unsafe_code, reason = "calls NVRTC")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

/// What failed, as a sentence.
pub type Result<T, E = String> = std::result::Result<T, E>;

/// The environment variable that names the folder of NVRTC.
pub const FOLDER_VARIABLE: &str = "LATTEN_NVRTC";

/// What the library is called where it is installed for all programs.
const NAMES: [&str; 7] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

/// How kernels are compiled. Products and sums stay apart, as on the CPU, so that both give the same numbers.
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-as-default-execution-space"];

/// A program, as NVRTC knows it.
type Raw = *mut c_void;

macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// The functions of NVRTC, as nvrtc.h declares them. Each returns a code, of which 0 is success.
        #[expect(non_snake_case, reason = "NVIDIA's names")]
        #[derive(Clone, Copy)]
        struct Functions {
            /// What a code means.
            nvrtcGetErrorString: unsafe extern "C" fn(c_int) -> *const c_char,
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            #[expect(non_snake_case, reason = "NVIDIA's names")]
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the type is that of nvrtc.h.
                let nvrtcGetErrorString = unsafe { library.get(b"nvrtcGetErrorString\0") }.map(|symbol| *symbol)?;
                $(
                    // SAFETY: as above.
                    let $name = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }.map(|symbol| *symbol)?;
                )*
                Ok(Self { nvrtcGetErrorString, $($name),* })
            }
        }
    };
}

functions! {
    nvrtcVersion(*mut c_int, *mut c_int);
    nvrtcGetNumSupportedArchs(*mut c_int);
    nvrtcGetSupportedArchs(*mut c_int);
    nvrtcCreateProgram(*mut Raw, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    nvrtcDestroyProgram(*mut Raw);
    nvrtcCompileProgram(Raw, c_int, *const *const c_char);
    nvrtcGetCUBINSize(Raw, *mut usize);
    nvrtcGetCUBIN(Raw, *mut c_char);
    nvrtcGetPTXSize(Raw, *mut usize);
    nvrtcGetPTX(Raw, *mut c_char);
    nvrtcGetProgramLogSize(Raw, *mut usize);
    nvrtcGetProgramLog(Raw, *mut c_char);
}

fn check(nvrtc: &Functions, code: c_int, call: &str) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: any code may be asked about.
    let text = unsafe { (nvrtc.nvrtcGetErrorString)(code) };
    let text = if text.is_null() {
        format!("error {code}")
    } else {
        // SAFETY: a string that lives as long as the library, which is for good.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    };
    Err(format!("NVRTC failed: {text} ({call})"))
}

/// Calls a function of NVRTC. Whoever writes a call makes sure that pointers among the arguments are valid.
macro_rules! call {
    ($nvrtc:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the library is loaded for good, and what the arguments point to is there.
        let code = unsafe { ($nvrtc.$function)($($argument),*) };
        check($nvrtc, code, stringify!($function))
    }};
}

fn nvrtc() -> Result<&'static Functions> {
    static NVRTC: OnceLock<Result<Functions>> = OnceLock::new();
    NVRTC.get_or_init(start).as_ref().map_err(Clone::clone)
}

/// The version of NVRTC.
///
/// # Errors
/// Where there is none.
pub fn version() -> Result<(i32, i32)> {
    let nvrtc = nvrtc()?;
    let (mut major, mut minor) = (0, 0);
    call!(nvrtc, nvrtcVersion(&raw mut major, &raw mut minor))?;
    Ok((major, minor))
}

fn start() -> Result<Functions> {
    let named = || named(FOLDER_VARIABLE).and_then(|folder| load(&folder));
    let known = || NAMES.iter().find_map(|name| open(Path::new(name)));
    let found = named().or_else(known).or_else(|| folders().iter().find_map(|folder| load(folder)));
    let Some(library) = found else {
        return Err(format!(
            "NVRTC, the compiler of CUDA kernels, isn't installed: it comes with the CUDA toolkit and with `pip install \
             nvidia-cuda-nvrtc`. {FOLDER_VARIABLE} may name the folder that has libnvrtc.so"
        ));
    };
    let functions = Functions::of(&library).map_err(|error| format!("NVRTC can't be used: {error}"));
    // For good: its functions are called until the process ends.
    std::mem::forget(library);
    functions
}

fn open(file: &Path) -> Option<Library> {
    // SAFETY: NVIDIA's libraries, whose start does nothing that matters here.
    unsafe { Library::new(file) }.ok()
}

/// The folder that a variable names. A path that isn't absolute names none: where it leads depends on where the program was started.
pub fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Where NVIDIA's libraries may be: what the environment names, the toolkit, and Python's packages.
pub fn folders() -> Vec<PathBuf> {
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

/// NVRTC from a folder.
fn load(folder: &Path) -> Option<Library> {
    // The compiler looks for its builtins by name: they are there then.
    if let Some(builtins) = library(folder, &["libnvrtc-builtins.so", "nvrtc-builtins64"]) {
        std::mem::forget(builtins);
    }
    library(folder, &["libnvrtc.so", "nvrtc64_"])
}

/// The library in a folder whose file has one of these names, of any version: not a copy that somebody put aside.
pub fn library(folder: &Path, stems: &[&str]) -> Option<Library> {
    let is = |file: &&PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| stems.iter().any(|stem| is_version_of(name, stem)))
    };
    entries(folder).iter().rfind(is).and_then(|library| open(library))
}

/// `libnvrtc.so`, `libnvrtc.so.12`, `libnvrtc.so.12.8.93` of `libnvrtc.so`; `nvrtc64_120_0.dll` of `nvrtc64_`.
fn is_version_of(name: &str, stem: &str) -> bool {
    let Some(rest) = name.strip_prefix(stem) else { return false };
    let version = if stem.ends_with(".so") { rest } else { rest.strip_suffix(".dll").unwrap_or("?") };
    (version.is_empty() || !stem.ends_with(".so") || version.starts_with('.'))
        && version.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == '_')
}

/// What a device of a compute capability is called, or the newest kind that this NVRTC knows, as a text that the driver translates.
fn architecture(nvrtc: &Functions, capability: (u32, u32)) -> Result<(String, bool)> {
    let own = c_int::try_from(10 * capability.0 + capability.1).unwrap_or(c_int::MAX);
    let mut count = 0;
    call!(nvrtc, nvrtcGetNumSupportedArchs(&raw mut count))?;
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    call!(nvrtc, nvrtcGetSupportedArchs(known.as_mut_ptr()))?;
    match known.iter().copied().max() {
        Some(newest) if newest < own => Ok((format!("compute_{newest}"), false)),
        _ => Ok((format!("sm_{own}"), true)),
    }
}

/// What the result of a compilation depends on, apart from the text. The version of NVRTC is no part of it: what another one compiled is as
/// good, and can be used where there is none.
pub fn fingerprint(capability: (u32, u32)) -> String {
    format!("sm_{}{} {}", capability.0, capability.1, OPTIONS.join(" "))
}

/// A program of NVRTC's.
struct NvrtcProgram(&'static Functions, Raw);

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        let _ = call!(self.0, nvrtcDestroyProgram(&raw mut self.1));
    }
}

/// What is asked of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A module for devices.
    Module,
    /// Whether all of it takes a text, as fast as it can say so.
    Whole,
    /// Whether it takes a text as one of its language: without its last step, which makes instructions and takes most of the time.
    Language,
}

/// Compiles the text of kernels for devices of a compute capability.
///
/// # Errors
/// Where there is no NVRTC, and where it refuses the text, with what it says.
pub fn compile(source: &str, capability: (u32, u32), asked: Asked) -> Result<Vec<u8>> {
    let nvrtc = nvrtc()?;
    let (architecture, native) = match asked {
        Asked::Language => (format!("compute_{}{}", capability.0, capability.1), false),
        Asked::Module | Asked::Whole => architecture(nvrtc, capability)?,
    };
    let quickly: &[&str] = if asked == Asked::Module { &[] } else { &["--Ofast-compile=max"] };
    let text = CString::new(source).map_err(|_| "the text of a kernel has a NUL".to_owned())?;
    let mut program = NvrtcProgram(nvrtc, ptr::null_mut());
    call!(nvrtc, nvrtcCreateProgram(&raw mut program.1, text.as_ptr(), c"latten.cu".as_ptr(), 0, ptr::null(), ptr::null()))?;
    let architecture = format!("--gpu-architecture={architecture}");
    let options: Vec<CString> = OPTIONS
        .into_iter()
        .chain([architecture.as_str()])
        .chain(quickly.iter().copied())
        .map(CString::new)
        .collect::<Result<_, _>>()
        .unwrap_or_default();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).unwrap_or(0);
    if let Err(error) = call!(nvrtc, nvrtcCompileProgram(program.1, count, pointers.as_ptr())) {
        return Err(format!("{error}\n{}", log(&program).unwrap_or_default()));
    }
    let mut size = 0;
    if native {
        call!(nvrtc, nvrtcGetCUBINSize(program.1, &raw mut size))?;
        let mut module = vec![0_u8; size];
        call!(nvrtc, nvrtcGetCUBIN(program.1, module.as_mut_ptr().cast()))?;
        return Ok(module);
    }
    call!(nvrtc, nvrtcGetPTXSize(program.1, &raw mut size))?;
    let mut module = vec![0_u8; size];
    call!(nvrtc, nvrtcGetPTX(program.1, module.as_mut_ptr().cast()))?;
    Ok(module)
}

fn log(program: &NvrtcProgram) -> Result<String> {
    let mut size = 0;
    call!(program.0, nvrtcGetProgramLogSize(program.1, &raw mut size))?;
    let mut text = vec![0_u8; size];
    call!(program.0, nvrtcGetProgramLog(program.1, text.as_mut_ptr().cast()))?;
    text.retain(|&byte| byte != 0);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::is_version_of;

    #[test]
    fn only_versions_of_a_library_are_loaded() {
        for name in ["libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.12.8.93"] {
            assert!(is_version_of(name, "libnvrtc.so"), "{name}");
        }
        assert!(is_version_of("nvrtc64_120_0.dll", "nvrtc64_") && is_version_of("nvrtc-builtins64_128.dll", "nvrtc-builtins64"));
        for name in
            ["libnvrtc.so.bak", "libnvrtc.so.12.bak", "libnvrtc.so~", "libnvrtc.so12", "libnvrtc.so.12.orig", "libnvrtc-builtins.so"]
        {
            assert!(!is_version_of(name, "libnvrtc.so"), "{name}");
        }
        assert!(!is_version_of("nvrtc64_120_0.dll.bak", "nvrtc64_") && !is_version_of("nvrtc64_120_0.alt.dll", "nvrtc64_"));
    }
}
