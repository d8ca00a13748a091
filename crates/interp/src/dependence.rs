//! Which outputs of a call depend on what certain operations computed.
//!
//! **Definition.** A call is run concretely. Where an instruction of the [`Cause`] raises the cause's exception, its
//! result is marked; marks spread with values as those of undefined ones do (see the crate's text): through operations,
//! memory, calls. A leaf of the output record depends on the cause where it is marked at the end.
//!
//! **Claim.** A leaf that does not depend on the cause would be the same whatever the marked results were. Control or an
//! address that hangs on one ends the run, but for branches that only choose a value ([`crate::choice`]): there the phis
//! are marked in which the ways meet. So the marked results reach the outputs along values alone.
//!
//! **What it may miss.** The run is of the IR. It speaks of the native call only where its output is the one observed,
//! which the caller must compare. A leaf can be marked without any influence: marks do not know that x · 0 is 0 or that a
//! comparison comes out alike, and undefined values mark what they reach too.

use labrys_float::{Environment, Flags};
use labrys_program::{
    BlockId, Function, FunctionId, InstructionKind, IrBinding, Operand, Program, Signature, Terminator,
};

use crate::choice::{meeting_point, takes_pointer};
use crate::interpret::{datum_of, record_of, stop_of};
use crate::machine::ValueOf;
use crate::{Limits, Machine, Soft, SoftPath, State, Step, Stop};

/// A place in a program: function, block, the instruction's position in the block.
type Position = (FunctionId, BlockId, u32);

/// What outputs may depend on: results of some instructions, whenever they raise an exception.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The instructions: function, block, position in the block.
    pub places: Vec<(FunctionId, BlockId, u32)>,
    /// The exception.
    pub exception: Flags,
}

/// What one run showed.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// The output record, or why the run stopped: [`Stop::Undefined`] where control or an address depends on the cause.
    pub output: Result<Vec<u8>, Stop>,
    /// For each leaf of the output record whether it depends on the cause, or on an undefined value.
    pub is_dependent: Vec<bool>,
    /// How many results were marked.
    pub marked: u64,
    /// Instructions executed.
    pub instructions: u64,
}

/// Runs of a program's functions that follow causes to outputs. Globals are made once, and every run starts from them.
///
/// ```
/// use labrys_float::{Environment, Flags};
/// use labrys_interp::{Cause, Dependences, Limits};
/// use labrys_program::{BlockId, LengthOptions, Program, map_parameters, parse_signature};
///
/// let ir = "define double @f(double %x) { %square = fmul double %x, %x ret double %x }";
/// let program = Program::from_bytes(ir.as_bytes(), "f.ll").unwrap();
/// let function = program.function("f").unwrap();
/// let signature = parse_signature("double f(double x)", &LengthOptions::default()).unwrap();
/// let binding = map_parameters(&signature, &program, function).unwrap();
/// let cause = Cause { places: vec![(function, BlockId(0), 0)], exception: Flags::OVERFLOW };
/// let mut runs = Dependences::new(&program, None, Environment::default(), Limits::default());
/// let run = runs.follow(function, &binding, &signature, &1e200f64.to_le_bytes(), &cause);
/// assert_eq!((run.marked, run.is_dependent), (1, vec![false]));
/// ```
#[derive(Debug)]
pub struct Dependences<'p> {
    machine: Machine<'p, Soft>,
    /// Memory after the initialiser; no activation.
    start: Result<State<Soft>, Stop>,
}

/// A branch on a marked condition that only chooses a value, until its ways meet.
struct Choice {
    depth: usize,
    meeting: BlockId,
}

impl<'p> Dependences<'p> {
    /// Runs of a program; `init` is called once before everything else ([`Machine::prepare`]).
    pub fn new(
        program: &'p Program,
        init: Option<FunctionId>,
        environment: Environment,
        limits: Limits,
    ) -> Dependences<'p> {
        let mut machine = Machine::new(program, Soft::new(environment), limits);
        let mut state = machine.state(SoftPath::default());
        let prepared = init.map_or(Ok(()), |init| machine.prepare(&mut state, init));
        Dependences { machine, start: prepared.map(|()| state) }
    }

    /// Calls a function as its source declares it, and follows what the cause computed.
    pub fn follow(
        &mut self,
        function: FunctionId,
        binding: &IrBinding,
        signature: &Signature,
        input: &[u8],
        cause: &Cause,
    ) -> Dependence {
        let mut state = match &self.start {
            Ok(state) => state.clone(),
            Err(stop) => {
                let output = Err(stop.clone());
                return Dependence { output, is_dependent: Vec::new(), marked: 0, instructions: 0 };
            }
        };
        self.machine.domain.watched = cause.exception;
        let mut marked = 0;
        let mut leaf = |_: &mut Soft, leaf: &_| datum_of(leaf, input);
        let entry = self.machine.enter_call(&mut state, function, binding, signature, &mut leaf);
        let returned = entry.and_then(|entry| Ok((self.run(&mut state, cause, &mut marked)?, entry)));
        let leaves = returned.and_then(|(value, entry)| self.machine.outputs(&state, &entry, &value));
        Dependence {
            is_dependent: leaves.iter().flatten().map(|scalar| scalar.tainted).collect(),
            output: leaves.map(|leaves| record_of(signature, &leaves)),
            marked,
            instructions: state.instructions,
        }
    }

    /// Executes until the outermost function returns; counts the results that it marks.
    fn run(&mut self, state: &mut State<Soft>, cause: &Cause, marked: &mut u64) -> Result<ValueOf<Soft>, Stop> {
        let mut choices: Vec<Choice> = Vec::new();
        loop {
            let position = state.frame().map(|frame| (frame.function, frame.block, frame.instruction as u32));
            state.path.events.clear();
            let step = match self.choose(state)? {
                Some(choice) => {
                    choices.push(choice);
                    Step::Continue
                }
                None => self.machine.step(state).map_err(stop_of)?,
            };
            if let Step::Returned(value) = step {
                return Ok(value);
            }
            // Events are of the cause's exception, and all of this place: what a call enters is executed by later steps.
            let raised = !state.path.events.is_empty();
            if raised && position.is_some_and(|position| cause.places.contains(&position)) {
                self.mark(state, position)?;
                *marked += 1;
            }
            self.meet(state, &mut choices)?;
        }
    }

    /// Marks the result of the instruction that was executed just now.
    fn mark(&self, state: &mut State<Soft>, position: Option<Position>) -> Result<(), Stop> {
        let Some((id, block, index)) = position else { return Ok(()) };
        let function = self.machine.function(id)?;
        let instruction = &function.blocks[block.index()].instructions[index as usize];
        if let InstructionKind::Call(_, operands) = &instruction.kind
            && takes_pointer(function, operands)
        {
            return Err(Stop::unsupported("an exception in a call that writes to memory"));
        }
        instruction.result.map_or(Ok(()), |result| taint(state, &Operand::Value(result), true))
    }

    /// Takes a branch whose condition is marked, if it only chooses a value; `None` where the next step is no such branch.
    fn choose(&mut self, state: &mut State<Soft>) -> Result<Option<Choice>, Stop> {
        let Some(frame) = state.frame() else { return Ok(None) };
        let (function, block) = (self.machine.function(frame.function)?, frame.block);
        let content = &function.blocks[block.index()];
        let Terminator::CondBranch(condition @ Operand::Value(value), ..) = &content.terminator else {
            return Ok(None);
        };
        let is_next = frame.instruction == content.instructions.len();
        let is_marked = || frame.value(*value).is_some_and(|value| value.iter().any(|scalar| scalar.tainted));
        if !is_next || !is_marked() {
            return Ok(None);
        }
        let Some(meeting) = meeting_point(self.machine.program(), function, block) else { return Ok(None) };
        taint(state, condition, false)?;
        self.machine.step(state).map_err(stop_of)?;
        taint(state, condition, true)?;
        Ok(Some(Choice { depth: state.depth(), meeting }))
    }

    /// Marks the phis of a block in which the ways of a choice have met.
    fn meet(&self, state: &mut State<Soft>, choices: &mut Vec<Choice>) -> Result<(), Stop> {
        let Some(frame) = state.frame().filter(|_| !choices.is_empty()) else { return Ok(()) };
        let (depth, block) = (state.depth(), frame.block);
        let before = choices.len();
        choices.retain(|choice| (choice.depth, choice.meeting) != (depth, block));
        if choices.len() < before {
            let phis = phis(self.machine.function(frame.function)?, block);
            phis.iter().try_for_each(|phi| taint(state, phi, true))?;
        }
        Ok(())
    }
}

/// The results of a block's phis.
fn phis(function: &Function, block: BlockId) -> Vec<Operand> {
    let instructions = &function.blocks[block.index()].instructions;
    let phis = instructions.iter().take_while(|instruction| matches!(instruction.kind, InstructionKind::Phi(_)));
    phis.filter_map(|phi| phi.result).map(Operand::Value).collect()
}

/// Marks a value of the innermost activation, or takes its marks away.
fn taint(state: &mut State<Soft>, operand: &Operand, tainted: bool) -> Result<(), Stop> {
    let Operand::Value(id) = operand else { return Ok(()) };
    let value = state.frame().and_then(|frame| frame.value(*id)).cloned();
    let mut value = value.ok_or_else(|| Stop::unsupported("a value used before its definition"))?;
    value.iter_mut().for_each(|scalar| scalar.tainted = tainted);
    state.define(*id, value);
    Ok(())
}
