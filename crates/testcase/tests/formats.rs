//! Files are valid by their formats, as readers that are not ours have them: Python's expat, PyYAML, and a reader of KLEE's files by the
//! format's description; witnesses by a schema that is written after the format's description (SPIN 2024, and its repository's schema).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use labrys_testcase::{
    InputObject, Invariant, InvariantKind, Ktest, SuiteMetadata, TestInput, Waypoint, WaypointKind, Witness,
    WitnessContent, WitnessLocation, WitnessMetadata, suite_inputs, test_xml,
};
use serde_json::{Value, json};

/// Reads every file of a folder and prints what is in them as JSON.
const READER: &str = r#"
import json, os, struct, sys
import xml.etree.ElementTree as ElementTree
import yaml

def ktest(data):
    place = [0]
    def take(count):
        part = data[place[0]:place[0] + count]
        assert len(part) == count, "truncated"
        place[0] += count
        return part
    number = lambda: struct.unpack(">I", take(4))[0]
    assert take(5) in (b"KTEST", b"BOUT\n")
    version = number()
    arguments = [take(number()).hex() for _ in range(number())]
    if version >= 2:
        number(), number()
    objects = []
    for _ in range(number()):
        name = take(number()).decode()
        objects.append([name, take(number()).hex()])
    assert place[0] == len(data), "more than the format has"
    return {"version": version, "arguments": arguments, "objects": objects}

def xml(data):
    text = data.decode()
    assert text.startswith('<?xml version="1.0"')
    doctype = text.split("<!DOCTYPE ")[1].split(">")[0]
    root = ElementTree.fromstring(text)
    children = [[child.tag, dict(child.attrib), child.text or "", len(child)] for child in root]
    return {"doctype": doctype, "root": root.tag, "children": children}

readers = {".ktest": ktest, ".xml": xml, ".yml": lambda data: yaml.safe_load(data.decode())}
found = {}
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        found[name] = readers[os.path.splitext(name)[1]](file.read())
print(json.dumps(found))
"#;

fn read_by_others(folder: &Path) -> BTreeMap<String, Value> {
    // Debian's python3 has Debian's PyYAML (scripts/setup.sh).
    let output = Command::new("/usr/bin/python3").args(["-c", READER]).arg(folder).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Texts that a careless writer does not survive.
const TEXTS: [&str; 8] = ["x", "a b", "<&>\"'", "é\u{3b1}", "#: - {[", "true", "1e3", "line\tend\\"];

fn input() -> TestInput {
    let object = |name: &str, bytes: &[u8]| InputObject { name: name.to_owned(), bytes: bytes.to_vec() };
    let mut objects: Vec<InputObject> = TEXTS.iter().map(|name| object(name, &[1, 2, 3, 4])).collect();
    objects.push(object("__VERIFIER_nondet_double", &1.5f64.to_le_bytes()));
    objects.push(object("__VERIFIER_nondet_double", &f64::NEG_INFINITY.to_le_bytes()));
    objects.push(object("__VERIFIER_nondet_char", &[0xff]));
    objects.push(object("empty", &[]));
    objects.push(object("three", &[7, 8, 9]));
    TestInput { arguments: vec![b"-v".to_vec(), vec![0xff, b' ']], objects }
}

#[test]
fn ktest_and_test_comp_files_are_what_others_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file");
    let input = input();
    write("a.ktest", &Ktest::of("program", &input).to_bytes());
    let inputs = suite_inputs(&input);
    write("test.xml", test_xml(&inputs).as_bytes());
    let metadata = SuiteMetadata {
        producer: "labrys <1> & \"2\"".to_owned(),
        specification: "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE@)) )".to_owned(),
        program_file: "a b.c".to_owned(),
        program_hash: "ab".repeat(32),
        entry_function: "main".to_owned(),
        creation_time: "2026-11-23T08:00:00Z".to_owned(),
    };
    write("metadata.xml", metadata.to_xml().as_bytes());
    let read = read_by_others(folder.path());

    let ktest = &read["a.ktest"];
    assert_eq!(ktest["version"], 3);
    // The program's name stands before its arguments.
    assert_eq!(ktest["arguments"], json!(["70726f6772616d", "2d76", "ff20"]));
    let objects: Vec<Value> = input.objects.iter().map(|of| json!([of.name, hex(&of.bytes)])).collect();
    assert_eq!(ktest["objects"], Value::from(objects));

    // <!ELEMENT testcase (input*)>, input has text, and the attributes variable and type.
    let test = &read["test.xml"];
    assert_eq!(test["root"], "testcase");
    assert!(test["doctype"].as_str().is_some_and(|text| {
        text.starts_with("testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\"")
    }));
    let children = test["children"].as_array().expect("inputs");
    assert_eq!(children.len(), inputs.len());
    for (child, of) in children.iter().zip(&inputs) {
        let mut attributes = json!({});
        of.c_type.iter().for_each(|text| attributes["type"] = text.as_str().into());
        of.variable.iter().for_each(|text| attributes["variable"] = text.as_str().into());
        assert_eq!(*child, json!(["input", attributes, of.value, 0]));
    }

    // The members of test-metadata, in the document type's order.
    let suite = &read["metadata.xml"];
    let expected = [
        ("sourcecodelang", "C"),
        ("producer", metadata.producer.as_str()),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", "main"),
        ("architecture", "64bit"),
        ("creationtime", &metadata.creation_time),
    ];
    let expected: Vec<Value> = expected.iter().map(|(name, text)| json!([name, {}, text, 0])).collect();
    assert_eq!((&suite["root"], &suite["children"]), (&json!("test-metadata"), &Value::from(expected)));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the format's description says of an entry.
fn schema() -> Value {
    let text = json!({"type": "string", "minLength": 1});
    let location = json!({
        "type": "object",
        "required": ["file_name", "line"],
        "properties": {
            "file_name": text, "function": text,
            "line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1},
        },
        "additionalProperties": false,
    });
    let constraint = json!({
        "type": "object",
        "required": ["value"],
        "properties": {"value": {"type": ["string", "integer", "boolean"]}, "format": {"enum": ["c_expression", "acsl_expression"]}},
        "additionalProperties": false,
    });
    let waypoint = json!({
        "type": "object",
        "required": ["type", "action", "location"],
        "properties": {
            "type": {"enum": ["assumption", "branching", "function_enter", "function_return", "target"]},
            "action": {"enum": ["follow", "avoid"]},
            "location": location, "constraint": constraint,
        },
        "additionalProperties": false,
    });
    let segment = json!({
        "type": "object",
        "required": ["segment"],
        "properties": {"segment": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["waypoint"], "properties": {"waypoint": waypoint}, "additionalProperties": false,
        }}},
        "additionalProperties": false,
    });
    let invariant = json!({
        "type": "object",
        "required": ["invariant"],
        "properties": {"invariant": {
            "type": "object",
            "required": ["type", "location", "value", "format"],
            "properties": {
                "type": {"enum": ["loop_invariant", "location_invariant"]},
                "location": location, "value": text, "format": {"enum": ["c_expression", "ext_c_expression"]},
            },
            "additionalProperties": false,
        }},
        "additionalProperties": false,
    });
    let metadata = json!({
        "type": "object",
        "required": ["format_version", "uuid", "creation_time", "producer", "task"],
        "properties": {
            "format_version": {"enum": ["2.0", "2.1"]},
            "uuid": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
            "creation_time": {"type": "string"},
            "producer": {
                "type": "object",
                "required": ["name", "version"],
                "properties": {"name": text, "version": text, "command_line": text, "configuration": text, "description": text},
                "additionalProperties": false,
            },
            "task": {
                "type": "object",
                "required": ["input_files", "input_file_hashes", "specification", "data_model", "language"],
                "properties": {
                    "input_files": {"type": "array", "minItems": 1, "items": text},
                    "input_file_hashes": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
                    "specification": text,
                    "data_model": {"enum": ["ILP32", "LP64"]},
                    "language": {"enum": ["C"]},
                },
                "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    });
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["entry_type", "metadata", "content"],
            "properties": {
                "entry_type": {"enum": ["violation_sequence", "invariant_set"]},
                "metadata": metadata,
                "content": {"type": "array", "items": {"anyOf": [segment, invariant]}},
            },
            "additionalProperties": false,
        },
    })
}

#[test]
fn witnesses_are_valid_yaml_of_their_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = |file: &str, column| WitnessLocation { file: file.to_owned(), line: 3, column, function: None };
    let waypoint = |kind, file: &str, column, constraint: Option<&str>| Waypoint {
        kind,
        is_followed: true,
        location: location(file, column),
        constraint: constraint.map(str::to_owned),
    };
    let mut witnesses = Vec::new();
    for text in TEXTS {
        let metadata = WitnessMetadata {
            uuid: "00112233-4455-8677-8899-aabbccddeeff".to_owned(),
            creation_time: "2026-11-23T08:00:00Z".to_owned(),
            producer: "labrys".to_owned(),
            version: "0.1.0".to_owned(),
            command_line: Some(text.to_owned()),
            files: vec![(text.to_owned(), "ab".repeat(32))],
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned(),
            data_model: "LP64".to_owned(),
            language: "C".to_owned(),
        };
        let segments = vec![
            vec![waypoint(WaypointKind::FunctionReturn, text, Some(7), Some("\\result == -1.5e-300"))],
            vec![waypoint(WaypointKind::Branching, text, None, Some("true"))],
            vec![waypoint(WaypointKind::Target, text, Some(1), None)],
        ];
        let invariants = [InvariantKind::Loop, InvariantKind::Location].map(|kind| Invariant {
            kind,
            location: location(text, None),
            value: "x <= 1 && \"a\"[0] != 'b'".to_owned(),
        });
        for content in [
            WitnessContent::Violation(segments),
            WitnessContent::Correctness(invariants.to_vec()),
            WitnessContent::Correctness(Vec::new()),
        ] {
            witnesses.push(Witness { metadata: metadata.clone(), content });
        }
    }
    for (index, witness) in witnesses.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index:02}.yml")), witness.to_yaml()).expect("a file");
    }
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let read = read_by_others(folder.path());
    assert_eq!(read.len(), witnesses.len());
    for (entry, witness) in read.values().zip(&witnesses) {
        let errors: Vec<String> =
            validator.iter_errors(entry).map(|error| format!("{error} at {}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}\n{}", witness.to_yaml());
        let of = &entry[0]["metadata"];
        assert_eq!(of["producer"]["command_line"].as_str(), witness.metadata.command_line.as_deref());
        assert_eq!(of["task"]["input_files"][0].as_str(), Some(witness.metadata.files[0].0.as_str()));
        if let WitnessContent::Violation(_) = witness.content {
            let first = &entry[0]["content"][0]["segment"][0]["waypoint"];
            assert_eq!(first["constraint"]["value"], "\\result == -1.5e-300");
            assert_eq!(first["location"]["file_name"].as_str(), Some(witness.metadata.files[0].0.as_str()));
        }
    }
    // The schema refuses something.
    let mut wrong = read["00.yml"].clone();
    wrong[0]["content"][0]["segment"][0]["waypoint"]["action"] = "maybe".into();
    assert!(!validator.is_valid(&wrong));
}
