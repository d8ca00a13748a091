//! How far comparisons of wide vectors are from being true and from being false: see [`crate::local::distance`].

use labrys_term::Op;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed};

use super::number::{mask, signed};
use crate::local::distance::{Distance, STEP, places};

/// [`places`] of any count: it is linear between powers of two, so that 64 bits below the leading one are enough.
fn wide_places(count: &BigUint) -> f64 {
    let beyond = count.bits().saturating_sub(64);
    let top = (count >> beyond).iter_u64_digits().next().unwrap_or(0);
    places(top) + beyond as f64
}

/// The distances of an equality of the vectors. Not inlined, nor is `order`: narrow programs do not pay for their variables.
#[inline(never)]
pub(in crate::local) fn equality(width: u32, a: &BigUint, b: &BigUint) -> Distance {
    if a == b {
        return [0.0, STEP];
    }
    let difference = if a > b { a - b } else { b - a };
    let around = mask(width) + 1u8 - &difference;
    let number = wide_places(&difference.min(around));
    let bits: u32 = (a ^ b).iter_u64_digits().map(u64::count_ones).sum();
    [number.min(f64::from(bits)), 0.0]
}

/// The distances of a comparison of the vectors.
#[inline(never)]
pub(in crate::local) fn order(op: &Op, width: u32, a: &BigUint, b: &BigUint) -> Distance {
    let gap = match op {
        Op::BvUlt | Op::BvUle => BigInt::from(b.clone()) - BigInt::from(a.clone()),
        _ => signed(width, b) - signed(width, a),
    };
    let strict = matches!(op, Op::BvUlt | Op::BvSlt);
    let surplus = if strict { gap - 1 } else { gap };
    if surplus.is_negative() {
        [wide_places(surplus.magnitude()), 0.0]
    } else {
        [0.0, wide_places((surplus + BigInt::one()).magnitude())]
    }
}
