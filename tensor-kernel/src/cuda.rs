//! From checked formulas to CUDA: a device function template for each, over the dtype that it computes in. The functions that it calls
//! have the symbols of `words` and stand in the prelude, `kernels/prelude.cuh` and `complex.cuh`; so do `add`, `constant` and the
//! other words for operators. Kernels around the functions are the business of tensor-core.

use latten_spec::Category;

use crate::check;
use crate::words::{self, Gives, Word};
use crate::{Binary, Expr, ExprNode, INDEX, Kind, Mistake, Unary};

/// A device function: `template <class C>`, where `C` is the type of the computation.
#[derive(Clone, Debug)]
pub struct DeviceFunction {
    /// What it is called; `name<float>(x, y)` calls it.
    pub name: String,
    /// Its definition.
    pub text: String,
    /// What it gives: a `C`, a `part<C>` or a `bool`.
    pub gives: Kind,
}

/// The device function of a formula, with operands and parameters in that order.
///
/// # Errors
/// Where a part of the formula isn't defined for what it is given.
pub fn function(name: &str, tree: &Expr, category: Category, operands: &[(String, Kind)]) -> Result<DeviceFunction, Mistake> {
    let gives = check::kind(tree, category, &mut operands.to_vec())?;
    let mut writer = FunctionWriter { category, names: Vec::new(), lets: 0, text: String::new() };
    let arguments: Vec<String> = operands.iter().map(|(operand, kind)| format!("const {} v_{operand}", type_of(*kind))).collect();
    writer.names.extend(operands.iter().map(|(operand, kind)| (operand.clone(), format!("v_{operand}"), *kind)));
    writer.returns(tree, gives, 1);
    let (result, arguments, body) = (type_of(gives), arguments.join(", "), writer.text);
    let text = format!("template <class C>\nDEVICE {result} {name}({arguments}) {{\n{body}}}\n");
    Ok(DeviceFunction { name: name.into(), text, gives })
}

/// The C++ type of a kind of value.
#[must_use]
pub const fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "C",
        Kind::Part => "part<C>",
        Kind::Truth => "bool",
    }
}

/// Writes the statements of one function.
struct FunctionWriter {
    category: Category,
    /// What formulas call a value, what the text calls it, and its kind; the last of a name counts.
    names: Vec<(String, String, Kind)>,
    lets: usize,
    text: String,
}

impl FunctionWriter {
    fn line(&mut self, depth: usize, line: &str) {
        self.text.push_str(&"    ".repeat(depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Statements that return a value: here `if` and `let` are statements too.
    fn returns(&mut self, expr: &Expr, kind: Kind, depth: usize) {
        match &expr.node {
            ExprNode::If(condition, then, other) => {
                let condition = self.value(condition, Kind::Truth, depth);
                self.line(depth, &format!("if ({}) {{", bare(&condition)));
                self.returns(then, kind, depth + 1);
                self.line(depth, "}");
                self.returns(other, kind, depth);
            }
            ExprNode::Let(name, value, rest) => {
                self.names(name, value, depth);
                self.returns(rest, kind, depth);
                self.names.pop();
            }
            _ => {
                let value = self.value(expr, kind, depth);
                self.line(depth, &format!("return {};", bare(&value)));
            }
        }
    }

    /// A `let`, as a statement. Nothing in the language has an effect, so that it may stand before the expression that it is part of.
    fn names(&mut self, name: &str, value: &Expr, depth: usize) {
        let kind = self.kind(value).unwrap_or(check::value(self.category));
        let value = self.value(value, kind, depth);
        self.lets += 1;
        let written = format!("v_{name}_{}", self.lets);
        self.line(depth, &format!("const {} {written} = {};", type_of(kind), bare(&value)));
        self.names.push((name.into(), written, kind));
    }

    /// An expression; a number takes the kind that is expected.
    fn value(&mut self, expr: &Expr, expected: Kind, depth: usize) -> String {
        match &expr.node {
            ExprNode::Number(text) => {
                let text = if text.contains(['.', 'e', 'E']) { text.clone() } else { format!("{text}.0") };
                format!("constant<{}>({text})", type_of(expected))
            }
            ExprNode::Truth(truth) => truth.to_string(),
            ExprNode::Name(name) => self.written(name),
            ExprNode::Index => self.written(INDEX),
            ExprNode::Unary(operator, inner) => {
                let inner = self.value(inner, expected, depth);
                match operator {
                    Unary::Neg => format!("neg({})", bare(&inner)),
                    Unary::Not => format!("bit_not({})", bare(&inner)),
                }
            }
            ExprNode::Binary(operator, left, right) => {
                let of = match operator {
                    Binary::Both | Binary::Either => Kind::Truth,
                    operator if compares(*operator) => self.among([&**left, &**right]).unwrap_or(check::value(self.category)),
                    _ => self.among([&**left, &**right]).unwrap_or(expected),
                };
                let (left, right) = (self.value(left, of, depth), self.value(right, of, depth));
                binary(*operator, &left, &right)
            }
            ExprNode::Call(name, arguments) => {
                let function = self.function(name, arguments);
                let gives = function.map_or(Gives::Same, |function| function.gives);
                let name = function.map_or(name.as_str(), |function| function.symbol);
                let of = match gives {
                    Gives::Whole => Kind::Part,
                    Gives::Same => self.among(arguments).unwrap_or(expected),
                    Gives::Part | Gives::Truth => self.among(arguments).unwrap_or(check::value(self.category)),
                };
                let mut arguments: Vec<String> = arguments.iter().map(|argument| self.value(argument, of, depth)).collect();
                if let [only] = arguments.as_mut_slice() {
                    *only = bare(only).to_owned();
                }
                let of = if matches!(gives, Gives::Whole) { "<C>" } else { "" };
                format!("{name}{of}({})", arguments.join(", "))
            }
            ExprNode::If(condition, then, other) => {
                let condition = self.value(condition, Kind::Truth, depth);
                let (then, other) = (self.value(then, expected, depth), self.value(other, expected, depth));
                format!("({condition} ? {then} : {other})")
            }
            ExprNode::Let(name, value, rest) => {
                self.names(name, value, depth);
                let rest = self.value(rest, expected, depth);
                self.names.pop();
                rest
            }
        }
    }

    fn written(&self, name: &str) -> String {
        self.known(name).map_or_else(|| name.to_owned(), |(written, _)| written)
    }

    fn known(&self, name: &str) -> Option<(String, Kind)> {
        self.names.iter().rev().find(|(known, ..)| known == name).map(|(_, written, kind)| (written.clone(), *kind))
    }

    /// The kind that the first of some expressions has which isn't a number alone.
    fn among<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> Option<Kind> {
        exprs.into_iter().find_map(|expr| self.kind(expr))
    }

    /// The function that is called: the parts of a complex number are floats.
    fn function(&mut self, name: &str, arguments: &[Expr]) -> Option<&'static Word> {
        let is_part = self.among(arguments) == Some(Kind::Part);
        words::word(name, if is_part { Category::Floating } else { self.category })
    }

    /// The kind of an expression that was checked; a number alone has none.
    fn kind(&mut self, expr: &Expr) -> Option<Kind> {
        match &expr.node {
            ExprNode::Number(_) => None,
            ExprNode::Truth(_) => Some(Kind::Truth),
            ExprNode::Name(name) => self.known(name).map(|(_, kind)| kind),
            ExprNode::Index => self.known(INDEX).map(|(_, kind)| kind),
            ExprNode::Unary(_, inner) => self.kind(inner),
            ExprNode::Binary(operator, ..) if compares(*operator) || matches!(operator, Binary::Both | Binary::Either) => Some(Kind::Truth),
            ExprNode::Binary(_, left, right) => self.among([&**left, &**right]),
            ExprNode::Call(name, arguments) => match self.function(name, arguments)?.gives {
                Gives::Same => self.among(arguments).or(Some(check::value(self.category))),
                Gives::Part => Some(Kind::Part),
                Gives::Whole => Some(Kind::Value),
                Gives::Truth => Some(Kind::Truth),
            },
            ExprNode::If(_, then, other) => self.among([&**then, &**other]),
            ExprNode::Let(name, value, rest) => {
                let kind = self.kind(value).unwrap_or(check::value(self.category));
                self.names.push((name.clone(), String::new(), kind));
                let kind = self.kind(rest);
                self.names.pop();
                kind
            }
        }
    }
}

const fn compares(operator: Binary) -> bool {
    matches!(operator, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

/// Arithmetic goes through functions: integers wrap and keep their width.
fn binary(operator: Binary, left: &str, right: &str) -> String {
    let call = |name: &str| format!("{name}({}, {})", bare(left), bare(right));
    let between = |sign: &str| format!("({left} {sign} {right})");
    match operator {
        Binary::Add => call("add"),
        Binary::Sub => call("sub"),
        Binary::Mul => call("mul"),
        Binary::Div => call("div"),
        Binary::Rem => call("rem"),
        Binary::Shl => call("shl"),
        Binary::Shr => call("shr"),
        Binary::And => call("bit_and"),
        Binary::Or => call("bit_or"),
        Binary::Xor => call("bit_xor"),
        Binary::Eq => between("=="),
        Binary::Ne => between("!="),
        Binary::Lt => between("<"),
        Binary::Le => between("<="),
        Binary::Gt => between(">"),
        Binary::Ge => between(">="),
        Binary::Both => between("&&"),
        Binary::Either => between("||"),
    }
}

/// The text without parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inner }
}

#[cfg(test)]
mod tests {
    use latten_spec::Category;

    use super::function;
    use crate::check::value;
    use crate::{Kind, parse};

    fn check(formula: &str, category: Category, operands: &str, expected: &str) {
        let tree = parse::formula(formula).expect("it is in the language");
        let kind = |name: &str| if name == "condition" { Kind::Truth } else { value(category) };
        let operands: Vec<_> = operands.split(' ').map(|name| (name.to_owned(), kind(name))).collect();
        let function = function("f", &tree, category, &operands).expect("it is checked");
        assert_eq!(function.text, expected, "{formula}");
    }

    #[test]
    fn formulas_become_device_functions() {
        check(
            "if alpha == 1 { x + y } else { mul_add(-alpha, y, x) }",
            Category::Floating,
            "x y alpha",
            "template <class C>\nDEVICE C f(const C v_x, const C v_y, const C v_alpha) {\n    if (v_alpha == constant<C>(1.0)) {\n        \
             return add(v_x, v_y);\n    }\n    return mul_add(neg(v_alpha), v_y, v_x);\n}\n",
        );
        check(
            "let a = real(x); complex(if isnan(a) { 0 } else { a }, { let b = imag(x); b * 2 })",
            Category::Complex,
            "x",
            "template <class C>\nDEVICE C f(const C v_x) {\n    const part<C> v_a_1 = re(v_x);\n    const part<C> v_b_2 = im(v_x);\n    \
             return complex<C>((is_nan(v_a_1) ? constant<part<C>>(0.0) : v_a_1), mul(v_b_2, constant<part<C>>(2.0)));\n}\n",
        );
        check(
            "(x != 0) & (y != 0)",
            Category::Integral,
            "x y",
            "template <class C>\nDEVICE bool f(const C v_x, const C v_y) {\n    return bit_and(v_x != constant<C>(0.0), v_y != constant<C>(0.0));\n}\n",
        );
        check(
            "if condition { x } else { !x }",
            Category::Boolean,
            "condition x",
            "template <class C>\nDEVICE bool f(const bool v_condition, const bool v_x) {\n    if (v_condition) {\n        return v_x;\n    }\n    \
             return bit_not(v_x);\n}\n",
        );
    }
}
