//! Concrete execution of one call.

use labrys_float::{Environment, Flags, Float};
use labrys_program::{FunctionId, IrBinding, Leaf, Program, Signature};

use crate::machine::{ScalarOf, ValueOf};
use crate::{
    Datum, Halt, Int, Limits, Machine, Memory, Never, ScalarKind, Soft, SoftEvent, SoftPath, State, Stop, leaf_kind,
};

/// What one concrete call did.
#[derive(Clone, Debug)]
pub struct Execution {
    /// What it returned, or why it stopped.
    pub result: Result<ValueOf<Soft>, Stop>,
    /// Every exception raised.
    pub flags: Flags,
    /// The operations that raised a notable one, in order.
    pub events: Vec<SoftEvent>,
    /// Instructions executed.
    pub instructions: u64,
    /// Memory afterwards.
    pub memory: Memory<Float, Never>,
}

/// What one concrete call did to its records.
#[derive(Clone, Debug)]
pub struct RecordExecution {
    /// The output record, or why the call stopped.
    pub output: Result<Vec<u8>, Stop>,
    /// For each leaf of the output record whether it is defined: untouched by undef, poison or uninitialised memory.
    pub is_defined: Vec<bool>,
    /// Every exception raised.
    pub flags: Flags,
    /// The operations that raised a notable one, in order.
    pub events: Vec<SoftEvent>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Calls a function with scalar arguments.
pub fn interpret(
    program: &Program,
    function: FunctionId,
    arguments: Vec<ValueOf<Soft>>,
    environment: &Environment,
    limits: &Limits,
) -> Execution {
    let mut machine = Machine::new(program, Soft::new(*environment), *limits);
    let mut state = machine.state(SoftPath::default());
    let result = match machine.push_frame(&mut state, function, arguments, None) {
        Ok(()) => run(&mut machine, &mut state),
        Err(stop) => Err(stop),
    };
    Execution {
        result,
        flags: state.path.flags,
        events: state.path.events,
        instructions: state.instructions,
        memory: state.memory,
    }
}

fn run(machine: &mut Machine<'_, Soft>, state: &mut State<Soft>) -> Result<ValueOf<Soft>, Stop> {
    machine.run(state).map_err(stop_of)
}

/// Why a step did not complete, where there are no symbols to split over.
pub(crate) fn stop_of(halt: Halt<Never>) -> Stop {
    match halt {
        Halt::Stop(stop) => stop,
        Halt::Split(split) => match split.symbol {},
        Halt::Call(_) => Stop::unsupported("a call that nobody answers"),
    }
}

/// Calls a function as its source declares it, with an input record.
pub fn interpret_record(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    input: &[u8],
    environment: &Environment,
    limits: &Limits,
) -> RecordExecution {
    RecordCall { program, function, binding, signature, init: None }.interpret(input, environment, limits)
}

/// A function that is called as its source declares it.
#[derive(Clone, Copy, Debug)]
pub struct RecordCall<'p> {
    /// The program.
    pub program: &'p Program,
    /// The function.
    pub function: FunctionId,
    /// How the source's parameters become the IR's.
    pub binding: &'p IrBinding,
    /// The source's declaration.
    pub signature: &'p Signature,
    /// A function that is called first ([`Machine::prepare`]).
    pub init: Option<FunctionId>,
}

impl RecordCall<'_> {
    /// Calls it with an input record.
    pub fn interpret(&self, input: &[u8], environment: &Environment, limits: &Limits) -> RecordExecution {
        self.interpret_in(Soft::new(*environment), input, limits)
    }

    /// The same in a domain that says which exceptions are worth an event, and how many events are kept.
    pub fn interpret_in(&self, domain: Soft, input: &[u8], limits: &Limits) -> RecordExecution {
        let mut machine = Machine::new(self.program, domain, *limits);
        let mut state = machine.state(SoftPath::default());
        let scalars = self.run(&mut machine, &mut state, input);
        let is_defined = scalars.iter().flatten().map(|scalar| !scalar.tainted).collect();
        RecordExecution {
            output: scalars.map(|scalars| record_of(self.signature, &scalars)),
            is_defined,
            flags: state.path.flags,
            events: state.path.events,
            instructions: state.instructions,
        }
    }

    fn run(
        &self,
        machine: &mut Machine<'_, Soft>,
        state: &mut State<Soft>,
        input: &[u8],
    ) -> Result<Vec<ScalarOf<Soft>>, Stop> {
        if let Some(init) = self.init {
            machine.prepare(state, init)?;
        }
        let entry = machine
            .enter_call(state, self.function, self.binding, self.signature, &mut |_, leaf| datum_of(leaf, input))?;
        let value = run(machine, state)?;
        machine.outputs(state, &entry, &value)
    }
}

/// What an input record holds for a leaf.
pub(crate) fn datum_of(leaf: &Leaf, input: &[u8]) -> Datum<Float, Never> {
    let bits = leaf.read(input);
    match leaf_kind(leaf.scalar) {
        ScalarKind::Float(format) => Datum::Float(Float::from_bits(format, bits)),
        ScalarKind::Int(width) => Datum::Int(Int::new(width, bits)),
        ScalarKind::Pointer => Datum::Int(Int::new(64, bits)),
    }
}

/// The output record with these leaves.
pub(crate) fn record_of(signature: &Signature, leaves: &[ScalarOf<Soft>]) -> Vec<u8> {
    let layout = signature.output_layout();
    let mut record = vec![0; layout.size];
    for (leaf, scalar) in layout.leaves.iter().zip(leaves) {
        leaf.write(&mut record, encoding(&scalar.datum));
    }
    record
}

fn encoding(datum: &Datum<Float, Never>) -> u128 {
    match datum {
        Datum::Int(int) => int.concrete().unwrap_or_default(),
        Datum::Float(float) => float.to_u128().unwrap_or_default(),
        Datum::Pointer(_) => 0,
    }
}
