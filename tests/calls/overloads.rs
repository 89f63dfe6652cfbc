//! Several operations under one name: which one a call is, and what is said where it is none, as PyTorch 2.15 has it.

use latten::by_name::Arguments;
use latten::prelude::*;
use latten::{args, call};

use super::shown;

/// What PyTorch 2.15 says where no overload of a name takes the arguments, which are those of `marked` kinds where it says so of one.
fn refusal(name: &str, got: &str, marked: &str, overloads: &[&str]) -> String {
    let mut text = format!("{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n");
    for overload in overloads {
        let (overload, why) = overload.strip_suffix('!').map_or((*overload, false), |overload| (overload, true));
        text += &format!(" * ({overload})\n");
        if why {
            text += &format!("      didn't match because some of the arguments have invalid types: ({marked})\n");
        }
    }
    text
}

const BOTH: &[&str] = &["Tensor input, Tensor other, *, Tensor out = None", "Tensor input, Number other, *, Tensor out = None"];
const IN_FRONT: &[&str] = &[BOTH[0], "Number self, Tensor other, *, Tensor out = None", BOTH[1]];
const NEW_IN_FRONT: &[&str] = &[BOTH[0], "Number self, Tensor other!", BOTH[1]];
const POWERS: &[&str] = &[
    "Tensor input, Tensor exponent, *, Tensor out = None",
    "Number self, Tensor exponent, *, Tensor out = None",
    "Tensor input, Number exponent, *, Tensor out = None",
];
const QUOTIENTS: &[&str] = &[BOTH[0], "Tensor input, Number other!"];
const ROUNDED: &[&str] = &[
    BOTH[0],
    "Tensor input, Tensor other, *, str rounding_mode, Tensor out = None",
    "Tensor input, Number other!",
    "Tensor input, Number other, *, str rounding_mode",
];
const ROUNDED_ONLY: &[&str] = &[ROUNDED[0], ROUNDED[1], ROUNDED[3]];
const DIFFERENCES: &[&str] =
    &["Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None", "Tensor input, Number other, Number alpha = 1"];
const DIFFERENCES_OF_THREE: &[&str] = &[DIFFERENCES[0], "Tensor input, Number other, Number alpha = 1!"];
const REVERSED: &[&str] = &["Tensor input, Tensor other, *, Number alpha = 1", DIFFERENCES[1]];
const CHOICES: &[&str] = &[
    "Tensor condition",
    "Tensor condition, Tensor input, Tensor other, *, Tensor out = None",
    "Tensor condition, Number self, Tensor other",
    "Tensor condition, Tensor input, Number other",
    "Tensor condition, Number self, Number other",
];
const DIMS: &str = "Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None";
const SUMS: &[&str] = &["Tensor input, *, torch.dtype dtype = None", DIMS];
const MEANS: &[&str] = &["Tensor input, *, torch.dtype dtype = None, Tensor out = None", DIMS];
const PRODUCTS: &[&str] = &[SUMS[0], "Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None"];
const TRUTHS: &[&str] = &[
    "Tensor input, *, Tensor out = None",
    "Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None",
    "Tensor input, int dim, bool keepdim = False, *, Tensor out = None",
];
const SPREADS: &[&str] = &[
    "Tensor input, tuple of ints dim, bool unbiased = True, bool keepdim = False, *, Tensor out = None",
    "Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None",
    "Tensor input, bool unbiased = True!",
];
const EXTREMES: &[&str] = &[TRUTHS[0], BOTH[0], "Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None"];
const COUNTS: &[&str] = &["Tensor input, int dim = None!", "Tensor input, tuple of ints dim!"];
const CLAMPS: &[&str] = &[
    "Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None",
    "Tensor input, Number min = None, Number max = None, *, Tensor out = None",
];
const CLAMPS_BELOW: &[&str] = &["Tensor input, Tensor min, *, Tensor out = None", "Tensor input, Number min, *, Tensor out = None"];
const LERPS: &[&str] =
    &["Tensor input, Tensor end, Tensor weight, *, Tensor out = None", "Tensor input, Tensor end, Number weight, *, Tensor out = None"];

#[test]
fn overloads_are_listed_as_pytorch_lists_them() {
    let x = Tensor::from([1.0_f32, 2.0]);
    let cases: Vec<(&str, Arguments<'_>, &str, &str, &[&str])> = vec![
        ("pow", args![&x, "a"], "Tensor, str", "", POWERS),
        ("pow", args!["a", &x], "str, Tensor", "", POWERS),
        ("pow", args![2, 3], "int, int", "", POWERS),
        ("pow", args![&x], "Tensor", "", POWERS),
        ("remainder", args![&x, "a"], "Tensor, str", "!Tensor!, !str!", NEW_IN_FRONT),
        ("remainder", args![2, "a"], "int, str", "!int!, !str!", NEW_IN_FRONT),
        ("remainder", args![&x, [1]], "Tensor, list", "!Tensor!, !list of [int]!", NEW_IN_FRONT),
        ("bitwise_and", args![&x, "a"], "Tensor, str", "!Tensor!, !str!", NEW_IN_FRONT),
        ("bitwise_left_shift", args![2, "a"], "int, str", "!int!, !str!", NEW_IN_FRONT),
        ("xlogy", args![&x, "a"], "Tensor, str", "", IN_FRONT),
        ("eq", args![&x, "a"], "Tensor, str", "", BOTH),
        ("eq", args![2, &x], "int, Tensor", "", BOTH),
        ("fmod", args![&x, "a"], "Tensor, str", "", BOTH),
        ("copysign", args![&x], "Tensor", "", BOTH),
        ("divide", args![&x, "a"], "Tensor, str", "Tensor, !str!", ROUNDED),
        ("divide", args![2, "a"], "int, str", "!int!, !str!", ROUNDED),
        ("div", args![&x], "Tensor", "", ROUNDED_ONLY),
        ("true_divide", args![&x, [1]], "Tensor, list", "Tensor, !list of [int]!", QUOTIENTS),
        ("multiply", args![&x, "a"], "Tensor, str", "Tensor, !str!", QUOTIENTS),
        ("floor_divide", args![&x, "a"], "Tensor, str", "Tensor, !str!", QUOTIENTS),
        ("subtract", args![&x, "a"], "Tensor, str", "", DIFFERENCES),
        ("subtract", args![&x, &x, 2], "Tensor, Tensor, int", "Tensor, !Tensor!, !int!", DIFFERENCES_OF_THREE),
        ("subtract", args![&x, 1, "a"], "Tensor, int, str", "Tensor, !int!, !str!", DIFFERENCES_OF_THREE),
        ("rsub", args![2, &x], "int, Tensor", "", REVERSED),
        ("where", args![&x, &x], "Tensor, Tensor", "", CHOICES),
        ("sum", args![&x, "a"], "Tensor, str", "", SUMS),
        ("mean", args![&x, "a"], "Tensor, str", "", MEANS),
        ("prod", args![&x, "a"], "Tensor, str", "", PRODUCTS),
        ("prod", args![&x, [0]], "Tensor, list", "", PRODUCTS),
        ("any", args![&x, "a"], "Tensor, str", "", TRUTHS),
        ("all", args![&x, "a"], "Tensor, str", "", TRUTHS),
        ("mean", args![&x, "a", "b"], "Tensor, str, str", "", MEANS),
        ("any", args![&x, "a", true, "b"], "Tensor, str, bool, str", "", TRUTHS),
        ("std", args![&x, "a"], "Tensor, str", "Tensor, !str!", SPREADS),
        ("var", args![&x, "a"], "Tensor, str", "Tensor, !str!", SPREADS),
        ("max", args![&x, "a"], "Tensor, str", "", EXTREMES),
        ("min", args![&x, "a"], "Tensor, str", "", EXTREMES),
        ("count_nonzero", args![&x, "a"], "Tensor, str", "Tensor, !str!", COUNTS),
        ("clamp", args![&x, "a"], "Tensor, str", "", CLAMPS),
        ("clip", args![&x, &x, 2], "Tensor, Tensor, int", "", CLAMPS),
        ("clamp_min", args![&x, "a"], "Tensor, str", "", CLAMPS_BELOW),
        ("lerp", args![&x, &x, "a"], "Tensor, Tensor, str", "", LERPS),
    ];
    for (name, arguments, got, marked, overloads) in cases {
        let said = call(name, arguments).map(|outcome| format!("{outcome:?}"));
        assert_eq!(said.unwrap_or_else(|error| error.to_string()), refusal(name, got, marked, overloads), "{name}");
    }
}

/// As PyTorch 2.15 computes them: a number stands for a tensor where it does there, and `alpha` needs no name behind a number.
#[test]
fn overloads_of_arithmetic_are_told_apart() {
    let (x, chosen) = (Tensor::from([1.0_f32, 2.0]), Tensor::from([true, false]));
    for (name, arguments, expected) in [
        ("divide", args![2, &x], "tensor([2., 1.])"),
        ("divide", args![&x, 2, rounding_mode = "floor"], "tensor([0., 1.])"),
        ("div", args![&x, 2, rounding_mode = ()], "tensor([0.5000, 1.0000])"),
        ("multiply", args![2, 3], "tensor(6)"),
        ("floor_divide", args![2, &x], "tensor([2., 1.])"),
        ("subtract", args![&x, 1, 2], "tensor([-1.,  0.])"),
        ("subtract", args![2, &x, alpha = 2], "tensor([ 0., -2.])"),
        ("rsub", args![&x, 1, 2], "tensor([-1., -3.])"),
        ("where", args![&chosen, 1, 2], "tensor([1, 2])"),
        ("where", args![&chosen, &x, 2], "tensor([1., 2.])"),
        ("where", args![&chosen, 1, &x], "tensor([1., 2.])"),
    ] {
        assert_eq!(shown(call(name, arguments)), expected, "{name}");
    }
    let places = call("where", args![&Tensor::from([[true, false], [true, true]])]).and_then(latten::Outcome::tensors).expect("places");
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    assert_eq!(places, ["tensor([0, 1, 1])", "tensor([0, 0, 1])"]);
    assert_eq!(
        call("where", args![&Tensor::from(true)]).and_then(latten::Outcome::tensors).expect("a place")[0].to_string(),
        "tensor([0])"
    );
    let mut out = Tensor::from([0.0_f32, 0.0]).erase();
    call("divide", args![&x, 2, rounding_mode = "floor", out = &mut out]).expect("a quotient");
    assert_eq!(out.to_string(), "tensor([0., 1.])");
    call("multiply_", args![&mut out, 3]).expect("a product");
    assert_eq!(out.to_string(), "tensor([0., 3.])");
}

#[test]
fn overloads_of_reductions_are_told_apart() {
    let x = Tensor::from([1.0_f32, 2.0]);
    for (name, arguments, expected) in [
        ("std", args![&x, true], "tensor(0.7071)"),
        ("std", args![&x, false], "tensor(0.5000)"),
        ("var", args![&x, 0, false], "tensor(0.2500)"),
        ("std", args![&x, (), true], "tensor(0.7071)"),
        ("std", args![&x, 0, true, true], "tensor([0.7071])"),
        ("std", args![&x, correction = 0], "tensor(0.5000)"),
        ("sum", args![&x, ()], "tensor(3.)"),
        ("sum", args![&x, dtype = DType::I64], "tensor(3)"),
        ("prod", args![&x, 0, true], "tensor([2.])"),
        ("max", args![&x, 2], "Dimension out of range (expected to be in range of [-1, 0], but got 2)"),
        ("max", args![&x, &x], "tensor([1., 2.])"),
        ("linalg_vector_norm", args![&x], "tensor(2.2361)"),
        ("linalg_vector_norm", args![&x, 1], "tensor(3.)"),
        ("linalg_vector_norm", args![&x, 3, 0, true], "tensor([2.0801])"),
        ("linalg_vector_norm", args![&x, "a"], "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str"),
    ] {
        assert_eq!(shown(call(name, arguments)), expected, "{name}");
    }
}
