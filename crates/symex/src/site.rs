//! A site's executions: what symbolic execution records and site conditions are built from.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use labrys_elementary::Function;
use labrys_float::{Flags, Format, RoundingMode};
use labrys_interp::FloatOperation;
use labrys_program::{FloatCall, LocationId};
use labrys_term::TermId;

/// The operation of a site: every floating-point operation that can raise an exception.
///
/// Negation, absolute value, copysign, selections, loads and classifications raise none and are not sites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteOperator {
    /// Sum of two floats.
    Add,
    /// Difference of two floats.
    Sub,
    /// Product of two floats.
    Mul,
    /// Quotient of two floats.
    Div,
    /// C's fmod, LLVM's `frem`.
    Rem,
    /// IEEE 754's remainder, C's `remainder`.
    IeeeRemainder,
    /// Square root.
    Sqrt,
    /// a·b + c, rounded once.
    Fma,
    /// A comparison of two floats; its result is a Bool term.
    Compare {
        /// Whether quiet NaNs raise invalid too (C's `<`, against `==`).
        signaling: bool,
    },
    /// A conversion between formats.
    Convert {
        /// Operand's format.
        from: Format,
        /// Result's format.
        to: Format,
    },
    /// A conversion to an integer, truncating; its result is a BitVec term.
    FloatToInt {
        /// Width of the integer in bits.
        bits: u32,
        /// Whether the integer is signed.
        signed: bool,
    },
    /// A conversion of an integer; its operand is a BitVec term.
    IntToFloat {
        /// Width of the integer in bits.
        bits: u32,
        /// Whether the integer is signed.
        signed: bool,
        /// Result's format.
        to: Format,
    },
    /// Rounding to an integral value in the same format.
    RoundToIntegral {
        /// Direction.
        mode: RoundingMode,
        /// Whether a changed value raises inexact (`rint`, against `floor`, `trunc`, `nearbyint`).
        signals_inexact: bool,
    },
    /// C's fmin: a NaN operand is ignored.
    Min,
    /// C's fmax.
    Max,
    /// IEEE 754-2019's minimum: a NaN operand wins.
    Minimum,
    /// IEEE 754-2019's maximum.
    Maximum,
    /// A call of a library function, its result a fresh variable.
    Library(LibraryOperator),
}

/// A function of a library as the operator of a site. In the order of names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LibraryOperator {
    /// An elementary function, in any format.
    Elementary(Function),
    /// C's ldexp: x · 2^n.
    Scale,
    /// A power by an integer: products, and a quotient where the exponent is negative.
    IntegerPower,
    /// Something else, by its symbol.
    Unknown(Arc<str>),
}

impl LibraryOperator {
    /// Its name in reports.
    pub fn name(&self) -> &str {
        match self {
            LibraryOperator::Elementary(function) => function.name(),
            LibraryOperator::Scale => FloatCall::Scale.operator(),
            LibraryOperator::IntegerPower => FloatCall::IntegerPower.operator(),
            LibraryOperator::Unknown(name) => name,
        }
    }

    /// Every exception (inexact left out) that the function is documented to raise anywhere; anything, if it is unknown.
    fn possible(&self) -> Flags {
        match self {
            LibraryOperator::Elementary(function) => function.possible(),
            LibraryOperator::Scale => Flags::OVERFLOW | Flags::UNDERFLOW,
            // Powers of one number are never zero and infinite at once.
            LibraryOperator::IntegerPower => Flags::NOTABLE - Flags::INVALID,
            LibraryOperator::Unknown(_) => Flags::NOTABLE,
        }
    }
}

impl Ord for LibraryOperator {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |operator: &LibraryOperator| matches!(operator, LibraryOperator::Unknown(_));
        self.name().cmp(other.name()).then(key(self).cmp(&key(other)))
    }
}

impl PartialOrd for LibraryOperator {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The exponent of the power of two from which on a conversion to an unsigned integer of `bits` may raise invalid on x86-64.
///
/// There are no such instructions before AVX-512. Code generation makes a conversion to 64 bits of two signed ones, and in vector lanes one
/// to 32 bits, too, the first of which is invalid where the number is too great for it, whatever becomes of its result.
pub fn unsigned_limit(bits: u32) -> u32 {
    match bits {
        32 => 31,
        64.. => 63,
        _ => bits,
    }
}

impl SiteOperator {
    /// The operator of an operation on floats of a format; `None` if it can raise nothing.
    pub fn of(operation: FloatOperation, format: Format) -> Option<SiteOperator> {
        Some(match operation {
            FloatOperation::Add => SiteOperator::Add,
            FloatOperation::Sub => SiteOperator::Sub,
            FloatOperation::Mul => SiteOperator::Mul,
            FloatOperation::Div => SiteOperator::Div,
            FloatOperation::Rem => SiteOperator::Rem,
            FloatOperation::IeeeRemainder => SiteOperator::IeeeRemainder,
            FloatOperation::Fma => SiteOperator::Fma,
            FloatOperation::Sqrt => SiteOperator::Sqrt,
            FloatOperation::RoundToIntegral { mode, inexact } => {
                SiteOperator::RoundToIntegral { mode: mode.unwrap_or_default(), signals_inexact: inexact }
            }
            FloatOperation::Convert(to) => SiteOperator::Convert { from: format, to },
            FloatOperation::MinNum | FloatOperation::MinimumNumber | FloatOperation::X86Min => SiteOperator::Min,
            FloatOperation::MaxNum | FloatOperation::MaximumNumber | FloatOperation::X86Max => SiteOperator::Max,
            FloatOperation::Minimum => SiteOperator::Minimum,
            FloatOperation::Maximum => SiteOperator::Maximum,
            FloatOperation::Neg | FloatOperation::Abs | FloatOperation::CopySign | FloatOperation::Canonicalize => {
                return None;
            }
        })
    }

    /// Every exception (inexact left out) that the operation can raise on some operands of the format, NaNs quiet, in
    /// IEEE 754's default modes. A sum cannot underflow: a tiny one is exact.
    ///
    /// Library calls may raise what the function is documented to raise anywhere; unknown ones anything.
    pub fn possible(&self) -> Flags {
        match self {
            SiteOperator::Add | SiteOperator::Sub => Flags::INVALID | Flags::OVERFLOW,
            SiteOperator::Mul | SiteOperator::Fma => Flags::INVALID | Flags::OVERFLOW | Flags::UNDERFLOW,
            SiteOperator::Div => Flags::NOTABLE,
            SiteOperator::Library(function) => function.possible(),
            SiteOperator::Rem | SiteOperator::IeeeRemainder | SiteOperator::Sqrt => Flags::INVALID,
            SiteOperator::Compare { signaling: true } | SiteOperator::FloatToInt { .. } => Flags::INVALID,
            SiteOperator::Convert { from, to } => {
                let narrower = to.max_exponent() < from.max_exponent() || to.precision() < from.precision();
                if narrower { Flags::OVERFLOW | Flags::UNDERFLOW } else { Flags::empty() }
            }
            // The largest integers round up to 2^bits, which is finite up to the largest exponent.
            SiteOperator::IntToFloat { bits, signed, to } => {
                let exponent = i64::from(*bits) - i64::from(*signed);
                if exponent > to.max_exponent() { Flags::OVERFLOW } else { Flags::empty() }
            }
            SiteOperator::Compare { signaling: false } | SiteOperator::RoundToIntegral { .. } => Flags::empty(),
            SiteOperator::Min | SiteOperator::Max | SiteOperator::Minimum | SiteOperator::Maximum => Flags::empty(),
        }
    }
}

impl fmt::Display for SiteOperator {
    /// The operator's name in reports: LLVM's instruction, or the function's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SiteOperator::Add => "fadd",
            SiteOperator::Sub => "fsub",
            SiteOperator::Mul => "fmul",
            SiteOperator::Div => "fdiv",
            SiteOperator::Rem => "frem",
            SiteOperator::IeeeRemainder => "remainder",
            SiteOperator::Sqrt => "fsqrt",
            SiteOperator::Fma => "fma",
            SiteOperator::Compare { .. } => "fcmp",
            SiteOperator::Convert { .. } | SiteOperator::FloatToInt { .. } | SiteOperator::IntToFloat { .. } => {
                "fconvert"
            }
            SiteOperator::RoundToIntegral { .. } => "fround",
            SiteOperator::Min => "fmin",
            SiteOperator::Max => "fmax",
            SiteOperator::Minimum => "fminimum",
            SiteOperator::Maximum => "fmaximum",
            SiteOperator::Library(function) => function.name(),
        })
    }
}

/// One floating-point operation of the IR.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Symbol of the IR function it stands in.
    pub function: String,
    /// Where it stands in the source, where debug information says so.
    pub location: Option<LocationId>,
    /// Index of its block in the function.
    pub block: u32,
    /// Index of its instruction in the block.
    pub instruction: u32,
    /// Lane of a vector operation; 0 for scalars.
    pub lane: u32,
    /// The operation.
    pub operator: SiteOperator,
}

/// One execution of a site on one path: all terms are over the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteExecution {
    /// The site.
    pub site: Site,
    /// Condition under which this path reaches the execution: a Bool term over Float terms.
    pub path: TermId,
    /// The operation whose exceptions this execution raises: the site's own, but for calls that are products, quotients and
    /// roundings. `ldexp` by a known power of two is a product; by another, the rounding of the exact product.
    pub operation: SiteOperator,
    /// Operands in order, Float terms (BitVec for [`SiteOperator::IntToFloat`]), rounding mode left out.
    pub operands: Vec<TermId>,
    /// The result: Float, or Bool for comparisons, BitVec for [`SiteOperator::FloatToInt`].
    pub result: TermId,
    /// Format of the result; of the operands where the result is no float.
    pub format: Format,
    /// Whether any fast-math flag is set on the instruction (it is read strictly all the same).
    pub fast_math: bool,
    /// Whether poison or undef can reach the operands: no proof holds here.
    pub reached_by_poison: bool,
}

#[cfg(test)]
impl SiteExecution {
    /// An execution of a site that is in no program, for tests of what is made of it.
    pub(crate) fn anywhere(
        operation: SiteOperator,
        path: TermId,
        operands: &[TermId],
        result: TermId,
        format: Format,
    ) -> SiteExecution {
        let operator = operation.clone();
        SiteExecution {
            site: Site { function: "f".to_owned(), location: None, block: 0, instruction: 0, lane: 0, operator },
            path,
            operation,
            operands: operands.to_vec(),
            result,
            format,
            fast_math: false,
            reached_by_poison: false,
        }
    }
}
