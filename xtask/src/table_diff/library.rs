//! `cargo xtask table diff --library`: `labrys diff` on the GNU Scientific Library's special functions, -O0 against clang's and gcc's
//! -O3 -ffast-math.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Request;
use crate::corpus;
use crate::table_exceptions::FUNCTIONS;

/// Where the run's reports and its store go, in the folder of the workspace.
const OUTPUT: &str = "target/table/diff";
/// How long the whole may take, in seconds.
const ALLOWED: f64 = 3600.0;
/// Findings that are listed: the worst of each variant.
const LISTED: usize = 10;

/// Runs labrys and prints the table; whether everything was done in time, without a crash of labrys.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    corpus::gsl(root)?;
    let output = root.join(OUTPUT);
    if !request.resume && output.exists() {
        fs::remove_dir_all(&output).with_context(|| format!("cannot remove {}", output.display()))?;
    }
    let mut command = Command::new(crate::labrys(root));
    command.current_dir(root).arg("diff").arg("-p").arg(corpus::gsl_folder(root));
    for function in FUNCTIONS.lines() {
        command.arg("--entry").arg(function);
    }
    command.args(["--variant", "-O3 -ffast-math", "--variant", "gcc -O3 -ffast-math"]);
    command
        .args(["--init", "gsl_set_error_handler_off", "--call-timeout", "50ms", "--format", "json", "-o"])
        .arg(&output);
    command.args(["--function-time", &request.time_per_function, "--jobs", &request.jobs.to_string()]);
    let begun = Instant::now();
    // The report is read from its file: progress goes to the terminal.
    let status = command.stdout(Stdio::null()).status().context("cannot run labrys")?;
    let seconds = begun.elapsed().as_secs_f64();
    if !matches!(status.code(), Some(0 | 1 | 3)) {
        bail!("labrys ended with {status}");
    }
    let file = output.join("report.json");
    let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let report: Value = serde_json::from_slice(&text).with_context(|| format!("{} is no report", file.display()))?;
    print(&report, seconds);
    let crashes =
        functions(&report).filter(|of| of["failure"].as_str().is_some_and(|why| why.contains("internal"))).count();
    if crashes > 0 {
        println!("falls short: labrys panicked on {crashes} functions");
    }
    if seconds > ALLOWED && !request.resume {
        println!("falls short: {seconds:.0} s, {ALLOWED} s allowed");
    }
    Ok(crashes == 0 && (seconds <= ALLOWED || request.resume))
}

fn functions(report: &Value) -> impl Iterator<Item = &Value> {
    report["functions"].as_array().into_iter().flatten()
}

fn findings(report: &Value) -> impl Iterator<Item = &Value> {
    report["findings"].as_array().into_iter().flatten()
}

fn print(report: &Value, seconds: f64) {
    let failed = functions(report).filter(|of| of["failure"].is_string()).count();
    let differing =
        functions(report).filter(|of| of["findings"].as_array().is_some_and(|found| !found.is_empty())).count();
    let most = functions(report).filter_map(|of| of["findings"].as_array()).map(Vec::len).max().unwrap_or(0);
    println!(
        "| functions | not compared | that differ | inputs | causes | divergences | most causes of one function | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let divergences: u64 = findings(report).map(|found| found["difference"]["divergences"].as_u64().unwrap_or(1)).sum();
    println!(
        "| {} | {failed} | {differing} | {} | {} | {divergences} | {most} | {seconds:.0} |\n",
        functions(report).count(),
        report["counts"]["inputs_tested"],
        findings(report).count(),
    );
    println!("| variant | severity | causes | in control |");
    println!("|---|---|---|---|");
    let mut rows: BTreeMap<(String, usize), (String, usize, usize)> = BTreeMap::new();
    const SEVERITIES: [&str; 5] = ["introduced", "masked", "underflow", "ulps", "trace"];
    for found in findings(report) {
        let role = found["between"][1].as_str().unwrap_or("?");
        let severity = found["severity"].as_str().unwrap_or("?");
        let rank = SEVERITIES.iter().position(|of| *of == severity).unwrap_or(SEVERITIES.len());
        let row = rows.entry((role.to_owned(), rank)).or_insert((severity.to_owned(), 0, 0));
        row.1 += 1;
        row.2 += usize::from(found["in_control"] == true);
    }
    for ((role, _), (severity, causes, in_control)) in &rows {
        println!("| {role} | {severity} | {causes} | {in_control} |");
    }
    println!("\nThe worst {LISTED}:");
    for found in findings(report).take(LISTED) {
        println!("- {} {}: {} ({})", found["between"][1], found["id"], found["summary"], found["difference"]["cause"]);
    }
    for of in functions(report).filter(|of| of["failure"].is_string()) {
        println!("not compared: {}: {}", of["function"], of["failure"]);
    }
}
