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

use crate::{Limits, RealOutcome, RealSolver, StackConfig, Why, real_stack};

/// Solvers over the reals, each with a process of its own that is started at the first query and lives as long as the pool.
pub struct RealPool {
    solvers: Vec<Box<dyn RealSolver>>,
}

impl RealPool {
    /// A pool of so many processes, at least one.
    pub fn new(config: &StackConfig, processes: usize) -> RealPool {
        RealPool { solvers: (0..processes.max(1)).map(|_| real_stack(config)).collect() }
    }

    /// Asks all queries; outcomes stand at their queries' indices.
    ///
    /// Queries not begun before `deadline` are unknown ([`Why::Wall`]). Equal queries are asked once.
    pub fn check_all(
        &mut self,
        store: &Store,
        queries: &[Vec<TermId>],
        limits: &Limits,
        deadline: Instant,
    ) -> Vec<RealOutcome> {
        let ask = |solver: &mut Box<dyn RealSolver>, query: &[TermId], limits: &Limits| {
            solver.check_once(store, query, limits)
        };
        check_all(queries, limits, &mut self.solvers, deadline, &ask, &RealOutcome::Unknown)
    }
}

fn check_all<S: Send, A: Clone + Send>(
    queries: &[Vec<TermId>],
    limits: &Limits,
    solvers: &mut [S],
    deadline: Instant,
    ask: &(dyn Fn(&mut S, &[TermId], &Limits) -> A + Sync),
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
        for solver in solvers.iter_mut().take(distinct.len()) {
            let (sender, next, distinct) = (sender.clone(), &next, &distinct);
            scope.spawn(move || {
                while let Some(index) = distinct.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let answer = if left.is_zero() {
                        unknown(Why::Wall)
                    } else {
                        ask(solver, &queries[*index], &Limits { wall: limits.wall.min(left), ..*limits })
                    };
                    // The receiver lives until every worker is done.
                    let _ = sender.send((*index, answer));
                }
            });
        }
        drop(sender);
        for (index, answer) in receiver {
            answers[index] = Some(answer);
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
    use std::time::Duration;

    fn run(queries: &[Vec<TermId>], threads: usize, patience: Duration) -> (Vec<Option<usize>>, usize) {
        let mut asked = vec![0; threads];
        let ask = |asked: &mut usize, query: &[TermId], _: &Limits| {
            *asked += 1;
            // Later queries answer sooner, so that answers arrive out of order.
            thread::sleep(Duration::from_millis(20 - (query[0].index() as u64).min(20)));
            Some(query[0].index())
        };
        let deadline = Instant::now() + patience;
        let answers = check_all(queries, &Limits::default(), &mut asked, deadline, &ask, &|_| None);
        (answers, asked.iter().sum())
    }

    fn queries() -> Vec<Vec<TermId>> {
        let mut store = Store::new();
        (0..10u8).map(|i| vec![store.bv_const(8, i % 7)]).collect()
    }

    #[test]
    fn answers_stand_at_their_queries_indices_and_equal_queries_are_asked_once() {
        let expected: Vec<Option<usize>> = (0..10).map(|i| Some(i % 7)).collect();
        for threads in [1, 2, 5] {
            let (answers, asked) = run(&queries(), threads, Duration::from_secs(60));
            assert_eq!(answers, expected, "{threads} threads");
            assert_eq!(asked, 7);
        }
    }

    #[test]
    fn after_the_deadline_nothing_is_asked() {
        assert_eq!(run(&queries(), 2, Duration::ZERO), (vec![None; 10], 0));
    }

    #[test]
    fn no_queries_are_no_trouble() {
        assert_eq!(run(&[], 2, Duration::from_secs(1)).0, vec![]);
    }
}
