//! What stands in `tensor!`, as a tree: numbers, expressions, rows and repeats, a dtype and a device. Nothing is checked yet but the syntax.

use latten_spec::DType;
use proc_macro2::{Delimiter, Span, TokenStream};
use syn::buffer::Cursor;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprCall, GenericArgument, Ident, Lit, PathArguments, PathSegment, Token, Type, UnOp, bracketed, token};

/// A number, as its category has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// A number that stands there.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) value: Value,
    pub(super) suffix: Option<DType>,
    pub(super) span: Span,
}

/// One place of the literal.
pub(super) enum Node {
    Number(Number),
    Expression(Box<Expr>),
    Row(Vec<Self>, Span),
    Repeat(Box<Self>, Box<Expr>, Span),
}

impl Node {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Number(number) => number.span,
            Self::Expression(expression) => expression.span(),
            Self::Row(_, span) | Self::Repeat(_, _, span) => *span,
        }
    }
}

/// All that stands in the macro.
pub(super) struct Literal {
    pub(super) root: Node,
    pub(super) dtype: Option<DType>,
    /// A dtype that is a parameter, or another type's name.
    pub(super) parameter: Option<Type>,
    pub(super) device: Option<Expr>,
}

/// What the macro's call has around its input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// Brackets: they are the outermost row.
    Row,
    /// Parentheses or braces, or nobody knows: a single item is the tensor itself, as in PyTorch's call.
    Call,
}

/// Reads the input of the macro.
pub(super) fn literal(input: TokenStream, around: Around) -> syn::Result<Literal> {
    (|input: ParseStream<'_>| whole(input, around)).parse2(input)
}

fn whole(input: ParseStream<'_>, around: Around) -> syn::Result<Literal> {
    let start = input.span();
    let List { mut items, comma } = list(input)?;
    let (mut repeat, mut dtype, mut parameter, mut device) = (None, None, None, None);
    // A count stands behind one element; behind several a name can only be that of a dtype.
    let several = items.len() > 1;
    let is_dtype = |input: ParseStream<'_>| type_name(input).is_some_and(|name| several || is_no_count(&name));
    while input.peek(Token![;]) {
        input.parse::<Token![;]>()?;
        if let Some(named) = named_dtype(input)? {
            dtype = Some(named);
        } else if parameter.is_none() && dtype.is_none() && is_dtype(input) {
            parameter = Some(input.parse::<Type>()?);
        } else if repeat.is_none() && dtype.is_none() {
            repeat = Some(input.parse::<Expr>()?);
        } else {
            return Err(input.error("tensor!: one dtype at the end: `tensor![…; u8]`"));
        }
    }
    while !input.is_empty() {
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            continue;
        }
        let name: Ident = input.call(Ident::parse_any)?;
        if name != "device" && name != "dtype" {
            return Err(syn::Error::new(name.span(), format!("tensor! takes `device = …` and `dtype = …`, and no `{name}`")));
        }
        input.parse::<Token![=]>()?;
        if name == "device" {
            device = Some(input.parse()?);
        } else if dtype.is_some() || parameter.is_some() {
            return Err(syn::Error::new(name.span(), "tensor!: the dtype stands there twice"));
        } else if let Some(named) = named_dtype(input)? {
            dtype = Some(named);
        } else {
            parameter = Some(input.parse()?);
        }
    }
    let root = match repeat {
        Some(count) if items.len() == 1 => Node::Repeat(Box::new(items.remove(0)), Box::new(count), start),
        Some(count) => return Err(syn::Error::new(count.span(), "tensor!: a count stands behind one element: `[0.0; 3]`")),
        None if around == Around::Call && items.len() == 1 && !comma => items.remove(0),
        None => Node::Row(items, start),
    };
    Ok(Literal { root, dtype, parameter, device })
}

/// Items, and whether a comma ended them.
struct List {
    items: Vec<Node>,
    comma: bool,
}

/// Items up to the end, a `;`, or a named argument.
fn list(input: ParseStream<'_>) -> syn::Result<List> {
    let mut items = Vec::new();
    loop {
        let named = input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        if input.is_empty() || input.peek(Token![;]) || named {
            // The comma before a named argument ends no row.
            return Ok(List { items, comma: input.is_empty() });
        }
        items.push(node(input)?);
        if !input.peek(Token![,]) {
            return Ok(List { items, comma: false });
        }
        input.parse::<Token![,]>()?;
    }
}

/// Whether an item ends here.
fn ends(cursor: Cursor<'_>) -> bool {
    cursor.eof() || cursor.punct().is_some_and(|(punct, _)| matches!(punct.as_char(), ',' | ';'))
}

fn node(input: ParseStream<'_>) -> syn::Result<Node> {
    let cursor = input.cursor();
    // Most items are a number or a row: those need no expression to be read.
    let (minus, rest) = match cursor.punct() {
        Some((punct, rest)) if punct.as_char() == '-' => (true, rest),
        _ => (false, cursor),
    };
    if let Some((token, rest)) = rest.literal()
        && ends(rest)
    {
        if minus {
            input.parse::<Token![-]>()?;
        }
        let literal: Lit = input.parse()?;
        let number = number(&literal, token.span())?;
        return Ok(Node::Number(if minus { negated(&number, cursor.span()) } else { number }));
    }
    if let Some((_, _, rest)) = cursor.group(Delimiter::Bracket)
        && ends(rest)
    {
        return row(input);
    }
    let expression: Expr = input.parse()?;
    Ok(match folded(&expression) {
        Some(number) => Node::Number(number?),
        None => Node::Expression(Box::new(expression)),
    })
}

fn row(input: ParseStream<'_>) -> syn::Result<Node> {
    let inside;
    let span = bracketed!(inside in input).span.join();
    let List { mut items, .. } = list(&inside)?;
    if inside.is_empty() {
        return Ok(Node::Row(items, span));
    }
    if !inside.peek(Token![;]) {
        return Err(inside.error("tensor!: a comma separates elements"));
    }
    inside.parse::<Token![;]>()?;
    if inside.peek(Ident) && dtype_of(&inside.fork().parse::<Ident>()?.to_string()).is_some() {
        return Err(inside.error("tensor!: the dtype stands once, behind all rows: `tensor![[…], […]; u8]`"));
    }
    let count: Expr = inside.parse()?;
    if items.len() != 1 {
        return Err(syn::Error::new(count.span(), "tensor!: a count stands behind one element: `[0.0; 3]`"));
    }
    Ok(Node::Repeat(Box::new(items.remove(0)), Box::new(count), span))
}

/// The computing dtype of that Rust name.
fn dtype_of(name: &str) -> Option<DType> {
    DType::COMPUTING.iter().copied().find(|dtype| dtype.variant().eq_ignore_ascii_case(name) && name.chars().all(|c| !c.is_uppercase()))
}

/// The dtype of `Complex<f32>`.
fn complex_of(written: &PathSegment) -> Option<DType> {
    let PathArguments::AngleBracketed(arguments) = &written.arguments else { return None };
    let Some(GenericArgument::Type(Type::Path(part))) = arguments.args.first().filter(|_| written.ident == "Complex") else { return None };
    dtype_of(&part.path.get_ident()?.to_string()).filter(|part| part.is_floating_point())?.to_complex()
}

const DTYPES: &str = "`bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `c32`, `c64`, `c128`";

/// A dtype by its name; nothing where another expression stands.
fn named_dtype(input: ParseStream<'_>) -> syn::Result<Option<DType>> {
    let ahead = input.fork();
    if let Ok(Type::Path(written)) = ahead.parse::<Type>()
        && let Some(dtype) = written.path.segments.last().and_then(complex_of)
        && ends(ahead.cursor())
    {
        input.parse::<Type>()?;
        return Ok(Some(dtype));
    }
    let ahead = input.fork();
    let Ok(name) = ahead.parse::<Ident>() else { return Ok(None) };
    if !ends(ahead.cursor()) || input.peek(token::Brace) {
        return Ok(None);
    }
    let text = name.to_string();
    let Some(dtype) = dtype_of(&text) else {
        return match DType::parse(&text).or(matches!(&*text, "u16" | "u32" | "u64" | "usize" | "float").then_some(DType::U16)) {
            Some(_) => Err(syn::Error::new(name.span(), format!("tensor!: `{text}` isn't the dtype of a literal: {DTYPES}"))),
            // The name of a constant: a count.
            None => Ok(None),
        };
    };
    input.parse::<Ident>()?;
    Ok(Some(dtype))
}

/// The name of a type that comes, as Rust writes them: `E`, and not `N` of several letters in capitals, a constant.
fn type_name(input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    let Ok(Type::Path(path)) = ahead.parse::<Type>() else { return None };
    let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let constant = name.len() > 1 && name.chars().all(|c| c.is_uppercase() || c == '_' || c.is_ascii_digit());
    (ends(ahead.cursor()) && name.starts_with(char::is_uppercase) && !constant).then_some(name)
}

/// Whether the name of a type is that of a count to nobody: several letters, or one of the two that element types are called by.
fn is_no_count(name: &str) -> bool {
    name.len() > 1 || matches!(name, "E" | "T")
}

/// A literal of Rust's syntax as a number.
fn number(literal: &Lit, span: Span) -> syn::Result<Number> {
    let (value, suffix) = match literal {
        Lit::Bool(truth) => (Value::Bool(truth.value), ""),
        Lit::Int(number) => (Value::Int(number.base10_parse().unwrap_or(i128::MAX)), number.suffix()),
        Lit::Float(number) => (Value::Float(number.base10_parse()?), number.suffix()),
        _ => return Err(syn::Error::new(span, "tensor!: elements are numbers, `true` and `false`")),
    };
    #[expect(clippy::cast_precision_loss, reason = "as PyTorch reads it")]
    let real = match value {
        Value::Int(x) => x as f64,
        Value::Float(x) => x,
        Value::Bool(_) | Value::Complex(..) => 0.0,
    };
    match suffix {
        "" => Ok(Number { value, suffix: None, span }),
        "i" => Ok(Number { value: Value::Complex(0.0, real), suffix: None, span }),
        _ => match dtype_of(suffix) {
            Some(dtype) if dtype.is_floating_point() => Ok(Number { value: Value::Float(real), suffix: Some(dtype), span }),
            Some(dtype) if matches!(value, Value::Int(_)) && dtype.is_integral() => Ok(Number { value, suffix: Some(dtype), span }),
            _ => Err(syn::Error::new(span, format!("tensor!: `{suffix}` is no suffix of such an element; dtypes are {DTYPES}"))),
        },
    }
}

fn negated(number: &Number, span: Span) -> Number {
    let value = match number.value {
        Value::Bool(x) => Value::Bool(x),
        Value::Int(x) => Value::Int(-x),
        Value::Float(x) => Value::Float(-x),
        Value::Complex(re, im) => Value::Complex(-re, -im),
    };
    // One token has to stand for two where the compiler can't join them.
    Number { value, suffix: number.suffix, span: span.join(number.span).unwrap_or(number.span) }
}

/// An expression that is a number: with signs, in parentheses, or with a real and an imaginary part.
fn folded(expression: &Expr) -> Option<syn::Result<Number>> {
    match expression {
        Expr::Lit(literal) => Some(number(&literal.lit, literal.span())),
        Expr::Paren(inner) => folded(&inner.expr),
        Expr::Group(inner) => folded(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            let inner = folded(&unary.expr)?;
            if inner.as_ref().is_ok_and(|number| matches!(number.value, Value::Bool(_))) {
                return None;
            }
            Some(inner.map(|number| negated(&number, unary.span())))
        }
        Expr::Binary(sum) => {
            let sign = match sum.op {
                BinOp::Add(_) => 1.0,
                BinOp::Sub(_) => -1.0,
                _ => return None,
            };
            let (Ok(left), Ok(right)) = (folded(&sum.left)?, folded(&sum.right)?) else { return None };
            #[expect(clippy::cast_precision_loss, reason = "as PyTorch reads it")]
            let re = match left.value {
                Value::Int(x) => x as f64,
                Value::Float(x) => x,
                Value::Bool(_) | Value::Complex(..) => return None,
            };
            let Value::Complex(_, im) = right.value else { return None };
            Some(Ok(Number { value: Value::Complex(re, sign * im), suffix: None, span: sum.span() }))
        }
        Expr::Call(call) => complex(call).map(Ok),
        _ => None,
    }
}

/// `Complex::new(1.0, 2.0)`, or of `c64`, of two parts that are numbers: of no dtype where no part says one, as any literal.
fn complex(call: &ExprCall) -> Option<Number> {
    let Expr::Path(function) = &*call.func else { return None };
    let names: Vec<&PathSegment> = function.path.segments.iter().collect();
    let [.., of, new] = names[..] else { return None };
    let named = dtype_of(&of.ident.to_string()).filter(|dtype| dtype.is_complex()).or_else(|| complex_of(of));
    if new.ident != "new" || named.is_none() && (of.ident != "Complex" || !of.arguments.is_none()) || call.args.len() != 2 {
        return None;
    }
    let parts: Vec<Number> = call.args.iter().map(|part| folded(part)?.ok()).collect::<Option<_>>()?;
    let suffix = named.or_else(|| parts.iter().find_map(|part| part.suffix)?.to_complex());
    let [Value::Float(re), Value::Float(im)] = [parts[0].value, parts[1].value] else { return None };
    Some(Number { value: Value::Complex(re, im), suffix, span: call.span() })
}
