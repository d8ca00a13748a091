//! Bitwise operators, and those that only move bits.

use labrys_term::Op;

use super::cells::{Cells, Narrow};
use crate::domain::BitVecDomain;

/// Not, and, or, exclusive or: each bit by itself, then the bounds of the two that have some.
pub(super) fn bitwise(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let a = cells.vector(1)?;
    let width = a.width;
    let all = BitVecDomain::top(width).high;
    let known = |ones: u128, zeros: u128| BitVecDomain::bits(width, ones, zeros);
    if *op == Op::BvNot {
        let turned = |x: &BitVecDomain| BitVecDomain {
            width,
            low: !x.high & all,
            high: !x.low & all,
            ones: x.zeros,
            zeros: x.ones,
        };
        cells.meet_vector(0, &turned(&a))?;
        let r = cells.vector(0)?;
        return cells.meet_vector(1, &turned(&r));
    }
    let b = cells.vector(2)?;
    match op {
        Op::BvAnd => {
            cells.meet_vector(0, &known(a.ones & b.ones, a.zeros | b.zeros))?;
            cells.meet_vector(0, &BitVecDomain::between(width, 0, a.high.min(b.high)))?;
            let r = cells.vector(0)?;
            cells.meet_vector(1, &known(r.ones, r.zeros & b.ones))?;
            cells.meet_vector(2, &known(r.ones, r.zeros & a.ones))?;
            cells.meet_vector(1, &BitVecDomain::between(width, r.low, all))?;
            cells.meet_vector(2, &BitVecDomain::between(width, r.low, all))
        }
        Op::BvOr => {
            cells.meet_vector(0, &known(a.ones | b.ones, a.zeros & b.zeros))?;
            cells.meet_vector(0, &BitVecDomain::between(width, a.low.max(b.low), all))?;
            let r = cells.vector(0)?;
            cells.meet_vector(1, &known(r.ones & b.zeros, r.zeros))?;
            cells.meet_vector(2, &known(r.ones & a.zeros, r.zeros))?;
            cells.meet_vector(1, &BitVecDomain::between(width, 0, r.high))?;
            cells.meet_vector(2, &BitVecDomain::between(width, 0, r.high))
        }
        _ => {
            if cells.same_variable(1, 2) {
                return cells.meet_vector(0, &BitVecDomain::only(width, 0));
            }
            // r = a ⊕ b, a = r ⊕ b, b = r ⊕ a.
            for (to, from, other) in [(0, 1, 2), (1, 0, 2), (2, 0, 1)] {
                let (x, y) = (cells.vector(from)?, cells.vector(other)?);
                let (ones, zeros) = (x.ones & y.zeros | x.zeros & y.ones, x.ones & y.ones | x.zeros & y.zeros);
                cells.meet_vector(to, &known(ones, zeros))?;
            }
            Ok(())
        }
    }
}

/// Concatenation, extraction and widening.
pub(super) fn shape(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    match op {
        Op::Concat => concatenate(cells),
        Op::Extract { high, low } => extract(cells, *high, *low),
        Op::ZeroExtend(by) => {
            let (a, r) = (cells.vector(1)?, cells.vector(0)?);
            let entered = BitVecDomain::top(r.width).high & !BitVecDomain::top(a.width).high;
            let wide = BitVecDomain { width: a.width + by, zeros: a.zeros | entered, ..a };
            cells.meet_vector(0, &wide)?;
            let r = cells.vector(0)?;
            cells.meet_vector(1, &BitVecDomain { width: a.width, zeros: r.zeros & !entered, ..r })
        }
        Op::SignExtend(_) => sign_extend(cells),
        _ => Ok(()),
    }
}

/// Every part by its bits; the first, and those behind parts that are known, by their bounds, too.
fn concatenate(cells: &mut Cells<'_>) -> Narrow {
    let mut whole = cells.vector(1)?;
    for slot in 2..=cells.arity() {
        whole = appended(&whole, &cells.vector(slot)?);
    }
    cells.meet_vector(0, &whole)?;
    let width = whole.width;
    let mut above = 0;
    for slot in 1..=cells.arity() {
        // A variable that is several parts is narrowed by each of them, and the result by what came of it.
        let (r, part) = (cells.vector(0)?, cells.vector(slot)?.width);
        let shift = width - above - part;
        cells.meet_vector(slot, &BitVecDomain::bits(part, r.ones >> shift, r.zeros >> shift))?;
        // With all bits above the part known, the bounds of the whole are bounds of the part.
        let all = BitVecDomain::top(part).high;
        if above == 0 || r.low >> (shift + part) == r.high >> (shift + part) {
            cells.meet_vector(slot, &BitVecDomain::between(part, r.low >> shift & all, r.high >> shift & all))?;
        }
        above += part;
    }
    Ok(())
}

/// The concatenations of the members of two sets; together they have at most 128 bits, and each has at least one.
fn appended(upper: &BitVecDomain, lower: &BitVecDomain) -> BitVecDomain {
    let shift = lower.width;
    BitVecDomain {
        width: upper.width + shift,
        low: upper.low << shift | lower.low,
        high: upper.high << shift | lower.high,
        ones: upper.ones << shift | lower.ones,
        zeros: upper.zeros << shift | lower.zeros,
    }
}

fn extract(cells: &mut Cells<'_>, high: u32, low: u32) -> Narrow {
    let (a, r) = (cells.vector(1)?, cells.vector(0)?);
    let width = high - low + 1;
    let all = BitVecDomain::top(width).high;
    cells.meet_vector(0, &BitVecDomain::bits(width, a.ones >> low, a.zeros >> low))?;
    // With all bits above known, the bounds of the whole are bounds of the part.
    if high + 1 >= 128 || a.low >> (high + 1) == a.high >> (high + 1) {
        cells.meet_vector(0, &BitVecDomain::between(width, a.low >> low & all, a.high >> low & all))?;
    }
    cells.meet_vector(1, &BitVecDomain::bits(a.width, (r.ones & all) << low, (r.zeros & all) << low))?;
    if high + 1 == a.width {
        let r = cells.vector(0)?;
        let fill = if low == 0 { 0 } else { (1 << low) - 1 };
        cells.meet_vector(1, &BitVecDomain::between(a.width, r.low << low, r.high << low | fill))?;
    }
    Ok(())
}

fn sign_extend(cells: &mut Cells<'_>) -> Narrow {
    let (a, r) = (cells.vector(1)?, cells.vector(0)?);
    let sign = 1 << (a.width - 1);
    let entered = BitVecDomain::top(r.width).high & !BitVecDomain::top(a.width).high;
    // Each sign by itself: the numbers without, then those with the sign bit.
    let mut wide = BitVecDomain::empty(r.width);
    let (plus, minus) = (a.within(0, sign - 1), a.within(sign, u128::MAX));
    if !plus.is_empty() {
        wide = BitVecDomain { width: r.width, zeros: plus.zeros | entered, ..plus };
    }
    if !minus.is_empty() {
        wide = wide.hull(&BitVecDomain {
            width: r.width,
            low: minus.low | entered,
            high: minus.high | entered,
            ones: minus.ones | entered,
            zeros: minus.zeros,
        });
    }
    cells.meet_vector(0, &wide)?;
    let r = cells.vector(0)?;
    let mut narrow = BitVecDomain::empty(a.width);
    let (plus, minus) = (r.within(0, sign - 1), r.within(entered | sign, u128::MAX));
    if !plus.is_empty() {
        narrow = BitVecDomain { width: a.width, zeros: plus.zeros & !entered, ..plus };
    }
    if !minus.is_empty() {
        narrow = narrow.hull(&BitVecDomain {
            width: a.width,
            low: minus.low & !entered,
            high: minus.high & !entered,
            ones: minus.ones & !entered,
            zeros: minus.zeros,
        });
    }
    cells.meet_vector(1, &narrow)
}
