//! What is known of functions that programs call and do not define, and of LLVM's intrinsics.
//!
//! **Claim.** What is said here of a function holds for glibc, and, but for the values of what C leaves open, for any libc
//! and libm. Its name alone does not say that it is the library's: a declaration is resolved once, when the program is
//! loaded, and only if its types are the function's. Whatever is not in the table may do anything.
//!
//! `table` has a row for each function, `rust` what Rust's runtime calls itself, `intrinsic` LLVM's intrinsics. Nobody
//! else compares names: analyses match on [`KnownFunction`], [`FloatCall`] and [`IntrinsicKind`].

mod float_call;
mod function;
mod integer_call;
mod intrinsic;
mod operation;
mod points;
mod printing;
mod reduction;
mod rust;
mod table;

pub use float_call::FloatCall;
pub use function::{Allocation, Ending, Freed, HeapFamily, KnownFunction, SIGN_OF_GAMMA, Truth, is_silent_symbol};
pub use integer_call::{Extreme, IntegerCall, Wrapping};
pub use intrinsic::{Intrinsic, IntrinsicKind};
pub use operation::{ClassMask, FloatOperation};
pub use points::points_of;
pub use reduction::reduction_steps;

/// Whether a symbol is a function of Rust's runtime of which is known what it does.
pub(crate) fn is_rust_runtime(symbol: &str) -> bool {
    rust::named(symbol).is_some()
}
