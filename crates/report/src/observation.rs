//! What one build did on one input.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::{SourcePlace, Value, exceptions};

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// It returned.
    #[default]
    Returned,
    /// A signal ended it.
    Signal,
    /// It ran out of time.
    Timeout,
    /// It ended the process.
    Exit,
    /// It panicked.
    Panic,
}

/// One event of a trace: a site and the exceptions that one execution of it raised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TraceEvent {
    /// What it raised.
    #[serde(with = "exceptions")]
    pub exceptions: Flags,
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The function, as users know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// `fadd`, `fmul`, ...: what the machine executed there.
    pub operator: String,
    /// Where a library function called by the user's code raised it: that function's symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Where debug information is missing: the offset in the shared object, "0x1139".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// What one build did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservationRecord {
    /// The build's role.
    pub role: String,
    /// The union of exceptions raised: what `fetestexcept` sees.
    #[serde(with = "exceptions")]
    pub flags: Flags,
    /// Exceptions that hang on what callers leave in unused vector lanes or on memory that nobody wrote: nothing is said of them.
    #[serde(with = "exceptions", default, skip_serializing_if = "Flags::is_empty")]
    pub not_compared: Flags,
    /// What it returned; absent where it did not return, and for functions that return nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Memory outputs.
    #[serde(default)]
    pub outputs: Vec<Value>,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// Whether `trace` has every event.
    pub trace_complete: bool,
    /// The events in order.
    pub trace: Vec<TraceEvent>,
    /// The signal's number, where the outcome is a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The exit code, where the outcome is an exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

impl OutcomeKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            OutcomeKind::Returned => "returned",
            OutcomeKind::Signal => "signal",
            OutcomeKind::Timeout => "timeout",
            OutcomeKind::Exit => "exit",
            OutcomeKind::Panic => "panic",
        }
    }
}

impl TraceEvent {
    /// The site in one word: `f.c:2:40 turbine1 fdiv`, or the address where there is no debug information.
    pub fn site(&self) -> String {
        let mut text = self.place_words();
        for part in self.function.iter().chain([&self.operator]).filter(|part| !part.is_empty()) {
            text.push(' ');
            text.push_str(part);
        }
        if let Some(library) = &self.library {
            text.push_str(&format!(" in {library}"));
        }
        text
    }

    /// The site's place: `f.c:2:40`, `f.c:2`, `f.c`, or the address.
    pub fn place_words(&self) -> String {
        let words = self.place.words().filter(|_| self.place.file.is_some());
        words.or_else(|| self.address.clone()).unwrap_or_else(|| "?".to_owned())
    }
}

impl ObservationRecord {
    /// What a call raised, in words: `underflow`, `none; invalid: not compared`. Of one that did not return that is known only as far as it was followed.
    pub fn exceptions_words(&self) -> String {
        let raised = match self.outcome {
            OutcomeKind::Returned => exceptions::listed(self.flags),
            _ if self.flags.is_empty() => "not known".to_owned(),
            _ => exceptions::listed(self.flags),
        };
        match self.not_compared.is_empty() {
            true => raised,
            false => format!("{raised}; {}: not compared", exceptions::listed(self.not_compared)),
        }
    }

    /// The outcome in words where it is not a return: `signal 11 (SIGSEGV)`, `time-out`, `exit(3)`, `a panic`.
    pub fn outcome_words(&self) -> Option<String> {
        match self.outcome {
            OutcomeKind::Returned => None,
            OutcomeKind::Signal => Some(match self.signal {
                Some(number) => format!("signal {number}{}", signal_name(number)),
                None => "signal".to_owned(),
            }),
            OutcomeKind::Timeout => Some("time-out".to_owned()),
            OutcomeKind::Exit => Some(match self.exit_code {
                Some(code) => format!("exit({code})"),
                None => "exit".to_owned(),
            }),
            OutcomeKind::Panic => Some("a panic".to_owned()),
        }
    }
}

/// Linux's numbers of the signals that ordinary code dies of.
fn signal_name(number: i32) -> &'static str {
    match number {
        4 => " (SIGILL)",
        5 => " (SIGTRAP)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU)",
        _ => "",
    }
}
