//! What runs of a program cover, and what is left that they could.
//!
//! - [`features`]: what can be covered, numbered; sets of it.
//! - [`recorder`]: what one run covers.
//! - [`reach`]: what control can still come to.

mod features;
mod reach;
mod recorder;

pub use features::{Feature, FeatureKind, FeatureSet, Features};
pub(crate) use reach::Reach;
pub(crate) use recorder::Recorder;
