//! Bounds of variables and of their parts, read off conjuncts that compare them with literals.

use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::range::Range;
use crate::domain::BitVecDomain;

/// What conjuncts say of variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Of signed and of unsigned values.
    signed: FxHashMap<TermId, Range>,
    unsigned: FxHashMap<TermId, Range>,
    not_zero: FxHashSet<TermId>,
}

impl Bounds {
    /// Takes notice of a conjunct; whether it is a bound, and so has to stay.
    pub fn read(&mut self, store: &Store, conjunct: TermId) -> bool {
        let (comparison, holds) = match store.node(conjunct).op {
            Op::Not => (store.node(conjunct).args[0], false),
            _ => (conjunct, true),
        };
        let node = store.node(comparison);
        let &[a, b] = &node.args[..] else { return false };
        if !matches!(store.sort(a), Sort::BitVec(_)) {
            return false;
        }
        let is_signed = matches!(node.op, Op::BvSlt | Op::BvSle);
        let (small, large, strict) = match (&node.op, holds) {
            (Op::BvSlt | Op::BvUlt, true) => (a, b, true),
            (Op::BvSle | Op::BvUle, true) => (a, b, false),
            (Op::BvSlt | Op::BvUlt, false) => (b, a, false),
            (Op::BvSle | Op::BvUle, false) => (b, a, true),
            (Op::Eq, _) => return self.read_equation(store, [a, b], holds),
            _ => return false,
        };
        let step = BigInt::from(i32::from(strict));
        let of = |term: TermId| literal(store, term).map(|value| if is_signed { value.1 } else { value.0 });
        match (of(small), of(large)) {
            (Some(low), None) => self.note(store, large, is_signed, (Some(low + step), None)),
            (None, Some(high)) => self.note(store, small, is_signed, (None, Some(high - step))),
            _ => false,
        }
    }

    /// Takes notice of a set that a term is in.
    pub fn learn(&mut self, term: TermId, domain: &BitVecDomain) {
        let unsigned = Range { low: domain.low.into(), high: domain.high.into() };
        let above = Range::signed(domain.width).high;
        let all = BigInt::one() << domain.width;
        let signed = match () {
            () if unsigned.high <= above => unsigned.clone(),
            () if unsigned.low > above => unsigned.minus(&Range::of(all)),
            () => Range::signed(domain.width),
        };
        for (map, range) in [(&mut self.signed, signed), (&mut self.unsigned, unsigned)] {
            let known = map.entry(term).or_insert_with(|| range.clone());
            *known = known.met(&range);
        }
    }

    /// Takes notice of a range of signed values.
    pub fn learn_signed(&mut self, term: TermId, range: &Range) {
        let known = self.signed.entry(term).or_insert_with(|| range.clone());
        *known = known.met(range);
    }

    fn read_equation(&mut self, store: &Store, [a, b]: [TermId; 2], holds: bool) -> bool {
        let (term, value) = match (literal(store, a), literal(store, b)) {
            (None, Some(value)) => (a, value),
            (Some(value), None) => (b, value),
            _ => return false,
        };
        if !holds {
            let inner = variable(store, term).filter(|_| value.0.is_zero());
            self.not_zero.extend(inner.map(|inner| inner.0));
            return inner.is_some();
        }
        let unsigned = self.note(store, term, false, (Some(value.0.clone()), Some(value.0)));
        self.note(store, term, true, (Some(value.1.clone()), Some(value.1))) || unsigned
    }

    fn note(
        &mut self,
        store: &Store,
        term: TermId,
        is_signed: bool,
        (low, high): (Option<BigInt>, Option<BigInt>),
    ) -> bool {
        let Some((inner, width, extension)) = variable(store, term) else { return false };
        let Sort::BitVec(own) = *store.sort(term) else { return false };
        // An extended number's values are those of the number itself, of one kind.
        let of_signed = match extension {
            None => is_signed,
            Some(Extension::Zero) => false,
            Some(Extension::Sign) if is_signed => true,
            Some(Extension::Sign) => return false,
        };
        let all = if is_signed { Range::signed(own) } else { Range::unsigned(own) };
        let said = Range { low: low.unwrap_or(all.low), high: high.unwrap_or(all.high) };
        let whole = if of_signed { Range::signed(width) } else { Range::unsigned(width) };
        let map = if of_signed { &mut self.signed } else { &mut self.unsigned };
        let known = map.entry(inner).or_insert(whole);
        if said.low <= said.high {
            *known = known.met(&said);
        }
        true
    }

    /// The values of a term, signed or not: of a variable those that bounds leave.
    pub fn of(&self, term: TermId, width: u32, is_signed: bool) -> Range {
        let whole = |signed: bool| if signed { Range::signed(width) } else { Range::unsigned(width) };
        let (own, other) = if is_signed { (&self.signed, &self.unsigned) } else { (&self.unsigned, &self.signed) };
        let mut range = own.get(&term).cloned().unwrap_or_else(|| whole(is_signed));
        // Below half of all values both are the same.
        let both = Range { low: BigInt::zero(), high: (BigInt::one() << (width - 1)) - 1 };
        if let Some(other) = other.get(&term).filter(|other| other.is_within(&both)) {
            range = range.met(other);
        }
        range
    }

    /// Whether a conjunct says that a term is not zero.
    pub fn is_not_zero(&self, store: &Store, term: TermId) -> bool {
        variable(store, term).is_some_and(|inner| self.not_zero.contains(&inner.0))
    }
}

/// How a variable is extended.
#[derive(Clone, Copy, Debug)]
enum Extension {
    Zero,
    Sign,
}

/// The variable, or part of one, that a term is or extends, and its width.
fn variable(store: &Store, term: TermId) -> Option<(TermId, u32, Option<Extension>)> {
    let node = store.node(term);
    let (inner, extension) = match &node.op {
        Op::Variable(_) | Op::Extract { .. } => (term, None),
        Op::ZeroExtend(_) => (node.args[0], Some(Extension::Zero)),
        Op::SignExtend(_) => (node.args[0], Some(Extension::Sign)),
        _ => return None,
    };
    let Sort::BitVec(width) = *store.sort(inner) else { return None };
    let node = store.node(inner);
    let of_variable = match node.op {
        Op::Extract { .. } => matches!(store.node(node.args[0]).op, Op::Variable(_)),
        _ => matches!(node.op, Op::Variable(_)),
    };
    of_variable.then_some((inner, width, extension))
}

/// A literal's value, unsigned and signed.
pub(crate) fn literal(store: &Store, term: TermId) -> Option<(BigInt, BigInt)> {
    let node = store.node(term);
    let (Op::BitVecConst(value), Sort::BitVec(width)) = (&node.op, &node.sort) else { return None };
    let unsigned = BigInt::from(value.clone());
    let is_negative = value.bit(u64::from(*width) - 1);
    let signed = if is_negative { &unsigned - BigInt::from(BigUint::one() << *width) } else { unsigned.clone() };
    Some((unsigned, signed))
}
