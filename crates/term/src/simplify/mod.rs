//! Rewriting to equal, simpler terms.
//!
//! **Claim.** Whenever the original has a value under a model ([`crate::eval`]), the result has the same. (Where the
//! original's value is open, the result may be any value of the sort.) The argument is local: every rule is an
//! equation that holds for all values of the terms its sides share, and the sides are exchanged in a context that cannot tell
//! equal terms apart. The rules' comments give the argument where it is not plain, and each rule is tested against
//! the evaluator on every assignment of tiny sorts.
//!
//! Terms are rewritten from the leaves up, each once, without recursion. What a rule makes is simplified in turn, its
//! parts included.
//!
//! Rules are found by operator, so that a node costs as much as the rules that could match it.

mod choice;
mod connective;
mod float;
mod float_class;
mod float_compare;
mod real;
mod rule;
mod shape;
mod vector;
mod vector_compare;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use rule::Rule;

use crate::{Op, Sort, Store, TermId};

/// The rules that may match a term of this operator and this sort of first argument, in the order in which they are tried.
fn rules(op: &Op, first: &Sort) -> &'static [Rule] {
    match (op, first) {
        (Op::Not, _) => connective::NOT,
        (Op::And | Op::Or, _) => connective::CONNECTIVE,
        (Op::Xor | Op::Implies, _) => connective::OTHER,
        (Op::Eq, Sort::Bool) => connective::EQUAL,
        (Op::Eq, Sort::BitVec(_)) => vector_compare::EQUAL,
        (Op::Eq, Sort::Float(_)) => float_compare::EQUAL,
        (Op::Eq | Op::Distinct, _) => connective::EQUAL_ANY,
        (Op::Ite, _) => choice::RULES,
        (Op::BvNot | Op::BvNeg, _) => vector::UNARY,
        (Op::BvAnd | Op::BvOr | Op::BvXor, _) => vector::BITWISE,
        (Op::BvAdd | Op::BvSub | Op::BvMul, _) => vector::ARITHMETIC,
        (Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod, _) => vector::DIVISION,
        (Op::BvShl | Op::BvLshr | Op::BvAshr, _) => vector::SHIFT,
        (Op::Concat | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_), _) => vector::SLICE,
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, _) => vector_compare::ORDER,
        (Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite | Op::FpIsNan, _)
        | (Op::FpIsNegative | Op::FpIsPositive, _) => float_class::RULES,
        (Op::FpEq | Op::FpLt | Op::FpLe, _) => float_compare::ORDER,
        (Op::FpAbs | Op::FpNeg | Op::FpMin | Op::FpMax | Op::FpToBits, _)
        | (Op::FpRem | Op::FpFmod | Op::FpFromBits(_), _) => float::PLAIN,
        (Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRoundToIntegral, _) => {
            float::ROUNDED
        }
        (Op::FpFromFloat(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_) | Op::FpFromReal(_), _)
        | (Op::FpToUnsigned(_) | Op::FpToSigned(_) | Op::FpToReal, _) => float::CONVERSION,
        (Op::RealAdd | Op::RealSub | Op::RealMul | Op::RealDiv | Op::RealNeg | Op::RealAbs, _)
        | (Op::RealLt | Op::RealLe, _) => real::RULES,
        _ => &[],
    }
}

/// All rules, by the kind of operator that they match; a rule may be in several lists.
pub const RULES: &[&[Rule]] = &[
    connective::NOT,
    connective::CONNECTIVE,
    connective::OTHER,
    connective::EQUAL,
    connective::EQUAL_ANY,
    choice::RULES,
    vector::UNARY,
    vector::BITWISE,
    vector::ARITHMETIC,
    vector::DIVISION,
    vector::SHIFT,
    vector::SLICE,
    vector_compare::EQUAL,
    vector_compare::ORDER,
    float::PLAIN,
    float::ROUNDED,
    float::CONVERSION,
    float_class::RULES,
    float_compare::EQUAL,
    float_compare::ORDER,
    real::RULES,
];

/// How many rewrites a term of the input and all that comes of it may take before it is left as it is. Rules shrink
/// terms, turn operators into ones further on, or order arguments, so that the bound is a safeguard only.
const MOST_STEPS: u32 = 256;

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Simplify a term that so many rewrites have led to.
    Visit(TermId, u32),
    /// The first term is what became of the second.
    Alias(TermId, TermId),
}

/// A memo of simplified terms. Its terms belong to one store.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    memo: FxHashMap<TermId, TermId>,
    /// How often each rule was applied.
    applied: BTreeMap<&'static str, usize>,
}

impl Simplifier {
    /// A simplifier that has seen nothing.
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// An equal term, as simple as the rules make it.
    ///
    /// ```
    /// use labrys_term::{Simplifier, Sort, Store};
    ///
    /// let mut store = Store::new();
    /// let p = store.variable("p", Sort::Bool);
    /// let yes = store.bool_const(true);
    /// let both = store.and(&[p, yes, p]);
    /// assert_eq!(Simplifier::new().term(&mut store, both), p);
    /// ```
    pub fn term(&mut self, store: &mut Store, term: TermId) -> TermId {
        let mut pending = vec![Task::Visit(term, 0)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Alias(from, to) => {
                    let result = self.known(to);
                    self.memo.insert(from, result);
                }
                Task::Visit(term, _) if self.memo.contains_key(&term) => {}
                Task::Visit(term, steps) => {
                    let before = pending.len();
                    pending.push(task);
                    let args = store.node(term).args.iter();
                    pending.extend(args.filter(|arg| !self.memo.contains_key(arg)).map(|&arg| Task::Visit(arg, steps)));
                    if pending.len() == before + 1 {
                        pending.pop();
                        self.node(store, term, steps, &mut pending);
                    }
                }
            }
        }
        self.known(term)
    }

    /// How often each rule was applied, for those that were.
    pub fn applied(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.applied.iter().map(|(name, count)| (*name, *count))
    }

    fn known(&self, term: TermId) -> TermId {
        self.memo.get(&term).copied().unwrap_or(term)
    }

    /// Simplifies a node whose arguments have been simplified, by one rule at most; what it gives is visited in turn.
    fn node(&mut self, store: &mut Store, term: TermId, steps: u32, pending: &mut Vec<Task>) {
        let node = store.node(term);
        if node.args.is_empty() {
            self.memo.insert(term, term);
            return;
        }
        let args: SmallVec<[TermId; 4]> = node.args.iter().map(|&arg| self.known(arg)).collect();
        let op = node.op.clone();
        let current = if args[..] == node.args[..] { term } else { store.mk(op.clone(), &args) };
        if let Some(&result) = self.memo.get(&current) {
            self.memo.insert(term, result);
            return;
        }
        let candidates = rules(&op, store.sort(args[0]));
        let step = candidates.iter().find_map(|rule| Some((rule.name, rule.apply(store, current)?)));
        match step {
            Some((name, next)) if next != current && steps < MOST_STEPS => {
                *self.applied.entry(name).or_default() += 1;
                // Should a rule lead back here, the term is taken as it is.
                self.memo.insert(current, current);
                pending.push(Task::Alias(term, next));
                if current != term {
                    pending.push(Task::Alias(current, next));
                }
                pending.push(Task::Visit(next, steps + 1));
            }
            _ => {
                self.memo.insert(term, current);
                self.memo.insert(current, current);
            }
        }
    }
}

#[cfg(test)]
mod tests;
