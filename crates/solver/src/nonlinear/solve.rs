//! The tries, from a query to a candidate.

use labrys_float::Format;
use labrys_term::{Store, TermId, VariableId};
use num_rational::BigRational;

use super::concretise::{Attempt, Try};
use super::config::{Dependent, NonlinearConfig, NonlinearSteps};
use super::context::Context;
use super::cube;
use super::effort::Effort;
use super::problem::Problem;
use crate::local::random::Random;
use crate::{RealModel, RealOutcome, Why};

/// Looks for floats that satisfy the conjunction of `assertions`, Bool terms over Real variables.
///
/// Variables that `formats` knows are inputs of that format, those in [`NonlinearConfig::integers`] integers. `dependents`
/// are values of functions, which `evaluate` computes from their operands; `None` where the function is undefined. Other
/// variables are defined by the assertions themselves where these say v = t, or d·d = t ∧ 0 ≤ d; what remains is taken
/// for an input of format binary64.
///
/// The same arguments give the same answer, as long as the wall limit is not met.
///
/// ```
/// use labrys_float::Format;
/// use labrys_solver::nonlinear::{NonlinearConfig, solve};
/// use labrys_solver::{RealOutcome, RealValue};
/// use labrys_term::{Op, Sort, Store};
/// use num_rational::BigRational;
///
/// // x³ > y ∧ y > 10¹²
/// let mut store = Store::new();
/// let (x, y) = (store.variable("x", Sort::Real), store.variable("y", Sort::Real));
/// let cube = store.mk(Op::RealMul, &[x, x, x]);
/// let bound = store.real_const(BigRational::from_integer(10u64.pow(12).into()));
/// let query = [store.mk(Op::RealLt, &[y, cube]), store.mk(Op::RealLt, &[bound, y])];
/// let formats = |_| Some(Format::BINARY64);
/// let (outcome, steps) = solve(&store, &query, &[], &mut |_, _| None, &formats, &NonlinearConfig::default());
/// let RealOutcome::Candidate(model) = outcome else { panic!("{outcome:?}") };
/// let value = |term| model.values[&store.as_variable(term).unwrap()].approximation();
/// assert!(value(x).pow(3) > value(y));
/// assert_eq!(steps.concretised, 1);
/// ```
pub fn solve(
    store: &Store,
    assertions: &[TermId],
    dependents: &[Dependent],
    evaluate: &mut dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational>,
    formats: &dyn Fn(VariableId) -> Option<Format>,
    config: &NonlinearConfig,
) -> (RealOutcome, NonlinearSteps) {
    run(store, assertions, dependents, evaluate, formats, config, &mut search)
}

/// The same, beginning with a solution over the reals: at the floats next to it, and then along the line of each input
/// through these. [`NonlinearSteps::tries`] is 0 where that was enough.
///
/// A model of z3's needs this: its numbers are seldom floats, and functions' values are whatever suits it.
pub fn solve_near(
    store: &Store,
    assertions: &[TermId],
    dependents: &[Dependent],
    evaluate: &mut dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational>,
    formats: &dyn Fn(VariableId) -> Option<Format>,
    config: &NonlinearConfig,
    start: &RealModel,
) -> (RealOutcome, NonlinearSteps) {
    let mut from_there = |context: &mut Context<'_, '_>| {
        let literals = context.problem.literals.clone();
        match Try::new(context, &literals, &[], 0).near(start)? {
            Attempt::Found { model, is_linear, is_sampled } => Ok(context.found(model, is_linear, is_sampled)),
            Attempt::Stuck { .. } => search(context),
        }
    };
    run(store, assertions, dependents, evaluate, formats, config, &mut from_there)
}

/// How a query is searched.
type Method<'m> = dyn FnMut(&mut Context<'_, '_>) -> Result<RealOutcome, Why> + 'm;

fn run(
    store: &Store,
    assertions: &[TermId],
    dependents: &[Dependent],
    evaluate: &mut dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational>,
    formats: &dyn Fn(VariableId) -> Option<Format>,
    config: &NonlinearConfig,
    method: &mut Method<'_>,
) -> (RealOutcome, NonlinearSteps) {
    let counted = NonlinearSteps { queries: 1, ..NonlinearSteps::default() };
    let problem = match Problem::read(store, assertions, dependents, formats, config) {
        Ok(problem) => problem,
        Err(why) => return (RealOutcome::Unknown(why), counted),
    };
    let mut context = Context {
        problem: &problem,
        config,
        evaluate,
        random: Random::new(config.seed),
        effort: Effort::new(&config.limits),
        steps: counted,
        real: None,
    };
    let outcome = method(&mut context).unwrap_or_else(RealOutcome::Unknown);
    (outcome, context.steps)
}

/// All tries.
fn search(context: &mut Context<'_, '_>) -> Result<RealOutcome, Why> {
    let problem = context.problem;
    let hints = cube::hints(problem);
    for round in 0..context.config.tries.max(1) {
        context.steps.tries += 1;
        let literals = cube::choose(problem, &mut context.random);
        let order = cube::order(problem, round, &mut context.random);
        match Try::new(context, &literals, &hints, round).run(&order)? {
            Attempt::Found { model, is_linear, is_sampled } => {
                return Ok(context.found(model, is_linear, is_sampled));
            }
            Attempt::Stuck { is_proof: true } if literals == problem.literals => {
                context.steps.refuted += 1;
                return Ok(context.real_or("no float solves it".to_owned()));
            }
            Attempt::Stuck { .. } => {}
        }
    }
    Ok(context.real_or(format!("{} tries", context.config.tries.max(1))))
}
