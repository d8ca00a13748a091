use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId};

use super::random::Terms;
use crate::Budget;
use crate::bitblast::{IncrementalBitBlaster, IncrementalVerdict};

#[test]
fn levels_and_assumptions_agree_with_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let terms = Terms::new(&mut random, 3, 25);
        let models = terms.models(3);
        let mut solver = IncrementalBitBlaster::new(seed);
        let mut stack: Vec<Vec<TermId>> = vec![Vec::new()];
        for _ in 0..25 {
            match random.below(4) {
                0 => {
                    solver.push();
                    stack.push(Vec::new());
                }
                1 => {
                    assert_eq!(solver.pop(), stack.len() > 1);
                    if stack.len() > 1 {
                        stack.pop();
                    }
                }
                2 if stack.len() > 1 => {
                    let term = random.pick(&terms.bools);
                    solver.assert(term);
                    stack.last_mut().expect("a level").push(term);
                }
                _ => {}
            }
            let assumptions: Vec<TermId> = (0..random.below(4)).map(|_| random.pick(&terms.bools)).collect();
            let asserted: Vec<TermId> = stack.iter().flatten().copied().collect();
            let with = |more: &[TermId]| [asserted.as_slice(), more].concat();
            match solver.check(&terms.store, &assumptions, &Budget::unlimited()) {
                IncrementalVerdict::Sat(model) => {
                    assert!(terms.holds(&model, &with(&assumptions)), "seed {seed}");
                    sat += 1;
                }
                IncrementalVerdict::Unsat { core } => {
                    let core: Vec<TermId> = core.iter().map(|place| assumptions[*place]).collect();
                    let query = with(&core);
                    assert!(!models.iter().any(|model| terms.holds(model, &query)), "seed {seed}");
                    unsat += 1;
                }
                IncrementalVerdict::Unknown(why) => panic!("{why}"),
            }
        }
    }
    assert!(sat > 30 && unsat > 30, "{sat} and {unsat}");
}

#[test]
fn the_core_leaves_out_what_does_not_matter() {
    let mut store = Store::new();
    let (x, y) = (store.variable("x", Sort::BitVec(16)), store.variable("y", Sort::BitVec(16)));
    let below = store.mk(Op::BvUlt, &[x, y]);
    let above = store.mk(Op::BvUlt, &[y, x]);
    let three = store.bv_const(16, 3u8);
    let other = store.mk(Op::Eq, &[x, three]);
    let mut solver = IncrementalBitBlaster::new(0);
    let assumptions = [other, below, above];
    let verdict = solver.check(&store, &assumptions, &Budget::unlimited());
    assert_eq!(verdict, IncrementalVerdict::Unsat { core: vec![1, 2] });
    solver.assert(below);
    assert_eq!(solver.check(&store, &assumptions, &Budget::unlimited()), IncrementalVerdict::Unsat { core: vec![2] });
    assert!(matches!(solver.check(&store, &[other], &Budget::unlimited()), IncrementalVerdict::Sat(_)));
    let gates = solver.counts().gates;
    solver.check(&store, &assumptions, &Budget::unlimited());
    assert_eq!(solver.counts().gates, gates, "nothing is encoded twice");
}
