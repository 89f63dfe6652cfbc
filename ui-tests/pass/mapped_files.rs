//! Numbers in a file that is mapped, changed in place by one tensor and read by another.
use latten::prelude::*;
use latten::storage::{FloatStorage, Sharing};

pub(crate) fn main() -> latten::Result<()> {
    let path = std::env::temp_dir().join(format!("latten_numbers_{}", std::process::id()));
    let bytes: Vec<u8> = (0..12).flat_map(|n| (n as f32).to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("a new file");
    {
        let storage = FloatStorage::from_file(&path, Sharing::Shared, 12)?;
        let table = Tensor::from(storage).view(shape![3, 4]);
        assert_eq!(table.i(i![2]).to_vec(), [8.0, 9.0, 10.0, 11.0]);
        table.i(i![.., 0]).mul_(100)?;
    }
    let written = std::fs::read(&path).expect("the file");
    assert_eq!(written[16..20], 400.0_f32.to_le_bytes());
    std::fs::remove_file(&path).expect("the file");
    Ok(())
}
