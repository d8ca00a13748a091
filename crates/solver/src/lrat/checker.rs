//! The checker.
//!
//! **Claim.** If [`check`] accepts, the formula has no model, whoever wrote the proof.
//!
//! **Argument.** Every clause that is held is implied by the formula. At the beginning these are the formula's own. A step
//! that deletes keeps that. A step that adds a clause C is taken only if the literals of C are assumed false, the clauses
//! named are gone through in order, and one of them has all its literals false, where each before it had all
//! but one literal false and that one was then made true. In a model of the formula in which C is false, the clauses held are
//! true; so by induction every literal made true is true in it, and the last clause named would be false: there is no
//! such model, and C is implied. When C is empty, no model is left.
//!
//! What the claim does not need is refused all the same, since it is a sign that something is wrong: numbers given again, names of
//! deleted clauses, clauses with a literal and its negation, variables that the formula does not have, and steps by
//! resolution on a literal (RAT), which CaDiCaL's default options do not make.

use std::io::BufRead;

use rustc_hash::FxHashMap;

use super::steps::{Reader, Step};
use super::{Formula, Rejected};
use crate::Budget;

/// How large an accepted proof is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Steps up to the empty clause.
    pub steps: u64,
    /// Bytes of these.
    pub bytes: u64,
}

/// How many steps are checked between two looks at the budget: some milliseconds' work.
const STRIDE: u64 = 1024;

/// Checks that a proof in LRAT's binary form refutes the formula.
///
/// # Errors
///
/// Why the proof is not accepted: its first fault, or what kept the checker from reading on.
pub fn check(formula: &Formula, proof: impl BufRead, budget: &Budget) -> Result<Checked, Rejected> {
    let mut checker = Checker::new(formula);
    let mut reader = Reader::new(proof);
    if formula.clauses().any(<[i32]>::is_empty) {
        return Ok(Checked { steps: 0, bytes: 0 });
    }
    while let Some(step) = reader.next()? {
        if reader.steps.is_multiple_of(STRIDE)
            && let Some(why) = budget.exhausted()
        {
            return Err(Rejected::Stopped(why));
        }
        checker.step = reader.steps;
        match step {
            Step::Delete => reader.ids.iter().try_for_each(|id| checker.delete(*id))?,
            Step::Add(id) => {
                checker.add(id, &reader.literals, &reader.ids)?;
                if reader.literals.is_empty() {
                    return Ok(Checked { steps: reader.steps, bytes: reader.bytes });
                }
            }
        }
    }
    Err(Rejected::Unfinished)
}

/// The clauses that are held.
struct Checker<'a> {
    formula: &'a Formula,
    /// Of the formula's clauses: whether they have been deleted, by place.
    deleted: Vec<bool>,
    /// The clauses added and not deleted.
    added: FxHashMap<u64, Box<[i32]>>,
    /// The greatest number given.
    last: u64,
    /// By variable: 1 where it is true, -1 where it is false, 0 where it has no value.
    values: Vec<i8>,
    /// Variables that have values.
    assigned: Vec<usize>,
    /// The present step.
    step: u64,
}

impl Checker<'_> {
    fn new(formula: &Formula) -> Checker<'_> {
        Checker {
            formula,
            deleted: vec![false; formula.len()],
            added: FxHashMap::default(),
            last: formula.len() as u64,
            values: vec![0; formula.variables() as usize + 1],
            assigned: Vec::new(),
            step: 0,
        }
    }

    fn delete(&mut self, id: u64) -> Result<(), Rejected> {
        let missing = Rejected::Missing { step: self.step, id };
        match usize::try_from(id).ok().and_then(|id| self.deleted.get_mut(id.checked_sub(1)?)) {
            Some(deleted) if *deleted => Err(missing),
            Some(deleted) => {
                *deleted = true;
                Ok(())
            }
            None => self.added.remove(&id).map(drop).ok_or(missing),
        }
    }

    fn add(&mut self, id: u64, clause: &[i32], hints: &[u64]) -> Result<(), Rejected> {
        if id <= self.last {
            return Err(Rejected::Number { step: self.step, id });
        }
        self.last = id;
        let implied = self.refute(clause, hints);
        for variable in self.assigned.drain(..) {
            self.values[variable] = 0;
        }
        implied?;
        self.added.insert(id, clause.into());
        Ok(())
    }

    /// Propagates the clause's negation through the clauses named, to a contradiction.
    fn refute(&mut self, clause: &[i32], hints: &[u64]) -> Result<(), Rejected> {
        for &literal in clause {
            let known = self.values.get(literal.unsigned_abs() as usize).is_some();
            if !known || self.value(literal) > 0 {
                return Err(Rejected::Literal { step: self.step, literal });
            }
            self.make_true(-literal);
        }
        for &id in hints {
            let held = match self.formula.clause(id) {
                Some(clause) if !self.deleted[id as usize - 1] => Some(clause),
                Some(_) => None,
                None => self.added.get(&id).map(AsRef::as_ref),
            };
            let held = held.ok_or(Rejected::Missing { step: self.step, id })?;
            match left(&self.values, held) {
                Left::Nothing => return Ok(()),
                Left::One(literal) => self.make_true(literal),
                Left::More => return Err(Rejected::NotUnit { step: self.step, id }),
            }
        }
        Err(Rejected::NoConflict { step: self.step })
    }

    /// Positive where the literal is true, negative where it is false.
    fn value(&self, literal: i32) -> i8 {
        value(&self.values, literal)
    }

    fn make_true(&mut self, literal: i32) {
        if self.value(literal) == 0 {
            let variable = literal.unsigned_abs() as usize;
            self.values[variable] = if literal > 0 { 1 } else { -1 };
            self.assigned.push(variable);
        }
    }
}

fn value(values: &[i8], literal: i32) -> i8 {
    let value = values[literal.unsigned_abs() as usize];
    if literal > 0 { value } else { -value }
}

/// The literals of a clause that are not false.
enum Left {
    Nothing,
    One(i32),
    More,
}

fn left(values: &[i8], clause: &[i32]) -> Left {
    let mut left = Left::Nothing;
    for &literal in clause {
        if value(values, literal) < 0 {
            continue;
        }
        left = match left {
            Left::Nothing => Left::One(literal),
            Left::One(other) if other == literal => left,
            _ => return Left::More,
        };
    }
    left
}
