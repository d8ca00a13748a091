//! The bound on one box.
//!
//! **Claim.** For every input of the box that satisfies the guards, the measured error is at most [`Verdict::Bounded`]'s `upper`. On
//! a box that is [`Verdict::Outside`] none satisfies them.
//!
//! **Argument.** With own_i the bounds of the roundings' errors on the box X, the error at x is at most S(x) = Σ own_i·|D_i(x, δ)| for some
//! perturbations δ of at most own ([`crate::sensitivity`]). The smaller of two bounds of S is taken: the sum with D_i's range over X; and, on
//! smooth boxes, the mean-value form S(c) + Σ_k sup ∂_kS·(x_k − c_k), where S(c) is the sum at one point c under perturbations of
//! the whole box. With ∂_kS in \[−A, B\] the supremum is least, AB/(A+B) of the width, where c_k divides the width in the ratio B to A (Baumann,
//! "Optimal centered forms", BIT 1988); and zero at an end where S is monotone. Relative errors: the same for S/|F|, by the quotient's derivative. A gap between
//! two paths' exact values is added in the same way; the truth, by which a relative error is measured, is then the other path's exact value.
//!
//! The result's own range has a mean-value form, too: R = F̃(c) + Σ_k ∂_kF̃·(x_k − c_k) over all perturbations of the box, those without the last rounding's among
//! them. So the last rounding is of a number in R, and its error, which enters S by itself, is bounded by R. It matters where the result's maximum is a power of two.

use std::cmp::Ordering;

use labrys_term::Truth;

use crate::evaluation::Evaluation;
use crate::expression::{Expression, NodeIndex, Operation};
use crate::functions::Table;
use crate::guards::orders;
use crate::interval::{product_down, product_up, quotient_up, sum_down, sum_up};
use crate::sensitivity::Sensitivity;
use crate::unknown::{Failure, Why};
use crate::{Interval, Measure};

/// What is known of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// No input satisfies the guards.
    Outside,
    /// The error is at most `upper`; the sum reaches `reached` at an input, if one was tried. `split` is the input to divide.
    Bounded { upper: f64, reached: Option<f64>, split: usize },
    /// Nothing is known.
    Failed(Failure),
}

/// A division of a box: after so much of an input, so that no input of the one half satisfies the guards.
pub(crate) type Cut = (usize, f64);

/// Ranges of a smaller width, relative to their magnitude, are not divided for the sake of the power of two that they cross.
const NARROW: f64 = 1.0 / 256.0;

/// Bounds one box after the other.
#[derive(Debug)]
pub(crate) struct Bounder<'a> {
    expression: &'a Expression,
    measure: Measure,
    table: &'a Table,
    /// Of the whole box, and of a point in it.
    box_pass: Evaluation,
    point_pass: Evaluation,
    box_sums: Sensitivity,
    point_sums: Sensitivity,
    own: Vec<f64>,
    slopes: Vec<Interval>,
    gradient: Vec<Interval>,
    /// The gradient of another node than the result.
    aside: Vec<Interval>,
    widths: Vec<f64>,
    slack: Vec<f64>,
    centre: Vec<Interval>,
}

/// Bounds of the sum on a box, in the measure's unit.
struct Sum {
    low: f64,
    high: f64,
}

impl<'a> Bounder<'a> {
    /// Boxes lie in `region`.
    pub(crate) fn new(
        expression: &'a Expression,
        measure: Measure,
        table: &'a Table,
        region: &[Interval],
    ) -> Bounder<'a> {
        let inputs = expression.inputs.len();
        Bounder {
            expression,
            measure,
            table,
            box_pass: Evaluation::default(),
            point_pass: Evaluation::default(),
            box_sums: Sensitivity::default(),
            point_sums: Sensitivity::default(),
            own: Vec::new(),
            slopes: vec![Interval::ZERO; inputs],
            gradient: vec![Interval::ZERO; inputs],
            aside: vec![Interval::ZERO; inputs],
            widths: region.iter().map(|side| side.width()).collect(),
            slack: vec![0.0; inputs],
            centre: vec![Interval::ZERO; inputs],
        }
    }

    /// How many nodes a pass goes through.
    pub(crate) fn nodes(&self) -> usize {
        self.expression.nodes.len()
    }

    /// The sum at a point: what the bound cannot fall below. None where the guards are not certain there.
    pub(crate) fn at(&mut self, point: &[Interval]) -> Result<Option<f64>, Failure> {
        self.point_pass.run(self.expression, self.table, point, None);
        let truth = guards(self.expression, &self.point_pass);
        if truth == Truth::False {
            return Ok(None);
        }
        if let Some(why) = self.point_pass.failure {
            return Err(why);
        }
        self.point_sums.differentiate(self.expression, &self.point_pass.facts, self.expression.result);
        let facts = &self.point_pass.facts;
        let sum = sum(self.expression, self.measure, &self.point_pass, &self.point_sums, |i| facts[i].own)?;
        Ok((truth == Truth::True).then_some(sum.high))
    }

    /// The bound on a box. Where it is above `wanted`, the mean-value form is tried too.
    pub(crate) fn bound(&mut self, region: &[Interval], wanted: f64) -> Verdict {
        self.box_pass.run(self.expression, self.table, region, None);
        if guards(self.expression, &self.box_pass) == Truth::False {
            return Verdict::Outside;
        }
        if let Some(why) = self.box_pass.failure {
            return Verdict::Failed(why);
        }
        self.box_sums.differentiate(self.expression, &self.box_pass.facts, self.expression.result);
        let facts = &self.box_pass.facts;
        let sum = match sum(self.expression, self.measure, &self.box_pass, &self.box_sums, |i| facts[i].own) {
            Ok(sum) => sum,
            Err(why) => return Verdict::Failed(why),
        };
        let mut upper = sum.high;
        let mut reached = None;
        let mut split = self.widest(region);
        if upper > wanted
            && let Some((at_centre, point)) = self.mean_value(region, &sum)
        {
            let slack = self.slack.iter().fold(0.0, |sum, slack| sum_up(sum, *slack));
            upper = upper.min(sum_up(at_centre, slack));
            reached = point;
            if upper > wanted {
                split = self.choose_split(region, slack, upper - point.unwrap_or(0.0));
            }
        }
        Verdict::Bounded { upper, reached, split }
    }

    /// S at the centre under the box's roundings, and under its own where the guards hold there. `slack` is what
    /// each input adds at most.
    fn mean_value(&mut self, region: &[Interval], sum: &Sum) -> Option<(f64, Option<f64>)> {
        if !self.box_pass.is_smooth {
            return None;
        }
        self.find_slopes(sum);
        for (place, side) in region.iter().enumerate() {
            let slope = self.slopes[place];
            if !slope.is_bounded() {
                return None;
            }
            let (centre, slack) = centre(*side, slope);
            self.centre[place] = Interval::point(centre);
            self.slack[place] = slack;
        }
        self.own.clear();
        self.own.extend(self.box_pass.facts.iter().map(|facts| facts.own));
        self.point_pass.run(self.expression, self.table, &self.centre, Some(&self.own));
        if self.point_pass.failure.is_some() || !self.point_pass.is_smooth {
            return None;
        }
        self.point_sums.differentiate(self.expression, &self.point_pass.facts, self.expression.result);
        self.tighten_last(region);
        let (pass, sums, own) = (&self.point_pass, &self.point_sums, &self.own);
        let of_box = self::sum(self.expression, self.measure, pass, sums, |i| own[i]).ok()?;
        let of_point = self::sum(self.expression, self.measure, pass, sums, |i| pass.facts[i].own).ok()?;
        let is_inside = guards(self.expression, pass) == Truth::True;
        Some((of_box.high, is_inside.then_some(of_point.high)))
    }

    /// Bounds the last rounding's error by the mean-value range of the result.
    fn tighten_last(&mut self, region: &[Interval]) {
        let result = self.expression.result as usize;
        let node = self.expression.nodes[result];
        let Some(rounding) = node.rounding.filter(|_| node.operation.is_arithmetic()) else { return };
        let mut range = self.point_pass.facts[result].perturbed();
        for ((side, centre), slope) in region.iter().zip(&self.centre).zip(&self.gradient) {
            range = range + *slope * (*side - *centre);
        }
        if range.is_bounded() {
            self.own[result] = self.own[result].min(rounding.error(range.magnitude()));
        }
    }

    /// The derivatives of the measured sum by each input, over the box.
    fn find_slopes(&mut self, sum: &Sum) {
        self.slopes.fill(Interval::ZERO);
        self.gradient.fill(Interval::ZERO);
        let facts = &self.box_pass.facts;
        let (slopes, gradient) = (&mut self.slopes, &mut self.gradient);
        self.box_sums.slopes(self.expression, facts, |i| facts[i].own, slopes, gradient);
        if let Some(gap) = self.expression.gap {
            let sign = sign(self.box_pass.facts[gap.difference as usize].computed);
            self.differentiate_aside(gap.difference);
            for (slope, by) in self.slopes.iter_mut().zip(&self.aside) {
                *slope = *slope + *by * sign;
            }
        }
        if self.measure == Measure::Relative {
            let truth = self.expression.truth();
            self.differentiate_aside(truth);
            let truth = self.box_pass.facts[truth as usize].computed;
            let share = Interval::new(sum.low, sum.high) * sign(truth);
            for (slope, by) in self.slopes.iter_mut().zip(&self.aside) {
                *slope = (*slope - share * *by).quotient(truth.abs());
            }
        }
    }

    /// Puts the gradient of a node by the inputs over the box into `aside`. The adjoints at the point are not needed then.
    fn differentiate_aside(&mut self, node: NodeIndex) {
        self.aside.fill(Interval::ZERO);
        self.point_sums.differentiate(self.expression, &self.box_pass.facts, node);
        for (place, node) in self.expression.nodes.iter().enumerate() {
            if let Operation::Input(input) = node.operation {
                let by = self.point_sums.adjoints[place];
                self.aside[input as usize] = self.aside[input as usize] + by;
            }
        }
    }

    /// Where a guard that compares an input divides the box that was looked at last.
    pub(crate) fn cut(&self, region: &[Interval]) -> Option<Cut> {
        let Expression { nodes, formulas, guards, inputs, .. } = self.expression;
        let input = |node: NodeIndex| match nodes[node as usize].operation {
            Operation::Input(input) => Some(input as usize),
            _ => None,
        };
        let range = |node: NodeIndex| self.box_pass.facts.get(node as usize).map(|facts| facts.computed);
        let after = |input: usize, at: f64| {
            let at = if inputs[input] { at.floor() } else { at };
            (at >= region[input].low() && at < region[input].high()).then_some((input, at))
        };
        guards.literals.iter().flat_map(|literal| orders(formulas, *literal)).find_map(|order| {
            let (less, greater) = (range(order.less)?, range(order.greater)?);
            let lower = input(order.greater)
                .filter(|_| less.is_bounded())
                .and_then(|input| after(input, if order.is_strict { less.low() } else { less.low().next_down() }));
            let upper = || {
                let input = input(order.less).filter(|_| greater.is_bounded())?;
                after(input, if order.is_strict { greater.high().next_down() } else { greater.high() })
            };
            lower.or_else(upper)
        })
    }

    /// The input whose division promises most: where the mean-value form loses most, or where the rounding that loses most
    /// by not being that of a point changes most.
    fn choose_split(&mut self, region: &[Interval], slack: f64, looseness: f64) -> usize {
        if slack > 0.25 * looseness {
            return greatest(self.slack.iter().copied());
        }
        let loss = |i: usize| {
            let (whole, point) = (&self.box_pass.facts[i], &self.point_pass.facts[i]);
            // Where a narrow range crosses a power of two, one half still crosses it: nothing is won by dividing.
            let is_narrow = whole.computed.width() < NARROW * whole.computed.magnitude();
            if is_narrow { 0.0 } else { (whole.own - point.own) * self.box_sums.adjoints[i].magnitude() }
        };
        let node = greatest((0..self.own.len()).map(loss));
        if loss(node).partial_cmp(&0.0) != Some(Ordering::Greater) {
            return self.widest(region);
        }
        self.point_sums.differentiate(self.expression, &self.box_pass.facts, node as u32);
        let mut influence = vec![0.0; region.len()];
        for (place, node) in self.expression.nodes.iter().enumerate() {
            if let Operation::Input(input) = node.operation {
                let derivative = self.point_sums.adjoints[place].magnitude();
                influence[input as usize] += derivative.min(f64::MAX) * region[input as usize].width();
            }
        }
        let chosen = greatest(influence.iter().copied());
        if influence[chosen] > 0.0 { chosen } else { self.widest(region) }
    }

    /// The input whose range is widest beside the whole one.
    pub(crate) fn widest(&self, region: &[Interval]) -> usize {
        greatest(
            region.iter().zip(&self.widths).map(|(side, whole)| if *whole > 0.0 { side.width() / whole } else { 0.0 }),
        )
    }
}

/// Whether the guards hold, of the computed values and of the exact ones.
fn guards(expression: &Expression, pass: &Evaluation) -> Truth {
    let guards = &expression.guards;
    if guards.opposed.iter().any(|formula| pass.is_shared[*formula as usize]) {
        return Truth::False;
    }
    let holds = |(formula, holds): &(u32, bool)| {
        let truth = pass.truths[*formula as usize];
        if *holds { truth } else { !truth }
    };
    guards.literals.iter().fold(Truth::True, |all, literal| all.and(holds(literal)))
}

/// The place of the greatest number, the first one if there are several.
fn greatest(numbers: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, number) in numbers.enumerate() {
        if number > best.1 {
            best = (place, number);
        }
    }
    best.0
}

/// The sign of the members, as a number.
fn sign(value: Interval) -> Interval {
    if value.low() >= 0.0 {
        Interval::ONE
    } else if value.high() <= 0.0 {
        -Interval::ONE
    } else {
        Interval::new(-1.0, 1.0)
    }
}

/// The point from which a function with these slopes grows least over the side, and how much at most.
fn centre(side: Interval, slope: Interval) -> (f64, f64) {
    let (down, up) = (-slope.low(), slope.high());
    if up <= 0.0 {
        (side.low(), 0.0)
    } else if down <= 0.0 {
        (side.high(), 0.0)
    } else {
        let share = up / (up + down);
        let share = if share.is_finite() { share } else { 0.5 };
        let centre = (side.low() + share * (side.high() - side.low())).clamp(side.low(), side.high());
        let above = product_up(up, sum_up(side.high(), -centre));
        let below = product_up(down, sum_up(centre, -side.low()));
        (centre, above.max(below))
    }
}

/// The sum of the errors' shares, with weights for the own errors.
fn sum(
    expression: &Expression,
    measure: Measure,
    pass: &Evaluation,
    sums: &Sensitivity,
    own: impl Fn(usize) -> f64,
) -> Result<Sum, Failure> {
    let (mut low, mut high) = (0.0, 0.0);
    for (place, adjoint) in sums.adjoints.iter().enumerate() {
        let own = own(place);
        if own != 0.0 && *adjoint != Interval::ZERO {
            high = sum_up(high, product_up(adjoint.magnitude(), own));
            low = sum_down(low, product_down(adjoint.mignitude(), own)).max(0.0);
        }
    }
    if let Some(gap) = expression.gap {
        let gap = pass.facts[gap.difference as usize].computed;
        high = sum_up(high, gap.magnitude());
        low = sum_down(low, gap.mignitude());
    }
    if measure == Measure::Relative {
        let truth = pass.facts[expression.truth() as usize].computed.abs();
        if truth.low() <= 0.0 {
            return Err(Failure { why: Why::ZeroTruth, place: expression.truth() });
        }
        let range = Interval::new(low, high).quotient(truth);
        (low, high) = (range.low().max(0.0), quotient_up(high, truth.low()));
    }
    let unbounded = Failure { why: Why::Unbounded, place: expression.result };
    if high < f64::INFINITY { Ok(Sum { low, high }) } else { Err(unbounded) }
}
