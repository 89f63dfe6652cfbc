//! Gradients of gradients: random programs of operations by name, of which a value goes into several, differentiated twice and compared with
//! differences of what they give. No operation here has a kink, because differences across one say nothing.

use latten::grad::{Tolerances, gradcheck, gradgradcheck};
use latten::prelude::*;
use latten::{Result, call};

use super::{Random, rounds};

/// What is made of a square and of something that stretches to one.
type Step = fn(&DynTensor, &DynTensor) -> Result<DynTensor>;

/// Of complex numbers, too.
const OF_ALL: [Step; 26] = [
    |x, y| Ok(x * y * 0.7),
    |x, y| Ok(x * 0.8 - y.sin() * 0.5),
    |x, y| Ok(x / (y * y.conj() + 2.0)),
    |x, y| Ok((x * 0.3).exp() * 0.5 + y * x),
    |x, y| call("addcmul", args![x, y, x, value = -0.4])?.tensor(),
    |x, y| call("addcdiv", args![x, y, &(x * x.conj() + 1.5), value = 0.6])?.tensor(),
    |x, y| call("lerp", args![x, &(x * 0.5 + y), 0.3])?.tensor(),
    |x, y| call("where", args![&mask()?, x, &(y * x)])?.tensor(),
    |x, y| call("masked_fill", args![&(x + y), &mask()?, 0.25])?.tensor(),
    |x, y| Ok(x.matmul(&(x * 0.2 + y)) * 0.4),
    |x, y| call("addmm", args![&(x * y), x, &x.transpose(0, 1)?, beta = 0.5, alpha = 0.3])?.tensor(),
    |x, y| call("einsum", args!["ij,kj->ki", [x, &(x + y)]])?.tensor().map(|product| product * 0.3),
    |x, y| Ok(call("cumsum", args![x, 1])?.tensor()? * 0.4 + y),
    |x, y| Ok(call("cumprod", args![&(x * 0.3 + 1.0), 0])?.tensor()? * y),
    |x, y| Ok(call("prod", args![&(x * 0.3 + 1.2), 0, true])?.tensor()? * x * y * 0.3),
    |x, y| Ok(call("flip", args![x, [0]])?.tensor()? * y),
    |x, y| Ok(call("roll", args![&(x * x), [1], [1]])?.tensor()? * 0.5 + y),
    |x, y| Ok(x.transpose(0, 1)? * 0.7 + x * y),
    |x, y| call("cat", args![[&(&x.narrow(1, 1, 2)? * 0.8), &(x * y).narrow(1, 0, 1)?], 1])?.tensor(),
    |x, y| Ok(call("index_select", args![x, 0, &places()?])?.tensor()? * 0.8 + y),
    |x, y| Ok(call("gather", args![&(x * y), 1, &call("expand", args![&places()?, [3, 3]])?.tensor()?])?.tensor()? * 0.9),
    |x, y| call("index_add", args![&(x * y), 1, &places()?, &(x * 0.3)])?.tensor(),
    |x, y| Ok(call("tril", args![x])?.tensor()? * y + call("diag_embed", args![&x.diagonal()])?.tensor()? * 0.2),
    |x, y| Ok(x - x.mean_along(kept(1))? * y),
    // In place: of a result, and of a part of one.
    |x, y| {
        let mut whole = x * 0.9;
        call("mul_", args![&mut whole, y])?;
        Ok(whole * 0.8)
    },
    |x, y| {
        let whole = x * 1.0;
        let mut row = whole.select(0, 1)?;
        call("mul_", args![&mut row, &x.select(1, 0)?])?;
        Ok(whole * 0.8 + y)
    },
];

/// Of real ones.
const OF_REAL: [Step; 24] = [
    |x, y| Ok(x.tanh() + y * 0.5),
    |x, y| Ok((x * 0.9 + y).sigmoid() * x),
    |x, y| Ok((x * x + y * y + 1.0).log() * x),
    |x, y| Ok((x * x + y * y + 0.7).sqrt() - y),
    |x, y| call("rsqrt", args![&(x * x + 0.8)])?.tensor().map(|roots| roots * y + x * 0.3),
    |x, y| call("atan2", args![x, &(y * y + 0.7)])?.tensor(),
    |x, y| call("hypot", args![&(x * x + 0.5), y])?.tensor().map(|far| far * 0.4),
    |x, y| call("logaddexp", args![x, y])?.tensor(),
    |x, y| call("xlogy", args![x, &(y * y + 0.6)])?.tensor(),
    |x, y| call("pow", args![&(x * x + 0.6), &(y * 0.5)])?.tensor(),
    |x, y| Ok(call("softmax", args![x, 1])?.tensor()? * 2.0 - y * x),
    |x, y| Ok(call("log_softmax", args![&(x + y), 0])?.tensor()? * 0.5),
    |x, y| Ok(x - x.logsumexp(kept(1))? * y),
    |x, y| Ok(call("logcumsumexp", args![x, 0])?.tensor()? * 0.5 + y),
    |x, y| Ok(call("gelu", args![x])?.tensor()? - call("softplus", args![y])?.tensor()? * 0.3),
    |x, y| Ok(call("silu", args![x])?.tensor()? * y + call("mish", args![x])?.tensor()? * 0.4),
    |x, y| Ok(call("erf", args![&(x * y)])?.tensor()? + call("lgamma", args![&(x * x + 1.3)])?.tensor()? * 0.3),
    |x, y| call("layer_norm", args![&(x + &distinct()?), [3]])?.tensor().map(|even| even * y),
    |x, y| Ok(x / (x + &distinct()?).std() * 0.5 + y),
    |x, y| Ok(x * call("linalg.norm", args![&(x + &distinct()?)])?.tensor()? * 0.1 + y),
    |x, y| call("linalg.solve", args![&(x * 0.2 + &wide()?), &(x + y)])?.tensor().map(|found| found * 2.0),
    |x, y| Ok(call("linalg.det", args![&(x * 0.2 + &wide()?)])?.tensor()? * 0.05 * x + y),
    |x, y| Ok(call("linalg.inv", args![&(x * 0.2 + &wide()?)])?.tensor()?.matmul(x) + y),
    |x, y| {
        let images = (x * y).reshape([1, 1, 3, 3])?;
        let kernel = x.narrow(0, 0, 2)?.narrow(1, 0, 2)?.reshape([1, 1, 2, 2])?;
        let padded = call("conv2d", args![&images, &kernel, padding = 1])?.tensor()?;
        call("avg_pool2d", args![&padded, 2, 1])?.tensor()?.reshape([3, 3]).map(|found| found.erase() * 0.8)
    },
];

fn mask() -> Result<DynTensor> {
    Ok(tensor![[true, false, true], [false, false, true], [true, true, false]].erase())
}

/// One place twice, another never.
fn places() -> Result<DynTensor> {
    Ok(tensor![2_i64, 0, 2].erase())
}

fn distinct() -> Result<DynTensor> {
    Ok(tensor![[0.0_f64, 3.0, -2.0], [1.0, -4.0, 2.5], [5.0, 0.5, -1.5]].erase())
}

/// What has an inverse, also with something small added to it.
fn wide() -> Result<DynTensor> {
    Ok(tensor![[4.0_f64, 0.5, 0.0], [-0.5, 5.0, 0.3], [0.0, 0.7, 6.0]].erase())
}

fn leaf(random: &mut Random, sizes: &[usize], dtype: DType) -> DynTensor {
    let count: usize = sizes.iter().product();
    let mut number = || random.below(2000) as f64 / 1000.0 - 1.0;
    let (re, im): (Vec<f64>, Vec<f64>) = (0..count).map(|_| (number(), number())).unzip();
    let [re, im] = [re, im].map(|numbers| Tensor::from(numbers).erase());
    let flat = if dtype == DType::C128 { call("complex", args![&re, &im]).and_then(|made| made.tensor()) } else { Ok(re) };
    let sizes: Vec<isize> = sizes.iter().map(|size| size.cast_signed()).collect();
    let made = flat.and_then(|flat| flat.reshape(&sizes[..])).expect("as many numbers").erase();
    let turned = sizes.len() == 2 && random.below(2) == 0;
    let made = if turned { made.transpose(0, 1).expect("two dimensions").clone().transpose(0, 1).expect("two").erase() } else { made };
    made.requiring_grad().expect("a leaf")
}

/// The last of the values, and a part of each that nothing took.
fn program(steps: &[(Step, usize, usize)], leaves: &[DynTensor]) -> Result<Vec<DynTensor>> {
    let mut squares = vec![leaves[0].alias()];
    for &(step, x, y) in steps {
        let other = if y < 2 { &leaves[1 + y] } else { &squares[(y - 2) % squares.len()] };
        let made = step(&squares[x % squares.len()], other)?;
        squares.push(made);
    }
    let whole = squares.iter().skip(1).fold(squares[0].sum() * 0.5, |sum, square| sum + (square * square * 0.25).sum());
    Ok(vec![squares.pop().expect("the leaf at least"), whole.erase()])
}

#[test]
fn gradients_of_gradients() {
    rounds("gradients of gradients", 60, |random| {
        let dtype = if random.below(3) == 0 { DType::C128 } else { DType::F64 };
        let all: Vec<Step> = if dtype == DType::C128 { OF_ALL.to_vec() } else { OF_ALL.into_iter().chain(OF_REAL).collect() };
        let leaves = [leaf(random, &[3, 3], dtype), leaf(random, &[3], dtype), leaf(random, &[3, 1], dtype)];
        let places: Vec<[usize; 3]> =
            (0..1 + random.below(4)).map(|_| [random.below(all.len()), random.below(5), random.below(6)]).collect();
        let steps: Vec<(Step, usize, usize)> = places.iter().map(|&[step, x, y]| (all[step], x, y)).collect();
        let function = |leaves: &[DynTensor]| program(&steps, leaves);
        for (what, check) in [
            ("once", gradcheck(function, &leaves, Tolerances::default())),
            ("twice", gradgradcheck(function, &leaves, Tolerances::default())),
        ] {
            assert!(check.is_ok(), "{what}, of {dtype}: {places:?}: {check:?}");
        }
    });
}
