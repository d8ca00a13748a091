//! The limits of a run.

use std::time::{Duration, Instant};

use super::own_time::{Timepiece, Wall, own_time};
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

impl Stop {
    /// What ended the run, for a sentence's beginning.
    pub fn words(self) -> &'static str {
        match self {
            Stop::Work => "the work limit",
            Stop::Time => "the time limit",
            Stop::Interrupted => "the interrupt",
        }
    }
}

/// How long the next of so many jobs may take, where as many workers as said share the time that is left. The other workers have
/// a job each; a little is kept back, so that the last job does not end with the run.
pub fn share_among(left: Duration, jobs: usize, workers: usize) -> Duration {
    left.mul_f64(0.98 * workers as f64 / (jobs + workers - 1).max(1) as f64)
}

/// The longest that a run may take by the clock on the wall, as a multiple of its limit: however busy the machine is, it ends.
pub const STRETCH: u32 = 4;

/// How long what was found may still be confirmed once the user has interrupted the run, from the beginning of confirming on.
pub const AFTER_INTERRUPT: Duration = Duration::from_secs(10);

/// When a run began and when it must end.
///
/// Limits are of the run's own time: waiting for processors that others use does not count (`own_time`), up to [`STRETCH`] times the
/// limit on the wall. What stops at an instant on the wall, such as a compiler or a worker, is told when the limit will
/// be reached at the present pace.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    time: &'static dyn Timepiece,
    begun: Moment,
    deadline: Option<Moment>,
}

/// A moment by both clocks.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// On the wall.
    wall: Instant,
    /// What of that was not lost; an instant, so that times are differences.
    own: Instant,
}

impl Moment {
    fn now(time: &dyn Timepiece) -> Moment {
        let wall = time.wall();
        Moment { wall, own: wall.checked_sub(time.lost()).unwrap_or(wall) }
    }

    /// This part, in hundredths, of the way to another moment.
    fn part_of_the_way(self, to: Moment, hundredths: u32) -> Moment {
        let part = |from: Instant, to: Instant| from + to.saturating_duration_since(from) * hundredths / 100;
        Moment { wall: part(self.wall, to.wall), own: part(self.own, to.own) }
    }
}

impl Clock {
    /// A clock that starts now.
    pub fn start(limit: Option<Duration>) -> Clock {
        Clock::start_by(if limit.is_some() { own_time() } else { &Wall }, limit)
    }

    fn start_by(time: &'static dyn Timepiece, limit: Option<Duration>) -> Clock {
        let begun = Moment::now(time);
        let end = |limit: Duration| {
            Some(Moment {
                wall: begun.wall.checked_add(limit.checked_mul(STRETCH)?)?,
                own: begun.own.checked_add(limit)?,
            })
        };
        Clock { time, begun, deadline: limit.and_then(end) }
    }

    fn now(&self) -> Moment {
        Moment::now(self.time)
    }

    /// The same clock with only a part of the time, in hundredths: what comes later needs the rest.
    pub fn share(&self, hundredths: u32) -> Clock {
        let part = |deadline: Moment| self.begun.part_of_the_way(deadline, hundredths);
        Clock { deadline: self.deadline.map(part), ..*self }
    }

    /// The same clock with only a part of the time that is left now, in hundredths.
    pub fn part_left(&self, hundredths: u32) -> Clock {
        let now = self.now();
        Clock { deadline: self.deadline.map(|deadline| now.part_of_the_way(deadline, hundredths)), ..*self }
    }

    /// The time that is left, to be shared out anew: what came before has had its own.
    pub fn starting_now(&self) -> Clock {
        Clock { begun: self.now(), ..*self }
    }

    /// The time that is left, if there is a limit: at most what is left on the wall.
    pub fn left(&self) -> Option<Duration> {
        let now = self.now();
        self.deadline.map(|deadline| {
            let by = |from: Instant, to: Instant| to.saturating_duration_since(from);
            by(now.own, deadline.own).min(by(now.wall, deadline.wall))
        })
    }

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        self.deadline.is_some()
    }

    /// When everything must have ended at the present pace, on the wall, if there is a limit. It moves: who waits for long asks again.
    pub fn limit(&self) -> Option<Instant> {
        let deadline = self.deadline?;
        let now = self.now();
        let left = deadline.own.saturating_duration_since(now.own).mul_f64(self.slowdown());
        Some(now.wall.checked_add(left).map_or(deadline.wall, |end| end.min(deadline.wall)))
    }

    /// How long on the wall a second of the run's own time takes at the present pace: 1, or up to [`STRETCH`] on a busy machine.
    pub fn slowdown(&self) -> f64 {
        1.0 / self.time.pace().clamp(1.0 / f64::from(STRETCH), 1.0)
    }

    /// The time from the start to the end, if there is a limit.
    pub fn whole(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.own.saturating_duration_since(self.begun.own))
    }

    /// Time since the start, on the wall.
    pub fn elapsed(&self) -> Duration {
        self.time.wall().saturating_duration_since(self.begun.wall)
    }

    /// Of [`Clock::elapsed`], what does not count.
    pub fn lost(&self) -> Duration {
        self.elapsed().saturating_sub(self.now().own.saturating_duration_since(self.begun.own))
    }

    /// When everything must have ended at the present pace, or `longest` from now, whichever is sooner.
    pub fn deadline(&self, longest: Duration) -> Instant {
        let backstop = self.time.wall() + longest;
        self.limit().map_or(backstop, |deadline| deadline.min(backstop))
    }

    /// Whether the user's limit has passed.
    pub fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Whether it is the user's limit that ended what had [`Clock::deadline`] to do it: none of these is sooner than the limit would be on the wall.
    pub fn may_have_ended_it(&self) -> bool {
        self.whole().is_some_and(|whole| self.elapsed() >= whole)
    }

    /// Whether to stop now.
    pub fn stop(&self, progress: &dyn Progress) -> Option<Stop> {
        if progress.interrupted() {
            return Some(Stop::Interrupted);
        }
        self.is_over().then_some(Stop::Time)
    }

    /// As [`Clock::stop`], for what confirms what was found: an interrupt leaves it [`AFTER_INTERRUPT`] from `begun` on.
    pub fn stop_confirming(&self, progress: &dyn Progress, begun: Instant) -> Option<Stop> {
        self.stop(progress).filter(|stop| *stop != Stop::Interrupted || begun.elapsed() > AFTER_INTERRUPT)
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

    /// A timepiece that is set by hand.
    #[derive(Debug)]
    struct ByHand {
        began: Instant,
        /// Passed and lost, and the pace.
        state: std::sync::Mutex<(Duration, Duration, f64)>,
    }

    impl ByHand {
        fn new() -> &'static ByHand {
            let state = std::sync::Mutex::new((Duration::ZERO, Duration::ZERO, 1.0));
            Box::leak(Box::new(ByHand { began: Instant::now(), state }))
        }

        /// Lets seconds pass of which some are lost.
        fn pass(&self, seconds: u64, lost: u64) {
            let mut state = self.state.lock().unwrap();
            state.0 += Duration::from_secs(seconds);
            state.1 += Duration::from_secs(lost);
            state.2 = 1.0 - lost as f64 / seconds as f64;
        }
    }

    impl Timepiece for ByHand {
        fn wall(&self) -> Instant {
            self.began + self.state.lock().unwrap().0
        }

        fn lost(&self) -> Duration {
            self.state.lock().unwrap().1
        }

        fn pace(&self) -> f64 {
            self.state.lock().unwrap().2
        }
    }

    fn minute(time: &'static ByHand) -> Clock {
        // What was lost before is not this run's.
        time.pass(20, 15);
        Clock::start_by(time, Some(Duration::from_secs(60)))
    }

    /// With eight other processes on two processors a run of a minute by the wall had twelve seconds, and ended with nothing.
    #[test]
    fn waiting_for_processors_does_not_count() {
        let time = ByHand::new();
        let clock = minute(time);
        time.pass(40, 0);
        assert_eq!(clock.left(), Some(Duration::from_secs(20)));
        assert!(clock.share(50).is_over() && !clock.is_over() && !clock.may_have_ended_it());
        time.pass(30, 15);
        assert!(!clock.is_over() && clock.may_have_ended_it());
        assert_eq!(clock.left(), Some(Duration::from_secs(5)));
        // At half of the pace five seconds take ten.
        assert_eq!(clock.limit(), Some(time.wall() + Duration::from_secs(10)));
        assert_eq!(clock.slowdown(), 2.0);
        assert_eq!(clock.deadline(Duration::from_secs(3)), time.wall() + Duration::from_secs(3));
        assert_eq!((clock.elapsed(), clock.lost()), (Duration::from_secs(70), Duration::from_secs(15)));
        time.pass(10, 5);
        assert!(clock.is_over());
    }

    #[test]
    fn a_run_ends_on_the_wall_however_busy_the_machine_is() {
        let time = ByHand::new();
        let clock = minute(time);
        time.pass(239, 239);
        assert!(!clock.is_over());
        assert_eq!(clock.left(), Some(Duration::from_secs(1)));
        assert_eq!(clock.limit(), Some(time.wall() + Duration::from_secs(1)));
        time.pass(1, 1);
        assert!(clock.is_over());
    }

    #[test]
    fn without_a_limit_nothing_ends() {
        let time = ByHand::new();
        let clock = Clock::start_by(time, None);
        time.pass(1_000_000, 0);
        assert!(!clock.is_over() && !clock.may_have_ended_it() && !clock.is_limited());
        assert_eq!((clock.limit(), clock.left(), clock.whole()), (None, None, None));
    }

    /// A build that took a tenth of the time left a search that has an eighth of it nearly nothing.
    #[test]
    fn what_is_left_is_shared_out_anew() {
        let time = ByHand::new();
        let clock = minute(time);
        time.pass(30, 0);
        assert!(clock.share(12).is_over());
        let left = clock.starting_now();
        assert!(!left.share(12).is_over());
        assert_eq!(left.limit(), clock.limit());
        assert_eq!(left.part_left(50).left(), Some(Duration::from_secs(15)));
    }

    #[test]
    fn what_some_leave_goes_to_others() {
        let first = share_among(Duration::from_secs(60), 100, 2);
        let last = share_among(Duration::from_secs(50), 2, 2);
        assert!(last > first * 20);
        assert!(last_end(100, 2, 0.1) < 30.0);
    }
}
