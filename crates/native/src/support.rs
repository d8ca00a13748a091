//! What tracing this machine really offers, tried once.
//!
//! Some sandboxes and virtual machines do not deliver SIGFPE for unmasked exceptions, or do not single-step. A forked
//! child tries both: its handlers end it with an exit code, so that nothing of the trial is left in this process.

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

/// What this machine offers, tried at the first call.
pub fn tracing_support() -> TracingSupport {
    static SUPPORT: std::sync::OnceLock<TracingSupport> = std::sync::OnceLock::new();
    *SUPPORT.get_or_init(trial::support)
}

/// Whether unmasked exceptions trap on this machine.
pub fn trapping_available() -> bool {
    tracing_support() == TracingSupport::Trap
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod trial {
    pub fn support() -> super::TracingSupport {
        super::TracingSupport::None
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod trial {
    use std::arch::asm;

    use super::TracingSupport;

    /// The exit code of a child whose signal came.
    const CAME: i32 = 42;
    /// The default MXCSR with division by zero unmasked.
    const UNMASKED: u32 = 0x1f80 & !0x200;

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn the_trial_leaves_this_process_alone_and_agrees_with_itself() {
        let first = tracing_support();
        assert_eq!(first, trial::support());
        assert_eq!(trapping_available(), first == TracingSupport::Trap);
        // No signal handler or unmasked exception is left: this would end the process.
        assert!((1.0 / std::hint::black_box(0.0_f64)).is_infinite());
    }
}
