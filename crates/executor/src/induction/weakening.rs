//! Conditions of a loop are weakened until they hold where it begins, and where its rounds end.

use labrys_interp::Datum;
use labrys_term::TermId;

use super::conditions::Conditions;
use super::variables::{self, Variables};
use crate::FloatValue;
use crate::driver::{Driver, PATIENCE};
use crate::oracle::Feasible;
use crate::state::Execution;

impl<'s> Driver<'_, 's> {
    /// Weakens conditions until they hold of what the variables are where a path stands; whether there was one that did not.
    pub(super) fn weaken(
        &mut self,
        at: &Execution<'s>,
        conditions: &mut Conditions,
        variables: &[Datum<FloatValue, TermId>],
    ) -> bool {
        let mut has_changed = false;
        loop {
            let terms = conditions.terms(&mut self.machine.domain, variables);
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
            has_changed = true;
            let Some(witness) = witness else {
                self.keep_what_holds(at, conditions, &terms);
                return true;
            };
            let domain = &mut self.machine.domain;
            let witnesses = &mut self.oracle.witnesses;
            let failing: Vec<bool> =
                terms.iter().map(|&term| witnesses.holds(domain, &witness, term) != Some(true)).collect();
            if !failing.contains(&true) {
                self.keep_what_holds(at, conditions, &terms);
                return true;
            }
            conditions.weaken(&failing, |of| {
                let term = variables::term_of(domain, &variables[of]);
                witnesses.value(domain, &witness, term)
            });
        }
    }

    /// Drops the conditions that are not known to hold, asked about one by one.
    fn keep_what_holds(&mut self, at: &Execution<'s>, conditions: &mut Conditions, terms: &[TermId]) {
        let mut failing = Vec::new();
        for &term in terms {
            let fails = self.store().not(term);
            failing.push(self.is_stopped() || !matches!(self.ask(at, fails), Feasible::No));
        }
        conditions.weaken(&failing, |_| None);
    }

    /// Weakens conditions until they hold where the loop begins, if that is `first`, and where a path is after a round; guesses cases that follow from what has
    /// become known of variables then, and weakens these, too. Whether there was one that did not hold, or is new.
    pub(super) fn weaken_by_cases(
        &mut self,
        first: Option<&Execution<'s>>,
        back: &Execution<'s>,
        (conditions, variables): (&mut Conditions, &Variables),
    ) -> bool {
        let (firsts, nexts) = (variables.firsts(), variables.nexts());
        let mut has_changed = self.weaken(back, conditions, &nexts);
        while conditions.guess_cases(variables) {
            has_changed = true;
            if let Some(first) = first {
                self.weaken(first, conditions, &firsts);
            }
            self.weaken(back, conditions, &nexts);
        }
        has_changed
    }
}
