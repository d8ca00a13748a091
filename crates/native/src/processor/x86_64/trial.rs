//! What tracing this machine really offers, tried once.
//!
//! Some sandboxes and virtual machines do not deliver SIGFPE for unmasked exceptions, or do not single-step. A forked
//! child tries both: its handlers end it with an exit code, so that nothing of the trial is left in this process.

use std::arch::asm;

use crate::processor::traces::TracingSupport;

/// The exit code of a child whose signal came.
const CAME: i32 = 42;
/// The default MXCSR with division by zero unmasked.
const UNMASKED: u32 = 0x1f80 & !0x200;

/// Tries both.
pub fn support() -> TracingSupport {
    match (comes(libc::SIGTRAP, step), comes(libc::SIGFPE, divide)) {
        (true, true) => TracingSupport::Trap,
        (true, false) => TracingSupport::Step,
        (false, _) => TracingSupport::None,
    }
}

/// Whether `provoke` brings the signal in a child.
fn comes(signal: i32, provoke: fn()) -> bool {
    // SAFETY: the child makes only async-signal-safe calls (sigaction, sigprocmask, alarm, _exit) and allocates
    // nothing, so that locks that other threads hold do not matter; all structs outlive their calls.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = came as extern "C" fn(i32) as usize;
            libc::sigaction(signal, &action, std::ptr::null_mut());
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
            libc::alarm(2);
            provoke();
            libc::_exit(0);
        }
        let mut status = 0;
        while child > 0 && libc::waitpid(child, &mut status, 0) < 0 {
            if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                return false;
            }
        }
        child > 0 && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == CAME
    }
}

extern "C" fn came(_signal: i32) {
    // SAFETY: async-signal-safe; ends the trial's child.
    unsafe { libc::_exit(CAME) }
}

fn divide() {
    // SAFETY: changes the control register of a child that ends right after; the operands are its own registers.
    unsafe {
        asm!("ldmxcsr [{control}]", "xorps {zero}, {zero}", "divsd {one}, {zero}",
             control = in(reg) &UNMASKED, zero = out(xmm_reg) _, one = inout(xmm_reg) 1.0_f64 => _);
    }
}

fn step() {
    // SAFETY: sets the trap flag by way of the stack, in a child that ends right after.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 256", "popfq", "nop", "nop") };
}

#[cfg(test)]
mod tests {
    use crate::{TracingSupport, tracing_support, trapping_available};

    #[test]
    fn the_trial_leaves_this_process_alone_and_agrees_with_itself() {
        let first = tracing_support();
        assert_eq!(first, super::support());
        assert_eq!(trapping_available(), first == TracingSupport::Trap);
        // No signal handler or unmasked exception is left: this would end the process.
        assert!((1.0 / std::hint::black_box(0.0_f64)).is_infinite());
    }
}
