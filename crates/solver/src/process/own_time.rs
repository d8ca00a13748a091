//! The time that a process had for itself.
//!
//! A wall-clock limit on a query would make answers depend on what else the machine does. So the time that the solver's
//! process spends waiting for a busy processor is not counted: the kernel tells it (`/proc/PID/schedstat`, the second number,
//! in nanoseconds, for the process' first thread, which does z3's work). What is left is the time computed and the time slept,
//! so that a process that hangs without computing is noticed too. Where the kernel does not tell, it is the wall-clock time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A clock that stands still while a process waits for a processor.
#[derive(Debug)]
pub(super) struct OwnTime {
    schedstat: PathBuf,
    begun: Instant,
    /// Waited for a processor before it began.
    waited: Duration,
}

impl OwnTime {
    /// A clock for the process with this id, from now on.
    pub(super) fn of(process: u32) -> OwnTime {
        let schedstat = PathBuf::from(format!("/proc/{process}/schedstat"));
        let waited = waited(&schedstat);
        OwnTime { schedstat, begun: Instant::now(), waited }
    }

    /// Whether the process has had this much time.
    pub(super) fn has_reached(&self, limit: Duration) -> bool {
        let wall = self.begun.elapsed();
        // The common case costs no system call but the clock's.
        wall >= limit && wall.saturating_sub(waited(&self.schedstat).saturating_sub(self.waited)) >= limit
    }
}

/// How long a process has waited for a processor so far.
fn waited(schedstat: &Path) -> Duration {
    let text = std::fs::read_to_string(schedstat).unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1).and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_processor_does_not_count() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let schedstat = folder.path().join("schedstat");
        std::fs::write(&schedstat, "5000000000 1000000000 17\n").expect("a writable folder");
        let begun = Instant::now().checked_sub(Duration::from_secs(10)).expect("the machine has run for ten seconds");
        let clock = OwnTime { waited: waited(&schedstat), schedstat, begun };
        assert_eq!(clock.waited, Duration::from_secs(1));
        assert!(clock.has_reached(Duration::from_secs(10)), "it slept or computed all the time");
        std::fs::write(&clock.schedstat, "6000000000 9000000000 18\n").expect("a writable folder");
        assert!(!clock.has_reached(Duration::from_secs(3)), "it waited for eight of ten seconds");
        assert!(clock.has_reached(Duration::from_secs(2)));
    }

    #[test]
    fn without_the_kernels_word_all_time_counts() {
        let begun = Instant::now().checked_sub(Duration::from_secs(2)).expect("the machine has run for two seconds");
        let clock = OwnTime { schedstat: "/nowhere".into(), begun, waited: Duration::ZERO };
        assert!(clock.has_reached(Duration::from_secs(2)) && !clock.has_reached(Duration::from_secs(60)));
    }
}
