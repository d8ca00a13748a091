//! What operations are before their rounding: values, derivatives, and what they make of their operands' errors.

use rug::Float;

use super::super::functions;
use super::super::interval::{Interval, power, precision, product, sum, zero};
use super::super::statement::{Mode, Node, Statement};
use super::rounding::{FINEST, by_size, exponent, is_power_of_two, rounding_error, trailing};
use super::{Facts, Pass, none, point, unknown};

/// What an operation is before its rounding.
pub(super) struct Exact {
    pub(super) range: Interval,
    pub(super) grid: i64,
    pub(super) first: [Interval; 2],
    pub(super) second: [Interval; 3],
    /// What the rounding error cannot exceed for other reasons.
    pub(super) limit: Option<Float>,
    /// What is added to the own error.
    pub(super) extra: Float,
    /// How far off the operation is for its operands' errors, relatively.
    pub(super) relative: Float,
    /// Whether the result is a sum of floats, which is exact where it is subnormal.
    pub(super) is_sum: bool,
}

/// (1 + a)·(1 + b) − 1.
pub(super) fn compound(a: &Float, b: &Float) -> Float {
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

/// What libms keep to: the bounds of the functions themselves.
pub(super) fn within_bounds(function: &str, range: Interval) -> Interval {
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

impl Pass {
    pub(super) fn exact(&mut self, statement: &Statement, node: &Node, region: &[Interval]) -> Option<Exact> {
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
}
