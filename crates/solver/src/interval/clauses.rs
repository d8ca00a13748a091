//! Clauses over memberships, with two watched literals each.
//!
//! A watched literal is looked at when its variable's domain changes; while both are not false there is nothing to do
//! (Moskewicz et al., "Chaff", DAC 2001, for the Bool case).

use smallvec::SmallVec;

use super::literal::{Literal, Var};
use crate::domain::Domain;

/// A disjunction of literals; the first two are watched.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// The literals.
    pub literals: SmallVec<[Literal; 3]>,
    /// Whether it was learnt and may be forgotten.
    pub learnt: bool,
    /// How useful it has been lately.
    pub activity: f64,
}

/// What a clause demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    /// Nothing now.
    Nothing,
    /// This literal, all others being false.
    Unit(Literal),
    /// The impossible: all are false.
    Conflict,
}

/// All clauses.
#[derive(Debug, Default)]
pub(crate) struct Clauses {
    /// By index; indices change only in [`Clauses::forget`].
    pub list: Vec<Clause>,
    /// For each variable, the clauses that watch a literal of it.
    watches: Vec<Vec<u32>>,
    /// How many are learnt.
    pub learnt: usize,
    increment: f64,
}

impl Clauses {
    /// None, over so many variables.
    pub fn new(variables: usize) -> Clauses {
        Clauses { list: Vec::new(), watches: vec![Vec::new(); variables], learnt: 0, increment: 1.0 }
    }

    /// Adds a clause, and says what it demands. A learnt clause comes with the literal that becomes true first and one
    /// that became false last second.
    pub fn add(&mut self, literals: SmallVec<[Literal; 3]>, learnt: bool, domains: &[Domain]) -> (u32, Demand) {
        let index = self.list.len() as u32;
        self.learnt += usize::from(learnt);
        self.list.push(Clause { literals, learnt, activity: self.increment });
        if !learnt {
            // Whatever is not false comes first, so that the watches hold.
            self.list[index as usize].literals.sort_by_key(|literal| literal.is_false(domains));
        }
        let literals = &self.list[index as usize].literals;
        for literal in literals.iter().take(2) {
            self.watches[literal.var as usize].push(index);
        }
        let demand = match literals[..] {
            [] => Demand::Conflict,
            [one] if one.is_false(domains) => Demand::Conflict,
            [one] => Demand::Unit(one),
            [first, second, ..] => match (first.is_false(domains), second.is_false(domains)) {
                (true, true) => Demand::Conflict,
                (false, true) => Demand::Unit(first),
                (true, false) => Demand::Unit(second),
                (false, false) => Demand::Nothing,
            },
        };
        (index, demand)
    }

    /// Takes a variable's list of watching clauses, of which those that stay come back by [`Clauses::give_watchers`].
    pub fn take_watchers(&mut self, var: Var) -> Vec<u32> {
        std::mem::take(&mut self.watches[var as usize])
    }

    /// Gives back a variable's list, before anything that was added to it in between.
    pub fn give_watchers(&mut self, var: Var, mut watchers: Vec<u32>) {
        watchers.append(&mut self.watches[var as usize]);
        self.watches[var as usize] = watchers;
    }

    /// Looks at a clause because the variable's domain has changed. The second value is whether it still watches the
    /// variable.
    pub fn visit(&mut self, index: u32, var: Var, domains: &[Domain]) -> (Demand, bool) {
        let literals = &mut self.list[index as usize].literals;
        let watched = literals.len().min(2);
        if literals[..watched].iter().any(|literal| literal.var != var && literal.is_true(domains)) {
            return (Demand::Nothing, true);
        }
        // Both slots: the other variable may have changed too and not been visited yet.
        for slot in 0..watched {
            if !literals[slot].is_false(domains) {
                continue;
            }
            let Some(other) = (2..literals.len()).find(|i| !literals[*i].is_false(domains)) else { continue };
            literals.swap(slot, other);
            let new = literals[slot].var;
            if new != var && literals[1 - slot].var != new {
                self.watches[new as usize].push(index);
            }
        }
        let literals = &self.list[index as usize].literals;
        let stays = literals[..watched].iter().any(|literal| literal.var == var);
        let open = |i: usize| !literals[i].is_false(domains);
        let demand = match watched {
            0 => Demand::Conflict,
            1 if open(0) => Demand::Unit(literals[0]),
            1 => Demand::Conflict,
            _ => match (open(0), open(1)) {
                (true, true) => Demand::Nothing,
                (true, false) => Demand::Unit(literals[0]),
                (false, true) => Demand::Unit(literals[1]),
                (false, false) => Demand::Conflict,
            },
        };
        (demand, stays)
    }

    /// Makes a clause count as useful now.
    pub fn bump(&mut self, index: u32) {
        let clause = &mut self.list[index as usize];
        clause.activity += self.increment;
        if clause.activity > 1e100 {
            for clause in &mut self.list {
                clause.activity *= 1e-100;
            }
            self.increment *= 1e-100;
        }
    }

    /// Makes everything until now count less.
    pub fn decay(&mut self) {
        self.increment /= 0.999;
    }

    /// Forgets the less useful half of the learnt clauses and those that are always true. Only at level 0, where no
    /// event has a clause as its reason.
    pub fn forget(&mut self, domains: &[Domain]) {
        let mut activities: Vec<f64> =
            self.list.iter().filter(|clause| clause.learnt && clause.literals.len() > 2).map(|c| c.activity).collect();
        activities.sort_by(f64::total_cmp);
        let median = activities.get(activities.len() / 2).copied().unwrap_or(0.0);
        self.list.retain(|clause| {
            let keep = !clause.learnt || clause.literals.len() <= 2 || clause.activity > median;
            keep && !clause.literals.iter().any(|literal| literal.is_true(domains))
        });
        self.learnt = self.list.iter().filter(|clause| clause.learnt).count();
        self.watches.iter_mut().for_each(Vec::clear);
        for (index, clause) in self.list.iter_mut().enumerate() {
            clause.literals.sort_by_key(|literal| literal.is_false(domains));
            for literal in clause.literals.iter().take(2) {
                self.watches[literal.var as usize].push(index as u32);
            }
        }
    }
}
