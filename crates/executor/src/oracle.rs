//! Whether a path can go on under one more condition, asked of what is cheapest first.
//!
//! **Claim.** [`Feasible::No`] is a proof that no input satisfies the path's condition and the new one; [`Feasible::Yes`]
//! carries inputs that do, or where the path itself has none, only says that the conjuncts which share variables with the new
//! condition, directly or through others, are satisfied together with it.
//!
//! **Argument.** Conjuncts without common variables are satisfied one by one: a witness of the path whose values on the
//! question's slice are replaced by those of a model of the slice satisfies the whole. In order: the path's witness is evaluated;
//! recent witnesses are, on the slice; a stored contradiction that is part of the slice; the solver. Models are evaluated
//! before they are used.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use labrys_solver::{Answer, Limits, Portfolio, PortfolioConfig, Session, Why};
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;

use crate::supports::{Support, Supports};
use crate::witness::{Witness, Witnesses};

/// Witnesses that are tried on a slice before the solver is asked.
const RECENT: usize = 12;

/// How long the solver may take for a question whether a path can go on: a twentieth of the time that is left, within bounds.
/// What is not decided is not lost: the path goes on, and its end is asked about once more.
const PATIENCE: Patience = Patience { share: 20, least: Duration::from_millis(500), most: Duration::from_secs(5) };

/// The same where many paths are to be looked at, and none matters much.
const HURRY: Patience = Patience { share: 60, least: Duration::from_millis(150), most: Duration::from_secs(2) };

/// How long one question may take.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// So many questions of the longest kind fit in the time that is left.
    share: u32,
    least: Duration,
    most: Duration,
}

/// Contradictions that are kept for each of their last terms.
const CORES: usize = 16;

/// Whether a path can go on.
#[derive(Debug)]
pub(crate) enum Feasible {
    /// It can: with inputs, unless the path itself has none.
    Yes(Option<Rc<Witness>>),
    /// No input leads there.
    No,
    /// Not decided.
    Unknown(Why),
}

/// Answers, and what was learnt from earlier ones.
pub(crate) struct Oracle {
    session: Session,
    supports: Supports,
    pub(crate) witnesses: Witnesses,
    /// Witnesses made last, the latest at the end.
    recent: VecDeque<Rc<Witness>>,
    /// Contradictions by their youngest term: their terms, ascending.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    deadline: Option<Instant>,
    memory_mib: u64,
    patience: Patience,
    /// How long the solver took.
    pub(crate) solving: Duration,
    /// How often it was asked.
    pub(crate) questions: u64,
}

impl Oracle {
    pub(crate) fn new(deadline: Option<Instant>, memory_mib: u64, seed: u64) -> Oracle {
        let config = PortfolioConfig { seed, ..PortfolioConfig::default() };
        Oracle {
            session: Session::new(Portfolio::new(config)),
            supports: Supports::default(),
            witnesses: Witnesses::default(),
            recent: VecDeque::new(),
            cores: FxHashMap::default(),
            deadline,
            memory_mib,
            patience: PATIENCE,
            solving: Duration::ZERO,
            questions: 0,
        }
    }

    /// Whether `condition` can hold where `path` does, of which `witness` is a model.
    pub(crate) fn ask(
        &mut self,
        store: &Store,
        path: TermId,
        witness: Option<&Rc<Witness>>,
        condition: TermId,
    ) -> Feasible {
        match store.node(condition).op {
            Op::BoolConst(true) => return Feasible::Yes(witness.cloned()),
            Op::BoolConst(false) => return Feasible::No,
            _ => {}
        }
        if let Some(witness) = witness
            && self.witnesses.holds(store, witness, condition) == Some(true)
        {
            return Feasible::Yes(Some(witness.clone()));
        }
        let (slice, support) = self.slice(store, path, condition);
        if self.contradicts(&slice) {
            return Feasible::No;
        }
        match self.recall(store, &slice, support, witness) {
            Some(found) => found,
            None => self.solve(store, slice, support, witness, self.patience()),
        }
    }

    /// Has questions of paths take less time.
    pub(crate) fn hurry(&mut self) {
        self.patience = HURRY;
    }

    fn patience(&self) -> Duration {
        let Patience { share, least, most } = self.patience;
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map_or(most, |deadline| (left(deadline) / share).clamp(least, most))
    }

    /// A model of a whole path, looked for as long as the deadline allows, at most `patience`.
    pub(crate) fn model(&mut self, store: &Store, path: TermId, patience: Duration) -> Feasible {
        let conjuncts = conjuncts(store, path);
        let empty = self.witnesses.make(Default::default());
        let mut support = Support::EMPTY;
        for &conjunct in &conjuncts {
            let own = self.supports.of(store, conjunct);
            support = self.supports.union(support, own);
        }
        self.solve(store, conjuncts, support, Some(&empty), patience)
    }

    /// The condition with the conjuncts that share variables with it, directly or through others; ascending.
    fn slice(&mut self, store: &Store, path: TermId, condition: TermId) -> (Vec<TermId>, Support) {
        let mut slice = conjuncts(store, condition);
        let mut support = self.supports.of(store, condition);
        let mut rest: Vec<(TermId, Support)> =
            conjuncts(store, path).into_iter().map(|term| (term, self.supports.of(store, term))).collect();
        loop {
            let before = support;
            let mut left = Vec::new();
            for (term, own) in rest {
                if self.supports.meet(own, support) {
                    slice.push(term);
                    support = self.supports.union(support, own);
                } else {
                    left.push((term, own));
                }
            }
            rest = left;
            if support == before {
                break;
            }
        }
        slice.sort_unstable();
        slice.dedup();
        (slice, support)
    }

    /// Whether a stored contradiction is part of the slice.
    fn contradicts(&self, slice: &[TermId]) -> bool {
        let is_part = |core: &[TermId]| core.iter().all(|term| slice.binary_search(term).is_ok());
        slice.iter().any(|term| self.cores.get(term).is_some_and(|cores| cores.iter().any(|core| is_part(core))))
    }

    /// The values of a recent witness on the slice, if they satisfy it.
    fn recall(
        &mut self,
        store: &Store,
        slice: &[TermId],
        support: Support,
        witness: Option<&Rc<Witness>>,
    ) -> Option<Feasible> {
        let fits = |witnesses: &mut Witnesses, other: &Witness| {
            slice.iter().all(|&term| witnesses.holds(store, other, term) == Some(true))
        };
        let found = self.recent.iter().rev().find(|other| fits(&mut self.witnesses, other))?.clone();
        let Some(witness) = witness else { return Some(Feasible::Yes(None)) };
        let model = witness.updated(&found.model(), self.supports.variables(support));
        Some(self.confirmed(store, slice, model))
    }

    /// A witness of the slice, evaluated once more.
    fn confirmed(&mut self, store: &Store, slice: &[TermId], model: labrys_term::Model) -> Feasible {
        let witness = self.witnesses.make(model);
        if slice.iter().any(|&term| self.witnesses.holds(store, &witness, term) != Some(true)) {
            return Feasible::Unknown(Why::WrongModel);
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(witness.clone());
        Feasible::Yes(Some(witness))
    }

    fn solve(
        &mut self,
        store: &Store,
        slice: Vec<TermId>,
        support: Support,
        witness: Option<&Rc<Witness>>,
        patience: Duration,
    ) -> Feasible {
        let begun = Instant::now();
        let left = self.deadline.map_or(patience, |deadline| deadline.saturating_duration_since(begun).min(patience));
        if left.is_zero() {
            return Feasible::Unknown(Why::Wall);
        }
        let limits = Limits { work: 0, wall: left, memory_mib: self.memory_mib };
        let answer = self.session.check(store, &slice, &limits);
        self.solving += begun.elapsed();
        self.questions += 1;
        match answer {
            Answer::Unsat => {
                let core = self.session.failed_assumptions();
                let terms = core.map(|core| core.into_iter().filter_map(|place| slice.get(place).copied()).collect());
                self.remember(terms.unwrap_or(slice));
                Feasible::No
            }
            Answer::Unknown(why) => Feasible::Unknown(why),
            Answer::Sat => {
                let Some(model) = self.session.model().cloned() else { return Feasible::Unknown(Why::WrongModel) };
                match witness {
                    None => Feasible::Yes(None),
                    Some(witness) => {
                        let mut model = model;
                        model.complete(store, &slice);
                        let model = witness.updated(&model, self.supports.variables(support));
                        self.confirmed(store, &slice, model)
                    }
                }
            }
        }
    }

    /// Keeps a contradiction.
    fn remember(&mut self, mut terms: Vec<TermId>) {
        terms.sort_unstable();
        if let Some(&last) = terms.last() {
            let cores = self.cores.entry(last).or_default();
            if cores.len() < CORES {
                cores.push(terms.into());
            }
        }
    }
}

/// The conjuncts of a condition, nested conjunctions taken apart.
pub(crate) fn conjuncts(store: &Store, condition: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut pending = vec![condition];
    while let Some(term) = pending.pop() {
        let node = store.node(term);
        match node.op {
            Op::And => pending.extend(node.args.iter().copied()),
            Op::BoolConst(true) => {}
            _ => found.push(term),
        }
    }
    found
}
