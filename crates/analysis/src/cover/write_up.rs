//! The report of a run, and the tests as files.

use std::collections::BTreeMap;

use labrys_executor::{CoverOutcome, Features};
use labrys_native::Ending;
use labrys_program::{CallGraph, FunctionId, Language, Leaf, input_types};
use labrys_report::{
    Analysis, BuildInfo, Coverage, CoverageGoal, Criterion, FileCounts, GoalCounts, GoalStatus, LineCount, PathNumbers,
    Report, Status, Target, TestRecord, Value, input_values,
};
use labrys_testcase::{ExpectedEnding, RegressionTest, TestInput};

use super::boundaries::Boundaries;
use super::calls;
use super::goals::Judge;
use super::leaving::Leaving;
use super::measured::{Measured, MeasuredFunction};
use super::request::Request;
use super::runs::{Ran, Runs};
use super::subject::{Driven, SubjectProgram};
use crate::Done;
use crate::run::clock::Clock;
use crate::run::done;
use crate::run::record::{from_here, words_of_replay};
use crate::target::unit::parameters;
use crate::target::{addresses, weak};
use crate::whole::commands::TestBuild;
use crate::whole::harness::ASIDE;
use crate::whole::inputs::{of_arguments, of_standard_input, values};
use crate::whole::licence::doubts;
use crate::whole::suite::{Suite, TestFormat, metadata};
use crate::whole::user_words::user_words;

/// A report that says what was asked of what; nothing is known yet.
pub(super) fn empty_report(request: &Request, clock: &Clock) -> Report {
    let mut report = done::empty_report(&request.run, Analysis::Cover, request.file.display().to_string(), clock);
    report.coverage = Some(Coverage { criterion: request.criterion, ..Coverage::default() });
    report
}

/// The report of what execution and native runs came to.
pub(super) fn report(
    request: &Request,
    subject: &SubjectProgram,
    (features, outcome): (&Features, &CoverOutcome),
    (runs, path, boundaries): (Runs, Option<CoverageGoal>, Option<Boundaries>),
    clock: &Clock,
) -> Done {
    let program = &subject.whole.program;
    let functions = measured_functions(subject, &runs.measured);
    let is_of_rustc = subject.spec.languages().any(|(_, language)| language == Language::Rust);
    let leaving = Leaving::of(program, is_of_rustc);
    let mut judge = Judge { program, features, outcome, is_of_rustc, leaving, contradicted: Vec::new() };
    let mut of = |criterion| -> Vec<CoverageGoal> {
        functions.iter().flat_map(|(id, function)| judge.goals(criterion, (*id, function), &runs.measured)).collect()
    };
    let mut criteria = vec![Criterion::Lines, Criterion::Branches];
    criteria.extend((request.criterion == Criterion::Mcdc).then_some(Criterion::Mcdc));
    let doubts = doubts(&subject.whole);
    let doubt = (!doubts.is_empty()).then(|| doubts.join("; "));
    let all_doubted = |goals: Vec<CoverageGoal>| -> Vec<CoverageGoal> {
        goals.into_iter().map(|goal| doubted(goal, doubt.as_deref())).collect()
    };
    let mut goals: BTreeMap<Criterion, Vec<CoverageGoal>> =
        criteria.into_iter().map(|criterion| (criterion, all_doubted(of(criterion)))).collect();
    let mut contradicted = judge.contradicted;
    if doubt.is_some() || path.is_some() {
        // What compilers may change is not what was proved, and what is not on the path that was asked for was not followed.
        contradicted.clear();
    }
    contradicted.sort_unstable();
    contradicted.dedup();
    let mut totals: Vec<GoalCounts> = goals.iter().map(|(criterion, goals)| counts(*criterion, goals)).collect();
    let paths = outcome.outcome.paths;
    if let Some(path) = path.map(|path| doubted(path, doubt.as_deref())) {
        totals.push(counts(Criterion::Paths, std::slice::from_ref(&path)));
        goals.insert(Criterion::Paths, vec![path]);
    } else if request.criterion == Criterion::Paths {
        let covered = runs.tests.len() as u64;
        totals.push(GoalCounts { criterion: Criterion::Paths, total: covered, covered, infeasible: 0 });
    }
    if let Some(boundaries) = &boundaries {
        let ran = |input: &TestInput| runs.tests.iter().any(|ran| ran.input == *input && ran.ended());
        let found = all_doubted(boundaries.goals(subject, (features, outcome), &ran));
        totals.push(counts(Criterion::Boundaries, &found));
        goals.insert(Criterion::Boundaries, found);
    }
    let mut asked = goals.remove(&request.criterion).unwrap_or_default();
    if request.criterion != Criterion::Boundaries {
        asked.extend(goals.remove(&Criterion::Boundaries).unwrap_or_default());
    }
    let mut notes = subject.whole.notes.clone();
    notes.extend(subject.notes.iter().cloned());
    notes.extend(runs.notes);
    let suite = suite(request, subject, &runs.tests);
    if let Some(wanted) = &request.tests {
        let harness = subject.driven.as_ref().map(|driven| harness_text(request, driven)).unwrap_or_default();
        let is_seen = |driven: &&Driven| driven.unit.unit.is_public || driven.is_included();
        let calls = subject.driven.as_ref().filter(is_seen).map(|driven| calls::suite(request, driven, &runs.tests));
        let (calls, left_out) = calls.map_or((None, 0), |(calls, left_out)| (Some(calls), left_out));
        if left_out > 0 && matches!(wanted.format, TestFormat::Kind(_)) {
            notes.push(format!(
                "{left_out} tests are not written: the call does not return, has a null pointer, or nothing it computes is known"
            ));
        }
        notes.extend(Suite { appended: &harness, calls, ..suite }.write(wanted));
    }
    let mut report = empty_report(request, clock);
    report.status = if clock.is_over() { Status::Limit } else { Status::Complete };
    report.target = target(request, subject);
    report.notes = notes;
    report.coverage = Some(Coverage {
        criterion: request.criterion,
        totals,
        reasons: reasons(request, (outcome, doubt), &asked),
        goals: asked,
        tests: runs.tests.iter().enumerate().map(|(index, ran)| test_record(subject, index, ran)).collect(),
        assumptions: assumptions(request, subject, outcome),
        contradicted,
        paths: PathNumbers {
            completed: paths.completed,
            violated: paths.violated,
            given_up: paths.given_up,
            waiting: paths.waiting,
        },
        instructions: outcome.outcome.instructions,
        files: files(&functions, &runs.measured),
    });
    Done { report, artifacts: Vec::new() }
}

fn target(request: &Request, subject: &SubjectProgram) -> Target {
    let build = BuildInfo {
        role: "program".to_owned(),
        source: request.file.display().to_string(),
        compiler: subject.whole.compilers.join(", "),
        flags: std::iter::once("-O0".to_owned()).chain(subject.flags.iter().cloned()).collect(),
        ..BuildInfo::default()
    };
    Target {
        file: request.file.display().to_string(),
        function: subject.name(),
        line: None,
        parameters: subject.driven.as_ref().map(|driven| parameters(driven.signature())).unwrap_or_default(),
        builds: vec![build],
    }
}

/// The functions whose code is to be covered, as llvm-cov measured them.
pub(super) fn measured_functions<'m>(
    subject: &SubjectProgram,
    measured: &'m Measured,
) -> Vec<(FunctionId, &'m MeasuredFunction)> {
    let program = &subject.whole.program;
    let mut found: Vec<(FunctionId, &MeasuredFunction)> = Vec::new();
    for function in &measured.functions {
        // A file's name stands before functions that others do not see.
        let symbol = function.symbol.rsplit_once([':', ';']).map_or(function.symbol.as_str(), |(_, symbol)| symbol);
        let named = program.function(symbol);
        found.extend(named.filter(|id| subject.scope.binary_search(id).is_ok()).map(|id| (id, function)));
    }
    found.sort_by_key(|(_, function)| (function.file.clone(), function.span));
    found.dedup_by_key(|(id, _)| *id);
    found
}

/// A goal, not proved infeasible where compilers may change what is computed.
fn doubted(goal: CoverageGoal, doubt: Option<&str>) -> CoverageGoal {
    match (&goal.status, doubt) {
        (GoalStatus::Infeasible, Some(why)) => {
            CoverageGoal { status: GoalStatus::Unknown { why: why.to_owned() }, ..goal }
        }
        _ => goal,
    }
}

fn counts(criterion: Criterion, goals: &[CoverageGoal]) -> GoalCounts {
    let count = |status: fn(&GoalStatus) -> bool| goals.iter().filter(|goal| status(&goal.status)).count() as u64;
    GoalCounts {
        criterion,
        total: goals.len() as u64,
        covered: count(|status| matches!(status, GoalStatus::Covered)),
        infeasible: count(|status| matches!(status, GoalStatus::Infeasible)),
    }
}

/// Why something is unknown, each reason once.
fn reasons(
    request: &Request,
    (outcome, doubt): (&CoverOutcome, Option<String>),
    goals: &[CoverageGoal],
) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    let mut add = |reason: String| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    if request.criterion == Criterion::Paths && request.path.is_none() {
        let why = outcome.is_exhaustive().err().map(|why| user_words(&why));
        why.or(doubt).into_iter().for_each(&mut add);
    }
    for goal in goals {
        if let GoalStatus::Unknown { why } = &goal.status {
            add(user_words(why));
        }
    }
    reasons
}

fn assumptions(request: &Request, subject: &SubjectProgram, outcome: &CoverOutcome) -> Vec<String> {
    let mut assumptions = outcome.outcome.assumptions.clone();
    assumptions.extend(of_arguments(request.any_arguments));
    assumptions.extend(of_standard_input(request.standard_input));
    if let Some(driven) = &subject.driven {
        assumptions.extend(driven.unit.unit.assumptions.iter().cloned());
        assumptions.extend(driven.of_pointers());
        let program = &subject.whole.program;
        let reached = CallGraph::new(program).reachable(subject.whole.entry);
        if addresses::are_computed_with(program, &reached) {
            assumptions.push(addresses::ADDRESSES.to_owned());
        }
        assumptions.extend(weak::assumption(program, &reached));
    }
    assumptions
}

pub(super) fn test_name(index: usize) -> String {
    format!("test{:06}", index + 1)
}

fn test_record(subject: &SubjectProgram, index: usize, ran: &Ran) -> TestRecord {
    let inputs = match &subject.driven {
        Some(driven) => {
            let harness = driven.harness();
            let nulls = harness.nulls(&ran.input);
            let names: Vec<&str> =
                nulls.iter().map(|index| driven.signature().parameters[*index].name.as_str()).collect();
            let mut values = input_values(driven.signature(), &harness.record(&ran.input));
            values.retain(|value| !value.name.as_deref().is_some_and(|name| names.contains(&name)));
            values.extend(names.into_iter().map(|name| Value {
                name: Some(name.to_owned()),
                type_name: "pointer".to_owned(),
                decimal: Some("NULL".to_owned()),
                ..Value::default()
            }));
            values
        }
        None => values(&ran.input, &input_types(&subject.whole.program)),
    };
    let leaves = subject.driven.as_ref().map(|driven| driven.domain.outputs.leaves.as_slice()).unwrap_or_default();
    let output = |output: &labrys_testcase::InputObject| {
        let of = |leaf: &&Leaf| leaf.path == output.name;
        let leaf = leaves.iter().find(of)?;
        let mut bytes = [0; 16];
        let count = output.bytes.len().min(16);
        bytes[..count].copy_from_slice(&output.bytes[..count]);
        Some(Value::scalar(Some(output.name.clone()), leaf.scalar, u128::from_le_bytes(bytes)))
    };
    TestRecord {
        name: test_name(index),
        inputs,
        ending: words_of_replay(&ran.replay),
        outputs: ran.replay.outputs.iter().filter_map(output).collect(),
    }
}

/// The tests as a suite, without the C that a function needs in its file.
fn suite(request: &Request, subject: &SubjectProgram, tests: &[Ran]) -> Suite<'static> {
    let test = |(index, ran): (usize, &Ran)| RegressionTest {
        name: test_name(index),
        input: ran.input.clone(),
        ending: match ran.replay.ending {
            Ending::Exited(code) => ExpectedEnding::Exit(code),
            _ => ExpectedEnding::Error,
        },
        outputs: ran.replay.outputs.clone(),
    };
    let sources = subject.sources.clone();
    let is_included = subject.driven.as_ref().is_some_and(Driven::is_included);
    let main = if subject.driven.is_some() { ASIDE } else { "labrys_program_main" };
    let extra = if request.ulps > 0 { format!("-g -DLABRYS_ULPS={}", request.ulps) } else { "-g".to_owned() };
    let build = TestBuild {
        compiler: subject.compiler.clone(),
        linker: subject.linker.clone(),
        own: subject.own.clone(),
        flags: subject.flags.clone(),
        sources: if is_included { sources[1..].to_vec() } else { sources.clone() },
        includes_source: is_included,
        main,
        extra,
        headers: Some("include"),
    };
    Suite {
        tests: tests.iter().enumerate().map(test).collect(),
        metadata: metadata(&sources, specification(request.criterion), &subject.name()),
        build,
        calls: None,
        appended: "",
    }
}

/// What is covered, in Test-Comp's words.
fn specification(criterion: Criterion) -> String {
    let what = match criterion {
        Criterion::Lines => "@STATEMENTS@",
        Criterion::Branches | Criterion::Boundaries => "@DECISIONEDGE@",
        Criterion::Mcdc => "@CONDITIONEDGE@",
        Criterion::Paths => "@PATH@",
    };
    format!("COVER( init(main()), FQL(COVER EDGES({what})) )")
}

/// The `main` around the function, for the C file of tests.
fn harness_text(_request: &Request, driven: &Driven) -> String {
    format!("\n{}", driven.harness().text("labrys_program_main", Language::C))
}

/// How often lines were executed.
fn files(functions: &[(FunctionId, &MeasuredFunction)], measured: &Measured) -> Vec<FileCounts> {
    let mut files: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for (_, function) in functions {
        let lines = measured.lines.get(&function.file).into_iter().flatten();
        let own = lines.filter(|(line, _)| (function.span.start.0..=function.span.end.0).contains(*line));
        files.entry(&function.file).or_default().extend(own.map(|(line, count)| (*line, *count)));
    }
    let file = |(file, lines): (&str, BTreeMap<u32, u64>)| FileCounts {
        file: from_here(file.to_owned()),
        lines: lines.into_iter().map(|(line, count)| LineCount { line, count }).collect(),
    };
    files.into_iter().map(file).collect()
}
