//! Projections of reading a bit vector as a number and of a number's encoding.
//!
//! In the interchange formats the encodings of one sign, read as unsigned numbers, are the magnitudes in order, then NaNs. Of
//! x87's format, whose leading bit is stored, only single values are told apart.

use labrys_float::{Float, Format};

use crate::domain::float::infinity_magnitude;
use crate::domain::{BitVecDomain, FloatDomain};

/// An interval of encodings of one sign, as magnitudes.
type Half = Option<(u128, u128)>;

/// The encodings of a set of bit vectors without their sign bit: positive ones, then negative ones.
fn halves(a: &BitVecDomain, format: Format) -> [Half; 2] {
    let sign = 1u128 << (format.width() - 1);
    [0, sign].map(|first| {
        let half = BitVecDomain { low: a.low.max(first), high: a.high.min(first | (sign - 1)), ..*a }.normalised();
        (!half.is_empty()).then(|| (half.low - first, half.high - first))
    })
}

/// The direct projection of reading an encoding.
pub(super) fn from_bits(a: &BitVecDomain, format: Format) -> FloatDomain {
    if a.low == a.high {
        return FloatDomain::only(&Float::from_bits(format, a.low));
    }
    if format.has_explicit_leading_bit() {
        return if a.low > a.high { FloatDomain::empty(format) } else { FloatDomain::top(format) };
    }
    let mut results = FloatDomain::empty(format);
    let infinity = infinity_magnitude(format);
    for (half, negative) in halves(a, format).into_iter().zip([false, true]) {
        let Some((low, high)) = half else {
            continue;
        };
        results.nan |= high > infinity;
        let (low, high) = (low as i128, high.min(infinity) as i128);
        if negative {
            results.insert(!high, !low);
        } else {
            results.insert(low, high);
        }
    }
    results
}

/// The set of the bit vectors of some intervals, in increasing order, and of another set.
fn within(a: &BitVecDomain, intervals: &[(u128, u128)]) -> BitVecDomain {
    let cut = |(low, high): (u128, u128)| {
        let part = BitVecDomain { low: low.max(a.low), high: high.min(a.high), ..*a }.normalised();
        (!part.is_empty()).then_some(part)
    };
    let low = intervals.iter().copied().find_map(cut);
    let high = intervals.iter().rev().copied().find_map(cut);
    match (low, high) {
        (Some(low), Some(high)) => BitVecDomain { low: low.low, high: high.high, ..*a }.normalised(),
        _ => BitVecDomain::empty(a.width),
    }
}

/// The intervals of encodings of a set's members, in increasing order; NaN's are given.
fn encodings(r: &FloatDomain, nans: [(u128, u128); 2]) -> Vec<(u128, u128)> {
    let sign = 1u128 << (r.format.width() - 1);
    let mut intervals: Vec<(u128, u128)> = r
        .pieces()
        .as_slice()
        .iter()
        .map(
            |&(low, high)| {
                if low < 0 { (sign | !high as u128, sign | !low as u128) } else { (low as u128, high as u128) }
            },
        )
        .collect();
    if r.nan {
        intervals.extend(nans);
    }
    intervals.sort_unstable();
    intervals
}

/// The inverse projection of reading an encoding.
pub(super) fn inverse_from_bits(r: &FloatDomain, a: &BitVecDomain) -> BitVecDomain {
    if r.is_empty() {
        return BitVecDomain::empty(a.width);
    }
    if r.format.has_explicit_leading_bit() {
        let single = (a.low == a.high).then(|| Float::from_bits(r.format, a.low));
        return if single.is_some_and(|value| !r.contains(&value)) { BitVecDomain::empty(a.width) } else { *a };
    }
    let sign = 1u128 << (r.format.width() - 1);
    let infinity = infinity_magnitude(r.format);
    let nans = [(infinity + 1, sign - 1), (sign | (infinity + 1), sign | (sign - 1))];
    within(a, &encodings(r, nans))
}

/// The direct projection of the encoding.
pub(super) fn to_bits(a: &FloatDomain) -> BitVecDomain {
    let width = a.format.width();
    if a.is_empty() {
        return BitVecDomain::empty(width);
    }
    if a.format.has_explicit_leading_bit() {
        // A value may have several encodings.
        return BitVecDomain::top(width);
    }
    within(&BitVecDomain::top(width), &encodings(a, canonical(a.format)))
}

/// The canonical NaN as an interval of encodings, twice.
fn canonical(format: Format) -> [(u128, u128); 2] {
    let nan = Float::nan(format).to_u128().unwrap_or(u128::MAX);
    [(nan, nan); 2]
}

/// The inverse projection of the encoding.
pub(super) fn inverse_to_bits(r: &BitVecDomain, a: &FloatDomain) -> FloatDomain {
    if r.low > r.high {
        return FloatDomain::empty(a.format);
    }
    let read = from_bits(r, a.format);
    let nan = canonical(a.format)[0].0;
    let allowed = r.low <= nan && nan <= r.high && r.ones & !nan == 0 && r.zeros & nan == 0;
    let nan = a.nan && (allowed || a.format.has_explicit_leading_bit());
    FloatDomain { nan, ..a.intersect(&read) }
}
