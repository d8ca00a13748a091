//! Sorts read.

use std::sync::Arc;

use labrys_float::Format;

use super::apply::format;
use super::checks::checked_width;
use super::error::{Fault, Problem};
use super::lexer::{Lexer, Token};
use super::names::{NameId, SortMeaning};
use super::reader::Reader;
use crate::Sort;

/// How deep arrays may be nested in one another and definitions in definitions. Sorts are compared and dropped by
/// recursion over them.
const MAX_DEPTH: u32 = 8;

impl Reader<'_, '_> {
    /// Passes a sort.
    pub(super) fn sort(&mut self) -> Result<Sort, Fault> {
        self.sort_at(0)
    }

    fn sort_at(&mut self, depth: u32) -> Result<Sort, Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::unsupported(self.lexer.begin(), format!("sorts nested more than {MAX_DEPTH} deep")));
        }
        match self.lexer.token()? {
            Token::Symbol(b"Bool") => Ok(Sort::Bool),
            Token::Symbol(name) | Token::Quoted(name) => self.named_sort(name, depth),
            Token::Open => self.compound_sort(depth),
            other => Err(self.unexpected("a sort", other)),
        }
    }

    fn named_sort(&mut self, name: &[u8], depth: u32) -> Result<Sort, Fault> {
        let at = self.lexer.begin();
        match self.script.names.find_sort(name) {
            Some(SortMeaning::Sort(sort)) => return Ok(sort.clone()),
            Some(SortMeaning::Unsupported) => {
                return Err(Fault::unsupported(at, format!("the sort {}", Token::Symbol(name).shown())));
            }
            Some(SortMeaning::Template(parameters, text)) if parameters.is_empty() => {
                let text = text.clone();
                return self.template(&text, &[], Vec::new(), at, depth);
            }
            Some(SortMeaning::Template(parameters, _)) => {
                let expected = format!("this sort with its {} arguments between parentheses", parameters.len());
                return Err(Fault::expected(at, &expected, "its bare name"));
            }
            None => {}
        }
        let format = match name {
            b"RoundingMode" => return Ok(Sort::RoundingMode),
            b"Real" => return Ok(Sort::Real),
            b"Float16" => Format::BINARY16,
            b"Float32" => Format::BINARY32,
            b"Float64" => Format::BINARY64,
            b"Float128" => Format::BINARY128,
            b"BitVec" | b"FloatingPoint" => {
                return Err(Fault::expected(at, "`(_ ` before a sort with indices", &Token::Symbol(name).shown()));
            }
            _ if super::builtins::UNSUPPORTED_SORTS.iter().any(|sort| sort.as_bytes() == name) => {
                return Err(Fault::unsupported(at, format!("the sort {}", Token::Symbol(name).shown())));
            }
            _ => {
                let name = String::from_utf8_lossy(name).into_owned();
                return Err(Fault { at, problem: Problem::Undeclared { kind: "sort", name } });
            }
        };
        Ok(Sort::Float(format))
    }

    /// A sort behind its `(`.
    fn compound_sort(&mut self, depth: u32) -> Result<Sort, Fault> {
        match self.lexer.token()? {
            Token::Symbol(b"_") => self.indexed_sort(),
            Token::Symbol(b"Array") => {
                let index = self.sort_at(depth + 1)?;
                let element = self.sort_at(depth + 1)?;
                self.close("behind an array's index and element sorts")?;
                Ok(Sort::Array(Arc::new((index, element))))
            }
            Token::Symbol(name) | Token::Quoted(name) => self.applied_sort(name, depth),
            other => Err(self.unexpected("`_`, `Array` or a defined sort", other)),
        }
    }

    fn indexed_sort(&mut self) -> Result<Sort, Fault> {
        let sort = match self.lexer.token()? {
            Token::Symbol(b"BitVec") => {
                let width = self.index("a bit vector's width")?;
                Sort::BitVec(checked_width(width, self.lexer.begin())?)
            }
            Token::Symbol(b"FloatingPoint") => {
                let exponent = self.index("the width of an exponent")?;
                let precision = self.index("the width of a significand")?;
                Sort::Float(format(exponent, precision, self.lexer.begin())?)
            }
            other => return Err(self.unexpected("`BitVec` or `FloatingPoint`", other)),
        };
        self.close("behind a sort's indices")?;
        Ok(sort)
    }

    /// A defined sort with its arguments, up to its `)`.
    fn applied_sort(&mut self, name: &[u8], depth: u32) -> Result<Sort, Fault> {
        let at = self.lexer.begin();
        let Some(SortMeaning::Template(parameters, text)) = self.script.names.find_sort(name) else {
            return match self.script.names.find_sort(name) {
                Some(SortMeaning::Unsupported) => Err(Fault::unsupported(at, "a declared sort")),
                _ if name == b"Seq" || name == b"Set" => Err(Fault::unsupported(at, "sequences and sets")),
                _ => {
                    let name = String::from_utf8_lossy(name).into_owned();
                    Err(Fault { at, problem: Problem::Undeclared { kind: "sort", name } })
                }
            };
        };
        let (parameters, text) = (parameters.clone(), text.clone());
        let arguments = parameters.iter().map(|_| self.sort_at(depth + 1)).collect::<Result<Vec<_>, _>>()?;
        self.close(&format!("behind the {} arguments of this sort", parameters.len()))?;
        self.template(&text, &parameters, arguments, at, depth)
    }

    /// A defined sort: its definition's text read with its parameters standing for the arguments.
    fn template(
        &mut self,
        text: &[u8],
        parameters: &[NameId],
        arguments: Vec<Sort>,
        at: usize,
        depth: u32,
    ) -> Result<Sort, Fault> {
        let mark = self.script.names.mark();
        for (&parameter, argument) in parameters.iter().zip(arguments) {
            self.script.names.bind_sort(parameter, SortMeaning::Sort(argument));
        }
        let mut lexer = Lexer::new(text);
        let mut inner = Reader { script: &mut *self.script, store: &mut *self.store, lexer: &mut lexer };
        let sort = inner.sort_at(depth + 1);
        self.script.names.undo_to(mark);
        let sort = sort.map_err(|fault| Fault { at, ..fault })?;
        if nesting(&sort) > MAX_DEPTH {
            return Err(Fault::unsupported(at, format!("sorts nested more than {MAX_DEPTH} deep")));
        }
        Ok(sort)
    }
}

/// How deep arrays are nested; the sort's own size is bounded by what was read before.
fn nesting(sort: &Sort) -> u32 {
    match sort {
        Sort::Array(sorts) => 1 + nesting(&sorts.0).max(nesting(&sorts.1)),
        _ => 0,
    }
}
