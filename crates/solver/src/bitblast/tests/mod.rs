//! The engines on whole queries, against enumeration.

mod bit_vectors;
mod budgets;
mod incremental;
mod random;
