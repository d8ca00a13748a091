//! What can go wrong on a path, and the input that leads to it.

use std::fmt;
use std::sync::Arc;

use labrys_program::{FunctionId, LocationId};
use labrys_testcase::TestInput;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// `assert` failed: its text.
    Assertion(Arc<str>),
    /// A panic of Rust's.
    Panic,
    /// The program called what says that it must not come here (`reach_error`, `__VERIFIER_error`, `klee_report_error`): the name.
    ErrorReached(Arc<str>),
    /// `abort`, or a trap.
    Abort,
    /// `__builtin_unreachable`, the end of a function that should have returned a value.
    Unreachable,
    /// An access outside an object's bounds, or to no object.
    OutOfBounds {
        /// Whether it was a write.
        is_write: bool,
        /// Its size in bytes.
        size: u64,
    },
    /// A write to a constant.
    ReadOnly,
    /// An access through the null pointer.
    Null,
    /// An access to memory behind `free`.
    UseAfterFree,
    /// An access to a local variable whose function has returned.
    UseAfterReturn,
    /// A second `free`.
    DoubleFree,
    /// `free` of what `malloc` did not give.
    InvalidFree,
    /// `memcpy` between ranges that overlap.
    Overlap,
    /// Something that was never written decides where control goes, or which memory is accessed.
    Uninitialised,
    /// Integer division by zero.
    DivisionByZero,
    /// The smallest integer divided by −1.
    DivisionOverflow,
    /// A shift by as many bits as the number has, or more.
    Shift,
    /// Overflow of a signed integer.
    SignedOverflow,
    /// Memory that nothing points to when the program ends, in bytes.
    Leak(u64),
}

impl fmt::Display for ViolationKind {
    /// One sentence's worth, for users.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            ViolationKind::Assertion(text) if text.is_empty() => "an assertion fails",
            ViolationKind::Assertion(text) => return write!(f, "the assertion `{text}` fails"),
            ViolationKind::ErrorReached(name) => return write!(f, "{name} is reached"),
            ViolationKind::OutOfBounds { is_write, size } => {
                let access = if *is_write { "write" } else { "read" };
                return match size {
                    0 => write!(f, "a {access} outside an object's bounds"),
                    1 => write!(f, "a {access} of 1 byte outside an object's bounds"),
                    size => write!(f, "a {access} of {size} bytes outside an object's bounds"),
                };
            }
            ViolationKind::Leak(bytes) => {
                return write!(f, "{bytes} bytes are allocated that nothing points to at the end");
            }
            ViolationKind::Panic => "the program panics",
            ViolationKind::Abort => "the program aborts",
            ViolationKind::Unreachable => "code is reached that is said to be unreachable",
            ViolationKind::ReadOnly => "a constant is written to",
            ViolationKind::Null => "the null pointer is dereferenced",
            ViolationKind::UseAfterFree => "memory is accessed after it was freed",
            ViolationKind::UseAfterReturn => "a local variable is accessed that is no more",
            ViolationKind::DoubleFree => "memory is freed twice",
            ViolationKind::InvalidFree => "what was not allocated is freed",
            ViolationKind::Overlap => "memory is copied between ranges that overlap",
            ViolationKind::Uninitialised => "a decision hangs on memory that was never written",
            ViolationKind::DivisionByZero => "an integer is divided by zero",
            ViolationKind::DivisionOverflow => "the smallest integer is divided by -1",
            ViolationKind::Shift => "an integer is shifted too far",
            ViolationKind::SignedOverflow => "a signed integer overflows",
        };
        f.write_str(text)
    }
}

/// One activation of the call stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    /// The function.
    pub function: FunctionId,
    /// Where it was; `None` where debug information is missing.
    pub location: Option<LocationId>,
}

/// A branch whose outcome the inputs decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Where it stands.
    pub site: CallSite,
    /// What was decided: 0 or 1 for a condition, the value for a switch or a pointer.
    pub value: u128,
}

/// A violation and the input that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What went wrong.
    pub kind: ViolationKind,
    /// Where, the innermost activation first.
    pub stack: Vec<CallSite>,
    /// The input.
    pub input: TestInput,
    /// The path, as far as inputs decided it, in order.
    pub decisions: Vec<Decision>,
}

impl Violation {
    /// What it is told apart by from others of a program: its kind, without sizes, and its innermost place.
    pub fn key(&self) -> (ViolationKind, Option<CallSite>) {
        (self.kind.without_sizes(), self.stack.first().cloned())
    }
}

impl ViolationKind {
    /// What is asked about it, in words: `whether an assertion fails`.
    pub fn question(&self) -> String {
        match self {
            ViolationKind::OutOfBounds { .. } => format!("whether there is {self}"),
            _ => format!("whether {self}"),
        }
    }

    /// The kind without sizes, which inputs decide.
    pub fn without_sizes(&self) -> ViolationKind {
        match self {
            ViolationKind::OutOfBounds { is_write, .. } => ViolationKind::OutOfBounds { is_write: *is_write, size: 0 },
            ViolationKind::Leak(_) => ViolationKind::Leak(0),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "whether a read of 4 bytes outside an object's bounds" had no verb.
    #[test]
    fn questions_are_sentences() {
        let read = ViolationKind::OutOfBounds { is_write: false, size: 4 };
        assert_eq!(read.question(), "whether there is a read of 4 bytes outside an object's bounds");
        assert_eq!(ViolationKind::Null.question(), "whether the null pointer is dereferenced");
    }
}
