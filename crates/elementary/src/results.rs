//! Sets of results, grown from correctly rounded values by the assumptions of [`crate::image()`].

use labrys_float::{Flags, Float, Format, Rounded};

use crate::range::{infinity, last_like_first, rank, ranked};
use crate::{Function, Range, evaluate};

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
    pub(crate) fn add_special(&mut self, function: Function, x: Float, ulps: u32) {
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

    /// The values between two correctly rounded results of a power of a positive number at exponents of one sign: of the same side of 1 (assumption 2).
    fn add_power(&mut self, function: Function, one: &Float, other: &Float, (is_negative, ulps): (bool, u32)) {
        let mut added = Image::default();
        added.add_between(function, one, other, ulps);
        self.flags |= added.flags;
        let unit = rank(&Float::one(one.format())).unwrap_or_default();
        self.ranges.extend(added.ranges.into_iter().map(|range| {
            let (low, high) = range.ranks();
            match is_negative {
                true => Range::of_ranks(one.format(), low.min(unit), high.min(unit)),
                false => Range::of_ranks(one.format(), low.max(unit), high.max(unit)),
            }
        }));
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
        if matches!(function, Function::Exp | Function::Exp2 | Function::Exp10) {
            return self.add_power(function, &first.value, &last.value, (low < 0, ulps));
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
