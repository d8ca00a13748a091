//! `cargo xtask table blame --gsl`: how long blame takes for the findings of `labrys diff` in GSL's folders poly and sys.
//!
//! The library run tells findings without blame; then each is blamed by itself, so that its time can be told.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::corpus;
use crate::process::finish;

/// Where the database, the library and the findings go, in the folder of the workspace.
const OUTPUT: &str = "target/table/blame-gsl";
/// Folders whose sources go into the library; the last for what the others call.
const FOLDERS: [&str; 3] = ["poly", "sys", "err"];
/// The functions of the first two folders.
const ENTRIES: [&str; 14] = [
    "gsl_poly_*",
    "gsl_complex_poly_*",
    "gsl_coerce_*",
    "gsl_expm1",
    "gsl_fcmp",
    "gsl_fdiv",
    "gsl_hypot*",
    "gsl_acosh",
    "gsl_asinh",
    "gsl_atanh",
    "gsl_ldexp",
    "gsl_frexp",
    "gsl_log1p",
    "gsl_pow_*",
];
/// What the median has to reach, in seconds.
const MARK: f64 = 20.0;
/// No command takes longer.
const LIMIT: Duration = Duration::from_secs(3600);

/// Prints the table; false where the median misses the mark or a finding has no blame.
pub fn run(root: &Path) -> Result<bool> {
    corpus::gsl(root)?;
    let output = root.join(OUTPUT);
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    fs::create_dir_all(&output)?;
    database(root, &output)?;
    let mut command = Command::new(crate::labrys(root));
    command.current_dir(root).args(["diff", "-p", OUTPUT, "--no-blame", "--max-work", "20000", "--format", "json"]);
    command.args(["--inputs", "finite", "-o"]).arg(output.join("out"));
    for entry in ENTRIES {
        command.args(["--entry", entry]);
    }
    let ended = finish(command, LIMIT)?;
    let errors = String::from_utf8_lossy(&ended.errors);
    let report: Value = serde_json::from_slice(&ended.output).with_context(|| format!("labrys diff: {errors}"))?;
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    if findings.is_empty() {
        bail!("labrys diff found nothing in GSL: {errors}");
    }
    println!("| finding | blame | seconds |\n|---|---|---|");
    let (mut seconds, mut by_words, mut without): (Vec<f64>, BTreeMap<String, usize>, usize) = Default::default();
    for finding in &findings {
        let id = finding["id"].as_str().context("a finding without an id")?;
        let mut command = Command::new(crate::labrys(root));
        command.current_dir(root).args(["blame", "--trust"]).arg(output.join("out").join(format!("{id}.json")));
        let ended = finish(command, LIMIT)?;
        let words = String::from_utf8_lossy(&ended.output).replace('\n', " ").replace('|', "\\|");
        if ended.status.code() != Some(0) {
            without += 1;
        }
        let made_by = words.split(" of ").next().unwrap_or_default().trim_start_matches("because: ").to_owned();
        *by_words.entry(made_by).or_default() += 1;
        seconds.push(ended.seconds);
        println!("| {id} | {} | {:.1} |", words.trim(), ended.seconds);
    }
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    let longest = seconds.last().copied().unwrap_or_default();
    println!("\n| made by | findings |\n|---|---|");
    by_words.iter().for_each(|(words, count)| println!("| {words} | {count} |"));
    println!(
        "\n{} findings, {without} without blame; {median:.1} s on the median, {longest:.1} s at most",
        findings.len()
    );
    Ok(median <= MARK && without == 0)
}

/// Writes the compilation database.
fn database(root: &Path, output: &Path) -> Result<()> {
    let gsl = root.join("target/corpus/gsl").canonicalize()?;
    let mut entries = Vec::new();
    for folder in FOLDERS {
        let mut names: Vec<String> = fs::read_dir(gsl.join(folder))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".c") && !name.starts_with("test"))
            .collect();
        names.sort();
        for name in names {
            let file = format!("{folder}/{name}");
            let arguments = ["cc", "-DHAVE_CONFIG_H", "-I.", "-c", &file];
            entries.push(json!({"directory": gsl, "file": file, "arguments": arguments}));
        }
    }
    Ok(fs::write(output.join("compile_commands.json"), Value::from(entries).to_string())?)
}
