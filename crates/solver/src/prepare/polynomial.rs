//! Equalities of bit-vector arithmetic, decided by polynomials modulo a power of two.
//!
//! **Claim.** Each term is replaced by one that is equal under every assignment. Vectors of n bits with addition and
//! multiplication are the ring of integers modulo 2^n, where −x, x − y, x shifted left by a constant, and the complement
//! −x − 1 are polynomials too. A term's polynomial over the terms below its arithmetic, taken as unknowns, therefore has the
//! term's value; that holds however early one stops expanding, so that limits of size cost only strength. Then s = t says
//! that the polynomial d of s − t is zero: true if d has no monomials; false if the unknowns' coefficients are all
//! divisible by a power of two (2^n if there are none) that does not divide the constant; and otherwise it may be
//! written again from d, with d's negative coefficients on the other side.
//!
//! Different polynomials can be the same function (x² + x is always even), so that not every equality is decided.

use std::rc::Rc;

use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Terms with more monomials are unknowns.
const MOST_MONOMIALS: usize = 64;

/// Terms with monomials of a higher degree are unknowns.
const MOST_FACTORS: usize = 4;

/// Terms of more bits are left alone.
const WIDEST: u32 = 1 << 12;

/// How many monomials are computed in all, each weighted by its coefficient's words.
const MOST_WORK: usize = 1 << 19;

/// How many operators of an equality are counted before writing it again counts as worthwhile.
const MOST_COUNTED: usize = 64;

/// Unknowns in ascending order, repeated for powers; none for the constant.
type Monomial = SmallVec<[TermId; MOST_FACTORS]>;

/// A sum of monomials, ascending, with coefficients from 1 to 2^n − 1.
type Polynomial = Vec<(Monomial, BigUint)>;

/// The polynomials of terms, as far as they were needed.
#[derive(Debug)]
pub(super) struct Polynomials {
    of: FxHashMap<TermId, Rc<Polynomial>>,
    /// What is left of [`MOST_WORK`].
    work: usize,
}

impl Polynomials {
    /// None is known.
    pub(super) fn new() -> Polynomials {
        Polynomials { of: FxHashMap::default(), work: MOST_WORK }
    }

    /// The conjuncts with comparisons of arithmetic decided or made smaller; `None` if there are no such ones.
    pub(super) fn simplify(&mut self, store: &mut Store, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in store.reachable(conjuncts) {
            let node = store.node(term);
            let mut args = node.args.clone();
            for arg in &mut args {
                *arg = done.get(arg).copied().unwrap_or(*arg);
            }
            let mut result = term;
            if args != node.args {
                let op = node.op.clone();
                result = store.mk(op, &args);
            }
            if let Some(comparison) = self.comparison(store, result) {
                result = comparison;
            }
            if result != term {
                done.insert(term, result);
            }
        }
        (!done.is_empty()).then(|| conjuncts.iter().map(|term| done.get(term).copied().unwrap_or(*term)).collect())
    }

    /// What may replace a comparison of bit vectors; `None` for other terms too.
    fn comparison(&mut self, store: &mut Store, term: TermId) -> Option<TermId> {
        let node = store.node(term);
        let op = node.op.clone();
        if !matches!(op, Op::Eq | Op::Distinct | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle) {
            return None;
        }
        let &[s, t] = &node.args[..] else { return None };
        let Sort::BitVec(width) = *store.sort(s) else { return None };
        // Without arithmetic there is nothing that another step would not see.
        if self.work == 0 || width > WIDEST || (operands(store, s).is_none() && operands(store, t).is_none()) {
            return None;
        }
        let ring = Ring::new(width);
        let (left, right) = (self.polynomial(store, s, &ring), self.polynomial(store, t, &ring));
        let difference = ring.sum(&left, &right, true);
        self.work = self.work.saturating_sub(ring.cost(left.len() + right.len()));
        if difference.is_empty() {
            return Some(store.bool_const(matches!(op, Op::Eq | Op::BvUle | Op::BvSle)));
        }
        if !matches!(op, Op::Eq | Op::Distinct) {
            return None;
        }
        if ring.is_never_zero(&difference) {
            return Some(store.bool_const(op == Op::Distinct));
        }
        let (few, products) = ring.operators(&difference);
        let (many, old_products) = self.operators(store, &[s, t]);
        if 2 * few > many || (products > 0 && products >= old_products) {
            return None;
        }
        let sides = ring.equation(store, difference);
        let result = store.mk(op, &sides);
        (result != term).then_some(result)
    }

    /// How many operators of arithmetic `roots` consist of, and how many are products of unknowns.
    fn operators(&self, store: &Store, roots: &[TermId]) -> (usize, usize) {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut pending = roots.to_vec();
        let mut products = 0;
        while let Some(term) = pending.pop() {
            let is_unknown = self.of.get(&term).is_none_or(|polynomial| **polynomial == unknown(term));
            let Some(args) = operands(store, term).filter(|_| !is_unknown && seen.len() < MOST_COUNTED) else {
                continue;
            };
            if seen.insert(term) {
                let is_literal = args.iter().any(|&arg| literal(store, arg).is_some());
                products += usize::from(store.node(term).op == Op::BvMul && !is_literal);
                pending.extend_from_slice(args);
            }
        }
        (seen.len(), products)
    }

    /// A term's polynomial.
    fn polynomial(&mut self, store: &Store, root: TermId, ring: &Ring) -> Rc<Polynomial> {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if !self.of.contains_key(&term) {
                let args = operands(store, term).filter(|_| self.work > 0).unwrap_or_default();
                let before = pending.len();
                pending.extend(args.iter().copied().filter(|arg| !self.of.contains_key(arg)));
                if pending.len() > before {
                    continue;
                }
                let polynomial = self.expanded(store, term, ring).unwrap_or_else(|| unknown(term));
                self.of.insert(term, Rc::new(polynomial));
            }
            pending.pop();
        }
        Rc::clone(&self.of[&root])
    }

    /// The polynomial of an operator whose arguments' polynomials are known; `None` for unknowns.
    fn expanded(&mut self, store: &Store, term: TermId, ring: &Ring) -> Option<Polynomial> {
        if let Some(bits) = literal(store, term) {
            return Some(ring.constant(bits.clone()));
        }
        let args = operands(store, term)?;
        // Arguments are missing where work ran out before they were reached.
        let first = Rc::clone(self.of.get(args.first()?)?);
        let second = args.get(1).map(|arg| self.of.get(arg).cloned());
        let op = &store.node(term).op;
        let steps = match (op, &second) {
            (Op::BvMul, Some(Some(second))) => first.len() * second.len(),
            (_, Some(Some(second))) => first.len() + second.len(),
            (_, Some(None)) => return None,
            (_, None) => first.len(),
        };
        let second = second.flatten();
        self.work = self.work.saturating_sub(ring.cost(steps));
        if self.work == 0 || steps > MOST_MONOMIALS * MOST_FACTORS {
            return None;
        }
        let polynomial = match (op, second) {
            (Op::BvAdd, Some(second)) => ring.sum(&first, &second, false),
            (Op::BvSub, Some(second)) => ring.sum(&first, &second, true),
            (Op::BvMul, Some(second)) => ring.product(&first, &second)?,
            (Op::BvNeg, None) => ring.sum(&[], &first, true),
            (Op::BvNot, None) => ring.sum(&ring.constant(ring.mask.clone()), &first, true),
            (Op::BvShl, None) => {
                let distance = literal(store, *store.node(term).args.get(1)?)?;
                let distance = u32::try_from(distance).unwrap_or(ring.width).min(ring.width);
                ring.product(&first, &ring.constant(BigUint::one() << distance))?
            }
            _ => return None,
        };
        (polynomial.len() <= MOST_MONOMIALS).then_some(polynomial)
    }
}

/// The arguments that a polynomial is made of; `None` for other operators.
fn operands(store: &Store, term: TermId) -> Option<&[TermId]> {
    let node = store.node(term);
    match node.op {
        Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg | Op::BvNot => Some(&node.args),
        Op::BvShl if literal(store, node.args[1]).is_some() => Some(&node.args[..1]),
        _ => None,
    }
}

/// A literal's value.
fn literal(store: &Store, term: TermId) -> Option<&BigUint> {
    match &store.node(term).op {
        Op::BitVecConst(bits) => Some(bits),
        _ => None,
    }
}

/// The polynomial of a term that is not opened.
fn unknown(term: TermId) -> Polynomial {
    vec![(smallvec![term], BigUint::one())]
}

/// Integers modulo 2^`width`.
struct Ring {
    width: u32,
    /// 2^`width` − 1.
    mask: BigUint,
}

impl Ring {
    fn new(width: u32) -> Ring {
        Ring { width, mask: (BigUint::one() << width) - 1u8 }
    }

    /// The work that computing so many monomials is.
    fn cost(&self, monomials: usize) -> usize {
        (monomials + 1) * (1 + self.width as usize / 64)
    }

    fn negated(&self, value: &BigUint) -> BigUint {
        ((&self.mask - value) + 1u8) & &self.mask
    }

    fn constant(&self, value: BigUint) -> Polynomial {
        let value = value & &self.mask;
        if value.is_zero() { Vec::new() } else { vec![(Monomial::new(), value)] }
    }

    /// `left` + `right`, or `left` − `right`.
    fn sum(&self, left: &[(Monomial, BigUint)], right: &[(Monomial, BigUint)], is_difference: bool) -> Polynomial {
        let right = right.iter().map(|(monomial, coefficient)| {
            let coefficient = if is_difference { self.negated(coefficient) } else { coefficient.clone() };
            (monomial.clone(), coefficient)
        });
        self.collected(left.iter().cloned().chain(right).collect())
    }

    /// The product; `None` if its degree is too high.
    fn product(&self, left: &[(Monomial, BigUint)], right: &[(Monomial, BigUint)]) -> Option<Polynomial> {
        let mut terms = Vec::with_capacity(left.len() * right.len());
        for (first, a) in left {
            for (second, b) in right {
                if first.len() + second.len() > MOST_FACTORS {
                    return None;
                }
                let mut factors: Monomial = first.iter().chain(second).copied().collect();
                factors.sort_unstable();
                terms.push((factors, (a * b) & &self.mask));
            }
        }
        Some(self.collected(terms))
    }

    /// Terms in order, equal monomials as one.
    fn collected(&self, mut terms: Polynomial) -> Polynomial {
        terms.sort_by(|(first, _), (second, _)| first.cmp(second));
        terms.dedup_by(|(monomial, coefficient), (kept, total)| {
            let is_same = monomial == kept;
            if is_same {
                *total += &*coefficient;
                *total &= &self.mask;
            }
            is_same
        });
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        terms
    }

    /// Whether a power of two divides everything but the constant.
    fn is_never_zero(&self, polynomial: &[(Monomial, BigUint)]) -> bool {
        // The constant, the empty monomial, comes first.
        let Some(((empty, constant), rest)) = polynomial.split_first() else { return false };
        let zeros = |value: &BigUint| value.trailing_zeros().unwrap_or(u64::from(self.width));
        empty.is_empty() && rest.iter().all(|(_, coefficient)| zeros(coefficient) > zeros(constant))
    }

    /// The coefficient's magnitude, and whether it counts as negative.
    fn magnitude(&self, coefficient: &BigUint) -> (BigUint, bool) {
        let is_negative = coefficient.bit(u64::from(self.width) - 1) && !coefficient.is_one();
        (if is_negative { self.negated(coefficient) } else { coefficient.clone() }, is_negative)
    }

    /// How many operators [`Ring::equation`] needs, and how many are products of unknowns.
    fn operators(&self, polynomial: &[(Monomial, BigUint)]) -> (usize, usize) {
        let products = polynomial.iter().map(|(monomial, _)| monomial.len().saturating_sub(1)).sum();
        let is_scaled = |(monomial, coefficient): &&(Monomial, BigUint)| {
            !monomial.is_empty() && !self.magnitude(coefficient).0.is_one()
        };
        let scaled = polynomial.iter().filter(is_scaled).count();
        (products + scaled + polynomial.len().saturating_sub(1), products)
    }

    /// Two terms that are equal exactly if the polynomial is zero.
    fn equation(&self, store: &mut Store, polynomial: Polynomial) -> [TermId; 2] {
        let mut sides: [Vec<TermId>; 2] = [Vec::new(), Vec::new()];
        let mut constant = BigUint::ZERO;
        for (monomial, coefficient) in polynomial {
            let Some((&first, rest)) = monomial.split_first() else {
                constant = coefficient;
                continue;
            };
            let (magnitude, is_negative) = self.magnitude(&coefficient);
            let mut term = rest.iter().fold(first, |product, &factor| store.mk(Op::BvMul, &[product, factor]));
            if !magnitude.is_one() {
                let scale = store.bv_const(self.width, magnitude);
                term = store.mk(Op::BvMul, &[scale, term]);
            }
            sides[usize::from(is_negative)].push(term);
        }
        // A side of its own for the constant shows a variable's value, where there is one.
        if !constant.is_zero() {
            let (magnitude, is_negative) = match [sides[0].is_empty(), sides[1].is_empty()] {
                [true, _] => (constant, false),
                [_, true] => (self.negated(&constant), true),
                _ => self.magnitude(&constant),
            };
            sides[usize::from(is_negative)].push(store.bv_const(self.width, magnitude));
        }
        sides.map(|terms| {
            let sum = terms.into_iter().reduce(|sum, term| store.mk(Op::BvAdd, &[sum, term]));
            sum.unwrap_or_else(|| store.bv_const(self.width, 0u8))
        })
    }
}

#[cfg(test)]
mod tests;
