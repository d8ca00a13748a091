//! What is generated of the command line itself: completions for shells, manual pages.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::write_out;
use crate::args::Cli;
use crate::version::VERSION;

/// The command line without what labrys calls itself with.
fn commands() -> Command {
    let whole = Cli::command();
    let shown: Vec<Command> = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    Command::new("labrys")
        .version(VERSION.as_str())
        .about(whole.get_about().cloned().unwrap_or_default())
        .long_about(whole.get_long_about().cloned().unwrap_or_default())
        .subcommands(shown)
}

/// Prints the script that completes commands and options for a shell.
pub fn completions(shell: Shell) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut commands(), "labrys", &mut script);
    write_out(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Writes `labrys.1` and a page for each command, `labrys-diff.1`, into `folder`.
pub fn manual(folder: &Path) -> Result<u8> {
    let mut whole = commands();
    whole.build();
    let pages = whole.get_subcommands().filter(|command| command.get_name() != "help").map(|command| {
        let name = command.get_name();
        command.clone().name(format!("labrys-{name}")).bin_name(format!("labrys {name}"))
    });
    for command in pages.chain([whole.clone()]) {
        let path = folder.join(format!("{}.1", command.get_name()));
        let mut page = Vec::new();
        Man::new(command).render(&mut page).context("a manual page cannot be made")?;
        fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(0)
}
