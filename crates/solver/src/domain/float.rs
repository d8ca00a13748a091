//! Sets of floating-point numbers: for each sign an interval of magnitudes, the zeros, the infinities and NaN apart.
//!
//! Botella, Gotlieb, Michel, STVR 2006, section 4, keep one interval and the special values; one interval a sign costs
//! little more and makes products, quotients and square roots monotone on each part.
//!
//! The numbers are ordered by *rank*: a number with the sign bit clear has its magnitude's place as its rank, one with
//! the sign bit set the complement of it, so that −0 is −1, +0 is 0, and ranks count every datum but NaN in order.

use labrys_float::{Float, Format};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::ToPrimitive;

/// An interval of magnitudes: places in the order of the format's magnitudes, where zero is 0, the smallest subnormal 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The least, at least 1.
    pub low: u128,
    /// The greatest, finite and not less than `low`.
    pub high: u128,
}

/// A set of numbers of one format of at most 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatDomain {
    /// The format.
    pub format: Format,
    /// Magnitudes of the negative numbers, zero and infinity apart.
    pub negative: Option<Range>,
    /// Magnitudes of the positive numbers, zero and infinity apart.
    pub positive: Option<Range>,
    /// Whether −0 is a member.
    pub minus_zero: bool,
    /// Whether +0 is a member.
    pub plus_zero: bool,
    /// Whether −∞ is a member.
    pub minus_infinity: bool,
    /// Whether +∞ is a member.
    pub plus_infinity: bool,
    /// Whether NaN, of which there is one, is a member.
    pub nan: bool,
}

impl Range {
    /// The magnitudes of `low..=high` that are neither zero nor infinite.
    fn within(low: u128, high: u128, infinity: u128) -> Option<Range> {
        let (low, high) = (low.max(1), high.min(infinity - 1));
        (low <= high).then_some(Range { low, high })
    }

    /// How many.
    fn count(self) -> u128 {
        self.high - self.low + 1
    }
}

fn intersection(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    let (a, b) = (a?, b?);
    let range = Range { low: a.low.max(b.low), high: a.high.min(b.high) };
    (range.low <= range.high).then_some(range)
}

fn union(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Range { low: a.low.min(b.low), high: a.high.max(b.high) }),
        (a, None) => a,
        (None, b) => b,
    }
}

/// Infinity's place in the order of a format's magnitudes; the format is one that [`FloatDomain::supports`].
pub(crate) fn infinity_magnitude(format: Format) -> u128 {
    ((1u128 << format.exponent_bits()) - 1) << (format.precision() - 1)
}

/// The rank of a number that is not NaN, of a supported format.
pub(crate) fn rank(value: &Float) -> Option<i128> {
    let magnitude = value.ordinal()?.magnitude().to_i128()?;
    Some(if value.is_negative() { !magnitude } else { magnitude })
}

/// The number of a rank; ranks beyond the infinities give them.
pub(crate) fn ranked(format: Format, rank: i128) -> Float {
    let negative = rank < 0;
    let magnitude = (if negative { !rank } else { rank }) as u128;
    let positive = Float::from_ordinal(format, &BigInt::from_biguint(Sign::Plus, BigUint::from(magnitude)));
    if negative { positive.neg() } else { positive }
}

impl FloatDomain {
    /// Whether the format has domains: at most 128 bits wide, with an exponent field of 2 to 30 bits.
    pub fn supports(format: Format) -> bool {
        format.width() <= 128 && (2..=30).contains(&format.exponent_bits()) && format.precision() >= 2
    }

    /// The empty set.
    pub fn empty(format: Format) -> FloatDomain {
        FloatDomain {
            format,
            negative: None,
            positive: None,
            minus_zero: false,
            plus_zero: false,
            minus_infinity: false,
            plus_infinity: false,
            nan: false,
        }
    }

    /// Every value of the format.
    pub fn top(format: Format) -> FloatDomain {
        FloatDomain { nan: true, ..FloatDomain::numbers(format) }
    }

    /// Every value but NaN.
    pub fn numbers(format: Format) -> FloatDomain {
        let all = Some(Range { low: 1, high: infinity_magnitude(format) - 1 });
        FloatDomain {
            format,
            negative: all,
            positive: all,
            minus_zero: true,
            plus_zero: true,
            minus_infinity: true,
            plus_infinity: true,
            nan: false,
        }
    }

    /// One value.
    pub fn only(value: &Float) -> FloatDomain {
        let mut domain = FloatDomain::empty(value.format());
        match rank(value) {
            Some(rank) => domain.insert(rank, rank),
            None => domain.nan = true,
        }
        domain
    }

    /// The numbers from one to another, −0 below +0; both are of one format. Empty if either is NaN.
    pub fn between(low: &Float, high: &Float) -> FloatDomain {
        let mut domain = FloatDomain::empty(low.format());
        if let (Some(low), Some(high)) = (rank(low), rank(high)) {
            domain.insert(low, high);
        }
        domain
    }

    /// Whether nothing is a member.
    pub fn is_empty(&self) -> bool {
        !self.nan && !self.has_numbers()
    }

    /// Whether anything but NaN is a member.
    pub fn has_numbers(&self) -> bool {
        self.negative.is_some()
            || self.positive.is_some()
            || self.minus_zero
            || self.plus_zero
            || self.minus_infinity
            || self.plus_infinity
    }

    /// Whether a value of the same format is a member.
    pub fn contains(&self, value: &Float) -> bool {
        match rank(value) {
            Some(rank) => self.contains_rank(rank),
            None => self.nan,
        }
    }

    /// Whether the number of this rank is a member.
    pub fn contains_rank(&self, rank: i128) -> bool {
        let negative = rank < 0;
        let magnitude = (if negative { !rank } else { rank }) as u128;
        let (zero, range, infinity) = self.half(negative);
        match magnitude {
            0 => zero,
            magnitude if magnitude >= infinity_magnitude(self.format) => infinity,
            magnitude => range.is_some_and(|range| range.low <= magnitude && magnitude <= range.high),
        }
    }

    /// One sign's zero, magnitudes and infinity.
    pub(crate) fn half(&self, negative: bool) -> (bool, Option<Range>, bool) {
        if negative {
            (self.minus_zero, self.negative, self.minus_infinity)
        } else {
            (self.plus_zero, self.positive, self.plus_infinity)
        }
    }

    /// The members that are in both sets.
    pub fn intersect(&self, other: &FloatDomain) -> FloatDomain {
        FloatDomain {
            format: self.format,
            negative: intersection(self.negative, other.negative),
            positive: intersection(self.positive, other.positive),
            minus_zero: self.minus_zero && other.minus_zero,
            plus_zero: self.plus_zero && other.plus_zero,
            minus_infinity: self.minus_infinity && other.minus_infinity,
            plus_infinity: self.plus_infinity && other.plus_infinity,
            nan: self.nan && other.nan,
        }
    }

    /// The least set of this kind that holds both.
    pub fn hull(&self, other: &FloatDomain) -> FloatDomain {
        FloatDomain {
            format: self.format,
            negative: union(self.negative, other.negative),
            positive: union(self.positive, other.positive),
            minus_zero: self.minus_zero || other.minus_zero,
            plus_zero: self.plus_zero || other.plus_zero,
            minus_infinity: self.minus_infinity || other.minus_infinity,
            plus_infinity: self.plus_infinity || other.plus_infinity,
            nan: self.nan || other.nan,
        }
    }

    /// Adds the numbers of ranks `low..=high`, and what lies between them and the members of their sign.
    pub fn insert(&mut self, low: i128, high: i128) {
        if low > high {
            return;
        }
        let infinity = infinity_magnitude(self.format);
        if low < 0 {
            let (near, far) = (!high.min(-1) as u128, !low as u128);
            self.minus_zero |= near == 0;
            self.minus_infinity |= far >= infinity;
            self.negative = union(self.negative, Range::within(near, far, infinity));
        }
        if high >= 0 {
            let (near, far) = (low.max(0) as u128, high as u128);
            self.plus_zero |= near == 0;
            self.plus_infinity |= far >= infinity;
            self.positive = union(self.positive, Range::within(near, far, infinity));
        }
    }

    /// The members of ranks `low..=high`, without NaN.
    pub fn clip(&self, low: i128, high: i128) -> FloatDomain {
        let mut window = FloatDomain::empty(self.format);
        window.insert(low, high);
        self.intersect(&window)
    }

    /// The members of rank `low` or more, and NaN if it is a member.
    pub fn at_least(&self, low: i128) -> FloatDomain {
        FloatDomain { nan: self.nan, ..self.clip(low, i128::MAX) }
    }

    /// The members of rank `high` or less, and NaN if it is a member.
    pub fn at_most(&self, high: i128) -> FloatDomain {
        FloatDomain { nan: self.nan, ..self.clip(i128::MIN, high) }
    }

    /// The members but NaN.
    pub fn without_nan(&self) -> FloatDomain {
        FloatDomain { nan: false, ..*self }
    }

    /// The set without the number of a rank, where it is a set of this kind: zeros, infinities and ends of intervals.
    pub fn without_rank(&self, rank: i128) -> FloatDomain {
        let mut rest = *self;
        let negative = rank < 0;
        let magnitude = (if negative { !rank } else { rank }) as u128;
        let (zero, range, infinity) = if negative {
            (&mut rest.minus_zero, &mut rest.negative, &mut rest.minus_infinity)
        } else {
            (&mut rest.plus_zero, &mut rest.positive, &mut rest.plus_infinity)
        };
        if magnitude == 0 {
            *zero = false;
        } else if magnitude >= infinity_magnitude(self.format) {
            *infinity = false;
        } else if let Some(Range { low, high }) = *range {
            if low == high && low == magnitude {
                *range = None;
            } else if low == magnitude {
                *range = Some(Range { low: low + 1, high });
            } else if high == magnitude {
                *range = Some(Range { low, high: high - 1 });
            }
        }
        rest
    }

    /// The least member's rank; `None` if there is no number.
    pub fn min_rank(&self) -> Option<i128> {
        let infinity = infinity_magnitude(self.format) as i128;
        if self.minus_infinity {
            Some(!infinity)
        } else if let Some(range) = self.negative {
            Some(!(range.high as i128))
        } else if self.minus_zero {
            Some(-1)
        } else if self.plus_zero {
            Some(0)
        } else if let Some(range) = self.positive {
            Some(range.low as i128)
        } else {
            self.plus_infinity.then_some(infinity)
        }
    }

    /// The greatest member's rank; `None` if there is no number.
    pub fn max_rank(&self) -> Option<i128> {
        let infinity = infinity_magnitude(self.format) as i128;
        if self.plus_infinity {
            Some(infinity)
        } else if let Some(range) = self.positive {
            Some(range.high as i128)
        } else if self.plus_zero {
            Some(0)
        } else if self.minus_zero {
            Some(-1)
        } else if let Some(range) = self.negative {
            Some(!(range.low as i128))
        } else {
            self.minus_infinity.then_some(!infinity)
        }
    }

    /// The least member that is a number.
    pub fn min_member(&self) -> Option<Float> {
        self.min_rank().map(|rank| ranked(self.format, rank))
    }

    /// The greatest member that is a number.
    pub fn max_member(&self) -> Option<Float> {
        self.max_rank().map(|rank| ranked(self.format, rank))
    }

    /// A number's rank, its place in the order of this module; `None` for NaN.
    pub fn rank_of(value: &Float) -> Option<i128> {
        rank(value)
    }

    /// The number of a rank of this set's format; ranks beyond the infinities give them.
    pub fn at_rank(&self, rank: i128) -> Float {
        ranked(self.format, rank)
    }

    /// How many members; never saturates, since the formats have at most 2^128 encodings.
    pub fn count(&self) -> u128 {
        let flags = [self.minus_zero, self.plus_zero, self.minus_infinity, self.plus_infinity, self.nan];
        self.negative.map_or(0, Range::count)
            + self.positive.map_or(0, Range::count)
            + flags.into_iter().filter(|flag| *flag).count() as u128
    }

    /// The only member, if there is one.
    pub fn as_single(&self) -> Option<Float> {
        if self.nan {
            return (!self.has_numbers()).then(|| Float::nan(self.format));
        }
        let rank = self.as_single_rank()?;
        Some(ranked(self.format, rank))
    }

    /// The only member's rank, if there is one and it is a number.
    pub fn as_single_rank(&self) -> Option<i128> {
        let (low, high) = (self.min_rank()?, self.max_rank()?);
        (low == high && !self.nan).then_some(low)
    }

    /// A rank that splits the numbers in two non-empty parts, those of at most it and those above; `None` if there are
    /// not two numbers. Signs are parted first, then infinities and zeros from the rest, then the interval in the middle
    /// of its ranks, which is the middle by exponent where the interval is wide.
    pub fn split(&self) -> Option<i128> {
        let (low, high) = (self.min_rank()?, self.max_rank()?);
        if low == high {
            return None;
        }
        if low < 0 && high >= 0 {
            return Some(-1);
        }
        let negative = low < 0;
        let (zero, range, infinity) = self.half(negative);
        // The greatest magnitude of the near part.
        let place = match range {
            _ if zero => 0,
            Some(range) if infinity => range.high,
            Some(range) => range.low + (range.high - range.low) / 2,
            None => return None,
        } as i128;
        Some(if negative { !(place + 1) } else { place })
    }

    /// The members' intervals of one sign and one class each: the finite non-zero numbers, then zeros, then infinities.
    pub(crate) fn pieces(&self) -> Intervals {
        let mut pieces = Intervals::default();
        if let Some(range) = self.negative {
            pieces.push(!(range.high as i128), !(range.low as i128));
        }
        if let Some(range) = self.positive {
            pieces.push(range.low as i128, range.high as i128);
        }
        if self.minus_zero {
            pieces.push(-1, -1);
        }
        if self.plus_zero {
            pieces.push(0, 0);
        }
        let infinity = infinity_magnitude(self.format) as i128;
        if self.minus_infinity {
            pieces.push(!infinity, !infinity);
        }
        if self.plus_infinity {
            pieces.push(infinity, infinity);
        }
        pieces
    }

    /// The members' maximal intervals of consecutive ranks, in order.
    pub(crate) fn runs(&self) -> Intervals {
        let mut runs = Intervals::default();
        let mut append = |low: i128, high: i128| match runs.last_mut() {
            Some(last) if last.1 + 1 == low => last.1 = high,
            _ => runs.push(low, high),
        };
        let infinity = infinity_magnitude(self.format) as i128;
        if self.minus_infinity {
            append(!infinity, !infinity);
        }
        if let Some(range) = self.negative {
            append(!(range.high as i128), !(range.low as i128));
        }
        if self.minus_zero {
            append(-1, -1);
        }
        if self.plus_zero {
            append(0, 0);
        }
        if let Some(range) = self.positive {
            append(range.low as i128, range.high as i128);
        }
        if self.plus_infinity {
            append(infinity, infinity);
        }
        runs
    }
}

/// At most six intervals of ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Intervals {
    bounds: [(i128, i128); 6],
    count: usize,
}

impl Intervals {
    fn push(&mut self, low: i128, high: i128) {
        if let Some(place) = self.bounds.get_mut(self.count) {
            *place = (low, high);
            self.count += 1;
        }
    }

    fn last_mut(&mut self) -> Option<&mut (i128, i128)> {
        self.bounds[..self.count].last_mut()
    }

    /// The intervals in order.
    pub(crate) fn as_slice(&self) -> &[(i128, i128)] {
        &self.bounds[..self.count]
    }
}
