//! Random numbers, what is left out by chance, first values of weights.

use super::prelude::*;
use latten::random::init;

use super::ty;

pub(super) fn new() -> Result<()> {
    let (chances, n) = (tensor![[0.1, 0.2, 0.7], [0.4, 0.5, 0.1]], 3);
    let (g, x) = (Generator::seeded(0), tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    erase!(chances, x);

    ty(Tensor::<f32, shape![2, 3]>::rand()); // rand
    ty(Tensor::<f32>::rand([n, 3])?); // rand
    ty(Tensor::<f32>::rand(n)?); // rand
    ty(g.rand::<f32, _>([n, 3])?); // rand
    ty(Tensor::<f32, shape![2, 3]>::randn()); // randn
    ty(Tensor::<f32>::randn([n, 3])?); // randn
    ty(Tensor::<f32>::randn(n)?); // randn
    ty(g.randn::<f32, _>([n, 3])?); // randn
    ty(Tensor::<i64, shape![2, 3]>::randint(0, 9)); // randint
    ty(Tensor::<i64>::randint(0, 9, [n])?); // randint
    ty(g.randint(0, 9, [n])?); // randint
    ty(Tensor::<i64, shape![4]>::randperm()); // randperm
    ty(Tensor::<i64>::randperm(n)?); // randperm
    ty(g.randperm(n)?); // randperm
    ty(Tensor::<f32, shape![2, 3]>::normal(0, 1)); // normal
    ty(Tensor::<f32>::normal(0.0, 0.1, [n, 3])?); // normal
    ty(call("normal", args![&x, 0.1])?.tensor()?); // normal
    ty(x.rand_like()); // rand_like
    ty(x.randn_like()); // randn_like
    ty(x.randint_like(9)?); // randint_like
    ty(x.randint_like_with(3, 9)?); // randint_like
    ty(chances.bernoulli()); // bernoulli
    ty(call("bernoulli", args![&x, 0.5])?.tensor()?); // bernoulli
    ty(chances.poisson()); // poisson
    ty(chances.multinomial(2)?); // multinomial
    ty(chances.multinomial_with(20, true)?); // multinomial
    ty(g.multinomial_with(&chances, 20, true)?); // multinomial
    Ok(())
}

pub(super) fn filled() -> Result<()> {
    let (mut x, g) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Generator::seeded(0));
    erase!(x);

    x.uniform_()?; // uniform_, init.uniform_
    x.uniform_with_(-1.0, 1.0)?; // uniform_, init.uniform_
    g.uniform_with_(&mut x, -1.0, 1.0)?; // uniform_, init.uniform_
    x.normal_()?; // normal_, init.normal_
    x.normal_with_(0.0, 0.1)?; // normal_, init.normal_
    g.normal_with_(&mut x, 0.0, 0.1)?; // normal_, init.normal_
    x.exponential_()?; // exponential_
    x.exponential_with_(2)?; // exponential_
    x.cauchy_()?; // cauchy_
    x.cauchy_with_(0.0, 2.0)?; // cauchy_
    x.log_normal_()?; // log_normal_
    x.log_normal_with_(0.0, 1.0)?; // log_normal_
    x.geometric_(0.5)?; // geometric_
    x.bernoulli_()?; // bernoulli_
    x.bernoulli_with_(0.3)?; // bernoulli_
    x.random_()?; // random_
    x.random_with_(0, 9)?; // random_
    Ok(())
}

pub(super) fn weights() -> Result<()> {
    let (mut weight, mut kernel) = (Tensor::<f32, shape![2, 3]>::zeros(), Tensor::<f32, shape![2, 2, 3]>::zeros());
    erase!(weight, kernel);

    weight.trunc_normal_()?; // init.trunc_normal_
    weight.trunc_normal_with_(init::Truncated { deviation: 0.02, ..Default::default() })?; // init.trunc_normal_
    weight.kaiming_uniform_()?; // init.kaiming_uniform_
    weight.kaiming_uniform_with_(init::Fan::In, init::Nonlinearity::Relu)?; // init.kaiming_uniform_
    weight.kaiming_normal_()?; // init.kaiming_normal_
    weight.kaiming_normal_with_(init::Fan::Out, init::Nonlinearity::LeakyRelu(0.01))?; // init.kaiming_normal_
    weight.xavier_uniform_()?; // init.xavier_uniform_
    weight.xavier_uniform_with_(2)?; // init.xavier_uniform_
    weight.xavier_normal_()?; // init.xavier_normal_
    weight.xavier_normal_with_(2)?; // init.xavier_normal_
    weight.orthogonal_()?; // init.orthogonal_
    weight.orthogonal_with_(2)?; // init.orthogonal_
    weight.sparse_(0.5)?; // init.sparse_
    weight.sparse_with_(0.5, 0.1)?; // init.sparse_
    weight.eye_()?; // init.eye_
    kernel.dirac_()?; // init.dirac_
    kernel.dirac_with_(2)?; // init.dirac_
    weight.fill_(0.5)?; // init.constant_
    ty(init::Nonlinearity::Relu.gain()); // init.calculate_gain
    Ok(())
}

pub(super) fn dropouts() -> Result<()> {
    let (mut x, picture) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<f32, shape![1, 4, 4, 4]>::ones());
    let (training, row, mask) = (true, Tensor::<f32, shape![1, 2, 8]>::ones(), tensor![[true, false, true], [true, true, false]]);
    erase!(x, row, picture, mask);

    ty(x.dropout(0.5, training)); // dropout
    x.dropout_(0.5, training)?; // dropout
    ty(row.dropout1d(0.5, training)); // dropout1d
    ty(picture.dropout2d(0.5, training)); // dropout2d, feature_dropout
    ty(picture.dropout3d(0.5, training)); // dropout3d
    ty(x.alpha_dropout(0.5, training)); // alpha_dropout
    x.alpha_dropout_(0.5, training)?; // alpha_dropout
    ty(picture.feature_alpha_dropout(0.5, training)); // feature_alpha_dropout, nn.functional.feature_alpha_dropout
    ty(call("native_dropout", args![&x, 0.5, true])?.tensors()?); // native_dropout
    ty(call("native_dropout_backward", args![&x, &mask, 2.0])?.tensor()?); // native_dropout_backward
    Ok(())
}
