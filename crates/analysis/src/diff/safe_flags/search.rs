//! Whether a set of flags shows a divergence: on the witnesses that are known, and on what a search finds.

use labrys_native::Observation;
use labrys_program::{InputLayout, OutputLayout};
use labrys_report::{Finding, Severity, input_record};

use super::masks::Mask;
use super::{MOST_BUILDS, MOST_SEARCHES, Parts};
use crate::AnalysisError;
use crate::diff::blame::{Maker, Making, OfSource, start_trial};
use crate::diff::builds::{self, Prepared};
use crate::diff::compare::{Policy, compare};
use crate::diff::function::compare_builds;
use crate::diff::observers;
use crate::diff::request::Request;
use crate::observation::observer::Observer;
use crate::run::clock::{Clock, Stop};
use crate::run::progress::Progress;

/// Of the time that is left, the hundredths that one search may take.
const SEARCH_SHARE: u32 = 25;

/// What a search came to.
pub enum Found {
    /// A witness that was not known.
    New,
    /// No divergence of the severity.
    Nothing {
        /// How many inputs were run.
        inputs: u64,
        /// Whether the search did its work.
        is_whole: bool,
        /// What the solver proved.
        proofs: Vec<String>,
    },
}

/// The searches of all sets.
pub struct Search<'a> {
    request: &'a Request,
    prepared: &'a Prepared,
    severity: Severity,
    clock: &'a Clock,
    progress: &'a dyn Progress,
    inputs: InputLayout,
    outputs: OutputLayout,
    baseline: Observer,
    /// Inputs on which some set differs, and what the baseline does there.
    witnesses: Vec<(Vec<u8>, Observation)>,
    builds: usize,
    searches: usize,
}

impl<'a> Search<'a> {
    /// One that knows no witness.
    ///
    /// # Errors
    ///
    /// Where the baseline's worker does not start.
    pub fn new(
        request: &'a Request,
        prepared: &'a Prepared,
        severity: Severity,
        clock: &'a Clock,
        progress: &'a dyn Progress,
    ) -> Result<Search<'a>, AnalysisError> {
        let baseline = observers::start_build(request, prepared, &prepared.builds[0])?;
        let (inputs, outputs) = (prepared.signature.input_layout(), prepared.signature.output_layout());
        let (builds, searches) = (0, 0);
        let witnesses = Vec::new();
        Ok(Search {
            request,
            prepared,
            severity,
            clock,
            progress,
            inputs,
            outputs,
            baseline,
            witnesses,
            builds,
            searches,
        })
    }

    /// How many builds were made to run witnesses.
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// How many witnesses are known.
    pub fn witnesses(&self) -> usize {
        self.witnesses.len()
    }

    /// Why no further set is tried.
    pub fn stop(&self) -> Option<String> {
        if let Some(stop) = self.clock.stop(self.progress) {
            Some(match stop {
                Stop::Time | Stop::Work => "the time limit ended it".to_owned(),
                Stop::Interrupted => "it was interrupted".to_owned(),
            })
        } else if self.builds >= MOST_BUILDS {
            Some(format!("{MOST_BUILDS} builds, the most that are made, were over"))
        } else if self.searches >= MOST_SEARCHES {
            Some(format!("{MOST_SEARCHES} searches, the most that are made, were over"))
        } else {
            None
        }
    }

    /// Takes findings' witnesses that are bad enough; whether one of them was not known.
    ///
    /// # Errors
    ///
    /// Where the baseline's worker cannot be kept running.
    pub fn learn(&mut self, findings: &[Finding]) -> Result<bool, AnalysisError> {
        let before = self.witnesses.len();
        for finding in findings.iter().filter(|finding| finding.severity <= self.severity) {
            let record = input_record(&self.inputs, &finding.inputs)?;
            if self.witnesses.iter().any(|(known, _)| *known == record) {
                continue;
            }
            self.baseline.set_deadline(self.clock.limit());
            let seen = self.baseline.run(std::slice::from_ref(&record), self.request.run.watched)?;
            self.witnesses.extend(seen.into_iter().next().map(|seen| (record, seen)));
        }
        Ok(self.witnesses.len() > before)
    }

    /// Whether code made with a set diverges on a known witness; `None` where it cannot be made or run.
    ///
    /// # Errors
    ///
    /// Never yet; what ends a run ends it.
    pub fn is_spoilt(&mut self, parts: &Parts, mask: Mask) -> Result<Option<bool>, AnalysisError> {
        if self.witnesses.is_empty() {
            return Ok(Some(false));
        }
        self.builds += 1;
        let said = parts.said(mask);
        // It starts as what the compiler links has it, as the search's build does: start-up code is no flag that a user says or leaves.
        let making = Making::of(parts.text.with(&said), None, Vec::new());
        let folder = self.prepared.folder.join(format!("safe-{}", self.builds));
        let seen = self.run(&making, &folder);
        let _ = std::fs::remove_dir_all(&folder);
        let seen = match seen {
            Ok(seen) => seen,
            Err(_) => return Ok(None),
        };
        let watched = self.request.run.watched;
        let policy = Policy { watched, ulps: self.request.ulps, traces: false, results: true };
        let differs = |((record, baseline), seen): (&(Vec<u8>, Observation), &Observation)| {
            let difference = compare(&policy, &self.inputs, &self.outputs, record, baseline, seen);
            difference.is_some_and(|difference| Severity::from(difference.severity) <= self.severity)
        };
        Ok(Some(self.witnesses.iter().zip(&seen).any(differs)))
    }

    fn run(&self, making: &Making, folder: &std::path::Path) -> Result<Vec<Observation>, AnalysisError> {
        let no_source = AnalysisError::Internal("a set of flags is of no source");
        let maker = OfSource::new(self.request, self.clock).ok_or(no_source)?;
        let made = maker.make(making, folder)?;
        let mut observer = start_trial((self.request, self.prepared, 1), made, making.flushes)?;
        observer.set_deadline(self.clock.limit());
        let records: Vec<Vec<u8>> = self.witnesses.iter().map(|(record, _)| record.clone()).collect();
        observer.run(&records, self.request.run.watched)
    }

    /// A part of a spoilt set that is spoilt, and not without any one of its flags.
    ///
    /// # Errors
    ///
    /// As [`Search::is_spoilt`].
    pub fn least(&mut self, parts: &Parts, mask: Mask) -> Result<Mask, AnalysisError> {
        let mut least = mask;
        // The level, which most flags do nothing without, stands first and goes last.
        for index in (0..parts.count()).rev().filter(|index| mask.has(*index)) {
            let without = least.without(index);
            if self.clock.stop(self.progress).is_none() && self.is_spoilt(parts, without)? == Some(true) {
                least = without;
            }
        }
        Ok(least)
    }

    /// The flags with any one of which a spoilt set diverges on no known witness.
    ///
    /// # Errors
    ///
    /// As [`Search::is_spoilt`].
    pub fn undoing(&mut self, parts: &Parts, set: Mask) -> Result<Vec<usize>, AnalysisError> {
        let mut undoing = Vec::new();
        for index in (0..parts.count()).filter(|index| !set.has(*index)) {
            // What time does not let be built is told as unfinished.
            if self.stop().is_none() && self.is_spoilt(parts, set.with(index))? == Some(false) {
                undoing.push(index);
            }
        }
        Ok(undoing)
    }

    /// Searches as the run did, with a set's build for its variant.
    ///
    /// # Errors
    ///
    /// Where the set's build cannot be made any more.
    pub fn of_set(&mut self, parts: &Parts, mask: Mask) -> Result<Found, AnalysisError> {
        self.searches += 1;
        let request = Request {
            variants: vec![parts.build(mask)],
            blames: false,
            safe_flags: None,
            compare_random: false,
            ..self.request.clone()
        };
        let folder = self.prepared.folder.join(format!("safe-search-{}", self.searches));
        std::fs::create_dir_all(&folder)
            .map_err(|error| AnalysisError::Usage(format!("{}: {error}", folder.display())))?;
        let clock = self.clock.part_left(SEARCH_SHARE);
        let made = builds::prepare(&request, &folder, &clock);
        let compared = made.and_then(|prepared| compare_builds(&request, &prepared, &clock, self.progress));
        let _ = std::fs::remove_dir_all(&folder);
        let compared = match compared {
            Err(error) if error.is_time_up() => {
                return Ok(Found::Nothing { inputs: 0, is_whole: false, proofs: Vec::new() });
            }
            compared => compared?,
        };
        if self.learn(&compared.findings)? {
            return Ok(Found::New);
        }
        let is_bad = |finding: &Finding| finding.severity <= self.severity;
        if compared.findings.iter().any(is_bad) {
            // A witness that is known and did not differ before: it does not repeat, and the set is not one to recommend.
            return Ok(Found::New);
        }
        let is_whole = compared.status == labrys_report::Status::Complete;
        Ok(Found::Nothing { inputs: compared.counts.inputs_tested, is_whole, proofs: compared.proofs })
    }
}
