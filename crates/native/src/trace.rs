//! Tracing the exceptions of one call inside the process that runs it, on unmodified code.
//!
//! *Trapping*: the watched exceptions are unmasked. A SIGFPE's handler masks everything, clears the sticky bits and sets
//! the trap flag, so that the instruction is executed again by itself; the SIGTRAP after it shows what the instruction
//! really raised (an unmasked underflow also traps for exact tiny results, which raise nothing). Then the old sticky
//! bits are restored, rounding and flush bits stay as they are, and the exceptions are unmasked again.
//!
//! *Stepping*: the trap flag stays set; after every instruction the sticky bits of SSE and x87 are read and cleared.
//! This is for x87, which reports exceptions late, and for code that meddles with masks or handlers.
//!
//! What this may miss: code that reads its own sticky bits sees them as always under trapping, but cleared ones under
//! stepping. The caller compares the union of events and the result with the fast path's and says so where they differ.
//!
//! Handlers touch only the static state below and shared memory: no allocation, no locks.

use crate::shared::{MAX_EVENTS, RawEvent};

/// How a call is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By unmasked exceptions.
    Trap,
    /// By single steps.
    Step,
}

/// What the handlers need.
#[derive(Clone, Copy)]
pub struct Setup {
    /// How to trace.
    pub mode: Mode,
    /// Watched status bits, in the processor's order.
    pub watched: u32,
    /// The library's executable addresses.
    pub code: (u64, u64),
    /// The end of the stack.
    pub stack_end: u64,
    /// The trace buffer, [`MAX_EVENTS`] long.
    pub events: *mut RawEvent,
    /// Where the number of events goes.
    pub count: *const std::sync::atomic::AtomicU64,
}

/// Whether this processor and build can trap exceptions.
pub fn trapping_available() -> bool {
    cfg!(all(target_arch = "x86_64", target_os = "linux"))
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use x86_64::{arm, disarm};

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod x86_64 {
    use std::arch::asm;
    use std::cell::UnsafeCell;
    use std::sync::atomic::Ordering;

    use super::{MAX_EVENTS, Mode, RawEvent, Setup};

    /// MXCSR's mask bits stand so far above its status bits.
    const MASK_SHIFT: u32 = 7;
    const STATUS: u32 = 0x3f;
    const ALL_MASKS: u32 = STATUS << MASK_SHIFT;
    const TRAP_FLAG: i64 = 0x100;
    /// How far up the stack a return address into the library is looked for, in bytes.
    const STACK_SEARCH: u64 = 256 * 1024;

    struct State {
        setup: Option<Setup>,
        /// Watched bits raised so far: every one of them came through an event.
        raised: u32,
        /// Sticky bits that tracing does not watch, to be restored after the step.
        unwatched: u32,
    }

    struct Cell(UnsafeCell<State>);

    // SAFETY: only the runner's single thread and the handlers that interrupt it use the cell, and the thread itself
    // only while no handler can run (before arming, after disarming).
    unsafe impl Sync for Cell {}

    static STATE: Cell = Cell(UnsafeCell::new(State { setup: None, raised: 0, unwatched: 0 }));

    /// Installs the handlers and begins tracing. The call under test comes right after.
    ///
    /// # Safety
    ///
    /// The process has one thread; `setup`'s pointers are valid until [`disarm`].
    pub unsafe fn arm(setup: Setup) {
        // SAFETY: no handler runs yet, so this is the only access.
        unsafe { *STATE.0.get() = State { setup: Some(setup), raised: 0, unwatched: 0 } };
        install(libc::SIGFPE, on_fpe);
        install(libc::SIGTRAP, on_trap);
    }

    /// Leaves stepping and masks exceptions again.
    ///
    /// # Safety
    ///
    /// After [`arm`], on the same thread.
    pub unsafe fn disarm() {
        // SAFETY: clearing the trap flag and masking exceptions touches no memory but the stack slot used here.
        unsafe {
            asm!("pushfq", "and qword ptr [rsp], -257", "popfq");
            let mut mxcsr: u32 = 0;
            asm!("stmxcsr [{0}]", in(reg) &mut mxcsr);
            mxcsr |= ALL_MASKS;
            asm!("ldmxcsr [{0}]", in(reg) &mxcsr);
        }
    }

    type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

    fn install(signal: i32, handler: Handler) {
        // SAFETY: the action is fully initialised; the handler is async-signal-safe (see the module's head). The signal
        // is unblocked, for code under test may have blocked it in an earlier call.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, signal);
            libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        }
    }

    struct Frame<'a> {
        context: &'a mut libc::ucontext_t,
    }

    impl Frame<'_> {
        fn register(&self, index: i32) -> u64 {
            self.context.uc_mcontext.gregs[index as usize] as u64
        }

        fn set_trap_flag(&mut self, on: bool) {
            let flags = &mut self.context.uc_mcontext.gregs[libc::REG_EFL as usize];
            *flags = if on { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG };
        }

        fn mxcsr(&mut self) -> &mut u32 {
            // SAFETY: the kernel always delivers the floating-point state on x86-64.
            unsafe { &mut (*self.context.uc_mcontext.fpregs).mxcsr }
        }

        fn x87_status(&mut self) -> &mut u16 {
            // SAFETY: as above.
            unsafe { &mut (*self.context.uc_mcontext.fpregs).swd }
        }
    }

    extern "C" fn on_fpe(_signal: i32, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid context; the state is used by this thread alone.
        let (frame, state) = unsafe { (&mut Frame { context: &mut *context.cast() }, &mut *STATE.0.get()) };
        let Some(setup) = state.setup else { die(libc::SIGFPE) };
        // An integer division's SIGFPE, or one that tracing did not ask for, is the code's own.
        let unmasked = !(*frame.mxcsr() >> MASK_SHIFT) & STATUS & setup.watched;
        if setup.mode == Mode::Step || unmasked == 0 || *frame.mxcsr() & unmasked == 0 {
            die(libc::SIGFPE);
        }
        // Trapping alone sets watched bits between events; all of those are in `raised` already.
        state.unwatched = *frame.mxcsr() & STATUS & !setup.watched;
        *frame.mxcsr() = (*frame.mxcsr() & !STATUS) | ALL_MASKS;
        frame.set_trap_flag(true);
        PENDING.store(frame.register(libc::REG_RIP), Ordering::Relaxed);
    }

    /// The address of the instruction that is executed again, or was executed last.
    static PENDING: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

    extern "C" fn on_trap(_signal: i32, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: as in `on_fpe`.
        let (frame, state) = unsafe { (&mut Frame { context: &mut *context.cast() }, &mut *STATE.0.get()) };
        let Some(setup) = state.setup else { die(libc::SIGTRAP) };
        let address = PENDING.load(Ordering::Relaxed);
        let mut raised = *frame.mxcsr() & STATUS;
        if setup.mode == Mode::Step {
            raised |= u32::from(*frame.x87_status()) & STATUS;
            *frame.x87_status() &= !(STATUS as u16);
            *frame.mxcsr() &= !STATUS;
            PENDING.store(frame.register(libc::REG_RIP), Ordering::Relaxed);
        } else {
            let sticky = raised | state.raised | state.unwatched;
            *frame.mxcsr() = ((*frame.mxcsr() & !STATUS & !(setup.watched << MASK_SHIFT)) | sticky) & 0xffff;
            frame.set_trap_flag(false);
        }
        state.raised |= raised & setup.watched;
        if raised & setup.watched != 0 && address != 0 {
            record(&setup, frame, address, raised & setup.watched);
        }
    }

    fn record(setup: &Setup, frame: &Frame<'_>, address: u64, raised: u32) {
        // SAFETY: `count` outlives the call (see `arm`).
        let count = unsafe { &*setup.count };
        let index = count.load(Ordering::Relaxed);
        // The count goes on beyond the buffer, so that the parent sees that events were lost.
        count.store(index + 1, Ordering::Relaxed);
        if index >= MAX_EVENTS as u64 {
            return;
        }
        let inside = if in_code(setup, address) { address } else { caller_in_library(setup, frame) };
        // SAFETY: the buffer holds `MAX_EVENTS` events.
        unsafe { setup.events.add(index as usize).write(RawEvent { address, inside, status: u64::from(raised) }) };
    }

    fn in_code(setup: &Setup, address: u64) -> bool {
        (setup.code.0..setup.code.1).contains(&address)
    }

    /// The innermost return address on the stack that points behind a call in the library, less one; 0 where there is
    /// none. A stale word could pass for one, but only if it is behind a call too.
    fn caller_in_library(setup: &Setup, frame: &Frame<'_>) -> u64 {
        let stack = frame.register(libc::REG_RSP).next_multiple_of(8);
        let end = setup.stack_end.min(stack + STACK_SEARCH);
        let mut at = stack;
        while at + 8 <= end {
            // SAFETY: between the stack pointer and the stack's end everything is mapped.
            let word = unsafe { (at as *const u64).read() };
            if in_code(setup, word) && follows_call(setup, word) {
                return word - 1;
            }
            at += 8;
        }
        0
    }

    /// Whether the bytes before an address end a call: E8 rel32, or FF /2 in one of its lengths.
    fn follows_call(setup: &Setup, address: u64) -> bool {
        let byte = |back: u64| {
            let at = address - back;
            // SAFETY: inside the library's executable mapping, which is readable.
            if in_code(setup, at) { unsafe { (at as *const u8).read() } } else { 0 }
        };
        byte(5) == 0xe8 || (2..=7).any(|length| byte(length) == 0xff && (byte(length - 1) >> 3) & 7 == 2)
    }

    /// Ends the process by a signal, as if there were no handler.
    fn die(signal: i32) -> ! {
        // SAFETY: both calls are async-signal-safe.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, signal);
            libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
            libc::raise(signal);
            libc::_exit(128 + signal)
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use elsewhere::{arm, disarm};

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod elsewhere {
    use super::Setup;

    /// Does nothing: the trace stays empty and is reported as incomplete.
    ///
    /// # Safety
    ///
    /// None needed here.
    pub unsafe fn arm(_setup: Setup) {}

    /// Does nothing.
    ///
    /// # Safety
    ///
    /// None needed here.
    pub unsafe fn disarm() {}
}
