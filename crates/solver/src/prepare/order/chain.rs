//! The values that are enough for a class of floats.

use std::collections::BTreeSet;

use labrys_float::{Float, Format};
use num_bigint::BigInt;
use num_traits::Zero;

/// Values in ascending order. A value's place is its index.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// Ordinals of the values; 0 is there twice in a row where −0 and +0 are told apart.
    ordinals: Vec<BigInt>,
    format: Format,
    /// Whether −0 and +0 have places of their own.
    pub signed_zeros: bool,
}

/// No chain has more values: beyond, words are hardly shorter than floats, and the table costs more than it saves.
const MOST_VALUES: usize = 1 << 16;

impl Chain {
    /// The literals, and between neighbours as many values as there are variables that can lie there; each variable is
    /// given by its least and its greatest ordinal. Symmetric, if that is asked for. `None` if these would be too many.
    pub fn new(
        format: Format,
        literals: &BTreeSet<BigInt>,
        variables: &[[BigInt; 2]],
        is_symmetric: bool,
        signed_zeros: bool,
    ) -> Option<Chain> {
        let mut fixed = literals.clone();
        let mut ranges = variables.to_vec();
        if is_symmetric {
            fixed.extend(literals.iter().map(|literal| -literal));
            ranges.extend(variables.iter().map(|[low, high]| [-high, -low]));
        }
        if is_symmetric || signed_zeros {
            fixed.insert(BigInt::zero());
        }
        if (fixed.len() + 1).checked_mul(variables.len().checked_add(1)?)? > MOST_VALUES {
            return None;
        }
        let beyond = Float::infinity(format, false).ordinal()? + 1;
        let fixed: Vec<BigInt> = fixed.into_iter().collect();
        let mut ordinals = Vec::new();
        let mut low = -&beyond;
        for high in fixed.iter().chain([&beyond]) {
            // Where there is a mirror image, a variable and its negation are two ranges, and at most one of both signs' values.
            ordinals.extend(inside(&low, high, &ranges, variables.len()));
            ordinals.push(high.clone());
            low = high.clone();
        }
        ordinals.pop();
        // Without variables and numbers there are only NaNs, which have a place too, whichever.
        if signed_zeros || ordinals.is_empty() {
            ordinals.push(BigInt::zero());
            ordinals.sort_unstable();
        }
        Some(Chain { ordinals, format, signed_zeros })
    }

    /// The values' format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.ordinals.len()
    }

    /// The bits of a place.
    pub fn width(&self) -> u32 {
        (usize::BITS - (self.len() - 1).leading_zeros()).max(1)
    }

    /// The places of −0 and of +0, where zero is among the values: one and the same, or neighbours.
    pub fn zeros(&self) -> [usize; 2] {
        let first = self.ordinals.partition_point(|ordinal| *ordinal < BigInt::zero());
        [first, first + usize::from(self.signed_zeros)]
    }

    /// The place of a number that was among the literals; `None` of NaN and other numbers.
    pub fn place(&self, value: &Float) -> Option<usize> {
        if value.is_zero() && self.signed_zeros {
            return Some(self.zeros()[usize::from(!value.is_negative())]);
        }
        self.ordinals.binary_search(&value.ordinal()?).ok()
    }

    /// The value at each place.
    pub fn values(&self) -> Vec<Float> {
        let minus_zero = self.signed_zeros.then(|| self.zeros()[0]);
        let value = |(place, ordinal): (usize, &BigInt)| {
            let value = Float::from_ordinal(self.format, ordinal);
            if minus_zero == Some(place) { value.neg() } else { value }
        };
        self.ordinals.iter().enumerate().map(value).collect()
    }
}

/// Ordinals between two others, spread evenly: as many as ranges reach in between, but at most `most`, and at most all.
/// The mirror image of the gap gets the mirror image of the ordinals, if it meets as many ranges.
fn inside(low: &BigInt, high: &BigInt, ranges: &[[BigInt; 2]], most: usize) -> Vec<BigInt> {
    let distance = high - low;
    let reaching = ranges.iter().filter(|[least, greatest]| least < high && greatest > low).count().min(most);
    let count = usize::try_from(&distance - 1u8).unwrap_or(usize::MAX).min(reaching);
    // Steps of distance/(count + 1) ≥ 1: the values differ, and lie strictly inside.
    let step = |i: usize| &distance * i / (count + 1);
    let is_negative = high <= &BigInt::zero();
    (1..=count).map(|i| if is_negative { high - step(count + 1 - i) } else { low + step(i) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Format = Format::new(4, 4);

    fn everywhere(format: Format) -> [BigInt; 2] {
        [true, false].map(|negative| Float::infinity(format, negative).ordinal().expect("a number"))
    }

    fn chain(literals: &[f64], variables: usize, is_symmetric: bool, signed_zeros: bool) -> Vec<f64> {
        let literals = literals.iter().map(|&value| {
            let ordinal = labrys_float::Environment::default().convert(&Float::from_f64(value), SMALL).value.ordinal();
            ordinal.expect("a number")
        });
        let variables = vec![everywhere(SMALL); variables];
        let chain = Chain::new(SMALL, &literals.collect(), &variables, is_symmetric, signed_zeros).expect("small");
        let values = chain.values();
        assert_eq!(values.len(), chain.len());
        assert!(chain.len() <= 1 << chain.width());
        values
            .iter()
            .map(|value| {
                let wide = labrys_float::Environment::default().convert(value, Format::BINARY64).value;
                wide.to_f64().expect("a double")
            })
            .collect()
    }

    #[test]
    fn gaps_hold_as_many_values_as_there_are_variables_or_floats() {
        // Between 1 and 1.25 there is one float of four significant bits; above 240 only infinity.
        let values = chain(&[0.0, 1.0, 1.25, 240.0], 2, false, false);
        let inside = |low: f64, high: f64| values.iter().filter(|value| **value > low && **value < high).count();
        assert_eq!(inside(1.0, 1.25), 1);
        assert_eq!(inside(0.0, 1.0), 2);
        assert_eq!(inside(1.25, 240.0), 2);
        assert_eq!(values.iter().filter(|value| **value > 240.0).count(), 1);
        assert_eq!(values.iter().filter(|value| **value < 0.0).count(), 2);
        assert!(values.is_sorted());
        assert_eq!(values.iter().filter(|value| **value == 0.0).count(), 1);
    }

    #[test]
    fn symmetric_chains_are_their_mirror_images() {
        let values = chain(&[-2.0, 3.0], 3, true, true);
        let mirrored: Vec<f64> = values.iter().rev().map(|value| -value).collect();
        assert_eq!(values.len(), mirrored.len());
        assert!(values.iter().zip(&mirrored).all(|(a, b)| a.to_bits() == b.to_bits()), "{values:?}");
        assert_eq!(values.iter().filter(|value| **value == 0.0).count(), 2);
        assert!([2.0, -3.0].iter().all(|value| values.contains(value)));
    }

    #[test]
    fn too_many_values_are_refused() {
        let literals: BTreeSet<BigInt> = (1..300).map(BigInt::from).collect();
        let variables = vec![everywhere(Format::BINARY64); 300];
        assert!(Chain::new(Format::BINARY64, &literals, &variables, false, false).is_none());
        assert!(Chain::new(Format::BINARY64, &literals, &variables[..20], false, false).is_some());
    }

    /// Eight numbers from −100 to 100 need ten places.
    #[test]
    fn bounded_variables_have_no_places_beyond_their_bounds() {
        let literals = [-100.0, 100.0].map(|value| Float::from_f64(value).ordinal().expect("a number"));
        let variables = vec![literals.clone(); 8];
        let chain = Chain::new(Format::BINARY64, &literals.into(), &variables, false, false).expect("small");
        assert_eq!((chain.len(), chain.width()), (10, 4));
    }
}
