//! One pass over an expression on a box: ranges, errors and derivatives of every node.
//!
//! **Claims**, for every input x of the box, every node j, its exact value F_j(x) and its computed value c_j(x), where the pass found no
//! failure:
//!
//! 1. `computed[j]` holds F_j(x) and c_j(x). By induction: the operation on members is a member before rounding; rounding is monotone,
//!    and keeps doubles where they are (`Rounding::rounded`); calls move by their steps.
//! 2. The node's own error, δ_j = c_j − (the exact operation on computed operands), is at most `own[j]` in magnitude
//!    (`rounding`). Beside the error of a rounding: the sum of two floats is at least as near to its rounding as to either float, so that
//!    δ is at most the smaller operand; and products with powers of two are exact above the subnormals.
//! 3. Let F̃(x, δ) be the expression with δ_j added to node j. For all perturbations of at most `own` in magnitude, all values of
//!    node j lie within `error[j]` of F_j(x): by the mean value theorem for each operation. So `computed[j]` widened by `error[j]` holds
//!    them, and `first`, `second` hold the derivatives of node j's operation there.
//!
//! A node that fails has `computed` everything and `error` infinite, which says nothing of it; what uses it fails, too. Nothing is proved where the result
//! fails: a branch that is not taken may. Where an operand of a condition fails, either branch counts as the truth.
//!
//! A node whose operands have no derivative somewhere (the root at zero), or that chooses in a way the box leaves open, is cut: its derivatives are taken
//! to be zero and its own error to be all of c_j − F_j. Or they are intervals of generalised gradients (abs, min, max). Either way the box
//! is not `is_smooth`: claims about first derivatives hold (Lebourg's mean value theorem for Lipschitz functions), those about second ones do not.
//!
//! Where the formula of a choice is open, the program may take the branch T and the truth E. Then F̃ shall move from F_E along
//! θ ↦ T(x, θδ) + (1 − θ)·(F_E − F_T), which begins at the truth and ends at what is computed; its own error is F_T − F_E.

use labrys_elementary::Function;
use labrys_term::Truth;

use crate::expression::{Expression, Formula, Node, Operation};
use crate::functions::{self, Table};
use crate::interval::{product_up, sum_up};
use crate::rounding::{EVERY_MULTIPLE, Rounding, power_of_two, trailing_exponent};
use crate::{Interval, Unknown};

/// What a pass knows of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Exact and computed values: claim 1.
    pub computed: Interval,
    /// An exponent g such that all computed values are multiples of 2^g.
    pub multiple: i32,
    /// A bound of the node's own error: claim 2.
    pub own: f64,
    /// A bound of all error: claim 3.
    pub error: f64,
    /// The operation's derivatives by its operands.
    pub first: [Interval; 2],
    /// By the first operand twice, by both, by the second twice.
    pub second: [Interval; 3],
}

impl Facts {
    const NONE: Facts = Facts {
        computed: Interval::ZERO,
        multiple: EVERY_MULTIPLE,
        own: 0.0,
        error: 0.0,
        first: [Interval::ZERO; 2],
        second: [Interval::ZERO; 3],
    };

    /// All values under perturbations: claim 3.
    pub(crate) fn perturbed(&self) -> Interval {
        if self.error == 0.0 { self.computed } else { self.computed.widened(self.error) }
    }
}

/// The results of a pass; reused from box to box.
#[derive(Debug, Default)]
pub(crate) struct Evaluation {
    pub facts: Vec<Facts>,
    pub truths: Vec<Truth>,
    /// Whether all operations have continuous second derivatives on the box.
    pub is_smooth: bool,
    /// Why some node has no range.
    pub failure: Option<Unknown>,
}

/// An operation before its rounding.
struct Exact {
    value: Interval,
    multiple: i32,
    first: [Interval; 2],
    second: [Interval; 3],
    /// Errors of the operands.
    errors: [f64; 2],
    /// A bound of the own error that is known otherwise than by rounding.
    limit: f64,
    /// An own error beside that of rounding.
    extra: f64,
}

impl Exact {
    fn new(value: Interval) -> Exact {
        Exact {
            value,
            multiple: i32::MIN,
            first: [Interval::ZERO; 2],
            second: [Interval::ZERO; 3],
            errors: [0.0; 2],
            limit: f64::INFINITY,
            extra: 0.0,
        }
    }
}

impl Evaluation {
    /// Evaluates on a box. With `outer`, perturbations are as large as those of an evaluation of a larger box: own errors are then the
    /// smaller box's, errors and derivatives cover the larger one's perturbations.
    pub(crate) fn run(&mut self, expression: &Expression, table: &Table, region: &[Interval], outer: Option<&[f64]>) {
        self.facts.clear();
        self.truths.clear();
        self.is_smooth = true;
        self.failure = None;
        for (place, node) in expression.nodes.iter().enumerate() {
            if let Operation::Choose(wanted, ..) = node.operation {
                self.evaluate_formulas(&expression.formulas, wanted as usize + 1);
            }
            let facts = self.exact(expression, table, node, region);
            let facts = facts.and_then(|exact| rounded(node, &exact, outer.map_or(0.0, |outer| outer[place])));
            let facts = facts.unwrap_or_else(|why| {
                if expression.needed[place] {
                    self.failure.get_or_insert(why);
                }
                Facts { computed: Interval::ENTIRE, multiple: i32::MIN, error: f64::INFINITY, ..Facts::NONE }
            });
            self.facts.push(facts);
        }
        self.evaluate_formulas(&expression.formulas, expression.formulas.len());
        // What failed may be a branch that is not taken here.
        let is_known = |node: u32| self.facts[node as usize].error < f64::INFINITY;
        if is_known(expression.result) && expression.gap.is_none_or(is_known) {
            self.failure = None;
        }
    }

    /// Evaluates formulas until so many are known; their operands are known already.
    fn evaluate_formulas(&mut self, formulas: &[Formula], count: usize) {
        while self.truths.len() < count {
            let truth = self.truth(&formulas[self.truths.len()]);
            self.truths.push(truth);
        }
    }

    /// Whether a formula holds of the exact values, and of the computed ones, all over the box.
    fn truth(&self, formula: &Formula) -> Truth {
        let value = |node: u32| self.facts[node as usize].computed;
        let known = |formula: u32| self.truths[formula as usize];
        match formula {
            Formula::Constant(truth) => (*truth).into(),
            Formula::Opaque => Truth::Unsure,
            Formula::Less(a, b) => {
                Truth::from_certain(value(*a).high() < value(*b).low(), value(*a).low() >= value(*b).high())
            }
            Formula::AtMost(a, b) => {
                Truth::from_certain(value(*a).high() <= value(*b).low(), value(*a).low() > value(*b).high())
            }
            Formula::Equal(a, b) => {
                let (a, b) = (value(*a), value(*b));
                Truth::from_certain(a.is_point() && a == b, a.high() < b.low() || b.high() < a.low())
            }
            Formula::Special(a) => Truth::from_certain(false, value(*a).is_bounded()),
            Formula::Signed(a, negative) => {
                let truth = Truth::from_certain(value(*a).high() < 0.0, value(*a).low() > 0.0);
                if *negative { truth } else { !truth }
            }
            Formula::Not(a) => !known(*a),
            Formula::And(parts) => parts.iter().fold(Truth::True, |all, part| all.and(known(*part))),
            Formula::Or(parts) => parts.iter().fold(Truth::False, |any, part| any.or(known(*part))),
            Formula::Same(a, b) => !known(*a).xor(known(*b)),
        }
    }

    /// The operation on its operands' computed values, and its derivatives on their perturbed ones.
    fn exact(
        &mut self,
        expression: &Expression,
        table: &Table,
        node: &Node,
        region: &[Interval],
    ) -> Result<Exact, Unknown> {
        let facts = |node: u32| self.facts[node as usize];
        let one = Interval::ONE;
        Ok(match node.operation {
            Operation::Input(input) => {
                let value = region[input as usize];
                // Integers have no format.
                let multiple = node.rounding.map_or(0, |rounding| rounding.multiple(value, i32::MIN));
                Exact { multiple, limit: 0.0, ..Exact::new(value) }
            }
            Operation::Constant(value) => {
                let multiple = if value == 0.0 { EVERY_MULTIPLE } else { trailing_exponent(value) };
                Exact { multiple, ..Exact::new(Interval::point(value)) }
            }
            Operation::Between(low, high) => Exact::new(Interval::new(low, high)),
            Operation::Add(a, b) | Operation::Sub(a, b) => self.sum(expression, node, a, b),
            Operation::Mul(a, b) => self.product(expression, a, b),
            Operation::Square(a) => {
                let (a, perturbed) = (facts(a), facts(a).perturbed());
                let two = Interval::point(2.0);
                let first = [perturbed.scaled(2.0), Interval::ZERO];
                let multiple = a.multiple.saturating_mul(2);
                let second = [two, Interval::ZERO, Interval::ZERO];
                Exact { multiple, first, second, errors: [a.error, 0.0], ..Exact::new(a.computed.square()) }
            }
            Operation::Div(a, b) => self.quotient(expression, a, b)?,
            Operation::Sqrt(a) => self.root(a)?,
            Operation::Neg(a) => Exact { value: -facts(a).computed, ..self.kept(a, -one) },
            Operation::Round(a) => self.kept(a, one),
            Operation::Abs(a) => {
                let range = facts(a).perturbed();
                if range.low() >= 0.0 {
                    self.kept(a, one)
                } else if range.high() <= 0.0 {
                    Exact { value: -facts(a).computed, ..self.kept(a, -one) }
                } else {
                    self.is_smooth = false;
                    let value = self.facts[a as usize].computed.abs();
                    Exact { value, ..self.kept(a, Interval::new(-1.0, 1.0)) }
                }
            }
            Operation::Min(a, b) | Operation::Max(a, b) => {
                let (least, greatest) = if matches!(node.operation, Operation::Min(..)) { (a, b) } else { (b, a) };
                let (x, y) = (facts(least).perturbed(), facts(greatest).perturbed());
                if x.high() <= y.low() {
                    self.kept_of(a, b, a)
                } else if y.high() <= x.low() {
                    self.kept_of(a, b, b)
                } else {
                    let (x, y) = (facts(a).computed, facts(b).computed);
                    let value = if matches!(node.operation, Operation::Min(..)) { x.min(y) } else { x.max(y) };
                    Exact { value, ..self.either(a, b) }
                }
            }
            Operation::Choose(formula, a, b) => match self.truths[formula as usize] {
                Truth::True => self.kept_of(a, b, a),
                Truth::False => self.kept_of(a, b, b),
                Truth::Unsure => {
                    let extra = (facts(a).computed - facts(b).computed).magnitude();
                    Exact { extra, ..self.either(a, b) }
                }
            },
            Operation::Unary(function, a) => self.call(table, function, a, None)?,
            Operation::Binary(function, a, b) => self.call(table, function, a, Some(b))?,
        })
    }

    fn kept(&self, a: u32, factor: Interval) -> Exact {
        let a = self.facts[a as usize];
        Exact {
            multiple: a.multiple,
            first: [factor, Interval::ZERO],
            errors: [a.error, 0.0],
            ..Exact::new(a.computed)
        }
    }

    /// The one of two operands that is chosen all over the box.
    fn kept_of(&self, a: u32, b: u32, chosen: u32) -> Exact {
        let kept = self.kept(chosen, Interval::ONE);
        if chosen == a {
            kept
        } else {
            Exact { first: [Interval::ZERO, Interval::ONE], errors: [self.facts[b as usize].error; 2], ..kept }
        }
    }

    /// One of two operands, open which.
    fn either(&mut self, a: u32, b: u32) -> Exact {
        self.is_smooth = false;
        let (a, b) = (self.facts[a as usize], self.facts[b as usize]);
        Exact {
            multiple: a.multiple.min(b.multiple),
            first: [Interval::UNIT; 2],
            errors: [a.error, b.error],
            ..Exact::new(a.computed.hull(b.computed))
        }
    }

    fn sum(&self, expression: &Expression, node: &Node, a: u32, b: u32) -> Exact {
        let (x, y) = (self.facts[a as usize], self.facts[b as usize]);
        let is_sum = matches!(node.operation, Operation::Add(..));
        let (value, sign) =
            if is_sum { (x.computed + y.computed, Interval::ONE) } else { (x.computed - y.computed, -Interval::ONE) };
        // The product in a fused multiply-add is no float: only the addend is near then.
        let is_float = |node: u32| {
            let node = expression.nodes[node as usize];
            node.rounding.is_some() || !matches!(node.operation, Operation::Mul(..) | Operation::Square(_))
        };
        let mut limit = f64::INFINITY;
        if node.rounding.is_some_and(|rounding| rounding.to_nearest) {
            if is_float(b) {
                limit = limit.min(x.computed.magnitude());
            }
            if is_float(a) {
                limit = limit.min(y.computed.magnitude());
            }
        }
        let multiple = x.multiple.min(y.multiple);
        Exact { multiple, limit, first: [Interval::ONE, sign], errors: [x.error, y.error], ..Exact::new(value) }
    }

    fn product(&self, expression: &Expression, a: u32, b: u32) -> Exact {
        let (x, y) = (self.facts[a as usize], self.facts[b as usize]);
        let scale = power(expression, a).or(power(expression, b));
        Exact {
            multiple: x.multiple.saturating_add(y.multiple),
            limit: if scale.is_some() { SUBNORMAL } else { f64::INFINITY },
            first: [y.perturbed(), x.perturbed()],
            second: [Interval::ZERO, Interval::ONE, Interval::ZERO],
            errors: [x.error, y.error],
            ..Exact::new(x.computed * y.computed)
        }
    }

    fn quotient(&self, expression: &Expression, a: u32, b: u32) -> Result<Exact, Unknown> {
        let (x, y) = (self.facts[a as usize], self.facts[b as usize]);
        let (dividend, divisor) = (x.perturbed(), y.perturbed());
        if divisor.contains(0.0) {
            return Err(Unknown::DivisionByZero);
        }
        let inverse = Interval::ONE.quotient(divisor);
        let quotient = dividend.quotient(divisor);
        let by_divisor = -quotient * inverse;
        let square = inverse.square();
        let scale = power(expression, b);
        Ok(Exact {
            multiple: scale.map_or(i32::MIN, |scale| x.multiple.saturating_sub(scale)),
            limit: if scale.is_some() { SUBNORMAL } else { f64::INFINITY },
            first: [inverse, by_divisor],
            second: [Interval::ZERO, -square, (quotient * square).scaled(2.0)],
            errors: [x.error, y.error],
            ..Exact::new(x.computed.quotient(y.computed))
        })
    }

    fn root(&mut self, a: u32) -> Result<Exact, Unknown> {
        let x = self.facts[a as usize];
        if x.computed.low() < 0.0 {
            return Err(Unknown::Domain);
        }
        let value = x.computed.sqrt();
        let perturbed = x.perturbed();
        if perturbed.low() > 0.0 {
            let first = Interval::ONE.quotient(perturbed.sqrt().scaled(2.0));
            let second = -first.quotient(perturbed.scaled(2.0));
            let [first, second] = [[first, Interval::ZERO], [second, Interval::ZERO]];
            let second = [second[0], second[1], Interval::ZERO];
            return Ok(Exact { first, second, errors: [x.error, 0.0], ..Exact::new(value) });
        }
        // |√c − √F| ≤ √|c − F|.
        self.is_smooth = false;
        let extra = Interval::point(x.error).sqrt().high();
        Ok(Exact { extra, ..Exact::new(value) })
    }

    fn call(&mut self, table: &Table, function: Function, a: u32, b: Option<u32>) -> Result<Exact, Unknown> {
        let x = self.facts[a as usize];
        let y = b.map_or(Facts::NONE, |b| self.facts[b as usize]);
        let errors = [x.error, y.error];
        let jet = functions::jet(table, function, x.perturbed(), y.perturbed());
        let is_exact = errors == [0.0; 2];
        let value = match &jet {
            Some(jet) if is_exact => jet.value,
            _ => functions::values(table, function, x.computed, y.computed).ok_or(Unknown::Domain)?,
        };
        match jet {
            Some(jet) => Ok(Exact { first: jet.first, second: jet.second, errors, ..Exact::new(value) }),
            // No perturbation reaches the operands: no derivative is needed.
            None if is_exact => {
                self.is_smooth = false;
                Ok(Exact::new(value))
            }
            None => Err(Unknown::Unbounded),
        }
    }
}

/// The limit of [`Exact`] that stands for half an ulp of subnormal numbers.
const SUBNORMAL: f64 = -1.0;

/// The exponent of a constant that is a power of two, or its negation.
fn power(expression: &Expression, node: u32) -> Option<i32> {
    match expression.nodes[node as usize].operation {
        Operation::Constant(value) if value != 0.0 => {
            let exponent = trailing_exponent(value);
            (value.abs() == power_of_two(exponent)).then_some(exponent)
        }
        _ => None,
    }
}

/// The node's facts from its operation's: what rounding adds.
fn rounded(node: &Node, exact: &Exact, outer: f64) -> Result<Facts, Unknown> {
    let value = exact.value;
    if !value.is_bounded() {
        return Err(Unknown::Overflow);
    }
    let mut computed = value;
    let mut multiple = exact.multiple;
    let mut own = 0.0;
    match (node.operation, node.rounding) {
        (Operation::Input(_) | Operation::Constant(_), _) | (_, None) => {}
        (Operation::Unary(function, _) | Operation::Binary(function, ..), Some(rounding)) => {
            let (error, reached) = rounding.call_error(value.magnitude(), node.steps);
            within(rounding, reached)?;
            own = error;
            computed = rounding.rounded(if node.steps == 0 { value } else { value.widened(error) });
            if let Some((low, high)) = function.bounds() {
                let bounded = Interval::new(computed.low().max(low), computed.high().min(high));
                computed = if bounded.is_bounded() { bounded } else { computed };
            }
            multiple = rounding.multiple(computed, i32::MIN);
        }
        (_, Some(rounding)) => {
            within(rounding, value.magnitude())?;
            if !rounding.holds(value, multiple) {
                let limit = if exact.limit == SUBNORMAL { rounding.error(f64::MIN_POSITIVE) } else { exact.limit };
                own = rounding.error(value.magnitude()).min(limit);
            }
            computed = rounding.rounded(value);
            multiple = rounding.multiple(computed, multiple);
        }
    }
    own = sum_up(own, exact.extra);
    let mut error = own.max(outer);
    for (derivative, operand) in exact.first.iter().zip(exact.errors) {
        if operand != 0.0 {
            error = sum_up(error, product_up(derivative.magnitude(), operand));
        }
    }
    if error < f64::INFINITY {
        Ok(Facts { computed, multiple, own, error, first: exact.first, second: exact.second })
    } else {
        Err(Unknown::Unbounded)
    }
}

fn within(rounding: Rounding, magnitude: f64) -> Result<(), Unknown> {
    if magnitude <= rounding.largest { Ok(()) } else { Err(Unknown::Overflow) }
}
