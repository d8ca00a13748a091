//! A path by the lines of its conditions and their outcomes: an input that takes it, or a proof that none does.
//!
//! After A. Gotlieb, B. Botella, M. Rueher, C. Michel, "Symbolic execution of floating-point computations", STVR 2006, section 2: there a
//! path of the control flow graph is given, here the conditions of some lines, each time that they are evaluated.
//!
//! **Claim.** An input is given only where llvm-cov counted in a native run of it what the executor's run of it takes, and a path is said to be
//! infeasible only where each of its conditions was seen in a native run to have the outcomes that the executor's edges stand for.
//! **Argument.** Debug information does not say which edge of a branch is which outcome. A native run in which a condition was true more
//! often than false, or the other way round, does ([`Condition::sense`]); edges of other conditions lead to where nothing is known.

use std::collections::HashMap;
use std::path::Path;

use labrys_executor::{CoverOutcome, FeatureSet, Features, Options, PathGoal, trail};
use labrys_native::ReplayBuild;
use labrys_program::{FunctionId, Program};
use labrys_report::{CoverageGoal, Criterion, GoalStatus, SourcePlace};
use labrys_testcase::TestInput;

use super::measured::{Measured, MeasuredFunction};
use super::points::branches;
use super::request::Request;
use super::runs;
use super::subject::SubjectProgram;
use super::write_up::measured_functions;
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// Native runs that are made to tell outcomes apart, at most.
const MOST_RUNS: usize = 24;

/// A step: a line, and the outcome of a condition on it.
pub(super) type Step = (u32, bool);

/// Reads `12:T,15:F`.
///
/// # Errors
///
/// What is wrong, in words.
pub fn parse_path(text: &str) -> Result<Vec<(u32, bool)>, String> {
    let step = |part: &str| {
        let (line, outcome) = part.trim().split_once(':')?;
        let outcome = match outcome.to_ascii_lowercase().as_str() {
            "t" | "true" => true,
            "f" | "false" => false,
            _ => return None,
        };
        Some((line.parse().ok().filter(|line| *line > 0)?, outcome))
    };
    let wrong = |part: &str| format!("`{part}` is no step: a line and T or F, as in 12:T,15:F");
    text.split(',').map(|part| step(part).ok_or_else(|| wrong(part))).collect()
}

/// A condition on a line of the path.
struct Condition {
    function: FunctionId,
    place: (u32, u32),
    /// Its edges, by number: where it branches if its value in the IR is 1, and 0.
    edges: [usize; 2],
    /// Whether 1 is true in the source; `None` where no native run told.
    sense: Option<bool>,
}

/// The conditions of a path.
pub(super) struct Conditions {
    list: Vec<Condition>,
    steps: Vec<Step>,
}

impl Conditions {
    /// Those on the lines of the request's path.
    ///
    /// # Errors
    ///
    /// A line has none.
    pub(super) fn of(
        request: &Request,
        subject: &SubjectProgram,
        features: &Features,
        steps: &[Step],
    ) -> Result<Conditions, AnalysisError> {
        let program: &Program = &subject.whole.program;
        let mut list = Vec::new();
        for &function in &subject.scope {
            let found = branches(program, features, function);
            list.extend(
                found
                    .into_iter()
                    .filter(|(_, place, _)| steps.iter().any(|(line, _)| *line == place.0))
                    .map(|(_, place, edges)| Condition { function, place, edges, sense: None }),
            );
        }
        for (line, _) in steps {
            if !list.iter().any(|condition| condition.place.0 == *line) {
                return Err(AnalysisError::Usage(format!(
                    "--path: line {line} of {} has no condition in the code that {} comes to",
                    request.file.display(),
                    subject.name()
                )));
            }
        }
        Ok(Conditions { list, steps: steps.to_vec() })
    }

    /// All their edges.
    fn edges(&self) -> FeatureSet {
        self.list.iter().flat_map(|condition| condition.edges).collect()
    }

    /// Learns which edges are which outcomes from native runs of tests.
    pub(super) fn learn(
        &mut self,
        (request, subject, build): (&Request, &SubjectProgram, &ReplayBuild),
        (options, outcome): (&Options, &CoverOutcome),
        folder: &Path,
        (clock, progress): (&Clock, &dyn Progress),
    ) -> Result<(), AnalysisError> {
        let edges = self.edges();
        let mut runs = 0;
        for test in &outcome.tests {
            if runs == MOST_RUNS || self.list.iter().all(|condition| condition.sense.is_some()) {
                break;
            }
            let counts = counts(&trail(&subject.whole.program, options, &test.input, &edges));
            let tells = |of: &Condition| of.sense.is_none() && count(&counts, of, 1) != count(&counts, of, 0);
            if !self.list.iter().any(tells) {
                continue;
            }
            runs += 1;
            let inputs = std::slice::from_ref(&test.input);
            let run = runs::run(request, (subject, build), inputs, folder, (clock, progress))?;
            for condition in &mut self.list {
                let executed = [count(&counts, condition, 0), count(&counts, condition, 1)];
                let Some(native) = native(subject, &run.measured, condition) else { continue };
                if condition.sense.is_none() && executed[0] != executed[1] {
                    condition.sense = match () {
                        () if native == executed => Some(true),
                        () if native == [executed[1], executed[0]] => Some(false),
                        () => None,
                    };
                }
            }
        }
        Ok(())
    }

    /// What the executor is to look for.
    pub(super) fn goal(&self) -> PathGoal {
        let symbols = self.list.iter().flat_map(|condition| {
            [1, 0].map(|value| {
                let symbol = condition.sense.map(|sense| (condition.place.0, (value == 1) == sense));
                (condition.edges[1 - value], symbol)
            })
        });
        PathGoal { symbols: symbols.collect(), steps: self.steps.clone() }
    }

    /// The edges as what is wanted.
    pub(super) fn wanted(&self) -> FeatureSet {
        self.edges()
    }

    /// What is known of the path.
    pub(super) fn status(
        &self,
        subject: &SubjectProgram,
        options: &Options,
        outcome: &CoverOutcome,
        (input, measured): (Option<&TestInput>, &Measured),
    ) -> GoalStatus {
        let unknown = |why: &str| GoalStatus::Unknown { why: why.to_owned() };
        let Some(input) = input else {
            return match outcome.is_exhaustive() {
                Ok(()) if outcome.tests.is_empty() => GoalStatus::Infeasible,
                Ok(()) => unknown("the native run of the input that was found did not end"),
                Err(why) => unknown(&why),
            };
        };
        let goal = self.goal();
        let trail = trail(&subject.whole.program, options, input, &self.edges());
        let taken = trail.iter().map(|edge| goal.symbols.get(edge).copied().flatten());
        if !taken.take(self.steps.len()).eq(self.steps.iter().map(|step| Some(*step))) {
            return unknown("the input that was found does not take the path when it is executed again");
        }
        let counts = counts(&trail);
        for condition in &self.list {
            let executed = [count(&counts, condition, 0), count(&counts, condition, 1)];
            let shown = match condition.sense {
                Some(false) => [executed[1], executed[0]],
                Some(true) | None => executed,
            };
            if shown != [0, 0] && native(subject, measured, condition) != Some(shown) {
                return unknown("the native run of the input that was found took another path");
            }
        }
        GoalStatus::Covered
    }

    /// The goal that the path is, in a report.
    pub(super) fn report(&self, request: &Request, subject: &SubjectProgram, status: GoalStatus) -> CoverageGoal {
        let letter = |outcome: bool| if outcome { 'T' } else { 'F' };
        let steps: Vec<String> =
            self.steps.iter().map(|(line, outcome)| format!("{line}:{}", letter(*outcome))).collect();
        CoverageGoal {
            criterion: Criterion::Paths,
            function: subject.name(),
            place: SourcePlace::new(
                Some(request.file.display().to_string()),
                self.steps.first().map_or(0, |of| of.0),
                0,
            ),
            outcome: steps.join(","),
            status,
        }
    }
}

fn counts(trail: &[usize]) -> HashMap<usize, u64> {
    let mut counts = HashMap::new();
    for edge in trail {
        *counts.entry(*edge).or_default() += 1;
    }
    counts
}

/// How often a condition's value was 1 (`which` 0), or 0 (`which` 1).
fn count(counts: &HashMap<usize, u64>, condition: &Condition, which: usize) -> u64 {
    counts.get(&condition.edges[which]).copied().unwrap_or(0)
}

/// How often a condition was true and false natively, where llvm-cov has one at its place.
fn native(subject: &SubjectProgram, measured: &Measured, condition: &Condition) -> Option<[u64; 2]> {
    let functions = measured_functions(subject, measured);
    let (_, function): &(FunctionId, &MeasuredFunction) = functions.iter().find(|(id, _)| *id == condition.function)?;
    let around = function.branches.iter().filter(|branch| branch.span.contains(condition.place));
    let span = around.clone().map(|branch| branch.span).min_by_key(|span| span.size())?;
    let mut here = around.filter(|branch| branch.span == span);
    let only = here.next().filter(|branch| branch.is_folded == [false, false])?;
    here.next().is_none().then_some(only.counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_lines_and_outcomes() {
        assert_eq!(parse_path("12:T, 15:f,3:True"), Ok(vec![(12, true), (15, false), (3, true)]));
        for wrong in ["", "12", "12:", ":T", "0:T", "-1:T", "12:T,", "12:T;15:F", "99999999999:T", "12:TT"] {
            assert!(parse_path(wrong).is_err_and(|why| why.contains("is no step")), "{wrong}");
        }
    }
}
