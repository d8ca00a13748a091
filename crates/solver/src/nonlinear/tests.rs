//! Against exact arithmetic: generated polynomials.

mod root_isolation;
