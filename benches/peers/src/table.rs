//! What a run prints: the rows in which latten is behind, then all of them, then what each computes.

use std::fmt;

use crate::limits::Limits;
use crate::measure::Times;
use crate::rows::Row;

/// The times of each side of a row.
#[derive(Default)]
pub struct Measured {
    latten: Times,
    torch: Times,
    ndarray: Times,
    candle: Times,
}

impl Measured {
    /// A side's.
    pub fn of(&mut self, side: &str) -> &mut Times {
        match side {
            "PyTorch" => &mut self.torch,
            "ndarray" => &mut self.ndarray,
            "candle" => &mut self.candle,
            _ => &mut self.latten,
        }
    }

    /// The others' names and their times over latten's.
    fn ratios(&self) -> Vec<(&'static str, f64)> {
        let own = self.latten.median();
        let others = [("PyTorch", &self.torch), ("ndarray", &self.ndarray), ("candle", &self.candle)];
        others.map(|(name, times)| (name, times.median() / own)).into_iter().filter(|(_, ratio)| !ratio.is_nan()).collect()
    }
}

/// All rows that were measured.
pub struct Table {
    machine: Limits,
    torch: Option<String>,
    rows: Vec<(Row, Measured)>,
}

impl Table {
    /// Of no rows.
    pub fn new(machine: Limits, torch: Option<String>) -> Self {
        Self { machine, torch, rows: Vec::new() }
    }

    /// One more row.
    pub fn push(&mut self, row: Row, measured: Measured) {
        self.rows.push((row, measured));
    }

    fn line(&self, row: &Row, measured: &Measured) -> String {
        let Measured { latten, torch, ndarray, candle } = measured;
        let own = latten.median();
        let limit = row.bytes.map_or("".into(), |bytes| format!("{:.2}", bytes as f64 / latten.least() / self.machine.copy));
        let ratio = |times: &Times| if times.median().is_nan() { String::new() } else { format!("{:.2}", times.median() / own) };
        let (of_medians, of_least) = (torch.median() / own, torch.least() / latten.least());
        let both = if of_medians.is_nan() { String::new() } else { format!("{of_medians:.2} ({of_least:.2})") };
        let verdict = match row.target {
            Some(target) if of_medians < target => "missed",
            Some(_) if !of_medians.is_nan() => "met",
            _ => "",
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
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let Limits { copy, copy_alone, fresh_pages } = self.machine;
        writeln!(out, "{threads} threads; {}", self.torch.as_deref().unwrap_or("no torch"))?;
        writeln!(
            out,
            "copy {:.1} GB/s on all threads, {:.1} on one; fresh pages {:.1} GB/s\n",
            copy / 1e9,
            copy_alone / 1e9,
            fresh_pages / 1e9
        )?;
        writeln!(out, "### Where latten is slower\n\n| row | others' time over latten's |\n|---|---|")?;
        for (row, measured) in &self.rows {
            let behind: Vec<String> =
                measured.ratios().iter().filter(|(_, ratio)| *ratio < 0.995).map(|(name, ratio)| format!("{name} {ratio:.2}")).collect();
            if !behind.is_empty() {
                writeln!(out, "| {} | {} |", row.name, behind.join(", "))?;
            }
        }
        writeln!(
            out,
            "\n### All rows\n\n| row | latten (least) | of the copy limit | PyTorch | ratio (of the least) | target | | ndarray | ratio | candle | ratio |\n\
             |---|---|---|---|---|---|---|---|---|---|---|"
        )?;
        for (row, measured) in &self.rows {
            writeln!(out, "{}", self.line(row, measured))?;
        }
        writeln!(
            out,
            "\n### What they compute\n\nBy PyTorch's side, where `N` is 10⁷, `S` 10⁵ and `SIDE` 2048:\n\n| row | before | timed |\n|---|---|---|"
        )?;
        for (row, _) in &self.rows {
            let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) };
            writeln!(out, "| {} | {} | {} |", row.name, code(row.setup), code(row.statement))?;
        }
        Ok(())
    }
}

fn shown(seconds: f64) -> String {
    match seconds {
        s if s.is_nan() => String::new(),
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}
