//! Photographs for a network: bytes become floats, normalised channel by channel, in one pass over memory. The pixels stay in the order
//! that convolutions like, and no tensor of floats is made on the way. Run it with `cargo run --release --example normalise`.

use std::time::Instant;

use latten::prelude::*;

const BATCH: usize = 16;

fn main() -> Result<()> {
    // A batch as a decoder gives it: pixel after pixel, three bytes each.
    let bytes: Vec<u8> = (0..BATCH * 224 * 224 * 3).map(|i| u8::try_from(i * 7 % 256).unwrap_or(0)).collect();
    let pixels = Tensor::from_vec(bytes, shape![16, 224, 224, 3])?;
    // Seen as batch, channels, rows, columns it is channels_last, without a copy.
    let images: Tensor<u8, shape![16, 3, 224, 224]> = pixels.permute([0, 3, 1, 2])?.typed()?;
    let mean = tensor![0.485, 0.456, 0.406].view(shape![3, 1, 1]);
    let std = tensor![0.229, 0.224, 0.225].view(shape![3, 1, 1]);

    let start = Instant::now();
    let plain = (&images / 255.0 - &mean) / &std;
    let three_passes = start.elapsed();
    let start = Instant::now();
    let fused: Tensor<f32, shape![16, 3, 224, 224]> = fuse!((images / 255.0 - mean) / std);
    let one_pass = start.elapsed();

    assert_eq!(fused.to_vec(), plain.to_vec());
    println!("strides {:?} of bytes, {:?} of floats", images.raw().strides(), fused.raw().strides());
    println!("three passes {three_passes:?}, one pass {one_pass:?}");
    Ok(())
}
