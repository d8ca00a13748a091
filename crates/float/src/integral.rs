//! Rounding to an integral value in the same format (IEEE 754-2019, section 5.9).

use crate::exact::{Exact, round_finite};
use crate::operand::propagate_nan;
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Flags, Float, Rounded, RoundingMode};

impl Environment {
    /// The number rounded to an integral value in the direction `mode`, whatever the environment's rounding:
    /// `NearestEven` is C's `roundeven`, `NearestAway` `round`, `TowardPositive` `ceil`, `TowardNegative` `floor`,
    /// `TowardZero` `trunc`; with the environment's own mode it is `nearbyint`, with `signal_inexact` also `rint`. A
    /// zero result has the operand's sign.
    pub fn round_to_integral(&self, a: &Float, mode: RoundingMode, signal_inexact: bool) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let operand = environment.operand(a);
        if let Some(nan) = propagate_nan(format, &[&operand]) {
            return nan;
        }
        let Unpacked::Finite(finite) = operand else {
            return Rounded::exact(a.clone());
        };
        if finite.is_zero() || finite.exponent >= 0 {
            return round_finite(format, &environment, finite);
        }
        let negative = finite.negative;
        let (significand, inexact) = Exact::from(finite).round_at(0, mode);
        let mut rounded = round_finite(format, &environment, Finite { negative, significand, exponent: 0 });
        rounded.flags.set(Flags::INEXACT, inexact && signal_inexact);
        rounded
    }
}
