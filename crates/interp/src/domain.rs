//! What an analysis supplies to the machine: the theory of its floats, and of its symbols if it has any.

use std::fmt::Debug;

use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_program::{BlockId, FastMath, FloatPredicate, FunctionId, IntBinary, IntPredicate, LocationId};

use crate::{Base, ClassMask, FloatOperation, Int, Stop};

/// A comparison of two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatComparison {
    /// What makes it true.
    pub predicate: FloatPredicate,
    /// Whether quiet NaNs raise invalid.
    pub signaling: bool,
}

/// A conversion from float to integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ToInteger {
    /// Width of the result in bits.
    pub bits: u32,
    /// Whether the result is signed.
    pub signed: bool,
    /// Rounding; `None` for the current mode.
    pub mode: Option<RoundingMode>,
    /// Whether out-of-range values saturate and NaN gives 0 (`llvm.fptosi.sat`); otherwise they are poison.
    pub saturating: bool,
}

/// Operations on integers, at least one of which is a symbol. The result has the width the operation implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntOperation {
    /// Arithmetic on two of one width. Divisors are known not to be zero only if concrete.
    Binary(IntBinary),
    /// Comparison of two of one width: one bit.
    Compare(IntPredicate),
    /// Bits `high` down to `low`.
    Extract {
        /// Highest bit kept.
        high: u32,
        /// Lowest bit kept.
        low: u32,
    },
    /// Zero-extension to that many bits.
    ZeroExtend(u32),
    /// Sign-extension to that many bits.
    SignExtend(u32),
    /// The first above the second.
    Concat,
    /// One bit, then two of one width: the first of them if the bit is set.
    Select,
}

/// Where an operation is executed.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The function of the program.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// The instruction's position in the block; the number of instructions for the terminator.
    pub instruction: u32,
    /// The lane of a vector operation, 0 for scalars.
    pub lane: u32,
    /// Which of the operations that the instruction stands for (`fmuladd`'s product and sum, a reduction's steps).
    pub part: u32,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// The instruction's fast-math flags.
    pub fast_math: FastMath,
    /// Whether undef, poison or uninitialised memory reaches an operand.
    pub tainted: bool,
    /// Whether the operation is inside a library function's model, and so no site of the user's.
    pub in_library: bool,
    /// Whether the operation is one of the products and quotients of a power by an integer, which is one operator in the source.
    pub is_power: bool,
    /// Whether the operation is one lane of several.
    pub is_vector: bool,
}

/// An order of candidates for a symbol's value, by which one of many things is selected in few comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup<S> {
    /// Whether the symbol has the value of one of `order`: one bit.
    pub inside: Int<S>,
    /// The candidates that are possible, as indices, in some order; not empty.
    pub order: Vec<usize>,
    /// One bit for each of `order` but the first: where `inside` holds, whether the symbol's value is that of an earlier
    /// one.
    pub before: Vec<Int<S>>,
}

/// The values of one analysis and what operations mean on them.
///
/// Integers are the machine's own where they are known; a domain hears of them only when a symbol is among the
/// operands. Every method that can fail does so with a [`Stop`], which ends the path.
pub trait Domain {
    /// A floating-point number.
    type Float: Clone + Debug;
    /// An integer that is not known; [`crate::Never`] in concrete domains. One-bit symbols are truth values.
    type Symbol: Clone + Debug + PartialEq;
    /// What the domain remembers along a path: flags and events, or a path condition. Copied when the path splits.
    type Path: Clone + Debug;

    /// The literal `value`.
    fn float_constant(&mut self, value: &Float) -> Self::Float;

    /// The format of a float.
    fn float_format(&self, value: &Self::Float) -> Format;

    /// Computes `operation` on `operands`.
    fn float_operation(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        operation: FloatOperation,
        operands: &[Self::Float],
    ) -> Result<Self::Float, Stop>;

    /// Compares two floats: one bit.
    fn float_compare(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        comparison: FloatComparison,
        lhs: &Self::Float,
        rhs: &Self::Float,
    ) -> Result<Int<Self::Symbol>, Stop>;

    /// Whether the float is of one of the classes of `mask`, which is `llvm.is.fpclass`'s; raises nothing.
    fn float_class(&mut self, value: &Self::Float, mask: ClassMask) -> Int<Self::Symbol>;

    /// Converts to an integer; the truth value says whether the result is poison.
    fn float_to_int(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        conversion: ToInteger,
        value: &Self::Float,
    ) -> Result<(Int<Self::Symbol>, bool), Stop>;

    /// Converts from an integer.
    fn int_to_float(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        value: &Int<Self::Symbol>,
        signed: bool,
        format: Format,
    ) -> Result<Self::Float, Stop>;

    /// x · 2^n, rounded once; n is signed.
    fn float_scale(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        value: &Self::Float,
        exponent: &Int<Self::Symbol>,
    ) -> Result<Self::Float, Stop>;

    /// C's frexp: fraction and exponent with x = fraction · 2^exponent, ½ ≤ |fraction| < 1; x itself and 0 where x is a
    /// zero, an infinity or NaN. The exponent has 32 bits.
    fn fraction_exponent(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        value: &Self::Float,
    ) -> Result<(Self::Float, Int<Self::Symbol>), Stop>;

    /// A function of the mathematical library that is not one operation.
    fn elementary(
        &mut self,
        path: &mut Self::Path,
        place: &Place,
        function: Function,
        operands: &[Self::Float],
    ) -> Result<Self::Float, Stop>;

    /// Of a float that may have an encoding which functions of libraries read otherwise than the processor, where the domain refuses those: whether it
    /// has one, and a float that has none, and is the same where it has none.
    fn regular(&mut self, _value: &Self::Float) -> Option<(Int<Self::Symbol>, Self::Float)> {
        None
    }

    /// Whether a function of the mathematical library reports a result below the normal numbers, which it has on these operands, in
    /// `errno`: one bit. Asked of domains whose machine checks accesses.
    fn tiny_is_reported(&mut self, function: Function, _operands: &[Self::Float]) -> Result<Int<Self::Symbol>, Stop> {
        Err(Stop::unsupported(format!("errno behind {}", function.name())))
    }

    /// The encoding; as wide as the format.
    fn float_to_bits(&mut self, value: &Self::Float) -> Int<Self::Symbol>;

    /// The datum whose encoding is `bits`, which are as wide as the format.
    fn float_from_bits(&mut self, bits: &Int<Self::Symbol>, format: Format) -> Self::Float;

    /// `if_true` where the one-bit symbol is 1, else `if_false`.
    fn float_select(&mut self, condition: &Self::Symbol, if_true: &Self::Float, if_false: &Self::Float) -> Self::Float;

    /// An operation on integers. `symbol` is a symbol among the operands, so that domains without symbols have nothing
    /// to answer.
    fn int_operation(
        &mut self,
        symbol: &Self::Symbol,
        operation: IntOperation,
        operands: &[Int<Self::Symbol>],
    ) -> Int<Self::Symbol>;

    /// The symbol's value, where this path has chosen it.
    fn known_value(&self, path: &Self::Path, symbol: &Self::Symbol) -> Option<u128>;

    /// A stride and a remainder with symbol ≡ remainder modulo stride, for enumerating offsets.
    fn stride(&self, symbol: &Self::Symbol) -> (u64, u64);

    /// For a table that is read at a symbolic offset: how the candidates for the symbol's value lie in order. `None` where
    /// the path must choose one of them instead.
    fn lookup(&mut self, _symbol: &Self::Symbol, _candidates: &[u128]) -> Option<Lookup<Self::Symbol>> {
        None
    }

    /// An integer of any value, for bits of memory that was never written, where the domain tells such bits from others by
    /// masks. `None` where undefined scalars are undefined whole.
    fn undefined(&mut self, _bits: u32) -> Option<Int<Self::Symbol>> {
        None
    }

    /// The current rounding mode.
    fn rounding(&self, _path: &Self::Path) -> RoundingMode {
        RoundingMode::NearestEven
    }

    /// Those of the candidates that the symbol may have on this path, as far as that is cheap to tell: none that it may have
    /// is left out.
    fn possible(&mut self, _path: &Self::Path, _symbol: &Self::Symbol, candidates: Vec<u128>) -> Vec<u128> {
        candidates
    }

    /// For an address that is not known: a known address that it was computed from, as `p` in `(char *)((size_t)p + i)`.
    fn known_address(&self, _symbol: &Self::Symbol) -> Option<u64> {
        None
    }

    /// The address at which an object or a function begins, as a number that is not known: other builds lay memory out otherwise. `None` where
    /// it is the machine's own.
    fn open_address(&mut self, _base: Base) -> Option<Int<Self::Symbol>> {
        None
    }

    /// Whether [`Domain::open_address`] gives any.
    fn opens_addresses(&self) -> bool {
        false
    }

    /// Whether somebody can tell how operations are made of instructions, by the exceptions that they raise or in a rounding mode of the path's:
    /// code for vectors raises more than the lanes do.
    fn watches_instructions(&self, _path: &Self::Path) -> bool {
        false
    }

    /// A float's encoding, where it is known and has at most 64 bits.
    fn known_float(&self, _value: &Self::Float) -> Option<u64> {
        None
    }

    /// What [`Domain::float_operation`] gives on known floats of at most 64 bits, encoding for encodings, where it leaves nothing on the path
    /// and that is quickly said; `None` where it is to be asked.
    fn known_operation(
        &self,
        _path: &Self::Path,
        _operation: FloatOperation,
        _format: Format,
        _operands: &[u64],
    ) -> Option<u64> {
        None
    }

    /// What a quiet [`Domain::float_compare`] gives on two such floats, likewise.
    fn known_comparison(&self, _predicate: FloatPredicate, _format: Format, _lhs: u64, _rhs: u64) -> Option<bool> {
        None
    }

    /// Whether the driver is to look at the domain before anything else is executed.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// A function of the program is entered.
    fn enter(&mut self, _path: &mut Self::Path, _function: FunctionId) {}

    /// Code that measures coverage counts an outcome: 1 or 0 for one that is counted or not, the number of a decision's outcomes.
    fn count(&mut self, _path: &mut Self::Path, _place: &Place, _value: u32) {}

    /// Control passes from one block to another of the function, whose activation is the `depth`-th of the call stack.
    fn edge(
        &mut self,
        _path: &mut Self::Path,
        _function: FunctionId,
        _depth: usize,
        _from: BlockId,
        _to: BlockId,
    ) -> Result<(), Stop> {
        Ok(())
    }
}
