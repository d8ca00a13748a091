//! What a conflict teaches: a clause that is false now and would have said something one or more decisions earlier.
//!
//! The first unique implication point of Marques-Silva and Sakallah ("GRASP", 1999) over memberships: false literals are
//! replaced by the reasons of their falsity, the latest first, until one of the last decision's level is left. Each step
//! replaces a literal by what implies it, so that the clause is implied by the query at every moment.

use smallvec::SmallVec;

use super::affine::Finding;
use super::explain::Explainer;
use super::literal::Literal;
use super::places::Set;
use super::trail::{Reason, Trail};

/// What could not be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conflict {
    /// All literals of a clause are false.
    Clause(u32),
    /// A propagator leaves a variable without values.
    Propagator(u32),
    /// The affine forms leave a variable without values.
    Affine(Finding),
}

/// What a conflict teaches.
#[derive(Debug)]
pub(crate) struct Lesson {
    /// The clause; its first literal is the one that becomes true after going back. Empty if there is no solution.
    pub literals: SmallVec<[Literal; 3]>,
    /// The level to go back to.
    pub level: u32,
    /// Whether a reason was not found and all decisions stand for it.
    pub by_decisions: bool,
}

/// A false literal and the event that made it so.
type Pending = (u32, Literal);

/// A clause under construction.
struct Analysis<'a, 'b> {
    explainer: &'a Explainer<'b>,
    pending: Vec<Pending>,
}

/// The lesson of a conflict. `seen` is called with every variable involved.
pub(crate) fn analyze(explainer: &Explainer<'_>, conflict: Conflict, mut seen: impl FnMut(Reason, u32)) -> Lesson {
    let mut reasons = Vec::new();
    let explained = match conflict {
        Conflict::Clause(clause) => {
            let literals = &explainer.clauses.list[clause as usize].literals;
            literals.iter().for_each(|literal| seen(Reason::Clause(clause), literal.var));
            reasons.extend_from_slice(literals);
            true
        }
        Conflict::Affine(finding) => {
            explainer.finding(&finding, explainer.trail.events.len() as u32, &mut reasons);
            reasons.push(Literal { var: finding.var, set: finding.set });
            true
        }
        Conflict::Propagator(index) => {
            explainer.propagator(index, explainer.trail.events.len() as u32, None, &mut reasons)
        }
    };
    let mut analysis = Analysis { explainer, pending: Vec::new() };
    if !explained || !analysis.run(reasons, &mut seen) {
        return analysis.by_decisions();
    }
    analysis.lesson()
}

impl Analysis<'_, '_> {
    fn trail(&self) -> &Trail {
        self.explainer.trail
    }

    fn level(&self, pending: &Pending) -> u32 {
        self.trail().events[pending.0 as usize].level
    }

    /// Adds false literals; those of one variable that overlap or touch become one.
    fn add(&mut self, literals: &mut Vec<Literal>) {
        for mut literal in literals.drain(..) {
            if let Set::Within { mut low, mut high } = literal.set {
                while let Some(i) = self.pending.iter().position(|(_, other)| {
                    other.var == literal.var
                        && matches!(other.set, Set::Within { low: l, high: h }
                        if l <= high.saturating_add(1) && low <= h.saturating_add(1))
                }) {
                    if let (_, Literal { set: Set::Within { low: l, high: h }, .. }) = self.pending.swap_remove(i) {
                        (low, high) = (low.min(l), high.max(h));
                    }
                }
                literal.set = Set::Within { low, high };
            } else if self.pending.iter().any(|(_, other)| *other == literal) {
                continue;
            }
            if let Some(event) = self.trail().falsified_by(&literal) {
                self.pending.push((event, literal));
            }
        }
    }

    /// Replaces literals by their reasons until one of the highest level is left; false if a reason is not found.
    fn run(&mut self, mut reasons: Vec<Literal>, seen: &mut impl FnMut(Reason, u32)) -> bool {
        loop {
            self.add(&mut reasons);
            let Some(level) = self.pending.iter().map(|pending| self.level(pending)).max() else { return true };
            if self.pending.iter().filter(|pending| self.level(pending) == level).count() == 1 {
                return true;
            }
            // The latest; among those a decision made false, last the one that holds all that the decision excluded:
            // explaining another one gives that literal, with which it becomes one.
            let covers = |pending: &Pending| match self.trail().events[pending.0 as usize].reason {
                Reason::Decision(decision) => {
                    match (self.explainer.opposite(&decision).map(|o| o.set), pending.1.set) {
                        (Some(Set::Within { low, high }), Set::Within { low: l, high: h }) => l <= low && high <= h,
                        (opposite, set) => opposite == Some(set),
                    }
                }
                _ => false,
            };
            let latest = (0..self.pending.len()).max_by_key(|i| (self.pending[*i].0, !covers(&self.pending[*i])));
            let Some(latest) = latest else { return true };
            let (event, literal) = self.pending.swap_remove(latest);
            seen(self.trail().events[event as usize].reason, literal.var);
            if !self.explainer.event(event, &literal, &mut reasons) {
                return false;
            }
        }
    }

    fn lesson(mut self) -> Lesson {
        // Highest level first, so that the first two are the ones to watch.
        let mut keyed = std::mem::take(&mut self.pending);
        keyed.sort_by_key(|(event, _)| std::cmp::Reverse(*event));
        let events = &self.trail().events;
        let level = keyed.get(1).map_or(0, |(event, _)| events[*event as usize].level);
        Lesson { literals: keyed.into_iter().map(|(_, literal)| literal).collect(), level, by_decisions: false }
    }

    /// The clause that not all decisions hold: always true, and used where a reason is not found.
    fn by_decisions(self) -> Lesson {
        let decisions: Vec<Literal> = self.trail().decisions().collect();
        let literals: SmallVec<[Literal; 3]> =
            decisions.iter().rev().filter_map(|decision| self.explainer.opposite(decision)).collect();
        Lesson { literals, level: self.trail().level().saturating_sub(1), by_decisions: true }
    }
}
