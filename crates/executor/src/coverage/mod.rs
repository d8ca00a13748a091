//! What runs of a program cover, and what is left that they could.
//!
//! - [`features`]: what can be covered, numbered; sets of it.
//! - [`outcome`]: what is asked of a run, and what it came to.
//! - [`recorder`]: what one run covers.
//! - [`reach`]: what control can still come to.

mod features;
mod outcome;
mod reach;
mod recorder;

pub use features::{Feature, FeatureKind, FeatureSet, Features};
pub use outcome::{CoverOptions, CoverOutcome, CoveringTest, PathGoal, Standing};
pub(crate) use reach::Reach;
pub(crate) use recorder::Recorder;
