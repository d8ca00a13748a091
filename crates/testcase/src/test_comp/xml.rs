//! As much XML as Test-Comp's files have: elements, attributes, text, character references; comments, instructions and the
//! document type are read over.

use thiserror::Error;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A start tag with its attributes.
    Start(String, Vec<(String, String)>),
    /// An end tag; an empty element's follows its start tag.
    End(String),
    /// Text, references resolved; also what is blank.
    Text(String),
}

/// What is wrong with a document.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum XmlError {
    /// It ends within something.
    #[error("the document ends within {0}")]
    Truncated(&'static str),
    /// A tag that cannot be read.
    #[error("`<{0}` is no tag")]
    Tag(String),
    /// A reference that means nothing here.
    #[error("`&{0};` is no character")]
    Reference(String),
}

/// Splits a document. The work is linear in its length.
pub(super) fn events(document: &str) -> Result<Vec<Event>, XmlError> {
    let mut events = Vec::new();
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if !text.is_empty() {
            events.push(Event::Text(resolved(text)?));
        }
        rest = if let Some(behind) = tag.strip_prefix("<!--") {
            behind.split_once("-->").ok_or(XmlError::Truncated("a comment"))?.1
        } else if let Some(behind) = tag.strip_prefix("<![CDATA[") {
            let (text, behind) = behind.split_once("]]>").ok_or(XmlError::Truncated("a section of text"))?;
            events.push(Event::Text(text.to_owned()));
            behind
        } else if let Some(behind) = tag.strip_prefix("<?") {
            behind.split_once("?>").ok_or(XmlError::Truncated("an instruction"))?.1
        } else {
            let length = tag_length(tag).ok_or(XmlError::Truncated("a tag"))?;
            let (inner, behind) = (&tag[1..length], &tag[length + 1..]);
            if !inner.starts_with('!') {
                tags(inner, &mut events)?;
            }
            behind
        };
    }
    if !rest.trim().is_empty() {
        events.push(Event::Text(resolved(rest)?));
    }
    Ok(events)
}

/// Where the `>` stands that ends a tag: not within quotation marks, nor within the brackets of a document type.
fn tag_length(tag: &str) -> Option<usize> {
    let (mut quote, mut brackets) = (None, 0usize);
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[') => brackets += 1,
            (None, b']') => brackets = brackets.saturating_sub(1),
            (None, b'>') if brackets == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The events of a tag.
fn tags(inner: &str, events: &mut Vec<Event>) -> Result<(), XmlError> {
    let wrong = || XmlError::Tag(inner.chars().take(40).collect());
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
    };
    if let Some(name) = inner.strip_prefix('/') {
        let name = name.trim();
        events.push(Event::End(is_name(name).then(|| name.to_owned()).ok_or_else(wrong)?));
        return Ok(());
    }
    let (inner, is_empty) = match inner.strip_suffix('/') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let (name, mut rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    if !is_name(name) {
        return Err(wrong());
    }
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let (key, value) = rest.split_once('=').ok_or_else(wrong)?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(wrong)?;
        let (text, behind) = value[1..].split_once(quote).ok_or_else(wrong)?;
        attributes.push((key.trim().to_owned(), resolved(text)?));
        rest = behind;
    }
    events.push(Event::Start(name.to_owned(), attributes));
    if is_empty {
        events.push(Event::End(name.to_owned()));
    }
    Ok(())
}

/// Text without references.
fn resolved(text: &str) -> Result<String, XmlError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let (name, behind) = behind.split_once(';').ok_or(XmlError::Truncated("a reference"))?;
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let character = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(digits), _) => number(digits, 16),
                (None, Some(digits)) => number(digits, 10),
                _ => None,
            },
        };
        out.push(character.ok_or_else(|| XmlError::Reference(name.chars().take(20).collect()))?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// Text as it may stand between tags and in attributes. What XML cannot hold becomes U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // In an attribute they would be read as spaces.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
