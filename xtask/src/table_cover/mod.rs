//! `cargo xtask table cover`: the branches of newlib's fdlibm that `labrys cover` covers, or proves to be infeasible.
//!
//! The forty functions are those of Z. Fu, Z. Su, "Achieving high coverage for floating-point code via unconstrained programming", PLDI 2017
//! (table 2), whose tool CoverMe covers 90.8 % of their branches on average in 6.9 s each; it does not say of what is left whether it can be
//! covered. Here, as there, branches are those of the function itself; llvm-cov counts them.

mod functions;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::corpus::{Libm, libm_folder};
use crate::process;
use functions::{FUNCTIONS, Function};

/// The mean share of branches that are covered, and of those that are covered or infeasible, that is asked for.
const MARKS: (f64, f64) = (0.95, 0.98);

/// What newlib's functions call where there is no result.
const ERRORS: [&str; 1] = ["common/math_err"];

/// What to measure.
#[derive(Args, Debug)]
pub struct Request {
    /// Time for each function.
    #[arg(long, default_value = "60s")]
    time: String,
    /// Only functions whose names contain this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// What came of a function.
struct Row {
    name: &'static str,
    total: u64,
    covered: u64,
    infeasible: u64,
    tests: usize,
    seconds: f64,
}

impl Row {
    fn share(&self, count: u64) -> f64 {
        if self.total == 0 { 1.0 } else { count as f64 / self.total as f64 }
    }
}

/// Measures, prints, and says whether the marks are reached.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    let folder = libm_folder(root, Libm::Newlib)?;
    let mut rows = Vec::new();
    println!(
        "{:<12} {:>8} {:>8} {:>10} {:>8} {:>6} {:>8}",
        "function", "branches", "covered", "infeasible", "unknown", "tests", "seconds"
    );
    for function in FUNCTIONS.iter().filter(|of| request.only.as_ref().is_none_or(|text| of.name.contains(text))) {
        let row = measure(root, &folder, function, &request.time)?;
        println!(
            "{:<12} {:>8} {:>8} {:>10} {:>8} {:>6} {:>8.1}",
            row.name,
            row.total,
            row.covered,
            row.infeasible,
            row.total - row.covered - row.infeasible,
            row.tests,
            row.seconds
        );
        rows.push(row);
    }
    if rows.is_empty() {
        bail!("no function's name contains that");
    }
    let mean = |share: &dyn Fn(&Row) -> f64| rows.iter().map(share).sum::<f64>() / rows.len() as f64;
    let covered = mean(&|row| row.share(row.covered));
    let decided = mean(&|row| row.share(row.covered + row.infeasible));
    let seconds = mean(&|row| row.seconds);
    println!(
        "\nmean of {} functions: {:.1} % covered, {:.1} % covered or infeasible, {seconds:.1} s",
        rows.len(),
        100.0 * covered,
        100.0 * decided
    );
    let is_reached = covered >= MARKS.0 && decided >= MARKS.1;
    if !is_reached {
        println!("falls short: {:.0} % and {:.0} % are asked for", 100.0 * MARKS.0, 100.0 * MARKS.1);
    }
    Ok(is_reached)
}

fn measure(root: &Path, folder: &Path, function: &Function, time: &str) -> Result<Row> {
    let sources = [function.source.to_owned()];
    let flags = Libm::Newlib.flags(folder, function.symbol, &sources)?;
    let program = crate::labrys(root).canonicalize().context("labrys is not built: cargo build --release")?;
    let mut command = Command::new(program);
    command.current_dir(folder).arg("cover").arg(Libm::Newlib.source(function.source));
    command.args([
        "-f",
        &Libm::Newlib.renamed(function.symbol),
        "--scope",
        "function",
        "--time",
        time,
        "--format",
        "json",
    ]);
    for link in function.links.iter().chain(&ERRORS) {
        command.arg("--link").arg(Libm::Newlib.source(link));
    }
    // Sun's own code: newlib has other functions in its place where this is not said.
    command.arg("--").arg("-D__OBSOLETE_MATH=1").args(flags);
    let finished = process::finish(command, Duration::from_secs(1200))?;
    let words = || process::last_line(&String::from_utf8_lossy(&finished.errors));
    if !finished.in_time || !matches!(finished.status.code(), Some(0 | 3)) {
        bail!("{}: {}: {}", function.name, finished.status, words());
    }
    let report: Value = serde_json::from_slice(&finished.output).with_context(|| function.name.to_owned())?;
    let coverage = &report["coverage"];
    let totals = coverage["totals"].as_array().context("totals")?;
    let branches = totals.iter().find(|of| of["criterion"] == "branches").context("branches")?;
    let number = |name: &str| branches[name].as_u64().with_context(|| name.to_owned());
    Ok(Row {
        name: function.name,
        total: number("total")?,
        covered: number("covered")?,
        infeasible: number("infeasible")?,
        tests: coverage["tests"].as_array().map_or(0, Vec::len),
        seconds: finished.seconds,
    })
}
