//! What a user asks of `exceptions`, resolved: every default is filled in.

use crate::library::schedule::ScheduleOptions;
use crate::run::options::RunOptions;
use crate::target::subject::BuildRequest;

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The build that is analysed.
    pub build: BuildRequest,
    /// What every analysis is told; the exceptions watched are those that are asked about.
    pub run: RunOptions,
    /// How a library is worked through.
    pub schedule: ScheduleOptions,
    /// How far libm's functions may be from the correctly rounded value in proofs, in ulps.
    pub libm_ulps: u32,
    /// Input spaces of at most so many members are run whole.
    pub whole_space: u64,
    /// Functions of a library with more pairs of a site and an exception than so many are analysed in parts of at most so many.
    pub split: Option<u32>,
}
