//! latten beside PyTorch, ndarray and candle: one table of medians and ratios.
//!
//! `cargo run --release -- [--python PATH] [--rounds N] [--quick] [--only TEXT]`. All sides of a row take turns within the
//! same seconds, so that their ratios hold on a machine that others use too.

mod gradients;
mod latten;
mod limits;
mod measure;
mod rows;
mod torch;

use std::thread::sleep;
use std::time::Duration;

use limits::{Limits, limits};
use measure::{Sampler, Times};
use rows::{Row, rows};
use torch::Torch;

/// What the command line asks for.
struct Options {
    python: Option<String>,
    rounds: usize,
    only: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { python: None, rounds: 15, only: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--python" => options.python = Some(value()?),
            "--rounds" => options.rounds = value()?.parse().map_err(|_| "--rounds needs a number")?,
            "--only" => options.only = Some(value()?),
            "--quick" => options.rounds = 5,
            _ => return Err(format!("{argument}? [--python PATH] [--rounds N] [--quick] [--only TEXT]")),
        }
    }
    Ok(options)
}

fn main() -> Result<(), String> {
    let options = options()?;
    let mut torch = options.python.as_deref().map(Torch::start).transpose()?;
    let machine = limits(options.rounds.min(15));
    head(&machine, torch.as_ref());
    for row in rows() {
        if options.only.as_ref().is_some_and(|only| !row.name.contains(only.as_str())) {
            continue;
        }
        let measured = measure(&row, torch.as_mut(), options.rounds)?;
        println!("{}", line(&row, &measured, &machine));
    }
    Ok(())
}

fn head(machine: &Limits, torch: Option<&Torch>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{} threads; {}", threads, torch.map_or("no torch", |torch| &torch.version));
    println!(
        "copy {:.1} GB/s on all threads, {:.1} on one; fresh pages {:.1} GB/s\n",
        machine.copy / 1e9,
        machine.copy_alone / 1e9,
        machine.fresh_pages / 1e9
    );
    println!(
        "| row | latten (least) | of the copy limit | PyTorch | ratio (of the least) | target | | ndarray | ratio | candle | ratio |\n\
         |---|---|---|---|---|---|---|---|---|---|---|"
    );
}

/// The times of each side of a row.
#[derive(Default)]
struct Measured {
    latten: Times,
    torch: Times,
    ndarray: Times,
    candle: Times,
}

/// Between two sides: threads of the one that was measured may wait for more work without sleeping, and take a core from the next.
const REST: Duration = Duration::from_millis(10);

/// Lets all sides of a row take turns.
fn measure(row: &Row, mut torch: Option<&mut Torch>, rounds: usize) -> Result<Measured, String> {
    let mut measured = Measured::default();
    let mut own: Vec<(Box<dyn FnMut()>, Sampler, &mut Times)> = Vec::new();
    let sides = [(Some(row.latten), &mut measured.latten), (row.ndarray, &mut measured.ndarray), (row.candle, &mut measured.candle)];
    for (prepare, times) in sides {
        if let Some(prepare) = prepare {
            let mut work = prepare();
            let sampler = Sampler::calibrated(&mut work);
            own.push((work, sampler, times));
        }
    }
    let mut theirs = None;
    if let Some(torch) = torch.as_deref_mut() {
        torch.prepare(row.setup, row.statement)?;
        theirs = Some(Sampler::from(|count| torch.run(count).unwrap_or(f64::INFINITY)));
    }
    for _ in 0..rounds {
        for (work, sampler, times) in &mut own {
            sleep(REST);
            sampler.part().sample(&mut *work);
            times.push(sampler.sample(work));
        }
        if let (Some(torch), Some(sampler)) = (torch.as_deref_mut(), theirs) {
            sleep(REST);
            torch.run(sampler.part().count)?;
            measured.torch.push(torch.run(sampler.count)? / sampler.count as f64);
        }
    }
    drop(own);
    Ok(measured)
}

fn line(row: &Row, measured: &Measured, machine: &Limits) -> String {
    let Measured { latten, torch, ndarray, candle } = measured;
    let own = latten.median();
    let limit = row.bytes.map_or("".into(), |bytes| format!("{:.2}", bytes as f64 / latten.least() / machine.copy));
    let ratio = |times: &Times| if times.median().is_nan() { String::new() } else { format!("{:.2}", times.median() / own) };
    let (of_medians, of_least) = (torch.median() / own, torch.least() / latten.least());
    let (both, verdict) = match row.target {
        _ if of_medians.is_nan() => (String::new(), ""),
        Some(target) if of_medians < target => (format!("{of_medians:.2} ({of_least:.2})"), "missed"),
        _ => (format!("{of_medians:.2} ({of_least:.2})"), "met"),
    };
    format!(
        "| {} | {} ({}) | {limit} | {} | {both} | {} | {verdict} | {} | {} | {} | {} |",
        row.name,
        shown(own),
        shown(latten.least()),
        shown(torch.median()),
        row.target.map_or(String::new(), |target| format!("≥ {}", (target * 10.0).round() / 10.0)),
        shown(ndarray.median()),
        ratio(ndarray),
        shown(candle.median()),
        ratio(candle),
    )
}

fn shown(seconds: f64) -> String {
    match seconds {
        s if s.is_nan() => String::new(),
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}
