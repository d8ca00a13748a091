//! Real unknowns with bounds, and polynomials over them as linear terms.

use std::collections::BTreeMap;
use std::ops::Range;

use labrys_term::{Op, Sort, Store, TermId};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::forward::Side;
use super::rounding::{binade, power_of_two, shortened};
use crate::{RealModel, polynomial};

/// An unknown, by its place.
pub(super) type Unknown = u32;

/// A sum of products of unknowns.
pub(super) type Polynomial = polynomial::Polynomial<Unknown, BigRational, 8>;

/// Unknowns in ascending order, repeated for powers; none for the constant.
pub(super) type Monomial = polynomial::Monomial<Unknown>;

/// The least and the greatest value, where they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub low: Option<BigRational>,
    pub high: Option<BigRational>,
}

/// Bits of a bound's numbers at most, and those that are kept of one with more.
const MOST_BITS: u64 = 4096;
const KEPT_BITS: i64 = 256;

/// Powers of two that bounds of many bits are between: beyond those of all floats.
const MOST_EXPONENT: i64 = 1 << 15;
const LEAST_EXPONENT: i64 = -MOST_EXPONENT;

impl Bounds {
    pub fn only(value: BigRational) -> Bounds {
        Bounds { low: Some(value.clone()), high: Some(value) }
    }

    /// The greatest absolute value.
    pub fn size(&self) -> Option<BigRational> {
        Some(self.low.as_ref()?.abs().max(self.high.as_ref()?.abs()))
    }

    /// The same with this much more on either side.
    pub fn widened(&self, by: &BigRational) -> Bounds {
        Bounds { low: self.low.as_ref().map(|low| low - by), high: self.high.as_ref().map(|high| high + by) }
    }

    /// Wider ones of few bits, where these have many: bounds of products of products have ever more, until nothing is said of them any more.
    fn short(self) -> Bounds {
        let end = |end: BigRational, is_high: bool| {
            if end.numer().bits().max(end.denom().bits()) <= MOST_BITS {
                return Some(end);
            }
            let exponent = binade(&end.abs())?;
            let is_outwards = end.is_positive() == is_high;
            let with_sign = |size: BigRational| if end.is_positive() { size } else { -size };
            match (exponent, is_outwards) {
                (..LEAST_EXPONENT, false) => Some(BigRational::zero()),
                (..LEAST_EXPONENT, true) => Some(with_sign(power_of_two(LEAST_EXPONENT))),
                (MOST_EXPONENT.., true) => None,
                (MOST_EXPONENT.., false) => Some(with_sign(power_of_two(MOST_EXPONENT))),
                _ => Some(shortened(&end, KEPT_BITS, is_high)),
            }
        };
        Bounds { low: self.low.and_then(|low| end(low, false)), high: self.high.and_then(|high| end(high, true)) }
    }

    fn plus(&self, other: &Bounds) -> Bounds {
        let sum = |a: &Option<BigRational>, b: &Option<BigRational>| Some(a.as_ref()? + b.as_ref()?);
        Bounds { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    fn scaled(&self, factor: &BigRational) -> Bounds {
        let [low, high] = [&self.low, &self.high].map(|end| end.as_ref().map(|end| end * factor));
        if factor.is_negative() { Bounds { low: high, high: low } } else { Bounds { low, high } }
    }

    fn times(&self, other: &Bounds) -> Bounds {
        let ends = |of: &Bounds| Some([of.low.clone()?, of.high.clone()?]);
        let (Some(own), Some(others)) = (ends(self), ends(other)) else { return Bounds::default() };
        let corners = own.iter().flat_map(|a| others.iter().map(move |b| a * b));
        Bounds { low: corners.clone().min(), high: corners.max() }
    }
}

/// An unknown that is the product of two others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub value: Unknown,
    pub factors: [Unknown; 2],
}

/// The unknowns, in a store of their own, and what is said of them.
#[derive(Debug, Default)]
pub(super) struct Unknowns {
    /// Terms of sort Real and Bool.
    pub store: Store,
    variables: Vec<TermId>,
    bounds: Vec<Bounds>,
    by_monomial: BTreeMap<Monomial, Unknown>,
    pub products: Vec<Product>,
    /// What comparisons say: a difference is not positive, or negative.
    pub compared: FxHashMap<TermId, Polynomial>,
    /// What is said.
    pub said: Vec<TermId>,
}

impl Unknowns {
    /// A new unknown between bounds.
    pub fn unknown(&mut self, bounds: Bounds) -> Unknown {
        let bounds = bounds.short();
        let unknown = self.variables.len() as Unknown;
        let variable = self.store.variable(&format!("real{unknown}"), Sort::Real);
        self.variables.push(variable);
        let (low, high) = (bounds.low.clone(), bounds.high.clone());
        self.bounds.push(bounds);
        if let Some(low) = low {
            let low = self.store.real_const(low);
            self.said.push(self.store.mk(Op::RealLe, &[low, variable]));
        }
        if let Some(high) = high {
            let high = self.store.real_const(high);
            self.said.push(self.store.mk(Op::RealLe, &[variable, high]));
        }
        unknown
    }

    /// A new unknown as a polynomial.
    pub fn atom(&mut self, bounds: Bounds) -> Polynomial {
        Polynomial::atom(self.unknown(bounds))
    }

    /// A new truth value of which nothing is known.
    pub fn truth(&mut self) -> TermId {
        let count = self.store.variable_count();
        self.store.variable(&format!("truth{count}"), Sort::Bool)
    }

    pub fn variable(&self, unknown: Unknown) -> TermId {
        self.variables[unknown as usize]
    }

    pub fn bounds_of(&self, unknown: Unknown) -> &Bounds {
        &self.bounds[unknown as usize]
    }

    /// The values that a polynomial may have.
    pub fn bounds(&self, polynomial: &Polynomial) -> Bounds {
        let mut sum = Bounds::only(BigRational::zero());
        for (monomial, coefficient) in polynomial.terms() {
            let product = match self.by_monomial.get(monomial) {
                Some(known) => self.bounds_of(*known).clone(),
                None => monomial
                    .iter()
                    .fold(Bounds::only(BigRational::one()), |product, factor| product.times(self.bounds_of(*factor))),
            };
            sum = sum.plus(&product.scaled(coefficient));
        }
        sum
    }

    /// Whether all products of a polynomial are unknowns already.
    pub fn are_known(&self, polynomial: &Polynomial) -> bool {
        polynomial.terms().all(|(monomial, _)| monomial.len() < 2 || self.by_monomial.contains_key(monomial))
    }

    /// An unknown that is the polynomial.
    pub fn named(&mut self, polynomial: &Polynomial) -> Unknown {
        let single = polynomial.terms().next().filter(|(_, coefficient)| coefficient.is_one());
        if let Some((monomial, _)) = single.filter(|(monomial, _)| polynomial.len() == 1 && monomial.len() == 1) {
            return monomial[0];
        }
        let bounds = self.bounds(polynomial);
        let unknown = self.unknown(bounds);
        let equal = self.equal(&Polynomial::atom(unknown), polynomial);
        self.said.push(equal);
        unknown
    }

    /// The unknown that is a product.
    fn product(&mut self, monomial: &[Unknown]) -> Unknown {
        if let &[single] = monomial {
            return single;
        }
        if let Some(known) = self.by_monomial.get(monomial) {
            return *known;
        }
        let factors = [monomial[0], self.product(&monomial[1..])];
        let mut bounds = self.bounds_of(factors[0]).times(self.bounds_of(factors[1]));
        if factors[0] == factors[1] {
            bounds.low = Some(bounds.low.map_or_else(BigRational::zero, |low| low.max(BigRational::zero())));
        }
        let value = self.unknown(bounds);
        self.by_monomial.insert(Monomial::from_slice(monomial), value);
        self.products.push(Product { value, factors });
        value
    }

    /// A polynomial as a linear term, its products unknowns.
    pub fn linear(&mut self, polynomial: &Polynomial) -> TermId {
        let mut parts = Vec::new();
        for (monomial, coefficient) in polynomial.terms() {
            let scale = self.store.real_const(coefficient.clone());
            if monomial.is_empty() {
                parts.push(scale);
                continue;
            }
            let unknown = self.product(monomial);
            let variable = self.variable(unknown);
            parts.push(if coefficient.is_one() { variable } else { self.store.mk(Op::RealMul, &[scale, variable]) });
        }
        match parts[..] {
            [] => self.store.real_const(BigRational::zero()),
            [single] => single,
            _ => self.store.mk(Op::RealAdd, &parts),
        }
    }

    /// a ≤ b.
    pub fn at_most(&mut self, a: &Polynomial, b: &Polynomial) -> TermId {
        self.compared(Op::RealLe, a, b)
    }

    /// a < b.
    pub fn less(&mut self, a: &Polynomial, b: &Polynomial) -> TermId {
        self.compared(Op::RealLt, a, b)
    }

    /// a = b.
    pub fn equal(&mut self, a: &Polynomial, b: &Polynomial) -> TermId {
        let both = [self.at_most(a, b), self.at_most(b, a)];
        self.store.and(&both)
    }

    fn compared(&mut self, op: Op, a: &Polynomial, b: &Polynomial) -> TermId {
        let Some(difference) = a.plus(b, &-BigRational::one()) else {
            let sides = [self.linear(a), self.linear(b)];
            return self.store.mk(op, &sides);
        };
        if let Some(constant) = difference.as_constant() {
            let truth = if op == Op::RealLt { constant.is_negative() } else { !constant.is_positive() };
            return self.store.bool_const(truth);
        }
        let sides = [self.linear(&difference), self.store.real_const(BigRational::zero())];
        let comparison = self.store.mk(op, &sides);
        self.compared.insert(comparison, difference);
        comparison
    }

    /// On which side of zero a product of unknowns is in any case, if on one.
    pub fn side(&self, monomial: &Monomial) -> Option<Side> {
        let mut side = Side::NotNegative;
        for equal in monomial.chunk_by(|a, b| a == b).filter(|equal| equal.len() % 2 == 1) {
            let Bounds { low, high } = self.bounds_of(equal[0]);
            if high.as_ref().is_some_and(|high| !high.is_positive()) {
                side = side.opposite();
            } else if low.as_ref().is_none_or(|low| low.is_negative()) {
                return None;
            }
        }
        Some(side)
    }

    /// The products that are unknowns, by their factors.
    pub fn monomials(&self) -> impl Iterator<Item = &Monomial> {
        self.by_monomial.keys()
    }

    /// What is said, and that products are those of their factors, but for some.
    pub fn with_products(&mut self, without: &Range<usize>) -> Vec<TermId> {
        let mut terms = self.said.clone();
        let products = self.products.iter().enumerate().filter(|(place, _)| !without.contains(place));
        for (_, product) in products {
            let [a, b] = product.factors.map(|factor| self.variables[factor as usize]);
            let exact = self.store.mk(Op::RealMul, &[a, b]);
            terms.push(self.store.mk(Op::Eq, &[self.variables[product.value as usize], exact]));
        }
        terms
    }

    /// Whether a product is none of its factors' in a model, but for some.
    pub fn is_violated(&self, without: &Range<usize>, values: &[BigRational]) -> bool {
        let value = |unknown: Unknown| &values[unknown as usize];
        let products = self.products[..self.known_products(values)].iter().enumerate();
        let mut products = products.filter(|(place, _)| !without.contains(place));
        products.any(|(_, product)| *value(product.value) != product.factors.map(value).into_iter().product())
    }

    /// How many products a model has values of: lemmas may be about further ones.
    pub fn known_products(&self, values: &[BigRational]) -> usize {
        self.products.partition_point(|product| (product.value as usize) < values.len())
    }

    /// The conjunction of what there is to hold; `None` where that is always so.
    pub fn all(&mut self, conditions: &[Option<TermId>]) -> Option<TermId> {
        let mut conditions: Vec<TermId> = conditions.iter().flatten().copied().collect();
        conditions.dedup();
        let yes = self.store.bool_const(true);
        let all = self.store.and(&conditions);
        (all != yes).then_some(all)
    }

    /// What follows from a condition.
    pub fn under(&mut self, condition: Option<TermId>, fact: TermId) -> TermId {
        match condition {
            Some(condition) => self.implied(condition, fact),
            None => fact,
        }
    }

    /// Says what follows from a condition.
    pub fn say_under(&mut self, condition: Option<TermId>, fact: TermId) {
        let fact = self.under(condition, fact);
        self.said.push(fact);
    }

    /// Says that two truth values are one under a condition.
    pub fn say_equal_under(&mut self, condition: TermId, a: TermId, b: TermId) {
        for [one, other] in [[a, b], [b, a]] {
            let fact = self.implied(one, other);
            self.say_if(condition, fact);
        }
    }

    /// Says that something follows from something.
    pub fn say_if(&mut self, premise: TermId, conclusion: TermId) {
        let implied = self.implied(premise, conclusion);
        self.said.push(implied);
    }

    pub fn implied(&mut self, premise: TermId, conclusion: TermId) -> TermId {
        let not = self.store.not(premise);
        self.store.or(&[not, conclusion])
    }

    /// A polynomial's value where its unknowns, products among them, have these.
    pub fn value(&self, polynomial: &Polynomial, values: &[BigRational]) -> BigRational {
        let mut sum = BigRational::zero();
        for (monomial, coefficient) in polynomial.terms() {
            let product = match (&monomial[..], self.by_monomial.get(monomial)) {
                ([], _) => BigRational::one(),
                (&[single], _) => values[single as usize].clone(),
                (_, Some(known)) if (*known as usize) < values.len() => values[*known as usize].clone(),
                (factors, _) => factors.iter().map(|factor| &values[*factor as usize]).product(),
            };
            sum += product * coefficient;
        }
        sum
    }

    /// That an unknown which is zero or at least of this size is so where a model has it nearer.
    pub fn beside_zero(&mut self, unknown: Unknown, least: &BigRational, values: &[BigRational]) -> Option<TermId> {
        let value = &values[unknown as usize];
        if value.is_zero() || value.abs() >= *least {
            return None;
        }
        let (unknown, zero) = (Polynomial::atom(unknown), Polynomial::default());
        let [below, above] = [-least, least.clone()].map(Polynomial::constant);
        let cases = [self.at_most(&unknown, &below), self.equal(&unknown, &zero), self.at_most(&above, &unknown)];
        Some(self.store.or(&cases))
    }

    /// That an integer is not between two where a model has it there.
    pub fn between(&mut self, integer: Unknown, values: &[BigRational]) -> Option<TermId> {
        let value = &values[integer as usize];
        if value.is_integer() {
            return None;
        }
        let integer = Polynomial::atom(integer);
        let [below, above] = [value.floor(), value.ceil()].map(Polynomial::constant);
        let sides = [self.at_most(&integer, &below), self.at_most(&above, &integer)];
        Some(self.store.or(&sides))
    }

    /// The unknowns' values in a model; those that it leaves open are zero.
    pub fn values_in(&self, model: &RealModel) -> Vec<BigRational> {
        let value = |variable: &TermId| {
            let value = model.values.get(&self.store.as_variable(*variable)?)?;
            Some(value.approximation())
        };
        self.variables.iter().map(|variable| value(variable).unwrap_or_default()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of squares have twice the bits each time: a run over Householder's iteration did not end.
    #[test]
    fn bounds_of_unknowns_are_wider_and_have_few_bits() {
        for (low, high) in [(-1, 2), (-4, 2), (4, 7), (-7, -4), (1, 2)] {
            let thirds = |end: i32| Some(BigRational::new(end.into(), 3.into()));
            let mut unknowns = Unknowns::default();
            let mut unknown = unknowns.unknown(Bounds { low: thirds(low), high: thirds(high) });
            for _ in 0..40 {
                let exact = unknowns.bounds_of(unknown).times(unknowns.bounds_of(unknown));
                unknown = unknowns.unknown(exact.clone());
                let kept = unknowns.bounds_of(unknown);
                assert!(kept.low.is_none() || kept.low <= exact.low, "{exact:?}");
                assert!(kept.high.is_none() || kept.high >= exact.high, "{exact:?}");
                let most = (MOST_EXPONENT + 2 * KEPT_BITS) as u64;
                let is_short = |end: &BigRational| end.numer().bits().max(end.denom().bits()) <= most;
                assert!(kept.low.iter().chain(&kept.high).all(is_short));
            }
        }
    }
}
