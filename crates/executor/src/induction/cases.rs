//! Bounds of variables under each value of one that has few: what holds while a heater is on, in one state of a machine, on the way up.
//!
//! A flag is any variable whose values are listed, and are few. Under each of them every other variable is guessed to have bounds, which begin at none (that
//! the flag never has the value) and are weakened along the program's constants as all bounds are, by what the variable is where the flag has the value.

use labrys_float::Float;
use labrys_interp::Datum;
use labrys_program::FloatPredicate;
use labrys_symex::float_terms;
use labrys_term::{Op, Sort, TermId, Value};
use num_traits::ToPrimitive;

use super::conditions::DatumOf;
use super::thresholds::{Constants, signed};
use super::variables::{Variables, term_of};
use crate::Values;

/// Values of a flag at most.
const MOST_VALUES: usize = 6;

/// Flags that are looked at, variables that have bounds under their values, and how many times a variable of a loop has bounds under a value at most.
const MOST_FLAGS: usize = 4;
const MOST_BOUNDED: usize = 8;
const MOST_CASES: usize = 96;

/// A value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    /// Of an integer.
    Int(u128),
    /// Of a float.
    Float(Float),
}

/// A bound of a variable while a flag has a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    flag: usize,
    value: Held,
    /// The variable.
    pub(super) of: usize,
    is_signed: bool,
    is_upper: bool,
    /// `None` where the flag has not had the value.
    bound: Option<Held>,
}

/// Flags, their values, and variables of which bounds were guessed under these, whatever became of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cases {
    guessed: Vec<(usize, Held, usize)>,
}

impl Cases {
    /// New cases, where variables have these values. A variable that has become one since, or has no few values any more, is as new.
    pub(super) fn of(&mut self, listed: &[(usize, Vec<Held>)], variables: &Variables) -> Vec<Case> {
        let is_flag = |values: &Vec<Held>| (2..=MOST_VALUES).contains(&values.len());
        let flags: Vec<&(usize, Vec<Held>)> = listed.iter().filter(|(_, values)| is_flag(values)).collect();
        let is_one = |of: usize| flags.iter().any(|(flag, _)| *flag == of);
        let bounded: Vec<usize> = (0..variables.all.len()).filter(|of| !is_one(*of)).take(MOST_BOUNDED).collect();
        let mut new = Vec::new();
        for (flag, values) in flags.iter().take(MOST_FLAGS) {
            for (value, &of) in values.iter().flat_map(|value| bounded.iter().map(move |of| (value, of))) {
                let key = (*flag, value.clone(), of);
                if self.guessed.len() >= MOST_CASES || self.guessed.contains(&key) {
                    continue;
                }
                self.guessed.push(key);
                let signs: &[bool] = match &variables.all[of].first {
                    Datum::Int(int) if int.bits() > 1 && int.bits() <= 128 => &[true, false],
                    Datum::Float(_) => &[true],
                    _ => &[],
                };
                for (&is_signed, is_upper) in signs.iter().flat_map(|sign| [(sign, false), (sign, true)]) {
                    new.push(Case { flag: *flag, value: value.clone(), of, is_signed, is_upper, bound: None });
                }
            }
        }
        new
    }
}

impl Case {
    /// Whether its flag is one whose values are listed.
    pub(super) fn is_of(&self, listed: &[(usize, Vec<Held>)]) -> bool {
        listed.iter().any(|(of, values)| *of == self.flag && values.len() <= MOST_VALUES)
    }

    /// Whether it follows from a bound that a variable always has.
    pub(super) fn follows_from(&self, (of, is_signed, is_upper): (usize, bool, bool), general: &Held) -> bool {
        if (self.of, self.is_signed, self.is_upper) != (of, is_signed, is_upper) {
            return false;
        }
        let order = match (general, &self.bound) {
            // A number below 2^bits as two's complement: of one sign the order is that of the numbers.
            (Held::Int(general), Some(Held::Int(bound))) if general == bound => return true,
            (Held::Float(general), Some(Held::Float(bound))) => general.compare(bound),
            _ => None,
        };
        order.is_some_and(|order| if is_upper { order.is_le() } else { order.is_ge() })
    }

    pub(super) fn term(&self, values: &mut Values<'_>, variables: &[DatumOf]) -> TermId {
        let flag = term_of(values, &variables[self.flag]);
        let has_value = match (&self.value, values.store.sort(flag).clone()) {
            (Held::Int(value), Sort::BitVec(bits)) => {
                let value = values.store.bv_const(bits, *value);
                values.store.mk(Op::Eq, &[flag, value])
            }
            (Held::Int(0), Sort::Bool) => values.store.not(flag),
            (Held::Int(_), Sort::Bool) => flag,
            (Held::Float(value), _) => {
                let value = values.store.float_const(value.clone());
                values.store.mk(Op::Eq, &[flag, value])
            }
            // No variable is of another sort.
            _ => return values.store.bool_const(true),
        };
        let has_not = values.store.not(has_value);
        let of = term_of(values, &variables[self.of]);
        let within = match (&self.bound, values.store.sort(of).clone()) {
            (None, _) => return has_not,
            (Some(Held::Int(bound)), Sort::BitVec(bits)) => {
                let bound = values.store.bv_const(bits, *bound);
                let op = if self.is_signed { Op::BvSle } else { Op::BvUle };
                values.store.mk(op, &if self.is_upper { [of, bound] } else { [bound, of] })
            }
            (Some(Held::Float(bound)), Sort::Float(_)) => {
                let bound = values.store.float_const(bound.clone());
                let (low, high) = if self.is_upper { (of, bound) } else { (bound, of) };
                // A NaN is not a matter of bounds.
                let predicate = FloatPredicate { less: true, equal: true, greater: false, unordered: true };
                float_terms::compare(values.store, predicate, low, high)
            }
            _ => return values.store.bool_const(true),
        };
        values.store.or(&[has_not, within])
    }

    /// Has it hold for one more value of its variable; whether there is something left of it.
    pub(super) fn weaken(&mut self, constants: &Constants, value: &Value) -> bool {
        let new = match value {
            Value::BitVec { width, bits } => bits
                .to_u128()
                .and_then(|new| constants.next_int(*width, self.is_signed, self.is_upper, new))
                .map(|new| (Held::Int(new), *width)),
            // A NaN has no bounds.
            Value::Float(new) => {
                constants.next_float(new.format(), self.is_upper, new).map(|new| (Held::Float(new), 0))
            }
            _ => None,
        };
        let Some((new, width)) = new else { return false };
        let is_weaker = match (&self.bound, &new) {
            (None, _) => true,
            (Some(Held::Int(old)), Held::Int(new)) => {
                let order = match self.is_signed {
                    true => signed(width, *old).cmp(&signed(width, *new)),
                    false => old.cmp(new),
                };
                if self.is_upper { order.is_lt() } else { order.is_gt() }
            }
            (Some(Held::Float(old)), Held::Float(new)) => {
                old.compare(new).is_some_and(|order| if self.is_upper { order.is_lt() } else { order.is_gt() })
            }
            _ => false,
        };
        self.bound = Some(new);
        is_weaker
    }
}
