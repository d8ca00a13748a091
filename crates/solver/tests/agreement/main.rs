//! Engines against enumeration, against each other where there is too much to enumerate, and against planted models.
//!
//! `cargo xtask agree` runs these tests with more formulas, and asks other solvers about the files that they write then.
//!
//! - `LABRYS_AGREEMENT_COUNT`: formulas of each test; 300 by default, of the planted ones 3,000.
//! - `LABRYS_AGREEMENT_SEED`: the first formula's seed; 0 by default.
//! - `LABRYS_AGREEMENT_FOLDER`: where to write each decided formula with its status; nowhere by default.

mod engines;
mod enumerate;
mod planted;
mod regressions;

use std::path::{Path, PathBuf};

use engines::{Decider, Patience};
use labrys_formulas::{Formula, Shape};
use labrys_solver::Verdict;
use labrys_term::smtlib;

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How many formulas.
fn count(default: u64) -> u64 {
    setting("LABRYS_AGREEMENT_COUNT", default)
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("LABRYS_AGREEMENT_SEED", 0);
    first..first + count(default)
}

/// Formulas of a test, unless more are asked for.
const COUNT: u64 = 300;

fn folder() -> Option<PathBuf> {
    std::env::var_os("LABRYS_AGREEMENT_FOLDER").map(PathBuf::from)
}

fn text(formula: &Formula) -> String {
    let options = smtlib::Options { logic: Some("ALL".to_owned()), produce_models: false, check_sat: true };
    smtlib::print_script(&formula.store, &formula.assertions, &options)
}

/// Writes a formula with its status.
fn write(folder: &Path, name: &str, formula: &Formula, satisfiable: bool) {
    let status = if satisfiable { "sat" } else { "unsat" };
    let path = folder.join(format!("{name}.smt2"));
    std::fs::write(&path, format!("(set-info :status {status})\n{}", text(formula))).expect("a writable folder");
}

/// What is wrong with a verdict, given what is known; else what it says.
fn judged(verdict: Verdict, formula: &Formula, known: Option<bool>, must_decide: bool) -> Result<Option<bool>, String> {
    match verdict {
        Verdict::Sat(mut model) => {
            model.complete(&formula.store, &formula.assertions);
            if !enumerate::satisfies(&formula.store, &formula.assertions, &model) {
                return Err(format!("a model that is none: {model:?}"));
            }
            if known == Some(false) {
                return Err("sat, though no assignment satisfies it".to_owned());
            }
            Ok(Some(true))
        }
        Verdict::Unsat if known == Some(true) => Err("unsat, though it has a model".to_owned()),
        Verdict::Unsat => Ok(Some(false)),
        Verdict::Unknown(why) if must_decide => Err(format!("unknown: {why}")),
        Verdict::Unknown(_) => Ok(None),
    }
}

/// One verdict of a decider that may give up, against what is known.
fn check(decider: Decider, formula: &Formula, known: Option<bool>, seed: u64, patience: Patience) -> Option<bool> {
    let must_decide = decider.is_complete() && known.is_some();
    judged(decider.decide(formula, patience), formula, known, must_decide)
        .unwrap_or_else(|what| panic!("seed {seed}: {decider:?}: {what}\n{}", text(formula)))
}

/// Every decider on tiny formulas of a shape.
fn agree_with_enumeration(shape: &Shape, name: &str, deciders: &[Decider]) {
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for seed in seeds(COUNT) {
        let formula = Formula::free(seed, shape);
        let Some(found) = enumerate::enumerate(&formula, 4) else { continue };
        let known = found.verdict();
        satisfiable += u64::from(known == Some(true));
        unsatisfiable += u64::from(known == Some(false));
        if !shape.open {
            engines::facts_hold(&formula, &found.models, Patience::TINY)
                .unwrap_or_else(|what| panic!("seed {seed}: {what}\n{}", text(&formula)));
        }
        for decider in deciders {
            check(*decider, &formula, known, seed, Patience::TINY);
        }
        if let (Some(folder), Some(known)) = (folder(), known) {
            write(&folder, &format!("tiny-{name}-{seed}"), &formula, known);
        }
    }
    // Neither kind is rare, so that wrong answers of both kinds would show.
    let decided = satisfiable + unsatisfiable;
    assert!(
        satisfiable * 5 > decided && unsatisfiable * 5 > decided && decided * 2 > count(COUNT),
        "{satisfiable} sat, {unsatisfiable} unsat"
    );
}

#[test]
fn engines_agree_with_enumeration() {
    agree_with_enumeration(&Shape::tiny(), "guarded", &engines::deciders());
}

#[test]
fn engines_behind_preparation_agree_with_enumeration() {
    agree_with_enumeration(&Shape::tiny_open(), "open", &engines::prepared_deciders());
}

/// Every decider on formulas that are too large to enumerate.
fn agree_with_each_other(shape: &Shape, name: &str, deciders: &[Decider]) {
    for seed in seeds(COUNT).step_by(4) {
        let formula = Formula::free(seed, shape);
        let mut known = None;
        for &decider in deciders {
            let found = check(decider, &formula, None, seed, Patience::COMMON);
            if let (Some(known), Some(found)) = (known, found) {
                assert_eq!(known, found, "seed {seed}: {decider:?}\n{}", text(&formula));
            }
            known = known.or(found);
        }
        if let (Some(folder), Some(known)) = (folder(), known) {
            write(&folder, &format!("{name}-{seed}"), &formula, known);
        }
    }
}

#[test]
fn engines_agree_with_each_other_on_common_formats() {
    agree_with_each_other(&Shape::common(), "common", &[engines::deciders(), engines::prepared_deciders()].concat());
}

#[test]
fn engines_behind_preparation_agree_with_each_other_on_all_formats() {
    agree_with_each_other(&Shape::full(), "full", &engines::prepared_deciders());
}
