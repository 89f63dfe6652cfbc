//! Sizes, strides, offsets and amounts at the ends of what there can be: an answer or an error, and never a panic, an abort or a call
//! that doesn't come back. Most views here have more elements than any memory; memory that is refused is in `allocation.rs`.

use latten::indexing::Padding;
use latten::prelude::*;
use latten::{Coalesced, RawSparse, RawTensor, Result};

fn zeros(count: usize) -> DynTensor {
    DynTensor::zeros([count], DType::F32).expect("a few zeros")
}

/// What an outcome is called where it is compared.
fn text<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|error| error.message().to_owned(), |_| "fine".to_owned())
}

/// Compares what calls say with what they are to say; all that differ are shown.
fn check(table: &[(&str, String, &str)]) {
    let wrong: Vec<_> = table.iter().filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "call, what it says, what it is to say: {wrong:#?}");
}

/// Views that repeat elements never have more of them than can be counted.
#[test]
fn views_have_no_more_elements_than_can_be_counted() -> Result<()> {
    const TOO_MANY: &str = "numel: integer multiplication overflow";
    let windows = zeros(1 << 21).unfold(0, 1 << 20, 1)?.unfold(0, 1 << 19, 1)?;
    let wide = zeros(1).expand([1_isize << 62])?;
    let pairs = DynTensor::zeros([1], DType::C64)?.expand([1_isize << 62])?;
    check(&[
        ("windows of windows of windows", text(windows.unfold(0, 1 << 18, 1)), TOO_MANY),
        ("twice as many", text(wide.expand([2_isize, 1 << 62])), TOO_MANY),
        ("windows", text(wide.unfold(0, 1_isize << 61, 1)), TOO_MANY),
        ("real and imaginary parts", text(pairs.try_view_as_real()), TOO_MANY),
        ("bytes", text(wide.unsqueeze(1)?.view_dtype(DType::U8)), TOO_MANY),
    ]);
    Ok(())
}

/// Strides and offsets of tensors that have one element, or none, lead nowhere, however large they are.
#[test]
fn strides_and_offsets_that_lead_nowhere_are_never_followed() -> Result<()> {
    let x = zeros(4);
    let (far, none) = (x.as_strided([1], [isize::MAX])?, x.as_strided_with([0], [1], isize::MAX)?);
    let matrix = x.as_strided([1, 1], [isize::MAX, isize::MAX])?;
    let zero = Tensor::from([0_i64]).erase();
    check(&[
        ("dot", text(far.try_matmul(&far)), "fine"),
        ("mm", text(matrix.try_matmul(&matrix)), "fine"),
        ("mv", text(matrix.try_matmul(&far)), "fine"),
        ("unique of one", text(far.try_unique()), "fine"),
        ("unique of none", text(none.try_unique()), "fine"),
        ("sort", text(far.sort(0)), "fine"),
        ("flip", text(far.flip([0])), "fine"),
        ("gather", text(far.gather(0, &zero)), "fine"),
        ("index_select", text(far.index_select(0, &zero)), "fine"),
        ("nonzero of one", text(far.try_nonzero()), "fine"),
        ("nonzero of none", text(none.try_nonzero()), "fine"),
        ("pad of none", text(none.pad([1, 1])), "fine"),
        ("a copy of none", text(none.try_add(1)), "fine"),
        ("text", text(Ok(far.to_string())), "fine"),
    ]);
    Ok(())
}

/// Amounts of padding that no memory has room for, and ones that take more away than there is.
#[test]
fn amounts_of_padding_may_be_any_numbers() -> Result<()> {
    let x = zeros(12).view([1, 3, 4])?;
    let modes = [Padding::Constant(Scalar::Int(0)), Padding::Reflect, Padding::Replicate, Padding::Circular];
    let ends = [isize::MIN, isize::MIN + 1, isize::MIN / 2, -4, isize::MAX / 2, isize::MAX - 1, isize::MAX];
    for mode in modes {
        for before in ends {
            for behind in ends {
                let outcome = x.pad_with([before, behind], mode);
                assert!(outcome.is_err(), "{mode:?} by {before} and {behind} gives {:?}", outcome.map(|padded| padded.sizes().to_vec()));
            }
        }
    }
    Ok(())
}

/// Coordinates may change after a sparse tensor was made of them: then they are looked at where they are used.
#[test]
fn coordinates_that_changed_are_looked_at_again() -> Result<()> {
    for outside in [-1_i64, 3] {
        let indices = RawTensor::from_vec(vec![0_i64, 2], &[1, 2])?;
        let values = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?;
        let sparse = RawSparse::new(&indices, &values, Some(&[3]), Coalesced::Unknown)?;
        indices.narrow(1, 0, 1)?.fill_(outside)?;
        let dense = RawTensor::from_vec(vec![0.0_f32; 3], &[3])?;
        let expected = format!("index {outside} is out of bounds for dimension 0 with size 3");
        check(&[
            ("to_dense", text(sparse.to_dense()), &expected),
            ("add to a dense tensor", text(sparse.add_to_dense_in_place(&mut dense.clone(), Scalar::Int(1))), &expected),
        ]);
        assert_eq!(dense.scalars()?, [Scalar::Float(0.0); 3], "after a refused sum");
    }
    Ok(())
}

/// Text stays short where elements are shown from the ends of many dimensions, and needs no stack for them.
#[test]
fn text_of_many_dimensions_stays_short() -> Result<()> {
    let deep = vec![1_isize; 100_000];
    let table = [
        ("many dimensions of 1", zeros(1).view(&deep[..])?.to_string()),
        ("many dimensions", zeros(1).expand(&[7_isize; 20][..])?.to_string()),
        ("many dimensions that are shown whole", zeros(1).expand(&[2_isize; 40][..])?.to_string()),
    ];
    for (what, text) in table {
        assert!(
            text.starts_with("tensor(...,") && text.contains("size=(") && text.len() < 400_000,
            "{what}: {} characters: {:.60}",
            text.len(),
            text
        );
    }
    // What PyTorch prints whole stays whole.
    let seven = zeros(1).expand([7_isize; 5])?.to_string();
    assert_eq!(seven.matches("0.").count(), 6_usize.pow(5), "seven times five");
    Ok(())
}

/// Results that no address space holds, of operands that cost nothing: errors, whatever would have to be made beside the result, too.
#[test]
fn results_that_no_memory_holds_are_errors() -> Result<()> {
    const MANY: isize = 1 << 52;
    let row = DynTensor::zeros([0, MANY.cast_unsigned()], DType::F32)?;
    let (wide, one) = (zeros(1).expand([MANY])?, zeros(1));
    let places = DynTensor::zeros([1], DType::I64)?.expand([MANY])?;
    let ones = DynTensor::ones([1], DType::F32)?.expand([MANY])?;
    let asked = [
        ("sum along nothing", row.sum_along([0]).map(drop)),
        ("a product along nothing", row.prod_along([0]).map(drop)),
        ("index_select", one.index_select(0, &places).map(drop)),
        ("gather", one.gather(0, &places).map(drop)),
        ("a copy", wide.try_add(1).map(drop)),
        ("a running sum", wide.cumsum(0).map(drop)),
        ("sort", wide.sort(0).map(drop)),
        ("a list", wide.to_vec_of::<f32>().map(drop)),
        ("views", wide.unbind(0).map(drop)),
        ("repeat", ones.repeat([3]).map(drop)),
    ];
    let wrong: Vec<_> = asked
        .into_iter()
        .map(|(what, outcome)| (what, text(outcome)))
        .filter(|(_, text)| !["memory", "not enough", "Storage size calculation overflowed"].iter().any(|known| text.contains(known)))
        .collect();
    assert!(wrong.is_empty(), "call and what it says: {wrong:#?}");
    Ok(())
}
