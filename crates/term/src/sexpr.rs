//! S-expressions: SMT-LIB 2.6's concrete syntax (section 3.1), for solvers' replies and for scripts.
//!
//! The reader is iterative and a [`Document`] is flat, so that nesting is limited by memory alone.

use std::fmt;

use num_bigint::BigUint;

/// A place in a text, counted from 1; columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why a text is not a sequence of s-expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SexprError {
    /// A list that does not end.
    #[error("{0}: this list is not closed")]
    UnclosedList(Position),
    /// A `)` without its `(`.
    #[error("{0}: nothing is open here")]
    UnexpectedClose(Position),
    /// A string or |symbol| that does not end.
    #[error("{0}: this string or quoted symbol is not closed")]
    UnclosedQuote(Position),
    /// A character that no token begins with, or a malformed `#` literal.
    #[error("{0}: unexpected {1:?}")]
    Unexpected(Position, char),
}

/// What an s-expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A symbol, without bars if it was quoted.
    Symbol(String),
    /// A keyword, without its colon.
    Keyword(String),
    /// A natural number.
    Numeral(BigUint),
    /// A decimal: the digits without the point, and how many of them stand behind it.
    Decimal(BigUint, u32),
    /// A `#b` or `#x` literal: width in bits and value.
    Bits(u32, BigUint),
    /// A string, its doubled quotation marks undone.
    String(String),
    /// A list of the document's nodes.
    List(Vec<u32>),
}

#[derive(Clone, Debug)]
struct Entry {
    kind: Kind,
    position: Position,
}

/// All s-expressions of a text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    entries: Vec<Entry>,
    roots: Vec<u32>,
}

/// One s-expression of a document.
#[derive(Clone, Copy, Debug)]
pub struct Sexpr<'a> {
    document: &'a Document,
    index: u32,
}

impl Document {
    /// Reads a whole text.
    ///
    /// ```
    /// use labrys_term::sexpr::Document;
    ///
    /// let document = Document::parse("(assert (= |x[0]| #x0f)) ; a comment").unwrap();
    /// let assertion = document.roots().next().unwrap();
    /// assert!(assertion.item(0).unwrap().is_symbol("assert"));
    /// assert_eq!(assertion.to_string(), "(assert (= |x[0]| #b00001111))");
    /// ```
    pub fn parse(text: &str) -> Result<Document, SexprError> {
        let mut reader = Reader { text: text.chars().peekable(), position: Position { line: 1, column: 1 } };
        let mut document = Document::default();
        // Lists that are open: where they began and what they hold so far.
        let mut open: Vec<(Position, Vec<u32>)> = Vec::new();
        while let Some((position, token)) = reader.token()? {
            let kind = match token {
                Token::Open => {
                    open.push((position, Vec::new()));
                    continue;
                }
                Token::Close => match open.pop() {
                    Some((begin, items)) => {
                        document.add(Kind::List(items), begin, open.last_mut());
                        continue;
                    }
                    None => return Err(SexprError::UnexpectedClose(position)),
                },
                Token::Atom(kind) => kind,
            };
            document.add(kind, position, open.last_mut());
        }
        match open.last() {
            Some((begin, _)) => Err(SexprError::UnclosedList(*begin)),
            None => Ok(document),
        }
    }

    fn add(&mut self, kind: Kind, position: Position, parent: Option<&mut (Position, Vec<u32>)>) {
        let index = self.entries.len() as u32;
        self.entries.push(Entry { kind, position });
        match parent {
            Some((_, items)) => items.push(index),
            None => self.roots.push(index),
        }
    }

    /// The outermost s-expressions, in order.
    pub fn roots(&self) -> impl ExactSizeIterator<Item = Sexpr<'_>> {
        self.roots.iter().map(|&index| Sexpr { document: self, index })
    }
}

impl<'a> Sexpr<'a> {
    fn entry(self) -> &'a Entry {
        &self.document.entries[self.index as usize]
    }

    /// What it is.
    pub fn kind(self) -> &'a Kind {
        &self.entry().kind
    }

    /// Where it begins.
    pub fn position(self) -> Position {
        self.entry().position
    }

    /// The symbol that it is.
    pub fn symbol(self) -> Option<&'a str> {
        match self.kind() {
            Kind::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is this symbol.
    pub fn is_symbol(self, name: &str) -> bool {
        self.symbol() == Some(name)
    }

    /// The natural number that it is.
    pub fn numeral(self) -> Option<&'a BigUint> {
        match self.kind() {
            Kind::Numeral(number) => Some(number),
            _ => None,
        }
    }

    /// A list's items; nothing for other kinds.
    pub fn items(self) -> impl ExactSizeIterator<Item = Sexpr<'a>> {
        let indices: &'a [u32] = match self.kind() {
            Kind::List(items) => items,
            _ => &[],
        };
        let document = self.document;
        indices.iter().map(move |&index| Sexpr { document, index })
    }

    /// One of a list's items.
    pub fn item(self, index: usize) -> Option<Sexpr<'a>> {
        self.items().nth(index)
    }

    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        matches!(self.kind(), Kind::List(_))
    }
}

/// As SMT-LIB writes it; bit vectors in binary, symbols between bars only where their characters demand it.
impl fmt::Display for Sexpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is still to be written; `None` closes a list.
        let mut pending = vec![Some(*self)];
        let mut space = false;
        while let Some(next) = pending.pop() {
            let Some(next) = next else {
                f.write_str(")")?;
                space = true;
                continue;
            };
            if space {
                f.write_str(" ")?;
            }
            space = true;
            match next.kind() {
                Kind::Symbol(name) => f.write_str(&written(name))?,
                Kind::Keyword(name) => write!(f, ":{name}")?,
                Kind::Numeral(number) => write!(f, "{number}")?,
                Kind::Decimal(digits, places) => {
                    let digits =
                        format!("{digits:0>width$}", digits = digits.to_string(), width = *places as usize + 1);
                    let (whole, fraction) = digits.split_at(digits.len() - *places as usize);
                    write!(f, "{whole}.{fraction}")?;
                }
                Kind::Bits(width, bits) => write!(f, "#b{:0>1$}", bits.to_str_radix(2), *width as usize)?,
                Kind::String(text) => write!(f, "\"{}\"", text.replace('"', "\"\""))?,
                Kind::List(_) => {
                    f.write_str("(")?;
                    space = false;
                    let first = pending.len();
                    pending.push(None);
                    pending.extend(next.items().map(Some));
                    pending[first + 1..].reverse();
                }
            }
        }
        Ok(())
    }
}

enum Token {
    Open,
    Close,
    Atom(Kind),
}

struct Reader<'a> {
    text: std::iter::Peekable<std::str::Chars<'a>>,
    /// Of the next character.
    position: Position,
}

/// Whether a simple symbol may hold this character.
fn is_symbol_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c) || !c.is_ascii()
}

/// A symbol between bars if its characters demand it.
pub(crate) fn written(name: &str) -> String {
    let simple = name.chars().all(|c| c.is_ascii() && is_symbol_character(c));
    let begins = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if simple && begins { name.to_owned() } else { format!("|{name}|") }
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.text.next()?;
        if c == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, admit: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.text.next_if(|&c| admit(c)) {
            self.position.column += 1;
            taken.push(c);
        }
        taken
    }

    fn skip_blanks(&mut self) {
        while let Some(&c) = self.text.peek() {
            if c == ';' {
                self.take_while(|c| c != '\n');
            } else if !c.is_whitespace() {
                return;
            } else {
                self.next();
            }
        }
    }

    fn token(&mut self) -> Result<Option<(Position, Token)>, SexprError> {
        self.skip_blanks();
        let position = self.position;
        let Some(&first) = self.text.peek() else { return Ok(None) };
        let token = match first {
            '(' | ')' => {
                self.next();
                if first == '(' { Token::Open } else { Token::Close }
            }
            '"' => Token::Atom(Kind::String(self.string(position)?)),
            '|' => Token::Atom(Kind::Symbol(self.quoted_symbol(position)?)),
            '#' => Token::Atom(self.bits(position)?),
            ':' => {
                self.next();
                Token::Atom(Kind::Keyword(self.take_while(is_symbol_character)))
            }
            '0'..='9' => Token::Atom(self.number(position)?),
            c if is_symbol_character(c) => Token::Atom(Kind::Symbol(self.take_while(is_symbol_character))),
            c => return Err(SexprError::Unexpected(position, c)),
        };
        Ok(Some((position, token)))
    }

    fn string(&mut self, begin: Position) -> Result<String, SexprError> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                // A doubled quotation mark stands for one.
                Some('"') if self.text.peek() == Some(&'"') => {
                    self.next();
                    text.push('"');
                }
                Some('"') => return Ok(text),
                Some(c) => text.push(c),
                None => return Err(SexprError::UnclosedQuote(begin)),
            }
        }
    }

    fn quoted_symbol(&mut self, begin: Position) -> Result<String, SexprError> {
        self.next();
        let mut name = String::new();
        loop {
            match self.next() {
                Some('|') => return Ok(name),
                Some(c) => name.push(c),
                None => return Err(SexprError::UnclosedQuote(begin)),
            }
        }
    }

    fn bits(&mut self, begin: Position) -> Result<Kind, SexprError> {
        self.next();
        let (radix, bits_each) = match self.next() {
            Some('b') => (2, 1),
            Some('x') => (16, 4),
            other => return Err(SexprError::Unexpected(begin, other.unwrap_or('#'))),
        };
        let digits = self.take_while(is_symbol_character);
        match BigUint::parse_bytes(digits.as_bytes(), radix) {
            // The parser of numbers would also take a sign and separators.
            Some(value) if digits.chars().all(|c| c.is_digit(radix)) => {
                Ok(Kind::Bits(digits.len() as u32 * bits_each, value))
            }
            _ => Err(SexprError::Unexpected(begin, '#')),
        }
    }

    fn number(&mut self, begin: Position) -> Result<Kind, SexprError> {
        let mut digits = self.take_while(|c| c.is_ascii_digit());
        let mut places = None;
        if self.text.peek() == Some(&'.') {
            self.next();
            let fraction = self.take_while(|c| c.is_ascii_digit());
            places = Some(fraction.len() as u32);
            digits.push_str(&fraction);
        }
        if let Some(&c) = self.text.peek().filter(|c| is_symbol_character(**c)) {
            return Err(SexprError::Unexpected(self.position, c));
        }
        let value = BigUint::parse_bytes(digits.as_bytes(), 10).ok_or(SexprError::Unexpected(begin, '.'))?;
        Ok(places.map_or(Kind::Numeral(value.clone()), |places| Kind::Decimal(value, places)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> String {
        let document = Document::parse(text).unwrap();
        document.roots().map(|root| root.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_kind_of_token_is_read() {
        let text = "(a |b c| :key 12 1.50 0.05 #b0101 \"say \"\"so\"\"\" () (x (y)) -)";
        assert_eq!(round_trip(text), text);
        assert_eq!(round_trip("#xAf ; comment )\n|let|"), "#b10101111 let");
        assert_eq!(round_trip(""), "");
    }

    #[test]
    fn positions_are_of_the_beginning() {
        let document = Document::parse("; one\n(a\n  (b))").unwrap();
        let root = document.roots().next().unwrap();
        assert_eq!(root.position(), Position { line: 2, column: 1 });
        assert_eq!(root.item(1).unwrap().item(0).unwrap().position(), Position { line: 3, column: 4 });
    }

    #[test]
    fn malformed_text_is_refused_with_its_place() {
        let at = |line, column| Position { line, column };
        let error = |text| Document::parse(text).err();
        assert_eq!(error("(a (b)"), Some(SexprError::UnclosedList(at(1, 1))));
        assert_eq!(error("a)"), Some(SexprError::UnexpectedClose(at(1, 2))));
        assert_eq!(error("\n |a"), Some(SexprError::UnclosedQuote(at(2, 2))));
        assert_eq!(error("\"a"), Some(SexprError::UnclosedQuote(at(1, 1))));
        assert_eq!(error("#b012"), Some(SexprError::Unexpected(at(1, 1), '#')));
        assert_eq!(error("#x+1"), Some(SexprError::Unexpected(at(1, 1), '#')));
        assert_eq!(error("#b"), Some(SexprError::Unexpected(at(1, 1), '#')));
        assert_eq!(error("12ab"), Some(SexprError::Unexpected(at(1, 3), 'a')));
        assert_eq!(error("[x]"), Some(SexprError::Unexpected(at(1, 1), '[')));
    }

    #[test]
    fn nesting_is_limited_by_memory_alone() {
        let depth = 200_000;
        let text = "(".repeat(depth) + &")".repeat(depth);
        assert_eq!(round_trip(&text), text);
    }
}
