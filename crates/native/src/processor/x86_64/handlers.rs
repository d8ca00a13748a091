//! The handlers of SIGFPE and SIGTRAP on x86-64 Linux.

use std::arch::asm;
use std::cell::UnsafeCell;
use std::sync::atomic::Ordering;

use super::setup::Setup;
use super::{MASK_SHIFT, STATUS, caller, status_access};
use crate::job::{Drive, Job};
use crate::protocol::Mode;
use crate::shared::{MAX_EVENTS, RawEvent};

const ALL_MASKS: u32 = STATUS << MASK_SHIFT;
const UNDERFLOW: u32 = 1 << 4;
const TRAP_FLAG: i64 = 0x100;

struct State {
    setup: Option<Setup>,
    /// The instruction that is executed before the next SIGTRAP; 0 before the first.
    address: u64,
    /// The record that the driver loop was at when the fields below were last changed.
    record: u64,
    /// Watched bits that events of this record have shown so far.
    raised: u32,
    /// Events of this record so far, those included that are too many.
    seen: u64,
    /// Trapping: MXCSR at the SIGFPE.
    trapped: u32,
    /// Stepping: the sticky bits as the code under test should see them.
    sticky: u32,
    sticky_x87: u16,
    /// Stepping: whether the instruction at `address` accesses sticky bits.
    accesses: bool,
    /// Stepping: the library's instruction that was executed last.
    last_inside: u64,
}

const IDLE: State = State {
    setup: None,
    address: 0,
    record: u64::MAX,
    raised: 0,
    seen: 0,
    trapped: 0,
    sticky: 0,
    sticky_x87: 0,
    accesses: false,
    last_inside: 0,
};

struct Cell(UnsafeCell<State>);

// SAFETY: only the runner's single thread and the handlers that interrupt it use the cell, and the thread itself only
// while no handler can run (before arming).
unsafe impl Sync for Cell {}

static STATE: Cell = Cell(UnsafeCell::new(IDLE));

/// The handlers that were there before.
pub struct Armed {
    fpe: libc::sigaction,
    trap: libc::sigaction,
}

/// Installs the handlers and begins tracing. The calls under test come right after.
///
/// # Safety
///
/// The process has one thread; `setup`'s pointers are valid until [`disarm`].
pub unsafe fn arm(setup: Setup) -> Armed {
    // SAFETY: no handler runs yet, so this is the only access.
    unsafe { *STATE.0.get() = State { setup: Some(setup), ..IDLE } };
    Armed { fpe: install(libc::SIGFPE, on_fpe), trap: install(libc::SIGTRAP, on_trap) }
}

/// Leaves stepping, masks exceptions again and puts the old handlers back.
///
/// # Safety
///
/// After [`arm`], on the same thread.
pub unsafe fn disarm(armed: Armed) {
    // SAFETY: clearing the trap flag and masking exceptions touches no memory but the stack slots used here; the actions
    // were the kernel's; no handler runs any more when the state is reset.
    unsafe {
        asm!("pushfq", "and qword ptr [rsp], -257", "popfq");
        let mut mxcsr: u32 = 0;
        asm!("stmxcsr [{0}]", in(reg) &mut mxcsr);
        mxcsr |= ALL_MASKS;
        asm!("ldmxcsr [{0}]", in(reg) &mxcsr);
        libc::sigaction(libc::SIGFPE, &armed.fpe, std::ptr::null_mut());
        libc::sigaction(libc::SIGTRAP, &armed.trap, std::ptr::null_mut());
        *STATE.0.get() = IDLE;
    }
}

/// Calls the driver with the trap flag set: a SIGTRAP follows every instruction.
///
/// # Safety
///
/// As the driver's, after [`arm`].
pub unsafe fn step(drive: Drive, job: &mut Job) {
    // SAFETY: sets a bit of the flags register by way of the stack.
    unsafe {
        asm!("pushfq", "or qword ptr [rsp], 256", "popfq");
        drive(job);
    }
}

type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs a handler; gives back what was there.
fn install(signal: i32, handler: Handler) -> libc::sigaction {
    // SAFETY: the actions are fully initialised; the handler is async-signal-safe (see the head of `tracer`).
    let old = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, &mut old);
        old
    };
    // The library's start-up code, or an earlier call, may have blocked it.
    unblock(signal);
    old
}

fn unblock(signal: i32) {
    // SAFETY: the set is initialised and outlives the call.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
    }
}

/// The interrupted code's registers.
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
    let mxcsr = *frame.mxcsr();
    let unmasked = !(mxcsr >> MASK_SHIFT) & setup.watched;
    // An integer division's SIGFPE, or one that tracing did not ask for, is the code's own. (With sticky bits set an
    // integer division passes here, is executed again with everything masked, and comes back.)
    if setup.mode != Mode::Trap || mxcsr & unmasked == 0 {
        die(libc::SIGFPE);
    }
    state.trapped = mxcsr;
    state.address = frame.register(libc::REG_RIP);
    *frame.mxcsr() = (mxcsr & !STATUS) | ALL_MASKS;
    frame.set_trap_flag(true);
}

extern "C" fn on_trap(_signal: i32, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: as in `on_fpe`.
    let (frame, state) = unsafe { (&mut Frame { context: &mut *context.cast() }, &mut *STATE.0.get()) };
    let Some(setup) = state.setup else { die(libc::SIGTRAP) };
    let address = state.address;
    // SAFETY: `progress` outlives the calls (see `arm`).
    let at = unsafe { &*setup.progress }.load(Ordering::Relaxed);
    if at != state.record {
        (state.record, state.raised, state.seen) = (at, 0, 0);
    }
    let raised = setup.watched
        & match setup.mode {
            Mode::Step => stepped(frame, state, &setup),
            _ => executed_again(frame, state, &setup),
        };
    state.raised |= raised;
    if raised != 0 && address != 0 {
        state.seen += 1;
        if state.seen <= setup.most {
            record(&setup, frame, state, address, raised);
        } else if state.seen == setup.most + 1 {
            record(&setup, frame, state, address, 0);
        }
    }
}

/// After a trapped instruction's second, masked execution: what it raised. Puts the masks and old sticky bits back.
fn executed_again(frame: &mut Frame<'_>, state: &State, setup: &Setup) -> u32 {
    let raised = *frame.mxcsr() & STATUS;
    let unmasked = !(state.trapped >> MASK_SHIFT) & STATUS;
    // The trap has set the underflow bit even where the masked execution shows that nothing was raised; then it is an
    // old bit only if an event has shown it.
    let doubtful = UNDERFLOW & unmasked & !state.raised;
    let sticky = (state.trapped & STATUS & !doubtful) | raised;
    // SAFETY: `count` outlives the call (see `arm`).
    let full = unsafe { &*setup.count }.load(Ordering::Relaxed) > MAX_EVENTS as u64;
    // This event is not among those seen yet: where it is one too many, it is marked, and the last one that traps.
    let full = full || (state.seen >= setup.most && raised & setup.watched != 0);
    // With the buffer full the trace is incomplete already: the rest runs untraced.
    let masks = if full { ALL_MASKS } else { state.trapped & ALL_MASKS };
    *frame.mxcsr() = (*frame.mxcsr() & !STATUS & !ALL_MASKS) | sticky | masks;
    frame.set_trap_flag(false);
    raised
}

/// After a stepped instruction: what it raised. Prepares the next one.
fn stepped(frame: &mut Frame<'_>, state: &mut State, setup: &Setup) -> u32 {
    let (status, status_x87) = (*frame.mxcsr() & STATUS, *frame.x87_status() & STATUS as u16);
    let raised = if state.accesses {
        // Code raises exceptions by loading the register, too. What was raised before is only put back.
        let loaded = status & !state.sticky | u32::from(status_x87 & !state.sticky_x87);
        (state.sticky, state.sticky_x87) = (status, status_x87);
        loaded & !state.raised
    } else {
        state.sticky |= status;
        state.sticky_x87 |= status_x87;
        status | u32::from(status_x87)
    };
    let next = frame.register(libc::REG_RIP);
    state.address = next;
    // SAFETY: the bytes of the instruction that is executed next are mapped and readable.
    state.accesses = status_access::accesses_status(|at| unsafe { ((next + at) as *const u8).read() });
    let (shown, shown_x87) = if state.accesses { (state.sticky, state.sticky_x87) } else { (0, 0) };
    *frame.mxcsr() = (*frame.mxcsr() & !STATUS) | shown;
    *frame.x87_status() = (*frame.x87_status() & !(STATUS as u16)) | shown_x87;
    if caller::contains(setup.code, next) {
        state.last_inside = next;
    }
    raised
}

fn record(setup: &Setup, frame: &Frame<'_>, state: &State, address: u64, raised: u32) {
    // SAFETY: `count` outlives the call (see `arm`).
    let count = unsafe { &*setup.count };
    let index = count.load(Ordering::Relaxed);
    // The count goes beyond the buffer, so that the parent sees that events were lost.
    count.store(index + 1, Ordering::Relaxed);
    if index >= MAX_EVENTS as u64 {
        return;
    }
    let (inside, located) = if caller::contains(setup.code, address) {
        (address, true)
    } else {
        match caller::innermost(setup, frame.register(libc::REG_RSP)) {
            Some(inside) => (inside, true),
            // The library's function ended in a jump: stepping knows which one.
            None if state.last_inside != 0 => (state.last_inside, true),
            None => (setup.target, false),
        }
    };
    let event = RawEvent { address, inside, record: state.record, status: raised, located: u32::from(located) };
    // SAFETY: the buffer holds `MAX_EVENTS` events.
    unsafe { setup.events.add(index as usize).write(event) };
}

/// Ends the process by a signal, as if there were no handler.
fn die(signal: i32) -> ! {
    // SAFETY: all calls are async-signal-safe.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        unblock(signal);
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}
