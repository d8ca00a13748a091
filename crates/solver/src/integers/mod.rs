//! Arithmetic of bit vectors that does not wrap, as arithmetic of integers.
//!
//! Circuits of products and quotients of 64 bits are out of reach of a SAT solver, and laws such as x/1000·1000 + x%1000 = x are about nothing else. Where
//! operands have bounds, a vector's signed or unsigned value is a polynomial with integer coefficients over the values of fewer
//! terms, through extensions and truncations; where sums are said to be equal, choices of values that differ by a number are sums, too. Comparisons are then of polynomials, less multiples of what equations among the conjuncts, which stay,
//! say is zero; many are constant or have a sign; quotients and remainders are
//! [variables](division) of which the definition is said, which has no circuit of a division in it.
//!
//! **Claim.** The models of the rewritten conjuncts are those of the given ones, each with values for the new variables.
//!
//! **Argument.** Bounds are read off conjuncts that stay. In a model in which they hold each term has the value of its polynomial, by induction: an operation of vectors
//! is that of integers modulo 2^n, and so the integer itself where that lies in the sort's range; ranges are computed by interval arithmetic from those of the unknowns. New
//! variables have in each model exactly one value of which their definition holds, so that what follows from it may be used whether it is written down or not; it is written down
//! for all variables that occur. A comparison of two vectors says the same as that of their polynomials. These are computed in vectors that hold whatever either side can be.

mod bounds;
mod division;
mod polynomial;
mod range;
mod reading;
#[cfg(test)]
mod tests;

use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::domain::BitVecDomain;
use bounds::Bounds;
pub(crate) use bounds::literal;
use division::{Plan, Record};
pub(crate) use polynomial::Polynomial;
pub(crate) use range::Range;
use reading::{Known, Reading};
pub(crate) use reading::{indicator, truth_range};

/// Terms of the largest conjunction that is read, and bits of the widest vectors that are made.
const MOST_TERMS: usize = 5_000;
const WIDEST: u32 = 1 << 10;

/// Equations by which sums are reduced, and summands of one, at most.
const MOST_EQUATIONS: usize = 16;
const MOST_SUMMANDS: usize = 64;

/// The conjuncts with comparisons of integers in the place of those of vectors; `None` if there is nothing to gain.
pub fn rewritten(store: &mut Store, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
    Some(rewritten_with(store, conjuncts)?.0)
}

/// The same, and what all new variables are.
fn rewritten_with(store: &mut Store, conjuncts: &[TermId]) -> Option<(Vec<TermId>, Vec<Record>)> {
    let terms = store.reachable(conjuncts);
    let is_hard =
        |term: &TermId| matches!(store.node(*term).op, Op::BvMul | Op::BvSdiv | Op::BvSrem | Op::BvUdiv | Op::BvUrem);
    let is_equation = |term: &TermId| {
        let node = store.node(*term);
        node.op == Op::Eq && matches!(store.sort(node.args[0]), Sort::BitVec(2..))
    };
    let is_choice = |term: &TermId| store.node(*term).op == Op::Ite && matches!(store.sort(*term), Sort::BitVec(2..));
    let has_counts = conjuncts.iter().any(is_equation) && terms.iter().any(is_choice);
    if terms.len() > MOST_TERMS || !has_counts && !terms.iter().any(is_hard) {
        return None;
    }
    let mut bounds = Bounds::default();
    let mut stays: Vec<bool> = conjuncts.iter().map(|conjunct| bounds.read(store, *conjunct)).collect();
    let nothing = Plan::default();
    let mut reading = Reading::with_counts(store, &bounds, &nothing, has_counts);
    reading.read_all(&terms);
    let plan = std::mem::take(&mut reading.found).plan();
    let mut writing = Writing {
        reading: Reading::with_counts(store, &bounds, &plan, has_counts),
        equations: Vec::new(),
        done: FxHashMap::default(),
        has_replaced: false,
    };
    writing.reading.read_all(&terms);
    for (conjunct, stays) in conjuncts.iter().zip(&mut stays).filter(|(_, stays)| !**stays) {
        // What others are reduced by is said as it was.
        *stays = has_counts && writing.read_equation(*conjunct);
    }
    for term in terms {
        let new = writing.term(term);
        writing.done.insert(term, new);
    }
    if !writing.has_replaced {
        return None;
    }
    let written = conjuncts.iter().zip(stays);
    let mut written: Vec<TermId> =
        written.map(|(conjunct, stays)| if stays { *conjunct } else { writing.done[conjunct] }).collect();
    let records = std::mem::take(&mut writing.reading.records);
    writing.define(&mut written, records.clone())?;
    Some((written, records))
}

/// What vectors are as numbers.
pub(crate) struct Values {
    signed: FxHashMap<TermId, Known>,
    unsigned: FxHashMap<TermId, Known>,
    /// The ranges of the terms that polynomials are over.
    pub atoms: FxHashMap<TermId, Range>,
    /// Quotients, each with divisor, remainder and dividend: q·d + r = x.
    pub divisions: Vec<[Polynomial; 4]>,
}

impl Values {
    /// What a vector that was read is, signed or unsigned: a polynomial over the signed values of [`Values::atoms`].
    pub fn of(&self, term: TermId, is_signed: bool) -> Option<&Polynomial> {
        let map = if is_signed { &self.signed } else { &self.unsigned };
        map.get(&term).map(|known| &known.value)
    }
}

/// The vectors of conjuncts as numbers, of some of which more is known than the conjuncts say, and of some the range of signed values; `None` if there are too many.
pub(crate) fn values(
    store: &mut Store,
    conjuncts: &[TermId],
    known: impl IntoIterator<Item = (TermId, BitVecDomain)>,
    signed: impl IntoIterator<Item = (TermId, Range)>,
) -> Option<Values> {
    let terms = store.reachable(conjuncts);
    if terms.len() > MOST_TERMS {
        return None;
    }
    let mut bounds = Bounds::default();
    for conjunct in conjuncts {
        bounds.read(store, *conjunct);
    }
    for (term, domain) in known {
        bounds.learn(term, &domain);
    }
    for (term, range) in signed {
        bounds.learn_signed(term, &range);
    }
    let plan = Plan::default();
    let mut reading = Reading::with_shifts(store, &bounds, &plan);
    reading.read_all(&terms);
    Some(reading.values())
}

impl Reading<'_> {
    /// Reads vectors, each after those that it is made of.
    fn read_all(&mut self, terms: &[TermId]) {
        for &term in terms {
            if matches!(self.store.sort(term), Sort::BitVec(_)) {
                self.of(term, true);
                self.of(term, false);
            }
        }
    }
}

/// Terms of what was read.
struct Writing<'a> {
    reading: Reading<'a>,
    /// What is zero by conjuncts that stay.
    equations: Vec<Polynomial>,
    done: FxHashMap<TermId, TermId>,
    has_replaced: bool,
}

impl Writing<'_> {
    /// A term whose arguments are done.
    fn term(&mut self, term: TermId) -> TermId {
        let node = self.reading.store.node(term).clone();
        let replaced = match node.op {
            Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => self.comparison(&node.op, &node.args),
            Op::BvSdiv | Op::BvSrem | Op::BvUdiv | Op::BvUrem => self.divided(term),
            _ => None,
        };
        self.has_replaced |= replaced.is_some();
        if let Some(replaced) = replaced {
            return replaced;
        }
        let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| self.done[arg]).collect();
        if args[..] == node.args[..] { term } else { self.reading.store.mk(node.op, &args) }
    }

    /// A quotient or a remainder without its circuit.
    fn divided(&mut self, term: TermId) -> Option<TermId> {
        let is_signed = matches!(self.reading.store.node(term).op, Op::BvSdiv | Op::BvSrem);
        let known = self.reading.of(term, is_signed);
        known.divides.then(|| self.vector(&known.value, self.reading.width(term)))
    }

    /// Notes what is zero by a conjunct; whether it is an equation of sums.
    fn read_equation(&mut self, conjunct: TermId) -> bool {
        let node = self.reading.store.node(conjunct);
        let (Op::Eq, &[a, b]) = (&node.op, &node.args[..]) else { return false };
        if self.equations.len() == MOST_EQUATIONS || !matches!(self.reading.store.sort(a), Sort::BitVec(_)) {
            return false;
        }
        let [a, b] = [a, b].map(|side| self.reading.of(side, true).value);
        let zero = a.plus(&b, &-BigInt::one()).filter(|zero| zero.degree() == 1 && zero.len() <= MOST_SUMMANDS);
        self.equations.extend(zero.clone());
        zero.is_some()
    }

    /// A polynomial that is the same by the equations, and of as few terms as they lead to one after the other.
    fn reduced(&self, polynomial: &Polynomial) -> Polynomial {
        let mut reduced = polynomial.clone();
        if polynomial.len() > 2 * MOST_SUMMANDS {
            return reduced;
        }
        loop {
            let mut fewest: Option<Polynomial> = None;
            for equation in &self.equations {
                for (monomial, coefficient) in equation.terms().filter(|(monomial, _)| !monomial.is_empty()) {
                    let own = reduced.coefficient(monomial);
                    let Some(times) = own.filter(|own| own.is_multiple_of(coefficient)).map(|own| own / coefficient)
                    else {
                        continue;
                    };
                    let without = reduced.plus(equation, &-times);
                    let least = fewest.as_ref().map_or(reduced.len(), Polynomial::len);
                    fewest = without.filter(|without| without.len() < least).or(fewest);
                }
            }
            match fewest {
                Some(fewest) => reduced = fewest,
                None => return reduced,
            }
        }
    }

    /// A comparison of vectors as one of integers, where that is decided or simpler.
    fn comparison(&mut self, op: &Op, args: &[TermId]) -> Option<TermId> {
        let &[a, b] = args else { return None };
        if !matches!(self.reading.store.sort(a), Sort::BitVec(_)) {
            return None;
        }
        let views: &[bool] = match op {
            Op::Eq => &[true, false],
            Op::BvSlt | Op::BvSle => &[true],
            _ => &[false],
        };
        let order = Order::of(op);
        let mut found = None;
        for &is_signed in views {
            let (left, right) = (self.reading.of(a, is_signed), self.reading.of(b, is_signed));
            let Some(whole) = left.value.plus(&right.value, &-BigInt::one()) else { continue };
            let difference = self.reduced(&whole);
            let range = left.range.minus(&right.range).met(&self.reading.range(&difference));
            if let Some(truth) = order.decided(&range).or_else(|| self.decided(order, &difference)) {
                return Some(self.reading.store.bool_const(truth));
            }
            let is_simpler = products(&difference) < products(&left.value) + products(&right.value)
                || difference.len() < whole.len();
            if found.is_none() && (left.divides || right.divides || is_simpler) {
                found = self.compared(order, &difference);
            }
        }
        found
    }

    /// A comparison with zero, decided with remainders by their definition.
    fn decided(&self, order: Order, difference: &Polynomial) -> Option<bool> {
        let remainders: FxHashMap<TermId, Polynomial> = self.reading.records.iter().filter_map(eliminated).collect();
        let mut without = difference.clone();
        for _ in 0..remainders.len().min(4) {
            without = without.with(|term| remainders.get(&term).cloned())?;
        }
        order.decided(&self.reading.range(&without))
    }

    /// A comparison of a polynomial with zero, its negative terms on the other side.
    fn compared(&mut self, order: Order, difference: &Polynomial) -> Option<TermId> {
        if let Some(constant) = difference.as_constant() {
            let truth = order.decided(&Range::of(constant))?;
            return Some(self.reading.store.bool_const(truth));
        }
        let (left, right) = difference.sides();
        // Wide enough for all values of the unknowns, so that definitions say what they say.
        let both = self.reading.range_of_parts(&left).joined(&self.reading.range_of_parts(&right));
        let width = both.bits();
        if width > WIDEST {
            return None;
        }
        let sides = [self.vector(&left, width), self.vector(&right, width)];
        Some(self.reading.store.mk(order.op(), &sides))
    }

    /// A polynomial modulo 2^width.
    fn vector(&mut self, polynomial: &Polynomial, width: u32) -> TermId {
        let modulus = BigInt::one() << width;
        let mut sum: Option<TermId> = None;
        for (monomial, coefficient) in polynomial.terms() {
            let factors: Vec<TermId> = monomial.iter().map(|factor| self.resized(*factor, width)).collect();
            let store = &mut *self.reading.store;
            let product = factors.into_iter().reduce(|product, factor| store.mk(Op::BvMul, &[product, factor]));
            let magnitude = ((coefficient % &modulus) + &modulus) % &modulus;
            let scale = store.bv_const(width, magnitude.magnitude().clone());
            let term = match product {
                None => scale,
                Some(product) if coefficient.is_one() => product,
                Some(product) => store.mk(Op::BvMul, &[scale, product]),
            };
            sum = Some(sum.map_or(term, |sum| store.mk(Op::BvAdd, &[sum, term])));
        }
        sum.unwrap_or_else(|| self.reading.store.bv_const(width, 0u8))
    }

    /// An unknown, extended or truncated.
    fn resized(&mut self, atom: TermId, width: u32) -> TermId {
        let done = self.written(atom);
        let now = self.reading.width(done);
        let store = &mut *self.reading.store;
        match now.cmp(&width) {
            std::cmp::Ordering::Equal => done,
            std::cmp::Ordering::Less => store.mk(Op::SignExtend(width - now), &[done]),
            std::cmp::Ordering::Greater => store.mk(Op::Extract { high: width - 1, low: 0 }, &[done]),
        }
    }

    /// An unknown as it is written.
    fn written(&mut self, atom: TermId) -> TermId {
        if let Some(done) = self.done.get(&atom) {
            return *done;
        }
        let node = self.reading.store.node(atom).clone();
        match (&node.op, node.args.first().and_then(|inner| self.done.get(inner))) {
            (Op::ZeroExtend(_), Some(inner)) => self.reading.store.mk(node.op.clone(), &[*inner]),
            _ => atom,
        }
    }

    /// Adds the definitions of new variables that occur; `None` if one is too large.
    fn define(&mut self, written: &mut Vec<TermId>, mut left: Vec<Record>) -> Option<()> {
        loop {
            let occurring: FxHashSet<TermId> = self.reading.store.reachable(written).into_iter().collect();
            let occurs = |record: &Record| record.variables().iter().any(|variable| occurring.contains(variable));
            let (now, later): (Vec<Record>, Vec<Record>) = left.into_iter().partition(occurs);
            if now.is_empty() {
                return Some(());
            }
            left = later;
            for record in now {
                let definition = self.definition(&record)?;
                written.extend(definition);
            }
        }
    }

    fn definition(&mut self, record: &Record) -> Option<Vec<TermId>> {
        let mut all = Vec::new();
        for variable in record.variables() {
            all.extend(self.within(variable));
        }
        match record {
            Record::Digits(atom, chain) => {
                let digits = chain.quotient(&BigInt::one())?;
                let difference = digits.plus(&Polynomial::atom(*atom), &-BigInt::one())?;
                all.push(self.compared(Order::Equal, &difference)?);
                if chain.range.low.is_negative() && chain.range.high.is_positive() {
                    all.push(self.of_one_sign(&chain.digits)?);
                }
            }
            Record::Pair { dividend, divisor, quotient, remainder } => {
                let (q, r) = (Polynomial::atom(*quotient), Polynomial::atom(*remainder));
                let product = q.times(&divisor.value)?;
                let difference = product.plus(&r, &BigInt::one())?.plus(&dividend.value, &-BigInt::one())?;
                all.push(self.compared(Order::Equal, &difference)?);
                if divisor.value.as_constant().is_none() {
                    all.push(self.nearer(&r, &divisor.value)?);
                }
                if dividend.range.low.is_negative() && dividend.range.high.is_positive() {
                    let signs = [&r, &dividend.value].map(|value| {
                        let minus = value.scaled(&-BigInt::one());
                        // Above zero, and below it.
                        (self.compared(Order::Less, &minus), self.compared(Order::Less, value))
                    });
                    let [(r_above, r_below), (x_above, x_below)] = signs;
                    for (premise, conclusion) in [(r_above?, x_above?), (r_below?, x_below?)] {
                        let store = &mut *self.reading.store;
                        let not = store.not(premise);
                        all.push(store.or(&[not, conclusion]));
                    }
                }
            }
        }
        Some(all)
    }

    /// That a variable is in its range.
    fn within(&mut self, variable: TermId) -> Vec<TermId> {
        let range = self.reading.atoms[&variable].clone();
        let width = self.reading.width(variable);
        let whole = Range::signed(width);
        let ends = [&range.low, &range.high].map(|end| self.vector(&Polynomial::constant(end.clone()), width));
        let mut said = Vec::new();
        if range.low != whole.low {
            said.push(self.reading.store.mk(Op::BvSle, &[ends[0], variable]));
        }
        if range.high != whole.high {
            said.push(self.reading.store.mk(Op::BvSle, &[variable, ends[1]]));
        }
        said
    }

    /// That none of the digits is negative, or none positive.
    fn of_one_sign(&mut self, digits: &[TermId]) -> Option<TermId> {
        let mut sides = Vec::new();
        for factor in [-1, 1] {
            let mut all = Vec::new();
            for digit in digits {
                let value = Polynomial::atom(*digit).scaled(&factor.into());
                all.push(self.compared(Order::LessOrEqual, &value)?);
            }
            sides.push(self.reading.store.and(&all));
        }
        Some(self.reading.store.or(&sides))
    }

    /// |r| < |d|.
    fn nearer(&mut self, r: &Polynomial, d: &Polynomial) -> Option<TermId> {
        let mut cases = Vec::new();
        for sign in [BigInt::one(), -BigInt::one()] {
            // r − |d| < 0 and −r − |d| < 0 with |d| = sign·d.
            let size = d.scaled(&sign);
            let above = r.plus(&size, &-BigInt::one())?;
            let below = r.scaled(&-BigInt::one()).plus(&size, &-BigInt::one())?;
            let both = [self.compared(Order::Less, &above)?, self.compared(Order::Less, &below)?];
            cases.push(self.reading.store.and(&both));
        }
        Some(self.reading.store.or(&cases))
    }
}

/// A remainder by its definition.
fn eliminated(record: &Record) -> Option<(TermId, Polynomial)> {
    let Record::Pair { dividend, divisor, quotient, remainder } = record else { return None };
    let product = Polynomial::atom(*quotient).times(&divisor.value)?;
    Some((*remainder, dividend.value.plus(&product, &-BigInt::one())?))
}

/// Products of unknowns.
fn products(polynomial: &Polynomial) -> usize {
    polynomial.terms().map(|(monomial, _)| monomial.len().saturating_sub(1)).sum()
}

/// How an integer is compared with zero.
#[derive(Clone, Copy, Debug)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
}

impl Order {
    fn of(op: &Op) -> Order {
        match op {
            Op::Eq => Order::Equal,
            Op::BvSlt | Op::BvUlt => Order::Less,
            _ => Order::LessOrEqual,
        }
    }

    fn op(self) -> Op {
        match self {
            Order::Equal => Op::Eq,
            Order::Less => Op::BvSlt,
            Order::LessOrEqual => Op::BvSle,
        }
    }

    /// Whether all values compare so with zero, or none.
    fn decided(self, range: &Range) -> Option<bool> {
        let zero = BigInt::zero();
        let (always, never) = match self {
            Order::Equal => (range.low.is_zero() && range.high.is_zero(), !range.contains(&zero)),
            Order::Less => (range.high.is_negative(), !range.low.is_negative()),
            Order::LessOrEqual => (!range.high.is_positive(), range.low.is_positive()),
        };
        (always || never).then_some(always)
    }
}
