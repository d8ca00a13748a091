//! Builds that are made to be tried: each once, all witnesses on each.

use std::path::PathBuf;

use labrys_float::Flags;
use labrys_native::Observation;
use rustc_hash::FxHashMap;

use super::Blaming;
use crate::diff::builds::{self, Made};
use crate::diff::compare::{Difference, Policy, compare};
use crate::diff::findings::Distilled;
use crate::diff::observers::{self, Observers};
use crate::diff::simplest::alike;
use crate::error::AnalysisError;

/// How many builds are made at a time.
const AT_A_TIME: usize = 2;
/// How many builds are made for the findings of one variant.
const MOST: usize = 250;

/// A finding's witness, and how the baseline and the variant differ on it.
pub(super) struct Witness {
    record: Vec<u8>,
    baseline: Observation,
    difference: Difference,
    compared: Flags,
}

impl Witness {
    /// That of a finding; `None` where the order of events is all that differs, or a call does not return.
    pub(super) fn of(
        blaming: &Blaming<'_>,
        of: &Distilled,
        observers: &mut Observers,
    ) -> Result<Option<Witness>, AnalysisError> {
        let Some(compared) = of.finding.difference().map(|details| details.compared) else { return Ok(None) };
        let mut seen = match observers.run(std::slice::from_ref(&of.record), compared) {
            Err(error) if error.is_time_up() => return Ok(None),
            seen => seen?,
        };
        let (variant, baseline) = (of.variant, 0);
        let ran = |of: &mut Vec<Observation>| (!of.is_empty()).then(|| of.swap_remove(0));
        let (Some(variant), Some(baseline)) =
            (seen.get_mut(variant).and_then(ran), seen.get_mut(baseline).and_then(ran))
        else {
            return Ok(None);
        };
        let difference = how(blaming, compared, &of.record, &baseline, &variant);
        let difference = difference.filter(|difference| !difference.is_late());
        let record = of.record.clone();
        Ok(difference.map(|difference| Witness { record, baseline, difference, compared }))
    }
}

/// How two observations differ.
fn how(
    blaming: &Blaming<'_>,
    watched: Flags,
    record: &[u8],
    baseline: &Observation,
    other: &Observation,
) -> Option<Difference> {
    let scene = blaming.scene;
    let policy = Policy { watched, traces: false, ..scene.policy };
    compare(&policy, scene.inputs, scene.outputs, record, baseline, other)
}

/// What a build came to.
#[derive(Default)]
struct Trial {
    /// Of each witness whether it shows its divergence; empty where the build could not be made or run.
    shows: Vec<bool>,
    /// What the compiler said.
    words: String,
}

/// The builds of a variant's making otherwise.
pub(super) struct Trials<'a> {
    blaming: &'a Blaming<'a>,
    variant: usize,
    witnesses: Vec<Witness>,
    /// By command line.
    made: FxHashMap<String, Trial>,
}

impl<'a> Trials<'a> {
    /// None yet.
    pub(super) fn new(blaming: &'a Blaming<'a>, variant: usize, witnesses: Vec<Witness>) -> Trials<'a> {
        Trials { blaming, variant, witnesses, made: FxHashMap::default() }
    }

    /// Whether a build by this command line was made and shows a witness' divergence.
    pub(super) fn shows(&mut self, text: &str, witness: usize) -> bool {
        self.seen(text, witness) == Some(true)
    }

    /// Whether it was made and does not show it.
    pub(super) fn refutes(&mut self, text: &str, witness: usize) -> bool {
        self.seen(text, witness) == Some(false)
    }

    /// What the compiler said when it made this build.
    pub(super) fn words(&self, text: &str) -> Option<&str> {
        self.made.get(text).map(|trial| trial.words.as_str())
    }

    fn seen(&mut self, text: &str, witness: usize) -> Option<bool> {
        self.make(vec![text.to_owned()]);
        self.made.get(text).and_then(|trial| trial.shows.get(witness)).copied()
    }

    /// Makes builds, several at a time, and runs all witnesses on each.
    pub(super) fn make(&mut self, mut texts: Vec<String>) {
        texts.retain(|text| !self.made.contains_key(text));
        for texts in texts.chunks(AT_A_TIME) {
            if self.blaming.is_over() || self.made.len() >= MOST {
                return;
            }
            let first = self.made.len();
            let trials: Vec<Trial> = std::thread::scope(|scope| {
                let one = |(index, text): (usize, &String)| {
                    let (text, number) = (text.clone(), first + index);
                    let this = &*self;
                    scope.spawn(move || this.one(&text, number).unwrap_or_default())
                };
                let running: Vec<_> = texts.iter().enumerate().map(one).collect();
                running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
            });
            self.made.extend(texts.iter().cloned().zip(trials));
        }
    }

    /// One build, made and run.
    fn one(&self, text: &str, number: usize) -> Result<Trial, AnalysisError> {
        let Blaming { request, prepared, clock, .. } = *self.blaming;
        let folder: PathBuf = prepared.folder.join(format!("blame-{}-{number}", self.variant));
        let (build, words) = builds::build_variant(request, text, &folder, clock)?;
        let like = &prepared.builds[self.variant];
        let made = Made {
            build,
            executable: String::new(),
            compiler_to_call: String::new(),
            symbol: like.symbol.clone(),
            address: None,
            analysed: None,
        };
        let mut observer = observers::start_build(request, prepared, &made)?;
        observer.set_deadline(clock.limit());
        let records: Vec<Vec<u8>> = self.witnesses.iter().map(|witness| witness.record.clone()).collect();
        let seen = observer.run(&records, request.run.watched)?;
        let judged = self.witnesses.iter().zip(&seen).map(|(witness, seen)| {
            let difference = how(self.blaming, witness.compared, &witness.record, &witness.baseline, seen);
            difference.is_some_and(|difference| alike(&difference, &witness.difference))
        });
        let shows = judged.collect();
        // The builds of a run may be hundreds.
        drop(observer);
        let _ = std::fs::remove_dir_all(&folder);
        Ok(Trial { shows, words })
    }
}
