//! A variable's values as runs of consecutive encodings, to go through all of them.

use super::bounds::Bounds;

/// Runs of encodings: first and count.
#[derive(Clone, Debug)]
pub(super) struct Segments(Vec<(u64, u128)>);

impl Segments {
    /// The encodings of the values in the bounds; a few runs of vectors may hold values outside.
    pub fn of(bounds: &Bounds) -> Segments {
        let mut runs = Vec::new();
        match bounds {
            Bounds::Few(_) => runs.extend(bounds.landmarks().into_iter().map(|value| (value, 1))),
            Bounds::Bits(bits) => {
                if bits.low <= bits.high {
                    runs.push((bits.low as u64, bits.high - bits.low + 1));
                }
            }
            Bounds::Float(packed, floats) => {
                for (negative, range, zero, infinity) in [
                    (true, floats.negative, floats.minus_zero, floats.minus_infinity),
                    (false, floats.positive, floats.plus_zero, floats.plus_infinity),
                ] {
                    let sign = packed.zero(negative);
                    if zero {
                        runs.push((sign, 1));
                    }
                    if let Some(range) = range {
                        runs.push((range.low as u64 | sign, range.high - range.low + 1));
                    }
                    if infinity {
                        runs.push((packed.infinity(negative), 1));
                    }
                }
                if floats.nan {
                    runs.push((packed.nan(), 1));
                }
            }
        }
        Segments(runs)
    }

    /// How many encodings there are.
    pub fn count(&self) -> u128 {
        self.0.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// The encoding at a place below the count.
    pub fn at(&self, mut place: u128) -> u64 {
        for (first, count) in &self.0 {
            if place < *count {
                return first.wrapping_add(place as u64);
            }
            place -= count;
        }
        0
    }

    /// Writes consecutive encodings from a place on; what is past the end repeats the last one. How many were new.
    pub fn fill(&self, place: u128, lanes: &mut [u64]) -> usize {
        let new = (self.count().saturating_sub(place)).min(lanes.len() as u128) as usize;
        let mut skip = place;
        let mut written = 0;
        for (first, count) in &self.0 {
            if skip >= *count {
                skip -= count;
                continue;
            }
            let run = (count - skip).min((new - written) as u128) as usize;
            for (offset, lane) in lanes[written..written + run].iter_mut().enumerate() {
                *lane = first.wrapping_add(skip as u64).wrapping_add(offset as u64);
            }
            written += run;
            skip = 0;
        }
        let last = if new == 0 { 0 } else { lanes[new - 1] };
        lanes[new..].fill(last);
        new
    }
}
