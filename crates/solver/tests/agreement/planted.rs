//! Formulas with planted models: every `unsat` is wrong, and so is every set that propagation finds without the planted value.
//!
//! Each engine is asked alone, so that no other one hides its faults: as it is, with what propagation knows, behind each step of
//! preparation and behind all, and query by query as by one. What goes wrong is shrunk before it is reported.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use labrys_formulas::{Formula, Shape, shrink};
use labrys_solver::prepare::PrepareConfig;

use crate::engines::{self, Decider, EngineKind, Patience, Way};
use crate::{folder, judged, seeds, text, write};

/// Formulas of a test, unless more are asked for.
const COUNT: u64 = 3_000;

/// Failures that are shrunk and reported.
const MOST_REPORTED: usize = 12;

/// One engine's turn: most formulas need a tenth.
const PATIENCE: Patience = Patience { engine: Duration::from_millis(12), local: Duration::from_millis(3) };

/// What is done with a formula.
#[derive(Clone, Copy, Debug)]
enum Check {
    /// The planted values lie in the sets that propagation finds.
    Domains,
    /// A decider does not say unsat, and its models are models.
    Verdict(Decider),
}

impl Check {
    /// What goes wrong, and whether anything was decided.
    fn run(self, formula: &Formula) -> Result<bool, String> {
        let caught = catch_unwind(AssertUnwindSafe(|| match self {
            Check::Domains => {
                let models: Vec<_> = formula.model.iter().cloned().collect();
                engines::facts_hold(formula, &models, PATIENCE).map(|()| true)
            }
            Check::Verdict(decider) => {
                judged(decider.decide(formula, PATIENCE), formula, Some(true), false).map(|found| found.is_some())
            }
        }));
        caught.unwrap_or_else(|panic| {
            let what = panic.downcast_ref::<String>().cloned();
            Err(format!(
                "a panic: {}",
                what.or_else(|| panic.downcast_ref().map(|s: &&str| (*s).to_owned())).unwrap_or_default()
            ))
        })
    }
}

/// What engines read without preparation.
fn guarded_checks(_: u64) -> Vec<Check> {
    use EngineKind::{BitBlast, Certify, CertifyFacts, Incremental, Interval, Local, Prune};
    let mut checks = vec![Check::Domains];
    for kind in [BitBlast, Interval, Local, Incremental, Certify, CertifyFacts, Prune] {
        checks.push(Check::Verdict(Decider::Alone(kind, Way::Raw)));
    }
    for kind in [BitBlast, Interval, Local] {
        checks.push(Check::Verdict(Decider::Alone(kind, Way::Facts)));
    }
    checks
}

/// All steps of preparation before each engine, and in turn each step alone and none.
fn prepared_checks(seed: u64) -> Vec<Check> {
    let mut checks = vec![Check::Verdict(Decider::Portfolio), Check::Verdict(Decider::Session)];
    let some = engines::PREPARATIONS[seed as usize % engines::PREPARATIONS.len()];
    for config in [PrepareConfig::default(), some] {
        for kind in [EngineKind::BitBlast, EngineKind::Interval, EngineKind::Local] {
            checks.push(Check::Verdict(Decider::Alone(kind, Way::Prepared(config))));
        }
    }
    checks
}

/// A failure, shrunk.
fn reported(seed: u64, check: Check, what: &str, formula: &Formula) -> String {
    // The same kind of failure: a wrong verdict must not become a wrong model on the way.
    let kind = |what: &str| what.split(':').next().unwrap_or_default().to_owned();
    let wanted = kind(what);
    let small = shrink(formula, |formula| check.run(formula).is_err_and(|what| kind(&what) == wanted));
    format!("seed {seed}: {check:?}: {what}\n{}", text(&small))
}

/// Every check on every formula of a shape, by as many threads as there are processors.
fn clean(shape: &Shape, seeds: std::ops::Range<u64>, checks: fn(u64) -> Vec<Check>) {
    let failures = Mutex::new(Vec::new());
    let next = AtomicU64::new(seeds.start);
    let [asked, decided, wrong] = [(); 3].map(|()| AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let formula = Formula::planted(seed, shape);
                    if let Some(folder) = folder() {
                        write(
                            &folder,
                            &format!("planted-{}-{seed}", if shape.open { "open" } else { "guarded" }),
                            &formula,
                            true,
                        );
                    }
                    for check in checks(seed) {
                        asked.fetch_add(1, Ordering::Relaxed);
                        match check.run(&formula) {
                            Ok(any) => drop(decided.fetch_add(u64::from(any), Ordering::Relaxed)),
                            Err(what) => {
                                wrong.fetch_add(1, Ordering::Relaxed);
                                if failures.lock().is_ok_and(|failures| failures.len() < MOST_REPORTED) {
                                    let report = reported(seed, check, &what, &formula);
                                    if let Ok(mut failures) = failures.lock() {
                                        failures.push(report);
                                    }
                                }
                            }
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_default();
    let [asked, decided, wrong] = [asked, decided, wrong].map(AtomicU64::into_inner);
    assert!(wrong == 0, "{wrong} wrong answers, among them:\n\n{}", failures.join("\n\n"));
    println!("{} formulas, {asked} questions, {decided} decided, none wrongly", seeds.end - seeds.start);
    assert!(decided * 2 > asked, "{decided} of {asked} decided");
}

#[test]
fn planted_formulas_are_satisfiable_to_every_engine_alone() {
    clean(&Shape::guarded(), seeds(COUNT), guarded_checks);
}

#[test]
fn planted_formulas_are_satisfiable_behind_every_step_of_preparation() {
    clean(&Shape::full(), seeds(COUNT), prepared_checks);
}

#[test]
fn planted_formulas_of_wide_integers_are_satisfiable_to_every_engine() {
    clean(&Shape::wide(), seeds(COUNT / 5), |seed| [guarded_checks(seed), prepared_checks(seed)].concat());
}
