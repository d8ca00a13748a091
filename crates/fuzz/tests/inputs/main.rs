//! The crate's tests through its public interface.

mod members;
mod produced;
mod shrinking;
mod signatures;
