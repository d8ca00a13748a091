//! Roots and algebraic numbers against roots that are known, the hardware, and Sturm's theorem.

mod isolation;
mod numbers;
mod sturm;
