//! Storages that are files: who sees what is written, what is refused, and what happens to a file that others change.

use std::fs::{self, File, OpenOptions};

use latten::storage::{FloatStorage, QInt8Storage, Sharing, TypedStorage, UntypedStorage};
use latten::{DType, Result, Scalar};

use crate::check::Folder;

fn private(path: impl AsRef<std::path::Path>, nbytes: usize) -> Result<UntypedStorage> {
    UntypedStorage::from_file(path, Sharing::Private, nbytes)
}

fn shared(path: impl AsRef<std::path::Path>, nbytes: usize) -> Result<UntypedStorage> {
    UntypedStorage::from_file(path, Sharing::Shared, nbytes)
}

#[test]
fn shared_writes_reach_the_file() -> Result<()> {
    let folder = Folder::new();
    let path = folder.file("numbers", &[1, 2, 3, 4]);
    let (storage, other) = (shared(&path, 4)?, shared(&path, 2)?);
    storage.set(0, 9)?;
    answers! {
        fs::read(&path).expect("the file") => [9, 2, 3, 4];
        other.tolist()? => [9, 2];
        (storage.is_shared(), storage.resizable(), storage.filename()) => (true, false, Some(path.as_path()));
        (storage.deep_clone()?.is_shared(), storage.deep_clone()?.filename(), storage.deep_clone()?.resizable()) => (false, None, true);
        (storage.slice(1..3)?.tolist()?, storage.slice(1..3)?.filename()) => (vec![2, 3], None);
        storage.share_memory_()?.filename() => Some(path.as_path());
    }
    // Others' writes are seen.
    fs::write(&path, [7; 4]).expect("the file can be written");
    assert_eq!(storage.tolist()?, [7; 4]);
    drop(storage);
    assert_eq!(fs::read(&path).expect("the file stays"), [7; 4]);
    Ok(())
}

#[test]
fn shared_files_are_made_and_extended_but_never_shrunk() -> Result<()> {
    let folder = Folder::new();
    let made = shared(folder.join("made"), 5)?;
    made.set(4, 1)?;
    let path = folder.file("short", &[1, 2]);
    let extended = shared(&path, 4)?;
    answers! {
        fs::read(folder.join("made")).expect("the file") => [0, 0, 0, 0, 1];
        extended.tolist()? => [1, 2, 0, 0];
        fs::read(&path).expect("the file").len() => 4;
        shared(&path, 1)?.nbytes() => 1;
        fs::read(&path).expect("the file").len() => 4;
        (shared(folder.join("none"), 0)?.nbytes(), folder.join("none").exists()) => (0, false);
    }
    Ok(())
}

#[test]
fn private_writes_never_reach_the_file() -> Result<()> {
    let folder = Folder::new();
    let path = folder.file("numbers", &[1, 2, 3, 4]);
    let mut read_only = fs::metadata(&path).expect("the file").permissions();
    read_only.set_readonly(true);
    fs::set_permissions(&path, read_only).expect("permissions can be set");
    let storage = private(&path, 3)?;
    storage.fill_(9)?;
    answers! {
        storage.tolist()? => [9, 9, 9];
        fs::read(&path).expect("the file") => [1, 2, 3, 4];
        private(&path, 4)?.tolist()? => [1, 2, 3, 4];
        (storage.is_shared(), storage.resizable(), storage.filename()) => (true, false, None);
    }
    Ok(())
}

#[test]
fn typed_storages_of_files_count_numbers() -> Result<()> {
    let folder = Folder::new();
    let path = folder.join("floats");
    FloatStorage::from_file(&path, Sharing::Shared, 3)?.set(2, 1.5)?;
    answers! {
        FloatStorage::from_file(&path, Sharing::Private, 3)?.tolist()? => [0.0, 0.0, 1.5];
        TypedStorage::from_file_of(&path, Sharing::Private, 1, DType::F32)?.tolist()? => [Scalar::Float(0.0)];
        QInt8Storage::from_file(&path, Sharing::Private, 12)?.size() => 12;
        fs::metadata(&path).expect("the file").len() => 12;
    }
    let overflow = usize::MAX / 2;
    refusals! {
        FloatStorage::from_file(&path, Sharing::Private, overflow) => Runtime format!("Storage size calculation overflowed with sizes=[{overflow}]");
        FloatStorage::from_file(&path, Sharing::Private, 4) => Runtime format!("file <{}> size <12> is smaller than the required mapping size <16>", path.display());
    }
    Ok(())
}

#[test]
fn what_is_refused() -> Result<()> {
    let folder = Folder::new();
    let path = folder.file("eight", &[0; 8]);
    let (name, dir) = (path.display(), folder.as_ref().display());
    let storage = shared(&path, 8)?;
    refusals! {
        private(&path, 100) => Runtime format!("file <{name}> size <8> is smaller than the required mapping size <100>");
        private(&path, isize::MAX as usize) => Runtime format!("file <{name}> size <8> is smaller than the required mapping size <{}>", isize::MAX);
        private(folder.join("x"), 4) => Runtime format!("unable to open file <{dir}/x> in read-only mode: No such file or directory (2)");
        private(folder.join("x/y"), 4) => Runtime format!("unable to open file <{dir}/x/y> in read-only mode: No such file or directory (2)");
        shared(folder.join("x/y"), 4) => Runtime format!("unable to open file <{dir}/x/y> in read-write mode: No such file or directory (2)");
        shared(path.join("y"), 4) => Runtime format!("unable to open file <{name}/y> in read-write mode: Not a directory (20)");
        shared(folder.as_ref(), 4) => Runtime format!("unable to open file <{dir}> in read-write mode: Is a directory (21)");
        private(&path, usize::MAX) => Runtime format!("unable to mmap -1 bytes from file <{name}>: Cannot allocate memory (12)");
        shared(&path, usize::MAX) => Runtime format!("unable to mmap -1 bytes from file <{name}>: Cannot allocate memory (12)");
        storage.resize_(4) => Runtime "Trying to resize storage that is not resizable";
        storage.resize_(8) => Runtime "Trying to resize storage that is not resizable";
        private(&path, 8)?.resize_(4) => Runtime "Trying to resize storage that is not resizable";
    }
    assert_eq!(fs::read(&path).expect("the file"), [0; 8], "a refusal changed the file");
    Ok(())
}

/// What only Linux answers in these words. Some of it must hold for the superuser too, whom no permission stops.
#[cfg(target_os = "linux")]
#[test]
fn what_the_system_refuses() -> Result<()> {
    let folder = Folder::new();
    let path = folder.file("eight", &[0; 8]);
    let (name, socket) = (path.display(), folder.join("socket"));
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).expect("this program");
    let huge = 1_usize << 62;
    refusals! {
        private(&socket, 4) => Runtime format!("unable to open file <{}> in read-only mode: No such device or address (6)", socket.display());
        shared(&socket, 4) => Runtime format!("unable to open file <{}> in read-write mode: No such device or address (6)", socket.display());
        shared(&program, 1) => Runtime format!("unable to open file <{}> in read-write mode: Text file busy (26)", program.display());
        shared(&path, huge) => Runtime format!("unable to resize file <{name}> to the right size: File too large (27)");
        shared(folder.join("new"), huge) => Runtime format!("unable to resize file <{}> to the right size: File too large (27)", folder.join("new").display());
    }
    assert!(!folder.join("new").exists(), "a refusal left a file");
    assert_eq!(fs::read(&path).expect("the file"), [0; 8], "a refusal changed the file");
    Ok(())
}

/// Permissions: the child process gives up the rights of the superuser first, where the test has them.
#[cfg(target_os = "linux")]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const PATH: &str = "LATTEN_TEST_PATH";
    if let Ok(path) = std::env::var(PATH) {
        let mode = fs::metadata(&path).expect("the file").permissions().mode() & 0o777;
        let denied = |mode: &str| format!("unable to open file <{path}> in {mode} mode: Permission denied (13)");
        match mode {
            0o444 => {
                refusals! { shared(&path, 4) => Runtime denied("read-write"); }
                assert_eq!(private(&path, 4).and_then(|storage| storage.tolist()), Ok(vec![7; 4]));
            }
            _ => refusals! { shared(&path, 4) => Runtime denied("read-write"); private(&path, 4) => Runtime denied("read-only"); },
        }
        return;
    }
    let folder = Folder::new();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("permissions can be set");
    // A copy of this program, which another user can run wherever the original lies.
    let program = folder.join("program");
    fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    for mode in [0o444, 0o000] {
        let path = folder.file(&format!("mode_{mode:o}"), &[7; 4]);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions can be set");
        let mut command = Command::new(&program);
        command.args(["--exact", "files::files_without_permission"]).env(PATH, &path).current_dir(&folder);
        if fs::metadata(&path).expect("the file").uid() == 0 {
            command.uid(65534).gid(65534);
        }
        let output = command.output().expect("the other process starts");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "mode {mode:o}: {}\n{stdout}", output.status);
    }
}

/// A file that somebody truncated is an error at every use, not a SIGBUS, and works again when it has its length back.
#[test]
fn a_truncated_file() -> Result<()> {
    let folder = Folder::new();
    let path = folder.file("numbers", &[5; 8192]);
    let length = |length| OpenOptions::new().write(true).open(&path).and_then(|file: File| file.set_len(length)).expect("a new length");
    let (ours, copy) = (shared(&path, 8192)?, private(&path, 8192)?);
    copy.set(0, 9)?;
    length(100);
    let truncated = "the file below the storage was truncated to 100 bytes, but the storage has 8192";
    for storage in [&ours, &copy, &ours.slice(8000..)?] {
        refusals! {
            storage.get(0) => Runtime truncated;
            storage.set(0, 1) => Runtime truncated;
            storage.fill_(1) => Runtime truncated;
            storage.tolist() => Runtime truncated;
            storage.deep_clone() => Runtime truncated;
            storage.float() => Runtime truncated;
            storage.byteswap(DType::U8) => Runtime truncated;
            UntypedStorage::new(storage.nbytes(), latten::Device::CPU)?.copy_(storage) => Runtime truncated;
            TypedStorage::wrap(storage.clone(), DType::U8).get(0) => Runtime truncated;
        }
    }
    assert_eq!(ours.slice(-2..)?.to_string(), format!(" {truncated}\n[torch.storage.UntypedStorage(device=cpu) of size 2]"));
    assert_eq!(ours.slice(0..2)?.tolist()?, [5, 5], "these bytes are there");
    length(8192);
    assert_eq!((ours.get(0)?, ours.get(99)?, ours.get(100)?, ours.get(-1)?), (5, 5, 0, 0));
    Ok(())
}

/// A file that is mapped twice, by whatever path and in whatever length, is one memory: one lock, and overlap is seen.
#[test]
fn a_file_that_is_mapped_twice() -> Result<()> {
    use latten::prelude::*;

    let folder = Folder::new();
    let path = folder.file("numbers", &[0; 8000]);
    let link = folder.join("link");
    fs::hard_link(&path, &link).expect("a link");
    let (short, long, linked) = (shared(&path, 80)?, shared(&path, 8000)?, shared(&link, 800)?);
    for other in [&short, &linked] {
        assert!(long.shares_memory(other) && long.id() == other.id() && !long.is_same(other));
        assert_eq!(other.data_ptr(), long.data_ptr());
    }
    assert!(!long.shares_memory(&shared(folder.file("other", &[0; 80]), 80)?));
    answers! {
        (short.nbytes(), long.nbytes(), linked.nbytes()) => (80, 8000, 800);
        (short.slice(8..16)?.nbytes(), short.slice(8..).map(|slice| slice.nbytes())?) => (8, 72);
    }
    let tensor = |storage: &UntypedStorage, count: isize| -> Result<Tensor<i64, (Dyn,)>> {
        let mut tensor = Tensor::<i64>::empty([0])?;
        tensor.set_((storage, 0, [count])).map(drop)?;
        Ok(tensor)
    };
    let (one, mut other) = (tensor(&long, 1000)?, tensor(&linked, 100)?);
    one.i(i![..100]).copy_(&Tensor::<i64>::from_vec((0..100).collect(), [100])?)?;
    other.i(i![1..]).add_(one.i(i![..99]))?;
    let expected: Vec<i64> = (0..100).map(|number| number + (number - 1).max(0)).collect();
    assert_eq!(other.to_vec(), expected, "the sum of what was there before");
    // A private copy follows the file where it wasn't written to: it is read before the file is written.
    other.copy_(&Tensor::<i64>::from_vec((0..100).collect(), [100])?)?;
    let copy = tensor(&private(&path, 800)?, 100)?;
    other.i(i![1..]).add_(copy.i(i![..99]))?;
    assert_eq!(other.to_vec(), expected, "beside a private copy");
    Ok(())
}

/// Threads write and read the same file through mappings of their own: nothing is torn.
#[test]
fn mappings_of_one_file_in_many_threads() -> Result<()> {
    use latten::prelude::*;

    let folder = Folder::new();
    let path = folder.file("numbers", &[0; 8 * 50_000]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4_i64)
            .map(|thread| {
                let path = &path;
                scope.spawn(move || -> Result<()> {
                    for _ in 0..30 {
                        let storage = if thread < 3 { shared(path, 8 * 50_000)? } else { private(path, 8 * 50_000)? };
                        let mut numbers = Tensor::<i64>::empty([0])?;
                        numbers.set_((&storage, 0, [50_000]))?;
                        if thread < 2 {
                            numbers.fill_(thread)?;
                        }
                        let copy = numbers.clone();
                        let (least, most) = (copy.min().item(), copy.max().item());
                        assert_eq!(least, most, "torn");
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}

/// Room that a file gets is room on the disk: a full disk is an error when it is extended, not a SIGBUS at a write.
#[cfg(target_os = "linux")]
#[test]
fn extended_files_have_their_room() -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    let folder = Folder::new();
    let path = folder.file("short", &[1; 10]);
    let _storage = shared(&path, 1 << 20)?;
    let about = fs::metadata(&path).expect("the file");
    assert!(about.blocks() * 512 >= 1 << 20, "{} blocks of 512 bytes", about.blocks());
    Ok(())
}

/// A pipe without a writer isn't waited for.
#[cfg(unix)]
#[test]
fn pipes_are_not_mapped() {
    let folder = Folder::new();
    let path = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return println!("not run: no mkfifo here");
    }
    refusals! {
        private(&path, 4) => Runtime format!("file <{}> size <0> is smaller than the required mapping size <4>", path.display());
    }
    assert!(shared(&path, 4).is_err());
}
