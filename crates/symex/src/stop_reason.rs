//! Why paths ended.

use std::fmt;

use labrys_interp::Stop;

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It returned.
    Returned,
    /// It ended before returning.
    Stopped(Stop),
    /// It was not followed further: no site that is still open lies ahead ([`crate::Interest`]).
    NothingOpen,
    /// It called a function that was looked for ([`crate::Options::until`]).
    Arrived,
    /// It was not followed further: a limit of the whole exploration.
    Budget(Budget),
}

/// A limit of the whole exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// Number of paths.
    Paths,
    /// Number of waiting states.
    States,
    /// Instructions of all paths together.
    Instructions,
    /// The deadline.
    Deadline,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Returned => f.write_str("returned"),
            StopReason::Stopped(stop) => stop.fmt(f),
            StopReason::NothingOpen => f.write_str("no open site ahead"),
            StopReason::Arrived => f.write_str("a call that was looked for"),
            StopReason::Budget(Budget::Paths) => f.write_str("the limit on paths (--max-paths)"),
            StopReason::Budget(Budget::States) => f.write_str("the limit on waiting states"),
            StopReason::Budget(Budget::Instructions) => f.write_str("the limit on instructions"),
            StopReason::Budget(Budget::Deadline) => f.write_str("the time limit"),
        }
    }
}
