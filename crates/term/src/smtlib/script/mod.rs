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
mod term;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use command::{Command, Declaration, Written};
pub use error::{Problem, ScriptError};
pub use fuzz::{fuzz_once, mutated};
pub use split::Splitter;

use crate::sexpr::Position;
use crate::{Sort, Store, TermId};
use lexer::Lexer;
use macros::Macro;
use names::{Mark, Names};

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

/// What a script's symbols stand for, level by level.
#[derive(Debug)]
pub struct Script {
    names: Names,
    macros: Vec<Macro>,
    declared: Vec<Declaration>,
    labels: Vec<Declaration>,
    /// What there was when each level was opened.
    levels: Vec<Level>,
    /// Whether declarations outlive the level they are made in (`:global-declarations`).
    global: bool,
    /// Whether strings are those of SMT-LIB 2.0, in which a backslash quotes.
    backslashes: bool,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    mark: Mark,
    declared: usize,
    labels: usize,
}

impl Default for Script {
    fn default() -> Script {
        Script::new()
    }
}

impl Script {
    /// Only the theories' symbols.
    pub fn new() -> Script {
        Script {
            names: Names::new(),
            macros: Vec::new(),
            declared: Vec::new(),
            labels: Vec::new(),
            levels: Vec::new(),
            global: false,
            backslashes: false,
        }
    }

    /// Whether strings are read as in SMT-LIB 2.0 (its section 3.1), as `(set-info :smt-lib-version 2.0)` asks: a backslash quotes a
    /// quotation mark or a backslash.
    pub fn has_backslashes(&self) -> bool {
        self.backslashes
    }

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

    /// The constants declared on all open levels, in order.
    pub fn declared(&self) -> &[Declaration] {
        &self.declared
    }

    /// The terms named by `:named`, in order.
    pub fn labels(&self) -> &[Declaration] {
        &self.labels
    }

    /// How many levels have been pushed and not popped.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    fn add_label(&mut self, name: names::NameId, term: TermId) {
        let name = written(&self.names.text(name));
        self.labels.push(Declaration { name, term });
    }

    fn push(&mut self, count: u32) {
        let level = Level { mark: self.names.mark(), declared: self.declared.len(), labels: self.labels.len() };
        self.levels.extend(std::iter::repeat_n(level, count as usize));
    }

    /// Closes levels, which there must be.
    fn pop(&mut self, count: u32) {
        let kept = self.levels.len().saturating_sub(count as usize);
        if let Some(&level) = self.levels.get(kept)
            && !self.global
        {
            self.names.undo_to(level.mark);
            self.declared.truncate(level.declared);
            self.labels.truncate(level.labels);
        }
        self.levels.truncate(kept);
    }
}

/// A new variable for a parameter: no symbol can have its name, and no older term contains it.
fn parameter(store: &mut Store, name: &str, sort: Sort) -> TermId {
    let mut count = store.variable_count();
    let mut attempt = format!("{name}|{count}");
    while store.find_variable(&attempt).is_some() {
        count += 1;
        attempt = format!("{name}|{count}");
    }
    store.variable(&attempt, sort)
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

/// The variable for a declared symbol: of the symbol's name where that is a text and not taken by another sort.
fn variable(store: &mut Store, text: &[u8], sort: Sort) -> TermId {
    let (name, exact) = match std::str::from_utf8(text) {
        Ok(name) => (name.to_owned(), true),
        Err(_) => (format!("{}|bytes", text.escape_ascii()), false),
    };
    let mut attempt = name.clone();
    let mut count = 0u32;
    // A symbol that was popped may be declared again: with its old sort it is the same variable, which no assertion
    // holds any more.
    while let Some(old) = store.find_variable(&attempt)
        && *store.variable_info(old).1 != sort
    {
        count += 1;
        attempt = format!("{name}|{}{count}", if exact { "sort" } else { "" });
    }
    store.variable(&attempt, sort)
}

/// A symbol as it must be written: between bars where it is reserved or holds unusual characters.
fn written(name: &str) -> String {
    if reader::is_reserved(name.as_bytes()) { format!("|{name}|") } else { super::written(name) }
}
