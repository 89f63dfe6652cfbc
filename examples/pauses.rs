//! What a product takes after pauses, call by call: microseconds, the median of many pauses. Threads that help sleep meanwhile.
//!
//! `cargo run --release --example pauses`

use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

use latten::Result;
use latten::prelude::*;

/// Pauses of each length.
const PAUSES: usize = 60;
/// Which calls after a pause are shown: the first, the second, …
const SHOWN: [usize; 6] = [1, 2, 3, 5, 10, 30];

fn main() -> Result<()> {
    let (a, b) = (Tensor::<f32>::randn([256, 256])?, Tensor::<f32>::randn([256, 256])?);
    println!("f32 256² times 256², {} threads, µs of call number {SHOWN:?} after a pause", latten::num_threads());
    for pause in [1, 3, 10, 30, 100].map(Duration::from_millis) {
        let mut times = [const { Vec::new() }; 30];
        for _ in 0..PAUSES {
            sleep(pause);
            for calls in &mut times {
                let start = Instant::now();
                black_box(a.try_matmul(&b)?);
                calls.push(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        for calls in &mut times {
            calls.sort_by(f64::total_cmp);
        }
        let medians: Vec<String> = SHOWN.iter().map(|call| format!("{:.0}", times[call - 1][PAUSES / 2])).collect();
        println!("{:>5} ms: {}", pause.as_millis(), medians.join(", "));
    }
    Ok(())
}
