use labrys_solver::{Canonical, Core, FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver};
use labrys_term::{Sort, Store};

use crate::scripted::{Scripted, asked};

#[test]
fn a_query_is_asked_alike_whatever_the_order_and_repetition_of_its_terms() {
    let mut store = Store::new();
    let (a, b) = (store.variable("a", Sort::Bool), store.variable("b", Sort::Bool));
    let queries = [vec![b, a], vec![a, b], vec![a, b, a]];
    let (engine, questions) = Scripted::new(queries.iter().map(|_| RealOutcome::NoCandidate));
    let mut solver = Canonical::new(engine);
    for query in &queries {
        assert_eq!(solver.check_once(&store, query, &Limits::default()), RealOutcome::NoCandidate);
    }
    assert_eq!(asked(&questions), vec![vec![a, b]; 3]);
}

#[test]
fn a_core_speaks_of_the_query_as_it_was_asked() {
    let mut store = Store::new();
    let (a, b, c) = (store.variable("a", Sort::Bool), store.variable("b", Sort::Bool), store.variable("c", Sort::Bool));
    // The engine sees the terms in the store's order: a, b, c; its core is b.
    let (engine, _) = Scripted::new([0; 3].map(|_| FloatOutcome::Unsat(Core(vec![1]))));
    let mut solver = Canonical::new(engine);
    let limits = Limits::default();
    assert_eq!(solver.check_once(&store, &[c, b, a], &limits), FloatOutcome::Unsat(Core(vec![1])));
    assert_eq!(solver.check_once(&store, &[b, c, a], &limits), FloatOutcome::Unsat(Core(vec![0])));
    assert_eq!(solver.check_once(&store, &[b, a, c, b], &limits), FloatOutcome::Unsat(Core(vec![0, 3])));
}
