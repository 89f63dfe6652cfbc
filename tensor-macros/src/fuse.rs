//! `fuse!`: an expression over tensors and numbers, computed in one pass. Operators stay as they are written, between what tensor-core makes
//! of the operands: so their types, their errors and the places of these are the operators' own.

use latten_kernel::inline::operation;
use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::{Reduction, ReductionForm, ReductionRow};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, ExprCall, ExprIf, ExprMethodCall, Lit, LitFloat, LitInt, Stmt, UnOp};

use crate::facade::{facade, facade_at};

/// What an error of the run does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Panics,
    Returns,
}

/// Whether a method is a reduction that may end an expression: of all elements, or along what an argument says.
fn ends(name: &str) -> bool {
    let stem = name.strip_suffix("_along").unwrap_or(name);
    let ends = |row: &ReductionRow| row.name == stem && matches!(row.form, ReductionForm::One | ReductionForm::Pick);
    Reduction::ALL.iter().any(|reduction| ends(reduction.row()))
}

/// Functions that people look for in `fuse!`, and that are no pass over elements.
const LOOKING_FURTHER: [&str; 17] = [
    "matmul",
    "mm",
    "mv",
    "bmm",
    "dot",
    "outer",
    "einsum",
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "cat",
    "stack",
    "gather",
    "embedding",
    "transpose",
    "reshape",
];

pub(crate) fn expand(input: TokenStream, ending: Ending) -> TokenStream {
    let facade = facade();
    let mut fusion = Fusion { facade: facade.clone(), leaves: Vec::new(), errors: None, out: None };
    let expression = match syn::parse2::<Expr>(input) {
        Ok(expression) => expression,
        Err(error) => {
            fusion.errors = Some(error);
            Expr::PLACEHOLDER
        }
    };
    let expanded = fusion.whole(&expression, ending);
    let Fusion { leaves, errors, .. } = fusion;
    if let Some(errors) = errors {
        let errors = errors.to_compile_error();
        return quote!({ #errors #facade::__private::literal::never::<#facade::Any, #facade::AnyShape>() });
    }
    let (bound, names): (Vec<_>, Vec<_>) = leaves.iter().enumerate().map(|(i, leaf)| (&leaf.tokens, name(i))).unzip();
    quote!(match (#(#bound,)*) { (#(#names,)*) => #expanded })
}

fn name(index: usize) -> Ident {
    format_ident!("operand_{index}", span = Span::mixed_site())
}

/// An operand, and how it is bound.
struct Leaf {
    key: String,
    tokens: TokenStream,
}

struct Fusion {
    facade: TokenStream,
    leaves: Vec<Leaf>,
    errors: Option<syn::Error>,
    /// The output, as text: as an operand it must be borrowed for reading too.
    out: Option<String>,
}

/// The operation of `out op= …`.
fn update(op: &BinOp) -> Option<Op> {
    Some(match op {
        BinOp::AddAssign(_) => Op::Add,
        BinOp::SubAssign(_) => Op::Sub,
        BinOp::MulAssign(_) => Op::Mul,
        BinOp::DivAssign(_) => Op::Div,
        BinOp::RemAssign(_) => Op::Remainder,
        BinOp::BitAndAssign(_) => Op::BitwiseAnd,
        BinOp::BitOrAssign(_) => Op::BitwiseOr,
        BinOp::BitXorAssign(_) => Op::BitwiseXor,
        BinOp::ShlAssign(_) => Op::LeftShift,
        BinOp::ShrAssign(_) => Op::RightShift,
        _ => return None,
    })
}

/// The comparison of an operator, and the one with its sides exchanged.
fn comparison(op: &BinOp) -> Option<[&'static str; 2]> {
    Some(match op {
        BinOp::Eq(_) => ["eq", "eq"],
        BinOp::Ne(_) => ["ne", "ne"],
        BinOp::Lt(_) => ["lt", "gt"],
        BinOp::Le(_) => ["le", "ge"],
        BinOp::Gt(_) => ["gt", "lt"],
        BinOp::Ge(_) => ["ge", "le"],
        _ => return None,
    })
}

/// A number that stands there, in or out of parentheses.
fn literal(expression: &Expr) -> Option<&Lit> {
    match expression {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// Whether only numbers stand there.
fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_constant(&inner.expr),
        Expr::Group(inner) => is_constant(&inner.expr),
        Expr::Unary(inner) => is_constant(&inner.expr),
        Expr::Binary(both) => is_constant(&both.left) && is_constant(&both.right),
        _ => false,
    }
}

impl Fusion {
    fn refuse(&mut self, span: Span, message: impl std::fmt::Display) -> TokenStream {
        let error = syn::Error::new(span, message);
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
        TokenStream::new()
    }

    /// The whole input: an expression, one with an output, or one with a reduction.
    fn whole(&mut self, expression: &Expr, ending: Ending) -> TokenStream {
        let facade = self.facade.clone();
        let fallible = |name: &str| if ending == Ending::Returns { format_ident!("try_{name}") } else { format_ident!("{name}") };
        match expression {
            Expr::Assign(assignment) => {
                let out = &assignment.left;
                self.out = Some(quote!(#out).to_string());
                let value = self.term(&assignment.right);
                let mut set = fallible("fuse_set");
                set.set_span(assignment.eq_token.span());
                quote!((#out).#set(#value))
            }
            Expr::Binary(both) if update(&both.op).is_some() => {
                let (Some(op), out) = (update(&both.op), &both.left) else { return TokenStream::new() };
                self.out = Some(quote!(#out).to_string());
                let value = self.term(&both.right);
                let index = self.leaves.len();
                let variant = format_ident!("{}", op.variant());
                let mut update = fallible("fuse_update");
                update.set_span(both.op.span());
                let check = (op == Op::Sub).then(|| {
                    let check = Ident::new("fuse_subtracts", both.op.span());
                    quote!((#out).#check(&value);)
                });
                quote! {{
                    let value = #value;
                    #check
                    (#out).#update::<#facade::__private::fused::mark::#variant, #index, _>(value)
                }}
            }
            other => {
                let ended = ended(other);
                if let Some((_, name, _)) = ended.as_ref().filter(|_| is_of_two(other)) {
                    return self.refuse(name.span(), of_two(name));
                }
                let value = self.term(ended.as_ref().map_or(other, |(inner, ..)| inner));
                let Some((_, name, rest)) = ended else {
                    let evaluate = fallible("evaluate");
                    return quote!(#facade::__private::fuse::#evaluate(#value));
                };
                let mut method = fallible(&name.to_string());
                method.set_span(name.span());
                quote!(#facade::__private::fuse::ending(#value).#method #rest)
            }
        }
    }

    fn term(&mut self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::Paren(inner) => {
                let inner = self.term(&inner.expr);
                quote!((#inner))
            }
            Expr::Group(inner) => self.term(&inner.expr),
            Expr::Lit(literal) => self.number(&literal.lit),
            Expr::Unary(unary) => match unary.op {
                UnOp::Deref(_) => self.leaf(expression),
                operator => {
                    let inner = self.term(&unary.expr);
                    quote!(#operator #inner)
                }
            },
            Expr::Binary(both) => self.binary(&both.op, &both.left, &both.right),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Cast(cast) => self.cast(&cast.expr, &cast.ty),
            Expr::If(choice) => self.choice(choice),
            Expr::Reference(reference) if reference.mutability.is_none() => self.term(&reference.expr),
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Block(_) | Expr::Macro(_) | Expr::Try(_) => self.leaf(expression),
            Expr::Assign(_) => self.refuse(expression.span(), "fuse!: an output stands once, at the beginning: `fuse!(out = a + b)`"),
            other => self.refuse(
                other.span(),
                "fuse! has operators, comparisons, functions of the table, `as` with a dtype, `if … { } else { }`, tensors and numbers; \
                 anything else stands in braces, and is computed before",
            ),
        }
    }

    /// An operand that is computed before: the same one, where it has been seen.
    fn leaf(&mut self, expression: &Expr) -> TokenStream {
        let key = quote!(#expression).to_string();
        let index = self.leaves.iter().position(|leaf| leaf.key == key).unwrap_or_else(|| {
            let is_out = self.out.as_ref() == Some(&key);
            // Only the storage is shared with the output, which is borrowed for writing.
            let tokens = if is_out { quote!(&(#expression).alias()) } else { quote!(&(#expression)) };
            self.leaves.push(Leaf { key, tokens });
            self.leaves.len() - 1
        });
        let (facade, name) = (facade_at(expression.span()), name(index));
        quote_spanned! { expression.span() => #facade::__private::fuse::operand::<#index, _>(#name) }
    }

    /// A number where nothing beside it says its type: only its category counts.
    fn number(&mut self, literal: &Lit) -> TokenStream {
        match literal {
            Lit::Int(number) if number.suffix().is_empty() => {
                let number = LitInt::new(&format!("{}i64", number.base10_digits()), number.span());
                quote!(#number)
            }
            Lit::Float(number) if number.suffix().is_empty() => {
                let number = LitFloat::new(&format!("{}f64", number.base10_digits()), number.span());
                quote!(#number)
            }
            Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) => quote!(#literal),
            other => self.refuse(other.span(), "fuse! computes with tensors and numbers"),
        }
    }

    fn binary(&mut self, op: &BinOp, left: &Expr, right: &Expr) -> TokenStream {
        if update(op).is_some() {
            return self.refuse(op.span(), "fuse!: an output stands once, at the beginning: `fuse!(out += a * b)`");
        }
        if matches!(op, BinOp::And(_) | BinOp::Or(_)) {
            let (written, single, named) = if matches!(op, BinOp::And(_)) { ("&&", "&", "and") } else { ("||", "|", "or") };
            return self.refuse(op.span(), format!("fuse! has no `{written}`: write `{single}` between bools, or `logical_{named}(x, y)`"));
        }
        if let Some([name, reversed]) = comparison(op) {
            let (facade, swaps) = (facade_at(op.span()), is_constant(left));
            let (first, second) = if swaps { (right, left) } else { (left, right) };
            let (first, second) = (self.term(first), self.term(second));
            let name = Ident::new(if swaps { reversed } else { name }, op.span());
            return quote_spanned! { op.span() => #facade::__private::fused::Lazy::#name(#first, #second) };
        }
        let (number, other, is_left) = match (literal(left), literal(right)) {
            (Some(number), None) if !is_constant(right) => (number, right, true),
            (None, Some(number)) if !is_constant(left) => (number, left, false),
            _ => {
                let (left, right) = (self.term(left), self.term(right));
                return quote!((#left #op #right));
            }
        };
        let kind = match number {
            Lit::Int(number) if number.suffix().is_empty() => quote!(int),
            Lit::Float(number) if number.suffix().is_empty() => quote!(float),
            _ => {
                let (left, right) = (self.term(left), self.term(right));
                return quote!((#left #op #right));
            }
        };
        let (facade, number, term) = (self.facade.clone(), self.number(number), self.term(other));
        let sum = if is_left { quote!(number #op term) } else { quote!(term #op number) };
        quote!({ let (term, number) = #facade::__private::fused::#kind(#term, #number); #sum })
    }

    fn call(&mut self, call: &ExprCall) -> TokenStream {
        let Expr::Path(path) = &*call.func else {
            return self.refuse(call.func.span(), "fuse! calls functions by name");
        };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let Some(name) = path.path.get_ident() else {
            return self.own(path, &arguments);
        };
        if name == "where_" {
            return match arguments.as_slice() {
                [condition, x, y] => self.choose(name.span(), condition, x, y),
                _ => self.refuse(name.span(), format!("`where_` takes 3 operands, not {}", arguments.len())),
            };
        }
        if name == "index" {
            if let Some(first) = arguments.first() {
                return self.refuse(first.span(), "`index` takes nothing: it is the place of the element in the result");
            }
            let facade = facade_at(name.span());
            return quote_spanned! { name.span() => #facade::__private::fused::index() };
        }
        if name == "dropout" {
            return self.dropout(name, &arguments);
        }
        match operation(&name.to_string()) {
            Some((op, with)) => self.operation(name, op, with, &arguments),
            None if arguments.len() > 1 && (name == "max" || name == "min") => self.refuse(name.span(), of_two(name)),
            None if is_reduction(name) => self
                .refuse(name.span(), format!("fuse! ends with a reduction, if it has one: nothing is computed with what `{name}` gives")),
            None if LOOKING_FURTHER.contains(&&*name.to_string()) => self.refuse(
                name.span(),
                format!(
                    "fuse! is one pass over elements, and `{name}` looks at several for each: give it a name before, and write that here"
                ),
            ),
            None => self.own(path, &arguments),
        }
    }

    /// Elements that are left out by chance. What says how many is computed before; what was drawn is an operand in that place.
    fn dropout(&mut self, name: &Ident, arguments: &[&Expr]) -> TokenStream {
        let [x, chance @ ..] = arguments else {
            return self.refuse(name.span(), "`dropout` takes an operand and a probability");
        };
        let (function, tokens) = match chance {
            [probability] => ("dropout", quote!(#probability)),
            [probability, mode] => ("dropout_in", quote!((#probability, #mode))),
            _ => return self.refuse(name.span(), "`dropout` takes an operand, a probability and, if wanted, a mode"),
        };
        let x = self.term(x);
        let index = self.leaves.len();
        // No two are the same operand: each draws.
        self.leaves.push(Leaf { key: format!("dropout {index}"), tokens });
        let (facade, bound) = (facade_at(name.span()), self::name(index));
        let function = Ident::new(function, name.span());
        quote_spanned! { name.span() => #facade::__private::fuse::#function::<#index, _>(#x, #bound) }
    }

    /// A function that isn't of the table: one by `#[kernel]`.
    fn own(&mut self, path: &syn::ExprPath, arguments: &[&Expr]) -> TokenStream {
        let arguments: Vec<_> = arguments.iter().map(|argument| self.term(argument)).collect();
        quote!(#path(#(#arguments),*))
    }

    fn operation(&mut self, name: &Ident, op: Op, with: bool, arguments: &[&Expr]) -> TokenStream {
        let row = op.row();
        let expected = row.operands.len() + if with { row.given().len() } else { 0 };
        if arguments.len() != expected {
            let operands = if expected == 1 { "operand" } else { "operands" };
            return self.refuse(name.span(), format!("`{name}` takes {expected} {operands}, not {}", arguments.len()));
        }
        let (operands, params) = arguments.split_at(row.operands.len());
        let operands: Vec<_> = operands.iter().map(|operand| self.term(operand)).collect();
        let (facade, method) = (facade_at(name.span()), name);
        quote_spanned! { name.span() => #facade::__private::fused::Lazy::#method(#(#operands,)* #(#params),*) }
    }

    fn method_call(&mut self, call: &ExprMethodCall) -> TokenStream {
        let name = call.method.to_string();
        let arguments: Vec<&Expr> = [&*call.receiver].into_iter().chain(&call.args).collect();
        match (operation(&name), &call.turbofish) {
            (Some((op, with)), None) => self.operation(&call.method, op, with, &arguments),
            (None, Some(types)) if name == "to" && types.args.len() == 1 && call.args.is_empty() => {
                let (inner, element) = (self.term(&call.receiver), &types.args);
                let facade = facade_at(call.method.span());
                quote_spanned! { call.method.span() => #facade::__private::fused::cast::<#element, _>(#inner) }
            }
            _ if is_place(&call.receiver) => self.leaf(&Expr::MethodCall(call.clone())),
            _ if is_of_two(&Expr::MethodCall(call.clone())) => self.refuse(call.method.span(), of_two(&call.method)),
            _ if ends(&name) => self.refuse(
                call.method.span(),
                format!("fuse! ends with a reduction, if it has one: nothing is computed with what `{name}` gives"),
            ),
            _ => self.refuse(
                call.method.span(),
                format!("fuse! has no operation `{name}`; what it doesn't have stands in braces, and is computed before"),
            ),
        }
    }

    fn cast(&mut self, inner: &Expr, to: &syn::Type) -> TokenStream {
        if is_constant(inner) {
            let inner = self.term(inner);
            return quote!((#inner as #to));
        }
        let dtype = match to {
            syn::Type::Path(path) => path.path.get_ident().and_then(|name| {
                let name = name.to_string();
                DType::COMPUTING.iter().copied().find(|dtype| dtype.variant().to_ascii_lowercase() == name)
            }),
            _ => None,
        };
        let Some(dtype) = dtype else {
            return self.refuse(
                to.span(),
                "fuse!: a cast names a dtype: `bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `c32`, `c64`, `c128`",
            );
        };
        let inner = self.term(inner);
        let (facade, element) = (facade_at(to.span()), crate::tensor::element(&self.facade, dtype));
        quote_spanned! { to.span() => #facade::__private::fused::cast::<#element, _>(#inner) }
    }

    fn choice(&mut self, choice: &ExprIf) -> TokenStream {
        let Some((_, other)) = &choice.else_branch else {
            return self.refuse(choice.if_token.span, "fuse!: every `if` has an `else`, for the elements where the condition doesn't hold");
        };
        let other = match &**other {
            Expr::Block(block) => only(&block.block),
            other => Some(other),
        };
        match (only(&choice.then_branch), other) {
            (Some(x), Some(y)) => self.choose(choice.if_token.span, &choice.cond, x, y),
            _ => self.refuse(choice.if_token.span, "fuse!: the branches of `if` are expressions"),
        }
    }

    fn choose(&mut self, span: Span, condition: &Expr, x: &Expr, y: &Expr) -> TokenStream {
        let (condition, x, y) = (self.term(condition), self.term(x), self.term(y));
        let facade = facade_at(span);
        quote_spanned! { span => #facade::__private::fused::choose(#condition, #x, #y) }
    }
}

/// The expression below a reduction that ends it, the reduction, and its arguments with their brackets.
fn ended(expression: &Expr) -> Option<(&Expr, &Ident, TokenStream)> {
    match expression {
        Expr::MethodCall(call) if ends(&call.method.to_string()) => {
            let (turbofish, arguments) = (&call.turbofish, &call.args);
            Some((&call.receiver, &call.method, quote!(#turbofish (#arguments))))
        }
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let [name] = path.path.segments.iter().collect::<Vec<_>>()[..] else { return None };
            let mut arguments = call.args.iter();
            let inner = arguments.next().filter(|_| ends(&name.ident.to_string()))?;
            let types = &name.arguments;
            Some((inner, &name.ident, quote!(#types (#(#arguments),*))))
        }
        _ => None,
    }
}

/// Whether something is `x.max(y)` or `max(x, y)`, as Rust's numbers have it.
fn is_of_two(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => (call.method == "max" || call.method == "min") && !call.args.is_empty(),
        Expr::Call(call) => {
            call.args.len() > 1 && matches!(&*call.func, Expr::Path(path) if path.path.is_ident("max") || path.path.is_ident("min"))
        }
        _ => false,
    }
}

/// What it says then.
fn of_two(name: &Ident) -> String {
    format!("fuse!: `{name}` is the one of all elements: of two operands it is `{name}imum(x, y)`, along a dimension `{name}_along`")
}

/// The expression that a block is.
fn only(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(only, None)] => Some(only),
        _ => None,
    }
}

/// Whether something is a place in memory, or what a method gives of one.
fn is_place(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Block(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr),
        Expr::MethodCall(call) => is_place(&call.receiver),
        Expr::Try(inner) => is_place(&inner.expr),
        Expr::Paren(inner) => is_place(&inner.expr),
        _ => false,
    }
}

fn is_reduction(name: &Ident) -> bool {
    ends(&name.to_string()) || Reduction::ALL.iter().any(|reduction| name == reduction.row().name)
}
