//! Where scripts come from: a whole file, or a stream whose commands are answered as they come.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsRawFd, FromRawFd};
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
    /// Standard input, which may be a program that waits for answers.
    Stream,
}

impl Input {
    /// Reads a file, or standard input where that is one too; otherwise standard input is a stream.
    pub fn open(path: &Path) -> Result<Input> {
        if path != Path::new("-") {
            let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            return Ok(Input::Whole { name: path.display().to_string(), text });
        }
        // SAFETY: descriptor 0 is only borrowed: the file is not dropped.
        let stdin = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(0) });
        if !stdin.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(Input::Stream);
        }
        let mut text = Vec::new();
        (&*stdin).read_to_end(&mut text).context("cannot read standard input")?;
        Ok(Input::Whole { name: Input::STREAM.to_owned(), text })
    }

    /// What messages call standard input.
    pub const STREAM: &str = "standard input";
}

/// Reads what there is now, at least a byte: empty at the end.
pub fn read_some(buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    const PIECE: usize = 1 << 16;
    let old = buffer.len();
    buffer.resize(old + PIECE, 0);
    loop {
        // SAFETY: the buffer holds PIECE bytes behind `old`.
        let count = unsafe { libc::read(std::io::stdin().as_raw_fd(), buffer[old..].as_mut_ptr().cast(), PIECE) };
        if count >= 0 {
            buffer.truncate(old + count as usize);
            return Ok(count as usize);
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            buffer.truncate(old);
            return Err(error);
        }
    }
}
