//! The whole way of one query: copied, prepared, narrowed, decided by engines that race, and its model evaluated.
//!
//! **Claim.** `Sat` carries a model under which the exact evaluator finds every assertion true; `Unsat` is a proof by
//! preparation, propagation or one engine. Nothing else decides.

mod certificate;
mod certify;
mod config;
mod decision;
mod domains;
mod engines;
mod import;
mod race;
mod statistics;

pub use certificate::{Certificate, CertifyConfig, Preparation, Refutation};
pub use config::PortfolioConfig;
pub(crate) use decision::evaluated;
pub use decision::{Decision, Portfolio};
pub use engines::EngineChoice;
pub(crate) use import::Import;
pub use statistics::Statistics;
