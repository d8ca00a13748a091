//! One observed number against its true value.

use std::cmp::Ordering;

use labrys_elementary::{from_precise, rug};
use labrys_float::{Float, Format, RoundingMode};
use labrys_report::Severity;

/// Results that are at most so many ulps from the true value are harmless.
pub const HARMLESS_ULPS: f64 = 4.0;

/// What is to be said of one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// One of [`Severity::EFFECTS`].
    pub severity: Severity,
    /// The distance in ulps of the true value, where both are finite.
    pub error_ulps: Option<f64>,
    /// A remark: a clause without a full stop.
    pub note: Option<&'static str>,
}

/// Compares a result with its true value.
///
/// - The true value is undefined (NaN): NaN is honest, and so is an infinity, the other way to say so; a finite result
///   is not classified.
/// - The true value is infinite (a pole), or rounds to an infinity: that infinity and NaN are honest; the other infinity
///   is lost. A finite result is inaccurate where the true value is finite, else not classified.
/// - Every other true value is representable. NaN and infinities are lost. A distance of at most [`HARMLESS_ULPS`] ulps is
///   honest if the true value is subnormal or smaller (not zero), else harmless; a zero that is farther away is lost,
///   another number inaccurate.
pub fn judge(observed: &Float, truth: &rug::Float) -> Judgement {
    let format = observed.format();
    let only = |severity, note| Judgement { severity, error_ulps: None, note };
    if truth.is_nan() {
        return match observed.is_finite() {
            true => only(Severity::Unclassified, Some("the true value is undefined, and the result is finite")),
            false => only(Severity::Honest, Some("the true value is undefined")),
        };
    }
    let nearest = from_precise(truth, format, RoundingMode::NearestEven).value;
    if nearest.is_infinite() && !observed.is_finite() {
        let same = observed.is_nan() || observed.is_negative() == nearest.is_negative();
        return match (same, truth.is_infinite()) {
            (true, true) => only(Severity::Honest, Some("the true value is infinite")),
            (true, false) => only(Severity::Honest, Some("the true value is beyond the largest finite number")),
            // The sign of a pole is the sign of a zero, which rounding decides.
            (false, true) => only(Severity::Honest, Some("the true value is infinite, with the other sign")),
            (false, false) => only(Severity::Lost, Some("the true value is beyond the other end of the range")),
        };
    }
    if truth.is_infinite() {
        return only(Severity::Unclassified, Some("the true value is infinite, and the result is finite"));
    }
    if !observed.is_finite() {
        return only(Severity::Lost, None);
    }
    let error = distance(observed, truth);
    let underflows = !truth.is_zero() && is_below_normal(truth, format);
    let (severity, note) = match (error <= HARMLESS_ULPS, underflows) {
        (true, true) => (Severity::Honest, Some("the true value is below the smallest normal number")),
        (true, false) => (Severity::Harmless, None),
        (false, _) if observed.is_zero() => (Severity::Lost, None),
        (false, _) => (Severity::Inaccurate, None),
    };
    Judgement { severity, error_ulps: Some(error), note }
}

/// |observed − truth| in units of the last place that numbers as large as the truth have in the format.
fn distance(observed: &Float, truth: &rug::Float) -> f64 {
    let format = observed.format();
    let last_place = |exponent: i64| exponent - i64::from(format.precision()) + 1;
    // MPFR's significands lie in [1/2, 1).
    let exponent = truth.get_exp().map_or(i64::MIN, |exponent| i64::from(exponent) - 1);
    let exponent = exponent.clamp(format.min_exponent(), format.max_exponent());
    let precision = truth.prec().max(format.precision()) + 64;
    let difference = rug::Float::with_val(precision, truth - &labrys_elementary::to_precise(observed));
    // An ulp's exponent fits: formats have at most 30 bits of exponent.
    let ulps = difference.abs() >> last_place(exponent) as i32;
    ulps.to_f64().min(f64::MAX)
}

fn is_below_normal(truth: &rug::Float, format: Format) -> bool {
    truth.cmp_abs(&labrys_elementary::to_precise(&Float::min_normal(format))) == Some(Ordering::Less)
}
