//! Sets of values of one sort: an interval of places, and NaN beside it.

use labrys_float::{Format, RoundingMode};
use labrys_term::{Sort, Value};
use num_traits::ToPrimitive;

use crate::domain::float::{infinity_magnitude, rank, ranked};
use crate::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain, ModeDomain};

/// The widest bit vectors with places: sums of two of them are places too.
const WIDEST: u32 = 120;

/// How values of a sort are places.
///
/// A bit vector's place is its unsigned value, a float's its rank (all numbers in order, −0 directly below +0), false is 0 and true
/// is 1, a rounding mode's is its index in [`RoundingMode::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    Mode,
    Bits(u32),
    Float(Format),
    /// Nothing is known of such values.
    Other,
}

/// The values with places from `low` to `high`, and NaN if `nan`. No number where `low` is above `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub low: i128,
    pub high: i128,
    pub nan: bool,
}

impl Shape {
    pub fn of(sort: &Sort) -> Shape {
        match sort {
            Sort::Bool => Shape::Bool,
            Sort::RoundingMode => Shape::Mode,
            Sort::BitVec(width) if *width <= WIDEST => Shape::Bits(*width),
            Sort::Float(format) if FloatDomain::supports(*format) && !format.has_explicit_leading_bit() => {
                Shape::Float(*format)
            }
            _ => Shape::Other,
        }
    }

    /// All values.
    pub fn top(self) -> Set {
        match self {
            Shape::Bool => Set::numbers(0, 1),
            Shape::Mode => Set::numbers(0, RoundingMode::ALL.len() as i128 - 1),
            Shape::Bits(width) => Set::numbers(0, (1 << width) - 1),
            Shape::Float(format) => {
                let infinity = infinity_magnitude(format) as i128;
                Set { low: !infinity, high: infinity, nan: true }
            }
            Shape::Other => Set { low: i128::MIN, high: i128::MAX, nan: true },
        }
    }

    /// The value of a place; `None` where values have no places.
    pub fn value(self, place: i128) -> Option<Value> {
        Some(match self {
            Shape::Bool => Value::Bool(place == 1),
            Shape::Mode => Value::RoundingMode(*RoundingMode::ALL.get(usize::try_from(place).ok()?)?),
            Shape::Bits(width) => Value::bit_vector(width, u128::try_from(place).ok()?),
            Shape::Float(format) => Value::float(ranked(format, place)),
            Shape::Other => return None,
        })
    }

    /// NaN.
    pub fn nan(self) -> Option<Value> {
        match self {
            Shape::Float(format) => Some(Value::float(labrys_float::Float::nan(format))),
            _ => None,
        }
    }

    /// The set of one value; all values where this one has no place.
    pub fn only(self, value: &Value) -> Set {
        let place = match (self, value) {
            (Shape::Bool, Value::Bool(value)) => Some(i128::from(*value)),
            (Shape::Mode, Value::RoundingMode(mode)) => {
                RoundingMode::ALL.iter().position(|other| other == mode).map(|place| place as i128)
            }
            (Shape::Bits(_), value) => value.as_bits().and_then(ToPrimitive::to_i128),
            (Shape::Float(_), Value::Float(value)) if value.is_nan() => return Set { nan: true, ..Set::EMPTY },
            (Shape::Float(_), Value::Float(value)) => rank(value),
            _ => None,
        };
        place.map_or(self.top(), |place| Set::numbers(place, place))
    }

    /// A set as engines share it; `None` where it says nothing.
    pub fn domain(self, set: Set) -> Option<Domain> {
        if set == self.top() {
            return None;
        }
        Some(match self {
            Shape::Bool => Domain::Bool(BoolDomain::of(set.contains(1), set.contains(0))),
            Shape::Mode => {
                Domain::RoundingMode(ModeDomain((set.low..=set.high).fold(0, |modes, place| modes | 1 << place)))
            }
            Shape::Bits(width) => Domain::BitVec(BitVecDomain::between(width, set.low as u128, set.high as u128)),
            Shape::Float(format) => {
                let mut domain = FloatDomain { nan: set.nan, ..FloatDomain::empty(format) };
                if set.has_numbers() {
                    domain.insert(set.low, set.high);
                }
                Domain::Float(domain)
            }
            Shape::Other => return None,
        })
    }
}

impl Set {
    pub const EMPTY: Set = Set { low: 0, high: -1, nan: false };

    pub const fn numbers(low: i128, high: i128) -> Set {
        Set { low, high, nan: false }
    }

    pub fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    pub fn is_empty(self) -> bool {
        !self.has_numbers() && !self.nan
    }

    pub fn contains(self, place: i128) -> bool {
        self.low <= place && place <= self.high
    }

    /// Whether it has one value.
    pub fn is_single(self) -> bool {
        if self.nan { !self.has_numbers() } else { self.low == self.high }
    }

    pub fn without_nan(self) -> Set {
        Set { nan: false, ..self }
    }

    pub fn intersect(self, other: Set) -> Set {
        let both = Set { low: self.low.max(other.low), high: self.high.min(other.high), nan: self.nan && other.nan };
        if both.has_numbers() { both } else { Set { nan: both.nan, ..Set::EMPTY } }
    }

    pub fn meets(self, other: Set) -> bool {
        !self.intersect(other).is_empty()
    }

    pub fn hull(self, other: Set) -> Set {
        let nan = self.nan || other.nan;
        match (self.has_numbers(), other.has_numbers()) {
            (true, true) => Set { low: self.low.min(other.low), high: self.high.max(other.high), nan },
            (true, false) => Set { nan, ..self },
            _ => Set { nan, ..other },
        }
    }

    /// How many numbers, NaN included; saturating.
    pub fn count(self) -> u128 {
        let numbers = if self.has_numbers() { self.high.abs_diff(self.low).saturating_add(1) } else { 0 };
        numbers.saturating_add(u128::from(self.nan))
    }
}

/// The place halfway, rounded down.
pub(super) fn middle(low: i128, high: i128) -> i128 {
    (low >> 1) + (high >> 1) + (low & high & 1)
}
