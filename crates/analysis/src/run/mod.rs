//! What every run has: its options, its limits, who listens, what it writes.

pub mod clock;
pub mod done;
pub mod files;
pub mod options;
pub mod own_time;
pub mod progress;
pub mod recipe;
pub mod record;
pub mod repeat;
pub mod stage_times;

/// The name of this crate in the log.
pub const LOG: &str = "analysis";
