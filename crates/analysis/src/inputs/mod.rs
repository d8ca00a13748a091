//! The inputs that count, and how they are read as terms.

pub mod assume;
pub mod domain;
pub mod integers;
pub mod variables;
