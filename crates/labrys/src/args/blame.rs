//! Options of `blame`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::duration;

/// Options of `blame`.
#[derive(Debug, Args)]
#[command(after_long_help = BLAMED)]
pub struct BlameArgs {
    /// A finding that diff with -o DIR wrote. What is found out is written into it.
    #[arg(value_name = "FINDING.json")]
    pub finding: PathBuf,

    /// How long builds may be tried, once those that were compared are made again. Waiting for processors that other programs use does
    /// not count, up to four times as long by the clock on the wall.
    #[arg(long, value_name = "TIME", default_value = "60s", allow_hyphen_values = true, value_parser = duration)]
    pub time: Duration,

    /// Take whatever compilers, flags, objects and libraries the report's command names, and of a library what its run built in its
    /// output folder. Only for reports whose authors you would let run programs as you.
    #[arg(long)]
    pub trust: bool,
}

const BLAMED: &str = "\
The code is built otherwise, at most 64 times, and each build runs the finding's witness. What is named was observed: with these flags the
builds differ, and without any one of them they do not; up to this pass of LLVM's the variant differs, and with those before it alone it does
not. Of a library one source is made otherwise, the rest as the baseline is; without --trust the library is built anew first.
diff does the same for each finding as it runs, unless it is told --no-blame.

Exit codes: 0 it is known what makes the finding, 1 it is not (why is said), 2 usage or environment error.";
