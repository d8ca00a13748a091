use labrys_solver::{Core, FloatOutcome, FloatSolver, Independence, Limits, RealOutcome, RealSolver, Why};
use labrys_term::{Model, Sort, Store, Value};

use crate::scripted::{Scripted, asked, candidate, equals, rational, real};

#[test]
fn parts_without_common_variables_are_asked_apart_and_their_models_joined() {
    let mut store = Store::new();
    let (x, y) = (real(&mut store, "x"), real(&mut store, "y"));
    let (one, two) = (equals(&mut store, x, rational(1, 1)), equals(&mut store, y, rational(2, 1)));
    let both = store.and(&[one, two]);
    let answers = [candidate(&store, &[(x, rational(1, 1))]), candidate(&store, &[(y, rational(2, 1))])];
    let (engine, questions) = Scripted::new(answers);
    let outcome = Independence::new(engine).check_once(&store, &[both], &Limits::default());
    assert_eq!(outcome, candidate(&store, &[(x, rational(1, 1)), (y, rational(2, 1))]));
    assert_eq!(asked(&questions), vec![vec![one], vec![two]]);
}

#[test]
fn a_chain_of_shared_variables_is_one_part() {
    let mut store = Store::new();
    let variables: Vec<_> = ["x", "y", "z", "w"].iter().map(|name| real(&mut store, name)).collect();
    let link = |store: &mut Store, i: usize, j: usize| store.mk(labrys_term::Op::RealLt, &[variables[i], variables[j]]);
    // x<y, z<w, y<z: the last one joins the first two.
    let query = [link(&mut store, 0, 1), link(&mut store, 2, 3), link(&mut store, 1, 2)];
    let (engine, questions) = Scripted::new([RealOutcome::NoCandidate]);
    Independence::new(engine).check_once(&store, &query, &Limits::default());
    assert_eq!(asked(&questions), vec![query.to_vec()]);
}

#[test]
fn one_impossible_part_decides_even_after_an_unknown_one() {
    let mut store = Store::new();
    let (x, y) = (real(&mut store, "x"), real(&mut store, "y"));
    let query = [equals(&mut store, x, rational(1, 1)), equals(&mut store, y, rational(2, 1))];
    let (engine, _) = Scripted::new([RealOutcome::Unknown(Why::Work), RealOutcome::NoCandidate]);
    let outcome = Independence::new(engine).check_once(&store, &query, &Limits::default());
    assert_eq!(outcome, RealOutcome::NoCandidate);
    let (engine, _) = Scripted::new([RealOutcome::Unknown(Why::Work), candidate(&store, &[(y, rational(2, 1))])]);
    let outcome = Independence::new(engine).check_once(&store, &query, &Limits::default());
    assert_eq!(outcome, RealOutcome::Unknown(Why::Work));
}

#[test]
fn cores_and_models_over_the_floats_are_those_of_the_whole_query() {
    let mut store = Store::new();
    let (a, b, c) = (store.variable("a", Sort::Bool), store.variable("b", Sort::Bool), store.variable("c", Sort::Bool));
    let not_b = store.not(b);
    let nested = store.and(&[b, not_b]);
    let model = |term, value| {
        let mut model = Model::new();
        assert!(model.set_term(&store, term, Value::Bool(value)));
        FloatOutcome::Sat(model)
    };
    // Conjuncts: a (0), c (1), b and ¬b (2 and 2): the core's two conjuncts are one term.
    let (engine, questions) = Scripted::new([model(a, true), model(c, true), FloatOutcome::Unsat(Core(vec![0, 1]))]);
    let outcome = Independence::new(engine).check_once(&store, &[a, c, nested], &Limits::default());
    assert_eq!(outcome, FloatOutcome::Unsat(Core(vec![2])));
    assert_eq!(asked(&questions), vec![vec![a], vec![c], vec![b, not_b]]);
    let (engine, _) = Scripted::new([model(a, true), model(c, true)]);
    let FloatOutcome::Sat(joined) = Independence::new(engine).check_once(&store, &[a, c], &Limits::default()) else {
        panic!("both parts have models");
    };
    assert_eq!(joined.len(), 2);
}
