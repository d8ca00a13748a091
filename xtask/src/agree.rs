//! `cargo xtask agree`: the agreement tests with many formulas, and other solvers on the same formulas.
//!
//! The tests judge labrys' engines by enumeration on tiny formats, and by each other on the common ones; each formula with a verdict
//! becomes a file with its status, and so do planted ones. Then z3 answers all of them, and Bitwuzla those of the formats that its wheel takes: binary16, 32,
//! 64 and 128. An answer that is another than the status is a disagreement; giving up is none.
//!
//! With `--planted`, instead: each engine alone, each step of preparation, propagation and rewriting on so many formulas with planted
//! models, of every width and format. Every `unsat` about those is wrong, so that nobody else is asked; what goes wrong is shrunk.
//!
//! With `--executor`, instead: the symbolic executor against native code, on so many generated programs.
//!
//! With `--program`, instead: whole programs executed symbolically against native code, on so many generated programs; and every path's input
//! against the path that it takes natively.
//!
//! With `--bounds`, instead: proved bounds of errors against native runs on many inputs, and against every input of tiny formats.
//!
//! With `--exhaustive`, instead: the proofs of `labrys exceptions` against all calls of functions of one float.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::corpus::{regression_files, scan};
use crate::exhaustive;
use crate::native_errors;
use crate::table_solver::{install_peers, python};

/// Formulas of each test, programs of the executor's.
const FORMULAS: u64 = 20_000;

/// Whole programs.
const PROGRAMS: u64 = 2_000;

/// How much.
#[derive(Args, Debug)]
pub struct Request {
    /// Formulas of each test; 20,000 if nothing is said.
    #[arg(long)]
    count: Option<u64>,
    /// The seed of the first formula; each one's is the one after.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds that another solver may take for a formula.
    #[arg(long, default_value_t = 2)]
    time: u32,
    /// Ask each engine alone about `count` formulas with planted models, and nothing else.
    #[arg(long, conflicts_with = "executor")]
    planted: bool,
    /// Compare the symbolic executor with native code on `count` programs, and nothing else.
    #[arg(long)]
    executor: bool,
    /// Compare whole programs, executed on known and on unknown inputs, with native code on `count` programs (2,000 if nothing is said), and
    /// nothing else.
    #[arg(long, conflicts_with_all = ["executor", "planted", "bounds", "exhaustive"])]
    program: bool,
    /// Compare proofs of `labrys exceptions` with all 2^32 calls of functions of one float, and nothing else: hours, but what was called once
    /// is kept in target/exhaustive.
    #[arg(long)]
    exhaustive: bool,
    /// With --exhaustive: only functions whose names contain this.
    #[arg(long, value_name = "PART", requires = "exhaustive")]
    only: Option<String>,
    /// With --exhaustive: only so many functions, the first of the list.
    #[arg(long, value_name = "N", requires = "exhaustive")]
    first: Option<usize>,
    /// With --exhaustive: functions looked at at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// With --exhaustive: seconds that labrys has for each function.
    #[arg(long, default_value_t = 30)]
    analysis_time: u32,
    /// With --exhaustive: call one float in a thousand only, which takes minutes and makes no proof certain.
    #[arg(long, requires = "exhaustive")]
    quick: bool,
    /// Compare proved bounds of errors with native runs of the literature's programs and of `count` random functions (200 if nothing is said), and with every input of a hundred times as many
    /// expressions over tiny formats, and nothing else.
    #[arg(long, conflicts_with = "executor")]
    bounds: bool,
    /// With --bounds: native runs in all.
    #[arg(long, default_value_t = 100_000_000)]
    inputs: u64,
    /// With --bounds: random functions alone, which have all the inputs then.
    #[arg(long, requires = "bounds")]
    only_random: bool,
    /// Leave the other solvers out.
    #[arg(long)]
    no_peers: bool,
}

/// Runs the tests and the peers; false where anything disagrees.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    if request.executor {
        return executor(root, request);
    }
    if request.program {
        return program(root, request);
    }
    if request.bounds {
        return bounds(root, request);
    }
    if request.planted {
        return planted(root, request);
    }
    if request.exhaustive {
        let (only, first) = (request.only.as_deref(), request.first);
        let (jobs, time) = (request.jobs, request.analysis_time);
        return exhaustive::run(root, &exhaustive::Request { only, first, jobs, time, quick: request.quick });
    }
    let folder = root.join("target/agreement");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let tests = cargo(root)
        .args(["test", "--release", "--package", "labrys-solver", "--test", "agreement"])
        .env("LABRYS_AGREEMENT_COUNT", request.count.unwrap_or(FORMULAS).to_string())
        .env("LABRYS_AGREEMENT_SEED", request.seed.to_string())
        .env("LABRYS_AGREEMENT_FOLDER", fs::canonicalize(&folder)?)
        .status()
        .context("cannot run cargo")?;
    let mut agreed = tests.success();
    if request.no_peers {
        return Ok(agreed);
    }
    install_peers(root)?;
    for (peer, prefixes) in [("z3", &["common", "full", "planted", "tiny"][..]), ("bitwuzla", &["common"])] {
        agreed &= ask(root, &folder, peer, prefixes, request.time)?;
    }
    Ok(agreed)
}

/// Runs the comparison of bounds, and the test over tiny formats.
fn bounds(root: &Path, request: &Request) -> Result<bool> {
    let programs = request.count.unwrap_or(200);
    let Request { inputs, seed, only_random, .. } = *request;
    let agreed = native_errors::run(root, &native_errors::Request { inputs, programs, seed, only_random })?;
    let tests = cargo(root)
        .args([
            "test",
            "--release",
            "--package",
            "labrys-bounds",
            "--test",
            "suite",
            "brute_force",
            "--",
            "--nocapture",
        ])
        .env("LABRYS_BOUNDS_CASES", (100 * programs).to_string())
        .env("LABRYS_BOUNDS_SEED", request.seed.to_string())
        .status()
        .context("cannot run cargo")?;
    Ok(agreed && tests.success())
}

/// Runs the tests on planted formulas with many formulas, all of them whatever comes out.
fn planted(root: &Path, request: &Request) -> Result<bool> {
    let tests = cargo(root)
        .args(["test", "--release", "--no-fail-fast", "--package", "labrys-solver", "--package", "labrys-formulas"])
        .args(["--lib", "--test", "agreement", "--test", "simplifier", "planted", "--", "--nocapture"])
        .env("LABRYS_AGREEMENT_COUNT", request.count.unwrap_or(FORMULAS).to_string())
        .env("LABRYS_AGREEMENT_SEED", request.seed.to_string())
        .status()
        .context("cannot run cargo")?;
    Ok(tests.success())
}

/// Cargo, in the workspace.
fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Runs the executor's test with many programs.
fn executor(root: &Path, request: &Request) -> Result<bool> {
    let tests = cargo(root)
        .args(["test", "--release", "--package", "labrys-symex", "--test", "native"])
        .env("LABRYS_EXECUTOR_PROGRAMS", request.count.unwrap_or(FORMULAS).to_string())
        .env("LABRYS_EXECUTOR_SEED", request.seed.to_string())
        .status()
        .context("cannot run cargo")?;
    Ok(tests.success())
}

/// Runs the comparison of whole programs with many of them.
fn program(root: &Path, request: &Request) -> Result<bool> {
    let tests = cargo(root)
        .args(["test", "--release", "--package", "labrys-executor", "--test", "programs", "--", "--nocapture"])
        .env("LABRYS_PROGRAMS", request.count.unwrap_or(PROGRAMS).to_string())
        .env("LABRYS_PROGRAMS_SEED", request.seed.to_string())
        .status()
        .context("cannot run cargo")?;
    Ok(tests.success())
}

/// One peer on the files whose names begin so; false where it disagrees with a status.
fn ask(root: &Path, folder: &Path, peer: &str, prefixes: &[&str], time: u32) -> Result<bool> {
    let mut names = String::new();
    for path in regression_files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            names.push_str(&format!("{}\n", path.display()));
        }
    }
    let list = folder.join(format!("{peer}.txt"));
    fs::write(&list, &names)?;
    let driver = root.join(format!("xtask/peers/{peer}_batch.py"));
    let output = Command::new(python(root)).arg(driver).arg(&list).arg(time.to_string()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut same, mut open, mut errors, mut others) = (0_usize, 0_usize, 0_usize, 0_usize);
    for line in text.lines() {
        let Some((file, answer)) = line.split_once(' ') else { continue };
        let status = scan(&fs::read_to_string(file)?).checks.first().copied().flatten().unwrap_or_default();
        match answer {
            "sat" | "unsat" if answer == status => same += 1,
            "sat" | "unsat" => {
                others += 1;
                println!("disagreement: {peer} says {answer}, the status is {status}: {file}");
            }
            "unknown" => open += 1,
            _ => {
                errors += 1;
                println!("{peer}: {answer}: {file}");
            }
        }
    }
    if text.lines().count() < names.lines().count() {
        bail!("{peer} stopped early: {}", String::from_utf8_lossy(&output.stderr));
    }
    println!("{peer}: {same} formulas as labrys, {others} otherwise, {open} not decided, {errors} not understood");
    Ok(others == 0)
}
