//! Builds that are made to be tried: each once, all witnesses on each.

use std::path::{Path, PathBuf};

use labrys_native::Observation;
use labrys_program::{
    Build, CompilerKind, Language, OperationPlace, OutputLayout, PassLimit, ScalarType, choose_function, exports,
    functions_in,
};
use labrys_report::{Cause, CauseKind, SourcePlace};
use rustc_hash::FxHashMap;

use super::{Asked, Blaming};
use crate::diff::builds::{Made, Prepared};
use crate::diff::cause::{Differing, change_in};
use crate::diff::compare::{Difference, Policy, compare, differs};
use crate::diff::observers::{self, Observers};
use crate::diff::request::{Request, StartupChoice};
use crate::diff::simplest::alike;
use crate::error::AnalysisError;
use crate::observation::observer::Observer;
use crate::run::clock::Stop;
use crate::run::record::from_here;

/// How many builds are made at a time.
const AT_A_TIME: usize = 2;
/// How many builds are made for the findings of one variant.
const MOST: usize = 96;
/// And how many more of which operations at some places are let be.
const MOST_STRICT: usize = 160;

/// A finding's witness, and how the baseline and the variant differ on it.
pub(super) struct Witness {
    record: Vec<u8>,
    baseline: Observation,
    variant: Observation,
    difference: Difference,
    /// The output that is told, if outputs differ by more than is allowed.
    told: Option<usize>,
    /// What is compared.
    policy: Policy,
    /// What differs first.
    pub(super) cause: Option<Cause>,
}

impl Witness {
    /// That of a finding; why there is none where the order of events is all that differs, or a call does not return.
    pub(super) fn of(
        blaming: &Blaming<'_>,
        of: &Asked,
        observers: &mut Observers,
    ) -> Result<Result<Witness, String>, AnalysisError> {
        let compared = of.compared;
        let out_of_time = || Ok(Err("the time limit left no time to run it".to_owned()));
        let mut seen = match observers.run(std::slice::from_ref(&of.record), compared) {
            Err(error) if error.is_time_up() => return out_of_time(),
            seen => seen?,
        };
        let (variant, baseline) = (of.variant, 0);
        let ran = |of: &mut Vec<Observation>| (!of.is_empty()).then(|| of.swap_remove(0));
        let (Some(variant), Some(baseline)) =
            (seen.get_mut(variant).and_then(ran), seen.get_mut(baseline).and_then(ran))
        else {
            return out_of_time();
        };
        let policy = Policy { watched: compared, traces: false, results: of.results, ..blaming.policy };
        let difference = how(blaming, &policy, &of.record, &baseline, &variant);
        let record = of.record.clone();
        let ends = [&baseline, &variant];
        let told = difference.as_ref().and_then(|of| of.told_by(ends));
        Ok(match difference {
            Some(difference) if difference.is_late() => Err("a call that does not return is not waited for".to_owned()),
            Some(difference) => {
                let cause = of.cause.clone();
                let mut witness = Witness { record, baseline, variant, difference, told, policy, cause };
                // What an interpretation of the IR does not tell, as that a flag allows it, stays as it was.
                if blaming.locates && of.cause.as_ref().is_some_and(|cause| cause.place.line.is_some()) {
                    witness.cause = blaming.cause(of, &witness, observers)?;
                }
                Ok(witness)
            }
            None if of.is_of_trace => {
                Err("the order of exceptions, which trials do not trace, is all that differs".to_owned())
            }
            None => Err("the builds no longer differ on it: code or compilers have changed".to_owned()),
        })
    }

    /// Whether all that the baseline computes is finite.
    pub(super) fn is_clean(&self) -> bool {
        self.difference.baseline_clean
    }

    /// Whether another build differs from the baseline in the way that is told: where an output is, in that one, whatever becomes of others.
    fn is_shown_by(&self, difference: &Difference, seen: &Observation, outputs: &OutputLayout) -> bool {
        let Some(told) = self.told else {
            return alike(difference, &self.difference) && !difference.changes_results();
        };
        let change = |of| change_in(&self.policy, outputs, self.told, [&self.baseline, of]).in_common();
        let exceptions = |of: &Difference| (of.baseline_flags, of.variant_flags, of.outcomes);
        let own = &self.difference;
        let is_of_class =
            own.baseline_flags != own.variant_flags || own.class_change(told) == difference.class_change(told);
        exceptions(difference) == exceptions(own)
            && difference.changes(told)
            && is_of_class
            && change(seen) == change(&self.variant)
            && self.is_of_size(told, seen, outputs)
    }

    /// Whether an output is more than half as far from the baseline's as the variant's is, where all are numbers; an integer is the variant's.
    fn is_of_size(&self, told: usize, seen: &Observation, outputs: &OutputLayout) -> bool {
        let integer = outputs.leaves.get(told).filter(|leaf| !matches!(leaf.scalar, ScalarType::Float(_)));
        if let Some(leaf) = integer {
            return !differs(leaf, &self.variant.output, &seen.output);
        }
        let of = |of: &Observation| outputs.leaves.get(told)?.float(&of.output).filter(|float| float.is_finite());
        let (Some(ours), Some(theirs), Some(seen)) = (of(&self.baseline), of(&self.variant), of(seen)) else {
            return true;
        };
        // Zeros of another sign are as far from each other as a number from itself.
        let (seen, own) = (ours.ulp_distance(&seen), ours.ulp_distance(&theirs));
        seen == own || seen.map(|of| of * 2u32) > own
    }

    /// What another difference from the baseline has of the one that is told: its outcome or its output, or exceptions.
    fn left_in(&self, other: &Difference) -> Seen {
        let [ours, theirs] = self.difference.told_exceptions();
        let has_exceptions = (other.baseline_flags ^ other.variant_flags).intersects(ours | theirs);
        match self.told {
            _ if other.outcomes.is_some() => Seen::Otherwise,
            Some(told) if other.changes(told) => Seen::Otherwise,
            Some(_) if has_exceptions => Seen::Exceptions,
            None if has_exceptions => Seen::Otherwise,
            _ => Seen::Nothing,
        }
    }
}

impl Blaming<'_> {
    /// What differs first in the code as it is now.
    pub(super) fn cause(
        &self,
        of: &Asked,
        Witness { baseline, variant, difference, policy, .. }: &Witness,
        observers: &mut Observers,
    ) -> Result<Option<Cause>, AnalysisError> {
        let seen = [baseline, variant];
        let builds = [&self.prepared.builds[0], &self.prepared.builds[of.variant]];
        let differing = Differing { builds, signature: &self.prepared.signature, record: &of.record, seen };
        differing.cause(observers, of.variant, difference, policy)
    }

    /// The baseline's operations on a witness, the first at each place, each with what would be told of it.
    pub(super) fn operations(&self, witness: &Witness, observers: &mut Observers) -> Vec<(OperationPlace, Cause)> {
        let Witness { record, baseline, variant, .. } = witness;
        // It is asked nothing that has to do with the variant.
        let builds = [&self.prepared.builds[0]; 2];
        let differing = Differing { builds, signature: &self.prepared.signature, record, seen: [baseline, variant] };
        let build = observers.build(0);
        let told = |(at, operator): (OperationPlace, &str)| {
            let place = build.known(SourcePlace::new(Some(from_here(at.file.clone())), at.line, at.column));
            let kind = if operator == "fcmp" { CauseKind::Branch } else { CauseKind::Operation };
            (at, Cause { kind, place, operator: operator.to_owned() })
        };
        differing.operations(build.startup()).into_iter().map(told).collect()
    }
}

/// How two observations differ.
fn how(
    blaming: &Blaming<'_>,
    policy: &Policy,
    record: &[u8],
    baseline: &Observation,
    other: &Observation,
) -> Option<Difference> {
    compare(policy, blaming.inputs, blaming.outputs, record, baseline, other)
}

/// What a witness shows on a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Its divergence, and in the output that is told the variant's very bits.
    Exactly,
    /// Its divergence.
    Alike,
    /// Another one.
    Otherwise,
    /// Of an output that is told nothing, but exceptions that are told with it.
    Exceptions,
    /// Nothing that belongs to its divergence.
    Nothing,
}

/// What of a divergence a build mends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mended {
    /// Nothing that is whole.
    No,
    /// The output that is told.
    Output,
    /// All that is told.
    Whole,
}

/// What a build came to.
#[derive(Default)]
struct Trial {
    /// What each witness comes to; empty where the build could not be made or run.
    seen: Vec<Seen>,
    /// What the compiler said.
    words: String,
    /// Why it could not be made or run.
    failure: Option<String>,
}

impl Trial {
    /// One that could not be made or run.
    fn failed(error: &AnalysisError) -> Trial {
        let words = match error {
            AnalysisError::Build(error) => error.in_a_line(),
            error => error.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        Trial { failure: Some(words), ..Trial::default() }
    }
}

/// Starts a worker for a build that was made instead of a variant, flushing to zero or not where that is said.
pub(in crate::diff) fn start_trial(
    (request, prepared, variant): (&Request, &Prepared, usize),
    TrialBuild { build, address, .. }: TrialBuild,
    flushes: Option<bool>,
) -> Result<Observer, AnalysisError> {
    let mut symbol = prepared.builds[variant].symbol.clone();
    // rustc's symbols have a hash that hangs on the level of optimisation.
    if address.is_none() && !exports(&build.library, &symbol) {
        let name = request.run.function.as_deref().or(Some(&prepared.signature.name));
        if let Ok(of) = choose_function(&functions_in(&build.library).unwrap_or_default(), name) {
            symbol.clone_from(&of.symbol);
        }
    }
    let made =
        Made { build, executable: String::new(), compiler_to_call: String::new(), symbol, address, analysed: None };
    let startup = match (request.startup, flushes) {
        (StartupChoice::AsLoaded, Some(true)) => StartupChoice::Ftz,
        (StartupChoice::AsLoaded, Some(false)) => StartupChoice::Default,
        (given, _) => given,
    };
    observers::start_build(&Request { startup, ..request.clone() }, prepared, &made)
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
pub(in crate::diff) struct Making {
    /// Compiler and flags, as for `--variant`.
    pub text: String,
    /// Whether it starts flushing to zero, if that is not left to what the compiler links.
    pub flushes: Option<bool>,
    /// Of a library the units that are made so, by their places; all others are the baseline's.
    pub units: Vec<usize>,
    /// Of a crate how many passes run where; of all else that is said by words.
    pub limit: Option<PassLimit>,
    /// Where it is made in two steps: the places of operations that no flag lets change.
    pub strict_at: Option<Vec<OperationPlace>>,
}

impl Making {
    /// That of these words.
    pub fn of(text: String, flushes: Option<bool>, units: Vec<usize>) -> Making {
        Making { text, flushes, units, limit: None, strict_at: None }
    }
}

/// A build that was made to be tried.
pub(in crate::diff) struct TrialBuild {
    /// The shared object and how it came to be.
    pub build: Build,
    /// The function's address in it, where symbols are shared.
    pub address: Option<u64>,
    /// What the compiler said.
    pub words: String,
}

/// Who makes builds to be tried.
pub(in crate::diff) trait Maker: Sync {
    /// The language of the builds' words.
    fn language(&self) -> Language;

    /// The language of what is compiled.
    fn compiled_language(&self) -> Language {
        self.language()
    }

    /// The compiler behind a name: clang compiles sources in Fortran by flang.
    fn kind(&self, named: CompilerKind) -> CompilerKind {
        named
    }

    /// What the project itself says to its compiler, before all that is compared.
    fn project_flags(&self) -> Vec<String>;

    /// The units of a library, by their places, that may be to blame for a divergence, likely ones first; of a file one set, of none.
    fn candidates(&self, cause: Option<&Cause>) -> Vec<Vec<usize>>;

    /// What units are called.
    fn names(&self, units: &[usize]) -> Vec<String>;

    /// Makes a build in `folder`, which is removed when it was tried.
    ///
    /// # Errors
    ///
    /// Where it cannot be made.
    fn make(&self, making: &Making, folder: &Path) -> Result<TrialBuild, AnalysisError>;
}

impl<'a> Trials<'a> {
    /// None yet.
    pub(super) fn new(blaming: &'a Blaming<'a>, variant: usize, witnesses: Vec<Witness>) -> Trials<'a> {
        Trials { blaming, variant, witnesses, made: FxHashMap::default() }
    }

    /// A witness.
    pub(super) fn witness(&self, index: usize) -> &Witness {
        &self.witnesses[index]
    }

    /// Whether a build was made in this way and shows a witness' divergence.
    pub(super) fn shows(&mut self, making: &Making, witness: usize) -> bool {
        matches!(self.seen(making, witness), Some(Seen::Exactly | Seen::Alike))
    }

    /// The same, and the output that is told has the variant's bits.
    pub(super) fn shows_exactly(&mut self, making: &Making, witness: usize) -> bool {
        self.seen(making, witness) == Some(Seen::Exactly)
    }

    /// Whether it was made and does not show it.
    pub(super) fn refutes(&mut self, making: &Making, witness: usize) -> bool {
        matches!(self.seen(making, witness), Some(Seen::Otherwise | Seen::Exceptions | Seen::Nothing))
    }

    /// What it mends of a witness' divergence; `None` where it cannot be made or run.
    pub(super) fn mended(&mut self, making: &Making, witness: usize) -> Option<Mended> {
        Some(match self.seen(making, witness)? {
            Seen::Nothing => Mended::Whole,
            Seen::Exceptions => Mended::Output,
            Seen::Exactly | Seen::Alike | Seen::Otherwise => Mended::No,
        })
    }

    /// Why the build that should show a witness' divergence does not.
    pub(super) fn why_not(&self, making: &Making, witness: usize) -> String {
        match self.made.get(making).and_then(|trial| trial.seen.get(witness)) {
            Some(Seen::Otherwise | Seen::Exceptions | Seen::Nothing) => {
                format!("no single build of at most {MOST} showed it: it is gone when the code is made again")
            }
            _ => format!("no single build of at most {MOST} showed it: {}", self.why_open(making, witness)),
        }
    }

    /// Why it is not known whether a build shows it, or that it does.
    pub(super) fn why_open(&self, making: &Making, witness: usize) -> String {
        let count = self.made.keys().filter(|making| making.strict_at.is_none()).count();
        match self.made.get(making) {
            Some(Trial { failure: Some(failure), .. }) => format!("a build could not be made or run: {failure}"),
            Some(trial) if matches!(trial.seen.get(witness), Some(Seen::Exactly | Seen::Alike)) => {
                "it does not show alike with fewer".to_owned()
            }
            None if count >= MOST => format!("{count} builds, the most that are made, were over"),
            _ => {
                let stop = self.blaming.clock.stop(self.blaming.progress).unwrap_or(Stop::Time);
                let builds = if count == 1 { "build" } else { "builds" };
                // One finding of a report has time of its own.
                let later = if self.blaming.locates { "" } else { "; labrys blame tries more" };
                format!("{} ended the trials after {count} {builds}{later}", stop.words())
            }
        }
    }

    /// What the compiler said when it made this build.
    pub(super) fn words(&self, making: &Making) -> Option<&str> {
        self.made.get(making).map(|trial| trial.words.as_str())
    }

    fn seen(&mut self, making: &Making, witness: usize) -> Option<Seen> {
        self.make(vec![making.clone()]);
        self.made.get(making).and_then(|trial| trial.seen.get(witness)).copied()
    }

    /// Makes builds, several at a time, and runs all witnesses on each.
    pub(super) fn make(&mut self, mut wanted: Vec<Making>) {
        wanted.retain(|making| !self.made.contains_key(making));
        for wanted in wanted.chunks(AT_A_TIME) {
            let first = self.made.len();
            let strict = self.made.keys().filter(|making| making.strict_at.is_some()).count();
            let is_strict = wanted.iter().any(|making| making.strict_at.is_some());
            let are_over = if is_strict { strict >= MOST_STRICT } else { first - strict >= MOST };
            if are_over || self.blaming.is_over() {
                return;
            }
            let trials: Vec<Trial> = std::thread::scope(|scope| {
                let one = |(index, making): (usize, &Making)| {
                    let (making, number) = (making.clone(), first + index);
                    let this = &*self;
                    scope.spawn(move || this.one(&making, number).unwrap_or_else(|error| Trial::failed(&error)))
                };
                let running: Vec<_> = wanted.iter().enumerate().map(one).collect();
                running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
            });
            // What the end of all time cut short tells nothing of the build.
            let is_over = self.blaming.is_over();
            let tried = wanted.iter().cloned().zip(trials).filter(|(_, trial)| !is_over || trial.failure.is_none());
            self.made.extend(tried);
        }
    }

    /// One build, made and run.
    fn one(&self, making: &Making, number: usize) -> Result<Trial, AnalysisError> {
        let Blaming { request, prepared, clock, maker, .. } = *self.blaming;
        let folder: PathBuf = self.blaming.folder.join(format!("blame-{}-{number}", self.variant));
        let mut made = maker.make(making, &folder)?;
        let words = std::mem::take(&mut made.words);
        let mut observer = start_trial((request, prepared, self.variant), made, making.flushes)?;
        observer.set_deadline(clock.limit());
        let records: Vec<Vec<u8>> = self.witnesses.iter().map(|witness| witness.record.clone()).collect();
        let seen = observer.run(&records, request.run.watched)?;
        let judged = self.witnesses.iter().zip(&seen).map(|(witness, seen)| {
            let difference = how(self.blaming, &witness.policy, &witness.record, &witness.baseline, seen);
            match difference {
                Some(of) if witness.is_shown_by(&of, seen, self.blaming.outputs) => {
                    let leaf = witness.told.and_then(|told| self.blaming.outputs.leaves.get(told));
                    let has_bits = leaf.is_none_or(|leaf| !differs(leaf, &witness.variant.output, &seen.output));
                    if has_bits { Seen::Exactly } else { Seen::Alike }
                }
                Some(of) => witness.left_in(&of),
                None => Seen::Nothing,
            }
        });
        let judged = judged.collect();
        // The builds of a run may be hundreds.
        drop(observer);
        let _ = std::fs::remove_dir_all(&folder);
        Ok(Trial { seen: judged, words, failure: None })
    }
}
