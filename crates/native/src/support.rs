//! How exceptions can be traced on this machine.

use crate::processor::{self, TracingSupport};

/// What this machine offers, tried at the first call.
pub fn tracing_support() -> TracingSupport {
    static SUPPORT: std::sync::OnceLock<TracingSupport> = std::sync::OnceLock::new();
    *SUPPORT.get_or_init(processor::support)
}

/// Whether unmasked exceptions trap on this machine.
pub fn trapping_available() -> bool {
    tracing_support() == TracingSupport::Trap
}
