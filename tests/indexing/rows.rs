//! Rows that are sorted by counting, and rows that threads share when indices choose among them.

use latten::indexing::Order;
use latten::prelude::*;
use latten::{Result, set_num_threads};

/// Each part of the rows takes its own of long pieces, in their order.
#[test]
fn long_pieces_are_put_in_their_order_by_any_number_of_threads() -> Result<()> {
    let (rows, count, columns) = (37, 900, 130);
    let indices: Vec<i64> = (0..count).map(|at| (at * 31 + at / 7) % rows).collect();
    let source: Vec<f32> = (0..count * columns).map(|at| (at % 1013) as f32 / 7.0 - 60.0).collect();
    let sizes = [rows, columns].map(|size| size as usize);
    let (mut added, mut put) = (vec![0.5_f32; sizes[0] * sizes[1]], vec![0.5_f32; sizes[0] * sizes[1]]);
    for (piece, &row) in source.chunks_exact(sizes[1]).zip(&indices) {
        for (at, &x) in piece.iter().enumerate() {
            let place = row as usize * sizes[1] + at;
            added[place] += x;
            put[place] = x;
        }
    }
    let source = Tensor::<f32>::from_vec(source, [count as usize, sizes[1]])?;
    let own = Tensor::<f32>::full(sizes, 0.5)?;
    for threads in [1, 2, 5] {
        set_num_threads(threads);
        let index = Tensor::<i64>::from_vec(indices.clone(), [count as usize])?;
        assert_eq!(own.index_add(0, &index, &source)?.to_vec(), added, "{threads} threads");
        assert_eq!(own.index_copy(0, &index, &source)?.to_vec(), put, "{threads} threads");
        let outside = Tensor::<i64>::from_vec(indices.iter().map(|&index| index + i64::from(index == 36)).collect(), [count as usize])?;
        let mut changed = own.clone();
        assert!(changed.index_add_(0, &outside, &source).is_err());
        assert_eq!(changed.to_vec(), vec![0.5; sizes[0] * sizes[1]]);
    }
    set_num_threads(0);
    Ok(())
}

/// Rows of all short sizes, with equal numbers, zeros of both signs, NaNs and the ends of a dtype, against a stable sort.
#[test]
fn short_rows_are_sorted_in_both_orders() -> Result<()> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MAX, f64::MIN];
    for size in 1..=40 {
        let rows = 70;
        let number = |at: usize| if at.is_multiple_of(5) { odd[at / 5 % odd.len()] } else { (at * at * 31 % 17) as f64 - 8.0 };
        let floats: Vec<f64> = (0..rows * size).map(number).collect();
        let whole: Vec<i64> = floats.iter().map(|&x| if x.is_nan() { i64::MIN } else { x as i64 }).collect();
        let narrow: Vec<f32> = floats.iter().map(|&x| x as f32).collect();
        let wide = Tensor::<f64>::from_vec(floats.clone(), [rows, size])?.erase();
        let tensors = [
            (wide.clone(), floats.clone()),
            (Tensor::<f32>::from_vec(narrow.clone(), [rows, size])?.erase(), narrow.iter().map(|&x| x.into()).collect()),
            (Tensor::<i64>::from_vec(whole.clone(), [rows, size])?.erase(), whole.iter().map(|&x| x as f64).collect()),
            // Elements of a row that lie apart.
            (wide.transpose(0, 1)?.contiguous().transpose(0, 1)?, floats),
        ];
        for ((x, numbers), descending) in tensors.iter().flat_map(|one| [(one, false), (one, true)]) {
            let order = if descending { Order::Descending } else { Order::Ascending };
            let compare = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
            let mut expected = Vec::new();
            for row in numbers.chunks(size) {
                let mut places: Vec<usize> = (0..size).collect();
                places.sort_by(|&a, &b| if descending { compare(row[b], row[a]) } else { compare(row[a], row[b]) });
                expected.push(places);
            }
            for count in [size, 1.max(size / 3)] {
                let (values, places) =
                    if count == size { x.sort_with(1, order)? } else { x.topk_with(count as isize, 1, descending, true)? };
                let found = places.to_vec_of::<i64>()?;
                let all = expected.iter().flat_map(|row| &row[..count]).map(|&place| place as i64);
                assert!(found.iter().copied().eq(all), "{size} of {:?}, {order:?}, {count}", x.dtype());
                let values = values.double().to_vec_of::<f64>()?;
                for (at, (&value, &place)) in values.iter().zip(&found).enumerate() {
                    let own = numbers[at / count * size + place as usize];
                    assert!(value.to_bits() == own.to_bits(), "{size} of {:?}, {order:?}: {value} for {own}", x.dtype());
                }
            }
        }
    }
    Ok(())
}
