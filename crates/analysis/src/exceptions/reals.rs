//! Candidates over the reals: each open pair's conditions go to z3, z3's unknowns to the paper's own method, and every
//! candidate is run natively at once, with its neighbourhood.
//!
//! Barr, Vo, Le, Su, POPL 2013, section 3. Real arithmetic is a source of candidates only: nothing here decides a pair but
//! what is observed.

use std::time::{Duration, Instant};

use labrys_elementary::Function;
use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_program::ScalarType;
use labrys_solver::nonlinear::{Dependent, NonlinearConfig, NonlinearSteps, solve};
use labrys_solver::{
    FloatSolver, Limits, Portfolio, PortfolioConfig, ProcessConfig, RealModel, RealOutcome, StackConfig,
    check_all_real, find_z3,
};
use labrys_symex::{Exploration, Form, SiteExecution, real_condition};
use labrys_term::reals::Abstraction;
use labrys_term::{Store, TermId, VariableId};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use super::cases::Cases;
use super::hunt::Hunt;
use super::pairs::PairKey;
use super::request::Request;
use crate::clock::{Clock, Stop};
use crate::domain::Domain;
use crate::integers::Integers;
use crate::variables::Variables;
use crate::{AnalysisError, Progress, Snapshot};

/// Executions of one pair that are asked about.
const EXECUTIONS: usize = 6;
/// Queries in flight between two looks at what their candidates showed.
const WAVE: usize = 8;
/// Solver processes at a time.
const PROCESSES: usize = 2;
/// Work of one query: about a fifth of a second.
const WORK: u64 = Limits::Z3_WORK_PER_SECOND / 5;

/// The longest that one query may take of z3's own time; work is what ends most.
const PATIENCE: Duration = Duration::from_secs(2);
/// Wall-clock time of one query, which a busy machine does not meet either.
const BACKSTOP: Duration = Duration::from_secs(60);

/// Work of the paper's method on one query: about a tenth of a second.
const METHOD_WORK: u64 = 500_000;

/// What solving over the reals came to: the columns of the paper's table 5.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealSteps {
    /// Conditions asked.
    pub queries: usize,
    /// Of these, with a model of z3's.
    pub sat: usize,
    /// Of these, without a solution over the reals.
    pub unsat: usize,
    /// Of these, left open by z3.
    pub unknown: usize,
    /// Of those that z3 left open, solved by concretising, isolating roots and the rest of the paper's method.
    pub solved_by_method: usize,
    /// The method's own steps.
    pub method: NonlinearSteps,
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
struct Condition {
    term: TermId,
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
        hunt: &mut Hunt<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(RealSteps, Option<Stop>), AnalysisError> {
        let mut steps = RealSteps::default();
        let mut abstraction = Abstraction::new();
        let mut integers = Integers::new(store, &self.domain.inputs);
        let config = PortfolioConfig { seed: self.request.run.seed, reproducible: true, ..PortfolioConfig::default() };
        let mut integer_solver = Portfolio::new(config);
        let queue = queue(cases);
        if queue.is_empty() {
            return Ok((steps, None));
        }
        let variables = Variables::new(store, &mut abstraction, &self.domain.inputs, self.domain.space.origin());
        let real_domain = variables.domain(store);
        let mut assumed = Vec::new();
        for assumption in &self.domain.assumptions {
            let term = assumption.term(&self.domain.inputs, store);
            assumed.extend(abstraction.term(store, term).ok());
        }
        let stack = match find_z3() {
            Some(_) => Some(self.stack()?),
            None => {
                notes.push("z3 was not found: see labrys doctor".to_owned());
                None
            }
        };
        let mut open = queue.into_iter().peekable();
        while open.peek().is_some() {
            if let Some(stop) = self.clock.stop(self.progress) {
                return Ok((steps, Some(stop)));
            }
            let mut wave = Vec::with_capacity(WAVE);
            while wave.len() < WAVE {
                let Some((pair, execution)) = open.next() else { break };
                if !hunt.pairs.is_open(pair) {
                    continue;
                }
                let execution = &exploration.executions[execution];
                let found =
                    self.condition(store, &mut abstraction, &mut integers, execution, pair.1, &mut integer_solver);
                if let Some((term, integers)) = found {
                    wave.push(Condition { term, integers });
                }
                if self.clock.is_over() {
                    break;
                }
            }
            let queries: Vec<Vec<TermId>> = wave
                .iter()
                .map(|condition| {
                    let sides = abstraction.side_conditions_of(store, &[condition.term]);
                    [&assumed[..], &real_domain.ranges, &sides, &[condition.term]].concat()
                })
                .collect();
            steps.queries += wave.len();
            let outcomes = match &stack {
                Some(stack) => self.ask(stack, store, &queries, &real_domain.nonzero),
                None => {
                    vec![RealOutcome::Unknown(labrys_solver::Why::Incomplete("no solver".to_owned())); queries.len()]
                }
            };
            for ((condition, query), outcome) in wave.iter().zip(&queries).zip(outcomes) {
                let model = match outcome {
                    RealOutcome::Candidate(model) => {
                        steps.sat += 1;
                        Some(model)
                    }
                    RealOutcome::NoCandidate => {
                        steps.unsat += 1;
                        None
                    }
                    RealOutcome::Unknown(_) => {
                        steps.unknown += 1;
                        let model = self.by_method(store, &abstraction, exploration, query, &variables, &mut steps);
                        steps.solved_by_method += usize::from(model.is_some());
                        model
                    }
                };
                let Some(model) = model else { continue };
                let records = variables.records(&self.domain.inputs, &model, &integers, &condition.integers);
                if let Some(stop) = hunt.follow(&records, self.clock)?.filter(|stop| *stop != Stop::Work) {
                    return Ok((steps, Some(stop)));
                }
            }
            let conditions = steps.queries + open.len();
            self.progress.update(&Snapshot { conditions, conditions_decided: steps.queries, ..Snapshot::default() });
        }
        Ok((steps, None))
    }

    fn condition(
        &self,
        store: &mut Store,
        abstraction: &mut Abstraction,
        integers: &mut Integers,
        execution: &SiteExecution,
        exception: Flags,
        solver: &mut dyn FloatSolver,
    ) -> Option<(TermId, Vec<u128>)> {
        let split = integers.split(store, execution);
        let values = integers.witness(store, split.integers, &self.domain.inputs, &[], solver)?;
        match real_condition(store, abstraction, &split.execution, exception, Form::Tight)? {
            Ok(term) => Some((term, values)),
            Err(_) => None,
        }
    }

    /// z3's answers: a model of a kind that tends to mean something first, then any.
    fn ask(
        &self,
        stack: &StackConfig,
        store: &Store,
        queries: &[Vec<TermId>],
        preferences: &[TermId],
    ) -> Vec<RealOutcome> {
        let limits = Limits { work: WORK, wall: BACKSTOP, ..Limits::default() };
        let deadline = self.clock.deadline(Duration::from_secs(3600));
        let check =
            |queries: &[Vec<TermId>]| check_all_real(stack, store, queries, &limits, PROCESSES, deadline, &|_| {});
        let preferred: Vec<Vec<TermId>> = queries.iter().map(|query| [query, preferences].concat()).collect();
        let mut outcomes = check(&preferred);
        let again: Vec<usize> =
            (0..queries.len()).filter(|index| !matches!(outcomes[*index], RealOutcome::Candidate(_))).collect();
        let rest: Vec<Vec<TermId>> = again.iter().map(|index| queries[*index].clone()).collect();
        for (index, outcome) in again.into_iter().zip(check(&rest)) {
            outcomes[index] = outcome;
        }
        outcomes
    }

    /// The paper's own method on what z3 left open.
    fn by_method(
        &self,
        store: &mut Store,
        abstraction: &Abstraction,
        exploration: &Exploration,
        query: &[TermId],
        variables: &Variables,
        steps: &mut RealSteps,
    ) -> Option<RealModel> {
        let dependents = dependents(store, abstraction, exploration);
        let formats: FxHashMap<VariableId, Format> = variables
            .leaves()
            .map(|(variable, leaf)| (variable, self.domain.inputs.leaves[leaf].scalar))
            .filter_map(|(variable, scalar)| match scalar {
                ScalarType::Float(float) => Some((variable, float.format())),
                _ => None,
            })
            .collect();
        let wall = self.clock.deadline(BACKSTOP).saturating_duration_since(Instant::now());
        let limits = Limits { work: METHOD_WORK, wall, memory_mib: 0 };
        let config = NonlinearConfig { seed: self.request.run.seed, limits, ..NonlinearConfig::default() };
        let (outcome, done) = solve(
            store,
            query,
            &dependents,
            &mut |dependent, operands| evaluated(dependent, operands),
            &|variable| formats.get(&variable).copied(),
            &config,
        );
        steps.method += done;
        match outcome {
            RealOutcome::Candidate(model) => Some(model),
            RealOutcome::NoCandidate | RealOutcome::Unknown(_) => None,
        }
    }

    fn stack(&self) -> Result<StackConfig, AnalysisError> {
        let process = ProcessConfig { patience: PATIENCE, ..ProcessConfig::z3(self.request.run.seed as u32) };
        let stack = StackConfig::new(process);
        match &self.request.run.dump_queries {
            Some(folder) => stack
                .dumping_to(folder.clone())
                .map_err(|error| AnalysisError::Usage(format!("cannot write to {}: {error}", folder.display()))),
            None => Ok(stack),
        }
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

/// The paper's table T: the variables that stand for results of elementary functions, with their operands.
fn dependents(store: &mut Store, abstraction: &Abstraction, exploration: &Exploration) -> Vec<Dependent> {
    let mut abstraction = abstraction.clone();
    let mut table = Vec::new();
    for call in &exploration.library_calls {
        let Ok(variable) = abstraction.term(store, call.variable) else { continue };
        let Some(variable) = store.as_variable(variable) else { continue };
        let operands: Result<Vec<TermId>, _> =
            call.operands.iter().map(|operand| abstraction.term(store, *operand)).collect();
        if let Ok(operands) = operands {
            table.push(Dependent { variable, operands, function: call.name.into() });
        }
    }
    table
}

/// An elementary function's value at rational operands, as a double has it.
fn evaluated(dependent: &Dependent, operands: &[BigRational]) -> Option<BigRational> {
    let function = Function::named(&dependent.function)?;
    let operands: Vec<Float> =
        operands.iter().map(|value| Float::from_rational(Format::BINARY64, value, RoundingMode::NearestEven)).collect();
    labrys_elementary::evaluate(function, &operands).value.to_rational()
}
