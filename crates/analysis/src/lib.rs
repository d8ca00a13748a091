//! The analyses: each composes the stages of the other crates and reads as a table of contents.

pub mod accuracy;
pub mod diff;
mod error;
pub mod exceptions;
mod inputs;
pub mod library;
mod observation;
mod run;
mod search;
mod solving;
mod target;
pub mod truth;

pub use error::AnalysisError;
pub use inputs::assume;
pub use run::files::remove_temporary_folders;
pub use run::options::{RunOptions, TracingChoice};
pub use run::progress::{Progress, Silent, Snapshot};
pub use run::recipe::Artifact;
pub use solving::second_opinion::OpinionChoice;
