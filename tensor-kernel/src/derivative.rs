//! Derivatives: of a formula by rules over the words of the language, or as a row writes them. What comes out is a graph of operations of the
//! table over the gradient of the result, the operands, the result and the parameters; equal parts of it are one node.
//!
//! The rows of `words` say what each word gives. Kinks are decided there, or in the row: a rule can't know PyTorch's conventions.

mod operators;

use std::collections::HashMap;

use latten_spec::Category;
use latten_spec::operation::{Beside, DerivativeRow, Op, Row};

pub use latten_spec::operation::Part;

use crate::{Expr, ExprNode, Mistake, Unary, parse, words};

/// What parts are equal by: which kind of part, its place or the bits of its number, its operation and arguments.
type PartKey = (u8, u64, Option<Op>, [Option<usize>; 3]);

/// What makes a part equal to another one.
fn key(part: Part) -> PartKey {
    match part {
        Part::Gradient => (0, 0, None, [None; 3]),
        Part::Operand(at) => (1, at as u64, None, [None; 3]),
        Part::Result => (2, 0, None, [None; 3]),
        Part::Parameter(at) => (3, at as u64, None, [None; 3]),
        Part::Number(number) => (4, number.to_bits(), None, [None; 3]),
        Part::Imaginary => (5, 0, None, [None; 3]),
        Part::Index => (7, 0, None, [None; 3]),
        Part::Step(op, arguments) => (6, 0, Some(op), arguments),
    }
}

/// The gradients of the operands of one operation.
#[derive(Debug, Default)]
pub struct Graph {
    /// All parts; a step comes after what it takes.
    pub parts: Vec<Part>,
    /// The gradient of each operand: its place among the parts. None where the formula doesn't depend on it, or only by truths.
    pub gradients: Vec<Option<usize>>,
    known: HashMap<PartKey, usize>,
    is_real: bool,
}

/// What names stand for.
type Meanings<'a> = Vec<(&'a str, usize)>;

/// The sums of the gradients of names, as far as they are found.
type GradientSums<'a> = Vec<(&'a str, usize)>;

/// A row, as far as derivatives need it.
#[derive(Clone, Copy, Debug)]
pub struct RowNames<'a> {
    /// How formulas call the operands.
    pub operands: &'a [&'a str],
    /// And the parameters.
    pub params: &'a [&'a str],
}

/// The gradients of the operands of a formula, by rules.
///
/// # Errors
/// Where a word has no derivative.
pub fn by_rule(formula: &Expr, names: RowNames<'_>, category: Category) -> Result<Graph, Mistake> {
    let mut graph = Graph::new(category);
    let (scope, gradient) = (graph.scope(names), graph.add(Part::Gradient));
    let mut sums = GradientSums::new();
    BackwardWalk { graph: &mut graph, scope }.back(formula, gradient, Some(Part::Result), &mut sums)?;
    graph.gradients = names.operands.iter().map(|name| sums.iter().find(|(known, _)| known == name).map(|&(_, sum)| sum)).collect();
    Ok(graph)
}

/// The gradients of the operands, one formula each, over `g`, the operands, `r`, the parameters and `i`. None where there is no formula.
///
/// # Errors
/// Where a formula names what isn't there.
pub fn as_written(formulas: &[Option<Expr>], names: RowNames<'_>, category: Category) -> Result<Graph, Mistake> {
    let mut graph = Graph::new(category);
    let mut scope = graph.scope(names);
    scope.push(("g", graph.add(Part::Gradient)));
    scope.push(("r", graph.add(Part::Result)));
    for formula in formulas {
        let gradient = formula.as_ref().map(|formula| graph.value(formula, &mut scope)).transpose()?;
        graph.gradients.push(gradient);
    }
    Ok(graph)
}

/// The gradients of the operands of an operation of the table: as its row writes them, or by rules. `beside` is what the operands after the
/// first are.
///
/// # Errors
/// Where neither gives them.
pub fn of_row(row: &Row, category: Category, beside: Beside) -> Result<Graph, Mistake> {
    let params: Vec<_> = row.params.iter().map(|(name, _)| *name).collect();
    let names = RowNames { operands: row.operands, params: &params };
    let own = |operand: &str, beside| {
        let fits = |row: &&DerivativeRow| row.operand == operand && row.categories.contains(category) && row.beside == beside;
        row.derivatives.iter().find(fits).map(|row| row.formula)
    };
    let written = |operand: &str| own(operand, beside).or_else(|| own(operand, Beside::Tensors));
    if row.derivatives.iter().any(|row| row.categories.contains(category)) {
        let formulas =
            row.operands.iter().map(|&operand| written(operand).map(parse::formula).transpose()).collect::<Result<Vec<_>, _>>()?;
        return as_written(&formulas, names, category);
    }
    let Some(formula) = row.formula(category) else { return Ok(Graph::new(category)) };
    by_rule(&parse::formula(formula)?, names, category)
}

/// The names of arguments, and of each the derivative by it.
type ByArguments = (&'static [&'static str], Vec<&'static str>);

/// The names of the arguments of words and operators.
const ARGUMENTS: &[&str] = &["x", "y", "z"];

/// The derivatives of a word or, with the names of its operands, the gradients that an operation's row writes; `0` where it writes none.
fn of_function(name: &str, is_real: bool) -> Option<ByArguments> {
    let category = if is_real { Category::Floating } else { Category::Complex };
    if let Some(word) = words::word(name, category) {
        return Some((ARGUMENTS, word.derivatives[usize::from(!is_real)].to_vec()));
    }
    let row = Op::parse(name)?.row();
    let written = |operand: &&str| {
        let fits = |row: &&DerivativeRow| row.operand == *operand && row.categories.contains(category) && row.beside == Beside::Tensors;
        row.derivatives.iter().find(fits).map_or("0", |row| row.formula)
    };
    row.derivatives.iter().any(|row| row.categories.contains(category)).then(|| (row.operands, row.operands.iter().map(written).collect()))
}

impl Graph {
    /// The parameters of an operation of the table, where none are given.
    fn defaults(&mut self, name: &str) -> Meanings<'static> {
        let params = Op::parse(name).map_or(&[][..], |op| op.row().params);
        params.iter().map(|&(name, default)| (name, self.add(Part::Number(default)))).collect()
    }

    fn new(category: Category) -> Self {
        Self { is_real: category != Category::Complex, ..Self::default() }
    }

    fn scope<'a>(&mut self, names: RowNames<'a>) -> Meanings<'a> {
        let operands = names.operands.iter().enumerate().map(|(at, &name)| (name, Part::Operand(at)));
        let params = names.params.iter().enumerate().map(|(at, &name)| (name, Part::Parameter(at)));
        let all = [("i", Part::Imaginary)].into_iter().chain(operands).chain(params);
        all.map(|(name, part)| (name, self.add(part))).collect()
    }

    fn add(&mut self, part: Part) -> usize {
        let next = self.parts.len();
        let place = *self.known.entry(key(part)).or_insert(next);
        if place == next {
            self.parts.push(part);
        }
        place
    }

    fn apply(&mut self, op: Op, arguments: &[usize]) -> usize {
        // A real number is its own conjugate and its own real part.
        if let (true, Op::Conj | Op::Real, [only]) = (self.is_real, op, arguments) {
            return *only;
        }
        if let (Op::Neg, [only]) = (op, arguments)
            && let Part::Number(number) = self.parts[*only]
        {
            return self.add(Part::Number(-number));
        }
        self.add(Part::Step(op, std::array::from_fn(|at| arguments.get(at).copied())))
    }

    /// The value of an expression.
    fn value<'e>(&mut self, expr: &'e Expr, scope: &mut Meanings<'e>) -> Result<usize, Mistake> {
        let mistake = |why: String| Mistake::at(expr.span, why);
        Ok(match &expr.node {
            ExprNode::Number(text) => {
                let number = text.parse().map_err(|_| mistake(format!("`{text}` is no number")))?;
                self.add(Part::Number(number))
            }
            ExprNode::Index => self.add(Part::Index),
            ExprNode::Truth(truth) => self.add(Part::Number(f64::from(u8::from(*truth)))),
            ExprNode::Name(name) => match scope.iter().rev().find(|(known, _)| known == name) {
                Some((_, place)) => *place,
                None => return Err(mistake(format!("no operand, parameter or `let` is called `{name}`"))),
            },
            ExprNode::Unary(operator, inner) => {
                let inner = self.value(inner, scope)?;
                self.apply(if *operator == Unary::Neg { Op::Neg } else { Op::LogicalNot }, &[inner])
            }
            ExprNode::Binary(operator, left, right) => {
                let operands = [self.value(left, scope)?, self.value(right, scope)?];
                let op = operators::operator(*operator).0.ok_or_else(|| mistake("integers have no derivative".into()))?;
                self.apply(op, &operands)
            }
            ExprNode::Call(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.value(argument, scope)).collect::<Result<Vec<_>, _>>()?;
                self.word(name, &arguments).ok_or_else(|| mistake(format!("no operation computes `{name}`")))?
            }
            ExprNode::If(condition, then, other) => {
                let parts = [self.value(condition, scope)?, self.value(then, scope)?, self.value(other, scope)?];
                self.apply(Op::Where, &parts)
            }
            ExprNode::Let(name, value, rest) => {
                let value = self.value(value, scope)?;
                scope.push((name, value));
                let rest = self.value(rest, scope);
                scope.pop();
                rest?
            }
        })
    }

    /// What a function of the language makes of its arguments.
    fn word(&mut self, name: &str, arguments: &[usize]) -> Option<usize> {
        Some(match (name, arguments) {
            ("mul_add", &[x, y, z]) => {
                let product = self.apply(Op::Mul, &[x, y]);
                self.apply(Op::Add, &[product, z])
            }
            ("complex", &[re, im]) => {
                let unit = self.add(Part::Imaginary);
                let turned = self.apply(Op::Mul, &[im, unit]);
                self.apply(Op::Add, &[re, turned])
            }
            _ => {
                let op = Op::parse(name)?;
                if op.row().operands.len() != arguments.len() {
                    return None;
                }
                self.apply(op, arguments)
            }
        })
    }
}

/// The walk from the result of a formula back to its names.
struct BackwardWalk<'g, 'a> {
    graph: &'g mut Graph,
    scope: Meanings<'a>,
}

impl<'a> BackwardWalk<'_, 'a> {
    /// Adds what an expression's gradient gives to those of the names in it. `whole` is what its value is known as, if it has a name.
    fn back(&mut self, expr: &'a Expr, gradient: usize, whole: Option<Part>, sums: &mut GradientSums<'a>) -> Result<(), Mistake> {
        if self.graph.parts[gradient] == Part::Number(0.0) {
            return Ok(());
        }
        match &expr.node {
            ExprNode::Number(_) | ExprNode::Truth(_) | ExprNode::Index | ExprNode::Unary(Unary::Not, _) => Ok(()),
            ExprNode::Name(name) => {
                self.sum(sums, name, gradient);
                Ok(())
            }
            ExprNode::Unary(Unary::Neg, inner) => {
                let gradient = self.graph.apply(Op::Neg, &[gradient]);
                self.back(inner, gradient, None, sums)
            }
            ExprNode::Binary(operator, left, right) => {
                let (_, formulas) = operators::operator(*operator);
                self.through(expr, (ARGUMENTS, formulas.to_vec()), &[left, right], gradient, whole, sums)
            }
            ExprNode::Call(name, arguments) => {
                let derivatives =
                    of_function(name, self.graph.is_real).ok_or_else(|| Mistake::at(expr.span, format!("`{name}` has no derivative")))?;
                let arguments: Vec<_> = arguments.iter().collect();
                self.through(expr, derivatives, &arguments, gradient, whole, sums)
            }
            ExprNode::If(condition, then, other) => {
                let condition = self.graph.value(condition, &mut self.scope)?;
                let mut sides = [GradientSums::new(), GradientSums::new()];
                for (side, expr) in sides.iter_mut().zip([then, other]) {
                    self.back(expr, gradient, None, side)?;
                }
                self.choose(condition, &sides, sums);
                Ok(())
            }
            ExprNode::Let(name, value, rest) => {
                let place = self.graph.value(value, &mut self.scope)?;
                self.scope.push((name, place));
                let mut inner = GradientSums::new();
                let done = self.back(rest, gradient, None, &mut inner);
                self.scope.pop();
                done?;
                for (known, sum) in inner {
                    if known == name {
                        self.back(value, sum, None, sums)?;
                    } else {
                        self.sum(sums, known, sum);
                    }
                }
                Ok(())
            }
        }
    }

    /// Of the two sides of an `if`, for each name what the side that is taken gives: what the other one computes may be NaN.
    fn choose(&mut self, condition: usize, sides: &[GradientSums<'a>; 2], sums: &mut GradientSums<'a>) {
        let zero = self.graph.add(Part::Number(0.0));
        let mut seen: Vec<&str> = Vec::new();
        for &(name, _) in sides.iter().flatten() {
            if !seen.contains(&name) {
                seen.push(name);
                let of = |side: &GradientSums<'a>| side.iter().find(|(known, _)| *known == name).map_or(zero, |&(_, sum)| sum);
                let [then, other] = [of(&sides[0]), of(&sides[1])];
                let chosen = if then == other { then } else { self.graph.apply(Op::Where, &[condition, then, other]) };
                self.sum(sums, name, chosen);
            }
        }
    }

    /// The same for a call or an operator, by its own derivatives.
    fn through(
        &mut self,
        expr: &'a Expr,
        (names, formulas): ByArguments,
        arguments: &[&'a Expr],
        gradient: usize,
        whole: Option<Part>,
        sums: &mut GradientSums<'a>,
    ) -> Result<(), Mistake> {
        let values = arguments.iter().map(|argument| self.graph.value(argument, &mut self.scope)).collect::<Result<Vec<_>, _>>()?;
        for (text, argument) in formulas.iter().zip(arguments) {
            let formula = parse::formula(text)?;
            let mut inner: Meanings<'_> = names.iter().copied().zip(values.iter().copied()).collect();
            if let ExprNode::Call(name, _) = &expr.node {
                inner.extend(self.graph.defaults(name));
            }
            inner.push(("i", self.graph.add(Part::Imaginary)));
            inner.push(("g", gradient));
            if formula.has("r") {
                let result = match whole {
                    Some(part) => self.graph.add(part),
                    None => self.graph.value(expr, &mut self.scope)?,
                };
                inner.push(("r", result));
            }
            let gradient = self.graph.value(&formula, &mut inner)?;
            self.back(argument, gradient, None, sums)?;
        }
        Ok(())
    }

    fn sum(&mut self, sums: &mut GradientSums<'a>, name: &'a str, gradient: usize) {
        match sums.iter().position(|(known, _)| *known == name) {
            Some(at) => sums[at].1 = self.graph.apply(Op::Add, &[sums[at].1, gradient]),
            None => sums.push((name, gradient)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::WORDS;

    const INEXACT: [Category; 2] = [Category::Floating, Category::Complex];

    /// A graph as text, a gradient a line.
    fn text(graph: &Graph, place: usize) -> String {
        match graph.parts[place] {
            Part::Gradient => "g".into(),
            Part::Operand(at) => ["x", "y", "z"][at].into(),
            Part::Result => "r".into(),
            Part::Parameter(at) => format!("p{at}"),
            Part::Number(number) => format!("{number}"),
            Part::Imaginary => "i".into(),
            Part::Index => "index()".into(),
            Part::Step(op, arguments) => {
                let arguments: Vec<_> = arguments.iter().flatten().map(|&argument| text(graph, argument)).collect();
                format!("{op}({})", arguments.join(", "))
            }
        }
    }

    fn ruled(formula: &str, category: Category) -> Vec<String> {
        let formula = parse::formula(formula).unwrap_or_else(|mistake| panic!("{formula}: {}", mistake.message));
        let names = RowNames { operands: &["x", "y"], params: &["p"] };
        let graph = by_rule(&formula, names, category).unwrap_or_else(|mistake| panic!("{}", mistake.message));
        graph.gradients.iter().map(|place| place.map_or("none".into(), |place| text(&graph, place))).collect()
    }

    #[test]
    fn rules_give_the_gradients_of_formulas() {
        for (formula, x, y) in [
            ("x + y", "g", "g"),
            ("x * y", "mul(g, y)", "mul(g, x)"),
            ("exp(x)", "mul(g, r)", "none"),
            ("-exp(x)", "mul(neg(g), exp(x))", "none"),
            ("x * x", "add(mul(g, x), mul(g, x))", "none"),
            ("if x > y { x } else { 2 * y }", "where(gt(x, y), g, 0)", "where(gt(x, y), 0, mul(g, 2))"),
            ("let t = x * p; t * t", "mul(add(mul(g, mul(x, p0)), mul(g, mul(x, p0))), p0)", "none"),
            ("let t = x; let t = t + y; t", "g", "g"),
            ("floor(x) + y", "none", "g"),
            ("if isnan(x) { 0 } else { sqrt(y) }", "none", "where(isnan(x), 0, div(g, mul(2, sqrt(y))))"),
        ] {
            assert_eq!(ruled(formula, Category::Floating), [x, y], "{formula}");
        }
        assert_eq!(ruled("x * conj(y)", Category::Complex), ["mul(g, conj(conj(y)))", "conj(mul(g, conj(x)))"]);
        assert_eq!(ruled("real(x)", Category::Complex)[0], "real(g)");
    }

    #[test]
    fn every_word_has_derivatives_that_can_be_computed() {
        for word in WORDS {
            for category in INEXACT.into_iter().filter(|category| word.takes.contains(*category)) {
                let (name, arguments) = (word.name, &ARGUMENTS[..word.arguments]);
                assert!(word.derivatives.iter().all(|formulas| formulas.len() == arguments.len()), "{name}");
                let whole =
                    parse::formula(&format!("{name}({})", arguments.join(", "))).unwrap_or_else(|mistake| panic!("{}", mistake.message));
                let names = RowNames { operands: arguments, params: &[] };
                by_rule(&whole, names, category).unwrap_or_else(|mistake| panic!("{name}: {}", mistake.message));
            }
        }
    }

    #[test]
    fn every_row_has_gradients_or_says_that_there_are_none() {
        for &op in Op::ALL {
            let row = op.row();
            for category in INEXACT.into_iter().filter(|&category| row.formula(category).is_some()) {
                for beside in [Beside::Tensors, Beside::Numbers] {
                    let graph = of_row(row, category, beside).unwrap_or_else(|mistake| panic!("{op}: {}", mistake.message));
                    assert_eq!(graph.gradients.len(), row.operands.len(), "{op}");
                }
            }
            for derivative in row.derivatives {
                assert!(row.operands.contains(&derivative.operand), "{op} has no operand {}", derivative.operand);
                let written =
                    row.derivatives.iter().filter(|other| other.operand == derivative.operand && other.beside == derivative.beside);
                assert_eq!(written.count(), 1, "{op} has two gradients of {}", derivative.operand);
            }
        }
    }
}
