//! From checked formulas to Rust: a loop for each operation and category, and the table of kernels by operation and dtype.

use latten_spec::operation::{Op, Row, Trait};
use latten_spec::{Category, DType};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use latten_kernel::words::{self, Cost, Word};
use latten_kernel::{Binary, Expr, ExprNode, INDEX, Kind, Mistake, Unary, check, parse};

pub(crate) const CATEGORIES: [Category; 4] = [Category::Boolean, Category::Integral, Category::Floating, Category::Complex];

/// What a function of analysis costs, compared to an addition.
const SLOW: usize = 8;

/// What programs change in place most; others are computed beside their memory, block by block.
const CHANGED: [DType; 3] = [DType::F32, DType::F64, DType::I64];

/// The kernels of all rows of the table.
pub(crate) fn kernels() -> TokenStream {
    let mut loops = TokenStream::new();
    let mut arms = TokenStream::new();
    for &op in Op::ALL {
        for category in CATEGORIES {
            let Some(text) = op.row().formula(category) else { continue };
            match one_loop(op, category, text) {
                Ok(tokens) => loops.extend(tokens),
                Err(mistake) => {
                    let message = format!("{op} for {category:?}: {}: {text}", mistake.message);
                    loops.extend(quote! { compile_error!(#message); });
                    continue;
                }
            }
            let (variant, name) = (ident(op.variant()), loop_name(op, category));
            for dtype in DType::COMPUTING.iter().filter(|dtype| dtype.category() == category && dtype.computing() == **dtype) {
                let (case, native) = (ident(dtype.variant()), native(*dtype));
                let forms = ident(if CHANGED.contains(dtype) { "changing" } else { "of" });
                arms.extend(quote! { (Op::#variant, DType::#case) => run::LoopForms::#forms::<#name<#native>>(), });
            }
        }
    }
    quote! {
        #loops

        /// The kernel of an operation on elements of a dtype, where there is one, compiled for a level.
        pub(crate) fn kernel(op: Op, computing: DType, level: Level) -> Option<run::Kernel> {
            let forms = match (op, computing) {
                #arms
                _ => return None,
            };
            forms.at(level)
        }
    }
}

pub(super) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

pub(crate) fn loop_name(op: Op, category: Category) -> Ident {
    ident(&format!("{}{category:?}", op.variant()))
}

pub(super) fn native(dtype: DType) -> TokenStream {
    dtype.rust_type().and_then(|path| path.parse().ok()).unwrap_or_default()
}

/// The struct of one loop, and its body.
fn one_loop(op: Op, category: Category, text: &str) -> Result<TokenStream, Mistake> {
    let row = op.row();
    let tree = parse::formula(text)?;
    let mut scope = scope(row, category);
    let kind = check::kind(&tree, category, &mut scope)?;
    let name = loop_name(op, category);
    let (generics, element) = match category {
        Category::Boolean => (quote! {}, quote! { bool }),
        Category::Integral => (quote! { <C: Integral> }, quote! { C }),
        Category::Floating => (quote! { <C: Floating> }, quote! { C }),
        Category::Complex => (quote! { <C: Complexity> }, quote! { C }),
    };
    let out = match kind {
        Kind::Value => quote! { #element },
        Kind::Part => quote! { C::Part },
        Kind::Truth => quote! { bool },
    };
    let (formula, weight) = (rust(&tree), weight(&tree, category));
    let (operands, params): (Vec<_>, Vec<_>) =
        (row.operands.iter().map(|name| ident(name)).collect(), row.params.iter().map(|(name, _)| ident(name)).collect());
    if row.is(Trait::Conditional) {
        return Ok(choice(&name, weight, &element, &operands, &formula));
    }
    let near = if category == Category::Floating { near(&tree, &operands) } else { None };
    let has_near = near.is_some();
    let (near_methods, near_loop) = near.map_or_else(Default::default, |near| near.expand(&operands, &params));
    let (indices, param_indices) = (0..operands.len(), 0..params.len());
    let (zipped, pattern) = zipped(&operands);
    let (three, all_params) = (three(&operands), params_array(&params));
    let (taken, taken_params) = (pattern_of(&operands), pattern_of(&params));
    // Each is a loop more: for what is met most, and waits for memory.
    let is_alone = |&operand: &usize| category == Category::Floating && row.alone.contains(&row.operands[operand]);
    let alone: Vec<usize> = (0..operands.len()).filter(is_alone).collect();
    let number_loops = number_loops(&operands, &element, &alone);
    let takes_numbers = alone.contains(&0);
    let alone = alone.iter().fold(0_u8, |all, operand| all | 1 << operand);
    let cheap = weight == 1 && !has_near && matches!(kind, Kind::Value);
    let change = if cheap { changing_loops(&operands, &params, &element, takes_numbers) } else { TokenStream::new() };
    Ok(quote! {
        #[derive(Debug)]
        pub struct #name<C>(std::marker::PhantomData<C>);

        impl #generics Formula for #name<#element> {
            type In = #element;
            type Out = #out;
            const WEIGHT: usize = #weight;

            #[inline(always)]
            fn at(#taken: [#element; 3], #taken_params: [#element; 3]) -> #out {
                #( let _ = #operands; )*
                #( let _ = #params; )*
                #formula
            }

            #near_methods
        }

        impl #generics run::Body for #name<#element> {
            const WEIGHT: usize = #weight;
            const ALONE: u8 = #alone;
            #change

            #[inline(always)]
            fn body(run: run::Run<'_>) {
                let (out, inputs) = run.open::<#out>();
                #( let #params: #element = inputs.param(#param_indices); )*
                let params = #all_params;
                #number_loops
                #( let #operands = inputs.operand::<#element>(#indices); )*
                #near_loop
                for #pattern in #zipped {
                    *result = <Self as Formula>::at(#three, params);
                }
            }
        }
    })
}

/// Results beside the elements of operands, and the names of these.
fn zipped(operands: &[Ident]) -> (TokenStream, TokenStream) {
    let zipped = operands.iter().fold(quote! { out.iter_mut() }, |zipped, operand| quote! { #zipped.zip(#operand) });
    (zipped, operands.iter().fold(quote! { result }, |pattern, operand| quote! { (#pattern, &#operand) }))
}

/// The loops over each of some operands where all others are numbers.
fn number_loops(operands: &[Ident], element: &TokenStream, alone: &[usize]) -> TokenStream {
    let three = three(operands);
    let arms = alone.iter().map(|&index| {
        let one = &operands[index];
        let numbers = numbers(operands, element, |operand| operand != index);
        quote! {
            Some(#index) => {
                #numbers
                for (result, &#one) in out.iter_mut().zip(inputs.operand::<#element>(#index)) {
                    *result = <Self as Formula>::at(#three, params);
                }
                return;
            }
        }
    });
    let arms: Vec<_> = arms.collect();
    if arms.is_empty() {
        return TokenStream::new();
    }
    quote! {
        match inputs.alone() {
            #(#arms)*
            _ => {}
        }
    }
}

/// Names for the numbers that some operands are.
fn numbers(operands: &[Ident], element: &TokenStream, is_number: impl Fn(usize) -> bool) -> TokenStream {
    let numbers = operands.iter().enumerate().filter(|(operand, _)| is_number(*operand));
    numbers.map(|(operand, name)| quote! { let #name = inputs.first::<#element>(#operand); }).collect()
}

/// What changes the first operand: the loop over the others, and over none of them where those are numbers.
fn changing_loops(operands: &[Ident], params: &[Ident], element: &TokenStream, takes_numbers: bool) -> TokenStream {
    let Some((first, others)) = operands.split_first() else { return TokenStream::new() };
    let (three, all_params) = (three(operands), params_array(params));
    let (indices, param_indices) = (1..operands.len(), 0..params.len());
    let (zipped, pattern) = zipped(others);
    let change = quote! {
        let #first = *result;
        *result = <Self as Formula>::at(#three, params);
    };
    let number_loop = takes_numbers.then(|| {
        let numbers = numbers(operands, element, |operand| operand > 0);
        quote! {
            if inputs.alone() == Some(0) {
                #numbers
                for result in out { #change }
                return;
            }
        }
    });
    quote! {
        const CHANGES: Option<u8> = Some(0);

        #[inline(always)]
        fn change(run: run::Run<'_>) {
            let (out, inputs) = run.open::<#element>();
            #( let #params: #element = inputs.param(#param_indices); )*
            let params = #all_params;
            #number_loop
            #( let #others = inputs.operand::<#element>(#indices); )*
            for #pattern in #zipped { #change }
        }
    }
}

/// The three operands of a formula, where it has fewer: the first one fills the places.
fn three(operands: &[Ident]) -> TokenStream {
    let places = (0..3).map(|i| operands.get(i).or(operands.first()));
    quote! { [#(#places),*] }
}

/// The parameters, and zeros.
fn params_array(params: &[Ident]) -> TokenStream {
    let places = (0..3).map(|i| params.get(i).map_or_else(|| quote! { constant(0.0) }, |param| quote! { #param }));
    quote! { [#(#places),*] }
}

/// The names of three places.
fn pattern_of(names: &[Ident]) -> TokenStream {
    let places = (0..3).map(|i| names.get(i).map_or_else(|| quote! { _ }, |name| quote! { #name }));
    quote! { [#(#places),*] }
}

/// The loop of `where`: its first operand is a truth, and there is nothing to compute.
fn choice(name: &Ident, weight: usize, element: &TokenStream, operands: &[Ident], formula: &TokenStream) -> TokenStream {
    let [condition, x, y] = operands else { return TokenStream::new() };
    let generics = if element.to_string() == "bool" {
        quote! {}
    } else {
        quote! { <C: Native> }
    };
    quote! {
        #[derive(Debug)]
        pub struct #name<C>(std::marker::PhantomData<C>);

        impl #generics run::Body for #name<#element> {
            const WEIGHT: usize = #weight;

            #[inline(always)]
            fn body(run: run::Run<'_>) {
                let (out, inputs) = run.open::<#element>();
                let #condition = inputs.operand::<bool>(0);
                let (#x, #y) = (inputs.operand::<#element>(1), inputs.operand::<#element>(2));
                for (((result, &#condition), &#x), &#y) in out.iter_mut().zip(#condition).zip(#x).zip(#y) {
                    *result = #formula;
                }
            }

            const CHANGES: Option<u8> = Some(2);

            #[inline(always)]
            fn change(run: run::Run<'_>) {
                let (out, inputs) = run.open::<#element>();
                let (#condition, #x) = (inputs.operand::<bool>(0), inputs.operand::<#element>(1));
                for ((result, &#condition), &#x) in out.iter_mut().zip(#condition).zip(#x) {
                    let #y = *result;
                    *result = #formula;
                }
            }
        }
    }
}

fn is_condition(row: &Row, operand: usize) -> bool {
    operand == 0 && row.is(Trait::Conditional)
}

fn scope(row: &Row, category: Category) -> Vec<(String, Kind)> {
    let operands = row.operands.iter().enumerate().map(|(i, name)| {
        let kind = if is_condition(row, i) { Kind::Truth } else { check::value(category) };
        ((*name).to_string(), kind)
    });
    operands.chain(row.params.iter().map(|(name, _)| ((*name).to_string(), check::value(category)))).collect()
}

/// How much a formula costs, compared to an addition: its functions of analysis decide.
pub(crate) fn weight(tree: &Expr, category: Category) -> usize {
    let slow = |name: &str| words::word(name, category).is_some_and(Word::is_slow);
    let own = if matches!(&tree.node, ExprNode::Call(name, _) if slow(name)) { SLOW } else { 1 };
    tree.parts().into_iter().map(|part| weight(part, category)).fold(own, usize::max)
}

fn mentions(tree: &Expr, name: &str) -> bool {
    matches!(&tree.node, ExprNode::Name(own) if own == name) || tree.parts().into_iter().any(|part| mentions(part, name))
}

/// What a formula has for small angles and quotients.
pub(crate) struct Near {
    /// Whether all are small.
    pub(crate) test: TokenStream,
    pub(crate) formula: TokenStream,
}

/// The formula for small angles and quotients, which vectorises. There is none without such, and where one is known only within the formula.
pub(crate) fn near(tree: &Expr, operands: &[Ident]) -> Option<Near> {
    let (mut found, mut lets) = (Vec::new(), Vec::new());
    collect_nearby(tree, &mut found, &mut lets);
    let within = |part: &&Expr| lets.iter().any(|name| mentions(part, name));
    if operands.is_empty() || found.is_empty() || found.iter().flatten().any(within) {
        return None;
    }
    let tests = found.iter().map(|parts| match parts[..] {
        [angle] => (quote! { is_near }, vec![rust(angle)]),
        _ => (quote! { is_near_by }, parts.iter().map(|part| rust(part)).collect()),
    });
    let tests = tests.map(|(test, parts)| quote! { <C as Floating>::#test(#(#parts),*) });
    Some(Near { test: quote! { true #( & #tests )* }, formula: rust(&with_near(tree)) })
}

impl Near {
    /// The methods of the formula, and the loop for blocks in which all are small.
    fn expand(&self, operands: &[Ident], params: &[Ident]) -> (TokenStream, TokenStream) {
        let Self { test, formula } = self;
        let (taken, taken_params, three) = (pattern_of(operands), pattern_of(params), three(operands));
        let (first, rest) = (&operands[0], &operands[1..]);
        let inputs = rest.iter().fold(quote! { #first.iter() }, |zipped, operand| quote! { #zipped.zip(#operand) });
        let names = rest.iter().fold(quote! { &#first }, |names, operand| quote! { (#names, &#operand) });
        let zipped = operands.iter().fold(quote! { out.iter_mut() }, |zipped, operand| quote! { #zipped.zip(#operand) });
        let pattern = operands.iter().fold(quote! { result }, |pattern, operand| quote! { (#pattern, &#operand) });
        let methods = quote! {
            const HAS_ANGLES: bool = true;

            #[inline(always)]
            fn is_near(#taken: [C; 3], #taken_params: [C; 3]) -> bool {
                #test
            }

            #[inline(always)]
            fn near(#taken: [C; 3], #taken_params: [C; 3]) -> Self::Out {
                #formula
            }
        };
        let near_loop = quote! {
            if #inputs.fold(true, |near, #names| near & <Self as Formula>::is_near(#three, params)) {
                for #pattern in #zipped {
                    *result = <Self as Formula>::near(#three, params);
                }
                return;
            }
        };
        (methods, near_loop)
    }
}

/// Whether `Floating` has the word for small numbers, too. It has `%`, which is no word.
fn has_near(name: &str) -> bool {
    words::word(name, Category::Floating).is_some_and(|word| word.cost == Cost::Near)
}

/// What sines, cosines and tangents are taken of, both sides of divisions with a remainder, and the names of all `let`s.
fn collect_nearby<'a>(tree: &'a Expr, found: &mut Vec<Vec<&'a Expr>>, lets: &mut Vec<&'a str>) {
    match &tree.node {
        ExprNode::Call(name, arguments) if has_near(name) => found.push(arguments.iter().collect()),
        ExprNode::Binary(Binary::Rem, left, right) => found.push(vec![left, right]),
        ExprNode::Let(name, ..) => lets.push(name),
        // others: they have no such limit
        _ => {}
    }
    tree.parts().into_iter().for_each(|part| collect_nearby(part, found, lets));
}

/// The same formula with functions that take small angles and quotients only.
fn with_near(tree: &Expr) -> Expr {
    let boxed = |inner: &Expr| Box::new(with_near(inner));
    let node = match &tree.node {
        ExprNode::Number(_) | ExprNode::Truth(_) | ExprNode::Name(_) | ExprNode::Index => return tree.clone(),
        ExprNode::Unary(operator, inner) => ExprNode::Unary(*operator, boxed(inner)),
        ExprNode::Binary(Binary::Rem, left, right) => ExprNode::Call("rem_near".into(), vec![with_near(left), with_near(right)]),
        ExprNode::Binary(operator, left, right) => ExprNode::Binary(*operator, boxed(left), boxed(right)),
        ExprNode::Call(name, arguments) => {
            let near = if has_near(name) { format!("{name}_near") } else { name.clone() };
            ExprNode::Call(near, arguments.iter().map(with_near).collect())
        }
        ExprNode::If(condition, then, other) => ExprNode::If(boxed(condition), boxed(then), boxed(other)),
        ExprNode::Let(name, value, rest) => ExprNode::Let(name.clone(), boxed(value), boxed(rest)),
    };
    Expr { node, span: tree.span }
}

/// The Rust of an expression. Arithmetic goes through the vocabulary, because integers wrap.
pub(crate) fn rust(expr: &Expr) -> TokenStream {
    match &expr.node {
        ExprNode::Number(text) => {
            let text = if text.contains(['.', 'e']) { text.clone() } else { format!("{text}.0") };
            let number: TokenStream = text.parse().unwrap_or_default();
            quote! { constant(#number) }
        }
        ExprNode::Truth(truth) => quote! { #truth },
        ExprNode::Name(name) => {
            let name = ident(name);
            quote! { #name }
        }
        ExprNode::Index => {
            let name = ident(INDEX);
            quote! { #name }
        }
        ExprNode::Unary(operator, inner) => {
            let inner = rust(inner);
            match operator {
                Unary::Neg => quote! { Arithmetic::neg(#inner) },
                Unary::Not => quote! { (!#inner) },
            }
        }
        ExprNode::Binary(operator, left, right) => binary(*operator, &rust(left), &rust(right)),
        ExprNode::Call(name, arguments) => {
            let word = words::word(name, Category::Floating);
            let (home, name) = word.map_or(("Floating", name.as_str()), |word| (word.home, word.symbol));
            let (home, name, arguments) = (ident(home), ident(name), arguments.iter().map(rust));
            quote! { #home::#name(#(#arguments),*) }
        }
        ExprNode::If(condition, then, other) => {
            // Two values that are there already: the compiler shall load both rather than branch.
            let at_hand = [then, other]
                .iter()
                .all(|arm| matches!(arm.node, ExprNode::Name(_) | ExprNode::Index | ExprNode::Number(_) | ExprNode::Truth(_)));
            let (condition, then, other) = (rust(condition), rust(then), rust(other));
            if at_hand {
                quote! { std::hint::select_unpredictable(#condition, #then, #other) }
            } else {
                quote! { if #condition { #then } else { #other } }
            }
        }
        ExprNode::Let(name, value, rest) => {
            let (name, value, rest) = (ident(name), rust(value), rust(rest));
            quote! { { let #name = #value; #rest } }
        }
    }
}

fn binary(operator: Binary, left: &TokenStream, right: &TokenStream) -> TokenStream {
    match operator {
        Binary::Add => quote! { Arithmetic::add(#left, #right) },
        Binary::Sub => quote! { Arithmetic::sub(#left, #right) },
        Binary::Mul => quote! { Arithmetic::mul(#left, #right) },
        Binary::Div => quote! { Arithmetic::div(#left, #right) },
        Binary::Rem => quote! { Arithmetic::rem(#left, #right) },
        Binary::Shl => quote! { Integral::shl(#left, #right) },
        Binary::Shr => quote! { Integral::shr(#left, #right) },
        Binary::And => quote! { (#left & #right) },
        Binary::Or => quote! { (#left | #right) },
        Binary::Xor => quote! { (#left ^ #right) },
        Binary::Eq => quote! { (#left == #right) },
        Binary::Ne => quote! { (#left != #right) },
        Binary::Lt => quote! { (#left < #right) },
        Binary::Le => quote! { (#left <= #right) },
        Binary::Gt => quote! { (#left > #right) },
        Binary::Ge => quote! { (#left >= #right) },
        Binary::Both => quote! { (#left && #right) },
        Binary::Either => quote! { (#left || #right) },
    }
}
