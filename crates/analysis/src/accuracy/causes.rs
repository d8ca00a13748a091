//! Which operations made an error.
//!
//! Each instruction that the program executed is asked twice, by runs in arbitrary precision: how far the result is off where its results
//! alone are rounded, and how far where all others are. The first is its share, the second what would be left if it were computed more
//! exactly. Cancellation rounds nothing and has no share: what it amplifies was made before.

use labrys_elementary::rug;
use labrys_interp::precise::{Executed, Rounding};
use labrys_program::Program;
use labrys_report::ErrorCause;

use crate::run::record::place_of_location;
use crate::truth::{Oracle, TrueCall};

/// Instructions that are asked: programs have thousands, of which few matter.
const MOST: usize = 400;
/// Operations executed in all these runs together.
const WORK: u64 = 20_000_000;
/// What makes less of the error than this is not told.
const LEAST_SHARE: f64 = 0.005;
/// How many are told.
const TOLD: usize = 10;

/// The operations that made the error of one output on one input, worst first.
pub fn causes(program: &Program, oracle: &mut Oracle<'_>, record: &[u8], output: usize) -> Vec<ErrorCause> {
    let Ok(truth) = oracle.without_rounding(record) else { return Vec::new() };
    let executed = oracle.executions(record);
    let in_all: u64 = executed.iter().map(|executed| executed.count).sum();
    let most = usize::try_from(WORK / (2 * in_all.max(1))).unwrap_or(MOST).min(MOST);
    let mut made: Vec<(f64, Executed)> = Vec::new();
    for executed in executed.into_iter().take(most) {
        let only = Rounding::Only([executed.instruction].into_iter().collect());
        let error = oracle.rounding(record, only).ok().and_then(|run| apart(&truth, &run, output));
        made.push((error.unwrap_or(0.0), executed));
    }
    let total: f64 = made.iter().map(|(error, _)| error).filter(|error| error.is_finite()).sum();
    made.retain(|(error, _)| *error > LEAST_SHARE * total);
    made.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    made.truncate(TOLD);
    made.into_iter()
        .map(|(error, executed)| {
            let except = Rounding::Except([executed.instruction].into_iter().collect());
            let left = oracle.rounding(record, except).ok().and_then(|run| apart(&truth, &run, output));
            ErrorCause {
                place: place_of_location(program, executed.location),
                operator: executed.operator.to_owned(),
                share: if total > 0.0 && error.is_finite() { error / total } else { 1.0 },
                left,
                cancelled_bits: executed.cancelled,
                absorbed: executed.absorbed,
            }
        })
        .collect()
}

/// |r − t| of one output.
pub fn apart(truth: &TrueCall, run: &TrueCall, output: usize) -> Option<f64> {
    let (truth, run) = (truth.floats.get(output)?.as_ref()?, run.floats.get(output)?.as_ref()?);
    let apart = rug::Float::with_val(64, run.value() - truth.value()).abs();
    if apart.is_nan() { None } else { Some(apart.to_f64()) }
}
