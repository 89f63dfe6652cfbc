//! Dimensions that go, turn and shrink: what types know of them stays known.

use latten::prelude::*;

/// One column, of any number of rows.
fn column<N: Dim>(x: &Tensor<f32, shape![<N>, 1]>) -> Tensor<f32, (N,)> {
    x.squeeze(axis::<-1>())
}

#[test]
fn squeeze_is_told_which() -> Result<()> {
    let x = tensor![[[1.0], [3.0]]];
    let one: Tensor<f32, shape![1, 2]> = x.squeeze(axis::<2>());
    let both: Tensor<f32, shape![2]> = x.squeeze(axes![0, -1]);
    let all: Tensor<f32, Any> = x.squeeze(..);
    let looked_at: Result<Tensor<f32, Any>> = x.squeeze(-1);
    let row: Tensor<f32, Rank<1>> = x.squeeze([0, 2])?.to_shape()?;
    assert_eq!((one.to_vec(), both.to_vec(), all.sizes(), looked_at?.sizes()), (vec![1.0, 3.0], vec![1.0, 3.0], &[2][..], &[1, 2][..]));
    assert_eq!((row.to_vec(), column(&both.unsqueeze(axis::<1>())).to_vec()), (vec![1.0, 3.0], vec![1.0, 3.0]));
    assert_eq!(
        (x.squeeze(1)?.sizes(), x.squeeze(())?.sizes(), x.erase().squeeze(0)?.sizes()),
        (&[1, 2, 1][..], &[1, 2, 1][..], &[2, 1][..])
    );
    let refused = x.squeeze(3).expect_err("there are three");
    assert_eq!(refused.message(), "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    // A parameter that is 1 goes as well as a 1 that is written.
    let parameter: Tensor<f32, shape![2]> = Tensor::from([[1.0_f32], [2.0]]).squeeze(axis::<1>());
    assert_eq!(parameter.to_vec(), [1.0, 2.0]);
    Ok(())
}
