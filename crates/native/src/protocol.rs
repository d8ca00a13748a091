//! The messages between a worker process and its parent, and between a worker and its runners: fixed arrays of 64-bit
//! words over pipes.

use std::io::{Error, ErrorKind, Read, Result, Write};

use crate::Filling;

/// Words of a message.
const WORDS: usize = 8;

/// What a runner does with the records of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Calls, and reads the flags.
    Fast,
    /// The same, with every status read after each call.
    Each,
    /// Traces by unmasked exceptions.
    Trap,
    /// Traces by single steps.
    Step,
    /// Calls several times with each record, to be timed.
    Timed,
}

/// What the parent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The first record to run.
    pub first: u64,
    /// The record behind the last.
    pub end: u64,
    /// Watched status bits.
    pub watched: u64,
    /// How.
    pub mode: Mode,
    /// Whether in a process that has run nothing before.
    pub fresh: bool,
    /// How long one call may take, in milliseconds.
    pub call_timeout_ms: u64,
    /// How long the whole command may take, in milliseconds.
    pub budget_ms: u64,
    /// What stands where nobody wrote.
    pub filling: Filling,
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
    /// The command's budget ran out at a record.
    Late {
        /// The record.
        record: u64,
    },
    /// The worker cannot go on; the reason follows as text until the end of the pipe.
    Failed,
}

/// One message with one system call and without allocating: a runner's heap belongs to the code under test.
fn write(to: &mut impl Write, words: [u64; WORDS]) -> Result<()> {
    let mut bytes = [0u8; WORDS * 8];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    to.write_all(&bytes)?;
    to.flush()
}

fn read(from: &mut impl Read) -> Result<[u64; WORDS]> {
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
    pub fn send(self, to: &mut impl Write) -> Result<()> {
        let mode = match self.mode {
            Mode::Fast => 0,
            Mode::Trap => 1,
            Mode::Step => 2,
            Mode::Each => 3,
            Mode::Timed => 4,
        };
        write(
            to,
            [
                self.first,
                self.end,
                self.watched,
                mode,
                u64::from(self.fresh),
                self.call_timeout_ms,
                self.budget_ms,
                self.filling.number(),
            ],
        )
    }

    /// Receives a command.
    pub fn receive(from: &mut impl Read) -> Result<Command> {
        let [first, end, watched, mode, fresh, call_timeout_ms, budget_ms, filling] = read(from)?;
        let invalid = || Error::from(ErrorKind::InvalidData);
        let mode = match mode {
            0 => Mode::Fast,
            1 => Mode::Trap,
            2 => Mode::Step,
            3 => Mode::Each,
            4 => Mode::Timed,
            _ => return Err(invalid()),
        };
        let filling = Filling::numbered(filling).ok_or_else(invalid)?;
        Ok(Command { first, end, watched, mode, fresh: fresh != 0, call_timeout_ms, budget_ms, filling })
    }
}

impl Reply {
    /// The record at which the runner ended before its command's last one.
    pub fn record(self) -> Option<u64> {
        match self {
            Reply::Signal { record, .. }
            | Reply::Exit { record, .. }
            | Reply::Timeout { record }
            | Reply::Late { record } => Some(record),
            Reply::Ready | Reply::Done | Reply::Failed => None,
        }
    }

    /// Sends the reply.
    pub fn send(self, to: &mut impl Write) -> Result<()> {
        let (kind, record, value) = match self {
            Reply::Ready => (0, 0, 0),
            Reply::Done => (1, 0, 0),
            Reply::Signal { record, signal } => (2, record, signal as u64),
            Reply::Exit { record, code } => (3, record, code as u64),
            Reply::Timeout { record } => (4, record, 0),
            Reply::Failed => (5, 0, 0),
            Reply::Late { record } => (6, record, 0),
        };
        write(to, [kind, record, value, 0, 0, 0, 0, 0])
    }

    /// Receives a reply.
    pub fn receive(from: &mut impl Read) -> Result<Reply> {
        let [kind, record, value, ..] = read(from)?;
        match kind {
            0 => Ok(Reply::Ready),
            1 => Ok(Reply::Done),
            2 => Ok(Reply::Signal { record, signal: value as i32 }),
            3 => Ok(Reply::Exit { record, code: value as i32 }),
            4 => Ok(Reply::Timeout { record }),
            5 => Ok(Reply::Failed),
            6 => Ok(Reply::Late { record }),
            _ => Err(Error::from(ErrorKind::InvalidData)),
        }
    }
}
