//! Terms made where they are well-sorted and not absurdly wide, and otherwise what is wrong.

use super::error::{Fault, Problem};
use crate::smtlib::literal::sort_text;
use crate::{Arity, Op, Sort, Store, TermId};

/// Wider bit vectors are refused: nobody decides them, and their literals alone would take megabytes each.
pub(super) const MAX_WIDTH: u32 = 1 << 20;

/// The operator applied, or what it takes and was given.
pub(super) fn mk(store: &mut Store, op: Op, args: &[TermId], at: usize) -> Result<TermId, Fault> {
    match store.try_mk(op, args) {
        Ok(term) => match *store.sort(term) {
            Sort::BitVec(width) if width > MAX_WIDTH => Err(too_wide(at, width)),
            _ => Ok(term),
        },
        Err(error) => {
            let name = error.op.operator().name.unwrap_or("this function");
            Err(arguments(store, args, at, &format!("{} for `{name}`", takes(&error.op))))
        }
    }
}

pub(super) fn too_wide(at: usize, width: impl std::fmt::Display) -> Fault {
    Fault::unsupported(at, format!("a bit vector of {width} bits; {MAX_WIDTH} are"))
}

/// The complaint that these arguments are not the `expected` ones.
pub(super) fn arguments(store: &Store, args: &[TermId], at: usize, expected: &str) -> Fault {
    const SHOWN: usize = 6;
    let mut sorts: Vec<String> = args.iter().take(SHOWN).map(|&arg| sort_text(store.sort(arg))).collect();
    if args.len() > SHOWN {
        sorts.push(format!("… ({} in all)", args.len()));
    }
    let found = if sorts.is_empty() { "none".to_owned() } else { sorts.join(", ") };
    Fault { at, problem: Problem::Arguments { expected: expected.to_owned(), found } }
}

/// The arguments that an operator takes, in words.
fn takes(op: &Op) -> String {
    let what = match op {
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies => "Bool",
        Op::Eq | Op::Distinct => "of one sort",
        Op::Ite => "(a Bool, then two of one sort)",
        Op::Concat | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_) => "bit-vector (wide enough)",
        Op::FpAbs | Op::FpNeg | Op::FpRem | Op::FpMin | Op::FpMax | Op::FpEq | Op::FpLt | Op::FpLe => {
            "floating-point, of one format,"
        }
        Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite => "floating-point",
        Op::FpIsNan | Op::FpIsNegative | Op::FpIsPositive | Op::FpToReal | Op::FpToBits => "floating-point",
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRoundToIntegral => {
            "(a RoundingMode, then floating-point of one format)"
        }
        Op::FpFromUnsigned(_) => "(a RoundingMode, then a bit vector)",
        Op::FpFromBits(_) | Op::FpFromFloat(_) | Op::FpFromSigned(_) | Op::FpFromReal(_) => {
            "(a bit vector as wide as the format, or a RoundingMode and a float, real or bit vector)"
        }
        Op::FpToUnsigned(_) | Op::FpToSigned(_) => "(a RoundingMode, then a float)",
        Op::RealAdd | Op::RealSub | Op::RealMul | Op::RealDiv | Op::RealNeg | Op::RealLt | Op::RealLe => "Real",
        Op::Select => "(an array, then its index)",
        Op::StoreAt => "(an array, its index, its element)",
        _ => "bit-vector, of one width,",
    };
    match op.operator().arity {
        Arity::Exactly(1) => format!("one {what} argument"),
        Arity::Exactly(count) => format!("{count} {what} arguments"),
        Arity::AtLeast(count) => format!("{count} or more {what} arguments"),
    }
}

/// A width of a bit vector: at least 1 and not absurd.
pub(super) fn checked_width(width: u32, at: usize) -> Result<u32, Fault> {
    match width {
        0 => Err(Fault::expected(at, "a width of 1 or more", "0")),
        width if width > MAX_WIDTH => Err(too_wide(at, width)),
        width => Ok(width),
    }
}
