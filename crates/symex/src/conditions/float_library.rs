//! When library functions raise, over the floats, for every libm near the correctly rounded results.
//!
//! A call's exceptions are no function of its operands until a libm is fixed. With [`Sense::May`] the condition holds whenever some
//! libm of `labrys_elementary::image`'s assumptions raises, so that a proof that it cannot hold is a proof for all; with
//! [`Sense::Must`] it holds only where each of them raises.
//!
//! For one operand these are intervals, from [`triggers`]. For two:
//!
//! - *pow*: invalid and division by zero are C's (Annex F.10.4.4). It may overflow only with a result of `ulps` floats
//!   from infinity or nearer, and underflow with one not above the smallest normal number and as many floats; it must where
//!   x ≥ 2^L or 0 < x ≤ 2^−L and L·|y| exceeds the format's exponents.
//! - *hypot* lies between max(|x|, |y|) and √2 times it, and is exact with a zero operand; |x| = |y| makes it irrational.
//! - *atan2(y, x)*, x > 0, is tiny only where y/x is, and never exact unless y = 0 or x = ∞.

use labrys_elementary::{Function, Sense, triggers};
use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};

use super::float::{is_finite, is_not};

/// A call of a library function, in Float terms.
#[derive(Clone, Copy, Debug)]
pub struct ElementaryCall<'a> {
    /// The function.
    pub function: Function,
    /// Its operands, of one format.
    pub operands: &'a [TermId],
    /// Its result, of the same format.
    pub result: TermId,
    /// The format.
    pub format: Format,
}

/// The condition on a call's operands and result under which it raises `exception`, one of [`Flags::NOTABLE`]; `None` if
/// never. `ulps` as for `labrys_elementary::image`.
pub fn library_condition(
    store: &mut Store,
    call: &ElementaryCall<'_>,
    exception: Flags,
    ulps: u32,
    sense: Sense,
) -> Option<TermId> {
    let ElementaryCall { function, operands, result, format } = *call;
    let asked = Asked { format, result, exception, ulps: function.steps(ulps), sense };
    match (function, operands) {
        (Function::Pow, &[x, y]) => asked.power(store, x, y),
        (Function::Hypot, &[x, y]) => asked.length(store, x, y),
        (Function::Atan2, &[y, x]) => asked.angle(store, y, x),
        (_, &[x]) => asked.unary(store, function, x),
        _ => None,
    }
}

/// What is asked.
struct Asked {
    format: Format,
    result: TermId,
    exception: Flags,
    ulps: u32,
    sense: Sense,
}

impl Asked {
    fn unary(&self, store: &mut Store, function: Function, x: TermId) -> Option<TermId> {
        let triggers = triggers(function, self.format, self.exception, self.ulps, self.sense)?;
        let mut cases = Vec::new();
        for range in &triggers.ranges {
            cases.push(self.within(store, x, range.low(), range.high()));
        }
        if triggers.negative_integers {
            let mode = store.rounding_mode(RoundingMode::TowardZero);
            let truncated = store.mk(Op::FpRoundToIntegral, &[mode, x]);
            let zero = self.constant(store, &Float::zero(self.format, false));
            let parts = [
                store.mk(Op::FpLt, &[x, zero]),
                is_not(store, Op::FpIsInfinite, x),
                store.mk(Op::FpEq, &[x, truncated]),
            ];
            cases.push(store.and(&parts));
        }
        (!cases.is_empty()).then(|| store.or(&cases))
    }

    /// low ≤ x ≤ high, the two zeros being one.
    fn within(&self, store: &mut Store, x: TermId, low: &Float, high: &Float) -> TermId {
        if low.is_zero() && high.is_zero() {
            return store.mk(Op::FpIsZero, &[x]);
        }
        if low.is_infinite() && high.is_infinite() && low != high {
            return is_not(store, Op::FpIsNan, x);
        }
        let mut parts = Vec::new();
        if !low.is_infinite() || !low.is_negative() {
            let low = self.constant(store, low);
            parts.push(store.mk(Op::FpLe, &[low, x]));
        }
        if !high.is_infinite() || high.is_negative() {
            let high = self.constant(store, high);
            parts.push(store.mk(Op::FpLe, &[x, high]));
        }
        store.and(&parts)
    }

    fn constant(&self, store: &mut Store, value: &Float) -> TermId {
        store.float_const(value.clone())
    }

    /// The number `steps` floats above a positive one, or below it.
    fn stepped(&self, value: &Float, steps: i64) -> Float {
        let ordinal = value.ordinal().unwrap_or_default();
        Float::from_ordinal(self.format, &(ordinal + steps).max(1.into()))
    }

    /// A real number as a positive float.
    fn scaled(&self, value: &Float, factor: f64) -> Float {
        let environment = Environment::default();
        let factor = environment.convert(&Float::from_f64(factor), self.format).value;
        environment.mul(value, &factor).value
    }

    /// |x| ≤ bound, or bound ≤ |x|.
    fn size(&self, store: &mut Store, x: TermId, bound: &Float, at_most: bool) -> TermId {
        let (size, bound) = (store.mk(Op::FpAbs, &[x]), self.constant(store, bound));
        store.mk(Op::FpLe, &if at_most { [size, bound] } else { [bound, size] })
    }

    /// The result is as large, or as small, as those that may come with the exception.
    fn result_may(&self, store: &mut Store) -> TermId {
        let steps = i64::from(self.ulps);
        if self.exception == Flags::OVERFLOW {
            let bound = self.stepped(&Float::infinity(self.format, false), -steps);
            self.size(store, self.result, &bound, false)
        } else {
            let bound = self.stepped(&Float::min_normal(self.format), steps);
            self.size(store, self.result, &bound, true)
        }
    }

    fn power(&self, store: &mut Store, x: TermId, y: TermId) -> Option<TermId> {
        let zero = self.constant(store, &Float::zero(self.format, false));
        let (finite_x, finite_y) = (is_finite(store, x), is_finite(store, y));
        Some(match self.exception {
            Flags::INVALID => {
                let mode = store.rounding_mode(RoundingMode::TowardZero);
                let truncated = store.mk(Op::FpRoundToIntegral, &[mode, y]);
                let whole = store.mk(Op::FpEq, &[y, truncated]);
                let parts = [store.mk(Op::FpLt, &[x, zero]), store.not(whole), finite_x, finite_y];
                store.and(&parts)
            }
            Flags::DIVBYZERO => {
                let mut parts = vec![store.mk(Op::FpIsZero, &[x]), store.mk(Op::FpLt, &[y, zero])];
                // C leaves it open whether 0^−∞ is a pole.
                if self.sense == Sense::Must {
                    parts.push(finite_y);
                }
                store.and(&parts)
            }
            Flags::OVERFLOW | Flags::UNDERFLOW if self.sense == Sense::May => {
                let parts = [finite_x, finite_y, is_not(store, Op::FpIsZero, x), self.result_may(store)];
                store.and(&parts)
            }
            Flags::OVERFLOW | Flags::UNDERFLOW => {
                let bands: Vec<TermId> = (-4..=4).map(|band| self.power_beyond(store, x, y, band)).collect();
                let far = store.or(&bands);
                store.and(&[far, finite_x, finite_y])
            }
            _ => return None,
        })
    }

    /// With L = 2^i, or for i < 0 the base 1 + 2^i, which is more than 2^L: x ≥ 2^L or 0 < x ≤ 2^−L, and L·|y| beyond the
    /// exponents. 2^16 is a number of every format whose thresholds are certain.
    fn power_beyond(&self, store: &mut Store, x: TermId, y: TermId, band: i32) -> TermId {
        let unit = f64::from(band).exp2();
        let base = if band >= 0 { unit.exp2() } else { 1.0 + unit };
        let exponents = self.format.max_exponent() + i64::from(self.format.precision()) + 8;
        let one = Float::one(self.format);
        let far = self.scaled(&one, base);
        let near = Environment::with_rounding(RoundingMode::TowardZero).div(&one, &far).value;
        let least = self.scaled(&one, exponents as f64 / unit).next_up();
        let (far, near) = (self.constant(store, &far), self.constant(store, &near));
        let (high, low) = (self.constant(store, &least), self.constant(store, &least.neg()));
        let zero = self.constant(store, &Float::zero(self.format, false));
        let large = store.mk(Op::FpLe, &[far, x]);
        let small = [store.mk(Op::FpLt, &[zero, x]), store.mk(Op::FpLe, &[x, near])];
        let small = store.and(&small);
        let (up, down) = (store.mk(Op::FpLe, &[high, y]), store.mk(Op::FpLe, &[y, low]));
        let cases =
            if self.exception == Flags::OVERFLOW { [[large, up], [small, down]] } else { [[large, down], [small, up]] };
        let cases = cases.map(|parts| store.and(&parts));
        store.or(&cases)
    }

    fn length(&self, store: &mut Store, x: TermId, y: TermId) -> Option<TermId> {
        let largest = Float::max_finite(self.format);
        let normal = Float::min_normal(self.format);
        let mut parts = match (self.exception, self.sense) {
            (Flags::OVERFLOW, Sense::May) => {
                let bound = self.scaled(&largest, 0.7);
                let either = [self.size(store, x, &bound, false), self.size(store, y, &bound, false)];
                vec![store.or(&either), self.result_may(store)]
            }
            (Flags::OVERFLOW, Sense::Must) => {
                let bound = self.scaled(&largest, 0.75);
                vec![self.size(store, x, &bound, false), self.size(store, y, &bound, false)]
            }
            (Flags::UNDERFLOW, sense) => {
                let mut parts = [x, y].map(|operand| is_not(store, Op::FpIsZero, operand)).to_vec();
                if sense == Sense::May {
                    let bound = self.stepped(&normal, i64::from(self.ulps) + 1);
                    parts.extend([x, y].map(|operand| self.size(store, operand, &bound, true)));
                    parts.push(self.result_may(store));
                } else {
                    let sizes = [x, y].map(|operand| store.mk(Op::FpAbs, &[operand]));
                    parts.push(store.mk(Op::FpEq, &sizes));
                    parts.push(self.size(store, x, &self.scaled(&normal, 0.5), true));
                }
                parts
            }
            _ => return None,
        };
        parts.extend([x, y].map(|operand| is_finite(store, operand)));
        Some(store.and(&parts))
    }

    fn angle(&self, store: &mut Store, y: TermId, x: TermId) -> Option<TermId> {
        if self.exception != Flags::UNDERFLOW {
            return None;
        }
        let normal = Float::min_normal(self.format);
        let steps = i64::from(self.ulps) + 3;
        let bound = self.stepped(&normal, if self.sense == Sense::May { steps } else { -steps });
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let quotient = store.mk(Op::FpDiv, &[mode, y, x]);
        let zero = self.constant(store, &Float::zero(self.format, false));
        let mut parts = vec![
            store.mk(Op::FpLt, &[zero, x]),
            is_finite(store, x),
            is_not(store, Op::FpIsZero, y),
            self.size(store, quotient, &bound, true),
        ];
        if self.sense == Sense::May {
            parts.push(self.result_may(store));
        }
        Some(store.and(&parts))
    }
}

#[cfg(test)]
mod tests {
    use labrys_elementary::evaluate;
    use labrys_term::{Evaluator, Model, Sort, Value};

    use super::*;

    const EXCEPTIONS: [Flags; 4] = [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW, Flags::UNDERFLOW];

    /// The conditions of a call against what correctly rounded values raise, at the given operands.
    fn check(function: Function, points: impl Iterator<Item = Vec<f64>>) -> [[usize; 4]; 2] {
        let mut store = Store::new();
        let sort = || Sort::Float(Format::BINARY64);
        let operands: Vec<TermId> =
            ["x", "y"][..function.arity()].iter().map(|name| store.variable(name, sort())).collect();
        let result = store.variable("result", sort());
        let points: Vec<Vec<f64>> = points.collect();
        let mut held = [[0; 4]; 2];
        for (kind, sense) in [Sense::May, Sense::Must].into_iter().enumerate() {
            for (place, exception) in EXCEPTIONS.into_iter().enumerate() {
                let call = ElementaryCall { function, operands: &operands, result, format: Format::BINARY64 };
                let condition = library_condition(&mut store, &call, exception, 4, sense);
                for point in &points {
                    let values: Vec<Float> = point.iter().map(|x| Float::from_f64(*x)).collect();
                    let call = evaluate(function, &values);
                    let mut model = Model::new();
                    for (term, value) in operands.iter().zip(&values) {
                        assert!(model.set_term(&store, *term, Value::Float(value.clone())));
                    }
                    assert!(model.set_term(&store, result, Value::Float(call.value)));
                    let holds =
                        condition.is_some_and(|term| Evaluator::new(&store, &model).holds(term).expect("a value"));
                    held[kind][place] += usize::from(holds);
                    let raised = call.flags.contains(exception);
                    let shown = || format!("{}({point:?}) {exception:?} {sense:?}", function.name());
                    match sense {
                        Sense::May => assert!(holds || !raised, "{} is raised", shown()),
                        Sense::Must => assert!(!holds || raised, "{} is not raised", shown()),
                    }
                }
            }
        }
        held
    }

    const VALUES: [f64; 26] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        710.0,
        -750.0,
        1e-310,
        -1e-310,
        5e-324,
        1.5e-308,
        1e308,
        -1.5e308,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-5,
        1200.5,
        -1e20,
        65536.5,
    ];

    #[test]
    fn conditions_agree_with_values() {
        for function in Function::all().filter(|function| function.arity() == 1) {
            let certain = EXCEPTIONS.map(|exception| triggers(function, Format::BINARY64, exception, 4, Sense::Must));
            let certain = certain.iter().flatten().flat_map(|triggers| &triggers.ranges);
            let ends: Vec<f64> =
                certain.flat_map(|range| [range.low(), range.high()]).filter_map(Float::to_f64).collect();
            let around = ends.into_iter().flat_map(|end| [end.next_down(), end, end.next_up()]);
            let held = check(function, VALUES.into_iter().chain(around).map(|x| vec![x]));
            for (place, exception) in EXCEPTIONS.into_iter().enumerate() {
                let is_found = held[1][place] > 0;
                assert_eq!(is_found, function.possible().contains(exception), "{} {exception:?}", function.name());
            }
        }
        for function in Function::all().filter(|function| function.arity() == 2) {
            let pairs = VALUES.into_iter().flat_map(|x| VALUES.into_iter().map(move |y| vec![x, y]));
            let held = check(function, pairs);
            for (place, exception) in EXCEPTIONS.into_iter().enumerate() {
                let is_found = held[1][place] > 0;
                assert_eq!(is_found, function.possible().contains(exception), "{} {exception:?}", function.name());
            }
        }
    }
}
