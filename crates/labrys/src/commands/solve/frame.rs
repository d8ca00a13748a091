//! What the child tells its parent: frames over a pipe, each whole or not at all.

use std::io::{Read, Write};

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text for the regular channel.
    Output,
    /// Text for standard error.
    Message,
    /// Text for the diagnostic channel.
    Diagnostic,
    /// The regular channel is the one of this name from here on.
    Regular,
    /// The diagnostic channel is the one of this name from here on.
    Diagnose,
    /// An answer, with its text for the regular channel.
    Sat,
    /// An answer, with its text for the regular channel.
    Unsat,
    /// An answer, with its text for the regular channel.
    Unknown,
    /// A check begins.
    Checking,
    /// The end, with this exit code.
    End(u8),
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it says.
    pub kind: Kind,
    /// How many bytes of the script are done with.
    pub done: u64,
    /// The text.
    pub text: String,
}

const HEADER: usize = 14;

impl Frame {
    /// Writes the frame.
    pub fn send(&self, to: &mut impl Write) -> std::io::Result<()> {
        let (kind, code) = match self.kind {
            Kind::Output => (0, 0),
            Kind::Message => (1, 0),
            Kind::Sat => (2, 0),
            Kind::Unsat => (3, 0),
            Kind::Unknown => (4, 0),
            Kind::Checking => (5, 0),
            Kind::Diagnostic => (6, 0),
            Kind::Regular => (7, 0),
            Kind::Diagnose => (8, 0),
            Kind::End(code) => (9, code),
        };
        let mut bytes = vec![kind, code];
        bytes.extend_from_slice(&self.done.to_le_bytes());
        bytes.extend_from_slice(&(self.text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.text.as_bytes());
        to.write_all(&bytes)
    }
}

/// Frames from bytes that arrive piece by piece.
#[derive(Debug, Default)]
pub struct Receiver {
    bytes: Vec<u8>,
}

impl Receiver {
    /// Reads once; false at the end of the pipe.
    pub fn read(&mut self, from: &mut impl Read) -> std::io::Result<bool> {
        let mut piece = [0; 1 << 14];
        let count = from.read(&mut piece)?;
        self.bytes.extend_from_slice(&piece[..count]);
        Ok(count > 0)
    }

    /// All frames that are whole.
    pub fn frames(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut rest = &self.bytes[..];
        while let Some((header, behind)) = rest.split_first_chunk::<HEADER>() {
            let [kind, code, numbers @ ..] = header;
            let (done, length) = numbers.split_at(8);
            let done = u64::from_le_bytes(done.try_into().unwrap_or_default());
            let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
            let Some((text, next)) = behind.split_at_checked(length) else { break };
            let kind = match kind {
                0 => Kind::Output,
                1 => Kind::Message,
                2 => Kind::Sat,
                3 => Kind::Unsat,
                4 => Kind::Unknown,
                5 => Kind::Checking,
                6 => Kind::Diagnostic,
                7 => Kind::Regular,
                8 => Kind::Diagnose,
                _ => Kind::End(*code),
            };
            frames.push(Frame { kind, done, text: String::from_utf8_lossy(text).into_owned() });
            rest = next;
        }
        self.bytes = rest.to_vec();
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_whole_or_not_at_all() {
        let kinds = [
            Kind::Output,
            Kind::Message,
            Kind::Diagnostic,
            Kind::Regular,
            Kind::Diagnose,
            Kind::Sat,
            Kind::Unsat,
            Kind::Unknown,
            Kind::Checking,
            Kind::End(20),
        ];
        let sent: Vec<Frame> =
            kinds.into_iter().map(|kind| Frame { kind, done: 1 << 40, text: "(fp …)\n".to_owned() }).collect();
        let mut bytes = Vec::new();
        for frame in &sent {
            frame.send(&mut bytes).expect("memory");
        }
        let mut receiver = Receiver::default();
        let mut received = Vec::new();
        for piece in bytes.chunks(5) {
            assert!(receiver.read(&mut &piece[..]).expect("memory"));
            received.extend(receiver.frames());
        }
        assert_eq!(received, sent);
        receiver.read(&mut &bytes[..bytes.len() - 1]).expect("memory");
        assert_eq!(receiver.frames(), sent[..9]);
    }
}
