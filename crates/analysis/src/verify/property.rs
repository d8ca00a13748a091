//! What can be asked about a program, by SV-COMP's names and by plain ones.

use labrys_executor::{Checks, ViolationKind};
use thiserror::Error;

/// A property of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// No assertion fails, and nothing is reached that must not be.
    Assertions,
    /// Accesses stay within live objects, what is freed was allocated, and nothing uninitialised decides.
    Memory,
    /// Indices stay within the arrays that they are of: rows, members of structs.
    Bounds,
    /// Accesses stay within live objects.
    Dereferences,
    /// What is freed was allocated, and once.
    Frees,
    /// Nothing allocated is lost at the end.
    Leaks,
    /// Nothing allocated is there at the end.
    Cleanup,
    /// No integer is divided by zero, and none by −1 that then overflows.
    Division,
    /// No shift is too far.
    Shift,
    /// No signed integer overflows.
    SignedOverflow,
}

/// A name that is no property here.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PropertyError {
    /// One of SV-COMP's that is not decided here.
    #[error("the property {0} is not supported; {KNOWN} are")]
    Unsupported(String),
    /// No property.
    #[error("`{0}` is no property; {KNOWN} are")]
    Unknown(String),
}

const KNOWN: &str = "unreach-call, no-overflow, valid-memsafety, valid-deref, valid-free, valid-memtrack, valid-memcleanup, \
                     assertions, memory, bounds, division, shift, overflow, leaks";

impl Property {
    /// What is asked about where the user does not say: all that is always an error.
    pub const DEFAULT: [Property; 4] = [Property::Assertions, Property::Memory, Property::Division, Property::Shift];

    /// The properties of a name, SV-COMP's or a plain one.
    ///
    /// # Errors
    ///
    /// [`PropertyError`].
    pub fn named(name: &str) -> Result<&'static [Property], PropertyError> {
        Ok(match name {
            "unreach-call" | "assertions" => &[Property::Assertions],
            // SV-COMP counts what a shift makes of signed integers among the overflows.
            "no-overflow" => &[Property::SignedOverflow, Property::Shift],
            "overflow" => &[Property::SignedOverflow],
            "valid-memsafety" => &[Property::Dereferences, Property::Frees, Property::Leaks],
            "valid-deref" => &[Property::Dereferences],
            "valid-free" => &[Property::Frees],
            "valid-memtrack" | "leaks" => &[Property::Leaks],
            "valid-memcleanup" => &[Property::Leaks, Property::Cleanup],
            "memory" => &[Property::Memory],
            "bounds" => &[Property::Bounds],
            "division" => &[Property::Division],
            "shift" => &[Property::Shift],
            "termination" | "no-data-race" | "def-behavior" => {
                return Err(PropertyError::Unsupported(name.to_owned()));
            }
            _ => return Err(PropertyError::Unknown(name.to_owned())),
        })
    }

    /// Its plain name.
    pub fn name(self) -> &'static str {
        match self {
            Property::Assertions => "assertions",
            Property::Memory => "memory",
            Property::Bounds => "bounds",
            Property::Dereferences => "valid-deref",
            Property::Frees => "valid-free",
            Property::Leaks => "leaks",
            Property::Cleanup => "valid-memcleanup",
            Property::Division => "division",
            Property::Shift => "shift",
            Property::SignedOverflow => "overflow",
        }
    }

    /// It in SV-COMP's words.
    pub(super) fn specification(self) -> &'static str {
        match self {
            Property::Assertions => "G ! call(reach_error())",
            Property::Memory | Property::Bounds | Property::Dereferences => "G valid-deref",
            Property::Frees => "G valid-free",
            Property::Leaks => "G valid-memtrack",
            Property::Cleanup => "G valid-memcleanup",
            Property::Division | Property::Shift | Property::SignedOverflow => "G ! overflow",
        }
    }

    /// Whether an error of this kind violates it. Memory that is accessed wrongly violates every property: nothing is known of what
    /// a program does behind it; but it is reported only where memory was asked about.
    pub(super) fn is_violated_by(self, kind: &ViolationKind) -> bool {
        if self == Property::Bounds {
            return matches!(kind, ViolationKind::OutOfBounds { .. });
        }
        let property = match kind {
            ViolationKind::Assertion(_)
            | ViolationKind::ErrorReached(_)
            | ViolationKind::Panic
            | ViolationKind::Abort
            | ViolationKind::Unreachable => Property::Assertions,
            ViolationKind::OutOfBounds { .. }
            | ViolationKind::ReadOnly
            | ViolationKind::Null
            | ViolationKind::UseAfterFree
            | ViolationKind::UseAfterReturn
            | ViolationKind::Overlap => Property::Dereferences,
            ViolationKind::DoubleFree | ViolationKind::InvalidFree => Property::Frees,
            ViolationKind::Uninitialised => Property::Memory,
            ViolationKind::DivisionOverflow if self == Property::SignedOverflow => Property::SignedOverflow,
            ViolationKind::DivisionByZero | ViolationKind::DivisionOverflow => Property::Division,
            ViolationKind::Shift => Property::Shift,
            ViolationKind::SignedOverflow => Property::SignedOverflow,
            ViolationKind::Leak(_) => Property::Leaks,
        };
        self == property || (self == Property::Memory && matches!(property, Property::Dereferences | Property::Frees))
    }
}

/// What the executor checks. Memory always is: a path that accesses it wrongly is at its end, whatever was asked about.
pub(super) fn checks(properties: &[Property]) -> Checks {
    let asks = |property: Property| properties.contains(&property);
    Checks {
        memory: true,
        division: true,
        shift: asks(Property::Shift),
        signed_overflow: asks(Property::SignedOverflow),
        leaks: asks(Property::Leaks),
        cleanup: asks(Property::Cleanup),
    }
}

/// What the compiler has to add to the program for them: IR does not say which numbers a shift is of, nor which array an index.
pub(super) fn compiled_checks(properties: &[Property]) -> Vec<String> {
    let asks = |property: Property| properties.contains(&property);
    let shifts = asks(Property::Shift) && asks(Property::SignedOverflow);
    let checks = [(shifts, "shift-base"), (asks(Property::Bounds), "array-bounds")];
    let asked = checks.iter().filter(|(is_asked, _)| *is_asked);
    let mut words: Vec<String> =
        asked.flat_map(|(_, check)| [format!("-fsanitize={check}"), format!("-fsanitize-trap={check}")]).collect();
    if !words.is_empty() {
        // Reasons take the places of what traps.
        words.push("-fsanitize-debug-trap-reasons=none".to_owned());
    }
    words
}

/// Whether an error of this kind was asked about.
pub(super) fn is_asked_about(properties: &[Property], kind: &ViolationKind) -> bool {
    properties.iter().any(|property| property.is_violated_by(kind))
}

/// Whether a path may go to its end with an error of this kind that was not asked about, and the properties hold all the same: the
/// program ends itself there. Behind anything else nothing is known.
pub(super) fn ends_the_program(kind: &ViolationKind) -> bool {
    matches!(
        kind,
        ViolationKind::Assertion(_) | ViolationKind::ErrorReached(_) | ViolationKind::Panic | ViolationKind::Abort
    )
}
