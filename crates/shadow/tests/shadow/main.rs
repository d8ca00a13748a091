//! Shadows beside the program and its MPFR twin.

mod fixture;
mod small;
