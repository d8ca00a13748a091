use labrys_solver::{Cache, Core, FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver, Why};
use labrys_term::{Sort, Store};

use crate::scripted::{Scripted, asked};

#[test]
fn a_decided_query_is_asked_once_whatever_the_order_and_repetition_of_its_terms() {
    let mut store = Store::new();
    let (a, b) = (store.variable("a", Sort::Bool), store.variable("b", Sort::Bool));
    let (engine, questions) = Scripted::new([RealOutcome::NoCandidate]);
    let mut cache = Cache::new(engine);
    for query in [vec![b, a], vec![a, b], vec![a, b, a]] {
        assert_eq!(cache.check_once(&store, &query, &Limits::default()), RealOutcome::NoCandidate);
    }
    assert_eq!(asked(&questions), vec![vec![a, b]]);
}

#[test]
fn an_unknown_is_asked_again() {
    let mut store = Store::new();
    let a = store.variable("a", Sort::Bool);
    let (engine, questions) = Scripted::new([RealOutcome::Unknown(Why::Wall), RealOutcome::NoCandidate]);
    let mut cache = Cache::new(engine);
    assert_eq!(cache.check_once(&store, &[a], &Limits::default()), RealOutcome::Unknown(Why::Wall));
    assert_eq!(cache.check_once(&store, &[a], &Limits::default()), RealOutcome::NoCandidate);
    assert_eq!(asked(&questions).len(), 2);
}

#[test]
fn a_remembered_core_speaks_of_the_query_as_it_is_asked_now() {
    let mut store = Store::new();
    let (a, b, c) = (store.variable("a", Sort::Bool), store.variable("b", Sort::Bool), store.variable("c", Sort::Bool));
    // The engine sees the terms in the store's order: a, b, c; its core is b.
    let (engine, _) = Scripted::new([FloatOutcome::Unsat(Core(vec![1]))]);
    let mut cache = Cache::new(engine);
    let limits = Limits::default();
    assert_eq!(cache.check_once(&store, &[c, b, a], &limits), FloatOutcome::Unsat(Core(vec![1])));
    assert_eq!(cache.check_once(&store, &[b, c, a], &limits), FloatOutcome::Unsat(Core(vec![0])));
}
