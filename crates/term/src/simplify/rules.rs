//! Which rules are tried on a term.

use super::rule::Rule;
use super::{choice, connective, float, float_class, float_compare, real, vector, vector_compare};
use crate::{Op, Sort};

/// The rules that may match a term of this operator and this sort of first argument, in the order in which they are tried.
pub(super) fn rules(op: &Op, first: &Sort) -> &'static [Rule] {
    match (op, first) {
        (Op::Not, _) => connective::NOT,
        (Op::And | Op::Or, _) => connective::CONNECTIVE,
        (Op::Xor | Op::Implies, _) => connective::OTHER,
        (Op::Eq, Sort::Bool) => connective::EQUAL,
        (Op::Eq, Sort::BitVec(_)) => vector_compare::EQUAL,
        (Op::Eq, Sort::Float(_)) => float_compare::EQUAL,
        (Op::Eq | Op::Distinct, _) => connective::EQUAL_ANY,
        (Op::Ite, _) => choice::RULES,
        (Op::BvNot | Op::BvNeg, _) => vector::UNARY,
        (Op::BvAnd | Op::BvOr | Op::BvXor, _) => vector::BITWISE,
        (Op::BvAdd | Op::BvSub | Op::BvMul, _) => vector::ARITHMETIC,
        (Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod, _) => vector::DIVISION,
        (Op::BvShl | Op::BvLshr | Op::BvAshr, _) => vector::SHIFT,
        (Op::Concat | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_), _) => vector::SLICE,
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, _) => vector_compare::ORDER,
        (Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite | Op::FpIsNan, _)
        | (Op::FpIsNegative | Op::FpIsPositive, _) => float_class::RULES,
        (Op::FpEq | Op::FpLt | Op::FpLe, _) => float_compare::ORDER,
        (Op::FpAbs | Op::FpNeg | Op::FpMin | Op::FpMax | Op::FpToBits, _)
        | (Op::FpRem | Op::FpFmod | Op::FpFromBits(_), _) => float::PLAIN,
        (Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRoundToIntegral, _) => {
            float::ROUNDED
        }
        (Op::FpFromFloat(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_) | Op::FpFromReal(_), _)
        | (Op::FpToUnsigned(_) | Op::FpToSigned(_) | Op::FpToReal, _) => float::CONVERSION,
        (Op::RealAdd | Op::RealSub | Op::RealMul | Op::RealDiv | Op::RealNeg | Op::RealAbs, _)
        | (Op::RealLt | Op::RealLe, _) => real::RULES,
        _ => &[],
    }
}

/// All rules, by the kind of operator that they match; a rule may be in several lists.
pub const RULES: &[&[Rule]] = &[
    connective::NOT,
    connective::CONNECTIVE,
    connective::OTHER,
    connective::EQUAL,
    connective::EQUAL_ANY,
    choice::RULES,
    vector::UNARY,
    vector::BITWISE,
    vector::ARITHMETIC,
    vector::DIVISION,
    vector::SHIFT,
    vector::SLICE,
    vector_compare::EQUAL,
    vector_compare::ORDER,
    float::PLAIN,
    float::ROUNDED,
    float::CONVERSION,
    float_class::RULES,
    float_compare::EQUAL,
    float_compare::ORDER,
    real::RULES,
];
