//! Questions over the reals: z3, in processes that live as long as the questions that are asked at a time. A query near z3's
//! limit of work once stayed open that was answered in other runs; whether the queries before it in the same process had a part in that is not known.

use std::time::{Duration, Instant};

use labrys_solver::{Limits, ProcessConfig, RealOutcome, RealPool, StackConfig, Why, Z3, find_z3};
use labrys_term::{Store, TermId};

use crate::run::clock::Clock;
use crate::run::options::RunOptions;

/// Solver processes at a time: independent of the machine, so that reports are.
const PROCESSES: usize = 2;
/// The longest that the solver may take to answer a query without assertions: one that does not is not asked others. A busy
/// machine does not make it late: see [`ProcessConfig::patience`].
const PROBE_LIMIT: Duration = Duration::from_secs(60);
/// Where the user sets no limit, queries are limited by their work alone.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// z3, for one function.
pub struct RealQuestions<'a> {
    stack: StackConfig,
    limits: Limits,
    clock: &'a Clock,
}

/// What was answered to one question.
#[derive(Clone, Debug)]
pub struct RealAnswer {
    /// The answer.
    pub outcome: RealOutcome,
    /// Whether it is a model of what was preferred.
    pub is_preferred: bool,
}

/// Answers to several questions.
#[derive(Clone, Debug, Default)]
pub struct RealAnswers {
    /// At their questions' indices.
    pub answers: Vec<RealAnswer>,
    /// How many queries that took.
    pub queries: usize,
    /// Whether time ended one of them.
    pub time_limited: bool,
}

impl<'a> RealQuestions<'a> {
    /// The solver that is installed, with the run's seed and dumps. A query may take `patience` of the solver's own time.
    ///
    /// # Errors
    ///
    /// Why there is none: a remark for the report.
    pub fn new(
        run: &RunOptions,
        limits: Limits,
        patience: Duration,
        clock: &'a Clock,
    ) -> Result<RealQuestions<'a>, String> {
        find_z3().ok_or("z3 was not found: inputs come from search alone; see labrys doctor")?;
        let process = ProcessConfig { patience, ..ProcessConfig::z3(run.seed as u32) };
        let wait = clock.deadline(PROBE_LIMIT).saturating_duration_since(Instant::now());
        Z3::new(process.clone()).probe(wait).map_err(|why| match why {
            Why::Wall => format!("{} does not answer: inputs come from search alone", process.executable.display()),
            why => format!("inputs come from search alone: {why}"),
        })?;
        let stack = match &run.dump_queries {
            Some(folder) => StackConfig::new(process).dumping_to(folder.clone()).map_err(|error| error.to_string())?,
            None => StackConfig::new(process),
        };
        Ok(RealQuestions { stack, limits, clock })
    }

    /// Asks queries with limits of their own; outcomes stand at their queries' indices.
    pub fn check_within(&self, store: &Store, queries: &[Vec<TermId>], limits: &Limits) -> Vec<RealOutcome> {
        let mut pool = RealPool::new(&self.stack, PROCESSES);
        pool.check_all(store, queries, limits, self.clock.deadline(NO_LIMIT))
    }

    /// Asks for a model of each question that tends to mean something, as `preferred` has it, and where there is none, for any.
    pub fn ask(&self, store: &Store, preferred: &[Vec<TermId>], any: &[Vec<TermId>]) -> RealAnswers {
        let limits = self.limits;
        let outcomes = self.check_within(store, preferred, &limits);
        // A preference that time kept from being met is lost, too, though another model may be found.
        let mut time_limited = outcomes.contains(&RealOutcome::Unknown(Why::Wall));
        let mut answers: Vec<RealAnswer> =
            outcomes.into_iter().map(|outcome| RealAnswer { outcome, is_preferred: true }).collect();
        let open: Vec<usize> =
            (0..any.len()).filter(|&index| !matches!(answers[index].outcome, RealOutcome::Candidate(_))).collect();
        let again: Vec<Vec<TermId>> = open.iter().map(|&index| any[index].clone()).collect();
        for (&index, outcome) in open.iter().zip(self.check_within(store, &again, &limits)) {
            time_limited |= outcome == RealOutcome::Unknown(Why::Wall);
            answers[index] = RealAnswer { outcome, is_preferred: false };
        }
        RealAnswers { answers, queries: preferred.len() + open.len(), time_limited }
    }
}
