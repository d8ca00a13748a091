//! Who calls a function of a library, and what is known of that: for findings of functions that only others of the library can call.

mod arguments;
mod proofs;
mod routes;

pub use arguments::{Argument, Nearness, Together, arguments, passes};
pub use proofs::CallerProofs;
pub use routes::Callers;
