//! Conditions of a loop are weakened until they hold where it begins, and where its rounds end.

use labrys_interp::Datum;
use labrys_term::TermId;
use tracing::debug;

use super::conditions::Conditions;
use super::recurrences::Moment;
use super::variables::{self, Variables};
use crate::FloatValue;
use crate::driver::{Driver, PATIENCE};
use crate::oracle::{Feasible, conjuncts};
use crate::state::Execution;

impl<'s> Driver<'_, 's> {
    /// Weakens conditions until they hold of what the variables are where a path stands, at a moment; whether there was one that did not.
    pub(super) fn weaken(
        &mut self,
        at: &Execution<'s>,
        conditions: &mut Conditions,
        (variables, moment): (&[Datum<FloatValue, TermId>], Moment),
    ) -> bool {
        let mut has_changed = false;
        loop {
            let terms = conditions.terms(&mut self.machine.domain, variables, moment);
            let store = self.store();
            let all = store.and(&terms);
            let fails = store.not(all);
            let witness = match self.ask(at, fails) {
                Feasible::No => return has_changed,
                Feasible::Yes(Some(witness)) => Some(witness),
                Feasible::Yes(None) => {
                    let path = at.state.path.choices.condition;
                    let both = self.store().and(&[path, fails]);
                    match self.oracle.model(&mut self.machine.domain, both, PATIENCE) {
                        Feasible::No => return has_changed,
                        Feasible::Yes(witness) => witness,
                        Feasible::Unknown(_) => None,
                    }
                }
                Feasible::Unknown(_) => None,
            };
            let Some(witness) = witness else {
                return self.keep_what_holds(at, conditions, &terms) || has_changed;
            };
            let domain = &mut self.machine.domain;
            let witnesses = &mut self.oracle.witnesses;
            let failing: Vec<bool> =
                terms.iter().map(|&term| witnesses.holds(domain, &witness, term) != Some(true)).collect();
            if !failing.contains(&true) {
                return self.keep_what_holds(at, conditions, &terms) || has_changed;
            }
            has_changed = true;
            conditions.weaken(&failing, |of| {
                let term = variables::term_of(domain, &variables[of]);
                witnesses.value(domain, &witness, term)
            });
        }
    }

    /// Drops the conditions that are not known to hold, asked about one by one; whether there was one.
    fn keep_what_holds(&mut self, at: &Execution<'s>, conditions: &mut Conditions, terms: &[TermId]) -> bool {
        let mut failing = Vec::new();
        for (place, &term) in terms.iter().enumerate() {
            let is_linear = conditions.is_recurrence(place);
            let is_checked = conditions.is_checked(place);
            let parts = conjuncts(self.store(), term);
            let holds = |part: TermId| {
                !self.is_stopped() && (self.holds(at, part, is_linear) || is_checked && self.holds_in_time(at, part))
            };
            failing.push(!parts.into_iter().all(holds));
        }
        debug!(target: "executor", ?failing, "asked one by one");
        conditions.weaken(&failing, |_| None);
        failing.contains(&true)
    }

    /// Whether a condition holds wherever a path stands; of a linear one that is asked first of whom it is easy for.
    fn holds(&mut self, at: &Execution<'s>, condition: TermId, is_linear: bool) -> bool {
        let fails = self.store().not(condition);
        is_linear && self.oracle.refutes_relaxed(&mut self.machine.domain, &at.groups, fails)
            || matches!(self.ask(at, fails), Feasible::No)
    }

    /// The same of what the program itself asks for, on which the proof may hang.
    fn holds_in_time(&mut self, at: &Execution<'s>, condition: TermId) -> bool {
        let fails = self.store().not(condition);
        self.oracle.take_time();
        let holds = matches!(self.ask(at, fails), Feasible::No);
        self.oracle.hurry();
        holds
    }

    /// Weakens conditions until they hold where the loop begins, if that is `first`, and where a path is after a round; guesses cases that follow from what has
    /// become known of variables then, and weakens these, too. The moment is that of the path. Whether there was one that did not hold, or is new.
    pub(super) fn weaken_by_cases(
        &mut self,
        first: Option<&Execution<'s>>,
        (back, moment): (&Execution<'s>, Moment),
        (conditions, variables): (&mut Conditions, &Variables),
    ) -> bool {
        let (firsts, nexts) = (variables.firsts(), variables.nexts());
        let mut has_changed = self.weaken(back, conditions, (&nexts, moment));
        while conditions.guess_cases(variables) {
            has_changed = true;
            if let Some(first) = first {
                self.weaken(first, conditions, (&firsts, Moment::Begins));
            }
            self.weaken(back, conditions, (&nexts, moment));
        }
        has_changed
    }
}
