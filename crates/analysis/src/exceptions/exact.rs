//! The exact step: what is open goes to the float solver, bit for bit. A model is an input to run; a pair none of whose
//! executions has one is unreachable, if no path was left that might still have reached its site.
//!
//! **Claim.** A pair proved here cannot occur on any input of the search domain, by the IR read strictly: each execution of
//! its sites is on one of the explored paths (no path that was left early leads to them), and for each the conjunction of its
//! path with the operation's exception condition has no model. Where paths were cut by the loop bound, and could
//! have reached a site behind it, the claim is about executions within it. libm's functions are taken to be within ±k ulps of
//! the correctly rounded value and to raise what their thresholds say.
//!
//! **Order.** Rounds: every pair gets a short turn before any gets a long one, and pairs that few answers would decide come
//! first. In a round a pair is left as soon as too many of its questions stay open. The quick round comes before candidates
//! over the reals are looked for, so that these are not looked for where there are none.

use std::time::Duration;

use labrys_solver::elementary::{CallTerm, Decided, decide_with_calls};
use labrys_solver::{EngineChoice, FloatOutcome, Why};
use labrys_symex::Exploration;
use labrys_term::{Op, Store, TermId};

use super::asking::{Answered, Ended, Standing};
use super::cases::{Case, Cases, Question};
use super::evidence::Evidence;
use super::pairs::PairKey;
use super::reason::Reason;
use super::request::Request;
use super::search::ExceptionSearch;
use crate::inputs::domain::Domain;
use crate::run::clock::{Clock, Stop};
use crate::solving::floats;
use crate::{AnalysisError, Progress};

/// How hard each question of a round is tried.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Whether only the interval engine is asked, which needs no thread and no circuit.
    is_quick: bool,
    /// Work of one question in the engines' units: conflicts of the bit-blaster, steps of propagation.
    work: u64,
    /// Wall-clock time of one question, a backstop.
    wall: Duration,
    /// Rounds of refinement of elementary functions.
    refinements: usize,
    /// Open questions of one pair after which the round goes on to the next pair.
    patience: usize,
}

/// A short turn for what can be proved.
pub const QUICK: [Round; 1] =
    [Round { is_quick: true, work: 4_000, wall: Duration::from_millis(60), refinements: 2, patience: 3 }];

/// Longer turns for everything.
pub const THOROUGH: [Round; 2] = [
    Round { is_quick: false, work: 500, wall: Duration::from_millis(150), refinements: 4, patience: 2 },
    Round { is_quick: false, work: 4_000, wall: Duration::from_secs(2), refinements: 6, patience: 4 },
];

/// What rounds came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSteps {
    /// Questions asked, each as often as it was.
    pub queries: usize,
    /// Questions with a model.
    pub sat: usize,
    /// Questions without.
    pub unsat: usize,
    /// Questions left open.
    pub unknown: usize,
}

/// Everything that asking needs.
pub struct Exact<'a> {
    /// What the user asks.
    pub request: &'a Request,
    /// The search domain.
    pub domain: &'a Domain,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// How one question ended.
enum Answer {
    Impossible,
    Input(Vec<u8>),
    Open(Reason),
}

/// What is the same for all questions.
struct Context<'a> {
    store: &'a mut Store,
    /// Ranges, assumptions and the search domain.
    constraints: Vec<TermId>,
    calls: Vec<CallTerm>,
    steps: ExactSteps,
}

impl std::ops::AddAssign for ExactSteps {
    fn add_assign(&mut self, other: ExactSteps) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
    }
}

impl Exact<'_> {
    /// Asks about all open pairs in some rounds; what is left of them stays in `cases`.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(
        &self,
        rounds: &[Round],
        store: &mut Store,
        exploration: &Exploration,
        cases: &mut Cases,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<(ExactSteps, Option<Stop>), AnalysisError> {
        let constraints = floats::constraints(&self.request.run, self.domain, store);
        let calls = floats::calls(exploration);
        let mut context = Context { store, constraints, calls, steps: ExactSteps::default() };
        for round in rounds {
            let Cases { cases: all, evidence, .. } = &mut *cases;
            for case in all {
                if !search.judge.pairs.is_open(&case.pair) {
                    continue;
                }
                if let Some(stop) = self.turn(&mut context, case, evidence, round, search)? {
                    return Ok((context.steps, Some(stop)));
                }
            }
            cases.cases.retain(|case| search.judge.pairs.is_open(&case.pair) && !case.questions.is_empty());
        }
        Ok((context.steps, None))
    }

    /// One pair's turn in a round.
    fn turn(
        &self,
        context: &mut Context<'_>,
        case: &mut Case,
        evidence: &mut Evidence,
        round: &Round,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Option<Stop>, AnalysisError> {
        // Quick rounds find proofs: a pair that cannot be proved waits for the search.
        if round.is_quick && !case.is_provable() {
            return Ok(None);
        }
        let pair = case.pair.clone();
        let turn = case.go_through(round.patience, &mut |question| -> Result<Answered, AnalysisError> {
            if let Some(stop) = self.clock.stop(self.progress) {
                return Ok(Answered::Stopped { stop, question: Standing::Open });
            }
            match self.ask(context, (&pair, question), evidence, round) {
                Answer::Impossible => Ok(Answered::Impossible),
                Answer::Open(why) => Ok(Answered::Open(why)),
                // Where no more inputs may be run, proofs go on.
                Answer::Input(record) => {
                    let candidates = [record];
                    match search.follow(&candidates, self.clock)?.filter(|stop| *stop != Stop::Work) {
                        Some(stop) => Ok(Answered::Stopped { stop, question: Standing::Unconfirmed }),
                        None if search.judge.pairs.is_open(&pair) => {
                            Ok(Answered::Refuted(search.judge.refutation(&candidates, &pair)?))
                        }
                        None => Ok(Answered::Shown),
                    }
                }
            }
        })?;
        match turn {
            Ended::Stopped(stop) => return Ok(Some(stop)),
            Ended::Shown => {}
            Ended::Over(why) => match case.obstacle.clone().or(why) {
                Some(why) => search.judge.pairs.leave(&case.pair, why),
                None => case.settle(&mut search.judge.pairs, "portfolio", self.request, !context.calls.is_empty()),
            },
        }
        Ok(None)
    }

    fn ask(
        &self,
        context: &mut Context<'_>,
        (pair, question): (&PairKey, &Question),
        evidence: &mut Evidence,
        round: &Round,
    ) -> Answer {
        let Context { store, constraints, calls, steps } = context;
        let mut query = constraints.clone();
        query.extend(
            [question.path, question.raised].iter().filter(|term| store.node(**term).op != Op::BoolConst(true)),
        );
        let limits = floats::limits(round.work, round.wall, self.clock);
        let engines = match round.is_quick {
            true => EngineChoice::Interval,
            false => floats::engines_for(store, &query),
        };
        let mut solver = floats::solver(&self.request.run, engines);
        steps.queries += 1;
        let ulps = self.request.libm_ulps;
        let Decided { outcome, lemmas } =
            decide_with_calls(store, &query, calls, ulps, &mut *solver, &limits, round.refinements);
        match outcome {
            FloatOutcome::Unsat(_) => {
                steps.unsat += 1;
                evidence.add_solved(pair, query, lemmas, &*solver);
                Answer::Impossible
            }
            FloatOutcome::Sat(model) => {
                steps.sat += 1;
                Answer::Input(self.domain.record_of(store, &model))
            }
            FloatOutcome::Unknown(why) => {
                steps.unknown += 1;
                let words = format!("the float solver: {why}");
                Answer::Open(if why == Why::Wall { Reason::time(words) } else { words.into() })
            }
        }
    }
}
