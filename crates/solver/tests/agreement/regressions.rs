//! Formulas that engines once answered wrongly, the smallest of each kind: all have models.

use labrys_formulas::Formula;
use labrys_solver::prepare::PrepareConfig;
use labrys_term::Store;
use labrys_term::smtlib::script::{Command, Script, Source};

use crate::engines::{self, Decider, EngineKind, Patience, Way};
use crate::judged;

fn read(text: &str) -> Formula {
    let (mut store, mut script, mut source) = (Store::new(), Script::new(), Source::new(text.as_bytes()));
    let mut assertions = Vec::new();
    while let Some(command) = script.next(&mut store, &mut source).expect("a script") {
        if let Command::Assert { term, .. } = command {
            assertions.push(term);
        }
    }
    let variables = store.free_variables(&assertions);
    let variables = variables.into_iter().map(|variable| store.variable_term(variable)).collect();
    Formula { store, assertions, variables, model: None }
}

/// Every engine alone says sat or nothing; at least one and the portfolio say sat.
fn is_satisfiable(text: &str) {
    let formula = read(text);
    let mut deciders = vec![Decider::Portfolio, Decider::Session];
    for kind in [EngineKind::BitBlast, EngineKind::Interval, EngineKind::Local] {
        let configs = engines::PREPARATIONS.into_iter().chain([PrepareConfig::default()]);
        deciders.extend(configs.map(|config| Decider::Alone(kind, Way::Prepared(config))));
    }
    let has_arrays = text.contains("Array");
    use EngineKind::{BitBlast, Certify, CertifyFacts, Incremental, Interval, Local, Prune};
    for kind in [BitBlast, Interval, Local, Incremental, Certify, CertifyFacts, Prune] {
        if !has_arrays {
            deciders.extend([Way::Raw, Way::Facts].map(|way| Decider::Alone(kind, way)));
        }
    }
    for decider in deciders {
        let patience = if matches!(decider, Decider::Portfolio) { Patience::TINY } else { Patience::COMMON };
        let found = judged(decider.decide(&formula, patience), &formula, Some(true), false);
        let found = found.unwrap_or_else(|what| panic!("{decider:?}: {what}\n{text}"));
        assert!(found == Some(true) || !matches!(decider, Decider::Portfolio), "{decider:?} gives up\n{text}");
    }
}

/// Bounds of 128-bit dividends saturated, and the greatest one was lost: 2^128 − 1 divided by 1.
#[test]
fn quotients_of_the_widest_words_reach_the_greatest_dividend() {
    is_satisfiable(
        "(declare-const x (_ BitVec 128)) (assert (bvsge (_ bv0 128) (bvudiv (bvnot (_ bv0 128)) x)))
         (assert (not (= x (_ bv0 128)))) (check-sat)",
    );
}

/// Of a concatenation of three known parts only two were joined, to a fact that circuits then rested on.
#[test]
fn concatenations_of_one_bit_three_times_have_three_bits() {
    is_satisfiable(
        "(declare-const v (_ BitVec 1)) (declare-const x (_ BitVec 4)) (assert (bvuge x ((_ zero_extend 1) (concat v v v))))
         (assert (bvugt ((_ sign_extend 3) v) x)) (check-sat)",
    );
}

/// The same with a float's parts.
#[test]
fn floats_joined_of_sign_exponent_and_fraction_have_all_three() {
    is_satisfiable(
        "(declare-const s (_ BitVec 1)) (declare-const e (_ BitVec 8)) (declare-const f (_ BitVec 23)) (declare-const x Float32)
         (define-fun c () Float32 ((_ to_fp 8 24) (concat s e f))) (assert (bvuge e #xfe)) (assert (bvult e #xff))
         (assert (= s (ite (bvuge e #x10) #b1 #b0))) (assert (fp.lt x c)) (assert (not (fp.isInfinite x))) (check-sat)",
    );
}

/// The same with the bytes of an array.
#[test]
fn floats_joined_of_bytes_of_an_array_have_all_of_them() {
    is_satisfiable(
        "(set-logic QF_ABVFP) (declare-const m (Array (_ BitVec 32) (_ BitVec 8))) (declare-const p (_ BitVec 32))
         (declare-const q (_ BitVec 32))
         (define-fun w () (_ BitVec 32) (concat (select m (_ bv3 32)) (concat (select m (_ bv2 32))
             (concat (select m (_ bv1 32)) (select m (_ bv0 32))))))
         (assert (bvuge (select m (_ bv3 32)) #xff)) (assert (bvuge (select m (_ bv2 32)) #xff))
         (assert (bvuge (bvor w #x00000001) #x80000000)) (assert (fp.isNaN ((_ to_fp 8 24) w)))
         (assert (= (bvmul p q) (_ bv3000589987 32))) (assert (bvult p (_ bv65536 32))) (assert (bvult q (_ bv65536 32)))
         (assert (bvugt p #x00000001)) (assert (bvugt q p)) (check-sat)",
    );
}

/// Arrays with two indices were given up on once three index terms were compared.
#[test]
fn arrays_over_truth_values_are_compared_at_both() {
    is_satisfiable(
        "(set-logic QF_ABV) (declare-const a (Array Bool (_ BitVec 2))) (declare-const b (Array Bool (_ BitVec 2)))
         (declare-const c Bool) (declare-const d Bool) (assert (not (= a b))) (assert (= (select a c) (select b c)))
         (assert (= (store a d (_ bv1 2)) (store b c (_ bv2 2)))) (check-sat)",
    );
}

/// The same with the five rounding modes.
#[test]
fn arrays_over_rounding_modes_are_compared_at_all() {
    is_satisfiable(
        "(set-logic QF_ABVFP) (declare-const a (Array RoundingMode Bool)) (declare-const b (Array RoundingMode Bool))
         (declare-const r RoundingMode) (declare-const s RoundingMode) (assert (not (= a b)))
         (assert (select a RNE)) (assert (select a RNA)) (assert (select b RTP)) (assert (select b RTN))
         (assert (= (store (store a r false) RTZ true) (store (store b s false) RTZ true))) (check-sat)",
    );
}
