//! The engine whose every `unsat` has a proof that was checked.
//!
//! **Claim.** [`Verdict::Unsat`] is said only where the checker ([`crate::lrat`]) has accepted a proof that the query's clauses
//! have no model. What remains to be trusted is that the clauses say what the query says: the circuits, which are simplified as they
//! are made and tested against exact arithmetic, the clauses made of them, and the checker. CaDiCaL is trusted only to leave this
//! process's memory alone. The query's facts are not read, because they are what propagation found, and nobody has checked that. Facts
//! that are used are lemmas: [`crate::prune`] proves them first, and then is trusted too.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::cnf::{Clauses, Encoder};
use super::one_shot::encode;
use super::sat::{Answer, Sat, Traced};
use super::statistics::Statistics;
use super::trace::{Fault, Trace};
use super::translate::Translator;
use crate::domain::Facts;
use crate::lrat::{Checked, Formula, Rejected, check};
use crate::prune::{BranchAndPrune, Pruned};
use crate::{Budget, Engine, Query, Verdict, Why};

/// Evaluations of operators that proving facts may take: about a second.
const PRUNING: u64 = 2_000_000;

/// Decides queries by circuits alone, and has its proofs checked.
#[derive(Debug)]
pub struct CertifyingBitBlaster {
    /// Bytes that a proof may have.
    largest: u64,
    /// Where the clauses and the proof are left: a path to which `.cnf` and `.lrat` are added.
    kept: Option<PathBuf>,
    /// Whether facts are proved first.
    proves_facts: bool,
    statistics: Statistics,
    checked: Option<Checked>,
    checking: Duration,
}

impl CertifyingBitBlaster {
    /// An engine whose proofs may have `largest` bytes.
    pub fn new(largest: u64) -> CertifyingBitBlaster {
        CertifyingBitBlaster {
            largest,
            kept: None,
            proves_facts: false,
            statistics: Statistics::default(),
            checked: None,
            checking: Duration::ZERO,
        }
    }

    /// Leaves clauses in `stem`.cnf, in DIMACS' format, and their proof in `stem`.lrat, in LRAT's binary one.
    pub fn keeping(self, stem: &Path) -> CertifyingBitBlaster {
        CertifyingBitBlaster { kept: Some(stem.to_owned()), ..self }
    }

    /// Proves facts by pruning, and specialises the circuits by them. Where they contradict each other there is nothing left for
    /// the circuits to prove.
    pub fn proving_facts(self) -> CertifyingBitBlaster {
        CertifyingBitBlaster { proves_facts: true, ..self }
    }

    fn decide(&mut self, query: &Query<'_>, budget: &Budget) -> Result<Verdict, Why> {
        let begun = Instant::now();
        let (mut translator, mut encoder, mut formula) = (Translator::new(), Encoder::new(), Formula::new());
        let mut facts = Facts::default();
        if self.proves_facts {
            match BranchAndPrune::prune(query, &Budget { work: PRUNING, ..budget.clone() }) {
                Pruned::Unsat => return Ok(Verdict::Unsat),
                Pruned::Facts(proved) => facts = proved,
                Pruned::Unknown(_) => {}
            }
        }
        let query = Query { facts: &facts, ..*query };
        let encoded = encode(&query, budget, &mut translator, &mut encoder, &mut formula);
        self.statistics = Statistics {
            gates: translator.gates.len() as u64,
            variables: encoder.variables(),
            clauses: encoder.clauses(),
            encoding: begun.elapsed(),
            ..Statistics::default()
        };
        (self.checked, self.checking) = (None, Duration::ZERO);
        encoded?;
        let begun = Instant::now();
        let file = self.proof_file(&formula).map_err(|error| unwritable(&error))?;
        let mut traced = Traced::new(budget.seed, Trace::new(file, formula.len() as u64, self.largest));
        for clause in formula.clauses() {
            traced.sat.add(clause);
        }
        let answer = traced.sat.solve(&[], budget);
        self.statistics.solving = begun.elapsed();
        self.statistics.conflicts = traced.sat.conflicts();
        match answer {
            Answer::Sat => Ok(Verdict::Sat(translator.model(query.store, |edge| {
                let of_literal = |sat: &Sat| encoder.literal(edge).map(|literal| sat.value(literal));
                edge.constant().or_else(|| of_literal(&traced.sat)).unwrap_or(false)
            }))),
            Answer::Unknown(why) => Err(traced.into_proof().err().map_or(why, |fault| self.unwritten(&fault))),
            Answer::Unsat(_) => {
                let proof = traced.into_proof().map_err(|fault| self.unwritten(&fault))?;
                self.verify(&formula, proof, budget)
            }
        }
    }

    /// Has the proof checked.
    fn verify(&mut self, formula: &Formula, mut proof: File, budget: &Budget) -> Result<Verdict, Why> {
        let begun = Instant::now();
        proof.rewind().map_err(|error| unwritable(&error))?;
        let checked = check(formula, BufReader::with_capacity(1 << 16, proof), budget);
        self.checking = begun.elapsed();
        self.checked = Some(checked.map_err(|fault| match fault {
            Rejected::Stopped(why) => why,
            fault => Why::Uncertified(fault.to_string()),
        })?);
        Ok(Verdict::Unsat)
    }

    /// The file for the proof; without a name, and gone with the process, where nobody wants to keep it.
    fn proof_file(&self, formula: &Formula) -> io::Result<File> {
        let Some([clauses, proof]) = self.kept_files() else { return tempfile::tempfile() };
        let mut clauses = BufWriter::new(File::create(clauses)?);
        formula.write_dimacs(&mut clauses)?;
        clauses.flush()?;
        File::options().read(true).write(true).create(true).truncate(true).open(proof)
    }

    /// The files that are kept, if any: clauses and proof.
    fn kept_files(&self) -> Option<[PathBuf; 2]> {
        let stem = self.kept.as_ref()?.as_os_str();
        Some([".cnf", ".lrat"].map(|ending| {
            let mut path = stem.to_owned();
            path.push(ending);
            PathBuf::from(path)
        }))
    }

    /// Removes what is no proof. One that was not accepted stays, for whoever looks for the fault.
    fn remove_files(&self) {
        for file in self.kept_files().into_iter().flatten() {
            // There may be none.
            let _ = std::fs::remove_file(file);
        }
    }

    fn unwritten(&self, fault: &Fault) -> Why {
        match fault {
            Fault::Large => Why::Uncertified(format!("the proof is larger than {} bytes", self.largest)),
            Fault::File(error) => unwritable(error),
            Fault::Restored => Why::Uncertified("the solver takes a removed clause back".to_owned()),
        }
    }
}

fn unwritable(error: &io::Error) -> Why {
    Why::Uncertified(format!("the proof's file: {error}"))
}

impl Engine for CertifyingBitBlaster {
    fn name(&self) -> &'static str {
        if self.proves_facts { "certify-facts" } else { "certify" }
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        let verdict = self.decide(query, budget).unwrap_or_else(Verdict::Unknown);
        if !matches!(verdict, Verdict::Unsat | Verdict::Unknown(Why::Uncertified(_))) {
            self.remove_files();
        }
        verdict
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let checked = self.checked.unwrap_or(Checked { steps: 0, bytes: 0 });
        let own = [
            ("proof-steps", checked.steps),
            ("proof-bytes", checked.bytes),
            ("checking-ms", u64::try_from(self.checking.as_millis()).unwrap_or(u64::MAX)),
        ];
        let rows = self.statistics.rows().into_iter();
        rows.map(|(name, count)| (name.trim_start_matches("bitblast-"), count)).chain(own).collect()
    }
}
