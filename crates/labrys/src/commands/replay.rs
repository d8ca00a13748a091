//! `labrys replay`: does a finding still hold?

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use labrys_analysis::diff::{Replayed, replay};
use labrys_analysis::exceptions::Replayer;
use labrys_analysis::{AnalysisError, accuracy};
use labrys_program::Origin;
use labrys_report::{Finding, Report, ReportError, read_report_file, visible};
use serde_json::json;

use super::diff::resolve;
use super::output::{tell, write_out};
use super::run_options::Asked;
use crate::args::{Cli, Command, ExceptionsArgs, Format, ReplayArgs};
use crate::usage_words;

/// Runs the command; its exit code is 1 where some finding still holds, 0 where none does.
pub fn run(arguments: &ReplayArgs) -> Result<u8> {
    let shown = arguments.finding.display();
    if arguments.format == Format::Html {
        bail!("replay answers as text or JSON, not as a page");
    }
    let report = read_report_file(&arguments.finding).map_err(|error| match error {
        ReportError::Read { .. } => anyhow!(error),
        other => anyhow!("{shown}: {other}"),
    })?;
    let cli = Cli::try_parse_from(&report.command).map_err(|error| {
        let command = report.command.join(" ");
        anyhow!("{shown}: its command cannot be read: {command}: {}", usage_words(&error))
    })?;
    if report.findings.is_empty() {
        bail!("{shown}: there is no finding in it");
    }
    let asked =
        Asked { command: report.command.clone(), origin: Origin::Report { trusted: arguments.trust, announce } };
    match cli.command {
        Command::Diff(of) => {
            let request = resolve(&of, asked)?;
            let function = |finding: &Finding| {
                let of = report.functions.iter().find(|function| function.findings.contains(&finding.id));
                of.map(|function| function.function.clone())
            };
            let holds = |finding: &Finding| {
                Ok((replay(&request, function(finding).as_deref(), finding)? == Replayed::Holds, Vec::new()))
            };
            answer(&report, arguments, &shown.to_string(), &holds)
        }
        Command::Exceptions(of) => exceptions(&of, asked, &report, arguments, &shown.to_string()),
        Command::Accuracy(of) => {
            let mut request = super::accuracy::resolve(&of, asked)?;
            if !arguments.trust {
                request.run.output = None;
            }
            let replayer = accuracy::Replayer::new(&request).map_err(|error| advised(error, &shown.to_string()))?;
            let holds = |finding: &Finding| {
                let of = report.functions.iter().find(|function| function.findings.contains(&finding.id));
                Ok((replayer.holds(of.map(|of| of.function.as_str()), finding)?, Vec::new()))
            };
            answer(&report, arguments, &shown.to_string(), &holds)
        }
        _ => bail!("{shown}: it is of no analysis of compiled code"),
    }
}

/// Findings of `labrys exceptions`: the build is made once for all.
fn exceptions(of: &ExceptionsArgs, asked: Asked, report: &Report, arguments: &ReplayArgs, shown: &str) -> Result<u8> {
    let mut request = super::exceptions::resolve(of, asked)?;
    if !arguments.trust {
        // What lies in its build folder is the report's author's as much as the report, and a stranger's command names any folder.
        request.run.output = None;
    }
    let replayer = Replayer::new(&request).map_err(|error| advised(error, shown))?;
    let function = |finding: &Finding| {
        let of = report.functions.iter().find(|function| function.findings.contains(&finding.id));
        of.map(|function| function.function.clone())
    };
    let holds = |finding: &Finding| {
        let function = function(finding);
        Ok((replayer.holds(function.as_deref(), finding)?, replayer.routes(function.as_deref(), finding)?))
    };
    answer(report, arguments, shown, &holds)
}

/// Says what is about to be run.
fn announce(command: &str) {
    tell(&format!("labrys: runs {command}"));
}

/// Whether a finding holds, and from which public functions that call its own.
type Held = (bool, Vec<(String, bool)>);

/// Runs every finding of a report again and prints what became of each.
fn answer(
    report: &Report,
    arguments: &ReplayArgs,
    shown: &str,
    holds: &dyn Fn(&Finding) -> Result<Held, AnalysisError>,
) -> Result<u8> {
    let mut held = 0;
    let mut lines = Vec::new();
    let mut verdicts = Vec::new();
    for finding in &report.findings {
        let (holds, routes) = holds(finding).map_err(|error| advised(error, shown))?;
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
    match arguments.format {
        Format::Text => write_out(&lines.concat())?,
        Format::Json | Format::Sarif | Format::Html => write_out(&format!("{}\n", json!({"replayed": verdicts})))?,
    }
    Ok(u8::from(held > 0))
}

/// A report names sources as its command did: relative to the folder in which that ran.
fn advised(error: AnalysisError, report: &str) -> anyhow::Error {
    match error {
        AnalysisError::Unreadable { path, reason } if path.is_relative() => {
            anyhow!("{}: {reason}; replay {report} in the folder where it was written", path.display())
        }
        other => anyhow!(other),
    }
}
