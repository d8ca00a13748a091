//! Polynomials with integer coefficients over the signed values of terms.

use std::collections::BTreeMap;

use labrys_term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use smallvec::{SmallVec, smallvec};

/// Monomials of the largest polynomial, and factors of the largest monomial.
const MOST_MONOMIALS: usize = 64;
const MOST_FACTORS: usize = 4;

/// Terms in ascending order, repeated for powers; none for the constant.
pub(super) type Monomial = SmallVec<[TermId; MOST_FACTORS]>;

/// A sum of monomials with coefficients that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, BigInt>);

impl Polynomial {
    pub fn constant(value: BigInt) -> Polynomial {
        let mut made = Polynomial::default();
        made.add(Monomial::new(), value);
        made
    }

    pub fn atom(term: TermId) -> Polynomial {
        let mut made = Polynomial::default();
        made.add(smallvec![term], BigInt::one());
        made
    }

    fn add(&mut self, monomial: Monomial, coefficient: BigInt) {
        let sum = self.0.remove(&monomial).unwrap_or_default() + coefficient;
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
    }

    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &BigInt)> {
        self.0.iter()
    }

    /// How many monomials there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn coefficient(&self, monomial: &Monomial) -> Option<&BigInt> {
        self.0.get(monomial)
    }

    /// The sum with a multiple of another one; `None` if it is too large.
    pub fn plus(&self, other: &Polynomial, factor: &BigInt) -> Option<Polynomial> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.0 {
            sum.add(monomial.clone(), coefficient * factor);
        }
        (sum.0.len() <= MOST_MONOMIALS).then_some(sum)
    }

    pub fn scaled(&self, factor: &BigInt) -> Polynomial {
        Polynomial::default().plus(self, factor).unwrap_or_default()
    }

    /// The product; `None` if it is too large.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (first, a) in &self.0 {
            for (second, b) in &other.0 {
                if first.len() + second.len() > MOST_FACTORS {
                    return None;
                }
                let mut factors: Monomial = first.iter().chain(second).copied().collect();
                factors.sort_unstable();
                product.add(factors, a * b);
            }
            if product.0.len() > MOST_MONOMIALS {
                return None;
            }
        }
        Some(product)
    }

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

    pub fn as_constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::zero()),
            1 => self.0.get(&Monomial::new()).cloned(),
            _ => None,
        }
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
