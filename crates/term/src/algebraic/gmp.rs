//! Between num-bigint's integers, of which rational numbers consist, and GMP's.

use num_bigint::{BigInt, BigUint};
use num_traits::Signed;
use rug::Integer;
use rug::integer::Order;

/// The same integer for GMP.
pub fn to_gmp(value: &BigInt) -> Integer {
    let magnitude = Integer::from_digits(&value.magnitude().to_u64_digits(), Order::Lsf);
    if value.is_negative() { -magnitude } else { magnitude }
}

/// The same integer back.
pub fn from_gmp(value: &Integer) -> BigInt {
    let magnitude = BigInt::from(BigUint::new(value.to_digits::<u32>(Order::Lsf)));
    if value.is_negative() { -magnitude } else { magnitude }
}
