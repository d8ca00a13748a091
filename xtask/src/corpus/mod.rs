//! Files to solve (generated families, and the regression tests of a peer), and a library to analyse.

mod conditions;
mod debian;
mod families;
mod generate;
mod gsl;
mod libm;
mod literature;
mod random;
mod regressions;
mod scan;
mod script;
mod term;
mod width;

pub use conditions::run as conditions;
pub use debian::complete;
pub use generate::{run as generate, sha256};
pub use gsl::{folder as gsl_folder, run as gsl};
pub use libm::{Libm, folder as libm_folder, run as libm};
pub use literature::{folder as literature_folder, run as literature};
pub use regressions::{files as regression_files, run as regressions};
pub use scan::scan;
