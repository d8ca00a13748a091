//! From conditions to candidate inputs: known inputs first, then z3, wave by wave.
//!
//! A condition that an input at hand satisfies is not sent to a solver: each new candidate is evaluated on all pending
//! conditions, which decides most of them. The evaluation is over extended-exponent doubles with an error bound, so
//! "satisfied" is never claimed wrongly, and "unsure" costs one query.

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexSet;
use labrys_program::InputLayout;
use labrys_solver::{Limits, RealOutcome};
use labrys_symex::Domain as RealDomain;
use labrys_term::approx::{RealEvaluator, RealProgram};
use labrys_term::{TermId, Truth, VariableId};
use rustc_hash::FxBuildHasher;

use super::conditions::Conditions;
use crate::inputs::variables::Variables;
use crate::run::clock::Clock;
use crate::run::progress::{Progress, Snapshot};
use crate::solving::reals::{RealAnswers, RealQuestions};

/// Queries in flight between two looks at what the new candidates decide. Fixed, so that runs are repeatable.
const WAVE: usize = 16;
/// Wall-clock time of one query, for which work is bounded to less than a second: only what hangs meets it.
pub const BACKSTOP: Duration = Duration::from_secs(300);

/// How much solving a run may do. Bounds are counts of queries and work, so that runs are repeatable.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Queries in all.
    pub queries: usize,
    /// Queries that may stay undecided before the rest is left unknown.
    pub undecided: usize,
    /// Bounds on one query.
    pub limits: Limits,
}

impl Default for Budget {
    /// 300 queries, 60 undecided, a quarter of a second of work each (by [`Limits::Z3_WORK_PER_SECOND`]). No wall-clock limit
    /// that a busy machine could meet: the solver's patience has the process' own time.
    fn default() -> Budget {
        let limits = Limits { work: Limits::Z3_WORK_PER_SECOND / 4, wall: BACKSTOP, ..Limits::default() };
        Budget { queries: 300, undecided: 60, limits }
    }
}

/// What solving site conditions came to.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// The distinct input records of the models, in the order of their conditions.
    pub inputs: Vec<Vec<u8>>,
    /// Conditions that the solver satisfied.
    pub by_solver: usize,
    /// Conditions that an input at hand satisfied.
    pub by_known: usize,
    /// Conditions without a real solution.
    pub unsat: usize,
    /// Conditions left undecided, by reason.
    pub unknown: BTreeMap<String, usize>,
    /// Whether a limit on time, which another run may not meet, had a part in it.
    pub time_limited: bool,
    /// Whether the time limit or the user ended it.
    pub interrupted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pending,
    Known,
    Solved,
    Unsat,
    Unknown,
}

/// How conditions are asked.
pub struct Asking<'a> {
    /// The solver.
    pub reals: RealQuestions<'a>,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How much may be done.
    pub budget: Budget,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

impl Asking<'_> {
    /// Decides all site conditions, as far as the budget goes.
    pub fn solve(&mut self, conditions: &mut Conditions, variables: &Variables, known: &[Vec<u8>]) -> Solved {
        let roots: Vec<TermId> = conditions.sites.iter().map(|condition| condition.term).collect();
        let program = RealProgram::compile(&conditions.store, &roots).ok();
        let mut pending = Pending::new(roots.len(), self.inputs, variables, program.as_ref());
        for record in known {
            pending.learn(conditions, record);
        }
        let domain = variables.domain(&mut conditions.store);
        let mut solved = Solved::default();
        let mut distinct: IndexSet<Vec<u8>, FxBuildHasher> = IndexSet::default();
        let (mut queries, mut undecided) = (0, 0);
        while let Some(wave) = pending.next_wave() {
            if self.clock.stop(self.progress).is_some() {
                solved.interrupted = true;
                pending.leave(&mut solved, "time limit");
                break;
            }
            if undecided >= self.budget.undecided || queries >= self.budget.queries {
                pending.leave(&mut solved, "solver budget");
                break;
            }
            let asked: Vec<TermId> = wave.iter().map(|index| roots[*index]).collect();
            let asked = self.ask(conditions, &domain, &asked);
            queries += asked.queries;
            solved.time_limited |= asked.time_limited;
            for (&index, answer) in wave.iter().zip(asked.answers) {
                match answer.outcome {
                    RealOutcome::Candidate(model) => {
                        pending.verdicts[index] = Verdict::Solved;
                        let integers = &conditions.sites[index].integers;
                        for record in variables.records(self.inputs, &model, &conditions.integers, integers) {
                            pending.learn(conditions, &record);
                            distinct.insert(record);
                        }
                    }
                    RealOutcome::NoCandidate => pending.verdicts[index] = Verdict::Unsat,
                    RealOutcome::Unknown(why) => {
                        undecided += 1;
                        *solved.unknown.entry(why.to_string()).or_insert(0) += 1;
                        pending.verdicts[index] = Verdict::Unknown;
                    }
                }
            }
            let snapshot =
                Snapshot { conditions: roots.len(), conditions_decided: pending.decided(), ..Snapshot::default() };
            self.progress.update(&snapshot);
        }
        solved.by_solver = pending.count(Verdict::Solved);
        solved.by_known = pending.count(Verdict::Known);
        solved.unsat = pending.count(Verdict::Unsat);
        solved.inputs = distinct.into_iter().collect();
        solved
    }

    /// Asks for a model of each term, not zero and of distinct magnitudes where there is one.
    fn ask(&mut self, conditions: &Conditions, domain: &RealDomain, terms: &[TermId]) -> RealAnswers {
        let query = |term: &TermId, preferences: &[&[TermId]]| -> Vec<TermId> {
            let mut query = conditions.assumptions.clone();
            query.extend(&domain.ranges);
            query.extend(conditions.abstraction.side_conditions_of(&conditions.store, &[*term]));
            query.push(*term);
            query.extend(preferences.iter().copied().flatten());
            query
        };
        let preferred: Vec<_> =
            terms.iter().map(|term| query(term, &[&domain.nonzero[..], &domain.distinct[..]])).collect();
        let any: Vec<_> = terms.iter().map(|term| query(term, &[])).collect();
        self.reals.ask(&conditions.store, &preferred, &any)
    }
}

/// The conditions not yet decided, and what evaluates them.
struct Pending<'a> {
    verdicts: Vec<Verdict>,
    inputs: &'a InputLayout,
    variables: &'a Variables,
    order: &'a [VariableId],
    evaluator: Option<RealEvaluator<'a>>,
    next: usize,
}

impl<'a> Pending<'a> {
    fn new(
        count: usize,
        inputs: &'a InputLayout,
        variables: &'a Variables,
        program: Option<&'a RealProgram>,
    ) -> Pending<'a> {
        Pending {
            verdicts: vec![Verdict::Pending; count],
            inputs,
            variables,
            order: program.map_or(&[], RealProgram::variables),
            evaluator: program.map(RealEvaluator::new),
            next: 0,
        }
    }

    /// Marks the pending conditions that this input satisfies: with other integers it may take another path.
    fn learn(&mut self, conditions: &Conditions, record: &[u8]) {
        let Some(evaluator) = &mut self.evaluator else { return };
        let integers = conditions.integers.read(self.inputs, record);
        let values = self.variables.values(self.inputs, self.order, record);
        let truths = evaluator.run(&values).iter().zip(&conditions.sites);
        for (verdict, (truth, condition)) in self.verdicts.iter_mut().zip(truths) {
            if *verdict == Verdict::Pending && *truth == Truth::True && condition.integers == integers {
                *verdict = Verdict::Known;
            }
        }
    }

    fn next_wave(&mut self) -> Option<Vec<usize>> {
        let mut wave = Vec::new();
        while self.next < self.verdicts.len() && wave.len() < WAVE {
            if self.verdicts[self.next] == Verdict::Pending {
                wave.push(self.next);
            }
            self.next += 1;
        }
        (!wave.is_empty()).then_some(wave)
    }

    /// Leaves everything that is pending unknown.
    fn leave(&mut self, solved: &mut Solved, why: &str) {
        let pending = self.count(Verdict::Pending);
        if pending > 0 {
            *solved.unknown.entry(why.to_owned()).or_insert(0) += pending;
        }
    }

    fn decided(&self) -> usize {
        self.verdicts.len() - self.count(Verdict::Pending)
    }

    fn count(&self, wanted: Verdict) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == wanted).count()
    }
}
