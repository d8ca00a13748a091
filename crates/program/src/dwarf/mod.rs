//! Functions and their signatures, from debug information.
//!
//! LLVM's IR has opaque pointers and coerced structs, so what a function takes is read from DWARF (version 4 and 5, as
//! clang, gcc, flang, gfortran and rustc write it) in the shared object that runs, and joined with the IR where DWARF is
//! silent:
//!
//! - **Lengths.** DWARF does not say how much memory is behind a C pointer. In this order: `--length`; an integer parameter
//!   whose name says that it is the length (`n`, `len`, `size`, `count`,
//!   `nx` or `x_len` for `x`, …) if the elements are scalars, kept within 0..=8; one element, or one row of a pointer to
//!   an array. All but the first are guesses, for whoever can run the function to improve on.
//! - **Direction.** `const T*`, `&T` and `*const T` are inputs. Other memory is input and output, unless every pointer of
//!   the IR says that it is only read or only written there.
//! - **Fortran.** flang describes a dummy argument by its own type: it is passed by reference unless the IR's parameter
//!   is not a pointer (the `value` attribute). Assumed-shape arrays are descriptors and results that are no scalars hidden parameters, of which the
//!   IR has more than debug information: both are refused, and left to a caller in Fortran (`crate::glue`).
//! - **Rust.** Functions that are not `extern "C"` follow Rust's own convention, which agrees with C's on x86-64 for
//!   scalars, references and raw pointers, and for structs of one or two 8-byte scalars. Other structs by value are
//!   refused there.
//!
//! What it may miss: a static function whose parameters the optimiser changed (gcc marks those with a suffix of the
//! symbol, and they are refused; LLVM does not).

mod access;
mod cpp_call;
mod debug_info;
mod error;
mod from_ir;
mod functions;
mod length;
mod library;
mod parameters;
mod types;

pub(crate) use cpp_call::cpp_call;
pub use error::SignatureError;
pub use functions::{FunctionInfo, choose_function, demangled, exports, functions_in};
pub(crate) use functions::{nearest, scoped_name};
pub(crate) use length::MAX_LENGTH;
pub use length::{DEFAULT_CAPACITY, LengthOptions, MOST_BEYOND, is_length};
pub(crate) use library::declared_functions;
pub use parameters::{signature, signature_with_guesses};
