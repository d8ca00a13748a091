//! `cargo xtask portable`: what processors other than x86-64 get, on this one.
//!
//! The feature `portable` of labrys-native has it compiled as for any processor: flags by `fenv.h`, no traces, so that the interpreter
//! makes them. The crate's tests run in that form, and the whole program on examples, whose reports must say so and whose findings
//! must be those of the trapping program: the same severities, exceptions and sites. What this cannot show is the other processor
//! itself: its libm, its code generator, its calling convention.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What every report says then.
const NOTE: &str = "this machine neither traps exceptions nor single-steps";

/// The runs that are compared. Inputs are few, for the interpreter follows every call that raises something.
const RUNS: [&[&str]; 4] = [
    &["diff", "examples/carbongas.c"],
    &["diff", "examples/turbine1.c", "--input", "v=4,w=1,r=1", "--input", "v=0,w=1e-200,r=1.07"],
    &["exceptions", "examples/knu.c"],
    &["exceptions", "examples/average.c", "-f", "average"],
];

/// Tests and compares; false where something fails or differs. The program is built as usual in the end.
pub fn run(root: &Path) -> Result<bool> {
    let feature = ["--features", "labrys-native/portable"];
    cargo(root, &["build", "--release", "--workspace"])?;
    let usual = outcomes(root)?;
    let tested = cargo(root, &["test", "--release", "--package", "labrys-native", "--features", "portable"]);
    let built = cargo(root, &[&["build", "--release", "--workspace"], &feature[..]].concat());
    let compared = built.and_then(|()| compare(root, &usual));
    // Nobody should find that program in the place of the usual one.
    cargo(root, &["build", "--release", "--workspace"])?;
    tested?;
    compared
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(program).current_dir(root).args(arguments).status().context("cannot run cargo")?;
    if status.success() { Ok(()) } else { bail!("cargo {} failed", arguments.join(" ")) }
}

fn labrys(root: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Output> {
    let mut command = Command::new(root.join("target/release/labrys"));
    command.current_dir(root).args(arguments).output().context("cannot run labrys")
}

/// What the runs tell, as JSON.
fn outcomes(root: &Path) -> Result<Vec<Value>> {
    let report = |arguments: &&[&str]| {
        let output = labrys(root, arguments.iter().chain(&["--format", "json", "--max-work", "3000"]))?;
        let text = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).with_context(|| format!("labrys {}: {text}", arguments.join(" ")))
    };
    RUNS.iter().map(report).collect()
}

/// Compares the portable program, which stands in the usual one's place, with it.
fn compare(root: &Path, usual: &[Value]) -> Result<bool> {
    let doctor = labrys(root, ["doctor"])?;
    let mut good = String::from_utf8_lossy(&doctor.stdout).contains("neither trapped nor stepped");
    if !good {
        eprintln!("labrys doctor does not say that exceptions are neither trapped nor stepped to");
    }
    for ((arguments, usual), portable) in RUNS.iter().zip(usual).zip(outcomes(root)?) {
        let arguments = arguments.join(" ");
        let says = |report: &Value| report["notes"].to_string().contains(NOTE);
        let same = story(usual) == story(&portable);
        let replayed = replays(root, &portable)?;
        let verdict = match (says(&portable) && !says(usual), same, replayed) {
            (true, true, true) => "as usual",
            (false, ..) => "the note is not where it should be",
            (_, false, _) => "another story",
            (.., false) => "a finding is not replayed",
        };
        println!("{arguments}: {} findings, {verdict}", story(&portable).len());
        if !same {
            println!("  usual:    {:?}\n  portable: {:?}", story(usual), story(&portable));
        }
        good &= verdict == "as usual";
    }
    Ok(good)
}

/// Each finding's severity, and the place and exceptions of each event of each build whose trace is complete; sorted.
fn story(report: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let event = |event: &Value| format!("{}:{} {}", event["line"], event["column"], event["exceptions"]);
    let observation = |seen: &Value| {
        let trace = list(&seen["trace"]).iter().map(event).collect::<Vec<_>>().join(", ");
        format!("{} {} [{trace}]", seen["role"], seen["flags"])
    };
    let finding = |finding: &Value| {
        // The control's IR is not analysed: the interpreter knows nothing of it.
        let seen = list(&finding["observations"]).into_iter().filter(|seen| seen["role"] != "control");
        let seen = seen.map(|seen| observation(&seen)).collect::<Vec<_>>().join("; ");
        format!("{} {seen}", finding["severity"])
    };
    let mut story: Vec<String> = list(&report["findings"]).iter().map(finding).collect();
    story.sort();
    story
}

/// Whether the first finding is seen again when it is replayed from its file.
fn replays(root: &Path, report: &Value) -> Result<bool> {
    let mut one = report.clone();
    let Some(findings) = one["findings"].as_array_mut().filter(|findings| !findings.is_empty()) else {
        return Ok(true);
    };
    findings.truncate(1);
    let folder = root.join("target/portable-findings");
    fs::create_dir_all(&folder)?;
    let file = folder.join("finding.json");
    fs::write(&file, one.to_string())?;
    let output = labrys(root, [OsStr::new("replay"), file.as_os_str()])?;
    Ok(output.status.code() == Some(1))
}
