//! One pass over a box: values, errors, derivatives; the sum of errors, and its slopes.
//!
//! For each node: `range` holds the exact and the computed value; `own` bounds what its rounding adds, half the distance of floats at the largest
//! magnitude, nothing where the exact result is on a grid that the format holds; `error` bounds how far perturbations of that size move
//! it; derivatives are taken on ranges widened by it. The result's error is then Σ |adjoint|·own, by the mean value theorem. `relative` bounds
//! the error of the computed value beside the exact one, where nothing else does (a root or a logarithm of what may be near zero).

mod operation;
mod rounding;

use rug::Float;

use super::guards::Cut;
use super::interval::{Interval, power, precision, product, sum, zero};
use super::statement::{Formula, Node, Rounding, Statement};
use operation::{Exact, compound, within_bounds};
pub(super) use rounding::rounding_error;
use rounding::{by_size, exponent, outward};

/// What is known of a node.
pub(super) struct Facts {
    pub range: Interval,
    /// All computed values are multiples of two to this power.
    grid: i64,
    pub own: Float,
    error: Float,
    /// Infinite where nothing is known.
    relative: Float,
    first: [Interval; 2],
    second: [Interval; 3],
}

impl Facts {
    /// The relative error is at most the error beside the least value.
    fn know_relative(&mut self) {
        let least = self.range.mignitude();
        if self.error.is_zero() {
            self.relative = zero();
        } else if !least.is_zero() {
            let by_size = point(&self.error).over(&point(&least)).high;
            self.relative = self.relative.clone().min(&by_size);
        }
    }

    /// All values under perturbations.
    pub(super) fn perturbed(&self) -> Interval {
        &self.range + &Interval::around(&self.error)
    }
}

/// A pass; `None` in `facts` where nothing is known of a node.
pub(super) struct Pass {
    pub facts: Vec<Option<Facts>>,
    /// Certainly true, certainly false, or not known.
    truths: Vec<Option<bool>>,
    /// Whether formulas hold of the computed values where they hold of the exact ones.
    shared: Vec<bool>,
    pub is_smooth: bool,
}

fn unknown() -> Float {
    Float::with_val(precision(), f64::INFINITY)
}

fn none() -> Interval {
    Interval::point(0.0)
}

fn point(value: &Float) -> Interval {
    Interval::new(value.clone(), value.clone())
}

impl Pass {
    /// Evaluates on a box; `outer` are the own errors of a box around it, whose perturbations are then covered.
    pub(super) fn new(statement: &Statement, region: &[Interval], outer: Option<&[Float]>) -> Pass {
        let mut pass = Pass { facts: Vec::new(), truths: Vec::new(), shared: Vec::new(), is_smooth: true };
        for (place, node) in statement.nodes.iter().enumerate() {
            pass.decide(statement, place);
            let mut facts = pass.exact(statement, node, region).and_then(|exact| {
                let least = outer.map_or_else(zero, |outer| outer[place].clone());
                pass.rounded(node, exact, least)
            });
            if let Some(facts) = facts.as_mut().filter(|_| outer.is_none()) {
                pass.cut(statement, place, facts);
            }
            pass.facts.push(facts);
        }
        pass.decide(statement, usize::MAX);
        pass
    }

    /// Decides the formulas that stand before a node.
    fn decide(&mut self, statement: &Statement, place: usize) {
        while let Some(formula) = statement.formulas.get(self.truths.len()).filter(|it| it.nodes_before <= place) {
            let truth = self.truth(formula);
            let is_shared = truth.is_some() || self.is_same_of_both(statement, formula);
            self.truths.push(truth);
            self.shared.push(is_shared);
        }
    }

    fn truth(&self, formula: &Formula) -> Option<bool> {
        let range = |place: usize| {
            let facts = self.facts[formula.operands[place]].as_ref();
            facts.map_or_else(Interval::everything, |facts| facts.range.clone())
        };
        let known = |place: usize| self.truths[formula.operands[place]];
        let certain = |is_true: bool, is_false: bool| if is_true { Some(true) } else { is_false.then_some(false) };
        let all = |wanted: bool| {
            let parts: Vec<Option<bool>> = (0..formula.operands.len()).map(known).collect();
            certain(parts.iter().all(|part| *part == Some(wanted)), parts.contains(&Some(!wanted)))
        };
        match formula.name.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            "less" => certain(range(0).high < range(1).low, range(0).low >= range(1).high),
            "atmost" => certain(range(0).high <= range(1).low, range(0).low > range(1).high),
            "equal" => {
                let (a, b) = (range(0), range(1));
                certain(a.low == a.high && a == b, a.high < b.low || b.high < a.low)
            }
            "special" => range(0).is_bounded().then_some(false),
            "negative" => certain(range(0).high < 0, range(0).low > 0),
            "positive" => certain(range(0).low > 0, range(0).high < 0),
            "not" => known(0).map(|truth| !truth),
            "and" => all(true),
            "or" => all(false).map(|all_false| !all_false),
            "same" => known(0).zip(known(1)).map(|(a, b)| a == b),
            _ => None,
        }
    }

    /// Whether no input of the box satisfies the guards.
    pub(super) fn is_outside(&self, statement: &Statement) -> bool {
        let guards = &statement.guards;
        guards.literals.iter().any(|(formula, holds)| self.truths[*formula] == Some(!holds))
            || guards.opposed.iter().any(|formula| self.shared[*formula])
    }

    fn is_same_of_both(&self, statement: &Statement, formula: &Formula) -> bool {
        let facts = |place: usize| self.facts[formula.operands[place]].as_ref();
        let is_exact = |place: usize| facts(place).is_some_and(|facts| facts.error.is_zero());
        // What is less off than it is large keeps its sign.
        let has_sign = |zero: usize, other: usize| {
            facts(zero).is_some_and(|facts| facts.range.is_zero())
                && facts(other).is_some_and(|facts| facts.relative < 1)
        };
        match formula.name.as_str() {
            "true" | "false" | "given" => true,
            "less" | "atmost" | "equal" => (is_exact(0) && is_exact(1)) || has_sign(0, 1) || has_sign(1, 0),
            "negative" | "positive" => statement.nodes[formula.operands[0]].name == "input",
            "not" | "and" | "or" | "same" => formula.operands.iter().all(|part| self.shared[*part]),
            _ => false,
        }
    }

    /// Cuts a node's range to what guards say of it.
    fn cut(&mut self, statement: &Statement, place: usize, facts: &mut Facts) {
        for (_, cut, is_of_both) in statement.guards.cuts.iter().filter(|(node, ..)| *node == place) {
            let of = |node: usize| match statement.nodes[node].name.as_str() {
                "const" => Some(Interval::point(statement.nodes[node].value)),
                _ => self.facts.get(node)?.as_ref().map(|facts| facts.range.clone()),
            };
            let least = |is_strict: bool| {
                let operands = statement.nodes[place].operands.iter().map(|operand| self.facts[*operand].as_ref());
                let exact = operands.map(|facts| facts.filter(|facts| facts.error.is_zero()).map(|facts| facts.grid));
                let grid = exact.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten();
                grid.filter(|_| is_strict).map_or_else(zero, |grid| power(grid.max(-4000)))
            };
            // What is said of one of the two values is true of the other but for what they are apart.
            let apart = if *is_of_both { none() } else { Interval::around(&facts.error) };
            let limit = match *cut {
                Cut::AtLeast(node) | Cut::AtMost(node) => of(node),
                Cut::NotNegative(is_strict) => Some(point(&least(is_strict))),
                Cut::NotPositive(is_strict) => Some(point(&-least(is_strict))),
            };
            let Some(limit) = limit.map(|limit| &limit + &apart).filter(Interval::is_bounded) else { continue };
            let Interval { mut low, mut high } = facts.range.clone();
            match *cut {
                Cut::AtLeast(_) | Cut::NotNegative(_) => low = low.max(&limit.low),
                Cut::AtMost(_) | Cut::NotPositive(_) => high = high.min(&limit.high),
            }
            // A mean-value form would pass inputs that are not meant.
            if low <= high && (low != facts.range.low || high != facts.range.high) {
                facts.range = Interval::new(low, high);
                self.is_smooth = false;
            }
        }
        facts.know_relative();
    }

    fn rounded(&self, node: &Node, exact: Exact, outer: Float) -> Option<Facts> {
        let Exact { mut range, mut grid, first, second, limit, extra, mut relative, is_sum } = exact;
        let mut own = zero();
        relative = if extra.is_zero() { relative } else { unknown() };
        let is_given = matches!(node.name.as_str(), "input" | "const");
        if let Some(rounding) = node.rounding.filter(|_| !is_given) {
            let largest = (power(1) - power(1 - rounding.precision)) << (-rounding.least_exponent + 1) as i32;
            let magnitude = range.magnitude();
            if node.name == "call" {
                let mut reached = outward(rounding, &point(&magnitude)).high;
                own = rounding_error(Rounding { is_nearest: true, ..rounding }, &magnitude.max(&power(-1022)));
                for _ in 0..node.steps {
                    let unit = exponent(&reached).max(rounding.least_exponent) + 1 - rounding.precision;
                    reached = sum(&reached, &power(unit));
                    own = sum(&own, &power(unit));
                }
                if reached > largest {
                    return None;
                }
                relative = unknown();
                range = outward(rounding, &if node.steps == 0 { range } else { &range + &Interval::around(&own) });
                range = within_bounds(&node.function, range);
                grid = by_size(rounding, &range);
            } else {
                if !range.is_bounded() || magnitude > largest {
                    return None;
                }
                let finest = rounding.least_exponent + 1 - rounding.precision;
                if grid < finest || magnitude > power(grid.min(4000) + rounding.precision) {
                    own = rounding_error(rounding, &magnitude);
                    own = limit.map_or(own.clone(), |limit| own.min(&limit));
                    let is_normal = is_sum || range.mignitude() >= power(rounding.least_exponent);
                    let unit = power(i64::from(!rounding.is_nearest) - rounding.precision);
                    relative = if is_normal { compound(&relative, &unit) } else { unknown() };
                }
                range = outward(rounding, &range);
                grid = grid.max(by_size(rounding, &range));
            }
        }
        own = sum(&own, &extra);
        let mut error = own.clone().max(&outer);
        for (derivative, operand) in first.iter().zip(&node.operands).filter(|(derivative, _)| !derivative.is_zero()) {
            error = sum(&error, &product(&derivative.magnitude(), &self.facts[*operand].as_ref()?.error));
        }
        let mut facts = Facts { range, grid, own, error, relative, first, second };
        facts.know_relative();
        (facts.error.is_finite() && facts.range.is_bounded()).then_some(facts)
    }

    /// The derivatives of a node's value by each node.
    pub(super) fn adjoints(&self, statement: &Statement, root: usize) -> Option<Vec<Interval>> {
        let mut adjoints = vec![none(); statement.nodes.len()];
        adjoints[root] = Interval::point(1.0);
        for place in (0..=root).rev() {
            if adjoints[place].is_zero() {
                continue;
            }
            let facts = self.facts[place].as_ref()?;
            for (derivative, operand) in facts.first.iter().zip(&statement.nodes[place].operands) {
                adjoints[*operand] = &adjoints[*operand] + &(derivative * &adjoints[place]);
            }
        }
        Some(adjoints)
    }

    /// The gradient by the inputs of Σ weight·|adjoint|.
    pub(super) fn slopes(&self, statement: &Statement, adjoints: &[Interval]) -> Option<Vec<Interval>> {
        let mut tangents: Vec<Interval> = Vec::new();
        for (place, node) in statement.nodes.iter().enumerate() {
            let (mut tangent, adjoint) = (none(), &adjoints[place]);
            if let Some(facts) = self.facts[place].as_ref() {
                if !adjoint.is_zero() {
                    let (low, high) = adjoint.sign();
                    tangent = &Interval::between(low, high) * &point(&facts.own);
                }
                for (derivative, operand) in facts.first.iter().zip(&node.operands) {
                    tangent = &tangent + &(derivative * &tangents[*operand]);
                }
            }
            tangents.push(tangent);
        }
        let mut slopes = vec![none(); statement.inputs.len()];
        let mut bends = vec![none(); statement.nodes.len()];
        for (place, node) in statement.nodes.iter().enumerate().rev() {
            if adjoints[place].is_zero() && bends[place].is_zero() {
                continue;
            }
            if node.name == "input" {
                slopes[node.input] = &slopes[node.input] + &bends[place];
            }
            let facts = self.facts[place].as_ref()?;
            let [aa, ab, bb] = &facts.second;
            for (which, operand) in node.operands.iter().enumerate() {
                let (own, cross) = if which == 0 { (aa, ab) } else { (bb, ab) };
                let mut turn = own * &tangents[*operand];
                if let Some(other) = node.operands.get(1 - which) {
                    turn = &turn + &(cross * &tangents[*other]);
                }
                let bend = &(&facts.first[which] * &bends[place]) + &(&turn * &adjoints[place]);
                bends[*operand] = &bends[*operand] + &bend;
            }
        }
        Some(slopes)
    }
}
