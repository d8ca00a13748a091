use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use labrys_term::{Op, Sort, Store, TermId};

use crate::bitblast::BitBlaster;
use crate::domain::Facts;
use crate::{Budget, Engine, Query, Verdict, Why};

/// (x · y) · z ≠ x · (y · z) in 24 bits: no model, and no CDCL solver proves it soon.
pub(super) fn hard() -> (Store, TermId) {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::BitVec(24)));
    let left = store.mk(Op::BvMul, &[x, y]);
    let left = store.mk(Op::BvMul, &[left, z]);
    let right = store.mk(Op::BvMul, &[y, z]);
    let right = store.mk(Op::BvMul, &[x, right]);
    let differ = store.mk(Op::Distinct, &[left, right]);
    (store, differ)
}

fn check(budget: &Budget) -> Verdict {
    let (store, assertion) = hard();
    BitBlaster::new().check(&Query { store: &store, assertions: &[assertion], facts: &Facts::default() }, budget)
}

#[test]
fn a_deadline_is_kept_and_cancelling_works() {
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(200));
    assert_eq!(check(&Budget { deadline, ..Budget::unlimited() }), Verdict::Unknown(Why::Wall));
    let budget = Budget::unlimited();
    let cancelled = std::sync::Arc::clone(&budget.cancelled);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        cancelled.store(true, Ordering::Relaxed);
    });
    assert_eq!(check(&budget), Verdict::Unknown(Why::Cancelled));
    assert!(canceller.join().is_ok());
    // Generous, for loaded machines; by itself each stops within a tenth of a second.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn work_is_counted_in_conflicts_and_memory_is_watched() {
    assert_eq!(check(&Budget { work: 100, ..Budget::unlimited() }), Verdict::Unknown(Why::Work));
    assert_eq!(check(&Budget { memory_mib: 1, ..Budget::unlimited() }), Verdict::Unknown(Why::Memory));
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let (store, assertion) = hard();
    let query = Query { store: &store, assertions: &[assertion], facts: &Facts::default() };
    let mut runs = (0..2).map(|_| {
        let mut engine = BitBlaster::new();
        engine.check(&query, &Budget { work: 500, seed: 3, ..Budget::unlimited() });
        (engine.counts().gates, engine.counts().clauses, engine.counts().conflicts)
    });
    assert_eq!(runs.next(), runs.next());
}
