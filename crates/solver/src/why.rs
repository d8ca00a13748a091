//! Why a query was not decided, as data.

use std::fmt;

/// Why a query was not decided. A result like any other, never an error; it reaches the report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The work limit, which is deterministic.
    Work,
    /// The wall-clock limit: another run may decide it.
    Wall,
    /// The memory limit.
    Memory,
    /// Somebody else has the answer, or nobody wants it any more.
    Cancelled,
    /// The solver died: how.
    Crash(String),
    /// There is no solver: what was looked for.
    Missing(String),
    /// The solver's answer makes no sense: its beginning.
    Garbage(String),
    /// The solver gave up by itself: its words.
    Incomplete(String),
    /// The solver's model does not satisfy the query.
    WrongModel,
    /// There is no model as far as the engines know, but no checked proof of that: why.
    Uncertified(String),
    /// The query is outside what the engine reads: which part.
    Unsupported(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Work => f.write_str("work limit"),
            Why::Wall => f.write_str("wall limit"),
            Why::Memory => f.write_str("memory limit"),
            Why::Cancelled => f.write_str("cancelled"),
            Why::Crash(how) => write!(f, "the solver died: {how}"),
            Why::Missing(what) => write!(f, "no solver: {what}"),
            Why::Garbage(text) => write!(f, "the solver answered nonsense: {text}"),
            Why::Incomplete(words) => write!(f, "the solver gave up: {words}"),
            Why::WrongModel => f.write_str("the solver's model does not satisfy the query"),
            Why::Uncertified(fault) => write!(f, "not certified: {fault}"),
            Why::Unsupported(part) => write!(f, "not supported: {part}"),
        }
    }
}
