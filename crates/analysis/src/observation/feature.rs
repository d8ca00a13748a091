//! Features: what an input showed, as numbers that a corpus compares.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// The number of a feature. Collisions cost a corpus entry, nothing else.
pub fn feature(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
