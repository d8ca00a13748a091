//! Differences asked over the floats: an input on which one build raises an exception and the other does not, or a proof
//! over the IR that there is none.
//!
//! The reals miss what only rounding brings about, and can prove nothing. The float solver reads the IR bit for bit; what
//! it finds is run like every other candidate. Budgeted by the solver's own work, so that runs are repeatable.

use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_program::Signature;
use labrys_report::{Contradiction, Finding, Opinion, input_values};
use labrys_solver::{FloatOutcome, Why};
use labrys_symex::{ExactDifference, Exploration, exact_differences};
use labrys_term::Store;

use super::candidates::BACKSTOP;
use super::request::Request;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::run::progress::Progress;
use crate::solving::floats;
use crate::solving::second_opinion::{Answer, Budget, Claim, Refutation, SecondOpinion, contradiction, means_of};

/// Programs with more executions of operations than this are not asked about: their formulas take minutes.
const MOST_EXECUTIONS: usize = 128;

/// Work of one query: conflicts of the bit-blaster. Some tenths of a second for a dozen operations on doubles.
const CONFLICTS: u64 = 500;

/// What the float solver came to.
#[derive(Clone, Debug, Default)]
pub struct ExactAnswers {
    /// Inputs that it proposes.
    pub inputs: Vec<Vec<u8>>,
    /// Questions asked.
    pub asked: usize,
    /// Questions with an input.
    pub sat: usize,
    /// Questions without.
    pub unsat: usize,
    /// What is proved, for the report.
    pub proofs: Vec<Proof>,
    /// Proofs that somebody contradicted.
    pub contradictions: Vec<Contradiction>,
    /// Remarks for the report.
    pub notes: Vec<String>,
    /// Whether a limit on time, which another run may not meet, had a part in it.
    pub time_limited: bool,
}

impl ExactAnswers {
    /// Forgets proofs about an exception.
    pub fn forget_proofs_of(&mut self, exception: Flags) {
        self.proofs.retain(|proof| !proof.exception.intersects(exception));
    }
}

/// Asks about the baseline against each variant.
pub fn ask(
    request: &Request,
    roles: &[String],
    explorations: &[Option<Exploration>],
    domain: &Domain,
    store: &mut Store,
    clock: &Clock,
    progress: &dyn Progress,
) -> ExactAnswers {
    let mut answers = ExactAnswers::default();
    let Some(Some(baseline)) = explorations.first() else { return answers };
    let constraints = floats::constraints(&request.run, domain, store);
    for (variant, role) in explorations[1..].iter().zip(&roles[1..]) {
        let Some(variant) = variant else { continue };
        if baseline.executions.len() + variant.executions.len() > MOST_EXECUTIONS {
            continue;
        }
        let everything = baseline.is_complete() && variant.is_complete();
        for difference in exact_differences(store, &baseline.executions, &variant.executions) {
            if clock.stop(progress).is_some() {
                return answers;
            }
            let query = [&constraints[..], &[difference.term]].concat();
            let limits = floats::limits(CONFLICTS, BACKSTOP, clock);
            answers.asked += 1;
            let mut solver = floats::solver(&request.run, floats::engines_for(store, &query));
            match solver.check_once(store, &query, &limits) {
                FloatOutcome::Sat(model) => {
                    answers.sat += 1;
                    answers.inputs.push(domain.record_of(store, &model));
                }
                FloatOutcome::Unsat(_) => {
                    answers.unsat += 1;
                    if everything && difference.is_whole {
                        let means = means_of(&*solver);
                        let refutation = Refutation { terms: query, lemmas: Some(Vec::new()), means };
                        answers.proofs.push(Proof::new(role, &difference, refutation, &request.run));
                    }
                }
                FloatOutcome::Unknown(why) => answers.time_limited |= why == Why::Wall,
            }
        }
    }
    answers
}

/// Work that asking about proofs may take in any case, in seconds.
const LEAST_SECONDS: f64 = 1.0;

/// Asks others about the proofs. Those that somebody contradicts are taken out, and the inputs that contradict them are run.
pub fn second_opinions(
    request: &Request,
    signature: &Signature,
    domain: &Domain,
    store: &mut Store,
    answers: &mut ExactAnswers,
    clock: &Clock,
    progress: &dyn Progress,
) {
    if answers.proofs.is_empty() {
        return;
    }
    progress.phase("asking for second opinions");
    let budget = Budget::tenth(answers.asked as u64, LEAST_SECONDS, clock);
    let claim = |proof: &Proof| Claim { refutations: vec![proof.refutation.clone()], missing: None };
    let claims: Vec<Claim> = answers.proofs.iter().map(claim).collect();
    let interrupted = || progress.interrupted();
    let asking = SecondOpinion::new(&request.run.second_opinion, request.run.seed, budget, (&[], 0), &interrupted);
    let asked = asking.ask(store, &claims);
    answers.time_limited |= asked.time_limited;
    answers.notes.extend(asked.notes);
    for (mut proof, answer) in std::mem::take(&mut answers.proofs).into_iter().zip(asked.answers) {
        match answer {
            Answer::Opinion(opinion) => {
                proof.opinion = Some(opinion);
                answers.proofs.push(proof);
            }
            Answer::Contradicted(dissent) => {
                let record = dissent.model.as_ref().map(|model| domain.record_of(store, model));
                let inputs = record.iter().flat_map(|record| input_values(signature, record)).collect();
                let claim = (proof.claim(), "portfolio");
                let output = request.run.output.as_deref();
                answers.contradictions.push(contradiction(store, &dissent, claim, inputs, output));
                answers.inputs.extend(record);
            }
        }
    }
}

/// A proof that one build alone raises an exception on no input.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The role of the build that does not raise it alone.
    raising: String,
    /// The other's.
    quiet: String,
    exception: Flags,
    /// Whether the user left inputs out.
    is_narrowed: bool,
    /// What it rests on.
    refutation: Refutation,
    /// Whether anybody else says so.
    opinion: Option<Opinion>,
}

impl Proof {
    fn new(role: &str, difference: &ExactDifference, refutation: Refutation, run: &RunOptions) -> Proof {
        let (raising, quiet) = if difference.in_variant { (role, "baseline") } else { ("baseline", role) };
        let (raising, quiet) = (raising.to_owned(), quiet.to_owned());
        let is_narrowed = !(run.ranges.is_empty() && run.assumptions.is_empty() && run.inputs == InputClass::All);
        Proof { raising, quiet, exception: difference.exception, is_narrowed, refutation, opinion: None }
    }

    /// What it says is impossible.
    fn claim(&self) -> String {
        let Proof { raising, quiet, exception, .. } = self;
        format!("{} of the {raising} and not of the {quiet}", exception.names().join(", "))
    }

    /// A finding of the machine code that is what the proof says not to be over the IR.
    fn against<'f>(&self, findings: &'f [Finding]) -> Option<&'f Finding> {
        let raises = |finding: &Finding, role: &str| {
            let of_role = finding.observations.iter().find(|observation| observation.role == role);
            of_role.map(|observation| observation.flags.contains(self.exception))
        };
        findings
            .iter()
            .find(|finding| raises(finding, &self.raising) == Some(true) && raises(finding, &self.quiet) == Some(false))
    }
}

/// What the report says of proofs, beside the findings of the machine code: those that say the same of several exceptions are told in one.
pub fn notes(proofs: &[Proof], findings: &[Finding]) -> Vec<String> {
    let (contradicted, proved): (Vec<&Proof>, Vec<&Proof>) =
        proofs.iter().partition(|proof| proof.against(findings).is_some());
    let input = |proof: &Proof| if proof.is_narrowed { "input of the search domain" } else { "input" };
    let opinion = |proof: &Proof| proof.opinion.as_ref().map(|opinion| format!("; {opinion}")).unwrap_or_default();
    let mut notes = Vec::new();
    for proof in contradicted {
        let Some(finding) = proof.against(findings) else { continue };
        let Proof { raising, quiet, exception, .. } = proof;
        notes.push(format!(
            "{} where the {raising} raises it and the {quiet} does not is the code generator's: over the IR, read \
             strictly, there is no such {}, but finding {} is one of the machine code{}",
            exception.names().join(", "),
            input(proof),
            finding.id,
            opinion(proof)
        ));
    }
    let mut alike: Vec<(&Proof, Flags)> = Vec::new();
    for proof in proved {
        let same = |known: &Proof| {
            (&known.raising, &known.quiet, known.is_narrowed) == (&proof.raising, &proof.quiet, proof.is_narrowed)
                && known.opinion == proof.opinion
        };
        match alike.iter_mut().find(|(known, _)| same(known)) {
            Some((_, exceptions)) => *exceptions |= proof.exception,
            None => alike.push((proof, proof.exception)),
        }
    }
    for (proof, exceptions) in alike {
        let Proof { raising, quiet, .. } = proof;
        notes.push(format!(
            "proved over the IR: on no {} does the {raising} raise {} where the {quiet} does not (IR read strictly, default \
             rounding, nothing flushed; not a proof about the machine code{})",
            input(proof),
            exceptions.names().join(" or "),
            opinion(proof)
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solving::second_opinion::Means;

    /// Each exception had a note of its own, which differed in one word.
    #[test]
    fn what_is_proved_alike_is_one_note() {
        let proof = |raising: &str, exception| Proof {
            raising: raising.to_owned(),
            quiet: if raising == "variant" { "baseline" } else { "variant" }.to_owned(),
            exception,
            is_narrowed: false,
            refutation: Refutation { terms: Vec::new(), lemmas: None, means: Means::Search },
            opinion: None,
        };
        let proofs =
            [proof("variant", Flags::INVALID), proof("baseline", Flags::OVERFLOW), proof("variant", Flags::OVERFLOW)];
        let notes = notes(&proofs, &[]);
        assert_eq!(notes.len(), 2, "{notes:#?}");
        assert!(
            notes[0].contains("on no input does the variant raise invalid or overflow where the baseline does not")
        );
        assert!(notes[1].contains("the baseline raise overflow where the variant does not"));
    }
}
