//! Floats that conjuncts say are bounded multiples of a power of two: amounts in cents' binary relatives, coordinates on a grid, integers.
//!
//! `x == floor(x)`, `a == rint(a * 8192) / 8192` and results of rounding to integers are such; with a bound of the size, so that they are integers of few
//! bits at some scale, which [`crate::integral`] computes with.
//!
//! **Claim.** In each model of the conjuncts a term with a [`Grid`] is finite, a multiple of 2^scale and at most 2^reach in size.
//!
//! **Argument.** By induction over terms. What a comparison with a literal or with a term of a grid holds of, is no NaN. A sum or product of multiples of 2^s and 2^t is a multiple
//! of the smaller scale, or of 2^(s + t), and so is what it is rounded to, in any mode, where that scale is no finer than the subnormal numbers': a number that is not representable has its
//! neighbours at multiples of coarser powers. What is at most 2^r in size is rounded to at most 2^r, a power of two below the end of the exponents.

use labrys_float::{Float, Format};
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use crate::integral::literal;

/// A number as a bounded multiple of a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub scale: i64,
    pub reach: i64,
}

/// What conjuncts say of terms.
#[derive(Debug, Default)]
struct Said {
    /// r where a term is at most 2^r, and where it is at least −2^r.
    above: FxHashMap<TermId, i64>,
    below: FxHashMap<TermId, i64>,
    /// Terms that are equal to others.
    equal: FxHashMap<TermId, Vec<TermId>>,
    /// The conjuncts that say it.
    sources: Vec<TermId>,
}

/// The terms that are on a grid, and the conjuncts of which that follows.
pub(crate) fn grids(store: &Store, conjuncts: &[TermId]) -> (FxHashMap<TermId, Grid>, Vec<TermId>) {
    let mut said = Said::default();
    for &conjunct in conjuncts {
        said.read(store, conjunct);
    }
    for &conjunct in conjuncts {
        said.read_denied(store, conjunct);
    }
    let terms = store.reachable(conjuncts);
    let mut scales = FxHashMap::default();
    let mut reaches = FxHashMap::default();
    // Once for what equations are with, and once for what they are about.
    for _ in 0..2 {
        for &term in &terms {
            let Sort::Float(format) = *store.sort(term) else { continue };
            let node = store.node(term);
            let equal =
                said.equal.get(&term).and_then(|others| others.iter().find_map(|other| scales.get(other))).copied();
            if let Some(scale) = scale(store, &node.op, &node.args, &scales).or(equal)
                && scale >= format.min_lsb_exponent()
            {
                scales.insert(term, scale);
            }
            let own = reach(store, &node.op, &node.args, &reaches);
            let both = said.above.get(&term).zip(said.below.get(&term)).map(|(above, below)| *above.max(below));
            let least = own.into_iter().chain(both).min();
            if let Some(reach) = least.filter(|reach| *reach < format.max_exponent()) {
                reaches.insert(term, reach.max(format.min_exponent()));
            }
        }
    }
    let grid = |(term, reach): (TermId, i64)| scales.get(&term).map(|scale| (term, Grid { scale: *scale, reach }));
    (reaches.iter().map(|(term, reach)| (*term, *reach)).filter_map(grid).collect(), said.sources)
}

impl Said {
    fn read(&mut self, store: &Store, conjunct: TermId) {
        let node = store.node(conjunct);
        let &[a, b] = &node.args[..] else { return };
        match (&node.op, exponent(store, a), exponent(store, b)) {
            (Op::FpEq, _, _) => {
                self.equal.entry(a).or_default().push(b);
                self.equal.entry(b).or_default().push(a);
            }
            (Op::FpLt | Op::FpLe, None, Some(size)) => self.at_most(store, a, size),
            (Op::FpLt | Op::FpLe, Some(size), None) => _ = self.below.insert(b, size),
            _ => return,
        }
        self.sources.push(conjunct);
    }

    /// What is denied of numbers: that they lie beyond a literal.
    fn read_denied(&mut self, store: &Store, conjunct: TermId) {
        let Op::Not = store.node(conjunct).op else { return };
        let node = store.node(store.node(conjunct).args[0]);
        let (Op::FpLt | Op::FpLe, &[a, b]) = (&node.op, &node.args[..]) else { return };
        // What equals a number is one.
        match (exponent(store, a), exponent(store, b)) {
            (Some(size), None) if self.equal.contains_key(&b) => self.at_most(store, b, size),
            (None, Some(size)) if self.equal.contains_key(&a) => _ = self.below.insert(a, size),
            _ => return,
        }
        self.sources.push(conjunct);
    }

    fn at_most(&mut self, store: &Store, term: TermId, size: i64) {
        self.above.insert(term, size);
        let node = store.node(term);
        if node.op == Op::FpAbs {
            self.above.insert(node.args[0], size);
            self.below.insert(node.args[0], size);
            self.below.insert(term, size);
        }
    }
}

/// r where a literal is a number of at most 2^r in size.
fn exponent(store: &Store, term: TermId) -> Option<i64> {
    let Op::FloatConst(value) = &store.node(term).op else { return None };
    let (n, scale) = literal(value)?;
    Some(if n == 0 { scale } else { scale + i64::from(128 - (n.unsigned_abs() - 1).leading_zeros()) })
}

/// n where a literal is 2^n or its opposite.
fn power(store: &Store, term: TermId) -> Option<i64> {
    let Op::FloatConst(value) = &store.node(term).op else { return None };
    let (n, scale) = literal(value)?;
    (n.unsigned_abs() == 1).then_some(scale)
}

fn scale(store: &Store, op: &Op, args: &[TermId], known: &FxHashMap<TermId, i64>) -> Option<i64> {
    let of = |place: usize| known.get(&args[place]).copied();
    match op {
        Op::FloatConst(value) => literal(value).map(|(_, scale)| scale),
        Op::FpRoundToIntegral => Some(of(1).unwrap_or(0).max(0)),
        Op::FpNeg | Op::FpAbs => of(0),
        Op::FpFromFloat(_) => of(1),
        Op::FpDiv => Some(of(1)? - power(store, args[2])?),
        Op::FpMul => Some(of(1)? + of(2)?),
        Op::FpAdd | Op::FpSub | Op::Ite => Some(of(1)?.min(of(2)?)),
        _ => None,
    }
}

fn reach(store: &Store, op: &Op, args: &[TermId], known: &FxHashMap<TermId, i64>) -> Option<i64> {
    let of = |place: usize| known.get(&args[place]).copied();
    match op {
        Op::FloatConst(value) => {
            let (n, scale) = literal(value)?;
            Some(scale + i64::from(128 - n.unsigned_abs().leading_zeros()))
        }
        Op::FpRoundToIntegral => Some(of(1)?.max(0)),
        Op::FpNeg | Op::FpAbs => of(0),
        Op::FpFromFloat(_) => of(1),
        Op::FpDiv => Some(of(1)? - power(store, args[2])?),
        Op::FpMul => Some(of(1)? + of(2)?),
        Op::FpAdd | Op::FpSub => Some(of(1)?.max(of(2)?) + 1),
        Op::Ite => Some(of(1)?.max(of(2)?)),
        _ => None,
    }
}

/// A power of two in a format that has it as a normal number.
pub(crate) fn power_of_two(format: Format, n: i64) -> Option<Float> {
    let is_normal = n >= format.min_exponent() && n <= format.max_exponent();
    is_normal.then(|| labrys_float::Environment::default().scale(&Float::one(format), n).value)
}
