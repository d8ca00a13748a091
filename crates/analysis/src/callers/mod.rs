//! Who calls a function of a library, and what is known of that: for findings of functions that only others of the library can call.

mod arguments;
mod passing;
mod proofs;
mod questions;
mod routes;
mod stage;

pub use arguments::{Argument, Nearness, Together, arguments, passes};
pub use passing::Caller;
pub use proofs::CallerProofs;
pub use questions::Question;
pub use routes::Callers;
pub use stage::{ASKING_PART, Asked, Asks, Stage, answer, share_of_each};
