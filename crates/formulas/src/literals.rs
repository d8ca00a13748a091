//! Random values: ends of their sorts, neighbours of the ends, small numbers, and any.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{ArrayValue, Sort, TermId, Value};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::One;

use crate::maker::Maker;

impl Maker<'_> {
    /// A value of a sort that formulas have.
    pub(crate) fn value(&mut self, sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.chance(2)),
            Sort::RoundingMode => Value::RoundingMode(RoundingMode::ALL[self.below(RoundingMode::ALL.len())]),
            Sort::BitVec(width) => Value::bit_vector(*width, self.bits(*width)),
            Sort::Float(format) => Value::float(self.float(*format)),
            Sort::Array(sorts) => {
                let default = self.value(&sorts.1);
                let mut array = ArrayValue::constant(sorts.0.clone(), default);
                for place in 0..self.below(9) {
                    // What code reads lies side by side.
                    let index = match &sorts.0 {
                        Sort::BitVec(width) => Value::bit_vector(*width, place as u64),
                        other => self.value(other),
                    };
                    let element = self.value(&sorts.1);
                    array.set(index, element);
                }
                Value::Array(Box::new(array))
            }
            Sort::Real => Value::Real(BigRational::from_integer(self.below(8).into())),
        }
    }

    /// A literal of a sort; of an array, one that is a value everywhere.
    pub(crate) fn literal(&mut self, sort: &Sort) -> TermId {
        let value = match sort {
            Sort::Array(sorts) => {
                let element = self.value(&sorts.1);
                let element = self.literal_of(&element);
                return self.mk(labrys_term::Op::ConstArray(sorts.0.clone()), &[element]);
            }
            sort => self.value(sort),
        };
        self.literal_of(&value)
    }

    /// The literal of a value that is no array.
    pub(crate) fn literal_of(&mut self, value: &Value) -> TermId {
        match value {
            Value::Bool(value) => self.store.bool_const(*value),
            Value::BitVec { width, bits } => self.store.bv_const(*width, bits.clone()),
            Value::Float(value) => self.store.float_const(value.clone()),
            Value::RoundingMode(mode) => self.store.rounding_mode(*mode),
            Value::Real(value) => self.store.real_const(value.clone()),
            Value::Array(array) => {
                let (index, default) = (array.index.clone(), array.default.clone());
                let default = self.literal_of(&default);
                self.mk(labrys_term::Op::ConstArray(index), &[default])
            }
        }
    }

    /// A number below 2^width: an end, one beside it, a power of two, a small one, or any.
    pub(crate) fn bits(&mut self, width: u32) -> BigUint {
        let all = (BigUint::one() << width) - 1u8;
        let half = BigUint::one() << (width - 1);
        let step = BigUint::from(self.below(3));
        let bits = match self.below(10) {
            0 => step,
            1 => &all - step.min(all.clone()),
            2 => half - step.min(BigUint::one()),
            3 => half + step,
            4 => BigUint::one() << self.random.within(0..width),
            5 => (BigUint::one() << self.random.within(0..width)) - 1u8,
            6 | 7 => BigUint::from(self.random.within(0..64u64)),
            _ => (0..width.div_ceil(64)).fold(BigUint::ZERO, |bits, _| (bits << 64) + self.random.bits()),
        };
        bits & all
    }

    /// A float, NaN in its one encoding: special or beside a special one, a number with few bits, or any encoding.
    pub(crate) fn float(&mut self, format: Format) -> Float {
        let negative = self.chance(2);
        let value = match self.below(16) {
            0 => Float::zero(format, false),
            1 => Float::infinity(format, false),
            2 => Float::nan(format),
            3 => Float::max_finite(format),
            4 => Float::min_normal(format),
            5 => Float::min_subnormal(format),
            6 => Float::min_normal(format).next_down(),
            7 => Float::max_finite(format).next_down(),
            8 => Float::one(format),
            9 => Float::one(format).next_up(),
            10..=12 => {
                let quarters = BigRational::new(self.random.within(0..40).into(), 4.into());
                Float::from_rational(format, &quarters, RoundingMode::NearestEven)
            }
            _ => {
                let bits =
                    (0..format.width().div_ceil(64)).fold(BigUint::ZERO, |bits, _| (bits << 64) + self.random.bits());
                Float::from_bits(format, bits % (BigUint::one() << format.width()))
            }
        };
        let value = if value.is_nan() { Float::nan(format) } else { value };
        if negative && !value.is_nan() { value.neg() } else { value }
    }
}
