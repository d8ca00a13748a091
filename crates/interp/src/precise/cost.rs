//! What elementary functions cost in arbitrary precision.
//!
//! A run must end after a bounded time, and MPFR cannot be interrupted. Estimates come before the calls, so that they bound
//! work and are the same everywhere. Measured with MPFR 4.2 at 256, 2,304 and 4,608 bits: most functions take 5 to 100 µs,
//! gamma and Bessel functions up to 20 ms, the logarithm of gamma 200 ms at 2,304 bits and 1.7 s at 4,608, and erfc of 123
//! at 4,608 bits 3.8 s, for it works with as many more bits as its result is small.

use labrys_elementary::{Function, rug};

/// What one run may spend, in microseconds: a second.
pub(super) const LIMIT: u64 = 1_000_000;

/// An upper estimate of one call's time in microseconds.
pub(super) fn of(function: Function, operand: &rug::Float, precision: u32) -> u64 {
    let units = u64::from(precision).div_ceil(256);
    match function {
        Function::Erf | Function::Erfc => {
            // The result is about exp(−x²); from x² = precision on an asymptotic series does.
            let square = operand.to_f64().powi(2).min(f64::from(precision)) as u64;
            let units = (u64::from(precision) + 3 * square).div_ceil(256);
            2 * units.pow(3)
        }
        Function::Tgamma | Function::J0 | Function::J1 | Function::Y0 | Function::Y1 => 50 * units.pow(2),
        Function::Lgamma => 250 * units.pow(3),
        _ => 5 * units,
    }
}
