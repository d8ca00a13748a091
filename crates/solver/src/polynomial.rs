//! Polynomials in several indeterminates.

use std::collections::BTreeMap;

use num_traits::{NumAssignRef, NumRef};
use smallvec::{SmallVec, smallvec};

/// Monomials of the largest polynomial.
const MOST_MONOMIALS: usize = 64;

/// Indeterminates in ascending order, repeated for powers; none for the constant.
pub(crate) type Monomial<A> = SmallVec<[A; 4]>;

/// A sum of monomials, of so many factors at most, with coefficients that are not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial<A: Ord, C, const FACTORS: usize>(pub(crate) BTreeMap<Monomial<A>, C>);

impl<A: Ord, C, const FACTORS: usize> Default for Polynomial<A, C, FACTORS> {
    fn default() -> Self {
        Polynomial(BTreeMap::new())
    }
}

impl<A: Ord + Copy, C: NumRef + NumAssignRef + Clone, const FACTORS: usize> Polynomial<A, C, FACTORS> {
    pub fn constant(value: C) -> Self {
        let mut made = Self::default();
        made.add(Monomial::new(), value);
        made
    }

    pub fn atom(indeterminate: A) -> Self {
        let mut made = Self::default();
        made.add(smallvec![indeterminate], C::one());
        made
    }

    pub fn add(&mut self, monomial: Monomial<A>, coefficient: C) {
        let mut sum = self.0.remove(&monomial).unwrap_or_else(C::zero);
        sum += coefficient;
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
    }

    pub fn terms(&self) -> impl Iterator<Item = (&Monomial<A>, &C)> {
        self.0.iter()
    }

    /// How many factors a monomial has at most.
    pub fn degree(&self) -> usize {
        self.0.keys().map(|monomial| monomial.len()).max().unwrap_or(0)
    }

    /// How many monomials there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn coefficient(&self, monomial: &Monomial<A>) -> Option<&C> {
        self.0.get(monomial)
    }

    /// The sum with a multiple of another one; `None` if it is too large.
    pub fn plus(&self, other: &Self, factor: &C) -> Option<Self> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.0 {
            sum.add(monomial.clone(), coefficient.clone() * factor);
        }
        (sum.0.len() <= MOST_MONOMIALS).then_some(sum)
    }

    pub fn scaled(&self, factor: &C) -> Self {
        Self::default().plus(self, factor).unwrap_or_default()
    }

    /// The product; `None` if it is too large.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (first, a) in &self.0 {
            for (second, b) in &other.0 {
                if first.len() + second.len() > FACTORS {
                    return None;
                }
                let mut factors: Monomial<A> = first.iter().chain(second).copied().collect();
                factors.sort_unstable();
                product.add(factors, a.clone() * b);
            }
            if product.0.len() > MOST_MONOMIALS {
                return None;
            }
        }
        Some(product)
    }

    /// The number that the polynomial is.
    pub fn as_constant(&self) -> Option<C> {
        match self.0.len() {
            0 => Some(C::zero()),
            1 => self.0.get(&Monomial::new()).cloned(),
            _ => None,
        }
    }
}
