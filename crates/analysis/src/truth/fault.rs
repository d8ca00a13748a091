//! Whose fault an error is: the program's or the problem's.
//!
//! With S = Σ|xᵢ ∂f/∂xᵢ| over the inputs, the *condition number* is S/|t| (componentwise relative; Higham, "Accuracy and Stability of
//! Numerical Algorithms", 2002, section 1.6), the *backward error* to first order |r − t|/S, and the *excess* |r − t| / (u max(S, |t|)): how
//! many times as far the result is as a change of the inputs by half an ulp, or rounding the true result, would move it. Where that is
//! small no algorithm that has these inputs does better by much; where it is large another one would.

use labrys_elementary::rug;
use labrys_float::Format;
use labrys_interp::precise::PreciseFloat;

use super::error::OutputError;

/// An excess above this is the program's doing: rounding each of some operations once comes to a few units.
const UNSTABLE: f64 = 8.0;
/// However many operations there are, an excess above this is.
const MOST_TOLERATED: f64 = 32.0;

/// The excess that rounding each of so many operations once explains: what n errors that have nothing to do with each other add up to grows
/// as √n (Higham, section 2.8), in a long series as in a short formula.
pub fn tolerated(operations: u64) -> f64 {
    (operations as f64).sqrt().clamp(UNSTABLE, MOST_TOLERATED)
}

/// What an error comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The condition number; infinite where the true result is zero and inputs matter.
    pub condition: f64,
    /// The smallest relative change of the inputs that makes the result exact, to first order; infinite where none does.
    pub backward_error: f64,
    /// The error as a multiple of what the problem itself brings about.
    pub excess: f64,
}

impl Fault {
    /// The fault of one output's error; `slopes` are x·∂f/∂x of each input.
    ///
    /// # Errors
    ///
    /// Why nothing is said, in the reader's words: a slope that is not known, or an error that is no number.
    pub fn of(
        error: &OutputError,
        truth: &PreciseFloat,
        format: Format,
        slopes: impl IntoIterator<Item = rug::Float>,
    ) -> Result<Fault, &'static str> {
        let sum = sum_of(slopes)?;
        if !error.absolute.is_finite() {
            return Err("the error is no finite number");
        }
        let size = rug::Float::with_val(64, truth.value().abs_ref());
        let apart = rug::Float::with_val(64, error.absolute);
        let ratio = |a: &rug::Float, b: &rug::Float| match (a.is_zero(), b.is_zero()) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => rug::Float::with_val(64, a / b).to_f64(),
        };
        Ok(Fault {
            condition: ratio(&sum, &size),
            backward_error: ratio(&apart, &sum),
            excess: ratio(&apart, &unavoidable(&sum, &size, format)),
        })
    }
}

/// How many floats from the rounded true result one is that has the largest excess which is not the program's doing; `slopes` as for [`Fault::of`].
///
/// # Errors
///
/// As of [`Fault::of`].
pub fn allowed_ulps(
    truth: &PreciseFloat,
    format: Format,
    slopes: impl IntoIterator<Item = rug::Float>,
) -> Result<f64, &'static str> {
    let size = rug::Float::with_val(64, truth.value().abs_ref());
    let allowed = unavoidable(&sum_of(slopes)?, &size, format) * UNSTABLE;
    let precision = truth.value().prec();
    let ends = [allowed.clone(), -allowed].map(|by| rug::Float::with_val(precision, truth.value() + by));
    let ulps = ends.map(|end| OutputError::of(&PreciseFloat::new(end, format).nearest().value, truth).ulps);
    Ok(ulps[0].max(ulps[1]))
}

/// The sum of the magnitudes of slopes.
fn sum_of(slopes: impl IntoIterator<Item = rug::Float>) -> Result<rug::Float, &'static str> {
    let mut sum = rug::Float::with_val(64, 0);
    for slope in slopes {
        sum += slope.abs();
    }
    if sum.is_nan() {
        return Err("the true result beside this input is no number, so that there is no derivative");
    }
    if sum.is_infinite() {
        return Err("the true result beside this input is infinite, and so is the derivative");
    }
    Ok(sum)
}

/// u max(S, |t|), by which the problem itself moves a result: half an ulp of the largest numbers of a binade, and of subnormal ones.
fn unavoidable(sum: &rug::Float, size: &rug::Float, format: Format) -> rug::Float {
    let unit = rug::Float::with_val(64, 1) >> format.precision() as i32;
    let least = rug::Float::with_val(64, 1) << (format.min_lsb_exponent() - 1) as i32;
    rug::Float::with_val(64, sum.max_ref(size)) * unit + least
}

#[cfg(test)]
mod tests {
    use labrys_float::Float;

    use super::*;

    /// The error of one output, the slopes of inputs and the fault.
    fn fault(result: f64, truth: f64, slopes: &[f64]) -> Fault {
        let truth = PreciseFloat::exact(&Float::from_f64(truth));
        let error = OutputError::of(&Float::from_f64(result), &truth);
        let slopes = slopes.iter().map(|slope| rug::Float::with_val(64, *slope));
        Fault::of(&error, &truth, Format::BINARY64, slopes).unwrap()
    }

    #[test]
    fn what_is_not_known_has_its_reason() {
        let truth = PreciseFloat::exact(&Float::from_f64(1.0));
        let why = |result: f64, slope: f64| {
            let error = OutputError::of(&Float::from_f64(result), &truth);
            Fault::of(&error, &truth, Format::BINARY64, [rug::Float::with_val(64, slope)]).unwrap_err()
        };
        assert!(why(1.5, f64::NAN).contains("no number"));
        assert!(why(1.5, f64::NEG_INFINITY).contains("infinite"));
        assert!(why(f64::INFINITY, 1.0).contains("the error"));
    }

    #[test]
    fn allowed_ulps_are_those_of_the_largest_tolerated_excess() {
        let allowed = |truth: f64, slopes: &[f64]| {
            let truth = PreciseFloat::exact(&Float::from_f64(truth));
            allowed_ulps(&truth, Format::BINARY64, slopes.iter().map(|slope| rug::Float::with_val(64, *slope)))
        };
        // Eight halves of an ulp of the largest numbers in a binade.
        assert_eq!(allowed(1.5, &[1.5]), Ok(6.0));
        assert_eq!(allowed(1.5, &[150.0, -150.0]), Ok(1200.0));
        assert!(allowed(0.0, &[1.0]).is_ok_and(|ulps| ulps > 1e18) && allowed(0.0, &[]) == Ok(4.0));
        assert!(allowed(1.0, &[f64::INFINITY]).is_err());
    }

    #[test]
    fn long_computations_may_be_off_by_more() {
        assert_eq!([0, 10, 64, 400, 1_000_000].map(tolerated), [8.0, 8.0, 8.0, 20.0, 32.0]);
    }

    #[test]
    fn cancellation_of_inputs_is_the_problems_fault_and_that_of_intermediate_results_the_programs() {
        const U: f64 = f64::EPSILON / 2.0;
        // x − y near zero, one ulp of x off.
        let of_inputs = fault(2.0 * U, U, &[1.0, -1.0]);
        assert!(of_inputs.excess < 1.0 && of_inputs.condition > 1e15, "{of_inputs:?}");
        // The same where the result hardly depends on the inputs: (1 + x) − 1 with x = u.
        let of_program = fault(2.0 * U, U, &[U]);
        assert!(of_program.excess > 1e15 && of_program.condition == 1.0 && of_program.backward_error == 1.0);
        // A true zero that depends on inputs, and one that does not.
        assert!(fault(U, 0.0, &[1.0, 1.0]).condition.is_infinite());
        let of_constant = fault(U, 0.0, &[]);
        assert!(of_constant.backward_error.is_infinite() && of_constant.excess > 1e300);
        // An exact result has no fault.
        assert_eq!(fault(1.0, 1.0, &[0.5]).excess, 0.0);
    }
}
