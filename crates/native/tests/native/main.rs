//! Native execution on small C sources.

mod confirmation;
mod fixture;
mod libraries;
mod signatures;
mod sticky_flags;
mod survival;
mod trace_batches;
mod traces;
mod x87_flags;
