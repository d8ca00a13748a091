//! `cargo xtask table verify`: labrys and other tools on whole programs with floats, or on the catalogue of memory errors.
//!
//! The programs are in `xtask/programs`; `cargo xtask programs` checks natively that they are what their heads say. Each tool gets each program
//! alone, with the same seconds and the same memory: CBMC as processor time, labrys as wall time on its two threads. KLEE has no
//! package for this system and is not run.

mod cbmc;
mod judgement;
mod labrys;
mod limits;
mod record;
mod report;

use std::path::Path;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::corpus::sha256;
use crate::programs::{Error, Program, SUITES};
use limits::Limits;
use record::{Record, Run};
use report::Column;

/// What to measure.
#[derive(Args, Debug)]
pub struct Request {
    /// The catalogue of memory errors instead.
    #[arg(long)]
    memory_catalogue: bool,
    /// Time for each program.
    #[arg(long, default_value = "60s", value_parser = seconds)]
    time: u32,
    /// Memory for each program, in gibibytes, as `4g`.
    #[arg(long, default_value = "4g", value_parser = gibibytes)]
    memory: u64,
    /// Only programs whose names match, as `fmod_*`.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Which tools.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "labrys,cbmc,klee")]
    tool: Vec<Tool>,
    /// Take what was measured before for other tools on programs that did not change, instead of measuring it again.
    #[arg(long)]
    reuse_peers: bool,
    /// Take what was measured before for labrys too, to print the table again.
    #[arg(long)]
    reuse_all: bool,
}

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    Labrys,
    Cbmc,
    Klee,
}

impl Tool {
    /// Its name and version; an error says why it is not run.
    fn title(self, root: &Path) -> Result<String, String> {
        match self {
            Self::Labrys if crate::labrys(root).is_file() => Ok("labrys".to_owned()),
            Self::Labrys => Err("labrys is not built: cargo build --release".to_owned()),
            Self::Cbmc => cbmc::version().ok_or(format!("CBMC ({}) is not installed.", cbmc::program())),
            Self::Klee => Err("KLEE has no package for this system and was not run.".to_owned()),
        }
    }

    /// Whether what it calls an error can be an expected one.
    fn same(self) -> fn(&(String, u32), &Error) -> bool {
        match self {
            Self::Cbmc => cbmc::same,
            Self::Labrys | Self::Klee => labrys::same,
        }
    }
}

/// `60s` or `60`.
fn seconds(text: &str) -> Result<u32, String> {
    match text.trim_end_matches('s').parse() {
        Ok(seconds @ 1..=86_400) => Ok(seconds),
        _ => Err("expected seconds, as in 60s".to_owned()),
    }
}

/// `4g` or `4`.
fn gibibytes(text: &str) -> Result<u64, String> {
    match text.trim_end_matches('g').parse() {
        Ok(gibibytes @ 1..=1024) => Ok(gibibytes),
        _ => Err("expected gibibytes, as in 4g".to_owned()),
    }
}

/// Measures, prints, and says whether labrys reaches its marks.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    let suite = SUITES[usize::from(request.memory_catalogue)];
    let programs = Program::all(root, suite, request.only.as_deref())?;
    if programs.is_empty() {
        bail!("no program's name matches");
    }
    let limits = Limits { seconds: request.time, memory_mib: request.memory * 1024 };
    let mut record = Record::load(root)?;
    let mut columns = Vec::new();
    for &tool in &request.tool {
        let (title, runs) = match tool.title(root) {
            Ok(title) => {
                let reuse = request.reuse_all || request.reuse_peers && tool != Tool::Labrys;
                let runs = measure(root, (tool, &title), suite, &programs, limits, &mut record, reuse)?;
                (title, Some(runs))
            }
            Err(why) => (why, None),
        };
        columns.push(Column { tool, title, runs });
    }
    println!("{} programs, {} s and {} GiB for each\n", programs.len(), request.time, request.memory);
    report::print(&programs, &columns);
    let shortfalls = report::shortfalls(&programs, &columns, request.memory_catalogue);
    for shortfall in &shortfalls {
        println!("falls short: labrys: {shortfall}");
    }
    Ok(shortfalls.is_empty())
}

/// Runs a tool on every program that the record, if it may be used, has no run of.
fn measure(
    root: &Path,
    (tool, title): (Tool, &str),
    suite: &str,
    programs: &[Program],
    limits: Limits,
    record: &mut Record,
    reuse: bool,
) -> Result<Vec<Run>> {
    let key = format!("{title}, {} s, {} MiB", limits.seconds, limits.memory_mib);
    let mut runs = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let name = format!("{suite}/{}", program.name);
        let hash = sha256(program.text.as_bytes());
        let known = record.get(&key, &name).filter(|run| reuse && run.hash == hash).cloned();
        let run = match known {
            Some(run) => run,
            None => {
                let (answer, seconds) = match tool {
                    Tool::Labrys => labrys::answer(root, program, limits)?,
                    Tool::Cbmc => cbmc::answer(root, program, limits)?,
                    Tool::Klee => bail!("KLEE is not run"),
                };
                eprintln!("{title}, {} of {}: {name} {answer:?} {seconds:.2}", index + 1, programs.len());
                let run = Run { answer, seconds, hash };
                record.put(&key, &name, run.clone());
                record.save()?;
                run
            }
        };
        runs.push(run);
    }
    Ok(runs)
}
