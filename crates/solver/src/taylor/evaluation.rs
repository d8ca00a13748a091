//! Float terms over a box, as Taylor models, and truth values as far as these decide them.
//!
//! **Claim.** In a model of the query in which the variables lie in the box, a float that is a number in every model is enclosed by its Taylor model at the point of the box
//! where the variables are, and a truth value is what is said of it unless that is unsure. **Argument.** A result that is a number is the exact one and an error of at
//! most half a unit in the last place (a whole one in directed modes), or half the least subnormal number, unless a directed mode made the greatest float of what is too large; of a choice that is not decided both parts are enclosed. What is not read
//! has the range that propagation knows.

use labrys_bounds::Interval;
use labrys_float::{Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId, Truth};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, ToPrimitive};
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Model, Shape};
use crate::relaxation::{Known, Measured, bounds_of, may_hide_overflow};

/// What is evaluated.
pub(super) struct Expression<'a> {
    measured: &'a Measured,
    terms: Vec<TermId>,
    /// Ranges of floats that are numbers in every model.
    ranges: FxHashMap<TermId, Interval>,
    /// Results that may be the greatest float because a directed mode rounds to it what is too large.
    clipped: FxHashSet<TermId>,
    /// Floats that are inputs.
    pub variables: Vec<TermId>,
}

/// The values of all terms over a box.
#[derive(Default)]
pub(super) struct Values {
    models: FxHashMap<TermId, Model>,
    truths: FxHashMap<TermId, Truth>,
    /// Whether something is otherwise than it is in every model.
    pub are_impossible: bool,
    /// Comparisons that the box leaves open.
    open: Vec<TermId>,
}

impl<'a> Expression<'a> {
    pub fn new(measured: &'a Measured) -> Expression<'a> {
        let store = &measured.store;
        let terms = store.reachable(&measured.assertions);
        let range = |term: &TermId| Some((*term, range(store, &measured.known, *term)?));
        let ranges: FxHashMap<TermId, Interval> = terms.iter().filter_map(range).collect();
        let is_variable = |term: &TermId| {
            let node = store.node(*term);
            matches!(node.op, Op::Variable(_) | Op::FpFromBits(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_))
                && ranges.contains_key(term)
        };
        let variables = terms.iter().copied().filter(is_variable).collect();
        let is_clipped = |term: &TermId| {
            let Some(size) = ranges.get(term).and_then(|range| BigRational::from_f64(range.magnitude())) else {
                return false;
            };
            let mode = store.node(*term).args.first().and_then(|mode| store.as_rounding_mode(*mode));
            store.float_format(*term).is_some_and(|format| may_hide_overflow(format, mode, &size))
        };
        let clipped = terms.iter().copied().filter(is_clipped).collect();
        Expression { measured, terms, ranges, clipped, variables }
    }

    /// The range of a variable.
    pub fn range(&self, variable: TermId) -> Interval {
        self.ranges.get(&variable).copied().unwrap_or(Interval::ENTIRE)
    }

    /// All values over a box, which is a range of each variable.
    pub fn evaluate(&self, shape: &Shape, ranges: &[Interval]) -> Values {
        let mut values = Values::default();
        for (place, (variable, range)) in self.variables.iter().zip(ranges).enumerate() {
            values.models.insert(*variable, Model::variable(shape, place, *range));
        }
        for &term in &self.terms {
            match self.measured.store.sort(term) {
                Sort::Bool => {
                    let truth = self.truth(shape, &values, term);
                    let known = self.measured.known.truth(term).map(Truth::from);
                    let is_comparison = matches!(self.measured.store.node(term).op, Op::FpLt | Op::FpLe | Op::FpEq);
                    match known {
                        _ if truth == Truth::Unsure && is_comparison => values.open.push(term),
                        Some(known) if truth != Truth::Unsure && truth != known => values.are_impossible = true,
                        _ => {}
                    }
                    values.truths.insert(term, known.unwrap_or(truth));
                }
                Sort::Float(format) if !values.models.contains_key(&term) => {
                    let Some(known) = self.ranges.get(&term) else { continue };
                    let model = self.model(shape, &values, term, *format);
                    let model = model.unwrap_or_else(|| Model::constant(shape, *known));
                    let range = model.range(shape);
                    values.are_impossible |= range.high() < known.low() || known.high() < range.low();
                    values.models.insert(term, model.within(shape, *known));
                }
                _ => {}
            }
        }
        let truth = |assertion: &TermId| values.truths.get(assertion).copied();
        values.are_impossible |=
            self.measured.assertions.iter().any(|assertion| truth(assertion) == Some(Truth::False));
        values
    }

    /// A float that is a number in every model, by its operands; `None` where they do not say enough.
    fn model(&self, shape: &Shape, values: &Values, term: TermId, format: Format) -> Option<Model> {
        let store = &self.measured.store;
        let node = store.node(term);
        let of = |place: usize| values.models.get(&node.args[place]);
        let exact = match &node.op {
            Op::FloatConst(_) => return None,
            Op::FpNeg => return Some(of(0)?.opposite()),
            Op::FpAbs => return Some(self.size(shape, of(0)?)),
            Op::Ite => {
                let parts = [of(1), of(2)];
                return match values.truths.get(&node.args[0])? {
                    Truth::True => parts[0].cloned(),
                    Truth::False => parts[1].cloned(),
                    Truth::Unsure => Some(parts[0]?.hull(shape, parts[1]?)),
                };
            }
            Op::FpMin | Op::FpMax => {
                let (a, b) = (of(0)?, of(1)?);
                let distance = b.minus(a).range(shape);
                let is_first = node.op == Op::FpMin;
                return Some(match () {
                    () if distance.low() >= 0.0 => {
                        if is_first {
                            a.clone()
                        } else {
                            b.clone()
                        }
                    }
                    () if distance.high() <= 0.0 => {
                        if is_first {
                            b.clone()
                        } else {
                            a.clone()
                        }
                    }
                    () => a.hull(shape, b),
                });
            }
            Op::FpAdd => of(1)?.plus(of(2)?),
            Op::FpSub => of(1)?.minus(of(2)?),
            Op::FpMul => of(1)?.times(shape, of(2)?),
            Op::FpFma => of(1)?.times(shape, of(2)?).plus(of(3)?),
            Op::FpDiv => of(1)?.times(shape, &of(2)?.inverse(shape)?),
            Op::FpSqrt => of(1)?.root(shape)?,
            Op::FpFromFloat(_) if store.float_format(node.args[1]).is_some_and(|from| format.holds_all(from)) => {
                return of(1).cloned();
            }
            Op::FpFromFloat(_) => of(1)?.clone(),
            Op::FpRoundToIntegral => return self.integral(shape, of(1)?, node.args[0]),
            _ => return None,
        };
        if self.clipped.contains(&term) {
            return None;
        }
        let size = if self.is_exact(term, format) { 0.0 } else { exact.range(shape).magnitude() };
        Some(exact.widened(error(format, self.mode(node.args[0]), size)))
    }

    /// Whether a result has all bits of the exact one, unless that is subnormal: by a power of two, or in a format that holds the bits of both factors.
    fn is_exact(&self, term: TermId, format: Format) -> bool {
        let store = &self.measured.store;
        let node = store.node(term);
        let (Op::FpMul | Op::FpDiv, &[_, a, b]) = (&node.op, &node.args[..]) else { return false };
        let is_power_of_two = |of: TermId| match &store.node(of).op {
            Op::FloatConst(value) => value.to_rational().is_some_and(|value| {
                let bits = |part: &BigInt| part.magnitude().count_ones();
                bits(value.numer()) == 1 && bits(value.denom()) == 1
            }),
            _ => false,
        };
        let narrow = |of: TermId| {
            let node = store.node(of);
            let from = matches!(node.op, Op::FpFromFloat(_)).then(|| store.float_format(node.args[1])).flatten()?;
            format.holds_all(from).then(|| from.precision())
        };
        let is_product = node.op == Op::FpMul;
        let has_bits = || narrow(a).zip(narrow(b)).is_some_and(|(a, b)| a + b <= format.precision());
        is_power_of_two(b) || is_product && (is_power_of_two(a) || has_bits())
    }

    fn mode(&self, term: TermId) -> Option<RoundingMode> {
        self.measured.store.as_rounding_mode(term)
    }

    /// An absolute value.
    fn size(&self, shape: &Shape, of: &Model) -> Model {
        let range = of.range(shape);
        match () {
            () if range.low() >= 0.0 => of.clone(),
            () if range.high() <= 0.0 => of.opposite(),
            () => Model::constant(shape, range.abs()),
        }
    }

    /// What is rounded to an integer: one where all of the box is, else it and an error.
    fn integral(&self, shape: &Shape, of: &Model, mode: TermId) -> Option<Model> {
        let range = of.range(shape);
        if !range.is_bounded() || range.magnitude() > LARGEST_INTEGER {
            return None;
        }
        let rounded = |value: f64| match self.mode(mode)? {
            RoundingMode::TowardNegative => Some(value.floor()),
            RoundingMode::TowardPositive => Some(value.ceil()),
            RoundingMode::TowardZero => Some(value.trunc()),
            RoundingMode::NearestEven => Some(value.round_ties_even()),
            RoundingMode::NearestAway => Some(value.round()),
        };
        let ends = [range.low(), range.high()].map(rounded);
        match ends {
            [Some(low), Some(high)] if low == high => Some(Model::constant(shape, Interval::point(low))),
            [Some(low), Some(high)] if high - low > 1.0 => Some(of.clone().widened(1.0)),
            [Some(low), Some(high)] => Some(Model::constant(shape, Interval::new(low, high))),
            _ => Some(of.clone().widened(1.0)),
        }
    }

    fn truth(&self, shape: &Shape, values: &Values, term: TermId) -> Truth {
        let store = &self.measured.store;
        let node = store.node(term);
        let truth = |place: usize| values.truths.get(&node.args[place]).copied().unwrap_or_default();
        let all = || (0..node.args.len()).map(truth);
        match &node.op {
            Op::BoolConst(value) => Truth::from(*value),
            Op::Not => !truth(0),
            Op::And => all().fold(Truth::True, Truth::and),
            Op::Or => all().fold(Truth::False, Truth::or),
            Op::Xor => truth(0).xor(truth(1)),
            Op::Implies => (!truth(0)).or(truth(1)),
            Op::Ite => match truth(0) {
                Truth::True => truth(1),
                Truth::False => truth(2),
                Truth::Unsure => Truth::Unsure,
            },
            Op::Eq if *store.sort(node.args[0]) == Sort::Bool => !truth(0).xor(truth(1)),
            Op::FpLt | Op::FpLe | Op::FpEq => self.compared(shape, values, term).unwrap_or_default(),
            Op::FpIsNegative | Op::FpIsPositive | Op::FpIsZero => {
                let Some(range) = values.models.get(&node.args[0]).map(|model| model.range(shape)) else {
                    return Truth::Unsure;
                };
                let (is_below, is_above) = (range.high() < 0.0, range.low() > 0.0);
                match node.op {
                    Op::FpIsNegative => Truth::from_certain(is_below, is_above),
                    Op::FpIsPositive => Truth::from_certain(is_above, is_below),
                    _ => Truth::from_certain(false, is_below || is_above),
                }
            }
            Op::FpIsNan | Op::FpIsInfinite if self.ranges.contains_key(&node.args[0]) => Truth::False,
            _ => Truth::Unsure,
        }
    }

    fn compared(&self, shape: &Shape, values: &Values, term: TermId) -> Option<Truth> {
        let node = self.measured.store.node(term);
        let [a, b] = [0, 1].map(|place| values.models.get(&node.args[place]));
        let distance = b?.minus(a?).range(shape);
        let (is_below, is_above) = (distance.low() > 0.0, distance.high() < 0.0);
        Some(match node.op {
            Op::FpLt => Truth::from_certain(is_below, distance.high() <= 0.0),
            Op::FpLe => Truth::from_certain(distance.low() >= 0.0, is_above),
            _ => Truth::from_certain(false, is_below || is_above),
        })
    }

    /// How much a variable has to do with the comparisons that a box leaves open.
    pub fn effect(&self, values: &Values, variable: usize) -> f64 {
        let of_operands = |term: &TermId| {
            let node = self.measured.store.node(*term);
            node.args
                .iter()
                .filter_map(|arg| values.models.get(arg))
                .map(|model| {
                    let size = model.rest.magnitude().min(f64::MAX);
                    model.slope(variable).min(f64::MAX) / (1.0 + size)
                })
                .sum::<f64>()
        };
        values.open.iter().map(of_operands).sum()
    }
}

/// Integers up to this are doubles.
const LARGEST_INTEGER: f64 = 4503599627370496.0;

/// The range of a float that is a number in every model.
fn range(store: &Store, known: &Known, term: TermId) -> Option<Interval> {
    let bounds = bounds_of(&known.number(store, term)?);
    let (low, high) = (bounds.low?, bounds.high?);
    // Conversions are to one of the neighbours, or exact.
    let [below, above] = [&low, &high].map(|end| end.to_f64());
    let (mut below, mut above) = (below?, above?);
    if !below.is_finite() || !above.is_finite() {
        return None;
    }
    if BigRational::from_f64(below).is_none_or(|value| value > low) {
        below = below.next_down();
    }
    if BigRational::from_f64(above).is_none_or(|value| value < high) {
        above = above.next_up();
    }
    Some(Interval::new(below, above)).filter(|range| range.is_bounded())
}

/// How far a result is from a number of at most this size that is rounded to it: half a unit in the last place of the largest one.
fn error(format: Format, mode: Option<RoundingMode>, size: f64) -> f64 {
    let is_nearest = matches!(mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
    let bits = i32::try_from(format.precision()).unwrap_or(0) - i32::from(!is_nearest);
    // The power of two that is not above the size; 0 for subnormal ones, whose errors are of the least number.
    let binade = f64::from_bits(size.to_bits() & f64::INFINITY.to_bits());
    // A format of more bits than a double's has no smaller errors here than these.
    let relative = 2.0_f64.powi(-bits).max(f64::EPSILON * f64::EPSILON);
    let least =
        i32::try_from(format.min_lsb_exponent()).map_or(1.0, |exponent| 2.0_f64.powi(exponent)).max(f64::from_bits(1));
    (binade * relative + least).next_up().next_up()
}
