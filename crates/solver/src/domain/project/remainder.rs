//! Projections of the remainders x − n·y, n the quotient truncated (C's fmod) or rounded to nearest (fp.rem).
//!
//! Both are exact, so no rounding mode matters. What is used of finite x and y, y not zero: the remainder is x where n is 0,
//! which is so for |x| < |y|, or 2·|x| ≤ |y| for the nearest; |r| ≤ |x|; |r| < |y|, or 2·|r| ≤ |y|; a zero has x's sign, and
//! truncation gives nothing of the other sign; r is a multiple of the last place of the smaller operand. For one y, r grows with x
//! until n changes, and then it falls: where the ends of an interval shorter than |y| have remainders in order, n is the same on
//! all of it. The sign of y does not matter.

use labrys_float::RoundingMode;

use super::arithmetic::Arithmetic;
use super::operation::Piece;
use crate::domain::FloatDomain;

/// Which remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// IEEE 754's.
    Nearest,
    /// C's fmod.
    Truncated,
}

/// One of the kinds in one format.
struct Remainder {
    kind: Kind,
    arithmetic: Arithmetic,
}

/// An interval of magnitudes.
fn magnitudes(piece: Piece) -> Piece {
    if piece.0 < 0 { (!piece.1, !piece.0) } else { piece }
}

/// The interval of ranks of magnitudes of one sign.
fn signed(negative: bool, (low, high): Piece) -> Piece {
    if negative { (!high, !low) } else { (low, high) }
}

impl Remainder {
    fn apply(&self, a: i128, b: i128) -> Option<i128> {
        match self.kind {
            Kind::Nearest => self.arithmetic.remainder(a, b),
            Kind::Truncated => self.arithmetic.fmod(a, b),
        }
    }

    /// Twice a magnitude, not rounded down.
    fn twice(&self, magnitude: i128) -> i128 {
        self.arithmetic.add(RoundingMode::TowardPositive, magnitude, magnitude).unwrap_or(self.arithmetic.infinity)
    }

    /// Whether the quotient is 0 for every magnitude of x up to `a` and of y from `b`.
    fn is_identity(&self, a: i128, b: i128) -> bool {
        match self.kind {
            Kind::Nearest => self.twice(a) <= b,
            Kind::Truncated => a < b,
        }
    }

    /// The greatest magnitude of a remainder by a magnitude up to `b`.
    fn bound(&self, b: i128) -> i128 {
        match self.kind {
            Kind::Truncated => b - 1,
            Kind::Nearest => {
                let two = self.arithmetic.round_integer(RoundingMode::TowardZero, false, 2);
                let half = two.and_then(|two| self.arithmetic.div(RoundingMode::TowardPositive, b, two));
                half.unwrap_or(b)
            }
        }
    }

    /// The ranks of the remainders of an interval by one number, if the quotient is one on all of it.
    fn without_step(&self, (low, high): Piece, b: i128) -> Option<Piece> {
        let length = self.arithmetic.add(RoundingMode::TowardPositive, high, !low)?;
        let (first, last) = (self.apply(low, b)?, self.apply(high, b)?);
        let modulus = if b < 0 { !b } else { b };
        // Zeros have x's sign here and compare by value.
        let in_order = first <= last || (first == 0 && last == -1);
        (length < modulus && in_order).then_some((first.min(last), first.max(last)))
    }

    /// Adds the remainders of finite non-zero numbers.
    fn insert(&self, x: Piece, y: Piece, results: &mut FloatDomain) {
        let negative = x.0 < 0;
        let ((a_low, a_high), (b_low, b_high)) = (magnitudes(x), magnitudes(y));
        if self.is_identity(a_high, b_low) {
            return results.insert(x.0, x.1);
        }
        let image = if y.0 == y.1 { self.without_step(x, y.0) } else { None };
        let (low, high) = image.unwrap_or_else(|| {
            let reach = self.bound(b_high).min(a_high);
            match (self.kind, negative) {
                (Kind::Nearest, _) => (!reach, reach),
                (Kind::Truncated, true) => (!reach, -1),
                (Kind::Truncated, false) => (0, reach),
            }
        });
        let unit = self.arithmetic.last_place(a_low.min(b_low));
        results.insert(low, high.min(!unit));
        results.insert(low.max(unit), high);
        let zero = if negative { -1 } else { 0 };
        if low <= 0 && high >= -1 {
            results.insert(zero, zero);
        }
    }

    /// Finite non-zero operands cut to those that may have a remainder in `r`; `None` if there are none.
    fn narrowed(&self, r: &FloatDomain, x: Piece, y: Piece) -> Option<(Piece, Piece)> {
        let (x_negative, y_negative) = (x.0 < 0, y.0 < 0);
        let (a, b) = (magnitudes(x), magnitudes(y));
        let (zero, near, _) = r.half(x_negative);
        let far = if self.kind == Kind::Nearest { r.half(!x_negative).1 } else { None };
        let ranges = [near, far].into_iter().flatten();
        let low = ranges.clone().map(|range| range.low as i128).chain(zero.then_some(0)).min()?;
        let high = ranges.map(|range| range.high as i128).max().unwrap_or(0);
        // Whether the remainder may be x itself.
        let same = near.is_some_and(|near| near.low as i128 <= a.1 && a.0 <= near.high as i128);
        let (mut a, mut b) = (a, b);
        if self.is_identity(a.1, b.0) {
            let near = near.filter(|_| same)?;
            a = (a.0.max(near.low as i128), a.1.min(near.high as i128));
            return Some((signed(x_negative, a), y));
        }
        a.0 = a.0.max(low);
        b.0 = b.0.max(match self.kind {
            Kind::Truncated => low + 1,
            // Rounded toward zero: twice a finite number may be infinite.
            Kind::Nearest => self.arithmetic.add(RoundingMode::TowardZero, low, low).unwrap_or(low),
        });
        if !same || high < a.0 {
            // The quotient is not 0.
            b.1 = b.1.min(match self.kind {
                Kind::Truncated => a.1,
                Kind::Nearest => self.twice(a.1),
            });
            if self.kind == Kind::Truncated {
                a.0 = a.0.max(b.0);
            }
        }
        let finite = b.1.min(self.arithmetic.infinity - 1);
        (a.0 <= a.1 && b.0 <= finite).then_some((signed(x_negative, a), signed(y_negative, (b.0, finite))))
    }
}

/// What a combination of pieces does.
enum Case {
    Nan,
    /// The remainder is x.
    Dividend,
    Finite,
}

fn case(x: Piece, y: Piece, infinity: i128) -> Case {
    let (a, b) = (magnitudes(x), magnitudes(y));
    if a.0 >= infinity || b.1 == 0 {
        Case::Nan
    } else if b.0 >= infinity || a.1 == 0 {
        Case::Dividend
    } else {
        Case::Finite
    }
}

/// The direct projection.
pub(super) fn forward(kind: Kind, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    let remainder = Remainder { kind, arithmetic: Arithmetic::new(a.format) };
    let mut results = FloatDomain::empty(a.format);
    if a.is_empty() || b.is_empty() {
        return results;
    }
    results.nan = a.nan || b.nan;
    for &x in a.pieces().as_slice() {
        for &y in b.pieces().as_slice() {
            match case(x, y, remainder.arithmetic.infinity) {
                Case::Nan => results.nan = true,
                Case::Dividend => results.insert(x.0, x.1),
                Case::Finite => remainder.insert(x, y, &mut results),
            }
        }
    }
    results
}

/// The inverse projection.
pub(super) fn inverse(kind: Kind, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let remainder = Remainder { kind, arithmetic: Arithmetic::new(a.format) };
    let (mut left, mut right) = (FloatDomain::empty(a.format), FloatDomain::empty(b.format));
    if a.is_empty() || b.is_empty() || r.is_empty() {
        return (left, right);
    }
    if r.nan {
        left = if b.nan { *a } else { FloatDomain { nan: a.nan, ..left } };
        right = if a.nan { *b } else { FloatDomain { nan: b.nan, ..right } };
    }
    for &x in a.pieces().as_slice() {
        for &y in b.pieces().as_slice() {
            let kept = match case(x, y, remainder.arithmetic.infinity) {
                Case::Nan => r.nan.then_some((x, y)),
                Case::Dividend => {
                    for &part in a.clip(x.0, x.1).intersect(r).pieces().as_slice() {
                        left.insert(part.0, part.1);
                        right.insert(y.0, y.1);
                    }
                    None
                }
                Case::Finite if x.0 == x.1 && y.0 == y.1 => {
                    remainder.apply(x.0, y.0).filter(|result| r.contains_rank(*result)).map(|_| (x, y))
                }
                Case::Finite => remainder.narrowed(r, x, y),
            };
            if let Some((x, y)) = kept {
                left.insert(x.0, x.1);
                right.insert(y.0, y.1);
            }
        }
    }
    (left, right)
}
