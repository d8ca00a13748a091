//! The leaves of a certificate's tree, box by box.

use anyhow::{Context, Result, bail, ensure};
use rug::Float;

use super::interval::{Interval, product, sum, zero};
use super::pass::{self, Pass};
use super::statement::{self, Branch, Statement};

/// How often a leaf's box may be divided beyond the certificate's tree.
const DEPTH: u32 = 10;

/// Verifies a certificate; gives the number of boxes that were looked at.
pub(super) fn check(text: &str) -> Result<usize> {
    let statement = statement::read(text)?;
    let mut boxes = 0;
    let mut pending: Vec<Vec<Interval>> = vec![statement.inputs.iter().map(|(range, _)| range.clone()).collect()];
    for (number, branch) in statement.tree.iter().enumerate() {
        let mut region = pending.pop().context("the tree goes on after its last leaf")?;
        let at = || format!("statement {number} of the tree");
        match branch {
            Branch::Split(input, value) => {
                let side = &region[*input];
                ensure!(side.low <= *value && side.high > *value, "{}: divided outside its range", at());
                let mut other = region.clone();
                (region[*input], other[*input]) = halves(&statement, *input, side, *value);
                pending.extend([other, region]);
            }
            Branch::Leaf(upper) => {
                ensure!(*upper <= statement.bound, "{}: its bound is above that of the whole", at());
                boxes += verify(&statement, region, Some(*upper)).with_context(at)?;
            }
            Branch::Outside => boxes += verify(&statement, region, None).with_context(at)?,
        }
    }
    ensure!(pending.is_empty(), "{} boxes are not in the tree", pending.len());
    Ok(boxes)
}

/// The halves of a side after a value. Inputs are doubles, or integers, of which none lies between.
fn halves(statement: &Statement, input: usize, side: &Interval, value: f64) -> (Interval, Interval) {
    let number = |value: f64| Float::with_val(side.low.prec(), value);
    let next = match statement.inputs[input].1 {
        Some(_) => value.next_up(),
        // Beyond 2^53 there are integers that are no doubles: the halves share an end.
        None if value.abs() < 9e15 => value.floor() + 1.0,
        None => value,
    };
    (Interval::new(side.low.clone(), number(value)), Interval::new(number(next), side.high.clone()))
}

/// Verifies that on a box no input satisfies the guards, or else that the error is at most `upper`.
fn verify(statement: &Statement, region: Vec<Interval>, upper: Option<f64>) -> Result<usize> {
    let mut pending = vec![(region, 0)];
    let mut boxes = 0;
    while let Some((region, depth)) = pending.pop() {
        boxes += 1;
        let pass = Pass::new(statement, &region, None);
        if pass.is_outside(statement) {
            continue;
        }
        let Some(upper) = upper else { bail!("guards may hold") };
        if is_proved(statement, &pass, &region, upper).unwrap_or(false) {
            continue;
        }
        ensure!(depth < DEPTH && boxes < 4000, "{upper:?} is not proved");
        let width = |side: &Interval| (side.high.clone() - &side.low).to_f64();
        let relative = |place: usize| {
            let whole = width(&statement.inputs[place].0);
            if whole > 0.0 { width(&region[place]) / whole } else { 0.0 }
        };
        let widest = (0..region.len()).max_by(|a, b| relative(*a).total_cmp(&relative(*b)));
        let widest = widest.filter(|widest| relative(*widest) > 0.0).context("a point is not proved")?;
        let side = region[widest].clone();
        let middle = ((side.low.clone() + &side.high) / 2u32).to_f64();
        let middle = if side.high > middle { middle } else { side.low.to_f64() };
        let (lower, upper) = halves(statement, widest, &side, middle);
        for half in [lower, upper].into_iter().filter(Interval::is_bounded) {
            let mut part = region.clone();
            part[widest] = half;
            pending.push((part, depth + 1));
        }
    }
    Ok(boxes)
}

/// Whether the sum of errors is at most `upper` on the box; `None` where there is no finite sum.
fn is_proved(statement: &Statement, pass: &Pass, region: &[Interval], upper: f64) -> Option<bool> {
    let adjoints = pass.adjoints(statement, statement.result)?;
    let mut own: Vec<Float> =
        pass.facts.iter().map(|facts| facts.as_ref().map_or_else(zero, |facts| facts.own.clone())).collect();
    let (total, least) = total(statement, pass, &adjoints, &own)?;
    if total <= upper {
        return Some(true);
    }
    if !pass.is_smooth {
        return Some(false);
    }
    let mut slopes = pass.slopes(statement, &adjoints)?;
    // The gradient of a node's value, or of its magnitude where it has that range.
    let by_inputs = |adjoints: &[Interval], range: &Interval| {
        let (low, high) = range.sign();
        let mut gradient = vec![Interval::point(0.0); statement.inputs.len()];
        for (node, adjoint) in statement.nodes.iter().zip(adjoints).filter(|(node, _)| node.name == "input") {
            gradient[node.input] = &gradient[node.input] + &(adjoint * &Interval::between(low, high));
        }
        gradient
    };
    let gradient = by_inputs(&adjoints, &Interval::point(1.0));
    if let Some(gap) = statement.gap {
        let gradient = by_inputs(&pass.adjoints(statement, gap)?, &pass.facts[gap].as_ref()?.range);
        slopes = slopes.iter().zip(&gradient).map(|(slope, by)| slope + by).collect();
    }
    if statement.is_relative {
        let truth = &pass.facts[statement.truth()].as_ref()?.range;
        let share = Interval::new(least, total);
        let gradient = by_inputs(&pass.adjoints(statement, statement.truth())?, truth);
        slopes = slopes.iter().zip(&gradient).map(|(slope, by)| (slope - &(&share * by)).over(&truth.abs())).collect();
    }
    let (mut centre, mut slack) = (Vec::new(), zero());
    for (side, slope) in region.iter().zip(&slopes) {
        let (at, most) = best_centre(side, slope)?;
        centre.push(Interval::new(at.clone(), at));
        slack = sum(&slack, &most);
    }
    let at_centre = Pass::new(statement, &centre, Some(&own));
    let adjoints = at_centre.adjoints(statement, statement.result)?;
    // The result's range by the mean-value form: what the last rounding is of.
    let result = at_centre.facts[statement.result].as_ref()?;
    let mut range = result.perturbed();
    for ((side, at), slope) in region.iter().zip(&centre).zip(&gradient) {
        range = &range + &(slope * &(side - at));
    }
    let node = &statement.nodes[statement.result];
    let is_arithmetic = matches!(node.name.as_str(), "add" | "sub" | "mul" | "div" | "square" | "sqrt" | "same");
    if let Some(rounding) = node.rounding.filter(|_| is_arithmetic && range.is_bounded()) {
        let last = &mut own[statement.result];
        *last = last.clone().min(&pass::rounding_error(rounding, &range.magnitude()));
    }
    let total = self::total(statement, &at_centre, &adjoints, &own)?.0;
    Some(at_centre.is_smooth && sum(&total, &slack) <= upper)
}

/// The point of a side from which a function of these slopes grows least, and how much.
fn best_centre(side: &Interval, slope: &Interval) -> Option<(Float, Float)> {
    if !slope.is_bounded() {
        return None;
    }
    if slope.high <= 0 {
        return Some((side.low.clone(), zero()));
    }
    if slope.low >= 0 {
        return Some((side.high.clone(), zero()));
    }
    let share = slope.high.clone() / (slope.high.clone() - &slope.low);
    // A double, from which operations are exact more often.
    let at = Float::with_val(53, side.low.clone() + share * (side.high.clone() - &side.low));
    let at = Float::with_val(side.low.prec(), at).max(&side.low).min(&side.high);
    let above = product(&slope.high, &sum(&side.high, &-at.clone()));
    let below = product(&-slope.low.clone(), &sum(&at, &-side.low.clone()));
    Some((at, above.max(&below)))
}

/// The sum of the errors' shares in the measure's unit: at most, at least.
fn total(statement: &Statement, pass: &Pass, adjoints: &[Interval], own: &[Float]) -> Option<(Float, Float)> {
    let mut total = Interval::point(0.0);
    for (adjoint, own) in adjoints.iter().zip(own).filter(|(_, own)| !own.is_zero()) {
        total = &total + &(&adjoint.abs() * &Interval::new(own.clone(), own.clone()));
    }
    if let Some(gap) = statement.gap {
        total = &total + &pass.facts[gap].as_ref()?.range.abs();
    }
    if statement.is_relative {
        total = total.over(&pass.facts[statement.truth()].as_ref()?.range.abs());
    }
    total.is_bounded().then_some((total.high, total.low))
}
