//! One pass over a box: values, errors, derivatives; the sum of errors, and its slopes.
//!
//! For each node: `range` holds the exact and the computed value; `own` bounds what its rounding adds, half the distance of floats at the largest
//! magnitude, nothing where the exact result is on a grid that the format holds; `error` bounds how far perturbations of that size move
//! it; derivatives are taken on ranges widened by it. The result's error is then Σ |adjoint|·own, by the mean value theorem.

use std::cmp::Ordering;

use rug::Float;

use super::functions;
use super::interval::{Interval, power, precision, product, sum, zero};
use super::statement::{Formula, Node, Rounding, Statement};

/// What is known of a node.
pub(super) struct Facts {
    pub range: Interval,
    /// All computed values are multiples of two to this power.
    grid: i64,
    pub own: Float,
    error: Float,
    first: [Interval; 2],
    second: [Interval; 3],
}

impl Facts {
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
    pub is_smooth: bool,
}

/// What an operation is before its rounding.
struct Exact {
    range: Interval,
    grid: i64,
    first: [Interval; 2],
    second: [Interval; 3],
    /// What the rounding error cannot exceed for other reasons.
    limit: Option<Float>,
    /// What is added to the own error.
    extra: Float,
}

const COARSEST: i64 = 1 << 20;
const FINEST: i64 = -(1 << 20);

fn none() -> Interval {
    Interval::point(0.0)
}

fn point(value: &Float) -> Interval {
    Interval::new(value.clone(), value.clone())
}

/// ⌊log₂⌋ of a positive number; MPFR's significands lie in [1/2, 1).
fn exponent(value: &Float) -> i64 {
    value.get_exp().map_or(FINEST, |exponent| i64::from(exponent) - 1)
}

fn is_power_of_two(value: &Float) -> bool {
    *value == power(exponent(value))
}

/// The largest rounding error of numbers up to a magnitude.
fn half_ulp(rounding: Rounding, magnitude: &Float) -> Float {
    let below = if is_power_of_two(magnitude) { exponent(magnitude) - 1 } else { exponent(magnitude) };
    power(below.max(rounding.least_exponent) - rounding.precision)
}

pub(super) fn rounding_error(rounding: Rounding, magnitude: &Float) -> Float {
    match magnitude.is_zero() {
        true => zero(),
        false => half_ulp(rounding, magnitude) * if rounding.is_nearest { 1 } else { 2 },
    }
}

/// The nearest floats of the format outside a range: rounding is monotone.
fn outward(rounding: Rounding, range: &Interval) -> Interval {
    let end = |x: &Float, round: fn(Float) -> Float| {
        let unit = (exponent(x).max(rounding.least_exponent) + 1 - rounding.precision) as i32;
        if x.is_zero() { x.clone() } else { round(x.clone() >> unit) << unit }
    };
    Interval::new(end(&range.low, Float::floor), end(&range.high, Float::ceil))
}

impl Pass {
    /// Evaluates on a box; `outer` are the own errors of a box around it, whose perturbations are then covered.
    pub(super) fn new(statement: &Statement, region: &[Interval], outer: Option<&[Float]>) -> Pass {
        let mut pass = Pass { facts: Vec::new(), truths: Vec::new(), is_smooth: true };
        for (place, node) in statement.nodes.iter().enumerate() {
            pass.decide(statement, place);
            let facts = pass.exact(statement, node, region).and_then(|exact| {
                let outer = outer.map_or_else(zero, |outer| outer[place].clone());
                pass.rounded(node, exact, outer)
            });
            pass.facts.push(facts);
        }
        pass.decide(statement, usize::MAX);
        pass
    }

    /// Decides the formulas that stand before a node.
    fn decide(&mut self, statement: &Statement, place: usize) {
        while let Some(formula) = statement.formulas.get(self.truths.len()).filter(|it| it.nodes_before <= place) {
            let truth = self.truth(formula);
            self.truths.push(truth);
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

    /// Whether no input of the box satisfies the guards; whether all do.
    pub(super) fn is_outside(&self, statement: &Statement) -> bool {
        statement.guards.iter().any(|guard| self.truths[*guard] == Some(false))
    }

    fn exact(&mut self, statement: &Statement, node: &Node, region: &[Interval]) -> Option<Exact> {
        if matches!(node.name.as_str(), "min" | "max" | "choose") {
            return self.choice(node);
        }
        let facts: Vec<&Facts> =
            node.operands.iter().map(|operand| self.facts[*operand].as_ref()).collect::<Option<_>>()?;
        let wide = |place: usize| &facts[place].range + &Interval::around(&facts[place].error);
        let simple = |range: Interval, grid: i64, first: [Interval; 2]| Exact {
            range,
            grid,
            first,
            second: [none(), none(), none()],
            limit: None,
            extra: zero(),
        };
        let (one, two) = (Interval::point(1.0), Interval::point(2.0));
        let constant = |place: usize| {
            let operand = &statement.nodes[node.operands[place]];
            let value = Float::with_val(precision(), operand.value).abs();
            (operand.name == "const" && !value.is_zero() && is_power_of_two(&value)).then(|| exponent(&value))
        };
        // In place of a limit: that of subnormal numbers, where a factor is a power of two.
        let tiny = |is_scaled: bool| {
            node.rounding
                .filter(|_| is_scaled)
                .map(|rounding| rounding_error(rounding, &power(rounding.least_exponent)))
        };
        Some(match node.name.as_str() {
            "input" => {
                let range = region[node.input].clone();
                let grid = statement.inputs[node.input].1.map_or(0, |rounding| by_size(rounding, &range));
                simple(range, grid, [none(), none()])
            }
            "const" => simple(Interval::point(node.value), trailing(node.value), [none(), none()]),
            "between" => simple(Interval::between(node.value, node.most), FINEST, [none(), none()]),
            "add" | "sub" => {
                let (a, b) = (&facts[0].range, &facts[1].range);
                let is_sum = node.name == "add";
                let range = if is_sum { a + b } else { a - b };
                let is_float = |place: usize| {
                    let operand = &statement.nodes[node.operands[place]];
                    operand.rounding.is_some() || !matches!(operand.name.as_str(), "mul" | "square")
                };
                let near = |place: usize, other: &Interval| is_float(place).then(|| other.magnitude());
                let limits = [near(1, a), near(0, b)].into_iter().flatten().reduce(|a, b| a.min(&b));
                let limit = limits.filter(|_| node.rounding.is_some_and(|rounding| rounding.is_nearest));
                let first = [one.clone(), if is_sum { one } else { -&one }];
                Exact { limit, ..simple(range, facts[0].grid.min(facts[1].grid), first) }
            }
            "mul" => {
                let scale = constant(0).or(constant(1));
                let range = &facts[0].range * &facts[1].range;
                let second = [none(), one, none()];
                let grid = facts[0].grid + facts[1].grid;
                Exact { second, limit: tiny(scale.is_some()), ..simple(range, grid, [wide(1), wide(0)]) }
            }
            "square" => {
                let second = [two.clone(), none(), none()];
                Exact { second, ..simple(facts[0].range.square(), 2 * facts[0].grid, [&two * &wide(0), none()]) }
            }
            "div" => {
                let (a, b) = (wide(0), wide(1));
                if b.has_zero() {
                    return None;
                }
                let (quotient, inverse) = (a.over(&b), one.over(&b));
                let square = inverse.square();
                let second = [none(), -&square, &two * &(&quotient * &square)];
                let scale = constant(1);
                let grid = scale.map_or(FINEST, |scale| facts[0].grid - scale);
                let range = facts[0].range.over(&facts[1].range);
                let limit = tiny(scale.is_some());
                Exact { second, limit, ..simple(range, grid, [inverse.clone(), -&(&quotient * &inverse)]) }
            }
            "sqrt" => return self.root(node.operands[0]),
            "neg" => simple(-&facts[0].range, facts[0].grid, [-&one, none()]),
            "same" => simple(facts[0].range.clone(), facts[0].grid, [one, none()]),
            "abs" => {
                let wide = wide(0);
                let slope = if wide.low >= 0 {
                    one
                } else if wide.high <= 0 {
                    -&one
                } else {
                    Interval::between(-1.0, 1.0)
                };
                self.is_smooth &= slope.low == slope.high;
                simple(facts[0].range.abs(), facts[0].grid, [slope, none()])
            }
            "call" => return self.call(node),
            _ => return None,
        })
    }

    /// A root; where it may be of zero, its error is at most the root of the operand's.
    fn root(&mut self, operand: usize) -> Option<Exact> {
        let facts = self.facts[operand].as_ref()?;
        let (range, wide) = (facts.range.clone(), facts.perturbed());
        if range.low < 0 {
            return None;
        }
        let exact = |first, bend, extra| Exact {
            range: range.sqrt(),
            grid: FINEST,
            first: [first, none()],
            second: [bend, none(), none()],
            limit: None,
            extra,
        };
        if wide.low <= 0 {
            let extra = point(&facts.error).sqrt().high;
            self.is_smooth = false;
            return Some(exact(none(), none(), extra));
        }
        let two = Interval::point(2.0);
        let first = Interval::point(1.0).over(&(&two * &wide.sqrt()));
        let bend = -&first.over(&(&two * &wide));
        Some(exact(first, bend, zero()))
    }

    fn choice(&mut self, node: &Node) -> Option<Exact> {
        // Where the condition decides, the other branch may have no value.
        let known = (node.name == "choose").then(|| self.truths[node.formula]).flatten();
        let [a, b] = [0, 1].map(|place| self.facts[node.operands[place]].as_ref());
        let (a, b) = match known {
            Some(true) => (a?, a?),
            Some(false) => (b?, b?),
            None => (a?, b?),
        };
        let wide = |facts: &Facts| &facts.range + &Interval::around(&facts.error);
        let first_is = match node.name.as_str() {
            "choose" => known,
            name => {
                let (x, y) = (wide(a), wide(b));
                let is_less = if x.high <= y.low { Some(true) } else { (y.high <= x.low).then_some(false) };
                is_less.map(|is_less| is_less == (name == "min"))
            }
        };
        let one = Interval::point(1.0);
        let second = [none(), none(), none()];
        let exact = |range, grid, first, extra| Some(Exact { range, grid, first, second, limit: None, extra });
        match first_is {
            Some(true) => exact(a.range.clone(), a.grid, [one, none()], zero()),
            Some(false) => exact(b.range.clone(), b.grid, [none(), one], zero()),
            None => {
                let (x, y) = (&a.range, &b.range);
                let hull = x.hull(y);
                let (range, extra) = match node.name.as_str() {
                    "choose" => (hull, (x - y).magnitude()),
                    "min" => (Interval::new(hull.low, x.high.clone().min(&y.high)), zero()),
                    _ => (Interval::new(x.low.clone().max(&y.low), hull.high), zero()),
                };
                let grid = a.grid.min(b.grid);
                self.is_smooth = false;
                exact(range, grid, [Interval::between(0.0, 1.0), Interval::between(0.0, 1.0)], extra)
            }
        }
    }

    fn call(&mut self, node: &Node) -> Option<Exact> {
        let facts: Vec<&Facts> =
            node.operands.iter().map(|operand| self.facts[*operand].as_ref()).collect::<Option<_>>()?;
        let range = |place: usize| facts.get(place).map_or_else(none, |facts| facts.range.clone());
        let wide =
            |place: usize| facts.get(place).map_or_else(none, |facts| &facts.range + &Interval::around(&facts.error));
        let narrow = functions::evaluate(&node.function, &range(0), &range(1))?;
        let perturbed = functions::evaluate(&node.function, &wide(0), &wide(1));
        let is_bounded = |jet: &functions::Jet| jet.first.iter().chain(&jet.second).all(Interval::is_bounded);
        let exact = |first, second| {
            let range = narrow.value.clone();
            range.is_bounded().then(|| Exact { range, grid: FINEST, first, second, limit: None, extra: zero() })
        };
        match perturbed.filter(is_bounded) {
            Some(jet) => exact(jet.first, jet.second),
            None if facts.iter().all(|facts| facts.error.is_zero()) => {
                let exact = exact([none(), none()], [none(), none(), none()]);
                self.is_smooth = false;
                exact
            }
            None => None,
        }
    }

    fn rounded(&self, node: &Node, exact: Exact, outer: Float) -> Option<Facts> {
        let Exact { mut range, mut grid, first, second, limit, extra } = exact;
        let mut own = zero();
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
        (error.is_finite() && range.is_bounded()).then_some(Facts { range, grid, own, error, first, second })
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

/// The grid on which all floats of a range lie.
fn by_size(rounding: Rounding, range: &Interval) -> i64 {
    let finest = rounding.least_exponent + 1 - rounding.precision;
    let least = range.mignitude();
    match least.cmp0() {
        Some(Ordering::Greater) => finest.max(exponent(&least) + 1 - rounding.precision),
        _ if range.is_zero() => COARSEST,
        _ => finest,
    }
}

/// The exponent of the last significant bit of a double.
fn trailing(value: f64) -> i64 {
    if value == 0.0 {
        return COARSEST;
    }
    let mut exponent = exponent(&Float::with_val(53, value).abs());
    while !Float::with_val(60, Float::with_val(60, value) >> exponent as i32).is_integer() {
        exponent -= 1;
    }
    exponent
}

/// What libms keep to: the bounds of the functions themselves.
fn within_bounds(function: &str, range: Interval) -> Interval {
    let (low, high) = match function {
        "sin" | "cos" | "tanh" | "erf" => (-1.0, 1.0),
        "cosh" => (1.0, f64::MAX),
        "exp" | "exp2" | "exp10" | "hypot" => (0.0, f64::MAX),
        "expm1" => (-1.0, f64::MAX),
        "erfc" => (0.0, 2.0),
        "acos" => (0.0, 4.0),
        "acosh" => (0.0, f64::MAX),
        _ => return range,
    };
    let number = |value: f64| Float::with_val(precision(), value);
    Interval::new(range.low.max(&number(low)), range.high.min(&number(high)))
}
