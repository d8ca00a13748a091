//! The search: decide, propagate, learn from conflicts, start over from time to time.

use std::cell::Cell;

use labrys_term::{Evaluator, Model, Store};

use super::analyze::{Conflict, analyze};
use super::config::IntervalConfig;
use super::explain::Explainer;
use super::graph::Graph;
use super::label::{Labelling, Style};
use super::places;
use super::propagate::Propagation;
use super::trail::Reason;
use crate::{Budget, Engine, Query, Verdict, Why};

/// Conflicts until the first restart; the following ones are Luby's multiples of it.
const RESTART: u64 = 50;

/// Learnt clauses that are kept at first; the bound grows with each time some are forgotten.
const LEARNT: usize = 4000;

/// Decides queries by interval propagation and search.
#[derive(Clone, Debug, Default)]
pub struct IntervalEngine {
    config: IntervalConfig,
    statistics: Statistics,
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default)]
struct Statistics {
    propagations: u64,
    /// Of explanations.
    explaining: u64,
    splits: u64,
    conflicts: u64,
    learnt: u64,
    restarts: u64,
    unexplained: u64,
}

impl IntervalEngine {
    /// An engine with the given settings.
    pub fn new(config: IntervalConfig) -> IntervalEngine {
        IntervalEngine { config, statistics: Statistics::default() }
    }
}

impl Engine for IntervalEngine {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        let graph = Graph::new(query);
        let (state, consistent) = Propagation::new(&graph, self.config.ulp_max);
        let labelling = Labelling::new(self.config.order, graph.tops.len(), budget.seed);
        let mut search = Search { query, graph: &graph, state, labelling, statistics: Statistics::default() };
        let verdict = if consistent { search.run(budget) } else { Verdict::Unsat };
        self.statistics = Statistics { propagations: search.state.runs, ..search.statistics };
        verdict
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let Statistics { propagations, explaining, splits, conflicts, learnt, restarts, unexplained } = self.statistics;
        vec![
            ("propagations", propagations),
            ("propagations-for-reasons", explaining),
            ("splits", splits),
            ("conflicts", conflicts),
            ("learnt-clauses", learnt),
            ("restarts", restarts),
            ("unexplained-conflicts", unexplained),
        ]
    }
}

/// Says whether the budget is used up, reading the clock at every 256th of the counts it is given.
pub(super) fn stopper(budget: &Budget, begun: u64) -> impl FnMut(u64) -> bool {
    move |count| {
        (budget.work != 0 && count.saturating_sub(begun) >= budget.work)
            || (count.is_multiple_of(256) && budget.exhausted().is_some())
    }
}

/// One query's search.
struct Search<'a> {
    query: &'a Query<'a>,
    graph: &'a Graph,
    state: Propagation<'a>,
    labelling: Labelling,
    statistics: Statistics,
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget) -> Verdict {
        let mut left = RESTART;
        let mut bound = LEARNT;
        let mut style = Style::Dive;
        loop {
            match self.state.settle(stopper(budget, 0)) {
                Err(conflict) => {
                    if self.state.trail.level() == 0 || !self.learn(conflict) {
                        return Verdict::Unsat;
                    }
                    left = left.saturating_sub(1);
                    continue;
                }
                Ok(true) => {
                    if let Some(why) = self.interrupted(budget) {
                        return Verdict::Unknown(why);
                    }
                }
                Ok(false) => return Verdict::Unknown(budget.exhausted().unwrap_or(Why::Work)),
            }
            if left == 0 {
                self.statistics.restarts += 1;
                self.backtrack(0);
                left = RESTART * luby(self.statistics.restarts);
                style = if self.statistics.restarts.is_multiple_of(2) { Style::Dive } else { Style::Halve };
                if self.state.clauses.learnt > bound {
                    self.state.clauses.forget(&self.state.trail.domains);
                    bound += bound / 10;
                }
                continue;
            }
            match self.labelling.next(self.graph, &self.state.trail.domains, style) {
                Some(literal) => {
                    self.statistics.splits += 1;
                    self.state.decide(literal);
                }
                None => return self.solution(),
            }
        }
    }

    /// The budget, asked once in a while.
    fn interrupted(&self, budget: &Budget) -> Option<Why> {
        self.statistics.splits.is_multiple_of(64).then(|| budget.exhausted()).flatten()
    }

    fn backtrack(&mut self, level: u32) {
        let labelling = &mut self.labelling;
        self.state.backtrack(level, |var, domain| labelling.undone(var, domain));
    }

    /// Learns from a conflict; false if there is no solution.
    fn learn(&mut self, conflict: Conflict) -> bool {
        self.statistics.conflicts += 1;
        let labelling = &mut self.labelling;
        let mut useful = Vec::new();
        let explainer = Explainer {
            graph: self.graph,
            trail: &self.state.trail,
            clauses: &self.state.clauses,
            ulp_max: self.state.ulp_max,
            symbols: self.state.affine.as_ref().map_or(&[], |affine| &affine.symbols),
            runs: Cell::default(),
        };
        let lesson = analyze(&explainer, conflict, |reason, var| {
            labelling.bump(var);
            if let Reason::Clause(clause) = reason {
                useful.push(clause);
            }
        });
        let (explaining, work) = explainer.runs.get();
        self.statistics.explaining += explaining;
        self.state.work += work;
        useful.into_iter().for_each(|clause| self.state.clauses.bump(clause));
        self.state.clauses.decay();
        self.labelling.decay();
        self.statistics.learnt += 1;
        self.statistics.unexplained += u64::from(lesson.by_decisions);
        if lesson.literals.is_empty() {
            return false;
        }
        self.backtrack(lesson.level);
        match self.state.add_clause(lesson.literals, true) {
            Ok(()) => true,
            Err(conflict) => self.state.trail.level() > 0 && self.learn(conflict),
        }
    }

    /// The model in which every input has its only value, if the query holds there.
    fn solution(&self) -> Verdict {
        let model = self.model(self.query.store);
        let mut evaluator = Evaluator::new(self.query.store, &model);
        if self.query.assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)) {
            return Verdict::Sat(model);
        }
        if self.graph.opaque {
            return Verdict::Unknown(Why::Unsupported("a width of more than 128 bits".into()));
        }
        Verdict::Unknown(Why::WrongModel)
    }

    fn model(&self, store: &Store) -> Model {
        let mut model = Model::new();
        for var in &self.graph.inputs {
            let domain = &self.state.trail.domains[*var as usize];
            if let Some(place) = places::single(domain) {
                model.set_term(store, self.graph.terms[*var as usize], places::value_at(domain, place));
            }
        }
        model.complete(store, self.query.assertions);
        model
    }
}

/// The i-th member of Luby's sequence 1 1 2 1 1 2 4 …, from i = 1 on.
fn luby(mut i: u64) -> u64 {
    loop {
        let bits = 64 - i.leading_zeros();
        let full = (1u64 << bits) - 1;
        if i == full {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
}

/// The clauses in force when a search ends, over terms: for tests, which compare them with all models.
#[cfg(test)]
pub(super) fn learnt_clauses(
    query: &Query<'_>,
    budget: &Budget,
    config: IntervalConfig,
) -> Vec<Vec<(labrys_term::TermId, places::Set)>> {
    let graph = Graph::new(query);
    let (state, consistent) = Propagation::new(&graph, config.ulp_max);
    let labelling = Labelling::new(config.order, graph.tops.len(), budget.seed);
    let mut search = Search { query, graph: &graph, state, labelling, statistics: Statistics::default() };
    if consistent {
        search.run(budget);
    }
    let term = |literal: &super::literal::Literal| (graph.terms[literal.var as usize], literal.set);
    search.state.clauses.list.iter().map(|clause| clause.literals.iter().map(term).collect()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn restarts_follow_lubys_sequence() {
        let sequence: Vec<u64> = (1..=15).map(super::luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
