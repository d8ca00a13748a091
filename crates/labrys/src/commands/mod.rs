//! One module a command.

pub mod diff;
pub mod doctor;
pub mod exceptions;
pub mod replay;
pub mod solve;
