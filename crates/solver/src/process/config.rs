//! How solvers are run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::locate::find_z3;
use super::script;

/// Which options a solver understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// z3's own options for seeds and limits.
    Z3,
    /// Those of SMT-LIB 2.6 alone: `:random-seed` and `:reproducible-resource-limit`.
    Standard,
}

impl Dialect {
    /// The command that decides a query of this logic.
    pub(super) fn check(self, logic: &str) -> &'static str {
        match self {
            Dialect::Z3 if logic == script::REAL_LOGIC => script::CHECK_REALS,
            Dialect::Z3 | Dialect::Standard => "(check-sat)",
        }
    }
}

/// How a solver is given its scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// One process reads one after the other from its standard input.
    Pipe,
    /// A process for each, with a file's name as its last argument.
    File,
}

/// How to run a solver.
#[derive(Clone, Debug)]
pub struct ProcessConfig {
    /// The executable.
    pub executable: PathBuf,
    /// Its arguments, which make it read SMT-LIB.
    pub args: Vec<OsString>,
    /// From where it reads.
    pub reads: Reads,
    /// Which options it understands.
    pub dialect: Dialect,
    /// Seed of all its random choices.
    pub seed: u32,
    /// Hard bound on its address space in mebibytes, 0 for none. A query's own limit should be smaller: over that one
    /// the solver stops by itself.
    pub memory_mib: u64,
    /// How long after a query's wall limit it may still answer before it is killed.
    pub margin: Duration,
    /// The longest that one query may take of the process' own time, in which waiting for a busy processor is not counted.
    pub patience: Duration,
    /// Adds up what queries over the floats took, in the unit of [`crate::Limits::work`], where the solver tells (z3 does). What a query took
    /// that it did not answer is not in it.
    pub spent: Arc<AtomicU64>,
}

impl ProcessConfig {
    /// z3, as [`find_z3`] finds it, with a patience of ten seconds; where there is none, queries are answered by
    /// [`crate::Why::Missing`].
    pub fn z3(seed: u32) -> ProcessConfig {
        ProcessConfig {
            executable: find_z3().unwrap_or_else(|| PathBuf::from("z3")),
            args: vec!["-smt2".into(), "-in".into()],
            reads: Reads::Pipe,
            dialect: Dialect::Z3,
            seed,
            memory_mib: 0,
            margin: Duration::from_millis(500),
            patience: Duration::from_secs(10),
            spent: Arc::default(),
        }
    }

    /// Bitwuzla's executable, with a patience of ten seconds.
    pub fn bitwuzla(executable: PathBuf) -> ProcessConfig {
        ProcessConfig {
            executable,
            args: vec!["--lang".into(), "smt2".into()],
            reads: Reads::File,
            dialect: Dialect::Standard,
            ..ProcessConfig::z3(0)
        }
    }
}
