//! `labrys diff`: resolves the arguments, runs the analysis, writes what it found.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use labrys_analysis::diff::{Done, Request, StartupChoice, Subject, TracingChoice, diff};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_report::{Report, Sources, Style, html, probe_folder, sarif, terminal, write_json, write_whole};

use crate::args::{Compare, DiffArgs, Format, Inputs, Startup, Tracing};
use crate::meter::Meter;

/// Runs the command; its exit code.
pub fn run(arguments: &DiffArgs) -> Result<u8> {
    let request = resolve(arguments, std::env::args().collect())?;
    for folder in arguments.output.iter().chain(&arguments.dump_queries) {
        probe_folder(folder)?;
    }
    let meter = Meter::new(arguments.time);
    let done = diff(&request, &meter);
    meter.finish();
    let done = done?;
    if let Some(folder) = &arguments.output {
        write_folder(folder, &done)?;
    }
    let text = render(&done.report, arguments.format, Path::new("."))?;
    write_out(&text)?;
    Ok(done.report.exit_code())
}

/// Fills in every default.
pub fn resolve(arguments: &DiffArgs, command: Vec<String>) -> Result<Request> {
    Ok(Request {
        command: shown_command(command),
        subject: subject(arguments)?,
        function: arguments.function.clone(),
        baseline: arguments.baseline.clone(),
        variants: arguments.variant.clone(),
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
        watched: if arguments.inexact { Flags::NOTABLE | Flags::INEXACT } else { Flags::NOTABLE },
        ulps: arguments.ulps,
        compare_traces: arguments.compare == Compare::Trace,
        tracing: tracing_choice(arguments.tracing),
        startup: match arguments.startup {
            Startup::Loaded => StartupChoice::AsLoaded,
            Startup::Default => StartupChoice::Default,
            Startup::Ftz => StartupChoice::Ftz,
        },
        time: arguments.time,
        max_work: arguments.max_work,
        seed: arguments.seed,
        output: arguments.output.clone(),
        compare_random: arguments.compare_random,
        dump_queries: arguments.dump_queries.clone(),
        loop_bound: arguments.loop_bound,
        max_paths: arguments.max_paths,
        call_timeout: arguments.call_timeout,
        worker: worker_command()?,
    })
}

/// How traces are made.
pub fn tracing_choice(tracing: Tracing) -> TracingChoice {
    match tracing {
        Tracing::Auto => TracingChoice::Automatic,
        Tracing::Trap => TracingChoice::Trap,
        Tracing::Step => TracingChoice::Step,
        Tracing::Interpreter => TracingChoice::Interpreter,
    }
}

/// The command line as a user would repeat it: the program by its name.
pub fn shown_command(mut command: Vec<String>) -> Vec<String> {
    if let Some(first) = command.first_mut() {
        *first = "labrys".to_owned();
    }
    command
}

/// The command that runs a worker process: this program and its hidden subcommand.
pub fn worker_command() -> Result<Vec<std::ffi::OsString>> {
    let program = std::env::current_exe().context("cannot find labrys' own executable")?;
    Ok(vec![program.into_os_string(), "__worker".into()])
}

fn subject(arguments: &DiffArgs) -> Result<Subject> {
    match (&arguments.baseline_lib, arguments.files.as_slice()) {
        (Some(baseline), _) => {
            Ok(Subject::Libraries { baseline: baseline.clone(), variants: arguments.variant_lib.clone() })
        }
        (None, [source]) => Ok(Subject::Source(source.clone())),
        (None, [old, new]) => Ok(Subject::Pair(old.clone(), new.clone())),
        (None, []) => bail!("diff needs a FILE, or --baseline-lib and --variant-lib; see labrys diff --help"),
        (None, _) => bail!("diff takes one FILE or two, not {}", arguments.files.len()),
    }
}

/// The report in a format, with a line break at its end.
pub fn render(report: &Report, format: Format, folder: &Path) -> Result<String> {
    rendered(report, format, folder, false)
}

/// As [`render`]; `all`: also what a terminal's text leaves out.
pub fn rendered(report: &Report, format: Format, folder: &Path, all: bool) -> Result<String> {
    let mut text = match format {
        Format::Json => write_json(report)?,
        Format::Sarif => sarif(report)?,
        Format::Html => html(report, &Sources::of(report, folder))?,
        Format::Text => {
            let style = Style { colour: crate::colour_wanted(&std::io::stdout()), width: width(), all };
            terminal(report, &style, &Sources::of(report, folder))
        }
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The terminal's width in columns, within reason.
fn width() -> usize {
    const DEFAULT: usize = 110;
    if !std::io::stdout().is_terminal() {
        return DEFAULT;
    }
    let mut size: libc::winsize = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request writes into `size`, which outlives the call.
    let known = unsafe { libc::ioctl(1, libc::TIOCGWINSZ, &raw mut size) } == 0;
    if known && size.ws_col >= 40 { usize::from(size.ws_col).min(160) } else { DEFAULT }
}

/// Writes to stdout; a closed pipe is nobody's error.
pub fn write_out(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("cannot write to stdout"),
        _ => Ok(()),
    }
}

/// Writes report.json, report.sarif, report.html, and for each finding a report with it alone and a reproducer.
fn write_folder(folder: &Path, done: &Done) -> Result<()> {
    let write = |name: String, contents: &[u8]| -> Result<()> {
        let path: PathBuf = folder.join(name);
        write_whole(&path, contents).with_context(|| format!("cannot write {}", path.display()))
    };
    for finding in &done.report.findings {
        if let Some(single) = done.report.with_only(&finding.id) {
            write(format!("{}.json", finding.id), render(&single, Format::Json, folder)?.as_bytes())?;
        }
    }
    for artifact in &done.artifacts {
        write(artifact.name.clone(), &artifact.contents)?;
    }
    write("report.html".to_owned(), render(&done.report, Format::Html, Path::new("."))?.as_bytes())?;
    write("report.sarif".to_owned(), render(&done.report, Format::Sarif, folder)?.as_bytes())?;
    write("report.json".to_owned(), render(&done.report, Format::Json, folder)?.as_bytes())
}
