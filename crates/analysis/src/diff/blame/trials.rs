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
use crate::diff::request::{Request, StartupChoice};
use crate::diff::simplest::alike;
use crate::error::AnalysisError;

/// How many builds are made at a time.
const AT_A_TIME: usize = 2;
/// How many builds are made for the findings of one variant.
const MOST: usize = 64;

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
    /// By how they are made.
    made: FxHashMap<Making, Trial>,
}

/// How a build is made and started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Making {
    /// Compiler and flags, as for `--variant`.
    pub text: String,
    /// Whether it starts flushing to zero, if that is not left to what the compiler links.
    pub flushes: Option<bool>,
}

impl<'a> Trials<'a> {
    /// None yet.
    pub(super) fn new(blaming: &'a Blaming<'a>, variant: usize, witnesses: Vec<Witness>) -> Trials<'a> {
        Trials { blaming, variant, witnesses, made: FxHashMap::default() }
    }

    /// Whether a build was made in this way and shows a witness' divergence.
    pub(super) fn shows(&mut self, making: &Making, witness: usize) -> bool {
        self.seen(making, witness) == Some(true)
    }

    /// Whether it was made and does not show it.
    pub(super) fn refutes(&mut self, making: &Making, witness: usize) -> bool {
        self.seen(making, witness) == Some(false)
    }

    /// What the compiler said when it made this build.
    pub(super) fn words(&self, making: &Making) -> Option<&str> {
        self.made.get(making).map(|trial| trial.words.as_str())
    }

    fn seen(&mut self, making: &Making, witness: usize) -> Option<bool> {
        self.make(vec![making.clone()]);
        self.made.get(making).and_then(|trial| trial.shows.get(witness)).copied()
    }

    /// Makes builds, several at a time, and runs all witnesses on each.
    pub(super) fn make(&mut self, mut wanted: Vec<Making>) {
        wanted.retain(|making| !self.made.contains_key(making));
        for wanted in wanted.chunks(AT_A_TIME) {
            if self.blaming.is_over() || self.made.len() >= MOST {
                return;
            }
            let first = self.made.len();
            let trials: Vec<Trial> = std::thread::scope(|scope| {
                let one = |(index, making): (usize, &Making)| {
                    let (making, number) = (making.clone(), first + index);
                    let this = &*self;
                    scope.spawn(move || this.one(&making, number).unwrap_or_default())
                };
                let running: Vec<_> = wanted.iter().enumerate().map(one).collect();
                running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
            });
            self.made.extend(wanted.iter().cloned().zip(trials));
        }
    }

    /// One build, made and run.
    fn one(&self, making: &Making, number: usize) -> Result<Trial, AnalysisError> {
        let Blaming { request, prepared, clock, .. } = *self.blaming;
        let folder: PathBuf = prepared.folder.join(format!("blame-{}-{number}", self.variant));
        let (build, words) = builds::build_variant(request, &making.text, &folder, clock)?;
        let like = &prepared.builds[self.variant];
        let made = Made {
            build,
            executable: String::new(),
            compiler_to_call: String::new(),
            symbol: like.symbol.clone(),
            address: None,
            analysed: None,
        };
        let startup = match (request.startup, making.flushes) {
            (StartupChoice::AsLoaded, Some(true)) => StartupChoice::Ftz,
            (StartupChoice::AsLoaded, Some(false)) => StartupChoice::Default,
            (given, _) => given,
        };
        let mut observer = observers::start_build(&Request { startup, ..request.clone() }, prepared, &made)?;
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
