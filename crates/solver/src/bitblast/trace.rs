//! What CaDiCaL derives, written down as a proof.
//!
//! CaDiCaL numbers the clauses that it is given and those that it derives with one counter, and may derive some while it is given
//! others. Here the former keep the numbers of their order, and the latter get ones behind them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustsat_cadical::{CaDiCaLClause, ClauseId, TraceProof};

use crate::lrat::Writer;

/// Why a proof is not whole.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is larger than it may be.
    Large,
    /// The file cannot be written.
    File(io::Error),
    /// A clause was taken back that had been removed for good: proofs have no step for that.
    Restored,
}

/// A proof in the making.
pub(super) struct Trace {
    writer: Writer<BufWriter<File>>,
    /// CaDiCaL's numbers of the clauses that it was given, ascending.
    given: Vec<i64>,
    /// How many clauses it is given in all.
    clauses: u64,
    /// Bytes that the proof may have.
    largest: u64,
    fault: Option<Fault>,
    /// Set where the proof cannot become whole any more.
    hopeless: Arc<AtomicBool>,
}

impl Trace {
    /// A proof, of at most `largest` bytes, about as many clauses as `clauses`, which are added after this.
    pub fn new(file: File, clauses: u64, largest: u64) -> Trace {
        Trace {
            writer: Writer::new(BufWriter::with_capacity(1 << 16, file)),
            given: Vec::new(),
            clauses,
            largest,
            fault: None,
            hopeless: Arc::default(),
        }
    }

    /// Becomes true where the proof cannot become whole any more.
    pub fn hopeless(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.hopeless)
    }

    /// The file, with all that was written.
    ///
    /// # Errors
    ///
    /// Why that is not the whole proof.
    pub fn finish(self) -> Result<File, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut output = self.writer.into_output();
        output.flush().map_err(Fault::File)?;
        output.into_inner().map_err(|error| Fault::File(error.into_error()))
    }

    /// Our number of a clause.
    fn number(given: &[i64], clauses: u64, id: ClauseId) -> u64 {
        let place = match given.last() {
            Some(last) if id.0 <= *last => given.binary_search(&id.0).ok(),
            _ => None,
        };
        place.map_or_else(|| clauses + id.0.unsigned_abs(), |place| place as u64 + 1)
    }

    fn write(&mut self, step: impl FnOnce(&mut Writer<BufWriter<File>>, &[i64]) -> io::Result<()>) {
        if self.fault.is_some() {
            return;
        }
        match step(&mut self.writer, &self.given) {
            Err(error) => self.give_up(Fault::File(error)),
            Ok(()) if self.writer.bytes() > self.largest => self.give_up(Fault::Large),
            Ok(()) => {}
        }
    }

    fn give_up(&mut self, fault: Fault) {
        self.fault = Some(fault);
        self.hopeless.store(true, Ordering::Relaxed);
    }
}

impl TraceProof for Trace {
    fn add_original_clause(&mut self, id: ClauseId, _redundant: bool, _clause: &CaDiCaLClause, restored: bool) {
        if restored {
            self.give_up(Fault::Restored);
        } else {
            self.given.push(id.0);
        }
    }

    fn add_derived_clause(&mut self, id: ClauseId, _redundant: bool, clause: &CaDiCaLClause, antecedents: &[ClauseId]) {
        let clauses = self.clauses;
        self.write(|writer, given| {
            let hints = antecedents.iter().map(|hint| Trace::number(given, clauses, *hint));
            writer.add(Trace::number(given, clauses, id), clause.iter().map(|literal| literal.to_ipasir()), hints)
        });
    }

    fn delete_clause(&mut self, id: ClauseId, _redundant: bool, _clause: &CaDiCaLClause) {
        let clauses = self.clauses;
        self.write(|writer, given| writer.delete(std::iter::once(Trace::number(given, clauses, id))));
    }
}
