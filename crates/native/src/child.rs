//! The worker process: loads one build and serves commands, each of which a runner executes (see [`crate::runner`]).

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use crate::job::Drive;
use crate::library::{Library, find, open_library};
use crate::processor::{self, Tracer};
use crate::protocol::{Command, Reply};
use crate::runner::{Loaded, Runner, untold};
use crate::shared::{PANICKED_SYMBOL, Shared};
use crate::{Startup, sandbox};

/// The arguments of the hidden subcommand, in order.
struct Arguments {
    library: PathBuf,
    driver: PathBuf,
    symbol: String,
    descriptor: RawFd,
    input_size: usize,
    output_size: usize,
    startup: Startup,
    memory_mib: u64,
    /// The function's address in the library, where its symbol does not say it.
    address: Option<u64>,
    /// The symbol of the function that runs first.
    init: Option<String>,
    /// Whether symbols that nobody defines are let pass.
    binds_lazily: bool,
    /// Events of one call that are traced at most.
    events: u64,
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
            startup: Startup::named(&text(6)?)?,
            memory_mib: text(7)?.parse().ok()?,
            address: Some(text(8)?).filter(|text| !text.is_empty()).map(|text| text.parse()).transpose().ok()?,
            init: Some(text(9)?).filter(|text| !text.is_empty()),
            binds_lazily: text(10)? == "lazy",
            events: text(11)?.parse().ok()?,
        })
    }
}

/// The body of the hidden subcommand: serves commands until its parent is gone. Meant for labrys itself.
pub fn worker_main(arguments: &[OsString]) -> ExitCode {
    work(arguments, false)
}

/// As [`worker_main`], for code that nobody trusts: it can neither run programs nor write files.
pub fn confined_worker_main(arguments: &[OsString]) -> ExitCode {
    work(arguments, true)
}

fn work(arguments: &[OsString], confined: bool) -> ExitCode {
    let Some(arguments) = Arguments::parse(arguments) else {
        eprintln!("labrys: a worker is started by labrys itself");
        return ExitCode::from(2);
    };
    // Only while loading: later the end of the pipe of commands says that the parent is gone, and the kernel's signal
    // would come when the parent's *thread* ends.
    sandbox::die_with_parent(true);
    let (mut commands, mut replies) = take_over_streams();
    if confined {
        sandbox::confine();
    }
    match load(&arguments) {
        Ok(loaded) => {
            sandbox::die_with_parent(false);
            if Reply::Ready.send(&mut replies).is_ok() {
                serve(&loaded, &mut commands, &mut replies);
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

/// Executes commands until the parent is gone. One runner is kept for as long as it lives; traced calls and those that
/// must not see earlier ones get their own.
fn serve(loaded: &Loaded, commands: &mut File, replies: &mut File) {
    let descriptors = [commands.as_raw_fd(), replies.as_raw_fd()];
    let mut kept: Option<Runner> = None;
    while let Ok(command) = Command::receive(commands) {
        let used = if command.fresh { None } else { kept.take() };
        let Some((mut reply, runner)) = execute(loaded, command, used, descriptors) else { return };
        if reply == Reply::Done && !command.fresh {
            kept = Some(runner);
        } else if let Some(rest) = reply.record().and_then(|record| untold(loaded, command, record)) {
            // What the calls before the last one left in the status registers is lost with their runner.
            drop(runner);
            reply = match reply {
                Reply::Late { .. } => Reply::Late { record: rest.first },
                ended => match execute(loaded, rest, None, descriptors) {
                    Some((Reply::Done, runner)) => {
                        kept = (!command.fresh).then_some(runner);
                        ended
                    }
                    Some((sooner, _)) => sooner,
                    None => return,
                },
            };
        }
        if reply.send(replies).is_err() {
            return;
        }
    }
}

/// Has a runner execute a command: the one that was kept, or a new one. `None`: there can be no new one.
fn execute(
    loaded: &Loaded,
    command: Command,
    mut kept: Option<Runner>,
    descriptors: [RawFd; 2],
) -> Option<(Reply, Runner)> {
    // A kept runner may have ended by itself since, and then has not taken the command.
    loop {
        let mut runner = kept.take().or_else(|| Runner::fork(loaded, descriptors).ok())?;
        if let Some(reply) = runner.execute(loaded, command, descriptors[0]) {
            return Some((reply, runner));
        }
    }
}

fn load(arguments: &Arguments) -> Result<Loaded, String> {
    let shared = Shared::open(arguments.descriptor, arguments.input_size, arguments.output_size)
        .map_err(|error| error.to_string())?;
    let library = Library::open(&arguments.library, arguments.binds_lazily)?;
    if let Some(init) = &arguments.init {
        let init = library.function(init)?;
        // SAFETY: runs code of the library that takes no parameters, as its start-up code did, which is what a worker is for.
        unsafe { std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(init)() };
    }
    // What the library's start-up code left is the build's start-up state.
    let control = processor::start(arguments.startup)?;
    let target = match arguments.address {
        Some(address) => library.base.wrapping_add(address) as *mut libc::c_void,
        None => library.function(&arguments.symbol)?,
    };
    let driver = open_library(&arguments.driver, false)?;
    let drive = find(driver, "labrys_drive").ok_or("the driver loop has no entry")?;
    // SAFETY: the driver is generated by this crate with this signature.
    let drive = unsafe { std::mem::transmute::<*mut libc::c_void, Drive>(drive) };
    let header = shared.header();
    header.mxcsr.store(control.mxcsr, Ordering::SeqCst);
    header.x87.store(u32::from(control.x87), Ordering::SeqCst);
    header.base.store(library.base, Ordering::SeqCst);
    let tracer = Tracer::prepare(&library, &arguments.driver, arguments.events);
    sandbox::limit_resources(arguments.memory_mib);
    sandbox::deny_network();
    let panicked = find(library.handle, PANICKED_SYMBOL).map_or(std::ptr::null_mut(), <*mut libc::c_void>::cast);
    let x87_reading = processor::x87_reading(target as u64);
    Ok(Loaded { shared, target, drive, control, x87_reading, tracer, panicked })
}
