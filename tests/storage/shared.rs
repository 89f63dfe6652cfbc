//! Memory that several processes map: it is shown by a second process, which this test starts.
#![cfg(unix)]

use std::io::stdin;
use std::os::fd::AsFd;

use latten::storage::{FloatStorage, UntypedStorage};
use latten::{Result, Scalar};

use latten::prelude::*;

use crate::check::{Folder, other_process, role};

/// The other process gets the descriptor as its standard input, maps the memory, and writes what this one reads.
#[test]
fn two_processes_share_memory() -> Result<()> {
    if role().is_some() {
        let descriptor = stdin().as_fd().try_clone_to_owned().expect("the descriptor that was passed on");
        let storage = UntypedStorage::from_shared_descriptor(descriptor, 16)?;
        let floats = FloatStorage::of(storage.clone());
        assert_eq!(floats.tolist()?, [1.0, 2.0, 3.0, 4.0]);
        assert!(storage.is_shared() && !storage.resizable());
        floats.set(1, 20.0)?;
        return floats.set_range(2.., 1, 30.0);
    }
    let floats = FloatStorage::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
    let before = floats.untyped().slice(4..8)?;
    floats.share_memory_()?;
    other_process("shared::two_processes_share_memory", "writer", &[], floats.untyped().shared_descriptor()?.into());
    answers! {
        floats.tolist()? => [1.0, 20.0, 30.0, 30.0];
        // A slice from before moved too.
        before.tolist()? => 20_f32.to_ne_bytes();
    }
    Ok(())
}

#[test]
fn shared_memory_keeps_its_size() -> Result<()> {
    let storage = UntypedStorage::from_bytes(&[1, 2, 3, 4])?;
    let (address, other) = (storage.data_ptr(), storage.clone());
    storage.share_memory_()?;
    answers! {
        (storage.is_shared(), other.is_shared(), storage.resizable(), storage.filename()) => (true, true, false, None);
        (other.tolist()?, storage.data_ptr() == address) => (vec![1, 2, 3, 4], false);
        (storage.deep_clone()?.is_shared(), storage.deep_clone()?.resizable()) => (false, true);
    }
    let address = storage.data_ptr();
    assert_eq!(storage.share_memory_()?.data_ptr(), address, "a second time nothing happens");
    let mapped = UntypedStorage::from_shared_descriptor(storage.shared_descriptor()?, 2)?;
    mapped.set(1, 9)?;
    assert_eq!((storage.tolist()?, mapped.is_same(&storage)), (vec![1, 9, 3, 4], false));
    let empty = UntypedStorage::empty();
    assert_eq!((empty.share_memory_()?.is_shared(), empty.tolist()?), (true, Vec::new()));
    assert_eq!(UntypedStorage::from_shared_descriptor(empty.shared_descriptor()?, 0)?.nbytes(), 0);
    let fresh = UntypedStorage::from_bytes(&[0; 2])?;
    let null = std::fs::File::open("/dev/null").expect("the null device");
    refusals! {
        storage.resize_(8) => Runtime "Trying to resize storage that is not resizable";
        storage.resize_(2) => Runtime "Trying to resize storage that is not resizable";
        fresh.shared_descriptor() => Runtime "shared_descriptor: the storage is not in shared memory, call share_memory_ first";
        UntypedStorage::from_shared_descriptor(storage.shared_descriptor()?, 5) =>
            Runtime "from_shared_descriptor: the shared memory has 4 bytes, fewer than the 5 asked for";
        UntypedStorage::from_shared_descriptor(null.into(), 5) =>
            Runtime "from_shared_descriptor: the shared memory has 0 bytes, fewer than the 5 asked for";
    }
    assert_eq!(storage.tolist()?, [1, 9, 3, 4]);
    Ok(())
}

/// No slice is lent: another process may write at any time.
#[test]
fn shared_memory_is_not_lent() -> Result<()> {
    let floats = FloatStorage::from_slice(&[1.0])?;
    let kept = floats.slice()?;
    refusals! {
        floats.share_memory_() => Runtime "the storage can't be written while this thread keeps a slice of it: drop the slice first";
    }
    drop(kept);
    floats.share_memory_()?;
    let refused = "no slice of a mapped file or of shared memory: others may change it meanwhile; copy it, or use get and set";
    refusals! {
        floats.slice() => Runtime refused;
        floats.slice_mut() => Runtime refused;
    }
    assert_eq!(floats.erase().get(0)?, Scalar::Float(1.0));
    Ok(())
}

/// Memory of latten's own keeps its size, whoever has the descriptor.
#[cfg(target_os = "linux")]
#[test]
fn nobody_shrinks_shared_memory() -> Result<()> {
    let storage = UntypedStorage::from_bytes(&[1; 8192])?;
    storage.share_memory_()?;
    let file = std::fs::File::from(storage.shared_descriptor()?);
    for length in [0, 4096, 10_000] {
        assert!(file.set_len(length).is_err(), "{length}");
    }
    assert_eq!((storage.get(-1)?, file.metadata().expect("its length").len()), (1, 8192));
    Ok(())
}

/// Memory from elsewhere may be shrunk by who has its descriptor; then every use is an error, not a SIGBUS.
#[test]
fn truncated_shared_memory() -> Result<()> {
    let folder = Folder::new();
    let file = std::fs::File::options().read(true).write(true).open(folder.file("memory", &[1; 8192])).expect("the file");
    let storage = UntypedStorage::from_shared_descriptor(file.try_clone().expect("a descriptor").into(), 8192)?;
    file.set_len(4096).expect("a new length");
    let truncated = "the shared memory below the storage was truncated to 4096 bytes, but the storage has 8192";
    refusals! {
        storage.get(0) => Runtime truncated;
        storage.fill_(0) => Runtime truncated;
        storage.tolist() => Runtime truncated;
    }
    assert_eq!(storage.slice(..4096)?.get(0)?, 1, "these bytes are there");
    file.set_len(8192).expect("a new length");
    assert_eq!((storage.get(4095)?, storage.get(4096)?), (1, 0));
    Ok(())
}

/// Memory that is mapped twice is one memory: one lock, and overlap is seen.
#[test]
fn shared_memory_that_is_mapped_twice() -> Result<()> {
    let mut one = Tensor::<i64>::from_vec((0..1000).collect(), [1000])?;
    one.share_memory_()?;
    let again = UntypedStorage::from_shared_descriptor(one.untyped_storage().shared_descriptor()?, 8000)?;
    assert!(again.shares_memory(one.untyped_storage()) && again.id() == one.untyped_storage().id());
    let mut other = Tensor::<i64>::empty([0])?;
    other.set_((&again, 0, [1000]))?;
    one.i(i![1..]).add_(other.i(i![..999]))?;
    let expected: Vec<i64> = (0..1000).map(|number| number + (number - 1).max(0)).collect();
    assert_eq!(other.to_vec(), expected, "the sum of what was there before");
    Ok(())
}

/// More than the machine has is an error here, not a SIGBUS at the first write.
#[test]
fn more_shared_memory_than_there_is() -> Result<()> {
    // Pages of zeros that nobody touches cost nothing, so that this large storage can exist.
    let Ok(storage) = UntypedStorage::zeroed(1 << 45, Device::CPU) else { return Ok(()) };
    let error = storage.share_memory_().expect_err("32 terabytes");
    let text = format!("share_memory_: the system gives no {} bytes of shared memory: ", 1_u64 << 45);
    assert!(error.message().starts_with(&text), "{error}");
    assert!(storage.resizable() && !storage.is_shared());
    Ok(())
}

/// Nothing stays after by name.
#[cfg(target_os = "linux")]
#[test]
fn shared_memory_has_no_name() -> Result<()> {
    let storage = UntypedStorage::from_bytes(&[1; 100])?;
    storage.share_memory_()?;
    let prefix = format!("latten_{}_", std::process::id());
    let names = std::fs::read_dir("/dev/shm").expect("the folder of shared memory");
    let ours = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).filter(|name| name.starts_with(&prefix));
    // Another test of this process may be between making and unlinking; ours is unlinked.
    let ours: Vec<String> = ours.collect();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let still = ours.iter().filter(|name| std::path::Path::new("/dev/shm").join(name).exists()).count();
    assert_eq!(still, 0, "{ours:?}");
    Ok(())
}
