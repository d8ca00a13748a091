//! The analyses: each composes the stages of the other crates and reads as a table of contents.
//!
//! What is said of inputs counts for every stage: the search tests it, solvers get it as a term.
//!
//! ```
//! use labrys_analysis::assume::Assumption;
//! use labrys_program::{LengthOptions, parse_signature};
//! use labrys_term::Store;
//!
//! let layout = parse_signature("double f(double x, double y)", &LengthOptions::default()).unwrap().input_layout();
//! let assumption = Assumption::parse("x < y", &layout).unwrap();
//! let record = |values: [f64; 2]| {
//!     let mut record = vec![0; layout.size];
//!     for (leaf, value) in layout.leaves.iter().zip(values) {
//!         record[leaf.offset..][..8].copy_from_slice(&value.to_le_bytes());
//!     }
//!     record
//! };
//! assert!(assumption.holds(&layout, &record([1.0, 2.0])));
//! assert!(!assumption.holds(&layout, &record([2.0, f64::NAN])));
//!
//! let mut store = Store::new();
//! let term = assumption.term(&layout, &mut store);
//! assert!(store.reachable(&[term]).len() >= 3);
//! ```

pub mod accuracy;
mod callers;
pub mod cover;
pub mod diff;
mod error;
pub mod exceptions;
mod inputs;
pub mod library;
mod observation;
pub mod regression;
mod run;
mod search;
mod solving;
mod target;
pub mod truth;
pub mod verify;
mod whole;

pub use error::AnalysisError;
pub use inputs::assume;
pub use labrys_executor::AnyArguments;
pub use labrys_program::remove_temporary_folders;
pub use library::campaign::{CampaignOptions, Missing, Outcome, PartDone, Shard};
pub use library::rebuilt::Rebuilt;
pub use library::remove_unused as remove_unused_store;
pub use library::schedule::ScheduleOptions;
pub use run::done::Done;
pub use run::options::{RunOptions, TracingChoice};
pub use run::progress::{Progress, Silent, Snapshot};
pub use run::recipe::Artifact;
pub use solving::second_opinion::OpinionChoice;
pub use target::subject::{BuildRequest, Subject};
pub use whole::library::{ADVICE as LIBRARY_ADVICE, find_library};
pub use whole::suite::{TestFormat, TestsRequest};
