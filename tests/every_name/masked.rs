//! `torch.masked`: of what a mask leaves. These have no methods.

use latten::prelude::*;

#[test]
fn masked() -> Result<()> {
    let (x, m) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[true, false, true], [true, true, false]]);

    _ = call("masked.amax", args![&x, 1, mask = &m])?.tensor()?; // masked.amax
    _ = call("masked.amin", args![&x, 1, mask = &m])?.tensor()?; // masked.amin
    _ = call("masked.argmax", args![&x, 1, mask = &m])?.tensor()?; // masked.argmax
    _ = call("masked.argmin", args![&x, 1, mask = &m])?.tensor()?; // masked.argmin
    _ = call("masked.cumprod", args![&x, 1, mask = &m])?.tensor()?; // masked.cumprod
    _ = call("masked.cumsum", args![&x, 1, mask = &m])?.tensor()?; // masked.cumsum
    _ = call("masked.log_softmax", args![&x, -1, mask = &m])?.tensor()?; // masked.log_softmax
    _ = call("masked.logaddexp", args![&x, &x, input_mask = &m, other_mask = &m])?.tensor()?; // masked.logaddexp
    _ = call("masked.logsumexp", args![&x, 1, mask = &m])?.tensor()?; // masked.logsumexp
    _ = call("masked.mean", args![&x, 1, mask = &m])?.tensor()?; // masked.mean
    _ = call("masked.mean", args![&x, mask = &m])?.tensor()?; // masked.mean
    _ = call("masked.median", args![&x, 1, mask = &m])?.tensor()?; // masked.median
    _ = call("masked.norm", args![&x, 2, 1, mask = &m])?.tensor()?; // masked.norm
    _ = call("masked.normalize", args![&x, 2, 1, mask = &m])?.tensor()?; // masked.normalize
    _ = call("masked.prod", args![&x, 1, mask = &m])?.tensor()?; // masked.prod
    _ = call("masked.softmax", args![&x, -1, mask = &m])?.tensor()?; // masked.softmax
    _ = call("masked.softmin", args![&x, -1, mask = &m])?.tensor()?; // masked.softmin
    _ = call("masked.std", args![&x, 1, mask = &m])?.tensor()?; // masked.std
    _ = call("masked.sum", args![&x, 1, mask = &m])?.tensor()?; // masked.sum
    _ = call("masked.sum", args![&x, mask = &m])?.tensor()?; // masked.sum
    _ = call("masked.var", args![&x, 1, mask = &m])?.tensor()?; // masked.var
    Ok(())
}
