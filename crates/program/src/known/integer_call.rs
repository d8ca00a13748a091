//! What intrinsics do to integers.

use crate::IntBinary;

/// An intrinsic on integers, elementwise but for reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerCall {
    /// |x|.
    Abs,
    /// The number of bits set.
    CountOnes,
    /// Zeros above the highest bit set.
    LeadingZeros,
    /// Zeros below the lowest bit set.
    TrailingZeros,
    /// Bytes in reverse order.
    SwapBytes,
    /// Bits in reverse order.
    ReverseBits,
    /// Two operands side by side, shifted left and cut to the upper, or right and cut to the lower.
    FunnelShift {
        /// Whether to the left.
        left: bool,
    },
    /// The lesser or greater of two.
    Extreme(Extreme),
    /// A sum or difference, the nearest number where it is out of range.
    Saturating(Wrapping),
    /// A result modulo 2^bits, and whether it is another than the exact one.
    WithOverflow(Wrapping),
    /// −1, 0 or 1.
    Compare {
        /// Whether the operands are signed.
        signed: bool,
    },
    /// A reduction by an operation.
    Reduction(IntBinary),
    /// The least or greatest lane.
    ExtremeLane(Extreme),
}

/// Which of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extreme {
    /// Whether they are signed.
    pub signed: bool,
    /// Whether the greater one.
    pub greatest: bool,
}

/// Arithmetic that may leave the range of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wrapping {
    /// Sum, difference or product.
    pub operation: IntBinary,
    /// Whether the operands are signed.
    pub signed: bool,
}

impl IntegerCall {
    /// How many operands it has.
    pub fn arity(self) -> usize {
        match self {
            IntegerCall::FunnelShift { .. } => 3,
            IntegerCall::Extreme(_)
            | IntegerCall::Saturating(_)
            | IntegerCall::WithOverflow(_)
            | IntegerCall::Compare { .. } => 2,
            _ => 1,
        }
    }

    /// The intrinsic of that name, `llvm.` left out; `None` if it is another's.
    pub(super) fn named(plain: &str) -> Option<IntegerCall> {
        if let Some(operation) = plain.strip_suffix(".with.overflow") {
            return wrapping(operation).map(IntegerCall::WithOverflow);
        }
        if let Some(operation) = plain.strip_suffix(".sat").and_then(wrapping) {
            return Some(IntegerCall::Saturating(operation));
        }
        if let Some(kind) = plain.strip_prefix("vector.reduce.") {
            return Some(match kind {
                "add" => IntegerCall::Reduction(IntBinary::Add),
                "mul" => IntegerCall::Reduction(IntBinary::Mul),
                "and" => IntegerCall::Reduction(IntBinary::And),
                "or" => IntegerCall::Reduction(IntBinary::Or),
                "xor" => IntegerCall::Reduction(IntBinary::Xor),
                _ => IntegerCall::ExtremeLane(extreme(kind)?),
            });
        }
        Some(match plain {
            "abs" => IntegerCall::Abs,
            "ctpop" => IntegerCall::CountOnes,
            "ctlz" => IntegerCall::LeadingZeros,
            "cttz" => IntegerCall::TrailingZeros,
            "bswap" => IntegerCall::SwapBytes,
            "bitreverse" => IntegerCall::ReverseBits,
            "fshl" => IntegerCall::FunnelShift { left: true },
            "fshr" => IntegerCall::FunnelShift { left: false },
            "scmp" => IntegerCall::Compare { signed: true },
            "ucmp" => IntegerCall::Compare { signed: false },
            _ => IntegerCall::Extreme(extreme(plain)?),
        })
    }
}

fn extreme(name: &str) -> Option<Extreme> {
    let (signed, greatest) = match name {
        "smin" => (true, false),
        "smax" => (true, true),
        "umin" => (false, false),
        "umax" => (false, true),
        _ => return None,
    };
    Some(Extreme { signed, greatest })
}

/// `sadd`, `umul`, …
fn wrapping(name: &str) -> Option<Wrapping> {
    let (operation, signed) = match name {
        "sadd" => (IntBinary::Add, true),
        "uadd" => (IntBinary::Add, false),
        "ssub" => (IntBinary::Sub, true),
        "usub" => (IntBinary::Sub, false),
        "smul" => (IntBinary::Mul, true),
        "umul" => (IntBinary::Mul, false),
        _ => return None,
    };
    Some(Wrapping { operation, signed })
}
