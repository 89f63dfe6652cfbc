//! Compiled modules by the hash of all that they were made from: in packs, which the program has in it or is told of, and on disk. A file
//! that isn't whole is no file: it is made again.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that names the folder; empty, nothing is kept.
const FOLDER_VARIABLE: &str = "LATTEN_CUDA_CACHE";

/// The environment variable that names a pack; when a program with the feature `precompiled` is built, the pack that it has in it.
const PACK_VARIABLE: &str = "LATTEN_CUDA_PACK";

/// The pack that the program has in it; empty without the feature `precompiled`.
#[cfg(feature = "precompiled")]
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cuda/pack"));
#[cfg(not(feature = "precompiled"))]
static EMBEDDED: &[u8] = &[];

/// What a file begins with; the hash of the rest follows.
const MAGIC: &[u8; 16] = b"latten module 1\n";

/// FNV-1a of 128 bits: the same in every process.
pub(super) fn hash(parts: &[&[u8]]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for part in parts {
        // The length keeps the parts apart.
        for byte in (part.len() as u64).to_le_bytes().iter().chain(*part) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    hash
}

fn folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if let Some(folder) = named(FOLDER_VARIABLE) {
        return (!folder.as_os_str().is_empty()).then_some(folder);
    }
    let home = || named("HOME").or_else(|| named("LOCALAPPDATA")).map(|home| home.join(".cache"));
    named("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()).or_else(home).map(|folder| folder.join("latten").join("cuda"))
}

fn path(key: u128) -> Option<PathBuf> {
    folder().map(|folder| folder.join(format!("{key:032x}")))
}

/// Adds a module to a pack: its key, its length, its bytes.
pub(super) fn append(pack: &mut Vec<u8>, key: u128, module: &[u8]) {
    pack.extend_from_slice(&key.to_le_bytes());
    pack.extend_from_slice(&(module.len() as u64).to_le_bytes());
    pack.extend_from_slice(module);
}

/// The modules of a pack, as far as it is whole.
fn modules(mut pack: &'static [u8]) -> HashMap<u128, &'static [u8]> {
    let mut modules = HashMap::new();
    while let Some((key, rest)) = pack.split_first_chunk::<16>()
        && let Some((len, rest)) = rest.split_first_chunk::<8>()
        && let Some((module, rest)) = usize::try_from(u64::from_le_bytes(*len)).ok().and_then(|len| rest.split_at_checked(len))
    {
        modules.insert(u128::from_le_bytes(*key), module);
        pack = rest;
    }
    modules
}

/// What the packs have.
fn packed(key: u128) -> Option<&'static [u8]> {
    static PACKED: OnceLock<HashMap<u128, &'static [u8]>> = OnceLock::new();
    let packed = PACKED.get_or_init(|| {
        let named = std::env::var_os(PACK_VARIABLE).and_then(|path| fs::read(path).ok());
        let mut packed = modules(EMBEDDED);
        packed.extend(named.map(|pack| modules(pack.leak())).unwrap_or_default());
        packed
    });
    packed.get(&key).copied()
}

/// The module of a key, where it is there and whole.
pub(super) fn get(key: u128) -> Option<Vec<u8>> {
    if let Some(module) = packed(key) {
        return Some(module.to_vec());
    }
    let bytes = fs::read(path(key)?).ok()?;
    let (head, module) = bytes.split_at_checked(2 * MAGIC.len())?;
    let whole = head.starts_with(MAGIC) && head[MAGIC.len()..] == hash(&[module]).to_le_bytes();
    whole.then(|| module.to_vec())
}

/// Keeps a module. Where that fails it is compiled again next time.
pub(super) fn put(key: u128, module: &[u8]) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(path) = path(key) else { return };
    let unique = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let written = path.with_extension(unique);
    let write = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = fs::File::create(&written)?;
        file.write_all(MAGIC)?;
        file.write_all(&hash(&[module]).to_le_bytes())?;
        file.write_all(module)?;
        drop(file);
        // Whoever looks sees all of it or nothing.
        fs::rename(&written, &path)
    };
    if let Err(error) = write() {
        log::debug!("latten: a compiled CUDA kernel isn't kept: {error}");
        let _ = fs::remove_file(&written);
    }
}

/// Forgets a module that the driver doesn't take.
pub(super) fn remove(key: u128) {
    if let Some(path) = path(key) {
        let _ = fs::remove_file(path);
    }
}
