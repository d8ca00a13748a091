//! One pass over an expression on a box: ranges, errors and derivatives of every node.
//!
//! **Claims**, for every input x of the box that satisfies the guards, every node j, its exact value F_j(x) and its computed value c_j(x), where
//! the pass found no failure:
//!
//! 1. `computed[j]` holds F_j(x) and c_j(x). By induction: the operation on members is a member before rounding; rounding is monotone,
//!    and keeps doubles where they are (`Rounding::rounded`); calls move by their steps; what guards cut off are no values of x (`guards`).
//! 2. The node's own error, δ_j = c_j − (the exact operation on computed operands), is at most `own[j]` in magnitude
//!    (`rounding`). Beside the error of a rounding: the sum of two floats is at least as near to its rounding as to either float, so that
//!    δ is at most the smaller operand; and products with powers of two are exact above the subnormals.
//! 3. Let F̃(x, δ) be the expression with δ_j added to node j. For all perturbations of at most `own` in magnitude, all values of
//!    node j lie within `error[j]` of F_j(x): by the mean value theorem for each operation. So `computed[j]` widened by `error[j]` holds
//!    them, and `first`, `second` hold the derivatives of node j's operation there.
//! 4. |c_j(x) − F_j(x)| ≤ `relative[j]`·|F_j(x)| (`operation`): it is said of the actual values, not of other perturbations.
//!
//! A node that fails has `computed` everything and `error` infinite, which says nothing of it; what uses it fails, too. Nothing is proved where the result
//! fails: a branch that is not taken may. Where an operand of a condition fails, either branch counts as the truth.
//!
//! A node whose operands have no derivative somewhere (the root at zero), or that chooses in a way the box leaves open, is cut: its derivatives are taken
//! to be zero and its own error to be all of c_j − F_j. Or they are intervals of generalised gradients (abs, min, max). Either way the box
//! is not `is_smooth`: claims about first derivatives hold (Lebourg's mean value theorem for Lipschitz functions), those about second ones do not. Nor is
//! a box of which guards cut something off: derivatives hold for inputs on the path, and a mean-value form passes others.
//!
//! Where the formula of a choice is open, the program may take the branch T and the truth E. Then F̃ shall move from F_E along
//! θ ↦ T(x, θδ) + (1 − θ)·(F_E − F_T), which begins at the truth and ends at what is computed; its own error is F_T − F_E. Where nothing that the
//! formula compares has an error, program and truth choose alike, and there is no such error.

use labrys_term::Truth;

use crate::Interval;
use crate::expression::{Expression, Formula, Node, NodeIndex, Operation};
use crate::functions::Table;
use crate::guards::{Holds, Narrowing};
use crate::interval::{product_up, quotient_up, sum_down, sum_up};
use crate::operation::{Exact, SUBNORMAL};
use crate::rounding::{EVERY_MULTIPLE, Rounding, power_of_two};
use crate::unknown::{Failure, Why};

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
    /// A bound of the relative error: claim 4.
    pub relative: f64,
    /// The operation's derivatives by its operands.
    pub first: [Interval; 2],
    /// By the first operand twice, by both, by the second twice.
    pub second: [Interval; 3],
}

impl Facts {
    pub(crate) const NONE: Facts = Facts {
        computed: Interval::ZERO,
        multiple: EVERY_MULTIPLE,
        own: 0.0,
        error: 0.0,
        relative: 0.0,
        first: [Interval::ZERO; 2],
        second: [Interval::ZERO; 3],
    };

    /// Those of a node of which nothing is known.
    const FAILED: Facts = Facts {
        computed: Interval::ENTIRE,
        multiple: i32::MIN,
        error: f64::INFINITY,
        relative: f64::INFINITY,
        ..Facts::NONE
    };

    /// All values under perturbations: claim 3.
    pub(crate) fn perturbed(&self) -> Interval {
        if self.error == 0.0 { self.computed } else { self.computed.widened(self.error) }
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        self.error < f64::INFINITY
    }
}

/// The results of a pass; reused from box to box.
#[derive(Debug, Default)]
pub(crate) struct Evaluation {
    pub facts: Vec<Facts>,
    pub truths: Vec<Truth>,
    /// For each formula whether it holds of the computed values just where it holds of the exact ones, for every input of the box.
    pub is_shared: Vec<bool>,
    /// Whether all operations have continuous second derivatives on the box, and guards cut nothing off.
    pub is_smooth: bool,
    /// Why the result has no range.
    pub failure: Option<Failure>,
}

impl Evaluation {
    /// Evaluates on a box. With `outer`, perturbations are as large as those of an evaluation of a larger box: own errors are then the
    /// smaller box's, errors and derivatives cover the larger one's perturbations, and guards cut nothing off.
    pub(crate) fn run(&mut self, expression: &Expression, table: &Table, region: &[Interval], outer: Option<&[f64]>) {
        self.facts.clear();
        self.truths.clear();
        self.is_shared.clear();
        self.is_smooth = true;
        self.failure = None;
        for (place, node) in expression.nodes.iter().enumerate() {
            if let Operation::Choose(wanted, ..) = node.operation {
                self.evaluate_formulas(expression, wanted as usize + 1);
            }
            let facts = self.exact(expression, table, node, region);
            let facts = facts.and_then(|exact| rounded(node, &exact, outer.map_or(0.0, |outer| outer[place])));
            let mut facts = facts.unwrap_or_else(|why| {
                if expression.needed.get(place) == Some(&true) {
                    self.failure.get_or_insert(Failure { why, place: place as NodeIndex });
                }
                Facts::FAILED
            });
            if outer.is_none() && facts.is_known() {
                self.narrow(expression, place, &mut facts);
            }
            self.facts.push(facts);
        }
        self.evaluate_formulas(expression, expression.formulas.len());
        // What failed may be a branch that is not taken here.
        let is_known = |node: u32| self.facts[node as usize].is_known();
        if is_known(expression.result) && expression.gap.is_none_or(|gap| is_known(gap.difference)) {
            self.failure = None;
        }
    }

    /// Cuts a node's range to what the guards say of it.
    fn narrow(&mut self, expression: &Expression, place: usize, facts: &mut Facts) {
        for (narrowing, holds) in expression.guards.narrowings.get(place).into_iter().flatten() {
            let of = |node: &NodeIndex| match expression.nodes[*node as usize].operation {
                Operation::Constant(value) => Some(Interval::point(value)),
                _ => self.facts.get(*node as usize).filter(|facts| facts.is_known()).map(|facts| facts.computed),
            };
            // A difference of numbers without errors is a multiple of what they are multiples of.
            let least = |is_strict: bool| {
                let (a, b) = expression.nodes[place].operation.operands();
                let operands = [a, b].map(|operand| operand.map_or(Facts::NONE, |node| self.facts[node as usize]));
                let is_exact = is_strict && operands.iter().all(|operand| operand.error == 0.0);
                let multiple = operands[0].multiple.min(operands[1].multiple);
                if is_exact { power_of_two(multiple.min(1023)) } else { 0.0 }
            };
            // What holds of the ones the others miss by the error at most.
            let slack = if *holds == Holds::OfBoth { 0.0 } else { facts.error };
            let (above, below) = (|low: f64| sum_down(low, -slack), |high: f64| sum_up(high, slack));
            let (mut low, mut high) = (facts.computed.low(), facts.computed.high());
            match narrowing {
                Narrowing::AtLeast(node) => low = of(node).map_or(low, |range| above(range.low()).max(low)),
                Narrowing::AtMost(node) => high = of(node).map_or(high, |range| below(range.high()).min(high)),
                Narrowing::NotNegative { is_strict } => low = low.max(above(least(*is_strict))),
                Narrowing::NotPositive { is_strict } => high = high.min(below(-least(*is_strict))),
            }
            // Where nothing is left no input is on the path, and any claim holds.
            if low <= high && (low, high) != (facts.computed.low(), facts.computed.high()) {
                facts.computed = Interval::new(low, high);
                self.is_smooth = false;
            }
        }
        if facts.error != 0.0 && facts.computed.mignitude() > 0.0 {
            facts.relative = facts.relative.min(quotient_up(facts.error, facts.computed.mignitude()));
        }
    }

    /// Evaluates formulas until so many are known; their operands are known already.
    fn evaluate_formulas(&mut self, expression: &Expression, count: usize) {
        while self.truths.len() < count {
            let formula = &expression.formulas[self.truths.len()];
            let truth = self.truth(formula);
            let is_shared = truth != Truth::Unsure || self.is_same_of_both(expression, formula);
            self.truths.push(truth);
            self.is_shared.push(is_shared);
        }
    }

    /// Whether a formula holds of the exact values, and of the computed ones, all over the box.
    fn truth(&self, formula: &Formula) -> Truth {
        let value = |node: u32| self.facts[node as usize].computed;
        let known = |formula: u32| self.truths[formula as usize];
        match formula {
            Formula::Constant(truth) => (*truth).into(),
            Formula::Opaque | Formula::Given => Truth::Unsure,
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

    /// Whether a formula that is open is so for program and truth alike: [`Evaluation::is_shared`].
    fn is_same_of_both(&self, expression: &Expression, formula: &Formula) -> bool {
        let facts = |node: u32| &self.facts[node as usize];
        // What is less off than it is large has the sign of the truth.
        let keeps_sign = |zero: u32, node: u32| facts(zero).computed == Interval::ZERO && facts(node).relative < 1.0;
        let known = |part: &u32| self.is_shared[*part as usize];
        match formula {
            Formula::Constant(_) | Formula::Given => true,
            Formula::Opaque | Formula::Special(_) => false,
            Formula::Less(a, b) | Formula::AtMost(a, b) | Formula::Equal(a, b) => {
                (facts(*a).error == 0.0 && facts(*b).error == 0.0) || keeps_sign(*a, *b) || keeps_sign(*b, *a)
            }
            // An exact zero that is computed may have either sign: an input's is the truth's.
            Formula::Signed(a, _) => matches!(expression.nodes[*a as usize].operation, Operation::Input(_)),
            Formula::Not(a) => known(a),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().all(known),
            Formula::Same(a, b) => known(a) && known(b),
        }
    }
}

/// The node's facts from its operation's: what rounding adds.
fn rounded(node: &Node, exact: &Exact, outer: f64) -> Result<Facts, Why> {
    let value = exact.value;
    if !value.is_bounded() {
        return Err(Why::Overflow);
    }
    let mut computed = value;
    let mut multiple = exact.multiple;
    let (mut own, mut unit) = (0.0, 0.0);
    match (node.operation, node.rounding) {
        (Operation::Input(_) | Operation::Constant(_), _) | (_, None) => {}
        (Operation::Unary(function, _) | Operation::Binary(function, ..), Some(rounding)) => {
            let (error, reached) = rounding.call_error(value.magnitude(), node.steps);
            within(rounding, reached)?;
            (own, unit) = (error, f64::INFINITY);
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
                // A sum of floats that is subnormal is a float.
                let is_normal = exact.is_sum_of_floats || value.mignitude() >= power_of_two(rounding.least_exponent);
                unit = if is_normal { rounding.unit() } else { f64::INFINITY };
            }
            computed = rounding.rounded(value);
            multiple = rounding.multiple(computed, multiple);
        }
    }
    let is_cut = exact.extra != 0.0;
    own = sum_up(own, exact.extra);
    let mut error = own.max(outer);
    for (derivative, operand) in exact.first.iter().zip(exact.errors) {
        if operand != 0.0 {
            error = sum_up(error, product_up(derivative.magnitude(), operand));
        }
    }
    let mut relative = if is_cut { f64::INFINITY } else { compound(exact.relative, unit) };
    if error == 0.0 {
        relative = 0.0;
    } else if computed.mignitude() > 0.0 {
        relative = relative.min(quotient_up(error, computed.mignitude()));
    }
    if error < f64::INFINITY {
        Ok(Facts { computed, multiple, own, error, relative, first: exact.first, second: exact.second })
    } else {
        Err(Why::Unbounded)
    }
}

/// (1 + a)·(1 + b) − 1.
pub(crate) fn compound(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        b
    } else if b == 0.0 {
        a
    } else {
        sum_up(sum_up(a, b), product_up(a, b))
    }
}

fn within(rounding: Rounding, magnitude: f64) -> Result<(), Why> {
    if magnitude <= rounding.largest { Ok(()) } else { Err(Why::Overflow) }
}
