//! What is to be covered, and what is known of it.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use labrys_testcase::TestInput;
use rustc_hash::FxHashMap;

use super::{FeatureSet, Features, Reach};
use crate::Outcome;

/// What is to be covered.
#[derive(Clone, Debug, Default)]
pub struct CoverOptions {
    /// What is wanted, by numbers of [`Features::of`] the program.
    pub wanted: FeatureSet,
    /// Inputs that are run first.
    pub seeds: Vec<TestInput>,
    /// Whether every path is to have an input, and not only what is wanted.
    pub all_paths: bool,
    /// A path that is to have an input: the first test takes it.
    pub path: Option<PathGoal>,
}

/// A path by some of its edges.
#[derive(Clone, Debug, Default)]
pub struct PathGoal {
    /// The edges that count, by number, and what each stands for; `None` where that is not known.
    pub symbols: FxHashMap<usize, Option<(u32, bool)>>,
    /// What those that count stand for, in the path's order. It may go on behind them.
    pub steps: Vec<(u32, bool)>,
}

/// An input, and what its run covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveringTest {
    /// The input: all that the run asked for.
    pub input: TestInput,
    /// What it covers.
    pub covers: FeatureSet,
}

/// What is known of a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Some test covers it.
    Covered,
    /// No input does.
    Never,
    /// Not known: why.
    Open(Arc<str>),
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct CoverOutcome {
    /// Tests, in the order in which they were found; each covered something that was wanted and that those before it did not.
    pub tests: Vec<CoveringTest>,
    /// All that tests cover.
    pub covered: FeatureSet,
    /// Paths, what was not followed, assumptions.
    pub outcome: Outcome,
    pub(crate) features: Rc<Features>,
    pub(crate) reach: Reach,
    pub(crate) asked: Rc<FeatureSet>,
    /// What control may come to from call stacks at which paths ended early, as blocks, with the reason.
    pub(crate) open: Vec<(FeatureSet, Arc<str>)>,
    /// What paths came to for which no input was found, or none that a concrete run confirmed in its time.
    pub(crate) undecided: IndexMap<usize, Arc<str>>,
}

impl CoverOutcome {
    /// What is known of a feature, by its number.
    pub fn standing(&self, number: usize) -> Standing {
        if self.covered.contains(number) {
            return Standing::Covered;
        }
        if let Some(why) = self.undecided.get(&number) {
            return Standing::Open(why.clone());
        }
        let feature = self.features.get(number).filter(|_| self.asked.contains(number));
        let Some(feature) = feature else { return Standing::Open("nobody asked for it".into()) };
        let place = self.reach.place(feature);
        match self.open.iter().find(|(blocks, _)| blocks.contains(place)) {
            Some((_, why)) => Standing::Open(why.clone()),
            None => Standing::Never,
        }
    }

    /// Whether no path was left that might do something new; else why not.
    ///
    /// # Errors
    ///
    /// The first reason.
    pub fn is_exhaustive(&self) -> Result<(), Arc<str>> {
        let first = self.open.first().map(|(_, why)| why).or_else(|| self.undecided.values().next());
        first.map_or(Ok(()), |why| Err(why.clone()))
    }
}
