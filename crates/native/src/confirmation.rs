//! Confirmation: is an observation the code's own, or does it depend on lanes and memory that nobody set?

use labrys_float::Flags;

use crate::{Lanes, NativeError, Observation, Worker, WorkerConfig};

/// Two fresh runs of one input, the second with ones in the unused vector lanes, in the stack and in new heap memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Both showed this.
    Stable(Observation),
    /// They differ: the result depends on memory or lanes that the code does not own.
    Varies(Box<(Observation, Observation)>),
}

/// Runs one input in two fresh processes, the second with ones in the unused vector lanes; the first observation has its
/// trace.
///
/// # Errors
///
/// As [`Worker::spawn`].
pub fn confirm(config: &WorkerConfig, input: &[u8], watched: Flags) -> Result<Confirmation, NativeError> {
    let mut zeros = Worker::spawn(WorkerConfig { lanes: Lanes::Zeros, ..config.clone() })?;
    let mut ones = Worker::spawn(WorkerConfig { lanes: Lanes::Ones, ..config.clone() })?;
    let first = zeros.trace(input, watched)?;
    let second = ones.run_fresh(&[input.to_vec()], watched)?.swap_remove(0);
    let same = first.outcome == second.outcome && first.flags == second.flags && first.output == second.output;
    Ok(if same { Confirmation::Stable(first) } else { Confirmation::Varies(Box::new((first, second))) })
}
