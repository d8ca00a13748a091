//! Where functions of one operand are monotone.
//!
//! A piece is an interval of finite floats of one sign on which the function is monotone and either defined everywhere or
//! nowhere. Three kinds of functions: those monotone between a few known points; the periodic ones, whose extrema and
//! poles are multiples of π/2 counted exactly; and those whose extrema are found between two floats by bisection for the sign of the derivative
//! (gamma, Bessel), one extremum at a time. Where a range holds too many, a bound that is a theorem stands for all.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use rug::float::Constant;

use crate::range::{infinity, last_like_first, rank, ranked};
use crate::{Function, Image, Range, from_precise, to_precise};

/// Cells of the gamma functions on the negative axis, and stretches of Bessel's, that are looked at one by one.
const CELLS: u32 = 3;

/// Adds what the function may return on the ranks `low..=high`, finite numbers of one sign.
pub(crate) fn add(image: &mut Image, function: Function, format: Format, (low, high): (i128, i128), ulps: u32) {
    let line = Line { function, format, ulps };
    for (low, high) in line.between_points(low, high) {
        match function {
            Function::Sin | Function::Cos | Function::Tan => line.periodic(image, low, high),
            Function::Tgamma | Function::Lgamma if low < 0 => line.gamma_of_negative(image, low, high),
            Function::Tgamma | Function::Lgamma => {
                let least = line.least_of_gamma();
                line.monotone_parts(image, low, high, least);
            }
            Function::J0 | Function::J1 => line.bessel(image, low, high),
            Function::Y0 | Function::Y1 if low > 0 => line.bessel(image, low, high),
            _ => image.add_monotone(function, format, (low, high), ulps),
        }
    }
}

/// One function on one format.
struct Line {
    function: Function,
    format: Format,
    ulps: u32,
}

impl Line {
    fn precise(&self, rank: i128) -> rug::Float {
        to_precise(&ranked(self.format, rank))
    }

    fn monotone(&self, image: &mut Image, low: i128, high: i128) {
        image.add_monotone(self.function, self.format, (low, high), self.ulps);
        if matches!(self.function, Function::J0 | Function::J1 | Function::Y0 | Function::Y1) {
            self.add_absolute_error(image, low, high);
        }
    }

    /// Assumption 6 of `image`: for |x| ≥ 1 Bessel's functions may be off by 2^(6−p)/√|x|, as near their zeros glibc's are.
    fn add_absolute_error(&self, image: &mut Image, low: i128, high: i128) {
        let (first, last) = (self.precise(low), self.precise(high));
        let nearest = if low < 0 { -last.clone() } else { first.clone() };
        if nearest < 1 {
            return;
        }
        let bits = 2 * self.format.precision();
        let slack = nearest.recip_sqrt() >> (self.format.precision() as i32 - 6);
        let [one, other] = [first, last].map(|x| self.function.precise(&[x], bits));
        let (least, greatest) = if one < other { (one, other) } else { (other, one) };
        let low = from_precise(&(least - &slack), self.format, RoundingMode::TowardNegative).value;
        let high = from_precise(&(greatest + &slack), self.format, RoundingMode::TowardPositive).value;
        image.ranges.extend(Range::new(low, high));
    }

    /// The interval cut at the points where the function's domain ends, where it is exactly zero, and where a theorem about
    /// its nonzero values begins to hold; the points are intervals of their own.
    fn between_points(&self, low: i128, high: i128) -> Vec<(i128, i128)> {
        let points: &[i64] = match self.function {
            Function::Asin | Function::Acos | Function::Acosh | Function::Atanh => &[-1, 1],
            Function::Sin | Function::Cos | Function::Tan => &[-1, 1],
            Function::Log | Function::Log2 | Function::Log10 => &[1],
            Function::J0 | Function::J1 => &[-1, 1],
            Function::Y0 | Function::Y1 => &[1],
            Function::Log1p => &[-1],
            Function::Lgamma => &[1, 2],
            _ => &[],
        };
        let mut intervals = Vec::new();
        let mut low = low;
        for point in points {
            let point = Environment::default().from_integer(&(*point).into(), self.format).value;
            let Some(point) = rank(&point).filter(|point| low <= *point && *point <= high) else { continue };
            if low < point {
                intervals.push((low, point - 1));
            }
            intervals.push((point, point));
            low = point + 1;
        }
        if low <= high {
            intervals.push((low, high));
        }
        intervals
    }

    /// ⌊2x/π⌋, and how many bits it was computed with.
    ///
    /// A float beyond 1 lies at least 2^−[`apart`] from each multiple of π/2; the quotient's error is less. Below 1 none is near.
    fn quarters(&self, rank: i128) -> (rug::Integer, u32) {
        let x = self.precise(rank) * 2u32;
        let bits = x.get_exp().unwrap_or(0).max(0) as u32 + 2 * apart(self.format) + 64;
        let quotient = x / rug::Float::with_val(bits, Constant::Pi);
        (rug::Float::with_val(bits, quotient).floor().to_integer().unwrap_or_default(), bits)
    }

    /// Between two multiples of π/2 sin, cos and tan are monotone and of one sign.
    fn periodic(&self, image: &mut Image, low: i128, high: i128) {
        let (first, bits) = self.quarters(low);
        let (last, more_bits) = self.quarters(high);
        if rug::Integer::from(&last - &first) <= 3 {
            let (mut low, mut quarter) = (low, first);
            while quarter < last {
                quarter += 1;
                let multiple = rug::Float::with_val(bits.max(more_bits), Constant::Pi) * &quarter / 2u32;
                let below = from_precise(&multiple, self.format, RoundingMode::TowardNegative).value;
                // Two multiples may lie between neighbours.
                if let Some(cut) = rank(&below).filter(|cut| low <= *cut && *cut < high) {
                    self.monotone(image, low, cut);
                    low = cut + 1;
                }
            }
            return self.monotone(image, low, high);
        }
        // Among four multiples are a maximum, a minimum and a pole, and |x| > 1. There |sin| and |cos| are at least 2/π times the
        // distance from a multiple of π/2, and |tan| lies between it and its reciprocal. Half of it leaves room for libm's error.
        let nearest = i64::from(apart(self.format));
        let power = |exponent: i64, mode: RoundingMode| {
            Float::from_parts(self.format, false, &num_bigint::BigUint::from(1u8), exponent, mode)
        };
        let greatest = match self.function {
            Function::Tan => power(nearest + 1, RoundingMode::TowardPositive),
            _ => Float::one(self.format),
        };
        let least = power(-nearest - 1, RoundingMode::TowardZero);
        let can_be_tiny = self.format.min_exponent() >= -nearest - 1;
        let mut flags = if can_be_tiny { Flags::UNDERFLOW } else { Flags::empty() };
        if greatest.is_infinite() {
            flags |= Flags::OVERFLOW;
        }
        image.add_bounded(greatest.neg(), least.neg(), flags);
        image.add_bounded(least, greatest, flags);
    }

    /// The sign of the derivative, of Γ's logarithm for both gamma functions: false if negative.
    fn rises(&self, rank: i128) -> bool {
        let x = self.precise(rank);
        // Single values have the exact sign; a difference has it unless an extremum lies within 2^−2p of the float.
        let bits = 2 * self.format.precision() + 64;
        let of = |function: Function| function.precise(std::slice::from_ref(&x), bits);
        let slope = match self.function {
            Function::J0 => -of(Function::J1),
            Function::Y0 => -of(Function::Y1),
            Function::J1 => of(Function::J0) - of(Function::J1) / &x,
            Function::Y1 => of(Function::Y0) - of(Function::Y1) / &x,
            _ => rug::Float::with_val(bits, x.digamma_ref()),
        };
        slope.is_sign_positive()
    }

    /// An interval with at most one extremum.
    fn around_extremum(&self, image: &mut Image, low: i128, high: i128) {
        let cut = last_like_first(low, high, |rank| self.rises(rank));
        self.monotone_parts(image, low, high, cut);
    }

    /// An interval on which the function is monotone up to a rank, and after it.
    fn monotone_parts(&self, image: &mut Image, low: i128, high: i128, cut: i128) {
        if low <= cut {
            self.monotone(image, low, high.min(cut));
        }
        if cut < high {
            self.monotone(image, low.max(cut + 1), high);
        }
    }

    /// The last positive float up to which Γ falls; its minimum lies between 1 and 2.
    fn least_of_gamma(&self) -> i128 {
        static KNOWN: Mutex<BTreeMap<Format, i128>> = Mutex::new(BTreeMap::new());
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(least) = known().get(&self.format) {
            return *least;
        }
        let one = rank(&Float::one(self.format)).unwrap_or(0);
        let least = last_like_first(one, one + (1 << (self.format.precision() - 1)), |rank| self.rises(rank));
        known().insert(self.format, least);
        least
    }

    /// Γ has a pole at each negative integer and one extremum between two of them (ψ rises from −∞ to +∞ there).
    fn gamma_of_negative(&self, image: &mut Image, low: i128, high: i128) {
        let floor = |rank: i128| self.precise(rank).floor().to_integer().unwrap_or_default();
        if self.precise(high).get_exp().is_some_and(|exponent| exponent > self.format.precision() as i32) {
            // Every float is an integer.
            return self.monotone(image, low, low);
        }
        if rug::Integer::from(&floor(high) - &floor(low)) > CELLS {
            return self.gamma_of_wide(image, low);
        }
        let mut low = low;
        while low <= high {
            let cell = floor(low);
            if self.precise(low) == cell {
                self.monotone(image, low, low);
                low += 1;
                continue;
            }
            let last = last_like_first(low, high, |rank| floor(rank) == cell);
            self.around_extremum(image, low, last);
            low = last + 1;
        }
    }

    fn gamma_of_wide(&self, image: &mut Image, low: i128) {
        let infinite = Float::infinity(self.format, false);
        if self.function == Function::Tgamma {
            image.add_invalid();
            return image.add_bounded(infinite.neg(), infinite, Flags::OVERFLOW | Flags::UNDERFLOW);
        }
        // |Γ(x)| = π / (|sin πx| Γ(1 − x)), and Γ(1 − x) is at most Γ(2 − x₀) for x ≥ x₀, x₀ < 0.
        let argument = rug::Float::with_val(4 * self.format.precision(), 2 - self.precise(low));
        let least = -Function::Lgamma.precise(&[argument], 2 * self.format.precision());
        let least = from_precise(&least, self.format, RoundingMode::TowardNegative).value;
        let least = ranked(self.format, rank(&least).unwrap_or(0) - i128::from(self.ulps) - 1);
        image.add_bounded(least, infinite, Flags::DIVBYZERO | Flags::UNDERFLOW);
    }

    /// Extrema of Bessel's functions lie more than 3 apart (DLMF 10.21: zeros of J₀', J₁', Y₀', Y₁' begin with 3.83, 1.84,
    /// 2.20, 3.68 and their distances are above 3.1).
    fn bessel(&self, image: &mut Image, low: i128, high: i128) {
        let length = self.precise(high) - self.precise(low);
        if length > 3 * CELLS {
            return self.bessel_of_wide(image, low);
        }
        let mut low = low;
        while low <= high {
            let start = self.precise(low);
            let last = last_like_first(low, high, |rank| self.precise(rank) - &start < 3);
            self.around_extremum(image, low, last);
            low = last + 1;
        }
    }

    fn bessel_of_wide(&self, image: &mut Image, low: i128) {
        // Global extrema (DLMF 10.14.1, and the functions' values at the zeros named above), rounded outward.
        let (least, greatest) = match self.function {
            Function::J0 => (-0.403, 1.0),
            Function::J1 => (-0.582, 0.582),
            Function::Y0 => (-0.341, 0.521),
            _ => (-0.304, 0.417),
        };
        let at = |value: f64| {
            let value = rug::Float::with_val(53, value);
            let mode =
                if value.is_sign_negative() { RoundingMode::TowardNegative } else { RoundingMode::TowardPositive };
            let value = from_precise(&value, self.format, mode).value;
            let steps = i128::from(self.ulps);
            let place = rank(&value).unwrap_or(0);
            ranked(self.format, if place < 0 { place - steps } else { place + steps })
        };
        let (mut least, greatest) = (at(least), at(greatest));
        // Y rises from −∞ to its first maximum.
        if matches!(self.function, Function::Y0 | Function::Y1) {
            let first = crate::evaluate(self.function, &[ranked(self.format, low)]).value;
            let first = (rank(&first).unwrap_or(0) - i128::from(self.ulps)).max(!infinity(self.format));
            if rank(&least).is_some_and(|least| first < least) {
                least = ranked(self.format, first);
            }
        }
        let overflow = if least.is_infinite() { Flags::OVERFLOW } else { Flags::empty() };
        image.add_bounded(least, greatest, overflow | Flags::UNDERFLOW);
    }
}

/// A number b such that no float of magnitude 1 or more lies nearer than 2^−b to a multiple of π/2, 0 apart.
///
/// Multiples behave like random numbers, so that of the format's 2^(p+e) floats the nearest is expected 2^−(p+e) away; the least
/// distances, by continued fractions (Muller et al., "Handbook of Floating-Point Arithmetic", 2nd ed., 2018, section 10.2), keep 16 bits of
/// slack in the standard formats, as the test repeats.
fn apart(format: Format) -> u32 {
    format.precision() + format.exponent_bits() + 16
}
