//! `labrys exceptions`: resolves the arguments, runs the analysis, writes what it found.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use labrys_analysis::Artifact;
use labrys_analysis::exceptions::{Done, Request, Subject, exceptions};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_report::{Baseline, Report, probe_folder, write_whole};

use super::diff::{render, rendered, shown_command, tracing_choice, worker_command, write_out};
use crate::args::{Exception, ExceptionsArgs, Format, Inputs};
use crate::meter::Meter;

/// How long one function is analysed where the user does not say.
const FUNCTION_TIME: Duration = Duration::from_secs(120);

/// Runs the command; its exit code.
pub fn run(arguments: &ExceptionsArgs) -> Result<u8> {
    let request = resolve(arguments, std::env::args().collect())?;
    for folder in arguments.output.iter().chain(&arguments.dump_queries) {
        probe_folder(folder)?;
    }
    let known = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    if let Some(file) = &arguments.write_baseline {
        probe_folder(file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    }
    let meter = Meter::new(request.time);
    let done = exceptions(&request, &meter);
    meter.finish();
    let Done { mut report, artifacts } = done?;
    if let Some(known) = &known {
        known.mark(&mut report);
    }
    if let Some(file) = &arguments.write_baseline {
        Baseline::of(&report).write(file)?;
    }
    if let Some(folder) = &arguments.output {
        write_folder(folder, &report, &artifacts)?;
    }
    write_out(&rendered(&report, arguments.format, Path::new("."), arguments.all)?)?;
    Ok(report.exit_code())
}

/// Fills in every default.
pub fn resolve(arguments: &ExceptionsArgs, command: Vec<String>) -> Result<Request> {
    let subject = subject(arguments)?;
    let time = arguments.time.or(matches!(subject, Subject::Source(_)).then_some(FUNCTION_TIME));
    Ok(Request {
        command: shown_command(command),
        subject,
        function: arguments.function.clone(),
        build: arguments.build.clone(),
        common_flags: arguments.common_flags.clone(),
        link: arguments.link.clone(),
        database: arguments.database.clone(),
        signature: arguments.signature.clone(),
        lengths: arguments.length.clone(),
        assumptions: arguments.assume.clone(),
        ranges: arguments.range.clone(),
        given: arguments.input.clone(),
        inputs: match arguments.inputs {
            Inputs::All => InputClass::All,
            Inputs::Finite => InputClass::Finite,
        },
        watched: watched(&arguments.only),
        tracing: tracing_choice(arguments.tracing),
        init: arguments.init.clone(),
        libm_ulps: arguments.libm_ulps,
        time,
        function_time: arguments.function_time,
        max_work: arguments.max_work,
        seed: arguments.seed,
        output: arguments.output.clone(),
        dump_queries: arguments.dump_queries.clone(),
        loop_bound: arguments.loop_bound,
        max_paths: arguments.max_paths,
        jobs: usize::try_from(arguments.jobs).unwrap_or(1),
        call_timeout: arguments.call_timeout,
        worker: worker_command()?,
    })
}

fn subject(arguments: &ExceptionsArgs) -> Result<Subject> {
    match (&arguments.file, &arguments.database) {
        (Some(_), _) if !arguments.entry.is_empty() => {
            bail!("--entry names functions of a library: give -p without a FILE, or -f with one")
        }
        (Some(file), _) => Ok(Subject::Source(file.clone())),
        (None, Some(_)) if arguments.function.is_some() => {
            bail!("-f names the function of a FILE; for a library give --entry")
        }
        (None, Some(database)) => Ok(Subject::Library { database: database.clone(), entries: arguments.entry.clone() }),
        (None, None) => bail!("exceptions needs a FILE, or a library with -p; see labrys exceptions --help"),
    }
}

fn watched(only: &[Exception]) -> Flags {
    if only.is_empty() {
        return Flags::NOTABLE;
    }
    only.iter().fold(Flags::empty(), |flags, exception| {
        flags
            | match exception {
                Exception::Divbyzero => Flags::DIVBYZERO,
                Exception::Invalid => Flags::INVALID,
                Exception::Overflow => Flags::OVERFLOW,
                Exception::Underflow => Flags::UNDERFLOW,
                Exception::Inexact => Flags::INEXACT,
            }
    })
}

/// Writes report.json, report.sarif, report.html, and for each finding a report with it alone and a reproducer.
fn write_folder(folder: &Path, report: &Report, artifacts: &[Artifact]) -> Result<()> {
    let write = |name: String, contents: &[u8]| -> Result<()> {
        let path = folder.join(name);
        write_whole(&path, contents).with_context(|| format!("cannot write {}", path.display()))
    };
    for finding in &report.findings {
        if let Some(single) = report.with_only(&finding.id) {
            write(format!("{}.json", finding.id), render(&single, Format::Json, folder)?.as_bytes())?;
        }
    }
    for artifact in artifacts {
        write(artifact.name.clone(), &artifact.contents)?;
    }
    write("report.html".to_owned(), render(report, Format::Html, Path::new("."))?.as_bytes())?;
    write("report.sarif".to_owned(), render(report, Format::Sarif, folder)?.as_bytes())?;
    write("report.json".to_owned(), render(report, Format::Json, folder)?.as_bytes())
}
