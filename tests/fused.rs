//! `fuse!`: the same types, shapes and bits as the same expression without it, over every dtype; outputs, choices, casts, refusals.

use latten::prelude::*;
use latten::{RawTensor, ShapeArgument, can_cast};

/// The bits of all elements; all NaNs are one.
fn bits(tensor: &RawTensor) -> Vec<[u64; 2]> {
    let float = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    let numbers = tensor.scalars().expect("numbers");
    let bits = numbers.into_iter().map(|number| match number {
        Scalar::Bool(x) => [x.into(), 0],
        Scalar::Int(x) => [x.cast_unsigned(), 0],
        Scalar::Float(x) => [float(x), 0],
        Scalar::Complex(z) => [float(z.re), float(z.im)],
    });
    bits.collect()
}

#[track_caller]
fn same<E: Element, S: Shape>(both: [Tensor<E, S>; 2], expression: &str) {
    let [fused, plain] = both.each_ref().map(Tensor::raw);
    assert_eq!((fused.dtype(), fused.sizes(), fused.strides()), (plain.dtype(), plain.sizes(), plain.strides()), "{expression}");
    assert!(bits(fused) == bits(plain), "{expression} of {}:\n{}\nnot {}", plain.dtype(), both[0].erase(), both[1].erase());
}

/// Numbers that repeat from run to run, some of them special.
fn operand<E: Native, A: ShapeArgument>(seed: u64, shape: A) -> Tensor<E, A::Shape> {
    let mut state = seed;
    let sizes = shape.sizes().expect("sizes");
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NAN, 1e-4, 40.0];
    let numbers: Vec<Scalar> = (0..sizes.iter().product())
        .map(|i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let step = u32::try_from(state >> 48).unwrap_or(0);
            if i % 11 == 3 && E::DTYPE.category() >= latten::Category::Floating {
                return Scalar::Float(special[i % 8]);
            }
            Scalar::Float(f64::from(step) / 8192.0 - 3.0)
        })
        .collect();
    let wide = RawTensor::from_scalars(&numbers, &sizes, &Options::new().dtype(DType::F64)).expect("numbers");
    DynTensor::from(wide.to_dtype(E::DTYPE).expect("a conversion")).typed().expect("its type")
}

/// Each expression, fused and not: with types, with an operand without dimensions, and with dtypes that only the run knows.
macro_rules! expressions {
    ($($name:ident($a:ident, $b:ident) [$($E:ty)+] $expressions:tt)+) => { $(
        expressions!(@test $name $a $b [$($E)+] $expressions);
    )+ };
    (@test $name:ident $a:ident $b:ident [$($E:ty)+] $expressions:tt) => {
        #[test]
        fn $name() {
            $({
                let ($a, $b) = (operand::<$E, _>(1, shape![3, 40]), operand::<$E, _>(2, shape![40]));
                expressions!(@each $a $b $expressions);
            }
            {
                let ($a, $b) = (operand::<$E, _>(1, shape![3, 40]), operand::<$E, _>(3, shape![]));
                expressions!(@each $a $b $expressions);
            }
            {
                let ($a, $b) = (operand::<$E, _>(1, shape![3, 40]).erase(), operand::<$E, _>(2, shape![40]));
                expressions!(@each $a $b $expressions);
            })+
        }
    };
    (@each $a:ident $b:ident { $(($($expression:tt)+))+ }) => { $({
        let ($a, $b) = (&$a, &$b);
        let _ = $b;
        same([fuse!($($expression)+), $($expression)+], stringify!($($expression)+));
    })+ };
}

expressions! {
    floats(a, b) [f16 bf16 f32 f64] {
        (a.sigmoid() * b + a)
        ((a * b + a).sigmoid() * b - a)
        (a / b * 2.5 - 1.0)
        (2.5_f64 / a + 3_i64 * b)
        (a.exp().log1p().maximum(b) * 0.1)
        (-a.abs().sqrt() % 3.0)
        (a.clamp(-1.0, 1.0) * a.clamp_min(0.5))
        ((a + b).sin() * (a - b).cos() + a.tan())
        ((a * 1000000.0).sin() + b)
        (a.pow(2) + b.pow(0.5) - a.pow(b))
        (a.lerp(b, 0.3) + a.addcmul(b, a))
        (a.lt(b).logical_or(a.isnan()))
        (a.add_with(b, 0.5) * a.softplus_with(2.0, 10.0))
        (a.nan_to_num() + b.nan_to_num_with(Some(1.0), None, None))
        (a.to::<i32>() * 2 + 1)
        (a.to::<f16>() * b.to::<bf16>() + a.to::<f64>())
        (a.floor() - a.trunc() + a.round_decimals(1))
        (a.hypot(b).atan2(a).copysign(b))
        (a.gelu() * a.silu() + a.erf())
        (a.hardswish() * a.elu_with(0.5) + b.hardsigmoid())
        (a.leaky_relu() - a.softshrink_with(0.25) * b.hardshrink() + b.threshold(0.5, 3.0))
    }
    integers(a, b) [u8 i8 i16 i32 i64] {
        (a * b + a - b)
        (a / b)
        (a * 2.5 + b)
        ((a & b) | (a ^ 7) << 1)
        (!a >> 2)
        (a.maximum(b).minimum(5) * a)
        (a.eq(b) | a.gt(3))
        (a.exp() * b.sqrt())
        (a.abs() * -b)
        (a.square() + a.sign())
        (a.to::<f16>() * 0.1 + b)
        (a.clamp(1, 3) * a)
    }
    remainders(a, b) [u8 i32] {
        (a % 3 + a.floor_divide(2))
    }
    complexes(a, b) [c32 c64 c128] {
        (a * b + a)
        (a / b - 2.0)
        (a * Complex::new(0.0_f64, 1.0) + a.conj())
        (a.exp().abs() + b.real())
        (a.eq(b).logical_not())
        (2.0_f64 / a * b.sqrt())
        (a.angle() * a.imag())
    }
    truths(a, b) [bool] {
        (a & b | a)
        (!a ^ b)
        (a * b + a)
        (a + 1)
        (a * 2.5 + b)
        (a.logical_and(b).eq(a))
    }
}

#[test]
fn mixed_dtypes_promote_as_operators_do() {
    let a = operand::<i32, _>(1, shape![4, 5]);
    let b = operand::<f16, _>(2, shape![5]);
    let c = operand::<f64, _>(3, shape![]);
    let d = operand::<u8, _>(4, shape![4, 1]);
    let e = operand::<c64, _>(5, shape![]);
    let (a, b, c, d, e) = (&a, &b, &c, &d, &e);
    same([fuse!(a * b + c), a * b + c], "a * b + c");
    same([fuse!(a * 2 - d), a * 2 - d], "a * 2 - d");
    same([fuse!(a / d * b * c), a / d * b * c], "a / d * b * c");
    same([fuse!(b * e + d), b * e + d], "b * e + d");
    same([fuse!(c * 3 + d), c * 3 + d], "c * 3 + d");
    same([fuse!(b * 0.1 * c * 65504.0), b * 0.1 * c * 65504.0], "b * 0.1 * c * 65504.0");
    let k = 0.1;
    same([fuse!(b * k), b * k], "b * k");
    same([fuse!(k * 2.0 * b), k * 2.0 * b], "k * 2.0 * b");
    let rankless = b.erase().typed::<f16, AnyShape>().expect("halves");
    same([fuse!(rankless * c * b), &rankless * c * b], "rankless * c * b");
}

#[test]
fn functions_comparisons_casts_and_choices() {
    let (a, b) = (operand::<f32, _>(1, shape![3, 4]), operand::<f32, _>(2, shape![4]));
    same([fuse!(sigmoid(a) * maximum(a, b)), a.sigmoid() * a.maximum(&b)], "functions");
    same([fuse!(clamp(exp(2.0 * a), 0.5, b)), (2.0 * &a).exp().clamp(0.5, &b)], "clamp");
    let chosen: Tensor<f32, shape![3, 4]> = fuse!(if a > b { a * 2.0 } else { -b });
    same([chosen, where_(&a.gt(&b), &a * 2.0, -&b)], "if");
    same([fuse!(if 0.5 < a { 1 } else { 0 }), where_(&a.gt(0.5), 1_i64, 0_i64)], "if of numbers");
    same([fuse!(where_(a <= b, a, 0.0)), where_(&a.le(&b), &a, 0.0_f32)], "where_");
    same(
        [
            fuse!(if a > 1.0 {
                a
            } else if a > 0.0 {
                b
            } else {
                0.25
            }),
            where_(&a.gt(1.0), &a, where_(&a.gt(0.0), &b, 0.25_f32)),
        ],
        "else if",
    );
    same([fuse!((a * 10.0) as u8 as f16 + b as f16), (&a * 10.0).to::<u8>().to::<f16>() + b.to::<f16>()], "as");
    same([fuse!((a == b) | (a != a)), a.eq(&b) | a.ne(&a)], "== and !=");
    let all = [&a];
    same([fuse!({ all.first().copied().expect("a tensor") } * b), &a * &b], "braces");
    same([fuse!(a.t() * 2.0), a.t() * 2.0], "a view");
    same([fuse!(a), a.clone()], "an operand alone");
}

#[test]
fn reductions_end_expressions() {
    let (a, b) = (operand::<f32, _>(1, shape![3, 40]), operand::<f32, _>(2, shape![40]));
    let (a, b) = (a.nan_to_num(), b.nan_to_num());
    same([fuse!(sum(a * b)), (&a * &b).sum()], "sum");
    same([fuse!((a * b).mean()), (&a * &b).mean()], "mean");
    same([fuse!(max(a - b)), (&a - &b).max()], "max");
}

/// Operands of two sizes: in order, transposed, with a row, a column or one element beside a matrix, and every second column.
fn matrices<E: Native>(rows: usize, columns: usize) -> Vec<[Tensor<E, Rank<2>>; 2]> {
    let of = |seed, sizes: [usize; 2]| operand::<E, _>(seed, sizes).erase();
    let (a, b) = (of(1, [rows, columns]), of(2, [rows, columns]));
    let turned = |seed| of(seed, [columns, rows]).transpose(0, 1).expect("a matrix");
    let wide = of(5, [rows, 2 * columns]).i(i![.., ..;2]);
    let both = [
        [a.clone(), b.clone()],
        [a.clone(), of(2, [1, columns])],
        [a.clone(), of(2, [rows, 1])],
        [of(2, [rows, 1]), of(3, [1, columns])],
        [a.clone(), of(2, [1, 1])],
        [a.clone(), turned(3)],
        [turned(3), turned(4)],
        [wide, b],
    ];
    both.map(|both| both.map(|tensor| tensor.typed().expect("its type"))).into()
}

/// The shapes of such operands: without elements, of one, of several blocks, wide and narrow; the last three of parts for several threads.
const SIZES: [[usize; 2]; 9] = [[0, 3], [3, 0], [1, 1], [7, 33], [3, 2500], [2500, 3], [70, 1000], [1700, 40], [1, 140_000]];
/// Whose results several threads make together: of what is added wider than it is, as it is, and as pairs. The others are made alike.
const SHARED: [DType; 3] = [DType::F16, DType::F32, DType::C64];

/// Each reduction of an expression, fused and not, with dtypes that the types know and with dtypes that the run knows.
macro_rules! reductions {
    ($($E:ty: $([$reduction:ident $($arguments:tt)+])+;)+) => { $(
        let dtype = operand::<$E, _>(1, [1]).dtype();
        let shapes = if SHARED.contains(&dtype) { &SIZES[..] } else { &SIZES[..6] };
        for &[rows, columns] in shapes {
            for (kind, [a, b]) in matrices::<$E>(rows, columns).into_iter().enumerate() {
                let at = format!("{rows} by {columns}, operands {kind}");
                $( reductions!(@one a b at [$reduction $($arguments)+]); )+
                let [a, b] = [a, b].map(|tensor| tensor.typed::<Any, Rank<2>>().expect("its shape"));
                $( reductions!(@one a b at [$reduction $($arguments)+]); )+
            }
        }
    )+ };
    (@one $a:ident $b:ident $at:ident [$reduction:ident $($arguments:tt)+]) => {
        let about = format!("{} of {}, {}", stringify!($reduction $($arguments)+), $a.dtype(), $at);
        match (try_fuse!(($a * $b + $a).$reduction $($arguments)+), reductions!(@plain (&$a * &$b + &$a), $reduction $($arguments)+)) {
            (Ok(fused), Ok(plain)) => same([fused, plain], &about),
            (fused, plain) => assert_eq!(fused.err(), plain.err(), "{about}"),
        }
    };
    (@plain $of:expr, sum()) => { $of.try_sum() };
    (@plain $of:expr, mean()) => { $of.try_mean() };
    (@plain $of:expr, max()) => { $of.try_max() };
    (@plain $of:expr, min()) => { $of.try_min() };
    (@plain $of:expr, var()) => { $of.try_var() };
    (@plain $of:expr, logsumexp $($along:tt)+) => { $of.try_logsumexp $($along)+ };
    (@plain $of:expr, median()) => { $of.try_median() };
    (@plain $of:expr, sum_along $($along:tt)+) => { $of.try_sum_along $($along)+ };
    (@plain $of:expr, mean_along $($along:tt)+) => { $of.try_mean_along $($along)+ };
    (@plain $of:expr, amax_along $($along:tt)+) => { $of.try_amax_along $($along)+ };
    (@plain $of:expr, amin_along $($along:tt)+) => { $of.try_amin_along $($along)+ };
    (@plain $of:expr, norm_along $($along:tt)+) => { $of.try_norm_along $($along)+ };
    (@plain $of:expr, argmax_along $($along:tt)+) => { $of.try_argmax_along $($along)+ };
    (@plain $of:expr, any_along $($along:tt)+) => { $of.try_any_along $($along)+ };
}

#[test]
fn reductions_that_end_expressions_have_the_bits_of_the_same_operations() {
    reductions! {
        f16: [sum()] [mean()] [max()] [sum_along(axis::<0>())] [sum_along(axis::<1>())] [amax_along(axis::<1>())];
        bf16: [sum()] [mean_along(axis::<1>())] [amin_along(axis::<0>())];
        f32: [sum()] [mean()] [max()] [min()] [sum_along(axis::<0>())] [sum_along(axis::<1>())] [mean_along(axis::<1>())] [amax_along(axis::<1>())] [amin_along(axis::<0>())]
            [sum_along(kept([0]))] [mean_along([1, 0])] [amax_along(0)] [var()] [logsumexp(..)] [median()] [norm_along(kept(axis::<1>()))]
            [argmax_along(-1)] [any_along(..)];
        f64: [sum()] [mean_along(axis::<0>())] [min()];
        i32: [sum()] [max()] [sum_along(axis::<0>())] [amax_along(axis::<1>())];
        u8: [sum()] [amin_along(axis::<1>())];
        i64: [sum_along(axis::<1>())] [min()];
        c64: [sum()] [mean()] [sum_along(axis::<0>())];
        c32: [sum()] [sum_along(axis::<1>())];
    }
}

#[test]
fn reductions_of_comparisons_and_choices_end_expressions_too() {
    let (a, b) = (operand::<f32, _>(1, shape![70, 400]), operand::<f32, _>(2, shape![400]));
    same([fuse!(sum(a < b)), a.lt(&b).sum()], "how many are less");
    same([fuse!(sum_along(a < b, axis::<1>())), a.lt(&b).sum_along(axis::<1>())], "how many in each row");
    same([fuse!((if a > b { a } else { 0.0 }).sum()), where_(&a.gt(&b), &a, 0.0_f32).sum()], "a choice");
    same([fuse!(mean_along(a as f16 * b, axis::<-1>())), (a.to::<f16>() * &b).mean_along(axis::<-1>())], "a cast");
    same([fuse!(a.sum()), a.sum()], "an operand alone");
    let (values, places) = fuse!(max_along(a - b, axis::<1>()));
    let (plain_values, plain_places) = (&a - &b).max_along(axis::<1>());
    same([values, plain_values], "the largest");
    same([places, plain_places], "where they are");
    let counts = operand::<i32, _>(3, shape![70, 400]);
    let quotients = try_fuse!(sum(counts % 7)).expect("a sum");
    same([quotients, (&counts % 7).sum()], "what can't be one pass");
    let zeros = try_fuse!(sum(counts % 0)).expect_err("a division").to_string();
    assert_eq!(zeros, "ZeroDivisionError");
    let nothing = try_fuse!((counts.erase() * 2).sum_along([2])).expect_err("a dimension").to_string();
    assert_eq!(nothing, (counts.erase() * 2).sum_along([2]).expect_err("a dimension").to_string());
    let meta = DynTensor::empty([2, 3], "meta").expect("a shape");
    assert_eq!(fuse!((meta * 2).sum_along([0])).expect("a shape").sizes(), [3]);
}

#[test]
fn outputs_keep_their_dtype_and_shape() {
    let (a, b) = (operand::<f32, _>(1, shape![3, 4]), operand::<f32, _>(2, shape![4]));
    let mut out = Tensor::<f64, shape![3, 4]>::zeros();
    fuse!(out = sigmoid(a) * b);
    same([out, (a.sigmoid() * &b).to::<f64>()], "out = …");
    let (mut fused, mut plain) = (a.clone(), a.clone());
    fuse!(fused += a * b);
    plain += &a * &b;
    fuse!(fused *= 2);
    plain *= 2;
    fuse!(fused -= fused * b);
    plain -= &(&plain * &b).clone();
    same([fused, plain], "out op= …");
    // Of an operand in another order the old elements count.
    let mut square = operand::<f32, _>(3, shape![5, 5]);
    let expected = &square + square.t() * 2.0;
    let turned = square.t();
    fuse!(square += turned * 2.0);
    same([square, expected], "a transposed operand");
    let borrowed = &mut Tensor::<u8, shape![4]>::zeros();
    fuse!(borrowed = tensor![250, 251, 252, 253; u8] + 5);
    assert_eq!(borrowed.to_vec(), [255, 0, 1, 2]);
}

#[test]
fn what_the_run_refuses_changes_nothing() {
    let (a, b) = (operand::<f32, _>(1, shape![3, 4]).erase(), operand::<f32, _>(2, shape![5]).erase());
    let message = try_fuse!(a * a + b).expect_err("shapes").to_string();
    assert_eq!(message, "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1");
    let mut counts = DynTensor::arange(6, DType::I32).expect("numbers");
    let floats = DynTensor::arange(6.0, DType::F32).expect("numbers");
    let before = counts.to_string();
    let refused = try_fuse!(counts *= floats + 1).expect_err("a cast").to_string();
    assert_eq!(refused, "result type Float can't be cast to the desired output type Int");
    let zeros = try_fuse!(counts = counts % (counts - 1)).expect_err("a division").to_string();
    assert_eq!(zeros, "ZeroDivisionError");
    assert_eq!(counts.to_string(), before);
    assert!(!can_cast(DType::F32, DType::I32));
    let meta = DynTensor::empty([2, 3], "meta").expect("a shape");
    assert_eq!(fuse!(exp(meta) * 2).sizes(), [2, 3]);
}
