//! The process layer against solvers that misbehave: small shell scripts, each run by `/bin/sh`.

use std::fs;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::solver::Answer;
use super::{Dialect, ProcessConfig, Reads, SmtProcess, stopping_at};
use crate::{Limits, RealOutcome, RealSolver, Validate, Why};
use labrys_term::{Op, Sort, Store};
use num_rational::BigRational;

/// Reads a whole query, answers `$1` to it and the sentinel, again and again; `$N` counts the queries.
const POLITE: &str = r#"
N=0
answer() { # reads lines up to an echo, prints "$1", then what the echo says
    while read -r line; do
        case "$line" in "(echo "*) printf '%s\n' "$1"; t=${line#*\"}; printf '%s\n' "${t%%\"*}"; N=$((N + 1)); return 0;; esac
    done
    exit 0
}
"#;

/// A solver that runs `body` after the definition of `answer`.
fn fake(body: &str) -> (TempDir, SmtProcess) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = folder.path().join("solver.sh");
    fs::write(&script, format!("{POLITE}\n{body}\n")).expect("a writable temporary folder");
    let config = ProcessConfig {
        executable: "/bin/sh".into(),
        args: vec![script.into()],
        reads: Reads::Pipe,
        dialect: Dialect::Z3,
        seed: 0,
        memory_mib: 0,
        margin: Duration::from_millis(100),
        patience: Duration::from_secs(60),
        spent: Arc::default(),
    };
    (folder, SmtProcess::new(config))
}

fn limits(milliseconds: u64) -> Limits {
    Limits { work: 1000, wall: Duration::from_millis(milliseconds), memory_mib: 0 }
}

const PATIENT: u64 = 20_000;

fn ask(solver: &mut SmtProcess) -> Result<Answer, Why> {
    solver.ask("QF_NRA", "(assert true)", Some("(get-model)"), &limits(PATIENT))
}

#[test]
fn a_polite_solver_is_asked_many_times_in_one_process() {
    let (_folder, mut solver) =
        fake("while true; do answer unsat; answer unsat; [ $N = 2 ] || answer \"sat\"; answer \"(model $$)\"; done");
    // unsat, unsat, then (N = 2) a model text where a verdict belongs: the process is replaced after that.
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
    assert!(matches!(ask(&mut solver), Err(Why::Garbage(text)) if text.starts_with("(model")));
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
}

#[test]
fn a_model_is_read_with_its_own_sentinel() {
    let (_folder, mut solver) = fake("while true; do answer sat; answer '(model)'; done");
    assert_eq!(ask(&mut solver), Ok(Answer::Sat("(model)\n".to_owned())));
    assert_eq!(ask(&mut solver), Ok(Answer::Sat("(model)\n".to_owned())));
}

#[test]
fn a_missing_executable_is_an_answer() {
    let mut config = ProcessConfig::z3(0);
    config.executable = "/nowhere/z3".into();
    let mut solver = SmtProcess::new(config);
    assert!(matches!(ask(&mut solver), Err(Why::Missing(what)) if what.contains("/nowhere/z3")));
}

#[test]
fn a_solver_killed_mid_query_costs_that_query_only() {
    let (_folder, mut solver) = fake("answer unsat; read -r line; kill -9 $$");
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
    // Silent death after an answer: asked once more, and the fresh process answers.
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
    let (_folder, mut solver) = fake("read -r line; kill -9 $$");
    assert_eq!(ask(&mut solver), Err(Why::Crash("signal 9".to_owned())));
    assert_eq!(ask(&mut solver), Err(Why::Crash("signal 9".to_owned())));
}

#[test]
fn a_solver_that_exits_leaves_its_last_words() {
    let (_folder, mut solver) = fake("read -r line; echo 'assertion violated' >&2; exit 3");
    assert_eq!(ask(&mut solver), Err(Why::Crash("exit code 3: assertion violated".to_owned())));
}

#[test]
fn an_exit_over_memory_is_told_from_a_crash() {
    let (_folder, mut solver) = fake("read -r line; echo '(error \"out of memory\")'; exit 101");
    assert_eq!(ask(&mut solver), Err(Why::Memory));
}

#[test]
fn a_hanging_solver_is_killed_at_the_wall_limit_with_its_children() {
    let (folder, mut solver) = fake(r#"sleep 1000 & echo $! > "$0.child"; while true; do sleep 1000; done"#);
    let start = Instant::now();
    assert_eq!(solver.ask("QF_NRA", "(assert true)", Some("(get-model)"), &limits(300)), Err(Why::Wall));
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(300) && elapsed < Duration::from_secs(5), "{elapsed:?}");
    let child = fs::read_to_string(folder.path().join("solver.sh.child")).expect("the script has written it");
    // A killed orphan may stay a zombie until init reaps it: its state says so.
    let gone = |_: &str| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.trim_start().starts_with('Z'))
    };
    let patience = Instant::now() + Duration::from_secs(5);
    while !gone(&child) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(gone(&child), "the solver's own child {child} is still alive");
}

#[test]
fn a_solver_that_does_not_answer_has_its_own_time_only() {
    let (_folder, mut solver) = fake("exec sleep 1000");
    solver.config.patience = Duration::from_millis(300);
    let start = Instant::now();
    assert_eq!(ask(&mut solver), Err(Why::Wall));
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(300) && elapsed < Duration::from_millis(PATIENT / 2), "{elapsed:?}");
}

/// An interrupt waited for the question that real arithmetic was at, up to two seconds of the run's own time.
#[test]
fn a_signal_ends_a_question() {
    let (_folder, mut solver) = fake("exec sleep 1000");
    let signal = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&signal);
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        later.store(true, Ordering::SeqCst);
    });
    let begun = Instant::now();
    let answer = stopping_at(&signal, || solver.ask("QF_NRA", "", None, &limits(60_000)));
    assert_eq!(answer, Err(Why::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    setter.join().expect("it sets the signal");
    // Outside, the signal is none of a question's.
    assert_eq!(solver.ask("QF_NRA", "", None, &limits(1)), Err(Why::Wall));
}

#[test]
fn a_solver_that_never_reads_does_not_block_a_long_query() {
    let (_folder, mut solver) = fake("exec sleep 1000");
    let long = "(assert true)\n".repeat(100_000);
    let start = Instant::now();
    assert_eq!(solver.ask("QF_NRA", &long, None, &limits(300)), Err(Why::Wall));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_solver_that_floods_stderr_does_not_block() {
    let (_folder, mut solver) = fake("head -c 3000000 /dev/zero | tr '\\0' x >&2; answer unsat");
    assert_eq!(ask(&mut solver), Ok(Answer::Unsat));
}

#[test]
fn a_solver_that_closes_its_output_is_noticed_at_once() {
    let (_folder, mut solver) = fake("read -r line; exec >&-; sleep 1000");
    let start = Instant::now();
    assert_eq!(ask(&mut solver), Err(Why::Crash("it closed its output".to_owned())));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn garbage_costs_one_query_and_one_process() {
    let (_folder, mut solver) = fake("answer \"maybe $$\"; answer unsat");
    let mut words = || match ask(&mut solver) {
        Err(Why::Garbage(words)) => words,
        other => panic!("expected garbage, got {other:?}"),
    };
    assert_ne!(words(), words(), "the second query went to the same process");
}

#[test]
fn an_error_before_sat_is_no_model() {
    let (_folder, mut solver) = fake("answer '(error \"line 1: unknown sort\")\nsat'");
    assert!(matches!(ask(&mut solver), Err(Why::Garbage(words)) if words.contains("unknown sort")));
}

#[test]
fn reasons_for_unknown_are_asked_for() {
    let (_folder, mut solver) = fake(
        "answer unknown; answer '(:reason-unknown \"max. resource limit exceeded\")'; answer unknown; answer '(:reason-unknown \"timeout\")'",
    );
    assert_eq!(ask(&mut solver), Err(Why::Work));
    assert_eq!(ask(&mut solver), Err(Why::Wall));
}

#[test]
fn work_on_floats_is_added_up() {
    let (_folder, mut solver) = fake(
        "answer 'unsat\n(:rlimit 700)'; answer 'unknown\n(:rlimit 41)'; answer '(:reason-unknown \"canceled\")'; answer unsat",
    );
    let mut ask = || solver.ask("QF_BVFP", "(assert true)", None, &limits(PATIENT));
    assert_eq!(ask(), Ok(Answer::Unsat));
    assert_eq!(ask(), Err(Why::Work));
    assert_eq!(ask(), Ok(Answer::Unsat), "one that does not tell");
    assert_eq!(solver.config.spent.load(Ordering::Relaxed), 741);
}

/// A solver that takes a file: `body` is run with the file's name as its argument.
fn fake_by_file(body: &str) -> (TempDir, SmtProcess) {
    let (folder, mut solver) = fake(body);
    solver.config.reads = Reads::File;
    (folder, solver)
}

#[test]
fn a_solver_that_reads_files_has_a_process_for_each_question() {
    let (_folder, mut solver) = fake_by_file(
        r#"case "$(cat "$1")" in
            *get-model*) echo sat; echo checked; echo '(model)'; echo values;;
            *"assert true"*) echo sat; echo '"checked"';;
            *) echo unsat; echo checked;;
        esac"#,
    );
    let mut asked = |script: &str| solver.ask("QF_FP", script, Some("(get-model)"), &limits(PATIENT));
    assert_eq!(asked("(assert true)"), Ok(Answer::Sat("(model)\n".to_owned())));
    assert_eq!(asked("(assert false)"), Ok(Answer::Unsat));
}

#[test]
fn whatever_a_solver_that_reads_files_does_costs_one_question() {
    let asked = |body: &str, milliseconds: u64| {
        let (_folder, mut solver) = fake_by_file(body);
        solver.ask("QF_FP", "(assert true)", Some("(get-model)"), &limits(milliseconds))
    };
    assert_eq!(asked("echo unsat; kill -9 $$", PATIENT), Err(Why::Crash("signal 9: unsat".to_owned())));
    assert!(matches!(asked("echo maybe; echo checked", PATIENT), Err(Why::Garbage(words)) if words == "maybe"));
    assert_eq!(asked("exec sleep 1000", 300), Err(Why::Wall));
    assert!(matches!(asked("echo unknown; echo checked", PATIENT), Err(Why::Incomplete(_))));
    assert!(matches!(
        asked("echo sat; echo checked; [ -n \"$(grep model $1)\" ] && exit 1", PATIENT),
        Err(Why::Crash(_))
    ));
}

#[test]
fn binary_noise_is_garbage() {
    let (_folder, mut solver) = fake(r#"answer "$(printf '\377\376\001')""#);
    assert!(matches!(ask(&mut solver), Err(Why::Garbage(_))));
}

#[test]
fn a_wrong_model_costs_one_query() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let five = store.real_const(BigRational::from_integer(5.into()));
    let query = [store.mk(Op::RealLt, &[x, five])];
    let (_folder, solver) =
        fake("answer sat; answer '((x 5.0))'; answer sat; answer '((x 4.0))'; answer sat; answer '((x 4.0'");
    let mut stack = Validate::new(solver);
    let mut ask = || RealSolver::check_once(&mut stack, &store, &query, &limits(PATIENT));
    assert_eq!(ask(), RealOutcome::Unknown(Why::WrongModel));
    assert!(matches!(ask(), RealOutcome::Candidate(_)));
    assert!(matches!(ask(), RealOutcome::Unknown(Why::Garbage(_))), "half a model");
}
