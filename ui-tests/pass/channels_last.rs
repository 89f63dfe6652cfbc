//! Images whose channels lie together.
use latten::prelude::*;

pub(crate) fn main() -> latten::Result<()> {
    let images = Tensor::<f32, shape![2, 3, 4, 5]>::zeros();
    let last = images.contiguous_with(MemoryFormat::ChannelsLast)?;
    assert!(last.is_contiguous_with(MemoryFormat::ChannelsLast) && !last.is_contiguous());
    assert_eq!(last.strides(), [60, 1, 15, 3]);
    last.i(i![.., 0]).fill_(1)?;
    let red = last.sum_along([0, 2, 3])?;
    assert_eq!(red.to_vec(), [40.0, 0.0, 0.0]);
    let doubled = &last * 2.0;
    assert_eq!(doubled.strides(), last.strides());
    let pixels: Tensor<f32, shape![2, 4, 5, 3]> = last.permute(axes![0, 2, 3, 1]);
    assert!(pixels.is_contiguous());
    Ok(())
}
