//! The `labrys` command: arguments in, exit codes out. Everything else is in the library crates.
//!
//! Exit codes: 0 nothing found and the planned work done, 1 findings, 2 usage or environment error (one line on
//! stderr, nothing on stdout), 3 cut short by a limit with nothing found.

mod args;
mod commands;
mod meter;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// A usage or environment error.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage_error(&error),
    };
    let code = match cli.command {
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Doctor => commands::doctor::run(),
        Command::Worker { arguments } => return labrys_native::worker_main(&arguments),
    };
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Without a terminal there may be nobody to read it; the exit code still tells.
            let _ = writeln!(std::io::stderr(), "labrys: {}", one_line(&format!("{error:#}")));
            ExitCode::from(USAGE)
        }
    }
}

/// Help and version go to stdout and end with 0; a misused option is one line and 2.
fn usage_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or("wrong arguments").trim_start_matches("error: ");
    let tip = rendered.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let tip = tip.map(|tip| format!(" ({tip})")).unwrap_or_default();
    let missing: Vec<&str> = match error.kind() {
        clap::error::ErrorKind::MissingRequiredArgument => {
            rendered.lines().skip(1).take_while(|line| !line.is_empty()).collect()
        }
        _ => Vec::new(),
    };
    let missing: String = missing.iter().map(|line| format!(" {}", line.trim())).collect();
    let _ = writeln!(std::io::stderr(), "labrys: {first}{missing}{tip}; see labrys --help");
    ExitCode::from(USAGE)
}

/// An error is one line, but for a compiler's own words, which stay as they are.
fn one_line(message: &str) -> String {
    message.trim_end().to_owned()
}

/// Whether people watch this stream.
fn colour_wanted(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
