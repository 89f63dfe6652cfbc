//! Loops of large operands beside the same written out by hand: sums at places in tables and by rows, pieces behind an index, runs of a
//! padded row, rows backwards, extremes so far, orders, distinct numbers, masks, short and turned rows times a vector, the
//! same places of every row.

use latten::args;
use latten::by_name::{Arguments, call};
use latten::prelude::*;

/// Numbers without an order, below some other.
fn numbers(count: usize, below: u64) -> Vec<i64> {
    let mut state = 1_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % below).expect("a small number")
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn tensor(numbers: &[i64], sizes: &[usize]) -> DynTensor {
    DynTensor::from(latten::RawTensor::from_vec(numbers.to_vec(), sizes).expect("memory"))
}

fn one(name: &str, arguments: Arguments<'_>) -> Result<DynTensor> {
    call(name, arguments)?.tensor()
}

fn found(tensor: &DynTensor) -> Vec<i64> {
    tensor.to_vec_of::<i64>().expect("integers")
}

/// Where two lists differ first.
fn check(what: &str, found: &[i64], expected: &[i64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    if let Some(at) = found.iter().zip(expected).position(|(a, b)| a != b) {
        panic!("{what}: {} at place {at}, not {}", found[at], expected[at]);
    }
}

#[test]
fn sums_and_extremes_at_places_are_those_of_a_loop() {
    const COUNT: usize = 300_001;
    let (source, start) = (numbers(COUNT, 1000), numbers(1000, 77));
    // Few places, for which there are tables; so many that there are none.
    for size in [1_usize, 101, 1000, 200_000] {
        let indices = numbers(COUNT, size as u64);
        let own: Vec<i64> = start.iter().copied().cycle().take(size).collect();
        let into = tensor(&own, &[size]);
        for (reduce, join) in [("sum", (|a, b| a + b) as fn(i64, i64) -> i64), ("amax", i64::max), ("amin", i64::min)] {
            let mut expected = own.clone();
            indices.iter().zip(&source).for_each(|(&at, &x)| expected[at as usize] = join(expected[at as usize], x));
            let sums = one("scatter_reduce", args![&into, 0, &tensor(&indices, &[COUNT]), &tensor(&source, &[COUNT]), reduce]);
            check(&format!("{reduce} into {size}"), &found(&sums.expect("a result")), &expected);
        }
        // Every second element of a larger tensor.
        let wide = tensor(&vec![0; 2 * size], &[2 * size]);
        let mut every_second = one("slice", args![&wide, 0, 0, (), 2]).expect("a view");
        call("scatter_add_", args![&mut every_second, 0, &tensor(&indices, &[COUNT]), &tensor(&source, &[COUNT])]).expect("sums");
        let mut expected = vec![0; 2 * size];
        indices.iter().zip(&source).for_each(|(&at, &x)| expected[2 * at as usize] += x);
        check(&format!("sums beside others, {size}"), &found(&wide), &expected);
    }
}

#[test]
fn an_index_outside_changes_nothing() {
    const COUNT: usize = 300_001;
    for (wrong, at) in [(101, 0), (-1, COUNT - 1), (i64::MAX, 70_000), (i64::MIN, 200_000)] {
        let mut indices = numbers(COUNT, 101);
        indices[at] = wrong;
        let before = numbers(101, 9);
        let mut into = tensor(&before, &[101]);
        let refused = call("scatter_add_", args![&mut into, 0, &tensor(&indices, &[COUNT]), &tensor(&numbers(COUNT, 5), &[COUNT])]);
        let text = refused.expect_err("an index is outside").to_string();
        assert_eq!(text, format!("index {wrong} is out of bounds for dimension 0 with size 101"));
        check("what was there", &found(&into), &before);
    }
}

#[test]
fn rows_and_pieces_are_put_where_their_indices_lead() {
    for [rows, columns] in [[3_usize, 5_usize], [257, 130], [40, 3000]] {
        let (count, own) = (rows * columns, numbers(rows * columns, 50));
        let source: Vec<i64> = numbers(count, 1000);
        for dim in [0, 1] {
            let indices = numbers(count, [rows, columns][dim] as u64);
            let [mut sums, mut last] = [own.clone(), own.clone()];
            for (at, (&index, &x)) in indices.iter().zip(&source).enumerate() {
                let place = if dim == 0 { index as usize * columns + at % columns } else { at / columns * columns + index as usize };
                sums[place] += x;
                last[place] = x;
            }
            let all = [&own, &indices, &source].map(|numbers| tensor(numbers, &[rows, columns]));
            let dim = dim as i64;
            let what = format!("{rows} by {columns} along {dim}");
            check(&what, &found(&one("scatter_add", args![&all[0], dim, &all[1], &all[2]]).expect("sums")), &sums);
            check(&what, &found(&one("scatter", args![&all[0], dim, &all[1], &all[2]]).expect("elements")), &last);
        }
        let lines = numbers(rows, rows as u64);
        let mut sums = own.clone();
        source.iter().enumerate().for_each(|(at, x)| sums[lines[at / columns] as usize * columns + at % columns] += x);
        let [into, source] = [&own, &source].map(|numbers| tensor(numbers, &[rows, columns]));
        let added = one("index_add", args![&into, 0, &tensor(&lines, &[rows]), &source]);
        check(&format!("rows of {columns}"), &found(&added.expect("sums")), &sums);
    }
}

#[test]
fn rows_are_padded_and_turned_around_as_by_hand() {
    for width in [1_usize, 7, 63, 64, 65, 1000] {
        let own = numbers(3 * width, 1000);
        let row = |at: usize| &own[at * width..][..width];
        let backwards: Vec<i64> = (0..3).flat_map(|at| row(at).iter().rev().copied()).collect();
        check(&format!("{width} backwards"), &found(&one("flip", args![&tensor(&own, &[3, width]), [1]]).expect("a copy")), &backwards);
        for (mode, before, behind) in [("reflect", 3.min(width - 1), 1.min(width - 1)), ("replicate", 2, 70), ("circular", 1, 0)] {
            let place = |at: i64| match (mode, at, width as i64 - 1) {
                ("reflect", at, last) => last - (last - at.abs()).abs(),
                ("replicate", at, last) => at.clamp(0, last),
                (_, at, last) => at.rem_euclid(last + 1),
            };
            let range = -(before as i64)..(width + behind) as i64;
            let expected: Vec<i64> = (0..3).flat_map(|at| range.clone().map(move |to| row(at)[place(to) as usize])).collect();
            let padded = one("pad", args![&tensor(&own, &[1, 3, width]), [before as i64, behind as i64], mode]);
            check(&format!("{mode} of {width}"), &found(&padded.expect("a copy")), &expected);
        }
    }
}

#[test]
fn extremes_so_far_and_distinct_numbers_are_those_of_a_loop() {
    for (count, below) in [(1, 5), (31, 3), (1000, 1_000_000), (1003, 4), (70_000, 300)] {
        let own = numbers(count, below);
        let outcome = call("cummax", args![&tensor(&own, &[count]), 0]).and_then(|outcome| outcome.tensors()).expect("two tensors");
        let (mut best, mut place, mut expected) = (own[0], 0, [Vec::new(), Vec::new()]);
        for (at, &x) in own.iter().enumerate() {
            if x >= best {
                (best, place) = (x, at as i64);
            }
            expected[0].push(best);
            expected[1].push(place);
        }
        outcome.iter().zip(&expected).for_each(|(found_one, expected)| check(&format!("cummax of {count}"), &found(found_one), expected));
        let mut neighbours = own.clone();
        neighbours.dedup();
        check("neighbours", &found(&one("unique_consecutive", args![&tensor(&own, &[count])]).expect("a tensor")), &neighbours);
        let mut sorted = own.clone();
        sorted.sort_unstable();
        sorted.dedup();
        check("distinct", &found(&one("unique", args![&tensor(&own, &[count])]).expect("a tensor")), &sorted);
    }
    let nothing = tensor(&[], &[0]);
    assert_eq!(found(&one("unique", args![&nothing]).expect("a tensor")), []);
    assert_eq!(found(&one("unique_consecutive", args![&nothing]).expect("a tensor")), []);
    let own = tensor(&[7], &[1]);
    let mut alone = one("unique_consecutive", args![&own]).expect("a tensor");
    call("add_", args![&mut alone, 1]).expect("a sum");
    assert_eq!(found(&own), [7], "a result has memory of its own");
}

#[test]
fn rows_of_any_length_times_a_vector_are_sums_of_products() {
    for rows in [1_usize, 2, 300, 2100] {
        for columns in [1_usize, 3, 4, 7, 8, 20, 31, 32, 100, 1025] {
            let (matrix, vector) = (numbers(rows * columns, 100), numbers(columns, 100));
            let expected: Vec<i64> = matrix.chunks(columns).map(|row| row.iter().zip(&vector).map(|(a, b)| a * b).sum()).collect();
            let own = tensor(&matrix, &[rows, columns]);
            let turned = one("t", args![&one("contiguous", args![&one("t", args![&own]).expect("a view")]).expect("a copy")]);
            for (what, matrix) in [("rows", &own), ("columns", &turned.expect("a view"))] {
                let product = one("mv", args![matrix, &tensor(&vector, &[columns])]).expect("a product");
                check(&format!("{rows} by {columns}, {what}"), &found(&product), &expected);
                let floats = one(
                    "mv",
                    args![
                        &one("float", args![matrix]).expect("floats"),
                        &one("float", args![&tensor(&vector, &[columns])]).expect("floats")
                    ],
                );
                // Sums of products below 2²⁴ are whole in any order.
                check(
                    &format!("{rows} by {columns}, floats"),
                    &found(&one("long", args![&floats.expect("a product")]).expect("integers")),
                    &expected,
                );
            }
        }
    }
}

#[test]
fn the_first_of_a_row_are_those_of_its_order() {
    for size in [2_usize, 31, 33, 64, 65, 97, 1000, 5000] {
        for below in [3, 1_000_000] {
            let row = numbers(2 * size, below);
            let integers = tensor(&row, &[2, size]);
            // The square roots of some are no numbers.
            let halves = one("sub", args![&integers, below as i64 / 2]).expect("numbers");
            let floats = one("sqrt", args![&halves]).expect("numbers");
            for (what, rows) in [("integers", &integers), ("floats", &floats)] {
                for largest in [true, false] {
                    let all = call("sort", args![rows, stable = true, dim = 1, descending = largest]).and_then(|both| both.tensors());
                    let all = all.expect("an order").swap_remove(1);
                    for count in [1, 2, 10, 40, size - 1].into_iter().filter(|&count| count < size) {
                        let some = call("topk", args![rows, count as i64, 1, largest]).and_then(|both| both.tensors());
                        let some = some.expect("an order").swap_remove(1);
                        let expected = one("narrow", args![&all, 1, 0, count as i64]).expect("a view");
                        let name = format!("{count} of {size} {what} below {below}, largest: {largest}");
                        check(&name, &found(&some), &found(&expected));
                    }
                }
            }
        }
    }
}

#[test]
fn short_rows_are_added_repeated_and_chosen_as_by_hand() {
    for count in 1..40_usize {
        for rows in [1_usize, 3, 4, 9] {
            let what = format!("{rows} rows of {count}");
            let own = numbers(rows * count, 1000);
            let integers = tensor(&own, &[rows, count]);
            let sums: Vec<i64> = own.chunks(count).map(|row| row.iter().sum()).collect();
            check(&what, &found(&one("sum", args![&integers, 1]).expect("sums")), &sums);
            // Thirds show in what order they are added.
            let thirds = one("div", args![&integers, 3]).expect("numbers").to_vec_of::<f32>().expect("floats");
            let floats = DynTensor::from(latten::RawTensor::from_vec(thirds.clone(), &[rows, count]).expect("memory"));
            let in_turn = |row: &[f32]| row.iter().fold(0.0, |sum, &x| sum + f64::from(x)) as f32;
            let sums: Vec<f32> = thirds.chunks(count).map(in_turn).collect();
            if count < 32 {
                let found = one("sum", args![&floats, 1]).and_then(|sums| sums.to_vec_of::<f32>()).expect("sums");
                assert_eq!(found, sums, "{what}");
            }
            let column = one("narrow", args![&integers, 1, 0, 1]).expect("a view");
            let repeated: Vec<i64> = own.chunks(count).flat_map(|row| vec![row[0]; count]).collect();
            let wide = one("expand", args![&column, [rows as i64, count as i64]]).expect("a view");
            check(&what, &found(&one("contiguous", args![&wide]).expect("a copy")), &repeated);
            // Runs of truths, and single ones.
            for least in [0, 30, 500] {
                let mask = one("ge", args![&integers, least]).expect("truths");
                let chosen: Vec<i64> = own.iter().copied().filter(|&x| x >= least).collect();
                check(&what, &found(&one("masked_select", args![&integers, &mask]).expect("elements")), &chosen);
                let turned = [&integers, &mask].map(|tensor| one("t", args![tensor]).expect("a view"));
                let chosen: Vec<i64> = (0..rows * count).map(|at| own[at % rows * count + at / rows]).filter(|&x| x >= least).collect();
                check(&what, &found(&one("masked_select", args![&turned[0], &turned[1]]).expect("elements")), &chosen);
            }
        }
    }
}

#[test]
fn columns_are_added_in_eights_and_then_one_after_the_other() {
    for width in [2, 3, 7, 10, 16, 17, 31, 32, 33, 70, 96] {
        for rows in (1..20).chain([127, 128, 129, 255, 300, 1031]) {
            let integers = tensor(&numbers(rows * width, 1000), &[rows, width]);
            let thirds = one("div", args![&integers, 3]).expect("numbers");
            let given = thirds.to_vec_of::<f32>().expect("floats");
            let sums: Vec<f32> = (0..width)
                .map(|column| {
                    let column: Vec<f32> = given.iter().skip(column).step_by(width).copied().collect();
                    let eight = |x: [f32; 8]| f64::from(((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])));
                    // As many rows as fit in 32 numbers are one; then as they are.
                    let abreast = (32 / width).max(1);
                    let (groups, rest) = column.split_at(column.len() / (8 * abreast) * (8 * abreast));
                    let turned = groups
                        .chunks(8 * abreast)
                        .flat_map(|group| (0..abreast).map(|at| std::array::from_fn(|row| group[row * abreast + at])));
                    let (eights, rest) = rest.as_chunks::<8>();
                    let sum = turned.chain(eights.iter().copied()).fold(0.0, |sum, x| sum + eight(x));
                    rest.iter().fold(sum, |sum, &x| sum + f64::from(x)) as f32
                })
                .collect();
            let found = one("sum", args![&thirds, 0]).and_then(|sums| sums.to_vec_of::<f32>()).expect("sums");
            assert_eq!(found, sums, "{rows} rows of {width}");
            // Those of halves are the same before they are rounded, and lie where they are converted together.
            for dtype in [DType::BF16, DType::F16] {
                let halves = thirds.to_dtype(dtype).expect("a conversion");
                let wide = halves.to_dtype(DType::F32).expect("a conversion");
                let sums = [&halves, &wide].map(|x| one("sum", args![x, 0]).and_then(|sums| sums.to_dtype(dtype)).expect("sums"));
                assert!(sums[0].equal(&sums[1]), "{rows} rows of {width}, {dtype}");
            }
        }
    }
}

/// The places of a row in order, where NaN comes last, and equal elements stay in theirs.
fn by_hand(row: &[f64], largest: bool) -> Vec<i64> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    places.sort_by(|&a, &b| if largest { order(row[b], row[a]) } else { order(row[a], row[b]) });
    places.into_iter().map(|place| place as i64).collect()
}

/// Rows that threads share, dealt out by few bits or by many, with one heap for nearly all or without; of every kind of key.
#[test]
fn long_rows_are_in_the_order_of_short_ones() {
    const SIZE: usize = 70_001;
    let (few, many) = (numbers(2 * SIZE, 101), numbers(2 * SIZE, 1 << 23));
    let mut apart = numbers(2 * SIZE, 1000);
    apart[SIZE / 2] = 1 << 52;
    apart[SIZE + 7] = -(1 << 52);
    for (numbers, which) in [(few, "few"), (many, "many"), (apart, "one apart")] {
        for dtype in ["int32", "int64", "float32", "float64", "sqrt"] {
            let integers = tensor(&numbers, &[2, SIZE]);
            let rows = match dtype {
                // Every second is no number, and zeros have both signs.
                "sqrt" => one("mul", args![&one("sqrt", args![&one("sub", args![&integers, 50]).expect("numbers")]).expect("roots"), -1.0]),
                _ => integers.to_dtype(dtype.parse().expect("a dtype")),
            };
            let rows = rows.expect("a conversion");
            let wide = |tensor: &DynTensor| tensor.to_dtype(DType::F64).and_then(|wide| wide.to_vec_of::<f64>()).expect("numbers");
            let elements = wide(&rows);
            for largest in [false, true] {
                let both = call("sort", args![&rows, stable = true, dim = 1, descending = largest]).and_then(|both| both.tensors());
                let both = both.expect("an order");
                let expected: Vec<i64> = elements.chunks(SIZE).flat_map(|row| by_hand(row, largest)).collect();
                let name = format!("{which}, {dtype}, largest: {largest}");
                check(&name, &found(&both[1]), &expected);
                let gathered = one("gather", args![&rows, 1, &both[1]]).expect("elements");
                let bits = |tensor: &DynTensor| wide(tensor).into_iter().map(f64::to_bits).collect::<Vec<_>>();
                assert!(bits(&both[0]) == bits(&gathered), "{name}: values");
            }
        }
    }
}

#[test]
fn a_mask_chooses_the_same_of_every_size_of_elements() {
    for count in [0_usize, 1, 15, 16, 17, 40, 1023, 1024, 1025, 70_001] {
        let (all, chances) = (numbers(count, 100), numbers(count, 3));
        for least in [0, 1, 2, 3] {
            let mask = one("ge", args![&tensor(&chances, &[count]), least]).expect("a mask");
            let expected: Vec<i64> = all.iter().zip(&chances).filter(|(_, chance)| **chance >= least).map(|(&x, _)| x).collect();
            for dtype in ["uint8", "int16", "int32", "int64", "float32", "complex128"] {
                let elements = tensor(&all, &[count]).to_dtype(dtype.parse().expect("a dtype")).expect("a conversion");
                let chosen = one("masked_select", args![&elements, &mask]).expect("elements");
                let chosen = chosen.to_dtype(DType::I64).expect("a conversion");
                check(&format!("{count} of {dtype} from {least}"), &found(&chosen), &expected);
            }
        }
    }
}

/// A new result is begun before all indices were looked at: one that is outside is an error all the same, the first one.
#[test]
fn an_index_outside_is_refused_where_the_result_is_new() {
    for [rows, columns] in [[1_usize, 200_001_usize], [300, 700], [70_000, 3]] {
        for (name, dim) in [("scatter", 0), ("scatter", 1), ("scatter_add", 1), ("gather", 1), ("gather", 0)] {
            let size = if dim == 0 { rows } else { columns };
            let count = rows * columns;
            for wrong in [-1, size as i64, i64::MIN] {
                let mut indices = numbers(count, size as u64);
                (indices[count - 1], indices[count / 2]) = (7 + size as i64, wrong);
                let (into, indices) = (tensor(&numbers(count, 9), &[rows, columns]), tensor(&indices, &[rows, columns]));
                let refused = if name == "gather" {
                    call(name, args![&into, dim, &indices])
                } else {
                    call(name, args![&into, dim, &indices, &one("clone", args![&into]).expect("a copy")])
                };
                let text = refused.expect_err("an index is outside").to_string();
                assert_eq!(
                    text,
                    format!("index {wrong} is out of bounds for dimension {dim} with size {size}"),
                    "{name}, {rows} by {columns}"
                );
            }
        }
    }
}

#[test]
fn logarithms_of_sums_so_far_are_those_of_a_loop() -> Result<()> {
    let added = |sum: f64, x: f64| match (sum.max(x), sum.min(x)) {
        _ if sum.is_nan() || x.is_nan() => f64::NAN,
        (most, least) if most == least && most.is_infinite() => most,
        (most, least) => most + (least - most).exp().ln_1p(),
    };
    for count in [1, 2, 255, 256, 257, 1000] {
        let mut own: Vec<f64> = numbers(5 * count, 4000).iter().map(|&x| x as f64 / 20.0 - 100.0).collect();
        // A row that falls, one with infinities, and one with a NaN, behind which there are no numbers.
        own[..count].sort_by(|a, b| b.total_cmp(a));
        own[count] = f64::NEG_INFINITY;
        own[2 * count - 1] = f64::INFINITY;
        own[2 * count + count / 2] = f64::NAN;
        let expected: Vec<f64> = own
            .chunks(count)
            .flat_map(|row| {
                row.iter().scan(f64::NEG_INFINITY, |sum, &x| {
                    *sum = added(*sum, x);
                    Some(*sum)
                })
            })
            .collect();
        let rows = Tensor::from_vec(own, [5, count])?;
        // Along columns, too, whose elements aren't neighbours.
        let columns = rows.t().contiguous();
        for (dtype, tolerance) in [(DType::F64, 1e-14), (DType::F32, 4e-7), (DType::BF16, 8e-3)] {
            for (input, dim) in [(&rows, 1), (&columns, 0)] {
                let found = one("logcumsumexp", args![input.to_dtype(dtype)?, dim])?.to_dtype(DType::F64)?;
                let found = if dim == 0 { one("t", args![&found])?.to_vec_of::<f64>()? } else { found.to_vec_of::<f64>()? };
                for (at, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
                    let near = found == expected || (found - expected).abs() <= tolerance * expected.abs().max(1.0);
                    let what = format!("{dtype}, element {at} of rows of {count} along {dim}");
                    assert!(near || (found.is_nan() && expected.is_nan()), "{what}: {found}, not {expected}");
                }
            }
        }
    }
    // Of one complex number there is nothing to add.
    let number = call("full", args![[0_i64; 0], Complex::new(-8.5_f32, 1.75)])?.tensor()?;
    let row = one("unsqueeze", args![&number, 0])?;
    for x in [&number, &row] {
        assert!(one("logcumsumexp", args![x, 0])?.equal(x));
    }
    Ok(())
}

#[test]
fn the_same_places_of_every_row_are_those_of_a_loop() -> Result<()> {
    for [outer, rows, columns] in [[1_usize, 2_usize, 3_usize], [1, 700, 10], [3, 40, 130], [2, 3, 1500]] {
        let all = numbers(outer * rows * columns, 100);
        // Of a view, the rows may lie in no even distances.
        let whole = tensor(&all, &[outer, rows, columns]);
        let turned = one("transpose", args![&whole, 0, 1])?;
        for count in [1, 5, 255, 1025] {
            let places = numbers(count, columns as u64);
            let of = |outer: usize, row: usize| places.iter().map(move |&at| (outer, row, at as usize));
            let element = |(outer, row, at)| all[(outer * rows + row) * columns + at];
            let in_order: Vec<i64> = (0..outer).flat_map(|a| (0..rows).flat_map(move |b| of(a, b))).map(element).collect();
            let in_turns: Vec<i64> = (0..rows).flat_map(|b| (0..outer).flat_map(move |a| of(a, b))).map(element).collect();
            for dtype in ["uint8", "bfloat16", "float32", "int64", "complex128"] {
                let chosen = |of: &DynTensor| -> Result<Vec<i64>> {
                    let elements = one("index_select", args![of.to_dtype(dtype.parse()?)?, 2, &tensor(&places, &[count])])?;
                    elements.to_dtype(DType::I64)?.to_vec_of::<i64>()
                };
                let what = format!("{count} of {outer} times {rows} rows of {columns}, {dtype}");
                check(&what, &chosen(&whole)?, &in_order);
                check(&what, &chosen(&turned)?, &in_turns);
            }
            let into = tensor(&numbers(in_order.len(), 7), &[outer, rows, count]);
            let before = found(&into);
            let wrong: Vec<i64> = places.iter().map(|&at| at + columns as i64).collect();
            assert!(one("index_select", args![&whole, 2, &tensor(&wrong, &[count]), out = &into]).is_err());
            check("what was there", &found(&into), &before);
        }
    }
    Ok(())
}
