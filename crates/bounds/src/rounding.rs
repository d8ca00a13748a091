//! The absolute error of one rounding, and where there is none.
//!
//! **Claims**, for a format of precision p and least exponent e₀ (−1022 for binary64) and a real z with |z| ≤ m:
//!
//! 1. Rounding z to nearest changes it by at most h(m) = 2^(max(⌈log₂ m⌉ − 1, e₀) − p); in other modes by at most twice that. For where
//!    2^e < |z| ≤ 2^(e+1), the neighbouring floats are 2^(e+1−p) apart, and h grows with m. This is the improved rounding model of
//!    Solovyev, Baranowski, Briggs, Jacobsen, Rakamarić, Gopalakrishnan, "Rigorous Estimation of Floating-Point Round-Off Errors with
//!    Symbolic Taylor Expansions", TOPLAS 2018, section 3.2, subnormals included. In binary64 it is 2^−1075 at least, which is
//!    counted as 2^−1074.
//! 2. If z is a multiple of 2^g, g at least the exponent of the format's least subnormal, and |z| ≤ 2^(g+p), then z is a float. It
//!    covers Sterbenz's lemma, sums of small integers and products of short significands.
//! 3. A float of magnitude at least 2^e is a multiple of 2^(e+1−p), and rounding keeps multiples of 2^g multiples of 2^g where g is at least the exponent of the
//!    least subnormal: either z is a float, or the floats around it are multiples of more.

use labrys_float::{Float, Format, RoundingMode};

use crate::Interval;

/// 2^`exponent`; 0 below the doubles, infinity above.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    if exponent >= 1024 {
        f64::INFINITY
    } else if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else if exponent >= -1074 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        0.0
    }
}

/// ⌊log₂ x⌋ of a positive number.
pub(crate) fn exponent(x: f64) -> i32 {
    let bits = x.to_bits();
    match (bits >> 52) as i32 & 0x7ff {
        0 => 63 - bits.leading_zeros() as i32 - 1074,
        field => field - 1023,
    }
}

/// The greatest g such that the number, not zero, is a multiple of 2^g.
pub(crate) fn trailing_exponent(x: f64) -> i32 {
    let bits = x.to_bits();
    let stored = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 & 0x7ff {
        0 => stored.trailing_zeros() as i32 - 1074,
        field => (stored | 1 << 52).trailing_zeros() as i32 + field - 1023 - 52,
    }
}

/// A multiple of any power of two: the exponent that says so of zero.
pub(crate) const EVERY_MULTIPLE: i32 = 1 << 20;

/// A libm that is off by more floats than this is taken to return anything.
const MOST_STEPS: u32 = 4096;

/// A format to round to and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rounding {
    /// Bits of the significand, the leading one included.
    pub precision: i32,
    /// The exponent of the least normal number.
    pub least_exponent: i32,
    /// The largest finite number.
    pub largest: f64,
    /// Whether to nearest, with ties anyhow; else in any direction.
    pub to_nearest: bool,
}

impl Rounding {
    /// None where the format has numbers that are not doubles.
    pub(crate) fn new(format: Format, mode: Option<RoundingMode>) -> Option<Rounding> {
        let precision = i32::try_from(format.precision()).ok()?;
        let least_exponent = i32::try_from(format.min_exponent()).ok()?;
        if !(2..=53).contains(&precision) || !(-1022..=0).contains(&least_exponent) || format.has_explicit_leading_bit()
        {
            return None;
        }
        // Formats of a large exponent range and a small precision have subnormals of their own above the doubles'.
        if least_exponent - (precision - 1) < -1074 || format.max_exponent() > 1023 {
            return None;
        }
        let largest = double(&Float::max_finite(format))?;
        let to_nearest = matches!(mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
        Some(Rounding { precision, least_exponent, largest, to_nearest })
    }

    /// Whether the format's numbers are all doubles.
    fn is_binary64(self) -> bool {
        self.precision == 53 && self.least_exponent == -1022
    }

    /// The exponent of the format's least subnormal number.
    pub(crate) fn least_multiple(self) -> i32 {
        self.least_exponent - (self.precision - 1)
    }

    /// A bound of the error of rounding a number of magnitude `magnitude` at most: claim 1.
    pub(crate) fn error(self, magnitude: f64) -> f64 {
        if magnitude == 0.0 {
            return 0.0;
        }
        let half = self.half_ulp(magnitude);
        if self.to_nearest { half } else { 2.0 * half }
    }

    /// The greatest relative error of rounding a number that is not subnormal.
    pub(crate) fn unit(self) -> f64 {
        power_of_two(if self.to_nearest { -self.precision } else { 1 - self.precision })
    }

    /// h of claim 1; for −m < z < m half the distance between neighbouring floats around z at most.
    fn half_ulp(self, magnitude: f64) -> f64 {
        let exponent = exponent(magnitude.next_down().max(f64::MIN_POSITIVE)).max(self.least_exponent);
        // 2^−1075 is no double.
        power_of_two((exponent - self.precision).max(-1074))
    }

    /// The error bound of a call whose result is at most `steps` floats from the correctly rounded value of a number of that magnitude, and the
    /// magnitude that the result has at most.
    pub(crate) fn call_error(self, magnitude: f64, steps: u32) -> (f64, f64) {
        if steps > MOST_STEPS {
            return (f64::INFINITY, f64::INFINITY);
        }
        let mut reached = self.up(magnitude);
        let mut error = self.error(magnitude.max(f64::MIN_POSITIVE));
        for _ in 0..steps {
            // From a float r to the next one away from zero is one ulp of the binade that begins at r or holds it.
            let step = 2.0 * self.half_ulp(reached.next_up().max(f64::MIN_POSITIVE));
            reached = crate::interval::sum_up(reached, step);
            error = crate::interval::sum_up(error, step);
        }
        (error, reached)
    }

    /// Whether every multiple of 2^`multiple` in the interval is a float: claim 2.
    pub(crate) fn holds(self, value: Interval, multiple: i32) -> bool {
        multiple >= self.least_multiple()
            && value.magnitude() <= power_of_two(multiple.saturating_add(self.precision).min(1024))
    }

    /// The greatest exponent g known such that results are multiples of 2^g: claim 3.
    pub(crate) fn multiple(self, value: Interval, exact_multiple: i32) -> i32 {
        let mignitude = value.mignitude();
        let by_size = if mignitude > 0.0 {
            exponent(mignitude) + 1 - self.precision
        } else if value == Interval::ZERO {
            EVERY_MULTIPLE
        } else {
            i32::MIN
        };
        by_size.max(exact_multiple).max(self.least_multiple())
    }

    /// The least float of the format at or above a number that is not negative.
    fn up(self, value: f64) -> f64 {
        let unit = power_of_two((exponent(value.max(f64::MIN_POSITIVE)).max(self.least_exponent)) + 1 - self.precision);
        if self.is_binary64() {
            return value;
        }
        // Both steps are exact: the unit is a power of two, and the quotient is below 2^53.
        (value / unit).ceil() * unit
    }

    /// The numbers that roundings of members can be: rounding is monotone, so that floats stay bounds.
    pub(crate) fn rounded(self, value: Interval) -> Interval {
        if self.is_binary64() {
            return value;
        }
        let end = |x: f64, upward: bool| {
            let unit =
                power_of_two((exponent(x.abs().max(f64::MIN_POSITIVE)).max(self.least_exponent)) + 1 - self.precision);
            let quotient = x / unit;
            (if upward { quotient.ceil() } else { quotient.floor() }) * unit
        };
        Interval::new(end(value.low(), false), end(value.high(), true))
    }
}

/// A float as a double, where it is one.
pub(crate) fn double(value: &Float) -> Option<f64> {
    if let Some(value) = value.to_f64() {
        return Some(value);
    }
    let converted = labrys_float::Environment::default().convert(value, Format::BINARY64);
    converted.flags.is_empty().then(|| converted.value.to_f64()).flatten()
}
