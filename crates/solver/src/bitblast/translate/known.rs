//! What facts say of a term's bits.

use labrys_term::{Sort, Store, TermId};

use super::Translator;
use crate::bitblast::Lit;
use crate::bitblast::vector::Bits;
use crate::domain::{BitVecDomain, Domain, Facts};

impl Translator {
    /// A term's word with the bits that the facts decide as constants; the circuit is constrained to them.
    pub(super) fn with_facts(&mut self, store: &Store, facts: &Facts, term: TermId, word: Bits) -> Bits {
        let Some(known) = known_bits(store, facts, term) else { return word };
        word.into_iter()
            .enumerate()
            .map(|(place, bit)| match known.bit(place) {
                None => bit,
                Some(value) => {
                    if bit.constant() != Some(value) {
                        self.side.push(bit.invert_if(!value));
                    }
                    Lit::of(value)
                }
            })
            .collect()
    }
}

/// Bits that are the same in all members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KnownBits {
    ones: u128,
    zeros: u128,
}

impl KnownBits {
    fn bit(self, place: usize) -> Option<bool> {
        let is_in = |mask: u128| place < 128 && mask >> place & 1 == 1;
        match (is_in(self.ones), is_in(self.zeros)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    fn of_bit_vector(domain: &BitVecDomain) -> KnownBits {
        // Above the highest place in which the bounds differ, all numbers between them agree.
        let differing = 128 - (domain.low ^ domain.high).leading_zeros();
        let agreed = u128::MAX.checked_shl(differing).unwrap_or(0) & BitVecDomain::top(domain.width).high;
        KnownBits { ones: domain.ones | domain.low & agreed, zeros: domain.zeros | !domain.low & agreed }
    }
}

fn known_bits(store: &Store, facts: &Facts, term: TermId) -> Option<KnownBits> {
    match (facts.domains.get(&term)?, store.sort(term)) {
        (Domain::Bool(_), Sort::Bool) => {
            let value = facts.truth(term)?;
            Some(KnownBits { ones: u128::from(value), zeros: u128::from(!value) })
        }
        (Domain::BitVec(domain), Sort::BitVec(_)) => Some(KnownBits::of_bit_vector(domain)),
        (Domain::RoundingMode(modes), Sort::RoundingMode) => {
            let places = (0..5u128).filter(|place| modes.0 >> place & 1 == 1);
            let (ones, zeros) = places.fold((7, 7), |(ones, zeros), place| (ones & place, zeros & !place));
            Some(KnownBits { ones, zeros })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_decide_the_bits_above_the_first_difference() {
        let mut domain = BitVecDomain { low: 0b1010, high: 0b1011, ..BitVecDomain::top(6) };
        assert_eq!(KnownBits::of_bit_vector(&domain), KnownBits { ones: 0b1010, zeros: 0b11_0100 });
        domain.high = 0b10_0000;
        assert_eq!(KnownBits::of_bit_vector(&domain), KnownBits { ones: 0, zeros: 0 });
        let single = BitVecDomain::only(128, u128::MAX - 1);
        assert_eq!(KnownBits::of_bit_vector(&single), KnownBits { ones: u128::MAX - 1, zeros: 1 });
        assert_eq!(KnownBits::of_bit_vector(&BitVecDomain::top(128)), KnownBits { ones: 0, zeros: 0 });
    }
}
