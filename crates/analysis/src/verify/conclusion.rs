//! What a run comes to.
//!
//! `violated` needs a finding that a native run confirmed. `holds` needs that nothing was found that was asked about, that nothing was left
//! unexplored, that no path waits or was given up, and that some path was followed at all. `holds-within-bounds` needs the same
//! but for what the user's own bounds left out. Where value ranges prove the program it holds, whatever became of paths; of a proof by induction the
//! paths are those of one round. Everything else is `unknown`.

use std::sync::Arc;

use labrys_executor::{CallSite, End, Outcome, PathCounts, Unexplored};
use labrys_report::{ProgramVerdict, SourcePlace};

use super::building::BuiltProgram;
use super::property::{ends_the_program, is_asked_about};
use super::replaying::Confirmation;
use super::request::Request;
use crate::run::record::place_of_location;
use crate::whole::library::ADVICE;
use crate::whole::licence::doubts;
use crate::whole::user_words::user_words;

/// How reasons end that a function is not known.
const NOT_KNOWN: &str = "which is neither defined nor modelled";

/// What is said where single checks are open.
const ALL_ELSE: &str = "all paths were followed to their ends: all else that is checked holds on each of them, with what is assumed of a proof";

/// A verdict and why it is no better.
pub(super) struct Conclusion {
    pub(super) verdict: ProgramVerdict,
    pub(super) reasons: Vec<String>,
    /// What ended the search for other errors than those that were shown, which is no reason for the verdict; or that nothing else is open than what is given as the reason.
    pub(super) note: Option<&'static str>,
    /// Why a proof is one of nothing, where it is.
    pub(super) vacuous: Option<String>,
    /// Whether value ranges are the proof.
    pub(super) is_by_ranges: bool,
    /// The loops over which an induction is, if it is the proof.
    pub(super) by_induction: Vec<SourcePlace>,
}

/// What was proved otherwise than by following every path.
pub(super) enum Proved {
    /// Nothing; why an induction did not, where that is known.
    No(Option<Arc<str>>),
    /// That nothing goes wrong, by value ranges.
    ByRanges,
    /// The same, by induction over these loops.
    ByInduction(Vec<CallSite>),
}

/// Draws the conclusion.
pub(super) fn conclude(
    request: &Request,
    built: &BuiltProgram,
    (outcome, proved): (&Outcome, &Proved),
    confirmations: &[Confirmation],
) -> Conclusion {
    let mut reasons = Vec::new();
    let mut add = |reason: String| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let unconfirmed = confirmations.iter().filter_map(|of| of.shown.as_ref().err());
    unconfirmed.for_each(|why| add(why.clone()));
    let hidden = outcome.violations.iter().filter(|of| !is_asked_about(&request.properties, &of.kind));
    for violation in hidden.filter(|of| !ends_the_program(&of.kind)) {
        let place = violation.stack.first().map(|site| place_of_location(&built.whole.program, site.location));
        let place = place.and_then(|place| place.words()).unwrap_or_default();
        add(format!("a path ends at {place} with an error that was not asked about: {}", violation.kind));
    }
    doubts(&built.whole).into_iter().for_each(&mut add);
    let is_confirmed = confirmations.iter().any(|of| of.shown.is_ok());
    if matches!(proved, Proved::ByRanges) && !is_confirmed && outcome.violations.is_empty() && reasons.is_empty() {
        let (verdict, by_induction) = (ProgramVerdict::Holds, Vec::new());
        return Conclusion { verdict, reasons, note: None, vacuous: None, is_by_ranges: true, by_induction };
    }
    let has_others = !reasons.is_empty();
    let mut add = |reason: String| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let reasons_of_paths = outcome.unexplored.iter().filter(|of| !of.is_bound);
    reasons_of_paths.filter(|of| !is_said_better(of, outcome)).for_each(|of| {
        add(words(built, of, outcome.paths.waiting));
    });
    let is_unknown = |of: &Unexplored| of.why.ends_with(NOT_KNOWN);
    if built.spec.library.is_none() && outcome.unexplored.iter().any(is_unknown) {
        add(format!("the C library is not there: {ADVICE}"));
    }
    let paths = outcome.paths;
    if reasons_are_missing(outcome) {
        add("paths were left without a reason: please report it".to_owned());
    }
    if paths == PathCounts::default() && outcome.violations.is_empty() {
        add("no path was followed".to_owned());
    }
    let bounds: Vec<String> =
        outcome.unexplored.iter().filter(|of| of.is_bound).map(|of| words(built, of, 0)).collect();
    let verdict = match (is_confirmed, reasons.is_empty(), bounds.is_empty()) {
        (true, ..) => ProgramVerdict::Violated,
        (false, true, true) => ProgramVerdict::Holds,
        (false, true, false) => ProgramVerdict::HoldsWithinBounds,
        (false, false, _) => ProgramVerdict::Unknown,
    };
    for bound in bounds {
        if !reasons.contains(&bound) {
            reasons.push(bound);
        }
    }
    let shown = End::Shown.words();
    let note = (verdict == ProgramVerdict::Violated && reasons.iter().any(|reason| reason == shown)).then_some(shown);
    if note.is_some() {
        reasons.retain(|reason| reason != shown);
    }
    let is_all = verdict == ProgramVerdict::Unknown && !has_others && are_checks_alone_open(outcome);
    let note = note.or(is_all.then_some(ALL_ELSE));
    let is_proof = matches!(verdict, ProgramVerdict::Holds | ProgramVerdict::HoldsWithinBounds);
    let vacuous = (is_proof && paths.are_all_excluded()).then(|| vacuous(request, built, outcome));
    let by_induction = match proved {
        Proved::ByInduction(loops) if verdict == ProgramVerdict::Holds => {
            loops.iter().map(|site| place_of_location(&built.whole.program, site.location)).collect()
        }
        _ => Vec::new(),
    };
    Conclusion { verdict, reasons, note, vacuous, is_by_ranges: false, by_induction }
}

/// What no input does, where no path comes to the program's end or an error.
fn vacuous(request: &Request, built: &BuiltProgram, outcome: &Outcome) -> String {
    let places: Vec<SourcePlace> =
        outcome.exclusions.iter().map(|site| place_of_location(&built.whole.program, site.location)).collect();
    let in_source: Vec<String> =
        places.iter().filter(|place| built.is_users(place)).filter_map(SourcePlace::words).collect();
    let in_source = match in_source.is_empty() {
        true => String::new(),
        false => format!("the assumption at {}", in_source.join(", ")),
    };
    // What is assumed of a function's parameters is assumed where labrys calls it, which is no place that a user knows.
    let given = request.calling.iter().flat_map(|run| &run.assumptions).map(|given| format!("--assume {given:?}"));
    let given = given.filter(|_| places.iter().any(|place| !built.is_users(place)));
    let all: Vec<String> = given.chain(Some(in_source).filter(|words| !words.is_empty())).collect();
    let assumed = if all.is_empty() { "the assumption".to_owned() } else { all.join(" and ") };
    match (request.loop_bound, outcome.paths.given_up) {
        (Some(bound), 1..) => format!("no input comes to the program's end within --loop-bound {bound}"),
        _ => format!("no input satisfies {assumed}"),
    }
}

/// Whether all paths were followed to their ends, and what was not decided on them are single checks.
fn are_checks_alone_open(outcome: &Outcome) -> bool {
    let Outcome { unexplored, paths, violations, .. } = outcome;
    let are_questions = !unexplored.is_empty() && unexplored.iter().all(|of| of.is_question);
    are_questions && paths.waiting == 0 && violations.is_empty()
}

/// Whether paths were not followed to their ends though nothing says why.
fn reasons_are_missing(outcome: &Outcome) -> bool {
    (outcome.paths.given_up > 0 || outcome.paths.waiting > 0) && outcome.unexplored.is_empty()
}

/// Whether a question that was open when the run ended was also asked, at the same place, of a path that the solver gave up: that says more of what is hard.
fn is_said_better(of: &Unexplored, outcome: &Outcome) -> bool {
    let question =
        End::ALL.iter().find_map(|end| of.why.strip_suffix(end.words())).filter(|question| !question.is_empty());
    let Some(question) = question else { return false };
    let site = |of: &Unexplored| of.stack.iter().find(|site| site.location.is_some()).cloned();
    let is_end = |of: &Unexplored| End::ALL.iter().any(|end| of.why.ends_with(end.words()));
    outcome.unexplored.iter().any(|other| other.why.starts_with(question) && !is_end(other) && site(other) == site(of))
}

/// A reason and its place; where the run ended while so many paths waited, that, too.
fn words(built: &BuiltProgram, of: &Unexplored, waiting: u64) -> String {
    let site = of.stack.iter().find(|site| site.location.is_some());
    let place = site.map(|site| place_of_location(&built.whole.program, site.location));
    let place = place.filter(|place| built.is_users(place)).and_then(|place| place.words());
    let is_end = End::ALL.iter().any(|end| *of.why == *end.words());
    match place {
        Some(place) if is_end && waiting > 1 => {
            format!("{} while {waiting} paths were on their way, one of them at {place}", of.why)
        }
        Some(place) => format!("{} at {place}", user_words(&of.why)),
        None => user_words(&of.why),
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{FunctionId, LocationId};

    use super::*;

    /// Of one assertion it was told that the solver did not decide it, and again that the run was interrupted.
    #[test]
    fn a_question_that_the_end_of_a_run_left_open_is_told_once() {
        let at = |why: String, line: u32| {
            let site = CallSite { function: FunctionId(0), location: Some(LocationId(line)) };
            Unexplored { why: why.into(), stack: vec![site], is_bound: false, is_question: false }
        };
        let question = "whether the assertion `x > 0` fails";
        let given_up = at(format!("{question}: the solver did not decide it in its time"), 7);
        let ended = |line| at(format!("{question}: {}", End::Interrupt.words()), line);
        let plain = at(End::Interrupt.words().to_owned(), 7);
        let unexplored = vec![given_up.clone(), ended(7), ended(8), plain.clone()];
        let outcome = Outcome { unexplored, ..Outcome::default() };
        assert!(!are_checks_alone_open(&outcome));
        let better = [&given_up, &ended(7), &ended(8), &plain].map(|of| is_said_better(of, &outcome));
        assert_eq!(better, [false, true, false, false]);
        let question = Unexplored { is_question: true, ..given_up.clone() };
        let alone = Outcome { unexplored: vec![question.clone()], ..Outcome::default() };
        assert!(are_checks_alone_open(&alone));
        let waiting = PathCounts { waiting: 1, ..PathCounts::default() };
        assert!(!are_checks_alone_open(&Outcome { paths: waiting, ..alone }));
        assert!(!are_checks_alone_open(&Outcome { unexplored: vec![question, plain], ..Outcome::default() }));
    }
}
