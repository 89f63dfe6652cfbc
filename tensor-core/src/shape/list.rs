//! Shapes as lists of dimensions, `(A, (B, ()))`, for what goes along them one dimension after the other: typed indices, orders of dimensions.

use super::{AnyShape, Axis, Dim, Place, Shape, TypeAxis};

/// A tuple of dimensions, as a list.
pub trait Listed: Shape {
    /// The first dimension, and the list of the others.
    type List;
    /// They before a list of dimensions, the last one first.
    type Onto<Made>;
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

/// A list that nobody knows, because a tensor of any shape is part of it.
#[derive(Clone, Copy, Debug)]
pub enum Lost {}

impl<Rest> ReversedOnto<Rest> for Lost {
    type List = Self;
}

#[diagnostic::do_not_recommend]
impl Tupled for Lost {
    type Shape = AnyShape;
}

macro_rules! lists {
    ($(($($dim:ident)*) $list:ty, $onto:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($dim: Dim),*> Listed for ($($dim,)*) {
            type List = $list;
            type Onto<Made> = $onto;
        }

        #[diagnostic::do_not_recommend]
        impl<$($dim: Dim),*> Tupled for $list {
            type Shape = ($($dim,)*);
        }
    )+ };
}

lists! {
    () (), Made;
    (A) (A, ()), (A, Made);
    (A B) (A, (B, ())), (B, (A, Made));
    (A B C) (A, (B, (C, ()))), (C, (B, (A, Made)));
    (A B C E) (A, (B, (C, (E, ())))), (E, (C, (B, (A, Made))));
    (A B C E F) (A, (B, (C, (E, (F, ()))))), (F, (E, (C, (B, (A, Made)))));
    (A B C E F G) (A, (B, (C, (E, (F, (G, ())))))), (G, (F, (E, (C, (B, (A, Made))))));
    (A B C E F G H) (A, (B, (C, (E, (F, (G, (H, ()))))))), (H, (G, (F, (E, (C, (B, (A, Made)))))));
    (A B C E F G H I) (A, (B, (C, (E, (F, (G, (H, (I, ())))))))), (I, (H, (G, (F, (E, (C, (B, (A, Made))))))));
}

/// A dimension that isn't named.
#[derive(Clone, Copy, Debug)]
pub enum Stays {}

/// A dimension that is named.
#[derive(Clone, Copy, Debug)]
pub enum Goes {}

/// A list, and as many marks, of which none is named yet.
pub trait Marked {
    /// The marks.
    type Marks;
}

impl Marked for () {
    type Marks = ();
}

impl<First, Others: Marked> Marked for (First, Others) {
    type Marks = (Stays, Others::Marks);
}

/// What is left of a list of dimensions without those at some places.
pub trait WithoutPlaces<Places> {
    /// The shape without them.
    type Shape: Shape;
}

impl<List, Places> WithoutPlaces<Places> for List
where
    List: Marked<Marks: NamedAt<Places>> + Remaining<<List::Marks as NamedAt<Places>>::Marks, List: Tupled>,
{
    type Shape = <List::List as Tupled>::Shape;
}

/// Marks of which those at some places are named.
pub trait NamedAt<Places> {
    /// The marks.
    type Marks;
}

impl<Marks> NamedAt<()> for Marks {
    type Marks = Marks;
}

impl<Marks: TakenAt<At, Marks: NamedAt<Others>>, At, Others> NamedAt<(At, Others)> for Marks {
    type Marks = <Marks::Marks as NamedAt<Others>>::Marks;
}

/// Marks of which one is named.
pub trait TakenAt<At> {
    /// The marks.
    type Marks;
}

impl<First: StillThere, Others> TakenAt<Place<0>> for (First, Others) {
    type Marks = (Goes, Others);
}

macro_rules! further {
    ($($at:literal: $before:literal),+) => { $(
        impl<First, Others: TakenAt<Place<$before>>> TakenAt<Place<$at>> for (First, Others) {
            type Marks = (First, Others::Marks);
        }
    )+ };
}

further!(1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6);

/// A dimension that wasn't named before.
#[diagnostic::on_unimplemented(message = "dim appears multiple times in the list of dims", label = "names a dimension twice")]
pub trait StillThere {}

impl StillThere for Stays {}

/// A list without what is named.
pub trait Remaining<Marks> {
    /// The list.
    type List;
}

impl Remaining<()> for () {
    type List = ();
}

impl<First, Others: Remaining<Marks>, Marks> Remaining<(Goes, Marks)> for (First, Others) {
    type List = Others::List;
}

impl<First, Others: Remaining<Marks>, Marks> Remaining<(Stays, Marks)> for (First, Others) {
    type List = (First, Others::List);
}

/// A shape in which the dimensions of a list of axes have size 1.
pub trait KeptAlong<Axes>: Shape {
    /// The shape.
    type Kept: Shape;
}

impl<S: Shape> KeptAlong<()> for S {
    type Kept = S;
}

impl<S: Axis<AXIS, Kept: KeptAlong<Others>>, Others, const AXIS: isize> KeptAlong<(TypeAxis<AXIS>, Others)> for S {
    type Kept = <S::Kept as KeptAlong<Others>>::Kept;
}
