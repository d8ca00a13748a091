//! Projections of conversions between floats and integers held in bit vectors.
//!
//! A conversion to a float is monotone on the vectors without sign bit and on those with it, whose values in two's
//! complement grow with the vectors too. A conversion to an integer is monotone on the numbers of one sign whose
//! rounded value is in range, which are those up to some magnitude; beyond it, and for infinities and NaN, the
//! standard leaves the vector open, so any is a result and no result excludes them. Bounds are found by bisection, as
//! in `monotone`.

use labrys_float::{Format, RoundingMode};

use super::arithmetic::Arithmetic;
use super::search::{greatest, least};
use crate::domain::bit_vector::mask;
use crate::domain::{BitVecDomain, FloatDomain, ModeDomain};

/// The bit vectors of a set from `first` on that share the highest bit, as offsets from `first`.
#[derive(Clone, Copy)]
struct Half {
    first: u128,
    low: i128,
    high: i128,
}

/// The members without the highest bit, and those with it.
fn halves(a: &BitVecDomain) -> impl Iterator<Item = Half> {
    let a = *a;
    let sign = 1u128 << (a.width - 1);
    [0, sign].into_iter().filter_map(move |first| {
        let half = BitVecDomain { low: a.low.max(first), high: a.high.min(first | (sign - 1)), ..a }.normalised();
        (!half.is_empty()).then(|| Half { first, low: (half.low - first) as i128, high: (half.high - first) as i128 })
    })
}

/// A conversion of integers to floats.
struct ToFloat {
    arithmetic: Arithmetic,
    width: u32,
    signed: bool,
}

impl ToFloat {
    fn new(format: Format, width: u32, signed: bool) -> ToFloat {
        ToFloat { arithmetic: Arithmetic::new(format), width, signed }
    }

    /// The rank of the float that a bit vector becomes.
    fn apply(&self, mode: RoundingMode, bits: u128) -> Option<i128> {
        let negative = self.signed && bits >> (self.width - 1) & 1 == 1;
        let magnitude = if negative { mask(self.width) - bits + 1 } else { bits };
        self.arithmetic.round_integer(mode, negative, magnitude)
    }

    /// A bit vector near those that become the number of a rank, as an offset from `first`.
    fn guess(&self, rank: i128, first: u128) -> i128 {
        let bits = self.arithmetic.integer(RoundingMode::TowardZero, rank, self.width, self.signed);
        bits.map_or(0, |bits| bits.wrapping_sub(first) as i128)
    }
}

/// The direct projection of a conversion to a float.
pub(super) fn to_float(modes: ModeDomain, a: &BitVecDomain, to: Format, signed: bool) -> FloatDomain {
    let conversion = ToFloat::new(to, a.width, signed);
    let mut results = FloatDomain::empty(to);
    for half in halves(a) {
        let has_zero = half.first == 0 && half.low == 0;
        for mode in modes.modes() {
            let mut insert = |low: i128, high: i128| {
                let apply = |offset: i128| conversion.apply(mode, half.first + offset as u128);
                if let (Some(low), Some(high)) = (apply(low), apply(high)) {
                    results.insert(low, high);
                }
            };
            // Between 0 and 1 there is nothing.
            if has_zero {
                insert(0, 0);
            }
            if !has_zero || half.high > 0 {
                insert(half.low.max(i128::from(has_zero)), half.high);
            }
        }
    }
    results
}

/// Grows an interval, where there is one, to hold another.
fn grow(interval: &mut Option<(u128, u128)>, low: u128, high: u128) {
    *interval = Some(interval.map_or((low, high), |(first, last)| (first.min(low), last.max(high))));
}

/// The inverse projection of a conversion to a float.
pub(super) fn inverse_to_float(modes: ModeDomain, r: &FloatDomain, a: &BitVecDomain, signed: bool) -> BitVecDomain {
    let conversion = ToFloat::new(r.format, a.width, signed);
    let mut kept = None;
    for half in halves(a) {
        for mode in modes.modes() {
            for &(low, high) in r.runs().as_slice() {
                let apply = |offset: i128| conversion.apply(mode, half.first + offset as u128);
                let (conversion, start) = (&conversion, half.first);
                let guess = |rank: i128| move || conversion.guess(rank, start);
                let first = least(half.low, half.high, guess(low), |x| apply(x).is_some_and(|rank| rank >= low));
                let last = greatest(half.low, half.high, guess(high), |x| apply(x).is_some_and(|rank| rank <= high));
                if let (Some(first), Some(last)) = (first, last)
                    && first <= last
                {
                    grow(&mut kept, half.first + first as u128, half.first + last as u128);
                }
            }
        }
    }
    match kept {
        Some((low, high)) => BitVecDomain { low, high, ..*a }.normalised(),
        None => BitVecDomain::empty(a.width),
    }
}

/// A conversion of floats of one sign to integers.
struct ToInteger {
    arithmetic: Arithmetic,
    mode: RoundingMode,
    width: u32,
    signed: bool,
    negative: bool,
}

impl ToInteger {
    fn rank(&self, magnitude: i128) -> i128 {
        if self.negative { !magnitude } else { magnitude }
    }

    /// The magnitude of the integer that the number of a magnitude becomes; `None` out of range.
    fn apply(&self, magnitude: i128) -> Option<u128> {
        let bits = self.arithmetic.integer(self.mode, self.rank(magnitude), self.width, self.signed)?;
        Some(if self.negative { self.opposite(bits) } else { bits })
    }

    /// The bits of minus the integer of some bits.
    fn opposite(&self, bits: u128) -> u128 {
        bits.wrapping_neg() & mask(self.width)
    }

    /// The greatest magnitude of `low..=high` whose integer is in range.
    fn last_in_range(&self, low: i128, high: i128) -> Option<i128> {
        let limit = self.width - u32::from(self.signed);
        let guess = || {
            let power = self.arithmetic.round_integer(RoundingMode::TowardZero, false, mask(limit.min(127)));
            power.unwrap_or(low)
        };
        greatest(low, high, guess, |magnitude| self.apply(magnitude).is_some())
    }

    /// The magnitudes of integers of this sign in a set of bit vectors: of zero, and of others.
    fn targets(&self, r: &BitVecDomain) -> [Option<(u128, u128)>; 2] {
        let sign = 1u128 << (self.width - 1);
        if !self.negative {
            let high = if self.signed { r.high.min(sign - 1) } else { r.high };
            return [(r.low <= high).then_some((r.low, high)), None];
        }
        let low = r.low.max(sign);
        let others = self.signed && low <= r.high;
        [(r.low == 0).then_some((0, 0)), others.then(|| (self.opposite(r.high), self.opposite(low)))]
    }

    fn guess(&self, magnitude: u128) -> i128 {
        self.arithmetic.round_integer(RoundingMode::NearestEven, false, magnitude).unwrap_or(0)
    }
}

/// Visits one sign's members of a set in one mode: the conversion, and the least and the greatest magnitude.
fn visit_parts(
    modes: ModeDomain,
    a: &FloatDomain,
    width: u32,
    signed: bool,
    mut visit: impl FnMut(&ToInteger, i128, i128),
) {
    let arithmetic = Arithmetic::new(a.format);
    for mode in modes.modes() {
        for &(low, high) in a.pieces().as_slice() {
            let negative = low < 0;
            let conversion = ToInteger { arithmetic, mode, width, signed, negative };
            let (low, high) = if negative { (!high, !low) } else { (low, high) };
            visit(&conversion, low, high);
        }
    }
}

/// The direct projection of a conversion to an integer.
pub(super) fn to_integer(modes: ModeDomain, a: &FloatDomain, width: u32, signed: bool) -> BitVecDomain {
    if a.nan || a.minus_infinity || a.plus_infinity {
        return if modes.0 == 0 { BitVecDomain::empty(width) } else { BitVecDomain::top(width) };
    }
    let mut open = false;
    let mut results = None;
    visit_parts(modes, a, width, signed, |conversion, low, high| {
        match (conversion.apply(low), conversion.apply(high)) {
            // Zero and the opposites of positive integers are not neighbours.
            (Some(first), Some(last)) if conversion.negative => {
                if first == 0 {
                    grow(&mut results, 0, 0);
                }
                if last != 0 {
                    grow(&mut results, conversion.opposite(last), conversion.opposite(first.max(1)));
                }
            }
            (Some(first), Some(last)) => grow(&mut results, first, last),
            _ => open = true,
        }
    });
    match results {
        _ if open => BitVecDomain::top(width),
        Some((low, high)) => BitVecDomain::between(width, low, high),
        None => BitVecDomain::empty(width),
    }
}

/// The inverse projection of a conversion to an integer.
pub(super) fn inverse_to_integer(modes: ModeDomain, r: &BitVecDomain, a: &FloatDomain, signed: bool) -> FloatDomain {
    let mut kept = FloatDomain::empty(a.format);
    if modes.0 == 0 || r.low > r.high {
        return kept;
    }
    kept.nan = a.nan;
    visit_parts(modes, a, r.width, signed, |conversion, low, high| {
        let mut insert = |low: i128, high: i128| {
            let ends = [conversion.rank(low), conversion.rank(high)];
            kept.insert(ends[0].min(ends[1]), ends[0].max(ends[1]));
        };
        let Some(limit) = conversion.last_in_range(low, high) else {
            return insert(low, high);
        };
        if limit < high {
            insert(limit + 1, high);
        }
        for (least_wanted, most_wanted) in conversion.targets(r).into_iter().flatten() {
            let reaches = |x| conversion.apply(x).is_some_and(|integer| integer >= least_wanted);
            let stays = |x| conversion.apply(x).is_some_and(|integer| integer <= most_wanted);
            let first = least(low, limit, || conversion.guess(least_wanted), reaches);
            let last = greatest(low, limit, || conversion.guess(most_wanted), stays);
            if let (Some(first), Some(last)) = (first, last)
                && first <= last
            {
                insert(first, last);
            }
        }
    });
    kept
}
