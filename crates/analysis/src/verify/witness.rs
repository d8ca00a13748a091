//! SV-COMP's witnesses of a run.

use std::path::Path;

use labrys_executor::Violation;
use labrys_native::{Replay, ReplayInput};
use labrys_report::{ProgramVerdict, SourcePlace};
use labrys_testcase::{
    InputObject, Invariant, Nondet, ScalarKind, TestInput, Waypoint, WaypointKind, Witness, WitnessContent,
    WitnessLocation, WitnessMetadata, float_constant, scalar_bytes, scalar_text,
};
use sha2::{Digest, Sha256};

use super::property::Property;
use super::request::Request;
use crate::run::record::place_of_frame;
use crate::whole::date::now;
use crate::whole::suite::sha256;

/// The witness of a verdict, a proof's with invariants; none of one that is unknown.
pub(super) fn witness(
    request: &Request,
    verdict: ProgramVerdict,
    found: Option<(&Violation, &Replay, &SourcePlace)>,
    invariants: Vec<Invariant>,
) -> Option<Witness> {
    let content = match (verdict, found) {
        (ProgramVerdict::Violated, Some((violation, replay, place))) => {
            let inputs = replay.inputs.iter().zip(violation.input.asked_for());
            let mut segments: Vec<Vec<Waypoint>> =
                inputs.filter_map(|(request, object)| Some(vec![returned(request, object)?])).collect();
            segments.push(vec![Waypoint {
                kind: WaypointKind::Target,
                is_followed: true,
                location: WitnessLocation {
                    file: place.file.clone()?,
                    line: place.line?,
                    column: place.column,
                    function: None,
                },
                constraint: None,
            }]);
            WitnessContent::Violation(segments)
        }
        (ProgramVerdict::Holds, _) => WitnessContent::Correctness(invariants),
        _ => return None,
    };
    let property = match found {
        Some((violation, ..)) => request.properties.iter().find(|of| of.is_violated_by(&violation.kind)),
        None => request.properties.first(),
    };
    Some(Witness { metadata: metadata(request, property.copied()), content })
}

fn metadata(request: &Request, property: Option<Property>) -> WitnessMetadata {
    let files: Vec<(String, String)> =
        request.sources.iter().map(|source| (source.display().to_string(), sha256(source))).collect();
    let creation_time = now();
    let mut hash = Sha256::new();
    hash.update(format!("{:?} {files:?} {creation_time}", request.command));
    let digest = hash.finalize();
    WitnessMetadata {
        uuid: uuid(&digest),
        creation_time,
        producer: "labrys".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: Some(request.command.join(" ")),
        files,
        specification: format!(
            "CHECK( init({}()), LTL({}) )",
            request.entry,
            property.map(Property::specification).unwrap_or_default()
        ),
        data_model: "LP64".to_owned(),
        language: "C".to_owned(),
    }
}

/// A version-8 UUID (RFC 9562) of a hash.
fn uuid(digest: &[u8]) -> String {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(digest) {
        *to = *from;
    }
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// The return of a function that asks for an input.
fn returned(input: &ReplayInput, object: &InputObject) -> Option<Waypoint> {
    let nondet = Nondet::named(&input.name)?;
    let place = place_of_frame(&input.call);
    let (file, line) = (place.file?, place.line?);
    let end = place.column.and_then(|column| closing_parenthesis(Path::new(&file), line, column));
    let (line, column) = end.map_or((line, None), |(line, column)| (line, Some(column)));
    Some(Waypoint {
        kind: WaypointKind::FunctionReturn,
        is_followed: true,
        location: WitnessLocation { file, line, column, function: None },
        constraint: Some(constraint(&object.bytes, nondet.kind)?),
    })
}

/// How the comment begins that has a NaN's encoding.
const ENCODING: &str = "/* its encoding is ";

/// The encoding in the comment of a constraint, as bytes in memory.
fn encoding(constraint: &str, size: usize) -> Option<Vec<u8>> {
    let (_, rest) = constraint.split_once(ENCODING)?;
    let bits = u128::from_str_radix(rest.strip_prefix("0x")?.split_once(" */")?.0, 16).ok()?;
    let bytes = bits.to_le_bytes();
    bytes.get(size..)?.iter().all(|byte| *byte == 0).then(|| bytes[..size].to_vec())
}

/// What C says of a result that has this value and no other. Floats are hexadecimal: a decimal of a float's few digits is another number as C's
/// double. C has no constants for zeros' signs, infinities and NaNs; sign and payload of a NaN stand in a comment.
fn constraint(bytes: &[u8], kind: ScalarKind) -> Option<String> {
    let text = scalar_text(bytes, kind)?;
    if kind != ScalarKind::Float {
        return Some(format!("\\result == {text}"));
    }
    Some(match text.as_str() {
        "nan" | "-nan" => {
            let bits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            format!("\\result != \\result {ENCODING}0x{bits} */")
        }
        "inf" => "\\result == 1.0 / 0.0".to_owned(),
        "-inf" => "\\result == -1.0 / 0.0".to_owned(),
        "0" | "0.0" => "\\result == 0.0 && 1.0 / \\result > 0".to_owned(),
        "-0" | "-0.0" => "\\result == 0.0 && 1.0 / \\result < 0".to_owned(),
        _ => format!("\\result == {}", float_constant(bytes)?),
    })
}

/// The value that a constraint gives a result, as [`scalar_bytes`] reads it.
fn value(constraint: &str) -> Option<String> {
    let (first, sign) = match constraint.split_once("&&") {
        Some((first, sign)) => (first.trim(), Some(sign.trim())),
        None => (constraint.trim(), None),
    };
    let first = first.split_once(ENCODING).map_or(first, |(first, _)| first.trim());
    let rest = first.strip_prefix("\\result")?.trim_start();
    if rest.strip_prefix("!=").is_some_and(|other| other.trim() == "\\result") {
        return Some("nan".to_owned());
    }
    let value = rest.strip_prefix("==")?.trim();
    let value = match value {
        "1.0 / 0.0" => "inf",
        "-1.0 / 0.0" => "-inf",
        value => value,
    };
    Some(match sign {
        Some("1.0 / \\result < 0") => format!("-{value}"),
        _ => value.to_owned(),
    })
}

/// Where the parenthesis stands that closes a call which begins at a line and a column, both from 1. The format places a return
/// there.
fn closing_parenthesis(file: &Path, line: u32, column: u32) -> Option<(u32, u32)> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut depth = 0;
    for (index, text) in text.lines().enumerate().skip(line.checked_sub(1)? as usize).take(20) {
        let skipped = if index as u32 + 1 == line { column.saturating_sub(1) as usize } else { 0 };
        for (at, c) in text.char_indices().skip_while(|(at, _)| *at < skipped) {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => {
                    let column = text[..at].chars().count() as u32 + 1;
                    return Some((index as u32 + 1, column));
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
    }
    None
}

/// The input of a violation witness: the values of the functions that ask for inputs, in the order of the way. What each is called is
/// read from the source at its call. `None`: it has none that can be read.
pub(super) fn input_of(witness: &Witness) -> Option<TestInput> {
    let WitnessContent::Violation(segments) = &witness.content else { return None };
    let is_return = |waypoint: &&Waypoint| waypoint.kind == WaypointKind::FunctionReturn && waypoint.is_followed;
    let object = |waypoint: &Waypoint| {
        let nondet = called_at(&waypoint.location)?;
        let name = format!("{}{}", labrys_testcase::NONDET_PREFIX, nondet.suffix);
        let constraint = waypoint.constraint.as_deref()?;
        let bytes = match encoding(constraint, nondet.bytes).filter(|_| nondet.kind == ScalarKind::Float) {
            Some(bytes) => bytes,
            None => scalar_bytes(&value(constraint)?, nondet.kind, nondet.bytes)?,
        };
        Some(InputObject { name, bytes })
    };
    let objects = segments.iter().flatten().filter(is_return).map(object).collect::<Option<_>>()?;
    Some(TestInput { arguments: Vec::new(), objects })
}

/// The function that asks for an input whose call ends at a place: the last such name before it on its line.
fn called_at(location: &WitnessLocation) -> Option<&'static Nondet> {
    let text = std::fs::read_to_string(&location.file).ok()?;
    let line = text.lines().nth(location.line.checked_sub(1)? as usize)?;
    let before: String = line.chars().take(location.column.unwrap_or(u32::MAX) as usize).collect();
    let start = match location.column {
        Some(_) => before.rfind(labrys_testcase::NONDET_PREFIX)?,
        None => before.find(labrys_testcase::NONDET_PREFIX)?,
    };
    let rest = &before[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    Nondet::named(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A float's shortest decimal is not the float where C reads it as a double; zeros lost their signs, and infinities were left out.
    #[test]
    fn a_result_has_the_constraints_value_and_no_other() {
        let f32s = [0.1f32, -0.0, 0.0, 1e-45, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, -3.5, 16777216.0];
        for x in f32s {
            let text = constraint(&x.to_le_bytes(), ScalarKind::Float).expect("a constraint");
            let back = scalar_bytes(&value(&text).expect("a value"), ScalarKind::Float, 4);
            assert_eq!(back, Some(x.to_le_bytes().to_vec()), "{text}");
        }
        for x in [0.1f64, -0.0, 5e-324, f64::MIN, f64::INFINITY, 1.0 / 3.0] {
            let text = constraint(&x.to_le_bytes(), ScalarKind::Float).expect("a constraint");
            let back = scalar_bytes(&value(&text).expect("a value"), ScalarKind::Float, 8);
            assert_eq!(back, Some(x.to_le_bytes().to_vec()), "{text}");
        }
        assert_eq!(constraint(&0.1f32.to_le_bytes(), ScalarKind::Float).as_deref(), Some("\\result == 0x1.99999ap-4"));
        for bits in [0x7ff8_0000_0000_0000u64, 0xfff0_0000_0000_0001, 0x7ff8_0000_dead_beef] {
            let text = constraint(&bits.to_le_bytes(), ScalarKind::Float).expect("a constraint");
            assert_eq!(value(&text).as_deref(), Some("nan"), "{text}");
            assert_eq!(encoding(&text, 8), Some(bits.to_le_bytes().to_vec()), "{text}");
        }
        assert_eq!(value("\\result != \\result").as_deref(), Some("nan"));
        assert_eq!(value("\\result==7").as_deref(), Some("7"));
        assert_eq!(value("x == 7"), None);
    }

    #[test]
    fn calls_end_at_their_parenthesis() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.c");
        std::fs::write(&file, "int x = f(g(1),\n  2) + h();\n").expect("a file");
        assert_eq!(closing_parenthesis(&file, 1, 9), Some((2, 4)));
        assert_eq!(closing_parenthesis(&file, 1, 11), Some((1, 14)));
        assert_eq!(closing_parenthesis(&file, 2, 8), Some((2, 10)));
        assert_eq!(closing_parenthesis(&file, 7, 1), None);
    }
}
