//! The inputs that count, how they are read as terms, and who proposed one.

pub mod assume;
pub mod domain;
pub mod integers;
pub mod origin;
pub mod variables;
