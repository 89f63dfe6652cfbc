//! One format of files into another, with a bar: `cargo run --release --example convert FROM TO`, as in `convert model.pt model.safetensors`. The
//! formats follow from the names. What TO's format can't hold (shared storages in safetensors, bfloat16 in npz) is an error that names it.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use latten::io::{Load, Progress, Save};

const USAGE: &str = "usage: convert FROM TO";
const WIDTH: u64 = 40;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = words.as_slice() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match convert(from, to) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &str, to: &str) -> latten::Result<()> {
    let value = Load::new().progress(&|progress| show("reading", progress)).load(from)?.value;
    Save::new().progress(&|progress| show("writing", progress)).save(to, &value)
}

/// Draws the bar again, where somebody looks at it. Several threads read, so what they say may come a little out of order.
fn show(what: &str, progress: Progress) {
    let mut terminal = std::io::stderr().lock();
    if terminal.is_terminal() {
        let end = if progress.done == progress.total { "\n" } else { "" };
        // A bar that can't be drawn is no reason to stop.
        let _ = write!(terminal, "\r{what} {}{end}", bar(progress));
    }
}

fn bar(Progress { done, total }: Progress) -> String {
    let full = if total == 0 { WIDTH } else { (u128::from(done) * u128::from(WIDTH) / u128::from(total)) as u64 };
    let (full, rest) = ("█".repeat(full as usize), "░".repeat((WIDTH - full) as usize));
    format!("{full}{rest} {} of {} MB", done / 1_000_000, total / 1_000_000)
}

#[cfg(test)]
mod tests {
    use latten::io::{Dict, Progress, Value};
    use latten::prelude::*;

    use super::{bar, convert};

    #[test]
    fn a_bar_is_full_at_the_end() {
        for (done, total, full) in [(0, 10, 0), (5_000_000, 10_000_000, 20), (10, 10, 40), (0, 0, 40), (u64::MAX, u64::MAX, 40)] {
            let bar = bar(Progress { done, total });
            assert_eq!((bar.matches('█').count(), bar.matches('░').count()), (full, 40 - full), "{bar}");
        }
        assert!(bar(Progress { done: 5_000_000, total: 10_000_000 }).ends_with("░ 5 of 10 MB"));
    }

    #[test]
    fn a_checkpoint_goes_through_all_formats() {
        let folder = std::env::temp_dir().join(format!("latten-convert-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = |name: &str| folder.join(name).display().to_string();
        let state: Dict = [("w", &Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]))].into_iter().collect();
        let value = Value::from(state);
        latten::save(path("a.pt"), &value).expect("pt has it");
        for (from, to) in [
            ("a.pt", "b.safetensors"),
            ("b.safetensors", "c.npz"),
            ("c.npz", "d.safetensors.index.json"),
            ("d.safetensors.index.json", "e.pt"),
        ] {
            convert(&path(from), &path(to)).expect("both have it");
        }
        assert!(latten::load(path("e.pt")).expect("it was written").value == value);
        assert!(convert(&path("a.pt"), &path("f.npy")).is_err(), "an npy file holds no dict");
        std::fs::remove_dir_all(&folder).expect("it was made");
    }
}
