use std::hash::Hasher;

use rustc_hash::{FxHashSet, FxHasher};

/// Which input records were seen, by fingerprints of 64 bits: records of arrays have kilobytes, and a search sees millions.
///
/// Two records have one fingerprint with a probability of 2^-64. The second then counts as seen: of 10^7 records none does, but with a
/// probability of 3·10^-6.
#[derive(Clone, Debug, Default)]
pub struct RecordSet(FxHashSet<u64>);

impl RecordSet {
    /// Adds a record; whether it was not there.
    pub fn insert(&mut self, record: &[u8]) -> bool {
        self.0.insert(fingerprint(record))
    }

    /// Whether a record is there.
    pub fn contains(&self, record: &[u8]) -> bool {
        self.0.contains(&fingerprint(record))
    }

    /// The records of both.
    pub fn union(mut self, other: &RecordSet) -> RecordSet {
        self.0.extend(&other.0);
        self
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn fingerprint(record: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(record);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_records_are_told_apart() {
        let mut set = RecordSet::default();
        let records: Vec<[u8; 16]> = (0..200_000u64)
            .map(|i| {
                let mut record = [0; 16];
                record[..8].copy_from_slice(&(1.0f64.to_bits() + i / 2).to_le_bytes());
                record[8..].copy_from_slice(&(1.0f64.to_bits() - i.div_ceil(2)).to_le_bytes());
                record
            })
            .collect();
        assert!(set.is_empty());
        assert!(records.iter().all(|record| set.insert(record)));
        assert!(records.iter().all(|record| set.contains(record) && !set.insert(record)));
        assert_eq!(set.len(), records.len());
        assert!(!set.contains(&[0; 16]) && !set.contains(&[]));
    }
}
