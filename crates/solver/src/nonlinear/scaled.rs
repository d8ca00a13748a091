//! Polynomials with dyadic coefficients: arithmetic on what becomes of terms in one variable.

use labrys_term::algebraic::{Polynomial, to_gmp};
use num_rational::BigRational;
use rug::{Complete, Integer};

/// Products of a higher degree are refused.
const GREATEST_DEGREE: usize = 200;

/// Coefficients of more bits are refused: a hundred exact products of doubles of all exponents.
const LONGEST: u64 = 1 << 19;

/// Σ cᵢ·xⁱ·2^exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    polynomial: Polynomial,
    exponent: i64,
}

/// An operation whose result would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Scaled {
    pub fn constant(value: Integer) -> Scaled {
        Scaled::new(Polynomial::new(vec![value]), 0)
    }

    /// x.
    pub fn variable() -> Scaled {
        Scaled::new(Polynomial::new(vec![Integer::new(), Integer::from(1)]), 0)
    }

    /// Numerator and denominator of a constant.
    pub fn ratio(value: &BigRational) -> (Scaled, Scaled) {
        (Scaled::constant(to_gmp(value.numer())), Scaled::constant(to_gmp(value.denom())))
    }

    /// Powers of two that all coefficients share go into the exponent: most of what dyadic arithmetic piles up.
    fn new(polynomial: Polynomial, exponent: i64) -> Scaled {
        let shared = polynomial.coefficients().iter().filter_map(|c| c.find_one(0)).min().unwrap_or(0);
        if shared == 0 {
            return Scaled { polynomial, exponent };
        }
        let shifted = polynomial.coefficients().iter().map(|c| (c >> shared).complete()).collect();
        Scaled { polynomial: Polynomial::new(shifted), exponent: exponent + i64::from(shared) }
    }

    /// The polynomial up to a positive factor.
    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }

    pub fn is_zero(&self) -> bool {
        self.polynomial.is_zero()
    }

    /// Whether it is a constant, zero included.
    pub fn is_constant(&self) -> bool {
        self.polynomial.degree() == 0
    }

    /// The sign of a constant.
    pub fn constant_sign(&self) -> Option<std::cmp::Ordering> {
        match self.polynomial.coefficients() {
            [] => Some(std::cmp::Ordering::Equal),
            [value] => Some(value.cmp0()),
            _ => None,
        }
    }

    pub fn neg(&self) -> Scaled {
        let negated = self.polynomial.coefficients().iter().map(|c| (-c).complete()).collect();
        Scaled { polynomial: Polynomial::new(negated), exponent: self.exponent }
    }

    pub fn add(&self, other: &Scaled) -> Result<Scaled, TooLarge> {
        if self.is_zero() {
            return Ok(other.clone());
        }
        if other.is_zero() {
            return Ok(self.clone());
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = u32::try_from(high.exponent - low.exponent).map_err(|_| TooLarge)?;
        if u64::from(shift) + high.polynomial.bits() > LONGEST {
            return Err(TooLarge);
        }
        let mut sum = low.polynomial.coefficients().to_vec();
        let length = sum.len().max(high.polynomial.coefficients().len());
        sum.resize(length, Integer::new());
        for (target, c) in sum.iter_mut().zip(high.polynomial.coefficients()) {
            *target += (c << shift).complete();
        }
        Ok(Scaled::new(Polynomial::new(sum), low.exponent))
    }

    pub fn sub(&self, other: &Scaled) -> Result<Scaled, TooLarge> {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Scaled) -> Result<Scaled, TooLarge> {
        if self.is_zero() || other.is_zero() {
            return Ok(Scaled::constant(Integer::new()));
        }
        let (a, b) = (&self.polynomial, &other.polynomial);
        if a.degree() + b.degree() > GREATEST_DEGREE || a.bits() + b.bits() > LONGEST {
            return Err(TooLarge);
        }
        let mut product = vec![Integer::new(); a.degree() + b.degree() + 1];
        for (i, c) in a.coefficients().iter().enumerate() {
            for (target, d) in product[i..].iter_mut().zip(b.coefficients()) {
                *target += c * d;
            }
        }
        Ok(Scaled::new(Polynomial::new(product), self.exponent + other.exponent))
    }

    /// Multipliers m and n such that self·m = other·n is a common multiple. Neither polynomial is zero.
    ///
    /// The least one for polynomials of degree 0; otherwise common factors beyond equality and divisibility are left in.
    pub fn cofactors(&self, other: &Scaled) -> (Scaled, Scaled) {
        let one = || Scaled::constant(Integer::from(1));
        if self == other {
            return (one(), one());
        }
        let (a, b) = (self.polynomial.content(), other.polynomial.content());
        let common = Integer::from(a.gcd_ref(&b));
        let factor = self.polynomial.gcd(&other.polynomial);
        // Both quotients are exact: the primitive part of the divisor divides both, and so does the contents' divisor.
        let quotient = |of: &Scaled| -> Polynomial {
            let parts = of.polynomial.quotient(&factor).into_iter().map(|c| c.div_exact(&common));
            Polynomial::new(parts.collect())
        };
        let lowest = self.exponent.min(other.exponent);
        let (m, n) = (quotient(other), quotient(self));
        (Scaled::new(m, other.exponent - lowest), Scaled::new(n, self.exponent - lowest))
    }
}
