//! Reports to the terminal and into a folder.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use labrys_analysis::Artifact;
use labrys_report::{
    Report, Sources, Style, code_quality, compressed, html, junit, sarif, terminal, visible, write_json, write_whole,
};

use super::made_folders;
use crate::args::{Compression, Format, RunArgs};

/// Tries the folders that will be written, before any work.
pub fn probe_folders(arguments: &RunArgs) -> Result<()> {
    arguments.second_opinion.check().map_err(anyhow::Error::msg)?;
    let folders = arguments.output.iter().chain(&arguments.dump_queries).map(PathBuf::as_path);
    for folder in folders.chain(arguments.second_opinion.folder()) {
        made_folders::probe(folder)?;
    }
    Ok(())
}

/// How a report is delivered.
pub struct Delivery<'a> {
    /// How it is printed.
    pub format: Format,
    /// The folder that it is written into, too.
    pub output: Option<&'a Path>,
    /// Whether a terminal's text leaves nothing out.
    pub all: bool,
    /// How the whole report's files are compressed.
    pub compress: Option<Compression>,
}

impl<'a> From<&'a RunArgs> for Delivery<'a> {
    fn from(arguments: &'a RunArgs) -> Delivery<'a> {
        let RunArgs { format, output, all, compress, .. } = arguments;
        Delivery { format: *format, output: output.as_deref(), all: *all, compress: *compress }
    }
}

/// Writes the folder that is asked for, and the report to stdout.
pub fn deliver(delivery: &Delivery<'_>, report: &Report, artifacts: &[Artifact]) -> Result<()> {
    match delivery.output {
        Some(folder) => write_folder(folder, delivery.compress, report, artifacts)?,
        None => write_artifacts(Path::new("."), artifacts)?,
    }
    write_out(&render(report, delivery.format, Path::new("."), delivery.all)?)
}

/// As [`deliver`] for a report that is made of others: what its findings are replayed by lies with those. As text it was printed with them.
pub fn deliver_whole(delivery: &Delivery<'_>, report: &Report) -> Result<()> {
    if let Some(folder) = delivery.output {
        write_reports(folder, delivery.compress, report)?;
    }
    match delivery.format {
        Format::Text => Ok(()),
        format => write_out(&render(report, format, Path::new("."), delivery.all)?),
    }
}

/// The report in a format, with a line break at its end; `all`: also what a terminal's text leaves out.
fn render(report: &Report, format: Format, folder: &Path, all: bool) -> Result<String> {
    let mut text = match format {
        Format::Json => write_json(report)?,
        Format::Sarif => sarif(report)?,
        Format::Junit => junit(report)?,
        Format::Gitlab => code_quality(report)?,
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

/// A line on stderr, with nothing in it that speaks to the terminal. Without a terminal there may be nobody to read it.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(line));
}

fn write_file(folder: &Path, name: &str, contents: &[u8]) -> Result<()> {
    Ok(write_whole(&folder.join(name), contents)?)
}

/// Writes the files that an analysis hands over: reproducers, and queries of contradicted proofs, which there are without a folder too.
fn write_artifacts(folder: &Path, artifacts: &[Artifact]) -> Result<()> {
    artifacts.iter().try_for_each(|artifact| write_file(folder, &artifact.name, &artifact.contents))
}

/// Removes a file, if there is one.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The report in a folder that a run wrote, compressed or not.
pub fn report_in(folder: &Path) -> PathBuf {
    let packed = folder.join("report.json.zst");
    if packed.is_file() { packed } else { folder.join("report.json") }
}

/// Writes report.json, report.sarif, report.html, and for each finding a report with it alone and a reproducer.
fn write_folder(folder: &Path, compress: Option<Compression>, report: &Report, artifacts: &[Artifact]) -> Result<()> {
    let write = |name: String, contents: &[u8]| write_file(folder, &name, contents);
    for finding in &report.findings {
        if let Some(single) = report.with_only(&finding.id) {
            write(format!("{}.json", finding.id), render(&single, Format::Json, folder, true)?.as_bytes())?;
        }
    }
    write_artifacts(folder, artifacts)?;
    write_reports(folder, compress, report)
}

/// Writes report.json, report.sarif and report.html.
fn write_reports(folder: &Path, compress: Option<Compression>, report: &Report) -> Result<()> {
    let write = |name: String, contents: &[u8]| write_file(folder, &name, contents);
    write("report.html".to_owned(), render(report, Format::Html, Path::new("."), true)?.as_bytes())?;
    for (name, format) in [("report.sarif", Format::Sarif), ("report.json", Format::Json)] {
        let text = render(report, format, folder, true)?;
        let packed = format!("{name}.zst");
        // One of the two: the other would be an earlier run's.
        let other = match compress {
            Some(Compression::Zstd) => {
                write(packed.clone(), &compressed(text.as_bytes()).context("cannot compress the report")?)?;
                name
            }
            None => {
                write(name.to_owned(), text.as_bytes())?;
                packed.as_str()
            }
        };
        remove(&folder.join(other))?;
    }
    Ok(())
}
