//! Optimisers: PyTorch 2.15's numbers after a hundred steps, state that is saved, and gradients that are bounded.

use latten::optim::{Adam, AdamW, Parameter, RmsProp, Sgd, clip_grad_norm_, clip_grad_norm_with_, clip_grad_value_, zero_grad_with};
use latten::prelude::*;
use latten::{Error, shape};

type Matrix = Tensor<f64, shape![2, 3]>;
type Row = Tensor<f64, shape![3]>;

fn start() -> Result<(Matrix, Row), Error> {
    let x = Tensor::from([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]]).requiring_grad()?;
    let b = Tensor::from([0.1, -0.2, 0.3]).requiring_grad()?;
    Ok((x, b))
}

/// One way back of `((x * x * 0.5 + b - t).sin() ** 2).sum() + (x * b).sum() * 0.1`.
fn gradients(x: &mut Matrix, b: &mut Row) -> Result<(), Error> {
    x.zero_grad();
    b.zero_grad();
    let target = Tensor::from([1.0, 2.0, 0.5]);
    let off = (&*x * &*x * 0.5 + &*b - &target).sin().square().sum();
    (off + (&*x * &*b).sum() * 0.1).backward()
}

fn trained(steps: usize, mut step: impl FnMut(&mut [&mut dyn Parameter]) -> Result<(), Error>) -> Result<Vec<f64>, Error> {
    let (mut x, mut b) = start()?;
    for _ in 0..steps {
        gradients(&mut x, &mut b)?;
        step(&mut [&mut x, &mut b])?;
    }
    Ok([x.detach().to_vec(), b.detach().to_vec()].concat())
}

fn agrees(name: &str, found: &[f64], recorded: &[f64]) {
    agrees_within(1e-9, name, found, recorded);
}

fn agrees_within(share: f64, name: &str, found: &[f64], recorded: &[f64]) {
    let close = found.iter().zip(recorded).all(|(found, recorded)| (found - recorded).abs() <= share * recorded.abs().max(1.0));
    assert!(close && found.len() == recorded.len(), "{name}: {found:?}, but PyTorch has {recorded:?}");
}

#[test]
fn a_hundred_steps_end_where_pytorch_s_do() -> Result<(), Error> {
    let mut sgd = Sgd::new(0.01);
    agrees("SGD", &trained(100, |all| sgd.step(all))?, &SGD);
    let mut sgd = Sgd::new(0.01).momentum(0.9).weight_decay(0.01);
    agrees("momentum", &trained(100, |all| sgd.step(all))?, &MOMENTUM);
    let mut sgd = Sgd::new(0.01).momentum(0.9).dampening(0.5);
    agrees("dampening", &trained(100, |all| sgd.step(all))?, &DAMPENING);
    let mut sgd = Sgd::new(0.01).momentum(0.9).nesterov(true).weight_decay(0.1);
    agrees("Nesterov", &trained(100, |all| sgd.step(all))?, &NESTEROV);
    let mut adam = Adam::new(0.02);
    agrees("Adam", &trained(100, |all| adam.step(all))?, &ADAM);
    let mut adam = Adam::new(0.02).betas(0.8, 0.99).eps(1e-6).weight_decay(0.1);
    agrees("Adam with decay", &trained(100, |all| adam.step(all))?, &ADAM_DECAY);
    let mut adam = AdamW::new(0.02).weight_decay(0.05);
    agrees("AdamW", &trained(100, |all| adam.step(all))?, &ADAMW);
    let mut rms = RmsProp::new(0.01);
    agrees("RMSprop", &trained(100, |all| rms.step(all))?, &RMSPROP);
    let mut rms = RmsProp::new(0.003).alpha(0.9).eps(0.1).centered(true).weight_decay(0.1);
    agrees("RMSprop by the variance", &trained(100, |all| rms.step(all))?, &RMSPROP_CENTERED);
    let mut rms = RmsProp::new(0.003).momentum(0.9).centered(true);
    agrees("RMSprop with momentum", &trained(100, |all| rms.step(all))?, &RMSPROP_MOMENTUM);
    let mut sgd = Sgd::new(0.05);
    let clipped = |all: &mut [&mut dyn Parameter]| {
        clip_grad_norm_(all, 0.5)?;
        sgd.step(all)
    };
    agrees("clipping by norm", &trained(100, clipped)?, &NORM);
    let mut adam = Adam::new(0.05);
    let clipped = |all: &mut [&mut dyn Parameter]| {
        clip_grad_value_(all, 0.2)?;
        adam.step(all)
    };
    agrees("clipping by value", &trained(100, clipped)?, &VALUE);
    Ok(())
}

#[test]
fn state_that_was_saved_goes_on() -> Result<(), Error> {
    let mut first = Adam::new(0.02);
    let (mut x, mut b) = start()?;
    for _ in 0..60 {
        gradients(&mut x, &mut b)?;
        first.step(&mut [&mut x, &mut b])?;
    }
    let mut second = Adam::new(0.02);
    second.load_state_dict(&first.state_dict())?;
    for _ in 0..40 {
        gradients(&mut x, &mut b)?;
        second.step(&mut [&mut x, &mut b])?;
    }
    agrees("Adam, saved and loaded", &[x.detach().to_vec(), b.detach().to_vec()].concat(), &ADAM);
    let names: Vec<String> = second.state_dict().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["0.step", "0.exp_avg", "0.exp_avg_sq", "1.step", "1.exp_avg", "1.exp_avg_sq"]);
    let error = second.load_state_dict(&[("0.velocity".into(), x.erase())]).expect_err("refused");
    assert_eq!(error.to_string(), "the state of an optimiser has no `0.velocity`");

    let new = || RmsProp::new(0.003).momentum(0.9).centered(true);
    let (mut half, mut rest, (mut x, mut b)) = (new(), new(), start()?);
    for at in 0..100 {
        gradients(&mut x, &mut b)?;
        if at == 50 {
            rest.load_state_dict(&half.state_dict())?;
        }
        if at < 50 { &mut half } else { &mut rest }.step(&mut [&mut x, &mut b])?;
    }
    agrees("RMSprop, saved and loaded", &[x.detach().to_vec(), b.detach().to_vec()].concat(), &RMSPROP_MOMENTUM);
    let names: Vec<String> = rest.state_dict().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..3], ["0.square_avg", "0.grad_avg", "0.momentum_buffer"]);
    assert_eq!(RmsProp::new(0.1).state_dict().len(), 0);
    Ok(())
}

#[test]
fn a_step_changes_what_has_a_gradient_and_no_history() -> Result<(), Error> {
    let (mut x, mut b) = start()?;
    let before = b.detach().to_vec();
    (&x * &x).sum().backward()?;
    let version = x.version()?;
    Sgd::new(0.1).step(&mut [&mut x, &mut b])?;
    assert!(x.is_leaf() && x.requires_grad() && x.version()? > version);
    assert_eq!(b.detach().to_vec(), before);
    let error = Sgd::new(-1.0).step(&mut [&mut x]).expect_err("refused");
    assert_eq!(error.to_string(), "Invalid learning rate: -1.0");
    let error = Sgd::new(0.1).nesterov(true).step(&mut [&mut x]).expect_err("refused");
    assert_eq!(error.to_string(), "Nesterov momentum requires a momentum and zero dampening");
    let error = Adam::new(0.1).betas(0.9, 1.0).step(&mut [&mut x]).expect_err("refused");
    assert_eq!(error.to_string(), "Invalid beta parameter at index 1: 1.0");
    let error = RmsProp::new(0.1).alpha(-0.5).step(&mut [&mut x]).expect_err("refused");
    assert_eq!(error.to_string(), "Invalid alpha value: -0.5");
    Ok(())
}

// What PyTorch 2.15 gives, in double precision.
const SGD: [f64; 9] = [
    0.9699190674075308,
    -2.22999894189385,
    2.5969448410781437,
    2.745390080019506,
    0.11704934111294282,
    -0.6798631894223574,
    0.36603611304012196,
    -0.5598724005043966,
    0.25369706017470384,
];
const MOMENTUM: [f64; 9] = [
    2.208878940547228,
    -2.4605576857224367,
    2.78659711654962,
    3.3442044505112247,
    0.3216694918591951,
    -1.1878814225939998,
    -1.454493188795175,
    -1.0513225419644132,
    -0.24674102801630884,
];
const DAMPENING: [f64; 9] = [
    1.5118428521200813,
    -2.4469072176688225,
    2.69405041660992,
    2.944602584626472,
    0.23039663909918393,
    -0.9478220348466911,
    -0.20548972871038126,
    -1.0190553001479494,
    0.005379906453980774,
];
const NESTEROV: [f64; 9] = [
    1.4473308803715974,
    -2.389144980954549,
    2.60325872214741,
    2.90297489606768,
    0.16805221230548645,
    -0.7163540369141824,
    -0.1286567572486339,
    -0.9231583793603877,
    0.19845541055450108,
];
const ADAM: [f64; 9] = [
    1.7280523701647674,
    -2.4769112107338143,
    2.6576737167850473,
    3.053027934003341,
    0.3923434507067955,
    -0.8824090952917927,
    -0.53721225873008,
    -1.085165941591861,
    0.09340643664411813,
];
const ADAM_DECAY: [f64; 9] = [
    1.5165141462036424,
    -2.389351410302374,
    2.579440866141247,
    2.934285761373855,
    0.16953814823091184,
    -0.6412840813311372,
    -0.23025917749370248,
    -0.9233636942118982,
    0.2546784708487998,
];
const RMSPROP: [f64; 9] = [
    2.1528454437344116,
    -2.465938367743093,
    2.8391923164750383,
    3.310884924576958,
    0.3645607864154337,
    -1.3229456758705704,
    -1.3364115304368862,
    -1.0652224001789687,
    -0.3990405216649284,
];
const RMSPROP_CENTERED: [f64; 9] = [
    1.0578928956994986,
    -2.124546010158058,
    2.5214280745604514,
    2.7414991342109176,
    0.04336843935539892,
    -0.4623627365391041,
    0.3237128791012665,
    -0.38076381721380126,
    0.38921080693312754,
];
const RMSPROP_MOMENTUM: [f64; 9] = [
    2.749990392782461,
    -2.486901933315538,
    2.9865742454279887,
    3.7202764463122158,
    0.46164038972043,
    1.6511787152212893,
    -2.7630217472613685,
    -1.1203383395284658,
    -0.8414243760658207,
];
const ADAMW: [f64; 9] = [
    1.5868571642573621,
    -2.4569576866451377,
    2.625450376851787,
    2.9762484039369617,
    0.3172621390819315,
    -0.8086125100072092,
    -0.3153596669395401,
    -1.047499656574352,
    0.1595839552686318,
];
const NORM: [f64; 9] = [
    1.369692122514133,
    -2.439610402175524,
    2.663857655651058,
    2.8758073444287873,
    0.16767380804325205,
    -0.8557065354881704,
    -0.008781960839385436,
    -0.9993935278544614,
    0.08667858366325758,
];
const VALUE: [f64; 9] = [
    3.0541972682012326,
    -2.4867470725445457,
    3.2261342664682586,
    3.949203705943055,
    0.4324190062686918,
    -1.9974486121026878,
    -3.6131015030181395,
    -1.11209229701058,
    -1.5402216082570575,
];

/// A network hands its parameters on, whatever their types.
#[test]
fn parameters_of_a_network_go_together() -> Result<()> {
    struct Net {
        weight: Tensor<f32, shape![2, 3]>,
        bias: Tensor<f32, shape![2]>,
    }
    impl Net {
        fn parameters(&mut self) -> [&mut dyn Parameter; 2] {
            [&mut self.weight, &mut self.bias]
        }
    }
    let mut net = Net { weight: Tensor::ones().requiring_grad()?, bias: Tensor::zeros().requiring_grad()? };
    let x = Tensor::<f32, shape![1, 3]>::ones();
    x.linear_with(&net.weight, &net.bias).sum().backward()?;
    Sgd::new(0.5).step(&mut net.parameters())?;
    assert_eq!((net.weight.to_vec(), net.bias.to_vec()), (vec![0.5; 6], vec![-0.5; 2]));
    for parameter in net.parameters() {
        parameter.zero_grad();
    }
    assert!(net.weight.grad().is_none() && net.bias.grad().is_none());
    x.linear_with(&net.weight, &net.bias).sum().backward()?;
    latten::optim::zero_grad(&mut net.parameters());
    assert!(net.weight.grad().is_none() && net.bias.grad().is_none());
    Ok(())
}

#[test]
fn optimisers_take_gradients_away() {
    type Takes<'a> = &'a dyn Fn(&mut [&mut dyn Parameter]);
    let mut x = Tensor::from([1.0_f32, 2.0]).requiring_grad().expect("floats");
    let (sgd, adam, adamw) = (Sgd::new(0.1), Adam::new(0.1), AdamW::new(0.1));
    let all: [Takes<'_>; 3] = [&|all| sgd.zero_grad(all), &|all| adam.zero_grad(all), &|all| adamw.zero_grad(all)];
    for take in all {
        x.square().sum().backward().expect("a number");
        assert!(x.grad().is_some());
        take(&mut [&mut x]);
        assert!(x.grad().is_none());
    }
}

/// Of complex numbers each part has averages of its own, as PyTorch has them.
#[test]
fn complex_parameters_are_two_real_ones() -> Result<(), Error> {
    fn trained(mut step: impl FnMut(&mut [&mut dyn Parameter]) -> Result<(), Error>) -> Result<Vec<f64>, Error> {
        let mut z = tensor![Complex::new(1.0, 2.0), Complex::new(-0.5, 3.0); c128].requiring_grad()?;
        for _ in 0..100 {
            z.zero_grad();
            ((&z * z.conj()).real() * tensor![1.0, 2.0; f64]).sum().backward()?;
            step(&mut [&mut z])?;
        }
        Ok(z.detach().to_vec().into_iter().flat_map(|z| [z.re, z.im]).collect())
    }
    let mut adam = Adam::new(0.02);
    agrees(
        "Adam",
        &trained(|all| adam.step(all))?,
        &[-0.007_800_805_792_714_15, 0.448_892_087_223_911_4, 0.000_490_520_286_385_95, 1.275_280_400_707_531_5],
    );
    let squares = adam.state_dict().into_iter().find(|(name, _)| name == "0.exp_avg_sq").expect("it is remembered").1;
    let squares = squares.typed::<c128, shape![2]>()?.to_vec().into_iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>();
    agrees("squares", &squares, &[0.068_322_844_250_475_6, 0.557_215_560_767_747_4, 0.034_136_511_263_227_6, 6.920_991_271_881_424]);
    let mut adam = AdamW::new(0.02);
    agrees(
        "AdamW",
        &trained(|all| adam.step(all))?,
        &[-0.007_996_976_553_618_57, 0.434_788_657_082_761, 0.000_540_647_454_660_04, 1.242_093_702_828_128],
    );
    Ok(())
}

#[test]
fn few_bits_round_as_pytorch_s_do() -> Result<(), Error> {
    fn trained<E: Float>() -> Result<Vec<f64>, Error> {
        let mut w = tensor![1.0, -2.0].to::<E>().requiring_grad()?;
        let mut adam = AdamW::new(0.02);
        for _ in 0..100 {
            w.zero_grad();
            (&w * &w).sum().backward()?;
            adam.step(&mut [&mut w])?;
        }
        Ok(w.detach().to_vec().into_iter().map(|x| x.to_f64()).collect())
    }
    // PyTorch's roots of float32 are off by a unit now and then.
    agrees_within(3e-7, "float32", &trained::<f32>()?, &[-0.007_996_936_328_709_13, -0.434_791_088_104_248_05]);
    agrees("bfloat16", &trained::<bf16>()?, &[-0.006_744_384_765_625, -0.488_281_25]);
    Ok(())
}

/// A step that is refused changes nothing, neither parameters nor what is remembered.
#[test]
fn a_step_that_is_refused_changes_nothing() -> Result<(), Error> {
    fn refused(step: impl FnOnce(&mut [&mut dyn Parameter]) -> Result<(), Error>) -> Result<String, Error> {
        let (mut x, mut b) = start()?;
        gradients(&mut x, &mut b)?;
        let before = (x.to_vec(), b.to_vec());
        let said = step(&mut [&mut x, &mut b]).expect_err("it doesn't fit").to_string();
        assert_eq!((x.to_vec(), b.to_vec()), before, "{said}");
        Ok(said)
    }
    let row = || Tensor::<f64, shape![4]>::ones().erase();
    let said = "what is remembered of parameter 1 has sizes [4], the parameter [3]";
    let mut adam = Adam::new(0.1);
    let one = Tensor::<f64, shape![2, 3]>::ones().erase();
    let step = || Tensor::from(3_i64).erase();
    let names = ["0.step", "0.exp_avg", "0.exp_avg_sq", "1.step", "1.exp_avg", "1.exp_avg_sq"].map(String::from);
    let state: Vec<_> = names.into_iter().zip([step(), one.alias(), one.alias(), step(), row(), row()]).collect();
    adam.load_state_dict(&state)?;
    assert_eq!(refused(|all| adam.step(all))?, said);
    assert!(adam.state_dict().iter().zip(&state).all(|(now, before)| now.0 == before.0 && now.1.equal(&before.1)));
    let mut sgd = Sgd::new(0.1).momentum(0.9);
    sgd.load_state_dict(&[("1.momentum_buffer".to_owned(), row())])?;
    assert_eq!(refused(|all| sgd.step(all))?, said);
    // Results are no parameters, unless they keep their gradients.
    let (x, _) = start()?;
    let mut y = &x * 2.0;
    for refused in [Sgd::new(0.1).step(&mut [&mut y]), Adam::new(0.1).step(&mut [&mut y])] {
        assert_eq!(refused.expect_err("it is a result").message(), "can't optimize a non-leaf Tensor");
    }
    y.retain_grad()?;
    Sgd::new(0.1).step(&mut [&mut y])
}

#[test]
fn gradients_that_stay_as_zeros_and_norms_that_are_no_numbers() -> Result<(), Error> {
    let mut w = tensor![1.0, 2.0].requiring_grad()?;
    (&w * 3.0).sum().backward()?;
    let gradient = w.grad().expect("it has one");
    zero_grad_with(&mut [&mut w], false)?;
    let now = w.grad().expect("it stays");
    assert_eq!(
        (now.to_vec(), gradient.to_vec(), now.data_ptr() == gradient.data_ptr(), now.version()?),
        (vec![0.0; 2], vec![0.0; 2], true, 1)
    );
    w.set_grad(&tensor![f32::INFINITY, 1.0])?;
    for (order, shown) in [(2.0, "2.0"), (f64::INFINITY, "inf")] {
        let refused = clip_grad_norm_with_(&mut [&mut w], 1.0, order, true).expect_err("an infinity");
        assert!(
            refused
                .message()
                .starts_with(&format!("The total norm of order {shown} for gradients from `parameters` is non-finite, so it cannot"))
        );
        assert_eq!(w.grad().map(|grad| grad.to_vec()), Some(vec![f32::INFINITY, 1.0]));
    }
    zero_grad_with(&mut [&mut w], true)?;
    assert!(w.grad().is_none());
    Ok(())
}
