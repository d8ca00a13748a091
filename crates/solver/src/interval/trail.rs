//! The variables' domains as they narrow, each change with its reason, to be taken back or explained.

use super::affine::Finding;
use super::literal::{Literal, Var};
use super::places;
use crate::domain::Domain;

/// Why a domain became smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reason {
    /// The search tried it.
    Decision(Literal),
    /// A propagator, run on the domains as they were when the trail had so many events.
    Propagator {
        /// Its index in the graph.
        index: u32,
        /// The length of the trail when it ran.
        at: u32,
    },
    /// All other literals of a clause were false.
    Clause(u32),
    /// What the affine forms say.
    Affine(Finding),
}

/// One change of one domain. Changes at level 0 are permanent and leave no event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The variable.
    pub var: Var,
    /// Its domain before.
    pub before: Domain,
    /// Why.
    pub reason: Reason,
    /// After how many decisions.
    pub level: u32,
}

/// Domains, and how they came to be.
#[derive(Debug)]
pub(crate) struct Trail {
    /// What each variable's value may be now; never empty.
    pub domains: Vec<Domain>,
    /// The same at level 0: what the query implies.
    pub root: Vec<Domain>,
    /// The changes since level 0, oldest first.
    pub events: Vec<Event>,
    /// Each variable's events, oldest first.
    histories: Vec<Vec<u32>>,
    /// For each level from 1 on, where its events begin.
    starts: Vec<u32>,
}

impl Trail {
    /// At level 0 with these domains.
    pub fn new(domains: Vec<Domain>) -> Trail {
        let histories = vec![Vec::new(); domains.len()];
        Trail { root: domains.clone(), domains, events: Vec::new(), histories, starts: Vec::new() }
    }

    /// How many decisions are in force.
    pub fn level(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Begins a level.
    pub fn push_level(&mut self) {
        self.starts.push(self.events.len() as u32);
    }

    /// Replaces a domain by a smaller one, not empty.
    pub fn set(&mut self, var: Var, domain: Domain, reason: Reason) {
        debug_assert!(!domain.is_empty(), "empty domains are conflicts");
        let at = var as usize;
        let before = std::mem::replace(&mut self.domains[at], domain);
        if self.starts.is_empty() {
            self.root[at] = domain;
            return;
        }
        let event = Event { var, before, reason, level: self.level() };
        self.histories[at].push(self.events.len() as u32);
        self.events.push(event);
    }

    /// Takes back everything above a level.
    pub fn backtrack(&mut self, level: u32, mut undone: impl FnMut(Var, &Domain)) {
        let Some(&start) = self.starts.get(level as usize) else { return };
        while self.events.len() > start as usize {
            let Some(event) = self.events.pop() else { break };
            let at = event.var as usize;
            undone(event.var, &self.domains[at]);
            self.domains[at] = event.before;
            self.histories[at].pop();
        }
        self.starts.truncate(level as usize);
    }

    /// A variable's domain when the trail had `at` events.
    pub fn domain_at(&self, var: Var, at: u32) -> Domain {
        let history = &self.histories[var as usize];
        let next = history.partition_point(|event| *event < at);
        self.domain_before(var, next)
    }

    /// A variable's domain before the event of this number in its history, or now.
    fn domain_before(&self, var: Var, number: usize) -> Domain {
        match self.histories[var as usize].get(number) {
            Some(event) => self.events[*event as usize].before,
            None => self.domains[var as usize],
        }
    }

    /// The event that made a false literal false; `None` if it has been false since level 0.
    pub fn falsified_by(&self, literal: &Literal) -> Option<u32> {
        // Domains only shrink: the last event before which the literal could be true.
        let history = &self.histories[literal.var as usize];
        let open = |event: &u32| places::meets(&self.events[*event as usize].before, literal.set);
        let number = history.partition_point(open);
        Some(history[number.checked_sub(1)?])
    }

    /// The number of a variable's last event, from 1 on; 0 if there is none.
    pub fn last_event(&self, var: Var) -> u32 {
        self.histories[var as usize].last().map_or(0, |event| event + 1)
    }

    /// The decisions in force, one a level.
    pub fn decisions(&self) -> impl Iterator<Item = Literal> {
        self.starts.iter().filter_map(|start| match self.events.get(*start as usize)?.reason {
            Reason::Decision(literal) => Some(literal),
            _ => None,
        })
    }
}
