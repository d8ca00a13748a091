//! Sums of so many times some integers each, and floats beside them.

use labrys_term::{Op, Sort, Store, TermId, Value};
use num_traits::ToPrimitive;

use super::thresholds::signed;
use crate::constants::double;

/// So many times, wrapped, some integers each, of one width of at most 128 bits.
pub(super) fn combined(store: &mut Store, parts: &[(TermId, u128)]) -> Option<TermId> {
    let Sort::BitVec(bits @ ..=128) = *store.sort(parts.first()?.0) else { return None };
    let mut sum = None;
    for &(part, times) in parts {
        if *store.sort(part) != Sort::BitVec(bits) {
            return None;
        }
        let many = match times {
            1 => part,
            times => {
                let times = store.bv_const(bits, times & (u128::MAX >> (128 - bits)));
                store.mk(Op::BvMul, &[part, times])
            }
        };
        sum = Some(sum.map_or(many, |sum| store.mk(Op::BvAdd, &[sum, many])));
    }
    sum
}

/// Whether a float is more than so many times an integer and a number; `None` if it is neither that nor less.
pub(super) fn is_more(float: &Value, int: &Value, is_signed: bool, (times, offset): (u128, u128)) -> Option<bool> {
    let (float, Value::BitVec { width: bits @ ..=128, bits: value }) = (double(float.as_float()?)?, int) else {
        return None;
    };
    let int = value.to_u128()?.wrapping_mul(times).wrapping_add(offset) & (u128::MAX >> (128 - bits));
    let int = if is_signed { signed(*bits, int) as f64 } else { int as f64 };
    match float.partial_cmp(&int)? {
        std::cmp::Ordering::Equal => None,
        order => Some(order.is_gt()),
    }
}

/// An integer and a number, wrapped.
pub(super) fn shifted(store: &mut Store, int: TermId, by: u128) -> TermId {
    match *store.sort(int) {
        Sort::BitVec(bits @ ..=128) if by != 0 => {
            let by = store.bv_const(bits, by & (u128::MAX >> (128 - bits)));
            store.mk(Op::BvAdd, &[int, by])
        }
        _ => int,
    }
}
