//! What is known of a function: what it is, what it takes, and what else it does.

use labrys_elementary::Function;

use super::float_call::FloatCall;
use super::operation::ClassMask;
use super::{rust, table};
use crate::{Program, Type};

/// The global to which logarithms of the gamma function write the sign of gamma.
pub const SIGN_OF_GAMMA: &str = "signgam";

/// A function of libm, of libc, of a language's runtime or of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KnownFunction {
    /// A function of floats. It may set `errno`, and raise what the operations raise.
    Float(FloatCall),
    /// C's lgamma_r: the logarithm of |Γ|, the sign of Γ through a pointer.
    LogGammaWithSign,
    /// An integer that is not zero where the operand is of one of the classes, else 0.
    Class(ClassMask, Truth),
    /// C's fpclassify as a function.
    Classification,
    /// The quiet NaN that a text describes.
    Nan,
    /// A product or quotient of complex numbers, as compilers call them: floats in, floats out, any exception.
    Complex,
    /// |x| of an integer.
    AbsoluteInteger,
    /// New memory, or null where there is none.
    Allocate(Allocation),
    /// New memory with the contents of the old; the argument with that index is its size.
    Reallocate {
        /// The index.
        size: usize,
        /// Whose it must be, and is.
        family: HeapFamily,
    },
    /// Ends the life of the memory behind its first argument.
    Free(Freed),
    /// Copies bytes: to, from, how many. The ranges may overlap; the result is where to.
    Copy,
    /// Sets bytes: where, to what, how many. The result is where.
    Fill,
    /// Compares bytes: zero if they are equal. Of other results C gives no more than memcmp's sign.
    CompareBytes,
    /// The length of a text.
    TextLength,
    /// Compares texts: zero if they are equal. Of other results C gives no more than the sign.
    CompareTexts,
    /// The address of `errno`.
    ErrorNumber,
    /// Writes to a file. The result says how it went, of which nothing is known.
    Print {
        /// Which argument says how those behind it are printed.
        format: Option<usize>,
    },
    /// Writes a text to memory.
    WriteText,
    /// Does not return.
    End(Ending),
    /// Reads or writes exceptions, rounding modes or traps.
    Environment {
        /// Whether exceptions may be raised that were not.
        raises: bool,
    },
    /// Does nothing at all.
    Nothing,
}

/// Beginnings of the names of functions that have nothing to do with floats: C++ exceptions, threads, Fortran's output without numbers.
const SILENT_FAMILIES: [&str; 9] = [
    "__cxa_",
    "_Unwind_",
    "pthread_",
    "_FortranAioBegin",
    "_FortranAioEnd",
    "_FortranAioOutputAscii",
    "_FortranAioOutputInteger",
    "_FortranAioOutputLogical",
    "_FortranAReportFatalUserError",
];

/// C's and POSIX' functions of the kind that no analysis models.
const SILENT: [&str; 61] = [
    "access",
    "asctime",
    "atexit",
    "atoi",
    "atol",
    "atoll",
    "clearerr",
    "clock",
    "close",
    "ctime",
    "fclose",
    "feof",
    "ferror",
    "fgetc",
    "fgets",
    "fileno",
    "fopen",
    "fread",
    "fseek",
    "ftell",
    "getc",
    "getchar",
    "getenv",
    "getpid",
    "gettimeofday",
    "isatty",
    "lseek",
    "memccpy",
    "memchr",
    "memrchr",
    "mkdir",
    "open",
    "pause",
    "raise",
    "read",
    "remove",
    "rename",
    "rewind",
    "setlocale",
    "setvbuf",
    "signal",
    "sleep",
    "stpcpy",
    "strcat",
    "strchr",
    "strcpy",
    "strcspn",
    "strdup",
    "strerror",
    "strncat",
    "strncpy",
    "strndup",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtok",
    "time",
    "unlink",
    "write",
];

/// Whether a function that is only declared, and of which nothing more is known, has nothing to do with floats, whatever memory it is
/// given: it raises no exception.
pub fn is_silent_symbol(name: &str) -> bool {
    SILENT.binary_search(&name).is_ok()
        || SILENT_FAMILIES.iter().any(|family| name.starts_with(family))
        // libstdc++'s functions that throw, such as std::__throw_length_error.
        || (name.starts_with("_ZSt") && name.contains("__throw_"))
}

/// What a classification gives where it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// 1, with every libm that is known.
    One,
    /// 1, or −1 for a negative operand, as glibc's isinf has it.
    Sign,
    /// Some number that is not zero; glibc's __signbit gives 128, 8 or 512.
    NotZero,
    /// Some number that is not zero, or anything where the operand is a NaN, whose sign nobody keeps.
    NotZeroButOfNan,
}

/// Which arguments describe new memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// Its size.
    pub size: usize,
    /// By what the size is multiplied.
    pub count: Option<usize>,
    /// Its alignment.
    pub align: Option<usize>,
    /// Whether it is filled with zeros.
    pub is_zero: bool,
    /// Who has to free it.
    pub family: HeapFamily,
}

/// Functions of memory that belong together: what one of them gave another family's must not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeapFamily {
    /// `malloc`, `free` and their kin.
    Malloc,
    /// `new` and `delete`.
    New,
    /// `new[]` and `delete[]`.
    NewArray,
    /// Rust's allocator.
    Rust,
}

/// How memory is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Freed {
    /// Whose it must be.
    pub family: HeapFamily,
    /// Which argument says its size, which must be right.
    pub size: Option<usize>,
}

/// How a function that does not return ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With a status, which the first argument is if it is an integer.
    Exit,
    /// By a signal.
    Abort,
    /// An assertion failed.
    Assertion,
    /// Rust panicked.
    Panic,
}

impl KnownFunction {
    /// What a declaration declares; `None` where nothing is known of that name, or its types are others.
    ///
    /// ```
    /// use labrys_float::Format;
    /// use labrys_program::{FloatCall, FloatOperation, KnownFunction, Type};
    ///
    /// let double = Type::Float(Format::BINARY64);
    /// let root = KnownFunction::Float(FloatCall::Operation(FloatOperation::Sqrt));
    /// assert_eq!(KnownFunction::declared("sqrt", &[&double], false, &double), Some(root));
    /// // Somebody's own function that happens to have the name.
    /// assert_eq!(KnownFunction::declared("sqrt", &[&Type::Pointer], false, &Type::Void), None);
    /// ```
    pub fn declared(name: &str, parameters: &[&Type], is_variadic: bool, result: &Type) -> Option<KnownFunction> {
        table::declared(name, parameters, is_variadic, result).or_else(|| rust::named(name))
    }

    /// The function that a symbol is known to be, such as one that machine code in a library of the system calls.
    pub fn named(name: &str) -> Option<KnownFunction> {
        table::named(name).or_else(|| rust::named(name))
    }

    /// What it asks of floats, where operations say it.
    pub fn float_call(self) -> Option<FloatCall> {
        match self {
            KnownFunction::Float(call) => Some(call),
            _ => None,
        }
    }

    /// Whether control comes back from it.
    pub fn returns(self) -> bool {
        !matches!(self, KnownFunction::End(_))
    }

    /// Whether it may throw an exception of C++, or a panic of Rust's, instead of returning.
    pub fn may_throw(self) -> bool {
        let is_new = |family| matches!(family, HeapFamily::New | HeapFamily::NewArray);
        match self {
            KnownFunction::Allocate(Allocation { family, .. }) => is_new(family),
            KnownFunction::End(ending) => ending == Ending::Panic,
            _ => false,
        }
    }

    /// Whether it raises no exception, whatever it is called with. What a function of floats raises its operations say.
    pub fn is_silent(self) -> bool {
        !matches!(
            self,
            KnownFunction::Float(_)
                | KnownFunction::LogGammaWithSign
                | KnownFunction::Complex
                | KnownFunction::Environment { raises: true }
        )
    }

    /// Whether it does nothing but compute a result, apart from what it reports ([`KnownFunction::sets_errno`],
    /// [`KnownFunction::sets_sign_of_gamma`]) and writes through pointers that it is given.
    pub fn only_computes(self) -> bool {
        matches!(
            self,
            KnownFunction::Float(_)
                | KnownFunction::LogGammaWithSign
                | KnownFunction::Class(..)
                | KnownFunction::Classification
                | KnownFunction::Nan
                | KnownFunction::Complex
                | KnownFunction::AbsoluteInteger
                | KnownFunction::Nothing
        )
    }

    /// Whether all that it does is done with the call, and hangs on nothing but its arguments and memory: two calls with
    /// the same do the same, as far as addresses of new memory and what it holds do not count.
    pub fn depends_on_arguments_alone(self) -> bool {
        match self {
            KnownFunction::Allocate(_)
            | KnownFunction::Reallocate { .. }
            | KnownFunction::Free(_)
            | KnownFunction::Copy
            | KnownFunction::Fill
            | KnownFunction::CompareBytes
            | KnownFunction::TextLength
            | KnownFunction::CompareTexts
            | KnownFunction::End(_) => true,
            // `errno` is what earlier calls left there, output may fail, and the locale decides what texts look like.
            KnownFunction::ErrorNumber
            | KnownFunction::Print { .. }
            | KnownFunction::WriteText
            | KnownFunction::Environment { .. } => false,
            other => other.only_computes(),
        }
    }

    /// Whether it may write to `errno`. C lets every function that does not say otherwise; these are those of which glibc,
    /// musl and POSIX know errors.
    pub fn sets_errno(self) -> bool {
        matches!(
            self,
            KnownFunction::Float(_)
                | KnownFunction::LogGammaWithSign
                | KnownFunction::Allocate(_)
                | KnownFunction::Reallocate { .. }
                | KnownFunction::Free(_)
                | KnownFunction::Print { .. }
                | KnownFunction::WriteText
        )
    }

    /// Whether it writes to [`SIGN_OF_GAMMA`].
    pub fn sets_sign_of_gamma(self) -> bool {
        self == KnownFunction::Float(FloatCall::Elementary(Function::Lgamma))
    }
}

impl Program {
    /// Whether the program may look at what the function reports beside its result: it asks for `errno`, or declares the sign of
    /// gamma.
    pub fn may_read_reports(&self, known: KnownFunction) -> bool {
        let asks = |function: &crate::Function| function.known == Some(KnownFunction::ErrorNumber);
        (known.sets_errno() && self.functions.iter().any(asks))
            || (known.sets_sign_of_gamma() && self.globals.iter().any(|global| global.name == SIGN_OF_GAMMA))
    }
}
