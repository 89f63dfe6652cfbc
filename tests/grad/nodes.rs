//! Names of nodes that depend on the overload, on sizes or on strides, as PyTorch has them.

use latten::prelude::*;
use latten::{Result, call};

fn leaf(sizes: &[isize]) -> Result<DynTensor> {
    Tensor::<f64>::ones(sizes)?.requiring_grad().map(|leaf| leaf.erase())
}

fn node(result: &DynTensor) -> String {
    result.grad_fn().unwrap_or_default().to_string()
}

#[test]
fn one_dimension_and_a_list_of_one_are_squeezed_by_two_overloads() -> Result<()> {
    let x = leaf(&[1, 2, 1])?;
    let changed = |dims: Option<&[isize]>| -> Result<String> {
        let mut y = &x * 1.0;
        match dims {
            None => call("squeeze_", args![&mut y])?,
            Some(&[]) => call("squeeze_", args![&mut y, 0])?,
            Some(dims) => call("squeeze_", args![&mut y, dims])?,
        };
        Ok(node(&y))
    };
    let names = [
        node(&call("squeeze", args![&x])?.tensor()?),
        node(&call("squeeze", args![&x, 0])?.tensor()?),
        node(&call("squeeze", args![&x, dim = 0])?.tensor()?),
        node(&call("squeeze", args![&x, [0]])?.tensor()?),
        node(&call("squeeze", args![&x, [0, 2]])?.tensor()?),
        node(&call("squeeze_copy", args![&x, 0])?.tensor()?),
        node(&call("squeeze_copy", args![&x, [0]])?.tensor()?),
        node(&x.squeeze(0)?.erase()),
        node(&x.squeeze([0, 2])?.erase()),
        node(&x.squeeze(..).erase()),
        changed(None)?,
        changed(Some(&[]))?,
        changed(Some(&[0]))?,
    ];
    let expected = ["0", "1", "1", "2", "2", "1_copy", "2_copy", "1", "2", "0", "3", "4", "5"];
    assert_eq!(names.to_vec(), expected.map(|number| format!("SqueezeBackward{number}")));
    Ok(())
}

#[test]
fn products_and_distances_are_named_by_their_last_part() -> Result<()> {
    type Sizes = &'static [isize];
    let rows: [(Sizes, Sizes, Option<Sizes>, &str); 14] = [
        (&[3], &[4, 3], None, "SqueezeBackward4"),
        (&[3], &[4, 3], Some(&[4]), "UnsafeViewBackward0"),
        (&[3], &[3], None, "DotBackward0"),
        (&[5, 3], &[3], None, "MvBackward0"),
        (&[2, 5, 3], &[3], None, "UnsafeViewBackward0"),
        (&[2, 5, 3], &[4, 3], None, "UnsafeViewBackward0"),
        (&[2, 5, 3], &[4, 3], Some(&[4]), "UnsafeViewBackward0"),
        (&[2, 5, 3], &[4, 3], Some(&[1, 4]), "UnsafeViewBackward0"),
        (&[2, 5, 3], &[4, 3], Some(&[1, 1]), "AddBackward0"),
        (&[2, 5, 3], &[4, 3], Some(&[5, 4]), "AddBackward0"),
        (&[2, 5, 3], &[3], Some(&[]), "AddBackward0"),
        (&[3], &[3], Some(&[]), "AddBackward0"),
        (&[5, 3], &[4, 3], None, "MmBackward0"),
        (&[5, 3], &[4, 3], Some(&[4]), "AddmmBackward0"),
    ];
    for (input, weight, bias, name) in rows {
        let (x, w) = (leaf(input)?, leaf(weight)?);
        let y = match bias {
            Some(bias) => call("linear", args![&x, &w, &leaf(bias)?])?.tensor()?,
            None => call("linear", args![&x, &w])?.tensor()?,
        };
        assert_eq!(node(&y), name, "linear of {input:?}, {weight:?} and {bias:?}");
    }
    let turned = leaf(&[5, 2, 3])?.transpose(0, 1)?.erase();
    assert_eq!(node(&call("linear", args![&turned, &leaf(&[4, 3])?, &leaf(&[4])?])?.tensor()?), "AddBackward0");

    for (x, y, p, mode, name) in [
        ([5_isize, 2], [6_isize, 2], 2.0, "use_mm_for_euclid_dist_if_necessary", "CdistBackward0"),
        ([30, 2], [6, 2], 2.0, "use_mm_for_euclid_dist_if_necessary", "ViewBackward0"),
        ([5, 2], [6, 2], 2.0, "use_mm_for_euclid_dist", "ViewBackward0"),
        ([30, 2], [6, 2], 1.0, "use_mm_for_euclid_dist", "CdistBackward0"),
        ([30, 2], [6, 2], 2.0, "donot_use_mm_for_euclid_dist", "CdistBackward0"),
        ([0, 2], [6, 2], 2.0, "use_mm_for_euclid_dist", "CdistBackward0"),
    ] {
        assert_eq!(node(&call("cdist", args![&leaf(&x)?, &leaf(&y)?, p, mode])?.tensor()?), name, "{x:?} {p} {mode}");
    }
    let x = leaf(&[2])?;
    for (name, made) in [("__radd__", "AddBackward0"), ("__rmul__", "MulBackward0")] {
        assert_eq!(node(&call(name, args![&x, 2.0])?.tensor()?), made, "{name}");
    }
    let sizes: [(&[isize], &[isize]); 4] = [(&[2, 2], &[2, 3]), (&[3], &[2]), (&[], &[2, 2]), (&[3, 1], &[1, 3])];
    for (x, y) in sizes {
        assert_eq!(node(&call("kron", args![&leaf(x)?, &leaf(y)?])?.tensor()?), "UnsafeViewBackward0", "{x:?} {y:?}");
    }
    Ok(())
}

#[test]
fn a_number_among_two_operands_is_another_overload() -> Result<()> {
    let (x, y) = (leaf(&[2])?, leaf(&[2])?);
    let plain = Tensor::<f64>::ones([2])?.erase();
    for (name, numbers) in [("special.zeta", "SpecialZetaBackward"), ("special.xlog1py", "SpecialXlog1PyBackward")] {
        assert_eq!(node(&call(name, args![&plain, &x])?.tensor()?), format!("{numbers}0"), "{name} of a leaf");
        assert_eq!(node(&call(name, args![&x, &y])?.tensor()?), format!("{numbers}0"), "{name} of two leaves");
        assert_eq!(node(&call(name, args![2, &x])?.tensor()?), format!("{numbers}1"), "{name} of a number and a tensor");
        assert_eq!(node(&call(name, args![&x, 2])?.tensor()?), format!("{numbers}2"), "{name} of a tensor and a number");
    }
    Ok(())
}
