//! Test-Comp's exchange format for test suites, version 1.1: a file `metadata.xml`, and a file for each test with its inputs in
//! the order in which the program asks for them.
//!
//! After the format's description and document types at gitlab.com/sosy-lab/test-comp/test-format. Inputs there are scalars. An
//! object whose type is not known is one input where it has the size of an integer type, else one for each byte.

use std::fmt;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use thiserror::Error;

use crate::scalar::{scalar_bytes, scalar_text};
use crate::{InputObject, Nondet, STANDARD_INPUT, ScalarKind, TestInput, standard_input_objects};

/// One input of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SuiteInput {
    /// Its type in C, where the file says it.
    pub c_type: Option<String>,
    /// What receives it, where the file says it.
    pub variable: Option<String>,
    /// It, as C would write it.
    pub value: String,
}

/// What a suite is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SuiteMetadata {
    /// Who made it: `labrys 0.1.0`.
    pub producer: String,
    /// What it is to cover or violate, in SV-COMP's words.
    pub specification: String,
    /// The program's file.
    pub program_file: String,
    /// Its SHA-256 in hexadecimal.
    pub program_hash: String,
    /// The function that is entered.
    pub entry_function: String,
    /// When it was made: `2026-11-23T08:00:00Z`.
    pub creation_time: String,
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

impl SuiteMetadata {
    /// The text of `metadata.xml`.
    pub fn to_xml(&self) -> String {
        let members = [
            ("sourcecodelang", "C"),
            ("producer", &self.producer),
            ("specification", &self.specification),
            ("programfile", &self.program_file),
            ("programhash", &self.program_hash),
            ("entryfunction", &self.entry_function),
            ("architecture", "64bit"),
            ("creationtime", &self.creation_time),
        ];
        let members: String =
            members.iter().map(|(name, value)| format!("  <{name}>{}</{name}>\n", escaped(value))).collect();
        format!(
            "{DECLARATION}<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
             \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n{members}</test-metadata>\n"
        )
    }
}

/// The inputs of a test as the format has them.
pub fn suite_inputs(input: &TestInput) -> Vec<SuiteInput> {
    let byte = |(index, byte): (usize, &u8)| SuiteInput {
        c_type: Some("unsigned char".to_owned()),
        variable: Some(format!("{STANDARD_INPUT}[{index}]")),
        value: byte.to_string(),
    };
    let read = input.standard_input().unwrap_or_default().iter().enumerate().map(byte);
    read.chain(input.asked_for().iter().flat_map(of_object)).collect()
}

fn of_object(object: &InputObject) -> Vec<SuiteInput> {
    let one = |c_type: &str, variable: Option<String>, value: String| SuiteInput {
        c_type: Some(c_type.to_owned()),
        variable,
        value,
    };
    if let Some(nondet) = Nondet::named(&object.name)
        && let Some(value) = scalar_text(&object.bytes, nondet.kind)
    {
        return vec![one(nondet.c_type, None, value)];
    }
    let of_size = [(1, "unsigned char"), (2, "unsigned short"), (4, "unsigned int"), (8, "unsigned long")];
    let scalar = of_size.iter().find(|(size, _)| *size == object.bytes.len());
    if let Some((_, c_type)) = scalar
        && let Some(value) = scalar_text(&object.bytes, ScalarKind::Unsigned)
    {
        return vec![one(c_type, Some(object.name.clone()), value)];
    }
    let of_byte =
        |(index, byte): (usize, &u8)| one("unsigned char", Some(format!("{}[{index}]", object.name)), byte.to_string());
    object.bytes.iter().enumerate().map(of_byte).collect()
}

/// The text of a test's file.
pub fn test_xml(inputs: &[SuiteInput]) -> String {
    let attribute = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!(" {name}=\"{}\"", escaped(value))).unwrap_or_default()
    };
    let line = |input: &SuiteInput| {
        format!(
            "  <input{}{}>{}</input>\n",
            attribute("variable", &input.variable),
            attribute("type", &input.c_type),
            escaped(&input.value)
        )
    };
    let lines: String = inputs.iter().map(line).collect();
    format!(
        "{DECLARATION}<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase>\n{lines}</testcase>\n"
    )
}

/// Text as it may stand between tags and in attributes. What XML cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
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

/// Why a text is no test's file: what the reader of XML says, and at which byte.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no XML at byte {at}: {reason}")]
pub struct XmlError {
    at: u64,
    reason: String,
}

/// Reads a test's file: the text of each `input` within `testcase`.
///
/// # Errors
///
/// Where it is no XML.
pub fn read_test_xml(document: &str) -> Result<Vec<SuiteInput>, XmlError> {
    let mut reader = Reader::from_str(document);
    reader.config_mut().expand_empty_elements = true;
    let mut inputs = Vec::new();
    let mut open: Option<SuiteInput> = None;
    let mut elements = 0u32;
    loop {
        let at = reader.buffer_position();
        let wrong = |reason: &dyn fmt::Display| XmlError { at, reason: reason.to_string() };
        let text = match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(element) => {
                elements += 1;
                if element.name().as_ref() == "input" {
                    open = Some(started_input(&element).map_err(|error| wrong(&error))?);
                }
                continue;
            }
            Event::End(element) => {
                elements -= 1;
                if element.name().as_ref() == "input" {
                    inputs.extend(open.take());
                }
                continue;
            }
            Event::Eof if elements == 0 => return Ok(inputs),
            Event::Eof => return Err(wrong(&"the file ends within an element")),
            Event::Text(text) => text.xml10_content().into_owned(),
            Event::CData(text) => text.xml10_content().into_owned(),
            Event::GeneralRef(name) => match name.resolve_char_ref().map_err(|error| wrong(&error))? {
                Some(character) => character.to_string(),
                None => match resolve_predefined_entity(&name) {
                    Some(text) => text.to_owned(),
                    None => return Err(wrong(&format!("`&{};` is no character", &*name))),
                },
            },
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
        };
        if let Some(input) = &mut open {
            input.value.push_str(&text);
        }
    }
}

/// What the start tag of an `input` says.
fn started_input(element: &BytesStart<'_>) -> Result<SuiteInput, quick_xml::Error> {
    let mut input = SuiteInput::default();
    for attribute in element.attributes() {
        let attribute = attribute?;
        let member = match attribute.key.as_ref() {
            "type" => &mut input.c_type,
            "variable" => &mut input.variable,
            _ => continue,
        };
        *member = Some(attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned());
    }
    Ok(input)
}

/// Inputs read from a suite as objects: those that say their type, as its bytes. `None` where one does not, or its value is not of its type.
pub fn input_of_suite(inputs: &[SuiteInput]) -> Option<TestInput> {
    let object = |input: &SuiteInput| {
        let c_type = input.c_type.as_deref()?;
        let nondet = crate::nondet::NONDET.iter().find(|nondet| nondet.c_type == c_type)?;
        let bytes = scalar_bytes(&input.value, nondet.kind, nondet.bytes)?;
        let name = input.variable.clone().unwrap_or_else(|| format!("{}{}", crate::NONDET_PREFIX, nondet.suffix));
        Some(InputObject { name, bytes })
    };
    // What standard input has comes first.
    let is_read = |input: &&SuiteInput| {
        let name = input.variable.as_deref().and_then(|name| name.strip_prefix(STANDARD_INPUT));
        name.is_some_and(|index| index.starts_with('['))
    };
    let count = inputs.iter().take_while(is_read).count();
    let mut objects = Vec::new();
    if count > 0 {
        let byte = |input: &SuiteInput| input.value.trim().parse::<u8>().ok();
        let bytes: Vec<u8> = inputs[..count].iter().map(byte).collect::<Option<_>>()?;
        objects.extend(standard_input_objects(&bytes));
    }
    for input in &inputs[count..] {
        objects.push(object(input)?);
    }
    Some(TestInput { arguments: Vec::new(), objects })
}
