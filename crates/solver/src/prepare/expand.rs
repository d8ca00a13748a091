//! Operators that the engines do not have, replaced by ones that they have.
//!
//! From the leaves up, each term once; a replacement may itself hold operators to replace and is then visited again.
//! Subtraction is addition of the negation in every rounding mode (IEEE 754-2019, section 6.3, gives the sign of zero
//! differences as of sums of the negated), NaN included since there is one.

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use super::array::Arrays;
use super::open::OpenFunctions;
use super::outcome::Outcome;
use super::real;
use super::reconstruct::Reconstruction;
use super::zero_sign::Unseen;

/// A step of the traversal.
enum Task {
    Visit(TermId),
    /// The first term is whatever the second one becomes.
    Alias(TermId, TermId),
}

/// The terms expanded so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansion {
    memo: FxHashMap<TermId, TermId>,
    arrays: Arrays,
    open: OpenFunctions,
    constraints: Vec<TermId>,
}

impl Expansion {
    /// With minima and maxima of which it does not matter what zero they give.
    pub fn with_unseen(unseen: Unseen) -> Expansion {
        let mut expansion = Expansion::default();
        expansion.open.unseen = unseen;
        expansion
    }

    /// The expanded term.
    pub fn term(&mut self, store: &mut Store, root: TermId) -> Result<TermId, String> {
        let mut pending = vec![Task::Visit(root)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Alias(from, to) => {
                    let result = self.memo.get(&to).copied().unwrap_or(to);
                    self.memo.insert(from, result);
                }
                Task::Visit(term) if self.memo.contains_key(&term) => {}
                Task::Visit(term) => {
                    let args = &store.node(term).args;
                    let before = pending.len();
                    pending.push(Task::Visit(term));
                    pending.extend(args.iter().filter(|arg| !self.memo.contains_key(arg)).map(|&arg| Task::Visit(arg)));
                    if pending.len() > before + 1 {
                        continue;
                    }
                    pending.pop();
                    match self.node(store, term)? {
                        Outcome::Done(result) => {
                            self.memo.insert(term, result);
                            self.memo.insert(result, result);
                        }
                        Outcome::Again(next) => pending.extend([Task::Alias(term, next), Task::Visit(next)]),
                    }
                }
            }
        }
        Ok(self.memo.get(&root).copied().unwrap_or(root))
    }

    /// The constraints on new variables that have not been asked for yet.
    pub fn constraints(&mut self, store: &mut Store) -> Result<Vec<TermId>, String> {
        self.arrays.close(store, &mut self.constraints)?;
        Ok(std::mem::take(&mut self.constraints))
    }

    /// The way back from models of the expanded terms.
    pub fn reconstruction(&self) -> Reconstruction {
        Reconstruction {
            unseen: self.open.unseen.iter().cloned().collect(),
            arrays: self.arrays.elements.clone(),
            open: self.open.values.clone(),
            ..Reconstruction::default()
        }
    }

    /// Expands a node whose arguments are.
    fn node(&mut self, store: &mut Store, term: TermId) -> Result<Outcome, String> {
        let node = store.node(term);
        let (op, sort) = (node.op.clone(), node.sort.clone());
        let args: Vec<TermId> = node.args.iter().map(|arg| self.memo.get(arg).copied().unwrap_or(*arg)).collect();
        let same = if args.is_empty() { term } else { store.mk(op.clone(), &args) };
        if let Sort::Array(sorts) = &sort {
            return self.array(store, same, &sorts.0, &sorts.1);
        }
        if sort == Sort::Real {
            return real::term(store, same);
        }
        let first_sort = args.first().map(|&arg| store.sort(arg).clone());
        Ok(match op {
            Op::Distinct => Outcome::Again(pairwise(store, &args)),
            Op::Xor => Outcome::Done(parity(store, &args)),
            Op::Eq if matches!(first_sort, Some(Sort::Array(_))) => {
                Outcome::Done(self.arrays.equality(store, [args[0], args[1]], &mut self.constraints)?)
            }
            Op::Select => Outcome::Done(self.arrays.select(store, args[0], args[1], &mut self.constraints)),
            Op::Eq | Op::RealLt | Op::RealLe if first_sort == Some(Sort::Real) => {
                real::Reals::new(store, &mut self.open, &mut self.constraints).predicate(&op, [args[0], args[1]])?
            }
            Op::FpFromReal(format) => {
                real::Reals::new(store, &mut self.open, &mut self.constraints).rounding(format, [args[0], args[1]])?
            }
            Op::FpSub => {
                let negated = store.mk(Op::FpNeg, &[args[2]]);
                Outcome::Done(store.mk(Op::FpAdd, &[args[0], args[1], negated]))
            }
            Op::FpMin | Op::FpMax => Outcome::Done(self.open.minimum(store, &op, [args[0], args[1]])),
            Op::FpToUnsigned(_) | Op::FpToSigned(_) => {
                Outcome::Done(self.open.integer(store, &op, [args[0], args[1]], &mut self.constraints))
            }
            _ => Outcome::Done(same),
        })
    }

    /// A term of an array sort stays; its index is noted.
    fn array(&mut self, store: &Store, term: TermId, index: &Sort, element: &Sort) -> Result<Outcome, String> {
        let is_plain = |sort: &Sort| !matches!(sort, Sort::Array(_) | Sort::Real);
        if !is_plain(index) || !is_plain(element) {
            return Err("arrays of or over arrays or reals".to_owned());
        }
        let node = store.node(term);
        if node.op == Op::StoreAt {
            self.arrays.index(store, term, node.args[1]);
        }
        Ok(Outcome::Done(term))
    }
}

/// Every two of the terms differ.
fn pairwise(store: &mut Store, args: &[TermId]) -> TermId {
    let mut pairs = Vec::new();
    for (i, &a) in args.iter().enumerate() {
        for &b in &args[i + 1..] {
            let same = store.mk(Op::Eq, &[a, b]);
            pairs.push(store.not(same));
        }
    }
    store.and(&pairs)
}

/// Exclusive or of two at a time.
fn parity(store: &mut Store, args: &[TermId]) -> TermId {
    let mut result = args[0];
    for &arg in &args[1..] {
        result = store.mk(Op::Xor, &[result, arg]);
    }
    result
}
