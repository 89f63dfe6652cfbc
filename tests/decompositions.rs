//! What decompositions are defined by: products of the factors are the matrix, columns stand at right angles, values come in order. For random
//! matrices of many sizes, and for those that a rule forgets: zeros, equal values, lost ranks, huge, tiny and graded numbers.

use latten::prelude::*;
use latten::{call, num_threads, set_num_threads};

/// The last ones are cut into blocks, which threads share.
#[rustfmt::skip]
const SIZES: &[[usize; 2]] = &[
    [0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [9, 9], [17, 17], [40, 40], [3, 1], [1, 4], [7, 5], [5, 8], [37, 6], [6, 33], [100, 100], [60, 90],
];
const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// A number for each row and column of a matrix of those sizes, made of a random one.
type Kind = (&'static str, fn(f64, [usize; 2], [usize; 2]) -> f64);

const KINDS: [Kind; 13] = [
    ("random", |x, _, _| x),
    ("zeros", |_, _, _| 0.0),
    ("ones", |_, _, _| 1.0),
    ("identity", |_, [row, column], _| f64::from(u8::from(row == column))),
    ("equal rows", |_, [_, column], _| (column as f64 * 0.7).sin()),
    ("of rank two", |_, [row, column], _| (row as f64).cos() * (column as f64 + 1.0) + row as f64),
    ("graded", |x, [_, column], _| x * (-0.4 * column as f64).exp()),
    ("huge", |x, _, _| x * 1e30),
    ("tiny", |x, _, _| x * 1e-30),
    ("tinier still", |x, _, _| x * 1e-200),
    ("of tiny ranks", |x, [row, column], _| x * (-30.0 * row.max(column) as f64).exp()),
    ("two diagonals", |x, [row, column], _| if column == row || column == row + 1 { x } else { 0.0 }),
    (
        "zeros on a diagonal",
        |x, [row, column], [rows, _]| {
            if column == row && row % 3 != 1 && row + 1 != rows || column == row + 1 { x } else { 0.0 }
        },
    ),
];

fn only(name: &str, arguments: latten::by_name::Arguments<'_>) -> DynTensor {
    let found = call(name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
    found.tensor().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn several(name: &str, arguments: latten::by_name::Arguments<'_>) -> Vec<DynTensor> {
    let found = call(name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
    found.tensors().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn product(factors: &[&DynTensor]) -> DynTensor {
    factors[1..].iter().fold(factors[0].clone(), |product, factor| only("matmul", args![&product, *factor]))
}

fn adjoint(matrix: &DynTensor) -> DynTensor {
    only("mH", args![matrix])
}

/// A diagonal of real numbers beside a matrix.
fn scaled(columns: &DynTensor, values: &DynTensor) -> DynTensor {
    columns * &only("unsqueeze", args![values, -2])
}

fn largest(tensor: &DynTensor) -> f64 {
    if tensor.numel() == 0 { 0.0 } else { only("amax", args![&only("abs", args![tensor])]).item().to_f64() }
}

struct Case {
    what: String,
    matrix: DynTensor,
    /// How far a result of numbers around 1 may be off.
    within: f64,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        let kinds = KINDS.iter().flat_map(|kind| DTYPES.map(|dtype| (kind, dtype)));
        kinds.flat_map(|(kind, dtype)| SIZES.iter().map(move |&sizes| Self::new(kind, dtype, sizes)))
    }

    fn new(&(kind, number): &Kind, dtype: DType, [rows, columns]: [usize; 2]) -> Self {
        let mut word = (rows * 64 + columns) as u64 + 1;
        let mut random = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut part = || {
            let places = (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column]));
            let numbers = places.map(|place| number(random(), place, [rows, columns])).collect();
            Tensor::<f64>::from_vec(numbers, [rows, columns]).expect("a matrix").erase()
        };
        let (real, imaginary) = (part(), part());
        let whole = if dtype.is_complex() { only("complex", args![&real, &imaginary]) } else { real };
        let matrix = whole.to_dtype(dtype).expect("a conversion");
        let digits = if matches!(dtype, DType::F32 | DType::C64) { 1e-6 } else { 1e-15 };
        Self { what: format!("{kind}, {dtype} {rows} × {columns}"), matrix, within: digits * (rows.max(columns) as f64 + 4.0) }
    }

    fn sizes(&self) -> [usize; 2] {
        [self.matrix.sizes()[0], self.matrix.sizes()[1]]
    }

    /// That a tensor is another one, but for roundings beside numbers of that size.
    fn near(&self, claim: &str, found: &DynTensor, expected: &DynTensor, size: f64) {
        assert_eq!(found.sizes(), expected.sizes(), "{}: {claim}", self.what);
        let off = largest(&(found - expected));
        assert!(off <= self.within * size.max(1e-300), "{}: {claim}: off by {off:e} beside {size:e}", self.what);
    }

    /// That columns have length 1 and stand at right angles.
    fn upright(&self, claim: &str, columns: &DynTensor) {
        let count = columns.sizes()[1];
        let one = Tensor::<f64>::eye([count, count]).expect("ones").erase().to_dtype(columns.dtype()).expect("a conversion");
        self.near(claim, &product(&[&adjoint(columns), columns]), &one, 1.0);
    }

    fn ordered(&self, values: &DynTensor, order: fn(f64, f64) -> bool) {
        let values: Vec<f64> = values.to_scalars().expect("numbers").iter().map(|value| value.to_f64()).collect();
        assert!(values.windows(2).all(|pair| order(pair[0], pair[1])), "{}: {values:?}", self.what);
    }
}

#[test]
fn singular_values_and_their_vectors_are_the_matrix() {
    for case in Case::all() {
        let size = largest(&case.matrix);
        let [thin, full] = [false, true].map(|full| several("linalg.svd", args![&case.matrix, full]));
        case.near("u s vh", &product(&[&scaled(&thin[0], &thin[1]), &thin[2]]), &case.matrix, size);
        case.ordered(&thin[1], |first, second| first >= second && second >= 0.0);
        for (name, columns) in [("u", &thin[0]), ("v", &adjoint(&thin[2])), ("the full u", &full[0]), ("the full v", &adjoint(&full[2]))] {
            case.upright(name, columns);
        }
        case.near("values", &only("linalg.svdvals", args![&case.matrix]), &thin[1], size);
    }
}

#[test]
fn eigenvalues_and_their_vectors_are_the_matrix() {
    for case in Case::all().filter(|case| case.sizes()[0] == case.sizes()[1]) {
        let own = &(&case.matrix + &adjoint(&case.matrix)) * 0.5;
        let size = largest(&own);
        let found = several("linalg.eigh", args![&own]);
        case.near("v w vᴴ", &product(&[&scaled(&found[1], &found[0]), &adjoint(&found[1])]), &own, size);
        case.ordered(&found[0], |first, second| first <= second);
        case.upright("v", &found[1]);
        case.near("values", &only("linalg.eigvalsh", args![&own]), &found[0], size);
    }
}

#[test]
fn any_square_matrix_has_eigenvectors() {
    for case in Case::all().filter(|case| case.sizes()[0] == case.sizes()[1]) {
        let found = several("linalg.eig", args![&case.matrix]);
        let wide = case.matrix.to_dtype(found[1].dtype()).expect("a conversion");
        let size = largest(&case.matrix) * (case.sizes()[0] as f64 + 1.0);
        case.near("a v", &product(&[&wide, &found[1]]), &scaled(&found[1], &found[0]), size);
        let ones = only("linalg.vector_norm", args![&found[1], 2, vec![-2_i64]]);
        case.near("lengths", &ones, &(&(&ones * 0.0) + 1.0), 1.0);
        if !case.matrix.dtype().is_complex() {
            // Not nearly: to the last digit.
            for part in &found {
                let numbers = part.to_scalars().expect("numbers");
                let columns = if part.dim() == 1 { numbers.len() } else { part.sizes()[1] };
                for (at, number) in found[0].to_scalars().expect("values").iter().map(|value| value.complex()).enumerate() {
                    let other = if number.im > 0.0 {
                        at + 1
                    } else if number.im < 0.0 {
                        at - 1
                    } else {
                        at
                    };
                    let column = |at: usize| numbers.iter().skip(at).step_by(columns.max(1)).map(|number| number.complex());
                    assert!(column(at).eq(column(other).map(|number| number.conj())), "{}: pair {at}, {other}", case.what);
                }
            }
        }
    }
}

#[test]
fn least_squares_leave_nothing_along_the_matrix() {
    for case in Case::all()
        .filter(|case| case.what.starts_with("random") || case.what.starts_with("of rank two"))
        .filter(|case| !case.sizes().contains(&0))
    {
        let (matrix, [rows, _]) = (&case.matrix, case.sizes());
        let steps = only("arange", args![rows as i64]).to_dtype(matrix.dtype()).expect("a conversion");
        let sides = only("unsqueeze", args![&steps, 1]);
        let found = several("linalg.lstsq", args![matrix, &sides]);
        let rest = &product(&[matrix, &found[0]]) - &sides;
        let left = product(&[&adjoint(matrix), &rest]);
        case.near("aᴴ (a x - b)", &left, &(&left * 0.0), largest(matrix) * largest(&sides) * (rows as f64 + 1.0) * 8.0);
    }
}

#[test]
fn triangles_are_the_matrix() {
    for case in Case::all() {
        let (matrix, size) = (&case.matrix, largest(&case.matrix));
        for mode in ["reduced", "complete"] {
            let found = several("linalg.qr", args![matrix, mode]);
            case.near("q r", &product(&[&found[0], &found[1]]), matrix, size);
            case.upright("q", &found[0]);
            case.near("r", &only("triu", args![&found[1]]), &found[1], 0.0);
        }
        let [rows, columns] = case.sizes();
        let found = several("linalg.lu", args![matrix]);
        // Growth is small for all of these.
        case.near("p l u", &product(&[&found[0], &found[1], &found[2]]), matrix, 4.0 * size);
        assert!(largest(&found[1]) <= 1.5 || rows == 0 || columns == 0, "{}: l {}", case.what, largest(&found[1]));
    }
}

#[test]
fn systems_are_solved() {
    for case in Case::all().filter(|case| case.what.starts_with("random") && case.sizes()[0] == case.sizes()[1] && case.sizes()[0] > 0) {
        let size = case.sizes()[0];
        let one = Tensor::<f64>::eye([size, size]).expect("ones").erase().to_dtype(case.matrix.dtype()).expect("a conversion");
        // No eigenvalue is near zero, and the largest numbers of columns are in other rows.
        let matrix = only("roll", args![&(&case.matrix + &(&one * (2.0 * size as f64))), (size / 3), 0]);
        for columns in [1, 2, 3, 4, 5, 9] {
            let sides = &only("narrow", args![&matrix.repeat([1, 9]).expect("copies"), 1, 0, columns]) + 1.0;
            let found = only("linalg.solve", args![&matrix, &sides]);
            case.near("a x", &product(&[&matrix, &found]), &sides, 2.0 * largest(&sides));
        }
        case.near("a a⁻¹", &product(&[&matrix, &only("linalg.inv", args![&matrix])]), &one, 2.0);
        let positive = product(&[&matrix, &adjoint(&matrix)]);
        let lower = only("linalg.cholesky", args![&positive]);
        case.near("l lᴴ", &product(&[&lower, &adjoint(&lower)]), &positive, largest(&positive));
        case.near("l", &only("tril", args![&lower]), &lower, 0.0);
    }
}

/// Many matrices of a size, of which no two are equal, and whose rows change places: as a batch of two dimensions.
fn many(count: usize, [rows, columns]: [usize; 2], dtype: DType) -> DynTensor {
    let case = Case::new(&KINDS[0], dtype, [count * rows, columns]);
    let matrices = only("unflatten", args![&case.matrix, 0, [count as i64 / 2, 2, rows as i64]]);
    let one = only("eye", args![rows as i64, columns as i64]).to_dtype(dtype).expect("a conversion");
    only("roll", args![&(&matrices + &(&one * 3.0)), rows as i64 / 2, -2])
}

/// Those that have a decomposition of a name, made of any.
fn fitting(name: &str, matrices: &DynTensor) -> DynTensor {
    match name {
        "linalg.eigh" => matrices + &adjoint(matrices),
        "linalg.cholesky" => product(&[matrices, &adjoint(matrices)]),
        _ => matrices.clone(),
    }
}

/// One matrix of a batch, or what belongs to it.
fn chosen(batch: &DynTensor, place: usize) -> DynTensor {
    only("select", args![&only("select", args![batch, 0, place as i64 / 2]), 0, place as i64 % 2])
}

/// All results of a decomposition, one after the other.
fn parts(name: &str, matrices: &DynTensor) -> Vec<DynTensor> {
    let found = match name {
        "linalg.solve" | "linalg.lstsq" => call(name, args![matrices, &(&only("narrow", args![matrices, -1, 0, 1]) + 1.0)]),
        _ => call(name, args![matrices]),
    };
    match found.unwrap_or_else(|error| panic!("{name}: {error}")) {
        latten::Outcome::Tensor(one) => vec![one.into()],
        several => several.tensors().unwrap_or_else(|error| panic!("{name}: {error}")),
    }
}

/// Decompositions of square matrices, and those of any.
const SQUARE: [&str; 8] =
    ["linalg.inv", "linalg.inv_ex", "linalg.solve", "linalg.det", "linalg.slogdet", "linalg.eigh", "linalg.cholesky", "linalg.eig"];
const ANY: [&str; 6] = ["linalg.qr", "linalg.svd", "linalg.svdvals", "linalg.lu_factor_ex", "linalg.lstsq", "geqrf"];

/// Whether two tensors have the same numbers, none of which is a NaN.
fn same(one: &DynTensor, other: &DynTensor) -> bool {
    one.sizes() == other.sizes() && call("equal", args![one, other]).is_ok_and(|found| found.flag().is_ok_and(|same| same))
}

#[test]
fn matrices_of_a_batch_are_as_they_are_alone_whoever_works_on_them() {
    let threads = num_threads();
    for dtype in DTYPES {
        for size in [1, 2, 3, 4, 5, 8, 9, 16, 17] {
            // Several parts of each.
            let count = if size < 4 { 2400 } else { 60_000 / (size * size * size + 64) * 2 };
            for (rows, columns, names) in [(size, size, &SQUARE[..]), (size, size, &ANY), (size + 2, size, &ANY), (size, size + 3, &ANY)] {
                let batch = many(count, [rows, columns], dtype);
                for name in names {
                    let batch = fitting(name, &batch);
                    let what = format!("{name} of {count} {dtype} {rows} × {columns}");
                    set_num_threads(1);
                    let alone = parts(name, &batch);
                    set_num_threads(3);
                    let together = parts(name, &batch);
                    for (one, other) in alone.iter().zip(&together) {
                        assert!(same(one, other), "{what}: threads count");
                    }
                    for place in [0, 1, count - 1] {
                        let own = parts(name, &chosen(&batch, place));
                        for (all, own) in together.iter().zip(&own).filter(|(all, _)| all.numel() > 0) {
                            assert!(same(&chosen(all, place), own), "{what}: matrix {place}");
                        }
                    }
                }
            }
        }
    }
    set_num_threads(threads);
}

#[test]
fn batches_are_solved() {
    for dtype in DTYPES {
        for size in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33] {
            let batch = many(40, [size, size], dtype);
            let case = Case::new(&KINDS[0], dtype, [size, size]);
            let one = only("eye", args![size as i64]).to_dtype(dtype).expect("a conversion");
            let zeros = &batch * 0.0;
            // Their inverses needn't be small.
            let growth = 20.0 * largest(&only("linalg.inv", args![&batch])).max(1.0);
            case.near("a a⁻¹", &product(&[&batch, &only("linalg.inv", args![&batch])]), &(&zeros + &one), growth);
            for columns in [1, 2, size, size + 1, 18] {
                let sides =
                    only("expand", args![&Case::new(&KINDS[0], dtype, [size, columns]).matrix, [20, 2, size as i64, columns as i64]]);
                case.near("a x", &product(&[&batch, &only("linalg.solve", args![&batch, &sides])]), &(&sides + 0.0), growth);
            }
            let found = several("linalg.lu", args![&batch]);
            case.near("p l u", &product(&[&found[0], &found[1], &found[2]]), &batch, 16.0);
            let values = only("prod", args![&only("diagonal", args![&found[2], 0, -2, -1]), -1]);
            let sign = only("linalg.det", args![&found[0]]);
            let whole = only("linalg.det", args![&batch]);
            case.near("det", &whole, &(&sign * &values), 16.0 * largest(&whole));
            let logarithms = several("linalg.slogdet", args![&batch]);
            case.near("slogdet", &(&logarithms[0] * &only("exp", args![&logarithms[1]])), &whole, 64.0 * largest(&whole));
            let positive = product(&[&batch, &adjoint(&batch)]);
            let lower = only("linalg.cholesky", args![&positive]);
            case.near("l lᴴ", &product(&[&lower, &adjoint(&lower)]), &positive, 4.0 * largest(&positive));
        }
    }
}

#[test]
fn the_first_matrix_without_an_inverse_is_named() {
    for size in [1, 3, 4, 7, 16, 20] {
        let batch = many(300, [size, size], DType::F32);
        let flat = only("flatten", args![&batch, 0, 1]);
        for (at, place) in [(299, size), (170, 1), (171, size.div_ceil(2))] {
            let matrix = only("select", args![&flat, 0, at as i64]);
            let mut columns = only("narrow", args![&matrix, 1, place as i64 - 1, (size + 1 - place) as i64]);
            columns.zero_().expect("zeros");
        }
        let text = |name: &str, found: Result<latten::Outcome>| match found {
            Ok(_) => panic!("{name} of matrices without inverses"),
            Err(error) => error.message().to_owned(),
        };
        let sides = only("ones", args![[150, 2, size as i64, 2]]);
        for (name, found, expected) in [
            (
                "linalg.inv",
                call("linalg.inv", args![&batch]),
                "linalg.inv: (Batch element 170): The diagonal element 1 is zero, the inversion could not be completed because the input \
                 matrix is singular.",
            ),
            (
                "linalg.solve",
                call("linalg.solve", args![&batch, &sides]),
                "torch.linalg.solve: (Batch element 170): The solver failed because the input matrix is singular.",
            ),
        ] {
            assert_eq!(text(name, found), expected, "{size}");
        }
        let places = several("linalg.inv_ex", args![&flat]).swap_remove(1).to_scalars().expect("places");
        let singular = places.iter().enumerate().filter(|(_, place)| place.to_f64() != 0.0);
        let singular: Vec<_> = singular.map(|(at, place)| (at, place.to_f64() as usize)).collect();
        assert_eq!(singular, [(170, 1), (171, size.div_ceil(2)), (299, size)], "{size}");
        assert_eq!(largest(&only("linalg.det", args![&only("narrow", args![&flat, 0, 170, 2])])), 0.0);
    }
}

#[test]
fn least_squares_with_mirrors_are_those_with_singular_values() {
    for dtype in DTYPES {
        for [rows, columns] in [[1, 1], [6, 6], [7, 3], [3, 7], [40, 12], [12, 40], [60, 50], [200, 50], [20, 100]] {
            for (scale, width) in [(1.0, 1), (1e-25, 3), (1e20, 5)] {
                let case = Case::new(&KINDS[0], dtype, [2 * rows, columns]);
                let two = |matrix: &DynTensor| only("unflatten", args![matrix, 0, [2, rows as i64]]);
                let batch = &two(&case.matrix) * scale;
                let sides = two(&Case::new(&KINDS[0], dtype, [2 * rows, width]).matrix);
                let found = several("linalg.lstsq", args![&batch, &sides]);
                let inverse = only("linalg.pinv", args![&batch]);
                let expected = product(&[&inverse, &sides]);
                let off = largest(&(&found[0] - &expected));
                assert!(off <= 1e3 * case.within * largest(&expected), "{dtype} {rows} × {columns}: off by {off:e}");
                let ranks = found[2].to_scalars().expect("ranks");
                assert!(ranks.iter().all(|rank| rank.to_f64() == rows.min(columns) as f64), "{dtype} {rows} × {columns}: {ranks:?}");
                assert_eq!(found[2].dtype(), DType::I64);
            }
        }
        // A matrix that lost a rank, beside one that didn't.
        let whole = Case::new(&KINDS[0], dtype, [8, 4]).matrix;
        let first = |columns: i64| only("narrow", args![&whole, 1, 0, columns]);
        let lost = only("cat", args![vec![&first(3), &first(1)], 1]);
        let both = only("stack", args![vec![&whole, &lost]]);
        let found = several("linalg.lstsq", args![&both, &only("ones", args![[2, 8, 1]]).to_dtype(dtype).expect("a conversion")]);
        let ranks: Vec<f64> = found[2].to_scalars().expect("ranks").iter().map(|rank| rank.to_f64()).collect();
        assert_eq!(ranks, [4.0, 3.0], "{dtype}");
    }
}
