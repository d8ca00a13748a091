//! The five example programs: what is known to be there is found, and each finding is shown by its own reproducer.

use crate::harness::{Bench, raises, workspace};
use serde_json::Value;

/// Runs diff on an example with finite inputs, writing reproducers into `out`.
fn diff(bench: &Bench, program: &str, options: &[&str]) -> Value {
    let source = workspace().join(format!("examples/{program}.c"));
    std::fs::copy(source, bench.path().join(format!("{program}.c"))).expect("the example is there");
    let file = format!("{program}.c");
    let mut arguments = vec!["diff", &file, "--inputs", "finite", "--format", "json", "-o", "out"];
    arguments.extend_from_slice(options);
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    run.json()
}

/// Compiles and runs every finding's reproducer as its first comment says; each must show a difference.
fn reproduce_all(bench: &Bench, report: &Value) {
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    assert!(!findings.is_empty());
    for finding in &findings {
        let id = finding["id"].as_str().expect("an id");
        let text = std::fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a reproducer");
        let script = crate::harness::commands_of(&text).join(" && ");
        let shown = bench.program("sh", &["-c", &format!("cd out && {script}")]);
        if shown.code != 1 {
            shown.fail(&format!("the reproducer of {id} shows no difference: {finding:#}"));
        }
    }
}

fn introduces_overflow(report: &Value) -> bool {
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().any(|finding| {
        finding["severity"] == "introduced" && finding["in_control"] == false && raises(finding, "variant", "overflow")
    })
}

#[test]
fn carbongas_overflows_only_when_optimised() {
    let bench = Bench::new(&[]);
    let report = diff(&bench, "carbongas", &[]);
    assert!(introduces_overflow(&report), "{report:#}");
    reproduce_all(&bench, &report);
}

#[test]
fn jetengine_overflows_only_when_optimised() {
    let bench = Bench::new(&[]);
    let report = diff(&bench, "jetengine", &[]);
    assert!(introduces_overflow(&report), "{report:#}");
    reproduce_all(&bench, &report);
}

#[test]
fn turbine3_differs() {
    let bench = Bench::new(&[]);
    let report = diff(&bench, "turbine3", &["--max-work", "20000"]);
    assert_eq!(report["counts"]["conditions_baseline"], 32);
    assert!(report["counts"]["solver_diverging_inputs"].as_u64() > Some(11), "{:#}", report["counts"]);
    reproduce_all(&bench, &report);
}

#[test]
fn turbine1_has_the_draft_s_conditions() {
    let report = diff(&Bench::new(&[]), "turbine1", &["--max-work", "20000"]);
    let counts = &report["counts"];
    let of = |name: &str| counts[name].as_u64();
    assert_eq!((of("conditions_baseline"), of("conditions_variant")), (Some(32), Some(26)));
    assert_eq!((of("conditions"), of("sat")), (Some(48), Some(44)));
    assert!(of("solver_diverging_inputs") > Some(14));
}

#[test]
fn odometer_against_strict_optimisation_is_the_control_s_doing() {
    let bench = Bench::new(&[]);
    let report =
        diff(&bench, "odometer", &["--variant", "-O3 -ffp-contract=off", "--max-work", "5000", "--time", "60s"]);
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    assert!(!findings.is_empty());
    // Its y is dead: optimised code does not compute it, and raises none of its exceptions.
    for finding in &findings {
        assert_eq!(finding["in_control"], true, "{finding:#}");
    }
}
