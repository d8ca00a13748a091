//! One pass over a box: values, errors, derivatives; the sum of errors, and its slopes.
//!
//! For each node: `range` holds the exact and the computed value; `own` bounds what its rounding adds, half the distance of floats at the largest
//! magnitude, nothing where the exact result is on a grid that the format holds; `error` bounds how far perturbations of that size move
//! it; derivatives are taken on ranges widened by it. The result's error is then Σ |adjoint|·own, by the mean value theorem. `relative` bounds
//! the error of the computed value beside the exact one, where nothing else does (a root or a logarithm of what may be near zero).

use std::cmp::Ordering;

use rug::Float;

use super::functions;
use super::guards::Cut;
use super::interval::{Interval, power, precision, product, sum, zero};
use super::statement::{Formula, Mode, Node, Rounding, Statement};

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
    /// How far off the operation is for its operands' errors, relatively.
    relative: Float,
    /// Whether the result is a sum of floats, which is exact where it is subnormal.
    is_sum: bool,
}

fn unknown() -> Float {
    Float::with_val(precision(), f64::INFINITY)
}

/// (1 + a)·(1 + b) − 1.
fn compound(a: &Float, b: &Float) -> Float {
    sum(&sum(a, b), &product(a, b))
}

/// The integer beside a number.
fn integral(mode: Mode, x: &Float) -> Float {
    match mode {
        Mode::Near => x.clone().round_even(),
        Mode::Away => x.clone().round(),
        Mode::Up => x.clone().ceil(),
        Mode::Down => x.clone().floor(),
        Mode::Zero => x.clone().trunc(),
    }
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
            relative: unknown(),
            is_sum: false,
        };
        let kept = |exact: Exact| Exact { relative: facts[0].relative.clone(), ..exact };
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
                let b = if is_sum { b.clone() } else { -b };
                let have_one_sign = (a.low >= 0 && b.low >= 0) || (a.high <= 0 && b.high <= 0);
                let relative = match facts.iter().all(|facts| facts.error.is_zero()) {
                    true => zero(),
                    false if have_one_sign => facts[0].relative.clone().max(&facts[1].relative),
                    false => unknown(),
                };
                let is_sum = is_float(0) && is_float(1);
                Exact { limit, relative, is_sum, ..simple(range, facts[0].grid.min(facts[1].grid), first) }
            }
            "mul" => {
                let scale = constant(0).or(constant(1));
                let range = &facts[0].range * &facts[1].range;
                let second = [none(), one, none()];
                let grid = facts[0].grid + facts[1].grid;
                let relative = compound(&facts[0].relative, &facts[1].relative);
                Exact { second, relative, limit: tiny(scale.is_some()), ..simple(range, grid, [wide(1), wide(0)]) }
            }
            "square" => {
                let second = [two.clone(), none(), none()];
                let relative = compound(&facts[0].relative, &facts[0].relative);
                Exact {
                    second,
                    relative,
                    ..simple(facts[0].range.square(), 2 * facts[0].grid, [&two * &wide(0), none()])
                }
            }
            "div" => {
                let (a, b) = (wide(0), wide(1));
                let range = facts[0].range.over(&facts[1].range);
                let mut relative = unknown();
                if facts[1].relative < 0.5 {
                    let rest = &one - &point(&facts[1].relative);
                    relative = point(&sum(&facts[0].relative, &facts[1].relative)).over(&rest).high;
                }
                if b.has_zero() {
                    let extra = product(&relative, &range.magnitude());
                    return self.jump(range, FINEST, extra);
                }
                let (quotient, inverse) = (a.over(&b), one.over(&b));
                let square = inverse.square();
                let second = [none(), -&square, &two * &(&quotient * &square)];
                let scale = constant(1);
                let grid = scale.map_or(FINEST, |scale| facts[0].grid - scale);
                let limit = tiny(scale.is_some());
                Exact { second, limit, relative, ..simple(range, grid, [inverse.clone(), -&(&quotient * &inverse)]) }
            }
            "sqrt" => return self.root(statement, node.operands[0]),
            "neg" => kept(simple(-&facts[0].range, facts[0].grid, [-&one, none()])),
            "same" => kept(simple(facts[0].range.clone(), facts[0].grid, [one, none()])),
            "integral" => return self.integral(node),
            "remainder" => return self.remainder(node),
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
                kept(simple(facts[0].range.abs(), facts[0].grid, [slope, none()]))
            }
            "call" => return self.call(node),
            _ => return None,
        })
    }

    /// What has no derivative, or jumps: `extra` is how far its actual values may lie apart.
    fn jump(&mut self, range: Interval, grid: i64, extra: Float) -> Option<Exact> {
        self.is_smooth = false;
        let relative = if extra.is_zero() { zero() } else { unknown() };
        let (first, second) = ([none(), none()], [none(), none(), none()]);
        (range.is_bounded() && extra.is_finite()).then_some(Exact {
            range,
            grid,
            first,
            second,
            limit: None,
            extra,
            relative,
            is_sum: false,
        })
    }

    /// A root, or that of zero for negative numbers where guards allow it; where it may be of zero, its error is at most the root of the operand's, and half the operand's relative one.
    fn root(&mut self, statement: &Statement, operand: usize) -> Option<Exact> {
        let place = self.facts.len();
        let facts = self.facts[operand].as_ref()?;
        let (mut range, wide) = (facts.range.clone(), facts.perturbed());
        if range.low < 0 {
            if !statement.guards.roots.contains(&place) {
                return None;
            }
            range = Interval::new(zero(), range.high.max(&zero()));
        }
        // 1 − √(1 − r) ≤ (r + r²)/2 for r ≤ ½.
        let r = facts.relative.clone();
        let relative = if r < 0.5 { sum(&r, &product(&r, &r)) / 2u32 } else { unknown() };
        if wide.low <= 0 {
            let by_size = point(&facts.error).sqrt().high;
            let extra = by_size.min(&product(&relative, &range.sqrt().high));
            return self.jump(range.sqrt(), FINEST, extra);
        }
        let two = Interval::point(2.0);
        let first = Interval::point(1.0).over(&(&two * &wide.sqrt()));
        let bend = -&first.over(&(&two * &wide));
        let (range, first, second) = (range.sqrt(), [first, none()], [bend, none(), none()]);
        Some(Exact { range, grid: FINEST, first, second, limit: None, extra: zero(), relative, is_sum: false })
    }

    fn integral(&mut self, node: &Node) -> Option<Exact> {
        let facts = self.facts[node.operands[0]].as_ref()?;
        let range = Interval::new(integral(node.mode, &facts.range.low), integral(node.mode, &facts.range.high));
        if !range.is_bounded() || range.low < node.value || range.high > node.most {
            return None;
        }
        let is_exact = facts.error.is_zero() || range.low == range.high;
        let width = (&point(&range.high) - &point(&range.low)).high;
        // It is monotone, and less than one off.
        let jump = if is_exact { zero() } else { width.min(&sum(&facts.error, &Float::with_val(precision(), 1))) };
        let (is_smooth, grid) = (self.is_smooth && range.low == range.high, facts.grid.max(0));
        let exact = self.jump(range, grid, jump);
        self.is_smooth = is_smooth;
        exact
    }

    /// a − n·b, n the quotient cut to an integer.
    fn remainder(&mut self, node: &Node) -> Option<Exact> {
        let [a, b] = [0, 1].map(|place| self.facts[node.operands[place]].as_ref());
        let (a, b) = (a?, b?);
        if b.range.has_zero() {
            return None;
        }
        let (grid, divisor) = (a.grid.min(b.grid), b.range.magnitude());
        let quotient = a.perturbed().over(&b.perturbed());
        let [least, most] = [&quotient.low, &quotient.high].map(|quotient| integral(node.mode, quotient));
        if least == most && least.is_finite() && Float::with_val(53, &least) == least {
            let range = &a.range - &(&point(&least) * &b.range);
            let range = Interval::new(range.low.max(&-divisor.clone()), range.high.min(&divisor));
            let (first, second) = ([Interval::point(1.0), -&point(&least)], [none(), none(), none()]);
            let (extra, relative) = (zero(), unknown());
            return Some(Exact { range, grid, first, second, limit: None, extra, relative, is_sum: false });
        }
        let most = divisor.min(&a.range.magnitude());
        let low = if node.mode == Mode::Zero && a.range.low >= 0 { zero() } else { -most.clone() };
        let high = if node.mode == Mode::Zero && a.range.high <= 0 { zero() } else { most };
        let is_exact = a.error.is_zero() && b.error.is_zero();
        let jump = if is_exact { zero() } else { (&point(&high) - &point(&low)).high };
        self.jump(Interval::new(low, high), grid, jump)
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
        let exact = |range, grid, first, extra, relative| {
            Some(Exact { range, grid, first, second, limit: None, extra, relative, is_sum: false })
        };
        match first_is {
            Some(true) => exact(a.range.clone(), a.grid, [one, none()], zero(), a.relative.clone()),
            Some(false) => exact(b.range.clone(), b.grid, [none(), one], zero(), b.relative.clone()),
            None => {
                let (x, y) = (&a.range, &b.range);
                let hull = x.hull(y);
                let (range, extra, relative) = match node.name.as_str() {
                    "choose" if self.shared[node.formula] => (hull, zero(), a.relative.clone().max(&b.relative)),
                    "choose" => (hull, (x - y).magnitude(), unknown()),
                    "min" => (Interval::new(hull.low, x.high.clone().min(&y.high)), zero(), unknown()),
                    _ => (Interval::new(x.low.clone().max(&y.low), hull.high), zero(), unknown()),
                };
                let grid = a.grid.min(b.grid);
                self.is_smooth = false;
                exact(range, grid, [Interval::between(0.0, 1.0), Interval::between(0.0, 1.0)], extra, relative)
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
        let relative = facts[0].relative.clone();
        let range = narrow.value.clone();
        match perturbed.filter(is_bounded) {
            Some(jet) if range.is_bounded() => {
                let (first, second, extra, relative) = (jet.first, jet.second, zero(), unknown());
                Some(Exact { range, grid: FINEST, first, second, limit: None, extra, relative, is_sum: false })
            }
            Some(_) => None,
            None if facts.iter().all(|facts| facts.error.is_zero()) => self.jump(range, FINEST, zero()),
            // −ln(1 − r) ≤ r + r² for r ≤ ½, and 3/2 is more than 1/ln 2.
            None if matches!(node.function.as_str(), "log" | "log2" | "log10") && relative < 0.5 => {
                let extra = sum(&relative, &product(&relative, &relative));
                self.jump(range, FINEST, product(&extra, &Float::with_val(precision(), 1.5)))
            }
            None => None,
        }
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
