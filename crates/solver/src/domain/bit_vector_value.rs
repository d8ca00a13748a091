//! Bit-vector operators on values of at most 128 bits, as SMT-LIB's FixedSizeBitVectors defines them.

use labrys_term::Op;

use super::bit_vector::mask;

/// The number a two's-complement encoding stands for.
fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width;
    ((bits << unused) as i128) >> unused
}

/// The inverse of an odd number modulo 2^128: Newton's step doubles the number of right bits, and a·a ≡ 1 modulo 8 gives
/// three to begin with, so that six steps give 192.
pub(crate) fn inverse(odd: u128) -> u128 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x))))
}

/// The value of an operator of one or two arguments (`b` is not looked at for one); `None` if it is another operator's.
pub(crate) fn apply(op: &Op, width: u32, a: u128, other_width: u32, b: u128) -> Option<u128> {
    let all = mask(width);
    let truncated = |value: u128| Some(value & all);
    let (x, y) = (signed(width, a), signed(width.max(other_width), b));
    match op {
        Op::BvNot => truncated(!a),
        Op::BvNeg => truncated(a.wrapping_neg()),
        Op::BvAnd => truncated(a & b),
        Op::BvOr => truncated(a | b),
        Op::BvXor => truncated(a ^ b),
        Op::BvAdd => truncated(a.wrapping_add(b)),
        Op::BvSub => truncated(a.wrapping_sub(b)),
        Op::BvMul => truncated(a.wrapping_mul(b)),
        Op::BvUdiv => Some(a.checked_div(b).unwrap_or(all)),
        Op::BvUrem => Some(a.checked_rem(b).unwrap_or(a)),
        Op::BvSdiv => truncated(match y {
            // Division by zero gives −1 for what is not negative and 1 for what is.
            0 if x >= 0 => all,
            0 => 1,
            _ => x.wrapping_div(y) as u128,
        }),
        Op::BvSrem => truncated(if y == 0 { a } else { x.wrapping_rem(y) as u128 }),
        Op::BvSmod => truncated(if y == 0 {
            a
        } else {
            let rest = x.wrapping_rem(y);
            (if rest != 0 && (rest < 0) != (y < 0) { rest.wrapping_add(y) } else { rest }) as u128
        }),
        Op::BvShl => truncated(if b >= u128::from(width) { 0 } else { a << b }),
        Op::BvLshr => truncated(if b >= u128::from(width) { 0 } else { a >> b }),
        Op::BvAshr => truncated((x >> b.min(127).min(u128::from(width - 1))) as u128),
        Op::Concat => Some(a << other_width | b),
        Op::Extract { high, low } => Some(a >> low & mask(high - low + 1)),
        Op::ZeroExtend(_) => Some(a),
        Op::SignExtend(by) => Some(x as u128 & mask(width + by)),
        _ => None,
    }
}
