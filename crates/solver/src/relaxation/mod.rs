//! Refutation over the reals: floats as numbers, with errors that are bounded.
//!
//! That two sums of the same numbers are near to each other, that a filter's sign is right, or that a piecewise interpolation rises, are statements about real
//! numbers with a margin for rounding. Circuits multiply them out, and propagation forgets how terms depend on each other. Here each float is a
//! polynomial over real unknowns: its rounding is an unknown near to what it was rounded from ([`rounding`]), products are unknowns between planes
//! ([`products`]), vectors that do not wrap are integers ([`crate::integers`]), and what is left is a formula of linear arithmetic with the query's own
//! choices, which z3 decides. Lemmas are said when a model of the formula violates them, as long as that is so and there is time.
//!
//! What is exact is no new unknown: sums and products of numbers with few bits, by the least place that a number can have, which bounds away from zero give. So sums of
//! the same numbers in another order are one polynomial where they do not round.
//!
//! **Claim.** [`Relaxation::refutes`] is true only if the conjunction has no model.
//!
//! **Argument.** From a model of the conjunction a model of the formula is made: terms that are finite in all models are their values, as propagation
//! knows their ranges; truth values and vectors likewise; whatever is not read is a truth value or an unknown of its own. Each
//! formula and each lemma is true of these. Nothing follows from a model of the formula.

mod cases;
#[cfg(test)]
mod claims;
mod equalities;
mod error;
mod floats;
mod forward;
mod known;
mod linearized;
mod measured;
mod orders;
mod products;
mod reading;
mod rounding;
mod tables;
#[cfg(test)]
mod tests;
mod truths;
mod unknowns;

use std::time::Instant;

use labrys_term::{Store, TermId};
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashSet;
use tracing::debug;

use crate::told::LOG;
use crate::{Limits, Portfolio, ProcessConfig, RealOutcome, RealSolver, SmtProcess, taylor};
pub(crate) use floats::{bounds_of, may_hide_overflow};
use forward::Forward;
pub(crate) use known::Known;
pub use measured::{Measured, Relaxing, relaxed};
use reading::Relaxed;

/// How often the formula is asked, and how many lemmas each time gives at most.
const MOST_ROUNDS: usize = 200;
const MOST_LEMMAS: usize = 60;

/// The part of the time that the formula with its products may take, and how many times the lemmas of the last time there are when it is asked again.
const NONLINEAR_SHARE: u32 = 4;
const NONLINEAR_GROWTH: usize = 4;

/// The part of the time that it may take where roundings are no unknowns; the rest is for what is said multiplied.
const EXACT_SHARE: u32 = 2;

/// The part of the time that the formula with errors in place of roundings may take, and all cases of it.
const FORWARD_SHARE: u32 = 4;
const CASES_SHARE: u32 = 3;
const ADDED_SHARE: u32 = 8;

/// So small a part of the memory that the solver of linear formulas may take: they are small, and whoever asks has most of it.
const MEMORY_SHARE: u64 = 8;

/// A solver of linear formulas, and what it is asked.
#[derive(Debug)]
pub struct Relaxation {
    process: SmtProcess,
}

impl Relaxation {
    /// With z3, whose process starts at the first question.
    pub fn new(seed: u32) -> Relaxation {
        Relaxation { process: SmtProcess::new(ProcessConfig::z3(seed)) }
    }

    /// Whether the conjunction of `terms` has no model for reasons of real arithmetic and bounded errors; false says nothing.
    pub fn refutes(&mut self, store: &Store, terms: &[TermId], solver: &mut Portfolio, limits: &Limits) -> bool {
        let relaxing = relaxed(store, terms, solver, limits);
        self.refutes_relaxed(relaxing, (store, terms), solver, limits)
    }

    /// The same of a conjunction that was looked at ([`relaxed`]).
    pub fn refutes_relaxed(
        &mut self,
        relaxing: Relaxing,
        (store, terms): (&Store, &[TermId]),
        solver: &mut Portfolio,
        limits: &Limits,
    ) -> bool {
        let begun = Instant::now();
        // The process' memory comes on top of that of who asks.
        let limits = &Limits { memory_mib: limits.memory_mib.div_ceil(MEMORY_SHARE), ..*limits };
        match relaxing {
            Relaxing::Contradiction => true,
            Relaxing::Unread => false,
            Relaxing::Done(measured) => {
                let share = |part: u32| Limits { wall: limits.wall / part, ..*limits };
                taylor::refutes(&measured, limits)
                    || self.refutes_by_errors(&measured, &share(FORWARD_SHARE))
                    || self.refutes_by_added_errors(&measured, &share(ADDED_SHARE))
                    || self.refutes_cases(store, terms, solver, &share(CASES_SHARE))
                    || measured.read(None).is_some_and(|formula| self.decides(formula, "roundings", begun, limits))
            }
        }
    }

    /// Whether the formula in which errors are added has no model: sums and what they lose, as of Kahan's summation, are linear in inputs and errors.
    fn refutes_by_added_errors(&mut self, measured: &Measured, limits: &Limits) -> bool {
        let formula = measured.read_with_errors();
        formula.is_some_and(|formula| self.decides(formula, "added errors", Instant::now(), limits))
    }

    /// Whether formulas with errors in place of roundings have no model, each asked for at most the time.
    fn refutes_by_errors(&mut self, measured: &Measured, limits: &Limits) -> bool {
        [("errors", false), ("relative errors", true)].into_iter().any(|(name, is_relative)| {
            let formula = measured.read(Some(Forward::new(is_relative)));
            formula.is_some_and(|formula| self.decides(formula, name, Instant::now(), limits))
        })
    }

    /// Whether a formula has no model.
    fn decides(&mut self, mut formula: Relaxed, name: &str, begun: Instant, limits: &Limits) -> bool {
        let (lemmas, refuted) = self.has_no_model(&mut formula, begun, limits);
        let (roundings, products) = (formula.roundings.len(), formula.unknowns.products.len());
        let (seconds, outcome) = (begun.elapsed().as_secs_f64(), if refuted { "unsat" } else { "unknown" });
        debug!(target: LOG, roundings, products, lemmas, seconds, "relaxation by {name}: {outcome}");
        refuted
    }

    /// How many lemmas were said, and whether they refute the formula.
    fn has_no_model(&mut self, formula: &mut Relaxed, begun: Instant, limits: &Limits) -> (usize, bool) {
        let mut said: FxHashSet<TermId> = FxHashSet::default();
        let mut next_nonlinear = 0;
        for _ in 0..MOST_ROUNDS {
            let left = Limits { wall: limits.wall.saturating_sub(begun.elapsed()), ..*limits };
            if left.wall.is_zero() {
                break;
            }
            let model = match self.process.check_linear(&formula.unknowns.store, &formula.unknowns.said, &left) {
                RealOutcome::NoCandidate => return (said.len(), true),
                RealOutcome::Unknown(_) => break,
                RealOutcome::Candidate(model) => model,
            };
            let values = formula.unknowns.values_in(&model);
            if forbid(formula, &ROUNDING, &values, &mut said) {
                continue;
            }
            if !formula.unknowns.is_violated(&formula.linear_products, &values) {
                break;
            }
            // With products as they are, while that is decided fast; else between planes.
            if said.len() >= next_nonlinear {
                let share = if formula.is_forward { EXACT_SHARE } else { NONLINEAR_SHARE };
                let wall = (limits.wall / share).min(limits.wall.saturating_sub(begun.elapsed()));
                let terms = formula.unknowns.with_products(&formula.linear_products);
                match self.process.check_once(&formula.unknowns.store, &terms, &Limits { wall, ..*limits }) {
                    RealOutcome::NoCandidate => return (said.len(), true),
                    RealOutcome::Candidate(model) => {
                        let values = formula.unknowns.values_in(&model);
                        if forbid(formula, &ROUNDING, &values, &mut said) {
                            continue;
                        }
                        break;
                    }
                    RealOutcome::Unknown(_) if formula.is_forward => {
                        let wall = limits.wall.saturating_sub(begun.elapsed());
                        return (said.len(), self.refutes_multiplied(formula, &Limits { wall, ..*limits }));
                    }
                    RealOutcome::Unknown(_) => next_nonlinear = NONLINEAR_GROWTH * said.len().max(MOST_LEMMAS),
                }
            }
            if !forbid(formula, &[Kind::Products], &values, &mut said) {
                break;
            }
        }
        (said.len(), false)
    }

    /// Whether a formula has no model with what is said multiplied.
    fn refutes_multiplied(&mut self, Relaxed { unknowns, linear, .. }: &Relaxed, limits: &Limits) -> bool {
        let terms = [&unknowns.said[..], linear].concat();
        matches!(self.process.check_linear(&unknowns.store, &terms, limits), RealOutcome::NoCandidate)
    }
}

/// Says lemmas of the first kind of which a model violates some that were not said; whether there are any.
fn forbid(formula: &mut Relaxed, kinds: &[Kind], values: &[BigRational], said: &mut FxHashSet<TermId>) -> bool {
    kinds.iter().any(|&kind| {
        let mut lemmas = violated(formula, kind, values);
        lemmas.retain(|lemma| said.insert(*lemma));
        for unsaid in lemmas.drain(lemmas.len().min(MOST_LEMMAS)..) {
            said.remove(&unsaid);
        }
        formula.unknowns.said.extend(&lemmas);
        !lemmas.is_empty()
    })
}

/// What lemmas are about, in the order in which they are looked for.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// How far results are from what they are rounded from.
    Errors,
    /// Integers, and numbers that are zero or not near to it.
    Gaps,
    /// Results and floats that keep their order.
    Order,
    Products,
}

/// All but products.
const ROUNDING: [Kind; 3] = [Kind::Errors, Kind::Gaps, Kind::Order];

/// Lemmas of a kind that a model violates.
fn violated(formula: &mut Relaxed, kind: Kind, values: &[BigRational]) -> Vec<TermId> {
    let Relaxed { unknowns, roundings, floats, integers, gaps, .. } = formula;
    let mut lemmas = Vec::new();
    match kind {
        Kind::Errors => {
            for rounding in roundings.iter() {
                for lemma in rounding.violated(unknowns, values) {
                    lemmas.push(unknowns.under(rounding.premise, lemma));
                }
            }
        }
        Kind::Gaps => {
            for (unknown, least, premise) in gaps {
                let lemma = unknowns.beside_zero(*unknown, least, values);
                lemmas.extend(lemma.map(|lemma| unknowns.under(*premise, lemma)));
            }
            for (integer, premise) in integers {
                let lemma = unknowns.between(*integer, values);
                lemmas.extend(lemma.map(|lemma| unknowns.under(*premise, lemma)));
            }
        }
        Kind::Order => {
            for (place, rounding) in roundings.iter().enumerate() {
                let error = unknowns.value(&rounding.result, values) - unknowns.value(&rounding.exact, values);
                if error.is_zero() {
                    continue;
                }
                for (_, float, number) in floats.iter().filter(|(format, ..)| *format == rounding.format) {
                    let premise = unknowns.all(&[rounding.premise, *number]);
                    for lemma in rounding.crossing(unknowns, float, values) {
                        lemmas.push(unknowns.under(premise, lemma));
                    }
                }
                for other in &roundings[..place] {
                    let premise = unknowns.all(&[rounding.premise, other.premise]);
                    for lemma in rounding.order(other, unknowns, values) {
                        lemmas.push(unknowns.under(premise, lemma));
                    }
                }
            }
        }
        Kind::Products => {
            for place in 0..unknowns.known_products(values) {
                let product = unknowns.products[place];
                lemmas.extend(products::violated(unknowns, &product, values));
                for other in 0..place {
                    let other = unknowns.products[other];
                    lemmas.extend(products::shared(unknowns, [&product, &other], values));
                }
            }
        }
    }
    lemmas
}
