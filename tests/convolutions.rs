//! Convolutions beside sums of windows, one by one: `product/panels.rs` reads windows where they lie, or packs them.

use latten::prelude::*;
use latten::{args, call};

/// The sums of a convolution, one by one.
fn convolved(x: &DynTensor, weight: &DynTensor, [stride, padding, dilation]: [usize; 3]) -> Result<(Vec<f64>, [usize; 2])> {
    let &[batch, channels, height, width] = x.sizes() else { panic!("four dimensions") };
    let &[outputs, _, tall, wide] = weight.sizes() else { panic!("four dimensions") };
    let count = |size: usize, kernel: usize| (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    let counts = [count(height, tall), count(width, wide)];
    let [x, weight] = [x, weight].map(|tensor| tensor.to_dtype(DType::F64).and_then(|tensor| tensor.typed::<f64, Any>()));
    let (x, weight) = (x?.to_vec(), weight?.to_vec());
    let mut sums = Vec::new();
    for (sample, output) in (0..batch).flat_map(|sample| (0..outputs).map(move |output| (sample, output))) {
        for (down, right) in (0..counts[0]).flat_map(|down| (0..counts[1]).map(move |right| (down, right))) {
            let mut sum = 0.0;
            for (channel, row) in (0..channels).flat_map(|channel| (0..tall).map(move |row| (channel, row))) {
                for column in 0..wide {
                    let (y, z) = (down * stride + row * dilation, right * stride + column * dilation);
                    if (padding..height + padding).contains(&y) && (padding..width + padding).contains(&z) {
                        let at = ((sample * channels + channel) * height + y - padding) * width + z - padding;
                        sum += x[at] * weight[((output * channels + channel) * tall + row) * wide + column];
                    }
                }
            }
            sums.push(sum);
        }
    }
    Ok((sums, counts))
}

/// Windows are read where they lie, or packed: rows that fill vectors, almost fill them, or don't; few samples and many; small integers, of which all
/// sums are exact.
#[test]
fn convolutions_are_sums_of_windows() -> Result<()> {
    let numbers = |sizes: [usize; 4], dtype: DType| {
        let count: usize = sizes.iter().product();
        (Tensor::<i64>::arange(count)?.remainder(7) - 3).reshape(sizes)?.erase().to_dtype(dtype)
    };
    let walks = [[1, 0, 1], [1, 1, 1], [1, 2, 2], [2, 1, 1]];
    let shapes = [
        ([1, 3, 20, 34], [4, 3, 5, 5]),
        ([3, 2, 9, 36], [16, 2, 3, 3]),
        ([5, 2, 6, 33], [3, 2, 2, 1]),
        ([1, 1, 7, 70], [9, 1, 3, 4]),
        ([2, 4, 12, 18], [40, 4, 3, 3]),
        ([6, 1, 5, 17], [2, 1, 1, 2]),
        // Threads share columns; the last part begins within the last row but one.
        ([1, 3, 39, 24], [4, 3, 5, 5]),
    ];
    for dtype in [DType::F32, DType::F64] {
        for ((sizes, of), [stride, padding, dilation]) in shapes.iter().flat_map(|shape| walks.map(|walk| (shape, walk))) {
            let (x, weight) = (numbers(*sizes, dtype)?, numbers(*of, dtype)?);
            let found = call("conv2d", args![&x, &weight, (), stride, padding, dilation])?.tensor()?;
            let (expected, counts) = convolved(&x, &weight, [stride, padding, dilation])?;
            assert_eq!(found.sizes()[2..], counts, "{dtype} {sizes:?} {of:?} {stride} {padding} {dilation}");
            let found = found.to_dtype(DType::F64)?.typed::<f64, Any>()?.to_vec();
            let wrong = found.iter().zip(&expected).position(|(x, y)| x != y);
            assert!(wrong.is_none(), "{dtype} {sizes:?} {of:?} {stride} {padding} {dilation}: number {wrong:?} differs");
        }
    }
    Ok(())
}
