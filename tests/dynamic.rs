//! Typed and dynamic tensors answer alike: 100,000 random programs run on both, and after each step dtype, sizes, strides, values or
//! the error's text are the same. What the compiler would refuse is an error of the run.

use std::collections::BTreeMap;

use latten::geometry::Geometry;
use latten::op;
use latten::prelude::*;
use latten::relations::{CastInto, PromoteThree, PromoteWith, SameDType, SubtractWith};
use latten::shape::{Broadcast, BroadcastInto, Wrapped, WrappedComplex};
use latten::{Device, MemoryFormat, RawTensor, Result, Scalar};

const PROGRAMS: u64 = 100_000;
const SEED: u64 = 20_260_121;

/// A step on the state of a program: two tensors and an output. Nothing where the types refuse it.
type Step = fn(&DynTensor, &DynTensor, &mut DynTensor) -> Option<Result<DynTensor>>;

/// A result, after a check that its type tells the truth.
fn known<E: Element, S: Shape>(tensor: Tensor<E, S>) -> DynTensor {
    assert!(E::KNOWN_DTYPE.is_none_or(|dtype| dtype == tensor.raw().dtype()), "{:?} isn't {:?}", tensor.raw().dtype(), E::KNOWN_DTYPE);
    assert!(S::admits(tensor.raw().sizes()), "{:?} isn't {}", tensor.raw().sizes(), S::describe());
    tensor.erase()
}

/// A way to call an operation on tensors of known types, where the bounds on the left dtype, the left shape and the right operand hold.
macro_rules! step {
    ($name:ident: [$($left:tt)*] [$($shape:tt)*] [$($right:tt)*] [$($size:tt)*] |$a:ident, $b:ident, $out:ident| $body:expr) => {
        mod $name {
            use super::*;

            pub(super) struct Probe<E, S, F, R>(std::marker::PhantomData<(E, S, F, R)>);

            #[allow(dead_code, reason = "a few steps are never refused")]
            pub(super) trait Refused {
                fn step(_: &DynTensor, _: &DynTensor, _: &mut DynTensor) -> Option<Result<DynTensor>> {
                    None
                }
            }

            impl<E, S, F, R> Refused for Probe<E, S, F, R> {}

            impl<E: Element $($left)*, S: Shape $($shape)*, F: Element $($right)*, R: Shape $($size)*> Probe<E, S, F, R> {
                #[allow(dead_code, reason = "no types let `sub_bool` through")]
                pub(super) fn step(a: &DynTensor, b: &DynTensor, $out: &mut DynTensor) -> Option<Result<DynTensor>> {
                    let mut $a: Tensor<E, S> = a.typed().expect("the left one's type");
                    let $b: Tensor<F, R> = b.typed().expect("the right one's type");
                    _ = (&mut $a, &$b, &$out);
                    Some($body)
                }
            }
        }
    };
}

/// The forms of a binary operation: new, in place, and into an output of a run-time dtype.
macro_rules! binary {
    ($($op:ident [$($pair:tt)*] [$($cast:tt)*] $new:ident $try_:ident, $place:ident $in_place:ident, $out:ident $into:ident;)+) => { $(
        step!($new: [+ PromoteWith<S::Level, R::Level, F, Output: op::$op> $($pair)*] [+ Broadcast<R>] [] [] |a, b, out| a.$try_(&b).map(known));
        step!($place: [+ PromoteWith<S::Level, R::Level, F, Output: op::$op $($cast)*> $($pair)*] [] [] [+ BroadcastInto<S>] |a, b, out| {
            a.$in_place(&b).map(|a| known(a.alias()))
        });
        step!($out: [+ PromoteWith<S::Level, R::Level, F, Output: op::$op<Output: CastInto<Any>>> $($pair)*] [+ Broadcast<R>] [] [] |a, b, out| {
            a.$into(&b, out).map(|()| out.alias())
        });
    )+ };
}

binary! {
    Add        []                   [<Output: CastInto<E>>] add_new try_add, add_place add_, add_into add_out;
    Sub        [+ SubtractWith<F>]  [<Output: CastInto<E>>] sub_new try_sub, sub_place sub_, sub_into sub_out;
    Mul        []                   [<Output: CastInto<E>>] mul_new try_mul, mul_place mul_, mul_into mul_out;
    Div        []                   [<Output: CastInto<E>>] div_new try_div, div_place div_, div_into div_out;
    Remainder  []                   [<Output: CastInto<E>>] remainder_new try_remainder, remainder_place remainder_, remainder_into remainder_out;
    Pow        []                   [<Output: CastInto<E>>] pow_new try_pow, pow_place pow_, pow_into pow_out;
    Maximum    []                   [<Output: CastInto<E>>] maximum_new try_maximum, maximum_place maximum_, maximum_into maximum_out;
    Lt         []                   []                      lt_new try_lt, lt_place lt_, lt_into lt_out;
    BitwiseAnd []                   [<Output: CastInto<E>>] and_new try_bitwise_and, and_place bitwise_and_, and_into bitwise_and_out;
}

/// Numbers of the four categories on the right of an operation, by the dtype that they count as.
macro_rules! numbers {
    ($($op:ident $try_:ident [$($pair:tt)*] $boolean:ident $integer:ident $float:ident $complex:ident;)+) => { $(
        numbers!(@ $boolean $op $try_ [$($pair)*] Wrapped bool, true);
        numbers!(@ $integer $op $try_ [$($pair)*] Wrapped i64, -2);
        numbers!(@ $float $op $try_ [$($pair)*] Wrapped f32, 2.5);
        numbers!(@ $complex $op $try_ [$($pair)*] WrappedComplex c64, Complex::new(1.5, -0.5));
    )+ };
    (@ $name:ident $op:ident $try_:ident [$($Pair:ident)?] $Level:ident $counts_as:ty, $number:expr) => {
        step!($name: [+ PromoteWith<S::Level, $Level, $counts_as, Output: op::$op> $(+ $Pair<$counts_as>)?] [] [] [] |a, b, out| {
            a.$try_($number).map(known)
        });
    };
}

numbers! {
    Sub try_sub [SubtractWith] sub_bool  sub_i64  sub_f32  sub_c64;
    Div try_div []             div_bool  div_i64  div_f32  div_c64;
    Eq  try_eq  []             eq_bool   eq_i64   eq_f32   eq_c64;
}

step!(number_divided: [+ PromoteWith<S::Level, Wrapped, f32, Output: op::Div>] [] [] [] |a, b, out| Ok(known(2.5 / &a)));
step!(number_scaled: [+ PromoteWith<S::Level, R::Level, F, Output: op::Add>] [+ Broadcast<R>] [] [] |a, b, out| a.try_add_with(&b, 3).map(known));

step!(exp_new: [+ op::Exp] [] [] [] |a, b, out| a.try_exp().map(known));
step!(exp_place: [+ op::Exp<Output: CastInto<E>>] [] [] [] |a, b, out| a.exp_().map(|a| known(a.alias())));
step!(exp_into: [+ op::Exp<Output: CastInto<Any>>] [] [] [] |a, b, out| a.exp_out(out).map(|()| out.alias()));
step!(neg_new: [+ op::Neg] [] [] [] |a, b, out| a.try_neg().map(known));
step!(abs_new: [+ op::Abs] [] [] [] |a, b, out| a.try_abs().map(known));
step!(not_place: [+ op::LogicalNot] [] [] [] |a, b, out| a.logical_not_().map(|a| known(a.alias())));
step!(round_new: [+ op::RoundDecimals] [] [] [] |a, b, out| a.try_round_decimals(1).map(known));

step!(clamp_new: [+ PromoteThree<(S::Level, R::Level, R::Level), F, F, Output: op::Clamp>] [+ Broadcast<R, Output: Broadcast<R>>] [] [] |a, b, out| {
    a.try_clamp(&b, &b).map(known)
});
step!(clamp_number: [+ PromoteThree<(S::Level, R::Level, Wrapped), F, i64, Output: op::Clamp>] [+ Broadcast<R, Output: Broadcast<()>>] [] [] |a, b, out| {
    a.try_clamp(&b, 1).map(known)
});
step!(addcmul_new: [+ PromoteThree<(S::Level, R::Level, R::Level), F, F, Output: op::Addcmul>] [+ Broadcast<R, Output: Broadcast<R>>] [] [] |a, b, out| {
    a.try_addcmul_with(&b, &b, 2).map(known)
});
step!(addcmul_place: [+ PromoteThree<(S::Level, R::Level, R::Level), F, F, Output: op::Addcmul<Output: CastInto<E>>>] [] [] [+ BroadcastInto<S>] |a, b, out| {
    a.addcmul_(&b, &b).map(|a| known(a.alias()))
});
step!(lerp_new: [+ op::Lerp] [+ Broadcast<R, Output: Broadcast<()>>] [+ SameDType<E>] [] |a, b, out| a.try_lerp(&b, 0.25).map(known));
step!(where_new: [+ PromoteWith<S::Level, R::Level, F>] [+ Broadcast<S, Output: Broadcast<R>>] [] [] |a, b, out| {
    let mask: Tensor<Any, S> = a.erase().isnan().typed().expect("the same shape");
    latten::try_where(&mask, &a, &b).map(known)
});

/// What a program's tensors look like, as far as types can say.
#[derive(Clone, Copy)]
enum Sizes {
    Fixed(&'static [usize]),
    Rank(usize),
    Unknown,
}

/// Two types of operands, and every step on them.
struct Combo {
    name: &'static str,
    lhs: (DType, Sizes),
    rhs: (DType, Sizes),
    steps: &'static [(&'static str, Step)],
}

/// Every step for two types, by name.
macro_rules! steps {
    ($($types:ty),+) => { steps!(@ [$($types),+]
        add_new add_place add_into sub_new sub_place sub_into mul_new mul_place mul_into div_new div_place div_into
        remainder_new remainder_place remainder_into pow_new pow_place pow_into maximum_new maximum_place maximum_into
        lt_new lt_place lt_into and_new and_place and_into
        sub_bool sub_i64 sub_f32 sub_c64 div_bool div_i64 div_f32 div_c64 eq_bool eq_i64 eq_f32 eq_c64
        number_divided number_scaled exp_new exp_place exp_into neg_new abs_new not_place round_new
        clamp_new clamp_number addcmul_new addcmul_place lerp_new where_new)
    };
    (@ $types:tt $($name:ident)+) => { &[$((stringify!($name), steps!(@one $types $name))),+] };
    (@one [$($types:ty),+] $name:ident) => {{
        #[allow(unused_imports, reason = "used where the types refuse the step")]
        use $name::Refused;
        <$name::Probe<$($types),+>>::step
    }};
}

/// Pairs of dtypes, and for each what the shapes are.
macro_rules! combos {
    ($($lhs:ident: $($rhs:ident $($shapes:ident)+);+.)+) => {
        vec![$($($(combos!(@ $shapes $lhs $rhs)),+),+),+]
    };
    (@ matrices $l:ident $r:ident) => { combos!(@@ $l $r Rank<2>, Sizes::Rank(2); Rank<2>, Sizes::Rank(2)) };
    (@ partly $l:ident $r:ident) => { combos!(@@ $l $r shape![2, 3], Sizes::Fixed(&[2, 3]); Rank<2>, Sizes::Rank(2)) };
    (@ sizes $l:ident $r:ident) => { combos!(@@ $l $r shape![2, 3], Sizes::Fixed(&[2, 3]); shape![3], Sizes::Fixed(&[3])) };
    (@ number_like $l:ident $r:ident) => { combos!(@@ $l $r Rank<2>, Sizes::Rank(2); (), Sizes::Fixed(&[])) };
    (@ grows $l:ident $r:ident) => { combos!(@@ $l $r (), Sizes::Fixed(&[]); Rank<1>, Sizes::Rank(1)) };
    (@ scalars $l:ident $r:ident) => { combos!(@@ $l $r (), Sizes::Fixed(&[]); (), Sizes::Fixed(&[])) };
    (@ unknown_left $l:ident $r:ident) => { combos!(@@ $l $r AnyShape, Sizes::Unknown; Rank<2>, Sizes::Rank(2)) };
    (@ unknown $l:ident $r:ident) => { combos!(@@ $l $r AnyShape, Sizes::Unknown; AnyShape, Sizes::Unknown) };
    (@@ $l:ident $r:ident $left:ty, $left_sizes:expr; $right:ty, $right_sizes:expr) => {
        Combo {
            name: concat!("Tensor<", stringify!($l), ", ", stringify!($left), "> and Tensor<", stringify!($r), ", ", stringify!($right), ">"),
            lhs: (<$l>::DTYPE, $left_sizes),
            rhs: (<$r>::DTYPE, $right_sizes),
            steps: steps!($l, $left, $r, $right),
        }
    };
}

/// Seven dtypes of all categories with each other, each pair with some kinds of shapes, and all kinds for each pair of categories.
fn typed() -> Vec<Combo> {
    combos! {
        bool: bool matrices number_like; u8 partly scalars; i32 sizes unknown; f16 partly number_like; f32 number_like grows; f64 scalars; c64 unknown_left unknown.
        u8: bool partly unknown_left; u8 matrices sizes; i32 sizes number_like; f16 grows; f32 scalars unknown_left; f64 matrices unknown_left; c64 sizes unknown.
        i32: bool partly sizes; u8 number_like; i32 grows scalars; f16 scalars unknown; f32 partly unknown_left; f64 number_like unknown; c64 matrices scalars.
        f16: bool number_like grows; u8 grows unknown_left; i32 matrices scalars; f16 sizes unknown_left; f32 grows unknown; f64 matrices unknown_left; c64 matrices partly.
        f32: bool grows unknown; u8 partly scalars; i32 number_like unknown_left; f16 scalars unknown; f32 matrices unknown; f64 partly; c64 sizes number_like.
        f64: bool sizes scalars; u8 grows unknown_left; i32 unknown_left unknown; f16 matrices; f32 partly sizes; f64 sizes grows; c64 number_like unknown_left.
        c64: bool scalars unknown_left; u8 unknown; i32 matrices partly; f16 partly number_like; f32 sizes scalars; f64 number_like unknown; c64 partly grows.
    }
}

/// The same steps where only the run knows anything.
const DYNAMIC: &[(&str, Step)] = steps!(Any, AnyShape, Any, AnyShape);

/// Random numbers, the same on every machine: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("small")
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Sizes that the type admits, and that often fit others.
    fn sizes(&mut self, known: Sizes) -> Vec<usize> {
        let rank = match known {
            Sizes::Fixed(sizes) => return sizes.to_vec(),
            Sizes::Rank(rank) => rank,
            Sizes::Unknown => self.below(4),
        };
        let mut sizes = [2, 2, 3][3 - rank..].to_vec();
        if rank == 2 || self.one_in(2) {
            sizes = [1, 2, 3][3 - rank..].to_vec();
        }
        for size in &mut sizes {
            match self.below(12) {
                0 | 1 => *size = 1,
                2 if self.one_in(4) => *size = 0,
                3 if self.one_in(4) => *size += 1,
                _ => {}
            }
        }
        sizes
    }

    fn number(&mut self) -> Scalar {
        const NUMBERS: [f64; 14] = [0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0, 7.0, -100.0, 300.0, 1e5, f64::NAN, f64::INFINITY, -0.0];
        Scalar::Float(NUMBERS[self.below(NUMBERS.len())])
    }

    /// Where the elements lie: densely in some order, apart, or several in one place.
    fn geometry(&mut self, sizes: &[usize]) -> Geometry {
        let mut geometry = Geometry::contiguous(sizes);
        let rank = sizes.len();
        match self.below(6) {
            0 if rank >= 2 => {
                let (mut step, mut order) = (1, (0..rank).collect::<Vec<_>>());
                order.rotate_left(self.below(rank));
                for dim in order {
                    geometry.strides[dim] = step;
                    step *= sizes[dim].max(1);
                }
            }
            1 if rank >= 1 => {
                geometry.strides.iter_mut().for_each(|stride| *stride *= 2);
                geometry.offset = 1;
            }
            2 if rank >= 1 => geometry.strides[self.below(rank)] = 0,
            _ => {}
        }
        geometry
    }
}

/// Numbers for tensors of programs.
struct Numbers(Vec<RawTensor>);

impl Numbers {
    /// More than the largest tensor needs, however its elements lie.
    const ROOM: usize = 80;

    fn new() -> Self {
        let mut random = Random(SEED);
        Self((0..200).map(|_| Self::vector(&mut random)).collect())
    }

    fn vector(random: &mut Random) -> RawTensor {
        let all = RawTensor::empty(&[Self::ROOM], &[1], DType::F64, Device::CPU).expect("room");
        for offset in 0..Self::ROOM {
            all.select(0, offset.cast_signed()).expect("an element").fill_(random.number()).expect("a number");
        }
        all
    }

    /// Two equal tensors in storages of their own.
    fn twins(&self, random: &mut Random, (dtype, sizes): (DType, Sizes)) -> [DynTensor; 2] {
        let sizes = random.sizes(sizes);
        let geometry = random.geometry(&sizes);
        let numbers = &self.0[random.below(self.0.len())];
        [(), ()].map(|()| {
            let numbers = numbers.clone_as(MemoryFormat::Preserve).and_then(|numbers| numbers.to_dtype(dtype)).expect("a conversion");
            DynTensor::from(RawTensor::over(numbers.storage().clone(), dtype, geometry.clone()).expect("room"))
        })
    }
}

/// All that is to be seen of a tensor, in which one bit pattern is one text.
fn seen(tensor: &DynTensor) -> String {
    let raw = tensor.raw();
    let dense = raw.clone_as(MemoryFormat::Contiguous).expect("a copy");
    let bytes = dense.storage().tolist().expect("bytes");
    format!("{} {:?} {:?} {bytes:?}", raw.dtype(), raw.sizes(), raw.strides())
}

fn outcome(result: &Result<DynTensor>) -> String {
    match result {
        Ok(tensor) => seen(tensor),
        Err(error) => format!("{error:?}"),
    }
}

/// One side of a program: the two operands and an output.
struct State([DynTensor; 3]);

impl State {
    fn pair(numbers: &Numbers, random: &mut Random, combo: &Combo) -> [Self; 2] {
        let [a, typed_a] = numbers.twins(random, combo.lhs);
        let [mut b, mut typed_b] = numbers.twins(random, combo.rhs);
        let out = (DType::COMPUTING[random.below(DType::COMPUTING.len())], Sizes::Unknown);
        let [out, typed_out] = numbers.twins(random, out);
        // Operands may be one tensor.
        if combo.lhs.0 == combo.rhs.0 && combo.name.matches("Rank<2>").count() == 2 && random.one_in(6) {
            (b, typed_b) = (a.alias(), typed_a.alias());
        }
        [Self([a, b, out]), Self([typed_a, typed_b, typed_out])]
    }

    fn run(&mut self, step: Step) -> Option<Result<DynTensor>> {
        let [a, b, out] = &mut self.0;
        step(a, b, out)
    }

    fn seen(&self) -> String {
        self.0.iter().map(seen).collect::<Vec<_>>().join("\n    ")
    }
}

/// What the programs have done, for the test to be sure that they did something.
#[derive(Default)]
struct Done {
    refused: u64,
    taken: BTreeMap<&'static str, u64>,
    succeeded: u64,
}

/// Runs a program on both sides; what differed, if anything did.
fn program(seed: u64, combos: &[Combo], numbers: &Numbers, done: &mut Done) -> Option<String> {
    let mut random = Random(seed);
    let combo = &combos[random.below(combos.len())];
    let [mut dynamic, mut typed] = State::pair(numbers, &mut random, combo);
    let start = dynamic.seen();
    for _ in 0..=random.below(3) {
        let at = random.below(combo.steps.len());
        let (name, step) = combo.steps[at];
        let (found, expected) = match (dynamic.run(DYNAMIC[at].1), typed.run(step)) {
            (Some(found), Some(expected)) => (found, expected),
            (Some(Ok(found)), None) => {
                return Some(format!("{name} doesn't compile, but gives {}\n  for {}\n    {start}", seen(&found), combo.name));
            }
            (None, Some(_)) => return Some(format!("{name} compiles for {}, but not for `DynTensor`", combo.name)),
            // What types refuse, the run does too; a few things even where one operand's dtype isn't known.
            (_, None) => {
                done.refused += 1;
                continue;
            }
        };
        *done.taken.entry(name).or_default() += 1;
        done.succeeded += u64::from(expected.is_ok());
        let (found, expected) = (outcome(&found), outcome(&expected));
        if found != expected || dynamic.seen() != typed.seen() {
            return Some(format!("{name}: dynamic {found}\n  typed {expected}\n  for {}\n    {start}", combo.name));
        }
    }
    None
}

#[test]
fn typed_and_dynamic_programs_give_the_same() {
    let (combos, numbers, mut done, mut failures) = (typed(), Numbers::new(), Done::default(), Vec::new());
    for i in 0..PROGRAMS {
        if let Some(failure) = program(SEED.wrapping_add(i << 20), &combos, &numbers, &mut done) {
            failures.push(format!("program {i}: {failure}"));
        }
    }
    assert!(failures.is_empty(), "{} of {PROGRAMS} programs differ:\n{}", failures.len(), failures[..failures.len().min(5)].join("\n"));
    // `bool` is the only number that no tensor may subtract.
    let untried: Vec<_> =
        DYNAMIC.iter().filter(|(name, _)| done.taken.get(name).is_none_or(|&times| times < 50)).map(|(name, _)| name).collect();
    assert_eq!(untried, [&"sub_bool"], "steps that the types hardly ever let through");
    assert!(done.refused > PROGRAMS / 20 && done.succeeded > PROGRAMS / 2, "refused {}, succeeded {}", done.refused, done.succeeded);
}
