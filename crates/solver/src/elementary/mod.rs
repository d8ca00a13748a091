//! Exact reasoning over the floats with calls of libm's functions.
//!
//! A call's result is a variable δ without a definition. [`check_with_calls`] refines by counterexamples, as Cimatti,
//! Griggio, Irfan, Roveri, Sebastiani ("Incremental linearization for satisfiability and verification modulo nonlinear arithmetic
//! and transcendental functions", TOCL 2018) do over the reals: solve with δ bounded by what is known; where a model's δ is no value of the
//! function at the model's operands, add lemmas that exclude it, and solve again.
//!
//! **Claim.** `Unsat` means that no libm of `labrys_elementary::image`'s assumptions, within `ulps` floats of the correctly
//! rounded results, satisfies the assertions. `Sat` carries a model whose δ are results of such a libm; where possible they are the
//! correctly rounded ones.
//!
//! **Argument.** Every lemma says that operands in a box have results in the image of the box ([`forward`]), which holds for
//! each such libm, or that domains which propagation has derived from the assertions and from earlier lemmas hold. So each of its models that satisfies the assertions
//! satisfies the lemmas, and a contradiction is the assertions' own. All of them are its core, as domains hang on all.
//!
//! [`forward`]: crate::domain::project::elementary::forward

mod boxes;
mod call;
mod cone;
mod image;
mod member;
mod narrow;
mod refinement;
mod relations;
mod witness;

use std::time::{Duration, Instant};

use labrys_term::{Store, TermId};

use crate::{Core, FloatOutcome, FloatSolver, Limits, Why};
pub use call::CallTerm;
pub(crate) use member::member;
use refinement::Refinement;

/// Why a query with calls is open when lemmas do not help.
const OPEN: &str =
    "functions of libm are taken as any within some floats of the correctly rounded ones, which does not decide it";

/// An answer about a query with calls, and what it takes for granted of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The answer.
    pub outcome: FloatOutcome,
    /// Where it is `Unsat`, what of the functions was used to find it: that operands in a box have results in its image, and such
    /// operands only. Each holds of every libm of the claim, whatever the assertions are, so that the conjunction of the assertions
    /// and these has no model either, with the calls' results as free variables.
    pub lemmas: Vec<TermId>,
}

/// Decides the conjunction of `assertions`, in which each call's variable is its function's value at its operands, up to `ulps` floats
/// off (`labrys_elementary::image` says how they are counted).
///
/// `limits` bound each question to `solver` and the wall-clock time of all; at most `rounds` times lemmas are added. Terms
/// are added to the store.
pub fn check_with_calls(
    store: &mut Store,
    assertions: &[TermId],
    calls: &[CallTerm],
    ulps: u32,
    solver: &mut dyn FloatSolver,
    limits: &Limits,
    rounds: usize,
) -> FloatOutcome {
    decide_with_calls(store, assertions, calls, ulps, solver, limits, rounds).outcome
}

/// As [`check_with_calls`], with what a proof takes for granted of the functions.
pub fn decide_with_calls(
    store: &mut Store,
    assertions: &[TermId],
    calls: &[CallTerm],
    ulps: u32,
    solver: &mut dyn FloatSolver,
    limits: &Limits,
    rounds: usize,
) -> Decided {
    let calls = cone::relevant(store, assertions, calls);
    if calls.is_empty() {
        return Decided { outcome: solver.check_once(store, assertions, limits), lemmas: Vec::new() };
    }
    let domains = calls.iter().map(|call| narrow::any(store, call)).collect();
    let (lemmas, images) = (Vec::new(), Vec::new());
    let mut refinement = Refinement { store, assertions, calls, ulps, lemmas, bounds: None, domains, images };
    let outcome = refinement.decide(solver, limits, rounds);
    let lemmas = if matches!(outcome, FloatOutcome::Unsat(_)) { refinement.facts() } else { Vec::new() };
    Decided { outcome, lemmas }
}

impl Refinement<'_> {
    fn decide(&mut self, solver: &mut dyn FloatSolver, limits: &Limits, rounds: usize) -> FloatOutcome {
        let deadline = Instant::now() + limits.wall;
        let proof = FloatOutcome::Unsat(Core((0..self.assertions.len()).collect()));
        match self.narrow(limits) {
            Ok(true) => self.bounds = Some(self.lemmas.len()),
            Ok(false) => return proof,
            Err(why) => return FloatOutcome::Unknown(why),
        }
        self.add_classes();
        for round in 0..rounds.max(1) {
            let model = match self.ask(solver, &[], limits, deadline) {
                FloatOutcome::Sat(model) => model,
                FloatOutcome::Unsat(_) => return proof,
                FloatOutcome::Unknown(why) => return FloatOutcome::Unknown(why),
            };
            if let Some(witness) = self.witness(&model) {
                return FloatOutcome::Sat(witness);
            }
            // Early, and then ever more rarely: a model of everything else at these operands.
            if round.is_power_of_two() || round == 0 {
                let fixed = self.fixed_at(&model);
                if let FloatOutcome::Sat(model) = self.ask(solver, &fixed, limits, deadline)
                    && let Some(witness) = self.witness(&model)
                {
                    return FloatOutcome::Sat(witness);
                }
            }
            if !self.exclude(&model) {
                return FloatOutcome::Unknown(Why::Incomplete(OPEN.to_owned()));
            }
        }
        FloatOutcome::Unknown(Why::Incomplete(format!("{OPEN} in {rounds} rounds of lemmas")))
    }

    /// Asks for a model of the assertions, the lemmas and `more`.
    fn ask(&self, solver: &mut dyn FloatSolver, more: &[TermId], limits: &Limits, deadline: Instant) -> FloatOutcome {
        let wall = deadline.saturating_duration_since(Instant::now());
        if wall == Duration::ZERO {
            return FloatOutcome::Unknown(Why::Wall);
        }
        let query: Vec<TermId> = [self.assertions, &self.lemmas, more].concat();
        match solver.check_once(self.store, &query, &Limits { wall, ..*limits }) {
            FloatOutcome::Sat(mut model) => {
                model.complete(self.store, &query);
                for call in &self.calls {
                    model.complete(self.store, &call.operands);
                    model.complete(self.store, &[call.variable]);
                }
                FloatOutcome::Sat(model)
            }
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests;
