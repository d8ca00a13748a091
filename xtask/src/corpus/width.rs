//! The three formats of the generated files, and rounding to them from binary64.
//!
//! A value of a smaller format is kept as an f64. One operation (+, -, *, /, sqrt) in binary64 followed by one rounding to a format of
//! precision p is the correctly rounded operation of that format when 53 >= 2p + 2 (Figueroa, "When is double rounding innocuous?",
//! SIGNUM Newsletter 1995), and so for binary16 and binary32. Every operand being a value of the format, results below its normal range
//! are rounded correctly too: sums are exact there, products are exact in binary64, and quotients and roots have still more bits to spare.

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Half,
    Single,
    Double,
}

impl Width {
    /// Bits of the exponent field, and of the significand with its leading bit.
    pub fn bits(self) -> (u32, u32) {
        match self {
            Self::Half => (5, 11),
            Self::Single => (8, 24),
            Self::Double => (11, 53),
        }
    }

    /// The sort in SMT-LIB.
    pub fn sort(self) -> String {
        let (exponent, significand) = self.bits();
        format!("(_ FloatingPoint {exponent} {significand})")
    }

    /// The conversion to this format, as an indexed identifier.
    pub fn conversion(self) -> String {
        let (exponent, significand) = self.bits();
        format!("(_ to_fp {exponent} {significand})")
    }

    /// The exponent of the smallest normal number.
    fn least_exponent(self) -> i32 {
        2 - (1 << (self.bits().0 - 1))
    }

    /// The nearest value of the format, ties to even.
    pub fn round(self, value: f64) -> f64 {
        if self == Self::Double || value == 0.0 || !value.is_finite() {
            return value;
        }
        let quantum = self.quantum(value);
        let rounded = (value / quantum).round_ties_even() * quantum;
        let limit = power_of_two(1 - self.least_exponent());
        // Rounding is to infinity from half an ulp above the largest number on, where `rounded` reaches the limit.
        if rounded.abs() >= 2.0 * limit { f64::INFINITY.copysign(value) } else { rounded }
    }

    /// The distance between values of the format around `value`, which is neither zero nor below the normal range of binary64.
    pub fn quantum(self, value: f64) -> f64 {
        let exponent = exponent_of(value).max(self.least_exponent());
        power_of_two(exponent + 1 - self.bits().1.cast_signed())
    }

    /// The encoding of a value of the format; NaN is the canonical quiet one.
    pub fn encode(self, value: f64) -> u64 {
        let (exponent_bits, precision) = self.bits();
        if self == Self::Double {
            return if value.is_nan() { f64::NAN.to_bits() & (u64::MAX >> 1) } else { value.to_bits() };
        }
        let sign = u64::from(value.is_sign_negative() && !value.is_nan()) << (exponent_bits + precision - 1);
        let infinity = ((1 << exponent_bits) - 1) << (precision - 1);
        if value.is_nan() {
            return infinity | 1 << (precision - 2);
        }
        if value.is_infinite() {
            return sign | infinity;
        }
        if value == 0.0 {
            return sign;
        }
        let significand = (value.abs() / self.quantum(value)) as u64;
        let exponent = u64::from((exponent_of(value) - self.least_exponent()).max(0).unsigned_abs());
        // A normal number's leading bit adds one to the exponent field.
        sign | ((exponent << (precision - 1)) + significand)
    }

    /// The value of an encoding, which has no more bits than the format.
    pub fn decode(self, encoding: u64) -> f64 {
        let (exponent_bits, precision) = self.bits();
        if self == Self::Double {
            return f64::from_bits(encoding);
        }
        let fraction = encoding & ((1 << (precision - 1)) - 1);
        let field = (encoding >> (precision - 1)) & ((1 << exponent_bits) - 1);
        let negative = encoding >> (exponent_bits + precision - 1) & 1 == 1;
        let magnitude = if field == (1 << exponent_bits) - 1 {
            if fraction == 0 { f64::INFINITY } else { return f64::NAN }
        } else {
            let significand = if field == 0 { fraction } else { fraction | 1 << (precision - 1) };
            let (significand, field) = (significand as f64, field.max(1) as i32);
            significand * power_of_two(field - 1 + self.least_exponent() - (precision.cast_signed() - 1))
        };
        if negative { -magnitude } else { magnitude }
    }

    /// A value as a literal of SMT-LIB.
    pub fn literal(self, value: f64) -> String {
        let (exponent_bits, precision) = self.bits();
        if value.is_nan() {
            return format!("(_ NaN {exponent_bits} {precision})");
        }
        let encoding = self.encode(value);
        let width = (exponent_bits + precision) as usize;
        let bits = format!("{encoding:0width$b}");
        let (sign_and_exponent, significand) = bits.split_at(exponent_bits as usize + 1);
        let (sign, exponent) = sign_and_exponent.split_at(1);
        format!("(fp #b{sign} #b{exponent} #b{significand})")
    }
}

/// The exponent of a normal number of binary64.
fn exponent_of(value: f64) -> i32 {
    let field = (value.to_bits() >> 52 & 0x7ff) as i32;
    field - 1023
}

/// 2^exponent, for an exponent in the normal range of binary64.
pub fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
}

#[cfg(test)]
mod tests {
    use super::Width;

    /// Rounding to binary32 is the hardware's, and encodings go there and back.
    #[test]
    fn single_is_the_hardware() {
        let mut random = super::super::random::Random::named("single");
        for _ in 0..100_000 {
            let value = f64::from_bits(random.bits());
            let value =
                if random.once_in(2) { f64::from(f32::from_bits(random.bits() as u32)) * 1.000_000_01 } else { value };
            if value.is_nan() || value != 0.0 && value.abs() < f64::MIN_POSITIVE {
                continue;
            }
            let expected = value as f32;
            assert_eq!(Width::Single.round(value).to_bits(), f64::from(expected).to_bits(), "{value:e}");
            assert_eq!(Width::Single.encode(f64::from(expected)), u64::from(expected.to_bits()), "{value:e}");
        }
    }

    #[test]
    fn every_half_goes_there_and_back() {
        for encoding in 0..1_u64 << 16 {
            let value = Width::Half.decode(encoding);
            if !value.is_nan() {
                assert_eq!(Width::Half.encode(value), encoding);
                assert_eq!(Width::Half.round(value).to_bits(), value.to_bits());
            }
        }
        assert_eq!(Width::Half.round(65519.9), 65504.0);
        assert_eq!(Width::Half.round(65520.0), f64::INFINITY);
    }
}
