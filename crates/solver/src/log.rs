//! Writes every query as an SMT-LIB file, for `--dump-queries`.
//!
//! A file is named after its text, so that names do not depend on the order in which threads ask, and equal queries make
//! one file. Costs nothing when off.

use std::fs;
use std::path::PathBuf;

use labrys_term::{Store, TermId};

use crate::process::script;
use crate::{FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver};

/// A decorator that writes what it passes on.
#[derive(Debug)]
pub struct Log<S> {
    inner: S,
    folder: Option<PathBuf>,
}

impl<S> Log<S> {
    /// Writes the queries that go to `inner` into `folder`; nothing where there is none.
    pub fn new(inner: S, folder: Option<PathBuf>) -> Log<S> {
        Log { inner, folder }
    }

    fn write(&self, theory: &str, logic: &str, body: &str, outcome: &str) {
        let Some(folder) = &self.folder else { return };
        let text = format!("(set-logic {logic})\n{body}\n(check-sat)\n(get-model)\n");
        let name = format!("{theory}-{:016x}.smt2", fnv(text.as_bytes()));
        // The folder was writable when the run began; a dump that fails later must not end the run.
        let _ = fs::write(folder.join(name), format!("; {outcome}\n{text}"));
    }
}

impl<S: RealSolver> RealSolver for Log<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let outcome = self.inner.check_once(store, terms, limits);
        if self.folder.is_some() {
            let words = outcome.to_string().replace('\n', " ");
            self.write("real", script::REAL_LOGIC, &script::body(store, terms), &words);
        }
        outcome
    }
}

impl<S: FloatSolver> FloatSolver for Log<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let outcome = self.inner.check_once(store, terms, limits);
        if self.folder.is_some() {
            let words = outcome.to_string().replace('\n', " ");
            self.write("float", script::float_logic(store, terms), &script::body(store, terms), &words);
        }
        outcome
    }

    fn statistics(&self) -> Vec<(String, String)> {
        self.inner.statistics()
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
