//! Compiled modules by the hash of all that they were made from: in packs, which the program has in it or is told of, and on disk. A file
//! that isn't whole is no file: it is made again. What is loaded runs on the device, so folder and files must be of this user and writable by
//! nobody else, and no link is followed to them.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use latten_kernel::kernels::pack::{self, Packed, hash};

use latten_kernel::nvrtc;

/// The environment variable that names the folder; empty, nothing is kept.
const FOLDER_VARIABLE: &str = "LATTEN_CUDA_CACHE";

/// The environment variable that names a pack; when a program with the feature `precompiled` is built, the pack that it has in it.
const PACK_VARIABLE: &str = "LATTEN_CUDA_PACK";

/// The pack that the program has in it; empty without the feature `precompiled`.
#[cfg(feature = "precompiled")]
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cuda/pack"));
#[cfg(not(feature = "precompiled"))]
static EMBEDDED: &[u8] = &[];

/// What a file begins with; then come the length of the module, a hash of the key, the length and the module, and the module.
const MAGIC: &[u8; 16] = b"latten module 2\n";
const HEAD: usize = MAGIC.len() + 8 + 16;

/// The folder. A path that isn't absolute names none: where it leads depends on where the program was started.
fn folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if std::env::var_os(FOLDER_VARIABLE).is_some() {
        return named(FOLDER_VARIABLE);
    }
    let home = || named("HOME").or_else(|| named("LOCALAPPDATA")).map(|home| home.join(".cache"));
    named("XDG_CACHE_HOME").or_else(home).map(|folder| folder.join("latten").join("cuda"))
}

/// Whether a file or folder is of this user, and nobody else may write to it.
#[cfg(unix)]
fn is_own(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    about.uid() == crate::process::system::user() && about.mode() & 0o022 == 0
}

/// Elsewhere the folder of the user is the user's.
#[cfg(not(unix))]
fn is_own(_about: &fs::Metadata) -> bool {
    true
}

/// The folder, if it is there and can be trusted.
fn trusted() -> Option<PathBuf> {
    let folder = folder()?;
    let about = fs::symlink_metadata(&folder).ok()?;
    if about.is_dir() && is_own(&about) {
        return Some(folder);
    }
    log::debug!("latten: {} isn't used for CUDA kernels: it is no folder of this user alone", folder.display());
    None
}

fn make_folder() -> Option<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder()?).ok()?;
    trusted()
}

fn name(key: u128) -> String {
    format!("{key:032x}")
}

/// A file, never by a link.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).mode(0o600);
    }
    options.open(path)
}

fn digest(key: u128, module: &[u8]) -> [u8; 16] {
    hash(&[&key.to_le_bytes(), &(module.len() as u64).to_le_bytes(), module]).to_le_bytes()
}

/// What a module is kept by.
pub(super) fn module_key(text: &str, capability: (u32, u32)) -> u128 {
    pack::key(text, &nvrtc::fingerprint(capability))
}

/// The module of a pack with a kernel for a device, or for an older one of its generation, whose kernels it runs too.
pub(super) fn packed(text: &str, (major, minor): (u32, u32)) -> Option<&'static [u8]> {
    (0..=minor).rev().find_map(|minor| in_packs(module_key(text, (major, minor))))
}

/// What the packs have: a later pack before an earlier one, and those that the environment names before the one in the program.
pub(super) fn in_packs(key: u128) -> Option<&'static [u8]> {
    static PACKED: OnceLock<HashMap<u128, Packed<'static>>> = OnceLock::new();
    let packed = PACKED.get_or_init(|| {
        let named = std::env::var_os(PACK_VARIABLE).map(PathBuf::from).filter(|path| path.is_absolute());
        let named = named.and_then(|path| fs::read(path).ok());
        let named: &'static [u8] = named.map(Vec::leak).unwrap_or_default();
        [EMBEDDED, named].into_iter().flat_map(pack::modules).flat_map(|packed| packed.keys().map(move |key| (key, packed))).collect()
    });
    packed.get(&key).and_then(|packed| packed.module()).filter(|module| !module.is_empty())
}

/// The module that is kept on disk, where it is there and whole.
pub(super) fn get(key: u128) -> Option<Vec<u8>> {
    let mut file = open(OpenOptions::new().read(true), &trusted()?.join(name(key))).ok()?;
    let about = file.metadata().ok()?;
    if !about.is_file() || !is_own(&about) {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let (head, module) = bytes.split_at_checked(HEAD)?;
    let (length, digest_there) = head.strip_prefix(MAGIC)?.split_at(8);
    let whole = !module.is_empty() && length == (module.len() as u64).to_le_bytes() && digest_there == digest(key, module);
    whole.then(|| module.to_vec())
}

/// Whether modules are kept, and the one of a key isn't yet. In a folder that isn't trusted nothing is kept.
pub(super) fn is_missing(key: u128) -> bool {
    let Some(folder) = folder() else { return false };
    fs::symlink_metadata(folder).is_err() || trusted().is_some_and(|folder| fs::symlink_metadata(folder.join(name(key))).is_err())
}

/// Keeps a module. Where that fails it is compiled again next time.
pub(super) fn put(key: u128, module: &[u8]) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(folder) = make_folder() else { return };
    let path = folder.join(name(key));
    let written = path.with_extension(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let write = || -> io::Result<()> {
        let made = || open(OpenOptions::new().write(true).create_new(true), &written);
        let mut file = made().or_else(|error| {
            // What a process of the same number left behind when it ended.
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            fs::remove_file(&written)?;
            made()
        })?;
        file.write_all(MAGIC)?;
        file.write_all(&(module.len() as u64).to_le_bytes())?;
        file.write_all(&digest(key, module))?;
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
    if let Some(folder) = trusted() {
        let _ = fs::remove_file(folder.join(name(key)));
    }
}
