//! What macros expand to, in `golden/`: read as prose when it changes. `UPDATE_GOLDEN=1` writes it anew.

use std::path::Path;

use proc_macro2::TokenStream;

use crate::fuse::Ending;

/// Each snapshot: its name, and the call.
const CALLS: [(&str, &str); 13] = [
    ("shape", "shape![2, _, 50257, N]"),
    ("einsum", "einsum!(\"bij,jk->bik\", x, &w)"),
    ("tensor_rows", "tensor![[1, 2, 3], [4, 5, 6]]"),
    ("tensor_halves", "tensor![[1.5, -2], [65504, 0.25]; f16]"),
    ("tensor_complex", "tensor![1 + 2i, -0.5i]"),
    ("tensor_scalar", "tensor!(2.5)"),
    ("tensor_expressions", "tensor![1.0, x, x * x]"),
    ("tensor_of_tensors", "tensor!([&a, b], device = \"cpu\")"),
    ("tensor_ragged", "tensor![[1, 2], [3]]"),
    ("fuse_expression", "fuse!(sigmoid(a * x + 1.0) * 2 - k)"),
    ("fuse_choice", "fuse!(sum(if a > 0.0 { a as f16 } else { {make()} }))"),
    ("fuse_output", "fuse!(out += out * x)"),
    ("kernel", "fn scaled(x: Floating, y: Floating, factor: f64) -> Floating { let product = sin(x) * y; product * factor }"),
];

fn expansion(call: &str) -> TokenStream {
    let inside = |call: &str, name: &str| -> TokenStream {
        let rest = &call[name.len() + 1..];
        rest[1..rest.len() - 1].parse().expect("tokens")
    };
    match call.split_once('!').map(|(name, _)| name) {
        Some("shape") => {
            let shape = crate::shape::expand(inside(call, "shape"));
            quote::quote!(type Shape = #shape;)
        }
        Some("tensor") => statement(&crate::tensor::expand(inside(call, "tensor"), Some(call))),
        Some("einsum") => statement(&crate::einsum::expand(inside(call, "einsum"), Ending::Panics)),
        Some("fuse") => statement(&crate::fuse::expand(inside(call, "fuse"), Ending::Panics)),
        _ => crate::kernel::expand(&TokenStream::new(), call.parse().expect("tokens")),
    }
}

fn statement(expression: &TokenStream) -> TokenStream {
    quote::quote!(fn main() { let y = #expression; })
}

#[test]
fn macros_expand_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut different = Vec::new();
    for (name, call) in CALLS {
        let file = syn::parse2(expansion(call)).unwrap_or_else(|error| panic!("{call} isn't Rust: {error}"));
        let text = format!("// {call}\n{}", prettyplease::unparse(&file));
        let path = folder.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &text).expect("the snapshot can be written");
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            different.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(different.is_empty(), "UPDATE_GOLDEN=1 records what has changed:\n{}", different.join("\n"));
}
