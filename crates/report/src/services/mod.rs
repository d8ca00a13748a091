//! The report in the formats that services for continuous integration show: GitLab's code quality report, and JUnit's XML, which Jenkins
//! and most others read.
//!
//! SARIF, for GitHub, has a module of its own.

mod code_quality;
mod junit;

pub use code_quality::code_quality;
pub use junit::junit;
