//! The limits of a run.

use std::time::{Duration, Instant};

use crate::Progress;

/// Why a run ended before the work it planned was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The work limit: this is how a complete run ends.
    Work,
    /// The time limit.
    Time,
    /// The user.
    Interrupted,
}

/// How long the next of so many jobs may take, where as many workers as said share the time that is left. The other workers have
/// a job each; a little is kept back, so that the last job does not end with the run.
pub fn share_among(left: Duration, jobs: usize, workers: usize) -> Duration {
    left.mul_f64(0.98 * workers as f64 / (jobs + workers - 1).max(1) as f64)
}

/// When a run began and when it must end.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begun: Instant,
    deadline: Option<Instant>,
}

impl Clock {
    /// A clock that starts now.
    pub fn start(limit: Option<Duration>) -> Clock {
        let begun = Instant::now();
        Clock { begun, deadline: limit.and_then(|limit| begun.checked_add(limit)) }
    }

    /// The same clock with only a part of the time, in hundredths: what comes later needs the rest.
    pub fn share(&self, hundredths: u32) -> Clock {
        let part = |deadline: Instant| self.begun + deadline.saturating_duration_since(self.begun) * hundredths / 100;
        Clock { begun: self.begun, deadline: self.deadline.map(part) }
    }

    /// The same clock with only a part of the time that is left now, in hundredths.
    pub fn part_left(&self, hundredths: u32) -> Clock {
        let now = Instant::now();
        let part = |deadline: Instant| now + deadline.saturating_duration_since(now) * hundredths / 100;
        Clock { begun: self.begun, deadline: self.deadline.map(part) }
    }

    /// The time that is left, to be shared out anew: what came before has had its own.
    pub fn starting_now(&self) -> Clock {
        Clock { begun: Instant::now(), deadline: self.deadline }
    }

    /// When everything must have ended, if there is a limit.
    pub fn limit(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time from the start to the end, if there is a limit.
    pub fn whole(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(self.begun))
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// When everything must have ended, or `longest` from now, whichever is sooner.
    pub fn deadline(&self, longest: Duration) -> Instant {
        let backstop = Instant::now() + longest;
        self.deadline.map_or(backstop, |deadline| deadline.min(backstop))
    }

    /// Whether the user's limit has passed.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether to stop now.
    pub fn stop(&self, progress: &dyn Progress) -> Option<Stop> {
        if progress.interrupted() {
            return Some(Stop::Interrupted);
        }
        self.is_over().then_some(Stop::Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the last of `jobs` ends, in seconds, if each takes the given part of its share of a minute.
    fn last_end(jobs: usize, workers: usize, part: f64) -> f64 {
        let mut ends = vec![0.0; workers];
        for job in 0..jobs {
            let worker = (0..workers).min_by(|a, b| f64::total_cmp(&ends[*a], &ends[*b])).unwrap();
            let left = Duration::from_secs_f64(60.0 - ends[worker]);
            ends[worker] += part * share_among(left, jobs - job, workers).as_secs_f64();
        }
        ends.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn shares_use_the_time_and_no_more() {
        for workers in 1..=4 {
            for jobs in [1, 2, 3, 10, 500] {
                let end = last_end(jobs, workers.min(jobs), 1.0);
                assert!((50.0..60.0).contains(&end), "{jobs} jobs, {workers} workers: {end}");
            }
        }
    }

    /// A build that took a tenth of the time left a search that has an eighth of it nearly nothing.
    #[test]
    fn what_is_left_is_shared_out_anew() {
        let begun = Instant::now() - Duration::from_secs(50);
        let clock = Clock { begun, deadline: Some(begun + Duration::from_secs(100)) };
        assert!(clock.share(12).is_over());
        let left = clock.starting_now();
        assert!(!left.share(12).is_over());
        assert_eq!(left.limit(), clock.limit());
    }

    #[test]
    fn what_some_leave_goes_to_others() {
        let first = share_among(Duration::from_secs(60), 100, 2);
        let last = share_among(Duration::from_secs(50), 2, 2);
        assert!(last > first * 20);
        assert!(last_end(100, 2, 0.1) < 30.0);
    }
}
