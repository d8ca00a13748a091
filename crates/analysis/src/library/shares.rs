//! Which of several machines does which of many tasks: longest processing time first.
//!
//! Tasks are dealt out longest first, each to the machine that has least to do so far. The last one then ends at most 4/3 − 1/(3m) times as
//! late as under the best assignment to m machines (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM Journal on Applied
//! Mathematics 17(2), 1969, theorem 2), as far as the lengths are true. Ties go to the first task and the first machine, so that every
//! machine comes to the same assignment by itself.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// How long a machine has to work so far, and which it is.
#[derive(PartialEq)]
struct Load(f64, usize);

impl Eq for Load {}

impl Ord for Load {
    fn cmp(&self, other: &Load) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Load {
    fn partial_cmp(&self, other: &Load) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// For each task, of these lengths, the machine that does it: below `machines`, of which there is at least one.
pub fn shares(lengths: &[f64], machines: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|a, b| lengths[*b].total_cmp(&lengths[*a]).then(a.cmp(b)));
    let mut loads: BinaryHeap<Reverse<Load>> = (0..machines.max(1)).map(|of| Reverse(Load(0.0, of))).collect();
    let mut of_task = vec![0; lengths.len()];
    for task in order {
        let Some(Reverse(Load(load, machine))) = loads.pop() else { break };
        of_task[task] = machine;
        loads.push(Reverse(Load(load + lengths[task].max(0.0), machine)));
    }
    of_task
}

/// Lengths of tasks by their times in an earlier run; those that had none are estimated by their sizes, at the mean time for each unit of size of those
/// that had. Where none had, sizes are lengths.
pub fn lengths(times: &[Option<f64>], sizes: &[usize]) -> Vec<f64> {
    let known = times.iter().zip(sizes).filter_map(|(time, size)| Some(((*time)?, *size as f64)));
    let (time, size) = known.fold((0.0, 0.0), |(times, sizes), (time, size)| (times + time, sizes + size));
    let pace = if time > 0.0 && size > 0.0 { time / size } else { 1.0 };
    times.iter().zip(sizes).map(|(time, size)| time.unwrap_or(*size as f64 * pace)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(lengths: &[f64], machines: usize) -> Vec<f64> {
        let mut ends = vec![0.0; machines];
        shares(lengths, machines).into_iter().zip(lengths).for_each(|(machine, length)| ends[machine] += length);
        ends
    }

    /// The latest end under the best of all assignments.
    fn best(lengths: &[f64], machines: usize) -> f64 {
        let assignments = machines.pow(lengths.len() as u32);
        let latest = |mut number: usize| {
            let mut ends = vec![0.0; machines];
            for length in lengths {
                ends[number % machines] += length;
                number /= machines;
            }
            ends.into_iter().fold(0.0, f64::max)
        };
        (0..assignments).map(latest).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_last_machine_ends_within_grahams_bound_of_the_best_assignment() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            1.0 + (state >> 60) as f64
        };
        for machines in 1..=3 {
            for tasks in 1..=7 {
                let lengths: Vec<f64> = (0..tasks).map(|_| random()).collect();
                let end = ends(&lengths, machines).into_iter().fold(0.0, f64::max);
                let bound = best(&lengths, machines) * (4.0 / 3.0 - 1.0 / (3.0 * machines as f64));
                assert!(end <= bound + 1e-9, "{lengths:?} {machines}: {end} {bound}");
            }
        }
        // Graham's own example has the bound's value: 5 5 4 4 3 3 3 on 3 machines.
        let worst = [5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0];
        let end = ends(&worst, 3).into_iter().fold(0.0, f64::max);
        assert_eq!((end, best(&worst, 3)), (11.0, 9.0));
    }

    #[test]
    fn every_task_is_done_once_and_in_the_same_way_each_time() {
        assert_eq!(shares(&[1.0, 1.0, 1.0, 1.0, 1.0], 2), [0, 1, 0, 1, 0]);
        assert_eq!(shares(&[1.0, 9.0, 2.0], 2), [1, 0, 1]);
        assert_eq!(shares(&[3.0], 4), [0]);
        assert!(shares(&[], 4).is_empty());
    }

    #[test]
    fn sizes_stand_in_for_times_at_the_pace_of_the_others() {
        assert_eq!(lengths(&[Some(6.0), None, Some(2.0)], &[30, 20, 10]), [6.0, 4.0, 2.0]);
        assert_eq!(lengths(&[None, None], &[30, 20]), [30.0, 20.0]);
    }
}
