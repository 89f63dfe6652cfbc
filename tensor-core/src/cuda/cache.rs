//! Compiled modules by the hash of all that they were made from: in packs, which the program has in it or is told of, and on disk. A file
//! that isn't whole is no file: it is made again.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::pack::{self, Packed, hash};

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

/// What the packs have: a later pack before an earlier one, and those that the environment names before the one in the program.
pub(super) fn packed(key: u128) -> Option<&'static [u8]> {
    static PACKED: OnceLock<HashMap<u128, Packed<'static>>> = OnceLock::new();
    let packed = PACKED.get_or_init(|| {
        let named = std::env::var_os(PACK_VARIABLE).and_then(|path| fs::read(path).ok());
        let named: &'static [u8] = named.map(Vec::leak).unwrap_or_default();
        [EMBEDDED, named].into_iter().flat_map(pack::modules).flat_map(|packed| packed.keys().map(move |key| (key, packed))).collect()
    });
    packed.get(&key).and_then(|packed| packed.module())
}

/// The module that is kept on disk, where it is there and whole.
pub(super) fn get(key: u128) -> Option<Vec<u8>> {
    let bytes = fs::read(path(key)?).ok()?;
    let (head, module) = bytes.split_at_checked(2 * MAGIC.len())?;
    let whole = head.starts_with(MAGIC) && head[MAGIC.len()..] == hash(&[module]).to_le_bytes();
    whole.then(|| module.to_vec())
}

/// Whether modules are kept, and the one of a key isn't yet.
pub(super) fn is_missing(key: u128) -> bool {
    path(key).is_some_and(|path| !path.exists())
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
