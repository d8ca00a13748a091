//! Options of what executes whole programs symbolically.

use std::time::Duration;

use clap::Args;
use labrys_analysis::AnyArguments;

use super::duration;

/// What an execution may use up.
#[derive(Debug, Args)]
pub struct ExecutionArgs {
    /// A bound on everything, builds and native runs included: 60s, 5m, 1h. Waiting for processors that other programs use does not
    /// count, up to four times as long by the clock on the wall.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, default_value = "60s")]
    pub time: Duration,

    /// Memory in mebibytes, of the execution and of each native run.
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(64..))]
    pub memory: u64,

    /// How often a loop is run on one path. Without it, as often as it runs; with it, what lies behind is unknown, and the best verdict of verify
    /// is holds-within-bounds where the bound is reached.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub loop_bound: Option<u32>,

    /// Behind the arguments that are given, between MIN and MAX that may be any text of at most LENGTH bytes; for programs that are entered at main.
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "LENGTH"])]
    pub sym_args: Option<Vec<u64>>,

    /// Standard input has at most N bytes, which may be any, and is then at its end; for programs that are entered at main. Default: it is at its end.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=LONGEST_INPUT))]
    pub stdin: Option<u64>,

    /// How many paths are followed at most. Default: as many as there are.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_paths: Option<u64>,

    /// A bound on one native run.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, default_value = "10s")]
    pub run_timeout: Duration,

    /// The seed of every random choice.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Arguments that may be any, at most, and their length.
const MOST_ARGUMENTS: u64 = 64;
const LONGEST_ARGUMENT: u64 = 4096;
/// Bytes of standard input at most: what streams read ahead at once.
const LONGEST_INPUT: u64 = 4096;

impl ExecutionArgs {
    /// The arguments that may be any.
    ///
    /// # Errors
    ///
    /// Numbers that make no sense.
    pub fn any_arguments(&self) -> anyhow::Result<AnyArguments> {
        match self.sym_args.as_deref() {
            None => Ok(AnyArguments::default()),
            Some(&[least, most, length]) if least <= most && most <= MOST_ARGUMENTS && length <= LONGEST_ARGUMENT => {
                Ok(AnyArguments { least: least as usize, most: most as usize, length })
            }
            Some(_) => anyhow::bail!(
                "--sym-args takes MIN, MAX and LENGTH: MIN at most MAX, MAX at most {MOST_ARGUMENTS}, LENGTH at most {LONGEST_ARGUMENT}"
            ),
        }
    }

    /// How many paths are followed at most.
    pub fn max_paths(&self) -> usize {
        self.max_paths.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
    }
}
