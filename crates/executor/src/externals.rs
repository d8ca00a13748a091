//! Functions that the driver answers for the program: those of KLEE and SV-COMP, those that end the program, and texts.

use labrys_program::Function;

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
    /// `__VERIFIER_assert(condition)`.
    Assert,
    /// `__assert_fail(text, …)`; the text is the argument of that index.
    AssertFailed(usize),
    /// `abort()`.
    Abort,
    /// `exit(status)`.
    Exit,
    /// What the C library's bitcode cannot say in C.
    Library(LibraryCall),
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

/// What the driver answers.
pub(crate) enum Answer<V> {
    /// The call's result.
    Value(V),
    /// The path ends.
    End(Ending),
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
            "__VERIFIER_assert" => External::Assert,
            "__assert_fail" | "__assert_perror_fail" | "__assert" => External::AssertFailed(0),
            "__assert_rtn" => External::AssertFailed(3),
            "abort" | "klee_abort" => External::Abort,
            "exit" | "_exit" | "_Exit" | "quick_exit" => External::Exit,
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
                return environment.or_else(print).or_else(math).or_else(library).or_else(text);
            }
        })
    }
}
