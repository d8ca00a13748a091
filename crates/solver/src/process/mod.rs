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

mod answers;
mod by_file;
mod config;
mod connection;
mod locate;
mod own_time;
mod reply;
pub(crate) mod script;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tracing::debug;

use crate::told::LOG;
use crate::{Limits, Why};
pub use config::{Dialect, ProcessConfig, Reads};
use connection::{Connection, Failure};
pub use locate::{find_z3, z3_version};
use reply::Verdict;

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
                debug!(target: LOG, solver = %self.config.executable.display(), "it died between queries: started again");
                self.exchange(text, sentinel, deadline, false)
            }
            Err(failure) => Err(why(failure)),
        }
    }

    fn open(&self) -> Result<Connection, Why> {
        debug!(target: LOG, solver = %self.config.executable.display(), "started");
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
