//! Terms read, without recursion: frames for what is open, values for what is read.

use super::apply::{self, Head};
use super::builtins::Builtin;
use super::error::{Fault, Problem};
use super::lexer::Token;
use super::names::{Meaning, NameId, is_reserved};
use super::reader::Reader;
use crate::smtlib::literal::sort_text;
use crate::{Sort, TermId};

/// A list that is open.
enum Frame {
    /// An application; its arguments so far stand above `base` among the values.
    Apply { head: Head, base: usize, at: usize },
    /// The bindings of a `let`; their terms so far stand above `values`, their names above `names`.
    Bindings { values: usize, names: usize },
    /// The body of a `let`; what its names stood for before stands above this.
    Body(usize),
    /// `(!`.
    Annotation,
}

/// What is open and what is read.
#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    values: Vec<TermId>,
    names: Vec<NameId>,
    /// Names that `let`s have bound, with what they stood for before.
    shadowed: Vec<(NameId, Meaning)>,
}

/// What follows from a value.
enum Step {
    /// The whole term is read.
    Done,
    /// Another term comes first.
    Next,
    /// A list ended: its value.
    Value(TermId),
}

impl<'t> Reader<'_, 't> {
    /// Passes a term.
    pub(super) fn term(&mut self) -> Result<TermId, Fault> {
        let mut stack = Stack::default();
        let result = self.term_with(&mut stack);
        self.unshadow(&mut stack, 0);
        result
    }

    /// Passes a Bool term.
    pub(super) fn formula(&mut self) -> Result<TermId, Fault> {
        let before = self.lexer.end();
        let term = self.term()?;
        match self.store.sort(term) {
            Sort::Bool => Ok(term),
            other => {
                let found = format!("one of sort {}", sort_text(other));
                Err(Fault::expected(self.beginning(before), "a term of sort Bool", &found))
            }
        }
    }

    /// Where the token behind an offset begins.
    pub(super) fn beginning(&self, offset: usize) -> usize {
        let blanks = self.lexer.slice(offset, self.lexer.end());
        offset + blanks.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0)
    }

    fn term_with(&mut self, stack: &mut Stack) -> Result<TermId, Fault> {
        loop {
            let Some(mut value) = self.begin(stack)? else { continue };
            loop {
                match self.resume(stack, value)? {
                    Step::Done => return Ok(value),
                    Step::Next => break,
                    Step::Value(next) => value = next,
                }
            }
        }
    }

    /// Reads what a term begins with: its value where that is all of it.
    fn begin(&mut self, stack: &mut Stack) -> Result<Option<TermId>, Fault> {
        match self.lexer.token()? {
            Token::Open => self.open_term(stack),
            Token::Symbol(name) if !is_reserved(name) => self.constant(name).map(Some),
            Token::Quoted(name) => self.constant(name).map(Some),
            Token::Binary(digits) => self.bits_literal(digits, 1).map(Some),
            Token::Hexadecimal(digits) => self.bits_literal(digits, 4).map(Some),
            Token::Numeral(digits) | Token::Decimal(digits) => self.real_literal(digits).map(Some),
            Token::Text(_) => Err(Fault::unsupported(self.lexer.begin(), "strings as terms")),
            other => {
                let may_close = match stack.frames.last() {
                    Some(Frame::Apply { base, .. }) => stack.values.len() > *base,
                    _ => false,
                };
                Err(self.unexpected(if may_close { "a term or `)`" } else { "a term" }, other))
            }
        }
    }

    /// Reads behind a `(`.
    fn open_term(&mut self, stack: &mut Stack) -> Result<Option<TermId>, Fault> {
        let at = self.lexer.begin();
        let head = match self.lexer.token()? {
            Token::Symbol(b"let") => {
                self.open("before the bindings of `let`")?;
                stack.frames.push(Frame::Bindings { values: stack.values.len(), names: stack.names.len() });
                self.binding(stack)?;
                return Ok(None);
            }
            Token::Symbol(b"!") => {
                stack.frames.push(Frame::Annotation);
                return Ok(None);
            }
            Token::Symbol(b"_") => return self.indexed_constant().map(Some),
            Token::Symbol(b"as") => return self.qualified_constant().map(Some),
            Token::Symbol(b"forall" | b"exists") => return Err(Fault::unsupported(at, "quantifiers")),
            Token::Symbol(b"match" | b"par") => return Err(Fault::unsupported(at, "datatypes")),
            Token::Symbol(name) | Token::Quoted(name) => self.function(name)?,
            Token::Open => self.compound_head()?,
            other => return Err(self.unexpected("a function, `let`, `!`, `_` or `as` behind `(`", other)),
        };
        stack.frames.push(Frame::Apply { head, base: stack.values.len(), at });
        Ok(None)
    }

    /// Gives a value to the innermost list that is open.
    fn resume(&mut self, stack: &mut Stack, value: TermId) -> Result<Step, Fault> {
        match stack.frames.last() {
            None => Ok(Step::Done),
            Some(Frame::Apply { .. }) => {
                stack.values.push(value);
                if !self.lexer.closes() {
                    return Ok(Step::Next);
                }
                let Some(Frame::Apply { head, base, at }) = stack.frames.pop() else { return Ok(Step::Next) };
                let args = &stack.values[base..];
                let term = match head {
                    Head::Macro(index) => match self.script.macros.get(index as usize) {
                        Some(definition) => definition.applied(self.store, args, at)?,
                        None => return Err(Fault::expected(at, "a defined function", "none")),
                    },
                    _ => apply::apply(self.store, &head, args, at)?,
                };
                stack.values.truncate(base);
                Ok(Step::Value(term))
            }
            Some(Frame::Bindings { .. }) => {
                stack.values.push(value);
                self.close("behind the term of a binding")?;
                if self.lexer.closes() {
                    self.bind(stack)
                } else {
                    self.binding(stack)?
                }
                Ok(Step::Next)
            }
            Some(Frame::Body(shadowed)) => {
                let shadowed = *shadowed;
                self.close("behind the body of `let`")?;
                self.unshadow(stack, shadowed);
                stack.frames.pop();
                Ok(Step::Value(value))
            }
            Some(Frame::Annotation) => {
                self.attributes(value)?;
                stack.frames.pop();
                Ok(Step::Value(value))
            }
        }
    }

    /// Passes `(name` of a binding.
    fn binding(&mut self, stack: &mut Stack) -> Result<(), Fault> {
        match self.lexer.token()? {
            Token::Open => {}
            other => return Err(self.unexpected("`(` before a binding, or `)` behind the last one", other)),
        }
        stack.names.push(self.name("the name of a binding")?.0);
        Ok(())
    }

    /// Makes the bindings of the innermost `let`, all at once, and its frame that of the body.
    fn bind(&mut self, stack: &mut Stack) {
        let Some(Frame::Bindings { values, names }) = stack.frames.pop() else { return };
        stack.frames.push(Frame::Body(stack.shadowed.len()));
        for (&name, &value) in stack.names[names..].iter().zip(&stack.values[values..]) {
            let old = self.script.names.replace(name, Meaning::Term(value));
            stack.shadowed.push((name, old));
        }
        stack.names.truncate(names);
        stack.values.truncate(values);
    }

    fn unshadow(&mut self, stack: &mut Stack, down_to: usize) {
        while stack.shadowed.len() > down_to {
            if let Some((name, old)) = stack.shadowed.pop() {
                self.script.names.replace(name, old);
            }
        }
    }

    /// The attributes of `(! term`, up to the `)`.
    fn attributes(&mut self, term: TermId) -> Result<(), Fault> {
        let mut any = false;
        loop {
            let token = self.lexer.token()?;
            match token {
                Token::Close if any => return Ok(()),
                Token::Keyword(b"named") => {
                    let name = self.new_name("a name behind `:named`")?;
                    self.script.names.bind(name, Meaning::Term(term));
                    self.script.add_label(name, term);
                }
                Token::Keyword(_) => {
                    if !matches!(self.lexer.peek()?, Token::Keyword(_) | Token::Close) {
                        let value = self.lexer.token()?;
                        self.skip_rest(value, "an attribute's value")?;
                    }
                }
                other => return Err(self.unexpected("an attribute such as `:named`", other)),
            }
            any = true;
        }
    }

    /// The term that a name alone stands for.
    fn constant(&mut self, name: &'t [u8]) -> Result<TermId, Fault> {
        let at = self.lexer.begin();
        match self.script.names.find(name) {
            Meaning::Term(term) => Ok(term),
            Meaning::Builtin(Builtin::True) => Ok(self.store.bool_const(true)),
            Meaning::Builtin(Builtin::False) => Ok(self.store.bool_const(false)),
            Meaning::Builtin(Builtin::Mode(mode)) => Ok(self.store.rounding_mode(mode)),
            Meaning::Builtin(Builtin::Indexed(_)) => {
                Err(Fault::expected(at, "`(_ ` before a name with indices", &Token::Symbol(name).shown()))
            }
            Meaning::Builtin(_) | Meaning::Macro(_) => {
                let found = format!("the function {}", Token::Symbol(name).shown());
                Err(Fault::expected(at, "a constant, or `(` before a function", &found))
            }
            Meaning::Unsupported => Err(unsupported_name(name, at)),
            Meaning::Nothing => Err(undeclared(name, at)),
        }
    }

    /// The function that a name stands for.
    fn function(&mut self, name: &[u8]) -> Result<Head, Fault> {
        let at = self.lexer.begin();
        match self.script.names.find(name) {
            Meaning::Builtin(Builtin::Unsupported) => Err(unsupported_name(name, at)),
            Meaning::Builtin(Builtin::Indexed(_)) => {
                Err(Fault::expected(at, "`(_ ` before a name with indices", &Token::Symbol(name).shown()))
            }
            Meaning::Builtin(builtin) => Ok(Head::Builtin(builtin)),
            Meaning::Macro(index) => Ok(Head::Macro(index)),
            Meaning::Term(_) => {
                let found = format!("the constant {}", Token::Symbol(name).shown());
                Err(Fault::expected(at, "a function", &found))
            }
            Meaning::Unsupported => Err(unsupported_name(name, at)),
            Meaning::Nothing => Err(undeclared(name, at)),
        }
    }

    /// `_ function indices)` or `as const sort)`, behind `((`.
    fn compound_head(&mut self) -> Result<Head, Fault> {
        match self.lexer.token()? {
            Token::Symbol(b"_") => self.indexed_head(),
            Token::Symbol(b"as") => {
                let name = self.symbol("`const` or a function")?;
                let head = if name == b"const" { None } else { Some(self.function(name)?) };
                let sort = self.sort()?;
                self.close("behind the sort of `as`")?;
                Ok(head.unwrap_or(Head::ConstArray(sort)))
            }
            other => Err(self.unexpected("`_` or `as` behind `((`", other)),
        }
    }

    fn indexed_head(&mut self) -> Result<Head, Fault> {
        let name = self.symbol("a function's name behind `((_`")?;
        let at = self.lexer.begin();
        let function = match self.script.names.find(name) {
            Meaning::Builtin(Builtin::Indexed(function)) => function,
            Meaning::Builtin(Builtin::Unsupported) => return Err(unsupported_name(name, at)),
            _ => {
                let found = Token::Symbol(name).shown();
                return Err(Fault::expected(at, "a function with indices such as `extract` or `to_fp`", &found));
            }
        };
        let mut indices = [0; 2];
        for index in indices.iter_mut().take(function.indices()) {
            *index = self.index("an index")?;
        }
        self.close(&format!("behind the indices of {}", Token::Symbol(name).shown()))?;
        Ok(Head::Indexed(function, indices))
    }

    /// `(as name sort)`, behind `(as`.
    fn qualified_constant(&mut self) -> Result<TermId, Fault> {
        let name = self.symbol("a constant behind `(as`")?;
        let at = self.lexer.begin();
        let term = self.constant(name)?;
        let sort = self.sort()?;
        self.close("behind the sort of `as`")?;
        if *self.store.sort(term) == sort {
            return Ok(term);
        }
        let found = format!("one of sort {}", sort_text(self.store.sort(term)));
        Err(Fault::expected(at, &format!("a constant of sort {}", sort_text(&sort)), &found))
    }
}

fn unsupported_name(name: &[u8], at: usize) -> Fault {
    Fault::unsupported(at, Token::Symbol(name).shown())
}

fn undeclared(name: &[u8], at: usize) -> Fault {
    let shown: String = String::from_utf8_lossy(name).chars().take(80).collect();
    Fault { at, problem: Problem::Undeclared { kind: "symbol", name: shown } }
}
