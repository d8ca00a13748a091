//! From certain errors to findings: of each output the worst of each kind, with what made it.

use std::collections::BTreeMap;

use labrys_program::Signature;
use labrys_report::{
    AccuracyDetails, Details, ErrorCause, ErrorMeasures, Finding, ReferenceDetails, Severity, StackEntry, Value,
    WorstError, input_values,
};

use super::backward::joint;
use super::causes::Causes;
use super::confirmed::{ConfirmedError, ConfirmedErrors};
use super::curves::curves;
use super::expression::along;
use super::judge::AccuracyJudge;
use super::remedies::remedy;
use super::request::Request;
use crate::AnalysisError;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::record::observation_record;
use crate::target::analysed::Analysed;
use crate::target::called_at::Witnessed;
use crate::target::unit::ROLE;
use crate::truth::{Metric, OutputError};
use crate::truth::{decimal, in_words};
use labrys_float::Flags;
use labrys_interp::precise::PreciseFloat;

/// What findings are made of.
pub struct Findings<'a> {
    /// The function's IR.
    pub analysed: &'a Analysed,
    /// The function's name.
    pub name: &'a str,
    /// How it is called.
    pub signature: &'a Signature,
    /// The function that is called before it.
    pub init: Option<&'a str>,
    /// The inputs that count, and how outputs lie in records.
    pub domain: &'a Domain,
    /// What is asked.
    pub request: &'a Request,
    /// When the run ends.
    pub clock: &'a Clock,
    /// What results are compared with, where that is not the function's own formulas.
    pub reference: Option<&'a str>,
}

impl Findings<'_> {
    /// The findings, worst first; errors of at most half an ulp are none, and small ones only where there are no others. The first has
    /// curves.
    ///
    /// # Errors
    ///
    /// Where the build cannot be run.
    pub fn of(
        &self,
        judge: &mut AccuracyJudge<'_>,
        confirmed: &ConfirmedErrors,
        causes: &mut Causes<'_>,
    ) -> Result<Vec<Finding>, AnalysisError> {
        let mut findings = Vec::new();
        let mut by_output: BTreeMap<&str, Vec<(u64, &ConfirmedError)>> = BTreeMap::new();
        for (group, errors) in &confirmed.by_group {
            let count = judge.candidates.count(group);
            by_output.entry(&group.output).or_default().extend(errors.iter().map(|error| (count, error)));
        }
        let measure = |error: &ConfirmedError| self.request.metric.of(&error.error, &error.truth);
        for mut errors in by_output.into_values() {
            errors.sort_by(|(_, a), (_, b)| measure(b).total_cmp(&measure(a)));
            let largest = errors.iter().map(|(_, error)| *error).find(|error| error.error.ulps.is_finite());
            let is_only_benign = errors.iter().all(|(_, error)| error.severity == Severity::Benign);
            for severity in Severity::ERRORS {
                if severity == Severity::Benign && !is_only_benign {
                    continue;
                }
                let of = || errors.iter().filter(move |(_, error)| error.severity == severity);
                let by_excess = |(_, a): &&(u64, &ConfirmedError), (_, b): &&(u64, &ConfirmedError)| {
                    excess(a).total_cmp(&excess(b))
                };
                let worst = match severity {
                    // Where the program is to blame, it is so most where the problem itself is best.
                    Severity::Unstable | Severity::WrongAlgorithm | Severity::Branch => of().rev().max_by(by_excess),
                    _ => of().next(),
                };
                let Some(&(count, worst)) = worst.filter(|(_, worst)| worst.error.absolute > 0.0) else { continue };
                let other = largest.filter(|largest| measure(largest) > measure(worst));
                findings.push((self.finding(judge, worst, other, count, causes), worst));
            }
        }
        labrys_report::assign_ids(self.name, findings.iter_mut().map(|(finding, _)| finding));
        findings.sort_by_cached_key(|(finding, _)| finding.rank());
        if let Some((Finding { details: Details::Accuracy(details), .. }, error)) = findings.first_mut() {
            details.curves = curves(judge, &self.domain.space, &error.record, error.leaf)?;
        }
        Ok(findings.into_iter().map(|(finding, _)| finding).collect())
    }

    fn finding(
        &self,
        judge: &mut AccuracyJudge<'_>,
        error: &ConfirmedError,
        largest: Option<&ConfirmedError>,
        count: u64,
        causes: &mut Causes<'_>,
    ) -> Finding {
        let leaf = &self.domain.outputs.leaves[error.leaf];
        let made = match error.severity {
            // Rounding has the smaller part in it.
            Severity::WrongAlgorithm => Vec::new(),
            _ => causes.of(&mut judge.oracle, &error.record, error.leaf),
        };
        let observation = observation_record(ROLE, self.signature, Flags::NOTABLE, &error.observation, judge.observer);
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        // A derivative says nothing of a jump, or of a bend within half an ulp.
        let fault = error.fault.as_ref().ok().filter(|_| !error.is_so_nearby);
        // Of what the problem itself loses no other formula gets anything back.
        let can_mend = matches!(error.severity, Severity::Lost | Severity::Unstable);
        let remedy = can_mend.then(|| {
            remedy(&self.analysed.program, &mut judge.oracle, &error.record, error.leaf, error.error.absolute)
        });
        let expression = self.request.emits_fpcore.then(|| along(self, &error.record, error.leaf));
        let (fpcore, no_fpcore) = match expression {
            Some(Ok(text)) => (Some(text), None),
            Some(Err(why)) => (None, Some(format!("no FPCore: {why}"))),
            None => (None, None),
        };
        let details = AccuracyDetails {
            output: leaf.path.clone(),
            result: Value::float(&leaf.path, &error.result).decimal.unwrap_or_default(),
            truth: decimal(error.truth.value()),
            rounded_truth: Value::float(&leaf.path, &error.truth.nearest().value).bits.unwrap_or_default(),
            precision: error.precision,
            confirmed_precision: error.confirmed,
            reference: self.reference.map(|name| Box::new(against(name, error))),
            error: measures(&error.error, &error.truth, self.request.metric),
            fault_unknown: (error.severity == Severity::Unclassified)
                .then(|| error.fault.as_ref().err().cloned())
                .flatten(),
            condition: fault.and_then(|fault| finite(fault.condition)),
            backward_error: fault.and_then(|fault| finite(fault.backward_error)),
            joint_backward_error: joint(
                &mut judge.oracle,
                &error.record,
                &error.observation.output,
                &self.domain.outputs.leaves,
            ),
            excess: fault.and_then(|fault| finite(fault.excess)),
            causes: made,
            remedy: remedy.flatten(),
            fpcore,
            curves: Vec::new(),
            worst: largest.map(|largest| {
                Box::new(WorstError {
                    error: measures(&largest.error, &largest.truth, self.request.metric),
                    inputs: input_values(self.signature, &largest.record),
                })
            }),
            callers: None,
        };
        let worst = details.causes.first().map(|cause| &cause.place);
        let witnessed = Witnessed {
            analysed: self.analysed,
            of_crate: self.request.run.of_crate.as_deref(),
            signature: self.signature,
            init: self.init,
            startup: judge.observer.startup(),
            record: &error.record,
        };
        let called_at = worst.map(|place| witnessed.called_at(place, None)).unwrap_or_default();
        let merged = worst.and_then(|place| judge.observer.remark(place));
        Finding {
            id: String::new(),
            severity: error.severity,
            found_by: error.found_by,
            count,
            summary: summary(error.severity, &details, called_at.first(), &in_words(&error.truth)),
            inputs: input_values(self.signature, &error.record),
            observations: vec![observation],
            command: None,
            called_at,
            details: Details::Accuracy(details),
            notes: error
                .method
                .as_ref()
                .and_then(|method| method.as_ref().err())
                .map(unknown_part)
                .into_iter()
                .chain(error.is_so_nearby.then(|| NEARBY.to_owned()))
                .chain(no_fpcore)
                .chain(merged)
                .collect(),
        }
    }
}

/// Why an error is the problem's, of which derivatives say something else.
const NEARBY: &str = "on an input half an ulp away the true result is as far off, or comes about by the program's branches: derivatives, and with \
                      them condition, backward error and excess, say nothing across such a step";

/// An error by all measures.
pub fn measures(error: &OutputError, truth: &PreciseFloat, metric: Metric) -> ErrorMeasures {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let floored = match metric {
        Metric::Relative { floor } if floor > 0.0 => finite(error.floored(truth, floor)),
        _ => None,
    };
    ErrorMeasures {
        bits: finite(error.bits()),
        ulps: finite(error.ulps),
        relative: finite(error.relative),
        absolute: finite(error.absolute),
        floored,
    }
}

/// What of an error against a reference is the method's.
fn against(name: &str, error: &ConfirmedError) -> ReferenceDetails {
    let parts = error.method.as_ref().and_then(|method| method.as_ref().ok());
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    ReferenceDetails {
        name: name.to_owned(),
        formulas: parts.map(|parts| decimal(parts.formulas.value())),
        truncation_error: parts.and_then(|parts| finite(parts.truncation)),
        rounding_error: parts.and_then(|parts| finite(parts.rounding)),
    }
}

fn unknown_part(why: &String) -> String {
    format!("whether the method or rounding is to blame is not known: {why}")
}

fn excess(error: &ConfirmedError) -> f64 {
    error.fault.as_ref().map_or(0.0, |fault| fault.excess)
}

/// One sentence.
fn summary(severity: Severity, details: &AccuracyDetails, called: Option<&StackEntry>, truth: &str) -> String {
    let AccuracyDetails { output, result, causes, .. } = details;
    let mut words = match severity {
        Severity::Lost => format!("{output} is {result}, it should be {truth}"),
        Severity::WrongAlgorithm => {
            format!("{output} is off by {}, most of it without any rounding", details.error.words())
        }
        _ => format!("{output} is off by {}", details.error.words()),
    };
    if let (Severity::Unstable | Severity::Branch, Some(ErrorCause { place, operator, .. })) =
        (severity, causes.first())
        && let Some(line) = called.map_or(place, |called| &called.place).line
    {
        words.push_str(&format!(", most of it from {operator} at line {line}"));
    }
    words
}
