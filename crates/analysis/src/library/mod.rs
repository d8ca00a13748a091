//! A run over a whole library: several functions at a time, each result kept, so that a run that was killed goes on where it was.

pub mod build;
pub mod campaign;
pub mod functions;
pub mod one_build;
pub mod rebuilt;
pub mod schedule;
pub mod shard_record;
pub mod shares;
mod store;

pub use store::{Hash, Kept, STORE_FILE, Store, StoreError, Tally, extended, options_hash, remove_unused};
