//! How long an addition takes for every two dtypes, in microseconds: `cargo run --release --example pairs`. Some have loops of their own;
//! others convert their operands in blocks, which should take no longer than an addition of the wider dtype.

use std::time::Instant;

use latten::elementwise::{Params, apply};
use latten::{DType, Op, Options, RawTensor, Result};

/// Elements: they stay in the second-level cache.
const COUNT: usize = 100_000;
const TURNS: usize = 60;

fn main() -> Result<()> {
    let tensor = |dtype| RawTensor::full(&[COUNT], 1.into(), &Options::new().dtype(dtype));
    latten::set_num_threads(1);
    print!("{:>10}", "");
    DType::COMPUTING.iter().for_each(|dtype| print!("{:>11}", dtype.name()));
    println!();
    for &lhs in DType::COMPUTING {
        print!("{:>10}", lhs.name());
        for &rhs in DType::COMPUTING {
            let (x, y) = (tensor(lhs)?, tensor(rhs)?);
            let mut least = f64::INFINITY;
            for _ in 0..TURNS {
                let start = Instant::now();
                std::hint::black_box(apply(Op::Add, &[(&x).into(), (&y).into()], &Params::none())?);
                least = least.min(start.elapsed().as_secs_f64());
            }
            print!("{:>11.1}", least * 1e6);
        }
        println!();
    }
    Ok(())
}
