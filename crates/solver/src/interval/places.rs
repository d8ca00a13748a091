//! The members of every domain on one line: truth values, modes, unsigned bit vectors, and floats from −∞ over the two
//! zeros to +∞ with NaN last.
//!
//! A domain is then the line without some intervals of places. What the search decides and learns are memberships in
//! intervals ([`Set`]), so that floats, bit vectors and truth values are one language to it.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::Value;
use num_bigint::BigUint;
use smallvec::SmallVec;

use crate::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain, ModeDomain, Range};

/// A set of places, or of the bit vectors that have a bit in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// The places between two bounds, both included.
    Within {
        /// The least.
        low: u128,
        /// The greatest.
        high: u128,
    },
    /// The bit vectors with this bit at this place.
    Bit {
        /// Which bit; 0 is the lowest.
        place: u32,
        /// Its value.
        value: bool,
    },
}

/// Intervals of places, ascending and apart.
pub(crate) type Intervals = SmallVec<[(u128, u128); 7]>;

/// The place of −0; +0 is the next one, and this is also infinity's distance from its zero.
fn zero(format: Format) -> u128 {
    ((1 << format.exponent_bits()) - 1) << (format.precision() - 1)
}

fn float_parts(domain: &FloatDomain) -> [Option<(u128, u128)>; 7] {
    let zero = zero(domain.format);
    let point = |is: bool, place: u128| is.then_some((place, place));
    [
        point(domain.minus_infinity, 0),
        domain.negative.map(|range| (zero - range.high, zero - range.low)),
        point(domain.minus_zero, zero),
        point(domain.plus_zero, zero + 1),
        domain.positive.map(|range| (zero + 1 + range.low, zero + 1 + range.high)),
        point(domain.plus_infinity, 2 * zero + 1),
        point(domain.nan, 2 * zero + 2),
    ]
}

/// Whether one of the parts' intervals of places has a property; they are asked in no order that matters.
fn any_part(domain: &FloatDomain, mut is: impl FnMut(u128, u128) -> bool) -> bool {
    let zero = zero(domain.format);
    domain.negative.is_some_and(|range| is(zero - range.high, zero - range.low))
        || domain.positive.is_some_and(|range| is(zero + 1 + range.low, zero + 1 + range.high))
        || domain.minus_zero && is(zero, zero)
        || domain.plus_zero && is(zero + 1, zero + 1)
        || domain.minus_infinity && is(0, 0)
        || domain.plus_infinity && is(2 * zero + 1, 2 * zero + 1)
        || domain.nan && is(2 * zero + 2, 2 * zero + 2)
}

/// The domain's places: a superset in bit vectors whose known bits leave holes, exact elsewhere.
pub(crate) fn intervals(domain: &Domain) -> Intervals {
    let mut found = Intervals::new();
    let mut add = |low: u128, high: u128| match found.last_mut() {
        Some((_, last)) if low <= last.saturating_add(1) => *last = high,
        _ => found.push((low, high)),
    };
    match domain {
        Domain::Bool(BoolDomain::Empty) => {}
        Domain::Bool(BoolDomain::False) => add(0, 0),
        Domain::Bool(BoolDomain::True) => add(1, 1),
        Domain::Bool(BoolDomain::Any) => add(0, 1),
        Domain::RoundingMode(modes) => (0..5).filter(|i| modes.0 >> i & 1 == 1).for_each(|i| add(i, i)),
        Domain::BitVec(vector) if vector.is_empty() => {}
        Domain::BitVec(vector) => add(vector.low, vector.high),
        Domain::Float(float) => float_parts(float).into_iter().flatten().for_each(|(low, high)| add(low, high)),
    }
    found
}

/// The last place of the domain's line.
pub(crate) fn last_place(domain: &Domain) -> u128 {
    match domain {
        Domain::Bool(_) => 1,
        Domain::RoundingMode(_) => 4,
        Domain::BitVec(vector) => BitVecDomain::top(vector.width).high,
        Domain::Float(float) => 2 * zero(float.format) + 2,
    }
}

/// The place of the only member, if there is exactly one.
pub(crate) fn single(domain: &Domain) -> Option<u128> {
    match domain {
        Domain::BitVec(vector) => vector.as_single(),
        Domain::Float(float) => {
            let mut only = None;
            let more = any_part(float, |low, high| low != high || only.replace(low).is_some());
            only.filter(|_| !more)
        }
        _ => match intervals(domain)[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        },
    }
}

/// How many members there are at most.
pub(crate) fn count(domain: &Domain) -> u128 {
    match domain {
        Domain::BitVec(vector) => vector.count(),
        Domain::Float(float) => {
            let mut sum = 0u128;
            any_part(float, |low, high| {
                sum = sum.saturating_add(high - low + 1);
                false
            });
            sum
        }
        _ => intervals(domain).iter().fold(0, |sum: u128, (low, high)| sum.saturating_add(high - low + 1)),
    }
}

/// Whether some member lies in the set.
pub(crate) fn meets(domain: &Domain, set: Set) -> bool {
    match (domain, set) {
        (Domain::BitVec(vector), Set::Bit { place, value }) => {
            !vector.is_empty() && (if value { vector.zeros } else { vector.ones }) >> place & 1 == 0
        }
        (Domain::BitVec(vector), Set::Within { low, high }) => {
            let least = vector.least_from(low.max(vector.low));
            least.is_some_and(|least| least <= high.min(vector.high))
        }
        (Domain::Bool(truth), Set::Within { low, high }) => match truth {
            BoolDomain::Empty => false,
            BoolDomain::False => low == 0,
            BoolDomain::True => low <= 1 && high >= 1,
            BoolDomain::Any => low <= 1,
        },
        (Domain::Float(float), Set::Within { low, high }) => {
            any_part(float, |part_low, part_high| part_low <= high && low <= part_high)
        }
        (Domain::RoundingMode(_), Set::Within { low, high }) => {
            intervals(domain).iter().any(|(a, b)| *a <= high && low <= *b)
        }
        (_, Set::Bit { .. }) => true,
    }
}

/// Whether every member lies in the set.
pub(crate) fn inside(domain: &Domain, set: Set) -> bool {
    match (domain, set) {
        (Domain::BitVec(vector), Set::Bit { place, value }) => {
            (if value { vector.ones } else { vector.zeros }) >> place & 1 == 1
        }
        (_, Set::Bit { .. }) => false,
        (Domain::Float(float), Set::Within { low, high }) => {
            !any_part(float, |part_low, part_high| part_low < low || high < part_high)
        }
        (_, Set::Within { low, high }) => intervals(domain).iter().all(|(a, b)| low <= *a && *b <= high),
    }
}

/// The members that lie in the set, exactly.
pub(crate) fn restricted(domain: &Domain, set: Set) -> Domain {
    match (domain, set) {
        (Domain::BitVec(vector), Set::Within { low, high }) => Domain::BitVec(vector.within(low, high)),
        (Domain::BitVec(vector), Set::Bit { place, value }) => {
            let (ones, zeros) = if value { (1 << place, 0) } else { (0, 1 << place) };
            Domain::BitVec(vector.intersect(&BitVecDomain::bits(vector.width, ones, zeros)))
        }
        (_, Set::Bit { .. }) => *domain,
        (_, Set::Within { low, high }) => {
            rebuilt(domain, |a, b| (a <= high && low <= b).then(|| (a.max(low), b.min(high))))
        }
    }
}

/// The members that do not lie in the set, and others where the domain cannot tell them apart.
pub(crate) fn without(domain: &Domain, set: Set) -> Domain {
    match (domain, set) {
        (Domain::BitVec(_), Set::Bit { place, value }) => restricted(domain, Set::Bit { place, value: !value }),
        (_, Set::Bit { .. }) => *domain,
        (Domain::BitVec(vector), Set::Within { low, high }) => Domain::BitVec(match () {
            () if low <= vector.low && vector.high <= high => BitVecDomain::empty(vector.width),
            () if low <= vector.low && high >= vector.low => vector.within(high + 1, u128::MAX),
            () if high >= vector.high && low <= vector.high => vector.within(0, low - 1),
            () => *vector,
        }),
        (_, Set::Within { low, high }) => rebuilt(domain, |a, b| match () {
            () if high < a || b < low => Some((a, b)),
            () if low <= a && b <= high => None,
            () if low <= a => Some((high + 1, b)),
            () if b <= high => Some((a, low - 1)),
            () => Some((a, b)),
        }),
    }
}

/// The domain with each of its parts replaced; for all but bit vectors.
fn rebuilt(domain: &Domain, keep: impl Fn(u128, u128) -> Option<(u128, u128)>) -> Domain {
    match domain {
        Domain::BitVec(_) => *domain,
        Domain::Bool(truth) => {
            let may = |value: u128, member: bool| member && keep(value, value).is_some();
            let no = may(0, matches!(truth, BoolDomain::False | BoolDomain::Any));
            let yes = may(1, matches!(truth, BoolDomain::True | BoolDomain::Any));
            Domain::Bool(match (no, yes) {
                (false, false) => BoolDomain::Empty,
                (true, false) => BoolDomain::False,
                (false, true) => BoolDomain::True,
                (true, true) => BoolDomain::Any,
            })
        }
        Domain::RoundingMode(modes) => {
            let kept = |i: &u8| modes.0 >> i & 1 == 1 && keep(u128::from(*i), u128::from(*i)).is_some();
            Domain::RoundingMode(ModeDomain((0..5).filter(kept).fold(0, |set, i| set | 1 << i)))
        }
        Domain::Float(float) => {
            let zero = zero(float.format);
            let [minus_infinity, negative, minus_zero, plus_zero, positive, plus_infinity, nan] =
                float_parts(float).map(|part| part.and_then(|(low, high)| keep(low, high)));
            Domain::Float(FloatDomain {
                format: float.format,
                negative: negative.map(|(low, high)| Range { low: zero - high, high: zero - low }),
                positive: positive.map(|(low, high)| Range { low: low - zero - 1, high: high - zero - 1 }),
                minus_zero: minus_zero.is_some(),
                plus_zero: plus_zero.is_some(),
                minus_infinity: minus_infinity.is_some(),
                plus_infinity: plus_infinity.is_some(),
                nan: nan.is_some(),
            })
        }
    }
}

/// Sets that hold no member of `now`, such that `root` without them is `now`; `now` is a part of `root`.
pub(crate) fn gaps(root: &Domain, now: &Domain) -> SmallVec<[Set; 4]> {
    let mut found = SmallVec::new();
    if root == now {
        return found;
    }
    if let (Domain::BitVec(root), Domain::BitVec(now)) = (root, now) {
        if now.low > root.low {
            found.push(Set::Within { low: 0, high: now.low - 1 });
        }
        if now.high < root.high {
            found.push(Set::Within { low: now.high + 1, high: BitVecDomain::top(now.width).high });
        }
        let bounded = root.within(now.low, now.high);
        let mut bits = now.known() & !bounded.known();
        while bits != 0 {
            let place = bits.trailing_zeros();
            found.push(Set::Bit { place, value: now.zeros >> place & 1 == 1 });
            bits &= bits - 1;
        }
        return found;
    }
    let last = last_place(now);
    let mut next = 0;
    let mut gap = |low: u128, high: u128| {
        let set = Set::Within { low, high };
        if meets(root, set) {
            found.push(set);
        }
    };
    for (low, high) in intervals(now) {
        if next < low {
            gap(next, low - 1);
        }
        next = high + 1;
    }
    if next <= last {
        gap(next, last);
    }
    found
}

/// The value at a place of the domain's line.
pub(crate) fn value_at(domain: &Domain, place: u128) -> Value {
    match domain {
        Domain::Bool(_) => Value::Bool(place == 1),
        Domain::RoundingMode(_) => Value::RoundingMode(RoundingMode::ALL[(place as usize).min(4)]),
        Domain::BitVec(vector) => Value::bit_vector(vector.width, BigUint::from(place)),
        Domain::Float(float) => {
            let (format, zero) = (float.format, zero(float.format));
            let place = place.min(2 * zero + 2);
            if place == 2 * zero + 2 {
                return Value::Float(Float::nan(format));
            }
            let (negative, magnitude) = if place <= zero { (true, zero - place) } else { (false, place - zero - 1) };
            let sign = u128::from(negative) << (format.width() - 1);
            // Formats with a stored leading bit have no domains' worth of engines; their values are made canonical.
            Value::float(if format.has_explicit_leading_bit() {
                let unsigned = Float::from_ordinal(format, &magnitude.into());
                if negative { unsigned.neg() } else { unsigned }
            } else {
                Float::from_bits(format, sign | magnitude)
            })
        }
    }
}

#[cfg(test)]
/// The place of a value on its sort's line; `None` for sorts and widths without domains.
pub(crate) fn place_of(value: &Value) -> Option<u128> {
    match value {
        Value::Bool(truth) => Some(u128::from(*truth)),
        Value::RoundingMode(mode) => RoundingMode::ALL.iter().position(|other| other == mode).map(|i| i as u128),
        Value::BitVec { width, bits } => (*width <= 128).then(|| bits.try_into().ok()).flatten(),
        Value::Float(float) if FloatDomain::supports(float.format()) => {
            let domain = Domain::Float(FloatDomain::only(float));
            single(&domain)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;

    use super::{Set, gaps, inside, intervals, meets, place_of, restricted, single, value_at, without};
    use crate::domain::{BitVecDomain, Domain, FloatDomain};

    fn members(domain: &Domain, last: u128) -> Vec<u128> {
        match domain {
            Domain::BitVec(vector) => (0..=last).filter(|bits| vector.contains(*bits)).collect(),
            _ => intervals(domain).iter().flat_map(|(low, high)| *low..=*high).collect(),
        }
    }

    #[test]
    fn sets_of_places_cut_domains_exactly_and_gaps_rebuild_them() {
        let format = Format::new(2, 3);
        let float = Domain::Float(FloatDomain::top(format));
        let vector = Domain::BitVec(BitVecDomain::bits(4, 0b10, 0));
        for (top, last) in [(float, super::last_place(&float)), (vector, 15)] {
            let mut domains = vec![top];
            for a in 0..=last {
                for b in a..=last {
                    domains.push(restricted(&top, Set::Within { low: a, high: b }));
                    domains.push(without(&top, Set::Within { low: a, high: b }));
                }
            }
            for (a, b) in domains.iter().flat_map(|a| domains.iter().map(move |b| (a, b))) {
                let [left, right, both, either] = [*a, *b, a.intersect(b), a.hull(b)].map(|set| members(&set, last));
                let common: Vec<u128> = left.iter().copied().filter(|place| right.contains(place)).collect();
                assert!(both == common && a.intersect(b).is_empty() == common.is_empty(), "{a:?} {b:?}");
                assert!(left.iter().chain(&right).all(|place| either.contains(place)), "{a:?} {b:?}");
            }
            for domain in domains {
                let all = members(&domain, last);
                for low in 0..=last {
                    for high in low..=last {
                        let set = Set::Within { low, high };
                        let cut: Vec<u128> = all.iter().copied().filter(|i| low <= *i && *i <= high).collect();
                        assert_eq!(members(&restricted(&domain, set), last), cut);
                        assert_eq!(meets(&domain, set), !cut.is_empty());
                        assert!(!inside(&domain, set) || cut == all);
                        let rest = members(&without(&domain, set), last);
                        assert!(all.iter().all(|i| (low <= *i && *i <= high) || rest.contains(i)));
                    }
                }
                if !all.is_empty() {
                    let rebuilt = gaps(&top, &domain).into_iter().fold(top, |rest, gap| {
                        assert!(!meets(&domain, gap) && meets(&top, gap));
                        without(&rest, gap)
                    });
                    assert_eq!(rebuilt, domain);
                }
            }
            for place in members(&top, last) {
                assert_eq!(place_of(&value_at(&top, place)), Some(place));
                assert_eq!(single(&restricted(&top, Set::Within { low: place, high: place })), Some(place));
            }
        }
    }
}
