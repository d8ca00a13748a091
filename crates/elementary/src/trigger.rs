//! The operands at which a function of one operand raises an exception.
//!
//! **Claim.** With [`Sense::May`], every libm of `image`'s assumptions raises the exception only at operands of [`triggers`]' set;
//! with [`Sense::Must`], each raises it at every operand of the set.
//!
//! **Argument.** Zeros and infinities are looked at one by one. Between them and ±1 each function's magnitude is monotone or
//! stays within the normal numbers, except Γ's on the negative axis, which has its own bounds; so each exception begins or ends at most
//! once on each of these intervals, and bisection finds where. At one operand `image`
//! says what may be raised. Overflow must be raised where the exact value lies beyond every float and `ulps` more steps, underflow where
//! it lies below the normal numbers by more than `ulps` steps, not being exact.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use labrys_float::{Flags, Float, Format};

use crate::range::{infinity, last_like_first, rank, ranked};
use crate::{Function, Range, evaluate, may_raise, to_precise};

/// Which libm is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// Some libm within the given distance raises: what is outside is impossible.
    May,
    /// Every such libm raises: what is inside is certain.
    Must,
}

/// A set of operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triggers {
    /// Ranges of operands, infinities included, in order and not adjacent.
    pub ranges: Vec<Range>,
    /// Whether the negative integers are members, too.
    pub negative_integers: bool,
}

type Key = (Function, Format, Flags, u32, Sense);

static KNOWN: LazyLock<Mutex<HashMap<Key, Arc<Triggers>>>> = LazyLock::new(Mutex::default);

/// The operands at which a function of one operand raises `exception`, a single one of [`Flags::NOTABLE`], for a libm
/// within `ulps` floats of the correctly rounded results. `None` for functions of two operands and formats of more than 128 bits.
///
/// ```
/// use labrys_elementary::{Function, Sense, triggers};
/// use labrys_float::{Flags, Format};
///
/// let overflow = triggers(Function::Exp, Format::BINARY64, Flags::OVERFLOW, 0, Sense::May).unwrap();
/// assert_eq!(overflow.ranges[0].low().to_f64(), Some(709.7827128933841)); // log of the largest number, rounded up
/// ```
pub fn triggers(
    function: Function,
    format: Format,
    exception: Flags,
    ulps: u32,
    sense: Sense,
) -> Option<Arc<Triggers>> {
    let everything = Range::numbers(format).filter(|_| function.arity() == 1)?;
    let ulps = function.steps(ulps);
    let key = (function, format, exception, ulps, sense);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(triggers) = known().get(&key) {
        return Some(triggers.clone());
    }
    let search = Search { function, format, exception, ulps, sense };
    // Where the range is as small as the precision, the intervals of the argument above are not what it says.
    let is_narrow = format.min_exponent() > -2 * i64::from(format.precision());
    let triggers = match sense {
        Sense::May if is_narrow => Triggers { ranges: vec![everything], negative_integers: false },
        Sense::Must if is_narrow => Triggers::default(),
        _ => search.run(),
    };
    let triggers = Arc::new(triggers);
    known().insert(key, triggers.clone());
    Some(triggers)
}

impl Triggers {
    /// Whether an operand is a member.
    pub fn contains(&self, operand: &Float) -> bool {
        let is_integer = || operand.is_finite() && !operand.is_zero() && to_precise(operand).is_integer();
        self.ranges.iter().any(|range| range.contains(operand))
            || self.negative_integers && operand.is_negative() && is_integer()
    }
}

impl Triggers {
    fn merge(&mut self, format: Format) {
        let mut ranks: Vec<(i128, i128)> = self.ranges.iter().map(Range::ranks).collect();
        ranks.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::new();
        for (low, high) in ranks {
            match merged.last_mut() {
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        self.ranges = merged.into_iter().map(|(low, high)| Range::of_ranks(format, low, high)).collect();
    }
}

struct Search {
    function: Function,
    format: Format,
    exception: Flags,
    ulps: u32,
    sense: Sense,
}

impl Search {
    fn run(&self) -> Triggers {
        let top = infinity(self.format);
        let one = rank(&Float::one(self.format)).unwrap_or(0);
        let is_gamma = matches!(self.function, Function::Tgamma | Function::Lgamma);
        let mut triggers = Triggers::default();
        let mut add = |low: i128, high: i128| triggers.ranges.push(Range::of_ranks(self.format, low, high));
        for special in [!top, -1, 0, top] {
            if self.raises(special) {
                add(special, special);
            }
        }
        for (low, high) in [(!top + 1, !one - 1), (!one, -2), (1, one), (one + 1, top - 1)] {
            if is_gamma && high < 0 {
                continue;
            }
            let cut = last_like_first(low, high, |rank| self.raises(rank));
            if self.raises(low) {
                add(low, cut);
            }
            if cut < high && self.raises(cut + 1) {
                add(cut + 1, high);
            }
        }
        if is_gamma {
            self.add_gamma_of_negative(&mut triggers);
        }
        self.add_unproved(&mut triggers);
        triggers.merge(self.format);
        triggers
    }

    /// Whether the exception is raised at the number of a rank.
    fn raises(&self, place: i128) -> bool {
        let x = ranked(self.format, place);
        if self.sense == Sense::May || matches!(self.exception, Flags::INVALID | Flags::DIVBYZERO) {
            return Range::only(x).is_some_and(|x| may_raise(self.function, &[x], self.ulps).contains(self.exception));
        }
        let result = evaluate(self.function, std::slice::from_ref(&x));
        result.flags.contains(self.exception) && self.is_beyond(&self.function.precise(&[to_precise(&x)], self.bits()))
    }

    fn bits(&self) -> u32 {
        2 * self.format.precision()
    }

    /// Whether a value lies beyond the largest number, or below the normal ones, by more than the steps. A step is at most
    /// 2^(1−p) of a number above 1, and at most that of the smallest normal number below it.
    fn is_beyond(&self, value: &rug::Float) -> bool {
        let steps = rug::Float::with_val(self.bits(), self.ulps + 2) >> (self.format.precision() as i32 - 1);
        let size = value.clone().abs();
        if self.exception == Flags::OVERFLOW {
            size > to_precise(&Float::max_finite(self.format)) * (steps + 1u32)
        } else {
            size < to_precise(&Float::min_normal(self.format)) * (1u32 - steps)
        }
    }

    /// Γ on the negative axis: poles at integers; 1/x near zero; else |Γ(x)| = π / (|sin πx| Γ(1 − x)), at least
    /// π / Γ(1 − x), and as a float is at least 2^−p from an integer, at most π 2^p / Γ(1 − x).
    fn add_gamma_of_negative(&self, triggers: &mut Triggers) {
        let top = infinity(self.format);
        let one = rank(&Float::one(self.format)).unwrap_or(0);
        let pole = if self.function == Function::Tgamma { Flags::INVALID } else { Flags::DIVBYZERO };
        triggers.negative_integers = self.exception == pole;
        let mut add = |low: i128, high: i128| triggers.ranges.push(Range::of_ranks(self.format, low, high));
        if self.exception == Flags::OVERFLOW && self.function == Function::Tgamma {
            let cut = last_like_first(!one, -2, |rank| self.raises(rank));
            if cut < -2 {
                add(cut + 1, -2);
            }
        }
        if self.exception == Flags::UNDERFLOW && self.function == Function::Tgamma {
            let bits = self.bits();
            let least = |rank: i128| {
                let reflected = Function::Tgamma.precise(&[1u32 - to_precise(&ranked(self.format, rank))], bits);
                rug::Float::with_val(bits, rug::float::Constant::Pi) / reflected
            };
            let normal = to_precise(&Float::min_normal(self.format));
            match self.sense {
                Sense::May => {
                    let margin = rug::Float::with_val(bits, self.ulps + 2) >> (self.format.precision() as i32 - 1);
                    let bound = normal * (margin + 1u32);
                    let cut = last_like_first(!top + 1, !one, |rank| least(rank) <= bound);
                    add(!top + 1, cut);
                }
                Sense::Must => {
                    let greatest = |rank: i128| least(rank) << self.format.precision();
                    let cut = last_like_first(!top + 1, !one, |rank| self.is_beyond(&greatest(rank)));
                    // The numbers between two integers; further cells are alike.
                    let cell = to_precise(&ranked(self.format, cut)).floor();
                    let end = |value: rug::Float| {
                        crate::from_precise(&value, self.format, labrys_float::RoundingMode::NearestEven).value
                    };
                    let (low, high) = (end(cell.clone() - 1u32), end(cell));
                    if let (Some(low), Some(high)) = (rank(&low), rank(&high)) {
                        add(low + 1, high - 1);
                    }
                }
            }
        }
    }

    /// Where nothing proves that values near zeros are not tiny.
    fn add_unproved(&self, triggers: &mut Triggers) {
        if self.sense == Sense::Must || self.exception != Flags::UNDERFLOW {
            return;
        }
        let top = infinity(self.format);
        let one = rank(&Float::one(self.format)).unwrap_or(0);
        let mut add = |low: i128, high: i128| triggers.ranges.push(Range::of_ranks(self.format, low, high));
        match self.function {
            Function::J0 | Function::J1 => {
                add(!top + 1, !one - 1);
                add(one + 1, top - 1);
            }
            Function::Y0 | Function::Y1 => add(one, top - 1),
            Function::Lgamma => add(!top + 1, !one - 1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXCEPTIONS: [Flags; 4] = [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW, Flags::UNDERFLOW];

    /// Numbers of all magnitudes, and those around the ends of ranges.
    fn samples(triggers: &[Arc<Triggers>]) -> Vec<Float> {
        let mut samples: Vec<Float> = triggers
            .iter()
            .flat_map(|triggers| &triggers.ranges)
            .flat_map(|range| [range.low().clone(), range.high().clone()])
            .flat_map(|end| [end.next_down(), end.clone(), end.next_up()])
            .collect();
        let mut value = 1e-320;
        while value < 1e308 {
            samples.extend([Float::from_f64(value), Float::from_f64(-value)]);
            value *= 97.3;
        }
        samples.extend((-400..400).map(|tenth| Float::from_f64(f64::from(tenth) * 0.5)));
        samples
    }

    #[test]
    fn sets_agree_with_values_at_every_sample() {
        for function in Function::all().filter(|function| function.arity() == 1) {
            for exception in EXCEPTIONS {
                let of = |sense| triggers(function, Format::BINARY64, exception, 4, sense).unwrap();
                let (may, must) = (of(Sense::May), of(Sense::Must));
                for x in samples(&[may.clone(), must.clone()]) {
                    let raised = evaluate(function, std::slice::from_ref(&x)).flags.contains(exception);
                    let shown = || format!("{}({}) {exception:?}", function.name(), x.to_shortest_decimal());
                    assert!(may.contains(&x) || !raised, "{} is raised", shown());
                    assert!(!must.contains(&x) || raised, "{} is not raised", shown());
                }
            }
        }
    }

    #[test]
    fn every_possible_exception_has_certain_operands() {
        for format in [Format::BINARY32, Format::BINARY64, Format::X87] {
            for function in Function::all().filter(|function| function.arity() == 1) {
                for exception in EXCEPTIONS {
                    let must = triggers(function, format, exception, 4, Sense::Must).unwrap();
                    let is_possible = function.possible().contains(exception);
                    let is_certain = must.negative_integers || !must.ranges.is_empty();
                    assert_eq!(is_certain, is_possible, "{} {exception:?} {format:?}", function.name());
                }
            }
        }
    }

    #[test]
    fn both_senses_meet_within_the_steps() {
        let of = |sense, ulps| {
            let triggers = triggers(Function::Exp, Format::BINARY64, Flags::OVERFLOW, ulps, sense).unwrap();
            triggers.ranges[0].low().to_f64().unwrap()
        };
        assert!(of(Sense::May, 4) <= of(Sense::May, 0) && of(Sense::May, 0) <= of(Sense::Must, 4));
        assert!(of(Sense::Must, 4) - of(Sense::May, 4) < 1e-12);
        assert!(triggers(Function::Pow, Format::BINARY64, Flags::OVERFLOW, 4, Sense::May).is_none());
    }
}
