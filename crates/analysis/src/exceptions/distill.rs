//! From witnessed pairs to findings, in an order that leaves something whenever the time is over.
//!
//! 1. Confirm a few inputs that together show every witnessed pair: from here on each pair is a finding.
//! 2. Classify what each pair did on each: what became of the outputs that depend on it, by arbitrary precision.
//! 3. Improve: for each pair, the worst effects first, shrink the witness with the worst effect, and confirm what it came to.
//!    What is confirmed for one pair serves all others that it shows.
//!
//! The best input speaks for its pair: one on which the pair's exception is the first of the run, because what another one did
//! to the result is not its effect; of these one with the worst effect; of these the simplest.

use labrys_fuzz::Cost;
use labrys_interp::Cause;
use labrys_native::{Observation, StartupState};
use labrys_program::{BlockId, CrateFunction, Leaf, Program};
use labrys_report::{
    Details, ExceptionDetails, Finding, FoundBy, Severity, SiteKey, SourcePlace, StackEntry, input_values,
};
use labrys_symex::Site;
use rustc_hash::FxHashMap;

use super::confirmed::{ConfirmedInputs, Shown, shown};
use super::pairs::{PairKey, Pairs, Witness};
use super::search::ExceptionSearch;
use crate::inputs::domain::Domain;
use crate::observation::interpreted::environment_of;
use crate::observation::leftovers::{Leftovers, REASONS};
use crate::run::clock::Clock;
use crate::run::record::observation_record;
use crate::target::called_at;
use crate::target::runtimes::{is_runtimes, runtime_of};
use crate::target::unit::{ROLE, Unit};
use crate::truth::{Call, Classifier, DEFAULT_BUDGET, DEFAULT_LIMITS, EffectReport};
use crate::{AnalysisError, Progress};
use labrys_float::{Environment, Flags};

/// Halvings of the way from a witness to numbers of size one.
const HALVINGS: usize = 12;

/// What findings are made of.
pub struct Distiller<'a> {
    /// The function.
    pub unit: &'a Unit,
    /// The same, where it is a crate's.
    pub of_crate: Option<&'a CrateFunction>,
    /// The search domain.
    pub domain: &'a Domain,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// Whether witnesses are inputs that a user gave, which are shown as they are.
    pub keeps_inputs: bool,
    /// When to stop improving witnesses.
    pub improving: &'a Clock,
    /// When to stop altogether.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

/// What the witnessed pairs come to.
#[derive(Default)]
pub struct Findings {
    /// The findings with their witnesses, in the order of pairs.
    pub findings: Vec<(Finding, Vec<u8>)>,
    /// Pairs whose witnesses depend on garbage, or did not show it again.
    pub unstable: usize,
    /// Pairs that the time limit left no time to confirm.
    pub unconfirmed: usize,
    /// How often confirmations varied.
    pub leftovers: Leftovers,
}

/// A pair that was witnessed.
struct Witnessed {
    pair: PairKey,
    witnesses: Vec<Witness>,
    count: u64,
    /// Where the IR raises it; nowhere if there is none.
    cause: Cause,
}

impl Distiller<'_> {
    /// Makes a finding of every witnessed pair.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn findings(&self, search: &mut ExceptionSearch<'_>) -> Result<Findings, AnalysisError> {
        let analysed = self.unit.analysed.as_deref().ok();
        let program = analysed.map(|analysed| &*analysed.program);
        let witnessed: Vec<Witnessed> = search
            .judge
            .pairs
            .iter()
            .filter(|(key, pair)| !pair.witnesses.is_empty() && search.judge.pairs.is_told(key))
            .map(|(key, pair)| Witnessed {
                pair: key.clone(),
                witnesses: pair.witnesses.clone(),
                count: pair.count,
                cause: cause_of(&search.judge.pairs, key, program),
            })
            .collect();
        let init = program.zip(self.unit.init.as_deref()).and_then(|(program, symbol)| program.function(symbol));
        let environment = environment_of(search.judge.observer.startup());
        let classifier = program.map(|program| Classifier::new(program, init, DEFAULT_LIMITS).observed_in(environment));
        let mut gathering = Gathering { distiller: self, search, classifier, confirmed: ConfirmedInputs::default() };
        let all_tried = gathering.cover(&witnessed)?;
        gathering.classify(&witnessed);
        gathering.improve(&witnessed)?;
        gathering.classify(&witnessed);
        Ok(gathering.findings(&witnessed, all_tried))
    }
}

/// The work on one function's witnesses.
pub(super) struct Gathering<'g, 'h, 'a> {
    pub(super) distiller: &'g Distiller<'g>,
    pub(super) search: &'g mut ExceptionSearch<'h>,
    classifier: Option<Classifier<'a>>,
    confirmed: ConfirmedInputs,
}

impl Gathering<'_, '_, '_> {
    /// Confirms inputs until every pair is shown by one, those first that most pairs have for a witness. Whether all that had
    /// to be were tried.
    fn cover(&mut self, witnessed: &[Witnessed]) -> Result<bool, AnalysisError> {
        let mut shared: FxHashMap<&[u8], Vec<&PairKey>> = FxHashMap::default();
        let mut records: Vec<&[u8]> = Vec::new();
        for of in witnessed {
            for witness in &of.witnesses {
                let pairs = shared.entry(&witness.record).or_default();
                if pairs.is_empty() {
                    records.push(&witness.record);
                }
                pairs.push(&of.pair);
            }
        }
        records.sort_by_key(|record| std::cmp::Reverse(shared[record].len()));
        for record in records {
            if shared[record].iter().all(|pair| !self.confirmed.of(pair).is_empty()) {
                continue;
            }
            if self.distiller.clock.stop(self.distiller.progress).is_some() {
                return Ok(false);
            }
            match self.confirm(record) {
                Err(error) if error.is_time_up() => return Ok(false),
                confirmed => confirmed?,
            };
        }
        Ok(true)
    }

    fn confirm(&mut self, record: &[u8]) -> Result<Option<usize>, AnalysisError> {
        self.search.judge.observer.set_deadline(self.distiller.clock.limit());
        self.confirmed.confirm(self.search, record, self.distiller.watched)
    }

    /// Adds the effects of all pairs on all confirmed that show them.
    fn classify(&mut self, witnessed: &[Witnessed]) {
        witnessed.iter().for_each(|of| self.classify_one(of));
    }

    fn classify_one(&mut self, of: &Witnessed) {
        let Gathering { distiller, classifier, confirmed, .. } = self;
        confirmed.classify(&of.pair, &mut |input| {
            effect(distiller, classifier, &of.cause, &input.record, &input.observation)
        });
    }

    /// How good a input is as a witness, the best least; see the module's text.
    fn rank(&self, sight: &Shown) -> (bool, Severity, Cost) {
        let severity = sight.effect.as_ref().map_or(Severity::Unclassified, |effect| effect.severity);
        let record = &self.confirmed.get(sight.index).record;
        (!sight.is_first, severity, Cost::of(&self.distiller.domain.space, record))
    }

    fn best(&self, pair: &PairKey) -> Option<&Shown> {
        self.confirmed.of(pair).iter().min_by_key(|sight| self.rank(sight))
    }

    /// Looks for simpler witnesses with worse effects, until the time for it is over.
    fn improve(&mut self, witnessed: &[Witnessed]) -> Result<(), AnalysisError> {
        let mut order: Vec<&Witnessed> =
            witnessed.iter().filter(|of| !self.confirmed.of(&of.pair).is_empty()).collect();
        order.sort_by_cached_key(|of| self.best(&of.pair).map(|sight| self.rank(sight)));
        for of in order {
            if self.distiller.improving.stop(self.distiller.progress).is_some() {
                break;
            }
            match self.improve_one(of) {
                Err(error) if error.is_time_up() => break,
                improved => improved?,
            }
        }
        Ok(())
    }

    fn improve_one(&mut self, of: &Witnessed) -> Result<(), AnalysisError> {
        let Distiller { watched, improving, domain, .. } = *self.distiller;
        self.search.judge.observer.set_deadline(improving.limit());
        let records: Vec<Vec<u8>> = of.witnesses.iter().map(|witness| witness.record.clone()).collect();
        let traced = self.search.judge.observer.trace_all(&records, watched)?;
        let mut ranked = Vec::new();
        for (record, observation) in records.into_iter().zip(traced) {
            let severity = effect(self.distiller, &mut self.classifier, &of.cause, &record, &observation).severity;
            let is_first =
                shown(self.search, &record, &observation).iter().any(|(pair, is_first)| *pair == of.pair && *is_first);
            ranked.push(((!is_first, severity, Cost::of(&domain.space, &record)), record, observation));
        }
        ranked.sort_by_key(|(rank, ..)| *rank);
        if let Some(((_, severity, _), record, _)) = ranked.first()
            && !severity.matters()
            && let Some((record, observation)) = self.mildest(&of.pair, &record.clone())?
        {
            let severity = effect(self.distiller, &mut self.classifier, &of.cause, &record, &observation).severity;
            let is_first = shown(self.search, &record, &observation).contains(&(of.pair.clone(), true));
            ranked.push(((!is_first, severity, Cost::of(&domain.space, &record)), record, observation));
            ranked.sort_by_key(|(rank, ..)| *rank);
        }
        for ((not_first, severity, _), record, observation) in ranked {
            // A witness of another pair may show this one as well, and be simple already.
            let known = self.best(&of.pair).map(|sight| (self.rank(sight), sight.index));
            let (start, seen) = match known {
                Some(((known_not_first, known_severity, _), index))
                    if (known_not_first, known_severity) <= (not_first, severity) =>
                {
                    let input = self.confirmed.get(index);
                    (input.record.clone(), input.observation.clone())
                }
                _ => (record.clone(), observation),
            };
            let least = (severity, !not_first);
            // Outputs that nobody speaks of may come out otherwise, unless that spoils the effect.
            let told = self.told_outputs(of, &start, &seen);
            if told.contains(&false) {
                let simplest = self.simplest(&of.pair, &start, &seen, (!not_first, &told));
                if self.is_as_telling(of, &simplest, least)? {
                    return Ok(());
                }
            }
            let simplest = self.simplest(&of.pair, &start, &seen, (!not_first, &vec![true; told.len()]));
            for record in [simplest, start] {
                if self.is_as_telling(of, &record, least)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The input nearest to where an overflow or underflow begins, on the way from a witness to numbers of size one: what is far beyond any number leaves the
    /// range in the true result, too, what is just beyond comes back into it where the function goes on to divide.
    fn mildest(&mut self, pair: &PairKey, record: &[u8]) -> Result<Option<(Vec<u8>, Observation)>, AnalysisError> {
        let Distiller { watched, domain, keeps_inputs, .. } = *self.distiller;
        if keeps_inputs || !(Flags::OVERFLOW | Flags::UNDERFLOW).contains(pair.1) {
            return Ok(None);
        }
        let (mut least, mut most, mut found) = (0.0, 1.0, None);
        for _ in 0..HALVINGS {
            let part = (least + most) / 2.0;
            let milder = nearer_to_one(&domain.inputs.leaves, record, part);
            let observation = match domain.space.admits(&milder) {
                true => Some(self.search.judge.observer.trace(&milder, watched)?),
                false => None,
            };
            match observation.filter(|seen| shown(self.search, &milder, seen).iter().any(|(other, _)| other == pair)) {
                Some(observation) => {
                    most = part;
                    found = Some((milder, observation));
                }
                None => least = part,
            }
        }
        Ok(found)
    }

    /// Which outputs what an exception did is told of: the one that speaks for it, none where no output depends on it; all where that is not known.
    fn told_outputs(&mut self, of: &Witnessed, record: &[u8], observation: &Observation) -> Vec<bool> {
        let effect = effect(self.distiller, &mut self.classifier, &of.cause, record, observation);
        let is_told = |leaf: &Leaf| match &effect.output {
            Some(output) => leaf.path == *output,
            None => effect.reaches_outputs,
        };
        self.distiller.domain.outputs.leaves.iter().map(is_told).collect()
    }

    /// Whether an input, confirmed, shows the pair with an effect as bad as wanted, and as its first exception if that is wanted: shrinking must not trade a
    /// bad effect for a harmless one.
    fn is_as_telling(
        &mut self,
        of: &Witnessed,
        record: &[u8],
        (severity, is_first): (Severity, bool),
    ) -> Result<bool, AnalysisError> {
        let Some(index) = self.confirm(record)? else { return Ok(false) };
        self.classify_one(of);
        let is_as_bad = |sight: &Shown| sight.effect.as_ref().is_some_and(|found| found.severity <= severity);
        let shows = |sight: &Shown| sight.index == index && sight.is_first >= is_first && is_as_bad(sight);
        Ok(self.confirmed.of(&of.pair).iter().any(shows))
    }

    /// A finding for each pair that was confirmed.
    fn findings(mut self, witnessed: &[Witnessed], all_tried: bool) -> Findings {
        let mut found = Findings { leftovers: self.confirmed.leftovers().clone(), ..Findings::default() };
        for of in witnessed {
            match self.best(&of.pair).cloned() {
                Some(sight) => {
                    let record = self.confirmed.get(sight.index).record.clone();
                    found.findings.push((self.finding(of, &sight), record));
                }
                None if all_tried => {
                    found.unstable += 1;
                    // The exception may be the same each time.
                    let varies = of.witnesses.iter().any(|witness| self.confirmed.varies(&witness.record));
                    let when =
                        if varies { "only where results are not the same on every run" } else { "not on every run" };
                    self.search.judge.pairs.reopen(&of.pair, format!("observed, but {when}: {REASONS} decide"));
                }
                None => {
                    found.unconfirmed += 1;
                    self.search.judge.pairs.reopen(&of.pair, "observed, but the time limit left no time to confirm it");
                }
            }
        }
        found
    }

    /// The user's lines from which an input raises a pair in code of others.
    fn called_at(&self, of: &Witnessed, record: &[u8], startup: StartupState) -> Vec<StackEntry> {
        let (site, exception) = &of.pair;
        let Distiller { unit, of_crate, .. } = *self.distiller;
        let Ok(analysed) = &unit.analysed else { return Vec::new() };
        let (signature, init) = (&unit.signature, unit.init.as_deref());
        called_at::Witnessed { analysed, of_crate, signature, init, startup, record }
            .called_at(&site.place, Some(*exception))
    }

    fn finding(&mut self, of: &Witnessed, sight: &Shown) -> Finding {
        let (site, exception) = &of.pair;
        let startup = self.search.judge.observer.startup();
        let input = self.confirmed.get(sight.index);
        let mut effect = sight.effect.clone().unwrap_or_else(|| EffectReport::unclassified(Vec::new()));
        if !sight.is_first {
            let note = "On every input seen another exception occurs that may have done it.";
            effect.notes.push(note.to_owned());
        }
        if !effect.reaches_outputs && self.search.judge.pairs.is_speculated(site) {
            let note = "This build does the operation before it chooses whether the result counts: where the source has a branch, the compiler speculates.";
            effect.notes.push(note.to_owned());
        }
        if let Some(place) = self.search.judge.pairs.moved_to(site).and_then(SourcePlace::words) {
            let note = format!(
                "The machine's code does it at {place}, by its debug information, where the source has nothing of the kind: the compiler moved it."
            );
            effect.notes.push(note);
        }
        effect.notes.extend(self.search.judge.observer.remark(&site.place));
        let signature = &self.distiller.unit.signature;
        let observed =
            observation_record(ROLE, signature, self.distiller.watched, &input.observation, self.search.judge.observer);
        // A function's only output needs no name.
        let output = effect.output.clone().filter(|_| self.distiller.domain.outputs.leaves.len() > 1);
        let called_at = self.called_at(of, &input.record, startup);
        let raised = where_raised(site, called_at.first(), *exception);
        let summary = format!("{raised}: {}", meaning(&effect, output.as_deref()));
        let avoidable = effect.avoidable(*exception);
        Finding {
            id: String::new(),
            severity: effect.severity,
            found_by: of.witnesses.first().map_or(FoundBy::Random, |witness| witness.found_by),
            count: of.count,
            summary,
            inputs: input_values(signature, &input.record),
            observations: vec![observed],
            command: None,
            called_at,
            details: Details::Exception(ExceptionDetails {
                site: site.clone(),
                exception: *exception,
                output,
                error_ulps: effect.error_ulps,
                true_result: effect.true_result,
                avoidable,
                reachable_from: Vec::new(),
                not_seen_from: Vec::new(),
                only_direct: None,
            }),
            notes: effect.notes,
        }
    }
}

/// A record whose floats have this part of their exponents.
fn nearer_to_one(leaves: &[Leaf], record: &[u8], part: f64) -> Vec<u8> {
    let mut nearer = record.to_vec();
    for leaf in leaves {
        let Some(value) = leaf.float(record) else { continue };
        let Some(exponent) = value.exponent() else { continue };
        let by = (exponent as f64 * part).round() as i64 - exponent;
        if let Some(bits) = Environment::default().scale(&value, by).value.to_u128() {
            leaf.write(&mut nearer, bits);
        }
    }
    nearer
}

/// Where the IR raises a pair.
fn cause_of(pairs: &Pairs, (site, exception): &PairKey, program: Option<&Program>) -> Cause {
    let place = |site: &Site| Some((program?.function(&site.function)?, BlockId(site.block), site.instruction));
    let mut places: Vec<_> = pairs.sites_of(site).filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    Cause { places, exception: *exception }
}

/// What an exception of one call did to the outputs that depend on it; unclassified where there is no IR or no time.
fn effect(
    distiller: &Distiller<'_>,
    classifier: &mut Option<Classifier<'_>>,
    cause: &Cause,
    record: &[u8],
    observation: &Observation,
) -> EffectReport {
    let (analysed, classifier) = match (&distiller.unit.analysed, classifier) {
        (Ok(analysed), Some(classifier)) => (analysed, classifier),
        (Err(why), _) => {
            return EffectReport::unclassified(vec![format!("There is no IR to compute with: {why}.")]);
        }
        (Ok(_), None) => return EffectReport::unclassified(Vec::new()),
    };
    if let Some(left) = distiller.clock.left() {
        let left = left.as_micros();
        classifier.set_budget(u64::try_from(left).unwrap_or(DEFAULT_BUDGET).min(DEFAULT_BUDGET));
    }
    let call = Call {
        function: analysed.function,
        binding: &analysed.binding,
        signature: &distiller.unit.signature,
        record,
        observed: &observation.output,
    };
    classifier.classify_cause(&call, cause)
}

/// What is raised and where: `overflow at 2:10 (fmul in f)`. Nobody has the lines of a runtime's code, and nobody misses them.
/// In code of others it is where the user's calls it: `overflow at 2:10 (fmul in mul, arith.rs:338:45)`.
fn where_raised(site: &SiteKey, called: Option<&StackEntry>, exception: Flags) -> String {
    let name = exception.names().first().copied().unwrap_or_default();
    let there = called.and_then(|_| site.place.words());
    let there = there.map(|there| format!(", {}", there.rsplit('/').next().unwrap_or_default())).unwrap_or_default();
    let place = called.map_or(&site.place, |called| &called.place);
    let place = match (place.line, place.column) {
        (Some(line), Some(column)) => format!(" at {line}:{column}"),
        (Some(line), None) => format!(" at line {line}"),
        _ if is_runtimes(&site.function) => String::new(),
        _ => " at an unknown line".to_owned(),
    };
    let of = runtime_of(&site.operator).map(|runtime| format!(" of {runtime}")).unwrap_or_default();
    format!("{name}{place} ({}{of} in {}{there})", site.operator, site.function)
}

/// The effect in words; `output` is the name of the one that they are about, where there are others.
fn meaning(effect: &EffectReport, output: Option<&str>) -> String {
    let truth = effect.true_words.as_deref();
    let (the, result) = output.map_or(("the ", "result"), |output| ("", output));
    match (effect.severity, truth) {
        (Severity::Lost, Some(truth)) => format!("{the}{result} is lost, it is {truth} without rounding and limits"),
        (Severity::Inaccurate, Some(truth)) => {
            format!("{the}{result} is inaccurate, it is {truth} without rounding and limits")
        }
        // Integers: nobody knows whether another one is wrong.
        (Severity::Unclassified, Some(truth)) => {
            format!("{the}{result} differs, it is {truth} without rounding and limits")
        }
        (Severity::Honest, _) => format!("the true {result} does so too"),
        (Severity::Harmless, _) if !effect.reaches_outputs => "harmless, no output depends on it".to_owned(),
        (Severity::Harmless, _) if effect.is_by_rounding => {
            format!("harmless, rounding alone makes {the}{result} what it is")
        }
        (Severity::Harmless, _) => format!("harmless, {the}{result} is right"),
        _ => format!("the true {result} is not known"),
    }
}
