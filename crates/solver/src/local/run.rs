//! What one instruction computes: the exact evaluator's values, on machine integers.
//!
//! Where a theory leaves a value open (integers that do not fit) it is 0: prepared queries use it nowhere that matters.

use labrys_float::{Packed, RoundingMode};

use super::program::{Instruction, Kind, Operation, Program, Register, mask, signed};
use super::wide::Table;

/// The mode that a register's value stands for.
pub(super) fn mode(value: u64) -> RoundingMode {
    RoundingMode::ALL[value as usize % RoundingMode::ALL.len()]
}

impl Program {
    /// The value of an instruction over its arguments' values in `values`.
    pub fn compute(&self, register: Register, values: &[u64], table: &mut Table) -> u64 {
        let instruction = &self.instructions[register as usize];
        match instruction.operation {
            Operation::Input | Operation::Constant => values[register as usize],
            Operation::And => u64::from(self.arguments(register).iter().all(|member| values[*member as usize] != 0)),
            Operation::Or => u64::from(self.arguments(register).iter().any(|member| values[*member as usize] != 0)),
            Operation::Exact => self.compute_exact(register, values, table),
            _ => self.compute_on(register, &instruction.arguments.map(|argument| values[argument as usize])),
        }
    }

    /// The value of an instruction that has neither a list nor none of arguments and is not [`Operation::Exact`], over their values.
    pub fn compute_on(&self, register: Register, operands: &[u64; 4]) -> u64 {
        let instruction = &self.instructions[register as usize];
        let [a, b, c, _] = *operands;
        match instruction.operation {
            Operation::Not => a ^ 1,
            Operation::Xor => a ^ b,
            Operation::Equal => u64::from(a == b),
            Operation::Ite => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            _ => {
                let result = &self.kinds[register as usize];
                match &self.kinds[instruction.arguments[usize::from(instruction.arity).saturating_sub(1)] as usize] {
                    Kind::Float(packed) => float(instruction, packed, result, operands),
                    Kind::Bits(width) => bit_vector(instruction, *width, result, a, b),
                    Kind::Bool | Kind::Wide(_) | Kind::Mode => 0,
                }
            }
        }
    }
}

/// Operators whose last argument is a float.
fn float(instruction: &Instruction, packed: &Packed, result: &Kind, args: &[u64; 4]) -> u64 {
    let [a, b, c, d] = *args;
    match instruction.operation {
        Operation::FpAdd => packed.add(mode(a), b, c),
        Operation::FpSub => packed.sub(mode(a), b, c),
        Operation::FpMul => packed.mul(mode(a), b, c),
        Operation::FpDiv => packed.div(mode(a), b, c),
        Operation::FpFma => packed.fma(mode(a), b, c, d),
        Operation::FpSqrt => packed.sqrt(mode(a), b),
        Operation::FpRem => packed.remainder(a, b),
        Operation::FpFmod => packed.fmod(a, b),
        Operation::FpRoundToIntegral => packed.round_to_integral(mode(a), b),
        Operation::FpAbs => packed.abs(a),
        Operation::FpNeg => packed.neg(a),
        Operation::FpMin => packed.min(a, b),
        Operation::FpMax => packed.max(a, b),
        Operation::FpEq => packed.ieee_equal(a, b).into(),
        Operation::FpLt => packed.less(a, b).into(),
        Operation::FpLe => packed.less_equal(a, b).into(),
        Operation::FpIsNormal => packed.is_normal(a).into(),
        Operation::FpIsSubnormal => packed.is_subnormal(a).into(),
        Operation::FpIsZero => packed.is_zero(a).into(),
        Operation::FpIsInfinite => packed.is_infinite(a).into(),
        Operation::FpIsNan => packed.is_nan(a).into(),
        Operation::FpIsNegative => packed.is_negative(a).into(),
        Operation::FpIsPositive => packed.is_positive(a).into(),
        Operation::FpToBits => a,
        Operation::FpFromFloat => match result {
            Kind::Float(to) => packed.convert(mode(a), b, to),
            _ => 0,
        },
        Operation::FpToUnsigned => packed.to_unsigned(mode(a), b, result.width()).unwrap_or(0) as u64,
        Operation::FpToSigned => packed.to_signed(mode(a), b, result.width()).unwrap_or(0) as u64,
        _ => 0,
    }
}

/// Operators whose last argument is a bit vector of `width`.
fn bit_vector(instruction: &Instruction, width: u32, result: &Kind, a: u64, b: u64) -> u64 {
    let all = mask(width);
    let (sa, sb) = (signed(width, a), signed(width, b));
    match (instruction.operation, result) {
        (Operation::BvNot, _) => !a & all,
        (Operation::BvNeg, _) => a.wrapping_neg() & all,
        (Operation::BvAnd, _) => a & b,
        (Operation::BvOr, _) => a | b,
        (Operation::BvXor, _) => a ^ b,
        (Operation::BvAdd, _) => a.wrapping_add(b) & all,
        (Operation::BvSub, _) => a.wrapping_sub(b) & all,
        (Operation::BvMul, _) => a.wrapping_mul(b) & all,
        (Operation::BvUdiv, _) => a.checked_div(b).unwrap_or(all),
        (Operation::BvUrem, _) => a.checked_rem(b).unwrap_or(a),
        (Operation::BvSdiv, _) if b == 0 => (if sa < 0 { 1 } else { all }) & all,
        (Operation::BvSdiv, _) => sa.wrapping_div(sb) as u64 & all,
        (Operation::BvSrem | Operation::BvSmod, _) if b == 0 => a,
        (Operation::BvSrem, _) => sa.wrapping_rem(sb) as u64 & all,
        (Operation::BvSmod, _) => {
            let remainder = sa.wrapping_rem(sb);
            let mixed = remainder != 0 && (remainder < 0) != (sb < 0);
            (if mixed { remainder + sb } else { remainder }) as u64 & all
        }
        (Operation::BvShl, _) if b >= u64::from(width) => 0,
        (Operation::BvShl, _) => a << b & all,
        (Operation::BvLshr, _) if b >= u64::from(width) => 0,
        (Operation::BvLshr, _) => a >> b,
        (Operation::BvAshr, _) => (sa >> b.min(63)) as u64 & all,
        (Operation::BvUlt, _) => u64::from(a < b),
        (Operation::BvUle, _) => u64::from(a <= b),
        (Operation::BvSlt, _) => u64::from(sa < sb),
        (Operation::BvSle, _) => u64::from(sa <= sb),
        (Operation::Concat, _) => a << instruction.parameter | b,
        (Operation::Extract, kind) => a >> instruction.parameter & mask(kind.width()),
        (Operation::ZeroExtend, _) => a,
        (Operation::SignExtend, kind) => sa as u64 & mask(kind.width()),
        (Operation::FpFromBits, Kind::Float(to)) => to.canonical(a),
        (Operation::FpFromSigned, Kind::Float(to)) => to.from_signed(mode(a), sb.into()),
        (Operation::FpFromUnsigned, Kind::Float(to)) => to.from_unsigned(mode(a), b.into()),
        _ => 0,
    }
}
