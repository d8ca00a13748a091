//! Inputs on which the function takes too long, or crashes: most have a large number somewhere that says how often a loop goes round, or
//! how far apart elements are.
//!
//! A call that runs out of time costs as much as some hundred thousand others, and one that ends its process as a thousand. So for each value among the inputs it is counted how
//! calls ended by its sign and order of magnitude, and an input is passed over with the share of those that did not end at its worst
//! value. One in thirty-two is run whatever is known: what is counted among many values need not be one's fault.

use labrys_native::Outcome;
use labrys_program::{Leaf, ScalarType};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Signs and orders of magnitude of a value.
const KINDS: usize = 256;
/// Calls that did not end before a kind of value is suspected.
const SUSPECTED: u32 = 2;
/// Of the suspected inputs one in so many is run all the same.
const RUN_ALL_THE_SAME: f64 = 1.0 / 32.0;

/// How calls ended, by the values that they were given.
pub struct SlowInputs {
    leaves: Vec<Leaf>,
    /// For each leaf and kind: calls that returned, calls that ran out of time or crashed.
    counts: Vec<[(u32, u32); KINDS]>,
    unended: u64,
    random: Pcg64,
}

impl SlowInputs {
    /// Nothing is known yet of a function with such inputs.
    pub fn new(leaves: &[Leaf], seed: u64) -> SlowInputs {
        SlowInputs {
            leaves: leaves.to_vec(),
            counts: vec![[(0, 0); KINDS]; leaves.len()],
            unended: 0,
            random: Pcg64::seed_from_u64(seed ^ 0x7473_6c6f_7721),
        }
    }

    /// How a call ended.
    pub fn learn(&mut self, record: &[u8], outcome: &Outcome) {
        let is_late = matches!(outcome, Outcome::Timeout | Outcome::Signal(_));
        self.unended += u64::from(is_late);
        for (leaf, counts) in self.leaves.iter().zip(&mut self.counts) {
            let (returned, late) = &mut counts[kind(leaf, record)];
            *(if is_late { late } else { returned }) += 1;
        }
    }

    /// Whether to run an input, by what is known of its values.
    pub fn is_worth_a_call(&mut self, record: &[u8]) -> bool {
        if self.unended == 0 {
            return true;
        }
        let share = |(leaf, counts): (&Leaf, &[(u32, u32); KINDS])| match counts[kind(leaf, record)] {
            (_, late) if late < SUSPECTED => 0.0,
            (returned, late) => f64::from(late) / (f64::from(returned) + f64::from(late)),
        };
        let worst = self.leaves.iter().zip(&self.counts).map(share).fold(0.0, f64::max);
        worst <= 0.0 || self.random.random_bool((1.0 - worst).max(RUN_ALL_THE_SAME))
    }
}

/// A value's sign and order of magnitude: for floats the sign and the upper bits of the exponent, for integers the length.
fn kind(leaf: &Leaf, record: &[u8]) -> usize {
    let bits = leaf.read(record);
    match leaf.scalar {
        ScalarType::Float(float) => (bits >> (float.format().width() - 8)) as usize % KINDS,
        ScalarType::Bool => usize::from(bits != 0),
        ScalarType::Int { bits: width, signed } => {
            let is_negative = signed && bits >> (width - 1) & 1 == 1;
            let magnitude = if is_negative { !bits & ((1 << width) - 1) } else { bits };
            (usize::from(is_negative) * 128 + (128 - magnitude.leading_zeros()) as usize) % KINDS
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{LengthOptions, parse_signature};

    use super::*;

    fn leaves() -> Vec<Leaf> {
        parse_signature("double sum(double x, int n)", &LengthOptions::default()).unwrap().input_layout().leaves
    }

    fn record(leaves: &[Leaf], x: f64, n: i32) -> Vec<u8> {
        let mut record = vec![0; 64];
        leaves[0].write(&mut record, u128::from(x.to_bits()));
        leaves[1].write(&mut record, u128::from(n as u32));
        record
    }

    #[test]
    fn kinds_tell_signs_and_magnitudes_apart() {
        let leaves = leaves();
        let of = |n| kind(&leaves[1], &record(&leaves, 0.0, n));
        assert_eq!(of(8), of(15));
        assert_ne!(of(8), of(16));
        assert_ne!(of(8), of(-8));
        assert_eq!((of(0), of(i32::MAX), of(i32::MIN)), (0, 31, 159));
        let of = |x| kind(&leaves[0], &record(&leaves, x, 0));
        assert_eq!(of(1.5), of(1.25));
        assert_ne!(of(1.5), of(1e300));
        assert_ne!(of(1.5), of(-1.5));
    }

    #[test]
    fn large_counts_are_passed_over_and_small_ones_are_not() {
        let leaves = leaves();
        let mut slow = SlowInputs::new(&leaves, 0);
        for round in 0..100 {
            slow.learn(&record(&leaves, 1.5, 1 << 30 | round), &Outcome::Timeout);
            for n in 0..10 {
                slow.learn(&record(&leaves, 1.5, n), &Outcome::Returned);
            }
        }
        let mut share = |n| (0..1000).filter(|_| slow.is_worth_a_call(&record(&leaves, 1.5, n))).count();
        let (large, small, unknown) = (share(1 << 30), share(5), share(1000));
        assert!((1..100).contains(&large), "{large}");
        assert!(small > 800 && unknown > 800, "{small} {unknown}");
    }

    /// A stride of millions reads far behind every array; LAPACK's ddot was run twenty thousand times, nearly always into a crash.
    #[test]
    fn what_crashes_is_passed_over_too() {
        let leaves = leaves();
        let mut slow = SlowInputs::new(&leaves, 0);
        for n in 0..100 {
            slow.learn(&record(&leaves, 1.5, 1 << 30 | n), &Outcome::Signal(11));
            slow.learn(&record(&leaves, 1.5, n % 4), &Outcome::Returned);
        }
        let mut share = |n| (0..1000).filter(|_| slow.is_worth_a_call(&record(&leaves, 1.5, n))).count();
        assert!(share(1 << 30) < 100 && share(2) > 400);
    }

    #[test]
    fn nothing_is_passed_over_where_all_calls_return() {
        let leaves = leaves();
        let mut slow = SlowInputs::new(&leaves, 0);
        for n in 0..100 {
            slow.learn(&record(&leaves, 1.5, n), &Outcome::Returned);
            slow.learn(&record(&leaves, 1.5, n), &Outcome::Exit(1));
            assert!(slow.is_worth_a_call(&record(&leaves, 1.5, n)));
        }
    }
}
