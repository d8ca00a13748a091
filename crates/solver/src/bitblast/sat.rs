//! CaDiCaL under a budget: Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt, "CaDiCaL 2.0", CAV 2024.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustsat::solvers::{
    ControlSignal, GetInternalStats, LimitConflicts, Solve, SolveIncremental, SolverResult, Terminate,
};
use rustsat::types::{Lit, TernaryVal};
use rustsat_cadical::{CaDiCaL, ProofTracerHandle};

use super::cnf::Clauses;
use super::trace::{Fault, Trace};
use crate::{Budget, Why};

/// What CDCL says of the clauses under assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They have a model, which [`Sat::value`] reads.
    Sat,
    /// They have none, and these of the assumptions suffice for that.
    Unsat(Vec<i32>),
    /// Not decided.
    Unknown(Why),
}

/// A set of clauses and the solver that decides it.
pub struct Sat {
    solver: CaDiCaL<'static, 'static>,
    /// Of the clause that is added.
    buffer: Vec<Lit>,
    /// The solver has refused something: no answer of its can be trusted any more.
    broken: bool,
    /// Set from outside where an answer is of no use any more.
    stop: Arc<AtomicBool>,
}

impl Sat {
    /// No clauses.
    pub fn new(seed: u64) -> Sat {
        let mut solver = CaDiCaL::default();
        // CaDiCaL's seeds go up to 2·10⁹.
        let seed = i32::try_from(seed % 2_000_000_000).unwrap_or(0);
        let broken = solver.set_option("seed", seed).is_err();
        Sat { solver, buffer: Vec::new(), broken, stop: Arc::default() }
    }

    /// The same for many questions about clauses that grow: without the solver's look, before each, at whether some simple assignment happens
    /// to satisfy them all, which takes as long as there are clauses.
    pub fn incremental(seed: u64) -> Sat {
        let mut sat = Sat::new(seed);
        sat.broken |= sat.solver.set_option("lucky", 0).is_err();
        sat
    }

    /// Decides the clauses under assumptions. The budget's work is a number of conflicts.
    pub fn solve(&mut self, assumptions: &[i32], budget: &Budget) -> Answer {
        if let Some(why) = budget.exhausted() {
            return Answer::Unknown(why);
        }
        let full = Arc::new(AtomicBool::new(false));
        self.watch(budget, Arc::clone(&full));
        let conflicts = (budget.work > 0).then(|| u32::try_from(budget.work).unwrap_or(u32::MAX).min(i32::MAX as u32));
        let literals: Vec<Lit> = assumptions.iter().filter_map(|literal| Lit::from_ipasir(*literal).ok()).collect();
        let limited = self.solver.limit_conflicts(conflicts);
        let result = if literals.is_empty() { self.solver.solve() } else { self.solver.solve_assumps(&literals) };
        self.solver.detach_terminator();
        match result {
            _ if self.broken || limited.is_err() => Answer::Unknown(Why::Memory),
            Ok(SolverResult::Sat) => Answer::Sat,
            Ok(SolverResult::Unsat) => self.core(),
            Ok(SolverResult::Interrupted) if full.load(Ordering::Relaxed) => Answer::Unknown(Why::Memory),
            Ok(SolverResult::Interrupted) => Answer::Unknown(budget.exhausted().unwrap_or(Why::Work)),
            // The wrapper's errors are failed allocations.
            Err(_) => Answer::Unknown(Why::Memory),
        }
    }

    /// Has the solver stop when the budget is used up; sets `full` where that is the memory's.
    fn watch(&mut self, budget: &Budget, full: Arc<AtomicBool>) {
        let (budget, stop) = (budget.clone(), Arc::clone(&self.stop));
        self.solver.attach_terminator(move || {
            let why = budget.exhausted_or_full();
            full.fetch_or(why == Some(Why::Memory), Ordering::Relaxed);
            match stop.load(Ordering::Relaxed) || why.is_some() {
                true => ControlSignal::Terminate,
                false => ControlSignal::Continue,
            }
        });
    }

    fn core(&mut self) -> Answer {
        match self.solver.core() {
            // The wrapper gives the clause that the clauses imply: assumptions negated.
            Ok(core) => Answer::Unsat(core.into_iter().map(|literal| -literal.to_ipasir()).collect()),
            Err(_) => Answer::Unknown(Why::Memory),
        }
    }

    /// The value of a variable in the model found; a variable that does not matter is false.
    pub fn value(&self, variable: i32) -> bool {
        Lit::from_ipasir(variable).is_ok_and(|literal| matches!(self.solver.lit_val(literal), Ok(TernaryVal::True)))
    }

    /// Conflicts since the beginning.
    pub fn conflicts(&self) -> u64 {
        self.solver.conflicts() as u64
    }
}

/// A solver that writes down what it derives.
pub struct Traced {
    /// The solver. Dropped first: it may speak to the trace until its end.
    pub sat: Sat,
    trace: ProofTracerHandle<Trace>,
}

impl Traced {
    /// No clauses.
    pub fn new(seed: u64, trace: Trace) -> Traced {
        let mut sat = Sat::new(seed);
        sat.stop = trace.hopeless();
        let trace = sat.solver.connect_proof_tracer(trace, true);
        Traced { sat, trace }
    }

    /// Ends the solver; the file with the whole proof.
    ///
    /// # Errors
    ///
    /// Why it is not the whole proof.
    pub fn into_proof(self) -> Result<File, Fault> {
        let Traced { mut sat, trace } = self;
        match sat.solver.disconnect_proof_tracer(trace) {
            Ok(trace) => trace.finish(),
            Err(error) => Err(Fault::File(std::io::Error::other(error))),
        }
    }
}

impl Clauses for Sat {
    fn add(&mut self, clause: &[i32]) {
        self.buffer.clear();
        self.buffer.extend(clause.iter().filter_map(|literal| Lit::from_ipasir(*literal).ok()));
        self.broken |= self.solver.add_clause_ref(self.buffer.as_slice()).is_err();
    }
}
