//! How carefully a run over the code goes about.

use std::time::{Duration, Instant};

use crate::machine::Effort;
use crate::options::RangeOptions;

/// How carefully a run goes about, and which part of the time it may take.
#[derive(Clone, Copy)]
pub(crate) struct Care {
    pub disjuncts: usize,
    pub unroll: u32,
    pub decided: u32,
    pub part: f64,
    pub is_shared: bool,
    pub contexts: usize,
}

/// From most care to least: what takes too long is tried with less.
pub(crate) fn cares(options: &RangeOptions<'_>) -> [Care; 4] {
    let (unroll, contexts) = (options.loop_unroll, options.call_states);
    [
        Care { disjuncts: 6, unroll, decided: 1 << 16, part: 0.3, is_shared: false, contexts },
        Care {
            disjuncts: 2,
            unroll: unroll.min(4),
            decided: 1 << 10,
            part: 0.3,
            is_shared: false,
            contexts: contexts.min(6),
        },
        Care {
            disjuncts: 2,
            unroll: unroll.min(2),
            decided: 1 << 8,
            part: 0.5,
            is_shared: true,
            contexts: contexts.min(2),
        },
        Care {
            disjuncts: 1,
            unroll: unroll.min(1),
            decided: 1 << 6,
            part: 0.9,
            is_shared: true,
            contexts: contexts.min(1),
        },
    ]
}

impl Care {
    /// What a run may use up that begins now.
    pub fn effort(self, options: &RangeOptions<'_>) -> Effort {
        Effort {
            disjuncts: self.disjuncts,
            unroll: self.unroll,
            decided: self.decided,
            depth: options.call_depth,
            steps: options.max_steps,
            deadline: share(options.deadline, self.part),
            is_shared: self.is_shared,
            contexts: self.contexts,
        }
    }
}

/// The end of a part of the time that is left.
fn share(deadline: Option<Instant>, part: f64) -> Option<Instant> {
    let deadline = deadline?;
    let now = Instant::now();
    let left = deadline.saturating_duration_since(now);
    Some(now + Duration::from_secs_f64(left.as_secs_f64() * part))
}
