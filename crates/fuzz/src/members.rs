//! All inputs of a small search domain, one after the other.
//!
//! **Claim.** Every record that [`Space::admits`] comes once. **Argument.** The members of each leaf's domain are numbered without
//! gaps ([`crate::domain::Domain::member`]), the records with one member for each leaf are counted through like digits, the last
//! leaf fastest, and those that a condition refuses are passed over. Padding is zero in all records.

use crate::space::Space;

/// The admitted records of a space, in a fixed order.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    space: &'a Space,
    /// How many members each leaf has.
    counts: Vec<u128>,
    /// The next record's member of each leaf; `None` at the end.
    next: Option<Vec<u128>>,
}

impl Space {
    /// How many records keep to the bounds, those that conditions refuse included; at most `u128::MAX`.
    pub fn size(&self) -> u128 {
        self.variables.iter().fold(1, |size: u128, variable| size.saturating_mul(variable.domain.count()))
    }

    /// All records that are admitted. Meant for spaces of a [`Space::size`] that can be gone through.
    pub fn members(&self) -> Members<'_> {
        let counts: Vec<u128> = self.variables.iter().map(|variable| variable.domain.count()).collect();
        let first = counts.iter().all(|count| *count > 0).then(|| vec![0; counts.len()]);
        Members { space: self, counts, next: first }
    }
}

impl Iterator for Members<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let digits = self.next.as_mut()?;
            let mut record = vec![0; self.space.record_size()];
            for (variable, digit) in self.space.variables.iter().zip(&*digits) {
                variable.leaf.write(&mut record, variable.domain.member(*digit));
            }
            let mut is_over = true;
            for (digit, count) in digits.iter_mut().zip(&self.counts).rev() {
                *digit += 1;
                if *digit < *count {
                    is_over = false;
                    break;
                }
                *digit = 0;
            }
            if is_over {
                self.next = None;
            }
            if self.space.admits(&record) {
                return Some(record);
            }
        }
    }
}
