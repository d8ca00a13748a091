//! Exact numbers beyond the rationals: real roots of integer polynomials, and the dyadic numbers that enclose them.

mod dyadic;
mod gmp;
mod number;
mod polynomial;
mod roots;
#[cfg(test)]
mod tests;

pub use dyadic::Dyadic;
pub use gmp::{from_gmp, to_gmp};
pub use number::{AlgebraicNumber, NoSuchRoot, round_both};
pub use polynomial::Polynomial;
pub use roots::{Root, isolate};
