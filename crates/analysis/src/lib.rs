//! The analyses: each composes the stages of the other crates and reads as a table of contents.

mod analysed;
pub mod assume;
mod clock;
pub mod diff;
mod domain;
mod error;
pub mod exceptions;
mod feature;
mod files;
mod integers;
mod interpreted;
mod leftovers;
mod lengths;
mod observer;
mod origin;
mod output_class;
mod progress;
mod recipe;
mod record;
mod repeat;
mod run_options;
mod second_opinion;
mod variables;

pub use error::AnalysisError;
pub use files::remove_temporary_folders;
pub use progress::{Progress, Silent, Snapshot};
pub use recipe::Artifact;
pub use run_options::{RunOptions, TracingChoice};
pub use second_opinion::OpinionChoice;
