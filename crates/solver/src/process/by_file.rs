//! Solvers that read one script from a file: a process for each question.
//!
//! The script ends with an echo, as on a pipe, so that an answer is told from one that was cut off. Values are asked for in a second
//! run, because behind `unsat` the question for them is an error.

use std::io::Write;
use std::time::Instant;

use super::connection::Connection;
use super::reply::{self, Verdict};
use super::solver::{Answer, SmtProcess, why};
use crate::Why;

/// What ends the answer.
const CHECKED: &str = "checked";

impl SmtProcess {
    /// As [`SmtProcess::ask`] on a pipe.
    pub(super) fn ask_by_file(
        &self,
        logic: &str,
        script: &str,
        values: Option<&str>,
        deadline: Instant,
    ) -> Result<Answer, Why> {
        let check = format!("(set-logic {logic})\n{script}\n(check-sat)\n(echo \"{CHECKED}\")\n");
        match reply::verdict(&self.run_file(&check, CHECKED, deadline)?)? {
            Verdict::Unsat => return Ok(Answer::Unsat),
            Verdict::Unknown => return Err(Why::Incomplete("it gives no reason".to_owned())),
            Verdict::Sat => {}
        }
        let Some(values) = values else { return Ok(Answer::Sat(String::new())) };
        let again = format!("(set-option :produce-models true)\n{check}{values}\n(echo \"values\")\n");
        let output = self.run_file(&again, "values", deadline)?;
        let behind = |line: &&str| line.trim().trim_matches('"') != CHECKED;
        let text: String = output.lines().skip_while(behind).skip(1).flat_map(|line| [line, "\n"]).collect();
        Ok(Answer::Sat(text))
    }

    /// Runs the solver on a script; what it says before the sentinel.
    fn run_file(&self, text: &str, sentinel: &str, deadline: Instant) -> Result<String, Why> {
        let written = tempfile::Builder::new().prefix("labrys-").suffix(".smt2").tempfile().and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            Ok(file)
        });
        let file = written.map_err(|error| Why::Missing(format!("no temporary file: {error}")))?;
        let mut args = self.config.args.clone();
        args.push(file.path().into());
        let address_space = (self.config.memory_mib > 0).then_some(self.config.memory_mib << 20);
        let mut connection = Connection::open(&self.config.executable, &args, address_space).map_err(why)?;
        connection.exchange("", sentinel, deadline, self.config.patience).map_err(why)
    }
}
