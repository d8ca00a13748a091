//! What the readers of terms, sorts and commands share: the text, the store and the script's names.

use num_traits::ToPrimitive;

use super::error::{Fault, Problem};
use super::lexer::{Lexer, Token};
use super::names::{Meaning, NameId, is_reserved};
use super::symbols::Script;
use crate::Store;

/// Reads one text into one store.
pub(super) struct Reader<'s, 't> {
    pub(super) script: &'s mut Script,
    pub(super) store: &'s mut Store,
    pub(super) lexer: &'s mut Lexer<'t>,
}

impl<'t> Reader<'_, 't> {
    /// The fault that something else than `token`, the last one, was expected.
    pub(super) fn unexpected(&self, expected: &str, token: Token<'_>) -> Fault {
        Fault::expected(self.lexer.begin(), expected, &token.shown())
    }

    /// Passes a `(`.
    pub(super) fn open(&mut self, before: &str) -> Result<(), Fault> {
        match self.lexer.token()? {
            Token::Open => Ok(()),
            other => Err(self.unexpected(&format!("`(` {before}"), other)),
        }
    }

    /// Passes a `)`.
    pub(super) fn close(&mut self, after: &str) -> Result<(), Fault> {
        match self.lexer.token()? {
            Token::Close => Ok(()),
            other => Err(self.unexpected(&format!("`)` {after}"), other)),
        }
    }

    /// Passes a symbol that is not reserved: its name and where it begins.
    pub(super) fn name(&mut self, expected: &str) -> Result<(NameId, usize), Fault> {
        let text = self.symbol(expected)?;
        Ok((self.script.names.intern(text), self.lexer.begin()))
    }

    /// Passes a symbol that is not reserved: its text.
    pub(super) fn symbol(&mut self, expected: &str) -> Result<&'t [u8], Fault> {
        match self.lexer.token()? {
            Token::Quoted(text) => Ok(text),
            Token::Symbol(text) if !is_reserved(text) => Ok(text),
            other => Err(self.unexpected(expected, other)),
        }
    }

    /// A name that is new: not declared, and not one of the theories' standard functions.
    pub(super) fn new_name(&mut self, expected: &str) -> Result<NameId, Fault> {
        let (name, at) = self.name(expected)?;
        let free = match self.script.names.meaning(name) {
            Meaning::Nothing => true,
            Meaning::Builtin(builtin) => builtin.may_be_redeclared(),
            Meaning::Term(_) | Meaning::Macro(_) | Meaning::Unsupported => false,
        };
        if free { Ok(name) } else { Err(Fault { at, problem: Problem::Redeclared(self.script.names.text(name)) }) }
    }

    /// Passes a numeral: an index, a width or a count.
    pub(super) fn index(&mut self, what: &str) -> Result<u32, Fault> {
        match self.lexer.token()? {
            Token::Numeral(digits) => self.small(digits, what),
            other => Err(self.unexpected(what, other)),
        }
    }

    fn small(&self, digits: &[u8], what: &str) -> Result<u32, Fault> {
        // More digits than any u32 has need not be converted.
        let value = if digits.len() <= 20 { num_bigint::BigUint::parse_bytes(digits, 10) } else { None };
        value.and_then(|value| value.to_u32()).ok_or_else(|| {
            let shown = Token::Numeral(digits).shown();
            Fault::unsupported(self.lexer.begin(), format!("{what} as large as {shown}"))
        })
    }

    /// Passes one s-expression of any kind, whose first token is passed already.
    pub(super) fn skip_rest(&mut self, first: Token<'_>, expected: &str) -> Result<(), Fault> {
        match first {
            Token::Open => {
                let depth = self.lexer.depth() - 1;
                self.lexer.skip_to_depth(depth)
            }
            Token::Close | Token::End => Err(self.unexpected(expected, first)),
            _ => Ok(()),
        }
    }
}
