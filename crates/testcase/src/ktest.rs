//! KLEE's `.ktest` files, versions 1 to 3.
//!
//! All numbers have 32 bits, the most significant byte first. A file is: `KTEST` (once `BOUT\n`); the version; the number of
//! arguments, and each as its length and bytes, the program's name first; from version 2 on, how many symbolic arguments KLEE's
//! POSIX model had and their greatest length; the number of objects, and each as the length and bytes of its name and the
//! length and bytes of its content. After the comments of KLEE's `KTest.h` and `ktest-tool`.

use thiserror::Error;

use crate::{InputObject, TestInput};

/// The version that is written.
pub const KTEST_VERSION: u32 = 3;

const MAGIC: &[u8] = b"KTEST";
/// What the first versions began with.
const OLD_MAGIC: &[u8] = b"BOUT\n";

/// A `.ktest` file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ktest {
    /// The command line: the program's name and what stands behind it.
    pub arguments: Vec<Vec<u8>>,
    /// How many symbolic arguments KLEE's POSIX model gave the program; 0 without it.
    pub symbolic_arguments: u32,
    /// How long they were at most.
    pub symbolic_argument_length: u32,
    /// What the program asked for, in that order.
    pub objects: Vec<InputObject>,
}

/// Why bytes are no `.ktest` file.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum KtestError {
    /// They don't begin as one.
    #[error("this is no .ktest file: it does not begin with KTEST")]
    Magic,
    /// A version that did not exist when this was written.
    #[error("version {0} of the .ktest format is not known here; versions 1 to {KTEST_VERSION} are")]
    Version(u32),
    /// They end too early.
    #[error("the .ktest file ends within {0}")]
    Truncated(&'static str),
    /// They go on behind the last object.
    #[error("{0} bytes stand behind the last object of the .ktest file")]
    Trailing(usize),
}

/// What of a file is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, count: u32, what: &'static str) -> Result<&'a [u8], KtestError> {
        let count = usize::try_from(count).map_err(|_| KtestError::Truncated(what))?;
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(KtestError::Truncated(what))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self, what: &'static str) -> Result<u32, KtestError> {
        let (bytes, rest) = self.0.split_first_chunk::<4>().ok_or(KtestError::Truncated(what))?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*bytes))
    }

    /// A length and as many bytes.
    fn sized(&mut self, what: &'static str) -> Result<&'a [u8], KtestError> {
        let count = self.number(what)?;
        self.bytes(count, what)
    }
}

impl Ktest {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// See [`KtestError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Ktest, KtestError> {
        let body = bytes.strip_prefix(MAGIC).or_else(|| bytes.strip_prefix(OLD_MAGIC)).ok_or(KtestError::Magic)?;
        let mut rest = Rest(body);
        let version = rest.number("the version")?;
        if !(1..=KTEST_VERSION).contains(&version) {
            return Err(KtestError::Version(version));
        }
        let mut read = Ktest::default();
        // Counts are only believed as far as there are bytes: each turn takes some or ends with an error.
        for _ in 0..rest.number("the arguments")? {
            read.arguments.push(rest.sized("an argument")?.to_vec());
        }
        if version >= 2 {
            read.symbolic_arguments = rest.number("the number of symbolic arguments")?;
            read.symbolic_argument_length = rest.number("the length of symbolic arguments")?;
        }
        for _ in 0..rest.number("the objects")? {
            let name = String::from_utf8_lossy(rest.sized("an object's name")?).into_owned();
            read.objects.push(InputObject { name, bytes: rest.sized("an object")?.to_vec() });
        }
        match rest.0.len() {
            0 => Ok(read),
            more => Err(KtestError::Trailing(more)),
        }
    }

    /// The file's bytes, in the newest version. What is longer than four gigabytes is cut, which no input here is.
    pub fn to_bytes(&self) -> Vec<u8> {
        fn number(out: &mut Vec<u8>, value: usize) {
            out.extend(u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes());
        }
        fn sized(out: &mut Vec<u8>, bytes: &[u8]) {
            let kept = &bytes[..bytes.len().min(u32::MAX as usize)];
            number(out, kept.len());
            out.extend(kept);
        }
        let mut out = MAGIC.to_vec();
        out.extend(KTEST_VERSION.to_be_bytes());
        number(&mut out, self.arguments.len());
        self.arguments.iter().for_each(|argument| sized(&mut out, argument));
        out.extend(self.symbolic_arguments.to_be_bytes());
        out.extend(self.symbolic_argument_length.to_be_bytes());
        number(&mut out, self.objects.len());
        for object in &self.objects {
            sized(&mut out, object.name.as_bytes());
            sized(&mut out, &object.bytes);
        }
        out
    }

    /// The file of an input of the program of this name.
    pub fn of(program: &str, input: &TestInput) -> Ktest {
        let arguments = std::iter::once(program.as_bytes().to_vec()).chain(input.arguments.iter().cloned()).collect();
        Ktest { arguments, objects: input.objects.clone(), ..Ktest::default() }
    }

    /// The input without the program's name.
    pub fn into_input(self) -> TestInput {
        TestInput { arguments: self.arguments.into_iter().skip(1).collect(), objects: self.objects }
    }
}
