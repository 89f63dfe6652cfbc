use latten::prelude::*;

fn main() -> Result<()> {
    let mut x = tensor![1.0, 2.0];
    let _ = x.histc(5, 2.0);
    let _ = x.quantile(0.5, 0);
    x.uniform_(-1.0, 1.0)?;
    let _ = x.triu(1);
    let _ = x.cov(0);
    let _ = x.mse_loss(&x, Reduction::Sum);
    let _ = tensor![0, 1].one_hot(3);
    let _ = x.view(2, 1)?;
    let _ = x.reshape(-1, 1)?;
    let _ = x.permute(1, 0)?;
    let _ = x.log().kl_div(&x, true);
    x.celu_(0.5)?;
    Ok(())
}
