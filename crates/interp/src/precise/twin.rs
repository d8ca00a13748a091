//! Calls of a program's functions in arbitrary precision, one after the other on one machine.

use labrys_float::Float;
use labrys_program::{FunctionId, IrBinding, Leaf, Program, Signature};

use super::encoding::Encoding;
use super::number::PreciseFloat;
use super::rounding::{Executed, Executions, Rounding, purposeful_sums};
use super::splits::splittings;
use super::state::{Marks, Precise};
use crate::machine::{DatumOf, ScalarOf};
use crate::{Datum, Halt, Int, Limits, Machine, ScalarKind, State, Stop, leaf_kind};

/// A program's arbitrary-precision twin. Globals are made once, and every call starts from them.
#[derive(Debug)]
pub struct Twin<'p> {
    machine: Machine<'p, Precise>,
    /// Memory after the initialiser; no activation.
    start: Result<State<Precise>, Stop>,
    /// Whether the initialiser decided what was open.
    is_start_undecided: bool,
}

/// What one call gave in arbitrary precision.
#[derive(Clone, Debug)]
pub struct PreciseExecution {
    /// The leaves of the output record, or why the call stopped.
    pub outputs: Result<Vec<ScalarOf<Precise>>, Stop>,
    /// Why the outputs may not be the true ones.
    pub marks: Marks,
    /// A hash of what was decided: equal where two runs went the same way, and rounded to the same integers.
    pub control: u64,
    /// A hash of the signs of its sums.
    pub signs: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// What that may have cost in microseconds: an estimate, the same on every machine.
    pub work: u64,
}

/// Bits that the initialiser is run with; floats that it leaves behind are exact or constants, as a rule.
const INITIALISER_PRECISION: u32 = 2304;

impl<'p> Twin<'p> {
    /// The twin of a program; `init` is called once before everything else ([`Machine::prepare`]).
    pub fn new(program: &'p Program, init: Option<FunctionId>, limits: Limits) -> Twin<'p> {
        let mut machine = Machine::new(program, Precise::new(INITIALISER_PRECISION), limits);
        let mut state = machine.state(());
        let prepared = init.map_or(Ok(()), |init| machine.prepare(&mut state, init));
        let is_start_undecided = machine.domain.marks.undecided;
        Twin { machine, start: prepared.map(|()| state), is_start_undecided }
    }

    /// Calls a function as its source declares it, with an input record, on numbers of `precision` bits.
    pub fn call(
        &mut self,
        function: FunctionId,
        binding: &IrBinding,
        signature: &Signature,
        input: &[u8],
        precision: u32,
    ) -> PreciseExecution {
        self.call_on(function, binding, signature, precision, &mut |leaf| datum_of(leaf, input))
    }

    /// The same where each input may be any number.
    pub fn call_on(
        &mut self,
        function: FunctionId,
        binding: &IrBinding,
        signature: &Signature,
        precision: u32,
        input: &mut dyn FnMut(&Leaf) -> DatumOf<Precise>,
    ) -> PreciseExecution {
        self.machine.domain.restart(precision);
        let mut state = match &self.start {
            Ok(state) => state.clone(),
            Err(stop) => {
                return PreciseExecution {
                    outputs: Err(stop.clone()),
                    marks: Marks::default(),
                    control: 0,
                    signs: 0,
                    instructions: 0,
                    work: 0,
                };
            }
        };
        let machine = &mut self.machine;
        let entry = machine.enter_call(&mut state, function, binding, signature, &mut |_, leaf| input(leaf));
        let returned = entry.and_then(|entry| Ok((machine.run(&mut state).map_err(stop_of)?, entry)));
        // Before the outputs are read: packing a result into the ABI's registers may round, harmlessly.
        let Precise { mut marks, control, signs, .. } = machine.domain;
        marks.undecided |= self.is_start_undecided;
        let outputs = returned.and_then(|(value, entry)| machine.outputs(&state, &entry, &value));
        let instructions = state.instructions;
        PreciseExecution { outputs, marks, control, signs, instructions, work: machine.domain.work(instructions) }
    }

    /// From now on rounds sums of calls of `entry` that are meant to round: those with 2^52 and its like, or 1.5 · 2^k, where that number is
    /// the program's own and not an input; and Veltkamp's splittings.
    pub fn keep_purposeful_rounding(&mut self, entry: FunctionId) {
        self.machine.domain.purposeful_sums = purposeful_sums(self.machine.program(), entry);
        self.machine.domain.splittings = splittings(self.machine.program());
    }

    /// Rounds these operations from now on.
    pub fn set_rounding(&mut self, rounding: Rounding) {
        self.machine.domain.rounding = rounding;
    }

    /// From now on keeps what operations a call executes.
    pub fn keep_executions(&mut self) {
        self.machine.domain.executions = Some(Executions::default());
    }

    /// What the last call executed, where that was to be kept; the next ones keep nothing.
    pub fn take_executions(&mut self) -> Vec<Executed> {
        self.machine.domain.executions.take().map_or_else(Vec::new, Executions::into_vec)
    }
}

/// An input as a record has it.
pub fn datum_of(leaf: &Leaf, record: &[u8]) -> DatumOf<Precise> {
    let bits = leaf.read(record);
    match leaf_kind(leaf.scalar) {
        ScalarKind::Float(format) => Datum::Float(PreciseFloat::exact(&Float::from_bits(format, bits))),
        ScalarKind::Int(width) => Datum::Int(Int::new(width, bits)),
        ScalarKind::Pointer => Datum::Int(Int::new(64, bits)),
    }
}

fn stop_of(halt: Halt<Encoding>) -> Stop {
    match halt {
        Halt::Stop(stop) => stop,
        // Every symbol's value is known.
        Halt::Split(split) => split.otherwise,
        Halt::Call(_) => Stop::unsupported("a call that nobody answers"),
    }
}
