//! The table: names, types and what the functions do.

use std::sync::LazyLock;

use labrys_elementary::Function;
use labrys_float::{Format, RoundingMode};
use rustc_hash::FxHashMap;

use super::{Allocation, ClassMask, Ending, FloatCall, FloatOperation, Freed, HeapFamily, KnownFunction, Truth};
use crate::Type;

/// A function, or those of C's three formats.
struct Row {
    names: Names,
    shape: Shape,
    function: KnownFunction,
}

/// The names of a row's functions.
#[derive(Clone, Copy)]
enum Names {
    /// The function on doubles; with `f` behind it that on floats, with `l` that on long doubles. Each between `__` and
    /// `_finite` is what -ffinite-math-only calls with glibc before 2.31.
    Each(&'static str),
    /// One function, on numbers of one format.
    One(&'static str, Version),
}

/// Which of C's formats a function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Float,
    Double,
    LongDouble,
}

impl Version {
    const ALL: [(Version, &'static str); 3] =
        [(Version::Double, ""), (Version::Float, "f"), (Version::LongDouble, "l")];

    fn has(self, format: Format) -> bool {
        match self {
            Version::Float => format == Format::BINARY32,
            Version::Double => format == Format::BINARY64,
            // What long double is, the target says.
            Version::LongDouble => [Format::X87, Format::BINARY128, Format::BINARY64].contains(&format),
        }
    }
}

/// Parameters and result.
#[derive(Clone, Copy)]
enum Shape {
    /// These, with more parameters behind them if the function is variadic.
    Of { parameters: &'static [Word], result: Word, is_variadic: bool },
    /// Whatever the declaration has. For names that C reserves to its library, whose types differ from target to target.
    Any,
}

/// The type of a parameter or result.
#[derive(Clone, Copy)]
enum Word {
    /// A number of the version's format.
    Float,
    /// C's `int`.
    Int,
    /// C's `long`, `long long` or `size_t`.
    Long,
    /// A pointer.
    Pointer,
    /// Nothing.
    Void,
}

impl Word {
    fn fits(self, version: Version, ty: &Type) -> bool {
        match (self, ty) {
            (Word::Float, Type::Float(format)) => version.has(*format),
            (Word::Int, Type::Int(bits)) => *bits == 32,
            (Word::Long, Type::Int(bits)) => matches!(bits, 32 | 64),
            (Word::Pointer, Type::Pointer) | (Word::Void, Type::Void) => true,
            _ => false,
        }
    }
}

impl Shape {
    fn fits(self, version: Version, types: &[&Type], variadic: bool, returned: &Type) -> bool {
        match self {
            Shape::Any => true,
            Shape::Of { parameters, result, is_variadic } => {
                let mut pairs = parameters.iter().zip(types);
                parameters.len() == types.len()
                    && is_variadic == variadic
                    && pairs.all(|(word, ty)| word.fits(version, ty))
                    && result.fits(version, returned)
            }
        }
    }
}

const fn shape(parameters: &'static [Word], result: Word) -> Shape {
    Shape::Of { parameters, result, is_variadic: false }
}

const fn variadic(parameters: &'static [Word]) -> Shape {
    Shape::Of { parameters, result: Word::Int, is_variadic: true }
}

const UNARY: Shape = shape(&[Word::Float], Word::Float);
const BINARY: Shape = shape(&[Word::Float, Word::Float], Word::Float);
const TERNARY: Shape = shape(&[Word::Float, Word::Float, Word::Float], Word::Float);
const TO_LONG: Shape = shape(&[Word::Float], Word::Long);
const TO_INT: Shape = shape(&[Word::Float], Word::Int);
const WITH_INT: Shape = shape(&[Word::Float, Word::Int], Word::Float);
const WITH_POINTER: Shape = shape(&[Word::Float, Word::Pointer], Word::Float);
const NEW: Shape = shape(&[Word::Long], Word::Pointer);
const NEW_OF_TWO: Shape = shape(&[Word::Long, Word::Long], Word::Pointer);
const OLD: Shape = shape(&[Word::Pointer], Word::Void);
const OLD_OF_SIZE: Shape = shape(&[Word::Pointer, Word::Long], Word::Void);
const OLD_OF_SIZE_AND_ALIGNMENT: Shape = shape(&[Word::Pointer, Word::Long, Word::Long], Word::Void);
const COPY: Shape = shape(&[Word::Pointer, Word::Pointer, Word::Long], Word::Pointer);
const CHECKED_COPY: Shape = shape(&[Word::Pointer, Word::Pointer, Word::Long, Word::Long], Word::Pointer);
const FILL: Shape = shape(&[Word::Pointer, Word::Int, Word::Long], Word::Pointer);
const CHECKED_FILL: Shape = shape(&[Word::Pointer, Word::Int, Word::Long, Word::Long], Word::Pointer);
const COMPARE: Shape = shape(&[Word::Pointer, Word::Pointer, Word::Long], Word::Int);
const COMPARE_TEXTS: Shape = shape(&[Word::Pointer, Word::Pointer], Word::Int);
/// Fortran's MOD: behind the operands the source position of the call.
const MODULO: Shape = shape(&[Word::Float, Word::Float, Word::Pointer, Word::Int], Word::Float);

const fn each(name: &'static str, shape: Shape, function: KnownFunction) -> Row {
    Row { names: Names::Each(name), shape, function }
}

const fn one(name: &'static str, shape: Shape, function: KnownFunction) -> Row {
    Row { names: Names::One(name, Version::Double), shape, function }
}

const fn of(version: Version, name: &'static str, shape: Shape, function: KnownFunction) -> Row {
    Row { names: Names::One(name, version), shape, function }
}

const fn operation(operation: FloatOperation) -> KnownFunction {
    KnownFunction::Float(FloatCall::Operation(operation))
}

const fn round(mode: Option<RoundingMode>, inexact: bool) -> KnownFunction {
    operation(FloatOperation::RoundToIntegral { mode, inexact })
}

const fn to_integer(mode: Option<RoundingMode>) -> KnownFunction {
    KnownFunction::Float(FloatCall::ToInteger { signed: true, mode, saturating: false })
}

const fn class(mask: ClassMask, truth: Truth) -> KnownFunction {
    KnownFunction::Class(mask, truth)
}

const fn allocate(size: usize, count: Option<usize>, align: Option<usize>, is_zero: bool) -> KnownFunction {
    KnownFunction::Allocate(Allocation { size, count, align, is_zero, family: HeapFamily::Malloc })
}

const fn new(family: HeapFamily, align: Option<usize>) -> KnownFunction {
    KnownFunction::Allocate(Allocation { size: 0, count: None, align, is_zero: false, family })
}

const fn freed(family: HeapFamily, size: Option<usize>) -> KnownFunction {
    KnownFunction::Free(Freed { family, size })
}

const fn print(format: Option<usize>) -> KnownFunction {
    KnownFunction::Print { format }
}

const SCALE: KnownFunction = KnownFunction::Float(FloatCall::Scale);
const INTEGER_POWER: KnownFunction = KnownFunction::Float(FloatCall::IntegerPower);
const ENVIRONMENT: KnownFunction = KnownFunction::Environment { raises: false };
const RAISES: KnownFunction = KnownFunction::Environment { raises: true };
const SIGN_BIT: KnownFunction = class(ClassMask::NEGATIVE, Truth::NotZeroButOfNan);

/// All but the elementary functions, whose rows are `labrys_elementary`'s.
const ROWS: &[Row] = &[
    // Operations on floats.
    each("sqrt", UNARY, operation(FloatOperation::Sqrt)),
    each("fabs", UNARY, operation(FloatOperation::Abs)),
    each("fma", TERNARY, operation(FloatOperation::Fma)),
    each("fmin", BINARY, operation(FloatOperation::MinNum)),
    each("fmax", BINARY, operation(FloatOperation::MaxNum)),
    each("fminimum", BINARY, operation(FloatOperation::Minimum)),
    each("fmaximum", BINARY, operation(FloatOperation::Maximum)),
    each("fminimum_num", BINARY, operation(FloatOperation::MinimumNumber)),
    each("fmaximum_num", BINARY, operation(FloatOperation::MaximumNumber)),
    each("copysign", BINARY, operation(FloatOperation::CopySign)),
    each("fmod", BINARY, operation(FloatOperation::Rem)),
    each("remainder", BINARY, operation(FloatOperation::IeeeRemainder)),
    each("drem", BINARY, operation(FloatOperation::IeeeRemainder)),
    each("floor", UNARY, round(Some(RoundingMode::TowardNegative), false)),
    each("ceil", UNARY, round(Some(RoundingMode::TowardPositive), false)),
    each("trunc", UNARY, round(Some(RoundingMode::TowardZero), false)),
    each("round", UNARY, round(Some(RoundingMode::NearestAway), false)),
    each("roundeven", UNARY, round(Some(RoundingMode::NearestEven), false)),
    each("rint", UNARY, round(None, true)),
    each("nearbyint", UNARY, round(None, false)),
    each("lrint", TO_LONG, to_integer(None)),
    each("llrint", TO_LONG, to_integer(None)),
    each("lround", TO_LONG, to_integer(Some(RoundingMode::NearestAway))),
    each("llround", TO_LONG, to_integer(Some(RoundingMode::NearestAway))),
    each("ldexp", WITH_INT, SCALE),
    each("scalbn", WITH_INT, SCALE),
    each("scalbln", shape(&[Word::Float, Word::Long], Word::Float), SCALE),
    each("fdim", BINARY, KnownFunction::Float(FloatCall::PositiveDifference)),
    each("modf", WITH_POINTER, KnownFunction::Float(FloatCall::FractionIntegral)),
    each("frexp", WITH_POINTER, KnownFunction::Float(FloatCall::FractionExponent)),
    each("nan", shape(&[Word::Pointer], Word::Float), KnownFunction::Nan),
    of(Version::Float, "_FortranAModReal4", MODULO, operation(FloatOperation::Rem)),
    of(Version::Double, "_FortranAModReal8", MODULO, operation(FloatOperation::Rem)),
    of(Version::LongDouble, "_FortranAModReal10", MODULO, operation(FloatOperation::Rem)),
    // Further names of elementary functions. glibc's gamma is lgamma, signgam included; its __gamma_r_finite is tgamma.
    of(Version::Double, "gamma", UNARY, KnownFunction::Float(FloatCall::Elementary(Function::Lgamma))),
    of(Version::Float, "gammaf", UNARY, KnownFunction::Float(FloatCall::Elementary(Function::Lgamma))),
    of(Version::LongDouble, "gammal", UNARY, KnownFunction::Float(FloatCall::Elementary(Function::Lgamma))),
    of(Version::Double, "lgamma_r", WITH_POINTER, KnownFunction::LogGammaWithSign),
    of(Version::Float, "lgammaf_r", WITH_POINTER, KnownFunction::LogGammaWithSign),
    of(Version::LongDouble, "lgammal_r", WITH_POINTER, KnownFunction::LogGammaWithSign),
    each("pow10", UNARY, KnownFunction::Float(FloatCall::Elementary(Function::Exp10))),
    // Classifications. C asks for no more than a number that is not zero. isnan, isinf and finite are functions since
    // before C99 made macros of them, and give 1 and −1 wherever they are; glibc has no isfinite, isnormal and signbit.
    each("isnan", TO_INT, class(ClassMask::NAN, Truth::One)),
    each("__isnan", TO_INT, class(ClassMask::NAN, Truth::One)),
    each("isinf", TO_INT, class(ClassMask::INFINITY, Truth::Sign)),
    each("__isinf", TO_INT, class(ClassMask::INFINITY, Truth::Sign)),
    each("finite", TO_INT, class(ClassMask::FINITE, Truth::One)),
    each("__finite", TO_INT, class(ClassMask::FINITE, Truth::One)),
    each("isfinite", TO_INT, class(ClassMask::FINITE, Truth::NotZero)),
    each("isnormal", TO_INT, class(ClassMask::NORMAL, Truth::NotZero)),
    each("__isnormal", TO_INT, class(ClassMask::NORMAL, Truth::NotZero)),
    each("signbit", TO_INT, SIGN_BIT),
    each("__signbit", TO_INT, SIGN_BIT),
    each("__fpclassify", TO_INT, KnownFunction::Classification),
    // Compilers' helpers.
    of(Version::Float, "__powisf2", WITH_INT, INTEGER_POWER),
    of(Version::Double, "__powidf2", WITH_INT, INTEGER_POWER),
    of(Version::LongDouble, "__powixf2", WITH_INT, INTEGER_POWER),
    of(Version::LongDouble, "__powitf2", WITH_INT, INTEGER_POWER),
    of(Version::LongDouble, "__addtf3", BINARY, operation(FloatOperation::Add)),
    of(Version::LongDouble, "__subtf3", BINARY, operation(FloatOperation::Sub)),
    of(Version::LongDouble, "__multf3", BINARY, operation(FloatOperation::Mul)),
    of(Version::LongDouble, "__divtf3", BINARY, operation(FloatOperation::Div)),
    one("__mulhc3", Shape::Any, KnownFunction::Complex),
    one("__mulsc3", Shape::Any, KnownFunction::Complex),
    one("__muldc3", Shape::Any, KnownFunction::Complex),
    one("__mulxc3", Shape::Any, KnownFunction::Complex),
    one("__multc3", Shape::Any, KnownFunction::Complex),
    one("__divhc3", Shape::Any, KnownFunction::Complex),
    one("__divsc3", Shape::Any, KnownFunction::Complex),
    one("__divdc3", Shape::Any, KnownFunction::Complex),
    one("__divxc3", Shape::Any, KnownFunction::Complex),
    one("__divtc3", Shape::Any, KnownFunction::Complex),
    // Integers.
    one("abs", shape(&[Word::Int], Word::Int), KnownFunction::AbsoluteInteger),
    one("labs", shape(&[Word::Long], Word::Long), KnownFunction::AbsoluteInteger),
    one("llabs", shape(&[Word::Long], Word::Long), KnownFunction::AbsoluteInteger),
    // Memory of C and C++ (`new`, `new[]`, `delete`, `delete[]`, with sizes and alignments).
    one("malloc", NEW, allocate(0, None, None, false)),
    one("calloc", NEW_OF_TWO, allocate(1, Some(0), None, true)),
    one("aligned_alloc", NEW_OF_TWO, allocate(1, None, Some(0), false)),
    one("_Znwm", NEW, new(HeapFamily::New, None)),
    one("_Znam", NEW, new(HeapFamily::NewArray, None)),
    one("_ZnwmSt11align_val_t", NEW_OF_TWO, new(HeapFamily::New, Some(1))),
    one("_ZnamSt11align_val_t", NEW_OF_TWO, new(HeapFamily::NewArray, Some(1))),
    one(
        "realloc",
        shape(&[Word::Pointer, Word::Long], Word::Pointer),
        KnownFunction::Reallocate { size: 1, family: HeapFamily::Malloc },
    ),
    one("free", OLD, freed(HeapFamily::Malloc, None)),
    one("_ZdlPv", OLD, freed(HeapFamily::New, None)),
    one("_ZdaPv", OLD, freed(HeapFamily::NewArray, None)),
    one("_ZdlPvm", OLD_OF_SIZE, freed(HeapFamily::New, Some(1))),
    one("_ZdaPvm", OLD_OF_SIZE, freed(HeapFamily::NewArray, Some(1))),
    one("_ZdlPvSt11align_val_t", OLD_OF_SIZE, freed(HeapFamily::New, None)),
    one("_ZdaPvSt11align_val_t", OLD_OF_SIZE, freed(HeapFamily::NewArray, None)),
    one("_ZdlPvmSt11align_val_t", OLD_OF_SIZE_AND_ALIGNMENT, freed(HeapFamily::New, Some(1))),
    one("_ZdaPvmSt11align_val_t", OLD_OF_SIZE_AND_ALIGNMENT, freed(HeapFamily::NewArray, Some(1))),
    // Bytes and texts. Those that are checked end the process where memory is too small.
    one("memcpy", COPY, KnownFunction::Copy),
    one("memmove", COPY, KnownFunction::Copy),
    one("__memcpy_chk", CHECKED_COPY, KnownFunction::Copy),
    one("__memmove_chk", CHECKED_COPY, KnownFunction::Copy),
    one("memset", FILL, KnownFunction::Fill),
    one("__memset_chk", CHECKED_FILL, KnownFunction::Fill),
    one("memcmp", COMPARE, KnownFunction::CompareBytes),
    one("bcmp", COMPARE, KnownFunction::CompareBytes),
    one("strlen", shape(&[Word::Pointer], Word::Long), KnownFunction::TextLength),
    one("strcmp", COMPARE_TEXTS, KnownFunction::CompareTexts),
    one("strncmp", COMPARE, KnownFunction::CompareTexts),
    one("__errno_location", shape(&[], Word::Pointer), KnownFunction::ErrorNumber),
    // Output.
    one("printf", variadic(&[Word::Pointer]), print(Some(0))),
    one("fprintf", variadic(&[Word::Pointer, Word::Pointer]), print(Some(1))),
    one("__printf_chk", variadic(&[Word::Int, Word::Pointer]), print(Some(1))),
    one("__fprintf_chk", variadic(&[Word::Pointer, Word::Int, Word::Pointer]), print(Some(2))),
    one("puts", shape(&[Word::Pointer], Word::Int), print(None)),
    one("putchar", shape(&[Word::Int], Word::Int), print(None)),
    one("fputs", shape(&[Word::Pointer, Word::Pointer], Word::Int), print(None)),
    one("fputc", shape(&[Word::Int, Word::Pointer], Word::Int), print(None)),
    one("putc", shape(&[Word::Int, Word::Pointer], Word::Int), print(None)),
    one("fflush", shape(&[Word::Pointer], Word::Int), print(None)),
    one("fwrite", shape(&[Word::Pointer, Word::Long, Word::Long, Word::Pointer], Word::Long), print(None)),
    one("perror", OLD, print(None)),
    one("sprintf", variadic(&[Word::Pointer, Word::Pointer]), KnownFunction::WriteText),
    one("snprintf", variadic(&[Word::Pointer, Word::Long, Word::Pointer]), KnownFunction::WriteText),
    one("__sprintf_chk", variadic(&[Word::Pointer, Word::Int, Word::Long, Word::Pointer]), KnownFunction::WriteText),
    one(
        "__snprintf_chk",
        variadic(&[Word::Pointer, Word::Long, Word::Int, Word::Long, Word::Pointer]),
        KnownFunction::WriteText,
    ),
    // The end of the process.
    one("exit", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("_exit", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("_Exit", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("quick_exit", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("_FortranAStopStatement", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("_FortranAStopStatementText", Shape::Any, KnownFunction::End(Ending::Exit)),
    one("abort", Shape::Any, KnownFunction::End(Ending::Abort)),
    one("_FortranAAbort", Shape::Any, KnownFunction::End(Ending::Abort)),
    one("_ZSt9terminatev", Shape::Any, KnownFunction::End(Ending::Abort)),
    one("__stack_chk_fail", Shape::Any, KnownFunction::End(Ending::Abort)),
    one("__chk_fail", Shape::Any, KnownFunction::End(Ending::Abort)),
    one("__assert_fail", Shape::Any, KnownFunction::End(Ending::Assertion)),
    one("__assert_rtn", Shape::Any, KnownFunction::End(Ending::Assertion)),
    // C's fenv.h and glibc's additions to it.
    one("feclearexcept", Shape::Any, ENVIRONMENT),
    one("feraiseexcept", Shape::Any, RAISES),
    one("fesetexcept", Shape::Any, RAISES),
    one("fetestexcept", Shape::Any, ENVIRONMENT),
    one("fetestexceptflag", Shape::Any, ENVIRONMENT),
    one("fegetexceptflag", Shape::Any, ENVIRONMENT),
    one("fesetexceptflag", Shape::Any, RAISES),
    one("fegetenv", Shape::Any, ENVIRONMENT),
    one("fesetenv", Shape::Any, RAISES),
    one("feholdexcept", Shape::Any, ENVIRONMENT),
    one("feupdateenv", Shape::Any, RAISES),
    one("fegetround", Shape::Any, ENVIRONMENT),
    one("fesetround", Shape::Any, ENVIRONMENT),
    one("fegetmode", Shape::Any, ENVIRONMENT),
    one("fesetmode", Shape::Any, ENVIRONMENT),
    one("feenableexcept", Shape::Any, ENVIRONMENT),
    one("fedisableexcept", Shape::Any, ENVIRONMENT),
    one("fegetexcept", Shape::Any, ENVIRONMENT),
];

/// What a name stands for.
#[derive(Clone, Copy)]
struct Entry {
    version: Version,
    shape: Shape,
    function: KnownFunction,
}

/// Every name of every row.
fn entries() -> Vec<(String, Entry)> {
    let elementary = Function::all().map(|function| {
        let shape = if function.arity() == 1 { UNARY } else { BINARY };
        each(function.name(), shape, KnownFunction::Float(FloatCall::Elementary(function)))
    });
    let elementary: Vec<Row> = elementary.collect();
    let mut entries = Vec::new();
    for Row { names, shape, function } in ROWS.iter().chain(&elementary) {
        let entry = |version| Entry { version, shape: *shape, function: *function };
        match *names {
            Names::One(name, version) => entries.push((name.to_owned(), entry(version))),
            Names::Each(name) => {
                for (version, suffix) in Version::ALL {
                    entries.push((format!("{name}{suffix}"), entry(version)));
                    entries.push((format!("__{name}{suffix}_finite"), entry(version)));
                }
            }
        }
    }
    entries
}

static BY_NAME: LazyLock<FxHashMap<String, Entry>> = LazyLock::new(|| entries().into_iter().collect());

/// What a name stands for, whatever its types.
pub(super) fn named(name: &str) -> Option<KnownFunction> {
    BY_NAME.get(name).map(|entry| entry.function)
}

/// What a declaration declares.
pub(super) fn declared(name: &str, parameters: &[&Type], is_variadic: bool, result: &Type) -> Option<KnownFunction> {
    let Entry { version, shape, function } = *BY_NAME.get(name)?;
    shape.fits(version, parameters, is_variadic, result).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_for_two_functions() {
        let entries = entries();
        assert_eq!(BY_NAME.len(), entries.len());
        for (name, _) in &entries {
            assert_eq!(entries.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn every_elementary_function_has_its_three_formats() {
        for function in Function::all() {
            let known = KnownFunction::Float(FloatCall::Elementary(function));
            for (format, suffix) in [(Format::BINARY32, "f"), (Format::BINARY64, ""), (Format::X87, "l")] {
                let name = format!("{}{suffix}", function.name());
                let float = Type::Float(format);
                let parameters = vec![&float; function.arity()];
                assert_eq!(declared(&name, &parameters, false, &float), Some(known), "{name}");
                assert_eq!(named(&format!("__{name}_finite")), Some(known), "{name}");
                // Another function that has the name by chance, or a declaration of another format.
                let other = Type::Float(if format == Format::BINARY32 { Format::BINARY16 } else { Format::BINARY32 });
                assert_eq!(declared(&name, &vec![&other; function.arity()], false, &other), None, "{name}");
                assert_eq!(declared(&name, &[&Type::Pointer], false, &float), None, "{name}");
                assert_eq!(declared(&name, &parameters, true, &float), None, "{name}");
                assert_eq!(declared(&name, &parameters, false, &Type::Void), None, "{name}");
            }
        }
    }

    #[test]
    fn suffixes_and_reserved_forms_belong_to_names() {
        let of = |name| named(name).and_then(KnownFunction::float_call);
        assert_eq!(of("erf"), Some(FloatCall::Elementary(Function::Erf)));
        assert_eq!(of("erff"), Some(FloatCall::Elementary(Function::Erf)));
        assert_eq!(of("__exp_finite"), Some(FloatCall::Elementary(Function::Exp)));
        assert_eq!(of("__sqrtf_finite"), Some(FloatCall::Operation(FloatOperation::Sqrt)));
        assert_eq!(of("scalblnl"), Some(FloatCall::Scale));
        for name in
            ["", "f", "l", "asinhh", "__sin", "erfcx", "mallocf", "exitl", "__gamma_finite", "_FortranAModReal4f"]
        {
            assert_eq!(named(name), None, "{name}");
        }
    }

    /// The operands that a row's types have are those that its operation takes.
    #[test]
    fn rows_have_the_operands_of_their_operations() {
        for (name, Entry { shape, function, .. }) in entries() {
            let (Shape::Of { parameters, .. }, Some(call)) = (shape, function.float_call()) else { continue };
            let floats = parameters.iter().filter(|word| matches!(word, Word::Float)).count();
            let exponents = usize::from(matches!(call, FloatCall::Scale | FloatCall::IntegerPower));
            assert_eq!(floats + exponents, call.arity(), "{name}");
        }
    }

    /// What returns nothing, raises nothing and depends on nothing is told by the kind alone.
    #[test]
    fn kinds_are_consistent() {
        for (name, Entry { function, .. }) in entries() {
            assert!(function.returns() || function.is_silent(), "{name}");
            assert!(!function.only_computes() || function.depends_on_arguments_alone(), "{name}");
            assert!(!function.only_computes() || function.returns(), "{name}");
            assert!(!function.sets_sign_of_gamma() || function.sets_errno(), "{name}");
        }
        assert!(named("lgammal").is_some_and(KnownFunction::sets_sign_of_gamma));
        assert!(named("gamma").is_some_and(KnownFunction::sets_sign_of_gamma));
        // It was forgotten for this name.
        assert!(named("__lgamma_finite").is_some_and(KnownFunction::sets_sign_of_gamma));
        assert!(!named("lgamma_r").is_some_and(KnownFunction::sets_sign_of_gamma));
    }
}
