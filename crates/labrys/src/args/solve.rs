//! Options of `solve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

/// Which engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// All of them, in a race over two threads.
    Portfolio,
    /// Interval propagation and search.
    Interval,
    /// Circuits decided by CDCL (CaDiCaL).
    Bitblast,
    /// Stochastic local search: finds models; proves something only where it can try all assignments.
    Local,
}

/// Labelling orders of the interval engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Labelling {
    /// The variable that was in most conflicts of late.
    Conflicts,
    /// The one with most values left.
    LargestDomain,
    /// The one with fewest values left.
    SmallestDomain,
    /// The one in most constraints.
    MostConstrained,
    /// The order of declaration.
    Declared,
}

/// Options of `solve`.
#[derive(Debug, Args)]
#[command(after_long_help = SOLVE_HELP)]
pub struct SolveArgs {
    /// A script in SMT-LIB 2.6; `-` reads commands from standard input and answers each at once.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Which engine decides.
    #[arg(long, value_enum, default_value_t = Engine::Portfolio)]
    pub engine: Engine,

    /// Which variable the interval engine cuts next. Changes how soon an answer comes, never the answer.
    #[arg(long, value_enum, value_name = "ORDER", default_value = "conflicts")]
    pub labelling: Labelling,

    /// Narrow sums by inverse projections alone, without the ULP-maximum: to measure what that is worth.
    #[arg(long)]
    pub no_ulp_maximum: bool,

    /// A bound on the whole run, reading included: 250ms, 24s, 5m. What is not decided then is unknown. Default: none.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::duration)]
    pub time: Option<Duration>,

    /// A bound on the solver's memory: 512m, 4g. What is not decided within it is unknown. Default: none.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = mebibytes)]
    pub memory: Option<u64>,

    /// The seed of every random choice: equal seeds give equal searches.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    pub seed: u64,

    /// The same model in every run with the same seed, however busy the machine is. Slower: where circuits find a model, the
    /// fixed work of the other engines is waited for
    #[arg(long)]
    pub reproducible: bool,

    /// Before each answer, print what propagation alone knows about each declared constant, as comments.
    #[arg(long)]
    pub show_domains: bool,

    /// After each answer, print what was done to find it to stderr, as comments.
    #[arg(long)]
    pub stats: bool,

    /// Compare each answer with the last (set-info :status …); exit 1 where they contradict each other.
    #[arg(long)]
    pub check_status: bool,

    /// Let the script name any file as an output channel, there already or not: it is appended to.
    #[arg(long)]
    pub trust: bool,

    /// Answer unsat only where a small engine of images of boxes, or a proof about circuits that was checked, refutes the query once
    /// more, and say on stderr what each answer rests on. Slower. What is not certified is unknown
    #[arg(long)]
    pub certify: bool,

    /// A bound on a proof's size with --certify: 512m, 4g. An answer whose proof would be larger is unknown.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = "4g", value_parser = mebibytes)]
    pub proof_limit: u64,

    /// Leave the clauses of each check that --certify found unsat in this folder, check-0001.cnf in DIMACS' format, and
    /// their proof, check-0001.lrat in LRAT's binary one.
    #[arg(long, value_name = "DIR", requires = "certify")]
    pub proof: Option<PathBuf>,

    /// Write the query of each check as a script into this folder.
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,
}

const SOLVE_HELP: &str = "\
Decides scripts of quantifier-free constraints over floating-point numbers, bit vectors, Booleans and arrays: the logics
QF_FP, QF_BV, QF_BVFP, QF_ABV, QF_ABVFP, and reals in conversions from literals and comparisons (QF_FPLRA, …).

Floating point is IEEE 754's, bit for bit, in every format (_ FloatingPoint e s) with e up to 24 and s up to 65536, and
all five rounding modes, which may be variables. `sat` comes with a model that was evaluated in exact arithmetic,
`unsat` is a proof, `unknown` says why: (get-info :reason-unknown). What SMT-LIB leaves open (fp.min of two different
zeros, fp.to_ubv out of range, …) is a function that the solver may choose.

Commands: set-logic, set-option, set-info, declare-const, declare-fun (constants), define-const, define-fun, define-sort,
assert, push, pop, check-sat, check-sat-assuming, get-model, get-value, get-unsat-core, get-unsat-assumptions,
get-assertions, get-assignment, get-info, get-option, echo, reset, reset-assertions, exit. Others are answered
`unsupported`; where an answer would depend on one, it is unknown.

Options that scripts may set: :print-success, :produce-models, :produce-unsat-cores, :produce-unsat-assumptions,
:produce-assertions, :produce-assignments, :global-declarations, :random-seed, :regular-output-channel,
:diagnostic-output-channel, :verbosity, :reproducible-resource-limit (in steps of the engines), and a bound on each check in
milliseconds, :timeout. Others are answered `unsupported`. A channel is \"stdout\", \"stderr\" or a file: without --trust one
that is not there yet, below the current folder, and ends in .txt, .out, .log, .err, .res or .smt2; or /dev/null. In scripts
that say (set-info :smt-lib-version 2.0) a backslash quotes in strings, and :interactive-mode is :produce-assertions.

--certify says on stderr what each answer rests on. `certified: the model was evaluated` rests on the parser and exact
arithmetic. `certified: trusts …` names what an unsat takes for granted; neither CaDiCaL nor the interval engine is among
it. `not certified: …` says why an answer is unknown though the engines know of no model.

Exit codes: 10 the last answer was sat, 20 unsat, 0 unknown or none; 1 an answer contradicts :status (--check-status);
2 usage or environment error or a malformed script, whose line, column and fault are said in one line on stderr.

Examples:
  labrys solve q.smt2
  labrys solve q.smt2 --time 24s --memory 4g --stats
  labrys solve q.smt2 --engine interval --show-domains
  labrys solve q.smt2 --certify --proof proofs
  echo '(declare-const x Float64)(assert (fp.lt x (fp.sqrt RNE x)))(check-sat)(get-value (x))' | labrys solve -";

/// Reads 512m, 4g, 4GiB: mebibytes.
fn mebibytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 3] = [("m", 1.0), ("g", 1024.0), ("t", 1_048_576.0)];
    let lower = text.trim().to_ascii_lowercase();
    let short = lower.trim_end_matches("ib").trim_end_matches('b');
    UNITS
        .iter()
        .find_map(|(unit, factor)| Some(short.strip_suffix(unit)?.trim().parse::<f64>().ok()? * factor))
        .filter(|size| (1.0..1e12).contains(size))
        .map(|size| size as u64)
        .ok_or_else(|| format!("`{text}` is no size such as 512m or 4g, of 1m or more"))
}

#[cfg(test)]
mod tests {
    use super::mebibytes;

    #[test]
    fn sizes_have_units() {
        assert_eq!(mebibytes("512m"), Ok(512));
        assert_eq!(mebibytes("4g"), Ok(4096));
        assert_eq!(mebibytes("1.5GiB"), Ok(1536));
        for wrong in ["4", "-4g", "0m", "g", "4x", "infg", "nang", "1e300g", ""] {
            assert!(mebibytes(wrong).is_err(), "{wrong}");
        }
    }
}
