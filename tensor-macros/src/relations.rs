//! The type-level tables, written out row by row from tensor-spec: promotion and casting.
//! Logic stays in tensor-spec; a row here is one `impl` without a body worth reading.

use latten_spec::{Category, DType, Level, can_cast, promote_levels};
use proc_macro2::TokenStream;
use quote::quote;

/// The Rust type of a computing dtype, as tensor-core's modules name it.
pub(crate) fn native(dtype: DType) -> TokenStream {
    dtype.rust_type().unwrap_or("Any").parse().unwrap_or_default()
}

/// What numbers of the host language count as.
const NUMBERS: [DType; 4] = [DType::Bool, DType::I64, DType::F32, DType::C64];

const RANKS: [Level; 2] = [Level::Dimensioned, Level::ZeroDim];

/// What a rank says about the level of its tensor: one level, or either.
fn ranks() -> [(TokenStream, &'static [Level]); 3] {
    [(quote!(Dimensioned), &RANKS[..1]), (quote!(ZeroDim), &RANKS[1..]), (quote!(AnyRank), &RANKS[..])]
}

/// The result for operands of any of these levels, if there is just one.
fn unanimous(left: DType, lefts: &[Level], right: DType, rights: &[Level]) -> Option<DType> {
    let mut answers = lefts.iter().flat_map(|&l| rights.iter().map(move |&r| promote_levels([(l, left), (r, right)]).ok()));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

/// `impl PromoteWith<left rank, right rank, right> for left`, for every pair of different dtypes and, where it matters, of ranks.
pub(crate) fn promotion() -> TokenStream {
    let mut rows = TokenStream::new();
    for &left in DType::COMPUTING {
        let lhs = native(left);
        for &right in DType::COMPUTING.iter().filter(|&&right| right != left) {
            let rhs = native(right);
            if let Some(result) = unanimous(left, &RANKS, right, &RANKS) {
                let output = native(result);
                rows.extend(quote! {
                    #[diagnostic::do_not_recommend]
                    impl<L: Ranked, R: Ranked> PromoteWith<L, R, #rhs> for #lhs { type Output = #output; }
                });
                continue;
            }
            for (left_rank, lefts) in ranks() {
                for (right_rank, rights) in ranks() {
                    let output = unanimous(left, lefts, right, rights).map_or(quote!(Any), native);
                    rows.extend(quote! {
                        #[diagnostic::do_not_recommend]
                        impl PromoteWith<#left_rank, #right_rank, #rhs> for #lhs { type Output = #output; }
                    });
                }
            }
        }
        let (category, complex) = (category(left.category()), with_number(left, DType::C64));
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl WithNumbers for #lhs { type Category = #category; type WithComplex = #complex; }
            #[diagnostic::do_not_recommend]
            impl<L: Ranked, R: Ranked> PromoteWith<L, R, Any> for #lhs { type Output = Any; }
        });
    }
    rows.extend(with_real_numbers());
    rows.extend(numbers_on_the_left());
    rows
}

/// A category of dtypes as a type.
pub(crate) fn category(category: Category) -> TokenStream {
    match category {
        Category::Boolean => quote!(category::Bool),
        Category::Integral => quote!(category::Integral),
        Category::Floating => quote!(category::Float),
        Category::Complex => quote!(category::Complex),
    }
}

/// What a dtype makes with a number of the host language.
fn with_number(dtype: DType, number: DType) -> TokenStream {
    unanimous(dtype, &RANKS, number, &[Level::Wrapped]).map_or(quote!(Any), native)
}

/// `impl WithReal<E, number> for category`: one row for all numbers, where all dtypes of the category stay what they are.
fn with_real_numbers() -> TokenStream {
    let reals = || NUMBERS.into_iter().filter(|number| number.category() != Category::Complex);
    let stays = |dtypes: &[DType], number| dtypes.iter().all(|&dtype| unanimous(dtype, &RANKS, number, &[Level::Wrapped]) == Some(dtype));
    let mut rows = TokenStream::new();
    for of in [Category::Boolean, Category::Integral, Category::Floating, Category::Complex] {
        let dtypes: Vec<_> = DType::COMPUTING.iter().copied().filter(|dtype| dtype.category() == of).collect();
        let category = category(of);
        if reals().all(|number| stays(&dtypes, number)) {
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<E: Element, N> WithReal<E, N> for #category { type Output = E; }
            });
            continue;
        }
        for number in reals() {
            let output = if stays(&dtypes, number) { quote!(E) } else { with_number(dtypes[0], number) };
            let number = native(number);
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<E: Element> WithReal<E, #number> for #category { type Output = #output; }
            });
        }
    }
    rows
}

/// What types say of the level of a number.
fn wrapped(number: DType) -> TokenStream {
    if number.category() == Category::Complex { quote!(WrappedComplex) } else { quote!(Wrapped) }
}

/// Numbers on the left: `impl PromoteWith<Wrapped, right rank, right> for number`.
fn numbers_on_the_left() -> TokenStream {
    let mut rows = TokenStream::new();
    for number in NUMBERS {
        let (lhs, level) = (native(number), wrapped(number));
        // Promotion has no sides: what a dtype makes with the number behind it is said already, and so functions over a dtype know it.
        let (bound, output) = match number.category() {
            Category::Complex => (quote!(WithNumbers), quote!(E::WithComplex)),
            Category::Boolean | Category::Integral | Category::Floating => {
                (quote!(WithNumbers<Category: WithReal<E, #lhs>>), quote!(<E::Category as WithReal<E, #lhs>>::Output))
            }
        };
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl<E: #bound, R: Ranked> PromoteWith<#level, R, E> for #lhs { type Output = #output; }
        });
        for other in NUMBERS {
            let (rhs, right) = (native(other), wrapped(other));
            let output = unanimous(number, &[Level::Wrapped], other, &[Level::Wrapped]).map_or(quote!(Any), native);
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl PromoteWith<#level, #right, #rhs> for #lhs { type Output = #output; }
            });
        }
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl<R: Ranked> PromoteWith<#level, R, Any> for #lhs { type Output = Any; }
        });
    }
    rows
}

/// What a type says of an operand's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Dimensioned,
    AnyRank,
    ZeroDim,
    Wrapped,
    WrappedComplex,
}

impl Known {
    const TENSORS: [Self; 3] = [Self::Dimensioned, Self::AnyRank, Self::ZeroDim];
    /// Those that count more are first.
    const ALL: [Self; 5] = [Self::Dimensioned, Self::AnyRank, Self::ZeroDim, Self::WrappedComplex, Self::Wrapped];

    /// What is known of the level of two operands' result: with dimensions if one has, and so on.
    fn with(self, other: Self) -> Self {
        *Self::ALL.iter().find(|level| [self, other].contains(level)).unwrap_or(&self)
    }

    /// Whether both have the same priority.
    fn is_beside(self, other: Self) -> bool {
        self == other || (self.is_number() && other.is_number())
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Wrapped | Self::WrappedComplex)
    }

    fn name(self) -> TokenStream {
        match self {
            Self::Dimensioned => quote!(Dimensioned),
            Self::AnyRank => quote!(AnyRank),
            Self::ZeroDim => quote!(ZeroDim),
            Self::Wrapped => quote!(Wrapped),
            Self::WrappedComplex => quote!(WrappedComplex),
        }
    }
}

/// An operand of three: its dtype as a type, and what is known of its level.
type Operand = (TokenStream, Known);

/// What two operands make, and that they make something.
fn promoted((lhs, left): &Operand, (rhs, right): &Operand) -> (Operand, TokenStream) {
    let (l, r) = (left.name(), right.name());
    ((quote!(<#lhs as PromoteWith<#l, #r, #rhs>>::Output), left.with(*right)), quote!(#lhs: PromoteWith<#l, #r, #rhs>))
}

/// The order in which three operands promote: the first two, then the third with what they make. Operands of one level come
/// first; where there are none, the operand that counts most is last.
fn order(levels: [Known; 3]) -> [usize; 3] {
    let [left, middle, right] = levels;
    let most = Known::ALL.iter().find_map(|level| levels.iter().position(|other| other == level));
    match most {
        _ if left.is_beside(middle) => [0, 1, 2],
        _ if left.is_beside(right) => [0, 2, 1],
        _ if middle.is_beside(right) => [1, 2, 0],
        Some(0) => [1, 2, 0],
        Some(1) => [0, 2, 1],
        _ => [0, 1, 2],
    }
}

/// `impl PromotingThree<E, X, Y> for (left level, middle level, right level)`.
pub(crate) fn promotion_of_three() -> TokenStream {
    let mut rows = TokenStream::new();
    for (middle, right) in Known::ALL.into_iter().flat_map(|middle| Known::ALL.map(|right| (middle, right))) {
        // Of two numbers any tensor says what they count, also one of a shape that is a parameter.
        if middle.is_number() && right.is_number() {
            let (m, r) = (middle.name(), right.name());
            let ((numbers, level), promote) = promoted(&(quote!(X), middle), &(quote!(Y), right));
            let number = level.name();
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<L: Ranked, E, X, Y> PromotingThree<E, X, Y> for (L, #m, #r)
                where #promote, E: PromoteWith<L, #number, #numbers> { type Output = <E as PromoteWith<L, #number, #numbers>>::Output; }
            });
            continue;
        }
        for left in Known::TENSORS {
            let operands = [(quote!(E), left), (quote!(X), middle), (quote!(Y), right)];
            let [one, two, three] = order([left, middle, right]);
            let (pair, pair_promotes) = promoted(&operands[one], &operands[two]);
            // A tensor is on the left where one operand is.
            let ((output, _), all_promote) = if three == 0 { promoted(&operands[three], &pair) } else { promoted(&pair, &operands[three]) };
            let (l, m, r) = (left.name(), middle.name(), right.name());
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<E, X, Y> PromotingThree<E, X, Y> for (#l, #m, #r) where #pair_promotes, #all_promote { type Output = #output; }
            });
        }
    }
    rows
}

/// `impl CastInto<output> for result` for every pair that PyTorch allows.
pub(crate) fn casts() -> TokenStream {
    let mut rows = TokenStream::new();
    for &from in DType::COMPUTING {
        let result = native(from);
        for to in DType::COMPUTING.iter().filter(|&&to| can_cast(from, to)) {
            let output = native(*to);
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl CastInto<#output> for #result {}
            });
        }
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl CastInto<Any> for #result {}
        });
    }
    rows
}

/// `impl SameDType<dtype> for dtype`, and for what may be any.
pub(crate) fn same() -> TokenStream {
    let dtypes = DType::COMPUTING.iter().copied().map(native);
    dtypes
        .map(|dtype| {
            quote! {
                #[diagnostic::do_not_recommend]
                impl SameDType<#dtype> for #dtype {}
                #[diagnostic::do_not_recommend]
                impl SameDType<Any> for #dtype {}
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(known: Known) -> &'static [Level] {
        match known {
            Known::Dimensioned => &RANKS[..1],
            Known::AnyRank => &RANKS,
            Known::ZeroDim => &RANKS[1..],
            Known::Wrapped | Known::WrappedComplex => &[Level::Wrapped],
        }
    }

    /// What the types make of three operands: two after the other, without more knowledge of their levels.
    fn in_types(operands: [(DType, Known); 3]) -> Option<DType> {
        let [one, two, three] = order(operands.map(|(_, known)| known)).map(|i| operands[i]);
        let pair = unanimous(one.0, levels(one.1), two.0, levels(two.1))?;
        unanimous(pair, levels(one.1.with(two.1)), three.0, levels(three.1))
    }

    /// Where the types promise a dtype for three operands, it is the dtype whatever the ranks turn out to be.
    #[test]
    fn three_operands_promote_as_one_fold() {
        let (mut promised, mut wrong) = (0, Vec::new());
        for left in Known::TENSORS {
            for (middle, right) in Known::ALL.into_iter().flat_map(|middle| Known::ALL.map(|right| (middle, right))) {
                let dtypes = |known| match known {
                    Known::Wrapped => &NUMBERS[..3],
                    Known::WrappedComplex => &NUMBERS[3..],
                    _ => DType::COMPUTING,
                };
                for &a in dtypes(left) {
                    for &b in dtypes(middle) {
                        for &c in dtypes(right) {
                            let Some(found) = in_types([(a, left), (b, middle), (c, right)]) else { continue };
                            promised += 1;
                            for &l in levels(left) {
                                for &m in levels(middle) {
                                    for &r in levels(right) {
                                        let expected = promote_levels([(l, a), (m, b), (r, c)]).ok();
                                        if expected != Some(found) {
                                            wrong.push(format!("{a} {l:?}, {b} {m:?}, {c} {r:?}: {expected:?}, types {found}"));
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(promised > 20_000, "only {promised}");
        assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    }
}
