//! Each operation on its operands' facts, before its result is rounded.
//!
//! **Claims**, beside those of `evaluation`: [`Exact::relative`] bounds how far the operation on the computed operands is from that on the exact ones, relative to
//! the latter. With operands (1 + ε)·F, |ε| ≤ r: a product is off by (1 + r)(1 + s) − 1, a quotient by (r + s)/(1 − s), a root of r < ½ by r·(1 + r)/2, since
//! 1 − √(1 − r) ≤ r/2 + r²/2; a sum of numbers of one sign by the greater of the two.
//!
//! *Cut* operations, for actual values: |√c − √F| is at most √|c − F| (of roots that are extended below zero by zero, too: `guards`), and √F times what is said above; |ln c − ln F| for r < ½ is at most
//! −ln(1 − r) ≤ r·(1 + r); |c − F| of what jumps (a rounding to an integer, a remainder) is at most the width of the range of both, and of a rounding to an
//! integer, which is monotone, at most 1 + |difference of the operands|. A remainder whose quotient is cut to one and the same n all over the box is a − n·b, which
//! floats are exact for.

use labrys_elementary::Function;
use labrys_float::RoundingMode;
use labrys_term::Truth;

use crate::Interval;
use crate::evaluation::{Evaluation, Facts, compound};
use crate::expression::{Expression, Node, Operation};
use crate::functions::{self, Table};
use crate::interval::{product_up, quotient_up, sum_up};
use crate::rounding::{EVERY_MULTIPLE, power_of_two, trailing_exponent};
use crate::unknown::Why;

/// An operation before its rounding.
pub(crate) struct Exact {
    pub value: Interval,
    pub multiple: i32,
    pub first: [Interval; 2],
    pub second: [Interval; 3],
    /// Errors of the operands.
    pub errors: [f64; 2],
    /// A bound of the own error that is known otherwise than by rounding.
    pub limit: f64,
    /// An own error beside that of rounding.
    pub extra: f64,
    /// How far off the operation is for its operands' errors, relatively.
    pub relative: f64,
    pub is_sum_of_floats: bool,
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
            relative: f64::INFINITY,
            is_sum_of_floats: false,
        }
    }
}

/// The limit of [`Exact`] that stands for half an ulp of subnormal numbers.
pub(crate) const SUBNORMAL: f64 = -1.0;

/// Greater quotients are not cut to an integer that is exact.
const MOST_QUOTIENT: f64 = 9e15;

impl Evaluation {
    /// The operation on its operands' computed values, and its derivatives on their perturbed ones.
    pub(crate) fn exact(
        &mut self,
        expression: &Expression,
        table: &Table,
        node: &Node,
        region: &[Interval],
    ) -> Result<Exact, Why> {
        let facts = |node: u32| self.facts[node as usize];
        let one = Interval::ONE;
        let (a, b) = node.operation.operands();
        // Of a choice the branch that is not taken may have failed.
        let is_choice = matches!(node.operation, Operation::Choose(..));
        if !is_choice && a.into_iter().chain(b).any(|operand| !facts(operand).is_known()) {
            return Err(Why::Unbounded);
        }
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
                let relative = compound(a.relative, a.relative);
                Exact { multiple, first, second, errors: [a.error, 0.0], relative, ..Exact::new(a.computed.square()) }
            }
            Operation::Div(a, b) => self.quotient(expression, a, b)?,
            Operation::Sqrt(a) => self.root(expression, a)?,
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
                Truth::Unsure if self.is_shared[formula as usize] => {
                    let relative = facts(a).relative.max(facts(b).relative);
                    Exact { relative, ..self.either(a, b) }
                }
                Truth::Unsure => {
                    let extra = (facts(a).computed - facts(b).computed).magnitude();
                    Exact { extra, ..self.either(a, b) }
                }
            },
            Operation::Integral(mode, a, low, high) => self.integral(mode, a, low, high)?,
            Operation::Remainder(mode, a, b) => self.remainder(mode, a, b)?,
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
            relative: a.relative,
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
        let other = if is_sum { y.computed } else { -y.computed };
        let have_one_sign =
            (x.computed.low() >= 0.0 && other.low() >= 0.0) || (x.computed.high() <= 0.0 && other.high() <= 0.0);
        let relative = if x.error == 0.0 && y.error == 0.0 {
            0.0
        } else if have_one_sign {
            x.relative.max(y.relative)
        } else {
            f64::INFINITY
        };
        Exact {
            multiple: x.multiple.min(y.multiple),
            limit,
            first: [Interval::ONE, sign],
            errors: [x.error, y.error],
            relative,
            is_sum_of_floats: is_float(a) && is_float(b),
            ..Exact::new(value)
        }
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
            relative: compound(x.relative, y.relative),
            ..Exact::new(x.computed * y.computed)
        }
    }

    fn quotient(&mut self, expression: &Expression, a: u32, b: u32) -> Result<Exact, Why> {
        let (x, y) = (self.facts[a as usize], self.facts[b as usize]);
        let (dividend, divisor) = (x.perturbed(), y.perturbed());
        if y.computed.contains(0.0) {
            return Err(Why::DivisionByZero);
        }
        let value = x.computed.quotient(y.computed);
        let relative = if y.relative < 0.5 {
            quotient_up(sum_up(x.relative, y.relative), (1.0 - y.relative).next_down())
        } else {
            f64::INFINITY
        };
        if divisor.contains(0.0) {
            return self.cut(value, product_up(relative, value.magnitude()), Why::DivisionByZero);
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
            relative,
            ..Exact::new(value)
        })
    }

    /// An operation of which only the difference of its actual values is known.
    fn cut(&mut self, value: Interval, extra: f64, why: Why) -> Result<Exact, Why> {
        self.is_smooth = false;
        let relative = if extra == 0.0 { 0.0 } else { f64::INFINITY };
        // An infinite relative error of what is zero is NaN.
        if extra < f64::INFINITY { Ok(Exact { extra, relative, ..Exact::new(value) }) } else { Err(why) }
    }

    fn root(&mut self, expression: &Expression, a: u32) -> Result<Exact, Why> {
        let x = self.facts[a as usize];
        // Facts are made in the order of nodes: the next are those of this root.
        let is_extended = expression.guards.extends.get(self.facts.len()) == Some(&true);
        if x.computed.low() < 0.0 && !is_extended {
            return Err(Why::Domain);
        }
        let value = x.computed.max(Interval::ZERO).sqrt();
        let perturbed = x.perturbed();
        let relative =
            if x.relative < 0.5 { compound(x.relative, x.relative * x.relative) * 0.5 } else { f64::INFINITY };
        // Three roundings to nearest of what is below one half: two floats more are enough.
        let relative = if relative > 0.0 { relative.next_up().next_up() } else { 0.0 };
        if perturbed.low() > 0.0 {
            let first = Interval::ONE.quotient(perturbed.sqrt().scaled(2.0));
            let second = -first.quotient(perturbed.scaled(2.0));
            let second = [second, Interval::ZERO, Interval::ZERO];
            let first = [first, Interval::ZERO];
            return Ok(Exact { first, second, errors: [x.error, 0.0], relative, ..Exact::new(value) });
        }
        let by_size = Interval::point(x.error).sqrt().high();
        let extra = if x.error == 0.0 { 0.0 } else { by_size.min(product_up(relative, value.high())) };
        self.cut(value, extra, Why::Unbounded)
    }

    /// The integer next to the operand.
    fn integral(&mut self, mode: RoundingMode, a: u32, low: f64, high: f64) -> Result<Exact, Why> {
        let x = self.facts[a as usize];
        let value = Interval::new(integral(mode, x.computed.low()), integral(mode, x.computed.high()));
        if !value.is_bounded() || value.low() < low || value.high() > high {
            return Err(Why::Overflow);
        }
        let multiple = x.multiple.max(0);
        if value.is_point() {
            return Ok(Exact { multiple, relative: 0.0, ..Exact::new(value) });
        }
        let jump = if x.error == 0.0 { 0.0 } else { value.width().min(sum_up(1.0, x.error)) };
        Ok(Exact { multiple, ..self.cut(value, jump, Why::Unbounded)? })
    }

    fn remainder(&mut self, mode: RoundingMode, a: u32, b: u32) -> Result<Exact, Why> {
        let (x, y) = (self.facts[a as usize], self.facts[b as usize]);
        if y.computed.contains(0.0) {
            return Err(Why::DivisionByZero);
        }
        let (multiple, divisor) = (x.multiple.min(y.multiple), y.computed.magnitude());
        let quotient = x.perturbed().quotient(y.perturbed());
        let [least, most] = [quotient.low(), quotient.high()].map(|quotient| integral(mode, quotient));
        if least == most && least.abs() < MOST_QUOTIENT {
            // Where the quotient lies between two integers' halves for one way of cutting, ties go to the same one at both ends.
            let times = Interval::point(least);
            let value = x.computed - times * y.computed;
            let value = Interval::new(value.low().max(-divisor), value.high().min(divisor));
            let first = [Interval::ONE, -times];
            return Ok(Exact { multiple, first, errors: [x.error, y.error], ..Exact::new(value) });
        }
        let largest = divisor.min(x.computed.magnitude());
        let is_cut_towards_zero = mode == RoundingMode::TowardZero;
        let low = if is_cut_towards_zero && x.computed.low() >= 0.0 { 0.0 } else { -largest };
        let high = if is_cut_towards_zero && x.computed.high() <= 0.0 { 0.0 } else { largest };
        let value = Interval::new(low, high);
        let jump = if x.error == 0.0 && y.error == 0.0 { 0.0 } else { value.width() };
        Ok(Exact { multiple, ..self.cut(value, jump, Why::Unbounded)? })
    }

    fn call(&mut self, table: &Table, function: Function, a: u32, b: Option<u32>) -> Result<Exact, Why> {
        let x = self.facts[a as usize];
        let y = b.map_or(Facts::NONE, |b| self.facts[b as usize]);
        let errors = [x.error, y.error];
        let jet = functions::jet(table, function, x.perturbed(), y.perturbed());
        let is_exact = errors == [0.0; 2];
        let value = match &jet {
            Some(jet) if is_exact => jet.value,
            _ => functions::values(table, function, x.computed, y.computed).ok_or(Why::Domain)?,
        };
        let is_logarithm = matches!(function, Function::Log | Function::Log2 | Function::Log10);
        match jet {
            Some(jet) => Ok(Exact { first: jet.first, second: jet.second, errors, ..Exact::new(value) }),
            // No perturbation reaches the operands: no derivative is needed.
            None if is_exact => self.cut(value, 0.0, Why::Unbounded),
            // 3/2 is more than 1/ln 2.
            None if is_logarithm && x.relative < 0.5 => {
                let extra = product_up(compound(x.relative, x.relative), 1.5);
                self.cut(value, extra, Why::Unbounded)
            }
            None => Err(Why::Unbounded),
        }
    }
}

/// The integer next to a number in a direction.
fn integral(mode: RoundingMode, x: f64) -> f64 {
    match mode {
        RoundingMode::NearestEven => x.round_ties_even(),
        RoundingMode::NearestAway => x.round(),
        RoundingMode::TowardZero => x.trunc(),
        RoundingMode::TowardPositive => x.ceil(),
        RoundingMode::TowardNegative => x.floor(),
    }
}

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
