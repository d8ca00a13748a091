//! Circuits as clauses: Tseitin, "On the Complexity of Derivation in Propositional Calculus", 1968, with the primes of
//! exclusive ors, choices and majorities, and with trees of conjunctions as one.
//!
//! A gate's variable is equal to the gate in every model of the clauses: both directions are always written, so that
//! a gate may be used again, in either polarity, by what is encoded later.

use super::{Gate, Gates, Lit};
use crate::lrat::Formula;
use crate::{Budget, Why};

/// Where clauses go. Literals are DIMACS': variables count from 1, negative numbers are negations.
pub trait Clauses {
    /// Adds one clause.
    fn add(&mut self, clause: &[i32]);
}

impl Clauses for Formula {
    fn add(&mut self, clause: &[i32]) {
        Formula::add(self, clause);
    }
}

/// Which gates have variables, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// By gate; 0 where it has none.
    variables: Vec<i32>,
    last: i32,
    clauses: u64,
}

/// Trees of conjunctions are written as one clause of at most so many literals: long clauses are watched cheaply, but
/// explain little.
const WIDEST: usize = 64;

/// How many gates are written between two looks at the budget: about a millisecond's work.
const STRIDE: u64 = 2048;

impl Encoder {
    /// Nothing encoded.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// How many variables there are.
    pub fn variables(&self) -> u64 {
        self.last.unsigned_abs().into()
    }

    /// How many clauses have been written.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// A variable that stands for no gate.
    pub fn fresh(&mut self) -> i32 {
        self.last += 1;
        self.last
    }

    /// The literal of an edge whose gate has a variable.
    pub fn literal(&self, edge: Lit) -> Option<i32> {
        let variable = *self.variables.get(edge.gate()).filter(|variable| **variable != 0)?;
        Some(if edge.is_inverted() { -variable } else { variable })
    }

    /// Writes one clause.
    pub fn clause(&mut self, clause: &[i32], clauses: &mut impl Clauses) {
        self.clauses += 1;
        clauses.add(clause);
    }

    /// The literal of an edge; what its cone still lacks is written. Where the budget ends that, what has been written
    /// is of use to another call.
    pub fn encode(
        &mut self,
        gates: &Gates,
        edge: Lit,
        budget: &Budget,
        clauses: &mut impl Clauses,
    ) -> Result<i32, Why> {
        self.variables.resize(gates.len(), 0);
        let mut pending = vec![edge.gate()];
        let mut inputs = Vec::new();
        while let Some(&gate) = pending.last() {
            if self.variables[gate] != 0 {
                pending.pop();
                continue;
            }
            self.inputs(gates, gate, &mut inputs);
            let before = pending.len();
            pending.extend(inputs.iter().map(|input| input.gate()).filter(|input| self.variables[*input] == 0));
            if pending.len() == before {
                pending.pop();
                self.variables[gate] = self.fresh();
                self.define(gates, gate, &inputs, clauses);
                if self.variables().is_multiple_of(STRIDE) {
                    budget.exhausted_or_full().map_or(Ok(()), Err)?;
                }
            }
        }
        Ok(self.variables[edge.gate()] * if edge.is_inverted() { -1 } else { 1 })
    }

    /// Writes that an edge holds where the literal `guard` does, if there is one. Conjunctions are taken apart, a
    /// disjunction becomes one clause.
    pub fn assert(
        &mut self,
        gates: &Gates,
        edge: Lit,
        guard: Option<i32>,
        budget: &Budget,
        clauses: &mut impl Clauses,
    ) -> Result<(), Why> {
        self.variables.resize(gates.len(), 0);
        let mut pending = vec![edge];
        while let Some(edge) = pending.pop() {
            if edge == Lit::TRUE {
                continue;
            }
            let mut clause: Vec<i32> = guard.map(|guard| -guard).into_iter().collect();
            match gates.gate(edge.gate()) {
                Gate::And(a, b) if !edge.is_inverted() && self.variables[edge.gate()] == 0 => {
                    pending.extend([b, a]);
                    continue;
                }
                Gate::And(..) if self.variables[edge.gate()] == 0 => {
                    let mut inputs = Vec::new();
                    self.inputs(gates, edge.gate(), &mut inputs);
                    for input in inputs {
                        clause.push(self.encode(gates, !input, budget, clauses)?);
                    }
                }
                _ => clause.push(self.encode(gates, edge, budget, clauses)?),
            }
            self.clause(&clause, clauses);
        }
        Ok(())
    }

    /// The edges that a gate is written in terms of: those that it reads, but for a conjunction the leaves of the tree
    /// of conjunctions that are read only inside it.
    fn inputs(&self, gates: &Gates, gate: usize, inputs: &mut Vec<Lit>) {
        inputs.clear();
        inputs.extend(gates.gate(gate).inputs());
        if !matches!(gates.gate(gate), Gate::And(..)) {
            return;
        }
        let mut next = 0;
        while let Some(&input) = inputs.get(next) {
            let inner = input.gate();
            match gates.gate(inner) {
                Gate::And(a, b)
                    if !input.is_inverted()
                        && gates.uses(inner) == 1
                        && self.variables[inner] == 0
                        && inputs.len() < WIDEST =>
                {
                    inputs[next] = a;
                    inputs.push(b);
                }
                _ => next += 1,
            }
        }
    }

    /// The clauses that make a gate's variable equal to the gate.
    fn define(&mut self, gates: &Gates, gate: usize, inputs: &[Lit], clauses: &mut impl Clauses) {
        let output = self.variables[gate];
        let of = |edge: Lit| self.variables[edge.gate()] * if edge.is_inverted() { -1 } else { 1 };
        match gates.gate(gate) {
            Gate::False => self.clause(&[-output], clauses),
            Gate::Input => {}
            Gate::And(..) => {
                let mut long: Vec<i32> = inputs.iter().map(|input| -of(*input)).collect();
                for input in &long {
                    self.clause(&[-output, -input], clauses);
                }
                long.push(output);
                self.clause(&long, clauses);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (of(a), of(b));
                for clause in [[-output, a, b], [-output, -a, -b], [output, -a, b], [output, a, -b]] {
                    self.clause(&clause, clauses);
                }
            }
            Gate::Mux(c, yes, no) => {
                let (c, yes, no) = (of(c), of(yes), of(no));
                let chosen = [[-c, -yes, output], [-c, yes, -output], [c, -no, output], [c, no, -output]];
                // The last two follow from the others, and let both branches decide before the condition does.
                for clause in chosen.iter().chain(&[[-yes, -no, output], [yes, no, -output]]) {
                    self.clause(clause, clauses);
                }
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.clause(&[-x, -y, output], clauses);
                    self.clause(&[x, y, -output], clauses);
                }
            }
        }
    }
}
