//! Right proofs are accepted, wrong ones are not.

use proptest::prelude::*;

use super::{Checked, Formula, Rejected, Writer, check};
use crate::Budget;

/// A step to be written: a clause with its number and hints, or a deletion.
#[derive(Clone, Debug)]
enum Step {
    Add(u64, Vec<i32>, Vec<u64>),
    Delete(Vec<u64>),
}

fn formula(clauses: &[&[i32]]) -> Formula {
    let mut formula = Formula::new();
    clauses.iter().for_each(|clause| formula.add(clause));
    formula
}

fn written(steps: &[Step]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for step in steps {
        match step {
            Step::Add(id, clause, hints) => writer.add(*id, clause.iter().copied(), hints.iter().copied()),
            Step::Delete(ids) => writer.delete(ids.iter().copied()),
        }
        .expect("memory");
    }
    let bytes = writer.bytes();
    let proof = writer.into_output();
    assert_eq!(bytes, proof.len() as u64);
    proof
}

fn verdict(formula: &Formula, proof: &[u8]) -> Result<Checked, Rejected> {
    check(formula, proof, &Budget::unlimited())
}

/// Two equal bits that differ, and their refutation: every hint of it is needed.
fn example() -> (Formula, Vec<Step>) {
    let formula = formula(&[&[1, 2], &[1, -2], &[-1, 3, 4], &[-3, 4], &[-1, -4]]);
    let steps = vec![
        Step::Add(6, vec![1], vec![1, 2]),
        Step::Delete(vec![1, 2]),
        Step::Add(7, vec![-1, -3], vec![5, 4]),
        Step::Add(9, vec![-3], vec![6, 7]),
        Step::Delete(vec![7]),
        Step::Add(12, vec![], vec![6, 9, 3, 5]),
    ];
    (formula, steps)
}

#[test]
fn a_right_proof_is_accepted() {
    let (formula, steps) = example();
    let proof = written(&steps);
    let checked = verdict(&formula, &proof).expect("it is right");
    assert_eq!(checked, Checked { steps: 6, bytes: proof.len() as u64 });
    let with_more = [proof, b"garbage".to_vec()].concat();
    assert_eq!(verdict(&formula, &with_more).expect("what follows the empty clause matters no more"), checked);
}

#[test]
fn every_mutation_of_a_step_is_rejected() {
    let (formula, steps) = example();
    let mut mutants = Vec::new();
    let mut mutate = |place: usize, step: Step| {
        let mut mutant = steps.clone();
        mutant[place] = step;
        mutants.push(mutant);
    };
    for (place, step) in steps.iter().enumerate() {
        let Step::Add(id, clause, hints) = step else { continue };
        for hint in 0..hints.len() {
            let mut fewer = hints.clone();
            fewer.remove(hint);
            mutate(place, Step::Add(*id, clause.clone(), fewer));
            for wrong in [0, 1, 2, *id, 10, 1 << 40] {
                let mut other = hints.clone();
                other[hint] = wrong;
                // Clauses 1 and 2 are the hints of the first step.
                if place > 0 {
                    mutate(place, Step::Add(*id, clause.clone(), other));
                }
            }
        }
        for wrong in [0, 1, 5] {
            mutate(place, Step::Add(wrong, clause.clone(), hints.clone()));
        }
        for literal in 0..clause.len() {
            for wrong in [-clause[literal], clause[literal].signum() * 2, 5, -5, i32::MAX] {
                let mut other = clause.clone();
                other[literal] = wrong;
                mutate(place, Step::Add(*id, other, hints.clone()));
            }
        }
        mutate(place, Step::Delete(vec![4, 5, 3]));
    }
    mutate(1, Step::Delete(vec![1, 1]));
    mutate(1, Step::Delete(vec![3]));
    mutate(4, Step::Delete(vec![1]));
    mutate(4, Step::Delete(vec![6]));
    assert!(mutants.len() > 60);
    for mutant in mutants {
        assert!(verdict(&formula, &written(&mutant)).is_err(), "{mutant:?}");
    }
}

#[test]
fn a_proof_that_ends_early_is_rejected() {
    let (formula, steps) = example();
    assert!(matches!(verdict(&formula, &written(&steps[..5])), Err(Rejected::Unfinished)));
    let proof = written(&steps);
    for length in 0..proof.len() {
        assert!(verdict(&formula, &proof[..length]).is_err(), "{length} bytes");
    }
}

/// Resolution on a literal keeps satisfiability, but what it adds is not implied.
#[test]
fn steps_that_are_not_implied_are_rejected() {
    let formula = formula(&[&[1, 2]]);
    // Clause 2, `1`, with no hint before those of the resolvents with clause 1: 2·1 + 1.
    let proof = [b'a', 4, 2, 0, 3, 0];
    assert!(matches!(verdict(&formula, &proof), Err(Rejected::NotImplied { step: 1 })));
    assert!(matches!(verdict(&formula, &[b'a', 4, 2, 0, 0]), Err(Rejected::NoConflict { step: 1 })));
    // A clause that is always true is nothing that a solver derives.
    let literal = verdict(&formula, &[b'a', 4, 2, 3, 0, 2, 0]);
    assert!(matches!(literal, Err(Rejected::Literal { step: 1, literal: -1 })));
}

#[test]
fn a_used_up_budget_ends_the_check() {
    let formula = formula(&[&[1], &[-1]]);
    let steps: Vec<Step> = (0..5000).map(|step| Step::Add(3 + step, vec![1], vec![1])).collect();
    let budget = Budget::unlimited();
    budget.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(check(&formula, &written(&steps)[..], &budget), Err(Rejected::Stopped(_))));
}

#[test]
fn an_empty_clause_of_the_formula_needs_no_proof() {
    assert!(verdict(&formula(&[&[1], &[]]), &[]).is_ok());
    assert!(verdict(&formula(&[]), &[]).is_err());
}

#[test]
fn formulas_are_written_in_dimacs() {
    let mut text = Vec::new();
    formula(&[&[1, -3], &[2]]).write_dimacs(&mut text).expect("memory");
    assert_eq!(String::from_utf8_lossy(&text), "p cnf 3 2\n1 -3 0\n2 0\n");
}

/// Bytes that begin like steps, so that they are not all refused at once.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'd'), Just(0), 0..24u8, any::<u8>()], 0..60)
}

proptest! {
    #[test]
    fn no_bytes_refute_a_satisfiable_formula(bytes in bytes()) {
        let formula = formula(&[&[1, 2], &[-1, 3], &[-2, 3], &[-3, 4, 5]]);
        prop_assert!(verdict(&formula, &bytes).is_err());
    }
}
