//! Against exact arithmetic: generated polynomials.

mod lines;
mod queries;
