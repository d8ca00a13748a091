//! Floats, integers and truth values as real arithmetic.

use labrys_float::{Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::floats::{Value, bounds_of, is_finite};
use super::forward::Forward;
use super::known::Known;
use super::measured::Measured;
use super::products;
use super::rounding::Rounding;
use super::unknowns::{Bounds, Monomial, Polynomial, Unknown, Unknowns};
use crate::domain::{BitVecDomain, FloatDomain};
use crate::integers::{self, Range};

/// A formula over the reals, and what lemmas are about.
#[derive(Debug)]
pub(super) struct Relaxed {
    /// Whether floats are exact terms with bounded errors; then products are for z3 alone.
    pub is_forward: bool,
    pub unknowns: Unknowns,
    /// What is said for solvers of linear formulas alone, and the places of products that nothing else is about.
    pub linear: Vec<TermId>,
    pub linear_products: std::ops::Range<usize>,
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
    pub known: &'a Known,
    integers: integers::Values,
    pub relaxed: Relaxed,
    pub numbers: FxHashMap<TermId, Value>,
    pub truths: FxHashMap<TermId, TermId>,
    /// Whether floats are NaN, and whether infinite, where they may be either.
    pub classes: FxHashMap<TermId, [TermId; 2]>,
    /// Where floats are exact terms with bounded errors.
    pub forward: Option<Forward>,
    /// Whether what is linear is the exact result and an unknown error.
    pub are_added: bool,
    /// What [`integers::Values::atoms`] are.
    atoms: FxHashMap<TermId, Polynomial>,
}

/// Terms of the longest sum to which an error is added.
const MOST_ADDED: usize = 64;

impl<'a> Reading<'a> {
    /// An exact result and an error of at most so much, which lies where the float does; `None` if it is not linear, or long.
    pub fn with_error(&mut self, exact: &Value, domain: &FloatDomain, most: &BigRational) -> Option<Polynomial> {
        if exact.polynomial.degree() > 1 || exact.polynomial.len() > MOST_ADDED {
            return None;
        }
        let error = self.relaxed.unknowns.atom(Bounds::only(BigRational::zero()).widened(most));
        let result = exact.polynomial.plus(&error, &BigRational::one())?;
        self.lies(&result, &bounds_of(domain));
        Some(result)
    }

    /// The formula of a conjunction, floats with their roundings as unknowns or as `forward` has them; `None` if it is too large. If `are_added`, what is linear is not an unknown that is near to
    /// the exact result, but that and an unknown error.
    pub fn read(measured: &'a Measured, forward: Option<Forward>, are_added: bool) -> Option<Relaxed> {
        let Measured { store, assertions, known } = measured;
        let mut store = store.clone();
        let terms = store.reachable(assertions);
        let domain = |term: &TermId| Some((*term, known.vector(*term)?));
        let vectors: Vec<(TermId, BitVecDomain)> = terms.iter().filter_map(domain).collect();
        let converted: Vec<(TermId, Range)> =
            terms.iter().filter_map(|term| Some((*term, converted(&store, known, *term)?))).collect();
        let integers = integers::values(&mut store, assertions, vectors, converted)?;
        let relaxed = Relaxed {
            is_forward: forward.is_some(),
            unknowns: Unknowns::default(),
            linear: Vec::new(),
            linear_products: 0..0,
            roundings: Vec::new(),
            floats: Vec::new(),
            integers: Vec::new(),
            gaps: Vec::new(),
        };
        let mut reading = Reading {
            store,
            known,
            integers,
            relaxed,
            numbers: FxHashMap::default(),
            truths: FxHashMap::default(),
            classes: FxHashMap::default(),
            forward,
            are_added,
            atoms: FxHashMap::default(),
        };
        for term in terms {
            match *reading.store.sort(term) {
                Sort::Bool => {
                    let truth = reading.truth(term);
                    if let Some(known) = known.propagated(term) {
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
        let asserted: Vec<TermId> = assertions.iter().map(|assertion| reading.truths[assertion]).collect();
        reading.relaxed.unknowns.said.extend(&asserted);
        let envelopes = reading.relaxed.begin();
        reading.relaxed.unknowns.said.extend(envelopes);
        if reading.forward.is_some() {
            let Unknowns { said, products, .. } = &reading.relaxed.unknowns;
            let (exact, first) = (said.len(), products.len());
            let mut lemmas = reading.products_of_facts(&asserted);
            lemmas.extend(reading.relaxed.envelopes(first));
            reading.relaxed.linear_products = first..reading.relaxed.unknowns.products.len();
            // The bounds of new products, too.
            lemmas.extend(reading.relaxed.unknowns.said.drain(exact..));
            reading.relaxed.linear = lemmas;
        }
        Some(reading.relaxed)
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

    fn integer_or_literal(&mut self, term: TermId, is_signed: bool) -> Option<Polynomial> {
        let literal = integers::literal(&self.store, term).map(|(unsigned, signed)| {
            let value = if is_signed { signed } else { unsigned };
            Polynomial::constant(value.into())
        });
        literal.or_else(|| self.integer(term, is_signed))
    }

    /// 1 where a condition holds, else 0.
    pub fn indicator(&mut self, condition: TermId) -> Option<Polynomial> {
        let indicator = integers::indicator(&mut self.store, condition)?;
        self.integers.atoms.entry(indicator).or_insert_with(integers::truth_range);
        Some(self.atom(indicator))
    }

    fn polynomial(&mut self, polynomial: &integers::Polynomial) -> Polynomial {
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in polynomial.terms() {
            let factors: Vec<Polynomial> = monomial.iter().map(|factor| self.atom(*factor)).collect();
            let coefficient = BigRational::from_integer(coefficient.clone());
            let one = Polynomial::constant(BigRational::one());
            let product = factors.iter().try_fold(one, |product, factor| product.times(factor));
            let with_product = product.and_then(|product| sum.plus(&product, &coefficient));
            sum = with_product.unwrap_or_else(|| {
                // By unknowns where that is too large.
                let unknowns = &mut self.relaxed.unknowns;
                let mut factors: Monomial = factors.iter().map(|factor| unknowns.named(factor)).collect();
                factors.sort_unstable();
                sum.add(factors, coefficient);
                sum
            });
        }
        sum
    }

    /// A vector that is not taken apart.
    fn atom(&mut self, term: TermId) -> Polynomial {
        if let Some(known) = self.atoms.get(&term) {
            return known.clone();
        }
        let range = self.integers.atoms.get(&term).cloned();
        let bounds = range.map_or_else(Bounds::default, |range| Bounds {
            low: Some(range.low.into()),
            high: Some(range.high.into()),
        });
        if let Some(found) = self.rounded_to_integer(term, &bounds) {
            self.atoms.insert(term, found.clone());
            return found;
        }
        let unknown = self.relaxed.unknowns.unknown(bounds);
        let found = Polynomial::atom(unknown);
        self.relaxed.integers.push((unknown, None));
        self.atoms.insert(term, found.clone());
        self.define(term, &found);
        found
    }

    /// What is rounded from a float that fits is that and less than one, where roundings are no unknowns.
    fn rounded_to_integer(&mut self, term: TermId, bounds: &Bounds) -> Option<Polynomial> {
        self.forward.as_ref()?;
        let node = self.store.node(term).clone();
        let (&Op::FpToSigned(width), &[mode, float]) = (&node.op, &node.args[..]) else { return None };
        let of_float = self.domain(float).filter(is_finite).map(|domain| bounds_of(&domain))?;
        let Range { low, high } = Range::signed(width);
        let [low, high] = [low, high].map(BigRational::from_integer);
        if of_float.low.is_none_or(|least| least < low) || of_float.high.is_none_or(|most| most > high) {
            return None;
        }
        let inner = self.actual(float).filter(|inner| inner.number.is_none())?;
        let mode = self.mode(mode);
        self.near_integer(mode, &inner.polynomial, bounds)
    }

    /// The integer that a number is rounded to: one that is known, or the number and less than one.
    pub fn near_integer(
        &mut self,
        mode: Option<RoundingMode>,
        inner: &Polynomial,
        bounds: &Bounds,
    ) -> Option<Polynomial> {
        if let Some(known) = self.integer_beside(mode, inner) {
            return Some(known);
        }
        let one = BigRational::one();
        let unknowns = &mut self.relaxed.unknowns;
        let distance = unknowns.atom(Bounds { low: Some(-&one), high: Some(one.clone()) });
        let found = inner.plus(&distance, &one)?;
        self.integral(mode, inner, &found, None);
        self.lies(&found, bounds);
        let unknown = self.relaxed.unknowns.named(&found);
        self.relaxed.integers.push((unknown, None));
        self.forward.as_mut()?.integers.push(found.clone());
        Some(found)
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
                let parts = [a, b].map(|part| Some((self.integer_or_literal(part, is_signed)?, None)));
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

/// The signed values of a vector that a float is converted to, where all values of the float have one.
fn converted(store: &Store, known: &Known, term: TermId) -> Option<Range> {
    let node = store.node(term);
    let (&Op::FpToSigned(width), &[_, float]) = (&node.op, &node.args[..]) else { return None };
    let domain = known.number(store, float)?;
    let Bounds { low: Some(low), high: Some(high) } = bounds_of(&domain) else { return None };
    let all = Range::signed(width);
    let fits = BigRational::from_integer(all.low.clone()) <= low && high <= BigRational::from_integer(all.high.clone());
    fits.then(|| Range { low: low.floor().to_integer(), high: high.ceil().to_integer() }.met(&all))
}

impl Relaxed {
    /// What is said of products before any model.
    fn begin(&mut self) -> Vec<TermId> {
        for rounding in &self.roundings {
            // So that their products are unknowns.
            self.unknowns.linear(&rounding.exact);
        }
        self.envelopes(0)
    }

    /// Between which planes products lie from one on.
    fn envelopes(&mut self, mut place: usize) -> Vec<TermId> {
        let mut lemmas = Vec::new();
        while let Some(product) = self.unknowns.products.get(place).copied() {
            lemmas.extend(products::envelopes(&mut self.unknowns, &product));
            place += 1;
        }
        lemmas
    }
}
