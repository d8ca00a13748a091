//! What the paper's method makes of dumped queries: `labrys diff --dump-queries FOLDER` writes them, each with z3's answer
//! in its first line. Prints, for each of z3's answers, how many queries got a candidate, by which step, and the time.
//!
//! `cargo bench -p labrys-solver --bench nonlinear -- FOLDER [SECONDS]`; two seconds a query if nothing is said. A
//! candidate for a query that z3 refutes would be an error of one of the two; its file's name is printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use labrys_float::Format;
use labrys_solver::nonlinear::{NonlinearConfig, NonlinearSteps, solve};
use labrys_solver::{Limits, RealOutcome};
use labrys_term::smtlib::script::{Command, Script, Source};
use labrys_term::{Store, TermId};

/// A query of a file, and z3's answer.
struct Dumped {
    path: PathBuf,
    store: Store,
    assertions: Vec<TermId>,
    answer: String,
}

fn read(path: &Path) -> Option<Dumped> {
    let text = std::fs::read(path).ok()?;
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let answer = String::from_utf8_lossy(line).trim_start_matches("; ").to_owned();
    let (mut store, mut script, mut source) = (Store::new(), Script::new(), Source::new(&text));
    let mut assertions = Vec::new();
    while let Some(command) = script.next(&mut store, &mut source).ok()? {
        if let Command::Assert { term, .. } = command {
            assertions.push(term);
        }
    }
    Some(Dumped { path: path.to_owned(), store, assertions, answer })
}

/// One row of the table.
#[derive(Default)]
struct Row {
    steps: NonlinearSteps,
    time: Duration,
    slowest: Duration,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(folder) = arguments.next() else {
        println!("no folder of queries given");
        return;
    };
    let seconds: f64 = arguments.next().and_then(|argument| argument.parse().ok()).unwrap_or(2.0);
    let limits = Limits { work: 0, wall: Duration::from_secs_f64(seconds), memory_mib: 0 };
    let config = NonlinearConfig { limits, ..NonlinearConfig::default() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    paths.sort();
    let mut rows: std::collections::BTreeMap<String, Row> = std::collections::BTreeMap::new();
    for dumped in
        paths.iter().filter(|path| path.extension().is_some_and(|end| end == "smt2")).filter_map(|path| read(path))
    {
        let formats = |variable| dumped.store.variable_info(variable).0.ends_with("!real").then_some(Format::BINARY64);
        let start = Instant::now();
        let (outcome, steps) = solve(&dumped.store, &dumped.assertions, &[], &mut |_, _| None, &formats, &config);
        let took = start.elapsed();
        if matches!(outcome, RealOutcome::Candidate(_)) && dumped.answer == "no candidate" {
            println!("refuted by z3, solved here: {}", dumped.path.display());
        }
        if matches!(outcome, RealOutcome::Unknown(_)) && dumped.answer != "no candidate" {
            println!("{} {outcome:?} {:.2} s {}", dumped.path.display(), took.as_secs_f64(), dumped.answer);
        }
        let row = rows.entry(dumped.answer).or_default();
        row.steps += steps;
        row.time += took;
        row.slowest = row.slowest.max(took);
    }
    for (answer, Row { steps, time, slowest }) in rows {
        println!(
            "{answer}: {} of {} solved, {:.2} s, slowest {:.2} s",
            steps.solved,
            steps.queries,
            time.as_secs_f64(),
            slowest.as_secs_f64()
        );
        println!("  {steps:?}");
    }
}
