//! The engines on whole queries, against enumeration.

mod bit_vectors;
mod budgets;
mod certified;
mod floats;
mod incremental;
mod random;
