//! Questions over the floats: what is the same for all of them.
//!
//! Solvers are limited by their own work and repeatable; time is a backstop.

use std::time::{Duration, Instant};

use labrys_fuzz::InputClass;
use labrys_program::{FloatCall, ScalarType};
use labrys_solver::elementary::CallTerm;
use labrys_solver::{EngineChoice, FloatSolver, Limits, Log, Portfolio, PortfolioConfig};
use labrys_symex::{Exploration, LibraryCall, leaf_variable};
use labrys_term::{Op, Store, TermId};

use super::second_opinion::WrongSolver;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;

/// Formulas with more products, quotients and roots than this are searched only: their circuits have a million clauses, and
/// reading these takes seconds.
const MOST_PRODUCTS: usize = 24;

/// The solver of a run's questions, writing them where the user wants them.
pub fn solver(run: &RunOptions, engines: EngineChoice) -> Box<dyn FloatSolver> {
    if run.plants_wrong_proofs {
        return Box::new(WrongSolver);
    }
    let portfolio = Portfolio::new(PortfolioConfig { engines, ..PortfolioConfig::reproducible(run.seed) });
    Box::new(Log::new(portfolio, run.dump_queries.clone()))
}

/// The engines that a query is not too large for.
pub fn engines_for(store: &Store, query: &[TermId]) -> EngineChoice {
    let is_large = |op: &Op| matches!(op, Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRem | Op::FpFmod);
    match store.reachable(query).into_iter().filter(|&term| is_large(&store.node(term).op)).count() > MOST_PRODUCTS {
        true => EngineChoice::Search,
        false => EngineChoice::Portfolio,
    }
}

/// So much work for one question, and at most so much time, as far as the clock has it.
pub fn limits(work: u64, wall: Duration, clock: &Clock) -> Limits {
    Limits { work, wall: clock.deadline(wall).saturating_duration_since(Instant::now()), ..Limits::default() }
}

/// Ranges, assumptions and the search domain over the inputs' Float terms.
pub fn constraints(run: &RunOptions, domain: &Domain, store: &mut Store) -> Vec<TermId> {
    let mut constraints: Vec<TermId> =
        domain.assumptions.iter().map(|assumption| assumption.term(&domain.inputs, store)).collect();
    if run.inputs == InputClass::Finite {
        for leaf in domain.inputs.leaves.iter().filter(|leaf| matches!(leaf.scalar, ScalarType::Float(_))) {
            let variable = leaf_variable(store, leaf);
            for class in [Op::FpIsNan, Op::FpIsInfinite] {
                let is = store.mk(class, &[variable]);
                constraints.push(store.not(is));
            }
        }
    }
    constraints
}

/// The calls of libm whose results are variables.
pub fn calls(exploration: &Exploration) -> Vec<CallTerm> {
    let of = |call: &LibraryCall| {
        let FloatCall::Elementary(function) = call.call else { return None };
        Some(CallTerm { variable: call.variable, function, operands: call.operands.clone() })
    };
    exploration.library_calls.iter().filter_map(of).collect()
}
