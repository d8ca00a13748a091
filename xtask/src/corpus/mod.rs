//! Files to solve: generated families, and the regression tests of a peer.

mod families;
mod generate;
mod random;
mod regressions;
mod scan;
mod script;
mod term;
mod width;

pub use generate::run as generate;
pub use regressions::run as regressions;
