//! What may hold of a loop's variables: bounds, orders, sums, sequences, each as a term, and how it is weakened.

use labrys_float::Float;
use labrys_program::FloatPredicate;
use labrys_symex::float_terms;
use labrys_term::{Op, Sort, Store, TermId, Value};
use num_traits::ToPrimitive;
use smallvec::SmallVec;

use super::cases::{Case, Held};
use super::checked::{self, Meanings};
use super::combinations::{combined, shifted};
use super::conditions::DatumOf;
use super::recurrences::{Moment, Recurrence};
use super::rows::{MOST_VALUES, is_counted};
use super::thresholds::Constants;
use super::variables::{bits_of, term_of};
use crate::Values;
use crate::constants::double;

pub(super) const LESS_OR_EQUAL: FloatPredicate =
    FloatPredicate { less: true, equal: true, greater: false, unordered: false };
pub(super) const EQUAL: FloatPredicate = FloatPredicate { less: false, equal: true, greater: false, unordered: false };
const ORDERED: FloatPredicate = FloatPredicate { less: true, equal: true, greater: true, unordered: false };

/// What may hold; variables by their number.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guess {
    /// An integer is at most, or at least, a bound.
    Bound { of: usize, is_signed: bool, is_upper: bool, bound: u128 },
    /// An integer is one of some numbers.
    Values { of: usize, values: Vec<u128> },
    /// So many lowest bits of an integer are these.
    LowBits { of: usize, count: u32, value: u128 },
    /// An integer is at most another one, or the same.
    Order { low: usize, high: usize, op: Op },
    /// An integer is not zero.
    NotZero(usize),
    /// An integer is at most, or at least, one that does not change.
    Fixed { of: usize, is_signed: bool, is_upper: bool, bound: TermId },
    /// So many times some integers each have a sum that does not change.
    Combined { of: SmallVec<[(usize, u128); 3]>, sum: TermId },
    /// A float is one of some.
    FloatValues { of: usize, values: Vec<Float> },
    /// A float is a number.
    Number(usize),
    /// A float is at most, or at least, a bound.
    FloatBound { of: usize, is_upper: bool, bound: Float },
    /// A float is at most another one, or the same, neither being NaN.
    FloatOrder { low: usize, high: usize, is_equal: bool },
    /// Some variables are together one of some rows.
    Together { of: Vec<usize>, rows: Vec<Vec<Value>> },
    /// A float is the value of so many times an integer and a number, at most that, or at least; the integer is read as one with a sign or without.
    Converted { float: usize, int: usize, is_signed: bool, times: u128, offset: u128, order: Order },
    /// A float is an integer.
    Integral(usize),
    /// A variable has a bound while another one has a value.
    Case(Case),
    /// Some are a member of a sequence.
    Recurrence(Box<Recurrence>),
    /// A round checks it: of terms that stand for any values of the variables.
    Checked { condition: TermId, of: Vec<(usize, DatumOf)> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    Same,
    AtMost,
    AtLeast,
}

/// The variable on whose value it depends how a guess is weakened; `None` where it is dropped.
pub(super) fn value_of(guess: &Guess) -> Option<usize> {
    match guess {
        Guess::Bound { of, .. }
        | Guess::Values { of, .. }
        | Guess::FloatBound { of, .. }
        | Guess::FloatValues { of, .. } => Some(*of),
        Guess::Case(case) => Some(case.of),
        _ => None,
    }
}

impl Guess {
    /// Whether it is a bound from which that of a case follows.
    pub(super) fn implies(&self, case: &Case) -> bool {
        match self {
            Guess::Bound { of, is_signed, is_upper, bound } => {
                case.follows_from((*of, *is_signed, *is_upper), &Held::Int(*bound))
            }
            Guess::FloatBound { of, is_upper, bound } => {
                case.follows_from((*of, true, *is_upper), &Held::Float(bound.clone()))
            }
            _ => false,
        }
    }

    pub(super) fn term(&self, values: &mut Values<'_>, variables: &[DatumOf], moment: Moment) -> TermId {
        let term = |values: &mut Values<'_>, of: &usize| term_of(values, &variables[*of]);
        match self {
            Guess::Bound { of, is_signed, is_upper, bound } => {
                let of = term(values, of);
                let Sort::BitVec(bits) = *values.store.sort(of) else { return values.store.bool_const(true) };
                let bound = values.store.bv_const(bits, *bound);
                let op = if *is_signed { Op::BvSle } else { Op::BvUle };
                values.store.mk(op, &if *is_upper { [of, bound] } else { [bound, of] })
            }
            Guess::Values { of, values: all } => {
                let of = term(values, of);
                let store = &mut values.store;
                let is_one: Vec<TermId> = match *store.sort(of) {
                    Sort::BitVec(bits) => {
                        let constants: Vec<TermId> = all.iter().map(|value| store.bv_const(bits, *value)).collect();
                        constants.into_iter().map(|value| store.mk(Op::Eq, &[of, value])).collect()
                    }
                    _ => all.iter().map(|value| if *value != 0 { of } else { store.not(of) }).collect(),
                };
                store.or(&is_one)
            }
            Guess::Together { of, rows } => {
                let columns: Vec<TermId> = of.iter().map(|of| term(values, of)).collect();
                let store = &mut values.store;
                let mut is_one = Vec::with_capacity(rows.len());
                for row in rows {
                    let equal: Vec<TermId> =
                        columns.iter().zip(row).map(|(&column, value)| is_value(store, column, value)).collect();
                    is_one.push(store.and(&equal));
                }
                store.or(&is_one)
            }
            Guess::NotZero(of) => {
                let of = term(values, of);
                let Sort::BitVec(bits) = *values.store.sort(of) else { return values.store.bool_const(true) };
                let zero = values.store.bv_const(bits, 0u32);
                let is_zero = values.store.mk(Op::Eq, &[of, zero]);
                values.store.not(is_zero)
            }
            Guess::LowBits { of, count, value } => {
                let of = term(values, of);
                let low = values.store.mk(Op::Extract { high: count - 1, low: 0 }, &[of]);
                let value = values.store.bv_const(*count, *value);
                values.store.mk(Op::Eq, &[low, value])
            }
            Guess::Order { low, high, op } => {
                let both = [term(values, low), term(values, high)];
                values.store.mk(op.clone(), &both)
            }
            Guess::Fixed { of, is_signed, is_upper, bound } => {
                let of = term(values, of);
                let op = if *is_signed { Op::BvSle } else { Op::BvUle };
                values.store.mk(op, &if *is_upper { [of, *bound] } else { [*bound, of] })
            }
            Guess::Combined { of, sum } => {
                let all: Vec<(TermId, u128)> = of.iter().map(|(of, times)| (term(values, of), *times)).collect();
                match combined(values.store, &all) {
                    Some(combined) => values.store.mk(Op::Eq, &[combined, *sum]),
                    None => values.store.bool_const(true),
                }
            }
            Guess::FloatValues { of, values: all } => {
                let of = term(values, of);
                let store = &mut values.store;
                let constants: Vec<TermId> = all.iter().map(|value| store.float_const(value.clone())).collect();
                let is_one: Vec<TermId> = constants.into_iter().map(|value| store.mk(Op::Eq, &[of, value])).collect();
                store.or(&is_one)
            }
            Guess::Number(of) => {
                let of = term(values, of);
                float_terms::compare(values.store, ORDERED, of, of)
            }
            Guess::FloatBound { of, is_upper, bound } => {
                let of = term(values, of);
                let bound = values.store.float_const(bound.clone());
                let (low, high) = if *is_upper { (of, bound) } else { (bound, of) };
                // A NaN is not a matter of bounds.
                let predicate = FloatPredicate { unordered: true, ..LESS_OR_EQUAL };
                float_terms::compare(values.store, predicate, low, high)
            }
            Guess::FloatOrder { low, high, is_equal } => {
                let (low, high) = (term(values, low), term(values, high));
                float_terms::compare(values.store, if *is_equal { EQUAL } else { LESS_OR_EQUAL }, low, high)
            }
            Guess::Case(case) => case.term(values, variables),
            Guess::Recurrence(of) => of.term(values, variables, moment),
            Guess::Integral(of) => {
                let of = term(values, of);
                let mode = values.store.rounding_mode(labrys_float::RoundingMode::NearestEven);
                let rounded = values.store.mk(Op::FpRoundToIntegral, &[mode, of]);
                float_terms::compare(values.store, EQUAL, of, rounded)
            }
            Guess::Checked { condition, of } => {
                let mut meanings = Meanings::default();
                for (place, any) in of {
                    let now = &variables[*place];
                    for of_datum in [term_of, bits_term] {
                        meanings.insert(of_datum(values, any), of_datum(values, now));
                    }
                }
                checked::replaced(values.store, *condition, &meanings, |_| true)
                    .unwrap_or_else(|| values.store.bool_const(true))
            }
            Guess::Converted { float, int, is_signed, times, offset, order } => {
                let (float, int) = (term(values, float), term(values, int));
                let Some(format) = values.store.float_format(float) else { return values.store.bool_const(true) };
                let int = combined(values.store, &[(int, *times)]).unwrap_or(int);
                let int = shifted(values.store, int, *offset);
                let mode = values.store.rounding_mode(labrys_float::RoundingMode::NearestEven);
                let convert = if *is_signed { Op::FpFromSigned(format) } else { Op::FpFromUnsigned(format) };
                let converted = values.store.mk(convert, &[mode, int]);
                match order {
                    Order::Same => float_terms::compare(values.store, EQUAL, float, converted),
                    Order::AtMost => float_terms::compare(values.store, LESS_OR_EQUAL, float, converted),
                    Order::AtLeast => float_terms::compare(values.store, LESS_OR_EQUAL, converted, float),
                }
            }
        }
    }

    /// Has it hold for one more value; whether there is something left of it.
    pub(super) fn weaken(&mut self, constants: &Constants, value: &Value) -> bool {
        match self {
            Guess::Bound { is_signed, is_upper, bound, .. } => {
                let Value::BitVec { width, bits } = value else { return false };
                let Some(new) = bits.to_u128().and_then(|new| constants.next_int(*width, *is_signed, *is_upper, new))
                else {
                    return false;
                };
                *bound = new;
                true
            }
            Guess::Values { values, .. } => {
                let new = match value {
                    Value::BitVec { bits, .. } => bits.to_u128(),
                    value => value.as_bool().map(u128::from),
                };
                let Some(new) = new.filter(|new| values.len() < MOST_VALUES && !values.contains(new)) else {
                    return false;
                };
                values.push(new);
                // Both truth values are nothing.
                (!matches!(value, Value::Bool(_)) || values.len() < 2)
                    && !is_counted(&values.iter().map(|value| *value as i128).collect::<Vec<_>>())
            }
            Guess::Case(case) => case.weaken(constants, value),
            Guess::FloatValues { values, .. } => {
                let is_new = |new: &&Float| values.len() < MOST_VALUES && !values.contains(new);
                let Some(new) = value.as_float().filter(is_new).cloned() else { return false };
                values.push(new);
                let integers = values.iter().map(|value| Some(double(value)?.to_i64()?.into()));
                !integers.collect::<Option<Vec<i128>>>().is_some_and(|integers| is_counted(&integers))
            }
            Guess::FloatBound { is_upper, bound, .. } => {
                let new = value.as_float().filter(|new| !new.is_nan());
                match new.and_then(|new| constants.next_float(bound.format(), *is_upper, new)) {
                    Some(new) => {
                        *bound = new;
                        true
                    }
                    None => false,
                }
            }
            _ => false,
        }
    }
}

/// The value of a literal.
pub(super) fn literal(store: &Store, term: TermId) -> Option<Value> {
    match (&store.node(term).op, store.sort(term)) {
        (Op::BoolConst(value), _) => Some(Value::Bool(*value)),
        (Op::BitVecConst(bits), Sort::BitVec(width)) => Some(Value::BitVec { width: *width, bits: bits.clone() }),
        (Op::FloatConst(value), _) => Some(Value::Float(value.clone())),
        _ => None,
    }
}

/// That a term has a value of its sort.
fn is_value(store: &mut Store, term: TermId, value: &Value) -> TermId {
    let constant = match value {
        Value::Bool(true) => return term,
        Value::Bool(false) => return store.not(term),
        Value::BitVec { width, bits } => store.bv_const(*width, bits.clone()),
        Value::Float(float) => store.float_const(float.clone()),
        // No variable is of another sort.
        _ => return store.bool_const(true),
    };
    store.mk(Op::Eq, &[term, constant])
}

/// The bits of a datum as a term.
pub(super) fn bits_term(values: &mut Values<'_>, datum: &DatumOf) -> TermId {
    let bits = bits_of(values, datum);
    values.as_term(&bits)
}
