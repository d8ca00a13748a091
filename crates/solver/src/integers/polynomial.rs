//! Polynomials with integer coefficients over the signed values of terms.

use labrys_term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::polynomial;

/// Terms in ascending order, repeated for powers; none for the constant.
pub(super) type Monomial = polynomial::Monomial<TermId>;

/// A sum of monomials with coefficients that are not zero.
pub(crate) type Polynomial = polynomial::Polynomial<TermId, BigInt, 4>;

impl Polynomial {
    /// The polynomial with others in the place of terms.
    pub fn with(&self, replaced: impl Fn(TermId) -> Option<Polynomial>) -> Option<Polynomial> {
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in &self.0 {
            let mut product = Polynomial::constant(coefficient.clone());
            for &factor in monomial {
                product = product.times(&replaced(factor).unwrap_or_else(|| Polynomial::atom(factor)))?;
            }
            sum = sum.plus(&product, &BigInt::one())?;
        }
        Some(sum)
    }

    /// The term that the polynomial is.
    pub fn as_atom(&self) -> Option<TermId> {
        let (monomial, coefficient) = self.0.iter().next().filter(|_| self.0.len() == 1)?;
        (monomial.len() == 1 && coefficient.is_one()).then(|| monomial[0])
    }

    /// The quotient by a monomial, if there is no remainder.
    pub fn exact_quotient(&self, divisor: &Polynomial) -> Option<Polynomial> {
        let (by, coefficient) = divisor.0.iter().next().filter(|_| divisor.0.len() == 1)?;
        let mut quotient = Polynomial::default();
        for (monomial, numerator) in &self.0 {
            let mut left = monomial.clone();
            for factor in by {
                let place = left.iter().position(|own| own == factor)?;
                left.remove(place);
            }
            if !numerator.is_multiple_of(coefficient) {
                return None;
            }
            quotient.add(left, numerator / coefficient);
        }
        Some(quotient)
    }

    /// (s, t) with the polynomial being c·s + t, where no coefficient of t is divisible by c.
    pub fn split(&self, c: &BigInt) -> (Polynomial, Polynomial) {
        let (mut multiple, mut rest) = (Polynomial::default(), Polynomial::default());
        for (monomial, coefficient) in &self.0 {
            match coefficient.is_multiple_of(c) {
                true => multiple.add(monomial.clone(), coefficient / c),
                false => rest.add(monomial.clone(), coefficient.clone()),
            }
        }
        (multiple, rest)
    }

    /// (p, n) with non-negative coefficients and a positive multiple of p − n being the polynomial.
    pub fn sides(&self) -> (Polynomial, Polynomial) {
        let content = self.0.values().fold(BigInt::zero(), |content, coefficient| content.gcd(coefficient));
        let (mut positive, mut negative) = (Polynomial::default(), Polynomial::default());
        for (monomial, coefficient) in &self.0 {
            let side = if coefficient.is_positive() { &mut positive } else { &mut negative };
            side.add(monomial.clone(), coefficient.abs() / &content);
        }
        (positive, negative)
    }
}
