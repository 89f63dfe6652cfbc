//! Bytes of an image into floats of a batch, channel by channel.
use latten::prelude::*;

pub(crate) fn main() -> latten::Result<()> {
    let (height, width) = (4, 6);
    let bytes: Vec<u8> = (0..height * width * 3).map(|n| n as u8).collect();
    let image = Tensor::from_vec(bytes, [height, width, 3])?;
    let planes = image.permute([2, 0, 1])?.float() / 255.0;
    let mean = tensor![0.485, 0.456, 0.406].view([3, 1, 1])?;
    let deviation = tensor![0.229, 0.224, 0.225].view([3, 1, 1])?;
    let normal = (&planes - &mean) / &deviation;
    let batch = normal.unsqueeze(0)?;
    assert_eq!(batch.sizes(), [1, 3, height, width]);
    assert!((normal.get([0, 0, 0])? + 0.485 / 0.229).abs() < 1e-5);
    let flipped = batch.flip([-1])?;
    assert_eq!(flipped.get([0, 2, 0, 0])?, normal.get([2, 0, width - 1])?);
    let grey = (planes * tensor![0.299, 0.587, 0.114].view([3, 1, 1])?).sum_along(0)?;
    assert!(grey.max().item() < 1.5);
    Ok(())
}
