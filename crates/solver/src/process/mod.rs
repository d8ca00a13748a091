//! An SMT-LIB solver as a process: z3, or any other that reads scripts from its standard input.
//!
//! One long-lived process answers many queries, each of them `(reset)` and the whole script, never incrementally:
//! incremental use switches z3 to a weaker engine for nonlinear reals (measured: 5.4 s and an unknown against 0.96 s and
//! none). Seeds are fixed, the working limit is z3's `rlimit`, and over the reals z3 is told its strategy
//! (`script::CHECK_REALS`), so that an answer depends on the query alone. Limits on
//! time are backstops: the configuration's on the time that the process had for itself ([`ProcessConfig::patience`]), which a
//! busy machine does not use up, and the query's own on wall-clock time. An answer lost to them says so ([`Why::Wall`]).
//!
//! Whatever the process does costs one query: it may be missing, die, hang, close its output, or answer nonsense; the
//! next query starts a new one. A process that dies before it has written a word of its answer, and that had answered
//! before, is replaced and asked once more: it may have died between the queries.

mod by_file;
mod connection;
mod locate;
mod own_time;
mod reply;
pub(crate) mod script;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::{Limits, Why};
use connection::{Connection, Failure};
pub use locate::{find_z3, z3_version};
use reply::Verdict;

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
    fn check(self, logic: &str) -> &'static str {
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
    /// Adds up what queries over the floats took, in the unit of [`Limits::work`], where the solver tells (z3 does). What a query took
    /// that it did not answer is not in it.
    pub spent: Arc<AtomicU64>,
}

impl ProcessConfig {
    /// z3, as [`find_z3`] finds it, with a patience of ten seconds; where there is none, queries are answered by
    /// [`Why::Missing`].
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

/// What the solver said, models still as text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// Satisfiable, with the values that were asked for.
    Sat(String),
    /// Unsatisfiable.
    Unsat,
}

/// A solver behind a pipe. Starts its process at the first query; implements [`crate::RealSolver`] and
/// [`crate::FloatSolver`].
#[derive(Debug)]
pub struct SmtProcess {
    config: ProcessConfig,
    connection: Option<Connection>,
    /// Numbers the queries, so that a late answer to one cannot pass for the next one's.
    queries: u64,
}

/// z3 is the solver that is meant where nothing else is said.
pub type Z3 = SmtProcess;

impl SmtProcess {
    /// A solver that runs as `config` says.
    pub fn new(config: ProcessConfig) -> SmtProcess {
        SmtProcess { config, connection: None, queries: 0 }
    }

    /// Asks whether `script` (declarations and assertions, no commands) is satisfiable, and if it is, for what
    /// `values` asks.
    fn ask(&mut self, logic: &str, script: &str, values: Option<&str>, limits: &Limits) -> Result<Answer, Why> {
        self.queries += 1;
        let start = Instant::now();
        let deadline = start + limits.wall + self.config.margin;
        if self.config.reads == Reads::File {
            return self.ask_by_file(logic, script, values, deadline);
        }
        let tells_work = self.config.dialect == Dialect::Z3 && logic != script::REAL_LOGIC;
        let check = format!(
            "(reset)\n{}(set-logic {logic})\n{script}\n{}\n{}(echo \"checked {}\")\n",
            self.options(limits),
            self.config.dialect.check(logic),
            if tells_work { "(get-info :rlimit)\n" } else { "" },
            self.queries
        );
        let mut output = self.exchange(&check, &format!("checked {}", self.queries), deadline, true)?;
        if let Some(work) = tells_work.then(|| reply::take_work(&mut output)).flatten() {
            self.config.spent.fetch_add(work, Ordering::Relaxed);
        }
        let verdict = reply::verdict(&output).inspect_err(|_| self.connection = None)?;
        let (command, sentinel) = match verdict {
            Verdict::Unsat => return Ok(Answer::Unsat),
            Verdict::Sat => match values {
                Some(command) => (command, format!("values {}", self.queries)),
                None => return Ok(Answer::Sat(String::new())),
            },
            Verdict::Unknown => ("(get-info :reason-unknown)", format!("reason {}", self.queries)),
        };
        let text = format!("{command}\n(echo \"{sentinel}\")\n");
        let output = self.exchange(&text, &sentinel, deadline, false)?;
        match verdict {
            Verdict::Unknown => Err(reply::reason_unknown(&output, limits.work > 0 && start.elapsed() < limits.wall)),
            _ => Ok(Answer::Sat(output)),
        }
    }

    /// Whether the solver answers at all: asks a query without assertions.
    ///
    /// # Errors
    ///
    /// Why there is no answer, or no sensible one.
    pub fn probe(&mut self, wall: Duration) -> Result<(), Why> {
        self.ask("QF_NRA", "", None, &Limits { wall, ..Limits::default() }).map(drop)
    }

    fn options(&self, limits: &Limits) -> String {
        let seed = self.config.seed;
        let mut options = "(set-option :print-success false)\n(set-option :produce-models true)\n".to_owned();
        match self.config.dialect {
            Dialect::Z3 => {
                for module in ["smt.random_seed", "sat.random_seed", "nlsat.seed"] {
                    options += &format!("(set-option :{module} {seed})\n");
                }
                options += &format!("(set-option :rlimit {})\n", limits.work.min(u64::from(u32::MAX)));
                // z3 reads 4294967295 ms as no limit.
                let milliseconds = limits.wall.as_millis().clamp(1, u128::from(u32::MAX));
                options += &format!("(set-option :timeout {milliseconds})\n");
                options += &format!("(set-option :memory_max_size {})\n", limits.memory_mib);
            }
            Dialect::Standard => {
                options += &format!("(set-option :random-seed {seed})\n");
                if limits.work > 0 {
                    options += &format!("(set-option :reproducible-resource-limit {})\n", limits.work);
                }
            }
        }
        options
    }

    /// One exchange with the process, which is started if there is none; after any failure there is none again.
    fn exchange(&mut self, text: &str, sentinel: &str, deadline: Instant, may_restart: bool) -> Result<String, Why> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.open()?,
        };
        let had_answered = connection.exchanges > 0;
        match connection.exchange(text, sentinel, deadline, self.config.patience) {
            Ok(output) => {
                self.connection = Some(connection);
                Ok(output)
            }
            Err(Failure::Died { silent: true, .. }) if had_answered && may_restart => {
                drop(connection);
                self.exchange(text, sentinel, deadline, false)
            }
            Err(failure) => Err(why(failure)),
        }
    }

    fn open(&self) -> Result<Connection, Why> {
        let address_space = (self.config.memory_mib > 0).then_some(self.config.memory_mib << 20);
        Connection::open(&self.config.executable, &self.config.args, address_space).map_err(why)
    }
}

fn why(failure: Failure) -> Why {
    match failure {
        Failure::Missing(what) => Why::Missing(what),
        Failure::Died { how, .. } if reply::is_about_memory(&how) => Why::Memory,
        Failure::Died { how, .. } => Why::Crash(how),
        Failure::Overdue => Why::Wall,
        Failure::Flood => Why::Garbage("output without end".to_owned()),
    }
}
