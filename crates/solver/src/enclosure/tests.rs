//! What is certain is right.

use std::collections::BTreeMap;

use labrys_term::{AlgebraicNumber, Model, Op, Sort, Store, Truth, Value, eval};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::{Interval, evaluate};
use crate::RealValue;

fn enclosure(value: &RealValue) -> Interval {
    let (low, high) = value.bounds();
    Interval::between(&low, &high)
}

#[test]
fn irrational_values_decide_strict_comparisons_only() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let root = AlgebraicNumber::new([-2, 0, 1].map(Into::into).to_vec(), 1).unwrap();
    let values = FxHashMap::from_iter([(store.as_variable(x).unwrap(), enclosure(&RealValue::Algebraic(root)))]);
    let square = store.mk(Op::RealMul, &[x, x]);
    let mut truth = |op, limit: BigRational| {
        let limit = store.real_const(limit);
        let term = store.mk(op, &[square, limit]);
        evaluate(&store, &[term], &values)[0]
    };
    let [two, three] = [2, 3].map(|n| BigRational::from_integer(n.into()));
    assert_eq!(truth(Op::Eq, two.clone()), Truth::Unsure);
    assert_eq!(truth(Op::Eq, three), Truth::False);
    assert_eq!(truth(Op::RealLe, two.clone()), Truth::Unsure);
    let hair = BigRational::new(1.into(), BigInt::one() << 240);
    assert_eq!(truth(Op::RealLt, &two + &hair), Truth::True);
    assert_eq!(truth(Op::RealLt, two - hair), Truth::False);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// With roots of (2x − n)(x² + 1), which are rational, the exact evaluator knows the truth.
    #[test]
    fn certain_answers_are_right(n in -9i64..9, m in -9i64..9, choices in prop::collection::vec((0u8..9, any::<u8>(), any::<u8>()), 1..25)) {
        let mut store = Store::new();
        let variables = [store.variable("x", Sort::Real), store.variable("y", Sort::Real)];
        let mut terms = variables.to_vec();
        let mut truths = vec![store.bool_const(true)];
        for (kind, i, j) in choices {
            let (a, b) = (terms[i as usize % terms.len()], terms[j as usize % terms.len()]);
            let p = truths[j as usize % truths.len()];
            match kind {
                0 => terms.push(store.mk(Op::RealAdd, &[a, b])),
                1 => terms.push(store.mk(Op::RealSub, &[a, b])),
                2 => terms.push(store.mk(Op::RealMul, &[a, b])),
                3 => terms.push(store.mk(Op::RealDiv, &[a, b])),
                4 => terms.push(store.mk(Op::RealAbs, &[a])),
                5 => truths.push(store.mk(Op::RealLt, &[a, b])),
                6 => truths.push(store.mk(Op::RealLe, &[a, b])),
                7 => truths.push(store.mk(Op::Eq, &[a, b])),
                _ => terms.push(store.mk(Op::Ite, &[p, a, b])),
            }
        }
        let (mut model, mut values) = (Model::new(), BTreeMap::new());
        for (variable, n) in variables.iter().zip([n, m]) {
            let coefficients = [-n, 2, -n, 2].map(BigInt::from);
            model.set_term(&store, *variable, Value::Real(BigRational::new(n.into(), 2.into())));
            let number = AlgebraicNumber::new(coefficients.to_vec(), 1).unwrap();
            values.insert(store.as_variable(*variable).unwrap(), enclosure(&RealValue::Algebraic(number)));
        }
        let found = evaluate(&store, &truths, &values.into_iter().collect());
        for (truth, found) in truths.into_iter().zip(found) {
            // Where an open value is below, as in the condition of a choice between numbers that are alike in what is asked, there
            // is nothing to compare with.
            if let Ok(value) = eval(&store, truth, &model) {
                prop_assert!(found == Truth::Unsure || value.as_bool() == Some(found.is_true()));
            }
        }
    }
}
