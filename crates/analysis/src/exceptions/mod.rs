//! `exceptions`: every floating-point exception a function can raise, with an input for each, or a proof that none exists.
//!
//! After E. T. Barr, T. Vo, V. Le, Z. Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013.

pub mod effect;
pub mod routes;
mod store;

pub use store::{Hash, Kept, STORE_FILE, Store, StoreError, options_hash};
