//! What a run covers while it is executed.

use std::hash::Hasher;
use std::rc::Rc;

use labrys_float::Format;
use labrys_interp::Place;
use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHasher;

use super::{FeatureSet, Features};
use crate::comparisons::{Comparison, MOST_COMPARISONS};

/// Notes what is covered.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    features: Rc<Features>,
    /// What was covered since the beginning, on whatever path.
    pub(crate) seen: FeatureSet,
    /// What somebody waits for.
    pub(crate) wanted: FeatureSet,
    /// Something that was wanted, since this was last looked at.
    pub(crate) found: Option<usize>,
    /// Whose order makes a path.
    pub(crate) path_of: Rc<FeatureSet>,
    /// A hash of their order, on whatever paths: it is one path's where only one is followed.
    pub(crate) path: u64,
    /// The beginning of their order, where somebody wants it.
    pub(crate) trail: Option<Vec<usize>>,
    /// The comparisons of floats that were made, where somebody wants them.
    pub(crate) comparisons: Option<Vec<Comparison>>,
}

/// The longest trail that is kept.
const LONGEST_TRAIL: usize = 1 << 20;

impl Recorder {
    pub(crate) fn new(features: Rc<Features>) -> Recorder {
        Recorder {
            features,
            seen: FeatureSet::default(),
            wanted: FeatureSet::default(),
            found: None,
            path_of: Rc::default(),
            path: 0,
            trail: None,
            comparisons: None,
        }
    }

    fn note(&mut self, number: Option<usize>) {
        let Some(number) = number else { return };
        self.seen.insert(number);
        if self.wanted.contains(number) {
            self.found = Some(number);
        }
        if self.path_of.contains(number) {
            let mut hasher = FxHasher::default();
            hasher.write_u64(self.path);
            hasher.write_usize(number);
            self.path = hasher.finish();
            if let Some(trail) = self.trail.as_mut().filter(|trail| trail.len() < LONGEST_TRAIL) {
                trail.push(number);
            }
        }
    }

    pub(crate) fn enter(&mut self, function: FunctionId) {
        self.note(self.features.entry(function));
    }

    pub(crate) fn edge(&mut self, function: FunctionId, from: BlockId, to: BlockId) {
        self.note(self.features.edge(function, from, to));
    }

    pub(crate) fn compare(&mut self, place: &Place, (format, left, right): (Format, u128, u128)) {
        let Some(list) = self.comparisons.as_mut().filter(|list| list.len() < MOST_COMPARISONS) else { return };
        if place.lane == 0 {
            let Place { function, block, instruction, .. } = *place;
            list.push(Comparison { function, block, instruction, format, left, right });
        }
    }

    pub(crate) fn count(&mut self, place: &Place, value: u32) {
        self.note(self.features.counted(place.function, place.block, place.instruction, value));
    }
}
