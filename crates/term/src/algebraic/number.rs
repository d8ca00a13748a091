//! Real algebraic numbers, as solvers report them: the i-th real root of an integer polynomial.
//!
//! **Claim.** Every enclosure and rounding below is exact.
//!
//! **Argument.** Roots are isolated exactly ([`super::isolate`]) and compared with dyadic numbers by the signs of an integer
//! polynomial; every float is a dyadic number.

use std::cmp::Ordering;
use std::convert::Infallible;

use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::dyadic::Dyadic;
use super::gmp::to_gmp;
use super::polynomial::Polynomial;
use super::roots::{Root, isolate};

/// Why there is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchRoot {
    /// A constant polynomial has no roots, or all numbers are.
    #[error("a constant polynomial defines no number")]
    Constant,
    /// The polynomial has fewer roots.
    #[error("root {index} of a polynomial with {count} real roots")]
    Index {
        /// The root asked for, counted from 1.
        index: usize,
        /// How many distinct real roots there are.
        count: usize,
    },
}

/// A real root of an integer polynomial.
///
/// ```
/// use labrys_term::AlgebraicNumber;
/// use labrys_float::Format;
///
/// // The second real root of x² − 2.
/// let root = AlgebraicNumber::new([-2, 0, 1].map(Into::into).to_vec(), 2).unwrap();
/// let (below, above) = root.round_both(Format::BINARY64);
/// assert_eq!((below.to_f64(), above.to_f64()), (Some(1.414213562373095), Some(2f64.sqrt())));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AlgebraicNumber {
    /// The defining polynomial's coefficients, constant term first, as given.
    coefficients: Vec<BigInt>,
    /// Which real root, counted from 1 in ascending order.
    index: usize,
    root: Root,
}

impl AlgebraicNumber {
    /// The `index`-th distinct real root, counted from 1 in ascending order, of the polynomial with these coefficients,
    /// constant term first.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn new(coefficients: Vec<BigInt>, index: usize) -> Result<AlgebraicNumber, NoSuchRoot> {
        let polynomial = Polynomial::new(coefficients.iter().map(to_gmp).collect());
        if polynomial.degree() == 0 {
            return Err(NoSuchRoot::Constant);
        }
        let Ok(roots) = isolate::<Infallible>(&polynomial, &mut |_| Ok(()));
        let count = roots.len();
        let root = index.checked_sub(1).and_then(|place| roots.into_iter().nth(place));
        let root = root.ok_or(NoSuchRoot::Index { index, count })?;
        Ok(AlgebraicNumber { coefficients, index, root })
    }

    /// The defining polynomial's coefficients, constant term first.
    pub fn coefficients(&self) -> &[BigInt] {
        &self.coefficients
    }

    /// Which of its real roots, counted from 1 in ascending order.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Rational bounds, low ≤ number ≤ high, no farther apart than 2^−`bits` of the number's magnitude; equal where the
    /// number has at most `bits` + 1 significant bits.
    pub fn interval(&self, bits: u32) -> (BigRational, BigRational) {
        let (low, high) = self.root.neighbours(bits + 1);
        (low.to_rational(), high.to_rational())
    }

    /// The greatest float not above the number and the least not below: equal where the number is a float.
    pub fn round_both(&self, format: Format) -> (Float, Float) {
        // Neighbouring floats differ by more than 2^−p of the smaller: at most one lies in so narrow an interval.
        let (low, high) = self.root.refined(format.precision() + 3);
        let ((below_low, _), (below_high, above)) =
            (round_both(&low.to_rational(), format), round_both(&high.to_rational(), format));
        if below_low == below_high {
            return (below_low, above);
        }
        // A float lies in (low, high]; rounding up from one number and down from a greater one, it is finite.
        let float = below_high;
        match float.to_rational().as_ref().and_then(Dyadic::from_rational).map(|value| self.root.compare(&value)) {
            Some(Ordering::Less) => (float.next_down(), float),
            Some(Ordering::Greater) => (float, above),
            Some(Ordering::Equal) | None => (float.clone(), float),
        }
    }
}

/// The greatest float not above `value` and the least not below: equal where it is a float; ±∞ beyond the largest.
pub fn round_both(value: &BigRational, format: Format) -> (Float, Float) {
    let round = |mode| Float::from_rational(format, value, mode);
    (round(RoundingMode::TowardNegative), round(RoundingMode::TowardPositive))
}
