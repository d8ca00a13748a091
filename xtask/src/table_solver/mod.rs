//! `cargo xtask table solver`: labrys and its peers on the same files, under the same limits, one after the other.
//!
//! Files and peers that are missing are fetched or made first; the binary is not, since it is what is measured.
//!
//! Time is wall time of the whole process. A peer runs once, under the longest limit: what it had not answered within a shorter one
//! counts as not solved there, since none of the three searches differently under another limit. labrys runs under each limit, since
//! its portfolio plans with the time it has. `labrys-certify` is labrys with `--certify`, and no peer.

mod answer;
mod contest;
mod cost;
mod file;
mod marks;
mod peers;
mod record;
mod report;

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::corpus;

use contest::Solver;
use file::File;
pub use peers::{install as install_peers, python};
use record::Record;

/// What to measure.
#[derive(Args, Debug)]
pub struct Request {
    /// Time limits in seconds, as `24s,2s`.
    #[arg(long, value_delimiter = ',', default_value = "24s,2s", value_parser = seconds)]
    limit: Vec<u32>,
    /// Only the families whose names begin so, as `generated/sums`; may be given more than once.
    #[arg(long)]
    family: Vec<String>,
    /// Which solvers, labrys among them or not.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "labrys,labrys-certify,bitwuzla,cvc5,z3")]
    solvers: Vec<Solver>,
    /// Take what this machine measured before for peers on files that did not change, instead of measuring it again.
    #[arg(long)]
    reuse_peers: bool,
    /// Take what was measured before for labrys too, to print the table again.
    #[arg(long)]
    reuse_all: bool,
    /// List every file, not the families alone.
    #[arg(long)]
    files: bool,
}

/// `24s` or `24`.
fn seconds(text: &str) -> Result<u32, String> {
    match text.trim_end_matches('s').parse() {
        Ok(0) | Err(_) => Err("expected seconds, as in 24s".to_owned()),
        Ok(seconds) => Ok(seconds),
    }
}

/// Makes a family's files; false where they are not what they should be.
type Maker = fn(&Path) -> Result<bool>;

/// Makes the families of which there are no files yet, but for those that were not asked for.
fn make_missing(root: &Path, prefixes: &[String]) -> Result<()> {
    let makers: [(&str, Maker); 3] = [
        ("generated", |root| corpus::generate(root, false)),
        ("bitwuzla", corpus::regressions),
        ("conditions", corpus::conditions),
    ];
    for (name, make) in makers {
        let wanted =
            prefixes.is_empty() || prefixes.iter().any(|prefix| prefix.starts_with(name) || name.starts_with(prefix));
        if wanted && !root.join("target/corpus/smt").join(name).exists() && !make(root)? {
            bail!("the files of {name} are not what they should be");
        }
    }
    Ok(())
}

/// Measures, prints, and says whether every mark is reached.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    if request.solvers.iter().any(|solver| !solver.is_peer()) && !crate::labrys(root).is_file() {
        bail!("no labrys to measure: build it with cargo build --release");
    }
    make_missing(root, &request.family)?;
    let files = File::all(root, &request.family)?;
    if files.is_empty() {
        bail!("no family's name begins so");
    }
    let mut limits = request.limit.clone();
    limits.sort_unstable_by_key(|&limit| std::cmp::Reverse(limit));
    limits.dedup();
    if request.solvers.iter().any(|solver| solver.is_peer()) {
        peers::install(root)?;
    }
    let mut record = Record::load(root)?;
    for &solver in &request.solvers {
        let measured = if solver.is_peer() { &limits[..1] } else { &limits[..] };
        let reuse = request.reuse_all || request.reuse_peers && solver.is_peer();
        for &limit in measured {
            contest::measure(root, solver, limit, &files, &mut record, reuse)?;
        }
    }
    let mut reached = true;
    for &limit in &limits {
        let standings = report::standings(&request.solvers, limit, limits[0], &files, &record);
        report::print(&standings, limit, request.files);
        cost::print(&files, limit, &record);
        reached &= marks::judge(&standings);
    }
    Ok(reached)
}
