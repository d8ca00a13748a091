//! Propagation to a fixed point: clauses first, then one propagator at a time.
//!
//! Convergence can be as slow as one ulp a step (x = x·0.999…9 does it): a variable that has been narrowed often since
//! the last decision wakes its propagators again only where a fair part of it went. What is left undone is done after
//! the next decision, and values that are known are always passed on, so that nothing is decided wrongly.

use std::collections::VecDeque;

use super::affine::{Affine, Finding};
use super::analyze::Conflict;
use super::clauses::{Clauses, Demand};
use super::contract::contract;
use super::graph::Graph;
use super::literal::{Literal, Var};
use super::places;
use super::trail::{Reason, Trail};
use crate::domain::Domain;

/// So many narrowings of a variable are passed on whatever their size.
const PATIENCE: u16 = 6;

/// How often propagators and affine forms take turns at most.
const ROUNDS: usize = 4;

/// Domains, clauses and what is still to be looked at.
#[derive(Debug)]
pub(crate) struct Propagation<'a> {
    /// The propagators.
    pub graph: &'a Graph,
    /// The domains.
    pub trail: Trail,
    /// The clauses, learnt ones too.
    pub clauses: Clauses,
    /// Whether sums, products and quotients use the ULP-maximum.
    pub ulp_max: bool,
    /// How many propagators have run.
    pub runs: u64,
    /// The work of that, and of running them again for reasons ([`Graph::cost`]).
    pub work: u64,
    /// The affine forms, once the first fixed point is reached and if there are any.
    pub affine: Option<Affine>,
    /// How often the forms have been computed, and how often that was worth it; before the first fixed point nothing.
    refinements: Option<(u64, u64)>,
    /// Variables whose clauses are to be visited.
    changed: VecDeque<Var>,
    is_changed: Vec<bool>,
    /// Propagators to run.
    awake: VecDeque<u32>,
    is_awake: Vec<bool>,
    /// How often each variable has been narrowed in the epoch next to it.
    narrowed: Vec<(u32, u16)>,
    epoch: u32,
}

impl<'a> Propagation<'a> {
    /// Everything awake, nothing propagated. The second value is whether the clauses already contradict each other.
    pub fn new(graph: &'a Graph, ulp_max: bool) -> (Propagation<'a>, bool) {
        let count = graph.tops.len();
        let mut new = Propagation {
            graph,
            trail: Trail::new(graph.tops.clone()),
            clauses: Clauses::new(count),
            ulp_max,
            runs: 0,
            work: 0,
            affine: None,
            refinements: None,
            changed: VecDeque::new(),
            is_changed: vec![false; count],
            awake: (0..graph.propagators.len() as u32).collect(),
            is_awake: vec![true; graph.propagators.len()],
            narrowed: vec![(0, 0); count],
            epoch: 1,
        };
        let mut consistent = !graph.tops.iter().any(Domain::is_empty);
        for literals in &graph.clauses {
            consistent = consistent && new.add_clause(literals.clone(), false).is_ok();
        }
        (new, consistent)
    }

    /// Adds a clause and does what it demands.
    pub fn add_clause(&mut self, literals: smallvec::SmallVec<[Literal; 3]>, learnt: bool) -> Result<(), Conflict> {
        let (index, demand) = self.clauses.add(literals, learnt, &self.trail.domains);
        self.demand(index, demand)
    }

    /// Tries a literal, at a new level.
    pub fn decide(&mut self, literal: Literal) {
        self.trail.push_level();
        self.epoch = self.epoch.wrapping_add(1);
        let domain = places::restricted(&self.trail.domains[literal.var as usize], literal.set);
        self.narrow(literal.var, domain, Reason::Decision(literal));
    }

    /// Takes back every level above one.
    pub fn backtrack(&mut self, level: u32, undone: impl FnMut(Var, &Domain)) {
        self.trail.backtrack(level, undone);
        self.epoch = self.epoch.wrapping_add(1);
        self.changed.drain(..).for_each(|var| self.is_changed[var as usize] = false);
        self.awake.drain(..).for_each(|index| self.is_awake[index as usize] = false);
    }

    /// To the fixed point, or until something is impossible or `stop` says so: false in the last case.
    pub fn run(&mut self, mut stop: impl FnMut(u64) -> bool) -> Result<bool, Conflict> {
        loop {
            while let Some(var) = self.changed.pop_front() {
                self.is_changed[var as usize] = false;
                self.visit_clauses(var)?;
            }
            let Some(index) = self.awake.pop_front() else { return Ok(true) };
            self.is_awake[index as usize] = false;
            self.runs += 1;
            self.work += self.graph.cost(index);
            if stop(self.work) {
                return Ok(false);
            }
            self.run_propagator(index)?;
        }
    }

    /// To the fixed point of propagators and affine forms together, but for what the forms can still gain after a few
    /// rounds; otherwise like [`Propagation::run`].
    pub fn settle(&mut self, mut stop: impl FnMut(u64) -> bool) -> Result<bool, Conflict> {
        for _ in 0..ROUNDS {
            if !self.run(&mut stop)? {
                return Ok(false);
            }
            if !self.refine()? {
                return Ok(true);
            }
        }
        self.run(stop)
    }

    /// Narrows by the affine forms; false if they know nothing new.
    fn refine(&mut self) -> Result<bool, Conflict> {
        if self.refinements.is_none() {
            self.affine = Affine::new(self.graph, &self.trail.root);
        }
        let (tried, worth) = self.refinements.get_or_insert((0, 0));
        *tried += 1;
        // Forms that hardly ever say something are asked less often.
        let barren = *tried > 64 && *worth * 32 < *tried;
        let Some(affine) = self.affine.as_mut().filter(|_| !barren || tried.is_multiple_of(16)) else {
            return Ok(false);
        };
        let mut found: Vec<Finding> = Vec::new();
        affine.findings(self.graph, &self.trail.domains, &mut found);
        *worth += u64::from(!found.is_empty());
        let any = !found.is_empty();
        for finding in found {
            let domain = places::restricted(&self.trail.domains[finding.var as usize], finding.set);
            if domain.is_empty() {
                return Err(Conflict::Affine(finding));
            }
            self.narrow(finding.var, domain, Reason::Affine(finding));
        }
        Ok(any)
    }

    fn run_propagator(&mut self, index: u32) -> Result<(), Conflict> {
        let propagator = &self.graph.propagators[index as usize];
        let at = self.trail.events.len() as u32;
        let mut narrowed: smallvec::SmallVec<[Domain; 4]> =
            propagator.scope.iter().map(|var| self.trail.domains[*var as usize]).collect();
        if contract(propagator, &mut narrowed, self.ulp_max).is_err() {
            return Err(Conflict::Propagator(index));
        }
        for (var, domain) in propagator.scope.iter().zip(narrowed) {
            if self.trail.domains[*var as usize] != domain {
                self.narrow(*var, domain, Reason::Propagator { index, at });
            }
        }
        Ok(())
    }

    fn visit_clauses(&mut self, var: Var) -> Result<(), Conflict> {
        let mut watches = self.clauses.take_watches(var);
        let mut outcome = Ok(());
        let mut kept = 0;
        for i in 0..watches.len() {
            let watch = watches[i];
            let mut stays = true;
            if outcome.is_ok() && !places::meets(&self.trail.domains[var as usize], watch.set) {
                let demand;
                (demand, stays) = self.clauses.visit(watch, var, &self.trail.domains);
                outcome = self.demand(watch.clause, demand);
            }
            if stays {
                watches[kept] = watch;
                kept += 1;
            }
        }
        watches.truncate(kept);
        self.clauses.give_watches(var, watches);
        outcome
    }

    fn demand(&mut self, clause: u32, demand: Demand) -> Result<(), Conflict> {
        match demand {
            Demand::Nothing => Ok(()),
            Demand::Conflict => Err(Conflict::Clause(clause)),
            Demand::Unit(literal) => {
                if !literal.is_true(&self.trail.domains) {
                    let domain = places::restricted(&self.trail.domains[literal.var as usize], literal.set);
                    self.narrow(literal.var, domain, Reason::Clause(clause));
                }
                Ok(())
            }
        }
    }

    fn narrow(&mut self, var: Var, domain: Domain, reason: Reason) {
        let at = var as usize;
        let wakes = self.is_worth_telling(at, &domain);
        self.trail.set(var, domain, reason);
        if !self.is_changed[at] {
            self.is_changed[at] = true;
            self.changed.push_back(var);
        }
        if wakes {
            for user in &self.graph.users[at] {
                if !self.is_awake[*user as usize] {
                    self.is_awake[*user as usize] = true;
                    self.awake.push_back(*user);
                }
            }
        }
    }

    /// Whether the variable's propagators are to run again: not after many small steps.
    fn is_worth_telling(&mut self, at: usize, domain: &Domain) -> bool {
        let (epoch, times) = &mut self.narrowed[at];
        if *epoch != self.epoch {
            (*epoch, *times) = (self.epoch, 0);
        }
        *times = times.saturating_add(1);
        if *times <= PATIENCE || places::single(domain).is_some() {
            return true;
        }
        let old = &self.trail.domains[at];
        let (before, after) = (places::count(old), places::count(domain));
        before - after.min(before) > before / 8 || places::intervals(old).len() != places::intervals(domain).len()
    }
}
