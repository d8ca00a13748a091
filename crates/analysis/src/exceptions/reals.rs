//! Candidates over the reals: each open pair's conditions go to z3, z3's unknowns to the paper's own method, and every
//! candidate is run natively at once, with its neighbourhood.
//!
//! Barr, Vo, Le, Su, POPL 2013, section 3. Real arithmetic is a source of candidates only: nothing here decides a pair but
//! what is observed.
//!
//! The reals have neither infinities nor NaN, so that a model says little of a run that raised something before it came to the
//! operation. The paper ends programs at their first exception; here models that raise nothing earlier are asked for first, and
//! others where there are none. A model's functions (exp, sin, …) have whatever value suits it: where its neighbourhood does not
//! show the pair, the paper's method moves it to floats at which they have their own.

use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_solver::nonlinear::NonlinearSteps;
use labrys_solver::{Limits, Portfolio, PortfolioConfig, RealModel, RealOutcome, Why};
use labrys_symex::{Domain as RealDomain, Exploration, Form, no_earlier_exception, real_condition};
use labrys_term::reals::Abstraction;
use labrys_term::{Store, TermId};

use super::cases::Cases;
use super::pairs::PairKey;
use super::request::Request;
use super::search::ExceptionSearch;
use super::work::Work;
use crate::inputs::domain::Domain;
use crate::inputs::integers::Integers;
use crate::inputs::variables::Variables;
use crate::run::clock::{Clock, Stop};
use crate::solving::method::Method;
use crate::solving::reals::{RealAnswer, RealQuestions};
use crate::{AnalysisError, Progress, Snapshot};

/// Executions of one pair that are asked about.
const EXECUTIONS: usize = 6;
/// Queries in flight between two looks at what their candidates showed.
const WAVE: usize = 8;
/// Work of one query: about a fifth of a second.
const WORK: u64 = Limits::Z3_WORK_PER_SECOND / 5;

/// The longest that one query may take of z3's own time; work is what ends most.
const PATIENCE: Duration = Duration::from_secs(2);
/// Wall-clock time of one query, which a busy machine does not meet either.
const BACKSTOP: Duration = Duration::from_secs(60);

/// Operations before one that are to raise nothing.
const CLEAN: usize = 64;

/// Work of the paper's method on one query: about a tenth of a second.
const METHOD_WORK: u64 = 500_000;

/// What solving over the reals came to: the columns of the paper's table 5.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealSteps {
    /// Conditions asked.
    pub queries: usize,
    /// Of these, with a model of z3's.
    pub sat: usize,
    /// Of these, with one that raises nothing earlier on the path.
    pub clean: usize,
    /// Of these, without a solution over the reals.
    pub unsat: usize,
    /// Of these, left open by z3.
    pub unknown: usize,
    /// What the paper's method (concretising, isolating roots) made of those that z3 left open.
    pub method: NonlinearSteps,
    /// What it made of z3's models whose neighbourhood does not show the pair.
    pub moved: NonlinearSteps,
}

impl RealSteps {
    /// Puts the figures where a report takes them from.
    pub fn write_to(&self, work: &mut Work) {
        work.real_queries = self.queries as u64;
        work.real_sat = self.sat as u64;
        work.real_clean = self.clean as u64;
        work.real_unsat = self.unsat as u64;
        work.real_unknown = self.unknown as u64;
        work.solved_by_method = self.method.solved;
        work.solved_univariate = self.method.univariate;
        work.solved_concretised = self.method.concretised;
        work.solved_sampled = self.method.sampled;
        work.moved_by_method = self.moved.solved;
    }
}

/// Everything that asking needs.
pub struct Asking<'a> {
    /// What the user asks.
    pub request: &'a Request,
    /// The search domain.
    pub domain: &'a Domain,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// One condition over the reals.
struct Condition<'p> {
    pair: &'p PairKey,
    term: TermId,
    /// That nothing is raised before.
    clean: Vec<TermId>,
    integers: Vec<u128>,
}

impl Asking<'_> {
    /// Asks about all open pairs.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(
        &self,
        store: &mut Store,
        exploration: &Exploration,
        cases: &Cases,
        search: &mut ExceptionSearch<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(RealSteps, Option<Stop>), AnalysisError> {
        let mut open = queue(cases).into_iter().peekable();
        if open.peek().is_none() {
            return Ok((RealSteps::default(), None));
        }
        let mut reals = Reals::new(self, store, exploration, notes);
        while open.peek().is_some() {
            if let Some(stop) = self.clock.stop(self.progress) {
                return Ok((reals.steps, Some(stop)));
            }
            let wave = reals.wave(&mut open, search);
            let queries: Vec<_> = wave.iter().map(|condition| reals.query(condition)).collect();
            let answers = reals.ask(&wave, &queries);
            for ((condition, query), answer) in wave.iter().zip(&queries).zip(answers) {
                if let Some(stop) = reals.follow(condition, query, answer, search)? {
                    return Ok((reals.steps, Some(stop)));
                }
            }
            let conditions_decided = reals.steps.queries;
            let conditions = conditions_decided + open.len();
            self.progress.update(&Snapshot { conditions, conditions_decided, ..Snapshot::default() });
        }
        Ok((reals.steps, None))
    }
}

/// One exploration's conditions, as the reals have them.
struct Reals<'a> {
    asking: &'a Asking<'a>,
    store: &'a mut Store,
    exploration: &'a Exploration,
    abstraction: Abstraction,
    integers: Integers,
    integer_solver: Portfolio,
    variables: Variables,
    domain: RealDomain,
    /// What the user said of the inputs.
    assumed: Vec<TermId>,
    /// z3, where there is one.
    solver: Option<RealQuestions<'a>>,
    steps: RealSteps,
}

impl<'a> Reals<'a> {
    fn new(
        asking: &'a Asking<'a>,
        store: &'a mut Store,
        exploration: &'a Exploration,
        notes: &mut Vec<String>,
    ) -> Reals<'a> {
        let Domain { inputs, assumptions, space, .. } = asking.domain;
        let mut abstraction = Abstraction::new();
        let integers = Integers::new(store, inputs);
        let config = PortfolioConfig::reproducible(asking.request.run.seed);
        let variables = Variables::new(store, &mut abstraction, inputs, space.origin());
        let domain = variables.domain(store);
        let mut assumed = Vec::new();
        for assumption in assumptions {
            let term = assumption.term(inputs, store);
            assumed.extend(abstraction.term(store, term).ok());
        }
        let limits = Limits { work: WORK, wall: BACKSTOP, ..Limits::default() };
        let solver =
            RealQuestions::new(&asking.request.run, limits, PATIENCE, asking.clock).map_err(|why| notes.push(why)).ok();
        Reals {
            asking,
            store,
            exploration,
            abstraction,
            integers,
            integer_solver: Portfolio::new(config),
            variables,
            domain,
            assumed,
            solver,
            steps: RealSteps::default(),
        }
    }

    /// The next conditions of pairs that are still open.
    fn wave<'p>(
        &mut self,
        open: &mut impl Iterator<Item = (&'p PairKey, usize)>,
        search: &ExceptionSearch<'_>,
    ) -> Vec<Condition<'p>> {
        let mut wave = Vec::with_capacity(WAVE);
        while wave.len() < WAVE && !self.asking.clock.is_over() {
            let Some((pair, execution)) = open.next() else { break };
            if search.judge.pairs.is_open(pair) {
                wave.extend(self.condition(pair, execution));
            }
        }
        wave
    }

    /// When the execution raises the pair's exception; `None` where the reals cannot say, or no integers lead there.
    fn condition<'p>(&mut self, pair: &'p PairKey, index: usize) -> Option<Condition<'p>> {
        let executions = &self.exploration.executions;
        let split = self.integers.split(self.store, executions.get(index)?);
        let inputs = &self.asking.domain.inputs;
        let integers = self.integers.witness(self.store, split.integers, inputs, &[], &mut self.integer_solver)?;
        let term = real_condition(self.store, &mut self.abstraction, &split.execution, pair.1, Form::Tight)?.ok()?;
        let clean = no_earlier_exception(self.store, &mut self.abstraction, executions, index, Flags::NOTABLE, CLEAN);
        Some(Condition { pair, term, clean, integers })
    }

    /// A condition with all that holds of its variables.
    fn query(&mut self, condition: &Condition<'_>) -> Vec<TermId> {
        self.complete(vec![condition.term])
    }

    /// The same for models that tend to mean something: nothing is raised before, and inputs are not zero.
    fn preferred(&mut self, condition: &Condition<'_>) -> Vec<TermId> {
        let mut query = self.complete([&condition.clean[..], &[condition.term]].concat());
        query.extend(&self.domain.nonzero);
        query
    }

    fn complete(&mut self, terms: Vec<TermId>) -> Vec<TermId> {
        let sides = self.abstraction.side_conditions_of(self.store, &terms);
        [&self.assumed[..], &self.domain.ranges, &sides, &terms].concat()
    }

    /// z3's answers: a preferred model where there is one, or any.
    fn ask(&mut self, wave: &[Condition<'_>], queries: &[Vec<TermId>]) -> Vec<RealAnswer> {
        let preferred: Vec<_> = wave.iter().map(|condition| self.preferred(condition)).collect();
        self.steps.queries += wave.len();
        match &mut self.solver {
            Some(solver) => solver.ask(self.store, &preferred, queries).answers,
            None => {
                let outcome = RealOutcome::Unknown(Why::Incomplete("no solver".to_owned()));
                vec![RealAnswer { outcome, is_preferred: false }; queries.len()]
            }
        }
    }

    /// Runs what an answer proposes, and what the paper's method makes of it where that is not enough.
    fn follow(
        &mut self,
        condition: &Condition<'_>,
        query: &[TermId],
        answer: RealAnswer,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Option<Stop>, AnalysisError> {
        let found = match answer.outcome {
            RealOutcome::NoCandidate => {
                self.steps.unsat += 1;
                return Ok(None);
            }
            RealOutcome::Candidate(model) => {
                self.steps.sat += 1;
                self.steps.clean += usize::from(answer.is_preferred);
                if let Some(stop) = self.run(condition, &model, search)? {
                    return Ok(Some(stop));
                }
                if !search.judge.pairs.is_open(condition.pair) {
                    return Ok(None);
                }
                self.by_method(query, Some(&model)).filter(|moved| moved.values != model.values)
            }
            RealOutcome::Unknown(_) => {
                self.steps.unknown += 1;
                self.by_method(query, None)
            }
        };
        found.map_or(Ok(None), |model| self.run(condition, &model, search))
    }

    /// Runs a model and its neighbourhood.
    fn run(
        &self,
        condition: &Condition<'_>,
        model: &RealModel,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Option<Stop>, AnalysisError> {
        let inputs = &self.asking.domain.inputs;
        let records = self.variables.records(inputs, model, &self.integers, &condition.integers);
        Ok(search.follow(&records, self.asking.clock)?.filter(|stop| *stop != Stop::Work))
    }

    /// The paper's own method, from the beginning or from a model of z3's.
    fn by_method(&mut self, query: &[TermId], start: Option<&RealModel>) -> Option<RealModel> {
        let Asking { request, domain, clock, .. } = self.asking;
        let wall = clock.deadline(BACKSTOP).saturating_duration_since(Instant::now());
        let limits = Limits { work: METHOD_WORK, wall, memory_mib: 0 };
        let method = Method::new(self.store, &self.abstraction, self.exploration, &self.variables, &domain.inputs);
        let (model, steps) = method.solve(self.store, query, start, request.run.seed, limits);
        match start {
            None => self.steps.method += steps,
            Some(_) => self.steps.moved += steps,
        }
        model
    }
}

/// Pairs with an execution each: the first of each pair before the second of any.
fn queue(cases: &Cases) -> Vec<(&PairKey, usize)> {
    let mut queue = Vec::new();
    for turn in 0..EXECUTIONS {
        let mut questions: Vec<_> =
            cases.cases.iter().filter_map(|case| Some((&case.pair, case.questions.get(turn)?))).collect();
        questions.sort_by_key(|(_, question)| question.age);
        queue.extend(questions.into_iter().map(|(pair, question)| (pair, question.execution)));
    }
    queue
}
