//! Proofs by CaDiCaL, and the engine that has them checked.

use std::io::{BufReader, Read, Seek};

use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId};

use super::budgets::hard;
use super::random::Terms;
use crate::bitblast::certified::CertifyingBitBlaster;
use crate::bitblast::cnf::Clauses as _;
use crate::bitblast::sat::{Answer, Traced};
use crate::bitblast::trace::Trace;
use crate::domain::{BitVecDomain, Domain, Facts};
use crate::lrat::{Formula, check};
use crate::{Budget, Engine, Query, Verdict, Why};

/// Proofs may have this size.
const LARGEST: u64 = 1 << 24;

/// Clauses of one to four literals over `variables` variables, some with a literal twice or with its negation.
fn random_formula(random: &mut Random, variables: usize, clauses: usize) -> Formula {
    let mut formula = Formula::new();
    for _ in 0..clauses {
        let size = [1, 2, 3, 3, 3, 3, 3, 3, 3, 4][random.below(10)];
        let literal =
            |random: &mut Random| (random.below(variables) as i32 + 1) * if random.below(2) == 0 { 1 } else { -1 };
        let clause: Vec<i32> = (0..size).map(|_| literal(random)).collect();
        formula.add(&clause);
    }
    formula
}

fn satisfiable(formula: &Formula) -> bool {
    (0..1u32 << formula.variables()).any(|assignment| {
        formula.clauses().all(|clause| {
            clause.iter().any(|literal| (assignment >> (literal.unsigned_abs() - 1) & 1 == 1) == (*literal > 0))
        })
    })
}

/// CaDiCaL's answer, and its proof where that is unsat.
fn solved(formula: &Formula, numbered: &Formula) -> Option<Vec<u8>> {
    let file = tempfile::tempfile().expect("a file");
    let mut traced = Traced::new(0, Trace::new(file, numbered.len() as u64, LARGEST));
    formula.clauses().for_each(|clause| traced.sat.add(clause));
    match traced.sat.solve(&[], &Budget::unlimited()) {
        Answer::Unsat(_) => {
            let mut file = traced.into_proof().expect("a whole proof");
            let mut proof = Vec::new();
            file.rewind().and_then(|()| file.read_to_end(&mut proof)).expect("a file");
            Some(proof)
        }
        _ => None,
    }
}

fn accepts(formula: &Formula, proof: &[u8]) -> bool {
    check(formula, BufReader::new(proof), &Budget::unlimited()).is_ok()
}

#[test]
fn proofs_of_random_formulas_are_accepted() {
    let mut proved = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let variables = 4 + random.below(5);
        let mut formula = random_formula(&mut random, variables, variables * 5);
        let proof = solved(&formula, &formula);
        assert_eq!(proof.is_none(), satisfiable(&formula), "seed {seed}");
        let Some(proof) = proof else { continue };
        assert!(accepts(&formula, &proof), "seed {seed}");
        proved += 1;
        // With clauses that say nothing in the place of some, until there are models: then nothing is a proof.
        while !satisfiable(&formula) {
            let replaced = random.below(formula.len());
            let mut weaker = Formula::new();
            for (place, clause) in formula.clauses().enumerate() {
                weaker.add(if place == replaced { &[1, -1] } else { clause });
            }
            formula = weaker;
        }
        assert!(!accepts(&formula, &proof), "seed {seed}");
        for _ in 0..20 {
            let mut mutant = proof.clone();
            let place = random.below(mutant.len());
            match random.below(3) {
                0 => drop(mutant.remove(place)),
                1 => mutant[place] = random.below(24) as u8,
                _ => mutant.insert(place, random.below(24) as u8),
            }
            assert!(!accepts(&formula, &mutant), "seed {seed}: {mutant:?}");
        }
    }
    assert!(proved > 150, "{proved}");
}

/// A solver that believes a clause which the formula does not have, as one with a fault does.
#[test]
fn a_planted_clause_is_caught() {
    let mut formula = Formula::new();
    [[1, 2], [-1, 2], [-2, 3]].iter().for_each(|clause| formula.add(clause));
    let mut planted = formula.clone();
    planted.add(&[-3, -3]);
    let proof = solved(&planted, &formula).expect("the planted clause contradicts the others");
    assert!(accepts(&planted, &solved(&planted, &planted).expect("it does")));
    assert!(!accepts(&formula, &proof));
}

/// x · y and y · x in so many bits, and that they differ.
fn commuted(width: u32) -> (Store, TermId) {
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(width)));
    let products = [[x, y], [y, x]].map(|factors| store.mk(Op::BvMul, &factors));
    let differ = store.mk(Op::Distinct, &products);
    (store, differ)
}

fn certified(store: &Store, assertions: &[TermId], facts: &Facts, largest: u64) -> (Verdict, Vec<(&'static str, u64)>) {
    let mut engine = CertifyingBitBlaster::new(largest);
    let verdict = engine.check(&Query { store, assertions, facts }, &Budget::unlimited());
    (verdict, engine.statistics())
}

#[test]
fn unsat_has_a_checked_proof() {
    let (store, differ) = commuted(5);
    let (verdict, statistics) = certified(&store, &[differ], &Facts::default(), LARGEST);
    assert_eq!(verdict, Verdict::Unsat);
    let steps = statistics.iter().find(|(name, _)| *name == "proof-steps").map(|(_, steps)| *steps);
    assert!(steps.is_some_and(|steps| steps > 10), "{statistics:?}");
}

#[test]
fn too_large_a_proof_is_none() {
    let (store, differ) = commuted(6);
    let (verdict, _) = certified(&store, &[differ], &Facts::default(), 1000);
    assert_eq!(verdict, Verdict::Unknown(Why::Uncertified("the proof is larger than 1000 bytes".to_owned())));
}

/// What propagation says is not believed: here it says wrongly that x is 3.
#[test]
fn wrong_facts_are_not_read() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(4));
    let five = store.bv_const(4, 5u8);
    let equal = store.mk(Op::Eq, &[x, five]);
    let mut facts = Facts::default();
    facts.domains.insert(x, Domain::BitVec(BitVecDomain::only(4, 3)));
    let (verdict, _) = certified(&store, &[equal], &facts, LARGEST);
    assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
}

#[test]
fn kept_files_hold_the_clauses_and_their_proof() {
    let (store, differ) = commuted(4);
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine = CertifyingBitBlaster::new(LARGEST).keeping(&folder.path().join("check.1"));
    let facts = Facts::default();
    let query = Query { store: &store, assertions: &[differ], facts: &facts };
    assert_eq!(engine.check(&query, &Budget::unlimited()), Verdict::Unsat);
    let clauses = std::fs::read_to_string(folder.path().join("check.1.cnf")).expect("clauses");
    let mut formula = Formula::new();
    for line in clauses.lines().skip(1) {
        let clause: Vec<i32> = line.split(' ').map(|word| word.parse().expect("a literal")).collect();
        formula.add(clause.split_last().expect("a zero").1);
    }
    assert!(accepts(&formula, &std::fs::read(folder.path().join("check.1.lrat")).expect("a proof")));
    let mut engine = CertifyingBitBlaster::new(LARGEST).keeping(&folder.path().join("stopped"));
    let (store, differ) = hard();
    let stopped = Query { store: &store, assertions: &[differ], facts: &facts };
    let stopped = engine.check(&stopped, &Budget { work: 100, ..Budget::unlimited() });
    assert_eq!(stopped, Verdict::Unknown(Why::Work));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    let mut engine = CertifyingBitBlaster::new(LARGEST).keeping(&folder.path().join("no/such"));
    let nowhere = engine.check(&query, &Budget::unlimited());
    assert!(matches!(nowhere, Verdict::Unknown(Why::Uncertified(_))), "{nowhere:?}");
}

#[test]
fn random_queries_are_decided_as_by_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let terms = Terms::new(&mut random, 3, 25);
        let assertions: Vec<TermId> = (0..3).map(|_| random.pick(&terms.bools)).collect();
        match certified(&terms.store, &assertions, &Facts::default(), LARGEST).0 {
            Verdict::Sat(model) => {
                assert!(terms.holds(&model, &assertions), "seed {seed}");
                sat += 1;
            }
            Verdict::Unsat => {
                assert!(!terms.models(3).iter().any(|model| terms.holds(model, &assertions)), "seed {seed}");
                unsat += 1;
            }
            Verdict::Unknown(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(sat > 10 && unsat > 10, "{sat} {unsat}");
}
