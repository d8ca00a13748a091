//! Functions that the driver answers for the program: those of KLEE and SV-COMP, those that end the program, and texts.

use labrys_program::{Function, HASH_KEYS, PRINT, PRINT_ERROR, REPORT_ERROR, VerifierCall, rust_path};

use crate::control_calls::ControlCall;
use crate::ending::Ending;
use crate::environment_calls::EnvironmentCall;
use crate::library_requests::LibraryCall;
use crate::math_calls::MathCall;
use crate::printing::PrintCall;
use crate::texts::TextCall;

/// A function that the driver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum External {
    /// `klee_make_symbolic(address, size, name)`.
    MakeSymbolic,
    /// `__VERIFIER_nondet_memory(address, size)`.
    NondetMemory,
    /// `__VERIFIER_nondet_T()`: any value of the result's type.
    Nondet,
    /// `klee_int(name)`.
    Int,
    /// `klee_range(first, end, name)`.
    Range,
    /// `klee_assume(condition)`, `__VERIFIER_assume`.
    Assume,
    /// `klee_is_symbolic(value)`.
    IsSymbolic,
    /// `klee_silent_exit(status)`.
    SilentExit,
    /// What the program must not call.
    Error,
    /// Fortran's `error stop`.
    ErrorStop,
    /// `__VERIFIER_assert(condition)`.
    Assert,
    /// `__assert_fail(text, …)`; the text is the argument of that index.
    AssertFailed(usize),
    /// `abort()`.
    Abort,
    /// `_exit(status)`.
    Exit,
    /// What control does not come back from as from other calls.
    Control(ControlCall),
    /// What the C library's bitcode cannot say in C.
    Library(LibraryCall),
    /// Prints, in Rust.
    RustPrint,
    /// Rust's check that two ranges of memory do not overlap: their beginnings, and how many elements of which size.
    RustApart,
    /// The two keys of the hash function of Rust's hash maps, which are random.
    RustHashKeys,
    /// Does nothing that the program could see.
    Nothing,
    /// A function of texts, bytes or characters.
    Text(TextCall),
    /// A function that prints.
    Print(PrintCall),
    /// A function of the floating-point environment.
    Environment(EnvironmentCall),
    /// A function of floats.
    Math(MathCall),
}

/// What a call of a function means to who verifies the program; `None` for those that are executed or not known, and those that are of
/// libraries.
pub fn verifier_call(function: &Function) -> Option<VerifierCall> {
    Some(match External::of(function)? {
        External::MakeSymbolic | External::NondetMemory => VerifierCall::Memory,
        External::Nondet | External::Int | External::Range | External::IsSymbolic => VerifierCall::Value,
        External::Assume => VerifierCall::Assume,
        External::Assert => VerifierCall::Assert,
        External::Error | External::ErrorStop | External::AssertFailed(_) | External::Abort => VerifierCall::Error,
        External::Exit => VerifierCall::Exit,
        External::SilentExit => VerifierCall::Exclude,
        External::Nothing => VerifierCall::Nothing,
        External::Control(_)
        | External::Library(_)
        | External::RustPrint
        | External::RustApart
        | External::RustHashKeys
        | External::Text(_)
        | External::Print(_)
        | External::Environment(_)
        | External::Math(_) => return None,
    })
}

/// What the driver answers.
pub(crate) enum Answer<V> {
    /// The call's result.
    Value(V),
    /// Control is somewhere else already.
    Moved,
    /// The path ends.
    End(Ending),
}

/// Whether a symbol is one of Rust's.
pub(crate) fn is_rust(symbol: &str) -> bool {
    symbol.starts_with("_R") || symbol.starts_with("_ZN")
}

/// What a function of Rust's standard library is.
fn of_rust(symbol: &str) -> Option<External> {
    let path = rust_path(symbol)?;
    match path.as_str() {
        PRINT | PRINT_ERROR | REPORT_ERROR => Some(External::RustPrint),
        "core::ub_checks::maybe_is_nonoverlapping::runtime" => Some(External::RustApart),
        HASH_KEYS => Some(External::RustHashKeys),
        _ => None,
    }
}

impl External {
    /// What a function is; `None` for those that are executed, or not known here.
    ///
    /// What the program defines itself is executed, but for the errors that verifiers look for by their name, and SV-COMP's
    /// assumption by `abort`.
    pub(crate) fn of(function: &Function) -> Option<External> {
        let name = function.name.as_str();
        match name {
            "reach_error" | "__VERIFIER_error" => return Some(External::Error),
            "assume_abort_if_not" => return Some(External::Assume),
            _ if is_rust(name) => return of_rust(name),
            _ if !function.blocks.is_empty() => return None,
            _ => {}
        }
        if name == "__VERIFIER_nondet_memory" {
            return Some(External::NondetMemory);
        }
        if name.starts_with("__VERIFIER_nondet_") {
            return Some(External::Nondet);
        }
        Some(match name {
            "klee_make_symbolic" => External::MakeSymbolic,
            "klee_int" => External::Int,
            "klee_range" => External::Range,
            "klee_assume" | "__VERIFIER_assume" => External::Assume,
            "klee_is_symbolic" => External::IsSymbolic,
            "klee_silent_exit" => External::SilentExit,
            "klee_report_error" => External::Error,
            "labrys_error_stop" => External::ErrorStop,
            "__VERIFIER_assert" => External::Assert,
            "__assert_fail" | "__assert_perror_fail" | "__assert" => External::AssertFailed(0),
            "__assert_rtn" => External::AssertFailed(3),
            "abort" | "klee_abort" => External::Abort,
            "_exit" | "_Exit" | "quick_exit" => External::Exit,
            "klee_prefer_cex"
            | "klee_posix_prefer_cex"
            | "klee_warning"
            | "klee_warning_once"
            | "klee_open_merge"
            | "klee_close_merge"
            | "klee_stack_trace"
            | "klee_print_expr"
            | "klee_print_range"
            | "klee_set_forking"
            | "klee_mark_global"
            | "labrys_output"
            // The marks of scopes are AddressSanitizer's, and front ends call these with them.
            | "__asan_handle_no_return"
            | "__asan_poison_cxx_array_cookie" => External::Nothing,
            _ => {
                let environment = EnvironmentCall::of(name).map(External::Environment);
                let print = || PrintCall::of(name).map(External::Print);
                let math = || MathCall::of(function).map(External::Math);
                let library = || LibraryCall::of(name).map(External::Library);
                let text = || TextCall::of(name).map(External::Text);
                let control = || ControlCall::of(name).map(External::Control);
                return environment.or_else(control).or_else(print).or_else(math).or_else(library).or_else(text);
            }
        })
    }
}
