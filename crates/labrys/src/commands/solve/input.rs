//! Where scripts come from: a whole file, or a stream whose commands are answered as they come.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result};

/// A script, or where it comes from.
pub enum Input {
    /// All of it.
    Whole {
        /// What messages call it.
        name: String,
        /// Its text.
        text: Vec<u8>,
    },
    /// Standard input, which may be a program that waits for answers; or a file that is none on a disk, of which nobody knows when it
    /// ends. It is read where limits hold.
    Stream {
        /// What messages call it.
        name: String,
        /// What is read.
        file: File,
    },
}

impl Input {
    /// Reads a file on a disk whole; anything else is a stream.
    pub fn open(path: &Path) -> Result<Input> {
        let is_standard = path == Path::new("-");
        let name = if is_standard { "standard input".to_owned() } else { path.display().to_string() };
        let opened =
            if is_standard { std::io::stdin().as_fd().try_clone_to_owned().map(File::from) } else { open(path) };
        let read = |mut file: File| {
            let metadata = file.metadata()?;
            if !metadata.is_file() && !metadata.is_dir() {
                return Ok(Input::Stream { name: name.clone(), file });
            }
            let mut text = Vec::new();
            file.read_to_end(&mut text)?;
            Ok(Input::Whole { name: name.clone(), text })
        };
        opened.and_then(read).with_context(|| format!("cannot read {name}"))
    }
}

/// Opens a file for reading; a pipe at whose other end nobody is yet, too: who that is, is waited for where time is limited.
fn open(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    // SAFETY: calls on a descriptor that the file owns.
    let waits = unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        flags >= 0 && libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK) >= 0
    };
    if waits { Ok(file) } else { Err(std::io::Error::last_os_error()) }
}

/// Reads what there is now, at least a byte: empty at the end.
pub fn read_some(mut file: &File, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    const PIECE: usize = 1 << 16;
    // A pipe that nobody has opened for writing yet is at its end, for a reader, and is not for a poll.
    let mut descriptor = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor, which outlives the call. What is wrong with it the read tells.
    unsafe { libc::poll(&raw mut descriptor, 1, -1) };
    let old = buffer.len();
    buffer.resize(old + PIECE, 0);
    loop {
        let read = file.read(&mut buffer[old..]);
        match read {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => {
                buffer.truncate(old + read.as_ref().copied().unwrap_or(0));
                return read;
            }
        }
    }
}
