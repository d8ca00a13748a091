//! The method behind another solver, as the paper has it behind z3.

use labrys_float::Format;
use labrys_term::{Store, TermId, VariableId};
use num_rational::BigRational;

use super::config::{Dependent, NonlinearConfig, NonlinearSteps};
use super::{solve, solve_near};
use crate::{Limits, RealOutcome, RealSolver};

/// Computes the value of a function from its operands; `None` where it has none.
pub type Evaluation = Box<dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational> + Send>;

/// The format of a variable that is an input.
pub type Formats = Box<dyn Fn(VariableId) -> Option<Format> + Send>;

/// Asks `S`, and takes what it leaves unknown to [`solve`]; its candidates, which need not be floats nor respect what
/// functions are, to [`solve_near`].
///
/// A candidate of the inner solver that has no floats near it is passed on as it is, and so is its `NoCandidate`.
pub struct Nonlinear<S> {
    inner: S,
    formats: Formats,
    dependents: Vec<Dependent>,
    evaluate: Evaluation,
    config: NonlinearConfig,
    unknowns: NonlinearSteps,
    candidates: NonlinearSteps,
}

impl<S> Nonlinear<S> {
    /// Backs `inner` for queries without functions; the limits of each query replace the configuration's wall limit.
    pub fn new(inner: S, formats: Formats, config: NonlinearConfig) -> Nonlinear<S> {
        Nonlinear {
            inner,
            formats,
            dependents: Vec::new(),
            evaluate: Box::new(|_, _| None),
            config,
            unknowns: NonlinearSteps::default(),
            candidates: NonlinearSteps::default(),
        }
    }

    /// The same for queries in which some variables are functions' values.
    pub fn with_functions(mut self, dependents: Vec<Dependent>, evaluate: Evaluation) -> Nonlinear<S> {
        self.dependents = dependents;
        self.evaluate = evaluate;
        self
    }

    /// What became of the queries that the inner solver left unknown.
    pub fn unknowns(&self) -> &NonlinearSteps {
        &self.unknowns
    }

    /// What became of its candidates.
    pub fn candidates(&self) -> &NonlinearSteps {
        &self.candidates
    }
}

impl<S: RealSolver> RealSolver for Nonlinear<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let outcome = self.inner.check_once(store, terms, limits);
        let Nonlinear { formats, dependents, evaluate, config, .. } = self;
        let wall = limits.wall.min(config.limits.wall);
        let config = NonlinearConfig { limits: Limits { wall, ..config.limits }, ..config.clone() };
        match outcome {
            RealOutcome::NoCandidate => RealOutcome::NoCandidate,
            RealOutcome::Unknown(why) => {
                let (found, steps) = solve(store, terms, dependents, evaluate, formats, &config);
                self.unknowns += steps;
                // The inner solver's reason is the one to report.
                if matches!(found, RealOutcome::Unknown(_)) { RealOutcome::Unknown(why) } else { found }
            }
            RealOutcome::Candidate(model) => {
                let (found, steps) = solve_near(store, terms, dependents, evaluate, formats, &config, &model);
                self.candidates += steps;
                if matches!(found, RealOutcome::Unknown(_)) { RealOutcome::Candidate(model) } else { found }
            }
        }
    }
}
