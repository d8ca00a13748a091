//! The exchange with the process: scripts there, answers back.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tracing::debug;

use super::config::{Dialect, ProcessConfig, Reads};
use super::connection::{Connection, Failure};
use super::reply::{self, Verdict};
use super::script;
use crate::told::LOG;
use crate::{Limits, Why};

/// What the solver said, models still as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Satisfiable, with the values that were asked for.
    Sat(String),
    /// Unsatisfiable.
    Unsat,
}

/// A solver behind a pipe. Starts its process at the first query; implements [`crate::RealSolver`] and
/// [`crate::FloatSolver`].
#[derive(Debug)]
pub struct SmtProcess {
    pub(super) config: ProcessConfig,
    pub(super) connection: Option<Connection>,
    /// Numbers the queries, so that a late answer to one cannot pass for the next one's.
    pub(super) queries: u64,
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
    pub(super) fn ask(
        &mut self,
        logic: &str,
        script: &str,
        values: Option<&str>,
        limits: &Limits,
    ) -> Result<Answer, Why> {
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

    pub(super) fn options(&self, limits: &Limits) -> String {
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

/// A failure as the reason of an unknown.
pub(super) fn why(failure: Failure) -> Why {
    match failure {
        Failure::Missing(what) => Why::Missing(what),
        Failure::Died { how, .. } if reply::is_about_memory(&how) => Why::Memory,
        Failure::Died { how, .. } => Why::Crash(how),
        Failure::Overdue => Why::Wall,
        Failure::Stopped => Why::Cancelled,
        Failure::Flood => Why::Garbage("output without end".to_owned()),
    }
}
