//! Tracing the exceptions of one call inside the process that runs it, on unmodified code.
//!
//! *Trapping*: the watched exceptions are unmasked. SSE and AVX report an unmasked exception before the instruction
//! writes anything. The handler of SIGFPE masks everything, clears the sticky bits and sets the trap flag, so that the
//! instruction is executed again by itself; the SIGTRAP after it shows what the instruction really raised (an unmasked
//! underflow also traps for exact tiny results, which raise nothing). Then the old sticky bits are put back together with
//! the new ones, rounding and flush bits stay as they are, and the masks are what they were. Every instruction that raises
//! a watched exception while it is unmasked is seen, in order.
//!
//! *Stepping*: the trap flag stays set; before each instruction the sticky bits of SSE and x87 are cleared, after it they
//! are what it raised. Instructions that read or write the sticky bits themselves ([`super::status_access`]) find what they would
//! have found without tracing. This is for x87, which reports exceptions late, and for code that changes masks.
//!
//! What this may miss: under trapping, all x87 arithmetic and what happens while the code itself has exceptions masked
//! (`feholdexcept`; where `feupdateenv` then raises them again is where they show); under both, what happens while the code blocks the signals or has its own handlers. So the caller
//! compares the union of the events and the result with the fast path's, steps where trapping did not tell the whole
//! story, and says so where that does not either.
//!
//! Handlers touch only static state, the stack and shared memory: no allocation, no locks.

use std::path::Path;

use super::setup::Setup;
use super::{caller, handlers, places};
use crate::job::{Drive, Job};
use crate::library::Library;
use crate::protocol::{Command, Mode};
use crate::shared::Shared;
use crate::symbol;

/// The places that traces need, found once for a loaded build.
pub struct Tracer {
    code: (u64, u64),
    driver: (u64, u64),
    stack_end: u64,
    most_events: u64,
}

impl Tracer {
    /// Finds them for a library and its driver loop, both of them loaded, and has the unwinder do now what only its first use needs, so
    /// that runners and handlers need not.
    pub fn prepare(library: &Library<'_>, driver: &Path, most_events: u64) -> Tracer {
        caller::warm_up();
        Tracer {
            code: places::code_range(library.path, library.base).unwrap_or(library.range),
            driver: symbol::loaded_range(driver).unwrap_or((0, 0)),
            stack_end: places::stack_end(),
            most_events,
        }
    }

    /// Drives a job with its exceptions traced as the command says.
    ///
    /// # Safety
    ///
    /// The driver loop's own, the job being valid; and this process has one thread.
    pub unsafe fn drive(&self, drive: Drive, shared: &Shared, command: Command, job: &mut Job) {
        let header = shared.header();
        let setup = Setup {
            mode: command.mode,
            watched: command.watched as u32,
            code: self.code,
            target: job.target as u64,
            driver: self.driver,
            stack_end: self.stack_end,
            progress: &raw const header.progress,
            events: shared.events(),
            count: &raw const header.events,
            most: self.most_events,
        };
        // SAFETY: the shared memory that the setup points to lives as long as this process; the rest is the caller's.
        unsafe {
            let armed = handlers::arm(setup);
            if command.mode == Mode::Step {
                handlers::step(drive, job);
            } else {
                job.mxcsr = unmasked(job.mxcsr, command.watched as u32);
                drive(job);
            }
            handlers::disarm(armed);
        }
    }
}

/// MXCSR with these exceptions (status bits, in the processor's order) unmasked.
fn unmasked(mxcsr: u32, status: u32) -> u32 {
    mxcsr & !((status & super::STATUS) << super::MASK_SHIFT)
}
