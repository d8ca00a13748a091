//! From witnessed pairs to findings: classify the effect, shrink the witness, confirm it.

use labrys_float::Flags;
use labrys_fuzz::shrink_within;
use labrys_native::Observation;
use labrys_report::{ExceptionDetails, Finding, Severity, input_values};

use super::effect::{Call, Classifier, DEFAULT_LIMITS, EffectReport};
use super::hunt::Hunt;
use super::pairs::{PairKey, Witness};
use super::unit::{ROLE, Unit};
use crate::clock::Clock;
use crate::domain::Domain;
use crate::output_class::{coarse, output_class};
use crate::record::observation_record;
use crate::{AnalysisError, Progress};

/// How many inputs shrinking one witness may trace.
const SHRINK_INPUTS: usize = 160;

/// What findings are made of.
pub struct Distiller<'a> {
    /// The function.
    pub unit: &'a Unit,
    /// The search domain.
    pub domain: &'a Domain,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// When to stop shrinking.
    pub shrinking: &'a Clock,
    /// When to stop altogether.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

/// What the witnessed pairs come to.
#[derive(Default)]
pub struct Harvest {
    /// The findings with their witnesses, in the order of pairs.
    pub findings: Vec<(Finding, Vec<u8>)>,
    /// Pairs whose witnesses depend on garbage, or did not show it again.
    pub unstable: usize,
    /// Pairs that the time limit left no time to confirm.
    pub unconfirmed: usize,
}

/// How a witness fared when it was run again.
enum Confirmed {
    Yes(Box<Finding>, Vec<u8>),
    No,
}

impl Distiller<'_> {
    /// Makes a finding of every witnessed pair.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn harvest(&self, hunt: &mut Hunt<'_>) -> Result<Harvest, AnalysisError> {
        let witnessed: Vec<(PairKey, Vec<Witness>, u64)> = hunt
            .pairs
            .iter()
            .filter(|(_, pair)| !pair.witnesses.is_empty())
            .map(|(key, pair)| (key.clone(), pair.witnesses.clone(), pair.count))
            .collect();
        let mut harvest = Harvest::default();
        let analysed = self.unit.analysed.as_deref().ok();
        let init =
            analysed.zip(self.unit.init.as_deref()).and_then(|(analysed, symbol)| analysed.program.function(symbol));
        let mut classifier = analysed.map(|analysed| Classifier::new(&analysed.program, init, DEFAULT_LIMITS));
        for (pair, witnesses, count) in witnessed {
            if self.clock.stop(self.progress).is_some() {
                harvest.unconfirmed += 1;
                hunt.pairs.reopen(&pair, "observed, but the time limit left no time to confirm it");
                continue;
            }
            let confirmed = match self.one(hunt, &mut classifier, &pair, &witnesses, count) {
                Err(error) if error.is_time_up() => {
                    harvest.unconfirmed += 1;
                    hunt.pairs.reopen(&pair, "observed, but the time limit left no time to confirm it");
                    continue;
                }
                confirmed => confirmed?,
            };
            match confirmed {
                Confirmed::Yes(finding, record) => harvest.findings.push((*finding, record)),
                Confirmed::No => {
                    harvest.unstable += 1;
                    hunt.pairs.reopen(&pair, "observed, but not on every run: the result depends on garbage");
                }
            }
        }
        Ok(harvest)
    }

    /// The witness with the worst effect, made simple and confirmed. Witnesses on which the exception is the first come before
    /// all others, because what another one did to the result is not its effect.
    fn one(
        &self,
        hunt: &mut Hunt<'_>,
        classifier: &mut Option<Classifier<'_>>,
        pair: &PairKey,
        witnesses: &[Witness],
        count: u64,
    ) -> Result<Confirmed, AnalysisError> {
        hunt.observer.set_deadline(self.clock.limit());
        let mut ranked: Vec<(Severity, &Witness)> = Vec::new();
        for witness in witnesses {
            let observation = hunt.observer.trace(&witness.record, self.watched)?;
            ranked.push((self.effect(classifier, &witness.record, &observation).severity, witness));
        }
        ranked.sort_by_key(|(severity, witness)| (!witness.is_first, *severity));
        for (severity, witness) in ranked {
            let simplest = self.simplest(hunt, pair, witness);
            // Shrinking must not trade a bad effect for a harmless one.
            for record in [simplest, witness.record.clone()] {
                let Some(observation) = hunt.observer.confirm(&record, self.watched)? else { continue };
                if !shows(hunt, pair, &observation, witness.is_first) {
                    continue;
                }
                let mut effect = self.effect(classifier, &record, &observation);
                if effect.severity > severity && record != witness.record {
                    continue;
                }
                if !witness.is_first {
                    effect
                        .notes
                        .push("On every input seen another exception occurs before: the effect may be its.".to_owned());
                }
                let finding = self.finding(hunt, pair, &record, &observation, effect, witness, count);
                return Ok(Confirmed::Yes(Box::new(finding), record));
            }
        }
        Ok(Confirmed::No)
    }

    fn simplest(&self, hunt: &mut Hunt<'_>, pair: &PairKey, witness: &Witness) -> Vec<u8> {
        if self.shrinking.stop(self.progress).is_some() {
            return witness.record.clone();
        }
        let Ok(first) = hunt.observer.trace(&witness.record, self.watched) else { return witness.record.clone() };
        let wanted = self.classes(&first);
        shrink_within(&self.domain.space, &witness.record, SHRINK_INPUTS, &mut |records| {
            if self.shrinking.stop(self.progress).is_some() {
                return vec![false; records.len()];
            }
            match hunt.observer.trace_all(records, self.watched) {
                Ok(seen) => seen
                    .iter()
                    .map(|observation| {
                        self.classes(observation) == wanted && shows(hunt, pair, observation, witness.is_first)
                    })
                    .collect(),
                Err(_) => vec![false; records.len()],
            }
        })
    }

    fn classes(&self, observation: &Observation) -> Vec<crate::output_class::OutputClass> {
        let outputs = &self.domain.outputs;
        if observation.output.len() < outputs.size {
            return Vec::new();
        }
        let classes: Vec<_> = outputs.leaves.iter().map(|leaf| output_class(leaf, &observation.output)).collect();
        coarse(&classes)
    }

    fn effect(
        &self,
        classifier: &mut Option<Classifier<'_>>,
        record: &[u8],
        observation: &Observation,
    ) -> EffectReport {
        match (&self.unit.analysed, classifier) {
            (Ok(analysed), Some(classifier)) => classifier.classify(&Call {
                function: analysed.function,
                binding: &analysed.binding,
                signature: &self.unit.signature,
                record,
                observed: &observation.output,
            }),
            (Err(why), _) => EffectReport::unclassified(vec![format!("There is no IR to compute with: {why}.")]),
            (Ok(_), None) => EffectReport::unclassified(Vec::new()),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn finding(
        &self,
        hunt: &mut Hunt<'_>,
        (site, exception): &PairKey,
        record: &[u8],
        observation: &Observation,
        effect: EffectReport,
        witness: &Witness,
        count: u64,
    ) -> Finding {
        let signature = &self.unit.signature;
        let observed = observation_record(ROLE, signature, self.watched, observation, hunt.observer);
        let place = match (site.line, site.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            (Some(line), None) => line.to_string(),
            _ => "an unknown line".to_owned(),
        };
        let name = exception.names().first().copied().unwrap_or_default();
        let summary = format!("{name} at {place} ({} in {}): {}", site.operator, site.function, meaning(&effect));
        Finding {
            id: String::new(),
            severity: effect.severity,
            between: vec![ROLE.to_owned()],
            baseline_clean: true,
            in_control: false,
            found_by: witness.origin.into(),
            count,
            summary,
            inputs: input_values(signature, record),
            observations: vec![observed],
            command: None,
            exception: Some(ExceptionDetails {
                site: site.clone(),
                exception: *exception,
                error_ulps: effect.error_ulps,
                true_result: effect.true_result,
                avoidable: effect.avoidable.filter(|_| (Flags::OVERFLOW | Flags::UNDERFLOW).contains(*exception)),
                reachable_from: Vec::new(),
            }),
            notes: effect.notes,
        }
    }
}

/// Whether an observation has the pair in its trace, and at its beginning if `first`.
fn shows(hunt: &mut Hunt<'_>, (site, exception): &PairKey, observation: &Observation, first: bool) -> bool {
    let watched = hunt.pairs.watched();
    let events = observation.trace.iter().flat_map(|trace| &trace.events);
    let events = events.filter(|event| event.exceptions.intersects(watched));
    for event in events.take(if first { 1 } else { usize::MAX }) {
        if event.exceptions.contains(*exception) {
            let frame = hunt.observer.frame(event);
            if hunt.pairs.site_of(&frame, *exception) == *site {
                return true;
            }
        }
    }
    false
}

/// The effect in words.
fn meaning(effect: &EffectReport) -> String {
    let truth = effect.true_result.as_deref();
    match (effect.severity, truth) {
        (Severity::Lost, Some(truth)) => format!("the result is lost, it is {truth} without rounding and limits"),
        (Severity::Inaccurate, Some(truth)) => {
            format!("the result is inaccurate, it is {truth} without rounding and limits")
        }
        (Severity::Honest, _) => "the true result does so too".to_owned(),
        (Severity::Harmless, _) => "harmless, the result is right".to_owned(),
        _ => "the true result is not known".to_owned(),
    }
}
