//! The solver's answers on disk: a run of a whole program with an output folder that was killed goes on where it was.
//!
//! **Why answers.** Execution is deterministic but for what the solver says and when. With its answers at hand a run that begins anew takes the same paths,
//! in the same order and with the same inputs, up to where the last one was killed, at the speed of execution alone, and nothing that hangs on their order
//! (which input stands for a path, which violation came first) has to be put together from parts. What is kept are facts about formulas, by
//! the formulas themselves ([`labrys_executor::Answers`]): code and options that have changed in between make no answer wrong.
//!
//! They are in the folder's store ([`crate::library::Store`]), in a table of their own, under the same checks: an answer with a wrong checksum is none. Answers are
//! written together every [`INTERVAL`]; what was not on disk is asked again. What was *not* decided in its time is kept until the run has
//! come to its end, and asked once more by the next one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use labrys_executor::{Answers, Fingerprint};
use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::AnalysisError;
use crate::library::{Hash, Store, StoreError, options_hash};

/// How long answers are gathered before they are written.
const INTERVAL: Duration = Duration::from_millis(100);

/// A folder's answers.
#[derive(Debug)]
pub(crate) struct KeptAnswers {
    store: Store,
    /// Of labrys' version and executable: another one's answers are not looked at, for its solver may have been wrong.
    version: Hash,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Not on disk yet: the answer, and whether it is a fact.
    gathered: HashMap<Fingerprint, (Vec<u8>, bool)>,
    written: Instant,
    /// Why nothing is kept any more.
    failure: Option<String>,
}

/// The answers of the folder that a run writes into, if there is one.
///
/// # Errors
///
/// Where the folder's store cannot be used.
pub(crate) fn kept_answers(output: Option<&Path>) -> Result<Option<Arc<KeptAnswers>>, AnalysisError> {
    let opened = output.map(|folder| KeptAnswers::open(folder).map(Arc::new)).transpose();
    opened.map_err(|error| AnalysisError::Usage(error.to_string()))
}

/// The size and the time, in milliseconds since 1970, of the executable that runs.
fn executable() -> Option<(u64, u64)> {
    let metadata = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((metadata.len(), modified.as_millis() as u64))
}

impl KeptAnswers {
    fn open(folder: &Path) -> Result<KeptAnswers, StoreError> {
        let store = Store::open(folder)?;
        store.with(|connection| {
            connection.execute_batch(
                "CREATE TABLE IF NOT EXISTS answers (
                     question BLOB NOT NULL, version BLOB NOT NULL, answer BLOB NOT NULL, is_fact INTEGER NOT NULL,
                     checksum BLOB NOT NULL, PRIMARY KEY (question, version)
                 ) STRICT, WITHOUT ROWID;",
            )
        })?;
        let state = State { gathered: HashMap::new(), written: Instant::now(), failure: None };
        Ok(KeptAnswers { store, version: options_hash(&("answers", executable()))?, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what was gathered, all or nothing.
    fn write(&self, state: &mut State) {
        state.written = Instant::now();
        if state.failure.is_some() || state.gathered.is_empty() {
            return state.gathered.clear();
        }
        let rows: Vec<_> = state.gathered.drain().collect();
        let written = self.store.with(|connection| {
            let transaction = connection.unchecked_transaction()?;
            for (question, (answer, is_fact)) in &rows {
                let checksum = checksum(question, &self.version, answer, *is_fact);
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO answers VALUES (?1, ?2, ?3, ?4, ?5)")?
                    .execute(params![question, self.version, answer, is_fact, checksum])?;
            }
            transaction.commit()
        });
        if let Err(error) = written {
            state.failure = Some(error.to_string());
        }
    }

    /// The run has come to its end: what was not decided is forgotten. Why answers are missing, if some are.
    pub(crate) fn finish(&self) -> Option<String> {
        let mut state = self.state();
        self.write(&mut state);
        let forgotten = self.store.with(|connection| {
            connection.execute("DELETE FROM answers WHERE is_fact = 0 OR version != ?1", params![self.version])
        });
        let failure = state.failure.take().or_else(|| forgotten.err().map(|error| error.to_string()));
        failure.map(|why| format!("a run after this one begins anew: {why}"))
    }
}

fn checksum(question: &Fingerprint, version: &Hash, answer: &[u8], is_fact: bool) -> Hash {
    let mut hash = Sha256::new();
    hash.update(question);
    hash.update(version);
    hash.update([u8::from(is_fact)]);
    hash.update(answer);
    hash.finalize().into()
}

impl Answers for KeptAnswers {
    fn recall(&self, question: &Fingerprint) -> Option<Vec<u8>> {
        let state = self.state();
        if let Some((answer, _)) = state.gathered.get(question) {
            return Some(answer.clone());
        }
        let found = self.store.with(|connection| {
            connection
                .prepare_cached("SELECT answer, is_fact, checksum FROM answers WHERE question = ?1 AND version = ?2")?
                .query_row(params![question, self.version], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, bool>(1)?, row.get::<_, Vec<u8>>(2)?))
                })
                .optional()
        });
        let (answer, is_fact, found) = found.ok()??;
        (found[..] == checksum(question, &self.version, &answer, is_fact)).then_some(answer)
    }

    fn keep(&self, question: &Fingerprint, answer: Vec<u8>, is_fact: bool) {
        let mut state = self.state();
        state.gathered.insert(*question, (answer, is_fact));
        if state.written.elapsed() >= INTERVAL {
            self.write(&mut state);
        }
    }
}

impl Drop for KeptAnswers {
    fn drop(&mut self) {
        let mut state = self.state();
        self.write(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(folder: &Path) -> KeptAnswers {
        KeptAnswers::open(folder).expect("opens")
    }

    #[test]
    fn answers_survive_and_what_was_not_decided_does_not_survive_the_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answers = opened(folder.path());
        answers.keep(&[1; 32], vec![7, 8], true);
        answers.keep(&[2; 32], vec![9], false);
        assert_eq!(answers.recall(&[1; 32]), Some(vec![7, 8]));
        drop(answers);
        let answers = opened(folder.path());
        assert_eq!((answers.recall(&[1; 32]), answers.recall(&[2; 32])), (Some(vec![7, 8]), Some(vec![9])));
        assert_eq!(answers.recall(&[3; 32]), None);
        assert_eq!(answers.finish(), None);
        drop(answers);
        let answers = opened(folder.path());
        assert_eq!((answers.recall(&[1; 32]), answers.recall(&[2; 32])), (Some(vec![7, 8]), None));
    }

    #[test]
    fn a_damaged_answer_and_another_versions_are_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answers = opened(folder.path());
        answers.keep(&[1; 32], b"unsat".to_vec(), true);
        answers.keep(&[2; 32], b"unsat".to_vec(), true);
        answers.write(&mut answers.state());
        let damage = "UPDATE answers SET answer = x'7573' WHERE question = ?1";
        answers.store.with(|connection| connection.execute(damage, params![[1u8; 32]])).expect("writable");
        let other = "UPDATE answers SET version = ?1 WHERE question = ?2";
        answers.store.with(|connection| connection.execute(other, params![[0u8; 32], [2u8; 32]])).expect("writable");
        assert_eq!((answers.recall(&[1; 32]), answers.recall(&[2; 32])), (None, None));
    }

    #[test]
    fn a_full_disk_is_told_and_ends_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let answers = opened(folder.path());
        answers.store.with(|connection| connection.pragma_update(None, "max_page_count", 8)).expect("accepted");
        answers.keep(&[1; 32], vec![0; 100_000], true);
        answers.keep(&[2; 32], vec![1], true);
        assert!(answers.finish().is_some_and(|why| why.contains("no space left")));
    }
}
