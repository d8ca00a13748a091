//! Clauses over memberships, with two watched literals each.
//!
//! A watched literal is looked at when its variable's domain changes; while both are not false there is nothing to do
//! (Moskewicz et al., "Chaff", DAC 2001, for the Bool case).

use smallvec::SmallVec;

use super::literal::{Literal, Var};
use super::places::Set;
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

/// That a clause is to be looked at when no value of a variable lies in a set any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    /// The clause.
    pub clause: u32,
    /// The set of its watched literal.
    pub set: Set,
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
    /// For each variable, its watched literals. Each clause's first two literals are here, and nothing else.
    watches: Vec<Vec<Watch>>,
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
            self.watches[literal.var as usize].push(Watch { clause: index, set: literal.set });
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

    /// Takes a variable's watches, of which those that stay come back by [`Clauses::give_watches`].
    pub fn take_watches(&mut self, var: Var) -> Vec<Watch> {
        std::mem::take(&mut self.watches[var as usize])
    }

    /// Gives back a variable's watches, before anything that was added to them in between.
    pub fn give_watches(&mut self, var: Var, mut watches: Vec<Watch>) {
        watches.append(&mut self.watches[var as usize]);
        self.watches[var as usize] = watches;
    }

    /// Looks at a clause because a watched literal has become false. The second value is whether the watch stays.
    pub fn visit(&mut self, watch: Watch, var: Var, domains: &[Domain]) -> (Demand, bool) {
        let literals = &mut self.list[watch.clause as usize].literals;
        let false_one = Literal { var, set: watch.set };
        if literals.len() == 1 {
            return (Demand::Conflict, true);
        }
        // Both watched literals may be the same one; then either slot will do.
        let slot = usize::from(literals[0] != false_one);
        let other = literals[1 - slot];
        if other.is_true(domains) {
            return (Demand::Nothing, true);
        }
        if let Some(new) = (2..literals.len()).find(|i| !literals[*i].is_false(domains)) {
            literals.swap(slot, new);
            let new = literals[slot];
            self.watches[new.var as usize].push(Watch { clause: watch.clause, set: new.set });
            return (Demand::Nothing, false);
        }
        // Every other literal is false, whether its variable has been visited or not.
        (if other.is_false(domains) { Demand::Conflict } else { Demand::Unit(other) }, true)
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
                self.watches[literal.var as usize].push(Watch { clause: index as u32, set: literal.set });
            }
        }
    }
}
