//! `cargo xtask table accuracy` and `cargo xtask table bounds`: `labrys accuracy` beside the literature's figures.
//!
//! The programs of the former are Meschach's and GSL's own sources with small drivers (`cargo xtask corpus literature`); those of the latter are
//! in `examples/bounds`. Errors are relative, floored at FLT_MIN as the literature's are, inputs binary32 within ±100, the worst of several outputs; a
//! row passes where each seed reaches the best of the three references (of the norms 0.99 of their suprema). GSL's accumulators are double, as the
//! literature made them; those of long double, as they are, stand beside. Bounds are absolute; each certificate is verified.

mod gsl;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::{certificate, corpus, labrys};

/// What to measure of errors.
#[derive(Args, Debug)]
pub struct Errors {
    /// Time for each program in seconds, of which half is for the search for large errors.
    #[arg(long, default_value_t = 2.0)]
    time: f64,
    /// GSL's special functions of one number instead, with one seed.
    #[arg(long)]
    gsl: bool,
    /// How many seeds, from 0.
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// Only programs whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

/// What to measure of bounds.
#[derive(Args, Debug)]
pub struct Bounds {
    /// Time for each run in seconds.
    #[arg(long, default_value_t = 10.0)]
    time: f64,
}

/// A program of the literature: its name, how it is called, the errors of FPGen, S3FP and a random search.
type Program = (&'static str, Shape, [f64; 3]);

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// One array of this many.
    Array(u32),
    /// Vectors of four.
    Vectors,
    /// Weights and data of four.
    Weighted,
    /// The same with a mean.
    WithMean,
    /// The same with a mean and a standard deviation.
    WithDeviation,
}

/// Guo, Rubio-González, ICSE 2020: their artifact's results after two hours each.
const PROGRAMS: [Program; 27] = [
    ("recursive_sum", Shape::Array(32), [1.0, 0.0, 0.0]),
    ("pairwise_sum", Shape::Array(32), [1.3e-16, 0.0, 0.0]),
    ("compensated_sum", Shape::Array(32), [1.0, 0.0, 0.0]),
    ("sum", Shape::Array(32), [1.0, 0.0, 0.0]),
    ("norm1", Shape::Vectors, [0.0, 0.0, 0.0]),
    ("norm2", Shape::Vectors, [2.2e-16, 3.1e-16, 3.1e-16]),
    ("dot", Shape::Vectors, [1.9e-4, 5.6e-10, 1.7e-12]),
    ("conv", Shape::Vectors, [2.0e-4, 2.0e-10, 9.3e-13]),
    ("mv", Shape::Vectors, [8.9e-4, 0.0, 0.0]),
    ("mm", Shape::Vectors, [2.6e-14, 1.1e-16, 1.1e-16]),
    ("lu", Shape::Vectors, [2.73, 0.0, 0.0]),
    ("qr", Shape::Vectors, [2.6e-14, 0.0, 0.0]),
    ("wmean", Shape::Weighted, [1.0, 1.7e-7, 9.4e-12]),
    ("wvariance", Shape::Weighted, [7.6e-2, 2.6e-5, 1.5e-11]),
    ("wvariance_m", Shape::WithMean, [7.6e-2, 2.6e-5, 1.5e-11]),
    ("wsd", Shape::Weighted, [3.7e-2, 1.3e-5, 7.5e-12]),
    ("wsd_m", Shape::WithMean, [3.7e-2, 1.3e-5, 7.5e-12]),
    ("wvariance_w", Shape::WithMean, [2.3e-12, 2.1e-5, 8.0e-12]),
    ("wsd_w", Shape::WithMean, [1.1e-12, 1.0e-5, 4.0e-12]),
    ("wtss", Shape::Weighted, [4.5e-16, 4.8e-16, 5.5e-16]),
    ("wtss_m", Shape::WithMean, [4.5e-16, 4.8e-16, 5.5e-16]),
    ("wabsdev", Shape::Weighted, [1.0, 2.2e-5, 2.7e-11]),
    ("wabsdev_m", Shape::WithMean, [1.0, 2.2e-5, 2.7e-11]),
    ("wskew", Shape::Weighted, [25.7, 3.2e-2, 2.5e-11]),
    ("wskew_m", Shape::WithDeviation, [25.7, 3.2e-2, 2.5e-11]),
    ("wkurtosis", Shape::Weighted, [1.8e-12, 4.3e-8, 4.5e-11]),
    ("wkurtosis_m", Shape::WithDeviation, [1.8e-12, 4.3e-8, 4.5e-11]),
];

/// The suprema of the norms' errors, 3u and 2.5u of doubles: no search finds more.
const SUPREMA: [(&str, f64); 2] = [("norm1", 3.3307e-16), ("norm2", 2.7756e-16)];

/// A program to bound: its file, its inputs' ranges, FPTaylor 0.9.4's bound and the largest error that the literature saw.
type Bounded = (&'static str, &'static str, f64, f64);

pub const BOUNDED: [Bounded; 24] = [
    ("doppler1", "u=-100..100 v=20..20000 T=-30..50", 1.22e-13, 9.6e-14),
    ("doppler2", "u=-125..125 v=15..25000 T=-40..60", 2.23e-13, 1.8e-13),
    ("doppler3", "u=-30..120 v=320..20300 T=-50..30", 6.63e-14, 5.5e-14),
    ("rigid_body1", "x1=-15..15 x2=-15..15 x3=-15..15", 2.95e-13, 2.1e-13),
    ("rigid_body2", "x1=-15..15 x2=-15..15 x3=-15..15", 3.61e-11, 2.1e-11),
    ("verhulst", "x=0.1..0.3", 2.47e-16, 1.8e-16),
    ("predator_prey", "x=0.1..0.3", 1.59e-16, 9.7e-17),
    ("carbon_gas", "v=0.1..0.5", 4.96e-9, 3.3e-9),
    ("turbine1", "v=-4.5..-0.3 w=0.4..0.9 r=3.8..7.8", 1.67e-14, 1.0e-14),
    ("turbine2", "v=-4.5..-0.3 w=0.4..0.9 r=3.8..7.8", 2.00e-14, 9.6e-15),
    ("turbine3", "v=-4.5..-0.3 w=0.4..0.9 r=3.8..7.8", 9.57e-15, 5.0e-15),
    ("logexp", "x=-8..8", 1.99e-15, 9.6e-16),
    ("sine", "x=-1.57079632679..1.57079632679", 4.43e-16, 2.9e-16),
    ("sine_order3", "x=-2..2", 5.94e-16, 3.5e-16),
    ("sqroot", "x=0..1", 5.02e-16, 4.4e-16),
    ("ratio", "t=0..999", 2.22e-16, 1.7e-16),
    ("jet_engine", "x1=-5..5 x2=-20..5", 1.03e-11, 6.3e-12),
    ("himmelblau", "x1=-5..5 x2=-5..5", 1.00e-12, 4.4e-13),
    ("kepler0", "x1=4..6.36 x2=4..6.36 x3=4..6.36 x4=4..6.36 x5=4..6.36 x6=4..6.36", 7.47e-14, 4.7e-14),
    ("kepler1", "x1=4..6.36 x2=4..6.36 x3=4..6.36 x4=4..6.36", 2.86e-13, 1.4e-13),
    ("kepler2", "x1=4..6.36 x2=4..6.36 x3=4..6.36 x4=4..6.36 x5=4..6.36 x6=4..6.36", 1.58e-12, 8.9e-13),
    ("sphere", "r=0..10 x=-10..10 lat=-1.570796..1.570796 lon=-3.14159265..3.14159265", 8.21e-15, 4.6e-15),
    ("azimuth", "lat1=0..0.4 lat2=0.5..1 lon1=0..3.14159265 lon2=-3.14159265..-0.5", 8.78e-15, 4.1e-15),
    ("hartman3", "x1=0..1 x2=0..1 x3=0..1", 1.13e-14, 1.3e-15),
];

/// What runs of one program found, by seed.
#[derive(Default)]
struct Found {
    /// The largest errors floored at FLT_MIN.
    floored: Vec<f64>,
    /// The largest ones as they are; infinite where a result is not zero and should be.
    exact: Vec<f64>,
}

/// Prints the table of errors; false where a program misses its mark with some seed.
pub fn errors(root: &Path, request: &Errors) -> Result<bool> {
    if request.gsl {
        return gsl::run(root, request.time);
    }
    corpus::literature(root)?;
    let output = root.join("target/table/accuracy");
    // What an earlier run found is kept there.
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    println!(
        "| program | largest floored error, by seed | largest exact error | long double, seed 0 | FPGen, 2 h | S3FP | random | passed |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut all = true;
    for (name, shape, references) in PROGRAMS.iter().filter(|(name, ..)| name.contains(&request.only)) {
        let supremum = SUPREMA.iter().find(|(of, _)| of == name).map(|(_, supremum)| 0.99 * supremum);
        let mark = supremum.unwrap_or_else(|| references.iter().copied().fold(0.0, f64::max));
        let found = found(root, &output, name, *shape, request.time, 0..request.seeds)?;
        let is_of_gsl = matches!(shape, Shape::Weighted | Shape::WithMean | Shape::WithDeviation);
        let stock = match is_of_gsl {
            true => shown(&self::found(root, &output, &format!("{name}_stock"), *shape, request.time, 0..1)?.floored),
            false => String::new(),
        };
        let passed = found.floored.iter().filter(|error| **error >= mark).count();
        all &= passed == found.floored.len();
        let largest = found.exact.iter().copied().fold(0.0, f64::max);
        let [fpgen, s3fp, random] = references.map(|error| format!("{error:.1e}"));
        println!(
            "| {name} | {} | {largest:.2e} | {stock} | {fpgen} | {s3fp} | {random} | {passed} of {} |",
            shown(&found.floored),
            request.seeds
        );
    }
    Ok(all)
}

fn shown(errors: &[f64]) -> String {
    errors.iter().map(|error| format!("{error:.2e}")).collect::<Vec<_>>().join(", ")
}

/// The largest errors of a program that runs with each seed find.
fn found(
    root: &Path,
    output: &Path,
    name: &str,
    shape: Shape,
    time: f64,
    seeds: std::ops::Range<u64>,
) -> Result<Found> {
    let mut found = Found::default();
    for seed in seeds {
        let mut words: Vec<String> = ["--grid", "binary32", "--metric", "relative", "--floor", "1.17549435e-38"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        let mut say = |option: &str, text: String| words.extend([option.to_owned(), text]);
        inputs(name, shape, &mut say);
        say("--function-time", format!("{time}s"));
        say("--seed", seed.to_string());
        say("-o", output.display().to_string());
        let database = corpus::literature_folder(root).display().to_string();
        let report = report_on(root, &["-p", &database, "--entry", name], &words)?;
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let errors = || {
            let of = |finding: &'static str| move |details: &Value| details[finding].clone();
            let details = findings.iter().map(|finding| &finding["accuracy"]);
            details.flat_map(move |details| [of("error")(details), details["worst"]["error"].clone()])
        };
        let infinite = |error: &Value| if error["absolute"].is_f64() { f64::INFINITY } else { 0.0 };
        found.floored.push(errors().filter_map(|error| error["floored"].as_f64()).fold(0.0, f64::max));
        found
            .exact
            .push(errors().map(|error| error["relative"].as_f64().unwrap_or(infinite(&error))).fold(0.0, f64::max));
    }
    Ok(found)
}

/// What is said of a program's inputs.
fn inputs(name: &str, shape: Shape, say: &mut dyn FnMut(&str, String)) {
    match shape {
        Shape::Array(count) => {
            say("--length", "x=n".to_owned());
            say("--range", format!("n={count}..{count}"));
            say("--range", "x=-100..100".to_owned());
        }
        Shape::Vectors => {
            let (inputs, outputs): (&[&str], &[&str]) = match name {
                "norm1" | "norm2" => (&["x=4"], &[]),
                "dot" => (&["x=4", "y=4"], &[]),
                "conv" => (&["x=4", "y=4"], &["out=7"]),
                "mv" => (&["a=16", "x=4"], &["out=4"]),
                "mm" => (&["a=16", "b=16"], &["out=16"]),
                _ => (&["a=16"], &[]),
            };
            inputs.iter().chain(outputs).for_each(|length| say("--length", (*length).to_owned()));
            let names = inputs.iter().filter_map(|length| length.split('=').next());
            names.for_each(|name| say("--range", format!("{name}=-100..100")));
        }
        Shape::Weighted | Shape::WithMean | Shape::WithDeviation => {
            ["w=n", "x=n"].into_iter().for_each(|length| say("--length", length.to_owned()));
            let ranges = ["n=4..4", "w=-100..100", "x=-100..100", "mean=-100..100", "sd=-100..100"];
            let count = match shape {
                Shape::WithMean => 4,
                Shape::WithDeviation => 5,
                _ => 3,
            };
            ranges.into_iter().take(count).for_each(|range| say("--range", range.to_owned()));
        }
    }
}

/// Prints the table of bounds; false where one is above 1.5 times FPTaylor's, or a certificate is refused.
///
/// Each program is run twice: with a search, and with libm taken for correctly rounded and hardly any search, which is what takes the seconds that are printed.
pub fn bounds(root: &Path, request: &Bounds) -> Result<bool> {
    println!(
        "| program | proved | libm correctly rounded | largest seen | proved / seen | FPTaylor | seen there | relative, proved | s to prove | certificates |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let (mut all, mut below, mut reached, mut longest) = (true, 0, 0, 0.0_f64);
    let (mut files, mut verified) = (0, 0);
    for (name, ranges, theirs, seen_there) in BOUNDED {
        let folder = tempfile::tempdir()?;
        let ranges = || ranges.split(' ').flat_map(|range| ["--range".to_owned(), range.to_owned()]);
        let of = |more: &[&str]| -> Result<Value> {
            let words: Vec<String> = ranges().chain(more.iter().map(|word| (*word).to_owned())).collect();
            Ok(run(root, &format!("examples/bounds/{name}.c"), name, &words)?["bounds"][0].clone())
        };
        let (time, out) = (format!("{}s", request.time), folder.path().display().to_string());
        let measured = ["--metric", "absolute", "--max-work", "10000000"];
        let bound = of(&[&["--bound", "--libm-ulps", "1", "--time", &time, "-o", &out][..], &measured].concat())?;
        let begun = Instant::now();
        let rounded = of(&["--bound", "--libm-ulps", "0", "--time", &time, "--max-work", "1"])?;
        let seconds = begun.elapsed().as_secs_f64();
        let number = |key: &str| bound[key].as_f64();
        let (proved, seen) = (number("absolute"), number("seen"));
        let names: Vec<&str> =
            bound["certificates"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut good = 0;
        for file in &names {
            good += usize::from(certificate::is_proof(&folder.path().join(file))?);
        }
        (files, verified, longest) = (files + names.len(), verified + good, longest.max(seconds));
        all &= proved.is_some_and(|proved| proved <= 1.5 * theirs) && good == names.len() && good > 0;
        below += usize::from(proved.is_some_and(|proved| proved <= theirs));
        reached += usize::from(seen.is_some_and(|seen| seen >= 0.9 * seen_there));
        let shown = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.3e}"));
        let ratio = proved.zip(seen).map(|(proved, seen)| format!("{:.2}", proved / seen)).unwrap_or_default();
        println!(
            "| {name} | {} | {} | {} | {ratio} | {theirs:.2e} | {seen_there:.1e} | {} | {seconds:.1} | {good} of {} |",
            shown(proved),
            shown(rounded["absolute"].as_f64()),
            shown(seen),
            shown(number("relative")),
            names.len()
        );
        if let Some(why) = bound["why"].as_str() {
            println!("{name}: {why}");
        }
    }
    let count = BOUNDED.len();
    println!(
        "\n{below} of {count} bounds are at most FPTaylor's; {reached} of {count} largest errors are at least nine tenths of those seen there; {verified} of {files} certificates are verified; {longest:.1} s is the longest proof, compiling included (FPTaylor: 2 to 20 s each)"
    );
    Ok(all && below >= 20)
}

/// The report of a run on one function of a file.
pub fn run(root: &Path, file: &str, function: &str, words: &[String]) -> Result<Value> {
    report_on(root, &[file, "-f", function], words)
}

/// The report of a run on what `target` says.
fn report_on(root: &Path, target: &[&str], words: &[String]) -> Result<Value> {
    let output = Command::new(labrys(root))
        .current_dir(root)
        .arg("accuracy")
        .args(target)
        .args(["--format", "json"])
        .args(words)
        .output()
        .context("labrys does not start: cargo build --release")?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        bail!("{target:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("{target:?}: no report"))
}
