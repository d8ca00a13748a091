//! A run over a whole library: several functions at a time, each result kept, so that a run that was killed goes on where it was.

pub mod build;
pub mod functions;
pub mod one_build;
pub mod rebuilt;
pub mod schedule;
mod store;

pub use store::{Hash, Kept, STORE_FILE, Store, StoreError, extended, options_hash};
