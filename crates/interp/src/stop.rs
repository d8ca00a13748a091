//! Why execution of a path ended, as data.

use std::fmt;
use std::sync::Arc;

use labrys_program::{FunctionId, LocationId};

/// What [`Stop::AssertionFailed`] says of a panic.
pub const PANIC: &str = "panic";

/// Why a path ended other than by returning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// Something that is not modelled: what.
    Unsupported(Arc<str>),
    /// A function that is neither defined nor modelled.
    UnknownFunction(Arc<str>),
    /// A wrong access to memory.
    Memory(MemoryFault),
    /// Integer division by zero, or of the smallest number by −1.
    IntegerDivision,
    /// A shift by as many bits as the number has, or more ([`crate::Checks::shifts`]).
    Shift,
    /// Overflow of a signed integer ([`crate::Checks::signed_overflow`]).
    SignedOverflow,
    /// `unreachable`, a trap or a failed assumption was executed: undefined behaviour.
    Unreachable,
    /// A branch, call or address depends on undef, poison or uninitialised memory.
    Undefined,
    /// The program ended itself: `exit` with its status, or `abort`.
    Exit(Option<i32>),
    /// An assertion failed; its text where known.
    AssertionFailed(Arc<str>),
    /// More instructions than the limit.
    InstructionLimit,
    /// Deeper calls than the limit.
    CallDepth,
    /// A loop ran more often under symbolic control than the bound.
    LoopBound,
    /// An integer that had to be known has more possible values than are enumerated.
    SymbolicValue,
}

/// A wrong access to memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryFault {
    /// What is wrong.
    pub kind: MemoryFaultKind,
    /// Whether it was a write.
    pub is_write: bool,
    /// Size of the access in bytes.
    pub size: u64,
    /// Where.
    pub location: Option<LocationId>,
}

/// What is wrong with an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryFaultKind {
    /// Through the null pointer.
    Null,
    /// Through a pointer to no object.
    Wild,
    /// Beyond the object's bounds.
    OutOfBounds,
    /// Beyond what is declared of a global that is defined elsewhere, as in `extern double table[];`.
    Undeclared,
    /// The object's life has ended.
    Dead,
    /// A write to a constant.
    ReadOnly,
    /// `free` of something that `malloc` did not give.
    BadFree,
    /// The object was freed ([`crate::Checks::accesses`], and so are those that follow).
    Freed,
    /// The object was a local variable of a function that has returned.
    Returned,
    /// `free` of what was freed before.
    DoubleFree,
    /// `memcpy` between ranges that overlap.
    Overlap,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Unsupported(what) => write!(f, "not supported: {what}"),
            Stop::UnknownFunction(name) => write!(f, "call of {name}, which is neither defined nor modelled"),
            Stop::Memory(fault) => write!(f, "{fault}"),
            Stop::IntegerDivision => write!(f, "integer division by zero or overflow"),
            Stop::Shift => write!(f, "shift by the width or more"),
            Stop::SignedOverflow => write!(f, "signed overflow"),
            Stop::Unreachable => write!(f, "undefined behaviour: unreachable code"),
            Stop::Undefined => write!(f, "control depends on an undefined value"),
            Stop::Exit(Some(status)) => write!(f, "exit({status})"),
            Stop::Exit(None) => write!(f, "abort"),
            Stop::AssertionFailed(text) if &**text == PANIC => write!(f, "a panic"),
            Stop::AssertionFailed(text) => write!(f, "assertion failed: {text}"),
            Stop::InstructionLimit => write!(f, "instruction limit"),
            Stop::CallDepth => write!(f, "call depth limit"),
            Stop::LoopBound => write!(f, "loop bound"),
            Stop::SymbolicValue => write!(f, "too many values of a symbolic integer"),
        }
    }
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = if self.is_write { "write" } else { "read" };
        let kind = match self.kind {
            MemoryFaultKind::Null => "through a null pointer",
            MemoryFaultKind::Wild => "through a pointer to no object",
            MemoryFaultKind::OutOfBounds => "out of bounds",
            MemoryFaultKind::Undeclared => "of a global that is defined elsewhere, beyond what is declared of it",
            MemoryFaultKind::Dead => "after the object's life",
            MemoryFaultKind::ReadOnly => "to constant memory",
            MemoryFaultKind::BadFree => "by freeing what was not allocated",
            MemoryFaultKind::Freed => "after it was freed",
            MemoryFaultKind::Returned => "after its function returned",
            MemoryFaultKind::DoubleFree => "by freeing it again",
            MemoryFaultKind::Overlap => "that overlaps what is copied",
        };
        write!(f, "{access} of {} bytes {kind}", self.size)
    }
}

impl std::error::Error for Stop {}

/// A path cannot go on until a symbol's value is chosen; the state is as before the instruction, which is then retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<S> {
    /// What must be known.
    pub symbol: S,
    /// Its width in bits.
    pub bits: u32,
    /// Values it may have, in the order in which to try them.
    pub candidates: Vec<u128>,
    /// Whether there are no others. If false, the remaining values make one more path, which stops with `otherwise`.
    pub is_exhaustive: bool,
    /// Why a path with none of the candidates stops.
    pub otherwise: Stop,
}

/// Why a step did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt<S> {
    /// The path is over.
    Stop(Stop),
    /// A choice must be made first.
    Split(Box<Split<S>>),
    /// A call that the driver answers ([`crate::Machine::answers`]) comes next.
    Call(FunctionId),
}

impl<S> From<Stop> for Halt<S> {
    fn from(stop: Stop) -> Self {
        Halt::Stop(stop)
    }
}

impl Stop {
    /// `Unsupported` with a reason.
    pub fn unsupported(what: impl Into<Arc<str>>) -> Stop {
        Stop::Unsupported(what.into())
    }
}
