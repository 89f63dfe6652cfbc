//! Which files are trusted with what runs on a device.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use latten::elementwise::{Params, apply};
use latten::{Op, RawTensor, Result};

use crate::failures::counts;
use crate::stand_in::{command, is_here};

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
    // Another user's file with the right hash, then another user's folder: only the system's administrator can give files away.
    const ANOTHER: u32 = 12345;
    match chown(file, Some(ANOTHER), None) {
        Ok(()) => {
            assert_eq!(counts(&name), Some((1, 0)), "another user's file");
            let own = fs::metadata(&cache).expect("it was made").uid();
            chown(&cache, Some(ANOTHER), None).expect("it has worked before");
            assert_eq!((counts(&name), counts(&name)), (Some((1, 0)), Some((1, 0))), "another user's folder");
            chown(&cache, Some(own), None).expect("it has worked before");
        }
        Err(_) => println!("not run: files of other users, which only an administrator can make"),
    }
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

/// Adds on the device, started in a folder.
fn adds_in(here: &Path, variables: &[(&str, &str)]) -> Option<()> {
    let mut command = command("trust::adds_numbers")?;
    command.env_remove("LATTEN_CUDA_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", "").current_dir(here);
    let output = command.envs(variables.iter().copied()).output().expect("tests can start themselves");
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{variables:?}: {out}\n{error}");
    Some(())
}

#[test]
fn adds_numbers() -> Result<()> {
    if is_here() {
        let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)?;
        assert_eq!(apply(Op::Add, &[(&x).into(), (&x).into()], &Params::none())?.scalars()?.len(), 2);
    }
    Ok(())
}

/// Folders that depend on where a program is started are no folders for kernels.
#[test]
fn kernels_are_not_kept_where_a_program_is_started() {
    if is_here() {
        return;
    }
    let here = folder("here");
    fs::create_dir_all(&here).expect("a folder");
    for variable in [("LATTEN_CUDA_CACHE", "relative-cache"), ("HOME", ""), ("HOME", "relative-home"), ("XDG_CACHE_HOME", "relative-cache")]
    {
        let Some(()) = adds_in(&here, &[variable]) else { return };
        assert!(files(&here).is_empty(), "{variable:?}: {:?}", files(&here));
    }
    fs::remove_dir_all(&here).expect("it is there");
}

/// A library that says when it is loaded, where a program is started, and as a copy that somebody put aside.
#[test]
fn libraries_of_other_folders_and_names_are_not_loaded() {
    if is_here() || command("").is_none() {
        return;
    }
    let here = folder("libraries");
    fs::create_dir_all(&here).expect("a folder");
    let absolute = here.display().to_string();
    let (source, loaded) = (here.join("marks.c"), here.join("loaded"));
    fs::write(&source, "#include <stdio.h>\n__attribute__((constructor)) static void mark(void) { fclose(fopen(\"loaded\", \"w\")); }\n")
        .expect("a source");
    for (name, value) in [("libnvrtc.so", "."), ("libnvrtc.so.bak", &absolute)] {
        let library = here.join(name);
        let built = Command::new("g++").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
        assert!(built.expect("g++, as the stand-in has it").success());
        adds_in(&here, &[("LATTEN_NVRTC", value), ("LATTEN_CUDA_CACHE", "")]);
        assert!(!loaded.exists(), "{name} in {value} was loaded");
        fs::remove_file(library).expect("it was built");
    }
    fs::remove_dir_all(&here).expect("it is there");
}
