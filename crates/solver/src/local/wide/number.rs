//! Numbers as vectors of a width, and random ones.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::local::random::Random;

/// All bits of a width.
pub(in crate::local) fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u8
}

/// The number that the bits are in two's complement; `width` is positive.
pub(in crate::local) fn signed(width: u32, bits: &BigUint) -> BigInt {
    let number = BigInt::from(bits.clone());
    if bits.bit(u64::from(width) - 1) { number - (BigInt::one() << width) } else { number }
}

/// The bits of a number modulo 2^width.
pub(in crate::local) fn wrap(width: u32, number: &BigInt) -> BigUint {
    number.mod_floor(&(BigInt::one() << width)).magnitude().clone()
}

/// So many random bits.
pub(in crate::local) fn uniform(bits: u32, random: &mut Random) -> BigUint {
    let whole = (0..bits / 64).fold(BigUint::ZERO, |number, _| number << 64u32 | BigUint::from(random.bits()));
    match bits % 64 {
        0 => whole,
        rest => whole << rest | BigUint::from(random.bits() >> (64 - rest)),
    }
}

/// A number with a random count of random bits, at most `bits` of them: every order of magnitude is as likely.
pub(in crate::local) fn scaled(bits: u32, random: &mut Random) -> BigUint {
    let count = random.below(u64::from(bits) + 1) as u32;
    uniform(count, random)
}

/// A number below `bound`, 0 if that is 0.
pub(in crate::local) fn below(bound: &BigUint, random: &mut Random) -> BigUint {
    if bound.is_zero() {
        return BigUint::ZERO;
    }
    // 64 bits more than the bound has make all remainders about as likely.
    uniform(bound.bits() as u32 + 64, random) % bound
}
