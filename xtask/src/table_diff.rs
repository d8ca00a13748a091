//! `cargo xtask table diff`: labrys on the five programs of the paper draft, beside the draft's own figures.

mod library;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

/// Options of the table.
#[derive(Debug, Args)]
pub struct Request {
    /// The GNU Scientific Library instead.
    #[arg(long)]
    library: bool,
    /// Of the library: a bound on each function.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    time_per_function: String,
    /// Of the library: functions compared at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Of the library: go on from an earlier run that was cut short, whose time then does not count.
    #[arg(long)]
    resume: bool,
}

/// A row of the draft's table.
struct Row {
    program: &'static str,
    /// Constraints in all, of P, of P'.
    constraints: [u64; 3],
    satisfiable: u64,
    unique_inputs: u64,
    diff_producing: u64,
    /// The row's share of the time that the whole table may take, in seconds.
    seconds: f64,
}

const DRAFT: [Row; 5] = [
    Row {
        program: "turbine1",
        constraints: [48, 32, 26],
        satisfiable: 44,
        unique_inputs: 29,
        diff_producing: 14,
        seconds: 15.0,
    },
    Row {
        program: "turbine3",
        constraints: [48, 32, 26],
        satisfiable: 44,
        unique_inputs: 30,
        diff_producing: 11,
        seconds: 15.0,
    },
    Row {
        program: "jetengine",
        constraints: [106, 58, 58],
        satisfiable: 96,
        unique_inputs: 41,
        diff_producing: 0,
        seconds: 15.0,
    },
    Row {
        program: "carbongas",
        constraints: [26, 16, 16],
        satisfiable: 23,
        unique_inputs: 4,
        diff_producing: 0,
        seconds: 15.0,
    },
    Row {
        program: "odometer",
        constraints: [9010, 5414, 3604],
        satisfiable: 8108,
        unique_inputs: 3038,
        diff_producing: 247,
        seconds: 180.0,
    },
];

/// Runs labrys on one program and returns its report.
fn report(root: &Path, program: &str) -> Result<Value> {
    let binary = crate::labrys(root);
    let source = Path::new("examples").join(format!("{program}.c"));
    let output = Command::new(&binary)
        .current_dir(root)
        .args(["diff", "--format", "json", "--compare-random", "--inputs", "finite"])
        .arg(&source)
        .output()
        .with_context(|| format!("cannot run {}: build it with cargo build --release", binary.display()))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("labrys diff {}: {}\n{}", source.display(), output.status, String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("the report on {program} is no JSON"))
}

/// Distinct divergences of one severity; explained by the control, or not.
fn divergences(report: &Value, severity: &str, in_control: bool) -> usize {
    let findings = report["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    findings.iter().filter(|f| f["severity"] == severity && (f["in_control"] == true) == in_control).count()
}

/// Prints the table; whether every row reaches its mark.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    if request.library {
        return library::run(root, request);
    }
    println!("Each cell: labrys / the draft. Satisfiable: by the solver + by an input already known.");
    println!(
        "Diff producing: solver inputs themselves, their neighbourhoods, distinct diverging inputs among all / the draft."
    );
    println!();
    println!(
        "| program | constraints (P, P') | satisfiable | unique inputs | diff producing | introduced | masked | underflow | ulps | in control | sampler: divergences, inputs | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all_reached = true;
    for row in &DRAFT {
        let begun = Instant::now();
        let report = report(root, row.program)?;
        let seconds = begun.elapsed().as_secs_f64();
        let count = |name: &str| report["counts"][name].as_u64().unwrap_or(0);
        let [all, p, variant] = row.constraints;
        let by_severity = |severity| divergences(&report, severity, false).to_string();
        let explained: usize = ["introduced", "masked", "underflow", "ulps"]
            .iter()
            .map(|severity| divergences(&report, severity, true))
            .sum();
        let cells = [
            row.program.to_owned(),
            format!(
                "{} ({}, {}) / {all} ({p}, {variant})",
                count("conditions"),
                count("conditions_baseline"),
                count("conditions_variant")
            ),
            format!("{} + {} / {}", count("sat") - count("sat_known"), count("sat_known"), row.satisfiable),
            format!("{} / {}", count("unique_inputs"), row.unique_inputs),
            format!(
                "{}, {}, {} / {}",
                count("solver_inputs_diverging"),
                count("solver_neighbourhoods_diverging"),
                count("solver_diverging_inputs"),
                row.diff_producing
            ),
            by_severity("introduced"),
            by_severity("masked"),
            by_severity("underflow"),
            by_severity("ulps"),
            explained.to_string(),
            format!("{}, {}", count("random_divergences"), count("random_diverging_inputs")),
            format!("{seconds:.1}"),
        ];
        println!("| {} |", cells.join(" | "));
        for shortfall in shortfalls(row, &report, seconds) {
            all_reached = false;
            println!("falls short: {}: {shortfall}", row.program);
        }
    }
    Ok(all_reached)
}

/// What a row lacks of its mark.
fn shortfalls(row: &Row, report: &Value, seconds: f64) -> Vec<String> {
    let mut found = Vec::new();
    let diverging = report["counts"]["solver_diverging_inputs"].as_u64().unwrap_or(0);
    if diverging <= row.diff_producing {
        found.push(format!("{diverging} diverging inputs, the draft has {}", row.diff_producing));
    }
    if seconds > row.seconds {
        found.push(format!("{seconds:.1} s, {} s allowed", row.seconds));
    }
    let wants_introduced = matches!(row.program, "carbongas" | "jetengine");
    if wants_introduced && divergences(report, "introduced", false) == 0 {
        found.push("no introduced divergence".to_owned());
    }
    found
}
