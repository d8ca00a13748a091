//! How queries are decided.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::certificate::CertifyConfig;
use super::engines::EngineChoice;
use crate::interval::IntervalConfig;

/// How queries are decided.
#[derive(Clone, Debug, Default)]
pub struct PortfolioConfig {
    /// Which engines are asked.
    pub engines: EngineChoice,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether the same query always gives the same model, whatever the machine is doing: then an engine that proposes
    /// models by search is waited for as long as its fixed work takes, even if another one has a model already.
    pub reproducible: bool,
    /// How the interval engine works.
    pub interval: IntervalConfig,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// Whether answers are certified, and how; they are not by default.
    pub certify: Option<CertifyConfig>,
}

impl PortfolioConfig {
    /// The same model for the same query, whatever the machine is doing.
    pub fn reproducible(seed: u64) -> PortfolioConfig {
        PortfolioConfig { seed, reproducible: true, ..PortfolioConfig::default() }
    }
}
