//! Symbolic execution of floating-point programs: the Float-term domain's driver and the conditions of its sites.

mod site;

pub use site::{Site, SiteExecution, SiteOperator};
