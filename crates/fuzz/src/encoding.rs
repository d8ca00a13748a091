//! Float encodings as integers in order, without allocation: what sampling and mutation work on.
//!
//! A number's *ordinal* is its place among its format's numbers: 0 for both zeros, 1 for the smallest positive number,
//! −1 for its negative. Adjacent numbers differ by 1; equal steps of ordinal are, but for subnormals, equal steps of the
//! logarithm. The same ordinals as `labrys_float::Float`'s, which the tests hold this file to.

use labrys_program::FloatType;

/// How one of the drivable float types is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// Precision less one: bits after the leading one.
    fraction_bits: u32,
    exponent_bits: u32,
    /// x87: the leading bit is stored.
    explicit: bool,
}

impl Encoding {
    pub fn of(float: FloatType) -> Encoding {
        let format = float.format();
        Encoding {
            fraction_bits: format.precision() - 1,
            exponent_bits: format.exponent_bits(),
            explicit: format.has_explicit_leading_bit(),
        }
    }

    /// Bits after the leading one: 52 for binary64.
    pub fn fraction_bits(self) -> u32 {
        self.fraction_bits
    }

    /// The largest exponent: 1023 for binary64.
    pub fn max_exponent(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn sign_bit(self) -> u128 {
        1 << (self.exponent_bits + self.fraction_bits + u32::from(self.explicit))
    }

    /// Infinity's ordinal.
    pub fn infinity(self) -> i128 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The magnitude's place, NaNs above infinity's; `None` for encodings x87 rejects or never produces.
    fn magnitude(self, bits: u128) -> Option<i128> {
        let magnitude = bits & (self.sign_bit() - 1);
        if !self.explicit {
            return Some(magnitude as i128);
        }
        let field = magnitude >> (self.fraction_bits + 1);
        let significand = magnitude & ((2 << self.fraction_bits) - 1);
        let leading = significand >> self.fraction_bits == 1;
        if leading != (field != 0) {
            return None;
        }
        let steps = field.saturating_sub(1);
        Some(((steps << self.fraction_bits) + significand) as i128)
    }

    /// The place in order; `None` for NaNs and for encodings x87 rejects.
    pub fn ordinal(self, bits: u128) -> Option<i128> {
        let magnitude = self.magnitude(bits).filter(|magnitude| *magnitude <= self.infinity())?;
        Some(if self.is_negative(bits) { -magnitude } else { magnitude })
    }

    /// The encoding at a place; beyond the infinities they are meant, 0 is +0.
    pub fn at(self, ordinal: i128) -> u128 {
        let magnitude = self.store(ordinal.abs().min(self.infinity()) as u128);
        if ordinal < 0 { magnitude | self.sign_bit() } else { magnitude }
    }

    /// A magnitude's place as an encoding: with x87's leading bit where it is stored.
    fn store(self, magnitude: u128) -> u128 {
        if !self.explicit {
            return magnitude;
        }
        let field = magnitude >> self.fraction_bits;
        magnitude + (field << self.fraction_bits) + (u128::from(field != 0) << self.fraction_bits)
    }

    /// The sign bit.
    pub fn is_negative(self, bits: u128) -> bool {
        bits & self.sign_bit() != 0
    }

    pub fn negate(self, bits: u128) -> u128 {
        bits ^ self.sign_bit()
    }

    /// The canonical quiet NaN.
    pub fn nan(self) -> u128 {
        self.quiet_nan(0)
    }

    /// How many payloads a quiet NaN may have.
    pub fn quiet_nans(self) -> u128 {
        1 << (self.fraction_bits - 1)
    }

    /// The positive quiet NaN with a payload below [`Encoding::quiet_nans`]; 0 is the canonical one's.
    pub fn quiet_nan(self, payload: u128) -> u128 {
        self.store(self.infinity() as u128 + self.quiet_nans() + payload)
    }

    pub fn is_quiet_nan(self, bits: u128) -> bool {
        self.magnitude(bits).is_some_and(|magnitude| magnitude > self.infinity())
            && bits >> (self.fraction_bits - 1) & 1 == 1
    }

    /// The ordinal of 2^`power`; powers out of range give zero or infinity.
    pub fn power_of_two(self, power: i64) -> i128 {
        let field = power + self.max_exponent();
        if field > 0 {
            return (i128::from(field) << self.fraction_bits).min(self.infinity());
        }
        // 2^(field − 1) of the smallest normal number: one subnormal bit.
        let bit = i64::from(self.fraction_bits) + field - 1;
        if bit < 0 { 0 } else { 1 << bit }
    }

    /// The ordinal of 2^`power` times the number at `ordinal`; below the normal numbers bits are cut off, above the
    /// largest it is infinity.
    pub fn scale(self, ordinal: i128, power: i64) -> i128 {
        let magnitude = ordinal.abs();
        if magnitude == 0 || magnitude >= self.infinity() {
            return ordinal;
        }
        let field = (magnitude >> self.fraction_bits) as i64;
        let leading = 1i128 << self.fraction_bits;
        let mut significand = if field == 0 { magnitude } else { (magnitude & (leading - 1)) | leading };
        let mut steps = (field - 1).max(0) + power;
        if steps < 0 {
            significand = significand.checked_shr(u32::try_from(-steps).unwrap_or(u32::MAX)).unwrap_or(0);
            steps = 0;
        }
        while significand != 0 && significand < leading && steps > 0 {
            significand <<= 1;
            steps -= 1;
        }
        let limit = 1i64 << self.exponent_bits;
        let scaled = ((i128::from(steps.min(limit)) << self.fraction_bits) + significand).min(self.infinity());
        if ordinal < 0 { -scaled } else { scaled }
    }

    /// The ordinal of the number nearest to a double, ties away from zero; of subnormal results bits are cut off. NaN is zero.
    pub fn nearest(self, value: f64) -> i128 {
        const FRACTION: u32 = 52;
        let bits = value.abs().to_bits();
        if value.is_nan() || bits >> FRACTION == 0 {
            return 0;
        }
        let fraction = i128::from(bits & ((1 << FRACTION) - 1));
        let steps = match self.fraction_bits.checked_sub(FRACTION) {
            Some(more) => fraction << more,
            None => {
                let less = FRACTION - self.fraction_bits;
                (fraction + (1 << (less - 1))) >> less
            }
        };
        let power = (bits >> FRACTION) as i64 - 1023;
        let magnitude = self.scale(self.power_of_two(0) + steps, power);
        if value < 0.0 { -magnitude } else { magnitude }
    }

    /// The number at an ordinal as a double, within its range and precision.
    pub fn approximation(self, ordinal: i128) -> f64 {
        let magnitude = ordinal.abs().min(self.infinity());
        let field = (magnitude >> self.fraction_bits) as i64;
        let fraction = (magnitude & ((1 << self.fraction_bits) - 1)) as f64 * 2f64.powi(-(self.fraction_bits as i32));
        let power = i32::try_from(field.max(1) - self.max_exponent()).unwrap_or(i32::MAX);
        let value = (if field == 0 { fraction } else { 1.0 + fraction }) * 2f64.powi(power);
        if ordinal < 0 { -value } else { value }
    }

    /// The exponent field of the number at an ordinal: 0 for subnormals.
    #[cfg(test)]
    pub fn exponent_field(self, ordinal: i128) -> i128 {
        ordinal.abs() >> self.fraction_bits
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Environment, Float, RoundingMode};
    use num_traits::ToPrimitive;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    const TYPES: [FloatType; 4] = [FloatType::F16, FloatType::F32, FloatType::F64, FloatType::X87];

    fn valid(float: FloatType, bits: u128) -> u128 {
        match float {
            FloatType::X87 => {
                let leading = u128::from(bits >> 64 & 0x7fff != 0) << 63;
                (bits & !(1 << 63) | leading) & ((1 << 80) - 1)
            }
            FloatType::F64 => bits & u128::from(u64::MAX),
            FloatType::F32 => bits & u128::from(u32::MAX),
            FloatType::F16 => bits & u128::from(u16::MAX),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ordinals_are_the_float_librarys(bits: u128, kind in 0..TYPES.len(), extreme in 0u32..4) {
            let float = TYPES[kind];
            let encoding = Encoding::of(float);
            // A third of the samples have an exponent field of zeros or ones.
            let wide = float.format().width() - 1 - float.format().exponent_bits();
            let field = ((1u128 << float.format().exponent_bits()) - 1) << wide;
            let bits = valid(float, match extreme { 0 => bits | field, 1 => bits & !field, _ => bits });
            let number = Float::from_bits(float.format(), bits);
            prop_assert_eq!(encoding.ordinal(bits), number.ordinal().and_then(|ordinal| ordinal.to_i128()));
            prop_assert_eq!(encoding.is_quiet_nan(bits), number.is_nan() && !number.is_signaling_nan());
            prop_assert_eq!(encoding.is_negative(bits), number.is_negative());
            if let Some(ordinal) = encoding.ordinal(bits).filter(|ordinal| *ordinal != 0) {
                prop_assert_eq!(encoding.at(ordinal), bits);
            }
        }

        #[test]
        fn scaling_is_truncated_multiplication(bits: u128, kind in 0..TYPES.len(), power in -3000i64..3000) {
            let float = TYPES[kind];
            let encoding = Encoding::of(float);
            let bits = valid(float, bits);
            if let Some(ordinal) = encoding.ordinal(bits) {
                let environment = Environment::with_rounding(RoundingMode::TowardZero);
                let exact = environment.scale(&Float::from_bits(float.format(), bits), power).value;
                if exact.abs() == Float::max_finite(float.format()) {
                    // Truncation stops at the largest number, scaling goes on to infinity.
                    prop_assert!(encoding.scale(ordinal, power).abs() >= encoding.infinity() - 1);
                } else {
                    prop_assert_eq!(Some(encoding.scale(ordinal, power)), exact.ordinal().and_then(|o| o.to_i128()));
                }
            }
        }
    }

    #[test]
    fn landmarks() {
        for float in TYPES {
            let (encoding, format) = (Encoding::of(float), float.format());
            assert_eq!(Some(encoding.nan()), Float::nan(format).to_u128());
            assert_eq!(Some(encoding.at(encoding.infinity())), Float::infinity(format, false).to_u128());
            assert_eq!(Some(encoding.at(encoding.power_of_two(0))), Float::one(format).to_u128());
            let least = format.min_lsb_exponent();
            assert_eq!(encoding.power_of_two(least), 1);
            assert_eq!(encoding.power_of_two(least - 1), 0);
            assert_eq!(encoding.power_of_two(format.max_exponent() + 1), encoding.infinity());
            assert_eq!(encoding.exponent_field(encoding.power_of_two(format.min_exponent())), 1);
        }
    }
}
