//! What `i![.., 0, 1..3]` writes: an index whose entries are types, so that the sizes of the view follow and what isn't there doesn't
//! compile. The entries go along the list of the dimensions, those after `...` from its end.

use std::ops::RangeFull;

use smallvec::SmallVec;
use typenum::{B0, B1, IsGreaterOrEqual, IsLessOrEqual, U1024};

use super::choice::{Selector, Selectors};
use super::index::{Entries, Index, IndexEntry, NewAxis};
use crate::index::{Entry, Span};
use crate::shape::{AnyShape, Counted, D, Dim, Dyn, Listed, One, ReversedOnto, Shape, SizeInteger, SmallNumber, Tupled};

mod reach;

pub use reach::{Enough, HasPlace, HasRange, Reach, TooFew};

/// An index: the list of its entries from the front, and of those after `...`, the last one first.
#[derive(Clone, Copy, Debug)]
pub struct Path<Front, Back> {
    /// From the first dimension on.
    pub front: Front,
    /// From the last dimension backwards; nothing without `...`.
    pub back: Option<Back>,
}

/// A written integer, which needs a dimension of at least `NEEDS` places; it is the entry of that number.
#[derive(Clone, Copy, Debug)]
pub struct At<const INDEX: isize, const NEEDS: usize, const POSITION: usize>;

/// A written range of `L` places, in a dimension of at least `NEEDS`.
#[derive(Clone, Copy, Debug)]
pub struct Within<L, const NEEDS: usize, const POSITION: usize>(pub Span, pub L);

/// A written range of all but `WITHOUT` places, each `STEP` after the one before.
#[derive(Clone, Copy, Debug)]
pub struct Without<const WITHOUT: usize, const STEP: usize, const POSITION: usize>(pub Span);

/// A range that begins where only the run knows, of `L` places: `k..k + 8`.
#[derive(Clone, Copy, Debug)]
pub struct LookedWithin<L>(pub Span, pub L);

/// An integer or a range that only the run knows.
#[derive(Clone, Copy, Debug)]
pub struct Looked<I>(pub I);

/// A tensor that chooses: `&rows`.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a, T>(pub &'a T);

/// Tensors beside each other in an index, which choose together: their shapes stretch.
#[derive(Clone, Copy, Debug)]
pub struct Together<First, Others>(pub First, pub Others);

/// An index with several tensors that are apart, or with one and `...`: only the run knows the shape of what they choose.
#[derive(Clone, Copy, Debug)]
pub struct Several<Index>(pub Index);

/// All places of a dimension, from which a tensor chooses.
pub(super) const ALL: Entry = Entry::Span(Span { start: None, end: None, step: 1 });

/// The entries of a list, in its order.
pub trait EntryList {
    /// How many tensors are among them.
    const CHOOSES: usize;
    /// Whether one of these isn't borrowed.
    const ALONE: bool;

    /// Puts them after those that are there.
    fn list(&self, entries: &mut Entries);
    /// The same with tensors.
    fn select<'a>(&'a self, selectors: &mut Selectors<'a>);
}

impl EntryList for () {
    const CHOOSES: usize = 0;
    const ALONE: bool = false;

    fn list(&self, _: &mut Entries) {}
    fn select<'a>(&'a self, _: &mut Selectors<'a>) {}
}

impl<First: PathEntry, Others: EntryList> EntryList for (First, Others) {
    const CHOOSES: usize = First::CHOOSES + Others::CHOOSES;
    const ALONE: bool = First::ALONE || Others::ALONE;

    fn list(&self, entries: &mut Entries) {
        self.0.list(entries);
        self.1.list(entries);
    }

    fn select<'a>(&'a self, selectors: &mut Selectors<'a>) {
        self.0.select(selectors);
        self.1.select(selectors);
    }
}

/// An entry as a value, or tensors that stand beside each other.
pub trait PathEntry {
    /// How many tensors it is.
    const CHOOSES: usize = 0;
    /// Whether it is a tensor that isn't borrowed.
    const ALONE: bool = false;

    /// Puts it after those that are there; of a tensor, all that it chooses from.
    fn list(&self, entries: &mut Entries);
    /// The same with tensors.
    fn select<'a>(&'a self, selectors: &mut Selectors<'a>);
}

/// An entry that is no tensor.
macro_rules! entry {
    ($this:ident => $value:expr) => {
        fn list(&$this, entries: &mut Entries) {
            entries.push($value);
        }

        fn select<'a>(&'a $this, selectors: &mut Selectors<'a>) {
            selectors.push(Selector::Entry($value));
        }
    };
}

/// An entry that speaks of a dimension.
#[diagnostic::on_unimplemented(
    message = "types don't count the size `{Size}`",
    label = "a parameter",
    note = "leave it to the run: in parentheses, `i![(0)]`, `i![(1)..]`"
)]
pub trait EntryOn<Size>: PathEntry {
    /// The dimensions that were made before, the last one first, and what this entry makes of its dimension.
    type Onto<Made>;
}

/// Entries that go along the dimensions of a tensor of `RANK` dimensions.
#[diagnostic::on_unimplemented(
    message = "too many indices for tensor of dimension {RANK}",
    label = "more entries than the tensor has dimensions",
    note = "each integer and each range is for one dimension; `NewAxis` makes a new one"
)]
pub trait PathAlong<Dims, Made, const RANK: usize>: EntryList {
    /// What they make, the last one first.
    type Made;
    /// The dimensions that they don't speak of.
    type Left;
}

impl<Dims, Made, const RANK: usize> PathAlong<Dims, Made, RANK> for () {
    type Made = Made;
    type Left = Dims;
}

impl<Dims, Made, Others: PathAlong<Dims, (One, Made), RANK>, const RANK: usize> PathAlong<Dims, Made, RANK> for (NewAxis, Others) {
    type Made = Others::Made;
    type Left = Others::Left;
}

macro_rules! along {
    ($([$($generics:tt)*] $entry:ty;)+) => { $(
        impl<Size, Dims, Made, Others, const RANK: usize, $($generics)*> PathAlong<(Size, Dims), Made, RANK> for ($entry, Others)
        where
            $entry: EntryOn<Size>,
            Others: PathAlong<Dims, <$entry as EntryOn<Size>>::Onto<Made>, RANK>,
        {
            type Made = Others::Made;
            type Left = Others::Left;
        }
    )+ };
}

along! {
    [] RangeFull;
    [const INDEX: isize, const NEEDS: usize, const POSITION: usize] At<INDEX, NEEDS, POSITION>;
    [L, const NEEDS: usize, const POSITION: usize] Within<L, NEEDS, POSITION>;
    [const WITHOUT: usize, const STEP: usize, const POSITION: usize] Without<WITHOUT, STEP, POSITION>;
    [L] LookedWithin<L>;
    [I] Looked<I>;
}

impl PathEntry for NewAxis {
    entry!(self => self.entry());
}

impl PathEntry for RangeFull {
    entry!(self => self.entry());
}

impl<Size> EntryOn<Size> for RangeFull {
    type Onto<Made> = (Size, Made);
}

impl<const INDEX: isize, const NEEDS: usize, const POSITION: usize> PathEntry for At<INDEX, NEEDS, POSITION> {
    entry!(self => Entry::At(INDEX));
}

impl<L, const NEEDS: usize, const POSITION: usize> PathEntry for Within<L, NEEDS, POSITION> {
    entry!(self => Entry::Span(self.0));
}

impl<const WITHOUT: usize, const STEP: usize, const POSITION: usize> PathEntry for Without<WITHOUT, STEP, POSITION> {
    entry!(self => Entry::Span(self.0));
}

impl<I: LookedEntry> PathEntry for Looked<I> {
    const CHOOSES: usize = I::CHOOSES as usize;
    const ALONE: bool = I::CHOOSES;

    fn list(&self, entries: &mut Entries) {
        entries.push(match self.0.selector() {
            Selector::Entry(entry) => entry,
            Selector::Tensor(_) => ALL,
        });
    }

    fn select<'a>(&'a self, selectors: &mut Selectors<'a>) {
        selectors.push(self.0.selector());
    }
}

impl<const INDEX: isize, const NEEDS: usize, const POSITION: usize> EntryOn<Dyn> for At<INDEX, NEEDS, POSITION> {
    type Onto<Made> = Made;
}

// The run cuts a range off at the end of a dimension, as Python does, so that the length isn't known.
impl<L, const NEEDS: usize, const POSITION: usize> EntryOn<Dyn> for Within<L, NEEDS, POSITION> {
    type Onto<Made> = (Dyn, Made);
}

impl<const WITHOUT: usize, const STEP: usize, const POSITION: usize> EntryOn<Dyn> for Without<WITHOUT, STEP, POSITION> {
    type Onto<Made> = (Dyn, Made);
}

impl<L> PathEntry for LookedWithin<L> {
    entry!(self => Entry::Span(self.0));
}

impl<L: Dim, Size> EntryOn<Size> for LookedWithin<L> {
    type Onto<Made> = (L, Made);
}

/// An entry of an index in parentheses, or one that isn't written as numbers: an integer or a range.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an entry of `i![…]`",
    label = "not an integer and not a range",
    note = "entries are integers, ranges (`..`, `1..-1`, `1..;2`), `...`, `NewAxis`, and tensors of places or a mask; one that is borrowed has its `&` written there, of a reference, too: `i![&rows]`"
)]
pub trait LookedEntry {
    /// Whether it is a tensor.
    const CHOOSES: bool = false;
    /// The dimensions that were made before, and what this entry makes of one.
    type Onto<Made>;

    /// The entry.
    fn selector(&self) -> Selector<'_>;
}

impl<I: LookedEntry, Size> EntryOn<Size> for Looked<I> {
    type Onto<Made> = I::Onto<Made>;
}

macro_rules! looked {
    ($([$($generics:tt)*] $entry:ty => $Made:ident $onto:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> LookedEntry for $entry {
            type Onto<$Made> = $onto;

            fn selector(&self) -> Selector<'_> {
                Selector::Entry(self.entry())
            }
        }
    )+ };
}

looked! {
    [] i32 => Made Made;
    [] i64 => Made Made;
    [] isize => Made Made;
    [] u32 => Made Made;
    [] u64 => Made Made;
    [] usize => Made Made;
    [T: SizeInteger] std::ops::RangeFrom<T> => Made (Dyn, Made);
    [T: SizeInteger] std::ops::RangeTo<T> => Made (Dyn, Made);
    [T: SizeInteger] std::ops::Range<T> => Made (Dyn, Made);
    [T: SizeInteger] std::ops::RangeToInclusive<T> => Made (Dyn, Made);
    [T: SizeInteger] std::ops::RangeInclusive<T> => Made (Dyn, Made);
    [] Span => Made (Dyn, Made);
}

/// An entry that speaks of a dimension whose size, `N`, types know and count.
pub trait EntryOnKnown<Size, const N: usize> {
    /// What [`EntryOn`] says.
    type Onto<Made>;
}

impl<Size, Number, Needs, const N: usize, const INDEX: isize, const NEEDS: usize, const POSITION: usize> EntryOnKnown<Size, N>
    for At<INDEX, NEEDS, POSITION>
where
    Size: Counted<Number = Number>,
    D<NEEDS>: Counted<Number = Needs>,
    Number: IsGreaterOrEqual<Needs, Output: Reach<Reach: HasPlace<INDEX, N, POSITION>>>,
{
    type Onto<Made> = Made;
}

impl<L, Size, Number, Needs, const N: usize, const NEEDS: usize, const POSITION: usize> EntryOnKnown<Size, N> for Within<L, NEEDS, POSITION>
where
    Size: Counted<Number = Number>,
    D<NEEDS>: Counted<Number = Needs>,
    Number: IsGreaterOrEqual<Needs, Output: Reach<Reach: HasRange<NEEDS, N, POSITION>>>,
{
    type Onto<Made> = (L, Made);
}

impl<Size, Number, Less, Step, const N: usize, const WITHOUT: usize, const STEP: usize, const POSITION: usize> EntryOnKnown<Size, N>
    for Without<WITHOUT, STEP, POSITION>
where
    Size: Counted<Number = Number>,
    D<WITHOUT>: Counted<Number = Less>,
    D<STEP>: Counted<Number = Step>,
    Number: IsGreaterOrEqual<Less, Output: Reach<Reach: HasRange<WITHOUT, N, POSITION>> + LessIn<Number, Less, Step>>,
{
    type Onto<Made> = (<<Number as IsGreaterOrEqual<Less>>::Output as LessIn<Number, Less, Step>>::Size, Made);
}

macro_rules! on_known {
    ($([$($generics:tt)*] $entry:ty;)+) => { $(
        impl<$($generics)*> EntryOn<One> for $entry
        where
            Self: PathEntry + EntryOnKnown<One, 1>,
        {
            type Onto<Made> = <Self as EntryOnKnown<One, 1>>::Onto<Made>;
        }

        impl<const N: usize, $($generics)*> EntryOn<D<N>> for $entry
        where
            Self: PathEntry + EntryOnKnown<D<N>, N>,
        {
            type Onto<Made> = <Self as EntryOnKnown<D<N>, N>>::Onto<Made>;
        }
    )+ };
}

on_known! {
    [const INDEX: isize, const NEEDS: usize, const POSITION: usize] At<INDEX, NEEDS, POSITION>;
    [L, const NEEDS: usize, const POSITION: usize] Within<L, NEEDS, POSITION>;
    [const WITHOUT: usize, const STEP: usize, const POSITION: usize] Without<WITHOUT, STEP, POSITION>;
}

/// A number of typenum without another one, in steps of a third, rounded up; where the other one is larger, whatever.
pub trait LessIn<Number, Less, Step> {
    /// The dimension of that size.
    type Size: Dim;
}

impl<Number, Less, Step> LessIn<Number, Less, Step> for B0 {
    type Size = Dyn;
}

#[expect(clippy::use_self, reason = "here B1 is a number, and above it an answer")]
impl<Number, Less, Step, Left, Whole, Rounded, Count> LessIn<Number, Less, Step> for B1
where
    Number: std::ops::Sub<Less, Output = Left>,
    Left: std::ops::Add<Step, Output = Whole>,
    Whole: std::ops::Sub<B1, Output = Rounded>,
    Rounded: std::ops::Div<Step, Output = Count>,
    Count: IsLessOrEqual<U1024, Output: SmallNumber<Count>>,
{
    type Size = <<Count as IsLessOrEqual<U1024>>::Output as SmallNumber<Count>>::Size;
}

/// Of a tensor that isn't borrowed types know the place only where it is the only one, and counted from the front.
#[track_caller]
const fn assert_borrowed(choosers: usize, [front, back]: [bool; 2]) {
    const SEVERAL: &str = "i!: of several tensors each is borrowed, `i![&mask, &rows]`";
    const BEHIND: &str = "i!: behind `...` a tensor is borrowed, `i![..., &rows]`";
    if choosers > 1 && (front || back) {
        panic!("{}", SEVERAL);
    }
    if back {
        panic!("{}", BEHIND);
    }
}

impl<Front: EntryList, Back: EntryList> Path<Front, Back> {
    const BORROWED: () = assert_borrowed(Front::CHOOSES + Back::CHOOSES, [Front::ALONE, Back::ALONE]);

    fn selected(&self) -> Option<Selectors<'_>> {
        (Front::CHOOSES + Back::CHOOSES > 0).then(|| self.all_selectors())
    }

    /// All entries, whether there are tensors among them or not.
    pub(super) fn all_selectors(&self) -> Selectors<'_> {
        let mut selectors = Selectors::new();
        self.front.select(&mut selectors);
        if let Some(back) = &self.back {
            selectors.push(Selector::Entry(Entry::Ellipsis));
            let mut behind = Selectors::new();
            back.select(&mut behind);
            selectors.extend(behind.into_iter().rev());
        }
        selectors
    }

    fn all(&self) -> Entries {
        let mut entries = Entries::new();
        self.front.list(&mut entries);
        if let Some(back) = &self.back {
            entries.push(Entry::Ellipsis);
            let mut behind: Entries = SmallVec::new();
            back.list(&mut behind);
            entries.extend(behind.into_iter().rev());
        }
        entries
    }
}

impl<Front: EntryList, Back: EntryList> Index<AnyShape> for Path<Front, Back> {
    type Shape = AnyShape;

    fn entries(&self) -> Entries {
        self.all()
    }

    fn selectors(&self) -> Option<Selectors<'_>> {
        self.selected()
    }
}

impl<S: Shape, Front: EntryList, Back: EntryList> Index<S> for Several<Path<Front, Back>> {
    type Shape = AnyShape;

    fn entries(&self) -> Entries {
        self.0.all()
    }

    fn selectors(&self) -> Option<Selectors<'_>> {
        self.0.selected()
    }
}

/// What an index makes of a list of dimensions: its entries from the front, those from the back, and what is left between them.
pub trait Viewed<Dims, const RANK: usize> {
    /// The shape of the view.
    type Shape: Shape;
}

impl<Front, Back, Dims, Made, Between, Turned, MadeBehind, Left, Behind, Whole, const RANK: usize> Viewed<Dims, RANK> for Path<Front, Back>
where
    Front: PathAlong<Dims, (), RANK, Made = Made, Left = Between>,
    Between: ReversedOnto<(), List = Turned>,
    Back: PathAlong<Turned, (), RANK, Made = MadeBehind, Left = Left>,
    Left: ReversedOnto<MadeBehind, List = Behind>,
    Made: ReversedOnto<Behind, List = Whole>,
    Whole: Tupled,
{
    type Shape = Whole::Shape;
}

macro_rules! of_rank {
    ($($rank:literal ($($dim:ident)*);)+) => { $(
        impl<Front: EntryList, Back: EntryList, View: Shape, $($dim: Dim),*> Index<($($dim,)*)> for Path<Front, Back>
        where
            Self: Viewed<<($($dim,)*) as Listed>::List, $rank, Shape = View>,
        {
            type Shape = View;
            const SOUND: () = Self::BORROWED;

            fn entries(&self) -> Entries {
                self.all()
            }

            fn selectors(&self) -> Option<Selectors<'_>> {
                self.selected()
            }
        }
    )+ };
}

of_rank! {
    0 ();
    1 (A);
    2 (A B);
    3 (A B C);
    4 (A B C E);
    5 (A B C E F);
    6 (A B C E F G);
    7 (A B C E F G H);
    8 (A B C E F G H I);
}
