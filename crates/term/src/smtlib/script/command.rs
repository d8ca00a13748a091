//! Commands read (SMT-LIB 2.6, section 3.9 and 4.2).

use super::error::{Fault, Problem};
use super::lexer::Token;
use super::logic;
use super::macros::Macro;
use super::names::{Meaning, SortMeaning};
use super::reader::Reader;
use super::symbols::{Declaration, Script, parameter, variable, written};
use crate::{Sort, TermId};

/// A term with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The term.
    pub term: TermId,
    /// As the script has it.
    pub text: String,
}

/// A command. Declarations and levels have taken effect on the script's symbols when it is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `set-logic` of a logic that is read.
    SetLogic(String),
    /// `set-option`: keyword without its colon, value as the script has it.
    SetOption(String, String),
    /// `set-info`: keyword without its colon, value as the script has it.
    SetInfo(String, String),
    /// A constant was declared.
    Declare(Declaration),
    /// A constant, function or sort was defined.
    Define,
    /// `assert`: a Bool term.
    Assert {
        /// The term.
        term: TermId,
        /// Its `:named` name, quoted where it must be.
        name: Option<String>,
        /// Its text.
        span: std::ops::Range<usize>,
    },
    /// So many levels opened.
    Push(u32),
    /// So many levels closed; there were as many.
    Pop(u32),
    /// `check-sat`.
    CheckSat,
    /// `check-sat-assuming`: Bool terms.
    CheckSatAssuming(Vec<Written>),
    /// `get-model`.
    GetModel,
    /// `get-value`.
    GetValue(Vec<Written>),
    /// `get-unsat-core`.
    GetUnsatCore,
    /// `get-unsat-assumptions`.
    GetUnsatAssumptions,
    /// `get-assertions`.
    GetAssertions,
    /// `get-assignment`.
    GetAssignment,
    /// `get-info`: keyword without its colon.
    GetInfo(String),
    /// `get-option`: keyword without its colon.
    GetOption(String),
    /// `echo`: the string as the script has it, with its quotation marks.
    Echo(String),
    /// `reset`: the script has forgotten everything.
    Reset,
    /// `reset-assertions`.
    ResetAssertions,
    /// `exit`.
    Exit,
    /// A command, or a part of one, that labrys does not read; the command was passed over.
    Unsupported {
        /// What.
        what: String,
        /// Whether answers would have depended on it: it asserts, declares or defines something.
        matters: bool,
    },
}

impl<'t> Reader<'_, 't> {
    /// Passes a command; `None` at the end of the text.
    pub(super) fn command(&mut self) -> Result<Option<Command>, Fault> {
        match self.lexer.token()? {
            Token::End => return Ok(None),
            Token::Open => {}
            other => return Err(self.unexpected("`(` before a command", other)),
        }
        let name = match self.lexer.token()? {
            Token::Symbol(name) => name,
            other => return Err(self.unexpected("a command", other)),
        };
        let command = self.body(name).and_then(|command| {
            self.close(&format!("at the end of `{}`", String::from_utf8_lossy(name)))?;
            Ok(command)
        });
        match command {
            Err(Fault { problem: Problem::Unsupported(what), .. }) => {
                self.lexer.skip_to_depth(0)?;
                let matters = name == b"assert" || name.starts_with(b"de") || name == b"push" || name == b"pop";
                Ok(Some(Command::Unsupported { what, matters }))
            }
            other => other.map(Some),
        }
    }

    /// A command behind its name, up to its `)`.
    fn body(&mut self, name: &'t [u8]) -> Result<Command, Fault> {
        Ok(match name {
            b"assert" => return self.assert(),
            b"check-sat" => Command::CheckSat,
            b"check-sat-assuming" => {
                self.open("before the assumptions")?;
                Command::CheckSatAssuming(self.written_terms(true)?)
            }
            b"declare-const" => {
                let name = self.new_name("a new symbol")?;
                return self.declare(name);
            }
            b"declare-fun" => return self.declare_function(),
            b"define-const" => return self.define_constant(),
            b"define-fun" => return self.define_function(),
            b"define-sort" => return self.define_sort(),
            b"declare-sort" | b"declare-datatype" | b"declare-datatypes" | b"define-fun-rec" | b"define-funs-rec" => {
                return self.unsupported_declaration(name);
            }
            b"push" => {
                let count = self.levels()?;
                if self.script.levels() + count as usize > MAX_LEVELS {
                    return Err(Fault::unsupported(self.lexer.begin(), format!("more than {MAX_LEVELS} levels")));
                }
                self.script.push(count);
                Command::Push(count)
            }
            b"pop" => {
                let count = self.levels()?;
                let there = self.script.levels();
                if count as usize > there {
                    let expected = format!("at most {there} (the levels that are open)");
                    return Err(Fault::expected(self.lexer.begin(), &expected, &count.to_string()));
                }
                self.script.pop(count);
                Command::Pop(count)
            }
            b"set-logic" => return self.set_logic(),
            b"set-option" => return self.set_option(),
            b"set-info" => {
                let (keyword, value) = self.attribute()?;
                if keyword == "smt-lib-version" {
                    self.script.backslashes = value == "2.0";
                }
                Command::SetInfo(keyword, value)
            }
            b"get-value" => {
                self.open("before the terms")?;
                Command::GetValue(self.written_terms(false)?)
            }
            b"get-info" => Command::GetInfo(self.keyword("a keyword such as `:reason-unknown`")?),
            b"get-option" => Command::GetOption(self.keyword("an option such as `:produce-models`")?),
            b"get-model" => Command::GetModel,
            b"get-unsat-core" => Command::GetUnsatCore,
            b"get-unsat-assumptions" => Command::GetUnsatAssumptions,
            b"get-assertions" => Command::GetAssertions,
            b"get-assignment" => Command::GetAssignment,
            b"echo" => match self.lexer.token()? {
                Token::Text(_) => Command::Echo(self.text(self.lexer.begin(), self.lexer.end())),
                other => return Err(self.unexpected("a string", other)),
            },
            b"reset" => {
                *self.script = Script::new();
                Command::Reset
            }
            b"reset-assertions" => {
                let levels = self.script.levels() as u32;
                self.script.pop(levels);
                Command::ResetAssertions
            }
            b"exit" => Command::Exit,
            _ => return Err(Fault::unsupported(self.lexer.begin(), Token::Symbol(name).shown())),
        })
    }

    /// A part of the text; bytes that are no UTF-8 are replaced.
    fn text(&self, from: usize, to: usize) -> String {
        String::from_utf8_lossy(self.lexer.slice(from, to).trim_ascii()).into_owned()
    }

    /// The numeral of `push` and `pop`; 1 where it is left out.
    fn levels(&mut self) -> Result<u32, Fault> {
        if self.lexer.peek()? == Token::Close { Ok(1) } else { self.index("a number of levels") }
    }

    fn assert(&mut self) -> Result<Command, Fault> {
        let (begin, before) = (self.lexer.end(), self.script.labels.len());
        let term = self.formula()?;
        // Inner names come before the outermost one.
        let name = self.script.labels[before..].last().filter(|label| label.term == term);
        let name = name.map(|label| label.name.clone());
        Ok(Command::Assert { term, name, span: begin..self.lexer.end() })
    }

    fn declare(&mut self, name: super::names::NameId) -> Result<Command, Fault> {
        match self.sort() {
            Ok(sort) => {
                let text = self.script.names.bytes(name).to_vec();
                let term = variable(self.store, &text, sort);
                self.script.names.bind(name, Meaning::Term(term));
                let declaration = Declaration { name: written(&self.script.names.text(name)), term };
                self.script.declared.push(declaration.clone());
                Ok(Command::Declare(declaration))
            }
            Err(fault) => Err(self.spoiled(name, fault)),
        }
    }

    /// The fault, noted at the name: what is not supported is not undeclared either.
    fn spoiled(&mut self, name: super::names::NameId, fault: Fault) -> Fault {
        if matches!(fault.problem, Problem::Unsupported(_)) {
            self.script.names.bind(name, Meaning::Unsupported);
        }
        fault
    }

    fn declare_function(&mut self) -> Result<Command, Fault> {
        let name = self.new_name("a new symbol")?;
        self.open("before the sorts of the arguments")?;
        if self.lexer.closes() {
            return self.declare(name);
        }
        let fault = Fault::unsupported(self.lexer.begin(), "uninterpreted functions");
        Err(self.spoiled(name, fault))
    }

    fn unsupported_declaration(&mut self, command: &[u8]) -> Result<Command, Fault> {
        let what = Token::Symbol(command).shown();
        if let Token::Symbol(text) | Token::Quoted(text) = self.lexer.token()? {
            let name = self.script.names.intern(text);
            if command == b"define-fun-rec" {
                self.script.names.bind(name, Meaning::Unsupported);
            } else {
                self.script.names.bind_sort(name, SortMeaning::Unsupported);
            }
        }
        Err(Fault::unsupported(self.lexer.begin(), what))
    }

    fn define_constant(&mut self) -> Result<Command, Fault> {
        let name = self.new_name("a new symbol")?;
        match self.sort().and_then(|sort| self.term_of(&sort)) {
            Ok(term) => {
                self.script.names.bind(name, Meaning::Term(term));
                Ok(Command::Define)
            }
            Err(fault) => Err(self.spoiled(name, fault)),
        }
    }

    fn term_of(&mut self, sort: &Sort) -> Result<TermId, Fault> {
        let begin = self.lexer.end();
        let term = self.term()?;
        let found = self.store.sort(term);
        if found == sort {
            return Ok(term);
        }
        let (expected, found) = (crate::smtlib::sort_text(sort), crate::smtlib::sort_text(found));
        let at = self.beginning(begin);
        Err(Fault::expected(at, &format!("a term of sort {expected}"), &format!("one of sort {found}")))
    }

    fn define_function(&mut self) -> Result<Command, Fault> {
        let name = self.new_name("a new symbol")?;
        self.open("before the parameters")?;
        let mut parameters = Vec::new();
        let mut shadowed = Vec::new();
        let body = self.definition(&mut parameters, &mut shadowed);
        while let Some((parameter, old)) = shadowed.pop() {
            self.script.names.replace(parameter, old);
        }
        let meaning = match body {
            Err(fault) => return Err(self.spoiled(name, fault)),
            Ok(term) if parameters.is_empty() => Meaning::Term(term),
            Ok(term) => {
                self.script.macros.push(Macro::new(self.store, &parameters, term));
                Meaning::Macro(self.script.macros.len() as u32 - 1)
            }
        };
        self.script.names.bind(name, meaning);
        Ok(Command::Define)
    }

    /// Parameters behind their `(`, result sort and body; the parameters stand for new variables.
    fn definition(
        &mut self,
        parameters: &mut Vec<TermId>,
        shadowed: &mut Vec<(super::names::NameId, Meaning)>,
    ) -> Result<TermId, Fault> {
        let mut names = Vec::new();
        while !self.lexer.closes() {
            self.open("before a parameter")?;
            let (name, _) = self.name("a parameter's name")?;
            let sort = self.sort()?;
            self.close("behind a parameter's sort")?;
            let text = self.script.names.text(name);
            parameters.push(parameter(self.store, &text, sort));
            names.push(name);
        }
        let sort = self.sort()?;
        for (&name, &term) in names.iter().zip(parameters.iter()) {
            shadowed.push((name, self.script.names.replace(name, Meaning::Term(term))));
        }
        self.term_of(&sort)
    }

    fn define_sort(&mut self) -> Result<Command, Fault> {
        let (name, at) = self.name("a new sort's name")?;
        let text = self.script.names.text(name);
        let standard = [
            "Bool",
            "Real",
            "RoundingMode",
            "Array",
            "BitVec",
            "FloatingPoint",
            "Float16",
            "Float32",
            "Float64",
            "Float128",
        ];
        if self.script.names.sorts.contains_key(&name) || standard.contains(&text.as_str()) {
            return Err(Fault { at, problem: Problem::Redeclared(text) });
        }
        self.open("before the parameters")?;
        let mut parameters = Vec::new();
        while !self.lexer.closes() {
            parameters.push(self.name("a parameter's name")?.0);
        }
        let begin = self.lexer.end();
        let meaning = if parameters.is_empty() {
            match self.sort() {
                Ok(sort) => SortMeaning::Sort(sort),
                Err(fault) => {
                    if matches!(fault.problem, Problem::Unsupported(_)) {
                        self.script.names.bind_sort(name, SortMeaning::Unsupported);
                    }
                    return Err(fault);
                }
            }
        } else {
            // Whether the definition is a sort is seen where it is applied.
            let first = self.lexer.token()?;
            self.skip_rest(first, "a sort")?;
            SortMeaning::Template(parameters, self.lexer.slice(begin, self.lexer.end()).into())
        };
        self.script.names.bind_sort(name, meaning);
        Ok(Command::Define)
    }

    fn set_logic(&mut self) -> Result<Command, Fault> {
        let text = self.symbol("a logic")?;
        if logic::is_supported(text) {
            return Ok(Command::SetLogic(String::from_utf8_lossy(text).into_owned()));
        }
        Err(Fault::unsupported(self.lexer.begin(), format!("the logic {}", Token::Symbol(text).shown())))
    }

    fn set_option(&mut self) -> Result<Command, Fault> {
        let (keyword, value) = self.attribute()?;
        if keyword == "global-declarations" {
            self.script.global = value == "true";
        }
        Ok(Command::SetOption(keyword, value))
    }

    fn keyword(&mut self, expected: &str) -> Result<String, Fault> {
        match self.lexer.token()? {
            Token::Keyword(name) => Ok(String::from_utf8_lossy(name).into_owned()),
            other => Err(self.unexpected(expected, other)),
        }
    }

    /// A keyword and its value's text, which may be empty.
    fn attribute(&mut self) -> Result<(String, String), Fault> {
        let keyword = self.keyword("a keyword")?;
        let begin = self.lexer.end();
        if self.lexer.peek()? == Token::Close {
            return Ok((keyword, String::new()));
        }
        let first = self.lexer.token()?;
        let begin = begin.max(self.lexer.begin());
        self.skip_rest(first, "a value")?;
        Ok((keyword, self.text(begin, self.lexer.end())))
    }

    /// Terms with their texts, behind their `(`; at least one unless they are `assumptions`.
    fn written_terms(&mut self, assumptions: bool) -> Result<Vec<Written>, Fault> {
        let mut terms = Vec::new();
        while !((assumptions || !terms.is_empty()) && self.lexer.closes()) {
            let begin = self.lexer.end();
            let term = if assumptions { self.formula()? } else { self.term()? };
            let begin = self.beginning(begin);
            terms.push(Written { term, text: self.text(begin, self.lexer.end()) });
        }
        Ok(terms)
    }
}

/// More levels than these are refused.
const MAX_LEVELS: usize = 1 << 20;
