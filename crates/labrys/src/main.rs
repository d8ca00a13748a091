//! The `labrys` command: arguments in, exit codes out. Everything else is in the library crates.
//!
//! Exit codes: 0 nothing found and the planned work done, 1 findings, 2 usage or environment error (one line on
//! stderr, nothing on stdout), 3 cut short by a limit with nothing found, 4 a proof was contradicted. `solve` ends with 10, 20 or 0 by its last answer.

mod args;
mod commands;
mod log;
mod meter;
mod version;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use commands::output::tell;
use commands::wrapper::Wrapper;
use labrys_analysis::AnalysisError;
use labrys_program::BuildError;
use labrys_report::{visible, visible_lines};

/// A usage or environment error.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    // A wrapped compiler's arguments are its own, whatever they are.
    let mut arguments = std::env::args_os().skip(1);
    if let Some(wrapper) = arguments.next().and_then(|command| Wrapper::named(command.to_str()?)) {
        return commands::wrapper::run(wrapper, &arguments.collect::<Vec<_>>());
    }
    // Reports hold the command line as text, and replays run it again.
    let is_replayed = std::env::args_os().nth(1).is_some_and(|command| command == "__replay");
    if let Some(argument) = std::env::args_os().find(|argument| argument.to_str().is_none() && !is_replayed) {
        let shown = argument.to_string_lossy();
        tell(&format!("labrys: the argument `{shown}` is not UTF-8, which reports are written in"));
        return ExitCode::from(USAGE);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage_error(&error),
    };
    if !matches!(cli.command, Command::Confined { .. } | Command::Worker { .. } | Command::Replayed { .. }) {
        log::begin();
    }
    let code = match cli.command {
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Exceptions(arguments) => commands::exceptions::run(&arguments),
        Command::Accuracy(arguments) => commands::accuracy::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Cover(arguments) => commands::cover::run(&arguments),
        Command::Cargo(command) => commands::cargo::run(&command),
        Command::Merge(arguments) => commands::merge::run(&arguments),
        Command::Slurm(arguments) => commands::slurm::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Blame(arguments) => commands::blame::run(&arguments),
        Command::Test(arguments) => commands::test::run(&arguments),
        Command::Solve(arguments) => commands::solve::run(&arguments),
        Command::Cc { arguments } => return commands::wrapper::run(Wrapper::C, &arguments),
        Command::Cxx { arguments } => return commands::wrapper::run(Wrapper::Cpp, &arguments),
        Command::Fc { arguments } => return commands::wrapper::run(Wrapper::Fortran, &arguments),
        Command::Doctor => commands::doctor::run(),
        Command::Completions { shell } => commands::generated::completions(shell),
        Command::Manual { folder } => commands::generated::manual(&folder),
        Command::Confined { arguments } => return labrys_native::confined_worker_main(&arguments),
        Command::Replayed { arguments } => return labrys_native::replay_main(&arguments),
        Command::Worker { arguments } => return labrys_native::worker_main(&arguments),
    };
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            commands::made_folders::remove_unused();
            // Without a terminal there may be nobody to read it; the exit code still tells.
            let _ = writeln!(std::io::stderr(), "labrys: {}", message(&error));
            ExitCode::from(USAGE)
        }
    }
}

/// The commands that users see, with commas between them.
fn commands_in_words() -> String {
    let cli = Cli::command();
    let shown = cli.get_subcommands().filter(|of| !of.is_hide_set());
    let names: Vec<&str> = shown.map(clap::Command::get_name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Help and version go to stdout and end with 0; a misused option is one line and 2.
fn usage_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = writeln!(std::io::stderr(), "labrys: a command is needed: {}; see labrys --help", commands_in_words());
        return ExitCode::from(USAGE);
    }
    let way = of_files().map(|command| format!(", which is of files: labrys {command} FILE.rs --entry NAME"));
    tell(&format!("labrys: {}{}; see {} --help", usage_words(error), way.unwrap_or_default(), asked_of()));
    ExitCode::from(USAGE)
}

/// The command that `cargo labrys` was asked for and has not.
fn of_files() -> Option<String> {
    let mut words = std::env::args().skip(1);
    let is_cargo = words.next().is_some_and(|word| word == "cargo");
    words.next().filter(|word| is_cargo && ["verify", "cover"].contains(&word.as_str()))
}

/// What is wrong with a command line, in one line.
pub(crate) fn usage_words(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or("wrong arguments").trim_start_matches("error: ");
    let tip = rendered.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let tip = tip.map(|tip| format!(" ({tip})")).unwrap_or_default();
    let choices = rendered.lines().find(|line| line.trim().starts_with("[possible values: "));
    let choices = choices.map(|line| format!(" {}", line.trim())).unwrap_or_default();
    let missing: Vec<&str> = match error.kind() {
        clap::error::ErrorKind::MissingRequiredArgument => {
            rendered.lines().skip(1).take_while(|line| !line.is_empty()).collect()
        }
        _ => Vec::new(),
    };
    let missing: String = missing.iter().map(|line| format!(" {}", line.trim())).collect();
    format!("{first}{missing}{choices}{tip}")
}

/// The command that was to be executed, as far as the arguments tell.
fn asked_of() -> String {
    let first = std::env::args().nth(1).unwrap_or_default();
    if first == "cargo" {
        return "cargo labrys".to_owned();
    }
    let is_command = Cli::command().get_subcommands().any(|command| command.get_name() == first);
    if is_command { format!("labrys {first}") } else { "labrys".to_owned() }
}

/// An error and its causes as one line (a compiler's own words, which stay as they are, follow on lines of their own).
/// Many errors name their cause themselves; it is not said twice.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let words = shown(&cause.to_string(), compilers_words(cause));
        if text.is_empty() {
            text = words;
        } else if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
    }
    text.trim_end().to_owned()
}

/// What a compiler said, where an error holds it, and of which source.
fn compilers_words<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<(&'e str, &'e Path)> {
    let build = error.downcast_ref::<BuildError>().or_else(|| match error.downcast_ref::<AnalysisError>() {
        Some(AnalysisError::Build(build)) => Some(build),
        _ => None,
    });
    match build {
        Some(BuildError::Refused { words, path, .. }) => Some((words, path)),
        _ => None,
    }
}

/// An error's text as one line, then the lines of a compiler that stand at its end.
fn shown(text: &str, said: Option<(&str, &Path)>) -> String {
    let parts = said.and_then(|(words, path)| Some((text.strip_suffix(words)?.strip_suffix('\n')?, words, path)));
    match parts {
        Some((ours, words, path)) => {
            // A line break in the path is none of the compiler's.
            let path = path.display().to_string();
            let words = words.replace(&path, &visible(&path));
            format!("{}\n{}", visible(ours), visible_lines(&words))
        }
        None => visible(text).into_owned(),
    }
}

/// Whether people watch this stream.
fn colour_wanted(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    #[test]
    fn only_a_compiler_breaks_lines() {
        use std::path::Path;
        let path = Path::new("a\nlabrys: fine.c");
        let words = "a\nlabrys: fine.c:1: error: no\n  \x1b^";
        let text = format!("cc does not compile {}:\n{words}", path.display());
        let expected = "cc does not compile a\\nlabrys: fine.c:\na\\nlabrys: fine.c:1: error: no\n  \\x1b^";
        assert_eq!(super::shown(&text, Some((words, path))), expected);
        assert_eq!(super::shown("no file a\nb", None), "no file a\\nb");
    }

    #[test]
    fn a_cause_is_said_once() {
        let inner = || std::io::Error::other("disk on fire");
        let once = Err::<(), _>(inner()).context("cannot write x: disk on fire").expect_err("an error");
        assert_eq!(super::message(&once), "cannot write x: disk on fire");
        let both = Err::<(), _>(inner()).context("cannot write x").expect_err("an error");
        assert_eq!(super::message(&both), "cannot write x: disk on fire");
    }
}
