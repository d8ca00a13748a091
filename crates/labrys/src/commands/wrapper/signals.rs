//! A child that gets the signals that ask its parent to end.

use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals by which processes are asked to end.
const PASSED_ON: [libc::c_int; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1];

/// The child; 0 while there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that came before there was a child; 0 for none.
static EARLY: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    match CHILD.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: kill is async-signal-safe; the child has not been waited for while its id stands here.
        child => drop(unsafe { libc::kill(child, signal) }),
    }
}

/// Runs a command to its end. Signals that ask this process to end go to it; what this process ignores (`nohup`) it ignores, too.
pub(super) fn run_passing_on(command: &mut Command) -> std::io::Result<ExitStatus> {
    for signal in PASSED_ON {
        // SAFETY: the structures are initialised, and the handler does what handlers may.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let is_known = libc::sigaction(signal, std::ptr::null(), &mut before) == 0;
            if is_known && before.sa_sigaction != libc::SIG_IGN {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = pass_on as extern "C" fn(libc::c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    }
    let mut child = command.spawn()?;
    let id = child.id() as libc::pid_t;
    CHILD.store(id, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        pass_on(early);
    }
    // Until it is waited for, its id is nobody else's.
    loop {
        // SAFETY: the structure is large enough; the child stays to be waited for (WNOWAIT).
        let ended = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, id as libc::id_t, &mut info, libc::WEXITED | libc::WNOWAIT) == 0
        };
        if ended || std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            break;
        }
    }
    CHILD.store(0, Ordering::SeqCst);
    child.wait()
}

/// Ends this process by a signal, without a memory image of its own. Returns where the signal does not end processes.
pub(super) fn end_by(signal: libc::c_int) {
    // SAFETY: plain system calls; the process is about to end.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
