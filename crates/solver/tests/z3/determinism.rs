use std::fs;
use std::time::{Duration, Instant};

use labrys_solver::{Limits, RealOutcome, RealPool, find_z3, real_stack};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::config;

/// Queries whose models are not unique, so that a solver with a memory would give itself away: on and near circles, and
/// one that meets its work limit.
fn queries(store: &mut Store) -> Vec<Vec<TermId>> {
    let (x, y) = (store.variable("x", Sort::Real), store.variable("y", Sort::Real));
    let (xx, xy, yy) = (store.mk(Op::RealMul, &[x, x]), store.mk(Op::RealMul, &[x, y]), store.mk(Op::RealMul, &[y, y]));
    let sum = store.mk(Op::RealAdd, &[xx, xy, yy]);
    let mut queries: Vec<Vec<TermId>> = (1..9)
        .map(|radius| {
            let constant = |value: i64| BigRational::new(BigInt::from(value), BigInt::from(7));
            let (low, high) = (store.real_const(constant(radius)), store.real_const(constant(radius + 1)));
            vec![store.mk(Op::RealLt, &[low, sum]), store.mk(Op::RealLt, &[sum, high])]
        })
        .collect();
    queries.insert(4, crate::limits::hard(store));
    queries
}

const LIMITS: Limits = Limits { work: 30_000, wall: Duration::from_secs(60), memory_mib: 1000 };

#[test]
fn answers_depend_on_the_query_alone() {
    let mut store = Store::new();
    let queries = queries(&mut store);
    let mut solver = real_stack(&config());
    let mut forward: Vec<RealOutcome> = queries.iter().map(|query| solver.check_once(&store, query, &LIMITS)).collect();
    // The other way round in a fresh process, and each in a process of its own.
    let mut solver = real_stack(&config());
    forward.reverse();
    let backward: Vec<RealOutcome> =
        queries.iter().rev().map(|query| solver.check_once(&store, query, &LIMITS)).collect();
    assert_eq!(forward, backward);
    for (query, expected) in queries.iter().rev().zip(&forward) {
        assert_eq!(real_stack(&config()).check_once(&store, query, &LIMITS), *expected);
    }
}

#[test]
fn the_pool_answers_like_one_solver() {
    let mut store = Store::new();
    let queries = queries(&mut store);
    let run = |threads| {
        let deadline = Instant::now() + Duration::from_secs(300);
        RealPool::new(&config(), threads).check_all(&store, &queries, &LIMITS, deadline)
    };
    let (one, two) = (run(1), run(2));
    assert!(one.iter().filter(|outcome| matches!(outcome, RealOutcome::Candidate(_))).count() >= 8, "{one:?}");
    assert_eq!(one, two);
}

#[test]
fn dumped_queries_can_be_run_by_hand() {
    let mut store = Store::new();
    let queries = queries(&mut store);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dump = folder.path().join("queries");
    let config = config().dumping_to(dump.clone()).expect("a writable folder");
    let outcome = real_stack(&config).check_once(&store, &queries[0], &LIMITS);
    assert!(matches!(outcome, RealOutcome::Candidate(_)), "{outcome:?}");
    let files: Vec<_> =
        fs::read_dir(&dump).expect("the folder is made").map(|entry| entry.expect("read").path()).collect();
    let [file] = files.as_slice() else { panic!("one query, one file: {files:?}") };
    let text = fs::read_to_string(file).expect("the dump is readable");
    assert!(text.starts_with("; candidate\n(set-logic QF_NRA)\n"), "{text}");
    let z3 = find_z3().expect("config has found it");
    let output = std::process::Command::new(z3).arg(file).output().expect("z3 runs");
    assert!(output.stdout.starts_with(b"sat"), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_dump_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a writable folder");
    assert!(config().dumping_to(file.join("queries")).is_err());
}
