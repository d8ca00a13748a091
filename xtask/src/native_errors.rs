//! `cargo xtask agree --bounds`: wrong bounds of errors are looked for.
//!
//! Bounds of `labrys accuracy --bound` for the literature's programs (`examples/bounds`) and for random C functions are compared with the errors of native runs
//! on many inputs, half of the random ones of functions that test a rounded number before they take a root of it: a harness in C (`xtask/native_errors/harness.c`) chooses inputs by errors that are measured with long double, and confirms by
//! __float128. Every input of tiny formats is compared with exact rationals by a test of the crate `bounds`.

mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::table_accuracy::BOUNDED;
use crate::{certificate, labrys};
use program::{Input, Program};

/// How much.
pub struct Request {
    /// Inputs in all.
    pub inputs: u64,
    /// Random functions.
    pub programs: u64,
    /// The number of the first of them.
    pub seed: u64,
    /// Whether the literature's programs are left out.
    pub only_random: bool,
}

/// What labrys proves.
struct Bounds {
    absolute: f64,
    relative: Option<f64>,
    /// How many certificates there are, and how many of them are verified.
    certificates: (usize, usize),
}

/// What came of all.
#[derive(Default)]
struct Tally {
    proved: u64,
    with_relative: u64,
    inputs: u64,
    wrong: u64,
    certificates: (usize, usize),
    /// Largest errors beside bounds, as a part of them.
    reached: Vec<f64>,
}

/// Compares; false where a bound is wrong or a certificate refused.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    // Four fifths of the inputs are the literature's programs'.
    let each = request.inputs * 4 / 5 / BOUNDED.len() as u64;
    let literature: &[_] = if request.only_random { &[] } else { &BOUNDED };
    if !request.only_random {
        println!("| program | proved | largest of {each} inputs | part |\n|---|---|---|---|");
    }
    let mut known = Tally::default();
    for (name, ranges, ..) in literature {
        let text = fs::read_to_string(root.join(format!("examples/bounds/{name}.c")))?;
        let inputs = ranges.split(' ').map(input).collect::<Result<Vec<Input>>>()?;
        let program = Program { text, inputs };
        // Their certificates are verified by `cargo xtask table bounds`.
        let reached = compare(root, folder.path(), (name, false), &program, each, &mut known)?;
        if let Some((bound, largest)) = reached {
            println!("| {name} | {bound:.3e} | {largest:.3e} | {:.2} |", largest / bound);
        }
    }
    let (mut random, mut guarded) = (Tally::default(), Tally::default());
    let others = if request.only_random { request.inputs } else { request.inputs / 5 };
    let each = others / 2 / request.programs.max(1);
    for seed in request.seed..request.seed + request.programs {
        for (program, tally) in [(Program::random(seed), &mut random), (Program::guarded(seed), &mut guarded)] {
            compare(root, folder.path(), ("f", true), &program, each, tally)
                .with_context(|| format!("random function {seed}:\n{}", program.text))?;
        }
    }
    println!();
    known.print("the literature's", literature.len() as u64);
    random.print("random", request.programs);
    guarded.print("random guarded", request.programs);
    Ok([known, random, guarded].iter().all(|tally| tally.wrong == 0 && tally.certificates.0 == tally.certificates.1))
}

impl Tally {
    fn print(&mut self, of: &str, count: u64) {
        self.reached.sort_by(f64::total_cmp);
        let median = self.reached.get(self.reached.len() / 2).copied().unwrap_or_default();
        let Tally { proved, with_relative, inputs, wrong, certificates, .. } = self;
        println!(
            "{proved} of {count} {of} functions have bounds, {with_relative} of them relative ones; {inputs} inputs, {wrong} wrong bounds, at the median {median:.2} of the bound \
             reached; {} of {} certificates verified",
            certificates.1, certificates.0
        );
    }
}

fn input(range: &str) -> Result<Input> {
    let (name, range) = range.split_once('=').context("no range")?;
    let (low, high) = range.split_once("..").context("no range")?;
    Ok(Input { name: name.to_owned(), ty: "double", low: low.parse()?, high: high.parse()? })
}

/// Compares one function's bound with its errors; the bound and the largest error where there is one.
fn compare(
    root: &Path,
    folder: &Path,
    (name, verifies): (&str, bool),
    program: &Program,
    inputs: u64,
    tally: &mut Tally,
) -> Result<Option<(f64, f64)>> {
    let source = folder.join("program.c");
    fs::write(&source, format!("#include <math.h>\n{}", program.text))?;
    let Some(bounds) = bounds(root, folder, &source, (name, verifies), program)? else { return Ok(None) };
    tally.proved += 1;
    tally.with_relative += u64::from(bounds.relative.is_some());
    tally.certificates.0 += bounds.certificates.0;
    tally.certificates.1 += bounds.certificates.1;
    let harness = compile(root, folder, name, program)?;
    let mut command = Command::new(harness);
    command.args([inputs.to_string(), "1".to_owned()]);
    command.args([format!("{:e}", bounds.absolute), format!("{:e}", bounds.relative.unwrap_or(-1.0))]);
    command.args(program.inputs.iter().flat_map(|input| [format!("{:e}", input.low), format!("{:e}", input.high)]));
    let output = command.output().context("the harness does not start")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.split_whitespace().collect();
    let [count, violations, largest, relative, point @ ..] = &words[..] else { bail!("the harness said {text}") };
    let (largest, relative): (f64, f64) = (largest.parse()?, relative.parse()?);
    tally.inputs += count.parse::<u64>()?;
    if bounds.absolute > 0.0 {
        tally.reached.push(largest / bounds.absolute);
    }
    if *violations != "0" || bounds.certificates.0 != bounds.certificates.1 {
        tally.wrong += u64::from(*violations != "0");
        println!(
            "{name}: {violations} inputs exceed {:e} (largest {largest:e}) or {:?} relative (largest {relative:e}), first at {}; {} of {} certificates verified\n{}",
            bounds.absolute,
            bounds.relative,
            point.join(" "),
            bounds.certificates.1,
            bounds.certificates.0,
            program.text
        );
    }
    Ok(Some((bounds.absolute, largest)))
}

/// What labrys proves of a function; none where nothing is proved.
fn bounds(
    root: &Path,
    folder: &Path,
    source: &Path,
    (name, verifies): (&str, bool),
    program: &Program,
) -> Result<Option<Bounds>> {
    let out = folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut command = Command::new(labrys(root));
    command.arg("accuracy").arg(source).args(["-f", name, "--bound", "--libm-ulps", "2", "--format", "json"]);
    command.args(["--max-work", "60", "--time", "12s"]);
    if verifies {
        command.arg("-o").arg(&out);
    }
    for input in &program.inputs {
        let (low, high) = if input.ty == "int" {
            (format!("{}", input.low), format!("{}", input.high))
        } else {
            (format!("{:e}", input.low), format!("{:e}", input.high))
        };
        command.args(["--range".to_owned(), format!("{}={low}..{high}", input.name)]);
    }
    let output = command.output().context("labrys does not start: cargo build --release")?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let bound = &report["bounds"][0];
    let Some(absolute) = bound["absolute"].as_f64() else { return Ok(None) };
    let mut certificates = (0, 0);
    for file in bound["certificates"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        certificates.0 += 1;
        certificates.1 += usize::from(certificate::is_proof(&out.join(file))?);
    }
    Ok(Some(Bounds { absolute, relative: bound["relative"].as_f64(), certificates }))
}

/// The harness of a function.
fn compile(root: &Path, folder: &Path, name: &str, program: &Program) -> Result<std::path::PathBuf> {
    let text: Vec<&str> = program.text.lines().filter(|line| !line.starts_with("#include")).collect();
    fs::write(folder.join("program.h"), text.join("\n"))?;
    let harness = folder.join("harness");
    let arguments: Vec<String> =
        program.inputs.iter().enumerate().map(|(place, input)| format!("({})x[{place}]", input.ty)).collect();
    let types: String = program.inputs.iter().map(|input| &input.ty[..1]).collect();
    let output = Command::new("gcc")
        .args(["-O2", "-ffp-contract=off", "-fno-builtin", "-w"])
        .arg(format!("-I{}", folder.display()))
        .args([
            format!("-D{name}=PROGRAM"),
            format!("-DINPUTS={}", program.inputs.len()),
            format!("-DTYPES=\"{types}\""),
        ])
        .arg(format!("-DCALL(g)=g({})", arguments.join(", ")))
        .arg(root.join("xtask/native_errors/harness.c"))
        .arg("-o")
        .arg(&harness)
        .args(["-lquadmath", "-lm"])
        .output()
        .context("gcc does not start")?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(harness)
}
