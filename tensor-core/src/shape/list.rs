//! Shapes as lists of dimensions, `(A, (B, ()))`, for what goes along them one dimension after the other: typed indices, orders of dimensions.

use super::{Dim, Shape};

/// A tuple of dimensions, as a list.
pub trait Listed: Shape {
    /// The first dimension, and the list of the others.
    type List;
}

/// A list of dimensions, as a tuple.
#[diagnostic::on_unimplemented(
    message = "types have at most 8 dimensions",
    label = "gives more than 8 dimensions",
    note = "`x.erase()` leaves the shape to the run"
)]
pub trait Tupled {
    /// The shape.
    type Shape: Shape;
}

/// A list put before another one, in reverse.
pub trait ReversedOnto<Rest> {
    /// The last of the list first, then its others, then the rest.
    type List;
}

impl<Rest> ReversedOnto<Rest> for () {
    type List = Rest;
}

impl<Rest, First, Others: ReversedOnto<(First, Rest)>> ReversedOnto<Rest> for (First, Others) {
    type List = Others::List;
}

macro_rules! lists {
    ($(($($dim:ident)*) $list:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($dim: Dim),*> Listed for ($($dim,)*) {
            type List = $list;
        }

        #[diagnostic::do_not_recommend]
        impl<$($dim: Dim),*> Tupled for $list {
            type Shape = ($($dim,)*);
        }
    )+ };
}

lists! {
    () ();
    (A) (A, ());
    (A B) (A, (B, ()));
    (A B C) (A, (B, (C, ())));
    (A B C E) (A, (B, (C, (E, ()))));
    (A B C E F) (A, (B, (C, (E, (F, ())))));
    (A B C E F G) (A, (B, (C, (E, (F, (G, ()))))));
    (A B C E F G H) (A, (B, (C, (E, (F, (G, (H, ())))))));
    (A B C E F G H I) (A, (B, (C, (E, (F, (G, (H, (I, ()))))))));
}
