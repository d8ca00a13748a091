//! Which operations made an error.
//!
//! Each instruction that the program executed is asked twice, by runs in arbitrary precision: how far the result is off where its results
//! alone are rounded, and how far where all others are. The first is its share, the second what would be left if it were computed more
//! exactly. Cancellation rounds nothing and has no share: what it amplifies was made before.
//!
//! Over all certain errors of a function, findings or not, an operation answers for its share of each error's bits.

use labrys_elementary::rug;
use labrys_interp::precise::{Executed, Rounding};
use labrys_program::{FloatOperation, Program};
use labrys_report::{ErrorCause, ErrorOperations, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use super::confirmed::ConfirmedErrors;
use crate::run::clock::Clock;
use crate::run::record::place_of_location;
use crate::truth::{Oracle, TrueCall};

/// Instructions that are asked: programs have thousands, of which few matter.
const MOST: usize = 400;
/// Operations executed in all runs for one error.
const WORK: u64 = 20_000_000;
/// The same for all errors of a function that are no findings.
const FURTHER_WORK: u64 = 40_000_000;
/// Operations whose results are floats as they are.
const EXACT: [FloatOperation; 3] = [FloatOperation::Neg, FloatOperation::Abs, FloatOperation::CopySign];
/// What makes less of the error than this is not told.
const LEAST_SHARE: f64 = 0.005;
/// How many are told.
const TOLD: usize = 10;
/// So many operations of a function are kept: a library's worst may be among all functions' lesser ones.
const KEPT: usize = 100;

/// The operations that made errors; each error is taken apart once.
pub struct Causes<'p> {
    program: &'p Program,
    /// By input and output.
    known: FxHashMap<(Vec<u8>, usize), Vec<ErrorCause>>,
}

impl<'p> Causes<'p> {
    /// Of a program's errors, of which nothing is known yet.
    pub fn new(program: &'p Program) -> Causes<'p> {
        Causes { program, known: FxHashMap::default() }
    }

    /// The operations that made the error of one output on one input, worst first.
    pub fn of(&mut self, oracle: &mut Oracle<'_>, record: &[u8], output: usize) -> Vec<ErrorCause> {
        let mut work = WORK;
        self.within(oracle, record, output, &mut work, true).unwrap_or_default()
    }

    /// The operations that made most of all these errors together, the worst inputs of each group of outputs first, as far as the work and
    /// the clock allow.
    pub fn of_all(&mut self, oracle: &mut Oracle<'_>, confirmed: &ConfirmedErrors, clock: &Clock) -> ErrorOperations {
        let mut operations = ErrorOperations::default();
        let mut work = FURTHER_WORK;
        let mut seen = FxHashSet::default();
        let most = confirmed.by_group.values().map(Vec::len).max().unwrap_or_default();
        for error in (0..most).flat_map(|rank| confirmed.by_group.values().filter_map(move |errors| errors.get(rank))) {
            // Of what the method makes rounding has the smaller part.
            let is_rounding = error.severity != Severity::WrongAlgorithm && error.error.absolute > 0.0;
            if !is_rounding || clock.is_over() || !seen.insert((&error.record, error.leaf)) {
                continue;
            }
            if let Some(causes) = self.within(oracle, &error.record, error.leaf, &mut work, false) {
                // No number at all is as far as a format goes.
                operations.add(error.error.bits().min(f64::from(error.result.format().width())), &causes);
            }
        }
        operations.ranked(KEPT)
    }

    /// The same within some work; of what takes more there is nothing, or what can be had.
    fn within(
        &mut self,
        oracle: &mut Oracle<'_>,
        record: &[u8],
        output: usize,
        work: &mut u64,
        partly: bool,
    ) -> Option<Vec<ErrorCause>> {
        let key = (record.to_vec(), output);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let executed = oracle.executions(record);
        let in_all: u64 = executed.iter().map(|executed| executed.count).sum();
        let affordable = usize::try_from(*work / (2 * in_all.max(1))).unwrap_or(MOST);
        if !partly && affordable < executed.len().min(MOST) {
            return None;
        }
        let asked = affordable.min(MOST).min(executed.len());
        *work = work.saturating_sub(2 * in_all.saturating_mul(asked as u64));
        let causes = self.shares(oracle, record, output, executed.into_iter().take(asked));
        self.known.insert(key, causes.clone());
        Some(causes)
    }

    fn shares(
        &self,
        oracle: &mut Oracle<'_>,
        record: &[u8],
        output: usize,
        executed: impl Iterator<Item = Executed>,
    ) -> Vec<ErrorCause> {
        let Ok(truth) = oracle.without_rounding(record) else { return Vec::new() };
        let mut made: Vec<(f64, Executed)> = Vec::new();
        // Of what was not rounded before, a run in which a negation alone rounds would tell the rounding of its operand.
        let is_exact = |of: &Executed| EXACT.iter().any(|operation| operation.operator() == of.operator);
        for executed in executed.filter(|executed| !is_exact(executed)) {
            let only = Rounding::Only([executed.instruction].into_iter().collect());
            let error = oracle.rounding(record, only).ok().and_then(|run| apart(&truth, &run, output));
            made.push((error.unwrap_or(0.0), executed));
        }
        let total: f64 = made.iter().map(|(error, _)| error).filter(|error| error.is_finite()).sum();
        made.retain(|(error, _)| *error > LEAST_SHARE * total);
        made.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        made.truncate(TOLD);
        let cause = |(error, executed): (f64, Executed)| {
            let except = Rounding::Except([executed.instruction].into_iter().collect());
            let left = oracle.rounding(record, except).ok().and_then(|run| apart(&truth, &run, output));
            let left = left.filter(|left| left.is_finite());
            ErrorCause {
                place: place_of_location(self.program, executed.location),
                operator: executed.operator.to_owned(),
                share: if total > 0.0 && error.is_finite() { error / total } else { 1.0 },
                left,
                cancelled_bits: executed.cancelled,
                absorbed: executed.absorbed,
            }
        };
        made.into_iter().map(cause).collect()
    }
}

/// |r − t| of one output.
pub fn apart(truth: &TrueCall, run: &TrueCall, output: usize) -> Option<f64> {
    let (truth, run) = (truth.floats.get(output)?.as_ref()?, run.floats.get(output)?.as_ref()?);
    let apart = rug::Float::with_val(64, run.value() - truth.value()).abs();
    if apart.is_nan() { None } else { Some(apart.to_f64()) }
}
