//! A library run that is killed at any moment, again and again, comes to what an undisturbed one comes to.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::Bench;

const SOURCE: &str = "\
    static double half(double x) { return x / 2; }\n\
    double middle(double x, double y) { return half(x + y); }\n\
    double quotient(double x, double y) { return x / y; }\n\
    double square(double x) { return x * x; }\n\
    double sum(double x) { double s = 0; for (int i = 0; i < 4; i++) s += x; return s; }\n";
const ARGUMENTS: [&str; 9] = ["-p", ".", "--max-work", "1500", "--function-time", "60s", "--format", "json", "-o"];

fn bench() -> Bench {
    let bench = Bench::new(&[("lib.c", SOURCE)]);
    let command = serde_json::json!([{
        "directory": bench.path(),
        "file": "lib.c",
        "arguments": ["clang-22", "-c", "lib.c"],
    }]);
    std::fs::write(bench.path().join("compile_commands.json"), command.to_string()).expect("writable");
    bench
}

/// The report without what may differ between two runs.
fn finished(bench: &Bench, analysis: &str) -> Value {
    let run = bench.labrys(&[&[analysis], &ARGUMENTS[..], &["out"]].concat());
    run.expect_code(1);
    let mut report = run.json();
    if let Some(members) = report.as_object_mut() {
        members.remove("timing");
    }
    report
}

/// Kills a run so often, each time later, and compares what the last one comes to.
fn killed(analysis: &str, kills: u64, parts: &[&str]) {
    let undisturbed = finished(&bench(), analysis);
    assert_eq!(undisturbed["functions"].as_array().map(Vec::len), Some(5), "{undisturbed:#}");
    let bench = bench();
    for round in 0..kills {
        let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .arg(analysis)
            .args(ARGUMENTS)
            .arg("out")
            .current_dir(bench.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("labrys runs");
        std::thread::sleep(Duration::from_millis(50 + round * 389 % 800));
        // It may have ended already: then there is only less to go on from.
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    let found = finished(&bench, analysis);
    for part in parts {
        assert_eq!(found[part], undisturbed[part], "{part}");
    }
    assert_eq!(found, undisturbed);
}

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    killed("exceptions", 20, &["functions", "sites", "findings", "counts", "notes"]);
}

#[test]
fn nothing_is_lost_of_a_comparison_of_libraries() {
    killed("diff", 8, &["functions", "findings", "counts", "notes"]);
}
