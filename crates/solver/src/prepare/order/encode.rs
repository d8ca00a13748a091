//! Classes of floats written as words.

use std::rc::Rc;
use std::sync::Arc;

use labrys_float::Float;
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::chain::Chain;
use super::class::Classes;
use crate::prepare::fresh::fresh;
use crate::prepare::reconstruct::Step;

/// A float as a word.
#[derive(Clone, Copy, Debug)]
struct Coded {
    /// Whether it is NaN: a Bool term. If it is, the place says nothing.
    nan: TermId,
    /// Its place in the chain.
    place: TermId,
}

/// Terms rewritten with words for floats of classes that are only compared.
pub(super) struct Encoder<'a> {
    classes: &'a mut Classes,
    /// Of the roots of classes that become words.
    chains: FxHashMap<usize, Rc<Chain>>,
    /// What float terms of these classes became.
    coded: FxHashMap<TermId, Coded>,
    /// What other terms became.
    done: FxHashMap<TermId, TermId>,
    /// That places are in their chains.
    constraints: Vec<TermId>,
}

impl<'a> Encoder<'a> {
    /// Gives words to all variables of classes that are only compared, where words are shorter than floats. `None` if
    /// there is no such class.
    pub fn new(
        store: &mut Store,
        conjuncts: &[TermId],
        classes: &'a mut Classes,
        count: &mut usize,
        steps: &mut Vec<Step>,
    ) -> Option<Encoder<'a>> {
        let mut chains = FxHashMap::default();
        let (mut coded, mut constraints) = (FxHashMap::default(), Vec::new());
        let bounds = bounds(store, conjuncts);
        for root in classes.all_ordered() {
            let Some(class) = classes.at(root) else { continue };
            let Some(greatest) = Float::infinity(class.format, false).ordinal() else { continue };
            let range = |term: &TermId| {
                let (low, high) = bounds.get(term).cloned().unwrap_or_default();
                [low.unwrap_or_else(|| -&greatest), high.unwrap_or_else(|| greatest.clone())]
            };
            let ranges: Vec<[BigInt; 2]> = class.variables.iter().map(range).collect();
            let chain = Chain::new(class.format, &class.literals, &ranges, class.is_symmetric, class.signed_zeros);
            let Some(chain) = chain.filter(|chain| chain.width() < class.format.width()) else { continue };
            let values: Arc<[Float]> = chain.values().into();
            for &term in &class.variables {
                let Some(variable) = store.as_variable(term) else { continue };
                let nan = fresh(store, count, "nan", Sort::Bool);
                let place = fresh(store, count, "place", Sort::BitVec(chain.width()));
                if chain.len() < 1 << chain.width() {
                    let last = store.bv_const(chain.width(), chain.len() - 1);
                    constraints.push(store.mk(Op::BvUle, &[place, last]));
                }
                coded.insert(term, Coded { nan, place });
                steps.push(Step::Place { variable, nan, place, values: Arc::clone(&values) });
            }
            chains.insert(root, Rc::new(chain));
        }
        (!chains.is_empty()).then(|| Encoder { classes, chains, coded, done: FxHashMap::default(), constraints })
    }

    /// Rewrites a term whose arguments are.
    pub fn term(&mut self, store: &mut Store, term: TermId) {
        if self.coded.contains_key(&term) {
            return;
        }
        if let Some(chain) = self.chain(term) {
            let coded = self.float(store, term, &chain);
            self.coded.insert(term, coded);
            return;
        }
        let node = store.node(term).clone();
        let subject = node.args.iter().copied().find(|&arg| self.chain(arg).is_some());
        let result = match subject.and_then(|subject| self.chain(subject)) {
            Some(chain) => self.predicate(store, term, &chain),
            None => {
                let args: Vec<TermId> = node.args.iter().map(|arg| self.done[arg]).collect();
                if args[..] == node.args[..] { term } else { store.mk(node.op, &args) }
            }
        };
        self.done.insert(term, result);
    }

    /// The conjunction rewritten.
    pub fn finish(self, conjuncts: &[TermId]) -> Vec<TermId> {
        let conjuncts = conjuncts.iter().map(|conjunct| self.done[conjunct]);
        conjuncts.chain(self.constraints).collect()
    }

    fn chain(&mut self, term: TermId) -> Option<Rc<Chain>> {
        let (root, _) = self.classes.ordered(term)?;
        self.chains.get(&root).cloned()
    }

    /// An argument of a term of a class: coded, or a literal.
    fn argument(&self, store: &mut Store, arg: TermId, chain: &Chain) -> Coded {
        if let Some(&coded) = self.coded.get(&arg) {
            return coded;
        }
        let place = match &store.node(arg).op {
            Op::FloatConst(value) => chain.place(value),
            _ => None,
        };
        let nan = store.bool_const(place.is_none());
        Coded { nan, place: store.bv_const(chain.width(), place.unwrap_or(0)) }
    }

    /// A float of a class.
    fn float(&self, store: &mut Store, term: TermId, chain: &Chain) -> Coded {
        let node = store.node(term).clone();
        let floats = if node.op == Op::Ite { &node.args[1..] } else { &node.args[..] };
        let args: Vec<Coded> = floats.iter().map(|&arg| self.argument(store, arg, chain)).collect();
        match (&node.op, &args[..]) {
            (Op::Ite, [a, b]) => {
                let condition = self.done[&node.args[0]];
                let [nan, place] =
                    [[a.nan, b.nan], [a.place, b.place]].map(|[a, b]| store.mk(Op::Ite, &[condition, a, b]));
                Coded { nan, place }
            }
            (Op::FpMin | Op::FpMax, [a, b]) => {
                // A number wins over NaN; of two zeros either may come out.
                let sides = if node.op == Op::FpMin { [a.place, b.place] } else { [b.place, a.place] };
                let before = store.mk(Op::BvUle, &sides);
                let wins = store.or(&[b.nan, before]);
                let is_number = store.not(a.nan);
                let first = store.and(&[is_number, wins]);
                Coded { nan: store.and(&[a.nan, b.nan]), place: store.mk(Op::Ite, &[first, a.place, b.place]) }
            }
            (Op::FpNeg | Op::FpAbs, [a]) => {
                let last = store.bv_const(chain.width(), chain.len() - 1);
                let mirrored = store.mk(Op::BvSub, &[last, a.place]);
                if node.op == Op::FpNeg {
                    return Coded { nan: a.nan, place: mirrored };
                }
                let is_negative = between(store, chain, a.place, None, Some(chain.zeros()[0]));
                Coded { nan: a.nan, place: store.mk(Op::Ite, &[is_negative, mirrored, a.place]) }
            }
            // Other terms are in no such class.
            _ => Coded { nan: store.bool_const(true), place: store.bv_const(chain.width(), 0u8) },
        }
    }

    /// A Bool term about floats of a class.
    fn predicate(&self, store: &mut Store, term: TermId, chain: &Chain) -> TermId {
        let node = store.node(term).clone();
        let args: Vec<Coded> = node.args.iter().map(|&arg| self.argument(store, arg, chain)).collect();
        match args[..] {
            [a] => {
                if node.op == Op::FpIsNan {
                    return a.nan;
                }
                let (is_number, is_member) = (store.not(a.nan), member(store, &node.op, chain, a.place));
                store.and(&[is_number, is_member])
            }
            [a, b] => {
                let (is_nan, holds) = (store.and(&[a.nan, b.nan]), relation(store, &node.op, chain, a.place, b.place));
                let numbers = [a.nan, b.nan].map(|nan| store.not(nan));
                let holds = store.and(&[numbers[0], numbers[1], holds]);
                if node.op == Op::Eq { store.or(&[is_nan, holds]) } else { holds }
            }
            _ => term,
        }
    }
}

/// The least and the greatest ordinal that comparisons with literals among the conjuncts leave to variables that are numbers.
fn bounds(store: &Store, conjuncts: &[TermId]) -> FxHashMap<TermId, (Option<BigInt>, Option<BigInt>)> {
    let mut bounds: FxHashMap<TermId, (Option<BigInt>, Option<BigInt>)> = FxHashMap::default();
    let literal = |term: TermId| match &store.node(term).op {
        Op::FloatConst(value) => value.ordinal(),
        _ => None,
    };
    for &conjunct in conjuncts {
        let node = store.node(conjunct);
        let (Op::FpLt | Op::FpLe, &[left, right]) = (&node.op, &node.args[..]) else { continue };
        if let Some(low) = literal(left) {
            let bound = &mut bounds.entry(right).or_default().0;
            *bound = Some(bound.take().map_or(low.clone(), |old| old.max(low)));
        } else if let Some(high) = literal(right) {
            let bound = &mut bounds.entry(left).or_default().1;
            *bound = Some(bound.take().map_or(high.clone(), |old| old.min(high)));
        }
    }
    bounds
}

/// Whether a place is in a range, ends included.
fn between(store: &mut Store, chain: &Chain, place: TermId, low: Option<usize>, high: Option<usize>) -> TermId {
    let mut bounds = Vec::new();
    if let Some(low) = low {
        let low = store.bv_const(chain.width(), low);
        bounds.push(store.mk(Op::BvUle, &[low, place]));
    }
    if let Some(high) = high {
        let high = store.bv_const(chain.width(), high);
        bounds.push(store.mk(Op::BvUle, &[place, high]));
    }
    store.and(&bounds)
}

/// Whether the number at a place is of a class of floats.
fn member(store: &mut Store, op: &Op, chain: &Chain, place: TermId) -> TermId {
    let [minus_zero, plus_zero] = chain.zeros();
    let bounds = [Float::min_normal(chain.format()), Float::infinity(chain.format(), false)];
    // The places of the least normal number and of infinity, and of their negatives.
    let [normal, infinite] = bounds.map(|bound| [bound.neg(), bound].map(|bound| chain.place(&bound)));
    let last = Some(chain.len() - 1);
    let ranges = match op {
        Op::FpIsZero => [(Some(minus_zero), Some(plus_zero)), NOWHERE],
        Op::FpIsNegative => [(None, Some(minus_zero)), NOWHERE],
        Op::FpIsPositive => [(Some(plus_zero), None), NOWHERE],
        Op::FpIsInfinite => [(None, infinite[0]), (infinite[1], last)],
        Op::FpIsNormal => [(after(infinite[0]), normal[0]), (normal[1], before(infinite[1]))],
        // The least normal number is above zero.
        _ => [(after(normal[0]), before(Some(minus_zero))), (after(Some(plus_zero)), before(normal[1]))],
    };
    let ranges = ranges.map(|(low, high)| match (low, high) {
        (Some(low), Some(high)) if low > high => store.bool_const(false),
        _ => between(store, chain, place, low, high),
    });
    store.or(&ranges)
}

/// A range without places.
const NOWHERE: (Option<usize>, Option<usize>) = (Some(1), Some(0));

fn after(place: Option<usize>) -> Option<usize> {
    place.map(|place| place + 1)
}

fn before(place: Option<usize>) -> Option<usize> {
    place.map(|place| place.saturating_sub(1))
}

/// How the numbers at two places compare.
fn relation(store: &mut Store, op: &Op, chain: &Chain, a: TermId, b: TermId) -> TermId {
    let plain = match op {
        Op::FpLt => Op::BvUlt,
        Op::FpLe => Op::BvUle,
        _ => Op::Eq,
    };
    let plain = store.mk(plain, &[a, b]);
    if !chain.signed_zeros || *op == Op::Eq {
        return plain;
    }
    let [minus_zero, plus_zero] = chain.zeros();
    let zeros = [a, b].map(|place| between(store, chain, place, Some(minus_zero), Some(plus_zero)));
    let zeros = store.and(&zeros);
    if *op == Op::FpLt {
        let others = store.not(zeros);
        store.and(&[plain, others])
    } else {
        store.or(&[plain, zeros])
    }
}
