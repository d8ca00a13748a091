//! Second opinions on what the solver over the floats and the intervals proved of one function.
//!
//! A contradicted proof is withdrawn. Where the other's model is an input of the search domain it is run, and may be the finding
//! that there was not to be.

use labrys_report::{Contradiction, Opinion};
use labrys_solver::elementary::CallTerm;
use labrys_term::Store;

use super::evidence::Evidence;
use super::exact::Exact;
use super::pairs::{PairKey, Proof};
use super::search::ExceptionSearch;
use crate::AnalysisError;
use crate::solving::floats;
use crate::solving::second_opinion::{Answer, Budget, Claim, Dissent, Means, SecondOpinion, contradiction};

/// The engines whose proofs have queries.
const ENGINES: [&str; 2] = ["portfolio", "intervals"];

/// Work that asking about one function may take in any case, in seconds.
const LEAST_SECONDS: f64 = 1.0;

/// What was refuted of a function, and the store in which its terms live.
pub struct Refuted {
    /// The store.
    pub store: Store,
    /// The calls of libm whose results are variables.
    pub calls: Vec<CallTerm>,
    /// What was refuted.
    pub evidence: Evidence,
}

/// How the second opinions of one function are asked.
pub struct Opinions<'a> {
    /// What proofs are about, and when to stop.
    pub exact: &'a Exact<'a>,
    /// How many questions the analysis asked of its own solver.
    pub questions: u64,
}

/// What they came to.
#[derive(Default)]
pub struct Outcome {
    /// Proofs that were withdrawn.
    pub contradictions: Vec<Contradiction>,
    /// Remarks for the report.
    pub notes: Vec<String>,
}

/// The opinion of a proof about which nobody was asked.
pub fn unasked(engine: &str) -> Option<Opinion> {
    Some(Opinion::alone(match engine {
        "ranges" => "value ranges have no query to ask again, and no inputs were run",
        "enumeration" => "all inputs were run, and there is nothing else to ask",
        _ => "not asked",
    }))
}

impl Opinions<'_> {
    /// Asks about every proof, and enters what is answered.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn ask(&self, refuted: Refuted, search: &mut ExceptionSearch<'_>) -> Result<Outcome, AnalysisError> {
        let Refuted { mut store, calls, mut evidence } = refuted;
        let Exact { request, clock, progress, .. } = *self.exact;
        let proof = |(key, pair): (&PairKey, &super::pairs::Pair)| {
            pair.proof.as_ref().filter(|proof| ENGINES.contains(&proof.engine)).map(|_| key.clone())
        };
        let proved: Vec<PairKey> = search.judge.pairs.iter().filter_map(proof).collect();
        let mut outcome = Outcome::default();
        if proved.is_empty() {
            return Ok(outcome);
        }
        let constraints = floats::constraints(&request.run, self.exact.domain, &mut store);
        let claims: Vec<Claim> = proved.iter().map(|key| evidence.claim(key, &constraints)).collect();
        let budget = Budget::tenth(self.questions, LEAST_SECONDS, clock);
        let interrupted = || progress.interrupted();
        let seed = request.run.seed;
        let choice = &request.run.second_opinion;
        let asking = SecondOpinion::new(choice, seed, budget, (&calls, request.libm_ulps), &interrupted);
        let asked = asking.ask(&mut store, &claims);
        outcome.notes = asked.notes;
        if asked.time_limited {
            outcome.notes.push("a limit on time ended some second opinions: another run may have others".to_owned());
        }
        for (key, answer) in proved.iter().zip(asked.answers) {
            match answer {
                Answer::Opinion(opinion) => search.judge.pairs.second(key, opinion),
                Answer::Contradicted(dissent) => {
                    outcome.contradictions.extend(self.contradicted(&mut store, key, &dissent, search)?);
                }
            }
        }
        Ok(outcome)
    }

    /// Withdraws a proof, and runs the input that contradicts it; none where the model is not of the search domain, which intervals
    /// know better than their conditions tell.
    fn contradicted(
        &self,
        store: &mut Store,
        key: &PairKey,
        dissent: &Dissent,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Option<Contradiction>, AnalysisError> {
        let Exact { request, domain, clock, .. } = *self.exact;
        let record = dissent.model.as_ref().map(|model| domain.record_of(store, model));
        if dissent.means == Means::Propagation && record.as_ref().is_some_and(|record| !domain.space.admits(record)) {
            search
                .judge
                .pairs
                .second(key, Opinion::alone(format!("{}'s model is outside the search domain", dissent.by)));
            return Ok(None);
        }
        let Some(Proof { engine, .. }) =
            search.judge.pairs.withdraw(key, format!("its proof was contradicted by {}", dissent.by))
        else {
            return Ok(None);
        };
        if let Some(record) = &record {
            search.allow(100);
            search.follow(std::slice::from_ref(record), clock)?;
        }
        let inputs = record.map(|record| labrys_report::input_values(search.judge.observer.signature(), &record));
        let claim = claim_words(key);
        let output = request.run.output.as_deref();
        Ok(Some(contradiction(store, dissent, (claim, engine), inputs.unwrap_or_default(), output)))
    }
}

/// What was held for impossible: `overflow of fmul at f.c:3:9 in f`.
pub fn claim_words((site, exception): &PairKey) -> String {
    let exception = exception.names().first().copied().unwrap_or_default();
    let place = site.place.words().unwrap_or_default();
    format!("{exception} of {} at {place} in {}", site.operator, site.function)
}
