//! `labrys replay`: does a finding still hold?

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use labrys_analysis::{AnalysisError, BuildRequest, Rebuilt, RunOptions, accuracy, diff, exceptions, verify};
use labrys_program::Origin;
use labrys_report::{Finding, Report, ReportError, read_report_file, visible};
use serde_json::json;

use super::output::{tell, write_out};
use super::run_options::Asked;
use crate::args::{CargoCommand, Cli, Command, Format, ReplayArgs};
use crate::usage_words;

/// Runs the command; its exit code is 1 where some finding still holds, 0 where none does.
pub fn run(arguments: &ReplayArgs) -> Result<u8> {
    let shown = arguments.finding.display();
    if !matches!(arguments.format, Format::Text | Format::Json) {
        bail!("replay answers as text or JSON alone");
    }
    let report = named_report(&arguments.finding, "replay")?;
    let cli = Cli::of_report(&report.command).map_err(|error| {
        let command = report.command.join(" ");
        anyhow!("{shown}: its command cannot be read: {command}: {}", usage_words(&error))
    })?;
    if matches!(cli.command, Command::Cover(_)) {
        bail!("{shown}: it is of tests, not of findings; the file tests.c that cover writes runs them again");
    }
    if report.findings.is_empty() {
        bail!("{shown}: there is no finding in it");
    }
    let asked =
        Asked { command: report.command.clone(), origin: Origin::Report { trusted: arguments.trust, announce } };
    let replay = Replay { report: &report, arguments, shown: shown.to_string() };
    match cli.command {
        Command::Diff(of) => replay.diff(super::diff::resolve(&of, asked)?),
        Command::Exceptions(of) => replay.exceptions(super::exceptions::resolve(&of, asked)?),
        Command::Accuracy(of) => replay.accuracy(super::accuracy::resolve(&of, asked)?),
        Command::Cargo(CargoCommand::Diff(of)) => replay.diff(super::cargo::resolve_diff(&of, asked)?),
        Command::Cargo(CargoCommand::Exceptions(of)) => {
            replay.exceptions(super::cargo::resolve_exceptions(&of, asked)?)
        }
        Command::Cargo(CargoCommand::Accuracy(of)) => replay.accuracy(super::cargo::resolve_accuracy(&of, asked)?),
        Command::Verify(of) => replay.verify(super::verify::resolve(&of, asked)?),
        _ => bail!("{shown}: it is of no analysis of compiled code"),
    }
}

/// The report in a file that a command is given by this name.
pub(super) fn named_report(file: &Path, command: &str) -> Result<Report> {
    let shown = file.display();
    if file.is_dir() {
        let example = file.join("ID.json");
        bail!(
            "{shown}: it is a folder: name the file of a finding in it, as in `labrys {command} {}`",
            example.display()
        );
    }
    read_report_file(file).map_err(|error| match error {
        ReportError::Read { .. } => anyhow!(error),
        other => anyhow!("{shown}: {other}"),
    })
}

/// A report whose findings are run again.
struct Replay<'a> {
    report: &'a Report,
    arguments: &'a ReplayArgs,
    /// Its file, in words.
    shown: String,
}

impl Replay<'_> {
    fn diff(&self, mut request: diff::Request) -> Result<u8> {
        self.forget_folder(&mut request.run);
        self.answer(&|finding| Ok((diff::holds(&request, self.function(finding), finding)?, Vec::new())))
    }

    fn exceptions(&self, mut request: exceptions::Request) -> Result<u8> {
        let rebuilt = self.rebuilt(&mut request.run, &request.build, request.schedule.jobs)?;
        self.answer(&|finding| {
            let function = self.function(finding);
            let holds = exceptions::holds(&request, &rebuilt, function, finding)?;
            Ok((holds, exceptions::routes(&request, &rebuilt, function, finding)?))
        })
    }

    fn accuracy(&self, mut request: accuracy::Request) -> Result<u8> {
        let rebuilt = self.rebuilt(&mut request.run, &request.build, request.schedule.jobs)?;
        self.answer(&|finding| Ok((accuracy::holds(&request, &rebuilt, self.function(finding), finding)?, Vec::new())))
    }

    fn verify(&self, request: verify::Request) -> Result<u8> {
        self.answer(&|finding| Ok((verify::holds(&request, finding)?, Vec::new())))
    }

    /// The build, made once for all findings.
    fn rebuilt(&self, run: &mut RunOptions, build: &BuildRequest, jobs: usize) -> Result<Rebuilt> {
        self.forget_folder(run);
        Rebuilt::new(run, build, jobs).map_err(|error| advised(error, &self.shown))
    }

    /// What lies in a command's folder is the report's author's as much as the report, and a stranger's command names any folder.
    fn forget_folder(&self, run: &mut RunOptions) {
        if !self.arguments.trust {
            run.output = None;
        }
    }

    /// Which function of a library a finding is of.
    fn function(&self, finding: &Finding) -> Option<&str> {
        let of = self.report.functions.iter().find(|function| function.findings.contains(&finding.id));
        of.map(|function| function.function.as_str())
    }

    /// Runs every finding again and prints what became of each; the exit code.
    fn answer(&self, holds: &dyn Fn(&Finding) -> Result<Held, AnalysisError>) -> Result<u8> {
        let mut held = 0;
        let mut lines = Vec::new();
        let mut verdicts = Vec::new();
        for finding in &self.report.findings {
            let (holds, routes) = holds(finding).map_err(|error| advised(error, &self.shown))?;
            held += usize::from(holds);
            let word = |holds: bool| if holds { "still holds" } else { "no longer holds" };
            lines.push(format!("{}: {}: {}\n", visible(&finding.id), word(holds), visible(&finding.summary)));
            lines.extend(routes.iter().map(|(entry, holds)| format!("  from {}: {}\n", visible(entry), word(*holds))));
            let mut verdict = json!({"id": finding.id, "holds": holds});
            if !routes.is_empty() {
                let of = |(entry, holds): &(String, bool)| json!({"entry": entry, "holds": holds});
                verdict["reachable_from"] = routes.iter().map(of).collect();
            }
            verdicts.push(verdict);
        }
        match self.arguments.format {
            Format::Text => write_out(&lines.concat())?,
            _ => write_out(&format!("{}\n", json!({"replayed": verdicts})))?,
        }
        Ok(u8::from(held > 0))
    }
}

/// Says what is about to be run.
pub(super) fn announce(command: &str) {
    tell(&format!("labrys: runs {command}"));
}

/// Whether a finding holds, and from which public functions that call its own.
type Held = (bool, Vec<(String, bool)>);

/// A report names sources as its command did: relative to the folder in which that ran.
pub(super) fn advised(error: AnalysisError, report: &str) -> anyhow::Error {
    match error {
        AnalysisError::Unreadable { path, reason } if path.is_relative() => {
            anyhow!("{}: {reason}; replay {report} in the folder where it was written", path.display())
        }
        other => anyhow!(other),
    }
}
