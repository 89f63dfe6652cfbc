//! `#[kernel]`: operations of a user's own, beside those of the table.

use latten::Result;
use latten::prelude::*;

/// The table's formula once more.
#[kernel]
fn softened(x: Floating) -> Floating {
    if x > 20.0 { x } else { log1p(exp(x)) }
}

#[kernel]
fn leaky(x: Number, y: Number, slope: f64) -> Number {
    let product = x * y;
    product * slope
}

#[kernel]
fn is_close(x: Real, y: Real, within: f64) -> bool {
    abs(x - y) <= within
}

#[kernel]
fn energy(z: Complex) -> Part {
    real(z) * real(z) + imag(z) * imag(z)
}

#[kernel]
fn waves(x: Floating, y: Floating, z: Floating) -> Floating {
    sin(x) * cos(y) + z
}

/// Operations of the table inside, as functions and as methods.
#[kernel]
fn gated(x: Floating, y: Floating) -> Floating {
    let gate = maximum(x, 0.25).sigmoid();
    where_(logical_and(isfinite(y), y > -2), gate * y.relu(), clamp(x, -1, 1))
}

#[kernel]
fn scaled(x: Real, y: Real) -> Real {
    sub_with(x, y, 2).sign()
}

#[kernel]
fn phase(z: Complex) -> Part {
    abs(sgn(z)) + maximum(real(z), abs(z)) + angle(z)
}

#[kernel]
fn is_even(x: Floating) -> bool {
    x % 2 == 0
}

#[kernel]
fn steps(x: Floating, y: Floating) -> Floating {
    floor_divide(x, y) + remainder(x, y) * sin(x)
}

/// Blocks of small quotients and angles have a loop of their own; one large one among them changes no other result.
#[test]
fn large_quotients_change_no_other() -> Result<()> {
    for large in [3.5, 1e12, f64::NAN] {
        let x = Tensor::<f64>::from_vec((0..1000).map(|at| if at == 7 { large } else { f64::from(at) * 0.5 - 99.0 }).collect(), [1000])?;
        let y = x.cos() + 1.5;
        assert_eq!(is_even(&x).to_vec(), x.fmod(2.0).eq(0.0).to_vec());
        let expected = x.floor_divide(&y) + x.remainder(&y) * x.sin();
        assert_eq!(steps(&x, &y).to_string(), expected.to_string());
        assert_eq!(fuse!(floor_divide(x, y) + remainder(x, y) * sin(x)).to_string(), expected.to_string());
        assert_eq!(steps(&x.to::<f32>(), &y.to::<f32>()).to_vec().len(), 1000);
    }
    Ok(())
}

#[test]
fn kernels_and_fused_expressions_have_one_vocabulary() {
    let (x, y) = (tensor![-3.0, 0.25, 2.0, f32::NAN, 0.5], tensor![1.5, -1.0, -3.0, 2.0, f32::INFINITY]);
    let fused = fuse!(where_(logical_and(isfinite(y), y > -2.0), sigmoid(maximum(x, 0.25)) * relu(y), clamp(x, -1, 1)));
    assert_eq!(gated(&x, &y).to_string(), fused.to_string());
    assert_eq!(scaled(&tensor![5, 4, 3], &tensor![2, 2, 2]).to_vec(), [1, 0, -1]);
    let z = tensor![3 + 4i, -1 + 0i];
    let expected = z.sgn().abs() + z.real().maximum(z.abs()) + z.angle();
    assert_eq!(phase(&z).to_string(), expected.to_string());
}

#[test]
fn what_a_kernel_calls_keeps_its_own_gradients() {
    let (mut a, b) = (tensor![1.0, -2.0, 0.25, 0.5], tensor![0.5, 1.0, -1.0, 2.0]);
    a.requires_grad_().expect("a leaf");
    // At the kink of the maximum half of the gradient goes each way.
    gated(&a, &b).sum().backward().expect("gradients");
    let of_kernel = a.grad().expect("a gradient").to_string();
    a.zero_grad();
    (a.maximum(0.25).sigmoid() * b.relu()).sum().backward().expect("gradients");
    assert_eq!(of_kernel, a.grad().expect("a gradient").to_string());
}

#[test]
fn a_kernel_is_what_the_table_has() {
    let x = tensor![[-3.0, 0.5, 2.0], [30.0, f32::NAN, -f32::INFINITY]];
    let found: Tensor<f32, shape![2, 3]> = softened(&x);
    assert_eq!(found.to_string(), x.softplus().to_string());
    let halves = x.to::<f16>();
    assert_eq!(softened(&halves).to_string(), halves.softplus().to_string());
    // Integers become the default dtype, as those of `exp` do.
    let counts: Tensor<f32, shape![2]> = softened(&tensor![0, 1]);
    assert_eq!(counts.to_string(), tensor![0.0, 1.0].softplus().to_string());
    let unknown = x.erase();
    assert_eq!(softened(&unknown).to_string(), found.to_string());
}

#[test]
fn operands_promote_and_broadcast() {
    let (x, y) = (tensor![[1], [2]; i32], tensor![0.5, 1.5]);
    let found: Tensor<f32, shape![2, 2]> = leaky(&x, &y, 0.1);
    assert_eq!(found.to_string(), ((&x * &y) * 0.1).to_string());
    let with_number: Tensor<i32, shape![2, 1]> = leaky(&x, 3, 2.0);
    assert_eq!(with_number.to_vec(), [6, 12]);
    assert_eq!(leaky(&x.erase(), &y, 0.1).to_string(), found.to_string());
    let close: Tensor<bool, shape![2, 2]> = is_close(&x, &y, 0.5);
    assert_eq!(close.to_vec(), [true, true, false, true]);
    let z: Tensor<f32, shape![1]> = energy(&tensor![3 + 4i]);
    assert_eq!(z.to_vec(), [25.0]);
    let three: Tensor<f32, shape![2]> = waves(&y, 0.25, &y);
    assert_eq!(three.to_string(), (y.sin() * tensor!(0.25).cos() + &y).to_string());
}

#[test]
fn forms_in_place_and_with_outputs() {
    let mut x = tensor![0.5, 1.5];
    let expected = softened(&x).to_string();
    let mut out = Tensor::<f64, shape![2]>::zeros();
    softened_out(&x, &mut out).expect("it fits");
    assert_eq!(out.to::<f32>().to_string(), expected);
    softened_(&mut x).expect("it fits");
    assert_eq!(x.to_string(), expected);
    let mut counts = tensor![1, 2].erase();
    let refused = softened_(&mut counts).expect_err("floats don't go into integers").to_string();
    assert_eq!(refused, "result type Float can't be cast to the desired output type Long");
    let complex = tensor![1i].erase();
    assert_eq!(try_softened(&complex).expect_err("no formula").to_string(), "\"softened\" not implemented for 'ComplexFloat'");
    let mut both = tensor![[1.0, 2.0], [3.0, 4.0]];
    leaky_(&mut both, &tensor![2.0, 3.0], 0.5).expect("it fits");
    assert_eq!(both.to_vec(), [1.0, 3.0, 3.0, 6.0]);
    let meta = DynTensor::empty([2], "meta").expect("a shape");
    assert_eq!(softened(&meta).sizes(), [2]);
}

#[test]
fn kernels_fuse() {
    let (x, y) = (tensor![[-1.0, 0.5], [2.0, 3.0]], tensor![0.5, 2.0]);
    let fused: Tensor<f32, shape![2, 2]> = fuse!(softened(x * y) * 2.0 + leaky(x, y, 0.1));
    let plain = softened(&(&x * &y)) * 2.0 + leaky(&x, &y, 0.1);
    assert_eq!(fused.to_vec(), plain.to_vec());
    let (x, y) = (x.erase(), y.erase());
    assert_eq!(fuse!(softened(x * y) * 2.0 + leaky(x, y, 0.1)).to_string(), plain.to_string());
}

#[test]
fn a_kernel_has_its_cuda_source() {
    let source = softened::cuda_source();
    assert!(source.starts_with("template <class C>\nDEVICE C softened_floating(const C v_x) {"), "{source}");
    assert_eq!(leaky::cuda_source().matches("template").count(), 3);
}
