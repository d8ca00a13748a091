//! Asking z3, and solvers that misbehave: small shell scripts.

use std::fs;
use std::time::{Duration, Instant};

use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::Reads;
use labrys_term::{Op, Sort};
use tempfile::TempDir;

use super::*;

/// Formulas over one double.
struct Formulas {
    store: Store,
    x: TermId,
    calls: Vec<CallTerm>,
}

impl Formulas {
    fn new() -> Formulas {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        Formulas { store, x, calls: Vec::new() }
    }

    fn between(&mut self, low: f64, term: TermId, high: f64) -> TermId {
        let [low, high] = [low, high].map(|value| self.store.float_const(Float::from_f64(value)));
        let parts = [self.store.mk(Op::FpLt, &[low, term]), self.store.mk(Op::FpLt, &[term, high])];
        self.store.and(&parts)
    }

    /// 0 < x < 1 and 3 < x + x < `high`: impossible.
    fn impossible(&mut self, high: f64) -> Vec<TermId> {
        let (x, mode) = (self.x, self.store.rounding_mode(RoundingMode::NearestEven));
        let sum = self.store.mk(Op::FpAdd, &[mode, x, x]);
        vec![self.between(0.0, x, 1.0), self.between(3.0, sum, high)]
    }

    /// 0 < x < 1: possible.
    fn possible(&mut self) -> Vec<TermId> {
        let x = self.x;
        vec![self.between(0.0, x, 1.0)]
    }
}

fn claim(terms: Vec<TermId>, means: Means) -> Claim {
    Claim { refutations: vec![Refutation { terms, lemmas: Some(Vec::new()), means }], missing: None }
}

fn budget(work: u64, time: Duration) -> Budget {
    Budget { work, deadline: Instant::now() + time }
}

const PATIENT: Duration = Duration::from_secs(60);

fn ask_with(
    formulas: &mut Formulas,
    claims: &[Claim],
    budget: Budget,
    choice: &OpinionChoice,
    peer: Option<Peer>,
) -> Asked {
    let calls = formulas.calls.clone();
    let interrupted = || false;
    let mut asking = SecondOpinion::new(choice, 0, budget, (&calls, 4), &interrupted);
    if let Some(peer) = peer {
        asking.peers = vec![peer];
    }
    asking.ask(&mut formulas.store, claims)
}

/// Asks the installed z3.
fn ask(formulas: &mut Formulas, claims: &[Claim]) -> Vec<Answer> {
    let asked = ask_with(formulas, claims, budget(10 * SECOND, PATIENT), &OpinionChoice::default(), None);
    assert!(!asked.time_limited && asked.notes.is_empty(), "{asked:?}");
    asked.answers
}

fn words(answer: &Answer) -> String {
    match answer {
        Answer::Opinion(opinion) => opinion.to_string(),
        Answer::Contradicted(dissent) => format!("contradicted by {}", dissent.by),
    }
}

/// Each query is read to its echo; `answer` prints its argument and what the echo says.
const POLITE: &str = r#"
answer() {
    while read -r line; do
        case "$line" in "(echo "*) printf '%s\n' "$1"; t=${line#*\"}; printf '%s\n' "${t%%\"*}"; return 0;; esac
    done
    exit 0
}
"#;

/// A peer that is this script.
fn fake(body: &str) -> (TempDir, Peer) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = folder.path().join("solver.sh");
    fs::write(&script, format!("{POLITE}\n{body}\n")).expect("a writable temporary folder");
    let (executable, args) = ("/bin/sh".into(), vec![script.into()]);
    let margin = Duration::from_millis(50);
    let config = ProcessConfig { executable, args, reads: Reads::Pipe, margin, ..ProcessConfig::z3(0) };
    (folder, Peer::new("fake", config))
}

#[test]
fn what_is_impossible_is_confirmed_and_what_is_not_contradicted() {
    let mut formulas = Formulas::new();
    let right = claim(formulas.impossible(4.0), Means::Circuits);
    let wrong = claim(formulas.possible(), Means::Search);
    let mut both = right.clone();
    both.refutations.extend(wrong.refutations.clone());
    let answers = ask(&mut formulas, &[right, wrong.clone(), both]);
    assert!(words(&answers[0]).starts_with("confirmed by two (z3 "), "{answers:?}");
    for answer in &answers[1..] {
        let Answer::Contradicted(dissent) = answer else { panic!("{answers:?}") };
        assert_eq!((&dissent.terms, &dissent.doubt), (&wrong.refutations[0].terms, &None));
        let model = dissent.model.as_ref().expect("a model");
        let mut evaluator = labrys_term::Evaluator::new(&formulas.store, model);
        assert!(dissent.terms.iter().all(|term| evaluator.holds(*term) == Ok(true)));
    }
}

#[test]
fn what_intervals_know_of_libm_is_a_part_of_the_query() {
    // exp(x) < 1 with x > 1 is possible for any value of the call, but not for exp's.
    let mut formulas = Formulas::new();
    let x = formulas.x;
    let result = formulas.store.variable("exp!0", Sort::Float(Format::BINARY64));
    formulas.calls = vec![CallTerm { variable: result, function: Function::Exp, operands: vec![x] }];
    let terms = vec![formulas.between(1.5, x, 3.0), formulas.between(0.0, result, 1.0)];
    let refuted = Refutation { terms: terms.clone(), lemmas: None, means: Means::Propagation };
    let by_intervals = Claim { refutations: vec![refuted], missing: None };
    let answers = ask(&mut formulas, std::slice::from_ref(&by_intervals));
    assert!(words(&answers[0]).starts_with("confirmed by two"), "{answers:?}");
    // Without the facts it is no proof.
    let answers = ask(&mut formulas, &[claim(terms, Means::Search)]);
    assert!(words(&answers[0]).starts_with("contradicted"), "{answers:?}");
    // What intervals refute wrongly our own solver contradicts.
    let terms = vec![formulas.between(1.5, x, 3.0), formulas.between(5.0, result, 6.0)];
    let refuted = Refutation { terms, lemmas: None, means: Means::Propagation };
    let answers = ask(&mut formulas, &[Claim { refutations: vec![refuted], missing: None }]);
    assert!(words(&answers[0]).starts_with("contradicted by"), "{answers:?}");
}

#[test]
fn whatever_the_other_does_a_proof_stands_by_itself() {
    let wrong_model = "while true; do answer sat; answer '((x (fp #b0 #b10000000000 #x0000000000000)))'; done";
    for (body, expected) in [
        ("kill -9 $$", "by one: fake: the solver died: signal 9"),
        ("while read -r line; do echo maybe; done", "by one: fake: "),
        ("while true; do answer maybe; done", "by one: fake: the solver answered nonsense: maybe"),
        ("exec sleep 1000", "by one: fake: wall limit"),
        (wrong_model, "by one: fake said sat, with a model that does not satisfy the query"),
        (
            "while true; do answer unknown; answer '(:reason-unknown \"max. resource limit exceeded\")'; done",
            "by one: fake: work limit",
        ),
        ("answer unsat; kill -9 $$", "confirmed by two (fake)"),
    ] {
        let mut formulas = Formulas::new();
        let claims = [claim(formulas.impossible(4.0), Means::Circuits)];
        let (_folder, peer) = fake(body);
        let begun = Instant::now();
        let time = budget(SECOND, Duration::from_millis(400));
        let asked = ask_with(&mut formulas, &claims, time, &OpinionChoice::default(), Some(peer));
        assert!(words(&asked.answers[0]).starts_with(expected), "{body}: {asked:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{body}");
    }
}

#[test]
fn a_missing_solver_is_not_looked_for_again() {
    let mut formulas = Formulas::new();
    let claims: Vec<Claim> =
        [4.0, 5.0].map(|high| claim(formulas.impossible(high), Means::Circuits)).into_iter().collect();
    let config = ProcessConfig { executable: "/nowhere/z3".into(), ..ProcessConfig::z3(0) };
    let peer = Some(Peer::new("z3", config));
    let asked = ask_with(&mut formulas, &claims, budget(SECOND, PATIENT), &OpinionChoice::default(), peer);
    for answer in &asked.answers {
        assert!(words(answer).starts_with("by one: z3: no solver: /nowhere/z3"), "{asked:?}");
    }
}

#[test]
fn the_least_certain_is_asked_first_and_work_is_limited() {
    let mut formulas = Formulas::new();
    let claims = [
        claim(formulas.impossible(4.0), Means::Propagation),
        claim(formulas.impossible(5.0), Means::Calls),
        claim(formulas.impossible(6.0), Means::Search),
    ];
    // Each query takes more than half of the budget.
    let (_folder, peer) = fake(&format!("while true; do answer 'unsat\n(:rlimit {})'; done", SECOND * 6 / 10));
    let asked = ask_with(&mut formulas, &claims, budget(SECOND, PATIENT), &OpinionChoice::default(), Some(peer));
    let confirmed: Vec<bool> = asked.answers.iter().map(|answer| words(answer).starts_with("confirmed")).collect();
    assert_eq!(confirmed, [false, true, true]);
    assert_eq!(words(&asked.answers[0]), "by one: not asked: the work for second opinions was used up");
    assert!(!asked.time_limited);
    let over = ask_with(&mut formulas, &claims, budget(SECOND, Duration::ZERO), &OpinionChoice::default(), None);
    assert_eq!(words(&over.answers[0]), "by one: not asked: the time for second opinions was over");
    assert!(over.time_limited);
}

#[test]
fn what_cannot_be_asked_says_why() {
    let mut formulas = Formulas::new();
    let mut cut = claim(formulas.impossible(4.0), Means::Circuits);
    let claims = [cut.clone(), Claim::default()];
    let off = ask_with(&mut formulas, &claims, budget(SECOND, PATIENT), &OpinionChoice::off(), None);
    assert_eq!(words(&off.answers[0]), "by one: second opinions are off");
    cut.missing = Some("not asked: too many".to_owned());
    let answers = ask(&mut formulas, &[cut, Claim::default()]);
    assert_eq!(words(&answers[0]), "by one: not asked: too many");
    assert!(words(&answers[1]).starts_with("by one: there is no query"), "{answers:?}");
}

#[test]
fn queries_are_written_for_somebody_else() {
    let mut formulas = Formulas::new();
    let claims = [claim(formulas.impossible(4.0), Means::Circuits), claim(formulas.impossible(5.0), Means::Search)];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queries = folder.path().join("queries");
    let choice = OpinionChoice { bitwuzla: Some(queries.clone()), ..OpinionChoice::off() };
    let asked = ask_with(&mut formulas, &claims, budget(SECOND, PATIENT), &choice, None);
    assert!(words(&asked.answers[0]).starts_with("by one: its queries were written into "), "{asked:?}");
    let names: Vec<String> = fs::read_dir(&queries)
        .expect("the folder was made")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a name"))
        .collect();
    assert!(names.contains(&"README.md".to_owned()) && names.len() == 3, "{names:?}");
    let query = names.iter().find(|name| name.starts_with("proof-")).expect("a query");
    let text = fs::read_to_string(queries.join(query)).expect("readable");
    assert!(
        text.contains("(set-info :status unsat)\n(set-logic QF_BVFP)\n") && text.ends_with("(check-sat)\n"),
        "{text}"
    );
    // A folder that cannot be written costs nothing but a note.
    let choice = OpinionChoice { bitwuzla: Some("/proc/queries".into()), ..OpinionChoice::off() };
    let asked = ask_with(&mut formulas, &claims, budget(SECOND, PATIENT), &choice, None);
    assert!(asked.notes[0].starts_with("the queries of proofs are not all written"), "{asked:?}");
}
