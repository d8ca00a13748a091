//! The worker process: loads one build, then forks a runner for every command.
//!
//! The runner is a copy of the loaded process, so that whatever the code under test does to itself (crash, exit, corrupt
//! memory, change handlers) ends with it, at the price of one fork a batch. The control registers that the library's
//! start-up code set for the loading thread are the runner's too.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::protocol::{Command, Reply};
use crate::shared::{OUTPUT_HEADER, Shared};
use crate::trace::{Mode, Setup};
use crate::{sandbox, symbol, trace};

/// The driver's job, as its C declares it.
#[repr(C)]
struct Job {
    target: *mut libc::c_void,
    inputs: *const u8,
    outputs: *mut u8,
    input_stride: usize,
    output_stride: usize,
    first: u64,
    count: u64,
    progress: *const u64,
    mxcsr: u32,
    x87: u16,
    ones: u16,
    watched: u32,
}

type Drive = unsafe extern "C" fn(*mut Job);

/// MXCSR as a process starts: everything masked, to nearest, no flushing.
const DEFAULT_MXCSR: u32 = 0x1f80;
/// FTZ and DAZ.
const FLUSH: u32 = 0x8040;
/// The x87 control word as a process starts: everything masked, to nearest, extended precision.
const DEFAULT_X87: u16 = 0x37f;
/// MXCSR's sticky bits.
const STATUS: u32 = 0x3f;

/// The arguments of the hidden subcommand, in order.
struct Arguments {
    library: PathBuf,
    driver: PathBuf,
    symbol: String,
    descriptor: RawFd,
    input_size: usize,
    output_size: usize,
    startup: String,
    memory_mib: u64,
    ones: bool,
}

impl Arguments {
    fn parse(arguments: &[OsString]) -> Option<Arguments> {
        let text = |index: usize| arguments.get(index)?.to_str().map(str::to_owned);
        Some(Arguments {
            library: PathBuf::from(arguments.first()?),
            driver: PathBuf::from(arguments.get(1)?),
            symbol: text(2)?,
            descriptor: text(3)?.parse().ok()?,
            input_size: text(4)?.parse().ok()?,
            output_size: text(5)?.parse().ok()?,
            startup: text(6)?,
            memory_mib: text(7)?.parse().ok()?,
            ones: text(8)? == "ones",
        })
    }
}

/// The body of the hidden subcommand: serves commands until its parent is gone. Meant for labrys itself.
pub fn worker_main(arguments: &[OsString]) -> ExitCode {
    let Some(arguments) = Arguments::parse(arguments) else {
        eprintln!("labrys: a worker is started by labrys itself");
        return ExitCode::from(2);
    };
    sandbox::die_with_parent();
    restore_signals();
    let (mut commands, mut replies) = take_over_streams();
    match Loaded::load(&arguments) {
        Ok(loaded) => {
            if Reply::Ready.send(&mut replies).is_ok() {
                loaded.serve(&mut commands, &mut replies);
            }
        }
        Err(reason) => {
            let _ = Reply::Failed.send(&mut replies);
            let _ = replies.write_all(reason.as_bytes());
        }
    }
    // Destructors of the code under test are not run: they could hang.
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(0) }
}

/// Gives signals that Rust's runtime handles or ignores back to the code under test.
fn restore_signals() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGPIPE] {
        // SAFETY: sets the default action; no handler of ours is in place.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Takes standard input and output for messages and gives the code under test /dev/null instead.
fn take_over_streams() -> (File, File) {
    // SAFETY: the descriptors are this process' own; the copies are owned by the files alone.
    unsafe {
        let commands = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 100);
        let replies = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 100);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for stream in 0..3 {
            libc::dup2(null, stream);
        }
        (File::from_raw_fd(commands), File::from_raw_fd(replies))
    }
}

/// A loaded build.
struct Loaded {
    shared: Shared,
    target: *mut libc::c_void,
    drive: Drive,
    mxcsr: u32,
    x87: u16,
    ones: bool,
    code: (u64, u64),
    stack_end: u64,
}

impl Loaded {
    fn load(arguments: &Arguments) -> Result<Loaded, String> {
        let shared = Shared::open(arguments.descriptor, arguments.input_size, arguments.output_size)
            .map_err(|error| error.to_string())?;
        let library = open_library(&arguments.library)?;
        // What the library's start-up code left is the build's start-up state.
        let (mut mxcsr, mut x87) = (read_mxcsr() & !STATUS, read_x87_control());
        match arguments.startup.as_str() {
            "default" => (mxcsr, x87) = (DEFAULT_MXCSR, DEFAULT_X87),
            "ftz" => (mxcsr, x87) = (DEFAULT_MXCSR | FLUSH, DEFAULT_X87),
            _ => {}
        }
        let range = symbol::loaded_range(&arguments.library).ok_or("the loaded library is not in /proc/self/maps")?;
        let target = find(library, &arguments.symbol)
            .map(Ok)
            .unwrap_or_else(|| {
                let offset = symbol::offset_of(&arguments.library, &arguments.symbol);
                offset.map(|offset| (range.0 + offset) as *mut libc::c_void)
            })
            .map_err(|error| error.to_string())?;
        let driver = open_library(&arguments.driver)?;
        let drive = find(driver, "labrys_drive").ok_or("the driver loop has no entry")?;
        // SAFETY: the driver is generated by this crate with this signature.
        let drive = unsafe { std::mem::transmute::<*mut libc::c_void, Drive>(drive) };
        let header = shared.header();
        header.mxcsr.store(mxcsr, Ordering::SeqCst);
        header.x87.store(u32::from(x87), Ordering::SeqCst);
        header.base.store(range.0, Ordering::SeqCst);
        sandbox::limit_resources(arguments.memory_mib);
        sandbox::deny_network();
        Ok(Loaded {
            shared,
            target,
            drive,
            mxcsr,
            x87,
            ones: arguments.ones,
            code: symbol::code_range(&arguments.library).unwrap_or(range),
            stack_end: symbol::stack_end(),
        })
    }

    fn serve(&self, commands: &mut File, replies: &mut File) {
        while let Ok(command) = Command::receive(commands) {
            if self.execute(command).send(replies).is_err() {
                return;
            }
        }
    }

    /// Forks a runner and watches it.
    fn execute(&self, command: Command) -> Reply {
        let header = self.shared.header();
        header.progress.store(command.first, Ordering::SeqCst);
        header.events.store(0, Ordering::SeqCst);
        // SAFETY: this process has one thread, so the child may do anything.
        match unsafe { libc::fork() } {
            0 => self.run(command),
            child if child > 0 => self.watch(child, command),
            _ => Reply::Signal { record: command.first, signal: libc::SIGKILL },
        }
    }

    fn run(&self, command: Command) -> ! {
        sandbox::die_with_parent();
        let watched = command.watched as u32;
        let mut job = Job {
            target: self.target,
            inputs: self.shared.inputs(),
            outputs: self.shared.outputs(),
            input_stride: self.shared.input_stride,
            output_stride: self.shared.output_stride,
            first: command.first,
            count: command.end,
            progress: self.shared.header().progress.as_ptr(),
            mxcsr: self.mxcsr,
            x87: self.x87,
            ones: u16::from(self.ones),
            watched,
        };
        let setup = |mode| Setup {
            mode,
            watched,
            code: self.code,
            stack_end: self.stack_end,
            events: self.shared.events(),
            count: &raw const self.shared.header().events,
        };
        // SAFETY: the job describes the shared rings; the runner has one thread; nothing comes after.
        unsafe {
            match command.mode {
                1 => {
                    job.mxcsr &= !(watched << 7);
                    trace::arm(setup(Mode::Trap));
                    (self.drive)(&mut job);
                    trace::disarm();
                }
                2 => {
                    trace::arm(setup(Mode::Step));
                    step_through(self.drive, &mut job);
                    trace::disarm();
                }
                _ => (self.drive)(&mut job),
            }
            libc::_exit(0)
        }
    }

    /// Waits for the runner, as long as it makes progress.
    fn watch(&self, child: libc::pid_t, command: Command) -> Reply {
        let progress = || self.shared.header().progress.load(Ordering::SeqCst);
        let limit = Duration::from_millis(command.call_timeout_ms);
        let mut seen = (progress(), Instant::now());
        // Without a pidfd (before Linux 5.3) the wait is a nap.
        let ending = PidFd::open(child);
        loop {
            let mut status = 0;
            // SAFETY: waits for our own child.
            let ended = unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) };
            if ended == child {
                let record = progress();
                return match () {
                    () if record >= command.end => Reply::Done,
                    () if libc::WIFSIGNALED(status) => Reply::Signal { record, signal: libc::WTERMSIG(status) },
                    () => Reply::Exit { record, code: libc::WEXITSTATUS(status) },
                };
            }
            let now = progress();
            if now != seen.0 {
                seen = (now, Instant::now());
            } else if seen.1.elapsed() > limit {
                // SAFETY: ends and reaps our own child.
                unsafe {
                    libc::kill(child, libc::SIGKILL);
                    libc::waitpid(child, &mut status, 0);
                }
                return Reply::Timeout { record: now };
            }
            match &ending {
                Some(ending) => ending.wait(LOOK_AGAIN.min(limit)),
                None => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }
}

/// How often the runner's progress is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A descriptor that becomes readable when a process ends.
struct PidFd(File);

impl PidFd {
    fn open(process: libc::pid_t) -> Option<PidFd> {
        // SAFETY: a system call without pointers; the descriptor it makes is owned here alone.
        unsafe {
            let descriptor = libc::syscall(libc::SYS_pidfd_open, process, 0);
            (descriptor >= 0).then(|| PidFd(File::from_raw_fd(descriptor as RawFd)))
        }
    }

    /// Waits until the process ends, at most so long.
    fn wait(&self, limit: Duration) {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd.
        unsafe { libc::poll(&mut poll, 1, limit.as_millis().max(1) as i32) };
    }
}

/// Calls the driver with the trap flag set: a SIGTRAP follows every instruction.
///
/// # Safety
///
/// As the driver's; a SIGTRAP handler is installed.
#[cfg(target_arch = "x86_64")]
unsafe fn step_through(drive: Drive, job: &mut Job) {
    // SAFETY: sets a bit of the flags register by way of the stack.
    unsafe {
        std::arch::asm!("pushfq", "or qword ptr [rsp], 256", "popfq");
        drive(job);
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn step_through(drive: Drive, job: &mut Job) {
    // SAFETY: the caller's.
    unsafe { drive(job) }
}

fn open_library(path: &Path) -> Result<*mut libc::c_void, String> {
    // A name without a slash would be searched for in the system's folders.
    let absolute = path.canonicalize().map_err(|error| error.to_string())?;
    let name = CString::new(absolute.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: runs the library's constructors, which is what a worker is for.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if !handle.is_null() {
        return Ok(handle);
    }
    // SAFETY: after a failure dlerror gives a C string or null.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return Err("the dynamic linker gave no reason".to_owned());
    }
    // SAFETY: as above; copied before the next call to the linker.
    Err(unsafe { std::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned())
}

fn find(library: *mut libc::c_void, symbol: &str) -> Option<*mut libc::c_void> {
    let name = CString::new(symbol).ok()?;
    // SAFETY: `library` is a handle of dlopen that is never closed.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

fn read_mxcsr() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut value: u32 = 0;
        // SAFETY: stores four bytes where `value` is.
        unsafe { std::arch::asm!("stmxcsr [{0}]", in(reg) &mut value) };
        value
    }
    #[cfg(not(target_arch = "x86_64"))]
    DEFAULT_MXCSR
}

fn read_x87_control() -> u16 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut value: u16 = 0;
        // SAFETY: stores two bytes where `value` is.
        unsafe { std::arch::asm!("fnstcw [{0}]", in(reg) &mut value) };
        value
    }
    #[cfg(not(target_arch = "x86_64"))]
    DEFAULT_X87
}

const _: () = assert!(OUTPUT_HEADER >= 4, "the driver writes four bytes of status");
