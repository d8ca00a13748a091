//! Engines against enumeration, and against each other where there is too much to enumerate.
//!
//! `cargo xtask agree` runs these tests with more formulas, and asks other solvers about the files that they write then.
//!
//! - `LABRYS_AGREEMENT_COUNT`: formulas of each test; 300 by default.
//! - `LABRYS_AGREEMENT_SEED`: the first formula's seed; 0 by default.
//! - `LABRYS_AGREEMENT_FOLDER`: where to write each decided formula with its status; nowhere by default.

mod engines;
mod enumerate;
mod formula;

use std::path::{Path, PathBuf};

use engines::Decider;
use formula::{Flavour, Formula};
use labrys_solver::Verdict;
use labrys_term::smtlib;

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn count() -> u64 {
    setting("LABRYS_AGREEMENT_COUNT", 300)
}

fn seeds() -> std::ops::Range<u64> {
    let first = setting("LABRYS_AGREEMENT_SEED", 0);
    first..first + count()
}

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

/// One verdict of a decider that may give up, against what is known.
fn check(decider: &Decider, formula: &Formula, known: Option<bool>, seed: u64) -> Option<bool> {
    let complain = |what: &str| -> ! { panic!("seed {seed}: {}: {what}\n{}", decider.name, text(formula)) };
    match (decider.decide)(formula) {
        Verdict::Sat(model) => {
            let mut model = model;
            model.complete(&formula.store, &formula.assertions);
            if !enumerate::satisfies(&formula.store, &formula.assertions, &model) {
                complain(&format!("a model that is none: {model:?}"));
            }
            if known == Some(false) {
                complain("sat, though no assignment satisfies it");
            }
            Some(true)
        }
        Verdict::Unsat => {
            if known == Some(true) {
                complain("unsat, though it has a model");
            }
            Some(false)
        }
        Verdict::Unknown(why) => {
            if decider.complete && known.is_some() {
                complain(&format!("unknown: {why}"));
            }
            None
        }
    }
}

/// Every decider on tiny formulas of a flavour.
fn agree_with_enumeration(flavour: Flavour, deciders: &[Decider]) {
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for seed in seeds() {
        let formula = formula::formula(seed, flavour, &formula::TINY, 5);
        let Some(found) = enumerate::enumerate(&formula, 4) else { continue };
        let known = found.verdict();
        satisfiable += u64::from(known == Some(true));
        unsatisfiable += u64::from(known == Some(false));
        if flavour == Flavour::Guarded {
            engines::facts_hold(&formula, &found.models)
                .unwrap_or_else(|what| panic!("seed {seed}: {what}\n{}", text(&formula)));
        }
        for decider in deciders {
            check(decider, &formula, known, seed);
        }
        if let (Some(folder), Some(known)) = (folder(), known) {
            write(&folder, &format!("tiny-{flavour:?}-{seed}"), &formula, known);
        }
    }
    // Neither kind is rare, so that wrong answers of both kinds would show.
    let decided = satisfiable + unsatisfiable;
    assert!(
        satisfiable * 5 > decided && unsatisfiable * 5 > decided && decided * 2 > count(),
        "{satisfiable} sat, {unsatisfiable} unsat"
    );
}

#[test]
fn engines_agree_with_enumeration() {
    agree_with_enumeration(Flavour::Guarded, &engines::deciders());
}

#[test]
fn engines_behind_preparation_agree_with_enumeration() {
    agree_with_enumeration(Flavour::Open, &engines::prepared_deciders());
}

#[test]
fn engines_agree_with_each_other_on_common_formats() {
    for seed in seeds().step_by(4) {
        let formula = formula::formula(seed, Flavour::Guarded, &formula::COMMON, 64);
        let mut known = None;
        for decider in engines::deciders().iter().chain(&engines::prepared_deciders()) {
            let found = check(decider, &formula, None, seed);
            if let (Some(known), Some(found)) = (known, found) {
                assert_eq!(known, found, "seed {seed}: {}\n{}", decider.name, text(&formula));
            }
            known = known.or(found);
        }
        if let (Some(folder), Some(known)) = (folder(), known) {
            write(&folder, &format!("common-{seed}"), &formula, known);
        }
    }
}
