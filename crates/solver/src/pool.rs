//! Many queries over a few solver processes.
//!
//! Workers take queries in order and answers are placed by index. Because a solver's answer depends on the query alone,
//! the result does not depend on which worker took which query; only wall limits can tell two runs apart, and the
//! answers lost to them say so.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use labrys_term::{Store, TermId};
use rustc_hash::FxHashMap;

use crate::{Limits, RealOutcome, StackConfig, Why, real_stack};

/// Asks all queries over the reals, `threads` solver processes at a time; outcomes stand at their queries' indices.
///
/// Queries not begun before `deadline` are unknown ([`Why::Wall`]). `progress` is called on the caller's thread with the
/// number of queries answered so far. Equal queries are asked once.
pub fn check_all_real(
    config: &StackConfig,
    store: &Store,
    queries: &[Vec<TermId>],
    limits: &Limits,
    threads: usize,
    deadline: Instant,
    progress: &dyn Fn(usize),
) -> Vec<RealOutcome> {
    let ask = || {
        let mut solver = real_stack(config);
        move |query: &[TermId], limits: &Limits| solver.check_once(store, query, limits)
    };
    check_all(queries, limits, threads, deadline, progress, &ask, &RealOutcome::Unknown)
}

fn check_all<A: Clone + Send, F: FnMut(&[TermId], &Limits) -> A>(
    queries: &[Vec<TermId>],
    limits: &Limits,
    threads: usize,
    deadline: Instant,
    progress: &dyn Fn(usize),
    make_solver: &(dyn Fn() -> F + Sync),
    unknown: &(dyn Fn(Why) -> A + Sync),
) -> Vec<A> {
    // The index of the first query equal to each.
    let mut first: FxHashMap<&[TermId], usize> = FxHashMap::default();
    let asked_at: Vec<usize> = (0..queries.len()).map(|i| *first.entry(&queries[i]).or_insert(i)).collect();
    let distinct: Vec<usize> = (0..queries.len()).filter(|i| asked_at[*i] == *i).collect();

    let next = AtomicUsize::new(0);
    let mut answers: Vec<Option<A>> = vec![None; queries.len()];
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.clamp(1, distinct.len().max(1)) {
            let (sender, next, distinct) = (sender.clone(), &next, &distinct);
            scope.spawn(move || {
                let mut ask = make_solver();
                while let Some(index) = distinct.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let answer = if left.is_zero() {
                        unknown(Why::Wall)
                    } else {
                        ask(&queries[*index], &Limits { wall: limits.wall.min(left), ..*limits })
                    };
                    // The receiver lives until every worker is done.
                    let _ = sender.send((*index, answer));
                }
            });
        }
        drop(sender);
        let mut done = queries.len() - distinct.len();
        for (index, answer) in receiver {
            answers[index] = Some(answer);
            done += 1;
            progress(done);
        }
    });
    // Every distinct query has its answer unless its worker panicked, and then the scope above has panicked too.
    asked_at
        .iter()
        .map(|i| answers[*i].clone().unwrap_or_else(|| unknown(Why::Crash("no answer".to_owned()))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::time::Duration;

    fn run(queries: &[Vec<TermId>], threads: usize, patience: Duration) -> (Vec<Option<usize>>, Vec<usize>, usize) {
        let asked = AtomicUsize::new(0);
        let seen = RefCell::new(Vec::new());
        let make = || {
            |query: &[TermId], _: &Limits| {
                asked.fetch_add(1, Ordering::Relaxed);
                // Later queries answer sooner, so that answers arrive out of order.
                thread::sleep(Duration::from_millis(20 - (query[0].index() as u64).min(20)));
                Some(query[0].index())
            }
        };
        let answers = check_all(
            queries,
            &Limits::default(),
            threads,
            Instant::now() + patience,
            &|done| seen.borrow_mut().push(done),
            &make,
            &|_| None,
        );
        (answers, seen.into_inner(), asked.into_inner())
    }

    fn queries() -> Vec<Vec<TermId>> {
        let mut store = Store::new();
        (0..10u8).map(|i| vec![store.bv_const(8, i % 7)]).collect()
    }

    #[test]
    fn answers_stand_at_their_queries_indices_and_equal_queries_are_asked_once() {
        let expected: Vec<Option<usize>> = (0..10).map(|i| Some(i % 7)).collect();
        for threads in [1, 2, 5] {
            let (answers, progress, asked) = run(&queries(), threads, Duration::from_secs(60));
            assert_eq!(answers, expected, "{threads} threads");
            assert_eq!(asked, 7);
            assert_eq!(progress, (4..=10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn after_the_deadline_nothing_is_asked() {
        let (answers, _, asked) = run(&queries(), 2, Duration::ZERO);
        assert_eq!((answers, asked), (vec![None; 10], 0));
    }

    #[test]
    fn no_queries_are_no_trouble() {
        assert_eq!(run(&[], 2, Duration::from_secs(1)).0, vec![]);
    }
}
