//! How far results are from a shadow's values: in doubles alone, some tens of instructions each, to guide a search.
//!
//! Measures are those of [`super::error`], and agree with them but for roundings: what is reported is measured there.

use labrys_elementary::rug;
use labrys_float::{Float, Format};
use labrys_interp::precise::PreciseFloat;
use labrys_program::{FloatType, ScalarType};
use labrys_shadow::DoubleWord;

use crate::truth::{OutputError, Truth};

impl Truth for DoubleWord {
    fn is_below(&self, floor: f64) -> bool {
        self.high.abs() < floor
    }
}

/// A result's class: NaN, infinite, zero, and whether it is negative.
pub type Class = (bool, bool, bool, bool);

/// The error of a result, by its encoding, beside a shadow; and the result's class.
pub fn error_of(float: FloatType, bits: u128, shadow: DoubleWord) -> (OutputError, Class) {
    match float {
        FloatType::F64 => {
            let result = f64::from_bits(bits as u64);
            // What a shadow's upper half is: the sum of both, rounded.
            (measured(result, shadow, (ordinal(result.to_bits()), ordinal(shadow.high.to_bits()))), class(result))
        }
        FloatType::F32 => {
            let (result, rounded) = (f32::from_bits(bits as u32), shadow.high as f32);
            let ordinals = [result, rounded].map(|value| ordinal32(value.to_bits()));
            let shadow = if rounded.is_infinite() { DoubleWord { high: rounded.into(), low: 0.0 } } else { shadow };
            let mut error = measured(result.into(), shadow, (ordinals[0], ordinals[1]));
            error.is_other_class = kind(result.into()) != kind(rounded.into());
            (error, class(result.into()))
        }
        FloatType::F16 | FloatType::X87 => {
            let result = Float::from_bits(float.format(), bits);
            let error = OutputError::of(&result, &precise(shadow, float.format()));
            (error, (result.is_nan(), result.is_infinite(), result.is_zero(), result.is_negative()))
        }
    }
}

/// The excess of an error over what half an ulp of change in the inputs, or rounding the result, brings about, as [`super::fault::Fault`] has it;
/// `slopes` is the sum of |x·∂f/∂x| over the inputs.
pub fn excess(error: &OutputError, shadow: DoubleWord, slopes: f64, scalar: ScalarType) -> f64 {
    let ScalarType::Float(float) = scalar else { return 0.0 };
    let format = float.format();
    let unit = 2f64.powi(-(format.precision() as i32));
    let least = 2f64.powi((format.min_lsb_exponent() - 1) as i32);
    let allowed = slopes.max(shadow.high.abs()) * unit + least;
    match (error.absolute, allowed) {
        (0.0, _) => 0.0,
        (absolute, allowed) if allowed > 0.0 => absolute / allowed,
        _ => f64::INFINITY,
    }
}

/// b − a of two shadows.
pub fn difference(a: DoubleWord, b: DoubleWord) -> f64 {
    (b.high - a.high) + (b.low - a.low)
}

/// A shadow as a true value.
fn precise(shadow: DoubleWord, format: Format) -> PreciseFloat {
    const BITS: u32 = 2200;
    PreciseFloat::new(rug::Float::with_val(BITS, shadow.high) + shadow.low, format)
}

fn measured(result: f64, shadow: DoubleWord, (place, true_place): (i64, i64)) -> OutputError {
    let is_other_class = kind(result) != kind(shadow.high);
    if !result.is_finite() || !shadow.high.is_finite() {
        let far = if is_other_class { f64::INFINITY } else { 0.0 };
        return OutputError { ulps: far, relative: far, absolute: far, is_other_class };
    }
    let absolute = ((result - shadow.high) - shadow.low).abs();
    let relative = match (absolute, shadow.high.abs()) {
        (0.0, _) => 0.0,
        (_, 0.0) => f64::INFINITY,
        (absolute, size) => absolute / size,
    };
    let ulps = (i128::from(place) - i128::from(true_place)) as f64;
    OutputError { ulps: ulps.abs(), relative, absolute, is_other_class }
}

/// NaN, an infinity, a zero or another number, as errors tell classes apart.
fn kind(value: f64) -> u8 {
    match value {
        value if value.is_nan() => 0,
        value if value.is_infinite() => 1,
        0.0 => 2,
        _ => 3,
    }
}

fn class(value: f64) -> Class {
    (value.is_nan(), value.is_infinite(), value == 0.0, value.is_sign_negative())
}

/// The place of a double among all of them.
fn ordinal(bits: u64) -> i64 {
    let magnitude = (bits & (u64::MAX >> 1)) as i64;
    if bits >> 63 == 0 { magnitude } else { -magnitude }
}

/// The place of a single-precision number.
fn ordinal32(bits: u32) -> i64 {
    let magnitude = i64::from(bits & (u32::MAX >> 1));
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use labrys_float::Environment;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;
    use crate::truth::{Fault, Metric};

    /// Whether two measures are the same but for a rounding, which of single precision is one to some 24 bits.
    fn alike(float: FloatType, a: f64, b: f64) -> bool {
        let tolerance = if float == FloatType::F32 { 1e-7 } else { 1e-9 };
        a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
    }

    #[test]
    fn estimates_are_the_errors_of_shadows() {
        let mut random = Pcg64::seed_from_u64(3);
        let special = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-300, 5e-324, 1e308, 1.0];
        for turn in 0..20_000 {
            let high = match turn % 5 {
                0 => special[random.random_range(0..special.len())],
                _ => f64::from_bits(random.random::<u64>() & !(1 << 62) | u64::from(random.random::<bool>()) << 62),
            };
            let low = if high.is_finite() { high * 2f64.powi(-random.random_range(54..80)) } else { 0.0 };
            let shadow = DoubleWord { high, low };
            let near = f64::from_bits(high.to_bits().wrapping_add(random.random_range(0..5)).wrapping_sub(2));
            let result = match turn % 7 {
                0 => special[random.random_range(0..special.len())],
                1 => f64::from_bits(random.random()),
                _ => near,
            };
            for float in [FloatType::F64, FloatType::F32, FloatType::X87] {
                let result = Environment::default().convert(&Float::from_f64(result), float.format()).value;
                let bits = result.to_u128().unwrap();
                let truth = precise(shadow, float.format());
                let exact = OutputError::of(&result, &truth);
                let (error, class) = error_of(float, bits, shadow);
                let told = format!("{float:?} {result:?} {shadow:?}: {error:?} and {exact:?}");
                assert_eq!(error.is_other_class, exact.is_other_class, "{told}");
                // The rounding of a shadow to single precision has one of its own before.
                let slack = if float == FloatType::F32 { 1.0 } else { 0.0 };
                assert!((error.ulps - exact.ulps).abs() <= slack || alike(float, error.ulps, exact.ulps), "{told}");
                assert!(
                    alike(float, error.relative, exact.relative) && alike(float, error.absolute, exact.absolute),
                    "{told}"
                );
                assert_eq!(class.2, result.is_zero());
                for floor in [0.0, 1e-38] {
                    let metric = Metric::Relative { floor };
                    assert!(alike(float, metric.of(&error, &shadow), metric.of(&exact, &truth)), "{told}");
                }
            }
        }
    }

    #[test]
    fn excesses_are_those_of_faults() {
        let mut random = Pcg64::seed_from_u64(4);
        for _ in 0..2000 {
            let high = random.random_range(-1e3..1e3);
            let shadow = DoubleWord { high, low: high * 1e-18 };
            let result = high * (1.0 + random.random_range(-1e-9..1e-9));
            let slopes: Vec<f64> = (0..3).map(|_| random.random_range(-1e6..1e6)).collect();
            let (error, _) = error_of(FloatType::F64, result.to_bits().into(), shadow);
            let sum = slopes.iter().map(|slope| slope.abs()).sum();
            let slopes = slopes.iter().map(|slope| rug::Float::with_val(64, *slope));
            let fault = Fault::of(&error, &precise(shadow, Format::BINARY64), Format::BINARY64, slopes).unwrap();
            assert!(alike(
                FloatType::F64,
                excess(&error, shadow, sum, ScalarType::Float(FloatType::F64)),
                fault.excess
            ));
        }
    }
}
