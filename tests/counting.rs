//! `index()`: the place of each element in the result, whatever its strides, the walk, the blocks and the threads; ranges made of it.

use latten::prelude::*;
use latten::{RawTensor, where_};

/// The places of a shape, number by number.
fn places(sizes: &[usize]) -> DynTensor {
    let numel: usize = sizes.iter().product();
    let numbers: Vec<i64> = (0..numel).map(|i| i64::try_from(i).expect("few")).collect();
    RawTensor::from_vec(numbers, sizes).expect("a tensor").into()
}

fn empty(sizes: &[usize], dtype: DType) -> DynTensor {
    DynTensor::empty(sizes, dtype).expect("a tensor")
}

#[track_caller]
fn same(found: &DynTensor, expected: &DynTensor, what: &str) {
    assert_eq!((found.dtype(), found.sizes()), (expected.dtype(), expected.sizes()), "{what}");
    let [found, expected] = [found, expected].map(|tensor| tensor.raw().scalars().expect("numbers"));
    let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert!(first.is_none(), "{what}: the element {first:?} is {:?}, not {:?}", found[first.unwrap_or(0)], expected[first.unwrap_or(0)]);
}

/// Tensors of those sizes whose elements lie in memory in many orders.
fn layouts(sizes: [usize; 4], dtype: DType) -> Vec<(&'static str, DynTensor)> {
    let [n, c, h, w] = sizes;
    let stepped = empty(&[n, c, h, 3 * w], dtype).slice_dim(3, step(.., 3)).expect("a slice");
    let order = |sizes: [usize; 4], dims: [isize; 4]| empty(&sizes, dtype).permute(dims).expect("a view");
    vec![
        ("row-major", empty(&sizes, dtype)),
        ("channels last", order([n, h, w, c], [0, 3, 1, 2])),
        ("reversed", order([w, h, c, n], [3, 2, 1, 0])),
        ("inner two transposed", order([n, c, w, h], [0, 1, 3, 2])),
        ("every third", stepped),
        ("narrowed", empty(&[n, c + 2, h, w], dtype).narrow(1, 1, isize::try_from(c).expect("few")).expect("a view")),
    ]
}

#[test]
fn places_are_those_of_the_result_in_every_layout() {
    for sizes in [[2, 3, 4, 5], [1, 1, 1, 1], [2, 3, 1, 7], [3, 64, 33, 40], [2, 2, 300, 301], [0, 2, 3, 4]] {
        let counted = places(&sizes);
        let few = counted.numel() < 1000;
        for dtype in
            DType::COMPUTING.iter().copied().filter(|dtype| *dtype != DType::Bool && (few || [DType::I64, DType::F32].contains(dtype)))
        {
            let expected = counted.to_dtype(dtype).expect("a conversion");
            for (layout, mut out) in layouts(sizes, dtype) {
                fuse!(out = index());
                same(&out, &expected, &format!("{sizes:?} {layout} {dtype}"));
            }
        }
        for (layout, x) in layouts(sizes, DType::F64) {
            let mut x = x;
            x.fill_(2.5).expect("a fill");
            let expected = &(&counted.to_dtype(DType::F64).expect("a conversion") * &x) + &counted;
            same(&fuse!(index() * x + index()), &expected, &format!("{sizes:?} {layout}"));
            let total = fuse!((index() * x).sum());
            same(&total.erase(), &(&counted * &x).sum().erase(), &format!("the sum of {sizes:?} {layout}"));
            let along = fuse!((x * index()).sum_along([1, -1]));
            same(&along.expect("a sum"), &(&x * &counted).sum_along([1, -1]).expect("a sum"), &format!("sums of {sizes:?} {layout}"));
        }
    }
}

#[test]
fn an_expression_of_places_is_that_of_a_tensor_of_them() {
    let x = Tensor::<i32, shape![40, 50]>::full(7);
    let typed = fuse!(if index() % 3 == 0 { x } else { -x } + index());
    let counted = places(&[40, 50]).to_dtype(DType::I32).expect("a conversion");
    let third = counted.try_remainder(3).expect("remainders").try_eq(0).expect("truths");
    let plain = &where_(&third, &x.erase(), &-&x.erase()) + &counted;
    same(&typed.erase(), &plain, "typed");
    let any = x.erase();
    same(&fuse!(if index() % 3 == 0 { any } else { -any } + index()), &plain, "dynamic");

    // What is divided by a tensor can't be one pass: its operations run one after the other.
    let divisors = places(&[50]).to_dtype(DType::I32).expect("a conversion");
    let divisors = &divisors + 1;
    same(&fuse!(index() % divisors + x), &(&counted.try_remainder(&divisors).expect("remainders") + &any), "divided");
    let mut out = empty(&[40, 50], DType::I32);
    fuse!(out = 1 + index() % divisors);
    same(&out, &(&counted.try_remainder(&divisors).expect("remainders") + 1), "divided, into a tensor");
    let refused = try_fuse!(any % index()).expect_err("the first place is 0");
    assert_eq!(refused.to_string(), "ZeroDivisionError");
}

#[test]
fn places_promote_as_a_tensor_without_dimensions() {
    let dimensionless = Tensor::<i64, shape![]>::zeros().erase();
    for dtype in DType::COMPUTING.iter().copied() {
        for sizes in [&[3][..], &[]] {
            let x = empty(sizes, dtype);
            let (counted, plain) = (fuse!(x + index()), &x + &dimensionless);
            assert_eq!((counted.dtype(), counted.sizes()), (plain.dtype(), plain.sizes()), "{dtype} of {sizes:?}");
            if dtype != DType::Bool {
                let mut x = x;
                x.fill_(1).expect("a fill");
                let expected = &places(sizes).to_dtype(plain.dtype()).expect("a conversion") + 1;
                same(&fuse!(x + index()), &expected, &format!("{dtype} of {sizes:?}"));
            }
        }
    }
    let lone = fuse!(index() + 2);
    assert_eq!((lone.sizes(), lone.item()), (&[][..], 2), "without an operand there is one element");
}

#[kernel]
fn counted_up(x: Number, by: i64) -> Number {
    let place = index();
    x + place * by
}

#[kernel]
fn checkered(x: Floating, y: Floating) -> Floating {
    if round(index() / 2) * 2 == index() { x } else { y }
}

#[test]
fn kernels_count() {
    let x = Tensor::<f32, shape![3, 5]>::ones();
    same(&counted_up(&x, 3).erase(), &(&(&places(&[3, 5]) * 3).to_dtype(DType::F32).expect("a conversion") + 1), "typed");
    let narrow = Tensor::<u8, shape![20, 20]>::ones();
    same(&counted_up(&narrow, 3).erase(), &(&(&places(&[20, 20]) * 3).to_dtype(DType::U8).expect("a conversion") + 1), "wrapping");
    let turned = x.erase().t();
    same(&counted_up(&turned, 1), &(&places(&[5, 3]).to_dtype(DType::F32).expect("a conversion") + 1), "transposed");
    let chosen = fuse!(checkered(x, 0.0) * 2);
    let evens: Vec<f32> = (0..15).map(|i| if i % 2 == 0 { 2.0 } else { 0.0 }).collect();
    same(&chosen.erase(), &RawTensor::from_vec(evens, &[3, 5]).expect("a tensor").into(), "a choice");
    let mut out = Tensor::<f32, shape![2, 3, 5]>::zeros();
    counted_up_out(&x, 1, &mut out).expect("it broadcasts");
    same(&out.erase(), &(&places(&[2, 3, 5]).to_dtype(DType::F32).expect("a conversion") + 1), "the places are the output's");
}

#[test]
fn ranges_are_what_they_are_number_by_number() {
    for (start, step) in [(0.0, 1.0), (-3.5, 0.1), (2.0, -0.3), (0.1, 1e-3)] {
        for count in [0_u16, 1, 2, 7, 1000, 5000] {
            let end = start + step * (f64::from(count) - 0.5);
            let range = DynTensor::arange_with(start, if count == 0 { start } else { end }, step, DType::F64).expect("a range");
            let expected: Vec<f64> = (0..count).map(|i| step.mul_add(f64::from(i), start)).collect();
            same(
                &range,
                &RawTensor::from_vec(expected, &[count.into()]).expect("a tensor").into(),
                &format!("{count} from {start} by {step}"),
            );
            let line = DynTensor::linspace(start, end, count, DType::F64).expect("a line");
            let by = (end - start) / f64::from(count.max(2) - 1);
            let at = |i: u16| match i < count / 2 || count == 1 {
                true => by.mul_add(i.into(), start),
                false => by.mul_add(-f64::from(count - 1 - i), end),
            };
            let expected: Vec<f64> = (0..count).map(at).collect();
            same(&line, &RawTensor::from_vec(expected, &[count.into()]).expect("a tensor").into(), &format!("{count} of {start}..{end}"));
        }
    }
    let wrapped = DynTensor::arange(250..260, DType::U8).expect("a range");
    same(&wrapped, &Tensor::from([250_u8, 251, 252, 253, 254, 255, 0, 1, 2, 3]).erase(), "it wraps around");
}
