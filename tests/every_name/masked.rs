//! `torch.masked`: of what a mask leaves. These have no methods.

use super::prelude::*;

use super::ty;

pub(super) fn masked() -> Result<()> {
    let (x, m) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[true, false, true], [true, true, false]]);
    erase!(x, m);

    ty(call("masked.amax", args![&x, 1, mask = &m])?.tensor()?); // masked.amax
    ty(call("masked.amin", args![&x, 1, mask = &m])?.tensor()?); // masked.amin
    ty(call("masked.argmax", args![&x, 1, mask = &m])?.tensor()?); // masked.argmax
    ty(call("masked.argmin", args![&x, 1, mask = &m])?.tensor()?); // masked.argmin
    ty(call("masked.cumprod", args![&x, 1, mask = &m])?.tensor()?); // masked.cumprod
    ty(call("masked.cumsum", args![&x, 1, mask = &m])?.tensor()?); // masked.cumsum
    ty(call("masked.log_softmax", args![&x, -1, mask = &m])?.tensor()?); // masked.log_softmax
    ty(call("masked.logaddexp", args![&x, &x, input_mask = &m, other_mask = &m])?.tensor()?); // masked.logaddexp
    ty(call("masked.logsumexp", args![&x, 1, mask = &m])?.tensor()?); // masked.logsumexp
    ty(call("masked.mean", args![&x, 1, mask = &m])?.tensor()?); // masked.mean
    ty(call("masked.mean", args![&x, mask = &m])?.tensor()?); // masked.mean
    ty(call("masked.median", args![&x, 1, mask = &m])?.tensor()?); // masked.median
    ty(call("masked.norm", args![&x, 2, 1, mask = &m])?.tensor()?); // masked.norm
    ty(call("masked.normalize", args![&x, 2, 1, mask = &m])?.tensor()?); // masked.normalize
    ty(call("masked.prod", args![&x, 1, mask = &m])?.tensor()?); // masked.prod
    ty(call("masked.softmax", args![&x, -1, mask = &m])?.tensor()?); // masked.softmax
    ty(call("masked.softmin", args![&x, -1, mask = &m])?.tensor()?); // masked.softmin
    ty(call("masked.std", args![&x, 1, mask = &m])?.tensor()?); // masked.std
    ty(call("masked.sum", args![&x, 1, mask = &m])?.tensor()?); // masked.sum
    ty(call("masked.sum", args![&x, mask = &m])?.tensor()?); // masked.sum
    ty(call("masked.var", args![&x, 1, mask = &m])?.tensor()?); // masked.var
    Ok(())
}
