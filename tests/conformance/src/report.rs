//! The count: passes by area, operations that are unsupported, and the first failures of each area.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use latten::Device;

use crate::case::Case;
use crate::differences::explain;
use crate::run::{Reason, Verdict, judge};
use crate::show;

/// The areas that the generator of cases knows.
pub const AREAS: [&str; 19] = [
    "dtype",
    "device",
    "promotion",
    "inplace",
    "broadcast",
    "views",
    "layout",
    "unary",
    "compare",
    "cast",
    "reduce",
    "index",
    "matmul",
    "storage",
    "print",
    "sparse",
    "error",
    "random",
    "grad",
];

/// What was counted so far.
#[derive(Debug)]
pub struct Report {
    areas: BTreeMap<String, Count>,
    unsupported: BTreeMap<String, usize>,
    /// How many cases show each deliberate difference, by its name.
    decisions: BTreeMap<String, usize>,
    /// How many failures of each area are kept to be shown.
    keep: usize,
    /// Where the programs run.
    device: Device,
}

#[derive(Debug, Default)]
struct Count {
    all: usize,
    passed: usize,
    by_decision: usize,
    failures: Vec<String>,
    /// Failures of operations that are unsupported, to be shown where there is room.
    unsupported: Vec<String>,
}

impl Report {
    /// A report on programs that run on a device, which keeps the text of that many failures of each area, those of unsupported operations last.
    #[must_use]
    pub fn on(device: Device, keep: usize) -> Self {
        Self { areas: BTreeMap::new(), unsupported: BTreeMap::new(), decisions: BTreeMap::new(), keep, device }
    }

    /// Runs a case and counts it.
    pub fn add(&mut self, case: &Case) {
        let count = self.areas.entry(case.area.clone()).or_default();
        count.all += 1;
        match judge(case, self.device) {
            Verdict::Pass => count.passed += 1,
            Verdict::Fail(failed) => {
                if let Some(difference) = explain(case, &failed) {
                    count.by_decision += 1;
                    *self.decisions.entry(difference.name()).or_default() += 1;
                    return;
                }
                let kept = match &failed.reason {
                    Reason::Unsupported(what) => {
                        *self.unsupported.entry(what.clone()).or_default() += 1;
                        &mut count.unsupported
                    }
                    _ => &mut count.failures,
                };
                if kept.len() < self.keep {
                    kept.push(show::failure(case, &failed));
                }
            }
        }
    }

    /// Counts a case that can't even be read as a failure of an area.
    pub fn add_unreadable(&mut self, area: &str, why: &str) {
        let count = self.areas.entry(area.to_owned()).or_default();
        count.all += 1;
        if count.failures.len() < self.keep {
            count.failures.push(format!("{why}\n"));
        }
    }

    /// Counts the areas of a list that had no case.
    pub fn add_missing(&mut self, wanted: &[&str]) {
        for area in wanted {
            if !self.areas.contains_key(*area) {
                self.add_unreadable(area, &format!("no case of the area `{area}`"));
            }
        }
    }

    /// Whether there are cases, and all of them passed or differ by a decision.
    #[must_use]
    pub fn is_perfect(&self) -> bool {
        let failed: usize = self.areas.values().map(|count| count.all - count.passed - count.by_decision).sum();
        !self.areas.is_empty() && failed == 0
    }

    /// How many cases show each deliberate difference; those that none shows are not there.
    #[must_use]
    pub fn decisions(&self) -> Vec<(&str, usize)> {
        self.decisions.iter().map(|(name, count)| (name.as_str(), *count)).collect()
    }

    /// The failures that were kept.
    #[must_use]
    pub fn failures(&self) -> String {
        let order = AREAS.iter().filter_map(|area| self.areas.get(*area));
        let strange = self.areas.iter().filter(|(area, _)| !AREAS.contains(&area.as_str())).map(|(_, count)| count);
        order
            .chain(strange)
            .flat_map(|count| count.failures.iter().chain(&count.unsupported).take(self.keep))
            .map(|failure| format!("{failure}\n"))
            .collect()
    }

    /// One line an area, then what is unsupported and what differs by decision, then the total.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let names = AREAS.iter().copied().chain(self.areas.keys().map(String::as_str).filter(|area| !AREAS.contains(area)));
        for (area, count) in names.filter_map(|area| Some((area, self.areas.get(area)?))) {
            let _ = writeln!(text, "{area:10} {}/{}", count.passed, count.all);
        }
        let mut unsupported: Vec<_> = self.unsupported.iter().collect();
        unsupported.sort_by_key(|(op, count)| (std::cmp::Reverse(**count), op.as_str()));
        for (op, count) in unsupported {
            let _ = writeln!(text, "unsupported: {op} ×{count}");
        }
        for (name, count) in &self.decisions {
            let _ = writeln!(text, "differs by decision: {name} ×{count}");
        }
        let (passed, all) = self.areas.values().fold((0, 0), |(passed, all), count| (passed + count.passed, all + count.all));
        let _ = writeln!(text, "{:10} {passed}/{all}", "total");
        text
    }
}
