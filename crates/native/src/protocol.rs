//! The messages between a worker process and its parent: fixed arrays of 64-bit words over a pair of pipes.

use std::io::{Read, Write};

/// Words of a message.
const WORDS: usize = 5;

/// What the parent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The first record to run.
    pub first: u64,
    /// The record behind the last.
    pub end: u64,
    /// Watched status bits.
    pub watched: u64,
    /// 0 the fast path, 1 trapping, 2 stepping.
    pub mode: u64,
    /// How long one call may take, in milliseconds.
    pub call_timeout_ms: u64,
}

/// What the worker answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Loaded, ready for commands.
    Ready,
    /// All records were run.
    Done,
    /// A signal ended the runner at a record.
    Signal {
        /// The record.
        record: u64,
        /// The signal.
        signal: i32,
    },
    /// The code under test ended the process at a record.
    Exit {
        /// The record.
        record: u64,
        /// The exit code.
        code: i32,
    },
    /// A call took too long.
    Timeout {
        /// The record.
        record: u64,
    },
    /// The worker cannot go on; the reason follows as text until the end of the pipe.
    Failed,
}

fn write(to: &mut impl Write, words: [u64; WORDS]) -> std::io::Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    to.write_all(&bytes)?;
    to.flush()
}

fn read(from: &mut impl Read) -> std::io::Result<[u64; WORDS]> {
    let mut bytes = [0u8; WORDS * 8];
    from.read_exact(&mut bytes)?;
    let mut words = [0u64; WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0u8; 8];
        eight.copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    Ok(words)
}

impl Command {
    /// Sends the command.
    pub fn send(self, to: &mut impl Write) -> std::io::Result<()> {
        write(to, [self.first, self.end, self.watched, self.mode, self.call_timeout_ms])
    }

    /// Receives a command.
    pub fn receive(from: &mut impl Read) -> std::io::Result<Command> {
        let [first, end, watched, mode, call_timeout_ms] = read(from)?;
        Ok(Command { first, end, watched, mode, call_timeout_ms })
    }
}

impl Reply {
    /// Sends the reply.
    pub fn send(self, to: &mut impl Write) -> std::io::Result<()> {
        let words = match self {
            Reply::Ready => [0, 0, 0, 0, 0],
            Reply::Done => [1, 0, 0, 0, 0],
            Reply::Signal { record, signal } => [2, record, signal as u64, 0, 0],
            Reply::Exit { record, code } => [3, record, code as u64, 0, 0],
            Reply::Timeout { record } => [4, record, 0, 0, 0],
            Reply::Failed => [5, 0, 0, 0, 0],
        };
        write(to, words)
    }

    /// Receives a reply.
    pub fn receive(from: &mut impl Read) -> std::io::Result<Reply> {
        let [kind, record, value, _, _] = read(from)?;
        match kind {
            0 => Ok(Reply::Ready),
            1 => Ok(Reply::Done),
            2 => Ok(Reply::Signal { record, signal: value as i32 }),
            3 => Ok(Reply::Exit { record, code: value as i32 }),
            4 => Ok(Reply::Timeout { record }),
            5 => Ok(Reply::Failed),
            _ => Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "no reply of a worker")),
        }
    }
}
