//! What a failed save leaves after: the old file, and nothing else. What a long one tells.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use latten::io::{Dict, Load, Progress, Save, Value};
use latten::prelude::*;
use latten::{load, save};

use super::{Folder, refusal};

#[test]
fn a_failed_save_leaves_the_old_file() {
    let folder = Folder::new();
    let path = folder.at("model.safetensors");
    let good: Dict = [("a", &Tensor::from([1.0_f32]))].into_iter().collect();
    save(&path, &good).expect("safetensors have it");
    let x = Tensor::from([1.0_f32, 2.0, 3.0]);
    let overlapping: Dict =
        [("x", Value::from(&x)), ("part", Value::from(&x.narrow(0, 1, 2).expect("two of three")))].into_iter().collect();
    let message = refusal(save(&path, &overlapping));
    assert!(message.contains("Some tensors share memory") && message.contains("`x` and `part`"), "{message}");
    // Without data nothing can be written, which shows late: the file has been begun.
    let meta = Value::from(DynTensor::zeros([2], Options::new().device(Device::META).expect("meta")).expect("meta"));
    refusal(save(&path, &Value::from(Dict::from_iter([("m", meta)]))));
    assert!(load(&path).expect("the old file").value == good.into());
    assert_eq!(folder.names(), ["model.safetensors"]);
}

/// Names the file that a child process saves, and dies at.
const CHILD: &str = "LATTEN_SAVED_AND_KILLED";

#[test]
fn a_save_that_ends_in_the_middle_leaves_the_old_file() {
    let state = |number: f32| Value::from((0..10).map(|n| (format!("w{n}"), Value::from(&Tensor::from([number; 1000])))).collect::<Dict>());
    if let Some(path) = std::env::var_os(CHILD) {
        let die = |progress: Progress| {
            if progress.done * 2 >= progress.total {
                std::process::abort()
            }
        };
        return save_with(Path::new(&path), &state(2.0), &die);
    }
    let folder = Folder::new();
    for name in ["model.pt", "model.safetensors", "model.npz"] {
        let path = folder.at(name);
        save(&path, &state(1.0)).expect("the format has it");
        // A panic on the way: the new file goes, too.
        let fall = |progress: Progress| assert!(progress.done * 2 < progress.total, "planned");
        let hook = std::panic::catch_unwind(|| save_with(&path, &state(2.0), &fall));
        assert!(hook.is_err() && folder.names() == [name], "{:?}", folder.names());
        // The process ends: what it has written stays beside, under another name.
        let test = "saving::a_save_that_ends_in_the_middle_leaves_the_old_file";
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let output = command.args(["--exact", test]).env(CHILD, &path).output().expect("it starts");
        assert!(!output.status.success(), "{output:?}");
        assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
        assert!(load(&path).expect("the old file").value == state(1.0), "{name}");
        save(&path, &state(3.0)).expect("what is left behind is in nobody's way");
        assert!(load(&path).expect("the new file").value == state(3.0), "{name}");
        folder.names().iter().for_each(|name| std::fs::remove_file(folder.at(name)).expect("it is there"));
    }
}

fn save_with(path: &Path, value: &Value, watch: &(dyn Fn(Progress) + Sync)) {
    Save::new().progress(watch).save(path, value).expect("the format has it");
}

#[test]
fn a_save_over_a_mapped_file_keeps_what_is_mapped() {
    let folder = Folder::new();
    let path = folder.at("model.pt");
    let state = |number: f32| Value::from(Dict::from_iter([("w", &Tensor::from([number; 1000]))]));
    save(&path, &state(1.0)).expect("pt has it");
    let old = Load::new().mapped().load(&path).expect("it was written");
    save(&path, &state(2.0)).expect("pt has it");
    assert!(old.value == state(1.0), "the mapping is of the file that was there");
    assert!(load(&path).expect("the new file").value == state(2.0));
}

#[test]
fn progress_reaches_its_end() {
    let folder = Folder::new();
    let path = folder.at("model.pt");
    let state = Dict::from_iter((0..10).map(|n| (format!("w{n}"), &*Box::leak(Box::new(Tensor::from([n as f32; 100]))))));
    let seen = Mutex::new(Vec::new());
    let watch = |progress: Progress| seen.lock().expect("no panic").push(progress);
    Save::new().progress(&watch).save(&path, &state).expect("pt has it");
    Load::new().progress(&watch).load(&path).expect("it was written");
    let seen = seen.into_inner().expect("no panic");
    assert_eq!(seen.len(), 20);
    assert!(seen.iter().all(|progress| progress.total == 4000 && progress.done <= 4000), "{seen:?}");
    for part in seen.chunks(10) {
        assert_eq!(part.iter().map(|progress| progress.done).max(), Some(4000));
    }
}

#[test]
fn a_name_and_a_content_that_differ_are_told() {
    let folder = Folder::new();
    let path = folder.at("model.pt");
    std::fs::write(&path, b"version https://git-lfs.github.com/spec/v1\n").expect("a file");
    let message = refusal(load(&path));
    assert!(
        message.ends_with(
            "model.pt: its name says pt, but it seems to be a pointer of Git LFS: the file itself was never fetched. \
        `Load::format` reads it as what it is"
        ),
        "{message}"
    );
}

#[test]
fn what_is_saved_has_the_length_and_the_room_that_it_needs() {
    let folder = Folder::new();
    let tensor = Value::from(&Tensor::<i32>::arange(1 << 20).expect("numbers"));
    let state = Value::from(Dict::from_iter([("a", Value::from(&Tensor::from([0.5_f32; 3]))), ("b", tensor.clone())]));
    for (name, value) in [("a.pt", &state), ("a.safetensors", &state), ("a.npz", &state), ("a.npy", &tensor)] {
        let path = folder.at(name);
        // Once to a new name, once over a file.
        for _ in 0..2 {
            save(&path, value).expect("the format has it");
            assert!(load(&path).expect("it was written").value == *value, "{name}");
        }
        let about = std::fs::metadata(&path).expect("it was written");
        assert!((4 << 20..(4 << 20) + 4096).contains(&about.len()), "{name}: {} bytes", about.len());
        #[cfg(target_os = "linux")]
        {
            let taken = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
            assert!(taken < about.len() + (1 << 19), "{name}: {taken} of the disk for {} bytes", about.len());
        }
    }
}
