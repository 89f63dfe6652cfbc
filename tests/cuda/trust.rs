//! Which files are trusted with what runs on a device, and what a forked child may do: nothing of the parent's devices.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs};

use latten::elementwise::{Params, apply};
use latten::{Op, RawTensor, Result};

use crate::failures::counts;
use crate::process::{End, child};
use crate::stand_in::{is_here, passes, run};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("trust-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect()
}

fn twice(x: &RawTensor) -> Result<RawTensor> {
    apply(Op::Add, &[x.into(), x.into()], &Params::none())
}

#[test]
fn only_own_files_are_loaded() {
    if is_here() {
        return;
    }
    let cache = folder("own");
    let name = cache.display().to_string();
    let Some(first) = counts(&name) else { return };
    assert_eq!((first, counts(&name)), ((1, 0), Some((0, 1))), "compiled first, then loaded");
    let permissions = |path: &Path| fs::metadata(path).expect("it was made").permissions().mode() & 0o777;
    let [file] = &files(&cache)[..] else { panic!("one file: {:?}", files(&cache)) };
    assert_eq!((permissions(&cache), permissions(file)), (0o700, 0o600));
    // Others may write to the file, then to the folder.
    mode(file, 0o622);
    assert_eq!(counts(&name), Some((1, 0)), "a file that others may write to");
    assert_eq!(permissions(file), 0o600, "made again");
    mode(&cache, 0o722);
    assert_eq!((counts(&name), counts(&name)), (Some((1, 0)), Some((1, 0))), "a folder that others may write to");
    mode(&cache, 0o755);
    assert_eq!(counts(&name), Some((0, 1)), "a folder that others may read");
    // A link in the file's place, and in the folder's.
    let elsewhere = cache.with_extension("elsewhere");
    fs::rename(file, &elsewhere).expect("another name");
    symlink(&elsewhere, file).expect("a link");
    assert_eq!(counts(&name), Some((1, 0)), "a link to a file");
    assert!(!fs::symlink_metadata(file).expect("the file").is_symlink() && elsewhere.exists(), "the link is replaced, not followed");
    let link = folder("link");
    symlink(&cache, &link).expect("a link");
    assert_eq!(counts(&link.display().to_string()), Some((1, 0)), "a link to a folder");
    // A good file under the name of another kernel.
    let other = fs::read(file).expect("the file");
    fs::write(file.with_file_name(format!("{:032x}", 1)), other).expect("a copy");
    assert_eq!(counts(&name), Some((0, 1)));
    for path in [cache, elsewhere, link] {
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    }
}

/// Folders that depend on where a program is started are no folders: neither for kernels nor for libraries.
#[test]
fn relative_folders_are_not_used() {
    if is_here() {
        return;
    }
    for (variable, value) in
        [("LATTEN_CUDA_CACHE", "relative-cache"), ("HOME", ""), ("XDG_CACHE_HOME", "relative-cache"), ("LATTEN_NVRTC", ".")]
    {
        let Some(output) = run("trust::keeps_nothing_here", &[(variable, value), ("LATTEN_TEST_TRUST", variable)]) else { return };
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{variable}={value}: {out}\n{error}");
    }
}

#[test]
fn keeps_nothing_here() -> Result<()> {
    let Ok(variable) = env::var("LATTEN_TEST_TRUST") else { return Ok(()) };
    let here = folder(&format!("here-{variable}"));
    fs::create_dir_all(&here).expect("a folder");
    env::set_current_dir(&here).expect("the folder");
    let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)?;
    assert_eq!(twice(&x)?.scalars()?.len(), 2);
    let found = files(&here);
    fs::remove_dir_all(&here).expect("it is there");
    assert!(found.is_empty(), "{found:?}");
    Ok(())
}

#[test]
fn children_have_no_devices() {
    if !is_here() {
        passes(
            "trust::is_forked",
            &[("LATTEN_TEST_TRUST", "fork"), ("LATTEN_CUDA_WARM", "1000"), ("LATTEN_CUDA_CACHE", &folder("fork").display().to_string())],
        );
        let _ = fs::remove_dir_all(folder("fork"));
    }
}

/// Forked while kernels are compiled in the background: a child gets errors where it touches a device, computes on the host, and ends.
#[test]
fn is_forked() -> Result<()> {
    if env::var("LATTEN_TEST_TRUST").as_deref() != Ok("fork") {
        return Ok(());
    }
    let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)?;
    twice(&x)?;
    for _ in 0..3 {
        let answer = child(End::AsPrograms, || {
            let text =
                "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method";
            for error in [twice(&x).err(), x.scalars().err(), RawTensor::from_vec(vec![1], &[1])?.to_device("cuda".parse()?).err()] {
                assert_eq!(error.expect("no device").message(), text);
            }
            assert_eq!(latten::cuda::device_count(), 0);
            drop(x.clone());
            let y = RawTensor::from_vec(vec![1.0_f32; 100_000], &[100_000])?;
            assert_eq!(twice(&y)?.scalars()?.len(), 100_000);
            Ok(())
        });
        assert_eq!(answer, Ok(()));
    }
    assert!(twice(&x).is_ok(), "the parent goes on");
    Ok(())
}
