//! YAML as the tree that SV-COMP's witnesses are: every scalar a text. Anchors, aliases and tags mean nothing in a witness
//! and are refused, which also keeps a short document from being a large tree.

use saphyr_parser::{Event, Parser};
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
    /// It is no YAML from here.
    #[error("line {0} is no YAML: {1}")]
    Syntax(usize, String),
    /// An anchor, an alias, a tag, or a key that is no scalar.
    #[error("line {0} has YAML that no witness has: an anchor, an alias, a tag, or a key that is no word")]
    Unsupported(usize),
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

/// A collection whose end has not come.
enum Open {
    Sequence(Vec<Node>),
    /// Its members, and the key whose value comes next.
    Mapping(Vec<(String, Node)>, Option<String>),
}

/// Reads the first document of a text.
pub(super) fn parse(text: &str) -> Result<Node, YamlError> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError::Syntax(error.marker().line(), error.info().to_owned()))?;
        let line = span.start.line();
        let done = match event {
            Event::Scalar(text, _, 0, None) => Node::Scalar(text.into_owned()),
            Event::SequenceStart(0, None) | Event::MappingStart(0, None) if open.len() == DEEPEST => {
                return Err(YamlError::Depth(line));
            }
            Event::SequenceStart(0, None) => {
                open.push(Open::Sequence(Vec::new()));
                continue;
            }
            Event::MappingStart(0, None) => {
                open.push(Open::Mapping(Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::Sequence(elements)) => Node::Sequence(elements),
                Some(Open::Mapping(members, _)) => Node::Mapping(members),
                None => continue,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                continue;
            }
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(YamlError::Unsupported(line));
            }
        };
        match open.last_mut() {
            None => return Ok(done),
            Some(Open::Sequence(elements)) => elements.push(done),
            Some(Open::Mapping(members, key)) => match (key.take(), done) {
                (Some(key), value) => members.push((key, value)),
                (None, Node::Scalar(text)) => *key = Some(text),
                (None, Node::Sequence(_) | Node::Mapping(_)) => return Err(YamlError::Unsupported(line)),
            },
        }
    }
    Ok(Node::Scalar(String::new()))
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
