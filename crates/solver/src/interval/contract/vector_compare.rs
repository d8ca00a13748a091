//! Comparisons of bit vectors: bounds, for the signed ones with the sign bit turned.

use labrys_term::Op;

use super::cells::{Cells, Empty, Narrow};
use crate::domain::{BitVecDomain, BoolDomain};

/// result ⇔ first < second, or ≤, signed or not.
pub(super) fn contract(op: &Op, cells: &mut Cells<'_>) -> Narrow {
    let strict = matches!(op, Op::BvUlt | Op::BvSlt);
    if cells.same_variable(1, 2) {
        return cells.meet_truth(0, if strict { BoolDomain::False } else { BoolDomain::True });
    }
    let (a, b) = (cells.vector(1)?, cells.vector(2)?);
    let signed = matches!(op, Op::BvSlt | Op::BvSle);
    // Turning the sign bit maps the signed order to the unsigned one.
    let turn = if signed { 1 << (a.width - 1) } else { 0 };
    let (a_low, a_high) = bounds(&a, turn).ok_or(Empty)?;
    let (b_low, b_high) = bounds(&b, turn).ok_or(Empty)?;
    let all = BitVecDomain::top(a.width).high;
    let truth = match cells.truth(0) {
        Some(truth) => truth,
        None if a_high < b_low || (!strict && a_high == b_low) => {
            return cells.meet_truth(0, BoolDomain::True);
        }
        None if a_low > b_high || (strict && a_low == b_high) => {
            return cells.meet_truth(0, BoolDomain::False);
        }
        None => return Ok(()),
    };
    // ¬(a < b) is b ≤ a and ¬(a ≤ b) is b < a.
    let strict = strict == truth;
    let (less, less_low, more, more_high) = if truth { (1, a_low, 2, b_high) } else { (2, b_low, 1, a_high) };
    let step = u128::from(strict);
    let bound = more_high.checked_sub(step).ok_or(Empty)?;
    narrow(cells, less, turn, 0, bound)?;
    let bound = less_low.checked_add(step).filter(|bound| *bound <= all).ok_or(Empty)?;
    narrow(cells, more, turn, bound, all)
}

/// The least and the greatest member in the turned order.
fn bounds(a: &BitVecDomain, turn: u128) -> Option<(u128, u128)> {
    if turn == 0 {
        return (!a.is_empty()).then_some((a.low, a.high));
    }
    let (plus, minus) = (a.within(0, turn - 1), a.within(turn, u128::MAX));
    let low = if minus.is_empty() { plus.low | turn } else { minus.low ^ turn };
    let high = if plus.is_empty() { minus.high ^ turn } else { plus.high | turn };
    (low <= high).then_some((low, high))
}

/// Keeps the members between two bounds in the turned order.
fn narrow(cells: &mut Cells<'_>, slot: usize, turn: u128, low: u128, high: u128) -> Narrow {
    let a = cells.vector(slot)?;
    if turn == 0 {
        return cells.meet_vector(slot, &a.within(low, high));
    }
    // In the turned order the lower half are the negative numbers.
    let mut kept = BitVecDomain::empty(a.width);
    if low < turn {
        kept = a.within(low ^ turn, (high.min(turn - 1)) ^ turn);
    }
    if high >= turn {
        kept = kept.hull(&a.within(low.max(turn) ^ turn, high ^ turn));
    }
    cells.meet_vector(slot, &kept)
}
