//! The file: sources, and the program that calls the function on the witness.

use labrys_float::Flags;
use labrys_program::{CStructs, ScalarType};

use super::subject::{Claim, Library, Reproducer};
use super::witness;
use crate::Severity;

const PROLOGUE: &str = include_str!("prologue.c");
const LOCAL_SYMBOL: &str = include_str!("local_symbol.c");
const EXPORTED_SYMBOL: &str = include_str!("exported_symbol.c");
const OBSERVE: &str = include_str!("observe.c");
const NUMBER: &str = include_str!("number.c");
const COMPARE: &str = include_str!("compare.c");
const ERROR: &str = include_str!("error.c");
const RAISE: &str = include_str!("raise.c");

impl Reproducer<'_> {
    /// The text of ID.c.
    pub fn write(&self) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend_from_slice(self.comment().as_bytes());
        let sources = self.embedded_sources();
        if !sources.is_empty() {
            file.extend_from_slice(b"#ifndef MAIN\n");
            push_sources(&mut file, &sources);
            file.extend_from_slice(b"#else\n");
            let next_line = file.iter().filter(|byte| **byte == b'\n').count() + 2;
            file.extend_from_slice(format!("#line {next_line} \"{}.c\"\n", self.finding.id).as_bytes());
        }
        file.extend_from_slice(self.program().as_bytes());
        if !sources.is_empty() {
            file.extend_from_slice(b"#endif\n");
        }
        file
    }

    /// The embedded sources with their paths: none, one that both builds share, or the baseline's and the variant's.
    pub(super) fn embedded_sources(&self) -> Vec<(&str, &[u8])> {
        let mut sources = Vec::new();
        for build in self.builds {
            if let Library::Embedded { text, path, .. } = build.library
                && !sources.contains(&(path, text))
            {
                sources.push((path, text));
            }
        }
        sources
    }

    /// The program that loads the libraries.
    fn program(&self) -> String {
        let structs = CStructs::of(self.signature);
        let mut text = PROLOGUE.to_owned();
        text.push_str(&self.constants());
        text.push_str(&structs.declare());
        text.push_str(&witness::call(self.signature, &structs, self.input));
        text.push('\n');
        text.push_str(if self.local_symbol { LOCAL_SYMBOL } else { EXPORTED_SYMBOL });
        text.push_str(OBSERVE);
        text.push_str(&match self.claim {
            Claim::Difference { .. } => [NUMBER, COMPARE].concat(),
            Claim::Exception(_) => RAISE.to_owned(),
            Claim::Error { .. } => [NUMBER, ERROR].concat(),
        });
        text
    }

    /// Limits, builds and the table of outputs.
    fn constants(&self) -> String {
        let layout = self.signature.output_layout();
        let (watched, ulps) = match self.claim {
            Claim::Difference { watched, ulps } => (watched, ulps),
            Claim::Exception(watched) => (watched, 0),
            Claim::Error { ulps, .. } => (Flags::empty(), ulps),
        };
        let flags: Vec<String> = watched.names().iter().map(|name| format!("FE_{}", name.to_uppercase())).collect();
        let flags = if flags.is_empty() { "0".to_owned() } else { flags.join(" | ") };
        let mut text = format!(
            "#define SYMBOL {}\n#define ADDRESS {:#x}\n#define INIT {}\n#define WATCHED ({flags})\n#define ULPS {}u\n#define LIMIT_MS {}\n#define MEMORY_MIB {}\n\
             #define RECORD {}\n\n",
            c_string(&self.signature.symbol),
            self.address.unwrap_or(0),
            self.init.map(c_string).unwrap_or_else(|| "(char *)0".to_owned()),
            ulps,
            self.call_limit.as_millis().max(1),
            self.memory_mib.unwrap_or(0),
            layout.size.max(16),
        );
        if let Claim::Error { output, truth, .. } = self.claim {
            let bytes: Vec<String> = truth.to_le_bytes().iter().map(u8::to_string).collect();
            text.push_str(&format!("#define OUTPUT {output}\n#define TRUTH {{{}}}\n\n", bytes.join(", ")));
        }
        text.push_str(&format!("static const struct build builds[{}] = {{\n", self.builds.len()));
        for (index, build) in self.builds.iter().enumerate() {
            let ftz = self.begins_flushing(build.role);
            let library = c_string(&self.library_path(index));
            text.push_str(&format!("    {{{}, {library}, {}}},\n", c_string(build.role), u8::from(ftz)));
        }
        text.push_str("};\n\nstatic const struct leaf leaves[] = {\n");
        for leaf in &layout.leaves {
            let (kind, size) = (kind(leaf.scalar), leaf.scalar.value_bytes());
            text.push_str(&format!("    {{{}, '{kind}', {size}, {}}},\n", c_string(&leaf.path), leaf.offset));
        }
        text.push_str("    {0, 0, 0, 0},\n};\n\n");
        text
    }

    /// Whether programs that are linked as a build begin with subnormal numbers flushed to zero.
    pub(super) fn begins_flushing(&self, role: &str) -> bool {
        self.report.target.build(role).is_some_and(|info| info.startup == crate::Startup::Ftz)
    }

    /// Whether the difference is in the traces only, which the program does not compare.
    pub(super) fn only_trace_differs(&self) -> bool {
        self.finding.severity == Severity::Trace
    }
}

/// One source as it is, or two of which `LABRYS_VARIANT` chooses the second.
fn push_sources(file: &mut Vec<u8>, sources: &[(&str, &[u8])]) {
    for (index, (path, text)) in sources.iter().enumerate() {
        if sources.len() > 1 {
            file.extend_from_slice(if index == 0 { b"#ifndef LABRYS_VARIANT\n" } else { b"#else\n" });
        }
        file.extend_from_slice(format!("#line 1 {}\n", c_string(path)).as_bytes());
        file.extend_from_slice(text);
        if text.last().is_some_and(|byte| *byte != b'\n') {
            file.push(b'\n');
        }
    }
    if sources.len() > 1 {
        file.extend_from_slice(b"#endif\n");
    }
}

/// The letter that the program tells an output's type by.
fn kind(scalar: ScalarType) -> char {
    match scalar {
        ScalarType::Float(_) => 'f',
        ScalarType::Int { signed: true, .. } => 'i',
        ScalarType::Int { .. } | ScalarType::Bool => 'u',
    }
}

/// A C string literal of a text.
fn c_string(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', byte as char]),
            b' '..=b'~' if byte != b'?' => literal.push(byte as char),
            _ => literal.push_str(&format!("\\{byte:03o}")),
        }
    }
    literal.push('"');
    literal
}
