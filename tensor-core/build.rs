//! Writes the device functions of all operations, in CUDA, from the tables of tensor-spec: one `.cu` text for each operation, and a table
//! by which the launcher finds them. Without the feature `cuda` it writes nothing. Kernels around them: `src/cuda/source.rs`. With the
//! feature `precompiled` it compiles those too: `build/precompiled.rs`.

#[cfg(feature = "precompiled")]
#[path = "build/error.rs"]
mod error;
#[cfg(feature = "precompiled")]
#[path = "build/precompiled.rs"]
mod precompiled;

// What the run time finds its kernels by is what it looks for them by: these files are its own.
#[cfg(feature = "precompiled")]
#[path = "src/cuda/compiler.rs"]
mod compiler;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/folds.rs"]
mod folds;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/keys.rs"]
mod keys;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/pack.rs"]
mod pack;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/products.rs"]
mod products;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/rows.rs"]
mod rows;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[path = "src/cuda/source.rs"]
mod source;
#[cfg(feature = "precompiled")]
#[allow(dead_code, reason = "the rest is for the run time")]
#[allow(unreachable_pub, reason = "the run time exports it")]
#[path = "src/step.rs"]
mod step;

/// The device functions that this script has written.
#[cfg(feature = "precompiled")]
mod functions {
    use std::sync::OnceLock;

    use latten_spec::Category;
    use latten_spec::operation::Op;
    use latten_spec::reduction::Reduction;

    /// A fold of a reduction for a category, its text, and which of its accumulators are of parts of numbers.
    type Fold = (Reduction, usize, Category, &'static str, &'static [bool]);

    pub(crate) static TEXTS: OnceLock<Vec<(Op, Category, &'static str)>> = OnceLock::new();
    pub(crate) static FOLDS: OnceLock<Vec<Fold>> = OnceLock::new();

    pub(crate) fn text(op: Op, category: Category) -> Option<&'static str> {
        let (_, _, text) = TEXTS.get()?.iter().find(|row| (row.0, row.1) == (op, category))?;
        Some(text)
    }

    pub(crate) fn fold(op: Reduction, fold: usize, category: Category) -> Option<(&'static str, &'static [bool])> {
        let row = FOLDS.get()?.iter().find(|row| (row.0, row.1, row.2) == (op, fold, category))?;
        Some((row.3, row.4))
    }
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/cuda/prelude.cuh");
    #[cfg(feature = "cuda")]
    cuda::write();
    #[cfg(feature = "precompiled")]
    precompiled::write();
}

#[cfg(feature = "cuda")]
mod cuda {
    use std::fmt::Write as _;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use latten_kernel::check::{self, FUNCTIONS};
    use latten_kernel::fold::Fold;
    use latten_kernel::{Kind, cuda, parse};
    use latten_spec::operation::{Categories, Op, Trait};
    use latten_spec::reduction::Reduction;
    use latten_spec::{Category, DType};

    const CATEGORIES: [Category; 4] = [Category::Boolean, Category::Integral, Category::Floating, Category::Complex];

    pub(super) fn write() {
        let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("cuda");
        fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        check_prelude();
        let (mut table, mut manifest) = (String::new(), String::new());
        table.push_str("pub(crate) static FUNCTIONS: &[Row] = &[\n");
        let mut texts = Vec::new();
        for &op in Op::ALL {
            let text: &'static str = write_operation(op, &folder, &mut table, &mut manifest).leak();
            texts.extend(CATEGORIES.iter().filter(|&&category| op.row().formula(category).is_some()).map(|&category| (op, category, text)));
        }
        #[cfg(feature = "precompiled")]
        super::functions::TEXTS.set(texts).expect("they are written once");
        #[cfg(not(feature = "precompiled"))]
        drop(texts);
        table.push_str("];\n");
        let folds = write_folds(&mut table);
        #[cfg(feature = "precompiled")]
        super::functions::FOLDS.set(folds).expect("they are written once");
        #[cfg(not(feature = "precompiled"))]
        drop(folds);
        fs::write(folder.join("functions.rs"), table).expect("OUT_DIR is writable");
        fs::write(folder.join("manifest.txt"), manifest).expect("OUT_DIR is writable");
    }

    /// One operation: its device functions, their rows in the table, and a line for each dtype that it computes in; returns all of
    /// its functions.
    fn write_operation(op: Op, folder: &Path, table: &mut String, manifest: &mut String) -> String {
        let file = format!("{}.cu", op.name());
        let mut text = format!("// {op}({})\n", op.row().operands.join(", "));
        for category in CATEGORIES {
            let Some(formula) = op.row().formula(category) else { continue };
            let name = format!("{}_{}", op.name(), format!("{category:?}").to_lowercase());
            let tree = parse::formula(formula).unwrap_or_else(|mistake| panic!("{op} for {category:?}: {}: {formula}", mistake.message));
            let function = cuda::function(&name, &tree, category, &operands(op, category))
                .unwrap_or_else(|mistake| panic!("{op} for {category:?}: {}: {formula}", mistake.message));
            text.push_str(&function.text);
            _ = writeln!(
                table,
                "    Row {{ op: Op::{}, category: Category::{category:?}, \
                 text: include_str!(concat!(env!(\"OUT_DIR\"), \"/cuda/{file}\")) }},",
                op.variant()
            );
            for dtype in DType::COMPUTING.iter().filter(|dtype| dtype.category() == category) {
                _ = writeln!(manifest, "{op} {dtype} {name}<{}>", dtype.computing().variant().to_lowercase());
            }
        }
        fs::write(folder.join(file), &text).expect("OUT_DIR is writable");
        text
    }

    /// What is written of a fold: its number in its row, for which numbers, its functions, and which accumulators are of parts of numbers.
    type WrittenFold = (Reduction, usize, Category, &'static str, &'static [bool]);

    /// The device functions of all folds of the table of reductions: a function for each term, one for the result.
    fn write_folds(table: &mut String) -> Vec<WrittenFold> {
        table.push_str("pub(crate) static FOLDS: &[Fold] = &[\n");
        let mut written = Vec::new();
        for &op in Reduction::ALL {
            for (at, fold) in op.row().folds.iter().enumerate() {
                for category in CATEGORIES {
                    let refused = |mistake: latten_kernel::Mistake| panic!("{} for {category:?}: {}", op.row().name, mistake.message);
                    let Some(formulas) = Fold::new(op.row(), fold, category).unwrap_or_else(refused) else { continue };
                    let name = format!("{}{at}_{}", op.row().name, format!("{category:?}").to_lowercase());
                    let mut text = String::new();
                    for (number, (tree, _)) in formulas.terms.iter().enumerate() {
                        let function = cuda::function(&format!("{name}_term{number}"), tree, category, &formulas.scope);
                        text.push_str(&function.unwrap_or_else(|mistake| panic!("{name}: {}", mistake.message)).text);
                    }
                    let result = cuda::function(&format!("{name}_result"), &formulas.finish, formulas.category, &formulas.names);
                    text.push_str(&result.unwrap_or_else(|mistake| panic!("{name}: {}", mistake.message)).text);
                    let parts: Vec<bool> = formulas.terms.iter().map(|(_, kind)| *kind == Kind::Part).collect();
                    _ = writeln!(
                        table,
                        "    Fold {{ op: Reduction::{}, fold: {at}, category: Category::{category:?}, text: {text:?}, parts: &{parts:?} }},",
                        op.variant()
                    );
                    written.push((op, at, category, &*text.leak(), &*parts.leak()));
                }
            }
        }
        table.push_str("];\n");
        written
    }

    /// What the formula of an operation may name.
    fn operands(op: Op, category: Category) -> Vec<(String, Kind)> {
        let row = op.row();
        let condition = |i: usize| i == 0 && row.is(Trait::Conditional);
        let operand = |(i, name): (usize, &&str)| ((*name).to_owned(), if condition(i) { Kind::Truth } else { check::value(category) });
        let params = row.params.iter().map(|(name, _)| ((*name).to_owned(), check::value(category)));
        row.operands.iter().enumerate().map(operand).chain(params).collect()
    }

    /// That the prelude has every function of the language, for floats and for complex numbers.
    fn check_prelude() {
        let prelude = include_str!("src/cuda/prelude.cuh");
        for function in FUNCTIONS {
            let name = function.symbol;
            let defined = |forms: &[String]| forms.iter().any(|form| prelude.contains(form.as_str()));
            let real = [format!(" {name}(const "), format!("_WORD({name},"), format!("_WORD_2({name},")];
            let complex = [
                format!("> {name}(const cplx<P>"),
                format!("COMPLEX_WORD({name})"),
                format!(" {name}(const T "),
                format!("P {name}(const cplx<P>"),
                format!("C {name}(const part<C>"),
            ];
            assert!(
                function.takes == Categories::COMPLEX || defined(&real),
                "src/cuda/prelude.cuh has no `{name}`, which tensor-kernel/src/check.rs lists"
            );
            assert!(
                !function.takes.contains(Category::Complex) || defined(&complex),
                "src/cuda/prelude.cuh has no complex `{name}`, which tensor-kernel/src/check.rs lists"
            );
        }
    }
}
