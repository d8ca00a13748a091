//! What one call showed.

use labrys_float::Flags;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It returned.
    Returned,
    /// A signal ended it: its number.
    Signal(i32),
    /// It did not return within the limit.
    Timeout,
    /// It ended the process: the exit code.
    Exit(i32),
    /// It panicked, and what called it caught that and said so.
    Panic,
}

/// The exceptions that one instruction raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What the instruction really raised.
    pub exceptions: Flags,
    /// The instruction's address relative to the library; for an instruction outside it, the address of the call in
    /// the library that led there.
    pub address: u64,
    /// The absolute address of an instruction outside the library.
    pub outside: Option<u64>,
}

/// The exceptions of one call, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The events.
    pub events: Vec<Event>,
    /// Whether the events' union is what the sticky flags say, with the same result.
    pub complete: bool,
}

/// What one call showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How it ended.
    pub outcome: Outcome,
    /// The sticky flags at return; empty unless the call returned.
    pub flags: Flags,
    /// The output record; zero bytes unless the call returned.
    pub output: Vec<u8>,
    /// The trace, where one was asked for.
    pub trace: Option<Trace>,
}
