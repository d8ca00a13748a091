//! What a libm may return and raise, for operands in ranges of floats.
//!
//! **Claim.** For each choice of operands in the ranges, [`image`] holds every result and its flags every exception of a libm
//! with these properties:
//!
//! 1. its results lie at most `ulps` floats from the correctly rounded ones, or [`Function::ulps`] where that is more and `ulps` is
//!    not 0, and have the exact value's sign;
//! 2. it keeps to the bounds of the mathematical functions: |sin|, |cos|, |tanh|, |erf| ≤ 1, cosh ≥ 1, erfc ≤ 2, expm1 ≥ −1;
//! 3. zeros, infinities and NaNs that C's Annex F specifies it returns as specified, at zero and infinite operands
//!    everything that is specified there;
//! 4. it raises invalid and divbyzero only as Annex F says, overflow only with an infinite or nearly infinite result
//!    (within `ulps` of infinity), underflow only with a tiny one (at most the smallest normal number, within `ulps`). It may raise
//!    inexact at will. This is what glibc's manual promises ("Errors in Math Functions": no spurious exceptions but
//!    inexact, except close to the thresholds);
//! 5. sin, tan, asin, atan, sinh, tanh, asinh, atanh, expm1, log1p and erf return zero only at zero (libms return x, or c·x, where it
//!    is tiny);
//! 6. Bessel's functions, beyond 1 in 2^(6−p)/√|x| of the exact value where that is more: near their zeros glibc's results have an
//!    absolute error, of any number of floats and any sign.
//!
//! **Argument.** Operands are split where they are zero or infinite, and between, so that the function is monotone on each
//! piece in each operand (`pieces`, `pairs`). The correctly rounded value of a monotone function is monotone, so the ends of a piece
//! give the least and the greatest; the steps of assumption 1 widen them. Pieces where values change sign are cut there between two
//! floats, so that zero and the tiny numbers are members only if a float's value comes near them.

use labrys_float::{Flags, Float, Format, Rounded};

use crate::range::{infinity, last_like_first, rank, ranked};
use crate::{Function, Range, evaluate, pairs, pieces};

/// What a function may return and raise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The numbers, as ranges that may overlap, in no order.
    pub ranges: Vec<Range>,
    /// Whether NaN may be returned.
    pub nan: bool,
    /// The exceptions that may be raised.
    pub flags: Flags,
}

/// A superset of what a libm within `ulps` floats of the correctly rounded results may return and raise for operands in
/// the ranges; the module's documentation says what else is assumed. Operands that are missing, of different formats or of a format of more than
/// 128 bits give everything.
///
/// ```
/// use labrys_elementary::{Function, Range, image};
/// use labrys_float::{Flags, Float};
///
/// let range = |low, high| Range::new(Float::from_f64(low), Float::from_f64(high)).unwrap();
/// let log = image(Function::Log, &[range(0.5, 2.0)], 4);
/// assert!(log.contains(&Float::from_f64(0.0)) && !log.contains(&Float::from_f64(0.7)));
/// assert_eq!(log.flags, Flags::INEXACT);
/// ```
pub fn image(function: Function, operands: &[Range], ulps: u32) -> Image {
    let mut image = Image::default();
    let ulps = function.steps(ulps);
    match operands {
        [x] if function.arity() == 1 => {
            for part in parts(x) {
                match part {
                    Part::Special(x) => image.add_special(function, x, ulps),
                    Part::Finite(low, high) => pieces::add(&mut image, function, x.format(), (low, high), ulps),
                }
            }
        }
        [x, y] if function.arity() == 2 && x.format() == y.format() => pairs::add(&mut image, function, x, y, ulps),
        _ => {
            let format = operands.first().map_or(Format::BINARY64, Range::format);
            image.ranges.extend(Range::numbers(format));
            image.nan = true;
            image.flags = Flags::all();
        }
    }
    image
}

/// The exceptions that such a libm may raise: [`image`]'s flags.
pub fn may_raise(function: Function, operands: &[Range], ulps: u32) -> Flags {
    image(function, operands, ulps).flags
}

/// A part of a range of operands.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A zero or an infinity.
    Special(Float),
    /// Ranks of finite numbers of one sign, without zeros.
    Finite(i128, i128),
}

/// The zeros and infinities of a range one by one, and the numbers between.
pub(crate) fn parts(range: &Range) -> Vec<Part> {
    let (low, high) = range.ranks();
    let top = infinity(range.format());
    let mut parts = Vec::new();
    for special in [!top, -1, 0, top] {
        if low <= special && special <= high {
            parts.push(Part::Special(ranked(range.format(), special)));
        }
    }
    for (first, last) in [(!top + 1, -2), (1, top - 1)] {
        let (first, last) = (low.max(first), high.min(last));
        if first <= last {
            parts.push(Part::Finite(first, last));
        }
    }
    parts
}

impl Image {
    /// Whether a result is a member.
    pub fn contains(&self, value: &Float) -> bool {
        if value.is_nan() { self.nan } else { self.ranges.iter().any(|range| range.contains(value)) }
    }

    /// A result that every libm returns.
    pub(crate) fn add_exactly(&mut self, result: &Rounded) {
        self.flags |= result.flags;
        match Range::only(result.value.clone()) {
            Some(range) => self.ranges.push(range),
            None => self.nan = true,
        }
    }

    /// The result at a zero or an infinity; where it has to be rounded (π/2), a libm may round it otherwise.
    fn add_special(&mut self, function: Function, x: Float, ulps: u32) {
        let is_infinite = x.is_infinite();
        let result = evaluate(function, &[x]);
        if is_infinite && matches!(function, Function::J0 | Function::J1 | Function::Y0 | Function::Y1) {
            // POSIX leaves the zero's sign open.
            self.ranges.extend(Range::only(result.value.neg()));
        }
        if result.flags.contains(Flags::INEXACT) {
            self.add_between(function, &result.value, &result.value, ulps);
        } else {
            self.add_exactly(&result);
        }
    }

    /// No number: the operands lie outside the domain.
    pub(crate) fn add_invalid(&mut self) {
        self.flags |= Flags::INVALID;
        self.nan = true;
    }

    /// What is known by a theorem rather than from values.
    pub(crate) fn add_bounded(&mut self, low: Float, high: Float, flags: Flags) {
        self.flags |= flags | Flags::INEXACT;
        self.ranges.extend(Range::new(low, high));
    }

    /// The values between two correctly rounded results of one sign, and `ulps` floats to each side.
    pub(crate) fn add_between(&mut self, function: Function, one: &Float, other: &Float, ulps: u32) {
        let (Some(one_rank), Some(other_rank)) = (rank(one), rank(other)) else {
            return self.add_invalid();
        };
        let format = one.format();
        let (top, steps) = (infinity(format), i128::from(ulps));
        let (least, greatest) = (one_rank.min(other_rank), one_rank.max(other_rank));
        let (mut low, mut high) = ((least - steps).max(!top), (greatest + steps).min(top));
        // Ranks of the zeros are 0 and −1.
        let can_vanish = i128::from(!vanishes_only_at_zero(function));
        if least >= 0 {
            low = low.max((1 - can_vanish).min(least));
        }
        if greatest < 0 {
            high = high.min((can_vanish - 2).max(greatest));
        }
        // Nearest zero: ranks of either sign count from zero up.
        let nearest = if low >= 0 {
            low
        } else if high < 0 {
            !high
        } else {
            0
        };
        if nearest <= rank(&Float::min_normal(format)).unwrap_or(0) {
            self.flags |= Flags::UNDERFLOW;
        }
        if high == top || low == !top {
            self.flags |= Flags::OVERFLOW;
        }
        self.flags |= Flags::INEXACT;
        let (floor, ceiling) = bounds(function, format);
        let (low, high) = (low.max(floor.unwrap_or(low)), high.min(ceiling.unwrap_or(high)));
        self.ranges.push(Range::of_ranks(format, low, high.max(low)));
    }

    /// The results on a piece where a function of one operand is monotone; ranks of its ends.
    pub(crate) fn add_monotone(&mut self, function: Function, format: Format, (low, high): (i128, i128), ulps: u32) {
        let at = |rank: i128| evaluate(function, &[ranked(format, rank)]);
        let first = at(low);
        if first.value.is_nan() {
            return self.add_invalid();
        }
        let is_pole = first.flags.contains(Flags::DIVBYZERO);
        if low == high && (is_pole || first.flags.is_empty() && first.value.is_zero()) {
            return self.add_exactly(&first);
        }
        let last = at(high);
        if function == Function::Logb {
            // An exponent is a float, unless the format has no room for it.
            if format.exponent_bits() >= format.precision() {
                self.flags |= Flags::INEXACT;
            }
            return self.ranges.extend(ordered(first.value, last.value));
        }
        if first.value.is_negative() == last.value.is_negative() {
            return self.add_between(function, &first.value, &last.value, ulps);
        }
        let cut = last_like_first(low, high, |rank| at(rank).value.is_negative());
        self.add_between(function, &first.value, &at(cut).value, ulps);
        self.add_between(function, &at(cut + 1).value, &last.value, ulps);
    }
}

fn ordered(one: Float, other: Float) -> Option<Range> {
    Range::new(one.clone(), other.clone()).or_else(|| Range::new(other, one))
}

/// Assumption 5.
fn vanishes_only_at_zero(function: Function) -> bool {
    use Function::*;
    matches!(function, Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Expm1 | Log1p | Erf)
}

/// The ranks of bounds that libm keeps to (assumption 2).
fn bounds(function: Function, format: Format) -> (Option<i128>, Option<i128>) {
    let one = rank(&Float::one(format));
    let minus_one = one.map(|one| !one);
    match function {
        Function::Sin | Function::Cos | Function::Tanh | Function::Erf => (minus_one, one),
        Function::Cosh => (one, None),
        Function::Expm1 => (minus_one, None),
        // One binade above 1.
        Function::Erfc => (None, one.map(|one| one + (1 << (format.precision() - 1)))),
        _ => (None, None),
    }
}
