//! Bit-vector arithmetic: sums, products, quotients and shifts by their bounds and their low bits.

use labrys_term::Op;

use super::cells::{Cells, Empty, Narrow};
use super::{vector_bits, vector_compare};
use crate::domain::BitVecDomain;
use crate::domain::bit_vector_value;

/// Narrows the domains of result and arguments of an operator whose arguments are bit vectors.
pub(super) fn contract(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    match op {
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => return vector_compare::contract(op, cells),
        Op::BvNot | Op::BvAnd | Op::BvOr | Op::BvXor => vector_bits::bitwise(op, cells)?,
        Op::Concat | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_) => vector_bits::shape(op, cells)?,
        Op::BvAdd => add(cells, 0, 1, 2)?,
        // r = a − b says a = r + b.
        Op::BvSub => add(cells, 1, 0, 2)?,
        Op::BvNeg => negate(cells)?,
        Op::BvMul => multiply(cells)?,
        Op::BvUdiv => divide(cells)?,
        Op::BvUrem => remainder(cells)?,
        Op::BvShl | Op::BvLshr | Op::BvAshr => shift(op, cells)?,
        _ => {}
    }
    exact(op, cells)
}

/// The result of one or two arguments where they are known; a concatenation's follows from its bits.
fn exact(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    if *op == Op::Concat {
        return Ok(());
    }
    let width = cells.vector(0)?.width;
    let first = cells.vector(1)?;
    let second = if cells.arity() > 1 { cells.vector(2)? } else { first };
    let (Some(a), Some(b)) = (first.as_single(), second.as_single()) else { return Ok(()) };
    match bit_vector_value::apply(op, first.width, a, second.width, b) {
        Some(value) => cells.meet_vector(0, &BitVecDomain::only(width, value)),
        None => Ok(()),
    }
}

/// The sums modulo 2^width.
fn sum(a: &BitVecDomain, b: &BitVecDomain) -> BitVecDomain {
    let width = a.width;
    let all = BitVecDomain::top(width).high;
    let low = a.low.overflowing_add(b.low);
    let high = a.high.overflowing_add(b.high);
    let wraps = |(sum, overflow): (u128, bool)| overflow || sum > all;
    let bounds = if wraps(low) == wraps(high) {
        BitVecDomain { low: low.0 & all, high: high.0 & all, ..BitVecDomain::top(width) }
    } else {
        BitVecDomain::top(width)
    };
    let (ones, zeros) = sum_bits(a, b, false);
    BitVecDomain { ones: ones & all, zeros: zeros & all, ..bounds }.normalised()
}

/// The differences modulo 2^width.
fn difference(a: &BitVecDomain, b: &BitVecDomain) -> BitVecDomain {
    let width = a.width;
    let all = BitVecDomain::top(width).high;
    let bounds = if (a.low < b.high) == (a.high < b.low) {
        BitVecDomain {
            low: a.low.wrapping_sub(b.high) & all,
            high: a.high.wrapping_sub(b.low) & all,
            ..BitVecDomain::top(width)
        }
    } else {
        BitVecDomain::top(width)
    };
    let turned = BitVecDomain { ones: b.zeros, zeros: b.ones, ..*b };
    let (ones, zeros) = sum_bits(a, &turned, true);
    BitVecDomain { ones: ones & all, zeros: zeros & all, ..bounds }.normalised()
}

/// The known bits of a + b + carry: a bit is known where both bits and the carry into it are; the carries are known where
/// they agree in the sum of all least and of all greatest bits.
fn sum_bits(a: &BitVecDomain, b: &BitVecDomain, carry: bool) -> (u128, u128) {
    let carry = u128::from(carry);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry);
    let greatest = (!a.zeros).wrapping_add(!b.zeros).wrapping_add(carry);
    let carry_one = least ^ a.ones ^ b.ones;
    let carry_zero = !(greatest ^ !a.zeros ^ !b.zeros);
    let known = a.known() & b.known() & (carry_one | carry_zero);
    (least & known, !least & known)
}

/// Slot `r` is the sum of slots `a` and `b`.
fn add(cells: &mut Cells<'_>, r: usize, a: usize, b: usize) -> Narrow {
    let (x, y) = (cells.vector(a)?, cells.vector(b)?);
    cells.meet_vector(r, &sum(&x, &y))?;
    let total = cells.vector(r)?;
    cells.meet_vector(a, &difference(&total, &y))?;
    let x = cells.vector(a)?;
    cells.meet_vector(b, &difference(&total, &x))
}

fn negate(cells: &mut Cells<'_>) -> Narrow {
    let zero = BitVecDomain::only(cells.vector(0)?.width, 0);
    let a = cells.vector(1)?;
    cells.meet_vector(0, &minus(&zero, &a))?;
    let r = cells.vector(0)?;
    cells.meet_vector(1, &minus(&zero, &r))
}

/// 0 − a, with the zero apart: −[0, 5] is 0 or [2^w − 5, 2^w − 1].
fn minus(zero: &BitVecDomain, a: &BitVecDomain) -> BitVecDomain {
    let whole = difference(zero, a);
    if a.low == 0 && a.high > 0 {
        let rest = a.within(1, u128::MAX);
        let parts = if rest.is_empty() { *zero } else { zero.hull(&difference(zero, &rest)) };
        return whole.intersect(&parts);
    }
    whole
}

/// How many low bits are zero in every member.
fn trailing_zeros(a: &BitVecDomain) -> u32 {
    (!a.zeros).trailing_zeros().min(a.width)
}

fn low_mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn multiply(cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.vector(1)?, cells.vector(2)?);
    let (width, all) = (a.width, BitVecDomain::top(a.width).high);
    // The low k bits of a product depend on the low k bits of the factors only; and with so many low zeros on one
    // side, on so many fewer bits of the other.
    let known_low = |x: &BitVecDomain| (!x.known()).trailing_zeros();
    let (za, zb) = (trailing_zeros(&a), trailing_zeros(&b));
    let exact_low = (known_low(&a).saturating_add(zb)).min(known_low(&b).saturating_add(za)).min(width);
    let low_product = a.ones.wrapping_mul(b.ones);
    let known = low_mask(exact_low.max((za + zb).min(width)));
    let product = BitVecDomain::bits(width, low_product & known, !low_product & known);
    cells.meet_vector(0, &product)?;
    if a.high.checked_mul(b.high).is_some_and(|high| high <= all) {
        cells.meet_vector(0, &BitVecDomain::between(width, a.low * b.low, a.high * b.high))?;
        let r = cells.vector(0)?;
        for (slot, other) in [(1, b), (2, cells.vector(1)?)] {
            let low = if other.high == 0 { 0 } else { r.low.div_ceil(other.high) };
            let high = r.high.checked_div(other.low).unwrap_or(all);
            cells.meet_vector(slot, &BitVecDomain::between(width, low, high))?;
        }
    }
    for (slot, other) in [(1, 2), (2, 1)] {
        factor(cells, slot, other)?;
    }
    Ok(())
}

/// A known odd factor has an inverse modulo 2^width: the other's low bits follow from the product's.
fn factor(cells: &mut Cells<'_>, slot: usize, other: usize) -> Narrow {
    let (r, constant) = (cells.vector(0)?, cells.vector(other)?);
    match constant.as_single() {
        Some(value) if value & 1 == 1 => {
            let inverse = bit_vector_value::inverse(value);
            let known = low_mask((!r.known()).trailing_zeros()) & BitVecDomain::top(r.width).high;
            let bits = r.ones.wrapping_mul(inverse);
            cells.meet_vector(slot, &BitVecDomain::bits(r.width, bits & known, !bits & known))
        }
        _ => Ok(()),
    }
}

fn divide(cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.vector(1)?, cells.vector(2)?);
    let (width, all) = (a.width, BitVecDomain::top(a.width).high);
    let mut quotients = BitVecDomain::empty(width);
    if b.contains(0) {
        quotients = BitVecDomain::only(width, all);
    }
    if let Some(least) = a.low.checked_div(b.high) {
        quotients = quotients.hull(&BitVecDomain::between(width, least, a.high / b.low.max(1)));
    }
    cells.meet_vector(0, &quotients)?;
    if b.low == 0 {
        return Ok(());
    }
    // a = q·b + s with 0 ≤ s < b. What saturates would wrap, which no product of quotient and divisor does.
    let r = cells.vector(0)?;
    let least = r.low.checked_mul(b.low).filter(|least| *least <= all).ok_or(Empty)?;
    let greatest = r.high.saturating_mul(b.high).saturating_add(b.high - 1);
    cells.meet_vector(1, &BitVecDomain::between(width, least, greatest))
}

fn remainder(cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.vector(1)?, cells.vector(2)?);
    let width = a.width;
    let mut high = a.high;
    if b.low > 0 {
        high = high.min(b.high - 1);
    }
    cells.meet_vector(0, &BitVecDomain::between(width, 0, high))?;
    if b.low > 0 && a.high < b.low {
        cells.meet_vector(0, &a)?;
        let r = cells.vector(0)?;
        cells.meet_vector(1, &r)?;
    }
    // A remainder is at most the dividend, and less than every divisor but zero.
    let r = cells.vector(0)?;
    cells.meet_vector(1, &BitVecDomain::between(width, r.low, u128::MAX))?;
    if !b.contains(0) {
        cells.meet_vector(2, &BitVecDomain::between(width, r.low.saturating_add(1), u128::MAX))?;
    }
    Ok(())
}

fn shift(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let (a, b) = (cells.vector(1)?, cells.vector(2)?);
    let (width, all) = (a.width, BitVecDomain::top(a.width).high);
    let Some(amount) = b.as_single() else {
        if *op == Op::BvLshr {
            let least = if b.high >= u128::from(width) { 0 } else { a.low >> b.high };
            let greatest = if b.low >= u128::from(width) { 0 } else { a.high >> b.low };
            return cells.meet_vector(0, &BitVecDomain::between(width, least, greatest));
        }
        return Ok(());
    };
    let amount = amount.min(u128::from(width)) as u32;
    let (up, down) = (
        |x: u128| if amount >= 128 { 0 } else { x << amount },
        |x: u128| {
            if amount >= 128 { 0 } else { x >> amount }
        },
    );
    let r = cells.vector(0)?;
    // The bits that leave `a` say nothing of it; those that enter are zeros, or copies of the sign.
    match op {
        Op::BvShl => {
            cells.meet_vector(0, &BitVecDomain::bits(width, up(a.ones), up(a.zeros) | low_mask(amount)))?;
            cells.meet_vector(1, &BitVecDomain::bits(width, down(r.ones), down(r.zeros)))
        }
        Op::BvLshr => {
            let entered = all & !down(all);
            cells.meet_vector(0, &BitVecDomain::bits(width, down(a.ones), down(a.zeros) | entered))?;
            cells.meet_vector(0, &BitVecDomain::between(width, down(a.low), down(a.high)))?;
            cells.meet_vector(1, &BitVecDomain::bits(width, up(r.ones), up(r.zeros & !entered)))
        }
        _ => {
            let entered = all & !down(all);
            let sign = 1 << (width - 1);
            let copies = |bits: u128| if bits & sign != 0 { entered } else { 0 };
            let (ones, zeros) = (down(a.ones) | copies(a.ones), down(a.zeros) | copies(a.zeros));
            cells.meet_vector(0, &BitVecDomain::bits(width, ones, zeros))?;
            let back = |bits: u128| up(bits & !entered) | if bits & entered & sign != 0 { sign } else { 0 };
            cells.meet_vector(1, &BitVecDomain::bits(width, back(r.ones), back(r.zeros)))
        }
    }
}
