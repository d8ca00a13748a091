//! Tokens: slices of the text, nothing copied (SMT-LIB 2.6, section 3.1).

use super::error::{Fault, Problem};
use crate::sexpr::Position;

/// A token. Slices are of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A symbol as it stands, which may be a reserved word.
    Symbol(&'a [u8]),
    /// A symbol between bars, without them; never a reserved word.
    Quoted(&'a [u8]),
    /// A keyword, without its colon.
    Keyword(&'a [u8]),
    /// Decimal digits.
    Numeral(&'a [u8]),
    /// Decimal digits with a point among them.
    Decimal(&'a [u8]),
    /// The digits behind `#b`.
    Binary(&'a [u8]),
    /// The digits behind `#x`.
    Hexadecimal(&'a [u8]),
    /// A string without its outer quotation marks, inner ones still doubled.
    Text(&'a [u8]),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// What an error message calls it.
    pub(super) fn shown(&self) -> String {
        let text = |bytes: &[u8]| {
            let whole = String::from_utf8_lossy(bytes);
            let short: String = whole.chars().take(40).collect();
            if short.len() < whole.len() { format!("{short}…") } else { short }
        };
        match self {
            Token::Open => "`(`".to_owned(),
            Token::Close => "`)`".to_owned(),
            Token::Symbol(name) => format!("`{}`", text(name)),
            Token::Quoted(name) => format!("`|{}|`", text(name)),
            Token::Keyword(name) => format!("`:{}`", text(name)),
            Token::Numeral(digits) | Token::Decimal(digits) => format!("`{}`", text(digits)),
            Token::Binary(digits) => format!("`#b{}`", text(digits)),
            Token::Hexadecimal(digits) => format!("`#x{}`", text(digits)),
            Token::Text(_) => "a string".to_owned(),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

const BLANK: u8 = 1;
const SYMBOL: u8 = 2;
const DIGIT: u8 = 4;

/// What each byte may be part of. Bytes of characters beyond ASCII count as letters.
const CLASS: [u8; 256] = {
    let mut class = [0u8; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        class[byte] = match c {
            b' ' | b'\t' | b'\n' | b'\r' => BLANK,
            b'0'..=b'9' => SYMBOL | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => SYMBOL,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'=' | b'<' | b'>' | b'.'
            | b'?' | b'/' => SYMBOL,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// Reads tokens one after the other. Offsets are bytes from the beginning of the text.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    /// Where the next token is looked for.
    next: usize,
    /// Where the last token begins.
    begin: usize,
    /// How many lists are open.
    depth: usize,
    /// Whether a backslash quotes a quotation mark or backslash in strings, as in SMT-LIB 2.0.
    pub(super) backslashes: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer { text, next: 0, begin: 0, depth: 0, backslashes: false }
    }

    /// Where the last token begins.
    pub(super) fn begin(&self) -> usize {
        self.begin
    }

    /// Behind the last token.
    pub(super) fn end(&self) -> usize {
        self.next
    }

    /// How many lists are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The bytes from one offset up to another.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The next token.
    pub(super) fn token(&mut self) -> Result<Token<'a>, Fault> {
        self.skip_blanks();
        self.begin = self.next;
        let Some(&first) = self.text.get(self.next) else { return Ok(Token::End) };
        let class = CLASS[usize::from(first)];
        if class & DIGIT != 0 {
            return self.number();
        }
        if class & SYMBOL != 0 {
            return Ok(Token::Symbol(self.run(SYMBOL)));
        }
        self.next += 1;
        match first {
            b'(' => {
                self.depth += 1;
                Ok(Token::Open)
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                Ok(Token::Close)
            }
            b':' => match self.run(SYMBOL) {
                [] => Err(Fault::expected(self.begin, "a keyword's name behind `:`", "nothing")),
                name => Ok(Token::Keyword(name)),
            },
            b'|' => self.quoted(),
            b'"' => self.string(),
            b'#' => self.bits(),
            other => Err(Fault::expected(self.begin, "a token", &format!("`{}`", char::from(other).escape_default()))),
        }
    }

    /// The next token, which stays the next.
    pub(super) fn peek(&self) -> Result<Token<'a>, Fault> {
        self.clone().token()
    }

    /// Whether the next token is `)`, which is passed then.
    pub(super) fn closes(&mut self) -> bool {
        self.skip_blanks();
        let closes = self.text.get(self.next) == Some(&b')');
        if closes {
            self.begin = self.next;
            self.next += 1;
            self.depth = self.depth.saturating_sub(1);
        }
        closes
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.text.get(self.next) {
            if CLASS[usize::from(byte)] & BLANK != 0 {
                self.next += 1;
            } else if byte == b';' {
                let rest = &self.text[self.next..];
                self.next += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    /// The longest run of bytes of a class from here on.
    fn run(&mut self, class: u8) -> &'a [u8] {
        let rest = &self.text[self.next..];
        let length = rest.iter().position(|&byte| CLASS[usize::from(byte)] & class == 0).unwrap_or(rest.len());
        self.next += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<Token<'a>, Fault> {
        let whole = self.run(DIGIT);
        let token = if self.text.get(self.next) == Some(&b'.') {
            self.next += 1;
            if self.run(DIGIT).is_empty() {
                return Err(Fault::expected(self.next, "a digit behind the point", "none"));
            }
            Token::Decimal(&self.text[self.begin..self.next])
        } else {
            Token::Numeral(whole)
        };
        match self.text.get(self.next) {
            Some(&byte) if CLASS[usize::from(byte)] & SYMBOL != 0 => {
                let found = format!("`{}`", char::from(byte).escape_default());
                Err(Fault::expected(self.next, "the end of the number", &found))
            }
            _ => Ok(token),
        }
    }

    fn quoted(&mut self) -> Result<Token<'a>, Fault> {
        let rest = &self.text[self.next..];
        let Some(length) = rest.iter().position(|&byte| byte == b'|') else {
            return Err(Fault::expected(self.begin, "`|` at the end of this symbol", "the end of the file"));
        };
        self.printable(self.next, self.next + length, "this symbol")?;
        self.next += length + 1;
        Ok(Token::Quoted(&rest[..length]))
    }

    /// Refuses control characters, which are neither printable nor white space: answers repeat what is quoted.
    fn printable(&self, from: usize, to: usize, within: &str) -> Result<(), Fault> {
        let control = |byte: &u8| byte.is_ascii_control() && CLASS[usize::from(*byte)] & BLANK == 0;
        match self.text[from..to].iter().position(control) {
            None => Ok(()),
            Some(at) => {
                let found = format!("`{}`", self.text[from + at].escape_ascii());
                Err(Fault::expected(from + at, &format!("a printable character in {within}"), &found))
            }
        }
    }

    fn string(&mut self) -> Result<Token<'a>, Fault> {
        let first = self.next;
        loop {
            let rest = &self.text[self.next..];
            let Some(length) = rest.iter().position(|&byte| byte == b'"' || (self.backslashes && byte == b'\\')) else {
                return Err(Fault::expected(self.begin, "`\"` at the end of this string", "the end of the file"));
            };
            if rest[length] == b'\\' {
                self.next = (self.next + length + 2).min(self.text.len());
                continue;
            }
            self.next += length + 1;
            // A doubled quotation mark stands for one.
            if rest.get(length + 1) != Some(&b'"') {
                self.printable(first, self.next - 1, "this string")?;
                return Ok(Token::Text(&self.text[first..self.next - 1]));
            }
            self.next += 1;
        }
    }

    fn bits(&mut self) -> Result<Token<'a>, Fault> {
        let radix = self.text.get(self.next).copied();
        self.next += usize::from(radix.is_some());
        let digits = self.run(SYMBOL);
        let (what, fits): (_, fn(&u8) -> bool) = match radix {
            Some(b'b') => ("binary digits behind `#b`", |digit| matches!(digit, b'0' | b'1')),
            Some(b'x') => ("hexadecimal digits behind `#x`", u8::is_ascii_hexdigit),
            _ => return Err(Fault::expected(self.begin, "`#b` or `#x`", "`#`")),
        };
        if digits.is_empty() || !digits.iter().all(fits) {
            let found = Token::Symbol(digits).shown();
            return Err(Fault::expected(self.begin, what, if digits.is_empty() { "nothing" } else { &found }));
        }
        Ok(if radix == Some(b'b') { Token::Binary(digits) } else { Token::Hexadecimal(digits) })
    }

    /// Passes everything up to the end of the outermost list that is open.
    pub(super) fn skip_to_depth(&mut self, depth: usize) -> Result<(), Fault> {
        while self.depth > depth {
            if self.token()? == Token::End {
                return Err(Fault { at: self.begin, problem: Problem::unclosed() });
            }
        }
        Ok(())
    }
}

/// Line and column of an offset, the text beginning at `origin`.
pub(super) fn position(text: &[u8], offset: usize, origin: Position) -> Position {
    let before = &text[..offset.min(text.len())];
    let lines = before.iter().filter(|&&byte| byte == b'\n').count() as u32;
    let last = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    // Bytes that continue a character of UTF-8 are no columns.
    let columns = before[last..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u32;
    let first = if lines == 0 { origin.column } else { 1 };
    Position { line: origin.line.saturating_add(lines), column: first.saturating_add(columns) }
}
