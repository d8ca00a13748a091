//! Formulas that lose digits, and what computes the same without the loss.
//!
//! Most are in Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002 (sections 1.7 to 1.14, 4.3, 27.5), and Kahan, "Branch
//! cuts for complex elementary functions", 1987; the sums in Ogita, Rump, Oishi, "Accurate sum and dot product", SISC 2005.

use labrys_elementary::Function;
use labrys_interp::precise::Instruction;
use rustc_hash::FxHashSet;

use super::expression::{Body, Expression, Node};
use Node::{Add, Call, Div, Mul, Neg, Phi, Sqrt, Sub};

/// How far below a pattern the operations go that the better formula does without.
const DEPTH: usize = 6;
/// Sums of fewer numbers are not worth another algorithm.
const FEWEST_TERMS: usize = 3;

/// A place where a known formula stands.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its place among the formulas, the more special first.
    pub rank: usize,
    /// What computes the same without the loss.
    pub better: &'static str,
    /// The formula, with letters for its operands.
    pub formula: &'static str,
    /// Its last operation.
    pub root: Instruction,
    /// The operations whose rounding the better one does without.
    pub replaced: FxHashSet<Instruction>,
}

/// The operations that a better formula does without; none where the formula does not stand there.
type Replaced = Option<Vec<Instruction>>;

/// Looks for one formula at an instruction.
type Matcher = for<'p> fn(&Body<'p>, &Node<'p>, Instruction) -> Replaced;

/// What is better, than what, and where it stands; the more special before the more general.
const PATTERNS: [(&str, &str, Matcher); 25] = [
    ("tanh(x)", "(exp(x) - exp(-x)) / (exp(x) + exp(-x))", tanh),
    ("sinh(x)", "(exp(x) - exp(-x)) / 2", sinh),
    ("atanh(x) or log1p(2 * x / (1 - x))", "log((1 + x) / (1 - x))", atanh),
    ("m + log(exp(x - m) + exp(y - m)), m the larger", "log(exp(x) + exp(y))", log_sum_exp),
    ("log1p(x)", "log(1 + x)", log1p),
    ("expm1(y * log1p(x))", "pow(1 + x, y) - 1", compound),
    ("expm1(y * log(x))", "pow(x, y) - 1", power_less_one),
    ("expm1(x)", "exp(x) - 1", expm1),
    ("exp(y) * expm1(x - y)", "exp(x) - exp(y)", exp_difference),
    ("2 * sin(x / 2) * sin(x / 2)", "1 - cos(x)", versine),
    ("2 * sinh(x / 2) * sinh(x / 2)", "cosh(x) - 1", hyperbolic_versine),
    ("2 * cos((x + y) / 2) * sin((x - y) / 2)", "sin(x) - sin(y)", sine_difference),
    ("-2 * sin((x + y) / 2) * sin((x - y) / 2)", "cos(x) - cos(y)", cosine_difference),
    ("atan2(x - y, 1 + x * y)", "atan(x) - atan(y)", arc_tangent_difference),
    ("log1p((x - y) / y)", "log(x) - log(y)", log_difference),
    ("hypot(x, y)", "sqrt(x * x + y * y)", hypot),
    ("Kahan's formula for the area of a triangle", "sqrt(s * (s - a) * (s - b) * (s - c))", heron),
    ("(x - y) / (sqrt(x) + sqrt(y)), with x - y simplified", "sqrt(x) - sqrt(y)", root_difference),
    ("the conjugate (b * b - x) / (b + sqrt(x)), with b * b - x simplified", "b - sqrt(x)", conjugate),
    ("Welford's update, or the mean of (x - mean)^2", "the mean of squares less the square of the mean", variance),
    ("(x - y) * (x + y)", "x * x - y * y", difference_of_squares),
    ("one fraction, its numerator simplified", "a / x - b / y", fraction_difference),
    ("Kahan's difference of products, by fma", "a * b - c * d", difference_of_products),
    ("a compensated dot product", "a sum of products", sum_of_products),
    ("a compensated or pairwise sum", "a sum of many numbers", long_sum),
];

/// The known formulas in a function.
pub fn matches(body: &Body<'_>) -> Vec<Match> {
    let mut found = Vec::new();
    for (node, root) in body.floats() {
        for (rank, (better, formula, matcher)) in PATTERNS.into_iter().enumerate() {
            let replaced = matcher(body, &node, root).map(|replaced| replaced.into_iter().collect());
            found.extend(replaced.map(|replaced| Match { rank, better, formula, root, replaced }));
        }
    }
    found
}

fn sinh<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    opposite_exponentials(body, *a, *b)
}

fn tanh<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Div(above, below) = node else { return None };
    let ((Sub(a, b), Some(difference)), (Add(c, d), Some(sum))) = (body.node(*above), body.node(*below)) else {
        return None;
    };
    let above = opposite_exponentials(body, a, b)?;
    let below = opposite_exponentials(body, c, d)?;
    Some(above.into_iter().chain(below).chain([difference, sum]).collect())
}

fn atanh<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let (Div(above, below), Some(quotient)) = body.node(argument(node, Function::Log)?) else { return None };
    let ((Add(a, b), Some(sum)), (Sub(c, d), Some(difference))) = (body.node(above), body.node(below)) else {
        return None;
    };
    let x = beside_one(body, a, b)?;
    (is(body, c, 1.0) && body.same(x, d)).then(|| vec![quotient, sum, difference])
}

fn log_sum_exp<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let (Add(a, b), Some(sum)) = body.node(argument(node, Function::Log)?) else { return None };
    Some(vec![sum, call(body, a, Function::Exp)?.1, call(body, b, Function::Exp)?.1])
}

fn log1p<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let (sum, Some(at)) = body.node(argument(node, Function::Log)?) else { return None };
    match sum {
        Add(a, b) => beside_one(body, a, b).map(|_| vec![at]),
        Sub(a, _) => is(body, a, 1.0).then(|| vec![at]),
        _ => None,
    }
}

fn compound<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let (base, _, power) = power(body, less_one(body, node)?)?;
    let (Add(a, b), Some(sum)) = body.node(base) else { return None };
    beside_one(body, a, b).map(|_| vec![power, sum])
}

fn power_less_one<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    power(body, less_one(body, node)?).map(|(_, _, power)| vec![power])
}

fn expm1<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    call(body, less_one(body, node)?, Function::Exp).map(|(_, exp)| vec![exp])
}

fn exp_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    of_two_calls(body, node, Function::Exp, false)
}

fn versine<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    let x = if is(body, *a, 1.0) { *b } else { less_one(body, node)? };
    call(body, x, Function::Cos).map(|(_, cos)| vec![cos])
}

fn hyperbolic_versine<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    call(body, less_one(body, node)?, Function::Cosh).map(|(_, cosh)| vec![cosh])
}

fn sine_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    of_two_calls(body, node, Function::Sin, true)
}

fn cosine_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    of_two_calls(body, node, Function::Cos, true)
}

fn arc_tangent_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    of_two_calls(body, node, Function::Atan, true)
}

fn log_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    of_two_calls(body, node, Function::Log, false)
}

fn hypot<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sqrt(of) = node else { return None };
    let (Add(a, b), Some(sum)) = body.node(*of) else { return None };
    Some(vec![sum, square(body, a)?.1, square(body, b)?.1])
}

fn heron<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sqrt(of) = node else { return None };
    let mut factors = Vec::new();
    let mut open = vec![*of];
    while let Some(factor) = open.pop().filter(|_| factors.len() < DEPTH) {
        match body.node(factor).0 {
            Mul(a, b) => open.extend([a, b]),
            _ => factors.push(factor),
        }
    }
    let differences: Vec<_> = factors
        .iter()
        .filter_map(|factor| match body.node(*factor) {
            (Sub(s, _), Some(at)) => Some((s, at)),
            _ => None,
        })
        .collect();
    let (half, _) = differences.first()?;
    let is_alike = differences.len() == 3 && differences.iter().all(|(s, _)| body.same(*half, *s));
    is_alike.then(|| below(body, *half).into_iter().chain(differences.iter().map(|(_, at)| *at)).collect())
}

fn root_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    let ((Sqrt(_), Some(_)), (Sqrt(_), Some(_))) = (body.node(*a), body.node(*b)) else { return None };
    Some(below(body, *a).into_iter().chain(below(body, *b)).collect())
}

fn conjugate<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    let is_root = |of: Expression<'_>| matches!(body.node(of).0, Sqrt(_));
    let root = match (is_root(*a), is_root(*b)) {
        (true, false) => *a,
        (false, true) => *b,
        _ => return None,
    };
    Some(below(body, root))
}

fn variance<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(squares, mean) = node else { return None };
    let is_square_of_sum = holds(body, *mean, |node| match node {
        Mul(a, b) => {
            let sum = |of: Expression<'_>| holds(body, of, |node| matches!(node, Add(..)));
            sum(*a) && sum(*b)
        }
        _ => false,
    });
    let is_sum_of_squares = holds(body, *squares, |node| match node {
        Add(a, b) => square(body, *a).is_some() || square(body, *b).is_some(),
        _ => false,
    });
    (is_square_of_sum && is_sum_of_squares)
        .then(|| below(body, *squares).into_iter().chain(below(body, *mean)).collect())
}

fn difference_of_squares<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    let squares: Vec<Instruction> = [*a, *b].into_iter().filter_map(|of| Some(square(body, of)?.1)).collect();
    (squares.len() == 2 || squares.len() == 1 && (is(body, *a, 1.0) || is(body, *b, 1.0))).then_some(squares)
}

fn fraction_difference<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    let is_fraction = |of: Expression<'_>| matches!(body.node(of).0, Div(..));
    (is_fraction(*a) && is_fraction(*b)).then(|| below(body, *a).into_iter().chain(below(body, *b)).collect())
}

fn difference_of_products<'p>(body: &Body<'p>, node: &Node<'p>, _: Instruction) -> Replaced {
    let Sub(a, b) = node else { return None };
    match (body.node(*a), body.node(*b)) {
        ((Mul(..), Some(a)), (Mul(..), Some(b))) => Some(vec![a, b]),
        _ => None,
    }
}

fn sum_of_products<'p>(body: &Body<'p>, node: &Node<'p>, root: Instruction) -> Replaced {
    let products = |terms: Vec<Expression<'_>>| -> Replaced {
        let of = |term: Expression<'_>| match body.node(term) {
            (Mul(..), Some(at)) => Some(at),
            _ => None,
        };
        terms.into_iter().map(of).collect()
    };
    let (terms, sums) = terms(body, node, root)?;
    Some(products(terms)?.into_iter().chain(sums).collect())
}

fn long_sum<'p>(body: &Body<'p>, node: &Node<'p>, root: Instruction) -> Replaced {
    terms(body, node, root).map(|(_, sums)| sums)
}

/// What a sum of many numbers sums up, and its operations: a loop's, or one that is written out.
fn terms<'p>(body: &Body<'p>, node: &Node<'p>, root: Instruction) -> Option<(Vec<Expression<'p>>, Vec<Instruction>)> {
    let (Add(a, b) | Sub(a, b)) = node else { return None };
    for (sum, term) in [(*a, *b), (*b, *a)] {
        if comes_back(body, sum, root, 0) {
            return Some((vec![term], vec![root]));
        }
    }
    let (mut open, mut terms, mut sums) = (vec![*a, *b], Vec::new(), vec![root]);
    while let Some(of) = open.pop() {
        match body.node(of) {
            (Add(a, b) | Sub(a, b), Some(at)) if sums.len() < 64 => {
                sums.push(at);
                open.extend([a, b]);
            }
            _ => terms.push(of),
        }
    }
    (terms.len() >= FEWEST_TERMS).then_some((terms, sums))
}

/// Whether a loop's variable gets an instruction's result.
fn comes_back(body: &Body<'_>, variable: Expression<'_>, from: Instruction, depth: usize) -> bool {
    let (Phi(incoming), _) = body.node(variable) else { return false };
    incoming.iter().any(|(_, operand)| {
        let operand = Expression::Operand(operand);
        body.node(operand).1 == Some(from) || depth < 2 && comes_back(body, operand, from, depth + 1)
    })
}

/// exp(x) and exp(−x).
fn opposite_exponentials(body: &Body<'_>, a: Expression<'_>, b: Expression<'_>) -> Replaced {
    let ((x, first), (y, second)) = (call(body, a, Function::Exp)?, call(body, b, Function::Exp)?);
    let is_negated = |of: Expression<'_>, other: Expression<'_>| match body.node(of).0 {
        Neg(x) => body.same(x, other),
        _ => false,
    };
    (is_negated(x, y) || is_negated(y, x)).then(|| vec![first, second])
}

/// A function of one number less that of another; with their arguments' operations where the better formula does without.
fn of_two_calls<'p>(body: &Body<'p>, node: &Node<'p>, function: Function, with_arguments: bool) -> Replaced {
    let Sub(a, b) = node else { return None };
    let ((x, first), (y, second)) = (call(body, *a, function)?, call(body, *b, function)?);
    let mut replaced = vec![first, second];
    if with_arguments {
        replaced.extend([x, y].into_iter().flat_map(|argument| below(body, argument)));
    }
    Some(replaced)
}

/// x, of f(x).
fn argument<'p>(node: &Node<'p>, function: Function) -> Option<Expression<'p>> {
    match node {
        Call(called, arguments) if *called == function => arguments.first().copied(),
        _ => None,
    }
}

/// x, of f(x), and where it is called.
fn call<'p>(body: &Body<'p>, of: Expression<'p>, function: Function) -> Option<(Expression<'p>, Instruction)> {
    let (node, at) = body.node(of);
    argument(&node, function).zip(at)
}

/// x and y, of x^y, and where it is called.
fn power<'p>(body: &Body<'p>, of: Expression<'p>) -> Option<(Expression<'p>, Expression<'p>, Instruction)> {
    match body.node(of) {
        (Call(Function::Pow, arguments), Some(at)) => match arguments[..] {
            [x, y] => Some((x, y, at)),
            _ => None,
        },
        _ => None,
    }
}

/// x, of x·x, and where it is multiplied.
fn square<'p>(body: &Body<'p>, of: Expression<'p>) -> Option<(Expression<'p>, Instruction)> {
    match body.node(of) {
        (Mul(a, b), Some(at)) if body.same(a, b) => Some((a, at)),
        _ => power(body, of).filter(|(_, y, _)| is(body, *y, 2.0)).map(|(x, _, at)| (x, at)),
    }
}

/// x, of x − 1.
fn less_one<'p>(body: &Body<'p>, node: &Node<'p>) -> Option<Expression<'p>> {
    match node {
        Sub(x, one) if is(body, *one, 1.0) => Some(*x),
        Add(x, one) if is(body, *one, -1.0) => Some(*x),
        Add(one, x) if is(body, *one, -1.0) => Some(*x),
        _ => None,
    }
}

/// The other summand of 1.
fn beside_one<'p>(body: &Body<'p>, a: Expression<'p>, b: Expression<'p>) -> Option<Expression<'p>> {
    match (is(body, a, 1.0), is(body, b, 1.0)) {
        (true, _) => Some(b),
        (_, true) => Some(a),
        _ => None,
    }
}

fn is(body: &Body<'_>, of: Expression<'_>, number: f64) -> bool {
    matches!(body.node(of).0, Node::Number(value) if value == number)
}

/// The arithmetic below an expression, itself included, through loops' variables.
fn below(body: &Body<'_>, of: Expression<'_>) -> Vec<Instruction> {
    let mut found = Vec::new();
    visit(body, of, &mut |node, at| {
        if !matches!(node, Phi(_)) {
            found.extend(at);
        }
        false
    });
    found
}

/// Whether an expression, or what it is computed of, is of a kind.
fn holds<'p>(body: &Body<'p>, of: Expression<'p>, is_it: impl Fn(&Node<'p>) -> bool) -> bool {
    visit(body, of, &mut |node, _| is_it(node))
}

/// Shows an expression's nodes until one is accepted.
fn visit<'p>(
    body: &Body<'p>,
    of: Expression<'p>,
    accept: &mut dyn FnMut(&Node<'p>, Option<Instruction>) -> bool,
) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![(of, 0)];
    while let Some((of, depth)) = open.pop() {
        let (node, at) = body.node(of);
        // The product of an `fmuladd` has its sum's place.
        let is_product = matches!(of, Expression::Product(..));
        if matches!(node, Node::Other | Node::Number(_)) || at.is_some_and(|at| !seen.insert((at, is_product))) {
            continue;
        }
        if accept(&node, at) {
            return true;
        }
        if depth == DEPTH {
            continue;
        }
        match node {
            Add(a, b) | Sub(a, b) | Mul(a, b) | Div(a, b) => open.extend([(a, depth + 1), (b, depth + 1)]),
            Neg(a) | Sqrt(a) => open.push((a, depth + 1)),
            Phi(incoming) => open.extend(incoming.iter().map(|(_, of)| (Expression::Operand(of), depth + 1))),
            _ => {}
        }
    }
    false
}
