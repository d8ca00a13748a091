//! Functions on bit vectors that others define.
//!
//! Overflow predicates are those of SMT-LIB 2.7's FixedSizeBitVectors: whether the exact result differs from the one
//! modulo 2^n. A sum of unsigned numbers overflows where it is below an operand; a signed one where both operands have
//! the sign that the sum lacks; a difference where the signs differ and the result's is not the first operand's; a
//! product where the upper half of the exact one is not the extension of the lower.

use num_bigint::BigUint;

use super::apply::{MAX_WIDTH, arguments, mk, too_wide};
use super::builtins::Derived;
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
        Derived::MultiplicationOverflows(signed) => {
            let by = maker.width;
            let extend = if signed { Op::SignExtend(by) } else { Op::ZeroExtend(by) };
            let (a, b) = (maker.mk(extend.clone(), &[x])?, maker.mk(extend.clone(), &[y])?);
            let exact = maker.mk(Op::BvMul, &[a, b])?;
            let kept = maker.extract(exact, by - 1, 0)?;
            let again = maker.mk(extend, &[kept])?;
            maker.not_equal(exact, again)
        }
        _ => Err(Fault::expected(maker.at, "one argument", "2")),
    }
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
