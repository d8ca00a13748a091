//! `labrys merge`: the report of a library run whose parts were done apart.
//!
//! The shards' command is run as if there were no shards, but that the results of functions are theirs. So there is one way to a report, and a merged
//! one is that of an undisturbed run.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use labrys_analysis::library::shard_record::{ShardRecord, together};
use labrys_analysis::{CampaignOptions, Missing};
use labrys_program::Origin;

use super::campaign::of_whole;
use super::replay::announce;
use super::run_options::Asked;
use crate::args::{Cli, Command, Lacking, MergeArgs};
use crate::usage_words;

/// Runs the command; its exit code is the analysis'.
pub fn run(arguments: &MergeArgs) -> Result<u8> {
    let output = arguments.output.as_deref();
    let is_complete = arguments.missing == Lacking::Refuse;
    let parts = together(&arguments.folders, &|command| of_whole(command, output), is_complete)?;
    let Some((_, first)) = parts.first() else { bail!("no folder of a shard is given") };
    same_folder(first)?;
    let command = of_whole(&first.command, output);
    let cli = Cli::try_parse_from(&command).map_err(|error| {
        anyhow!("the shards' command cannot be read: {}: {}", command.join(" "), usage_words(&error))
    })?;
    let origin = if arguments.trust { Origin::User } else { Origin::Report { trusted: false, announce } };
    let asked = Asked { command, origin };
    let campaign = campaign(arguments, &parts);
    match cli.command {
        Command::Diff(mut of) => {
            let mut request = super::diff::resolve(&of, asked)?;
            request.schedule.campaign = campaign;
            of.run.format = arguments.format.unwrap_or(of.run.format);
            super::diff::run_resolved(&of, &request)
        }
        Command::Exceptions(mut of) => {
            let mut request = super::exceptions::resolve(&of, asked)?;
            request.schedule.campaign = campaign;
            of.build.run.format = arguments.format.unwrap_or(of.build.run.format);
            super::exceptions::run_resolved(&of, &request)
        }
        Command::Accuracy(mut of) => {
            let mut request = super::accuracy::resolve(&of, asked)?;
            request.schedule.campaign = campaign;
            of.build.run.format = arguments.format.unwrap_or(of.build.run.format);
            super::accuracy::run_resolved(&of, &request)
        }
        _ => bail!("the shards are of no analysis of a library"),
    }
}

/// Reports name sources from the folder in which the analysis ran.
fn same_folder(record: &ShardRecord) -> Result<()> {
    let here = std::env::current_dir().map(|folder| format!("{folder:?}")).unwrap_or_default();
    match record.options.get("folder") {
        Some(folder) if *folder != here => {
            bail!("the shards ran in {folder}, and name sources from there: merge them there, too")
        }
        _ => Ok(()),
    }
}

/// Where results come from, and what is done where some are missing.
fn campaign(arguments: &MergeArgs, parts: &[(PathBuf, ShardRecord)]) -> CampaignOptions {
    let missing = match arguments.missing {
        Lacking::Refuse => Missing::Refuse,
        Lacking::Run => Missing::Run,
        Lacking::Leave => Missing::Leave,
    };
    let were_asked = parts.iter().any(|(_, record)| record.asks_callers);
    let is_built = |folder: &Path| folder.join("library.stamp").is_file() || folder.join("baseline").is_dir();
    let own = arguments.output.as_deref().map(|output| output.join("build")).filter(|folder| is_built(folder));
    let theirs = || parts.iter().map(|(_, record)| record.products.clone()).find(|folder| is_built(folder));
    CampaignOptions {
        shard: None,
        // One that wrote nothing has no results to read.
        gathered: parts.iter().filter(|(folder, _)| has_results(folder)).map(|(folder, _)| folder.clone()).collect(),
        missing,
        missing_answers: if were_asked { missing } else { Missing::Run },
        products: own.or_else(theirs),
        balance: None,
    }
}

fn has_results(folder: &Path) -> bool {
    folder.join(labrys_analysis::library::STORE_FILE).is_file()
}
