//! What a finding of `verify` says.

use serde::{Deserialize, Serialize};

use crate::SourcePlace;

/// What goes wrong in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationClass {
    /// An assertion fails, or what must not be reached is reached.
    Assertion,
    /// An access outside an object's bounds, or to no object.
    OutOfBounds,
    /// A write to what is constant.
    ReadOnly,
    /// An access to memory that was freed.
    UseAfterFree,
    /// An access to a local variable that is no more.
    UseAfterReturn,
    /// Memory is freed twice.
    DoubleFree,
    /// What was not allocated is freed.
    InvalidFree,
    /// An access through the null pointer.
    Null,
    /// Ranges overlap that must not.
    Overlap,
    /// What was never written decides something.
    Uninitialised,
    /// Integer division by zero.
    DivisionByZero,
    /// An integer result beyond its type.
    Overflow,
    /// A shift by too many bits.
    Shift,
    /// The program aborts itself.
    Abort,
    /// What is said to be unreachable is reached.
    Unreachable,
    /// Memory is lost.
    Leak,
}

impl ViolationClass {
    /// All of them, with their names in reports and what they mean in a sentence.
    pub(crate) const ALL: [(ViolationClass, &'static str, &'static str); 16] = [
        (ViolationClass::Assertion, "assertion", "An assertion fails, or code is reached that must not be."),
        (ViolationClass::OutOfBounds, "out-of-bounds", "Memory is accessed outside an object's bounds."),
        (ViolationClass::ReadOnly, "read-only", "A constant is written to."),
        (ViolationClass::UseAfterFree, "use-after-free", "Memory is accessed that was freed."),
        (ViolationClass::UseAfterReturn, "use-after-return", "A local variable is accessed that is no more."),
        (ViolationClass::DoubleFree, "double-free", "Memory is freed twice."),
        (ViolationClass::InvalidFree, "invalid-free", "What was not allocated is freed."),
        (ViolationClass::Null, "null", "The null pointer is dereferenced."),
        (ViolationClass::Overlap, "overlap", "Memory is copied between ranges that overlap."),
        (ViolationClass::Uninitialised, "uninitialised", "A decision hangs on what was never written."),
        (ViolationClass::DivisionByZero, "division-by-zero", "An integer is divided by zero."),
        (ViolationClass::Overflow, "overflow", "An integer operation has a result beyond its type."),
        (ViolationClass::Shift, "shift", "An integer is shifted by as many bits as it has, or more."),
        (ViolationClass::Abort, "abort", "The program aborts."),
        (ViolationClass::Unreachable, "unreachable", "Code is reached that is said to be unreachable."),
        (ViolationClass::Leak, "leak", "Nothing points to allocated memory at the program's end."),
    ];

    /// Its place among [`ViolationClass::ALL`].
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|(class, ..)| *class == self).unwrap_or(0)
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self.index()].1
    }
}

/// One activation of the call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackEntry {
    /// The function, as users know it.
    pub function: String,
    /// Where it was.
    #[serde(flatten)]
    pub place: SourcePlace,
}

/// Bytes that the program asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectRecord {
    /// Their name.
    pub name: String,
    /// The bytes as they lie in memory, in hexadecimal.
    pub bytes: String,
}

/// A decision on the path to an error, by its inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// The function, as users know it.
    pub function: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// What was decided: `true` or `false` of a condition, the number of a switch or a pointer.
    pub outcome: String,
}

/// What a finding of a verification says beyond its witness: members of the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolationDetails {
    /// What goes wrong.
    pub kind: ViolationClass,
    /// Where: the innermost activation whose place is known.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The call stack, the innermost activation first.
    pub stack: Vec<StackEntry>,
    /// The decisions that lead there, as far as inputs make them, in their order; those of branches that only choose values are not among
    /// them. The first and the last, where they are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<PathStep>,
    /// How many decisions in the midst of `decisions` are left out.
    #[serde(default, skip_serializing_if = "is_none")]
    pub decisions_left_out: u64,
    /// Whether a native run showed it.
    pub replayed: bool,
    /// What that run showed, in words.
    pub observed: String,
    /// The command line behind the program's name, in hexadecimal.
    pub arguments: Vec<String>,
    /// The inputs, as the program gets them again.
    pub objects: Vec<ObjectRecord>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}
