//! Which of the library's instructions led to an instruction outside it.
//!
//! First by unwinding (`.eh_frame`), which is exact. Where the unwinder gets stuck before it reaches the driver loop
//! (assembly without unwind information), the stack is searched for the innermost word that points behind a call in the
//! library; a stale word of an earlier call could pass for it. Where unwinding reaches the driver without meeting the
//! library, its function has ended in a jump, and no frame is left.
//!
//! libgcc's unwinder neither allocates nor waits for locks: since glibc 2.35 it finds tables by `_dl_find_object`, before
//! that by `dl_iterate_phdr`, whose lock the interrupted thread could hold only inside the dynamic linker, recursively.

use std::ffi::{c_int, c_void};

use super::setup::Setup;

/// How far up the stack a return address into the library is looked for, in bytes.
const STACK_SEARCH: u64 = 256 * 1024;
/// Frames that are unwound at most.
const MAX_FRAMES: u32 = 256;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// `_URC_NO_REASON`: go on.
const GO_ON: c_int = 0;
/// `_URC_NORMAL_STOP`.
const STOP: c_int = 4;

struct Walk {
    setup: Setup,
    found: u64,
    reached_driver: bool,
    left: u32,
}

extern "C" fn visit(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: `walk` is the `Walk` that `innermost` passes along; the context is the unwinder's.
    let (walk, address) = unsafe { (&mut *walk.cast::<Walk>(), _Unwind_GetIP(context) as u64) };
    walk.left -= 1;
    if contains(walk.setup.code, address) {
        walk.found = address - 1;
        return STOP;
    }
    walk.reached_driver = contains(walk.setup.driver, address);
    if walk.reached_driver || walk.left == 0 { STOP } else { GO_ON }
}

/// The address of the library's innermost call that is still open, less than its return address by one; `None` where
/// none is. `stack` is the stack pointer of the interrupted code.
pub fn innermost(setup: &Setup, stack: u64) -> Option<u64> {
    let mut walk = Walk { setup: *setup, found: 0, reached_driver: false, left: MAX_FRAMES };
    // SAFETY: `visit` fits the declaration and gets the pointer it expects.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    match walk {
        Walk { found: 0, reached_driver: true, .. } => None,
        Walk { found: 0, .. } => search_stack(setup, stack),
        Walk { found, .. } => Some(found),
    }
}

/// Unwinds this thread's stack for nothing.
pub fn warm_up() {
    extern "C" fn pass(_context: *mut c_void, _data: *mut c_void) -> c_int {
        GO_ON
    }
    // SAFETY: `pass` fits the declaration and uses no data.
    unsafe { _Unwind_Backtrace(pass, std::ptr::null_mut()) };
}

/// Whether an address is in a range.
pub fn contains(range: (u64, u64), address: u64) -> bool {
    (range.0..range.1).contains(&address)
}

fn search_stack(setup: &Setup, stack: u64) -> Option<u64> {
    let stack = stack.next_multiple_of(8);
    let end = setup.stack_end.min(stack + STACK_SEARCH);
    let mut at = stack;
    while at + 8 <= end {
        // SAFETY: between the stack pointer and the stack's end everything is mapped.
        let word = unsafe { (at as *const u64).read() };
        if contains(setup.code, word) && follows_call(setup, word) {
            return Some(word - 1);
        }
        at += 8;
    }
    None
}

/// Whether the bytes before an address end a call: E8 rel32, or FF /2 in one of its lengths.
fn follows_call(setup: &Setup, address: u64) -> bool {
    let byte = |back: u64| {
        let at = address - back;
        // SAFETY: inside the library's executable mapping, which is readable.
        if contains(setup.code, at) { unsafe { (at as *const u8).read() } } else { 0 }
    };
    byte(5) == 0xe8 || (2..=7).any(|length| byte(length) == 0xff && (byte(length - 1) >> 3) & 7 == 2)
}
