//! Answers with a reason to believe them.
//!
//! The engines propose. A model was evaluated, and that is its certificate. Where they say that there is none, the query itself is
//! refuted once more, without anything that propagation found: by images of boxes ([`BranchAndPrune`]), or by circuits, about which
//! CDCL's proof is checked ([`CertifyingBitBlaster`]). Facts that specialise the circuits are lemmas, proved by images of boxes.
//! Whoever wants the proof's files gets those of circuits without facts. Preparation does at first only what it must, so that little of it is trusted; where that is not
//! decided in its share of the time, all of preparation is used, and the certificate says so. Which of the two it is may depend on
//! how fast the machine is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_term::{Store, TermId};

use super::certificate::{Certificate, CertifyConfig, Preparation, Refutation};
use super::decision::{Decision, Portfolio, evaluated};
use super::import::Import;
use super::race::{self, Subject};
use super::statistics::Statistics;
use crate::bitblast::CertifyingBitBlaster;
use crate::domain::Facts;
use crate::prepare::{PrepareConfig, prepare};
use crate::prune::BranchAndPrune;
use crate::{Budget, Core, FloatOutcome, Limits, Verdict, Why};

/// What the attempt with little preparation may take, of the time left no more than half: so long, or so many times what the
/// engines have needed, whichever is longer.
const FIRST_TURN: Duration = Duration::from_secs(30);
const PATIENCE: u32 = 10;
/// Evaluations of operators that branch and prune may take: seconds.
const PRUNING: u64 = 4_000_000;

impl Portfolio {
    /// Decides the conjunction of `terms` as [`Portfolio::decide`] does, and certifies the answer: unsat is answered only with a
    /// checked proof, or where preparation leaves nothing to prove, as [`Decision::certificate`] says. The proof's clauses and
    /// steps are left in `keep`.cnf and `keep`.lrat if that is given.
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
                let proposing = begun.elapsed();
                let left = Limits { wall: limits.wall.saturating_sub(proposing), ..*limits };
                let first_turn = FIRST_TURN.max(proposing * PATIENCE);
                let refutation = Refuting { store, terms, certify, keep, budget: self.budget(&left), first_turn };
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
struct Refuting<'a> {
    store: &'a Store,
    terms: &'a [TermId],
    certify: &'a CertifyConfig,
    keep: Option<PathBuf>,
    budget: Budget,
    /// What the attempt with little preparation may take, and no more than half of the budget's time.
    first_turn: Duration,
}

impl Refuting<'_> {
    /// The answer with its certificate, or why there is none.
    fn find(&self, statistics: &mut Statistics) -> Result<(FloatOutcome, Certificate), Why> {
        let now = Instant::now();
        let half = self.budget.deadline.map(|deadline| deadline.saturating_duration_since(now) / 2);
        let turn = half.map_or(self.first_turn, |half| half.min(self.first_turn));
        let first = Budget { deadline: Some(now + turn), ..self.budget.clone() };
        let found = match self.attempt(&PrepareConfig::required(), &first, statistics) {
            Err(Why::Wall | Why::Memory | Why::Unsupported(_)) => {
                self.attempt(&PrepareConfig::default(), &self.budget, statistics)
            }
            found => found,
        };
        found.map_err(|why| match why {
            Why::Uncertified(_) | Why::WrongModel => why,
            why => Why::Uncertified(why.to_string()),
        })
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
        let preparation = if all { Preparation::All } else { Preparation::Required };
        let store = Arc::new(std::mem::take(&mut import.store));
        let subject = Subject { store: Arc::clone(&store), assertions: prepared.assertions, facts: Facts::default() };
        // Who proposed the answer is what the statistics are to tell.
        let decided_by = statistics.decided_by;
        let (verdict, by) = self.refute(subject, budget, statistics);
        statistics.decided_by = decided_by;
        match verdict {
            Verdict::Unsat => Ok((unsat, Certificate::Refuted(preparation, by))),
            Verdict::Unknown(why) => Err(why),
            // Another engine was wrong; the model decides.
            Verdict::Sat(model) => {
                let of_copies = prepared.reconstruction.model(&store, model);
                let outcome = evaluated(self.store, self.terms, import.model_of_originals(&of_copies))?;
                Ok((outcome, Certificate::OverrulingModel))
            }
        }
    }

    /// Refutes a prepared query: quickly by boxes, else by circuits with facts and, on another thread, without.
    fn refute(&self, subject: Subject, budget: &Budget, statistics: &mut Statistics) -> (Verdict, Refutation) {
        let blaster = CertifyingBitBlaster::new(self.certify.largest_proof);
        if let Some(stem) = &self.keep {
            let report = race::ask(&mut blaster.keeping(stem), &subject.query(), budget);
            return (race::record(report, statistics), Refutation::Circuits);
        }
        let now = Instant::now();
        let quarter = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 4);
        let pruning = Budget { work: PRUNING, deadline: quarter, ..budget.clone() };
        let report = race::ask(&mut BranchAndPrune::default(), &subject.query(), &pruning);
        if race::record(report, statistics) == Verdict::Unsat {
            return (Verdict::Unsat, Refutation::Boxes);
        }
        let with_facts = CertifyingBitBlaster::new(self.certify.largest_proof).proving_facts();
        let runners = vec![race::asking(with_facts), race::asking(blaster)];
        (race::race(subject, runners, budget, false, statistics), Refutation::CircuitsWithFacts)
    }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Op, Sort, Store};

    use super::*;
    use crate::PortfolioConfig;

    const CERTIFY: CertifyConfig = CertifyConfig { largest_proof: 1 << 24 };

    /// (x · y) · z ≠ x · (y · z) in so many bits.
    fn associated(width: u32) -> (Store, TermId) {
        let mut store = Store::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::BitVec(width)));
        let left = store.mk(Op::BvMul, &[x, y]);
        let left = store.mk(Op::BvMul, &[left, z]);
        let right = store.mk(Op::BvMul, &[y, z]);
        let right = store.mk(Op::BvMul, &[x, right]);
        let differ = store.mk(Op::Distinct, &[left, right]);
        (store, differ)
    }

    fn refuted(store: &Store, terms: &[TermId], first_turn: Duration) -> (FloatOutcome, Certificate) {
        let budget = Budget::unlimited();
        let refutation = Refuting { store, terms, certify: &CERTIFY, keep: None, budget, first_turn };
        refutation.find(&mut Statistics::default()).expect("an answer with a certificate")
    }

    #[test]
    fn unsat_is_proved_about_the_query_itself_where_that_is_done_in_time() {
        let (store, differ) = associated(3);
        let limits = Limits { work: 0, ..Limits::default() };
        let small = Portfolio::new(PortfolioConfig::default()).certified(&store, &[differ], &limits, &CERTIFY, None);
        assert_eq!(small.outcome, FloatOutcome::Unsat(Core(vec![0])));
        assert!(
            matches!(small.certificate, Some(Certificate::Refuted(Preparation::Required, _))),
            "{:?}",
            small.certificate
        );
        // Circuits do not decide this one soon; as polynomials the products are equal.
        let (store, differ) = associated(24);
        let (outcome, certificate) = refuted(&store, &[differ], Duration::from_millis(100));
        assert_eq!(outcome, FloatOutcome::Unsat(Core(vec![0])));
        assert_eq!(certificate, Certificate::Prepared);
    }

    /// Where the engines were wrong, the model that the circuits have is the answer.
    #[test]
    fn a_wrong_unsat_is_overruled() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::BitVec(8));
        let one = store.bv_const(8, 1u8);
        let less = store.mk(Op::BvUlt, &[x, one]);
        let (outcome, certificate) = refuted(&store, &[less], FIRST_TURN);
        assert!(matches!(outcome, FloatOutcome::Sat(_)), "{outcome:?}");
        assert_eq!(certificate, Certificate::OverrulingModel);
    }

    #[test]
    fn unsat_without_a_proof_is_unknown() {
        let (store, differ) = associated(3);
        let certify = CertifyConfig { largest_proof: 100 };
        let limits = Limits { work: 0, ..Limits::default() };
        let decision = Portfolio::default().certified(&store, &[differ], &limits, &certify, None);
        let why = Why::Uncertified("the proof is larger than 100 bytes".to_owned());
        assert_eq!(decision.outcome, FloatOutcome::Unknown(why));
        assert_eq!(decision.certificate, None);
    }
}
