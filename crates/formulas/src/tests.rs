use std::collections::HashSet;

use labrys_term::{Evaluator, Op, Sort};

use crate::{Formula, Shape, shrink};

#[test]
fn planted_models_satisfy_their_formulas() {
    for shape in [Shape::tiny(), Shape::tiny_open(), Shape::common(), Shape::guarded(), Shape::full(), Shape::wide()] {
        for seed in 0..300 {
            let formula = Formula::planted(seed, &shape);
            let model = formula.model.as_ref().expect("planted");
            let mut evaluator = Evaluator::new(&formula.store, model);
            assert!(!formula.assertions.is_empty(), "seed {seed}");
            for &assertion in &formula.assertions {
                assert_eq!(evaluator.holds(assertion), Ok(true), "seed {seed}");
            }
        }
    }
}

#[test]
fn formulas_are_those_of_their_seed() {
    for seed in 0..20 {
        let [one, other] = [(); 2].map(|()| Formula::planted(seed, &Shape::full()));
        assert_eq!((one.assertions, one.model), (other.assertions, other.model));
    }
}

#[test]
fn every_operator_and_width_comes_up() {
    let (mut operators, mut widths, mut formats) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut repeated = 0;
    for seed in 0..3000 {
        let formula = Formula::planted(seed, &Shape::full());
        for term in formula.store.reachable(&formula.assertions) {
            let node = formula.store.node(term);
            operators.insert(std::mem::discriminant(&node.op));
            match node.sort {
                Sort::BitVec(width) => drop(widths.insert(width)),
                Sort::Float(format) => drop(formats.insert(format)),
                _ => {}
            }
            repeated += usize::from(node.op == Op::Concat && node.args.len() > 2 && node.args[0] == node.args[1]);
        }
    }
    // All of Op but the literal, the operators and the conversions of reals.
    assert_eq!(operators.len(), 70);
    assert!([1, 2, 63, 64, 65, 127, 128, 129, 191, 192].iter().all(|width| widths.contains(width)), "{widths:?}");
    assert!(widths.len() > 180, "{} widths", widths.len());
    assert_eq!(formats.len(), 19);
    assert!(repeated > 100, "{repeated}");
}

#[test]
fn shrinking_keeps_what_is_asked_for_and_the_model() {
    let mut smaller = 0;
    for seed in 0..40 {
        let formula = Formula::planted(seed, &Shape::full());
        let has_sum = |formula: &Formula| {
            let terms = formula.store.reachable(&formula.assertions);
            terms.iter().any(|&term| matches!(formula.store.node(term).op, Op::BvAdd | Op::FpAdd))
        };
        if !has_sum(&formula) {
            continue;
        }
        let small = shrink(&formula, has_sum);
        assert!(has_sum(&small));
        let model = small.model.as_ref().expect("planted");
        let mut evaluator = Evaluator::new(&small.store, model);
        assert!(small.assertions.iter().all(|&assertion| evaluator.holds(assertion) == Ok(true)));
        assert!(small.store.reachable(&small.assertions).len() <= 12, "seed {seed}");
        smaller += 1;
    }
    assert!(smaller > 5);
}
