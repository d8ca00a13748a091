//! Why two builds differ on an input: the first operation whose result differs, or the first comparison.
//!
//! Both builds' IR is interpreted on the input, and the operations are looked for by which the outputs come to differ ([`super::flow`]); where exceptions
//! alone are compared, those by which the exceptions do. The machine need not give the bits that the IR gives, for code generation contracts and
//! reorders, too; but the first output must differ in the same way. Where it does not, or a build has no IR, the place of the
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
use labrys_interp::{Limits, Origin, RecordCall, Soft, Substitution, TracedExecution, TracedOperation};
use labrys_native::{Observation, Outcome, SourceFrame, StartupState};
use labrys_program::{Leaf, OperationPlace, OutputLayout, Program, Signature};
use labrys_report::{Cause, CauseKind, Change, SourcePlace};
use rustc_hash::FxHashMap;

use super::builds::Made;
use super::compare::{Difference, Policy, differs};
use super::flow::{Computed, Effect, First, Flow, Key, Kind, Sought};
use super::observers::Observers;
use crate::AnalysisError;
use crate::observation::class::{OutputClass, output_class};
use crate::observation::interpreted::{agree, environment_of};
use crate::run::record::{from_here, place_of_frame};
use crate::target::analysed::Analysed;

/// Instructions that a call is followed for.
const INSTRUCTIONS: u64 = 200_000;
/// Operations of a call that are compared.
const OPERATIONS: usize = 20_000;

/// What divergences of one cause have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CauseKey {
    /// Index of the variant among the builds.
    pub variant: usize,
    /// What differs first, by what divergences of it have in common.
    pub cause: Cause,
    /// How the output that is told differs, by what divergences of one cause have in common.
    pub change: Change,
}

impl CauseKey {
    /// The key of divergences between the baseline and a variant.
    pub fn new(variant: usize, cause: &Cause, change: Change) -> CauseKey {
        CauseKey { variant, cause: cause.in_common(), change: change.in_common() }
    }
}

/// How an output differs, where results are compared.
pub fn change_in(
    policy: &Policy,
    outputs: &OutputLayout,
    output: Option<usize>,
    [baseline, variant]: [&Observation; 2],
) -> Change {
    if baseline.outcome != Outcome::Returned || variant.outcome != Outcome::Returned {
        return if baseline.outcome == variant.outcome { Change::Exceptions } else { Change::Outcome };
    }
    if policy.results { change_at(outputs, output, &baseline.output, &variant.output) } else { Change::Exceptions }
}

/// The same of two output records.
fn change_at(outputs: &OutputLayout, output: Option<usize>, baseline: &[u8], variant: &[u8]) -> Change {
    let Some(leaf) = output.and_then(|of| outputs.leaves.get(of)).filter(|leaf| differs(leaf, baseline, variant))
    else {
        return Change::Exceptions;
    };
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
    operations: Vec<TracedOperation>,
    /// Where each leaf of the output comes from.
    origins: Vec<Origin>,
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
        if let Some(cause) = self.by_results(startups, difference, policy) {
            let place = observers.build(0).known(cause.place);
            return Ok(Some(Cause { place, ..cause }));
        }
        // What ended a call that did not return, its IR may do as well: it is not followed so far.
        let returned = self.seen.iter().all(|seen| seen.outcome == Outcome::Returned);
        // gcc's code is of no IR of LLVM's, which clang's stands in for.
        let has_ir = self.builds.iter().all(|made| !is_of_gcc(made));
        let is_followed = || {
            let both = self.builds.iter().zip(startups);
            both.into_iter().all(|(made, startup)| {
                made.analysed.as_deref().is_some_and(|analysed| self.followed(analysed, startup).is_some())
            })
        };
        let otherwise = (returned && has_ir && is_followed()).then(|| Cause::nowhere(CauseKind::CodeGeneration));
        Ok(self.by_exceptions(observers, variant, difference, policy)?.or(otherwise))
    }

    /// The operations that the baseline's IR executes: the first at each place, in their order.
    pub fn operations(&self, startup: StartupState) -> Vec<(OperationPlace, &'static str)> {
        let of_ir = self.builds[0].analysed.as_deref();
        let Some((analysed, followed)) = of_ir.and_then(|of| Some((of, self.followed(of, startup)?))) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        for Computed { key, operation } in computed(&analysed.program, &followed.operations) {
            let Some(Key { file, line, column, .. }) = key else { continue };
            let place = OperationPlace { file: file.to_owned(), line, column };
            if !places.iter().any(|(known, _)| *known == place) {
                places.push((place, operation.operator));
            }
        }
        places
    }

    fn by_results(&self, startups: [StartupState; 2], difference: &Difference, policy: &Policy) -> Option<Cause> {
        let baseline = self.builds[0].analysed.as_deref()?;
        let other = self.builds[1].analysed.as_deref()?;
        let (ours, theirs) = (self.followed(baseline, startups[0])?, self.followed(other, startups[1])?);
        let outputs = self.signature.output_layout();
        let told = difference.told_by(self.seen);
        if !self.differ_as_seen(told, &ours, &theirs) {
            return None;
        }
        let sought = match change_in(policy, &outputs, told, self.seen) {
            Change::Exceptions => {
                let [of_ours, of_theirs] = difference.told_exceptions();
                Sought::Exceptions { of_ours, of_theirs }
            }
            _ => {
                let of = |of: &Followed| told.and_then(|told| of.origins.get(told).copied()).unwrap_or(Origin::Value);
                Sought::Result([of(&ours), of(&theirs)])
            }
        };
        let effect = |results: FxHashMap<usize, u128>| {
            let substitution = Substitution { operations: &ours.operations, results };
            let (call, soft, limits) = self.call(baseline, startups[0]);
            let output = call.substituted(soft, self.record, &limits, &substitution).ok()?;
            Some(effect_on(outputs.leaves.get(told?)?, &output, [&ours.output, &theirs.output]))
        };
        let both = (computed(&baseline.program, &ours.operations), computed(&other.program, &theirs.operations));
        let is_whole = both.0.len() < OPERATIONS && both.1.len() < OPERATIONS;
        Flow::new(&both.0, &both.1, is_whole, &effect).first(sought).map(|(first, at)| cause_of(first, at))
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
        let told = difference.told_by(self.seen);
        // Where no output differs the exceptions must be those that were seen to.
        let has_results =
            policy.results && change_at(&outputs, told, &kept.output, &flushed.output) != Change::Exceptions;
        let has_flags =
            has_results || !flags.is_empty() && flags == difference.baseline_flags ^ difference.variant_flags;
        Some(has_flags && self.differ_as_seen(told, &kept, &flushed))
    }

    /// Whether two runs of IR differ in an output in the way that the builds were seen to, the first being the baseline's own.
    fn differ_as_seen(&self, told: Option<usize>, ours: &Followed, theirs: &Followed) -> bool {
        let outputs = self.signature.output_layout();
        let [baseline, variant] = self.seen;
        let change = |ours: &[u8], theirs: &[u8]| change_at(&outputs, told, ours, theirs).in_common();
        let returned = self.seen.iter().all(|seen| seen.outcome == Outcome::Returned);
        // What stands in for gcc's code says something of it where it has its very bits.
        let has_bits = |leaf: &Leaf| !differs(leaf, &theirs.output, &variant.output);
        let has_bits = || told.and_then(|told| outputs.leaves.get(told)).is_none_or(has_bits);
        returned
            && (!is_of_gcc(self.builds[1]) || has_bits())
            && agree(&outputs, &ours.output, &baseline.output)
            && change(&ours.output, &theirs.output) == change(&baseline.output, &variant.output)
    }

    /// What a build's operations compute by its IR, and what comes of it.
    fn followed(&self, analysed: &Analysed, startup: StartupState) -> Option<Followed> {
        let (call, soft, limits) = self.call(analysed, startup);
        let TracedExecution { output, origins, flags, operations } = call.trace(soft, self.record, &limits, OPERATIONS);
        Some(Followed { operations, origins, flags, output: output.ok()? })
    }

    /// A call of a build's IR.
    fn call<'c>(&'c self, analysed: &'c Analysed, startup: StartupState) -> (RecordCall<'c>, Soft, Limits) {
        let Analysed { program, function, binding } = analysed;
        let call = RecordCall { program, function: *function, binding, signature: self.signature, init: None };
        let soft = Soft { max_events: 0, ..Soft::new(environment_of(startup)) };
        (call, soft, Limits { instructions: INSTRUCTIONS, ..Limits::default() })
    }

    fn by_exceptions(
        &self,
        observers: &mut Observers,
        variant: usize,
        difference: &Difference,
        policy: &Policy,
    ) -> Result<Option<Cause>, AnalysisError> {
        let [only_in_baseline, only_in_variant] = difference.told_exceptions();
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

/// Whether gcc made a build, by what its report names.
fn is_of_gcc(made: &Made) -> bool {
    ["gcc ", "g++ ", "gfortran "].iter().any(|family| made.build.compiler.starts_with(family))
}

fn of_frame(frame: SourceFrame) -> Cause {
    Cause { kind: CauseKind::Exception, place: place_of_frame(&frame), operator: frame.operator }
}

/// What has become of an output where operations of the baseline have the variant's results, by what it is in both builds.
fn effect_on(leaf: &Leaf, output: &[u8], [baseline, variant]: [&[u8]; 2]) -> Effect {
    if !differs(leaf, output, baseline) {
        return Effect::None;
    }
    let numbers = [output, baseline, variant].map(|of| leaf.float(of).filter(|float| float.is_finite()));
    let is_most = match &numbers {
        [Some(output), Some(baseline), Some(variant)] => output.ulp_distance(variant) <= output.ulp_distance(baseline),
        // An infinity or NaN, or an integer.
        _ => !differs(leaf, output, variant),
    };
    if is_most { Effect::Most } else { Effect::Some }
}

/// Operations with their places.
fn computed<'p>(program: &'p Program, operations: &'p [TracedOperation]) -> Vec<Computed<'p>> {
    // Signs are changed wherever it suits the compiler; what uses them tells.
    const SIGNS: [&str; 3] = ["fneg", "fabs", "copysign"];
    let key = |index: usize, operation: &TracedOperation| -> Option<Key<'p>> {
        let location = program.locations.get(operation.location?.index())?;
        let file = program.files.get(location.file as usize)?;
        let is_added = |next: &TracedOperation| {
            next.part == 1 && next.operands.iter().any(|operand| operand.origin == Origin::Operation(index))
        };
        let kind = match operation.operator {
            "fmul" if operations.get(index + 1).is_some_and(is_added) => Kind::Product,
            operator => Kind::of(operator),
        };
        let counts = location.line > 0 && !SIGNS.contains(&operation.operator);
        counts.then_some(Key { file, line: location.line, column: location.column, kind })
    };
    let all = operations.iter().enumerate();
    all.map(|(index, operation)| Computed { key: key(index, operation), operation }).collect()
}

/// What is told of an operation.
fn cause_of(first: First, of: &Computed<'_>) -> Cause {
    let file = of.key.map(|key| from_here(key.file.to_owned()));
    let (line, column) = of.key.map_or((0, 0), |key| (key.line, key.column));
    Cause {
        kind: match first {
            First::Raises => CauseKind::Exception,
            First::Differs if of.operation.operator == "fcmp" => CauseKind::Branch,
            First::Differs => CauseKind::Operation,
        },
        place: SourcePlace::new(file, line, column),
        operator: of.operation.operator.to_owned(),
    }
}
