//! Methods that few programs call, and `latten::special`: they give what their operations give by name, with the types that follow.

use latten::by_name::Arguments;
use latten::prelude::*;
use latten::{Result, args, call, linalg, special};

use super::declared::same;

/// Three rows of four, none of which is a whole number.
fn numbers() -> Tensor<f32, shape![3, 4]> {
    Tensor::<f32>::linspace(-1.3, 2.1, 12).expect("twelve numbers").view(shape![3, 4])
}

#[test]
fn further_methods_give_what_their_rows_give() -> Result<()> {
    let x = numbers();
    let (row, places) = (tensor![0.5, -2.0, 0.0, 3.0], tensor![1, 3]);
    same("renorm", x.renorm(2, 0, 1.5), args![&x, 2, 0, 1.5])?;
    same("polygamma", x.polygamma(2), args![2, &x])?;
    same("mvlgamma", (&x + 3.0).mvlgamma(2), args![&(&x + 3.0), 2])?;
    same("select_scatter", x.select_scatter(&row, 0, 1), args![&x, &row, 0, 1])?;
    same("slice_scatter", x.slice_scatter(&x.i(i![.., 2..4]), 1, 0, 2), args![&x, &x.i(i![.., 2..4]), 1, 0, 2])?;
    same("narrow_copy", x.narrow_copy(1, 1, 2), args![&x, 1, 1, 2])?;
    same("diagonal_scatter", x.try_diagonal_scatter(&tensor![7.0, 8.0, 9.0]), args![&x, &tensor![7.0, 8.0, 9.0]])?;
    same("put", x.try_put(&places, &tensor![7.0, 8.0]), args![&x, &places, &tensor![7.0, 8.0]])?;
    same("msort", x.try_msort(), args![&x])?;
    same("i0", x.try_i0(), args![&x])?;
    same("nanquantile", x.nanquantile(0.3), args![&x, 0.3])?;
    same::<f32, shape![3]>("nanquantile", Ok(x.nanquantile_along(0.3, axis::<1>())), args![&x, 0.3, 1])?;
    same::<f32, shape![3, 1]>("nanquantile", Ok(x.nanquantile_along(0.3, kept(axis::<1>()))), args![&x, 0.3, 1, true])?;
    same("nanquantile", x.nanquantile_along(&tensor![0.3, 0.9], kept(0)), args![&x, &tensor![0.3, 0.9], 0, true])?;
    same("nanquantile", x.nanquantile_along(&tensor![0.3, 0.9], 1), args![&x, &tensor![0.3, 0.9], 1])?;
    assert_eq!(tensor![f32::NAN, 1.0, 3.0].nanquantile(0.5)?.item(), 2.0);
    assert_eq!(x.sum_to_size([1, 4])?.sizes(), [1, 4]);
    assert_eq!(x.select_scatter(&row, 0, 1)?.i(i![1]).to_vec(), row.to_vec());
    Ok(())
}

#[test]
fn what_broadcasts_has_the_common_shape() -> Result<()> {
    let (x, column) = (numbers(), tensor![[0.5], [1.0], [2.0]]);
    let sums: Tensor<f32, shape![3, 4]> = column.logaddexp2(&x);
    same("logaddexp2", Ok(sums), args![&column, &x])?;
    same("nextafter", x.try_nextafter(&column), args![&x, &column])?;
    same("heaviside", x.try_heaviside(&column), args![&x, &column])?;
    same("igamma", column.try_igamma(&x.abs()), args![&column, &x.abs()])?;
    same("igammac", column.try_igammac(&x.abs()), args![&column, &x.abs()])?;
    let (x, short) = (x.erase(), tensor![1.0, 2.0].erase());
    for error in [x.try_nextafter(&short), special::try_zeta(&x, &short)].map(|given| given.map(drop).expect_err("four and two")) {
        assert_eq!(error.message(), "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 1");
    }
    Ok(())
}

#[test]
fn numbers_are_taken_apart() -> Result<()> {
    let x = tensor![[-3.0, 0.75], [f32::INFINITY, f32::NEG_INFINITY]];
    let (parts, powers) = x.frexp();
    let (parts, powers): (Tensor<f32, shape![2, 2]>, _) = (parts, powers.as_shape::<shape![2, 2]>());
    assert_eq!((parts.i(i![0]).to_vec(), powers.i(i![0]).to_vec()), (vec![-0.75, 0.75], vec![2, 0]));
    assert_eq!(x.isposinf().to_vec(), [false, false, true, false]);
    assert_eq!(x.isneginf().to_vec(), [false, false, false, true]);
    let complex = complex(&tensor![[1.0, 2.0]], &tensor![[0.0, 3.0]]);
    assert_eq!(complex.isreal().to_vec(), [true, false]);
    let turned: Tensor<c64, shape![2, 1]> = complex.mH();
    same("mH", Ok(turned), args![&complex])?;
    same("mH", complex.erase().try_mH(), args![&complex])?;
    Ok(())
}

#[test]
fn matrices_and_vectors_are_added_to() -> Result<()> {
    let (x, vector) = (numbers(), tensor![1.0, 2.0, 3.0]);
    let (row, batch) = (Tensor::<f32, shape![4]>::ones(), Tensor::<f32, shape![2, 3, 4]>::ones());
    same("addmv", Ok(vector.addmv(&x, &row)), args![&vector, &x, &row])?;
    same("addr", Ok(x.addr(&vector, &row)), args![&x, &vector, &row])?;
    let square = Tensor::<f32, shape![3, 3]>::eye();
    same("addbmm", Ok(square.addbmm(&batch, &batch.mT())), args![&square, &batch, &batch.mT()])?;
    let refused = vector.try_addmv(&x, &vector).map(drop).expect_err("four columns and three elements");
    assert_eq!(refused.message(), "size mismatch, got input (3), mat (3x4), vec (3)");
    let turn = tensor![[0.0, 1.0], [-1.0, 0.0]; f64];
    same("matrix_power", turn.matrix_power(-3), args![&turn, -3])?;
    assert_eq!(turn.matrix_power(2)?.to_vec(), [-1.0, 0.0, 0.0, -1.0]);
    assert!(turn.matrix_exp()?.equal(&linalg::matrix_exp(&turn)?));
    Ok(())
}

#[test]
fn histograms_have_counts_and_edges() -> Result<()> {
    let x = tensor![0.0, 1.0, 1.0, 4.0, 3.0];
    let (counts, edges): (Tensor<f32, Rank<1>>, Tensor<f32, Rank<1>>) = x.histogram(4)?;
    assert_eq!((counts.to_vec(), edges.to_vec()), (vec![1.0, 2.0, 0.0, 2.0], vec![0.0, 1.0, 2.0, 3.0, 4.0]));
    let (counts, _) = x.histogram_with(&tensor![0.0, 0.5, 5.0])?;
    assert_eq!(counts.to_vec(), [1.0, 4.0]);
    Ok(())
}

#[test]
fn a_signal_comes_back_from_its_spectra() -> Result<()> {
    let signal = Tensor::<f64>::linspace(0.0, 30.0, 128)?.sin();
    let window = Tensor::<f64>::hann_window(32)?;
    let spectra: Tensor<c128, Rank<2>> = signal.stft(32, 8, &window)?;
    same("stft", Ok(spectra.clone()), args![&signal, 32, 8, window = &window, return_complex = true])?;
    assert_eq!(spectra.sizes(), [17, 17]);
    let back: Tensor<f64, Rank<1>> = spectra.istft(32, 8, &window)?;
    assert!(back.allclose(&signal));
    Ok(())
}

type Special = fn(&Tensor<f64, Rank<1>>) -> Result<Tensor<f64, Rank<1>>>;

/// Each function of one tensor, with the numbers that it takes.
const OF_ONE: [(&str, Special); 32] = [
    ("ndtr", |x| special::try_ndtr(x)),
    ("ndtri", |x| special::try_ndtri(x)),
    ("log_ndtr", |x| special::try_log_ndtr(x)),
    ("erfcx", |x| special::try_erfcx(x)),
    ("entr", |x| special::try_entr(x)),
    ("airy_ai", |x| special::try_airy_ai(x)),
    ("bessel_j0", |x| special::try_bessel_j0(x)),
    ("bessel_j1", |x| special::try_bessel_j1(x)),
    ("bessel_y0", |x| special::try_bessel_y0(x)),
    ("bessel_y1", |x| special::try_bessel_y1(x)),
    ("i0", |x| special::try_i0(x)),
    ("i0e", |x| special::try_i0e(x)),
    ("i1", |x| special::try_i1(x)),
    ("i1e", |x| special::try_i1e(x)),
    ("modified_bessel_i0", |x| special::try_modified_bessel_i0(x)),
    ("modified_bessel_i1", |x| special::try_modified_bessel_i1(x)),
    ("modified_bessel_k0", |x| special::try_modified_bessel_k0(x)),
    ("modified_bessel_k1", |x| special::try_modified_bessel_k1(x)),
    ("scaled_modified_bessel_k0", |x| special::try_scaled_modified_bessel_k0(x)),
    ("scaled_modified_bessel_k1", |x| special::try_scaled_modified_bessel_k1(x)),
    ("spherical_bessel_j0", |x| special::try_spherical_bessel_j0(x)),
    ("multigammaln", |x| special::multigammaln(x, 1)),
    ("chebyshev_polynomial_t", |x| special::try_chebyshev_polynomial_t(x, 1)),
    ("chebyshev_polynomial_u", |x| special::try_chebyshev_polynomial_u(x, 1)),
    ("chebyshev_polynomial_v", |x| special::try_chebyshev_polynomial_v(x, 1)),
    ("shifted_chebyshev_polynomial_t", |x| special::try_shifted_chebyshev_polynomial_t(x, 1)),
    ("shifted_chebyshev_polynomial_u", |x| special::try_shifted_chebyshev_polynomial_u(x, 1)),
    ("shifted_chebyshev_polynomial_v", |x| special::try_shifted_chebyshev_polynomial_v(x, 1)),
    ("shifted_chebyshev_polynomial_w", |x| special::try_shifted_chebyshev_polynomial_w(x, 1)),
    ("hermite_polynomial_h", |x| special::try_hermite_polynomial_h(x, 1)),
    ("hermite_polynomial_he", |x| special::try_hermite_polynomial_he(x, 1)),
    ("legendre_polynomial_p", |x| special::try_legendre_polynomial_p(x, 1)),
];

#[test]
fn special_functions_give_what_their_rows_give() -> Result<()> {
    let x = tensor![0.05, 0.3, 0.7, 0.95; f64].view([4])?;
    for (name, function) in OF_ONE {
        let takes_a_number = name.contains("polynomial") || name == "multigammaln";
        let arguments = if takes_a_number { args![&x, 1] } else { args![&x] };
        same(&format!("special.{name}"), function(&x), arguments)?;
    }
    same("special.chebyshev_polynomial_w", Ok(special::chebyshev_polynomial_w(&x, 3)), args![&x, 3])?;
    same("special.laguerre_polynomial_l", Ok(special::laguerre_polynomial_l(&x, 3)), args![&x, 3])?;
    let y = &x + 1.5;
    same("special.xlog1py", Ok(special::xlog1py(&x, &y)), args![&x, &y])?;
    same("special.zeta", Ok(special::zeta(&y, &x)), args![&y, &x])?;
    same("special.xlog1py", Ok(special::xlog1py(&x, 2)), args![&x, 2])?;
    same("special.zeta", Ok(special::zeta(&y, 0.5)), args![&y, 0.5])?;
    let degrees = tensor![[0.0], [1.0], [2.0]; f64];
    same::<f64, shape![3, 4]>(
        "special.hermite_polynomial_h",
        Ok(special::hermite_polynomial_h(&x.to_shape::<shape![4]>()?, &degrees)),
        args![&x, &degrees],
    )?;
    same("special.gammainc", Ok(special::gammainc(&x, &y)), args![&x, &y])?;
    same("special.gammaincc", Ok(special::gammaincc(&x, &y)), args![&x, &y])?;
    Ok(())
}

/// PyTorch divides by the zero on a diagonal, and takes what stands on the right for a matrix.
#[test]
fn triangular_systems_are_solved_row_by_row() -> Result<()> {
    let (singular, ones) = (tensor![[1.0, 2.0], [0.0, 0.0]], Tensor::<f32, shape![2, 2]>::ones());
    let solved = call("linalg.solve_triangular", args![&singular, &ones, upper = true])?.tensor()?;
    assert_eq!(solved.typed::<f32, Rank<2>>()?.to_vec(), [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY]);
    let twice = Tensor::<f32, shape![2, 2]>::eye().repeat([2, 1, 1])?.mul(2.0);
    let right = tensor![[1.0, 2.0], [3.0, 4.0]];
    let solved = call("linalg.solve_triangular", args![&twice, &right, upper = true])?.tensor()?;
    assert_eq!(solved.sizes(), [2, 2, 2]);
    assert_eq!(solved.typed::<f32, Rank<3>>()?.to_vec(), [0.5, 1.0, 1.5, 2.0, 0.5, 1.0, 1.5, 2.0]);
    Ok(())
}

type Plain = fn(&Tensor<f32, shape![2, 3]>) -> Result<Tensor<f32, shape![2, 3]>>;
type Change = fn(&mut Tensor<f32, shape![2, 3]>) -> Result<&mut Tensor<f32, shape![2, 3]>>;

/// Methods of one tensor, and what changes it.
const IN_PLACE: [(&str, Plain, Change); 16] = [
    ("celu", |x| x.try_celu(), |x| x.celu_()),
    ("celu(0.5)", |x| x.try_celu_with(0.5), |x| x.celu_with_(0.5)),
    ("selu", |x| x.try_selu(), |x| x.selu_()),
    ("hardtanh", |x| x.try_hardtanh(), |x| x.hardtanh_()),
    ("hardtanh(0, 2)", |x| x.try_hardtanh_with(0.0, 2.0), |x| x.hardtanh_with_(0.0, 2.0)),
    ("relu6", |x| x.try_relu6(), |x| x.relu6_()),
    ("mish", |x| x.try_mish(), |x| x.mish_()),
    ("i0", |x| x.try_i0(), |x| x.i0_()),
    ("polygamma", |x| x.polygamma(1), |x| x.polygamma_(1)),
    ("mvlgamma", |x| x.abs().mvlgamma(1), |x| x.abs_()?.mvlgamma_(1)),
    ("renorm", |x| x.renorm(2, 0, 1.5), |x| x.renorm_(2, 0, 1.5)),
    ("igamma", |x| x.abs().try_igamma(&tensor![0.5, 1.0, 2.0]), |x| x.abs_()?.igamma_(&tensor![0.5, 1.0, 2.0])),
    ("igammac", |x| x.abs().try_igammac(&tensor![0.5, 1.0, 2.0]), |x| x.abs_()?.igammac_(&tensor![0.5, 1.0, 2.0])),
    ("nextafter", |x| x.try_nextafter(&tensor![0.0]), |x| x.nextafter_(&tensor![0.0])),
    ("heaviside", |x| x.try_heaviside(&tensor![0.5]), |x| x.heaviside_(&tensor![0.5])),
    ("ldexp", |x| x.try_ldexp(&tensor![1, 2, 3]), |x| x.ldexp_(&tensor![1, 2, 3])),
];

#[test]
fn in_place_comes_what_methods_give() -> Result<()> {
    let x = tensor![[0.5, -1.5, 7.25], [2.5, 0.0, -3.75]];
    for (name, plain, change) in IN_PLACE {
        let mut changed = x.clone();
        change(&mut changed)?;
        assert_eq!(changed.to_string(), plain(&x)?.to_string(), "{name}");
    }
    let (rows, places, mask) =
        (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1, 0], tensor![[true, false, true], [false, true, false]]);
    let mut changed = x.clone();
    changed.put_(&places, &tensor![8.0, 9.0])?.index_copy_(0, &places, &rows)?.masked_scatter_(&mask, &tensor![7.0, 8.0, 9.0])?;
    assert_eq!(changed.to_vec(), [7.0, 5.0, 8.0, 1.0, 9.0, 3.0]);
    changed.index_reduce_(0, &places, &rows, "prod")?.index_reduce_with_(0, &places, &rows, "amax", false)?;
    assert_eq!(changed.to_vec(), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    let (mut sum, ones, batch) = (tensor![1.0, 2.0], Tensor::<f32, shape![2, 2]>::ones(), Tensor::<f32, shape![3, 2, 2]>::ones());
    sum.addmv_(&ones, &tensor![3.0, 4.0])?;
    assert_eq!(sum.to_vec(), [8.0, 9.0]);
    let mut square = ones.clone();
    square.addr_(&sum, &sum)?.addbmm_(&batch, &batch)?;
    assert_eq!(square.to_vec(), [71.0, 79.0, 79.0, 88.0]);
    let none = sum.addmv_(&ones, &tensor![1.0, 2.0, 3.0]).map(drop).expect_err("two columns and three elements");
    assert_eq!((none.message(), sum.to_vec()), ("size mismatch, got input (2), mat (2x2), vec (3)", vec![8.0, 9.0]));
    Ok(())
}

/// What changes a tensor leaves its shape.
#[test]
fn changes_in_place_do_not_broadcast_the_tensor() -> Result<()> {
    for name in ["nextafter_", "igamma_", "igammac_"] {
        let (mut own, other) = (tensor![[1.0], [2.0]].erase(), tensor![[1.0, 2.0], [3.0, 4.0]].erase());
        let error = call(name, Arguments::new().with(&mut own).with(&other)).map(drop).expect_err(name);
        assert_eq!(error.message(), "output with shape [2, 1] doesn't match the broadcast shape [2, 2]", "{name}");
        assert_eq!((own.sizes(), own.typed::<f32, Rank<2>>()?.to_vec()), (&[2, 1][..], vec![1.0, 2.0]), "{name}");
    }
    Ok(())
}
