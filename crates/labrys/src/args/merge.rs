//! Options of `merge`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// What is done where shards lack results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Lacking {
    /// Nothing is merged, and what is missing is said.
    #[default]
    Refuse,
    /// It is worked out now.
    Run,
    /// The report says that these functions were not analysed.
    Leave,
}

/// Options of `merge`.
#[derive(Debug, Args)]
#[command(after_long_help = MERGED)]
pub struct MergeArgs {
    /// The folders of all shards: out/shard-*, and out/asked-* where callers were asked in shards, too.
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// Write report.json, report.sarif, report.html and a reproducer for each finding into this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// What is done about shards that are missing or did not finish.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Lacking::Refuse)]
    pub missing: Lacking,

    /// How results are printed. Default: as the shards' command says.
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Take whatever compilers, flags, objects and libraries the shards' command names. Only for shards whose authors you
    /// would let run programs as you.
    #[arg(long)]
    pub trust: bool,
}

const MERGED: &str = "\
The report is that of the same command without --shard, run on one machine, but for `timing`: the command is run on the shards' results
instead of the functions. What needs all functions is done now: causes that several share, and from where exceptions can happen. Callers
that no shard asked are asked now.

Shards of other versions, commands or options, one that is there twice, one that is missing and one that did not finish are told in one line.

Exit codes: those of the analysis; 2 where the shards do not belong together or some are missing.

Examples:
  labrys merge out/shard-* -o out
  labrys merge out/shard-* out/asked-* --format sarif -o out";
