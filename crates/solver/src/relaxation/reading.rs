//! Floats, integers and truth values as real arithmetic.

use labrys_float::Format;
use labrys_term::{Op, Sort, Store, TermId};
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashMap;

use super::floats::Value;
use super::forward::Forward;
use super::products;
use super::rounding::Rounding;
use super::unknowns::{Bounds, Monomial, Polynomial, Unknown, Unknowns};
use crate::domain::{BitVecDomain, Facts};
use crate::integers::{self, Range};

/// A formula over the reals, and what lemmas are about.
#[derive(Debug)]
pub(super) struct Relaxed {
    /// Whether floats are exact terms with bounded errors; then products are for z3 alone.
    pub is_forward: bool,
    pub unknowns: Unknowns,
    pub roundings: Vec<Rounding>,
    /// What floats are, with their formats, if they are numbers.
    pub floats: Vec<(Format, Polynomial, Option<TermId>)>,
    /// Which unknowns are integers, if something holds.
    pub integers: Vec<(Unknown, Option<TermId>)>,
    /// Unknowns that are zero or at least of a size, if something holds.
    pub gaps: Vec<(Unknown, BigRational, Option<TermId>)>,
}

/// What was read of a conjunction.
pub(super) struct Reading<'a> {
    pub store: Store,
    pub facts: &'a Facts,
    /// Variables that are equal to terms, of which there are facts.
    pub named: FxHashMap<TermId, TermId>,
    integers: integers::Values,
    pub relaxed: Relaxed,
    pub numbers: FxHashMap<TermId, Value>,
    pub truths: FxHashMap<TermId, TermId>,
    /// Whether floats are NaN, and whether infinite, where they may be either.
    pub classes: FxHashMap<TermId, [TermId; 2]>,
    /// Where floats are exact terms with bounded errors.
    pub forward: Option<Forward>,
    /// The unknowns of [`integers::Values::atoms`].
    atoms: FxHashMap<TermId, Unknown>,
}

impl<'a> Reading<'a> {
    /// The formula of the conjunction of `assertions`, floats with their roundings as unknowns or as `forward` has them; `None` if it is too large.
    pub fn read(
        mut store: Store,
        assertions: &[TermId],
        named: &[(TermId, TermId)],
        facts: &'a Facts,
        forward: Option<Forward>,
    ) -> Option<Relaxed> {
        let terms = store.reachable(assertions);
        let named: FxHashMap<TermId, TermId> = named.iter().copied().collect();
        let domain = |term: &TermId| Some((*term, *facts.bit_vector(*named.get(term).unwrap_or(term))?));
        let known: Vec<(TermId, BitVecDomain)> = terms.iter().filter_map(domain).collect();
        let integers = integers::values(&mut store, assertions, known)?;
        let relaxed = Relaxed {
            is_forward: forward.is_some(),
            unknowns: Unknowns::default(),
            roundings: Vec::new(),
            floats: Vec::new(),
            integers: Vec::new(),
            gaps: Vec::new(),
        };
        let mut reading = Reading {
            store,
            facts,
            named,
            integers,
            relaxed,
            numbers: FxHashMap::default(),
            truths: FxHashMap::default(),
            classes: FxHashMap::default(),
            forward,
            atoms: FxHashMap::default(),
        };
        for term in terms {
            match *reading.store.sort(term) {
                Sort::Bool => {
                    let truth = reading.truth(term);
                    if let Some(known) = facts.truth(term) {
                        let unknowns = &mut reading.relaxed.unknowns;
                        let said = if known { truth } else { unknowns.store.not(truth) };
                        unknowns.said.push(said);
                    }
                    reading.truths.insert(term, truth);
                }
                Sort::Float(format) => {
                    if let Some(value) = reading.float(term, format) {
                        let float = (format, value.polynomial.clone(), value.number);
                        if !reading.relaxed.floats.contains(&float) {
                            reading.relaxed.floats.push(float);
                        }
                        reading.numbers.insert(term, value);
                    }
                }
                _ => {}
            }
        }
        reading.divisions();
        if reading.forward.is_some() {
            reading.squares_of_sums();
        }
        let mut relaxed = reading.relaxed;
        relaxed.unknowns.said.extend(assertions.iter().map(|assertion| reading.truths[assertion]));
        relaxed.begin();
        Some(relaxed)
    }

    /// q·d + r = x of each division.
    fn divisions(&mut self) {
        for [quotient, divisor, remainder, dividend] in self.integers.divisions.clone() {
            let [q, d, r, x] = [&quotient, &divisor, &remainder, &dividend].map(|part| self.polynomial(part));
            let sum = q.times(&d).and_then(|product| product.plus(&r, &BigRational::one()));
            if let Some(sum) = sum {
                let equal = self.relaxed.unknowns.equal(&sum, &x);
                self.relaxed.unknowns.said.push(equal);
            }
        }
    }

    /// A vector as a number.
    pub fn integer(&mut self, term: TermId, is_signed: bool) -> Option<Polynomial> {
        let polynomial = self.integers.of(term, is_signed)?.clone();
        Some(self.polynomial(&polynomial))
    }

    fn polynomial(&mut self, polynomial: &integers::Polynomial) -> Polynomial {
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in polynomial.terms() {
            let mut factors: Monomial = monomial.iter().map(|factor| self.atom(*factor)).collect();
            factors.sort_unstable();
            sum.add(factors, BigRational::from_integer(coefficient.clone()));
        }
        sum
    }

    /// The unknown of a vector that is not taken apart.
    fn atom(&mut self, term: TermId) -> Unknown {
        if let Some(known) = self.atoms.get(&term) {
            return *known;
        }
        let range = self.integers.atoms.get(&term).cloned();
        let bounds = range.map_or_else(Bounds::default, |range| Bounds {
            low: Some(range.low.into()),
            high: Some(range.high.into()),
        });
        let found = self.relaxed.unknowns.unknown(bounds);
        self.relaxed.integers.push((found, None));
        self.atoms.insert(term, found);
        self.define(term, &Polynomial::atom(found));
        found
    }

    /// What is known of a vector that is chosen, or rounded from a float.
    fn define(&mut self, atom: TermId, found: &Polynomial) {
        let mut node = self.store.node(atom).clone();
        let mut is_signed = true;
        if matches!(node.op, Op::ZeroExtend(1)) {
            node = self.store.node(node.args[0]).clone();
            is_signed = false;
        }
        match (&node.op, &node.args[..]) {
            (Op::Ite, &[condition, a, b]) => {
                let parts = [a, b].map(|part| Some((self.integer(part, is_signed)?, None)));
                self.chosen(found, condition, parts);
            }
            (Op::FpToSigned(width) | Op::FpToUnsigned(width), &[mode, float]) => {
                let of_signed = matches!(node.op, Op::FpToSigned(_));
                let Some(inner) = self.actual(float).filter(|_| of_signed == is_signed) else { return };
                let all = if is_signed { Range::signed(*width) } else { Range::unsigned(*width) };
                let [low, high] = [all.low, all.high].map(|end| Polynomial::constant(end.into()));
                let unknowns = &mut self.relaxed.unknowns;
                let fits = [unknowns.at_most(&low, &inner.polynomial), unknowns.at_most(&inner.polynomial, &high)];
                let premise = unknowns.all(&[inner.number, Some(fits[0]), Some(fits[1])]);
                let mode = self.mode(mode);
                self.integral(mode, &inner.polynomial, found, premise);
            }
            _ => {}
        }
    }
}

impl Relaxed {
    /// What is said of products before any model.
    fn begin(&mut self) {
        for rounding in &self.roundings {
            // So that their products are unknowns.
            self.unknowns.linear(&rounding.exact);
        }
        let mut place = 0;
        while let Some(product) = self.unknowns.products.get(place).copied() {
            let lemmas = products::envelopes(&mut self.unknowns, &product);
            self.unknowns.said.extend(lemmas);
            place += 1;
        }
    }
}
