//! How far a result is from the true one.
//!
//! Distances in ulps are between floats: from the result to the true value rounded to its format, as Herbie counts them
//! (Panchekha et al., "Automatically improving accuracy for floating point expressions", PLDI 2015). The others are exact but for the
//! rounding of what is printed.

use labrys_elementary::rug;
use labrys_float::Float;
use labrys_interp::precise::PreciseFloat;
use num_traits::ToPrimitive;

/// By which measure errors are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Metric {
    /// log2(1 + ulps).
    #[default]
    Bits,
    /// |r − t| / max(|t|, floor); infinite where that is divided by zero.
    Relative {
        /// The floor; zero for none.
        floor: f64,
    },
    /// |r − t|.
    Absolute,
}

/// A true value, certain or estimated, as far as measures ask for it.
pub trait Truth {
    /// Whether its magnitude is below a floor.
    fn is_below(&self, floor: f64) -> bool;
}

impl Truth for PreciseFloat {
    fn is_below(&self, floor: f64) -> bool {
        self.value().clone().abs() < floor
    }
}

impl<T: Truth> Truth for &T {
    fn is_below(&self, floor: f64) -> bool {
        (**self).is_below(floor)
    }
}

/// The error of one output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputError {
    /// Floats from the rounded true value to the result.
    pub ulps: f64,
    /// |r − t| / |t|; infinite where t is zero and r is not.
    pub relative: f64,
    /// |r − t|.
    pub absolute: f64,
    /// Whether one is NaN, infinite or zero, and the other, rounded, is not.
    pub is_other_class: bool,
}

impl OutputError {
    /// The error of a result.
    pub fn of(result: &Float, truth: &PreciseFloat) -> OutputError {
        let rounded = truth.nearest().value;
        let is_other_class = class(result) != class(&rounded);
        let exact = truth.value();
        if result.is_nan() || exact.is_nan() || result.is_infinite() || exact.is_infinite() {
            let (ulps, far) = if is_other_class { (f64::INFINITY, f64::INFINITY) } else { (0.0, 0.0) };
            return OutputError { ulps, relative: far, absolute: far, is_other_class };
        }
        let ordinal = |float: &Float| float.ordinal().unwrap_or_default();
        let ulps = (ordinal(result) - ordinal(&rounded)).to_f64().map_or(f64::INFINITY, f64::abs);
        let apart = difference(result, exact);
        let relative = match (apart.is_zero(), exact.is_zero()) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => rug::Float::with_val(64, &apart / exact).to_f64().abs(),
        };
        OutputError { ulps, relative, absolute: apart.to_f64(), is_other_class }
    }

    /// log2(1 + ulps).
    pub fn bits(&self) -> f64 {
        (1.0 + self.ulps).log2()
    }

    /// |r − t| / max(|t|, floor).
    pub fn floored(&self, truth: &impl Truth, floor: f64) -> f64 {
        if truth.is_below(floor) { self.absolute / floor } else { self.relative }
    }
}

impl Metric {
    /// The error by this measure.
    pub fn of(self, error: &OutputError, truth: &impl Truth) -> f64 {
        match self {
            Metric::Bits => error.bits(),
            Metric::Relative { floor } => error.floored(truth, floor),
            Metric::Absolute => error.absolute,
        }
    }

    /// The error on a scale on which a search climbs: zero for none, else its logarithm above the least there is.
    pub fn score(self, error: &OutputError, truth: &impl Truth) -> f64 {
        let measured = self.of(error, truth);
        match self {
            Metric::Bits => measured.min(f64::from(u16::MAX)),
            Metric::Relative { .. } | Metric::Absolute if measured > 0.0 => {
                // Doubles have no number below 2^−1074 and none above 2^1024.
                (measured.log2() + 1100.0).clamp(1.0, 2200.0)
            }
            Metric::Relative { .. } | Metric::Absolute => 0.0,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Bits => "bits",
            Metric::Relative { .. } => "relative",
            Metric::Absolute => "absolute",
        }
    }
}

/// NaN, an infinity, a zero or another number; signs of zeros do not count, nor those of poles.
fn class(value: &Float) -> u8 {
    match value {
        value if value.is_nan() => 0,
        value if value.is_infinite() => 1,
        value if value.is_zero() => 2,
        _ => 3,
    }
}

/// |r − t| of what a truth rounds to: no result is closer.
pub fn least_error(truth: &PreciseFloat) -> f64 {
    difference(&truth.nearest().value, truth.value()).to_f64()
}

/// |r − t|, to 64 bits.
fn difference(result: &Float, truth: &rug::Float) -> rug::Float {
    rug::Float::with_val(64, labrys_elementary::to_precise(result) - truth).abs()
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;

    use super::*;

    fn error(result: f64, truth: f64, more: f64) -> OutputError {
        let exact = rug::Float::with_val(300, truth) + more;
        OutputError::of(&Float::from_f64(result), &PreciseFloat::new(exact, Format::BINARY64))
    }

    #[test]
    fn errors_are_what_the_definitions_say() {
        let one = error(1.0 + f64::EPSILON, 1.0, 0.0);
        assert_eq!((one.ulps, one.bits(), one.relative, one.absolute), (1.0, 1.0, f64::EPSILON, f64::EPSILON));
        // The true value rounds to 1: no ulps, and yet an error.
        let hidden = error(1.0, 1.0, 1e-20);
        assert_eq!(hidden.ulps, 0.0);
        assert!((hidden.relative - 1e-20).abs() < 1e-34, "{hidden:?}");
        let of_zero = error(1e-10, 0.0, 0.0);
        assert!(of_zero.relative.is_infinite() && of_zero.is_other_class && of_zero.bits() > 60.0);
        assert!(error(0.0, 1e-10, 0.0).is_other_class);
        assert!(error(f64::NAN, 1.0, 0.0).is_other_class && !error(f64::NAN, f64::NAN, 0.0).is_other_class);
        assert_eq!(error(-0.0, 0.0, 0.0).ulps, 0.0);
    }

    #[test]
    fn measures_floor_and_climb() {
        let truth = PreciseFloat::new(rug::Float::with_val(100, 1e-50), Format::BINARY64);
        let error = OutputError::of(&Float::from_f64(3e-50), &truth);
        assert_eq!(Metric::Relative { floor: 0.0 }.of(&error, &truth), error.relative);
        assert!((Metric::Relative { floor: 1e-40 }.of(&error, &truth) - 2e-10).abs() < 1e-20);
        assert_eq!(Metric::Absolute.of(&error, &truth), error.absolute);
        let none = OutputError::of(&Float::from_f64(1.0), &PreciseFloat::exact(&Float::from_f64(1.0)));
        for metric in [Metric::Bits, Metric::Relative { floor: 0.0 }, Metric::Absolute] {
            assert_eq!(metric.score(&none, &truth), 0.0);
            assert!(metric.score(&error, &truth) > 0.0);
        }
    }
}
