//! Products of what is said, as linear facts.
//!
//! A weighted mean lies between its values because each weight times each difference is not negative, and a rotation keeps lengths because what is said of c² + s²
//! holds of each multiple. Solvers of linear formulas do not multiply. Here what is said is multiplied beforehand, by what makes products of it that are there already, and by
//! each other (H. Sherali and W. Adams, "A Hierarchy of Relaxations between the Continuous and Convex Hull Representations for Zero-One Programming Problems",
//! SIAM Journal on Discrete Mathematics 3, 1990).
//!
//! **Claim.** Each lemma holds wherever what is said does. **Argument.** A product of numbers that are not negative is not negative; of one that is and one that is
//! not positive, not positive.

use labrys_term::TermId;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashSet;

use super::forward::{Side, without};
use super::reading::Reading;
use super::unknowns::{Bounds, Monomial, Polynomial, Unknown, Unknowns};
use crate::conjuncts::{Literal, conjuncts};

/// Lemmas of either kind at most.
const MOST_MULTIPLES: usize = 240;
const MOST_PAIRS: usize = 40;

/// How often multiples are made that have the new products of others.
const ROUNDS: usize = 3;

/// Monomials of what is multiplied, and of the product, at most.
const LONGEST_FACT: usize = 12;
const LONGEST: usize = 32;

/// Assertions of which each is multiplied by each.
const MOST_ASSERTIONS: usize = 10;

impl Reading<'_> {
    /// What follows of products of what is said; `asserted` is what the conjunction says itself.
    pub fn products_of_facts(&mut self, asserted: &[TermId]) -> Vec<TermId> {
        let mut asserted = facts(&self.relaxed.unknowns, asserted);
        for order in self.forward.iter().flat_map(|forward| &forward.orders) {
            if !asserted.contains(order) {
                asserted.push(order.clone());
            }
        }
        let mut lemmas = self.multiples(&asserted);
        lemmas.extend(self.products_of_assertions(asserted));
        lemmas
    }

    /// Facts times what makes known products of them: first products that assertions are about.
    fn multiples(&mut self, asserted: &[Polynomial]) -> Vec<TermId> {
        let unknowns = &self.relaxed.unknowns;
        let is_product = |monomial: &&Monomial| monomial.len() > 1;
        let of_assertions = asserted.iter().flat_map(|fact| fact.terms().map(|(monomial, _)| monomial));
        let mut monomials: Vec<Monomial> = of_assertions.filter(is_product).cloned().collect();
        let mut all = asserted.to_vec();
        for fact in facts(unknowns, &unknowns.said) {
            if !all.contains(&fact) {
                all.push(fact);
            }
        }
        let known = all.len();
        let mut factors: Vec<Unknown> =
            unknowns.monomials().filter(|monomial| monomial.len() > 2).flatten().copied().collect();
        factors.sort_unstable();
        factors.dedup();
        for factor in factors {
            all.extend(of_bounds(factor, unknowns.bounds_of(factor)));
        }
        let mut lemmas = Vec::new();
        let mut done: FxHashSet<(usize, Monomial)> = FxHashSet::default();
        for _ in 0..ROUNDS {
            monomials.dedup();
            for monomial in &monomials {
                for (place, fact) in all.iter().enumerate() {
                    // Products of two factors lie between planes already.
                    let least = if place < known { 1 } else { 2 };
                    for (part, _) in fact.terms().filter(|(part, _)| !part.is_empty()) {
                        let Some(rest) = without(monomial, part).filter(|rest| rest.len() >= least) else { continue };
                        let Some(side) = self.relaxed.unknowns.side(&rest) else { continue };
                        if done.insert((place, rest.clone())) {
                            let mut factor = Polynomial::default();
                            let sign = if side == Side::NotNegative { 1 } else { -1 };
                            factor.add(rest, BigRational::from_integer(sign.into()));
                            lemmas.extend(self.not_negative(fact.times(&factor)));
                        }
                        if lemmas.len() >= MOST_MULTIPLES {
                            return lemmas;
                        }
                    }
                }
            }
            monomials = self.relaxed.unknowns.monomials().cloned().collect();
        }
        lemmas
    }

    /// Assertions times each other.
    fn products_of_assertions(&mut self, mut asserted: Vec<Polynomial>) -> Vec<TermId> {
        asserted.sort_by_key(|fact| (fact.degree(), fact.len()));
        asserted.truncate(MOST_ASSERTIONS);
        let mut lemmas = Vec::new();
        for (place, first) in asserted.iter().enumerate() {
            for second in &asserted[..place] {
                if lemmas.len() < MOST_PAIRS {
                    lemmas.extend(self.not_negative(first.times(second)));
                }
            }
        }
        lemmas
    }

    /// That a product is not negative, unless it is long or nothing new.
    fn not_negative(&mut self, product: Option<Polynomial>) -> Option<TermId> {
        let product = self.forward.as_ref()?.reduced(product?);
        if product.len() > LONGEST || product.degree() < 2 {
            return None;
        }
        Some(self.relaxed.unknowns.at_most(&Polynomial::default(), &product))
    }
}

/// Polynomials that are not negative where terms hold; without those of which the opposite is not negative either.
fn facts(unknowns: &Unknowns, terms: &[TermId]) -> Vec<Polynomial> {
    let mut found: Vec<Polynomial> = Vec::new();
    let minus = -BigRational::one();
    for Literal { term, holds } in conjuncts(&unknowns.store, terms.iter().map(Literal::asserted).collect()) {
        let Some(difference) = unknowns.compared.get(&term) else { continue };
        let fact = if holds { difference.scaled(&minus) } else { difference.clone() };
        if fact.len() <= LONGEST_FACT && fact.degree() > 0 && !found.contains(&fact) {
            found.push(fact);
        }
    }
    let is_equality = |fact: &Polynomial| found.contains(&fact.scaled(&minus));
    found.iter().filter(|fact| !is_equality(fact)).cloned().collect()
}

/// That an unknown is between its bounds.
fn of_bounds(unknown: Unknown, Bounds { low, high }: &Bounds) -> Vec<Polynomial> {
    let distance = |end: &BigRational, sign: i32| {
        let sign = BigRational::from_integer(sign.into());
        let mut distance = Polynomial::constant(-end * &sign);
        distance.add(Monomial::from_slice(&[unknown]), sign);
        distance
    };
    let above = low.as_ref().filter(|low| !low.is_zero()).map(|low| distance(low, 1));
    above.into_iter().chain(high.as_ref().map(|high| distance(high, -1))).collect()
}
