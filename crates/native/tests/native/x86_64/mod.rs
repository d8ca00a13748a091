//! What x86-64 alone offers: traces, control over lanes, the x87 unit.

mod lanes;
mod sticky_flags;
mod trace_batches;
mod traces;
mod x87_flags;
