//! When a native run shows what symbolic execution found.
//!
//! **The law.** The run's error is of the same kind, at the same line of the same file. These differences are none:
//!
//! - An access outside an object can be any error of an access natively, at that line: what lies there, memory that was freed or that
//!   is not there, hangs on the layout.
//! - Null with an offset is an access to memory that is not there, and a write to a constant is one.
//! - The processor's trap for divisions stands for division by zero and for overflow of a division: it does not tell them apart.
//! - A trap stands for `abort` where that is compiled to one, and for unreachable code.
//! - A local variable's end of scope and its function's return are one kind.
//! - What says that it must not be reached (`reach_error`) may be the program's own function: an assertion or `abort` in it, called
//!   from that line, is it.
//! - An assertion over several lines is natively at the line that `__LINE__` is, one of those behind its first: the same text, at most
//!   [`LONGEST_ASSERTION`] lines later.
//! - Leaks have no line.
//!
//! Two assertions on one line are two errors.

use labrys_executor::ViolationKind;
use labrys_native::{Ending, ErrorKind, Replay, SourceFrame};
use labrys_report::SourcePlace;

use crate::run::record::{from_here, place_of_frame, words_of_replay};

/// Whether the run shows the error at a place; else what it shows instead, in words.
pub(super) fn agrees(kind: &ViolationKind, place: &SourcePlace, replay: &Replay) -> Result<(), String> {
    let Ending::Error(shown) = &replay.ending else { return Err(words_of_replay(replay)) };
    if !is_same_kind(kind, shown, replay) {
        return Err(words_of_replay(replay));
    }
    if matches!(kind, ViolationKind::Leak(_)) {
        return Ok(());
    }
    if place.line.is_none() {
        return Err(format!(
            "{}; where it was found by execution is not known: compile with -g",
            words_of_replay(replay)
        ));
    }
    let mut places: Vec<SourcePlace> = replay.place.iter().map(place_of_frame).collect();
    if is_own_function(kind, replay) {
        // The call is the place.
        places.extend(replay.stack.get(1).map(place_of_frame));
    }
    let is_here = |at: &SourcePlace| match is_same_text(kind, shown) {
        // Of two assertions on one line it is the other one.
        Some(false) => false,
        Some(true) => is_within_assertion(place, at),
        None => is_same_line(place, at),
    };
    match places.iter().any(is_here) {
        true => Ok(()),
        false => Err(words_of_replay(replay)),
    }
}

/// Lines of the longest assertion.
const LONGEST_ASSERTION: u32 = 64;

/// Whether both are the same assertion's words, where both are an assertion's.
fn is_same_text(kind: &ViolationKind, shown: &ErrorKind) -> Option<bool> {
    match (kind, shown) {
        (ViolationKind::Assertion(found), ErrorKind::Assertion(text)) if !found.is_empty() && !text.is_empty() => {
            Some(**found == *text)
        }
        _ => None,
    }
}

/// Whether an assertion that begins at a place may say that it stands at the other.
fn is_within_assertion(found: &SourcePlace, shown: &SourcePlace) -> bool {
    let (Some(first), Some(line)) = (found.line, shown.line) else { return false };
    let lines = first..first.saturating_add(LONGEST_ASSERTION);
    lines.contains(&line) && is_same_line(&SourcePlace { line: Some(line), ..found.clone() }, shown)
}

/// Whether both are on one line of one file. Files are named as compilers were given them: from the folder of the build, or whole.
fn is_same_line(found: &SourcePlace, shown: &SourcePlace) -> bool {
    let (Some(a), Some(b)) = (&found.file, &shown.file) else { return false };
    let whole = |file: &str| {
        let path = std::path::Path::new(file);
        path.canonicalize().map_or_else(|_| from_here(file.to_owned()), |path| path.display().to_string())
    };
    found.line == shown.line && (a == b || whole(a) == whole(b))
}

/// Whether the program's own function that must not be reached ended it.
fn is_own_function(kind: &ViolationKind, replay: &Replay) -> bool {
    let ViolationKind::ErrorReached(name) = kind else { return false };
    replay.stack.first().is_some_and(|frame: &SourceFrame| frame.symbol == **name || frame.function == **name)
}

fn is_same_kind(kind: &ViolationKind, shown: &ErrorKind, replay: &Replay) -> bool {
    match kind {
        ViolationKind::Assertion(_) => matches!(shown, ErrorKind::Assertion(_)) || is_verifiers_assert(shown),
        ViolationKind::ErrorReached(name) => match shown {
            ErrorKind::ErrorReached(reached) => reached == &**name,
            ErrorKind::Assertion(_) | ErrorKind::Abort | ErrorKind::Trap => is_own_function(kind, replay),
            _ => false,
        },
        ViolationKind::Panic => matches!(shown, ErrorKind::Panic(_)),
        ViolationKind::Abort => match shown {
            ErrorKind::ErrorReached(name) => name == "klee_abort",
            shown => matches!(shown, ErrorKind::Abort | ErrorKind::Trap),
        },
        ViolationKind::Unreachable => matches!(shown, ErrorKind::Unreachable | ErrorKind::Trap),
        ViolationKind::OutOfBounds { .. } => matches!(
            shown,
            ErrorKind::OutOfBounds
                | ErrorKind::WildAccess { .. }
                | ErrorKind::Null
                | ErrorKind::UseAfterFree
                | ErrorKind::UseAfterReturn
                | ErrorKind::UseAfterScope
        ),
        ViolationKind::ReadOnly => matches!(shown, ErrorKind::WildAccess { is_write: None | Some(true) }),
        ViolationKind::Null => matches!(shown, ErrorKind::Null | ErrorKind::WildAccess { .. }),
        ViolationKind::UseAfterFree => matches!(shown, ErrorKind::UseAfterFree),
        ViolationKind::UseAfterReturn => matches!(shown, ErrorKind::UseAfterReturn | ErrorKind::UseAfterScope),
        ViolationKind::DoubleFree => matches!(shown, ErrorKind::DoubleFree),
        ViolationKind::InvalidFree => matches!(shown, ErrorKind::InvalidFree),
        ViolationKind::Overlap => matches!(shown, ErrorKind::Overlap),
        ViolationKind::Uninitialised => matches!(shown, ErrorKind::Uninitialised),
        ViolationKind::DivisionByZero => matches!(shown, ErrorKind::DivisionByZero | ErrorKind::DivisionTrap),
        ViolationKind::DivisionOverflow => matches!(shown, ErrorKind::DivisionOverflow | ErrorKind::DivisionTrap),
        ViolationKind::Shift => matches!(shown, ErrorKind::Shift),
        ViolationKind::SignedOverflow => matches!(shown, ErrorKind::SignedOverflow),
        ViolationKind::Leak(_) => matches!(shown, ErrorKind::Leak),
    }
}

/// SV-COMP's assertion, which is a function.
fn is_verifiers_assert(shown: &ErrorKind) -> bool {
    matches!(shown, ErrorKind::ErrorReached(name) if name == "__VERIFIER_assert")
}
