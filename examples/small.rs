//! What calls on small tensors take: nanoseconds, the least of several rounds, one thread.
//!
//! `cargo run --release --example small` times all rows; with a row's first word and a number it makes that many calls and times nothing,
//! for a profiler: `valgrind --tool=callgrind target/release/examples/small add 10000`.

use std::hint::black_box;
use std::time::Instant;

use latten::Result;
use latten::prelude::*;

/// Rounds of which the fastest counts.
const ROUNDS: usize = 15;
/// Calls of a round.
const CALLS: usize = 1_000;

/// Which rows are wanted, and how often.
struct Wanted {
    row: Option<String>,
    calls: usize,
}

impl Wanted {
    /// Makes the calls of a row; where all rows are wanted it prints what one takes.
    fn row<R>(&self, name: &str, mut call: impl FnMut() -> R) {
        if let Some(row) = &self.row {
            if name.split([' ', ':']).next() == Some(row) {
                (0..self.calls).for_each(|_| drop(black_box(call())));
            }
            return;
        }
        let mut round = || {
            let start = Instant::now();
            (0..self.calls).for_each(|_| drop(black_box(call())));
            start.elapsed().as_secs_f64() * 1e9 / self.calls as f64
        };
        let least = (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min);
        println!("{name:40} {least:7.0} ns");
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let row = arguments.next();
    let calls = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(CALLS);
    let wanted = Wanted { row, calls };

    let numbers = || tensor![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
    let (a, b) = (numbers(), numbers() * 1e-9);
    let (x, y) = (a.erase(), b.erase());
    let (square, one) = (Tensor::<f32, shape![8, 8]>::ones(), tensor!(2.5));
    let mut sum = numbers();
    let (many, table, row) = (Tensor::<f32, shape![1000]>::ones(), Tensor::<f32, shape![8, 16]>::ones(), Tensor::<f32, shape![16]>::ones());
    let (counts, column, mask) = (numbers().to::<i32>(), Tensor::<f32, shape![8, 1]>::ones(), a.gt(&b));
    let (scores, classes) = (Tensor::<f32, shape![8, 16]>::ones(), Tensor::<i64, shape![8]>::ones());
    let image = Tensor::<f32, shape![1, 1, 8, 16]>::ones();
    wanted.row("add a + b of ten, typed", || &a + &b);
    wanted.row("dynamic a + b of ten, dynamic", || &x + &y);
    wanted.row("times a * 2.0 of ten", || &a * 2.0);
    wanted.row("thousand a * 2.0 of 1,000", || &many * 2.0);
    wanted.row("row a + b of 8 by 16 and 16", || &table + &row);
    wanted.row("over 2.0 / a of 8 by 16", || 2.0 / &table);
    wanted.row("greater a > b of ten", || a.gt(&b));
    wanted.row("exp of ten", || a.exp());
    wanted.row("clamp of ten to 2.0..=5.0", || a.clamp(2.0, 5.0));
    wanted.row("lerp of ten and ten by 0.5", || a.lerp(&b, 0.5));
    wanted.row("where of ten, a > b", || a.where_(&mask, &b));
    wanted.row("mixed i32 + f32 of ten", || &counts + &b);
    wanted.row("columns of 8 by 16 plus 8 by 1", || &table + &column);
    wanted.row("clone of ten", || a.clone());
    wanted.row("in-place a += b of ten", || sum += &b);
    wanted.row("sum of ten", || a.sum());
    wanted.row("product of 8 by 8 and 8 by 8", || square.matmul(&square));
    wanted.row("classes: cross_entropy of 8 by 16", || scores.cross_entropy(&classes));
    wanted.row("pool: max_pool2d of 1 by 1 by 8 by 16 by 2", || image.max_pool2d(2));
    wanted.row("transpose of 8 by 8, a view", || square.t());
    wanted.row("narrow a view of four of ten", || x.narrow(0, 2, 4));
    wanted.row("alias of ten, a view", || a.alias());
    wanted.row("item of one", || one.item());

    let mut leaf = numbers().requiring_grad()?;
    wanted.row("recorded a * b of ten", || &leaf * &b);
    wanted.row("back: recorded a * b of ten, and back", || {
        leaf.zero_grad();
        (&leaf * &b).backward_with(&a)
    });
    Ok(())
}
