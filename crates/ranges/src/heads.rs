//! Whole programs: what variables can be at the heads of loops.
//!
//! **Claim.** Whenever a run of the program comes to a loop's head, each variable has a value of its range there, as long as the run does
//! nothing undefined, rounds to nearest and keeps to [`crate::assumptions`].
//!
//! **Argument.** That of [`crate::whole`]: each state from which a round begins that is recorded is noted here, too, and rounds that are not recorded
//! are described by a state that is. What a function does that is not understood may enter any function that it reaches in any state: those functions'
//! variables have no ranges.

use std::time::Instant;

use labrys_program::{BlockId, Function, FunctionId, InstructionKind, Program, SourceVariable};
use labrys_solver::domain::FloatDomain;
use rustc_hash::FxHashMap;

use crate::analyse::on_large_stack;
use crate::care::cares;
use crate::graph::Domain;
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine};
use crate::memory::Found;
use crate::options::RangeOptions;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use crate::whole::{VerifierCalls, Whole};

/// The values that a variable can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Of a float.
    Float(FloatDomain),
    /// Of an integer, read as signed.
    Int {
        /// Its width.
        bits: u32,
        /// The least.
        low: i128,
        /// The greatest.
        high: i128,
    },
}

/// What is known at a loop's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRange {
    /// The function.
    pub function: FunctionId,
    /// The loop among the function's ([`Function::loops`]).
    pub index: usize,
    /// For each of the loop's variables what it can be; `None` where nothing is known of it.
    pub variables: Vec<Option<Values>>,
}

/// What was seen at loops, by function and number: for each variable a set that has its values; `None` for any.
pub(crate) type Heads = FxHashMap<(FunctionId, usize), Vec<Option<Domain>>>;

/// Adds what was seen at a loop.
pub(crate) fn note(heads: &mut Heads, key: (FunctionId, usize), seen: &[Option<Domain>]) {
    match heads.get_mut(&key) {
        None => drop(heads.insert(key, seen.to_vec())),
        Some(known) => {
            for (known, new) in known.iter_mut().zip(seen) {
                *known = known.as_ref().zip(new.as_ref()).map(|(known, new)| known.hull(new));
            }
        }
    }
}

/// What variables can be at the heads of a whole program's loops, where the program begins with `entry`, whatever its arguments are. Loops that no
/// run comes to are left out.
///
/// # Errors
///
/// Why nothing is known.
pub fn loop_ranges(
    program: &Program,
    entry: FunctionId,
    verifier: &VerifierCalls<'_>,
    deadline: Option<Instant>,
) -> Result<Vec<LoopRange>, String> {
    on_large_stack(|| found(program, entry, verifier, deadline)).map_err(|stop| stop.to_string())
}

fn found(
    program: &Program,
    entry: FunctionId,
    verifier: &VerifierCalls<'_>,
    deadline: Option<Instant>,
) -> Result<Vec<LoopRange>, Stop> {
    let whole = Whole::of(program, entry, verifier)?;
    let options = RangeOptions { deadline, ..RangeOptions::default() };
    let mut last = Stop::Budget("no run".into());
    for care in cares(&options) {
        match whole.run(care, &options, |_| {}) {
            Ok(machine) => return Ok(machine.loop_ranges()),
            Err(stop @ Stop::Unsupported(_)) => return Err(stop),
            Err(stop) => last = stop,
        }
    }
    Err(last)
}

impl Machine<'_> {
    /// Notes what variables are where a round of a loop begins.
    pub fn note_head(&mut self, activation: &Activation, head: BlockId, states: &[Snapshot]) {
        if self.verifier.is_none() || !self.is_recording {
            return;
        }
        let program = self.program;
        let function = &program.functions[activation.function.index()];
        for (index, of) in function.loops.iter().enumerate().filter(|(_, of)| of.head == head) {
            for snapshot in states {
                let seen: Vec<Option<Domain>> =
                    of.variables.iter().map(|variable| self.seen(activation, function, variable, snapshot)).collect();
                note(&mut self.record.heads, (activation.function, index), &seen);
            }
        }
    }

    /// What is known of a variable in a state.
    fn seen(
        &self,
        activation: &Activation,
        function: &Function,
        variable: &SourceVariable,
        snapshot: &Snapshot,
    ) -> Option<Domain> {
        // Memory of variables is made when the function is entered.
        let instructions = &function.blocks.first()?.instructions;
        let place = instructions.iter().position(|instruction| instruction.result == Some(variable.memory))?;
        let InstructionKind::Alloca(ty, ..) = &instructions[place].kind else { return None };
        let object = activation.entry_locals.get(&(0, place as u32))?;
        let memory = snapshot.state.memory.objects.get(object)?;
        match memory.load(0, ty.store_size()) {
            Found::Node(node) => Some(self.domain(snapshot, node)),
            Found::Zero | Found::Unknown => None,
        }
    }

    /// Notes that variables of a function can be anything.
    pub fn note_anything(&mut self, id: FunctionId) {
        if self.verifier.is_none() {
            return;
        }
        for (index, of) in self.program.functions[id.index()].loops.iter().enumerate() {
            note(&mut self.record.heads, (id, index), &vec![None; of.variables.len()]);
        }
    }

    /// What was noted, in order.
    fn loop_ranges(self) -> Vec<LoopRange> {
        let heads = self.record.heads.into_iter();
        let mut all: Vec<LoopRange> = heads
            .map(|((function, index), seen)| {
                let variables = seen.into_iter().map(|domain| values(&domain?)).collect();
                LoopRange { function, index, variables }
            })
            .collect();
        all.sort_by_key(|of| (of.function, of.index));
        all
    }
}

/// The set of a domain, if it is one of numbers that says something.
fn values(domain: &Domain) -> Option<Values> {
    match domain {
        Domain::Float(set) => (*set != FloatDomain::top(set.format)).then_some(Values::Float(*set)),
        Domain::Int(IntDomain { bits, low, high, .. }) => {
            let top = IntDomain::top(*bits);
            ((top.low, top.high) != (*low, *high)).then_some(Values::Int { bits: *bits, low: *low, high: *high })
        }
        Domain::Pointer(_) => None,
    }
}
