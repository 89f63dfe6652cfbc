//! The lines of `tests/every_name/` once more, of tensors whose types know neither dtype nor shape: each method and each function takes what each
//! call by name takes. `tests/from_pytorch.rs` runs them with types that know both.
#![expect(unused_mut, reason = "what is changed is the same without what its type knew")]

/// What lines know, but dimensions are numbers of the run, as types without a shape have none.
mod prelude {
    pub(crate) use latten::prelude::*;

    pub(crate) fn axis<const N: isize>() -> isize {
        N
    }

    macro_rules! axes {
        ($($dim:expr),*) => { [$($dim),*] };
    }
    pub(crate) use axes;
}

/// These operands forget what their types know.
macro_rules! erase {
    ($($name:ident),*) => { $(let mut $name = $name.erase();)* };
}

/// What can't be: patterns of as many tensors or sizes as types count, of which the run makes lists; dimensions where a number is a size.
macro_rules! typed {
    ($($line:tt)*) => {};
}

#[path = "from_pytorch/themes.rs"]
mod themes;

fn ty<T>(given: T) {
    drop(given);
}

#[test]
fn every_line_takes_tensors_without_a_dtype_and_a_shape() {
    let refused: Vec<String> =
        themes::THEMES.iter().filter_map(|(theme, run)| run().err().map(|error| format!("{theme}: {error}"))).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}
