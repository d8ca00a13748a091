//! Steps as bytes. A step is `a`, a clause's number, its literals, 0, the numbers of clauses that imply it, 0; or `d`,
//! numbers of clauses, 0. A number n is written as 2·|n|, or 2·|n| + 1 where it is negative, seven bits a byte, the least
//! significant first, with the top bit of each byte but the last set.

use std::io::{self, BufRead, Write};

use super::Rejected;

/// What a step does; its literals and numbers are the reader's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Adds a clause under this number.
    Add(u64),
    /// Deletes clauses.
    Delete,
}

/// Reads steps one by one.
pub(super) struct Reader<R> {
    input: R,
    /// How many steps have been begun.
    pub steps: u64,
    /// How many bytes have been read.
    pub bytes: u64,
    /// The literals of the clause that the last step adds.
    pub literals: Vec<i32>,
    /// The numbers that the last step names.
    pub ids: Vec<u64>,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader { input, steps: 0, bytes: 0, literals: Vec::new(), ids: Vec::new() }
    }

    /// The next step; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Step>, Rejected> {
        let Some(kind) = self.byte()? else { return Ok(None) };
        self.steps += 1;
        self.literals.clear();
        self.ids.clear();
        let step = match kind {
            b'a' => {
                let id = self.id()?.ok_or(self.malformed())?;
                while let Some(literal) = self.literal()? {
                    self.literals.push(literal);
                }
                Step::Add(id)
            }
            b'd' => Step::Delete,
            _ => return Err(self.malformed()),
        };
        while let Some(id) = self.id()? {
            self.ids.push(id);
        }
        Ok(Some(step))
    }

    fn malformed(&self) -> Rejected {
        Rejected::Malformed { step: self.steps }
    }

    fn byte(&mut self) -> Result<Option<u8>, Rejected> {
        let byte = loop {
            match self.input.fill_buf() {
                Ok(buffer) => break buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        };
        if byte.is_some() {
            self.input.consume(1);
            self.bytes += 1;
        }
        Ok(byte)
    }

    /// A number as it is written: twice its size, and one more where it is negative.
    fn number(&mut self) -> Result<u64, Rejected> {
        let mut number = 0;
        // Nine bytes hold 63 bits.
        for place in 0..9 {
            let byte = self.byte()?.ok_or(self.malformed())?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.malformed())
    }

    /// A clause's number; `None` for 0. A negative one begins the second part of a step that is not implied.
    fn id(&mut self) -> Result<Option<u64>, Rejected> {
        match self.number()? {
            0 => Ok(None),
            1 => Err(self.malformed()),
            number if number % 2 == 1 => Err(Rejected::NotImplied { step: self.steps }),
            number => Ok(Some(number / 2)),
        }
    }

    /// A literal; `None` for 0.
    fn literal(&mut self) -> Result<Option<i32>, Rejected> {
        let number = self.number()?;
        let variable = i32::try_from(number / 2).map_err(|_| self.malformed())?;
        match (variable, number % 2) {
            (0, 0) => Ok(None),
            (0, _) => Err(self.malformed()),
            (_, 0) => Ok(Some(variable)),
            (..) => Ok(Some(-variable)),
        }
    }
}

/// Writes steps.
pub(crate) struct Writer<W> {
    output: W,
    bytes: u64,
    buffer: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Nothing written.
    pub fn new(output: W) -> Writer<W> {
        Writer { output, bytes: 0, buffer: Vec::new() }
    }

    /// How many bytes have been written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes that a clause is added, implied by the clauses named.
    pub fn add(
        &mut self,
        id: u64,
        clause: impl Iterator<Item = i32>,
        hints: impl Iterator<Item = u64>,
    ) -> io::Result<()> {
        self.buffer.push(b'a');
        self.number(2 * id);
        clause.for_each(|literal| self.number(2 * u64::from(literal.unsigned_abs()) + u64::from(literal < 0)));
        self.number(0);
        self.ids(hints)
    }

    /// Writes that clauses are deleted.
    pub fn delete(&mut self, ids: impl Iterator<Item = u64>) -> io::Result<()> {
        self.buffer.push(b'd');
        self.ids(ids)
    }

    /// What the steps were written to.
    pub fn into_output(self) -> W {
        self.output
    }

    fn ids(&mut self, ids: impl Iterator<Item = u64>) -> io::Result<()> {
        ids.for_each(|id| self.number(2 * id));
        self.number(0);
        self.bytes += self.buffer.len() as u64;
        let written = self.output.write_all(&self.buffer);
        self.buffer.clear();
        written
    }

    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.buffer.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.buffer.push(number as u8);
    }
}
