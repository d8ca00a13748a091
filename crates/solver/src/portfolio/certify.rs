//! Answers with a reason to believe them.
//!
//! The engines propose. A model was evaluated, and that is its certificate. Where they say that there is none, the circuits are made
//! once more from the query itself, without anything that propagation found, and CDCL's proof about them is checked
//! ([`CertifyingBitBlaster`]). Preparation does at first only what it must, so that little of it is trusted; where that is not
//! decided in its share of the time, all of preparation is used, and the certificate says so.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_term::{Store, TermId};

use super::import::Import;
use super::{Decision, Portfolio, Statistics, evaluated};
use crate::bitblast::CertifyingBitBlaster;
use crate::domain::Facts;
use crate::prepare::{PrepareConfig, prepare};
use crate::{Budget, Core, Engine, FloatOutcome, Limits, Query, Verdict, Why};

/// How answers are certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifyConfig {
    /// Bytes that a proof may have; a longer one is given up, and the answer is unknown.
    pub largest_proof: u64,
}

/// What a certified answer rests on. What all rest on is not named: this program's compiler and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Sat: a model, under which every assertion was evaluated to true in exact arithmetic.
    Model,
    /// Unsat: a checked proof about the circuits of the query, in which only arrays, reals and open values were replaced.
    Refuted,
    /// Unsat: a checked proof about the circuits of the query as all steps of preparation left it.
    RefutedPrepared,
    /// Unsat: preparation left nothing to prove.
    Prepared,
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Certificate::Model => "the model was evaluated",
            Certificate::Refuted => {
                "trusts the parser, the preparation that replaces arrays, reals and open values, the circuits with their \
                 clauses, and the checker of their proof"
            }
            Certificate::RefutedPrepared => {
                "trusts the parser, all of the preparation, its rewriting included, the circuits with their clauses, and the \
                 checker of their proof"
            }
            Certificate::Prepared => "trusts the parser and all of the preparation, which found the contradiction itself",
        })
    }
}

impl Portfolio {
    /// Decides the conjunction of `terms` as [`Portfolio::decide`] does, and certifies the answer: unsat is answered only with a
    /// checked proof, whose clauses and steps are left in `keep`.cnf and `keep`.lrat if that is given.
    pub fn certified(
        &self,
        store: &Store,
        terms: &[TermId],
        limits: &Limits,
        certify: &CertifyConfig,
        keep: Option<PathBuf>,
    ) -> Decision {
        let begun = Instant::now();
        let mut decision = self.decide(store, terms, limits);
        match decision.outcome {
            FloatOutcome::Sat(_) => decision.certificate = Some(Certificate::Model),
            FloatOutcome::Unknown(_) => {}
            FloatOutcome::Unsat(_) => {
                let left = Limits { wall: limits.wall.saturating_sub(begun.elapsed()), ..*limits };
                let refutation = Refutation { store, terms, certify, keep, budget: self.budget(&left) };
                match refutation.find(&mut decision.statistics) {
                    Ok((outcome, certificate)) => {
                        decision.outcome = outcome;
                        decision.certificate = Some(certificate);
                    }
                    Err(why) => decision.outcome = FloatOutcome::Unknown(why),
                }
            }
        }
        decision
    }
}

/// A query that is to be refuted.
struct Refutation<'a> {
    store: &'a Store,
    terms: &'a [TermId],
    certify: &'a CertifyConfig,
    keep: Option<PathBuf>,
    budget: Budget,
}

impl Refutation<'_> {
    fn find(&self, statistics: &mut Statistics) -> Result<(FloatOutcome, Certificate), Why> {
        let exp = std::env::var("LABRYS_EXP").unwrap_or_default();
        if exp == "required" {
            return self.attempt(&PrepareConfig::required(), &self.budget, statistics);
        }
        if exp == "default" {
            return self.attempt(&PrepareConfig::default(), &self.budget, statistics);
        }
        let share = self.budget.clone();
        match self.attempt(&PrepareConfig::required(), &share, statistics) {
            Err(Why::Wall) if self.budget.exhausted().is_none() => {
                self.attempt(&PrepareConfig::default(), &self.budget, statistics)
            }
            other => other,
        }
    }

    fn attempt(
        &self,
        config: &PrepareConfig,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Result<(FloatOutcome, Certificate), Why> {
        let mut import = Import::default();
        let copies = import.copy(self.store, self.terms);
        let prepared = statistics.phase("prepare", || prepare(&mut import.store, &copies, config));
        if let Some(what) = &prepared.unsupported {
            return Err(Why::Unsupported(what.clone()));
        }
        let all = *config != PrepareConfig::required();
        let unsat = FloatOutcome::Unsat(Core((0..self.terms.len()).collect()));
        if all && prepared.decided == Some(false) {
            return Ok((unsat, Certificate::Prepared));
        }
        let mut engine = CertifyingBitBlaster::new(self.certify.largest_proof);
        if let Some(stem) = &self.keep {
            engine = engine.keeping(stem);
        }
        let nothing = Facts::default();
        let query = Query { store: &import.store, assertions: &prepared.assertions, facts: &nothing };
        let verdict = statistics.phase("certify", || engine.check(&query, budget));
        let counts = engine.statistics().into_iter().map(|(name, count)| (engine.name(), name, count));
        statistics.counters.extend(counts);
        match verdict {
            Verdict::Unsat if all => Ok((unsat, Certificate::RefutedPrepared)),
            Verdict::Unsat => Ok((unsat, Certificate::Refuted)),
            Verdict::Unknown(why) => Err(why),
            // Another engine was wrong; the model decides.
            Verdict::Sat(model) => {
                let of_copies = prepared.reconstruction.model(&import.store, model);
                let outcome = evaluated(self.store, self.terms, import.model_of_originals(&of_copies))?;
                Ok((outcome, Certificate::Model))
            }
        }
    }
}
