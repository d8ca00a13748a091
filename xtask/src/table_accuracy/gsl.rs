//! `cargo xtask table accuracy --gsl`: GSL's special functions of one double against the true functions.
//!
//! The truth is MPFR's function where it has one, or a closed form of such functions (`xtask/literature/special.c`) without rounding; else what
//! GSL's own formulas give without rounding. Airy functions take a mode, too, which is that of full precision. A relative error above
//! 10^-3 counts as large, as in Zou, Zeng, Fu, Xiong, Xiong, Su, "Detecting floating-point errors via atomic conditions", POPL 2020, who found
//! large ones in 42 functions.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::corpus;

/// The functions, one a line: a name, `mode` where it takes one, the reference where there is one.
const FUNCTIONS: &str = include_str!("../../corpus/gsl-accuracy.txt");
/// Where the reports and the library go, in the folder of the workspace.
const OUTPUT: &str = "target/table/accuracy-gsl";
/// What is a large relative error.
const LARGE: f64 = 1e-3;
/// What the table has to reach: functions with large errors, seconds until the first is seen, on the median.
const MARKS: (usize, f64) = (42, 0.5);
/// What errors come from, as findings say it, in the order of the table's columns.
const CAUSES: [&str; 5] = ["lost", "wrong-algorithm", "unstable", "branch", "ill-conditioned"];

/// One function.
struct Special {
    name: String,
    has_mode: bool,
    reference: Option<String>,
}

/// What was found of one function.
struct Row {
    /// The largest relative error; infinite where the truth is zero or the result no number.
    largest: f64,
    /// What large errors come from.
    causes: Vec<String>,
    /// Seconds of search until the first large one.
    seconds: Option<f64>,
    findings: usize,
    /// Findings whose truth two precisions agree on.
    confirmed: usize,
    failure: Option<String>,
}

/// Prints the table; false where it misses a mark.
pub fn run(root: &Path, time: f64) -> Result<bool> {
    corpus::gsl(root)?;
    let output = root.join(OUTPUT);
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    fs::create_dir_all(&output)?;
    let functions: Vec<Special> = FUNCTIONS.lines().filter(|line| !line.is_empty()).map(special).collect();
    let mut rows = Vec::new();
    for has_mode in [false, true] {
        let those: Vec<&Special> = functions.iter().filter(|function| function.has_mode == has_mode).collect();
        let report = search(root, &output, &those, time)?;
        rows.extend(those.into_iter().map(|function| (function, row(&report, function))));
    }
    Ok(print(&rows))
}

fn special(line: &str) -> Special {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    Special {
        name: format!("gsl_sf_{name}"),
        has_mode: rest.contains(&"mode"),
        reference: rest.into_iter().find(|word| *word != "mode").map(|word| match word.strip_prefix("closed") {
            Some(_) => format!("xtask/literature/special.c:{name}"),
            None => word.to_owned(),
        }),
    }
}

/// The report of a search in all of some functions.
fn search(root: &Path, output: &Path, functions: &[&Special], time: f64) -> Result<Value> {
    let mut command = Command::new(crate::labrys(root));
    command.current_dir(root).arg("accuracy").arg("-p").arg(corpus::gsl_folder(root));
    for Special { name, has_mode, reference } in functions {
        command.args(["--entry", name]);
        if let Some(reference) = reference {
            command.args(["--reference", &format!("{name}={reference}")]);
        }
        if *has_mode {
            command.args(["--range", "mode=0..0"]);
        }
    }
    command
        .args(["--init", "gsl_set_error_handler_off", "--format", "json", "--call-timeout", "50ms", "-o"])
        .arg(output);
    command.args(["--function-time", &format!("{time}s")]);
    let done = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().context("labrys does not start")?;
    if !matches!(done.status.code(), Some(0 | 1 | 3)) {
        bail!("labrys accuracy: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    serde_json::from_slice(&fs::read(output.join("report.json"))?).context("the report is no JSON")
}

fn row(report: &Value, function: &Special) -> Row {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let summary = list(&report["functions"]).into_iter().find(|of| of["function"] == function.name.as_str());
    let summary = summary.unwrap_or(Value::Null);
    let own = list(&summary["findings"]);
    let findings: Vec<Value> = list(&report["findings"]).into_iter().filter(|of| own.contains(&of["id"])).collect();
    let (mut largest, mut causes) = (0f64, Vec::new());
    for finding in &findings {
        let own = relative(&finding["accuracy"]["error"]);
        let worst = &finding["accuracy"]["worst"]["error"];
        largest = largest.max(own).max(if worst.is_null() { 0.0 } else { relative(worst) });
        causes.extend(finding["severity"].as_str().filter(|_| own > LARGE).map(str::to_owned));
    }
    Row {
        largest,
        causes,
        seconds: report["timing"][format!("large_error_s {}", function.name)].as_f64(),
        findings: findings.len(),
        confirmed: findings.iter().filter(|of| of["accuracy"]["confirmed_precision"].is_u64()).count(),
        failure: summary["failure"].as_str().map(str::to_owned),
    }
}

/// A relative error; absent where it is infinite.
fn relative(error: &Value) -> f64 {
    error["relative"].as_f64().unwrap_or(f64::INFINITY)
}

fn print(rows: &[(&Special, Row)]) -> bool {
    println!(
        "| function | truth | largest relative error | large errors are | seconds to the first |\n|---|---|---|---|---|"
    );
    for (function, row) in rows {
        let truth = match function.reference.as_deref() {
            Some(reference) if reference.starts_with("mpfr:") => reference,
            Some(_) => "closed form",
            None => "own formulas",
        };
        let seconds = row.seconds.map_or_else(String::new, |seconds| format!("{seconds:.3}"));
        let causes = row.failure.clone().unwrap_or_else(|| row.causes.join(", "));
        println!("| {} | {truth} | {:.1e} | {causes} | {seconds} |", function.name, row.largest);
    }
    let large: Vec<&Row> = rows.iter().map(|(_, row)| row).filter(|row| row.largest > LARGE).collect();
    let of_cause = |cause: &str| large.iter().filter(|row| row.causes.iter().any(|of| of == cause)).count();
    println!("\n{} functions, {} with a relative error above {LARGE:e}", rows.len(), large.len());
    let finite = large.iter().filter(|row| row.causes.iter().any(|cause| cause != "lost")).count();
    println!(
        "{finite} with one that is not of a result that is NaN or infinite where the truth is not, or the other way round"
    );
    for cause in CAUSES {
        println!("{cause}: {}", of_cause(cause));
    }
    let counted =
        |word: &str| rows.iter().filter(|(of, _)| of.reference.as_ref().is_some_and(|of| of.contains(word))).count();
    println!("truth: MPFR's function {}, closed form {}", counted("mpfr:"), counted("special.c:"));
    let sum = |of: fn(&Row) -> usize| rows.iter().map(|(_, row)| of(row)).sum::<usize>();
    let (findings, confirmed) = (sum(|row| row.findings), sum(|row| row.confirmed));
    println!("findings: {findings}, of which two precisions agree on {confirmed}");
    let mut seconds: Vec<f64> = large.iter().filter_map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).copied().unwrap_or(f64::INFINITY);
    println!(
        "seconds of search to the first large error: median {median:.3}, most {:.3}",
        seconds.last().copied().unwrap_or(0.0)
    );
    let (functions, most) = MARKS;
    large.len() >= functions && median <= most && findings == confirmed
}
