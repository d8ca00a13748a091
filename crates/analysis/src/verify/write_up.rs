//! The report of a run, and the files that go with it.

use labrys_executor::{Options, Outcome, asking_calls};
use labrys_native::{Ending, Replay, Sanitizers};
use labrys_program::variable_of_call;
use labrys_report::{
    Analysis, BuildInfo, Details, Finding, PathNumbers, ProgramVerdict, Report, Status, Target, Timing, Value,
    Verification, assign_ids, write_whole,
};
use labrys_testcase::TestInput;

use super::building::BuiltProgram;
use super::conclusion::Conclusion;
use super::findings::{finding, given_finding, kind_of_error};
use super::invariants::invariants;
use super::property::is_asked_about;
use super::replaying::{Confirmation, Replayer, Shown};
use super::request::Request;
use super::{given, reproduce, tests, witness};
use crate::Done;
use crate::run::clock::Clock;
use crate::run::recipe::Artifact;
use crate::run::record::words_of_replay;
use crate::run::repeat::{processor, replay_file, same_command, with_input};
use crate::whole::inputs::{of_arguments, of_standard_input};

/// A report that says what was asked of what; nothing is known yet.
pub(super) fn empty_report(request: &Request, clock: &Clock) -> Report {
    let files: Vec<String> = request.sources.iter().map(|source| source.display().to_string()).collect();
    Report {
        command: request.command.clone(),
        seed: request.seed,
        analysis: Analysis::Verify,
        target: Target { file: files.join(" "), function: request.entry.clone(), ..Target::default() },
        verification: Some(Verification { properties: properties(request), ..Verification::default() }),
        processor: processor(),
        timing: Timing {
            wall_s: clock.elapsed().as_secs_f64(),
            more: [("waited_for_processors_s".to_owned(), clock.lost().as_secs_f64())].into(),
        },
        ..Report::default()
    }
}

fn properties(request: &Request) -> Vec<String> {
    request.properties.iter().map(|property| property.name().to_owned()).collect()
}

fn build_info(request: &Request, built: &BuiltProgram) -> BuildInfo {
    BuildInfo {
        role: "program".to_owned(),
        source: request.sources.first().map(|source| source.display().to_string()).unwrap_or_default(),
        compiler: built.whole.compilers.join(", "),
        flags: std::iter::once("-O0".to_owned()).chain(request.flags.iter().cloned()).collect(),
        executable: request.compiler.clone(),
        ..BuildInfo::default()
    }
}

/// What a proof takes for granted.
fn assumptions(request: &Request, built: &BuiltProgram, outcome: &Outcome) -> Vec<String> {
    let mut all = outcome.assumptions.clone();
    all.extend(of_arguments(request.any_arguments));
    all.extend(of_standard_input(request.standard_input));
    all.extend(built.calling.iter().flat_map(|calling| calling.assumptions()));
    if built.spec.compiler.is_some() && !built.whole.compilers.iter().all(|compiler| compiler.starts_with("clang")) {
        let named = built.whole.compilers.join(", ");
        all.push(format!("the IR is clang's: where C leaves open what is computed, {named} decides as clang does"));
    }
    all
}

/// The report of what execution and native runs came to.
pub(super) fn report(
    request: &Request,
    built: &BuiltProgram,
    outcome: &Outcome,
    confirmations: Vec<Confirmation>,
    conclusion: Conclusion,
    replayer: &mut Replayer<'_>,
    clock: &Clock,
) -> Done {
    let types = built.input_types();
    let confirmed: Vec<(usize, Shown)> =
        confirmations.into_iter().filter_map(|of| Some((of.violation, of.shown.ok()?))).collect();
    let mut found: Vec<Found<'_>> = confirmed
        .iter()
        .map(|(index, Shown { replay, sanitizers })| {
            let violation = &outcome.violations[*index];
            (finding(built, &types, violation, replay), &violation.input, *sanitizers)
        })
        .collect();
    let mut notes = built.whole.notes.clone();
    notes.extend(built.calling.iter().flat_map(|calling| calling.notes()).cloned());
    notes.extend(tests::write(request, outcome, replayer));
    if let Some(file) = &request.witness {
        let first = confirmed.first().zip(found.first());
        let first = first.and_then(|((index, Shown { replay, .. }), (finding, ..))| {
            let Details::Violation(details) = &finding.details else { return None };
            Some((&outcome.violations[*index], replay, &details.place))
        });
        notes.extend(write_witness((request, built), conclusion.verdict, first, file, clock));
    }
    let artifacts = name(request, built, &mut found);
    let paths = outcome.paths;
    let mut report = empty_report(request, clock);
    report.status = if clock.is_over() { Status::Limit } else { Status::Complete };
    notes.extend(conclusion.note.map(str::to_owned));
    notes.extend(conclusion.vacuous.as_ref().map(|why| format!("warning: nothing was checked: {why}")));
    report.notes = notes;
    report.target.builds = vec![build_info(request, built)];
    report.verification = Some(Verification {
        verdict: conclusion.verdict,
        properties: properties(request),
        assumptions: assumptions(request, built, outcome),
        reasons: conclusion.reasons,
        vacuous: conclusion.vacuous,
        is_by_ranges: conclusion.is_by_ranges,
        by_induction: conclusion.by_induction,
        paths: PathNumbers {
            completed: paths.completed,
            violated: paths.violated,
            given_up: paths.given_up,
            waiting: paths.waiting,
        },
        instructions: outcome.instructions,
        tests: outcome.tests.len() as u64,
    });
    report.findings = found.into_iter().map(|(finding, ..)| finding).collect();
    report.sort_findings();
    Done { report, artifacts }
}

/// The report of a native run on a given input.
pub(super) fn report_of_run(
    request: &Request,
    built: &BuiltProgram,
    input: &TestInput,
    Shown { replay, sanitizers }: &Shown,
    clock: &Clock,
) -> Done {
    let types = built.input_types();
    let kind = match &replay.ending {
        Ending::Error(error) => kind_of_error(error).filter(|kind| is_asked_about(&request.properties, kind)),
        _ => None,
    };
    let mut found: Vec<Found<'_>> =
        kind.iter().map(|kind| (given_finding(built, &types, input, kind, replay), input, *sanitizers)).collect();
    let artifacts = name(request, built, &mut found);
    let mut report = empty_report(request, clock);
    report.notes.clone_from(&built.whole.notes);
    report.target.builds = vec![build_info(request, built)];
    if let Some(verification) = &mut report.verification {
        match found.is_empty() {
            true => verification.reasons.push(format!("one input was run natively: {}", words_of_replay(replay))),
            false => verification.verdict = ProgramVerdict::Violated,
        }
    }
    report.findings = found.into_iter().map(|(finding, ..)| finding).collect();
    Done { report, artifacts }
}

/// A finding, its input, and what the program was built with that showed it.
type Found<'a> = (Finding, &'a TestInput, Sanitizers);

/// Gives findings their ids and commands; the files that go with them.
fn name(request: &Request, built: &BuiltProgram, found: &mut [Found<'_>]) -> Vec<Artifact> {
    assign_ids(&request.entry, found.iter_mut().map(|(finding, ..)| finding));
    let mut artifacts = Vec::new();
    for (finding, input, sanitizers) in found {
        name_variables(request, built, &mut finding.inputs, input);
        finding.command = Some(match &request.output {
            Some(folder) => replay_file(folder, &finding.id),
            None => match given::in_words(input).filter(|_| input.arguments == request.arguments) {
                Some(words) => with_input(&request.command, &words),
                None => same_command(&request.command),
            },
        });
        if request.output.is_some() {
            artifacts.extend(reproduce::artifacts(request, built, finding, (input, *sanitizers)));
        }
    }
    artifacts
}

/// Says of values that functions return which variables get them.
fn name_variables(request: &Request, built: &BuiltProgram, values: &mut [Value], input: &TestInput) {
    let program = &built.whole.program;
    let options =
        Options { entry: built.entry().name.clone(), standard_input: request.standard_input, ..Options::default() };
    let calls = asking_calls(program, &options, input);
    // What standard input has comes first, and is one value.
    let asked = values.len().checked_sub(input.asked_for().len()).map_or(&mut [][..], |before| &mut values[before..]);
    for (value, call) in asked.iter_mut().zip(calls) {
        value.variable = call.and_then(|(function, call)| variable_of_call(program, function, call));
    }
}

fn write_witness(
    (request, built): (&Request, &BuiltProgram),
    verdict: ProgramVerdict,
    found: Option<(&labrys_executor::Violation, &Replay, &labrys_report::SourcePlace)>,
    file: &std::path::Path,
    clock: &Clock,
) -> Vec<String> {
    let (invariants, remark) = match verdict {
        ProgramVerdict::Holds => match invariants(built, clock) {
            Ok(all) => (all, None),
            Err(why) => (Vec::new(), Some(format!("the witness has no invariants: {why}"))),
        },
        ProgramVerdict::Violated => (Vec::new(), unsaid(request)),
        _ => (Vec::new(), None),
    };
    let failure = match witness::witness(request, verdict, found, invariants) {
        Some(witness) => match write_whole(file, witness.to_yaml().as_bytes()) {
            Ok(()) => None,
            Err(error) => Some(format!("the witness is missing: {error}")),
        },
        None => Some(format!("no witness is written: the verdict is {}", verdict.name())),
    };
    remark.into_iter().chain(failure).collect()
}

/// What of an input a violation's witness has no place for.
fn unsaid(request: &Request) -> Option<String> {
    let parts = [
        (request.any_arguments.most > 0, "the program's arguments"),
        (request.standard_input > 0, "what standard input has"),
    ];
    let parts: Vec<&str> = parts.iter().filter(|(is_asked, _)| *is_asked).map(|(_, words)| *words).collect();
    let parts = parts.join(" and ");
    (!parts.is_empty())
        .then(|| format!("the witness does not say {parts}, for which its format has no place; .ktest files do"))
}
