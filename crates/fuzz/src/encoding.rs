//! Float encodings as integers in order, without allocation: what sampling and mutation work on.
//!
//! A number's *ordinal* is its place among its format's numbers: 0 for both zeros, 1 for the smallest positive number,
//! −1 for its negative. Adjacent numbers differ by 1; equal steps of ordinal are, but for subnormals, equal steps of the
//! logarithm. The same ordinals as `labrys_float::Float`'s, which the tests hold this file to.

use labrys_float::Format;
use labrys_program::FloatType;

/// How the numbers of one of the drivable float types are encoded: in that type, or in a wider one that has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// The type whose numbers these are.
    float: FloatType,
    /// The type in which they are stored, where that is a wider one.
    carrier: Option<FloatType>,
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
            float,
            carrier: None,
            fraction_bits: format.precision() - 1,
            exponent_bits: format.exponent_bits(),
            explicit: format.has_explicit_leading_bit(),
        }
    }

    /// The numbers of `grid`, stored as those of `float`; all of them where they are as many or fewer.
    pub fn on_grid(float: FloatType, grid: FloatType) -> Encoding {
        let (stored, numbers) = (Encoding::of(float), Encoding::of(grid));
        let is_coarser = numbers.fraction_bits < stored.fraction_bits && numbers.exponent_bits <= stored.exponent_bits;
        if is_coarser { Encoding { carrier: Some(float), ..numbers } } else { stored }
    }

    /// The format whose numbers these are.
    pub fn format(self) -> Format {
        self.float.format()
    }

    /// How the numbers are stored.
    fn stored(self) -> Encoding {
        self.carrier.map_or(self, Encoding::of)
    }

    /// The place of one of these numbers, not negative, among those of the wider type in which it is stored.
    fn to_carrier(self, magnitude: i128) -> i128 {
        let wide = self.stored();
        let field = magnitude >> self.fraction_bits;
        let leading = if field == 0 { magnitude.max(1).ilog2() } else { self.fraction_bits };
        if magnitude == 0 || magnitude >= self.infinity() {
            return if magnitude == 0 { 0 } else { wide.infinity() };
        }
        let below = i64::from(self.fraction_bits) - i64::from(leading);
        let power = field.max(1) as i64 - self.max_exponent() - below;
        let fraction = magnitude & ((1 << leading) - 1);
        wide.power_of_two(power) + (fraction << (wide.fraction_bits - leading))
    }

    /// The way back; `None` for a number that is not one of these.
    fn of_carrier(self, wide_magnitude: i128) -> Option<i128> {
        let wide = self.stored();
        if wide_magnitude == wide.infinity() {
            return Some(self.infinity());
        }
        let power = (wide_magnitude >> wide.fraction_bits) as i64 - wide.max_exponent();
        let fraction = wide_magnitude & ((1 << wide.fraction_bits) - 1);
        let base = self.power_of_two(power);
        // Bits that are left of the fraction: fewer among subnormal numbers.
        let kept = if power + self.max_exponent() > 0 { self.fraction_bits } else { base.max(1).ilog2() };
        let steps = fraction >> (wide.fraction_bits - kept);
        let magnitude = if wide_magnitude == 0 { 0 } else { base + steps };
        (magnitude < self.infinity() && self.to_carrier(magnitude) == wide_magnitude).then_some(magnitude)
    }

    /// Bits after the leading one: 52 for binary64.
    pub fn fraction_bits(self) -> u32 {
        self.fraction_bits
    }

    /// The same of the type in which numbers are stored, in which programs compute.
    pub fn carrier_fraction_bits(self) -> u32 {
        self.stored().fraction_bits
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
        if self.carrier.is_some() {
            let wide = self.stored();
            let magnitude = wide.magnitude(bits)?;
            return if magnitude > wide.infinity() { None } else { self.of_carrier(magnitude) };
        }
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
        let magnitude = ordinal.abs().min(self.infinity());
        if self.carrier.is_some() {
            let wide = self.to_carrier(magnitude);
            return self.stored().at(if ordinal < 0 { -wide } else { wide });
        }
        let magnitude = self.store(magnitude as u128);
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
        bits & self.stored().sign_bit() != 0
    }

    pub fn negate(self, bits: u128) -> u128 {
        bits ^ self.stored().sign_bit()
    }

    /// The canonical quiet NaN.
    pub fn nan(self) -> u128 {
        self.quiet_nan(0)
    }

    /// How many payloads a quiet NaN may have.
    pub fn quiet_nans(self) -> u128 {
        1 << (self.stored().fraction_bits - 1)
    }

    /// The positive quiet NaN with a payload below [`Encoding::quiet_nans`]; 0 is the canonical one's.
    pub fn quiet_nan(self, payload: u128) -> u128 {
        let stored = self.stored();
        stored.store(stored.infinity() as u128 + stored.quiet_nans() + payload)
    }

    pub fn is_quiet_nan(self, bits: u128) -> bool {
        let stored = self.stored();
        stored.magnitude(bits).is_some_and(|magnitude| magnitude > stored.infinity())
            && bits >> (stored.fraction_bits - 1) & 1 == 1
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

        /// A float is stored as the double that equals it, and no other double is one of them.
        #[test]
        fn numbers_of_a_grid_are_stored_exactly(bits: u32, other: u64, near: bool) {
            for (wide, grid) in [(FloatType::F64, FloatType::F32), (FloatType::X87, FloatType::F16), (FloatType::F64, FloatType::F16)] {
                let (numbers, encoding) = (Encoding::of(grid), Encoding::on_grid(wide, grid));
                let bits = valid(grid, u128::from(bits));
                let Some(ordinal) = numbers.ordinal(bits) else { continue };
                let number = Float::from_bits(grid.format(), bits);
                let stored = Environment::default().convert(&number, wide.format()).value;
                prop_assert_eq!(Some(encoding.at(ordinal)), Float::from_bits(wide.format(), encoding.at(ordinal)).to_u128());
                if ordinal != 0 {
                    prop_assert_eq!(Some(encoding.at(ordinal)), stored.to_u128());
                }
                prop_assert_eq!(encoding.ordinal(encoding.at(ordinal)), Some(ordinal));
                // Doubles around it, and any.
                let places = Encoding::of(wide);
                let place = places.ordinal(encoding.at(ordinal)).unwrap_or(0) + i128::from(other % 3) - 1;
                let candidate = if near { places.at(place) } else { valid(wide, u128::from(other)) };
                let candidate = Float::from_bits(wide.format(), candidate);
                let there = Environment::default().convert(&candidate, grid.format()).value;
                let back = Environment::default().convert(&there, wide.format()).value;
                let is_one = !candidate.is_nan() && back.to_u128() == candidate.to_u128();
                prop_assert_eq!(encoding.ordinal(candidate.to_u128().unwrap_or(0)).is_some(), is_one, "{:?}", candidate);
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
