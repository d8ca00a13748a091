//! Which inputs were run: none is run twice for nothing.
//!
//! Inputs are known by 64 bits of a hash, for there are millions. That two of them share one costs the second its run: among ten million inputs that happens
//! with a probability of 1 in 370,000.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

/// Inputs that are remembered; then all are forgotten, so that a search of hours does not fill the memory.
const REMEMBERED: usize = 1 << 23;

/// The inputs that were run.
#[derive(Debug, Default)]
pub struct Tested {
    hashes: FxHashSet<u64>,
}

impl Tested {
    /// Adds an input; whether it was not there.
    pub fn insert(&mut self, record: &[u8]) -> bool {
        if self.hashes.len() >= REMEMBERED {
            self.hashes.clear();
        }
        let mut hasher = FxHasher::default();
        record.hash(&mut hasher);
        self.hashes.insert(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_told_apart() {
        let mut tested = Tested::default();
        let record = |n: u32| {
            let mut record = vec![0; 264];
            record[8..16].copy_from_slice(&f64::from(n).to_le_bytes());
            record[256..264].copy_from_slice(&f64::from(n % 7).to_bits().to_le_bytes());
            record
        };
        assert!((0..300_000).all(|n| tested.insert(&record(n))));
        assert!((0..300_000).all(|n| !tested.insert(&record(n))));
    }
}
