//! Gradients of random programs in all forms in which they can be written, from several threads, and what they need of memory at most.

#[path = "gradients/programs.rs"]
mod programs;

use std::thread;

use latten::grad::GradOptions;
use latten::prelude::*;
use latten::{DType, Error, RawTensor};

use programs::{ELEMENTWISE, f64s, program};

type Curve = fn(&DynTensor) -> Result<DynTensor, Error>;

/// Activations, of which PyTorch computes the gradient by one kernel, and two losses.
const CURVES: [Curve; 5] = [
    |x| call("hardswish", args![x])?.tensor(),
    |x| call("selu", args![x])?.tensor(),
    |x| call("celu", args![x, 0.7])?.tensor(),
    |x| call("smooth_l1_loss", args![x, &x.sign().detach(), reduction = "none", beta = 0.9])?.tensor(),
    |x| call("huber_loss", args![x, &x.sign().detach(), "none", 0.9])?.tensor(),
];

fn row_of(numbers: [f64; 8], through: DType, dtype: DType) -> Result<DynTensor, Error> {
    Ok(DynTensor::from(RawTensor::from_vec(numbers.to_vec(), &[8])?.to_dtype(through)?.to_dtype(dtype)?))
}

#[test]
fn halves_of_activations_round_once_on_the_way_back() -> Result<(), Error> {
    let (numbers, slopes) = ([-7.3, -2.9, -1.37, -0.41, 0.0, 0.73, 2.61, 3.7], [1.3, -0.7, 0.9, 1.1, 2.3, 0.6, -1.7, 0.3]);
    for (at, curve) in CURVES.into_iter().enumerate() {
        for halves in [DType::F16, DType::BF16] {
            let gradient = |dtype: DType| {
                let x = row_of(numbers, halves, dtype)?.requiring_grad()?;
                curve(&x)?.backward_with(&row_of(slopes, halves, dtype)?)?;
                Ok::<_, Error>(DynTensor::from(x.grad().expect("a leaf").raw().to_dtype(halves)?))
            };
            let (own, wide) = (gradient(halves)?, gradient(DType::F32)?);
            assert!(own.equal(&wide), "{at} of {halves}: {own} {wide}");
        }
    }
    Ok(())
}

/// Where the line of a loss begins may be beyond the dtype, or nothing in it: what PyTorch makes of these, and its gradients.
#[test]
fn lines_of_losses_begin_beyond_the_dtype() -> Result<(), Error> {
    const INF: f64 = f64::INFINITY;
    let x = [0.5, -3.0, 100.0, 0.0, -60000.0, INF, -INF, f64::NAN];
    let nan = f64::NAN;
    let rows = [
        (
            "smooth_l1_loss",
            DType::F16,
            70000.0,
            [0.0, 0.0, 0.0, 0.0, 0.0, nan, nan, nan],
            [7.152557373046875e-6, -4.285573959350586e-5, 0.0014286041259765625, 0.0, -0.85693359375, 1.0, -1.0, nan],
        ),
        ("smooth_l1_loss", DType::F16, 1e39, [0.0, 0.0, 0.0, 0.0, 0.0, nan, nan, nan], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, nan]),
        ("smooth_l1_loss", DType::BF16, INF, [0.0, 0.0, 0.0, 0.0, 0.0, nan, nan, nan], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, nan]),
        ("smooth_l1_loss", DType::F32, 1e-300, [0.5, 3.0, 100.0, 0.0, 60000.0, INF, INF, nan], [1.0, -1.0, 1.0, 0.0, -1.0, 1.0, -1.0, nan]),
        ("smooth_l1_loss", DType::F16, 1e-8, [0.5, 3.0, 100.0, 0.0, 60000.0, INF, INF, nan], [1.0, -1.0, 1.0, 0.0, -1.0, 1.0, -1.0, nan]),
        (
            "huber_loss",
            DType::F16,
            70000.0,
            [0.125, 4.5, 5000.0, 0.0, INF, INF, INF, nan],
            [0.5, -3.0, 100.0, 0.0, -60000.0, INF, -INF, nan],
        ),
        (
            "huber_loss",
            DType::BF16,
            3.4e38,
            [0.125, 4.5, 4992.0, 0.0, 1795162112.0, nan, nan, nan],
            [0.5, -3.0, 100.0, 0.0, -59904.0, INF, -INF, nan],
        ),
        (
            "huber_loss",
            DType::F32,
            1e300,
            [0.125, 4.5, 5000.0, 0.0, 1.8e9, nan, nan, nan],
            [0.5, -3.0, 100.0, 0.0, -60000.0, INF, -INF, nan],
        ),
    ];
    for (name, dtype, bound, losses, slopes) in rows {
        let x = row_of(x, dtype, dtype)?.requiring_grad()?;
        let zeros = x.zeros_like();
        let loss = match name {
            "huber_loss" => call(name, args![&x, &zeros, "none", bound])?.tensor()?,
            _ => call(name, args![&x, &zeros, reduction = "none", beta = bound])?.tensor()?,
        };
        loss.backward_with(&loss.ones_like())?;
        let found = [loss.to_dtype(DType::F64)?.to_vec_of::<f64>()?, x.grad().expect("a leaf").to_dtype(DType::F64)?.to_vec_of::<f64>()?];
        let as_expected = |(found, expected): (&f64, &f64)| found == expected || found.is_nan() && expected.is_nan();
        assert!(found.iter().flatten().zip(losses.iter().chain(&slopes)).all(as_expected), "{name} of {dtype} from {bound}: {found:?}");
    }
    Ok(())
}

/// What isn't chosen may be infinite, and has no part in gradients of gradients.
#[test]
fn far_from_kinks_gradients_of_gradients_are_zero() -> Result<(), Error> {
    let far = [800.0, 1e200, f64::INFINITY, 5.0, 1e300, 900.0, 4.0, 30.0];
    for (at, curve) in CURVES.into_iter().enumerate() {
        let x = row_of(far, DType::F64, DType::F64)?.requiring_grad()?;
        let first = latten::grad::grad(&[&curve(&x)?.sum()], &[&x], &[], GradOptions::CREATE_GRAPH)?.remove(0).expect("it is used");
        let second = latten::grad::grad(&[&first.sum()], &[&x], &[], GradOptions::default())?.remove(0).expect("it is used");
        assert!(second.equal(&row_of([0.0; 8], DType::F64, DType::F64)?), "{at}: {second}");
    }
    Ok(())
}

/// Numbers that repeat from run to run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap_or(0)
    }

    fn leaf(&mut self, sizes: &[usize]) -> DynTensor {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let numbers = (0..sizes.iter().product()).map(|_| self.below(4000) as f64 / 1000.0 - 2.0).collect();
        DynTensor::from(RawTensor::from_vec::<f64>(numbers, sizes).expect("as many numbers"))
    }
}

/// Tensors of those sizes whose elements lie in memory in several orders.
fn layouts(dice: &mut Dice, [rows, columns]: [usize; 2]) -> Vec<(&'static str, DynTensor)> {
    let wide = dice.leaf(&[rows, 2 * columns]);
    vec![
        ("row-major", dice.leaf(&[rows, columns])),
        ("column-major", dice.leaf(&[columns, rows]).transpose(0, 1).expect("two dimensions")),
        ("every second", wide.slice_dim(1, step(.., 2)).expect("a slice")),
        ("a row", dice.leaf(&[columns])),
        ("a column", dice.leaf(&[rows, 1])),
    ]
}

#[test]
fn gradients_of_an_expression_are_those_of_its_operations() -> Result<(), Error> {
    use latten::DType::{BF16, F32, F64};
    let mut dice = Dice(11);
    for sizes in [[3, 5], [0, 4], [1, 1], [130, 257], [2049, 2048]] {
        let dtypes: &[_] = if sizes[0] < 1000 { &[(F64, F64, F64), (F32, F64, F32), (F32, BF16, F32)] } else { &[(F32, F32, F32)] };
        let kinds = if sizes[0] < 1000 { 5 } else { 1 };
        for (at, &(first, second, third)) in (0..kinds).flat_map(|at| dtypes.iter().map(move |dtypes| (at, dtypes))) {
            let mut leaf = |at: usize, dtype| -> Result<(&str, DynTensor), Error> {
                let (layout, tensor) = layouts(&mut dice, sizes).swap_remove(at);
                Ok((layout, tensor.to_dtype(dtype)?))
            };
            let ((_, a), (layout, b), (_, c)) = (leaf(0, first)?, leaf(at, second)?, leaf(if at == 0 { 0 } else { 3 }, third)?);
            let gradients = |form: fn(&DynTensor, &DynTensor, &DynTensor) -> DynTensor| -> Result<Vec<DynTensor>, Error> {
                let leaves = [&a, &b, &c].map(|leaf| leaf.detach().requiring_grad());
                let [a, b, c] = leaves.each_ref().map(|leaf| leaf.as_ref().expect("a leaf"));
                let result = form(a, b, c);
                result.backward_with(&(result.detach() * 0.5))?;
                Ok([a, b, c].into_iter().flat_map(|leaf| leaf.grad()).collect())
            };
            let fused = gradients(|a, b, c| fuse!(sigmoid(a * b + c) * b - tanh(a) * c))?;
            let eager = gradients(|a, b, c| (a * b + c).sigmoid() * b - a.tanh() * c)?;
            let what = format!("{sizes:?}, {first} and {second}, of which the second is {layout}");
            assert_eq!((fused.len(), eager.len()), (3, 3), "{what}");
            for (place, (fused, eager)) in fused.iter().zip(&eager).enumerate() {
                assert_eq!(
                    (fused.dtype(), fused.sizes(), fused.strides()),
                    (eager.dtype(), eager.sizes(), eager.strides()),
                    "{what}: {place}"
                );
                let [fused, eager] = [fused, eager].map(|tensor| tensor.to_dtype(F64).and_then(|tensor| tensor.to_scalars()));
                let within = if second == BF16 { 0.05 } else { 1e-4 };
                for (at, (fused, eager)) in fused?.iter().zip(&eager?).enumerate() {
                    let (fused, eager) = (fused.to_f64(), eager.to_f64());
                    let scale = 1.0 + eager.abs() + if place == 0 { 0.0 } else { (sizes[0] * sizes[1]) as f64 * 0.01 };
                    assert!(
                        (fused - eager).abs() <= within * scale,
                        "{what}: element {at} of gradient {place} is {fused}, {eager} by operators"
                    );
                }
            }
        }
    }
    Ok(())
}

/// A gradient's dtype, sizes and numbers.
type Bits = (DType, Vec<usize>, Vec<String>);

/// What a leaf's gradient is, to the bit.
fn bits(leaf: &DynTensor) -> Result<Option<Bits>, Error> {
    let Some(gradient) = leaf.grad() else { return Ok(None) };
    let numbers = gradient.to_dtype(DType::F64)?.to_scalars()?.iter().map(|number| format!("{number:?}")).collect();
    Ok(Some((gradient.dtype(), gradient.sizes().to_vec(), numbers)))
}

/// Of many elements, elementwise operations that follow each other on the way back are one pass; where the way back is recorded, each is made
/// by itself. Gradients are the same to the bit, where something looks at them, too.
#[test]
fn runs_of_the_way_back_are_their_operations() -> Result<(), Error> {
    use DType::{BF16, F32, F64};
    let mut dice = Dice(23);
    let dtypes = [[F64; 3], [F32; 3], [BF16; 3], [F32, F64, F32], [F32, BF16, F32]];
    let sizes = [96, 130];
    for seed in 0..200 {
        let dtypes = dtypes[seed % dtypes.len()];
        let ats = [dice.below(3), [3, dice.below(3)][dice.below(2)], [4, dice.below(3)][dice.below(2)]];
        let leaves = ats.map(|at| layouts(&mut dice, sizes).swap_remove(at));
        let named = ats.map(|at| ["rows", "columns", "every second", "a row", "a column"][at]);
        let steps: Vec<usize> = (0..1 + dice.below(4)).map(|_| dice.below(ELEMENTWISE)).collect();
        let (between, looks) = (dice.below(3), dice.below(4));
        let run = |options: GradOptions| -> Result<Vec<_>, Error> {
            let mut own = Vec::new();
            for ((_, leaf), dtype) in leaves.iter().zip(dtypes) {
                own.push(leaf.detach().to_dtype(dtype)?.requiring_grad()?);
            }
            let [a, b, c] = &own[..] else { unreachable!("three leaves") };
            let first = program(&f64s::FORMS, &steps, (a, b, c), |form| form.dynamic);
            if looks == 1 {
                first.retain_grad()?;
            }
            let hook = (looks == 2).then(|| first.register_hook(|gradient| Some(gradient * 0.5))).transpose()?;
            // Something that isn't elementwise, a leaf that has a gradient already, or nothing.
            let second = if between == 1 { first.flip([0])?.cumsum(0)? * &first } else { &first * &first };
            let value = program(&f64s::FORMS, &steps, (&second, b, c), |form| form.dynamic);
            let parts = if between == 2 { vec![first.sum(), value.sum()] } else { vec![value.sum()] };
            for part in &parts {
                part.backward_where(None, if parts.len() > 1 { GradOptions { retain_graph: Some(true), ..options } } else { options })?;
            }
            drop(hook);
            let kept = if looks == 1 { vec![bits(&first)?] } else { Vec::new() };
            own.iter().map(bits).chain(kept.into_iter().map(Ok)).collect()
        };
        let (passes, single) = (run(GradOptions::default())?, run(GradOptions::CREATE_GRAPH)?);
        let what = format!("program {seed}, {steps:?}, of {named:?} of {dtypes:?}, {between} between, {looks} looks");
        for (place, (pass, single)) in passes.iter().zip(&single).enumerate() {
            assert_eq!(pass.is_some(), single.is_some(), "{what}: gradient {place}");
            let (Some(pass), Some(single)) = (pass, single) else { continue };
            assert_eq!((pass.0, &pass.1), (single.0, &single.1), "{what}: dtype and sizes of gradient {place}");
            let different = pass.2.iter().zip(&single.2).position(|(pass, single)| pass != single);
            let numbers = different.map(|at| (at, &pass.2[at], &single.2[at]));
            assert!(numbers.is_none(), "{what}: element of gradient {place}, in one pass and by operations: {numbers:?}");
        }
    }
    Ok(())
}

const THREADS: usize = 4;
const ROUNDS: usize = 100;

#[test]
fn threads_that_share_leaves_add_all_their_gradients() -> Result<(), Error> {
    let x = Tensor::<f64, shape![1000]>::ones().requiring_grad()?;
    let y = &x * 3.0;
    y.retain_grad()?;
    thread::scope(|scope| {
        for number in 0..THREADS {
            let x = &x;
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    (x * number as f64).sum().backward().expect("a gradient");
                }
            });
        }
    });
    let total = (0..THREADS).sum::<usize>() * ROUNDS;
    assert_eq!(x.grad().map(|grad| grad.to_vec()), Some(vec![total as f64; 1000]));
    // What is kept can be gone through by many at once, if nobody forgets it.
    let product = (&y * &x).sum();
    x.erase().zero_grad();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| product.backward_where(None, GradOptions::RETAIN_GRAPH).expect("a gradient"));
        }
    });
    assert_eq!(y.grad().map(|grad| grad.to_vec()), Some(vec![THREADS as f64; 1000]));
    Ok(())
}

#[test]
fn a_graph_belongs_to_no_thread() -> Result<(), Error> {
    let x = Tensor::<f64, shape![10]>::ones().requiring_grad()?;
    let y = (&x * &x).sum();
    let own = x.alias();
    thread::spawn(move || y.backward()).join().expect("no panic")?;
    assert_eq!(own.grad().map(|grad| grad.to_vec()), Some(vec![2.0; 10]));
    // Of two that go through one graph, one finds that the other has taken what was kept.
    for _ in 0..50 {
        let y = (&x * &x).sum();
        let outcomes = thread::scope(|scope| [(); 2].map(|()| scope.spawn(|| y.backward())).map(|thread| thread.join().expect("no panic")));
        let refused: Vec<String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err().map(ToString::to_string)).collect();
        assert_eq!(refused.len(), 1, "{outcomes:?}");
        assert!(refused[0].starts_with("Trying to backward through the graph a second time"), "{refused:?}");
    }
    Ok(())
}
