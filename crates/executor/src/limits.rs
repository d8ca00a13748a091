//! When a run ends: time, memory, paths.

use std::sync::Arc;
use std::time::Instant;

use labrys_solver::bitblast::resident_mib;

use crate::{End, Options, PathCounts, Watch};

/// What a run may use up.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    deadline: Option<Instant>,
    memory_mib: u64,
    max_paths: u64,
    watch: Option<Arc<Watch>>,
    /// Looks at the limits; memory is looked at now and then.
    looks: u64,
}

impl Limit {
    pub(crate) fn new(options: &Options) -> Limit {
        Limit {
            deadline: options.deadline,
            memory_mib: options.memory_mib,
            max_paths: u64::try_from(options.max_paths).unwrap_or(u64::MAX),
            watch: options.watch.clone(),
            looks: 0,
        }
    }

    /// Has it end at another time.
    pub(crate) fn end_at(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
    }

    /// The limit that has been reached, if one has: what a report says of it.
    pub(crate) fn reached(&mut self, paths: &PathCounts) -> Option<&'static str> {
        /// Looks between two at memory, which take a system call or three.
        const SELDOM: u64 = 64;
        self.looks += 1;
        if let Some(end) = self.watch.as_ref().and_then(|watch| watch.stopped()) {
            return Some(end.words());
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(End::Time.words());
        }
        if paths.completed + paths.violated + paths.given_up >= self.max_paths {
            return Some("as many paths were followed as may be (--max-paths)");
        }
        if self.memory_mib > 0
            && self.looks.is_multiple_of(SELDOM)
            && resident_mib().is_some_and(|mib| mib >= self.memory_mib)
        {
            return Some(End::Memory.words());
        }
        None
    }
}
