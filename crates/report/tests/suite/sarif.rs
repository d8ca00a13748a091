//! SARIF, validated against the schema that the serde-sarif package carries.

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_report::{Baseline, OutcomeKind, Report, SourcePlace, sarif};
use serde_json::Value as Json;

use super::{library, samples};

/// SARIF 2.1.0's JSON schema, in the source of the locked serde-sarif package.
fn schema() -> Json {
    // For this platform alone: the packages of others were never downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &platform])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("cargo metadata: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package =
        packages.iter().find(|package| package["name"] == "serde-sarif").expect("serde-sarif is a dependency");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let path = manifest.parent().unwrap_or(Path::new(".")).join("src/schema.json");
    let text = std::fs::read_to_string(&path).expect("the package has its schema");
    // The published pattern of `language` has a lone `]`, which only lenient regular expressions take for itself.
    serde_json::from_str(&text.replace("{2}]?$", r"{2}\\]?$")).expect("the schema is JSON")
}

/// The log of a report, and what the schema says against it.
fn validated(validator: &jsonschema::Validator, report: &Report) -> Json {
    let log: Json = serde_json::from_str(&sarif(report).expect("serialises")).expect("SARIF is JSON");
    let errors: Vec<String> = validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{log:#}");
    log
}

#[test]
fn every_kind_of_report_follows_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    let log = validated(&validator, &samples::report());
    assert!(!validator.is_valid(&serde_json::json!({"version": "2.1.0"})), "the schema can say no");

    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(5));
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["ruleIndex"], &result["level"]),
        (&"introduced".into(), &0.into(), &"error".into())
    );
    let fingerprint = &result["fingerprints"]["labrys/v2"];
    assert_eq!(
        (fingerprint, fingerprint.as_str().map(str::len)),
        (&result["partialFingerprints"]["primaryLocationLineHash"], Some(12))
    );
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "f.c");
    assert_eq!((&location["region"]["startLine"], &location["region"]["startColumn"]), (&3.into(), &18.into()));
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    let ids: Vec<&Json> = flows.iter().map(|flow| &flow["id"]).collect();
    assert_eq!(ids, ["baseline", "variant"]);
    let steps: Vec<usize> = flows.iter().filter_map(|flow| flow["locations"].as_array().map(Vec::len)).collect();
    assert_eq!(steps, [2, 3], "call, events, return");
    assert_eq!(run["results"][1]["level"], "note", "outside fast-math's contract");

    let mut odd = samples::report();
    odd.notes.push("a note with {braces}".to_owned());
    odd.target.file = "/a folder/f.c".to_owned();
    for (index, file) in [None, Some("sp ace/ü.c".to_owned())].into_iter().enumerate() {
        let event = &mut odd.findings[index].observations[usize::from(index == 0)].trace[0];
        (event.place, event.function) = (SourcePlace { file, line: Some(0), column: Some(0) }, None);
    }
    let crashed = &mut odd.findings[0].observations[1];
    (crashed.outcome, crashed.signal, crashed.result) = (OutcomeKind::Signal, Some(11), None);
    odd.findings[1].observations.clear();
    odd.findings[1].count = 0;
    let log = validated(&validator, &odd);
    let note = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(note, "a note with {{braces}}");

    let mut empty = samples::report();
    empty.findings.clear();
    let log = validated(&validator, &empty);
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn timing_is_left_out() {
    let mut slower = samples::report();
    slower.timing.wall_s = 99.0;
    assert_eq!(sarif(&slower).expect("serialises"), sarif(&samples::report()).expect("serialises"));
}

#[test]
fn exceptions_are_rules_and_effects_levels() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    let mut report = library::library(40);
    report.findings[0].exception_mut().expect("an exception").output = Some("r.val".to_owned());
    let log = validated(&validator, &report);
    let run = &log["runs"][0];
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    assert_eq!(rules, ["invalid", "divbyzero", "overflow", "underflow", "inexact"]);
    let results = run["results"].as_array().expect("results");
    for (result, finding) in results.iter().zip(&report.findings) {
        let details = finding.exception().expect("an exception");
        assert_eq!(result["ruleId"], details.exception.names()[0]);
        assert_eq!(result["ruleId"], rules[result["ruleIndex"].as_u64().expect("a number") as usize]);
        let level = match finding.severity.name() {
            "lost" => "error",
            "inaccurate" => "warning",
            _ => "note",
        };
        assert_eq!(result["level"], level);
        let location = &result["locations"][0];
        assert_eq!(
            location["physicalLocation"]["region"]["startLine"].as_u64(),
            details.site.place.line.map(u64::from)
        );
        let named = |location: &Json| {
            let index = location["logicalLocations"][0]["index"].as_u64().expect("a place of the run's list");
            run["logicalLocations"][index as usize]["name"].clone()
        };
        assert_eq!(named(location), details.site.function.as_str());
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "average.c", "as GitHub needs it");
        assert_eq!(result["properties"]["effect"], finding.severity.name());
        assert!(result["baselineState"].is_null());
        assert_eq!(result["properties"]["output"].as_str(), details.output.as_deref());
        let step = &result["codeFlows"][0]["threadFlows"][0]["locations"][0];
        let called = &run["threadFlowLocations"][step["index"].as_u64().expect("a place") as usize]["location"];
        assert_eq!(named(called), details.site.function.as_str(), "the function of the library");
        let file = called["physicalLocation"]["artifactLocation"]["index"].as_u64().expect("a place");
        assert_eq!(run["artifacts"][file as usize]["location"]["uri"], "average.c");
    }
    Baseline::of(&library::library(20)).mark(&mut report);
    let log = validated(&validator, &report);
    let states =
        log["runs"][0]["results"].as_array().into_iter().flatten().map(|result| result["baselineState"].as_str());
    let states: Vec<&str> = states.map(Option::unwrap_or_default).collect();
    let count = |wanted: &str| states.iter().filter(|state| **state == wanted).count();
    assert_eq!((count("unchanged"), count("new")), (18, 17));
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 1);
}
