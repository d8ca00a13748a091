//! Files to solve: generated families, and the regression tests of a peer.

mod conditions;
mod families;
mod generate;
mod random;
mod regressions;
mod scan;
mod script;
mod term;
mod width;

pub use conditions::run as conditions;
pub use generate::{run as generate, sha256};
pub use regressions::{files as regression_files, run as regressions};
pub use scan::scan;
