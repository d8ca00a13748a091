//! Functions on bit vectors that others define.
//!
//! Overflow predicates are those of SMT-LIB 2.7's FixedSizeBitVectors: whether the exact result differs from the one
//! modulo 2^n. A sum of unsigned numbers overflows where it is below an operand; a signed one where both operands have
//! the sign that the sum lacks; a difference where the signs differ and the result's is not the first operand's.
//!
//! **Products of n bits** need n + 1 bits, not 2n (M. Schulte, P. Balzola, A. Akkas, R. Brocato, "Integer Multiplication
//! with Overflow Detection or Saturation", IEEE Transactions on Computers 49(7), 2000). Let p and q be the positions of the
//! highest bits set in x and y. If there are both and p + q ≥ n, then x·y ≥ 2^n overflows. Otherwise x·y is 0 or
//! less than 2^(p + q + 2) ≤ 2^(n + 1): n + 1 bits hold the exact product, and it overflows if its bit n is set.
//!
//! Of signed numbers let x' be x, or −x − 1 where x is negative, and y' likewise; p and q are the highest bits of these. |x·y| is
//! the product of x' (x' + 1 if x is negative) and y' (or y' + 1). If p + q ≥ n − 1, then |x·y| ≥ 2^(n − 1), and more
//! where the signs differ: it overflows. Otherwise |x·y| ≤ 2^(p + 1)·2^(q + 1) ≤ 2^n; where x' or y' is 0, |x·y| ≤ 2^(n − 1).
//! So −2^n ≤ x·y ≤ 2^n. Below 2^n, n + 1 bits hold the exact product, and it overflows if the two highest differ;
//! 2^n overflows, and leaves a one and a zero there.

use num_bigint::BigUint;

use super::builtins::Derived;
use super::checks::{MAX_WIDTH, arguments, mk, too_wide};
use super::error::Fault;
use crate::{Op, Sort, Store, TermId};

/// A bit vector's width.
pub(super) fn width(store: &Store, term: TermId) -> Option<u32> {
    match store.sort(term) {
        Sort::BitVec(width) => Some(*width),
        _ => None,
    }
}

/// The only argument, a bit vector.
pub(super) fn only_bit_vector(store: &Store, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match args {
        [only] if width(store, *only).is_some() => Ok(*only),
        _ => Err(arguments(store, args, at, "one bit vector")),
    }
}

/// Terms made for one application; sorts have been checked before.
struct Maker<'a> {
    store: &'a mut Store,
    at: usize,
    width: u32,
}

impl Maker<'_> {
    fn mk(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Fault> {
        mk(self.store, op, args, self.at)
    }

    fn constant(&mut self, value: impl Into<BigUint>) -> TermId {
        self.store.bv_const(self.width, value)
    }

    /// The highest bit as a Bool.
    fn negative(&mut self, term: TermId) -> Result<TermId, Fault> {
        let zero = self.constant(0u8);
        self.mk(Op::BvSlt, &[term, zero])
    }

    fn bit(&mut self, condition: TermId) -> Result<TermId, Fault> {
        let (one, zero) = (self.store.bv_const(1, 1u8), self.store.bv_const(1, 0u8));
        self.mk(Op::Ite, &[condition, one, zero])
    }

    fn smallest(&mut self) -> TermId {
        self.constant(BigUint::from(1u8) << (self.width - 1))
    }

    fn ones(&mut self) -> TermId {
        self.constant((BigUint::from(1u8) << self.width) - 1u8)
    }

    fn extract(&mut self, term: TermId, high: u32, low: u32) -> Result<TermId, Fault> {
        self.mk(Op::Extract { high, low }, &[term])
    }

    /// −x − 1 of a negative x, and x of any other.
    fn without_sign(&mut self, x: TermId) -> Result<TermId, Fault> {
        let (negative, complement) = (self.negative(x)?, self.mk(Op::BvNot, &[x])?);
        self.mk(Op::Ite, &[negative, complement, x])
    }

    /// Ones from the highest bit set downwards.
    fn up_to_highest(&mut self, x: TermId) -> Result<TermId, Fault> {
        let (mut ones, mut by) = (x, 1u32);
        while by < self.width {
            let distance = self.constant(by);
            let moved = self.mk(Op::BvLshr, &[ones, distance])?;
            ones = self.mk(Op::BvOr, &[ones, moved])?;
            by = by.saturating_mul(2);
        }
        Ok(ones)
    }

    /// Whether a vector and the one of these bits, the highest first, have a bit in common.
    fn meet(&mut self, x: TermId, bits: &[TermId]) -> Result<TermId, Fault> {
        let other = if let [only] = bits { *only } else { self.mk(Op::Concat, bits)? };
        let common = self.mk(Op::BvAnd, &[x, other])?;
        let zero = self.constant(0u8);
        self.not_equal(common, zero)
    }

    fn not_equal(&mut self, a: TermId, b: TermId) -> Result<TermId, Fault> {
        let equal = self.mk(Op::Eq, &[a, b])?;
        self.mk(Op::Not, &[equal])
    }
}

/// A derived function on bit vectors.
pub(super) fn bit_vector(store: &mut Store, function: Derived, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    let one = matches!(
        function,
        Derived::ReduceAnd | Derived::ReduceOr | Derived::ReduceXor | Derived::Step(_) | Derived::NegationOverflows
    );
    let wanted = if one { 1 } else { 2 };
    let same = args.windows(2).all(|pair| store.sort(pair[0]) == store.sort(pair[1]));
    let width = args.first().and_then(|&first| width(store, first));
    let (Some(width), true, true) = (width, same, args.len() == wanted) else {
        let expected = if one { "one bit vector" } else { "2 bit vectors of one width" };
        return Err(arguments(store, args, at, expected));
    };
    let mut maker = Maker { store, at, width };
    match args {
        [x] => unary(&mut maker, function, *x),
        [x, y] => binary(&mut maker, function, *x, *y),
        _ => Err(arguments(store, args, at, "one or two bit vectors")),
    }
}

fn unary(maker: &mut Maker<'_>, function: Derived, x: TermId) -> Result<TermId, Fault> {
    match function {
        Derived::ReduceAnd => {
            let ones = maker.ones();
            let all = maker.mk(Op::Eq, &[x, ones])?;
            maker.bit(all)
        }
        Derived::ReduceOr => {
            let zero = maker.constant(0u8);
            let any = maker.not_equal(x, zero)?;
            maker.bit(any)
        }
        Derived::ReduceXor => {
            let first = maker.extract(x, 0, 0)?;
            (1..maker.width).try_fold(first, |parity, index| {
                let bit = maker.extract(x, index, index)?;
                maker.mk(Op::BvXor, &[parity, bit])
            })
        }
        Derived::Step(up) => {
            let one = maker.constant(1u8);
            maker.mk(if up { Op::BvAdd } else { Op::BvSub }, &[x, one])
        }
        _ => {
            let smallest = maker.smallest();
            maker.mk(Op::Eq, &[x, smallest])
        }
    }
}

fn binary(maker: &mut Maker<'_>, function: Derived, x: TermId, y: TermId) -> Result<TermId, Fault> {
    match function {
        Derived::Compare => {
            let equal = maker.mk(Op::Eq, &[x, y])?;
            maker.bit(equal)
        }
        Derived::Rotate(to_left) => {
            let width = maker.constant(maker.width);
            let by = maker.mk(Op::BvUrem, &[y, width])?;
            let back = maker.mk(Op::BvSub, &[width, by])?;
            let (up, down) = if to_left { (by, back) } else { (back, by) };
            // By nothing, the other shift is by the whole width and gives zero.
            let high = maker.mk(Op::BvShl, &[x, up])?;
            let low = maker.mk(Op::BvLshr, &[x, down])?;
            maker.mk(Op::BvOr, &[high, low])
        }
        Derived::DivisionOverflows => {
            let (smallest, ones) = (maker.smallest(), maker.ones());
            let dividend = maker.mk(Op::Eq, &[x, smallest])?;
            let divisor = maker.mk(Op::Eq, &[y, ones])?;
            maker.mk(Op::And, &[dividend, divisor])
        }
        Derived::AdditionOverflows(false) => {
            let sum = maker.mk(Op::BvAdd, &[x, y])?;
            maker.mk(Op::BvUlt, &[sum, x])
        }
        Derived::AdditionOverflows(true) => {
            let sum = maker.mk(Op::BvAdd, &[x, y])?;
            let (a, b, result) = (maker.negative(x)?, maker.negative(y)?, maker.negative(sum)?);
            let alike = maker.mk(Op::Eq, &[a, b])?;
            let lost = maker.not_equal(a, result)?;
            maker.mk(Op::And, &[alike, lost])
        }
        Derived::SubtractionOverflows(false) => maker.mk(Op::BvUlt, &[x, y]),
        Derived::SubtractionOverflows(true) => {
            let difference = maker.mk(Op::BvSub, &[x, y])?;
            let (a, b, result) = (maker.negative(x)?, maker.negative(y)?, maker.negative(difference)?);
            let unlike = maker.not_equal(a, b)?;
            let lost = maker.not_equal(a, result)?;
            maker.mk(Op::And, &[unlike, lost])
        }
        Derived::MultiplicationOverflows(false) => product_overflows(maker, x, y),
        Derived::MultiplicationOverflows(true) => signed_product_overflows(maker, x, y),
        _ => Err(Fault::expected(maker.at, "one argument", "2")),
    }
}

/// Whether a product of unsigned numbers takes more than its operands' bits.
fn product_overflows(maker: &mut Maker<'_>, x: TermId, y: TermId) -> Result<TermId, Fault> {
    let top = maker.width;
    // Bit j of y is too high if x has a bit from n - j upwards.
    let below = maker.up_to_highest(x)?;
    let mut allowed = (1..top).map(|bit| maker.extract(below, bit, bit)).collect::<Result<Vec<_>, _>>()?;
    allowed.push(maker.store.bv_const(1, 0u8));
    let large = maker.meet(y, &allowed)?;
    let factors = [x, y].map(|factor| maker.mk(Op::ZeroExtend(1), &[factor]));
    let [a, b] = factors;
    let product = maker.mk(Op::BvMul, &[a?, b?])?;
    let carried = maker.extract(product, top, top)?;
    let one = maker.store.bv_const(1, 1u8);
    let carried = maker.mk(Op::Eq, &[carried, one])?;
    maker.mk(Op::Or, &[large, carried])
}

/// Whether a product of signed numbers takes more than its operands' bits.
fn signed_product_overflows(maker: &mut Maker<'_>, x: TermId, y: TermId) -> Result<TermId, Fault> {
    let top = maker.width;
    let (a, b) = (maker.without_sign(x)?, maker.without_sign(y)?);
    // Bit j of b is too high if a has a bit from n - 1 - j upwards; none has the bit n - 1.
    let below = maker.up_to_highest(a)?;
    let allowed = (0..top).map(|bit| maker.extract(below, bit, bit)).collect::<Result<Vec<_>, _>>()?;
    let large = maker.meet(b, &allowed)?;
    let factors = [x, y].map(|factor| maker.mk(Op::SignExtend(1), &[factor]));
    let [a, b] = factors;
    let product = maker.mk(Op::BvMul, &[a?, b?])?;
    let (sign, next) = (maker.extract(product, top, top)?, maker.extract(product, top - 1, top - 1)?);
    let carried = maker.not_equal(sign, next)?;
    maker.mk(Op::Or, &[large, carried])
}

/// Rotation by a constant.
pub(super) fn rotate(store: &mut Store, args: &[TermId], by: u32, to_left: bool, at: usize) -> Result<TermId, Fault> {
    let x = only_bit_vector(store, args, at)?;
    let width = width(store, x).unwrap_or(1);
    let by = if to_left { by % width } else { (width - by % width) % width };
    if by == 0 {
        return Ok(x);
    }
    let mut maker = Maker { store, at, width };
    let low = maker.extract(x, width - 1 - by, 0)?;
    let high = maker.extract(x, width - 1, width - by)?;
    maker.mk(Op::Concat, &[low, high])
}

/// So many copies side by side.
pub(super) fn repeat(store: &mut Store, args: &[TermId], times: u32, at: usize) -> Result<TermId, Fault> {
    let x = only_bit_vector(store, args, at)?;
    let total = u64::from(width(store, x).unwrap_or(1)) * u64::from(times);
    match times {
        0 => Err(Fault::expected(at, "1 or more for `repeat`", "0")),
        1 => Ok(x),
        _ if total > u64::from(MAX_WIDTH) => Err(too_wide(at, total)),
        _ => mk(store, Op::Concat, &vec![x; times as usize], at),
    }
}
