//! The methods of tensors, from tensor-spec's table of operations: for each operation a plain form, `try_…`, in place and into an
//! output, for one to three operands; and once more with its parameters, where it has some.

use latten_spec::operation::{Op, ResultRule, Trait};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The methods of tensors for every operation that is no view and whose name Rust lets be a method's.
pub(crate) fn methods() -> TokenStream {
    let called = |op: &&Op| !matches!(op, Op::Real | Op::Imag | Op::Where) && !op.row().is(Trait::Reduced);
    Op::ALL.iter().copied().filter(|op| called(&op)).flat_map(forms).map(|form| form.expand()).collect()
}

/// One type an operation, for fused expressions.
pub(crate) fn marks() -> TokenStream {
    let fused = Op::ALL.iter().filter(|op| !op.row().is(Trait::Conditional));
    let marks = fused.map(|op| {
        let (variant, row) = (format_ident!("{}", op.variant()), op.row());
        let (doc, params, exact) = (format!("`{}`.", row.name), row.params.len(), row.is(Trait::ExactScalars));
        let default = |i: usize| row.params.get(i).map_or(0.0, |&(_, default)| default);
        let all = [0, 1, 2].map(default);
        let defaults = if has_limits(*op) { quote!(None) } else { quote!(Some([#(#all),*])) };
        quote! {
            #[doc = #doc]
            #[derive(Debug)]
            pub enum #variant {}
            impl Mark for #variant {
                const OPERATION: AnyOperation = AnyOperation::Table(Op::#variant);
                const PARAMS: usize = #params;
                const EXACT: bool = #exact;
                const DEFAULTS: Option<[f64; 3]> = #defaults;
            }
            impl<E: op::#variant> On<#variant> for E {
                type Output = <E as op::#variant>::Output;
                type Common = <E as op::#variant>::Common;
                type Formula = <E as op::#variant>::Formula;
            }
        }
    });
    marks.collect()
}

/// Whether the defaults of an operation depend on the dtype.
fn has_limits(op: Op) -> bool {
    op.row().params.iter().any(|(_, default)| default.abs() >= f64::MAX)
}

/// The methods of fused expressions: the plain form of each operation.
pub(crate) fn fused_methods() -> TokenStream {
    let called = Op::ALL.iter().copied().filter(|op| !op.row().is(Trait::Conditional) && !op.row().is(Trait::Reduced));
    called.flat_map(forms).map(|form| form.fused()).collect()
}

/// One way to call an operation: with its parameters, or with their defaults.
struct Form {
    op: Op,
    name: String,
    /// How many parameters the method takes.
    given: usize,
    /// The parameters as arguments of a method.
    parameters: TokenStream,
    /// The same as the engine's `Params`.
    values: TokenStream,
    /// What the documentation says of them.
    doc: String,
}

/// Every way to call an operation.
fn forms(op: Op) -> Vec<Form> {
    let row = op.row();
    let name = row.name;
    let defaults: Vec<_> = row.params.iter().map(|(param, default)| format!("`{param}` is {}", shown(*default))).collect();
    let doc = if defaults.is_empty() { String::new() } else { format!(" {}.", defaults.join(", ")) };
    let plain = Form { op, name: name.into(), given: 0, parameters: quote!(), values: quote!(Params::none()), doc };
    let taken = row.given();
    let params: Vec<_> = taken.iter().map(|(param, _)| format_ident!("{param}")).collect();
    let (parameters, values) = match taken {
        [] => return vec![plain],
        [("decimals", _)] => (quote!(, decimals: i32), quote!(Params::one(decimals))),
        // How often an operand counts.
        [("alpha" | "value", _)] => (quote!(#(, #params: impl Into<Scalar>)*), quote!(Params::one(#(#params),*))),
        [("nan", _), ..] => (quote!(#(, #params: Option<f64>)*), quote!(Params::all(&[#(#params.map(Scalar::Float)),*]))),
        _ => (quote!(#(, #params: impl Into<Scalar>)*), quote!(Params::all(&[#(Some(#params.into())),*]))),
    };
    let only = row.is(Trait::SaysParameters);
    let said = |(param, default): &(&str, f64)| format!("`{param}` ({} by default)", shown(*default));
    let doc = format!(" With {}.", taken.iter().map(said).collect::<Vec<_>>().join(", "));
    let with = Form { op, name: format!("{name}{}", if only { "" } else { "_with" }), given: taken.len(), parameters, values, doc };
    if only { vec![with] } else { vec![plain, with] }
}

/// A default as documentation writes it.
fn shown(default: f64) -> String {
    match default {
        f64::MAX => "the greatest number of the dtype".into(),
        f64::MIN => "the least number of the dtype".into(),
        other => other.to_string(),
    }
}

/// What a method says beside its name and its parameters.
struct Signature {
    generics: TokenStream,
    /// The operands after the tensor itself.
    operands: TokenStream,
    bounds: TokenStream,
}

impl Form {
    fn expand(&self) -> TokenStream {
        let methods = [self.plain(), self.fallible(), self.in_place(), self.out()];
        quote! {
            impl<E: Element, S: Shape> Tensor<E, S> { #(#methods)* }
        }
    }

    /// The operation without the result: its relation.
    fn variant(&self) -> Ident {
        format_ident!("{}", self.op.variant())
    }

    /// How the operands after the first are called.
    fn operands(&self) -> Vec<Ident> {
        match &self.op.row().operands[1..] {
            [_] => vec![format_ident!("rhs")],
            rest => rest.iter().map(|name| format_ident!("{name}")).collect(),
        }
    }

    /// The result's type. That of an operation on one tensor is a parameter of the method, determined by the operation's trait: a bound
    /// without a parameter of the method makes the compiler say that there is no such method, in place of why.
    fn result(&self) -> TokenStream {
        let variant = self.variant();
        match self.operands().len() {
            0 => quote!(Tensor<O, S>),
            // Truths, whatever they are asked of: so the type is there before that of a literal is.
            1 if self.op.row().result == ResultRule::Bool => quote!(Tensor<E::Truth, Together<S, X>>),
            1 => quote!(Tensor<<Common<E, S, X> as op::#variant>::Output, Together<S, X>>),
            _ if self.first() => quote!(Tensor<<E as op::#variant>::Output, TogetherOfThree<S, X, Y>>),
            _ => quote!(Tensor<<CommonOfThree<E, S, X, Y> as op::#variant>::Output, TogetherOfThree<S, X, Y>>),
        }
    }

    /// Whether the result has the first operand's dtype.
    fn first(&self) -> bool {
        self.op.row().result == ResultRule::First
    }

    /// The relation of the operation, where its result is stored into a tensor of `output`.
    fn relation(&self, output: Option<&TokenStream>) -> TokenStream {
        let variant = self.variant();
        match output {
            // A comparison's bool goes anywhere, all else by the casting rule.
            Some(output) if self.op.row().result != ResultRule::Bool => quote!(op::#variant<Output: CastInto<#output>>),
            _ => quote!(op::#variant),
        }
    }

    fn signature(&self, into: Option<&TokenStream>, in_place: bool) -> Signature {
        let (relation, variant) = (self.relation(into), self.variant());
        let names = self.operands();
        let (x, y) = match (in_place, self.first()) {
            (false, false) => (quote!(X: Operand), quote!(Y: Operand)),
            (false, true) => (quote!(X: Operand<Element: SameDType<E>>), quote!(Y: Operand)),
            (true, false) => (quote!(X: Operand<Shape: BroadcastInto<S>>), quote!(Y: Operand<Shape: BroadcastInto<S>>)),
            (true, true) => {
                (quote!(X: Operand<Element: SameDType<E>, Shape: BroadcastInto<S>>), quote!(Y: Operand<Shape: BroadcastInto<S>>))
            }
        };
        match names.as_slice() {
            [] => {
                let stores = into.filter(|_| self.op.row().result != ResultRule::Bool).map(|into| quote!(CastInto<#into> +));
                Signature { generics: quote!(O: #stores Element), operands: quote!(), bounds: quote!(E: op::#variant<Output = O>,) }
            }
            [rhs] => {
                let pair = matches!(self.op, Op::Sub | Op::Rsub).then(|| quote!(+ SubtractWith<X::Element>));
                let shapes = (!in_place).then(|| quote!(S: BroadcastWith<X::Shape>,));
                Signature {
                    generics: x,
                    operands: quote!(, #rhs: X),
                    bounds: quote!(#shapes E: PromoteWith<S::Level, X::Level, X::Element, Output: #relation> #pair,),
                }
            }
            [second, third, ..] => {
                let shapes = (!in_place).then(|| quote!(S: BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>,));
                let dtypes = match self.first() {
                    true => quote!(E: #relation,),
                    false => quote!(E: PromoteThree<(S::Level, X::Level, Y::Level), X::Element, Y::Element, Output: #relation>,),
                };
                Signature { generics: quote!(#x, #y), operands: quote!(, #second: X, #third: Y), bounds: quote!(#shapes #dtypes) }
            }
        }
    }

    /// The operands as the engine takes them, after the tensor.
    fn erased(&self) -> TokenStream {
        let names = self.operands();
        quote!(#(#names.erased()),*)
    }

    fn plain(&self) -> TokenStream {
        let Self { name, parameters, doc, .. } = self;
        let doc = format!("PyTorch's `{}`, element by element.{doc}", self.op.row().name);
        let panics = format!("# Panics\nWhere [`Tensor::try_{name}`] is an error.");
        let (name, fallible) = (format_ident!("{name}"), format_ident!("try_{name}"));
        let (result, Signature { generics, operands, bounds }) = (self.result(), self.signature(None, false));
        let params = self.op.row().params[..self.given].iter().map(|(param, _)| format_ident!("{param}"));
        let arguments: Vec<_> = self.operands().into_iter().chain(params).collect();
        quote! {
            #[doc = #doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #name<#generics>(&self #operands #parameters) -> #result where #bounds {
                proved(self.#fallible(#(#arguments),*))
            }
        }
    }

    fn fused(&self) -> TokenStream {
        let (name, variant) = (format_ident!("{}", self.name), self.variant());
        let mark = if self.parameters.is_empty() { quote!(mark::#variant) } else { quote!(mark::With<mark::#variant>) };
        let (parameters, values) = (&self.parameters, self.given());
        let doc = format!("PyTorch's `{}`, fused.{}", self.op.row().name, self.doc);
        let pair = matches!(self.op, Op::Sub | Op::Rsub).then(|| quote!(+ SubtractWith<X::Element>));
        match self.operands().as_slice() {
            [] => quote! {
                impl<N: Node> Lazy<N> {
                    #[doc = #doc]
                    pub fn #name<O: Element>(self #parameters) -> Lazy<OneNode<#mark, <N::Element as op::#variant>::Promoted, N>> where N::Element: op::#variant<Output = O> {
                        Lazy(OneNode::new(self.0, #values))
                    }
                }
            },
            [rhs] => quote! {
                impl<N: Node> Lazy<N> {
                    #[doc = #doc]
                    pub fn #name<X: Term>(self, #rhs: X #parameters) -> Lazy<TwoNode<#mark, <Common<N, X> as op::#variant>::Promoted, Together<N, X>, Self, X>>
                    where
                        N::Shape: BroadcastWith<X::Shape>,
                        N::Element: PromoteWith<<N::Shape as Shape>::Level, X::Level, X::Element, Output: op::#variant> #pair,
                    {
                        Lazy(TwoNode::new(self, #rhs, #values))
                    }
                }
            },
            [second, third, ..] => {
                let (x, common, dtypes) = if self.first() {
                    (quote!(Term<Element: SameDType<N::Element>>), quote!(N::Element), quote!(N::Element: op::#variant,))
                } else {
                    let levels = quote!((<N::Shape as Shape>::Level, X::Level, Y::Level));
                    let dtypes = quote!(N::Element: PromoteThree<#levels, X::Element, Y::Element, Output: op::#variant>,);
                    (quote!(Term), quote!(CommonOfThree<N, X, Y>), dtypes)
                };
                quote! {
                    impl<N: Node> Lazy<N> {
                        #[doc = #doc]
                        pub fn #name<X: #x, Y: Term>(self, #second: X, #third: Y #parameters)
                            -> Lazy<ThreeNode<#mark, <#common as op::#variant>::Promoted, OfThree<N::Shape, X, Y>, Self, X, Y>>
                        where
                            N::Shape: BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>,
                            #dtypes
                        {
                            Lazy(ThreeNode::new(self, #second, #third, #values))
                        }
                    }
                }
            }
        }
    }

    /// The parameters as a node has them.
    fn given(&self) -> TokenStream {
        if self.parameters.is_empty() {
            return quote!([None; 3]);
        }
        let row = self.op.row();
        let optional = matches!(row.params, [("nan", _), ..]);
        let values = (0..3).map(|i| match row.params[..self.given].get(i) {
            None => quote!(None),
            Some((param, _)) => {
                let param = format_ident!("{param}");
                if optional { quote!(#param.map(Scalar::Float)) } else { quote!(Some(#param.into())) }
            }
        });
        quote!([#(#values),*])
    }

    fn fallible(&self) -> TokenStream {
        let Self { name, parameters, values, doc, .. } = self;
        let doc = format!(
            "PyTorch's `{}`, element by element: what [`Tensor::{name}`] gives, or the error that it panics with.{doc}",
            self.op.row().name
        );
        let (name, variant) = (format_ident!("try_{name}"), self.variant());
        let (result, erased, Signature { generics, operands, bounds }) = (self.result(), self.erased(), self.signature(None, false));
        quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// Where the shapes don't broadcast, the devices differ, or the dtypes don't take the operation.
            pub fn #name<#generics>(&self #operands #parameters) -> Result<#result> where #bounds {
                apply(Op::#variant, &[self.erased(), #erased], &#values)
            }
        }
    }

    fn in_place(&self) -> TokenStream {
        let Self { name, parameters, values, doc, .. } = self;
        let doc = format!("PyTorch's `{}_`: the result goes into this tensor, whose dtype and shape stay.{doc}", self.op.row().name);
        let (name, variant, erased) = (format_ident!("{name}_"), self.variant(), self.erased());
        let Signature { generics, operands, bounds } = self.signature(Some(&quote!(E)), true);
        quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// As for the operation itself; and where the result can't be cast to this dtype, would have another shape, or the
            /// elements overlap. Nothing is changed then.
            pub fn #name<#generics>(&mut self #operands #parameters) -> Result<&mut Self> where #bounds {
                run(Call::elementwise(Op::#variant, &[#erased], &#values, Destination::InPlace(self.raw_mut())))?;
                Ok(self)
            }
        }
    }

    fn out(&self) -> TokenStream {
        let Self { name, parameters, values, doc, .. } = self;
        let doc = format!(
            "PyTorch's `{}(out=…)`: the result goes into `out`, which is resized where its type lets it be.{doc}",
            self.op.row().name
        );
        let (name, variant, erased) = (format_ident!("{name}_out"), self.variant(), self.erased());
        let Signature { generics, operands, bounds } = self.signature(Some(&quote!(F)), false);
        quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// As for the operation in place, and where the type of `out` doesn't admit the result's shape; `out` is unchanged then.
            pub fn #name<#generics, F: Element, R: Shape>(&self #operands #parameters, out: &mut Tensor<F, R>) -> Result<()> where #bounds {
                into_out(Op::#variant, &[self.erased(), #erased], &#values, out)
            }
        }
    }
}
