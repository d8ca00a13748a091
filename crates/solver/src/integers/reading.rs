//! Terms as integers.

use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Values;
use super::bounds::{Bounds, literal};
use super::division::{Chain, Divided, Found, Key, Plan, Record, ShiftKey};
use super::polynomial::{Monomial, Polynomial};
use super::range::Range;

/// Monomials that are computed in all; what is beyond is unknown.
const MOST_WORK: usize = 1 << 17;

/// A term's value as an integer.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub value: Polynomial,
    pub range: Range,
    /// Whether it was computed with a quotient or a remainder.
    pub divides: bool,
}

/// The values of terms, as far as they were needed.
pub(super) struct Reading<'a> {
    pub store: &'a mut Store,
    pub bounds: &'a Bounds,
    /// What is divided by which literals.
    pub plan: &'a Plan,
    /// Whether shifts to the right, and masks of the lowest bits, are divisions, too.
    has_shifts: bool,
    /// Whether choices of two values that differ by a number are sums.
    has_counts: bool,
    /// The ranges of the terms that polynomials are over.
    pub atoms: FxHashMap<TermId, Range>,
    /// Sums whose ranges are known better than by their parts, by one monomial of each and its coefficient.
    sums: FxHashMap<Monomial, Vec<(BigInt, Polynomial, Range)>>,
    pub divisions: FxHashMap<Key, Option<Divided>>,
    pub shifts: FxHashMap<ShiftKey, Divided>,
    pub chains: FxHashMap<TermId, Chain>,
    pub records: Vec<Record>,
    pub found: Found,
    /// Variables that stand for quotients and remainders.
    pub fresh: FxHashSet<TermId>,
    signed: FxHashMap<TermId, Known>,
    unsigned: FxHashMap<TermId, Known>,
    /// What is left of [`MOST_WORK`].
    work: usize,
}

impl<'a> Reading<'a> {
    pub fn new(store: &'a mut Store, bounds: &'a Bounds, plan: &'a Plan) -> Reading<'a> {
        Reading {
            store,
            bounds,
            plan,
            has_shifts: false,
            has_counts: false,
            atoms: FxHashMap::default(),
            sums: FxHashMap::default(),
            divisions: FxHashMap::default(),
            shifts: FxHashMap::default(),
            chains: FxHashMap::default(),
            records: Vec::new(),
            found: Found::default(),
            fresh: FxHashSet::default(),
            signed: FxHashMap::default(),
            unsigned: FxHashMap::default(),
            work: MOST_WORK,
        }
    }

    /// The same, shifts as divisions: for who needs no circuits of what is read.
    pub fn with_shifts(store: &'a mut Store, bounds: &'a Bounds, plan: &'a Plan) -> Reading<'a> {
        Reading { has_shifts: true, has_counts: true, ..Reading::new(store, bounds, plan) }
    }

    /// The same without shifts, and with counts of what holds where that is asked for.
    pub fn with_counts(store: &'a mut Store, bounds: &'a Bounds, plan: &'a Plan, has_counts: bool) -> Reading<'a> {
        Reading { has_counts, ..Reading::new(store, bounds, plan) }
    }

    /// What was read.
    pub fn values(self) -> Values {
        let division = |record| match record {
            Record::Pair { dividend, divisor, quotient, remainder } => {
                Some([Polynomial::atom(quotient), divisor.value, Polynomial::atom(remainder), dividend.value])
            }
            Record::Digits(..) => None,
        };
        let divisions = self.records.into_iter().filter_map(division).collect();
        Values { signed: self.signed, unsigned: self.unsigned, atoms: self.atoms, divisions }
    }

    pub fn width(&self, term: TermId) -> u32 {
        match self.store.sort(term) {
            Sort::BitVec(width) => *width,
            _ => 1,
        }
    }

    /// A vector's signed or unsigned value; those of its arguments are asked for first, so that this goes no deeper.
    pub fn of(&mut self, term: TermId, is_signed: bool) -> Known {
        let map = if is_signed { &self.signed } else { &self.unsigned };
        if let Some(known) = map.get(&term) {
            return known.clone();
        }
        let width = self.width(term);
        let whole = if is_signed { Range::signed(width) } else { Range::unsigned(width) };
        let read = self.read(term, is_signed).filter(|known| known.range.is_within(&whole));
        let known = match read {
            Some(known) => known,
            None => self.opened(term, is_signed, width),
        };
        let map = if is_signed { &mut self.signed } else { &mut self.unsigned };
        map.insert(term, known.clone());
        known
    }

    /// A term that is not taken apart: itself, or where the values differ itself with one more bit.
    fn opened(&mut self, term: TermId, is_signed: bool, width: u32) -> Known {
        if !is_signed {
            let signed = self.of(term, true);
            if signed.range.low >= BigInt::zero() {
                return signed;
            }
        }
        let range = self.bounds.of(term, width, is_signed);
        let atom = if is_signed { term } else { self.store.mk(Op::ZeroExtend(1), &[term]) };
        self.atom(atom, range)
    }

    /// A term as an unknown, or as its digits.
    fn atom(&mut self, atom: TermId, range: Range) -> Known {
        self.atoms.insert(atom, range.clone());
        let value = self.digits(atom, &range).unwrap_or_else(|| Polynomial::atom(atom));
        Known { value, range, divides: false }
    }

    /// The value by that of the arguments; it may lie outside of the sort, and then is another one.
    fn read(&mut self, term: TermId, is_signed: bool) -> Option<Known> {
        let node = self.store.node(term).clone();
        if let Some((unsigned, signed)) = literal(self.store, term) {
            let value = if is_signed { signed } else { unsigned };
            return Some(Known { value: Polynomial::constant(value.clone()), range: Range::of(value), divides: false });
        }
        let one = BigInt::one();
        match (&node.op, &node.args[..]) {
            (Op::SignExtend(_), &[x]) => Some(self.of(x, true)),
            (Op::ZeroExtend(_), &[x]) => Some(self.of(x, false)),
            (Op::Extract { low: 0, .. }, &[x]) => Some(self.of(x, is_signed)),
            // The signed and the unsigned value of x differ by a multiple of what each is divided by, and of what is cut off.
            (Op::Extract { low, .. }, &[x]) if self.has_shifts => Some(self.shifted(x, *low, is_signed)?.quotient),
            (Op::BvAshr, &[x, by]) if self.has_shifts && is_signed => {
                let by = self.distance(term, by)?;
                Some(self.shifted(x, by, true)?.quotient)
            }
            (Op::BvLshr, &[x, by]) if self.has_shifts => {
                let by = self.distance(term, by)?;
                Some(self.shifted(x, by, false)?.quotient)
            }
            (Op::BvAnd, &[x, y]) if self.has_shifts => {
                let lowest = |mask: TermId, store: &Store| {
                    let end: BigInt = literal(store, mask)?.0 + 1;
                    (end.magnitude().count_ones() == 1).then(|| end.bits() as u32 - 1)
                };
                let (of, bits) = match (lowest(x, self.store), lowest(y, self.store)) {
                    (_, Some(bits)) => (x, bits),
                    (Some(bits), _) => (y, bits),
                    _ => return None,
                };
                Some(self.shifted(of, bits, true)?.remainder)
            }
            (Op::Concat, &[x, y]) => {
                let scale = BigInt::one() << self.width(y);
                let (high, low) = (self.of(x, is_signed), self.of(y, false));
                self.sum(&low, &high, &scale)
            }
            (Op::BvAdd, &[x, y]) => {
                let (x, y) = (self.of(x, is_signed), self.of(y, is_signed));
                self.sum(&x, &y, &one)
            }
            (Op::BvSub, &[x, y]) => {
                let (x, y) = (self.of(x, is_signed), self.of(y, is_signed));
                self.sum(&x, &y, &-one)
            }
            (Op::BvNeg, &[x]) => {
                let x = self.of(x, is_signed);
                self.sum(&nothing(), &x, &-one)
            }
            (Op::BvMul, &[x, y]) => {
                let (x, y) = (self.of(x, is_signed), self.of(y, is_signed));
                self.work(x.value.len() * y.value.len())?;
                let value = x.value.times(&y.value)?;
                let range = x.range.times(&y.range).met(&self.range(&value));
                Some(Known { value, range, divides: x.divides || y.divides })
            }
            (Op::BvShl, &[x, by]) => {
                let by = self.distance(term, by)?;
                let x = self.of(x, is_signed);
                self.sum(&nothing(), &x, &(BigInt::one() << by))
            }
            (Op::Ite, &[condition, x_term, y_term]) => {
                let (x, y) = (self.of(x_term, is_signed), self.of(y_term, is_signed));
                let [of_x, of_y] = [(x_term, &x, true), (y_term, &y, false)]
                    .map(|(branch, known, holds)| self.chosen(condition, holds, branch, is_signed, &known.range));
                let range = of_x.joined(&of_y).met(&self.bounds.of(term, self.width(term), is_signed));
                if let Some(value) = self.counted(condition, &x, &y) {
                    return Some(Known { value, range, divides: x.divides || y.divides });
                }
                // A term that can be negative is another unknown as an unsigned number.
                (is_signed || range.high < BigInt::one() << (self.width(term) - 1)).then(|| self.atom(term, range))
            }
            (Op::BvSdiv, &[x, d]) if is_signed => Some(self.division(x, d, true)?.quotient),
            (Op::BvSrem, &[x, d]) if is_signed => Some(self.division(x, d, true)?.remainder),
            (Op::BvUdiv, &[x, d]) => Some(self.division(x, d, false)?.quotient),
            (Op::BvUrem, &[x, d]) => Some(self.division(x, d, false)?.remainder),
            _ => None,
        }
    }

    /// The values of a branch of a choice, where its condition compares it with a literal: a clamp.
    fn chosen(&self, condition: TermId, holds: bool, branch: TermId, is_signed: bool, range: &Range) -> Range {
        let node = self.store.node(condition);
        let (is_strict, of_signed) = match node.op {
            Op::BvSlt => (true, true),
            Op::BvSle => (false, true),
            Op::BvUlt => (true, false),
            Op::BvUle => (false, false),
            _ => return range.clone(),
        };
        let value = |term: TermId| {
            let (unsigned, signed) = literal(self.store, term)?;
            Some(if is_signed { signed } else { unsigned })
        };
        let [a, b] = [node.args[0], node.args[1]];
        let (limit, is_upper) = match (value(a), value(b)) {
            (None, Some(limit)) if a == branch => (limit, holds),
            (Some(limit), None) if b == branch => (limit, !holds),
            _ => return range.clone(),
        };
        // The order of signed numbers is that of unsigned ones where all are as either.
        let both = Range::signed(self.width(branch)).met(&Range::unsigned(self.width(branch)));
        if of_signed != is_signed && !(range.is_within(&both) && both.contains(&limit)) {
            return range.clone();
        }
        // Where the condition does not hold, the opposite one is strict if it is not.
        let distance = BigInt::from(u8::from(is_strict == holds));
        let mut found = range.clone();
        if is_upper {
            found.high = found.high.min(limit - distance);
        } else {
            found.low = found.low.max(limit + distance);
        }
        if found.low <= found.high { found } else { range.clone() }
    }

    /// x where a condition holds and y where it does not, if they differ by a number: y and this number times 1 or 0. So counts of what holds are sums of
    /// the same terms in whatever order they were made.
    fn counted(&mut self, condition: TermId, x: &Known, y: &Known) -> Option<Polynomial> {
        let difference = x.value.plus(&y.value, &-BigInt::one()).filter(|_| self.has_counts)?;
        if difference.degree() > 0 || difference.len() == 0 {
            return None;
        }
        let node = self.store.node(condition);
        let (condition, otherwise, times) = match node.op {
            Op::Not => (node.args[0], x, -BigInt::one()),
            _ => (condition, y, BigInt::one()),
        };
        let indicator = indicator(self.store, condition)?;
        self.work(otherwise.value.len())?;
        let indicated = Polynomial::atom(indicator).times(&difference)?;
        let value = otherwise.value.plus(&indicated, &times)?;
        self.atoms.insert(indicator, truth_range());
        Some(value)
    }

    /// How far a term shifts its operand, where that is a literal.
    fn distance(&self, term: TermId, by: TermId) -> Option<u32> {
        literal(self.store, by)?.0.to_u32().filter(|by| *by < self.width(term))
    }

    /// Counts monomials; `None` if there were too many already.
    fn work(&mut self, monomials: usize) -> Option<()> {
        self.work = self.work.saturating_sub(monomials + 1);
        (self.work > 0).then_some(())
    }

    /// x + factor·y.
    fn sum(&mut self, x: &Known, y: &Known, factor: &BigInt) -> Option<Known> {
        self.work(x.value.len() + y.value.len())?;
        let value = x.value.plus(&y.value, factor)?;
        let range = x.range.plus(&y.range.times(&Range::of(factor.clone()))).met(&self.range(&value));
        Some(Known { value, range, divides: x.divides || y.divides })
    }

    /// Takes notice of a sum's range, to be used where a monomial of it is part of a sum.
    pub fn note_sum(&mut self, lead: Monomial, sum: Polynomial, range: Range) {
        if let Some(coefficient) = sum.coefficient(&lead).cloned() {
            self.sums.entry(lead).or_default().push((coefficient, sum, range));
        }
    }

    /// The values that a polynomial may have: that of its parts, and where it has k times a sum in it that of the rest and k times the sum's.
    pub fn range(&self, polynomial: &Polynomial) -> Range {
        let mut range = self.range_of_parts(polynomial);
        for (monomial, coefficient) in polynomial.terms() {
            for (lead, sum, known) in self.sums.get(monomial).into_iter().flatten() {
                let times = coefficient / lead;
                let Some(rest) = polynomial.plus(sum, &-&times).filter(|_| &times * lead == *coefficient) else {
                    continue;
                };
                let parts = known.times(&Range::of(times)).plus(&self.range_of_parts(&rest));
                range = range.met(&parts);
            }
        }
        range
    }

    /// The same, with factors that may be anything in their ranges.
    pub fn range_of_parts(&self, polynomial: &Polynomial) -> Range {
        let mut sum = Range::of(BigInt::zero());
        for (monomial, coefficient) in polynomial.terms() {
            let mut product = Range::of(BigInt::one());
            for factor in monomial {
                product = product.times(&self.atoms[factor]);
            }
            sum = sum.plus(&product.times(&Range::of(coefficient.clone())));
        }
        sum
    }
}

/// A vector whose signed value is 1 where a condition holds, else 0; `None` where the condition is written otherwise then.
pub(crate) fn indicator(store: &mut Store, condition: TermId) -> Option<TermId> {
    let [zero, one] = [0u32, 1].map(|bit| store.bv_const(2, bit));
    let indicator = store.mk(Op::Ite, &[condition, one, zero]);
    (store.node(indicator).args.as_slice() == [condition, one, zero]).then_some(indicator)
}

/// The values of an indicator.
pub(crate) fn truth_range() -> Range {
    Range { low: BigInt::zero(), high: BigInt::one() }
}

/// Zero.
fn nothing() -> Known {
    Known { value: Polynomial::default(), range: Range::of(BigInt::zero()), divides: false }
}
