//! Why two builds differ on an input: the first operation whose result differs, or the first comparison.
//!
//! Both builds' IR is interpreted on the input. What the two compute, and what they compare, at the same place of the source is compared, occurrence by
//! occurrence, in the order of the baseline. Optimisers move, merge and delete operations, so one that the other build does not have at
//! all counts only where no result differs. The machine need not give the bits that the IR gives, for code generation contracts and reorders, too; but the first
//! output must differ in the same way. Where it does not, or a build has no IR, the place of the
//! first exception that only one build raises has to do.
//!
//! Start-up code of gcc's `-ffast-math` has a build flush subnormal numbers. Where the baseline's own IR, flushing as the variant does, differs in the same
//! way from the baseline, that is the cause, at whatever operation it shows first.
//!
//! Where a flag of the variant promises that there are neither NaNs nor infinities and an input breaks that promise, every operation that meets
//! one may do something else. A cause that no other input shows is then the flag's: what a maintainer can act on is that one value.
//!
//! **What it may miss.** Debug information that optimisers moved to another place names that one.

use labrys_float::Flags;
use labrys_interp::{Limits, RecordCall, Soft, SoftResult};
use labrys_native::{Observation, Outcome, SourceFrame, StartupState};
use labrys_program::{Leaf, OutputLayout, Program, Signature};
use labrys_report::{Cause, CauseKind, Change, SourcePlace};
use rustc_hash::FxHashMap;

use super::builds::Made;
use super::compare::{Difference, Policy};
use super::observers::Observers;
use crate::AnalysisError;
use crate::observation::class::{OutputClass, output_class};
use crate::observation::interpreted::{agree, environment_of};
use crate::run::record::{from_here, place_of_frame};
use crate::target::analysed::Analysed;

/// Instructions that a call is followed for.
const INSTRUCTIONS: u64 = 200_000;
/// Results of a call that are compared.
const RESULTS: usize = 20_000;

/// What divergences of one cause have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CauseKey {
    /// Index of the variant among the builds.
    pub variant: usize,
    /// What differs first, by what divergences of it have in common.
    pub cause: Cause,
    /// How the first output that differs does, by what divergences of one cause have in common.
    pub change: Change,
}

impl CauseKey {
    /// The key of divergences between the baseline and a variant.
    pub fn new(variant: usize, cause: &Cause, change: Change) -> CauseKey {
        CauseKey { variant, cause: cause.in_common(), change: change.in_common() }
    }
}

/// How the first output that differs does.
pub fn change(outputs: &OutputLayout, baseline: &Observation, variant: &Observation) -> Change {
    if baseline.outcome != Outcome::Returned || variant.outcome != Outcome::Returned {
        return if baseline.outcome == variant.outcome { Change::Exceptions } else { Change::Outcome };
    }
    change_of_outputs(outputs, &baseline.output, &variant.output)
}

/// The same of two output records.
fn change_of_outputs(outputs: &OutputLayout, baseline: &[u8], variant: &[u8]) -> Change {
    let both_nan =
        |leaf: &Leaf| [baseline, variant].iter().all(|of| leaf.float(of).is_some_and(|float| float.is_nan()));
    let differs = |leaf: &&Leaf| leaf.read(baseline) != leaf.read(variant) && !both_nan(leaf);
    let Some(leaf) = outputs.leaves.iter().find(differs) else { return Change::Exceptions };
    match (output_class(leaf, baseline), output_class(leaf, variant)) {
        (OutputClass::Float(a, _), OutputClass::Float(b, _)) => {
            let either = |class| a == class || b == class;
            if either(labrys_float::Class::Nan) {
                Change::Nan
            } else if either(labrys_float::Class::Infinite) {
                Change::Infinity
            } else if a == b && a == labrys_float::Class::Zero {
                Change::Sign
            } else {
                Change::Number
            }
        }
        _ => Change::Integer,
    }
}

/// A run of IR.
struct Followed {
    results: Vec<SoftResult>,
    flags: Flags,
    output: Vec<u8>,
}

/// Two builds that differ on an input.
pub struct Differing<'a> {
    /// The baseline and the variant.
    pub builds: [&'a Made; 2],
    /// How the function is called.
    pub signature: &'a Signature,
    /// The input.
    pub record: &'a [u8],
    /// What was seen of both.
    pub seen: [&'a Observation; 2],
}

impl Differing<'_> {
    /// What differs first; `None` where nothing tells.
    ///
    /// # Errors
    ///
    /// Where a worker cannot be kept running.
    pub fn cause(
        &self,
        observers: &mut Observers,
        variant: usize,
        difference: &Difference,
        policy: &Policy,
    ) -> Result<Option<Cause>, AnalysisError> {
        let startups = [observers.build(0).startup(), observers.build(variant).startup()];
        if self.is_flushing(startups, difference, policy) == Some(true) {
            return Ok(Some(Cause::nowhere(CauseKind::Flushing)));
        }
        if let Some(cause) = self.by_results(startups) {
            let place = observers.build(0).known(cause.place);
            return Ok(Some(Cause { place, ..cause }));
        }
        // What ended a call that did not return, its IR may do as well: it is not followed so far.
        let returned = self.seen.iter().all(|seen| seen.outcome == Outcome::Returned);
        let has_ir = self.builds.iter().all(|made| made.analysed.is_some());
        let otherwise = (returned && has_ir).then(|| Cause::nowhere(CauseKind::CodeGeneration));
        Ok(self.by_exceptions(observers, variant, difference, policy)?.or(otherwise))
    }

    fn by_results(&self, startups: [StartupState; 2]) -> Option<Cause> {
        let baseline = self.builds[0].analysed.as_deref()?;
        let other = self.builds[1].analysed.as_deref()?;
        let (ours, theirs) = (self.followed(baseline, startups[0])?, self.followed(other, startups[1])?);
        if !self.differ_as_seen(&ours, &theirs) {
            return None;
        }
        first_difference(&placed(&baseline.program, &ours.results), &placed(&other.program, &theirs.results))
    }

    /// Whether it is enough that the variant flushes subnormal numbers and the baseline does not: whether the baseline would differ from itself so.
    fn is_flushing(&self, startups: [StartupState; 2], difference: &Difference, policy: &Policy) -> Option<bool> {
        let [kept, flushed] = startups;
        if (kept.ftz, kept.daz) == (flushed.ftz, flushed.daz) {
            return Some(false);
        }
        let baseline = self.builds[0].analysed.as_deref()?;
        let (kept, flushed) = (self.followed(baseline, kept)?, self.followed(baseline, flushed)?);
        let flags = (kept.flags ^ flushed.flags) & policy.watched;
        let outputs = self.signature.output_layout();
        // Where no output differs the exceptions must be those that were seen to.
        let has_flags = change_of_outputs(&outputs, &kept.output, &flushed.output) != Change::Exceptions
            || !flags.is_empty() && flags == difference.baseline_flags ^ difference.variant_flags;
        Some(has_flags && self.differ_as_seen(&kept, &flushed))
    }

    /// Whether two runs of IR differ in the way that the builds were seen to, the first being the baseline's own.
    fn differ_as_seen(&self, ours: &Followed, theirs: &Followed) -> bool {
        let outputs = self.signature.output_layout();
        let [baseline, variant] = self.seen;
        agree(&outputs, &ours.output, &baseline.output)
            && change_of_outputs(&outputs, &ours.output, &theirs.output).in_common()
                == change(&outputs, baseline, variant).in_common()
    }

    /// What a build's operations compute by its IR, and what comes of it.
    fn followed(&self, analysed: &Analysed, startup: StartupState) -> Option<Followed> {
        let Analysed { program, function, binding } = analysed;
        let call = RecordCall { program, function: *function, binding, signature: self.signature, init: None };
        let domain = Soft { max_events: 0, max_results: RESULTS, ..Soft::new(environment_of(startup)) };
        let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
        let run = call.interpret_in(domain, self.record, &limits);
        Some(Followed { results: run.results, flags: run.flags, output: run.output.ok()? })
    }

    fn by_exceptions(
        &self,
        observers: &mut Observers,
        variant: usize,
        difference: &Difference,
        policy: &Policy,
    ) -> Result<Option<Cause>, AnalysisError> {
        let only_in_variant = difference.variant_flags - difference.baseline_flags;
        let only_in_baseline = difference.baseline_flags - difference.variant_flags;
        for (build, flags) in [(variant, only_in_variant), (0, only_in_baseline)] {
            if flags.is_empty() {
                continue;
            }
            let traced = observers.trace(build, self.record, policy.watched)?;
            let event =
                traced.trace.iter().flat_map(|trace| &trace.events).find(|event| event.exceptions.intersects(flags));
            if let Some(event) = event {
                return Ok(Some(of_frame(observers.build(build).frame(event))));
            }
        }
        Ok(None)
    }
}

fn of_frame(frame: SourceFrame) -> Cause {
    Cause { kind: CauseKind::Exception, place: place_of_frame(&frame), operator: frame.operator }
}

/// A place in the source, and whether it is a comparison's.
type Key<'p> = (&'p str, u32, u32, bool);

/// An operation at a place: its name and the encoding of its result.
type Computed = (&'static str, u128);

/// Results with known places.
fn placed<'p>(program: &'p Program, results: &[SoftResult]) -> Vec<(Key<'p>, Computed)> {
    // Signs are changed wherever it suits the compiler; what uses them tells.
    const SIGNS: [&str; 3] = ["fneg", "fabs", "copysign"];
    let of = |result: &SoftResult| {
        let location = program.locations.get(result.location?.index())?;
        let file = program.files.get(location.file as usize)?;
        let key = (file.as_str(), location.line, location.column, result.operator == "fcmp");
        let counts = location.line > 0 && !SIGNS.contains(&result.operator);
        counts.then_some((key, (result.operator, result.bits)))
    };
    results.iter().filter_map(of).collect()
}

/// The first place, in the order of `ours`, at which a result differs; or else the first of which `theirs` have nothing.
fn first_difference(ours: &[(Key<'_>, Computed)], theirs: &[(Key<'_>, Computed)]) -> Option<Cause> {
    let mut of: FxHashMap<Key<'_>, Vec<u128>> = FxHashMap::default();
    for (key, (_, bits)) in theirs {
        of.entry(*key).or_default().push(*bits);
    }
    let mut seen: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    let mut missing = None;
    for (key, (operator, bits)) in ours {
        let occurrence = seen.entry(*key).or_insert(0);
        let other = of.get(key).and_then(|bits| bits.get(*occurrence));
        *occurrence += 1;
        match other {
            Some(other) if other != bits => return Some(cause_at(key, operator)),
            Some(_) => {}
            None => {
                missing.get_or_insert((key, operator));
            }
        }
    }
    missing.map(|(key, operator)| cause_at(key, operator))
}

fn cause_at((file, line, column, is_comparison): &Key<'_>, operator: &str) -> Cause {
    Cause {
        kind: if *is_comparison { CauseKind::Branch } else { CauseKind::Operation },
        place: SourcePlace::new(Some(from_here((*file).to_owned())), *line, *column),
        operator: operator.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, is_comparison: bool, bits: u128) -> (Key<'static>, Computed) {
        (("f.c", line, 3, is_comparison), (if is_comparison { "fcmp" } else { "fadd" }, bits))
    }

    fn line(ours: &[(Key<'_>, Computed)], theirs: &[(Key<'_>, Computed)]) -> Option<(u32, CauseKind)> {
        first_difference(ours, theirs).map(|cause| (cause.place.line.expect("a line"), cause.kind))
    }

    #[test]
    fn the_first_result_that_differs_is_the_cause_whatever_the_order() {
        let ours = [at(1, false, 10), at(2, false, 20), at(2, false, 21), at(3, true, 1)];
        assert_eq!(line(&ours, &ours), None);
        let reordered = [at(2, false, 20), at(3, true, 0), at(1, false, 10), at(2, false, 22)];
        assert_eq!(line(&ours, &reordered), Some((2, CauseKind::Operation)));
        let other_branch = [at(1, false, 10), at(2, false, 20), at(2, false, 21), at(3, true, 0)];
        assert_eq!(line(&ours, &other_branch), Some((3, CauseKind::Branch)));
    }

    #[test]
    fn what_one_build_lacks_is_a_cause_only_where_no_result_differs() {
        let ours = [at(1, false, 10), at(2, false, 20), at(3, false, 30)];
        assert_eq!(line(&ours, &[at(2, false, 20), at(3, false, 31)]), Some((3, CauseKind::Operation)));
        assert_eq!(line(&ours, &[at(1, false, 10), at(3, false, 30)]), Some((2, CauseKind::Operation)));
    }
}
