use std::time::{Duration, Instant};

use labrys_solver::{Limits, RealOutcome, Why, real_stack};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::config;

/// Polynomial equations in four variables, of total degree 8: nlsat works on them for minutes.
pub(crate) fn hard(store: &mut Store) -> Vec<TermId> {
    let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| store.variable(name, Sort::Real));
    let mut product = |factors: &[TermId]| store.mk(Op::RealMul, factors);
    let (xxxyzzyw, yy, zx) = (product(&[x, x, x, y, z, z, y, w]), product(&[y, y]), product(&[z, x]));
    let (xyw, xx, zz) = (product(&[x, y, w]), product(&[x, x]), product(&[z, z]));
    let (www, xyzwz, yyyx) = (product(&[w, w, w]), product(&[x, y, z, w, z]), product(&[y, y, y, x]));
    let (xxw, yz, ww) = (product(&[x, x, w]), product(&[y, z]), product(&[w, w]));
    let constant = |store: &mut Store, value: i64| store.real_const(BigRational::from_integer(BigInt::from(value)));
    let (three, seven, five) = (constant(store, 3), constant(store, 7), constant(store, 5));
    let sums = [
        store.mk(Op::RealAdd, &[yy, zx, three]),
        store.mk(Op::RealAdd, &[xx, zz]),
        store.mk(Op::RealAdd, &[www, xyzwz]),
        store.mk(Op::RealAdd, &[xxw, z, yz]),
    ];
    let third = store.mk(Op::RealDiv, &[y, three]);
    let fivefold = store.mk(Op::RealMul, &[five, ww]);
    vec![
        store.mk(Op::Eq, &[xxxyzzyw, sums[0]]),
        store.mk(Op::RealLt, &[seven, xyw]),
        store.mk(Op::RealLt, &[sums[1], third]),
        store.mk(Op::Eq, &[sums[2], yyyx]),
        store.mk(Op::Eq, &[sums[3], fivefold]),
    ]
}

/// A query that any solver answers.
fn easy(store: &mut Store) -> Vec<TermId> {
    let x = store.variable("x", Sort::Real);
    vec![store.mk(Op::Eq, &[x, x])]
}

#[test]
fn each_limit_is_told_and_the_next_query_is_answered() {
    let mut store = Store::new();
    let (hard, easy) = (hard(&mut store), easy(&mut store));
    let mut solver = real_stack(&config());
    let patient = Limits { work: 0, wall: Duration::from_secs(600), memory_mib: 0 };
    for (limits, why) in [
        (Limits { work: 20_000, ..patient }, Why::Work),
        (Limits { wall: Duration::from_millis(300), ..patient }, Why::Wall),
        (Limits { memory_mib: 20, ..patient }, Why::Memory),
    ] {
        let start = Instant::now();
        assert_eq!(solver.check_once(&store, &hard, &limits), RealOutcome::Unknown(why.clone()));
        assert!(start.elapsed() < Duration::from_secs(30), "{why:?} took {:?}", start.elapsed());
        let outcome = solver.check_once(&store, &easy, &patient);
        assert!(matches!(outcome, RealOutcome::Candidate(_)), "after {why:?}: {outcome:?}");
    }
}
