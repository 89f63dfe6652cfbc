//! From Rust's syntax to the tree of the kernel language; whatever that language doesn't have is refused here.

use syn::spanned::Spanned;

use crate::{Binary, Expr, ExprNode, INDEX, Mistake, Unary};

/// What the language has.
const HAS: &str = "they have `let`, `if … { } else { }`, operators, comparisons, functions and methods of the table, numbers and truths";

/// Reads a formula's text: statements and a last expression.
///
/// # Errors
/// What isn't in the language.
pub fn formula(text: &str) -> Result<Expr, Mistake> {
    let block: syn::Block = syn::parse_str(&format!("{{ {text} }}"))?;
    body(&block)
}

/// Reads a block: `let`s, then one expression.
///
/// # Errors
/// What isn't in the language.
pub fn body(block: &syn::Block) -> Result<Expr, Mistake> {
    let Some((syn::Stmt::Expr(last, None), lets)) = block.stmts.split_last() else {
        return Err(Mistake::at(block.span(), "a kernel ends with the expression that it computes"));
    };
    let last = expression(last)?;
    lets.iter().rev().try_fold(last, |rest, statement| {
        let syn::Stmt::Local(syn::Local { pat: syn::Pat::Ident(name), init: Some(value), .. }) = statement else {
            return Err(Mistake::at(statement.span(), "before its last expression, a kernel has only `let name = value;`"));
        };
        if name.ident == INDEX {
            return Err(Mistake::at(name.ident.span(), format!("`{INDEX}` is what `index()` is called")));
        }
        let node = ExprNode::Let(name.ident.to_string(), Box::new(expression(&value.expr)?), Box::new(rest));
        Ok(Expr { node, span: name.ident.span() })
    })
}

/// Reads an expression.
///
/// # Errors
/// What isn't in the language.
pub fn expression(expression_: &syn::Expr) -> Result<Expr, Mistake> {
    let boxed = |inner: &syn::Expr| expression(inner).map(Box::new);
    // Of several tokens the one that says what is done.
    let span = match expression_ {
        syn::Expr::Binary(binary) => binary.op.span(),
        other => other.span(),
    };
    let refused = |why: &str| Err(Mistake::at(span, why));
    let node = match expression_ {
        syn::Expr::Paren(inner) => return expression(&inner.expr),
        syn::Expr::Group(inner) => return expression(&inner.expr),
        syn::Expr::Block(inner) => return body(&inner.block),
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => ExprNode::Number(number.base10_digits().into()),
            syn::Lit::Float(number) => ExprNode::Number(number.base10_digits().into()),
            syn::Lit::Bool(truth) => ExprNode::Truth(truth.value),
            _ => return refused("a kernel computes with numbers and `true` and `false`"),
        },
        syn::Expr::Path(path) => match path.path.get_ident() {
            Some(name) => ExprNode::Name(name.to_string()),
            None => return refused("a kernel uses only its operands, its parameters and its `let`s"),
        },
        syn::Expr::Unary(unary) => {
            let operator = match unary.op {
                syn::UnOp::Neg(_) => Unary::Neg,
                syn::UnOp::Not(_) => Unary::Not,
                _ => return refused("kernels have no such operator; they have `-` and `!`"),
            };
            ExprNode::Unary(operator, boxed(&unary.expr)?)
        }
        syn::Expr::Binary(binary) => ExprNode::Binary(operator(&binary.op)?, boxed(&binary.left)?, boxed(&binary.right)?),
        syn::Expr::Call(call) => match expression(&call.func)?.node {
            ExprNode::Name(name) if name == "index" && call.args.is_empty() => ExprNode::Index,
            ExprNode::Name(name) => ExprNode::Call(name, call.args.iter().map(expression).collect::<Result<_, _>>()?),
            _ => return refused("a kernel calls functions by name"),
        },
        syn::Expr::MethodCall(call) if call.turbofish.is_none() => {
            let arguments = std::iter::once(&*call.receiver).chain(&call.args);
            let node = ExprNode::Call(call.method.to_string(), arguments.map(expression).collect::<Result<_, _>>()?);
            return Ok(Expr { node, span: call.method.span() });
        }
        syn::Expr::If(choice) => {
            let Some((_, other)) = &choice.else_branch else {
                return refused("in a kernel every `if` has an `else`");
            };
            ExprNode::If(boxed(&choice.cond)?, Box::new(body(&choice.then_branch)?), boxed(other)?)
        }
        _ => return refused(&format!("kernels have no such expression: {HAS}")),
    };
    Ok(Expr { node, span })
}

fn operator(operator: &syn::BinOp) -> Result<Binary, Mistake> {
    use syn::BinOp as B;
    Ok(match operator {
        B::Add(_) => Binary::Add,
        B::Sub(_) => Binary::Sub,
        B::Mul(_) => Binary::Mul,
        B::Div(_) => Binary::Div,
        B::Rem(_) => Binary::Rem,
        B::BitAnd(_) => Binary::And,
        B::BitOr(_) => Binary::Or,
        B::BitXor(_) => Binary::Xor,
        B::Shl(_) => Binary::Shl,
        B::Shr(_) => Binary::Shr,
        B::Eq(_) => Binary::Eq,
        B::Ne(_) => Binary::Ne,
        B::Lt(_) => Binary::Lt,
        B::Le(_) => Binary::Le,
        B::Gt(_) => Binary::Gt,
        B::Ge(_) => Binary::Ge,
        B::And(_) => Binary::Both,
        B::Or(_) => Binary::Either,
        _ => return Err(Mistake::at(operator.span(), "kernels have no such operator: an operand doesn't change")),
    })
}
