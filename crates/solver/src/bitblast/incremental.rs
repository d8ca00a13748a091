//! The engine for many related queries: assertions that come and go, assumptions, and cores.
//!
//! What has been translated stays so for good: an assertion is written once, guarded by the *activation literal* of the
//! level at which it was made (Eén and Sörensson, "Temporal Induction by Incremental SAT Solving", 2003). A check
//! assumes the activation literals of the levels that are open; a level that is closed has its literal denied for good.

use std::time::Instant;

use labrys_term::{Model, Store, TermId};

use super::Lit;
use super::cnf::Encoder;
use super::sat::{Answer, Sat};
use super::statistics::Statistics;
use super::translate::Translator;
use crate::domain::Facts;
use crate::{Budget, Why};

/// The answer to one of many checks.
#[derive(Clone, Debug, PartialEq)]
pub enum IncrementalVerdict {
    /// Values of the variables that satisfy assertions and assumptions; variables without a value may have any.
    Sat(Model),
    /// There are none.
    Unsat {
        /// Places, ascending, of assumptions that no model of the assertions satisfies together.
        core: Vec<usize>,
    },
    /// Not decided.
    Unknown(Why),
}

/// Conflicts spent on showing that one assumption of a core is superfluous.
const MINIMISING_CONFLICTS: u64 = 200;

/// Cores with more assumptions are left as they are.
const MOST_MINIMISED: usize = 64;

/// A stack of assertions over one store, which only grows.
pub struct IncrementalBitBlaster {
    translator: Translator,
    encoder: Encoder,
    sat: Sat,
    /// Of each open level but the lowest, whose assertions hold for good: the activation literal.
    levels: Vec<i32>,
    /// Assertions that are to be written before the next check, with their level's literal.
    waiting: Vec<(Option<i32>, TermId)>,
    /// Side conditions that are to be written before the next check.
    conditions: Vec<Lit>,
    statistics: Statistics,
    facts: Facts,
}

impl IncrementalBitBlaster {
    /// No assertions.
    pub fn new(seed: u64) -> IncrementalBitBlaster {
        IncrementalBitBlaster {
            translator: Translator::new(),
            encoder: Encoder::new(),
            sat: Sat::incremental(seed),
            levels: Vec::new(),
            waiting: Vec::new(),
            conditions: Vec::new(),
            statistics: Statistics::default(),
            facts: Facts::default(),
        }
    }

    /// Opens a level.
    pub fn push(&mut self) {
        let literal = self.encoder.fresh();
        self.levels.push(literal);
    }

    /// Closes the last level opened and forgets its assertions; false if none is open.
    pub fn pop(&mut self) -> bool {
        let Some(literal) = self.levels.pop() else { return false };
        self.waiting.retain(|(level, _)| *level != Some(literal));
        self.encoder.clause(&[-literal], &mut self.sat);
        true
    }

    /// Asserts a prepared Bool term at the current level. All terms are of one store.
    pub fn assert(&mut self, term: TermId) {
        self.waiting.push((self.levels.last().copied(), term));
    }

    /// Asserts a prepared Bool term on the lowest level, whichever is open: it holds for good.
    pub fn assert_for_good(&mut self, term: TermId) {
        self.waiting.push((None, term));
    }

    /// Decides the assertions under assumptions, which are prepared Bool terms of the same store.
    pub fn check(&mut self, store: &Store, assumptions: &[TermId], budget: &Budget) -> IncrementalVerdict {
        let start = Instant::now();
        let encoded = self.encode(store, assumptions, budget);
        self.statistics.encoding += start.elapsed();
        self.statistics.gates = self.translator.gates.len() as u64;
        self.statistics.variables = self.encoder.variables();
        self.statistics.clauses = self.encoder.clauses();
        let literals = match encoded {
            Ok(literals) => literals,
            Err(why) => return IncrementalVerdict::Unknown(why),
        };
        let all: Vec<i32> = self.levels.iter().chain(&literals).copied().collect();
        let start = Instant::now();
        let answer = self.sat.solve(&all, budget);
        self.statistics.solving += start.elapsed();
        self.statistics.conflicts = self.sat.conflicts();
        match answer {
            Answer::Sat => IncrementalVerdict::Sat(self.model(store)),
            Answer::Unsat(failed) => {
                let needed = self.minimised(failed, &literals, budget);
                // Of assumptions that are one literal, one is enough.
                let first = |place: &usize| !literals[..*place].contains(&literals[*place]);
                let core =
                    (0..literals.len()).filter(first).filter(|place| needed.contains(&literals[*place])).collect();
                IncrementalVerdict::Unsat { core }
            }
            Answer::Unknown(why) => IncrementalVerdict::Unknown(why),
        }
    }

    /// The core without the assumptions that little work shows to be superfluous.
    fn minimised(&mut self, mut core: Vec<i32>, assumptions: &[i32], budget: &Budget) -> Vec<i32> {
        let budget = Budget { work: MINIMISING_CONFLICTS, ..budget.clone() };
        let mut tried: Vec<i32> = core.iter().filter(|literal| assumptions.contains(literal)).copied().collect();
        if tried.len() > MOST_MINIMISED {
            return core;
        }
        while let Some(literal) = tried.pop() {
            let without: Vec<i32> = core.iter().filter(|other| **other != literal).copied().collect();
            if let Answer::Unsat(smaller) = self.sat.solve(&without, &budget) {
                tried.retain(|literal| smaller.contains(literal));
                core = smaller;
            }
        }
        core
    }

    /// What all checks have done.
    pub fn counts(&self) -> Statistics {
        self.statistics
    }

    /// Writes what is waiting, and gives the assumptions' literals.
    fn encode(&mut self, store: &Store, assumptions: &[TermId], budget: &Budget) -> Result<Vec<i32>, Why> {
        while let Some((level, term)) = self.waiting.last().copied() {
            let root = self.translator.literal(store, &self.facts, term, budget)?;
            self.encoder.assert(&self.translator.gates, root, level, budget, &mut self.sat)?;
            self.waiting.pop();
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for assumption in assumptions {
            let root = self.translator.literal(store, &self.facts, *assumption, budget)?;
            literals.push(self.encoder.encode(&self.translator.gates, root, budget, &mut self.sat)?);
        }
        // Without facts, side conditions only say that inputs encode values: they hold for good.
        self.conditions.extend(self.translator.take_side_conditions());
        while let Some(condition) = self.conditions.last() {
            self.encoder.assert(&self.translator.gates, *condition, None, budget, &mut self.sat)?;
            self.conditions.pop();
        }
        Ok(literals)
    }

    fn model(&self, store: &Store) -> Model {
        self.translator.model(store, |edge| {
            edge.constant()
                .or_else(|| self.encoder.literal(edge).map(|literal| self.sat.value(literal)))
                .unwrap_or(false)
        })
    }
}
