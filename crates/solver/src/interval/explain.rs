//! Why a literal became false: literals that were false before and imply it.
//!
//! Every narrowing is a function of some domains, sound on any: a propagator's [`contract`], or the intersection with a
//! literal's set. An explanation is found by running that function again on larger domains: if it still removes the
//! literal's set, then it does for all values in those larger domains, and what the larger domains exclude is the whole
//! reason. Excluded sets are given up one by one, then shrunk by bisection while the result stays. (Lifted, lazy
//! explanations: Ohrimenko, Stuckey, Codish, "Propagation via lazy clause generation", Constraints 2009.)

use std::cell::Cell;

use smallvec::SmallVec;

use super::affine::Finding;
use super::contract::contract;
use super::graph::Graph;
use super::literal::{Literal, Var};
use super::places::{self, Set};
use super::trail::{Reason, Trail};
use crate::domain::Domain;

/// How often an excluded interval's end is moved.
const BISECTIONS: usize = 3;

/// The reasons of changes on a trail.
pub(crate) struct Explainer<'a> {
    /// The propagators.
    pub graph: &'a Graph,
    /// The changes.
    pub trail: &'a Trail,
    /// The clauses' literals.
    pub clauses: &'a super::clauses::Clauses,
    /// How the propagators ran.
    pub ulp_max: bool,
    /// The affine forms' symbols.
    pub symbols: &'a [Var],
    /// How often propagators were run for reasons, and the work of that ([`Graph::cost`]).
    pub runs: Cell<(u64, u64)>,
}

impl Explainer<'_> {
    /// Adds to `out` literals that were false before the event and because of which the event made `literal` false.
    /// False, and nothing is added, if the narrowing does not repeat itself.
    pub fn event(&self, index: u32, literal: &Literal, out: &mut Vec<Literal>) -> bool {
        let event = &self.trail.events[index as usize];
        match event.reason {
            Reason::Affine(finding) => {
                let own = |domain: &Domain| !places::meets(&places::restricted(domain, finding.set), literal.set);
                self.finding(&finding, index, out);
                self.alone(event.var, &event.before, own, out)
            }
            Reason::Propagator { index, at } => self.propagator(index, at, Some(literal), out),
            Reason::Decision(decision) => {
                let own = |domain: &Domain| !places::meets(&places::restricted(domain, decision.set), literal.set);
                let kept = self.alone(event.var, &event.before, own, out);
                if kept && let Some(opposite) = self.opposite(&decision) {
                    out.push(opposite);
                    return true;
                }
                false
            }
            Reason::Clause(clause) => {
                let literals = &self.clauses.list[clause as usize].literals;
                let enforced = literals.iter().find(|l| l.var == event.var && places::meets(&event.before, l.set));
                let Some(enforced) = enforced else { return false };
                let own = |domain: &Domain| !places::meets(&places::restricted(domain, enforced.set), literal.set);
                let kept = self.alone(event.var, &event.before, own, out);
                out.extend(literals.iter().filter(|other| *other != enforced));
                kept
            }
        }
    }

    /// The literal that is false by a decision: that the value lies outside the decided set.
    pub fn opposite(&self, decision: &Literal) -> Option<Literal> {
        let var = decision.var;
        let set = match decision.set {
            Set::Bit { place, value } => Set::Bit { place, value: !value },
            Set::Within { low: 0, high } => {
                Set::Within { low: high + 1, high: places::last_place(&self.trail.domains[var as usize]) }
            }
            Set::Within { low, high } if high == places::last_place(&self.trail.domains[var as usize]) => {
                Set::Within { low: 0, high: low - 1 }
            }
            Set::Within { .. } => return None,
        };
        Some(Literal { var, set })
    }

    /// Explains what a propagator did when the trail had `at` events: that it made `literal` false, or without one that
    /// it failed.
    pub fn propagator(&self, index: u32, at: u32, literal: Option<&Literal>, out: &mut Vec<Literal>) -> bool {
        let propagator = &self.graph.propagators[index as usize];
        let slot = literal.and_then(|literal| propagator.scope.iter().position(|var| *var == literal.var));
        let domains = propagator.scope.iter().map(|var| self.trail.domain_at(*var, at)).collect();
        let cost = self.graph.cost(index);
        let holds = |domains: &[Domain]| {
            let mut narrowed: SmallVec<[Domain; 4]> = domains.iter().copied().collect();
            self.runs.update(|(runs, work)| (runs + 1, work + cost));
            match (contract(propagator, &mut narrowed, self.ulp_max), literal, slot) {
                (Err(_), _, _) => true,
                (Ok(()), Some(literal), Some(slot)) => !places::meets(&narrowed[slot], literal.set),
                _ => false,
            }
        };
        self.lift(&propagator.scope, domains, holds, out)
    }

    /// Adds what the symbols' domains excluded when the trail had `at` events: the reason of a finding.
    pub fn finding(&self, finding: &Finding, at: u32, out: &mut Vec<Literal>) {
        for (_, var) in self.symbols.iter().enumerate().filter(|(i, _)| finding.because >> i & 1 == 1) {
            let gaps = places::gaps(&self.trail.root[*var as usize], &self.trail.domain_at(*var, at));
            out.extend(gaps.into_iter().map(|set| Literal { var: *var, set }));
        }
    }

    /// Explains by one variable's domain alone.
    fn alone(&self, var: Var, domain: &Domain, holds: impl Fn(&Domain) -> bool, out: &mut Vec<Literal>) -> bool {
        self.lift(&[var], [*domain].into_iter().collect(), |domains| holds(&domains[0]), out)
    }

    /// Enlarges the domains while `holds` stays true, and adds what they still exclude to `out`.
    fn lift(
        &self,
        vars: &[Var],
        mut domains: SmallVec<[Domain; 4]>,
        holds: impl Fn(&[Domain]) -> bool,
        out: &mut Vec<Literal>,
    ) -> bool {
        let mut all_gaps: SmallVec<[SmallVec<[Set; 4]>; 4]> = SmallVec::new();
        for (slot, var) in vars.iter().enumerate() {
            let gaps = places::gaps(&self.trail.root[*var as usize], &domains[slot]);
            domains[slot] = self.rebuilt(*var, &gaps);
            all_gaps.push(gaps);
        }
        if !holds(&domains) {
            return false;
        }
        // What changed last is given up first: earlier reasons make for longer jumps back.
        let mut order: SmallVec<[usize; 4]> = (0..vars.len()).collect();
        order.sort_by_key(|slot| std::cmp::Reverse(self.trail.last_event(vars[*slot])));
        for slot in order {
            let (var, gaps) = (vars[slot], &mut all_gaps[slot]);
            if gaps.is_empty() {
                continue;
            }
            let attempt = |gaps: &[Set], domains: &mut SmallVec<[Domain; 4]>| {
                let old = std::mem::replace(&mut domains[slot], self.rebuilt(var, gaps));
                let kept = holds(domains);
                if !kept {
                    domains[slot] = old;
                }
                kept
            };
            if attempt(&[], &mut domains) {
                gaps.clear();
                continue;
            }
            let mut i = 0;
            while i < gaps.len() && gaps.len() > 1 {
                let gap = gaps.remove(i);
                if !attempt(gaps, &mut domains) {
                    gaps.insert(i, gap);
                    i += 1;
                }
            }
            for i in 0..gaps.len() {
                shrink(gaps, i, |gaps| attempt(gaps, &mut domains));
            }
        }
        for (var, gaps) in vars.iter().zip(all_gaps) {
            out.extend(gaps.into_iter().map(|set| Literal { var: *var, set }));
        }
        true
    }

    fn rebuilt(&self, var: Var, gaps: &[Set]) -> Domain {
        gaps.iter().fold(self.trail.root[var as usize], |domain, gap| places::without(&domain, *gap))
    }
}

/// Moves the ends of an excluded interval towards each other while `attempt` accepts it.
fn shrink(gaps: &mut SmallVec<[Set; 4]>, i: usize, mut attempt: impl FnMut(&[Set]) -> bool) {
    for upper in [true, false] {
        let Set::Within { low, high } = gaps[i] else { return };
        // `good` is an end with which the explanation holds, `bad` the first that leaves nothing.
        let (mut good, mut bad) = if upper { (high, low) } else { (low, high) };
        for _ in 0..BISECTIONS {
            let middle = if good > bad { bad + (good - bad) / 2 } else { good + (bad - good).div_ceil(2) };
            if middle == good {
                break;
            }
            let old = gaps[i];
            gaps[i] = if upper { Set::Within { low, high: middle } } else { Set::Within { low: middle, high } };
            if attempt(gaps) {
                good = middle;
            } else {
                gaps[i] = old;
                bad = middle;
            }
        }
    }
}
