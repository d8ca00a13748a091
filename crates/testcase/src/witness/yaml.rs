//! As much YAML as SV-COMP's witnesses have, in block style: mappings, sequences, scalars plain or in quotation marks, flow
//! sequences of scalars; comments and document marks are read over. Anchors, tags and text blocks are not read.

use thiserror::Error;

/// A node of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A scalar's text; empty for one that is left out.
    Scalar(String),
    /// A sequence.
    Sequence(Vec<Node>),
    /// A mapping, in the order of the document.
    Mapping(Vec<(String, Node)>),
}

/// What is wrong with a document.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum YamlError {
    /// A line that does not fit where it stands.
    #[error("line {0} is no YAML that is read here")]
    Line(usize),
    /// Blocks within blocks, more than any witness has.
    #[error("line {0} is nested too deep")]
    Depth(usize),
}

/// Blocks within blocks that are read; witnesses have seven.
const DEEPEST: usize = 32;

impl Node {
    /// A member of a mapping.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Node::Mapping(members) => members.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            Node::Scalar(_) | Node::Sequence(_) => None,
        }
    }

    /// A scalar's text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Node::Scalar(text) => Some(text),
            Node::Sequence(_) | Node::Mapping(_) => None,
        }
    }

    /// The elements of a sequence; none of what is none.
    pub(super) fn elements(&self) -> &[Node] {
        match self {
            Node::Sequence(elements) => elements,
            Node::Scalar(_) | Node::Mapping(_) => &[],
        }
    }
}

/// A line with content: its number, its indentation and what stands behind that.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// Reads a document.
pub(super) fn parse(document: &str) -> Result<Node, YamlError> {
    let mut lines = Vec::new();
    for (index, line) in document.lines().enumerate() {
        let text = line.trim_start_matches(' ');
        let shown = without_comment(text).trim_end();
        if shown.is_empty() || matches!(shown, "---" | "...") {
            continue;
        }
        lines.push(Line { number: index + 1, indent: line.len() - text.len(), text: shown });
    }
    let mut reader = Reader { lines, next: 0 };
    let Some(first) = reader.lines.first().copied() else { return Ok(Node::Scalar(String::new())) };
    let node = reader.block(first.indent, 0)?;
    match reader.lines.get(reader.next) {
        None => Ok(node),
        Some(line) => Err(YamlError::Line(line.number)),
    }
}

/// A line up to its comment: a `#` at its start or behind a blank, outside quotation marks.
fn without_comment(text: &str) -> &str {
    let (mut quote, mut escaped, mut before) = (None, false, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(b'"') if byte == b'\\' => escaped = true,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'#' && before == b' ' => return &text[..at],
            None if matches!(byte, b'"' | b'\'') && matches!(before, b' ' | b'[' | b',') => quote = Some(byte),
            None => {}
        }
        before = byte;
    }
    text
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    next: usize,
}

impl Reader<'_> {
    /// The block that begins at the next line, whose lines have this indentation.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Node, YamlError> {
        let line = self.lines[self.next];
        if depth > DEEPEST {
            return Err(YamlError::Depth(line.number));
        }
        if is_item(line.text) {
            self.sequence(indent, depth)
        } else if entry(line.text).is_some() {
            self.mapping(indent, depth)
        } else {
            self.next += 1;
            scalar(line)
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Result<Node, YamlError> {
        let mut elements = Vec::new();
        while let Some(&line) = self.lines.get(self.next)
            && line.indent == indent
            && is_item(line.text)
        {
            let inner = line.text[1..].trim_start();
            if inner.is_empty() {
                self.next += 1;
                elements.push(self.below(indent, false, depth)?);
            } else {
                // What stands behind the dash begins a block of its own indentation.
                let deeper = indent + (line.text.len() - inner.len());
                self.lines[self.next] = Line { indent: deeper, text: inner, ..line };
                elements.push(self.block(deeper, depth + 1)?);
            }
        }
        Ok(Node::Sequence(elements))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Node, YamlError> {
        let mut members = Vec::new();
        while let Some(&line) = self.lines.get(self.next)
            && line.indent == indent
            && !is_item(line.text)
        {
            let (key, value) = entry(line.text).ok_or(YamlError::Line(line.number))?;
            let key = scalar(Line { text: key, ..line })?.text().unwrap_or_default().to_owned();
            self.next += 1;
            let node = match value {
                "" => self.below(indent, true, depth)?,
                value => scalar(Line { text: value, ..line })?,
            };
            members.push((key, node));
        }
        Ok(Node::Mapping(members))
    }

    /// The block below a key or a dash: deeper lines, or for a key the items of a sequence at its own indentation.
    fn below(&mut self, indent: usize, is_key: bool, depth: usize) -> Result<Node, YamlError> {
        match self.lines.get(self.next) {
            Some(line) if line.indent > indent || (is_key && line.indent == indent && is_item(line.text)) => {
                let inner = line.indent;
                self.block(inner, depth + 1)
            }
            _ => Ok(Node::Scalar(String::new())),
        }
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key and the value of a line of a mapping.
fn entry(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let behind = match quote {
        // Where the key is in quotation marks its colon stands behind them.
        Some(quote) => 1 + text[1..].find(quote)? + 1,
        None => 0,
    };
    let colon = text[behind..].match_indices(':').map(|(at, _)| behind + at).find(|at| {
        let next = text[at + 1..].chars().next();
        next.is_none_or(|c| c == ' ')
    })?;
    Some((text[..colon].trim_end(), text[colon + 1..].trim_start()))
}

/// A scalar, or a flow sequence of scalars.
fn scalar(line: Line<'_>) -> Result<Node, YamlError> {
    let wrong = || YamlError::Line(line.number);
    let text = line.text;
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']').ok_or_else(wrong)?.trim();
        if inner.is_empty() {
            return Ok(Node::Sequence(Vec::new()));
        }
        let parts = inner.split(',').map(|part| scalar_text(part.trim()).map(Node::Scalar).ok_or_else(wrong));
        return Ok(Node::Sequence(parts.collect::<Result<_, _>>()?));
    }
    if matches!(text.as_bytes().first(), Some(b'{' | b'&' | b'*' | b'|' | b'>' | b'!' | b'%' | b'@')) && text != "{}" {
        return Err(wrong());
    }
    match text {
        "{}" => Ok(Node::Mapping(Vec::new())),
        text => scalar_text(text).map(Node::Scalar).ok_or_else(wrong),
    }
}

/// A scalar without its quotation marks.
fn scalar_text(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'')?.replace("''", "'"));
    }
    let Some(inner) = text.strip_prefix('"') else { return Some(text.to_owned()) };
    let mut out = String::new();
    let mut characters = inner.chars();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(out),
            '\\' => match characters.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '0' => out.push('\0'),
                'x' => out.push(escape(&mut characters, 2)?),
                'u' => out.push(escape(&mut characters, 4)?),
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

fn escape(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let text: String = characters.by_ref().take(digits).collect();
    char::from_u32(u32::from_str_radix(&text, 16).ok().filter(|_| text.len() == digits)?)
}

/// A scalar in quotation marks, as every reader of YAML and JSON takes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
