//! What exceptions do to the results of calls, one call after the other.

use std::collections::hash_map::Entry;

use labrys_float::Environment;
use labrys_interp::precise::{Precise, Rounding, Twin};
use labrys_interp::{Cause, Limits, ScalarOf, Stop};
use labrys_program::{FunctionId, IrBinding, Program, Signature};
use rustc_hash::FxHashMap;

use super::call::Call;
use super::dependents::Dependents;
use super::effects::{EffectReport, Effects};
use super::outputs::TrueOutputs;

/// Bits of the twin's significands, tried in turn until two successive runs agree, and the greater of them lost no operand
/// of a sum whole, or is the third: with 2,098 bits a sum of two finite doubles is exact, so that it misses no cancellation
/// among inputs. The fourth sees the noise of the third.
const PRECISIONS: [u32; 4] = [256, 512, 2304, 4608];

/// Instructions the twin executes at most: a million, for a tenth of a second or so.
pub const DEFAULT_LIMITS: Limits = Limits { instructions: 1_000_000, depth: 256, object: 1 << 26 };

/// What a classifier may spend altogether, in microseconds of an ordinary machine: ten seconds, or some ten thousand calls of
/// ordinary functions.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// Classifies calls of one program's functions; made once for many calls.
#[derive(Debug)]
pub struct Classifier<'p> {
    twin: Twin<'p>,
    dependents: Dependents<'p>,
    /// Work that is left, in the twin's microseconds.
    budget: u64,
    /// What is known already: one input raises exceptions at many sites.
    known: FxHashMap<CallKey, Known>,
}

/// A call: its function, its input and output records.
type CallKey = (FunctionId, Vec<u8>, Vec<u8>);

/// What is known of one call.
#[derive(Debug)]
struct Known {
    effects: Effects,
    /// For each cause that was followed which outputs depend on it; `None` where that could not be told.
    dependents: FxHashMap<Cause, Option<Vec<bool>>>,
}

/// Classifies one call; see [`Classifier`] for many.
///
/// `init` is a function that is called first, as in the native run.
#[expect(clippy::too_many_arguments, reason = "a call and what surrounds it")]
pub fn classify(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    init: Option<FunctionId>,
    record: &[u8],
    observed: &[u8],
    limits: &Limits,
) -> EffectReport {
    Classifier::new(program, init, *limits).classify(&Call { function, binding, signature, record, observed })
}

impl<'p> Classifier<'p> {
    /// A classifier for a program; `init` is a function that is called once before everything else.
    pub fn new(program: &'p Program, init: Option<FunctionId>, limits: Limits) -> Classifier<'p> {
        Classifier {
            twin: Twin::new(program, init, limits),
            dependents: Dependents::new(program, init, limits),
            budget: DEFAULT_BUDGET,
            known: FxHashMap::default(),
        }
    }

    /// The same for calls that were observed in this environment; otherwise it is IEEE 754's default one.
    pub fn observed_in(mut self, environment: Environment) -> Classifier<'p> {
        self.dependents.set_environment(environment);
        self
    }

    /// From now on at most about so much work, in microseconds of an ordinary machine ([`DEFAULT_BUDGET`] otherwise); calls
    /// beyond it are unclassified. An estimate instead of a clock, so that equal calls in equal order have equal effects.
    pub fn set_budget(&mut self, microseconds: u64) {
        self.budget = microseconds;
    }

    /// What the exceptions of a call do to its result, all together.
    pub fn classify(&mut self, call: &Call<'_>) -> EffectReport {
        let key = self.judge(call);
        self.known[&key].effects.report()
    }

    /// What one exception of a call does to those outputs that depend on it; to all where it cannot be told which do.
    pub fn classify_cause(&mut self, call: &Call<'_>, cause: &Cause) -> EffectReport {
        let key = self.judge(call);
        let Some(known) = self.known.get_mut(&key).filter(|known| known.effects.may_differ_by_output()) else {
            return self.known[&key].effects.report_of_one(None);
        };
        let dependent = match known.dependents.entry(cause.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (dependent, work) = self.dependents.follow(call, cause, self.budget);
                self.budget = self.budget.saturating_sub(work);
                entry.insert(dependent)
            }
        };
        known.effects.report_of_one(dependent.as_deref())
    }

    /// Compares a call's outputs with the true ones, if that was not done before.
    fn judge(&mut self, call: &Call<'_>) -> CallKey {
        let key = (call.function, call.record.to_vec(), call.observed.to_vec());
        if !self.known.contains_key(&key) {
            let truth = self
                .settle(call)
                .map_err(|stop| format!("The true result is not known: in arbitrary precision, {}.", reason(&stop)));
            let mut effects = Effects::new(call, truth);
            if effects.has_wrong_numbers()
                && let Some(rounded) = self.rounded(call)
            {
                effects.compare_rounded(&rounded, call.observed);
            }
            let known = Known { effects, dependents: FxHashMap::default() };
            self.known.insert(key.clone(), known);
        }
        key
    }

    /// The outputs where all is rounded as the program rounds and numbers have no limits; `None` where no work is left for that.
    fn rounded(&mut self, call: &Call<'_>) -> Option<Vec<ScalarOf<Precise>>> {
        if self.budget == 0 {
            return None;
        }
        self.twin.set_rounding(Rounding::WithoutLimits);
        let run = self.twin.call(call.function, call.binding, call.signature, call.record, PRECISIONS[0]);
        self.twin.set_rounding(Rounding::Nowhere);
        self.budget = self.budget.saturating_sub(run.work);
        run.outputs.ok()
    }

    /// The outputs in arbitrary precision, of the greatest precision that was needed.
    fn settle(&mut self, call: &Call<'_>) -> Result<TrueOutputs, Stop> {
        let mut previous: Option<TrueOutputs> = None;
        for precision in PRECISIONS {
            if self.budget == 0 {
                return Err(Stop::unsupported("more work than is allowed"));
            }
            let run = self.twin.call(call.function, call.binding, call.signature, call.record, precision);
            self.budget = self.budget.saturating_sub(run.work);
            let is_enough = !run.marks.absorbed || precision >= PRECISIONS[2];
            let mut outputs = TrueOutputs::new(run.outputs?, run.marks);
            if let Some(previous) = &previous
                && outputs.compare(previous)
                && is_enough
            {
                return Ok(outputs);
            }
            previous = Some(outputs);
        }
        previous.ok_or(Stop::InstructionLimit)
    }
}

/// Why the twin has no result, as the end of a sentence.
pub fn reason(stop: &Stop) -> String {
    match stop {
        Stop::InstructionLimit => "the function does not end within the limit of instructions".to_owned(),
        other => format!("the call ends with: {other}"),
    }
}
