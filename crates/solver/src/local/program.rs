//! A query as a straight-line program over 64-bit registers.
//!
//! Register i holds the value of instruction i: truth values are 0 and 1, bit vectors their bits, floats their encodings
//! with NaN canonical, rounding modes their place in `RoundingMode::ALL`, vectors of more than 64 bits their handle in a table
//! (`wide`). Equal values have equal registers.

use labrys_float::Packed;
use labrys_term::{Op, Sort, VariableId};
use rustc_hash::FxHashMap;

use super::wide::Literals;

/// A register's index.
pub(super) type Register = u32;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    /// A bit vector of so many bits, 1 to 64.
    Bits(u32),
    /// A bit vector of so many bits, more than 64: its handle.
    Wide(u32),
    Float(Packed),
    Mode,
}

impl Kind {
    /// The bits of a value.
    pub fn width(&self) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::Bits(width) | Kind::Wide(width) => *width,
            Kind::Float(packed) => packed.format().width(),
            Kind::Mode => 3,
        }
    }
}

/// The bits of a vector of `width`, 1 to 64.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The number that the bits are in two's complement.
pub(super) fn signed(width: u32, bits: u64) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

/// What an instruction does. Operators keep `labrys_term::Op`'s names and order of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// A variable.
    Input,
    /// A literal: its register never changes.
    Constant,
    Not,
    /// Conjunction of a list of registers.
    And,
    /// Disjunction of a list of registers.
    Or,
    Xor,
    /// Equality of values of one kind.
    Equal,
    Ite,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    /// Two vectors, the first highest; `parameter` is the second's width.
    Concat,
    /// `parameter` is the lowest bit.
    Extract,
    ZeroExtend,
    /// `parameter` is the operand's width.
    SignExtend,
    FpAbs,
    FpNeg,
    FpAdd,
    FpSub,
    FpMul,
    FpDiv,
    FpFma,
    FpSqrt,
    FpRem,
    FpFmod,
    FpRoundToIntegral,
    FpMin,
    FpMax,
    FpEq,
    FpLt,
    FpLe,
    FpIsNormal,
    FpIsSubnormal,
    FpIsZero,
    FpIsInfinite,
    FpIsNan,
    FpIsNegative,
    FpIsPositive,
    FpFromBits,
    FpFromFloat,
    FpFromSigned,
    FpFromUnsigned,
    FpToUnsigned,
    FpToSigned,
    FpToBits,
    /// Any operator that takes or gives a vector of more than 64 bits, equalities and choices apart: `Program::exact` says which.
    Exact,
}

/// An operator of terms.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub op: Op,
    /// The sort of its value.
    pub sort: Sort,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub operation: Operation,
    /// See [`Operation`].
    pub parameter: u8,
    /// How many of `arguments` are registers; for lists it does not count.
    pub arity: u8,
    /// The arguments' registers, all lower than the instruction's own; for lists the list's start and end.
    pub arguments: [Register; 4],
}

/// A compiled query.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub instructions: Vec<Instruction>,
    /// What each register holds.
    pub kinds: Vec<Kind>,
    /// The members of n-ary conjunctions and disjunctions.
    pub lists: Vec<Register>,
    /// The registers' values before anything is run: constants.
    pub initial: Vec<u64>,
    /// The operators of instructions that are `Operation::Exact`.
    pub exact: FxHashMap<Register, Exact>,
    /// The vectors whose handles constants and, before anything is run, inputs of more than 64 bits hold.
    pub literals: Literals,
    /// Variables and their registers.
    pub inputs: Vec<(VariableId, Register)>,
    /// Bool registers that must all be true, each once.
    pub assertions: Vec<Register>,
    /// Whether a register depends on an input.
    pub free: Vec<bool>,
}

impl Program {
    /// The arguments of an instruction.
    pub fn arguments(&self, register: Register) -> &[Register] {
        let instruction = &self.instructions[register as usize];
        match instruction.operation {
            Operation::And | Operation::Or => {
                &self.lists[instruction.arguments[0] as usize..instruction.arguments[1] as usize]
            }
            _ => &instruction.arguments[..usize::from(instruction.arity)],
        }
    }

    /// The format of a Float register.
    pub fn packed(&self, register: Register) -> Option<&Packed> {
        match &self.kinds[register as usize] {
            Kind::Float(packed) => Some(packed),
            _ => None,
        }
    }

    /// Whether a register holds a vector of more than 64 bits.
    pub fn is_wide(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, Kind::Wide(_)))
    }

    /// The width of a register's values in bits.
    pub fn width(&self, register: Register) -> u32 {
        self.kinds[register as usize].width()
    }
}
