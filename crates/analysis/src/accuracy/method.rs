//! Whether the method or rounding is to blame for an error against a reference.
//!
//! With the result r, the reference's true value t, and f, what the program's own formulas give without rounding, r − t is (r − f) + (f − t):
//! *rounding error* and *truncation error* (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 1.3). A series that is cut off
//! too early, a wrong constant or a forgotten case is off without any rounding; more careful arithmetic does not mend it.

use labrys_elementary::rug;
use labrys_float::Float;
use labrys_interp::precise::PreciseFloat;

/// The two parts of an error against a reference.
#[derive(Clone, Debug)]
pub struct Method {
    /// What the program's own formulas give without rounding.
    pub formulas: PreciseFloat,
    /// |f − t|; infinite where only one of the two is a number.
    pub truncation: f64,
    /// |r − f|.
    pub rounding: f64,
}

impl Method {
    /// The parts of a result's error; `formulas` and `truth` are certified.
    pub fn of(result: &Float, formulas: &PreciseFloat, truth: &PreciseFloat) -> Method {
        let result = labrys_elementary::to_precise(result);
        Method {
            formulas: formulas.clone(),
            truncation: apart(formulas.value(), truth.value()),
            rounding: apart(&result, formulas.value()),
        }
    }

    /// Whether the greater part is there without any rounding.
    pub fn is_to_blame(&self) -> bool {
        self.truncation > self.rounding
    }
}

/// |a − b| of numbers of any precision.
fn apart(a: &rug::Float, b: &rug::Float) -> f64 {
    if a.is_nan() && b.is_nan() || a == b {
        return 0.0;
    }
    let apart = rug::Float::with_val(64, a - b).abs().to_f64();
    if apart.is_nan() { f64::INFINITY } else { apart }
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;

    use super::*;

    #[test]
    fn parts_add_up() {
        let precise = |value: f64| PreciseFloat::new(rug::Float::with_val(300, value), Format::BINARY64);
        let parts = |r: f64, f: f64, t: f64| {
            let method = Method::of(&Float::from_f64(r), &precise(f), &precise(t));
            (method.truncation, method.rounding, method.is_to_blame())
        };
        assert_eq!(parts(1.5, 1.25, 1.0), (0.25, 0.25, false));
        assert_eq!(parts(1.5, 1.5, 1.0), (0.5, 0.0, true));
        assert_eq!(parts(1.5, 1.0, 1.0), (0.0, 0.5, false));
        assert_eq!(parts(1.5, f64::NAN, 1.0), (f64::INFINITY, f64::INFINITY, false));
        assert_eq!(parts(f64::NAN, f64::NAN, 1.0), (f64::INFINITY, 0.0, true));
        assert!(parts(f64::INFINITY, f64::INFINITY, 1.0).2);
    }
}
