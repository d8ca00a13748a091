//! Ways of tracing exceptions.

/// How exceptions can be traced on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracingSupport {
    /// Unmasked exceptions trap, and instructions can be stepped.
    Trap,
    /// Instructions can be stepped only: traces are complete but slow.
    Step,
    /// Neither: traces are empty.
    None,
}

impl std::fmt::Display for TracingSupport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            TracingSupport::Trap => "exception traps",
            TracingSupport::Step => "single steps only: exceptions do not trap on this machine",
            TracingSupport::None => "none: this machine neither traps exceptions nor single-steps",
        })
    }
}
