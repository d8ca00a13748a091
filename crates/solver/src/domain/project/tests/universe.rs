//! All values of a tiny format, sets of them, and the judgement of a projection.

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;

use crate::domain::float::{infinity_magnitude, rank, ranked};
use crate::domain::{FloatDomain, ModeDomain};

/// Every value of a format, NaN once, as places: ranks from −∞'s on, then NaN.
#[derive(Clone, Copy)]
pub(super) struct Universe {
    pub format: Format,
    pub infinity: i128,
}

impl Universe {
    pub fn new(format: Format) -> Universe {
        Universe { format, infinity: infinity_magnitude(format) as i128 }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        2 * self.infinity as usize + 3
    }

    pub fn value(&self, place: usize) -> Float {
        if place + 1 == self.len() {
            Float::nan(self.format)
        } else {
            ranked(self.format, place as i128 + !self.infinity)
        }
    }

    pub fn place(&self, value: &Float) -> usize {
        rank(value).map_or(self.len() - 1, |rank| (rank - !self.infinity) as usize)
    }

    /// Whether each value is a member.
    pub fn members(&self, domain: &FloatDomain) -> Vec<bool> {
        (0..self.len()).map(|place| self.rank(place).map_or(domain.nan, |rank| domain.contains_rank(rank))).collect()
    }

    /// The rank of the value at a place; `None` for NaN.
    fn rank(&self, place: usize) -> Option<i128> {
        (place + 1 < self.len()).then(|| place as i128 + !self.infinity)
    }

    /// The least set that holds these places.
    pub fn hull(&self, places: impl IntoIterator<Item = usize>) -> FloatDomain {
        let mut hull = FloatDomain::empty(self.format);
        for place in places {
            match self.rank(place) {
                Some(rank) => hull.insert(rank, rank),
                None => hull.nan = true,
            }
        }
        hull
    }

    /// A random set, often small, sometimes everything.
    pub fn random(&self, random: &mut Random) -> FloatDomain {
        random_domain(self.format, random)
    }
}

/// A random set of a format.
pub(super) fn random_domain(format: Format, random: &mut Random) -> FloatDomain {
    let infinity = infinity_magnitude(format);
    let mut domain = FloatDomain::empty(format);
    if random.once_in(16) {
        return FloatDomain::top(format);
    }
    for negative in [false, true] {
        if random.once_in(2) {
            continue;
        }
        let low = 1 + random.wide_below(infinity - 1);
        let high = match random.wide_below(4) {
            0 => low,
            1 => (low + random.wide_below(4)).min(infinity - 1),
            _ => low + random.wide_below(infinity - low),
        };
        let (low, high) = (low as i128, high as i128);
        if negative { domain.insert(!high, !low) } else { domain.insert(low, high) }
    }
    domain.minus_zero = random.once_in(4);
    domain.plus_zero = random.once_in(4);
    domain.minus_infinity = random.once_in(5);
    domain.plus_infinity = random.once_in(5);
    domain.nan = random.once_in(5);
    if domain.is_empty() {
        domain.plus_zero = true;
    }
    domain
}

/// Mostly single modes, sometimes all or two.
pub(super) fn random_modes(random: &mut Random) -> ModeDomain {
    match random.wide_below(8) {
        0 => ModeDomain::ALL,
        1 => ModeDomain(1 + random.wide_below(31) as u8),
        n => ModeDomain::only(RoundingMode::ALL[n as usize % 5]),
    }
}

/// Kept members against those with partners, over many trials.
#[derive(Default)]
pub(super) struct Tightness {
    kept: u128,
    needed: u128,
    exact: u128,
    trials: u128,
}

impl Tightness {
    /// Counts one projection, whose members with partners have the hull `needed`. Panics if one was dropped.
    pub fn judge(&mut self, kept: &FloatDomain, needed: &FloatDomain, what: impl Fn() -> String) {
        assert_eq!(kept.intersect(needed), *needed, "a member with a partner is dropped: {}", what());
        self.kept += kept.count();
        self.needed += needed.count();
        self.exact += u128::from(kept == needed);
        self.trials += 1;
    }

    /// Panics unless so many of a thousand projections were the hull, and the kept members are at most so many per
    /// thousand needed.
    pub fn expect(&self, name: &str, exact: u128, kept: u128) {
        let (hulls, members) = (self.exact * 1000 / self.trials, self.kept * 1000 / self.needed.max(1));
        println!("{name}: {hulls} of 1000 are hulls, {members} members kept for 1000 needed, {} trials", self.trials);
        assert!(hulls >= exact && members <= kept, "{name}: {hulls} hulls, {members} members");
    }
}
