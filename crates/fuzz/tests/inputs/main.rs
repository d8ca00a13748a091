//! The crate's tests through its public interface.

mod produced;
mod shrinking;
mod signatures;
