//! `labrys blame`: which flags and which pass make a finding of `diff`?

use anyhow::{Result, anyhow, bail};
use labrys_analysis::{Silent, diff};
use labrys_program::Origin;
use labrys_report::{Report, because, visible, write_json, write_whole};

use super::output::write_out;
use super::replay::{advised, announce, named_report};
use super::run_options::Asked;
use crate::args::{BlameArgs, CargoCommand, Cli, Command};
use crate::usage_words;

/// Runs the command; its exit code is 1 where it is not known what makes the finding.
pub fn run(arguments: &BlameArgs) -> Result<u8> {
    let shown = arguments.finding.display().to_string();
    let mut report = named_report(&arguments.finding, "blame")?;
    let cli = Cli::of_report(&report.command).map_err(|error| {
        let command = report.command.join(" ");
        anyhow!("{shown}: its command cannot be read: {command}: {}", usage_words(&error))
    })?;
    match report.findings.len() {
        0 => bail!("{shown}: there is no finding in it"),
        1 => {}
        count => bail!("{shown}: it has {count} findings: name the file of one"),
    }
    let origin = Origin::Report { trusted: arguments.trust, announce };
    let asked = Asked { command: report.command.clone(), origin };
    let mut request = match cli.command {
        Command::Diff(of) => super::diff::resolve(&of, asked)?,
        Command::Cargo(CargoCommand::Diff(of)) => super::cargo::resolve_diff(&of, asked)?,
        _ => bail!("{shown}: flags and passes are blamed for findings of diff alone"),
    };
    request.run.time = Some(arguments.time);
    // What lies in a command's folder is the report's author's as much as the report.
    request.run.output = request.run.output.filter(|_| arguments.trust);
    let function = function_of(&report).map(str::to_owned);
    let finding = &mut report.findings[0];
    let answer = diff::blame(&request, function.as_deref(), finding, &Silent);
    let answer = answer.map_err(|error| advised(error, &shown))?;
    let is_known = answer.is_ok();
    diff::enter(finding, answer);
    let details = finding.difference().ok_or_else(|| anyhow!("{shown}: its finding is none of diff's"))?;
    let mut lines: Vec<String> = because(details).into_iter().collect();
    lines.extend(details.unblamed.iter().map(|why| format!("which flags make it is not known: {why}")));
    let text = lines.iter().map(|line| format!("{}\n", visible(line))).collect::<String>();
    write_whole(&arguments.finding, write_json(&report)?.as_bytes())?;
    write_out(&text)?;
    Ok(u8::from(!is_known))
}

/// Which function of a library the finding is of.
fn function_of(report: &Report) -> Option<&str> {
    let id = &report.findings.first()?.id;
    let of = report.functions.iter().find(|function| function.findings.contains(id));
    of.map(|function| function.function.as_str())
}
