//! `docs/operations.md` says what the table of operations says. `UPDATE_GOLDEN=1` writes it anew.

use std::fmt::Write as _;
use std::{env, fs};

use latten::{Category, DType, Op};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md");

const HEAD: &str = "\
# Operations and dtypes

What every elementwise operation gives, where its operands promote to the dtype of the column and the default dtype is `f32`.
`✓` is that dtype itself, `·` an error whose text is PyTorch's. Generated from the table of operations; don't edit it:
`UPDATE_GOLDEN=1 cargo test --test operations` writes it.

Each is a method in four forms: `a.exp()`, `a.try_exp()`, `a.exp_()`, `a.exp_out(&mut out)`. But `add sub mul div remainder neg` have an operator
for the first form, `where` is three functions (`latten::where_`, `try_where`, `where_out`), `real` and `imag` are views, and
`smooth_l1_loss` and `huber_loss` are what the losses of these names reduce.
Which devices compute it is in [devices.md](devices.md). The operators `+ - * / %`, `& | ^ << >>`, `-` and `!` are `add sub mul div remainder`, `bitwise_and …`, `neg` and `bitwise_not`.

";

fn short(dtype: DType) -> String {
    dtype.variant().to_ascii_lowercase()
}

fn matrix(text: &mut String) {
    let columns: Vec<_> = DType::COMPUTING.iter().map(|&dtype| short(dtype)).collect();
    _ = writeln!(text, "| operation | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()));
    for &op in Op::ALL {
        let cells: Vec<_> = DType::COMPUTING
            .iter()
            .map(|&dtype| match op.answer(dtype, DType::F32) {
                Ok(result) if result == dtype => "✓".into(),
                Ok(result) => short(result),
                Err(_) => "·".into(),
            })
            .collect();
        _ = writeln!(text, "| {op}({}) | {} |", op.row().operands.join(", "), cells.join(" | "));
    }
}

fn parameters(text: &mut String) {
    text.push_str("\n## Parameters\n\nThey take no part in promotion.\n\n| operation | parameter | default |\n|---|---|---|\n");
    for &op in Op::ALL {
        for (name, default) in op.row().params {
            let default = match *default {
                f64::MAX => "the greatest number of the dtype".into(),
                f64::MIN => "the least number of the dtype".into(),
                number => number.to_string(),
            };
            _ = writeln!(text, "| {op} | {name} | {default} |");
        }
    }
}

fn refusals(text: &mut String) {
    text.push_str("\n## What is refused, in PyTorch's words\n\n| operation | operands | text |\n|---|---|---|\n");
    for &op in Op::ALL {
        for category in [Category::Boolean, Category::Integral, Category::Floating, Category::Complex] {
            let dtype = DType::COMPUTING.iter().copied().find(|dtype| dtype.category() == category).expect("each has a dtype");
            if let Err(refusal) = op.answer(dtype, DType::F32) {
                let example = if category != Category::Boolean && refusal.ends_with(&format!("'{}'", dtype.message_name())) {
                    " (and so on)"
                } else {
                    ""
                };
                _ = writeln!(text, "| {op} | {} | {refusal}{example} |", format!("{category:?}").to_lowercase());
            }
        }
    }
}

#[test]
fn the_document_is_the_table() {
    let mut text = HEAD.to_owned();
    matrix(&mut text);
    parameters(&mut text);
    refusals(&mut text);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(DOCUMENT, &text).expect("docs/ is writable");
    }
    let found = fs::read_to_string(DOCUMENT).unwrap_or_default();
    let differing = found.lines().zip(text.lines()).find(|(found, table)| found != table);
    assert!(found == text, "docs/operations.md isn't what the table says ({differing:?}): UPDATE_GOLDEN=1 cargo test --test operations");
}
