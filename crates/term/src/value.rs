//! Values of every sort.

use std::collections::BTreeMap;

use labrys_float::{Environment, Float, RoundingMode};
use num_bigint::BigUint;
use num_rational::BigRational;

use crate::Sort;

/// A value of some sort.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit vector.
    BitVec {
        /// Its width in bits.
        width: u32,
        /// Its bits as a number below 2^width.
        bits: BigUint,
    },
    /// A floating-point number; the evaluator's are canonical, see [`Value::float`].
    Float(Float),
    /// A rounding mode.
    RoundingMode(RoundingMode),
    /// A real number.
    Real(BigRational),
    /// An array.
    Array(Box<ArrayValue>),
}

/// A total map that differs from a constant one at finitely many indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    /// Sort of the indices.
    pub index: Sort,
    /// The element everywhere else.
    pub default: Value,
    /// The elements that differ from `default`.
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The array that is `default` everywhere.
    pub fn constant(index: Sort, default: Value) -> ArrayValue {
        ArrayValue { index, default, entries: BTreeMap::new() }
    }

    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Replaces the element at an index.
    pub fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// The elements that differ from the default, by index.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// How many indices there are, where that can be as few as the entries of an array in memory.
    fn index_count(&self) -> Option<usize> {
        match self.index {
            Sort::Bool => Some(2),
            Sort::RoundingMode => Some(RoundingMode::ALL.len()),
            Sort::BitVec(width) => 1usize.checked_shl(width),
            _ => None,
        }
    }

    /// Whether the two are the same map: also where different defaults are nowhere used.
    pub fn same_map(&self, other: &ArrayValue) -> bool {
        if self.default == other.default {
            return self.entries == other.entries;
        }
        let mut indices: Vec<&Value> = self.entries.keys().chain(other.entries.keys()).collect();
        indices.sort_unstable();
        indices.dedup();
        Some(indices.len()) == self.index_count() && indices.iter().all(|index| self.get(index) == other.get(index))
    }
}

impl Value {
    /// A bit vector; higher bits of `bits` are dropped.
    pub fn bit_vector(width: u32, bits: impl Into<BigUint>) -> Value {
        let mask = (BigUint::from(1u8) << width) - 1u8;
        Value::BitVec { width, bits: bits.into() & mask }
    }

    /// A float in the one encoding that stands for its value: SMT-LIB knows one NaN, and x87 has second encodings of
    /// some numbers.
    pub fn float(value: Float) -> Value {
        Value::Float(if value.is_nan() {
            Float::nan(value.format())
        } else if value.format().has_explicit_leading_bit() {
            Environment::default().convert(&value, value.format()).value
        } else {
            value
        })
    }

    /// Some value of a sort: false, zero, +0, nearest-even, all-zero arrays.
    pub fn zero(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::BitVec { width: *width, bits: BigUint::ZERO },
            Sort::Float(format) => Value::Float(Float::zero(*format, false)),
            Sort::RoundingMode => Value::RoundingMode(RoundingMode::NearestEven),
            Sort::Real => Value::Real(BigRational::from_integer(0.into())),
            Sort::Array(sorts) => Value::Array(Box::new(ArrayValue::constant(sorts.0.clone(), Value::zero(&sorts.1)))),
        }
    }

    /// The value's sort.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::BitVec { width, .. } => Sort::BitVec(*width),
            Value::Float(float) => Sort::Float(float.format()),
            Value::RoundingMode(_) => Sort::RoundingMode,
            Value::Real(_) => Sort::Real,
            Value::Array(array) => Sort::Array(std::sync::Arc::new((array.index.clone(), array.default.sort()))),
        }
    }

    /// The truth value, `None` for other sorts.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bits of a bit vector.
    pub fn as_bits(&self) -> Option<&BigUint> {
        match self {
            Value::BitVec { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// The floating-point number.
    pub fn as_float(&self) -> Option<&Float> {
        match self {
            Value::Float(value) => Some(value),
            _ => None,
        }
    }

    /// The rounding mode.
    pub fn as_rounding_mode(&self) -> Option<RoundingMode> {
        match self {
            Value::RoundingMode(mode) => Some(*mode),
            _ => None,
        }
    }

    /// The real number.
    pub fn as_real(&self) -> Option<&BigRational> {
        match self {
            Value::Real(value) => Some(value),
            _ => None,
        }
    }

    /// SMT-LIB's `=`: one NaN, −0 ≠ +0, arrays as maps.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a.same_value(b),
            (Value::Array(a), Value::Array(b)) => a.same_map(b),
            _ => self == other,
        }
    }
}
