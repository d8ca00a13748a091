//! Options of `slurm`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::duration;

/// Options of `slurm`. Those behind the analysis' name are taken out of its words, wherever they stand.
#[derive(Debug, Args)]
#[command(after_long_help = WRITTEN)]
pub struct SlurmArgs {
    /// How many tasks the array of jobs has.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tasks: u32,

    /// How long a task may run before Slurm ends it: 90m, 2h. It stops shortly before, is queued again, and goes on where it was.
    /// Default: what the cluster says.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,

    /// How often a task is queued again that was killed or ran out of time.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub restarts: u32,

    /// A further option of every job, as sbatch takes it: --sbatch=--partition=long; may be repeated.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,

    /// Submit the jobs. Else they are only written.
    #[arg(long)]
    pub submit: bool,

    /// The folder for scripts, logs, shards and the report: on a file system that all nodes share.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// What is run: diff, exceptions or accuracy of a library, with their own options (exceptions -p build/ --entry 'gsl_sf_*'); or, of a campaign
    /// that was submitted, status DIR.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ANALYSIS", required = true)]
    pub words: Vec<String>,
}

const WRITTEN: &str = "\
  labrys slurm diff|exceptions|accuracy -p BUILD -o DIR ...
      writes a campaign, a library run in parts, into DIR; with --submit it is submitted. Needs a folder with compile_commands.json
      (-p), a folder that all nodes see (-o), and labrys and the compilers at the same place on each node
  labrys slurm status DIR
      shows how far each shard of the campaign in DIR is, from the shards' folders. Needs no Slurm

A campaign writes into the folder of -o: build.sbatch, which builds the library once; functions.sbatch, an array with a shard in each task;
of exceptions callers.sbatch, an array that asks public functions for what was found in others; merge.sbatch, which makes the report; and
submit.sh, which submits them, each after the one before, and is what --submit runs. Logs are in logs/. A task whose process is killed or whose time is over is
queued again; one that fails otherwise (a full disk) is not, and the merge then says what is missing: mend that and run submit.sh
again, finished shards cost nothing.

Everything behind the analysis' name goes to the analysis, but for the options above: --time is a task's. What a function may take says
--function-time (default 15s), how many processors a task has says --jobs (default 2).

Exit codes: 0 written, or submitted; 2 usage or environment error. Of status: 0 everything has finished, 3 something has not.

Examples:
  labrys slurm exceptions -p build/ --entry 'gsl_sf_*' --tasks 64 --time 2h --function-time 2m -o out/ --submit
  labrys slurm status out/";
