//! A function in decoded form: one operation for each instruction, operands and targets resolved.

use labrys_program::{FloatPredicate, FunctionId, IntBinary, IntPredicate};

use super::{Kind, Word};
use crate::FloatOperation;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// A value of the activation.
    Register(u32),
    /// A constant of the code.
    Constant(u32),
}

/// What an instruction does. Results go to the register `to`.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Left to [`crate::Machine::step`].
    Step,
    /// Arithmetic; with `is_checked`, overflow of sums, differences and products is left to `step`.
    Integer { op: IntBinary, bits: u8, is_checked: bool, a: Source, b: Source, to: u32 },
    /// A comparison of integers.
    Compare { predicate: IntPredicate, bits: u8, a: Source, b: Source, to: u32 },
    /// A comparison of pointers.
    ComparePointers { predicate: IntPredicate, a: Source, b: Source, to: u32 },
    /// The lowest bits of an integer, or an extension by zeros.
    Resize { bits: u8, a: Source, to: u32 },
    /// An extension by the sign, from so many bits.
    SignExtend { from: u8, bits: u8, a: Source, to: u32 },
    /// A pointer's address, cut to so many bits.
    Address { bits: u8, a: Source, to: u32 },
    /// A value as it is.
    Copy { a: Source, to: u32 },
    /// An operation on two floats of one kind.
    Float { operation: FloatOperation, kind: Kind, a: Source, b: Source, to: u32 },
    /// One on one float.
    FloatUnary { operation: FloatOperation, kind: Kind, a: Source, to: u32 },
    /// a · b, rounded, plus c, rounded.
    MultiplyAdd { kind: Kind, a: Source, b: Source, c: Source, to: u32 },
    /// A quiet comparison.
    FloatCompare { predicate: FloatPredicate, kind: Kind, a: Source, b: Source, to: u32 },
    /// An integer of so many bits as a float.
    FromInteger { bits: u8, is_signed: bool, kind: Kind, a: Source, to: u32 },
    /// A float as an integer of so many bits, towards zero.
    ToInteger { bits: u8, is_signed: bool, kind: Kind, a: Source, to: u32 },
    /// `if_true` or `if_false`.
    Select { condition: Source, if_true: Source, if_false: Source, to: u32 },
    /// A scalar of memory.
    Load { pointer: Source, kind: Kind, to: u32 },
    /// A scalar into memory.
    Store { value: Source, pointer: Source, kind: Kind },
    /// A pointer some bytes on, and by the products of the code's `scaled` from `first` on.
    Offset { base: Source, offset: i64, first: u32, count: u16, to: u32 },
    /// A new local variable of so many bytes.
    Allocate { size: u64, align: u64, to: u32 },
    /// A call of a function of the program, with the code's `arguments` from `first` on.
    Call { function: FunctionId, first: u32, count: u32, to: Option<u32> },
    /// The way back to the caller.
    Return { value: Option<(Source, Kind)> },
    /// To one place.
    Jump { edge: u32 },
    /// To one of two.
    Branch { condition: Source, if_true: u32, if_false: u32 },
    /// To one of many: the code's `cases` from `first` on.
    Switch { value: Source, first: u32, count: u32, default: u32 },
}

/// A way from a block to one that follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The block.
    pub(crate) block: u32,
    /// The code's place behind the block's phis.
    pub(crate) at: u32,
    /// The first of the code's `moves`, which give the phis their values all at once, and their number; `None` where `step`
    /// is to take the way.
    pub(crate) moves: Option<(u32, u32)>,
}

/// A product of an address: index, its width in bits, scale in bytes.
pub(crate) type Scaled = (Source, u32, i64);

/// A function.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The instructions of all blocks, terminators too.
    pub(crate) ops: Vec<Op>,
    /// Where each block begins in `ops`.
    pub(crate) starts: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) moves: Vec<(Source, u32)>,
    pub(crate) scaled: Vec<Scaled>,
    /// What calls give to functions.
    pub(crate) arguments: Vec<(Source, Kind)>,
    /// Values and edges of switches.
    pub(crate) cases: Vec<(u64, u32)>,
    pub(crate) constants: Vec<Word>,
    /// The kind of each of the function's values; `None` for those that are no words.
    pub(crate) kinds: Vec<Option<Kind>>,
}
