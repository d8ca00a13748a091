//! Which engines are asked, and in which order of preference.

use crate::Engine;
use crate::bitblast::BitBlaster;
use crate::interval::{IntervalConfig, IntervalEngine};
use crate::local::LocalSearch;

/// The engines to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// All of them, raced over two threads.
    #[default]
    Portfolio,
    /// Local search and intervals in turns: quick where formulas are too large for circuits.
    Search,
    /// Interval propagation and search.
    Interval,
    /// Bit-blasting and CDCL.
    BitBlast,
    /// Stochastic local search: finds models; proves something only where it can try all assignments.
    Local,
}

impl EngineChoice {
    /// The engine, where there is only one.
    pub(super) fn alone(self, interval: IntervalConfig) -> Option<Box<dyn Engine>> {
        match self {
            EngineChoice::Portfolio | EngineChoice::Search => None,
            EngineChoice::Interval => Some(Box::new(IntervalEngine::new(interval))),
            EngineChoice::BitBlast => Some(Box::new(BitBlaster::default())),
            EngineChoice::Local => Some(Box::new(LocalSearch::default())),
        }
    }
}
