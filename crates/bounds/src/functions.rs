//! Enclosures of the elementary functions and of their first two derivatives.
//!
//! **Claim.** For members of the operands at which the function is defined, its value and its partial derivatives are members of the
//! enclosures; [`values`] gives none where an operand may be outside the domain or at a pole.
//!
//! **Argument.** MPFR rounds each function correctly in the direction asked for, so that values at ends are bounds of functions that
//! are monotone between them. sin and cos are monotone between multiples of π/2, which are counted in intervals: where a count is in doubt, the
//! extremum is taken to be inside. atan2 is atan of a quotient, turned; x^y is monotone in each operand for x > 0, and for a whole constant y in |x|.
//! Derivatives are formulas in intervals over these.

use std::cell::RefCell;
use std::cmp::Ordering;

use labrys_elementary::{Function, rug};
use rug::Float;
use rug::float::Round;
use rustc_hash::FxHashMap;

use crate::Interval;

/// A function and the bits of its operands.
type Key = (Function, u64, u64);

/// Values of functions at ends of intervals, rounded down and up: bisection asks for most of them many times.
#[derive(Debug, Default)]
pub(crate) struct Table {
    known: RefCell<FxHashMap<Key, (f64, f64)>>,
}

/// More entries than this are forgotten.
const LIMIT: usize = 1 << 18;

impl Table {
    /// The doubles around the exact value at one or two doubles: NaNs outside the domain.
    fn at(&self, function: Function, x: f64, y: f64) -> (f64, f64) {
        let key = (function, x.to_bits(), y.to_bits());
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let operands = [Float::with_val(53, x), Float::with_val(53, y)];
        let (value, order) = function.rounded(&operands[..function.arity()], 53, Round::Nearest);
        let nearest = value.to_f64();
        let ends = match order {
            // MPFR's exponents go far beyond the doubles': there the conversion has rounded again.
            _ if value != nearest => (nearest.next_down(), nearest.next_up()),
            Ordering::Equal => (nearest, nearest),
            Ordering::Less => (nearest, nearest.next_up()),
            Ordering::Greater => (nearest.next_down(), nearest),
        };
        let mut known = self.known.borrow_mut();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.insert(key, ends);
        ends
    }

    /// Between the values at the ends of a function that grows.
    fn increasing(&self, function: Function, x: Interval) -> Interval {
        Interval::new(self.at(function, x.low(), 0.0).0, self.at(function, x.high(), 0.0).1)
    }

    fn decreasing(&self, function: Function, x: Interval) -> Interval {
        Interval::new(self.at(function, x.high(), 0.0).0, self.at(function, x.low(), 0.0).1)
    }

    fn hull_of_ends(&self, function: Function, x: Interval) -> Interval {
        let end = |x: f64| {
            let (low, high) = self.at(function, x, 0.0);
            Interval::new(low, high)
        };
        end(x.low()).hull(end(x.high()))
    }

    /// sin or cos: the ends, and the extrema that may lie between them. Extrema of cos are at even multiples of π/2, of sin at odd ones.
    fn wave(&self, function: Function, x: Interval) -> Interval {
        let odd = i64::from(function == Function::Sin);
        let quarter_turns = x.quotient(half_pi());
        if quarter_turns.magnitude() >= 1e9 {
            return Interval::new(-1.0, 1.0);
        }
        let (first, last) = (quarter_turns.low().floor() as i64, quarter_turns.high().ceil() as i64);
        let mut value = self.hull_of_ends(function, x);
        // 2n + odd for the maxima where n is even, and the minima where it is odd.
        let turns = |extremum: i64| {
            let steps = (first - odd - extremum).div_euclid(4)..=(last - odd - extremum).div_euclid(4);
            steps
                .into_iter()
                .map(move |n| 4 * n + odd + extremum)
                .any(|at| quarter_turns.low() <= at as f64 && at as f64 <= quarter_turns.high())
        };
        if last - first > 8 {
            return Interval::new(-1.0, 1.0);
        }
        if turns(0) {
            value = value.hull(Interval::ONE);
        }
        if turns(2) {
            value = value.hull(Interval::point(-1.0));
        }
        Interval::new(value.low().max(-1.0), value.high().min(1.0))
    }
}

/// π/2: between two neighbouring doubles.
fn half_pi() -> Interval {
    Interval::new(std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2.next_up())
}

/// A function's values, its first derivatives by each operand, and its second: by the first twice, by both, by the second twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jet {
    pub value: Interval,
    pub first: [Interval; 2],
    pub second: [Interval; 3],
}

impl Jet {
    fn unary(value: Interval, first: Interval, second: Interval) -> Jet {
        Jet { value, first: [first, Interval::ZERO], second: [second, Interval::ZERO, Interval::ZERO] }
    }
}

/// Enclosures of the values alone; `None` where some member of the operands may be outside the domain, or the function is not supported.
pub(crate) fn values(table: &Table, function: Function, x: Interval, y: Interval) -> Option<Interval> {
    use Function::*;
    if !x.is_bounded() || !y.is_bounded() {
        return None;
    }
    let within = |low: f64, high: f64| low <= x.low() && x.high() <= high;
    let value = match function {
        Sin | Cos => table.wave(function, x),
        Tan => {
            let quarter_turns = x.quotient(half_pi());
            // A pole at each odd number of quarter turns: none strictly between n and n + 2 for an odd n.
            let start = ((quarter_turns.low() - 1.0) / 2.0).floor() * 2.0 + 1.0;
            let is_free = start < quarter_turns.low() && quarter_turns.high() < start + 2.0;
            if !is_free || quarter_turns.magnitude() > 1e9 {
                return None;
            }
            table.increasing(function, x)
        }
        Asin if within(-1.0, 1.0) => table.increasing(function, x),
        Acos if within(-1.0, 1.0) => table.decreasing(function, x),
        Atan | Sinh | Tanh | Asinh | Exp | Exp2 | Exp10 | Expm1 | Cbrt | Erf => table.increasing(function, x),
        Erfc => table.decreasing(function, x),
        Cosh => table.increasing(function, x.abs()),
        Acosh if x.low() >= 1.0 => table.increasing(function, x),
        Atanh if -1.0 < x.low() && x.high() < 1.0 => table.increasing(function, x),
        Log | Log2 | Log10 if x.low() > 0.0 => table.increasing(function, x),
        Log1p if x.low() > -1.0 => table.increasing(function, x),
        Hypot => {
            let (x, y) = (x.abs(), y.abs());
            Interval::new(table.at(Hypot, x.low(), y.low()).0, table.at(Hypot, x.high(), y.high()).1)
        }
        Pow => power(table, x, y)?,
        Atan2 => atan2(table, x, y)?,
        _ => return None,
    };
    value.is_bounded().then_some(value)
}

/// atan2(y, x), whose first operand is the ordinate: the half plane decides which quotient is turned by which angle.
fn atan2(table: &Table, y: Interval, x: Interval) -> Option<Interval> {
    let atan = |quotient: Interval| table.increasing(Function::Atan, quotient);
    if x.low() > 0.0 {
        Some(atan(y.quotient(x)))
    } else if y.low() > 0.0 {
        Some(half_pi() - atan(x.quotient(y)))
    } else if y.high() < 0.0 {
        Some(-half_pi() - atan(x.quotient(y)))
    } else {
        None
    }
}

fn power(table: &Table, x: Interval, y: Interval) -> Option<Interval> {
    if x.low() > 0.0 {
        // y·ln x is bilinear in y and ln x: its extremes are at corners.
        let corner = |x: f64, y: f64| {
            let (low, high) = table.at(Function::Pow, x, y);
            Interval::new(low, high)
        };
        let [a, b] = [x.low(), x.high()].map(|x| corner(x, y.low()).hull(corner(x, y.high())));
        return Some(a.hull(b));
    }
    let exponent = y.low();
    if !y.is_point() || exponent.fract() != 0.0 || exponent.abs() > 1e6 || (exponent < 0.0 && x.contains(0.0)) {
        return None;
    }
    let at = |x: f64| table.at(Function::Pow, x, exponent);
    if exponent == 0.0 {
        return Some(Interval::ONE);
    }
    let is_even = exponent % 2.0 == 0.0;
    let base = if is_even { x.abs() } else { x };
    let (one, other) = (at(base.low()), at(base.high()));
    Some(Interval::new(one.0.min(other.0), one.1.max(other.1)))
}

/// Enclosures of values and derivatives; `None` as for [`values`], and where a derivative may be infinite.
pub(crate) fn jet(table: &Table, function: Function, x: Interval, y: Interval) -> Option<Jet> {
    let value = values(table, function, x, y)?;
    let jet = match function {
        Function::Pow | Function::Atan2 | Function::Hypot => binary(table, function, value, x, y)?,
        _ => unary(table, function, value, x)?,
    };
    let all = jet.first.iter().chain(&jet.second);
    all.into_iter().all(|derivative| derivative.is_bounded()).then_some(jet)
}

fn unary(table: &Table, function: Function, value: Interval, x: Interval) -> Option<Jet> {
    use Function::*;
    let one = Interval::ONE;
    let two = |x: Interval| x.scaled(2.0);
    let sine = |function| values(table, function, x, Interval::ZERO);
    let log = |x: f64| Interval::new(table.at(Log, x, 0.0).0, table.at(Log, x, 0.0).1);
    Some(match function {
        Sin => Jet::unary(value, sine(Cos)?, -value),
        Cos => Jet::unary(value, -sine(Sin)?, -value),
        Tan => {
            let first = one + value.square();
            Jet::unary(value, first, two(value * first))
        }
        Asin | Acos => {
            let square = one - x.square();
            let first = one.quotient(square.sqrt());
            let second = (x * first).quotient(square);
            if function == Asin { Jet::unary(value, first, second) } else { Jet::unary(value, -first, -second) }
        }
        Atan => {
            let first = one.quotient(one + x.square());
            Jet::unary(value, first, -two(x * first.square()))
        }
        Sinh => Jet::unary(value, sine(Cosh)?, value),
        Cosh => Jet::unary(value, sine(Sinh)?, value),
        Tanh => {
            let first = one - value.square();
            Jet::unary(value, first, -two(value * first))
        }
        Asinh => {
            let square = one + x.square();
            let first = one.quotient(square.sqrt());
            Jet::unary(value, first, -(x * first).quotient(square))
        }
        Acosh => {
            let square = (x - one) * (x + one);
            let first = one.quotient(square.sqrt());
            Jet::unary(value, first, -(x * first).quotient(square))
        }
        Atanh => {
            let first = one.quotient((one - x) * (one + x));
            Jet::unary(value, first, two(x * first.square()))
        }
        Exp => Jet::unary(value, value, value),
        Exp2 => Jet::unary(value, value * log(2.0), value * log(2.0).square()),
        Exp10 => Jet::unary(value, value * log(10.0), value * log(10.0).square()),
        Expm1 => Jet::unary(value, value + one, value + one),
        Log | Log2 | Log10 | Log1p => {
            let inverse = one.quotient(if function == Log1p { one + x } else { x });
            let base = match function {
                Log2 => log(2.0),
                Log10 => log(10.0),
                _ => one,
            };
            Jet::unary(value, inverse.quotient(base), -inverse.square().quotient(base))
        }
        Cbrt => {
            let first = one.quotient(value.square().scaled(3.0));
            Jet::unary(value, first, -two(first).quotient(x.scaled(3.0)))
        }
        Erf | Erfc => {
            // erf' = 2/√π·e^(−x²), erf'' = −2x·erf'.
            let root = half_pi().scaled(2.0).sqrt();
            let first = Interval::point(2.0).quotient(root) * table.increasing(Exp, -x.square());
            let second = -two(x * first);
            if function == Erf { Jet::unary(value, first, second) } else { Jet::unary(value, -first, -second) }
        }
        _ => return None,
    })
}

fn binary(table: &Table, function: Function, value: Interval, x: Interval, y: Interval) -> Option<Jet> {
    let one = Interval::ONE;
    match function {
        Function::Pow if y.is_point() => {
            let power = |less: f64| power(table, x, y - Interval::point(less)).filter(|power| power.is_bounded());
            let whole = y.low();
            if whole.fract() == 0.0 && (0.0..=1.0).contains(&whole) {
                return Some(Jet::unary(value, y, Interval::ZERO));
            }
            // y − 1 and y − 2 are exact or intervals that are no points; the latter serve positive bases.
            let second = y * (y - one) * power(2.0)?;
            Some(Jet::unary(value, y * power(1.0)?, second))
        }
        Function::Pow => {
            let log = values(table, Function::Log, x, Interval::ZERO)?;
            let by_x = y * value.quotient(x);
            let first = [by_x, value * log];
            let second = [(y - one) * by_x.quotient(x), value.quotient(x) * (one + y * log), value * log.square()];
            Some(Jet { value, first, second })
        }
        Function::Hypot => {
            // ∂x = x/h, ∂xx = y²/h³, ∂xy = −xy/h³, ∂yy = x²/h³.
            let cube = value * value.square();
            let first = [x.quotient(value), y.quotient(value)];
            let second = [y.square().quotient(cube), -(x * y).quotient(cube), x.square().quotient(cube)];
            Some(Jet { value, first, second })
        }
        Function::Atan2 => {
            // θ(y, x) with r² = x² + y²: ∂y = x/r², ∂x = −y/r², ∂yy = −2xy/r⁴, ∂yx = (y² − x²)/r⁴, ∂xx = 2xy/r⁴.
            let (y, x) = (x, y);
            let (xx, yy) = (x.square(), y.square());
            let square = xx + yy;
            let fourth = square.square();
            let first = [x.quotient(square), -y.quotient(square)];
            let twice = (x * y).scaled(2.0).quotient(fourth);
            Some(Jet { value, first, second: [-twice, (yy - xx).quotient(fourth), twice] })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_formulas::Random;

    use super::*;

    const BITS: u32 = 500;

    /// Values and derivatives at a point, by central differences of 2^−120 in 500 bits: right to some 200 bits.
    fn differences(function: Function, x: f64, y: f64) -> [Float; 6] {
        let at = |i: i32, j: i32| {
            let step = |n: i32| Float::with_val(BITS, n) >> 120;
            let operands = [Float::with_val(BITS, x) + step(i), Float::with_val(BITS, y) + step(j)];
            function.precise(&operands[..function.arity()], BITS)
        };
        let scaled = |value: Float, bits: u32| value << bits;
        let centre = at(0, 0);
        [
            centre.clone(),
            scaled(at(1, 0) - at(-1, 0), 119),
            scaled(at(0, 1) - at(0, -1), 119),
            scaled(at(1, 0) + at(-1, 0) - Float::with_val(BITS, &centre * 2), 240),
            scaled(at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1), 238),
            scaled(at(0, 1) + at(0, -1) - Float::with_val(BITS, &centre * 2), 240),
        ]
    }

    fn holds(range: Interval, value: &Float) -> bool {
        let slack = Float::with_val(BITS, value.abs_ref()) >> 120;
        let slack = slack + (Float::with_val(BITS, 1) >> 120);
        Float::with_val(BITS, value + &slack) >= range.low() && Float::with_val(BITS, value - &slack) <= range.high()
    }

    #[test]
    fn enclosures_hold_values_and_derivatives() {
        let mut random = Random::new(9);
        let table = Table::default();
        let mut found = rustc_hash::FxHashMap::<Function, usize>::default();
        for round in 0..4000 {
            let function = random.pick(&Function::all().collect::<Vec<_>>());
            let mut range = || {
                let size = 2f64.powi(random.within(-6..5));
                let low = random.within(-size..size);
                // Whole numbers serve powers and the functions' exact values.
                let low = if random.once_in(3) { low.round() } else { low };
                let width = if round % 3 == 0 { 0.0 } else { size * 2f64.powi(random.within(-20..2)) };
                Interval::new(low, low + width)
            };
            let (x, y) = (range(), if function.arity() == 2 { range() } else { Interval::ZERO });
            let y = if function == Function::Pow && random.likely(0.5) { Interval::point(y.low().round()) } else { y };
            let Some(jet) = jet(&table, function, x, y) else { continue };
            *found.entry(function).or_default() += 1;
            for _ in 0..4 {
                let inside = |range: Interval, random: &mut Random| {
                    (range.low() + random.within(0.0..=1.0) * (range.high() - range.low()))
                        .clamp(range.low(), range.high())
                };
                let (p, q) = (inside(x, &mut random), inside(y, &mut random));
                let exact = differences(function, p, q);
                let by_second = !(function == Function::Pow && y.is_point());
                let [value, by_x, by_y, by_xx, by_xy, by_yy] = &exact;
                let what = format!("{} {x:?} {y:?} at {p} {q}: {jet:?}", function.name());
                assert!(jet.value.contains(value.to_f64()) || holds(jet.value, value), "{what}");
                assert!(holds(jet.first[0], by_x) && holds(jet.second[0], by_xx), "{what} {by_x} {by_xx}");
                if function.arity() == 2 && by_second {
                    assert!(holds(jet.first[1], by_y), "{what} {by_y}");
                    assert!(holds(jet.second[1], by_xy) && holds(jet.second[2], by_yy), "{what} {by_xy} {by_yy}");
                }
                if x.is_point() && y.is_point() {
                    let width = jet.value.width() + jet.first[0].width();
                    assert!(
                        width <= 1e-12 * (1.0 + jet.value.magnitude() + jet.first[0].magnitude())
                            || function == Function::Acosh,
                        "{what}"
                    );
                }
            }
        }
        let supported = Function::all().filter(|function| found.get(function).is_some_and(|count| *count > 5)).count();
        assert_eq!(supported, 26, "{found:?}");
    }

    #[test]
    fn what_is_outside_the_domain_has_no_enclosure() {
        let table = Table::default();
        let none = |function, low, high| {
            assert!(values(&table, function, Interval::new(low, high), Interval::ZERO).is_none(), "{function:?}");
        };
        none(Function::Log, 0.0, 1.0);
        none(Function::Asin, 0.5, 1.0f64.next_up());
        none(Function::Tan, 1.5, 1.6);
        none(Function::Atanh, 0.0, 1.0);
        none(Function::Acosh, 0.9, 2.0);
        none(Function::Log1p, -1.0, 2.0);
        none(Function::Exp, 0.0, 1000.0);
        none(Function::Atan2, -1.0, 1.0);
        none(Function::J0, 1.0, 2.0);
    }
}
