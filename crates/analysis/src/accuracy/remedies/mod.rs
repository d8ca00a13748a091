//! What would mend an error: known formulas that lose digits, and the stable ones in their place, tried.
//!
//! A remedy is tried by a run in arbitrary precision in which the operations that the better formula does without do not round, and all others
//! do. What is said to be left is what that run is off by, and not less than what rounding the true value makes.

mod expression;
mod pattern;

use std::collections::BTreeSet;

use labrys_interp::precise::Rounding;
use labrys_program::{FunctionId, LocationId, Program};
use labrys_report::Remedy;

use self::expression::Body;
use self::pattern::{Match, matches};
use super::causes::apart;
use crate::run::record::place_of_location;
use crate::truth::{Oracle, TrueCall, least_error};

/// Formulas that are tried.
const MOST: usize = 24;
/// What leaves more than this of the error is no remedy.
const MOST_LEFT: f64 = 0.25;
/// A formula leaves no less than another if it leaves at least so much of what that leaves: then the more special one is told.
const ALIKE: f64 = 0.5;

/// What would leave least of an error `error` (absolute; infinite where there is none to speak of) of one output on one input.
pub fn remedy(program: &Program, oracle: &mut Oracle<'_>, record: &[u8], output: usize, error: f64) -> Option<Remedy> {
    let truth: TrueCall = oracle.certified(record).ok()?;
    let least = least_error(truth.floats.get(output)?.as_ref()?);
    let executed = oracle.executions(record);
    let functions: BTreeSet<FunctionId> = executed.iter().map(|executed| executed.instruction.0).collect();
    let mut tried: Vec<(f64, Match, Option<LocationId>)> = Vec::new();
    for body in functions.into_iter().filter_map(|id| Body::new(program, id)) {
        let is_executed = |found: &Match| executed.iter().any(|executed| executed.instruction == found.root);
        for found in matches(&body).into_iter().filter(is_executed) {
            if tried.len() >= MOST {
                break;
            }
            let run = oracle.rounding(record, Rounding::Except(found.replaced.clone())).ok();
            // Where what is left is beyond all doubles, nobody knows what the remedy does.
            if let Some(left) = run.and_then(|run| apart(&truth, &run, output)).filter(|left| left.is_finite()) {
                let location = body.location(found.root);
                tried.push((left.max(least), found, location));
            }
        }
    }
    tried.retain(|(left, ..)| *left <= MOST_LEFT * error);
    tried.sort_by_key(|(_, found, _)| found.rank);
    let fewest = tried.iter().map(|(left, ..)| *left).fold(f64::INFINITY, f64::min);
    let (left, found, location) = tried.into_iter().find(|(left, ..)| ALIKE * left <= fewest)?;
    let place = place_of_location(program, location);
    Some(Remedy { better: found.better.to_owned(), formula: found.formula.to_owned(), place, left })
}
