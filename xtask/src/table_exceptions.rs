//! `cargo xtask table exceptions`: `labrys exceptions` on the scalar special functions of the GNU Scientific Library, in the columns of
//! Barr, Vo, Le, Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013, section 5, and in ours.
//!
//! The functions (`xtask/corpus/gsl-functions.txt`) are all of `specfunc`, static ones included, whose parameters are scalars and
//! pointers to single results, without the wrappers `gsl_sf_X` of an error-returning `gsl_sf_X_e`: 471. The paper had
//! 467 of GSL 1.14.

mod figures;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::corpus;
use figures::Figures;

/// The functions, one a line.
pub const FUNCTIONS: &str = include_str!("../corpus/gsl-functions.txt");

/// Where the run's reports and its store go, in the folder of the workspace.
const OUTPUT: &str = "target/table/exceptions";

/// What the whole table has to reach: functions analysed, share of pairs decided, seconds.
const MARKS: (usize, f64, f64) = (400, 0.70, 3600.0);

/// Options of the table.
#[derive(Debug, Args)]
pub struct Request {
    /// Only so many functions, evenly spread over the list.
    #[arg(long, value_name = "N")]
    part: Option<usize>,
    /// Functions analysed at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The bound on the whole run, which the functions share out.
    #[arg(long, value_name = "TIME", default_value = "55m")]
    time: String,
    /// A bound on each function, instead of a share of the whole.
    #[arg(long, value_name = "TIME")]
    time_per_function: Option<String>,
    /// How often loops with a symbolic bound are unrolled.
    #[arg(long, value_name = "N")]
    loop_bound: Option<u32>,
    /// Whom to ask again about proofs, instead of everybody.
    #[arg(long, value_name = "WHOM")]
    second_opinion: Option<String>,
    /// Go on from an earlier run that was cut short, whose time then does not count.
    #[arg(long)]
    resume: bool,
}

/// Runs labrys and prints the table; whether it reaches its marks.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    corpus::gsl(root)?;
    let functions = part(&FUNCTIONS.lines().collect::<Vec<_>>(), request.part);
    let output = output_folder(root, request)?;
    let binary = crate::labrys(root);
    let mut command = Command::new(&binary);
    command.current_dir(root).arg("exceptions").arg("-p").arg(corpus::gsl_folder(root));
    for function in &functions {
        command.arg("--entry").arg(function);
    }
    command.args(["--init", "gsl_set_error_handler_off", "--format", "json", "-o"]).arg(&output);
    command.args(["--time", &request.time, "--jobs", &request.jobs.to_string()]);
    if let Some(time) = &request.time_per_function {
        command.args(["--function-time", time]);
    }
    // Calls take microseconds, but for sums of as many terms as a large integer says.
    command.args(["--call-timeout", "50ms"]);
    if let Some(whom) = &request.second_opinion {
        command.args(["--second-opinion", whom]);
    }
    if let Some(bound) = request.loop_bound {
        command.args(["--loop-bound", &bound.to_string()]);
    }
    // The report is read from its file: progress goes to the terminal.
    let status = command
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}: build it with cargo build --release", binary.display()))?;
    // 3: a limit cut some function short, 4: a proof was contradicted; the table counts both.
    if !matches!(status.code(), Some(0 | 1 | 3 | 4)) {
        bail!("labrys exceptions: {status}");
    }
    let report = output.join("report.json");
    let text = fs::read(&report).with_context(|| format!("cannot read {}", report.display()))?;
    let figures = Figures::of(&serde_json::from_slice(&text).context("the report is no JSON")?);
    figures.print(functions.len(), request.loop_bound);
    let shortfalls = shortfalls(&figures, functions.len(), request);
    for shortfall in &shortfalls {
        println!("falls short: {shortfall}");
    }
    Ok(shortfalls.is_empty())
}

/// The folder of the reports, emptied of what an earlier run knows.
fn output_folder(root: &Path, request: &Request) -> Result<PathBuf> {
    let name = request.part.map_or("all".to_owned(), |part| format!("part-{part}"));
    let output = root.join(OUTPUT).join(name);
    if output.exists() && !request.resume {
        fs::remove_dir_all(&output)?;
    }
    fs::create_dir_all(&output)?;
    Ok(output)
}

/// So many of the functions, evenly spread: the first of each of as many runs of the list.
fn part<'f>(functions: &[&'f str], count: Option<usize>) -> Vec<&'f str> {
    let count = count.unwrap_or(functions.len()).min(functions.len());
    (0..count).map(|index| functions[index * functions.len() / count]).collect()
}

/// What the figures lack.
fn shortfalls(figures: &Figures, asked: usize, request: &Request) -> Vec<String> {
    let mut found = Vec::new();
    for (function, why) in &figures.failures {
        found.push(format!("{function} was not analysed: {why}"));
    }
    if figures.contradicted() > 0 {
        found.push(format!("{} proofs contradicted by a second opinion", figures.contradicted()));
    }
    if figures.functions != asked {
        found.push(format!("{} functions in the report, {asked} were asked for", figures.functions));
    }
    if request.part.is_some() {
        return found;
    }
    let (functions, decided, seconds) = MARKS;
    if figures.analysed() < functions {
        found.push(format!("{} functions analysed, {functions} wanted", figures.analysed()));
    }
    if figures.decided_share() < decided {
        found.push(format!(
            "{:.1} % of the pairs decided, {:.0} % wanted",
            100.0 * figures.decided_share(),
            100.0 * decided
        ));
    }
    if figures.wall_seconds > seconds && !request.resume {
        found.push(format!("{:.0} s, {seconds:.0} s allowed", figures.wall_seconds));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_spread_over_the_list() {
        let list = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(part(&list, Some(3)), ["a", "c", "e"]);
        assert_eq!(part(&list, None), list);
        assert_eq!(part(&list, Some(100)), list);
        assert!(part(&list, Some(0)).is_empty());
    }

    #[test]
    fn the_list_has_no_function_twice() {
        let mut functions: Vec<&str> = FUNCTIONS.lines().collect();
        let count = functions.len();
        functions.sort_unstable();
        functions.dedup();
        assert_eq!(functions.len(), count);
        assert!(count >= MARKS.0);
    }
}
