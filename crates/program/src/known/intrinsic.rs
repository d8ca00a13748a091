//! LLVM's intrinsics.

use std::fmt;
use std::sync::Arc;

use labrys_elementary::Function;
use labrys_float::RoundingMode;

use super::{FloatCall, FloatOperation, IntegerCall};
use crate::FloatPredicate;

/// An intrinsic that is called: its name without type suffixes (`llvm.fma`, `llvm.vector.reduce.fadd`), and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intrinsic {
    name: Arc<str>,
    kind: IntrinsicKind,
}

/// What an intrinsic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntrinsicKind {
    /// Tells the optimiser something. A result, if it has one, is a null pointer.
    Hint,
    /// Says that its operand holds.
    Assume,
    /// Gives its first operand.
    Identity,
    /// Operations on floats. Constrained ones are read in the default environment.
    Float(FloatCall),
    /// Whether a float is of one of some classes (`is.fpclass`), elementwise.
    Class,
    /// An operation on integers.
    Integer(IntegerCall),
    /// Copies bytes: to, from, how many.
    Copy,
    /// Sets bytes: where, to what, how many.
    Fill,
    /// Reads the lanes that a mask enables, from one address.
    MaskedLoad,
    /// The same, each from its own address.
    Gather,
    /// Writes the lanes that a mask enables, behind one address or each to its own.
    MaskedStore,
    /// Ends the process.
    Trap,
    /// Notes how far the stack is filled.
    StackSave,
    /// Whether the optimiser knows its operand's value.
    IsConstant,
    /// The current rounding mode as C's `FLT_ROUNDS` has it.
    Rounding,
    /// How large the memory is behind a pointer, as far as the optimiser knows.
    ObjectSize,
    /// Counts an outcome for measures of coverage, where control does not part (`instrprof.increment.step`), or the outcomes of a
    /// decision's conditions (`instrprof.mcdc.tvbitmap.update`).
    Count,
    /// Begins the list of a variadic function's further arguments (`va_start`).
    BeginArguments,
    /// An address with some bits cleared: address, mask.
    MaskAddress,
    /// Copies such a list (`va_copy`): to, from.
    CopyArguments,
    /// Computes something of its operands, and of memory if they have addresses, that no analysis here understands.
    Computation,
    /// Anything: it may see more than its operands, or change how the processor computes.
    Unknown,
}

impl Intrinsic {
    /// The intrinsic of that name, which has no type suffixes.
    ///
    /// ```
    /// use labrys_program::{FloatCall, FloatOperation, Intrinsic, IntrinsicKind};
    ///
    /// let sum = IntrinsicKind::Float(FloatCall::Operation(FloatOperation::Add));
    /// assert_eq!(Intrinsic::named("llvm.experimental.constrained.fadd").kind(), sum);
    /// ```
    pub fn named(name: impl Into<Arc<str>>) -> Intrinsic {
        let name = name.into();
        let kind = kind_of(&name);
        Intrinsic { name, kind }
    }

    /// The intrinsic that is one operation.
    pub(crate) fn of(operation: FloatOperation) -> Option<Intrinsic> {
        let (plain, _) = OPERATIONS.iter().find(|(_, known)| *known == operation)?;
        Some(Intrinsic::named(format!("llvm.{plain}")))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name as C's builtins and reports have it: without `llvm.`.
    pub fn plain_name(&self) -> &str {
        self.name.strip_prefix("llvm.").unwrap_or(&self.name)
    }

    /// How the names of constrained comparisons begin.
    pub(crate) const COMPARISON: &str = "llvm.experimental.constrained.fcmp";

    /// What a constrained comparison asks, and whether quiet NaNs raise invalid. Its predicate, metadata of the call, is the last part of
    /// the name.
    ///
    /// ```
    /// use labrys_program::Intrinsic;
    ///
    /// let (predicate, signaling) = Intrinsic::named("llvm.experimental.constrained.fcmps.f64.ult").comparison().unwrap();
    /// assert!(signaling && predicate.less && predicate.unordered && !predicate.equal && !predicate.greater);
    /// ```
    pub fn comparison(&self) -> Option<(FloatPredicate, bool)> {
        let rest = self.name().strip_prefix(Intrinsic::COMPARISON)?;
        let (order, relation) = rest.rsplit_once('.')?.1.split_at_checked(1)?;
        let unordered = match order {
            "o" => false,
            "u" => true,
            _ => return None,
        };
        let (less, equal, greater) = match relation {
            "eq" => (false, true, false),
            "gt" => (false, false, true),
            "ge" => (false, true, true),
            "lt" => (true, false, false),
            "le" => (true, true, false),
            "ne" => (true, false, true),
            "rd" => (true, true, true),
            "no" => (false, false, false),
            _ => return None,
        };
        Some((FloatPredicate { less, equal, greater, unordered }, rest.starts_with('s')))
    }

    /// Whether it begins the life of a local variable, or ends it; `None` for all others.
    pub fn begins_life(&self) -> Option<bool> {
        let plain = self.name().strip_prefix("llvm.lifetime.")?;
        Some(plain.starts_with("start"))
    }

    /// Whether it raises no exception, whatever it is called with: of those that no analysis understands ([`IntrinsicKind::Computation`],
    /// [`IntrinsicKind::Unknown`]) the ones that are known to move numbers, to ask what kind they are of, or to approximate without
    /// exceptions (Intel, Software Developer's Manual 2A, RCPPS). What an operation on floats raises [`FloatCall`] says.
    ///
    /// ```
    /// use labrys_program::Intrinsic;
    ///
    /// assert!(Intrinsic::named("llvm.x86.avx.vpermilvar.pd.256").is_silent());
    /// assert!(!Intrinsic::named("llvm.x86.sse2.cvtsd2si").is_silent());
    /// ```
    pub fn is_silent(&self) -> bool {
        match self.kind {
            IntrinsicKind::Float(_) => false,
            IntrinsicKind::Computation | IntrinsicKind::Unknown => SILENT.iter().any(|word| self.name.contains(word)),
            _ => true,
        }
    }

    /// What it does.
    pub fn kind(&self) -> IntrinsicKind {
        self.kind
    }
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl IntrinsicKind {
    /// Whether nothing is executed for it: hints, and assumptions, whose operand is computed elsewhere.
    pub fn is_hint(self) -> bool {
        matches!(self, IntrinsicKind::Hint | IntrinsicKind::Assume)
    }

    /// Whether it does nothing but compute a result of its operands.
    pub fn only_computes(self) -> bool {
        use IntrinsicKind::*;
        matches!(self, Hint | Identity | Float(_) | Class | Integer(_) | IsConstant | MaskAddress)
    }

    /// Whether it changes nothing behind the addresses that it is given, and hands none of them on.
    pub fn only_reads(self) -> bool {
        use IntrinsicKind::*;
        matches!(self, Hint | Assume | ObjectSize | IsConstant | MaskedLoad | Count)
    }

    /// Whether it may see more than its operands and memory, or change how the processor computes.
    pub fn is_foreign(self) -> bool {
        matches!(self, IntrinsicKind::Rounding | IntrinsicKind::Unknown)
    }
}

const fn round(mode: Option<RoundingMode>, inexact: bool) -> FloatOperation {
    FloatOperation::RoundToIntegral { mode, inexact }
}

/// Intrinsics that are one operation.
const OPERATIONS: [(&str, FloatOperation); 25] = [
    ("fma", FloatOperation::Fma),
    ("sqrt", FloatOperation::Sqrt),
    ("fabs", FloatOperation::Abs),
    ("copysign", FloatOperation::CopySign),
    ("minnum", FloatOperation::MinNum),
    ("maxnum", FloatOperation::MaxNum),
    ("minimum", FloatOperation::Minimum),
    ("maximum", FloatOperation::Maximum),
    ("minimumnum", FloatOperation::MinimumNumber),
    ("maximumnum", FloatOperation::MaximumNumber),
    ("floor", round(Some(RoundingMode::TowardNegative), false)),
    ("ceil", round(Some(RoundingMode::TowardPositive), false)),
    ("trunc", round(Some(RoundingMode::TowardZero), false)),
    ("rint", round(None, true)),
    ("nearbyint", round(None, false)),
    ("round", round(Some(RoundingMode::NearestAway), false)),
    ("roundeven", round(Some(RoundingMode::NearestEven), false)),
    ("canonicalize", FloatOperation::Canonicalize),
    ("fadd", FloatOperation::Add),
    ("fsub", FloatOperation::Sub),
    ("fmul", FloatOperation::Mul),
    ("fdiv", FloatOperation::Div),
    ("frem", FloatOperation::Rem),
    ("x86.min", FloatOperation::X86Min),
    ("x86.max", FloatOperation::X86Max),
];

/// Families of intrinsics that compute with their operands, those of x86's vectors above all.
const COMPUTATIONS: [&str; 17] = [
    "x86.sse",
    "x86.ssse",
    "x86.avx",
    "x86.fma",
    "x86.f16c",
    "x86.vcvt",
    "x86.xop",
    "x86.bmi",
    "x86.tbm",
    "x86.pclmul",
    "x86.aesni",
    "x86.sha",
    "x86.gfni",
    "vector.",
    "experimental.vector.",
    "masked.",
    "aarch64.neon.",
];

/// What those of them have in their names that raise no exception.
const SILENT: [&str; 27] = [
    "blendv",
    "movmsk",
    "movnt",
    "perm",
    "maskload",
    "maskstore",
    "gather",
    "scatter",
    "vtest",
    "ptest",
    "insertps",
    "fpclass",
    "mask.compress",
    "mask.expand",
    ".rcp.",
    ".rsqrt.",
    "rcp14",
    "rsqrt14",
    "vector.insert",
    "vector.extract",
    "vector.reverse",
    "vector.splice",
    "vector.interleave",
    "vector.deinterleave",
    "masked.compressstore",
    "masked.expandload",
    "eh.typeid",
];

/// What those of them have in their names that read or write the register of exceptions and modes.
const CONTROL_REGISTER: &str = "mxcsr";

fn kind_of(name: &str) -> IntrinsicKind {
    let Some(plain) = name.strip_prefix("llvm.") else { return IntrinsicKind::Unknown };
    match plain {
        "lifetime.start"
        | "lifetime.end"
        | "invariant.start"
        | "invariant.end"
        | "experimental.noalias.scope.decl"
        | "var.annotation"
        | "prefetch"
        | "donothing"
        | "sideeffect"
        | "stackrestore"
        | "fake.use"
        | "va_end"
        | "pseudoprobe"
        | "instrprof.increment"
        | "instrprof.cover"
        | "instrprof.mcdc.parameters"
        | "codeview.annotation" => IntrinsicKind::Hint,
        _ if plain.starts_with("dbg.") => IntrinsicKind::Hint,
        "assume" => IntrinsicKind::Assume,
        "expect"
        | "expect.with.probability"
        | "ssa.copy"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "threadlocal.address"
        | "arithmetic.fence"
        | "annotation"
        | "ptr.annotation" => IntrinsicKind::Identity,
        "is.fpclass" => IntrinsicKind::Class,
        "memcpy" | "memcpy.inline" | "memmove" => IntrinsicKind::Copy,
        "memset" | "memset.inline" => IntrinsicKind::Fill,
        "masked.load" => IntrinsicKind::MaskedLoad,
        "masked.gather" => IntrinsicKind::Gather,
        "masked.store" | "masked.scatter" => IntrinsicKind::MaskedStore,
        "ptrmask" => IntrinsicKind::MaskAddress,
        "va_start" => IntrinsicKind::BeginArguments,
        "va_copy" => IntrinsicKind::CopyArguments,
        "trap" | "debugtrap" | "ubsantrap" => IntrinsicKind::Trap,
        "stacksave" => IntrinsicKind::StackSave,
        "is.constant" => IntrinsicKind::IsConstant,
        "get.rounding" => IntrinsicKind::Rounding,
        "objectsize" => IntrinsicKind::ObjectSize,
        "instrprof.increment.step" | "instrprof.mcdc.tvbitmap.update" => IntrinsicKind::Count,
        _ => match float_call(plain).map(IntrinsicKind::Float) {
            Some(kind) => kind,
            None => match IntegerCall::named(plain).map(IntrinsicKind::Integer) {
                Some(kind) => kind,
                None if COMPUTATIONS.iter().any(|family| plain.starts_with(family))
                    && !plain.contains(CONTROL_REGISTER) =>
                {
                    IntrinsicKind::Computation
                }
                None => IntrinsicKind::Unknown,
            },
        },
    }
}

/// What an intrinsic asks of floats, `llvm.` left out of its name.
fn float_call(plain: &str) -> Option<FloatCall> {
    if let Some(kind) = plain.strip_prefix("vector.reduce.") {
        return Some(FloatCall::Reduction(match kind {
            "fadd" => FloatOperation::Add,
            "fmul" => FloatOperation::Mul,
            "fmin" => FloatOperation::MinNum,
            "fmax" => FloatOperation::MaxNum,
            "fminimum" => FloatOperation::Minimum,
            "fmaximum" => FloatOperation::Maximum,
            _ => return None,
        }));
    }
    let plain = plain.strip_prefix("experimental.constrained.").unwrap_or(plain);
    let plain = packed_extreme(plain).unwrap_or(plain);
    if let Some((_, operation)) = OPERATIONS.iter().find(|(known, _)| *known == plain) {
        return Some(FloatCall::Operation(*operation));
    }
    if let Some(function) = Function::named(plain) {
        return Some(FloatCall::Elementary(function));
    }
    let to_integer = |signed, mode, saturating| FloatCall::ToInteger { signed, mode, saturating };
    Some(match plain {
        "fmuladd" => FloatCall::MultiplyAdd,
        "powi" => FloatCall::IntegerPower,
        "ldexp" => FloatCall::Scale,
        "sincos" => FloatCall::SineCosine,
        "frexp" => FloatCall::FractionExponent,
        "modf" => FloatCall::FractionIntegral,
        "fpext" | "fptrunc" => FloatCall::Convert,
        "sitofp" => FloatCall::FromInteger { signed: true },
        "uitofp" => FloatCall::FromInteger { signed: false },
        "lrint" | "llrint" => to_integer(true, None, false),
        "lround" | "llround" => to_integer(true, Some(RoundingMode::NearestAway), false),
        "fptosi" => to_integer(true, Some(RoundingMode::TowardZero), false),
        "fptoui" => to_integer(false, Some(RoundingMode::TowardZero), false),
        "fptosi.sat" => to_integer(true, Some(RoundingMode::TowardZero), true),
        "fptoui.sat" => to_integer(false, Some(RoundingMode::TowardZero), true),
        _ => return None,
    })
}

/// x86's packed minimum and maximum have two names for all widths.
fn packed_extreme(plain: &str) -> Option<&'static str> {
    let rest = plain.strip_prefix("x86.").filter(|rest| rest.contains(".ps") || rest.contains(".pd"))?;
    if rest.contains(".min.p") {
        Some("x86.min")
    } else if rest.contains(".max.p") {
        Some("x86.max")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntBinary;

    fn kind(name: &str) -> IntrinsicKind {
        Intrinsic::named(name).kind()
    }

    #[test]
    fn names_lead_to_operations() {
        let operation = |operation| IntrinsicKind::Float(FloatCall::Operation(operation));
        assert_eq!(kind("llvm.experimental.constrained.fadd"), operation(FloatOperation::Add));
        assert_eq!(kind("llvm.x86.sse2.min.pd"), operation(FloatOperation::X86Min));
        assert_eq!(kind("llvm.x86.avx.max.ps.256"), operation(FloatOperation::X86Max));
        assert_eq!(kind("llvm.fma"), operation(FloatOperation::Fma));
        assert_eq!(kind("llvm.fmuladd"), IntrinsicKind::Float(FloatCall::MultiplyAdd));
        assert_eq!(kind("llvm.sin"), IntrinsicKind::Float(FloatCall::Elementary(Function::Sin)));
        assert_eq!(kind("llvm.vector.reduce.fadd"), IntrinsicKind::Float(FloatCall::Reduction(FloatOperation::Add)));
        assert_eq!(kind("llvm.vector.reduce.xor"), IntrinsicKind::Integer(IntegerCall::Reduction(IntBinary::Xor)));
        assert_eq!(kind("llvm.memcpy"), IntrinsicKind::Copy);
        for name in ["fma", "sin", "llvm.sinf", "llvm.", "llvm.x86.min", "llvm.abss"] {
            let is_known = !matches!(kind(name), IntrinsicKind::Unknown);
            assert_eq!(is_known, name == "llvm.x86.min", "{name}");
        }
    }

    /// A list of what is foreign had only what somebody had thought of: everything else passed for a computation.
    #[test]
    fn what_may_see_more_than_its_operands_is_foreign() {
        for name in ["llvm.x86.sse.ldmxcsr", "llvm.x86.sse.stmxcsr", "llvm.get.fpenv", "llvm.set.rounding"] {
            assert!(kind(name).is_foreign(), "{name}");
        }
        for name in ["llvm.readcyclecounter", "llvm.x86.rdpid", "llvm.x86.xgetbv", "llvm.thread.pointer"] {
            assert!(kind(name).is_foreign(), "{name}");
        }
        for name in ["llvm.aarch64.get.fpcr", "llvm.x86.flags.read.u64", "llvm.get.rounding", "llvm.frameaddress"] {
            assert!(kind(name).is_foreign(), "{name}");
        }
        for name in ["llvm.x86.avx.dp.ps.256", "llvm.fma", "llvm.assume", "llvm.vector.insert", "llvm.umax"] {
            assert!(!kind(name).is_foreign(), "{name}");
        }
    }
}
