//! Scripts read: SMT-LIB 2.6's commands, one after the other, their terms made in a store.
//!
//! Reading takes time and memory linear in the text and does not recurse over terms. What SMT-LIB has but labrys lacks
//! is [`Command::Unsupported`] and reading goes on behind it; anything else that is wrong ends it with a [`ScriptError`].
//!
//! ```
//! use labrys_term::Store;
//! use labrys_term::smtlib::script::{Command, Script, Source};
//!
//! let (mut store, mut script) = (Store::new(), Script::new());
//! let mut source = Source::new(b"(declare-const x Float32) (assert (fp.lt x ((_ to_fp 8 24) RNE 0.5)))");
//! let mut assertions = Vec::new();
//! while let Some(command) = script.next(&mut store, &mut source).unwrap() {
//!     if let Command::Assert { term, .. } = command {
//!         assertions.push(term);
//!     }
//! }
//! assert_eq!(assertions.len(), 1);
//! assert_eq!(script.declared()[0].name, "x");
//!
//! let mut wrong = Source::new(b"(assert\n  (fp.lt x 1))");
//! let error = script.next(&mut store, &mut wrong).unwrap_err();
//! assert_eq!(error.to_string(), "2:3: expected 2 floating-point, of one format, arguments for `fp.lt`, found \
//!            (_ FloatingPoint 8 24), Real");
//! ```

mod apply;
mod builtins;
mod checks;
mod command;
mod derived;
mod error;
mod fuzz;
mod lexer;
mod literal;
mod logic;
mod macros;
mod names;
mod reader;
mod sort;
mod split;
mod symbols;
mod term;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use command::{Command, Written};
pub use error::{Problem, ScriptError};
pub use fuzz::{fuzz_once, mutated};
pub use split::Splitter;
pub use symbols::{Declaration, Script};

use crate::Store;
use crate::sexpr::Position;
use lexer::Lexer;

/// A text and how far it has been read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    text: &'a [u8],
    lexer: Lexer<'a>,
    origin: Position,
    last: Range<usize>,
}

impl<'a> Source<'a> {
    /// A text to be read from its beginning.
    pub fn new(text: &'a [u8]) -> Source<'a> {
        Source::at(text, Position { line: 1, column: 1 })
    }

    /// A part of a longer text: where in that it begins.
    pub fn at(text: &'a [u8], origin: Position) -> Source<'a> {
        Source { text, lexer: Lexer::new(text), origin, last: 0..0 }
    }

    /// The bytes of the text that the last command takes.
    pub fn last_command(&self) -> Range<usize> {
        self.last.clone()
    }

    /// Where the text's end is, in lines and columns of the longer text.
    pub fn end(&self) -> Position {
        self.position(self.text.len())
    }

    fn position(&self, offset: usize) -> Position {
        lexer::position(self.text, offset, self.origin)
    }
}

impl Script {
    /// Reads the next command; `None` at the end of the text.
    ///
    /// # Errors
    ///
    /// If the text is malformed, a symbol is not declared or a term ill-sorted. Reading cannot go on then.
    pub fn next(&mut self, store: &mut Store, source: &mut Source<'_>) -> Result<Option<Command>, ScriptError> {
        let begin = source.lexer.end();
        source.lexer.backslashes = self.backslashes;
        let mut reader = reader::Reader { script: self, store, lexer: &mut source.lexer };
        let command = reader.command();
        source.last = begin..source.lexer.end();
        command.map_err(|fault| ScriptError { position: source.position(fault.at), problem: fault.problem })
    }
}

/// A command's name and what stands behind it, up to its last `)` included; `None` if the text does not begin with a list
/// that begins with a symbol.
pub fn command_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut lexer = Lexer::new(text);
    match (lexer.token(), lexer.token()) {
        (Ok(lexer::Token::Open), Ok(lexer::Token::Symbol(name))) => {
            Some((name, text[lexer.end()..].trim_ascii_start()))
        }
        _ => None,
    }
}
