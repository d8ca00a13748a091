//! SV-COMP's witnesses, format 2.0, in YAML: for a violation the way to it by waypoints, for a proof invariants.
//!
//! After Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl, Strejček, "Software Verification Witnesses 2.0", SPIN 2024. A violation's
//! content is a sequence of segments, each with the waypoint that is followed; the last one is the target. Inputs are the
//! results of functions at their calls (`function_return`), decisions are at the keywords of branches (`branching`).

mod yaml;

pub use yaml::YamlError;

use std::fmt::Write as _;

use thiserror::Error;

use self::yaml::{Node, parse, quoted};

/// What a waypoint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaypointKind {
    /// An expression over the program's variables holds before a statement.
    Assumption,
    /// A branch is taken: its constraint is `true` or `false`, or a switch's value.
    Branching,
    /// A function is entered.
    FunctionEnter,
    /// A function returns: its constraint is of `\result`.
    FunctionReturn,
    /// The violation is here.
    Target,
}

impl WaypointKind {
    const ALL: [(WaypointKind, &'static str); 5] = [
        (WaypointKind::Assumption, "assumption"),
        (WaypointKind::Branching, "branching"),
        (WaypointKind::FunctionEnter, "function_enter"),
        (WaypointKind::FunctionReturn, "function_return"),
        (WaypointKind::Target, "target"),
    ];

    /// Its name in the format.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    fn named(name: &str) -> Option<WaypointKind> {
        Self::ALL.iter().find(|(_, of)| *of == name).map(|(kind, _)| *kind)
    }
}

/// A place of a program's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WitnessLocation {
    /// The file, one of the task's.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters; `None`: the first that fits.
    pub column: Option<u32>,
    /// The function it is in.
    pub function: Option<String>,
}

/// A step of a way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waypoint {
    /// What it is about.
    pub kind: WaypointKind,
    /// Whether the way passes it; else it must not be passed.
    pub is_followed: bool,
    /// Where it is.
    pub location: WitnessLocation,
    /// What holds there.
    pub constraint: Option<String>,
}

/// What a witness is of, and whose it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WitnessMetadata {
    /// A universally unique id.
    pub uuid: String,
    /// When it was made: `2026-11-23T08:00:00Z`.
    pub creation_time: String,
    /// The program that made it.
    pub producer: String,
    /// That program's version.
    pub version: String,
    /// The command line.
    pub command_line: Option<String>,
    /// The program's files, each with its SHA-256 in hexadecimal.
    pub files: Vec<(String, String)>,
    /// The property: `G ! call(reach_error())`.
    pub specification: String,
    /// `LP64` or `ILP32`.
    pub data_model: String,
    /// `C`.
    pub language: String,
}

/// A witness.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Witness {
    /// What it is of.
    pub metadata: WitnessMetadata,
    /// What it says.
    pub content: WitnessContent,
}

/// When an invariant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvariantKind {
    /// Whenever the condition of the loop is evaluated whose keyword stands at the place.
    Loop,
    /// Before each execution of the statement at the place.
    Location,
}

impl InvariantKind {
    /// Its name in the format.
    pub fn name(self) -> &'static str {
        match self {
            InvariantKind::Loop => "loop_invariant",
            InvariantKind::Location => "location_invariant",
        }
    }
}

/// What holds at a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Invariant {
    /// When.
    pub kind: InvariantKind,
    /// Where.
    pub location: WitnessLocation,
    /// What: an expression of C's over the variables that can be named there.
    pub value: String,
}

/// What a witness says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WitnessContent {
    /// The property is violated: the segments of the way, each with its waypoints.
    Violation(Vec<Vec<Waypoint>>),
    /// The property holds: invariants.
    Correctness(Vec<Invariant>),
}

/// Why a text is no witness.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WitnessError {
    /// It is no YAML, or has what no witness has.
    #[error("the witness cannot be read: {0}")]
    Yaml(#[from] YamlError),
    /// Something is missing or wrong.
    #[error("the witness has no readable {0}")]
    Member(&'static str),
    /// Another version of the format.
    #[error("the witness has format {0}; versions 2.0 and 2.1 are read here")]
    Version(String),
}

impl Witness {
    /// Its text.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        let kind = match &self.content {
            WitnessContent::Violation(_) => "violation_sequence",
            WitnessContent::Correctness(_) => "invariant_set",
        };
        // Writing into a text does not fail.
        let _ = writeln!(out, "- entry_type: {}", quoted(kind));
        self.metadata.write(&mut out);
        match &self.content {
            WitnessContent::Violation(segments) => {
                let _ = writeln!(out, "  content:{}", if segments.is_empty() { " []" } else { "" });
                for segment in segments {
                    let _ = writeln!(out, "  - segment:");
                    segment.iter().for_each(|waypoint| waypoint.write(&mut out));
                }
            }
            WitnessContent::Correctness(invariants) => {
                let _ = writeln!(out, "  content:{}", if invariants.is_empty() { " []" } else { "" });
                for Invariant { kind, location, value } in invariants {
                    let _ = writeln!(out, "  - invariant:\n      type: {}", quoted(kind.name()));
                    location.write(&mut out, "      ");
                    let _ = writeln!(out, "      value: {}\n      format: \"c_expression\"", quoted(value));
                }
            }
        }
        out
    }

    /// Reads the first entry of a text.
    ///
    /// # Errors
    ///
    /// See [`WitnessError`].
    pub fn from_yaml(text: &str) -> Result<Witness, WitnessError> {
        let document = parse(text)?;
        let entry = document.elements().first().ok_or(WitnessError::Member("entry"))?;
        let metadata = WitnessMetadata::read(entry.get("metadata").ok_or(WitnessError::Member("metadata"))?)?;
        let kind = entry.get("entry_type").and_then(Node::text).ok_or(WitnessError::Member("entry_type"))?;
        let content = entry.get("content").ok_or(WitnessError::Member("content"))?.elements();
        let content = match kind {
            "violation_sequence" => WitnessContent::Violation(content.iter().map(segment).collect::<Result<_, _>>()?),
            "invariant_set" => WitnessContent::Correctness(content.iter().map(invariant).collect::<Result<_, _>>()?),
            _ => return Err(WitnessError::Member("entry_type")),
        };
        Ok(Witness { metadata, content })
    }
}

impl WitnessMetadata {
    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "  metadata:");
        let _ = writeln!(out, "    format_version: \"2.0\"");
        let _ = writeln!(out, "    uuid: {}", quoted(&self.uuid));
        let _ = writeln!(out, "    creation_time: {}", quoted(&self.creation_time));
        let _ = writeln!(out, "    producer:");
        let _ = writeln!(out, "      name: {}", quoted(&self.producer));
        let _ = writeln!(out, "      version: {}", quoted(&self.version));
        if let Some(command) = &self.command_line {
            let _ = writeln!(out, "      command_line: {}", quoted(command));
        }
        let _ = writeln!(out, "    task:");
        let _ = writeln!(out, "      input_files:");
        for (file, _) in &self.files {
            let _ = writeln!(out, "      - {}", quoted(file));
        }
        let _ = writeln!(out, "      input_file_hashes:");
        for (file, hash) in &self.files {
            let _ = writeln!(out, "        {}: {}", quoted(file), quoted(hash));
        }
        let _ = writeln!(out, "      specification: {}", quoted(&self.specification));
        let _ = writeln!(out, "      data_model: {}", quoted(&self.data_model));
        let _ = writeln!(out, "      language: {}", quoted(&self.language));
    }

    fn read(node: &Node) -> Result<WitnessMetadata, WitnessError> {
        let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).unwrap_or_default().to_owned();
        let version = text(node, "format_version");
        if !matches!(version.as_str(), "2.0" | "2.1") {
            return Err(WitnessError::Version(version));
        }
        let producer = node.get("producer").ok_or(WitnessError::Member("producer"))?;
        let task = node.get("task").ok_or(WitnessError::Member("task"))?;
        let files = task.get("input_files").ok_or(WitnessError::Member("input_files"))?;
        let hashes = task.get("input_file_hashes").ok_or(WitnessError::Member("input_file_hashes"))?;
        let of_file = |file: &Node| {
            let name = file.text().ok_or(WitnessError::Member("input_files"))?;
            Ok((name.to_owned(), text(hashes, name)))
        };
        Ok(WitnessMetadata {
            uuid: text(node, "uuid"),
            creation_time: text(node, "creation_time"),
            producer: text(producer, "name"),
            version: text(producer, "version"),
            command_line: producer.get("command_line").and_then(Node::text).map(str::to_owned),
            files: files.elements().iter().map(of_file).collect::<Result<_, WitnessError>>()?,
            specification: text(task, "specification"),
            data_model: text(task, "data_model"),
            language: text(task, "language"),
        })
    }
}

impl WitnessLocation {
    fn write(&self, out: &mut String, indent: &str) {
        let _ = writeln!(out, "{indent}location:");
        let _ = writeln!(out, "{indent}  file_name: {}", quoted(&self.file));
        let _ = writeln!(out, "{indent}  line: {}", self.line);
        if let Some(column) = self.column {
            let _ = writeln!(out, "{indent}  column: {column}");
        }
        if let Some(function) = &self.function {
            let _ = writeln!(out, "{indent}  function: {}", quoted(function));
        }
    }

    fn read(node: &Node) -> Result<WitnessLocation, WitnessError> {
        let location = node.get("location").ok_or(WitnessError::Member("location"))?;
        let text = |key| location.get(key).and_then(Node::text);
        let column = text("column").filter(|text| !text.is_empty());
        Ok(WitnessLocation {
            file: text("file_name").ok_or(WitnessError::Member("file_name"))?.to_owned(),
            line: text("line").and_then(|line| line.parse().ok()).ok_or(WitnessError::Member("line"))?,
            column: column.map(|column| column.parse().map_err(|_| WitnessError::Member("column"))).transpose()?,
            function: text("function").map(str::to_owned),
        })
    }
}

impl Waypoint {
    fn write(&self, out: &mut String) {
        let action = if self.is_followed { "follow" } else { "avoid" };
        let _ = writeln!(out, "    - waypoint:");
        let _ = writeln!(out, "        type: {}", quoted(self.kind.name()));
        let _ = writeln!(out, "        action: {}", quoted(action));
        self.location.write(out, "        ");
        if let Some(value) = &self.constraint {
            let _ = writeln!(out, "        constraint:\n          value: {}", quoted(value));
            // Branches have values, not expressions.
            let format = match self.kind {
                WaypointKind::FunctionReturn => Some("acsl_expression"),
                WaypointKind::Assumption => Some("c_expression"),
                WaypointKind::Branching | WaypointKind::FunctionEnter | WaypointKind::Target => None,
            };
            if let Some(format) = format {
                let _ = writeln!(out, "          format: {}", quoted(format));
            }
        }
    }

    fn read(node: &Node) -> Result<Waypoint, WitnessError> {
        let node = node.get("waypoint").ok_or(WitnessError::Member("waypoint"))?;
        let text = |key| node.get(key).and_then(Node::text);
        let constraint = node.get("constraint").and_then(|constraint| constraint.get("value")).and_then(Node::text);
        Ok(Waypoint {
            kind: text("type").and_then(WaypointKind::named).ok_or(WitnessError::Member("waypoint's type"))?,
            is_followed: match text("action") {
                Some("follow") => true,
                Some("avoid") => false,
                _ => return Err(WitnessError::Member("waypoint's action")),
            },
            location: WitnessLocation::read(node)?,
            constraint: constraint.map(str::to_owned),
        })
    }
}

fn segment(node: &Node) -> Result<Vec<Waypoint>, WitnessError> {
    let waypoints = node.get("segment").ok_or(WitnessError::Member("segment"))?;
    waypoints.elements().iter().map(Waypoint::read).collect()
}

fn invariant(node: &Node) -> Result<Invariant, WitnessError> {
    let node = node.get("invariant").ok_or(WitnessError::Member("invariant"))?;
    let kind = node.get("type").and_then(Node::text);
    let kind = [InvariantKind::Loop, InvariantKind::Location].into_iter().find(|of| kind == Some(of.name()));
    let value = node.get("value").and_then(Node::text).ok_or(WitnessError::Member("invariant's value"))?;
    Ok(Invariant {
        kind: kind.ok_or(WitnessError::Member("invariant's type"))?,
        location: WitnessLocation::read(node)?,
        value: value.to_owned(),
    })
}
