//! `latten::linalg` and `latten::fft`: what their types say is what the calls give. The types are written out, so that what is given is seen.

use latten::fft::{self, FftOptions, Norm};
use latten::prelude::*;
use latten::{Outcome, linalg};

/// Whether typed results are those of the call: dtype, sizes and elements.
fn same(name: &str, typed: &[DynTensor], call: Result<Outcome>) -> Result<()> {
    let called = match call? {
        Outcome::Tensor(one) => vec![one.into()],
        several => several.tensors()?,
    };
    assert_eq!(typed.len(), called.len(), "{name}");
    for (typed, called) in typed.iter().zip(&called) {
        assert_eq!((typed.dtype(), typed.sizes()), (called.dtype(), called.sizes()), "{name}");
        assert!(typed.equal(called), "{name} gives {typed}, by name {called}");
    }
    Ok(())
}

type Matrix = shape![3, 3];
type Batch = shape![2, 3, 3];

/// A batch of two matrices that are positive definite.
fn matrices() -> Tensor<f64, Batch> {
    manual_seed(5);
    let x = Tensor::<f64, Batch>::randn();
    x.matmul(&x.mT()) + Tensor::<f64, Matrix>::eye()
}

type Turns = Tensor<f64, Batch>;
type Tall = Tensor<f64, shape![3, _]>;
type Wide<const N: usize> = Tensor<f64, shape![_, N]>;

#[test]
fn matrices_have_the_types_that_follow() -> Result<()> {
    let x = matrices();
    let one: Tensor<f64, Matrix> = x.i(i![0]).clone();
    let b = Tensor::<f64, shape![3, 2]>::ones();
    let inverse: Tensor<f64, Batch> = linalg::inv(&x)?;
    let determinants: Tensor<f64, Rank<1>> = linalg::det(&x)?;
    let determinant: Tensor<f64, shape![]> = linalg::det(&one)?;
    let (sign, logarithm): (Tensor<f64, Rank<1>>, Tensor<f64, Rank<1>>) = linalg::slogdet(&x)?;
    let lower: Tensor<f64, Batch> = linalg::cholesky(&x)?;
    let (values, vectors): (Tensor<f64, shape![2, 3]>, Tensor<f64, Batch>) = linalg::eigh(&x)?;
    let (u, s, vh): (Turns, _, Turns) = linalg::svd(&x)?;
    let (q, r): (Tall, Wide<2>) = linalg::qr(&b)?;
    let (p, l, upper): (_, Tall, Wide<3>) = linalg::lu(&one)?;
    let (both, pivots): (Tensor<f64, Matrix>, Tensor<i32, Rank<1>>) = linalg::lu_factor(&one)?;
    let rank: Tensor<i64, Rank<1>> = linalg::matrix_rank(&x)?;
    let norm: f64 = linalg::norm(&x).item();
    assert!((norm - x.square().sum().sqrt().item()).abs() < 1e-12, "{norm}");
    assert_eq!((determinant.item(), rank.to_vec()), (determinants.get([0])?, vec![3, 3]));
    assert!(x.matmul(&inverse).allclose(&Tensor::<f64, Matrix>::eye()));
    assert!(lower.matmul(&lower.mT()).allclose(&x));
    assert!(p.matmul(&l).matmul(&upper).allclose(&one));
    let solution = linalg::solve(&one, &b)?;
    same("solve", &[one.matmul(&solution.to_shape::<shape![3, 2]>()?).round().erase()], Ok(Outcome::Tensor(b.raw().clone())))?;
    same("lu_solve", &[linalg::lu_solve(&both, &pivots, &b)?.erase()], call("linalg.lu_solve", args![&both, &pivots, &b]))?;
    same("cross", &[linalg::cross(&x, &inverse)?.erase()], call("linalg.cross", args![&x, &inverse]))?;
    let [i, v, d] = [inverse.erase(), vectors.erase(), determinants.erase()];
    same("inv", &[i], call("linalg.inv", args![&x]))?;
    same("det", &[d], call("linalg.det", args![&x]))?;
    same("eigh", &[values.erase(), v], call("linalg.eigh", args![&x]))?;
    same("slogdet", &[sign.erase(), logarithm.erase()], call("linalg.slogdet", args![&x]))?;
    same("svd", &[u.erase(), s.erase(), vh.erase()], call("linalg.svd", args![&x]))?;
    same("qr", &[q.erase(), r.erase()], call("linalg.qr", args![&b]))?;
    same("svdvals", &[linalg::svdvals(&b)?.erase()], call("linalg.svdvals", args![&b]))?;
    same("pinv", &[linalg::pinv(&b)?.erase()], call("linalg.pinv", args![&b]))?;
    same("eigvalsh", &[linalg::eigvalsh(&x)?.erase()], call("linalg.eigvalsh", args![&x]))?;
    same("matrix_exp", &[linalg::matrix_exp(&x)?.erase()], call("linalg.matrix_exp", args![&x]))?;
    same("matrix_power", &[linalg::matrix_power(&x, -2)?.erase()], call("linalg.matrix_power", args![&x, -2]))?;
    same("cond", &[linalg::cond(&x)?.erase()], call("linalg.cond", args![&x]))?;
    same("vector_norm", &[linalg::vector_norm_with(&x, 1, ..)?.erase()], call("linalg.vector_norm", args![&x, 1]))?;
    same("matrix_norm", &[linalg::matrix_norm(&x)?.erase()], call("linalg.matrix_norm", args![&x]))?;
    let nuclear: Tensor<f64, Rank<1>> = linalg::matrix_norm_with(&x, "nuc")?;
    same("matrix_norm", &[nuclear.erase()], call("linalg.matrix_norm", args![&x, "nuc"]))?;
    same("matrix_norm", &[linalg::matrix_norm_with(&x, -1)?.erase()], call("linalg.matrix_norm", args![&x, -1]))?;
    let columns: Tensor<f64, shape![2, 3]> = linalg::norm_with(&x, 3.0, axis::<1>())?;
    same("norm", &[columns.erase()], call("linalg.norm", args![&x, 3.0, 1]))?;
    same("norm", &[linalg::norm_with(&x, "fro", axes![1, 2])?.erase()], call("linalg.norm", args![&x, "fro", [1, 2]]))?;
    same("norm", &[linalg::norm_with(&one, f64::INFINITY, ..)?.erase()], call("linalg.norm", args![&one, f64::INFINITY]))?;
    let refused = linalg::norm_with(&x, 1, ..).map(drop).expect_err("three dimensions");
    assert_eq!(refused.message(), "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.");
    let refused = linalg::matrix_norm_with(&x, "two").map(drop).expect_err("no order");
    assert_eq!(refused.message(), "linalg.matrix_norm: Order two not supported.");
    same("cond", &[linalg::cond_with(&x, 1)?.erase()], call("linalg.cond", args![&x, 1]))?;
    same("cond", &[linalg::cond_with(&x, "fro")?.erase()], call("linalg.cond", args![&x, "fro"]))?;
    same("vecdot", &[linalg::vecdot(&x, &one)?.erase()], call("linalg.vecdot", args![&x, &one]))?;
    let linalg::LeastSquares { solution, residuals, rank, singular_values } = linalg::lstsq(&one, &b)?;
    let least = [solution.erase(), residuals.erase(), rank.erase(), singular_values.erase()];
    same("lstsq", &least, call("linalg.lstsq", args![&one, &b]))?;
    let triangle = linalg::solve_triangular(&lower.i(i![0]), &b, false)?;
    same("solve_triangular", &[triangle.erase()], call("linalg.solve_triangular", args![&lower.i(i![0]), &b, upper = false]))?;
    let refused = linalg::inv(&Tensor::<f64, Matrix>::zeros()).expect_err("no inverse");
    assert!(refused.message().starts_with("linalg.inv: The diagonal element 1 is zero"), "{refused}");
    Ok(())
}

/// What is a sum of products, or a norm, is also of halves, and of complex numbers of halves where no product is summed.
#[test]
fn sums_of_halves_have_types() -> Result<()> {
    let (x, y) = (tensor![[1.1, 2.3, 0.7], [3.2, 0.4, 1.9]], tensor![[0.3, 1.7, 2.2], [0.9, 1.3, 0.6]]);
    let (half, other): (Tensor<f16, shape![2, 3]>, _) = (x.to(), y.to::<f16>());
    let (brain, second): (Tensor<bf16, shape![2, 3]>, _) = (x.to(), y.to::<bf16>());
    let rows = |numbers: Vec<f16>| numbers.into_iter().map(f16::to_f64).collect::<Vec<_>>();
    let brains = |numbers: Vec<bf16>| numbers.into_iter().map(bf16::to_f64).collect::<Vec<_>>();
    assert_eq!(rows(linalg::vecdot(&half, &other)?.to_vec()), [5.781_25, 4.539_062_5]);
    assert_eq!(brains(linalg::vecdot(&brain, &second)?.to_vec()), [5.781_25, 4.531_25]);
    assert_eq!(rows(linalg::vecdot_with(&half, &other, 0)?.to_vec()), [3.208_984_375, 4.433_593_75, 2.679_687_5]);
    assert_eq!(brains(linalg::vecdot_with(&brain, &second, 0)?.to_vec()), [3.203_125, 4.437_5, 2.687_5]);
    assert_eq!(rows(linalg::vector_norm_with(&half, 1, axis::<1>())?.to_vec()), [4.101_562_5, 5.5]);
    assert_eq!(brains(linalg::matrix_norm_with(&brain, 1)?.to_vec()), [4.312_5]);
    assert_eq!(rows(linalg::matrix_norm(&half)?.to_vec()), [4.582_031_25]);
    assert_eq!(brains(linalg::norm_with(&brain, "fro", ..)?.to_vec()), [4.593_75]);
    assert_eq!(brains(tensor![[3, 4], [6, 8]; bf16].renorm(2, 0, 5)?.to_vec()), [3.0, 4.0, 3.0, 4.0]);
    let exponential = linalg::matrix_exp(&tensor![[0.0, 1.0], [0.0, 0.0]; bf16])?;
    assert_eq!(brains(exponential.to_vec()), [1.0, 1.0, 0.0, 1.0]);
    let whole: Tensor<i64, shape![2, 2]> = linalg::matrix_power(&tensor![[1, 1], [1, 0]], 10)?;
    assert_eq!(whole.to_vec(), [89, 55, 55, 34]);
    let numbers = complex(&half, &other);
    let (norms, norm): (Tensor<f16, shape![2]>, _) = (linalg::vector_norm_with(&numbers, 1, axis::<1>())?, linalg::matrix_norm(&numbers)?);
    assert_eq!((rows(norms.to_vec()), rows(norm.to_vec())), (vec![6.308_593_75, 6.675_781_25], vec![5.628_906_25]));
    let refused = linalg::matrix_norm_with(&brain, "nuc").map(drop).expect_err("a decomposition");
    assert_eq!(refused.message(), "linalg.matrix_norm: Low precision dtypes not supported. Got BFloat16");
    Ok(())
}

#[test]
fn complex_matrices_have_real_values() -> Result<()> {
    let x = matrices().i(i![0]).to::<c128>();
    let (values, vectors): (Tensor<f64, shape![3]>, Tensor<c128, Matrix>) = linalg::eigh(&x)?;
    assert!((&vectors * values.unsqueeze(axis::<0>())).matmul(&vectors.mT().conj()).allclose(&x));
    let any = x.erase();
    let (_, s, _) = linalg::svd_with(&any, false)?;
    assert_eq!((s.dtype(), linalg::norm(&any).dtype()), (DType::F64, DType::F64));
    Ok(())
}

#[test]
fn spectra_have_the_types_that_follow() -> Result<()> {
    manual_seed(6);
    let x = Tensor::<f32, shape![4, 6]>::randn();
    let spectrum: Tensor<c64, shape![4, 6]> = fft::fft(&x)?;
    let half: Tensor<c64, Rank<2>> = fft::rfft(&x)?;
    let real: Tensor<f32, Rank<2>> = fft::irfft(&half)?;
    let columns: Tensor<c64, Rank<2>> = fft::fft_with(&x, FftOptions::new().size(5).dim(0).norm(Norm::Ortho))?;
    let counts: Tensor<c64, shape![3]> = fft::fft(&tensor![1, 2, 4])?;
    let middle: Tensor<f32, shape![4, 6]> = fft::fftshift(&x)?;
    assert!(real.allclose(&x) && fft::ifftshift(&middle)?.equal(&x));
    assert_eq!(counts.i(i![0]).to_vec(), [Complex::new(7.0, 0.0)]);
    let z = &spectrum;
    same("fft", &[spectrum.erase()], call("fft.fft", args![&x]))?;
    same("fft_with", &[columns.erase()], call("fft.fft", args![&x, 5, 0, "ortho"]))?;
    same("ifft", &[fft::ifft(z)?.erase()], call("fft.ifft", args![z]))?;
    same(
        "ifft_with",
        &[fft::ifft_with(z, FftOptions::new().dim(0).norm(Norm::Forward))?.erase()],
        call("fft.ifft", args![z, (), 0, "forward"]),
    )?;
    same("rfft", &[half.erase()], call("fft.rfft", args![&x]))?;
    same("rfft_with", &[fft::rfft_with(&x, axis::<0>())?.erase()], call("fft.rfft", args![&x, dim = 0]))?;
    same("irfft_with", &[fft::irfft_with(z, FftOptions::from(5).norm(Norm::Ortho))?.erase()], call("fft.irfft", args![z, 5, -1, "ortho"]))?;
    same("hfft", &[fft::hfft(z)?.erase()], call("fft.hfft", args![z]))?;
    same(
        "hfft_with",
        &[fft::hfft_with(z, FftOptions::from(3).dim(1).norm(Norm::Forward))?.erase()],
        call("fft.hfft", args![z, 3, 1, "forward"]),
    )?;
    same("ihfft", &[fft::ihfft(&x)?.erase()], call("fft.ihfft", args![&x]))?;
    same(
        "ihfft_with",
        &[fft::ihfft_with(&x, FftOptions::from(axis::<0>()).norm(Norm::Ortho))?.erase()],
        call("fft.ihfft", args![&x, (), 0, "ortho"]),
    )?;
    same("fft2", &[fft::fft2(&x)?.erase()], call("fft.fft2", args![&x]))?;
    same("ifft2", &[fft::ifft2(z)?.erase()], call("fft.ifft2", args![z]))?;
    same("rfft2", &[fft::rfft2(&x)?.erase()], call("fft.rfft2", args![&x]))?;
    same("irfft2", &[fft::irfft2(z)?.erase()], call("fft.irfft2", args![z]))?;
    same("fftn", &[fft::fftn(&x)?.erase()], call("fft.fftn", args![&x]))?;
    let sizes = FftOptions::from([3, 8]).dim([0, 1]);
    same(
        "fftn_with",
        &[fft::fftn_with(&x, sizes.clone().norm(Norm::Ortho))?.erase()],
        call("fft.fftn", args![&x, [3, 8], [0, 1], "ortho"]),
    )?;
    same("ifftn", &[fft::ifftn(z)?.erase()], call("fft.ifftn", args![z]))?;
    same("ifftn_with", &[fft::ifftn_with(z, FftOptions::new().dim(0))?.erase()], call("fft.ifftn", args![z, (), [0]]))?;
    same("rfftn", &[fft::rfftn(&x)?.erase()], call("fft.rfftn", args![&x]))?;
    same(
        "rfftn_with",
        &[fft::rfftn_with(&x, sizes.norm(Norm::Forward))?.erase()],
        call("fft.rfftn", args![&x, [3, 8], [0, 1], "forward"]),
    )?;
    same("irfftn", &[fft::irfftn(z)?.erase()], call("fft.irfftn", args![z]))?;
    same(
        "irfftn_with",
        &[fft::irfftn_with(z, FftOptions::new().dim(1).norm(Norm::Ortho))?.erase()],
        call("fft.irfftn", args![z, (), [1], "ortho"]),
    )?;
    same("fftn_with", &[fft::fftn_with(&x, axes![0, 1])?.erase()], call("fft.fftn", args![&x, (), [0, 1]]))?;
    same("fftn_with", &[fft::fftn_with(&x, [2, 3])?.erase()], call("fft.fftn", args![&x, [2, 3]]))?;
    same("rfft_with", &[fft::rfft_with(&x, 2 * x.size(1))?.erase()], call("fft.rfft", args![&x, 12]))?;
    same("fft_with", &[fft::fft_with(&x, Norm::Ortho)?.erase()], call("fft.fft", args![&x, norm = "ortho"]))?;
    let refused = fft::fft_with(&x, [2, 3]).expect_err("two sizes");
    assert_eq!(refused.message(), "a transform along one dimension takes one number, not [2, 3]; fftn takes several");
    same("fftshift_with", &[fft::fftshift_with(&x, 1)?.erase()], call("fft.fftshift", args![&x, [1]]))?;
    same("ifftshift_with", &[fft::ifftshift_with(&x, [0, 1])?.erase()], call("fft.ifftshift", args![&x, [0, 1]]))?;
    Ok(())
}

/// By the definition, at some places: rows of few numbers, of whole vectors and not, those that all threads share, and sizes with large prime
/// factors; real rows and their halves, and the way back.
#[test]
fn rows_of_any_length_are_transformed_as_they_are_defined() -> Result<()> {
    for size in [1, 2, 6, 31, 64, 96, 120, 250, 500, 504, 1000, 1024, 1009, 6561, 1 << 16, 3 << 16, 1 << 17, 65537] {
        let number = |at: usize| ((at * 7919 + at / 3) % 1001) as f64 / 500.0 - 1.0;
        // Twelve rows: more than go beside each other.
        let rows = if size > 2000 { 1 } else { 12 };
        let real = Tensor::from_vec((0..rows * size).map(number).collect::<Vec<f64>>(), [rows, size])?;
        let whole = fft::fft(&real)?;
        let found = whole.to_vec();
        for row in 0..rows {
            for k in [0, 1, size / 3, size / 2, size - 1].map(|k| k % size) {
                let (mut re, mut im) = (0.0, 0.0);
                for at in 0..size {
                    let (sin, cos) = (std::f64::consts::TAU * ((at * k % size) as f64 / size as f64)).sin_cos();
                    re += number(row * size + at) * cos;
                    im -= number(row * size + at) * sin;
                }
                let off = (found[row * size + k].re - re).hypot(found[row * size + k].im - im);
                assert!(off <= 1e-12 * size as f64, "{size}: row {row}, place {k} is {}, not {re} and {im}", found[row * size + k]);
            }
        }
        let near = |what: &str, left: &DynTensor, right: &DynTensor, off: f64| {
            let apart: Tensor<f64, ()> = left.sub(right).abs().max().to();
            let farthest = apart.item();
            assert!(farthest <= off, "{what} of {size}: {farthest}");
        };
        let half = fft::rfft(&real)?;
        let complex = fft::fft(&real.to::<c64>().to::<c128>())?;
        near("rfft", &half.erase(), &whole.narrow(1, 0, size / 2 + 1)?.erase(), 1e-12 * size as f64);
        near("ifft", &fft::ifft(&whole)?.real().erase(), &real.erase(), 1e-13);
        near("irfft", &fft::irfft_with(&half, size)?.erase(), &real.erase(), 1e-13);
        near("fft of c128", &complex.erase(), &fft::fft(&real.to::<f32>().to::<f64>())?.erase(), 1e-12 * size as f64);
        let largest = found.iter().map(|number| number.norm()).fold(0.0, f64::max);
        let single = fft::fft(&real.to::<f32>())?.to::<c128>();
        near("fft of f32", &single.erase(), &whole.erase(), 1e-6 * largest);
    }
    Ok(())
}

/// Far from where tests draw their numbers, beside values of mpmath.
#[test]
fn special_functions_are_exact_at_every_magnitude() -> Result<()> {
    let near = |found: f64, expected: f64, what: &str| {
        assert!((found / expected - 1.0).abs() < 1e-12, "{what}: {found:e}, not {expected:e}");
    };
    let falling = [
        ("k0", 128.0, 0.110_670_655_269_703_81),
        ("k1", 128.0, 0.111_102_124_684_003_35),
        ("k0", 1e4, 0.012_532_984_717_699_286),
        ("k1", 1e8, 1.253_314_142_015_428_4e-4),
        ("k0", 1e15, 3.963_327_297_606_01e-8),
        ("k0", 1e-300, 690.891_459_413_872_1),
    ];
    for (order, x, expected) in falling {
        let name = format!("special.scaled_modified_bessel_{order}");
        near(call(&name, args![&tensor![x; f64]])?.tensor()?.to_vec_of::<f64>()?[0], expected, &format!("{name}({x})"));
    }
    let above = [
        (1e-300, 2.5e-59, 1.343_590_140_898_730_2e-298),
        (1e-44, 1e-11, 2.475_122_035_804_296_7e-43),
        (0.01, 0.3, 0.009_072_396_421_765_093),
        (3e-39, 0.74, 1.040_139_836_711_683_5e-39),
        (0.3, 0.49, 0.189_521_824_484_277_4),
        (1.1, 1.0, 0.410_819_038_129_351_6),
        (1e-3, 1e-200, 0.368_678_870_914_171_2),
    ];
    for (a, x, expected) in above {
        near(
            call("igammac", args![&tensor![a; f64], &tensor![x; f64]])?.tensor()?.to_vec_of::<f64>()?[0],
            expected,
            &format!("igammac({a}, {x})"),
        );
    }
    Ok(())
}
