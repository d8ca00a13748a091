//! Hard limits: the child that works is watched, and ended at its deadline.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use labrys_report::visible_lines;

use super::channel::{Channel, Files};
use super::epilogue::{Death, answers};
use super::frame::{Frame, Kind, Receiver};
use super::{child, input::Input};
use crate::args::SolveArgs;
use crate::commands::output::{tell, write_out};

/// What has been heard from the child.
#[derive(Default)]
struct Heard {
    /// How many bytes of the script are done with.
    done: u64,
    /// Whether it is in a check.
    checking: bool,
    /// The exit code that the last answer gives.
    code: u8,
    /// The exit code at its end.
    end: Option<u8>,
    /// Where answers go.
    regular: Channel,
    /// Where statistics go; `None`: where they went from the beginning.
    diagnostic: Option<Channel>,
    /// The files among them.
    files: Files,
}

impl Heard {
    /// Writes to a channel. The child has seen that its file can be opened.
    fn write(&mut self, channel: &Channel, text: &str) -> Result<()> {
        match channel {
            Channel::Stdout => write_out(text),
            Channel::Stderr => {
                // Without a terminal there may be nobody to read it.
                let _ = std::io::stderr().write_all(text.as_bytes());
                Ok(())
            }
            Channel::File(path) => {
                let opened = self.files.open(path, true).map_err(|why| anyhow!("{} {why}", path.display()));
                let written = opened.and_then(|()| self.files.append(path, text).map_err(|error| anyhow!(error)));
                written.with_context(|| format!("cannot write to {}", path.display()))
            }
        }
    }

    /// Writes to the regular channel.
    fn respond(&mut self, text: &str) -> Result<()> {
        let channel = self.regular.clone();
        self.write(&channel, text)
    }
}

/// Works through the script in a child process; the exit code.
pub fn supervise(arguments: &SolveArgs, input: Input, deadline: Option<Instant>) -> Result<u8> {
    let (mut from_child, to_parent) = pipe()?;
    let mut log = memory_file()?;
    // SAFETY: this process has one thread, so that the child may go on as if nothing had happened.
    let process = unsafe { libc::fork() };
    match process {
        -1 => return Err(std::io::Error::last_os_error().into()),
        0 => {
            drop(from_child);
            work(arguments, &input, deadline, to_parent, &log)
        }
        _ => drop(to_parent),
    }
    let mut heard = Heard::default();
    let in_time = listen(&mut from_child, deadline, &mut heard)?;
    // SAFETY: the child has not been waited for, so that the number is still its own.
    let status = unsafe {
        if !in_time {
            libc::kill(process, libc::SIGKILL);
        }
        let mut status = 0;
        while libc::waitpid(process, &raw mut status, 0) < 0 && interrupted() {}
        status
    };
    if let Some(code) = heard.end {
        return Ok(code);
    }
    let mut words = String::new();
    if log.rewind().is_ok() {
        let _ = log.read_to_string(&mut words);
    }
    let death = if in_time { cause(status, &words) } else { Death::Timeout };
    epilogue(&input, &mut heard, &death)
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
}

/// Passes on what the child says until it ends or its time is up; whether it ended by itself.
fn listen(from_child: &mut File, deadline: Option<Instant>, heard: &mut Heard) -> Result<bool> {
    let mut receiver = Receiver::default();
    loop {
        let patience = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let in_time = readable(from_child, patience);
        if !in_time {
            return Ok(false);
        }
        let more = receiver.read(from_child)?;
        for frame in receiver.frames() {
            pass_on(frame, heard)?;
        }
        if !more || heard.end.is_some() {
            return Ok(true);
        }
    }
}

/// Waits until there is something to read or the other side is gone; false where that takes too long.
fn readable(file: &File, patience: Option<Duration>) -> bool {
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // Rounded up, lest the last millisecond be spent in a busy loop.
        let milliseconds = left.map_or(-1, |left| left.as_millis().saturating_add(1).min(1 << 30) as i32);
        let mut descriptor = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which outlives the call.
        let ready = unsafe { libc::poll(&raw mut descriptor, 1, milliseconds) };
        if ready > 0 {
            return true;
        }
        if left.is_some_and(|left| left.is_zero()) || (ready < 0 && !interrupted()) {
            return false;
        }
    }
}

fn pass_on(frame: Frame, heard: &mut Heard) -> Result<()> {
    match frame.kind {
        Kind::Output => heard.respond(&frame.text)?,
        Kind::Message => heard.write(&Channel::Stderr, &visible_lines(&frame.text))?,
        Kind::Diagnostic => {
            let channel = heard.diagnostic.clone().unwrap_or(Channel::Stderr);
            heard.write(&channel, &frame.text)?;
        }
        Kind::Regular => heard.regular = Channel::named(&frame.text),
        Kind::Diagnose => heard.diagnostic = Some(Channel::named(&frame.text)),
        Kind::Sat | Kind::Unsat | Kind::Unknown => {
            heard.respond(&frame.text)?;
            heard.checking = false;
            heard.code = match frame.kind {
                Kind::Sat => 10,
                Kind::Unsat => 20,
                _ => 0,
            };
        }
        Kind::Checking => {
            heard.checking = true;
            // The check itself is not done with.
            return Ok(());
        }
        Kind::End(code) => heard.end = Some(code),
    }
    heard.done = frame.done;
    Ok(())
}

/// Why the child ended before it was done.
fn cause(status: i32, words: &str) -> Death {
    let out_of_memory = ["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate memory"];
    if out_of_memory.iter().any(|sign| words.contains(sign)) {
        return Death::Memory;
    }
    let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
    // Nobody else ends a process in this way but the kernel, when the machine's memory is used up.
    if signal == Some(libc::SIGKILL) {
        return Death::Memory;
    }
    let first = words.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let how = match signal {
        Some(signal) => format!("the solver's process was ended by signal {signal}"),
        None => format!("the solver's process ended with code {}", libc::WEXITSTATUS(status)),
    };
    Death::Crash(if first.is_empty() { how } else { format!("{how}: {first}") })
}

/// Says what the child still owed.
fn epilogue(input: &Input, heard: &mut Heard, death: &Death) -> Result<u8> {
    if let Death::Crash(how) = death {
        tell(&format!("labrys: {how}"));
    }
    let (said, checked) = match input {
        Input::Whole { text, .. } => answers(text.get(heard.done as usize..).unwrap_or_default(), death),
        Input::Stream { .. } if heard.checking => ("unknown\n".to_owned(), true),
        Input::Stream { .. } => (String::new(), false),
    };
    heard.respond(&said)?;
    Ok(if checked { 0 } else { heard.code })
}

/// The child's whole life.
fn work(arguments: &SolveArgs, input: &Input, deadline: Option<Instant>, mut to_parent: File, log: &File) -> ! {
    // SAFETY: system calls on this process alone; the descriptors are open and the struct outlives its call.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::dup2(log.as_raw_fd(), 2);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        if let Some(mebibytes) = arguments.memory {
            // Each arena of the allocator reserves 64 MiB of addresses, used or not: one for each engine's thread.
            libc::mallopt(libc::M_ARENA_MAX, 2);
            let bytes = mapped_bytes().saturating_add(mebibytes << 20);
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
            libc::setrlimit(libc::RLIMIT_AS, &limit);
        }
    }
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        child::run(arguments, input, deadline, &mut to_parent);
    }))
    .is_err();
    // Memory is not given back piece by piece.
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(if panicked { 101 } else { 0 }) }
}

/// Bytes of address space that this process has mapped: libraries and the script.
fn mapped_bytes() -> u64 {
    const PAGE: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|word| word.parse::<u64>().ok()));
    pages.unwrap_or(0) * PAGE
}

/// A pipe's two ends, which programs that are started do not inherit.
fn pipe() -> std::io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the array holds the two descriptors, which are then owned by the files alone.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

/// A file in memory.
fn memory_file() -> std::io::Result<File> {
    // SAFETY: the name ends with a zero; the descriptor is owned by the file alone.
    unsafe {
        let descriptor = libc::memfd_create(c"labrys-solve".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(File::from(OwnedFd::from_raw_fd(descriptor)))
    }
}
