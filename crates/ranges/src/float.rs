//! Rounded operations on sets of floats: their results, and the exceptions they may raise.
//!
//! **Claim.** If an operation, rounded to nearest, raises an exception (inexact left out) on members of the operands'
//! sets, NaNs being quiet, the exception is among those given here.
//!
//! **Argument.** Products, quotients and conversions are monotone in the operands' magnitudes, so overflow and tiny
//! results appear at the extreme magnitudes first. A result is tiny only if it is at most the smallest normal number in
//! magnitude; it is inexact only if it is no multiple of the smallest subnormal number, which is excluded where both
//! factors are multiples of large enough powers of two (a number of exponent e is one of 2^(e − p + 1)). Sums that
//! are tiny are exact. Invalid operations are those whose operands' classes IEEE 754-2019 lists in section 7.2.
//!
//! Where both operands have the same value in every run, only equal pairs count.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_interp::{FloatOperation, Soft};
use labrys_solver::domain::project::{compare, forward};
use labrys_solver::domain::{FloatDomain, ModeDomain, Range};
use labrys_symex::unsigned_limit;

/// The only rounding mode.
pub(crate) const NEAREST: ModeDomain = ModeDomain(1);

/// The least magnitude of a normal number.
pub(crate) fn min_normal(format: Format) -> u128 {
    1 << (format.precision() - 1)
}

/// The members that are not NaN or infinite.
pub(crate) fn finite(a: &FloatDomain) -> FloatDomain {
    FloatDomain { nan: false, minus_infinity: false, plus_infinity: false, ..*a }
}

/// The finite members but zeros.
pub(crate) fn nonzero(a: &FloatDomain) -> FloatDomain {
    FloatDomain { plus_zero: false, minus_zero: false, ..finite(a) }
}

/// Whether a zero, or an infinity, is a member.
pub(crate) fn has_zero(a: &FloatDomain) -> bool {
    a.plus_zero || a.minus_zero
}

pub(crate) fn has_infinity(a: &FloatDomain) -> bool {
    a.plus_infinity || a.minus_infinity
}

/// Least and greatest magnitude of the finite members but zeros.
pub(crate) fn magnitudes(a: &FloatDomain) -> Option<Range> {
    match (a.negative, a.positive) {
        (Some(a), Some(b)) => Some(Range { low: a.low.min(b.low), high: a.high.max(b.high) }),
        (a, b) => a.or(b),
    }
}

/// The number of a rank.
fn at(a: &FloatDomain, magnitude: u128) -> FloatDomain {
    of_rank(a.format, magnitude as i128)
}

fn of_rank(format: Format, rank: i128) -> FloatDomain {
    let mut one = FloatDomain::empty(format);
    one.insert(rank, rank);
    one
}

/// The members with the sign bit set, or clear.
fn signed_half(a: &FloatDomain, negative: bool) -> FloatDomain {
    let half = FloatDomain::empty(a.format);
    if negative {
        FloatDomain { negative: a.negative, minus_zero: a.minus_zero, minus_infinity: a.minus_infinity, ..half }
    } else {
        FloatDomain { positive: a.positive, plus_zero: a.plus_zero, plus_infinity: a.plus_infinity, ..half }
    }
}

/// A power of two of which all finite members are multiples, as its exponent above the smallest subnormal number's;
/// `None` where there are only zeros.
fn grain(a: &FloatDomain) -> Option<u64> {
    let Range { low, high } = magnitudes(a)?;
    let fraction = a.format.precision() - 1;
    let steps = (low >> fraction).max(1) as u64 - 1;
    let significand = (low & ((1 << fraction) - 1)) | if low >> fraction > 0 { 1 << fraction } else { 0 };
    Some(steps + if low == high { u64::from(significand.trailing_zeros()) } else { 0 })
}

/// Whether every result's magnitude is above the smallest normal number's.
fn is_large(result: &FloatDomain) -> bool {
    !has_zero(result) && magnitudes(result).is_none_or(|range| range.low > min_normal(result.format))
}

/// The results of an operation, and what it may raise; `same` says that the first two operands are always equal.
pub(crate) fn operate(operation: FloatOperation, args: &[FloatDomain], same: bool) -> (FloatDomain, Flags) {
    breakable!(raising, crate::mutation::of_operation(operation, same), computed(operation, args, same))
}

/// By the sets' bounds, or by the operation itself.
fn computed(operation: FloatOperation, args: &[FloatDomain], same: bool) -> (FloatDomain, Flags) {
    let (result, flags) = bounded(operation, args, same);
    // Without flags the result is the number itself already.
    if flags.is_empty() && matches!(operation, FloatOperation::Add | FloatOperation::Sub | FloatOperation::Mul) {
        return (result, flags);
    }
    known(operation, args).unwrap_or((result, flags))
}

/// By the sets' bounds.
fn bounded(operation: FloatOperation, args: &[FloatDomain], same: bool) -> (FloatDomain, Flags) {
    let (first, second) = (&args[0], args.get(1).unwrap_or(&args[0]));
    match operation {
        FloatOperation::Add if same => doubled(first),
        FloatOperation::Add => add(first, second),
        FloatOperation::Sub if same => cancelled(first),
        FloatOperation::Sub => add(first, &forward::neg(second)),
        FloatOperation::Mul => mul(first, second, same),
        FloatOperation::Div => div(first, second, same),
        FloatOperation::Rem | FloatOperation::IeeeRemainder => {
            let invalid = (has_infinity(first) && !is_nan(second)) || (has_zero(second) && !is_nan(first));
            let result = if operation == FloatOperation::Rem {
                forward::fmod(first, second)
            } else {
                forward::rem(first, second)
            };
            (result, flag(invalid, Flags::INVALID))
        }
        FloatOperation::Fma => fma(first, second, args.get(2).unwrap_or(first)),
        FloatOperation::Sqrt => {
            let invalid = first.negative.is_some() || first.minus_infinity;
            (forward::sqrt(NEAREST, first), flag(invalid, Flags::INVALID))
        }
        FloatOperation::Convert(to) => convert(first, to),
        // x86's pick an operand, and raise invalid for any NaN.
        FloatOperation::X86Min | FloatOperation::X86Max => {
            (if same { *first } else { first.hull(second) }, flag(first.nan || second.nan, Flags::INVALID))
        }
        _ => (quiet(operation, first, second, same), Flags::empty()),
    }
}

fn is_nan(a: &FloatDomain) -> bool {
    !a.has_numbers()
}

fn flag(raised: bool, flags: Flags) -> Flags {
    if raised { flags } else { Flags::empty() }
}

/// Operations on single numbers are computed.
fn known(operation: FloatOperation, args: &[FloatDomain]) -> Option<(FloatDomain, Flags)> {
    if !args.iter().all(|arg| !arg.nan && arg.min_rank() == arg.max_rank()) {
        return None;
    }
    let values: Option<Vec<Float>> = args.iter().map(FloatDomain::as_single).collect();
    let rounded = Soft::new(Environment::default()).compute(operation, &values?).ok()?;
    Some((FloatDomain::only(&rounded.value), rounded.flags & Flags::NOTABLE))
}

/// Operations that raise nothing on quiet operands.
fn quiet(operation: FloatOperation, a: &FloatDomain, b: &FloatDomain, same: bool) -> FloatDomain {
    match operation {
        FloatOperation::Neg => forward::neg(a),
        FloatOperation::Abs => forward::abs(a),
        FloatOperation::CopySign => {
            let magnitude = forward::abs(a);
            // A NaN's sign is not known.
            let negative = b.nan || !signed_half(b, true).is_empty();
            let positive = b.nan || !signed_half(b, false).is_empty();
            let mut result = FloatDomain::empty(a.format);
            if positive {
                result = result.hull(&magnitude);
            }
            if negative {
                result = result.hull(&forward::neg(&magnitude));
            }
            FloatDomain { nan: a.nan, ..result }
        }
        FloatOperation::RoundToIntegral { mode, .. } => {
            let mode = ModeDomain::only(mode.unwrap_or(RoundingMode::NearestEven));
            forward::round_to_integral(mode, a)
        }
        FloatOperation::Canonicalize => *a,
        _ if same => *a,
        FloatOperation::MinNum | FloatOperation::MinimumNumber => forward::min(a, b),
        FloatOperation::MaxNum | FloatOperation::MaximumNumber => forward::max(a, b),
        FloatOperation::Minimum => {
            FloatDomain { nan: a.nan || b.nan, ..forward::min(&a.without_nan(), &b.without_nan()) }
        }
        FloatOperation::Maximum => {
            FloatDomain { nan: a.nan || b.nan, ..forward::max(&a.without_nan(), &b.without_nan()) }
        }
        _ => a.hull(b),
    }
}

fn add(a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, Flags) {
    let opposite = |x: bool, y: bool| x && y;
    let invalid = opposite(a.plus_infinity, b.minus_infinity) || opposite(a.minus_infinity, b.plus_infinity);
    let edge = |greatest: bool| {
        let of = |a: &FloatDomain| {
            let a = finite(a);
            if greatest { a.max_rank() } else { a.min_rank() }
        };
        match (of(a), of(b)) {
            // A sum of finite numbers is infinite only by overflow.
            (Some(x), Some(y)) => has_infinity(&forward::add(NEAREST, &of_rank(a.format, x), &of_rank(b.format, y))),
            _ => false,
        }
    };
    let overflow = edge(true) || edge(false);
    (forward::add(NEAREST, a, b), flag(invalid, Flags::INVALID) | flag(overflow, Flags::OVERFLOW))
}

/// x + x.
fn doubled(a: &FloatDomain) -> (FloatDomain, Flags) {
    let (negative, positive) = (signed_half(a, true), signed_half(a, false));
    let (below, low) = add(&negative, &negative);
    let (above, high) = add(&positive, &positive);
    (FloatDomain { nan: a.nan, ..below.hull(&above) }, low | high)
}

/// x − x.
fn cancelled(a: &FloatDomain) -> (FloatDomain, Flags) {
    let infinite = has_infinity(a);
    let result =
        FloatDomain { plus_zero: !finite(a).is_empty(), nan: a.nan || infinite, ..FloatDomain::empty(a.format) };
    (result, flag(infinite, Flags::INVALID))
}

fn mul(a: &FloatDomain, b: &FloatDomain, same: bool) -> (FloatDomain, Flags) {
    let result = if same {
        let (negative, positive) = (signed_half(a, true), signed_half(a, false));
        let squares = forward::mul(NEAREST, &negative, &negative).hull(&forward::mul(NEAREST, &positive, &positive));
        FloatDomain { nan: a.nan, ..squares }
    } else {
        forward::mul(NEAREST, a, b)
    };
    let mut flags =
        flag(!same && ((has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b))), Flags::INVALID);
    if let (Some(x), Some(y)) = (magnitudes(a), magnitudes(b)) {
        let most = forward::mul(NEAREST, &at(a, x.high), &at(b, y.high));
        flags |= flag(has_infinity(&most), Flags::OVERFLOW);
        let least = forward::mul(NEAREST, &at(a, x.low), &at(b, y.low));
        let unit = a.format.min_lsb_exponent().unsigned_abs();
        let exact = grain(a).zip(grain(b)).is_some_and(|(a, b)| a + b >= unit);
        flags |= flag(!is_large(&least) && !exact, Flags::UNDERFLOW);
    }
    (result, flags)
}

fn div(a: &FloatDomain, b: &FloatDomain, same: bool) -> (FloatDomain, Flags) {
    if same {
        let result = FloatDomain { nan: a.nan || has_zero(a) || has_infinity(a), ..FloatDomain::empty(a.format) };
        let one = FloatDomain::only(&Float::one(a.format));
        let result = if nonzero(a).is_empty() { result } else { result.hull(&one) };
        return (result, flag(has_zero(a) || has_infinity(a), Flags::INVALID));
    }
    let mut flags = flag((has_zero(a) && has_zero(b)) || (has_infinity(a) && has_infinity(b)), Flags::INVALID);
    flags |= flag(!nonzero(a).is_empty() && has_zero(b), Flags::DIVBYZERO);
    if let (Some(x), Some(y)) = (magnitudes(a), magnitudes(b)) {
        let most = forward::div(NEAREST, &at(a, x.high), &at(b, y.low));
        flags |= flag(has_infinity(&most), Flags::OVERFLOW);
        let least = forward::div(NEAREST, &at(a, x.low), &at(b, y.high));
        flags |= flag(!is_large(&least) && !halves_exactly(a, &y), Flags::UNDERFLOW);
    }
    (forward::div(NEAREST, a, b), flags)
}

/// Whether all members divided by the one divisor, a power of two, are multiples of the smallest subnormal number.
fn halves_exactly(a: &FloatDomain, divisor: &Range) -> bool {
    let fraction = a.format.precision() - 1;
    let is_power =
        divisor.low == divisor.high && (divisor.low & ((1 << fraction) - 1) == 0) && divisor.low >> fraction > 0;
    let exponent = (divisor.low >> fraction) as i64 - 1 + a.format.min_exponent();
    is_power && grain(a).is_some_and(|grain| grain as i64 >= exponent)
}

fn fma(a: &FloatDomain, b: &FloatDomain, c: &FloatDomain) -> (FloatDomain, Flags) {
    let result = forward::fma(NEAREST, a, b, c);
    let parts = forward::fma(NEAREST, &finite(a), &finite(b), &finite(c));
    let nan = a.nan || b.nan || c.nan;
    let numbers = forward::fma(NEAREST, &a.without_nan(), &b.without_nan(), &c.without_nan());
    // 0 · ∞ + NaN may raise invalid or not, as the implementation likes.
    let zero_times = (has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b));
    let mut flags = flag(numbers.nan || (nan && zero_times), Flags::INVALID);
    flags |= flag(has_infinity(&parts), Flags::OVERFLOW);
    let unit = a.format.min_lsb_exponent().unsigned_abs();
    // c is always a multiple of the smallest subnormal number.
    let exact = grain(a).zip(grain(b)).is_none_or(|(a, b)| a + b >= unit);
    flags |= flag(!parts.is_empty() && !is_large(&parts) && !exact, Flags::UNDERFLOW);
    (result, flags)
}

fn convert(a: &FloatDomain, to: Format) -> (FloatDomain, Flags) {
    let result = forward::from_float(NEAREST, a, to);
    let is_narrower = to.max_exponent() < a.format.max_exponent() || to.precision() < a.format.precision();
    let mut flags = Flags::empty();
    if let (true, Some(range)) = (is_narrower, magnitudes(a)) {
        let most = forward::from_float(NEAREST, &at(a, range.high), to);
        let least = forward::from_float(NEAREST, &at(a, range.low), to);
        flags |= flag(has_infinity(&most), Flags::OVERFLOW) | flag(!is_large(&least), Flags::UNDERFLOW);
    }
    (result, flags)
}

/// What a conversion to an integer may raise: invalid, where the truncated (or rounded) value may not fit.
pub(crate) fn to_integer_flags(a: &FloatDomain, bits: u32, signed: bool) -> Flags {
    const MODES: [RoundingMode; 3] = [RoundingMode::TowardZero, RoundingMode::NearestEven, RoundingMode::NearestAway];
    conversion_flags(a, bits, signed, &MODES)
}

/// Like [`to_integer_flags`] for truncation, which C's conversions are: −0.5 fits an unsigned integer.
pub(crate) fn truncation_flags(a: &FloatDomain, bits: u32, signed: bool) -> Flags {
    conversion_flags(a, bits, signed, &[RoundingMode::TowardZero])
}

/// What does not fit in one of these modes is invalid.
///
/// Conversions to 64 unsigned bits are made of signed ones on x86-64, one of the number and one of the number less 2^63, so that
/// numbers from 2^63 on raise it too ([`unsigned_limit`]). Numbers that do not fit the unsigned type raise it all the same: −10^6 less 2^63
/// fits neither.
fn conversion_flags(a: &FloatDomain, bits: u32, signed: bool, modes: &[RoundingMode]) -> Flags {
    let environment = Environment::default();
    let fits_type = |value: &Float, mode, bits, signed| environment.to_integer(value, mode, bits, signed).0.is_some();
    let fits = |value: &Float| {
        modes.iter().all(|mode| {
            fits_type(value, *mode, bits, signed) && (signed || fits_type(value, *mode, unsigned_limit(bits), false))
        })
    };
    let ends = [finite(a).min_member(), finite(a).max_member()];
    let outside = a.nan || has_infinity(a) || ends.iter().flatten().any(|value| !fits(value));
    breakable!(flags, "FloatToInt flags", flag(outside, Flags::INVALID))
}

/// The pairs' sides where one of the allowed relations holds: less, equal, greater, unordered.
pub(crate) fn compared(
    predicate: labrys_program::FloatPredicate,
    a: &FloatDomain,
    b: &FloatDomain,
) -> (FloatDomain, FloatDomain) {
    let mut kept = (FloatDomain::empty(a.format), FloatDomain::empty(b.format));
    let mut keep = |pair: (FloatDomain, FloatDomain)| kept = (kept.0.hull(&pair.0), kept.1.hull(&pair.1));
    if predicate.less {
        keep(compare::less(a, b, true));
    }
    if predicate.equal {
        keep(compare::ieee_equal(a, b, true));
    }
    if predicate.greater {
        let (right, left) = compare::less(b, a, true);
        keep((left, right));
    }
    if predicate.unordered {
        let nan = |a: &FloatDomain| FloatDomain { nan: true, ..FloatDomain::empty(a.format) };
        if a.nan && !b.is_empty() {
            keep((nan(a), *b));
        }
        if b.nan && !a.is_empty() {
            keep((*a, nan(b)));
        }
    }
    // Of numbers that are not equal, a single one on either side can be cut off.
    if predicate.less && predicate.greater && !predicate.equal {
        let (left, right) = compare::ieee_equal(a, b, false);
        kept = (kept.0.intersect(&left), kept.1.intersect(&right));
    }
    kept
}
