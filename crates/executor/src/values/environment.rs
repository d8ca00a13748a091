//! The floating-point environment of a path: rounding mode and exception flags.
//!
//! Flags are terms that are made when somebody reads them. Until then an operation on symbols is one link of a list, which
//! paths share; an operation on known floats sets flags at once. Where a flag is known to be set, nothing behind it matters.

use std::sync::Arc;

use labrys_float::{Flags, RoundingMode};
use labrys_term::TermId;

/// What may have raised exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Raising {
    /// A Float term whose operator is one operation of the processor.
    Operation(TermId),
    /// Two operands: invalid if one of them is a signaling NaN.
    Signaling(TermId, TermId),
    /// Two operands: invalid if one of them is a NaN.
    Unordered(TermId, TermId),
    /// A conversion by an instruction to a signed integer of so many bits; whether inexact is raised.
    ToInteger(TermId, RoundingMode, u32, bool),
    /// One flag, where a Bool term holds.
    Perhaps(Flags, TermId),
}

/// What happened to the flags, the last first.
#[derive(Debug)]
pub(super) enum Happened {
    /// Exceptions, if their conditions hold.
    Raised(Raising),
    /// Flags were cleared.
    Cleared(Flags),
    /// One flag was given a value: a Bool term.
    Assigned(Flags, TermId),
}

/// A link of the list.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) happened: Happened,
    pub(super) before: Option<Arc<Link>>,
}

impl Drop for Link {
    /// Without recursion: lists are as long as paths.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(link) = next {
            match Arc::try_unwrap(link) {
                Ok(mut link) => next = link.before.take(),
                Err(_) => break,
            }
        }
    }
}

/// Rounding mode and exception flags of a path. Cloning takes constant time.
#[derive(Clone, Debug, Default)]
pub struct FloatEnvironment {
    pub(super) rounding: RoundingMode,
    /// Flags that are known to be set.
    pub(super) raised: Flags,
    /// What decides the others.
    pub(super) last: Option<Arc<Link>>,
}

impl FloatEnvironment {
    /// Whether the same flags are set in two environments, as far as that is known without a look at what happened.
    pub(super) fn has_flags_of(&self, other: &FloatEnvironment) -> bool {
        let same_list = match (&self.last, &other.last) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        self.raised == other.raised && same_list
    }

    pub(super) fn push(&mut self, happened: Happened) {
        self.last = Some(Arc::new(Link { happened, before: self.last.take() }));
    }

    /// Flags cleared, the others as they are.
    pub(super) fn clear(&mut self, flags: Flags) {
        self.raised -= flags;
        if self.last.is_some() {
            if flags == Flags::all() {
                self.last = None;
            } else {
                self.push(Happened::Cleared(flags));
            }
        }
    }
}
