//! The machine: fetches, dispatches, and keeps the limits.

use std::borrow::Cow;

use labrys_float::Format;
use labrys_program::{
    Callee, Constant, Function, FunctionId, Instruction, InstructionKind, IntrinsicKind, LocationId, Operand, Program,
};
use rustc_hash::FxHashMap;

use crate::direct::{Code, Registers};
use crate::reached::calls_at;
use crate::{
    Checks, Datum, Domain, Facts, Halt, Int, List, Memory, ObjectId, Place, Pointer, Scalar, Split, State, Stop, Value,
};

/// A domain's values.
pub type ValueOf<D> = Value<<D as Domain>::Float, <D as Domain>::Symbol>;
/// A domain's scalars.
pub type ScalarOf<D> = Scalar<<D as Domain>::Float, <D as Domain>::Symbol>;
/// A domain's scalar contents.
pub type DatumOf<D> = Datum<<D as Domain>::Float, <D as Domain>::Symbol>;
/// A domain's integers.
pub type IntOf<D> = Int<<D as Domain>::Symbol>;
/// What steps end with.
pub type HaltOf<D> = Halt<<D as Domain>::Symbol>;
/// A domain's memory.
pub type MemoryOf<D> = Memory<<D as Domain>::Float, <D as Domain>::Symbol>;

/// What a path may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions a path executes.
    pub instructions: u64,
    /// Depth of calls.
    pub depth: usize,
    /// Size of an object in bytes.
    pub object: u64,
}

impl Default for Limits {
    /// Ten million instructions, 256 calls deep, objects of a gibibyte.
    fn default() -> Self {
        Limits { instructions: 10_000_000, depth: 256, object: 1 << 30 }
    }
}

/// What a step did.
#[derive(Clone, Debug)]
pub enum Step<D: Domain> {
    /// One instruction; there is more to do.
    Continue,
    /// The outermost function returned this.
    Returned(ValueOf<D>),
}

/// Executes functions of a program over a domain.
#[derive(Debug)]
pub struct Machine<'p, D: Domain> {
    pub(crate) program: &'p Program,
    /// The domain.
    pub domain: D,
    pub(crate) limits: Limits,
    /// Memory with all globals, made once.
    initial: MemoryOf<D>,
    /// Whether a path has asked for memory, and was given it as always here.
    pub(crate) has_allocated: bool,
    /// The greatest end of an access to each object, in bytes from its start, where somebody wants to know.
    pub(crate) touched: Option<FxHashMap<ObjectId, u64>>,
    /// What is checked beyond what makes an operation impossible.
    pub(crate) checks: Checks,
    /// For each function of the program whether the driver answers its calls; those beyond the end are not.
    pub(crate) answered: Vec<bool>,
    /// Whether known values are computed directly.
    pub(crate) is_direct: bool,
    /// The program's functions as far as they were decoded; empty where nothing is computed directly.
    pub(crate) codes: Vec<Option<Box<Code>>>,
    pub(crate) registers: Registers,
    /// What is known of all runs, as the driver says.
    pub(crate) facts: Facts,
}

impl<'p, D: Domain> Machine<'p, D> {
    /// A machine for a program; globals get their initial values.
    pub fn new(program: &'p Program, domain: D, limits: Limits) -> Machine<'p, D> {
        Machine::with_checks(program, domain, limits, Checks::default())
    }

    /// A machine that checks more.
    pub fn with_checks(program: &'p Program, domain: D, limits: Limits, checks: Checks) -> Machine<'p, D> {
        let mut machine = Machine {
            program,
            domain,
            limits,
            initial: Memory::default(),
            has_allocated: false,
            touched: None,
            checks,
            answered: Vec::new(),
            is_direct: false,
            codes: Vec::new(),
            registers: Registers::default(),
            facts: Facts::default(),
        };
        machine.initial = machine.globals();
        machine
    }

    /// Has [`Machine::run_direct`] execute instructions on known values: for domains whose operations on such values depend on nothing of
    /// their place, and may be repeated.
    pub fn set_direct(&mut self) {
        self.is_direct = true;
        self.codes = (0..self.program.functions.len()).map(|_| None).collect();
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// A state with globals in memory that has not called anything.
    pub fn state(&self, path: D::Path) -> State<D> {
        State {
            frames: List::default(),
            memory: self.initial.clone(),
            path,
            instructions: 0,
            is_arbitrary: false,
            errno: None,
        }
    }

    pub(crate) fn set_initial(&mut self, memory: MemoryOf<D>) {
        self.initial = memory;
    }

    pub(crate) fn initial(&self) -> &MemoryOf<D> {
        &self.initial
    }

    /// Whether some path has asked for memory. It was given some: what a program does without is not executed.
    pub fn has_allocated(&self) -> bool {
        self.has_allocated
    }

    /// Whether a state is in a function of the C library. It is optimised: what it computes and does not use may be poison.
    pub(crate) fn is_in_library(&self, state: &State<D>) -> bool {
        let function = state.frame().and_then(|frame| self.program.functions.get(frame.function.index()));
        function.is_some_and(|function| function.is_library)
    }

    /// The function that a state is in.
    pub(crate) fn function(&self, id: FunctionId) -> Result<&'p Function, Stop> {
        self.program.functions.get(id.index()).ok_or_else(|| Stop::unsupported("no such function"))
    }

    /// Executes until the outermost function returns.
    ///
    /// # Errors
    ///
    /// Why the path stopped, or the choice that must be made for it to go on (see [`Split`]).
    pub fn run(&mut self, state: &mut State<D>) -> Result<ValueOf<D>, HaltOf<D>> {
        loop {
            if let Step::Returned(value) = self.step(state)? {
                return Ok(value);
            }
        }
    }

    /// Calls a function that prepares a state, before anything else is called on it: its effects on memory stay, its
    /// result and what the path remembers of it do not. Parameters, if it has any, are zeros.
    ///
    /// # Errors
    ///
    /// Why it did not return; [`Stop::SymbolicValue`] if it would have to choose.
    pub fn prepare(&mut self, state: &mut State<D>, function: FunctionId) -> Result<(), Stop> {
        let definition = self.function(function)?;
        let mut arguments = Vec::with_capacity(definition.parameters.len());
        for parameter in &definition.parameters {
            arguments.push(self.constant(&Constant::Zero(parameter.ty.clone()))?);
        }
        let path = state.path.clone();
        self.push_frame(state, function, arguments, None)?;
        let ended = self.run(state);
        state.path = path;
        state.instructions = 0;
        match ended {
            Ok(_) => Ok(()),
            Err(Halt::Stop(stop)) => Err(stop),
            Err(Halt::Split(_)) => Err(Stop::SymbolicValue),
            Err(Halt::Call(_)) => Err(Stop::unsupported("a call that nobody answers")),
        }
    }

    /// Executes one instruction. On `Err` the state is as before it.
    ///
    /// # Errors
    ///
    /// As [`Machine::run`].
    pub fn step(&mut self, state: &mut State<D>) -> Result<Step<D>, HaltOf<D>> {
        let Some(frame) = state.frame() else {
            return Ok(Step::Returned(Value::new()));
        };
        if state.instructions >= self.limits.instructions {
            return Err(Stop::InstructionLimit.into());
        }
        let (function_id, block_id, index) = (frame.function, frame.block, frame.instruction);
        let function = self.function(function_id)?;
        let block = &function.blocks[block_id.index()];
        let mut place = Place {
            function: function_id,
            block: block_id,
            instruction: index as u32,
            lane: 0,
            part: 0,
            location: block.terminator_location,
            fast_math: Default::default(),
            tainted: state.is_arbitrary,
            in_library: false,
            is_power: false,
            is_vector: false,
        };
        let Some(instruction) = block.instructions.get(index) else {
            let step = self.terminator(state, &block.terminator)?;
            state.instructions += 1;
            return Ok(step);
        };
        place.location = instruction.location;
        if place.location.is_none() && function.is_library && self.computes(instruction) {
            place.location = self.call_into_library(state);
        }
        place.fast_math = instruction.fast_math;
        if let InstructionKind::Call(callee, arguments) = &instruction.kind {
            self.call_instruction(state, &place, instruction, callee, arguments)?;
        } else {
            let value = self.execute(state, &place, instruction)?;
            self.complete(state, instruction, value);
        }
        state.instructions += 1;
        Ok(Step::Continue)
    }

    /// Whether an instruction computes with floats, by itself or by a known function.
    fn computes(&self, instruction: &Instruction) -> bool {
        match &instruction.kind {
            InstructionKind::FloatBinary(..) => true,
            InstructionKind::Call(Callee::Intrinsic(intrinsic), _) => {
                matches!(intrinsic.kind(), IntrinsicKind::Float(_))
            }
            InstructionKind::Call(Callee::Function(id), _) => {
                let callee = self.program.functions.get(id.index());
                callee.and_then(|callee| callee.known).is_some_and(|known| known.float_call().is_some())
            }
            _ => false,
        }
    }

    /// Where the program called the library that a state is in: what the library computes is done there for the source.
    fn call_into_library(&self, state: &State<D>) -> Option<LocationId> {
        let is_own = |id: FunctionId| self.program.functions.get(id.index()).is_some_and(|of| !of.is_library);
        calls_at(self.program, state.positions_back().find(|(function, ..)| is_own(*function))?)
    }

    /// Defines an instruction's result and moves on to the next.
    pub(crate) fn complete(&mut self, state: &mut State<D>, instruction: &Instruction, value: ValueOf<D>) {
        if let Some(frame) = state.frame_mut() {
            if let Some(result) = instruction.result
                && let Some(slot) = frame.values.get_mut(result.index())
            {
                *slot = Some(value);
            }
            frame.instruction += 1;
        }
    }

    /// Dispatches everything but calls; instructions without a result give an empty value.
    fn execute(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &'p Instruction,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let ty = &instruction.ty;
        match &instruction.kind {
            InstructionKind::FloatBinary(op, lhs, rhs) => self.float_binary(state, place, *op, lhs, rhs),
            InstructionKind::FloatNegate(operand) => self.float_negate(state, place, operand),
            InstructionKind::FloatCompare(predicate, lhs, rhs) => {
                self.float_compare(state, place, *predicate, lhs, rhs)
            }
            InstructionKind::IntBinary { op, lhs, rhs, may_poison } => {
                if *may_poison && self.checks.signed_overflow && !self.is_in_library(state) {
                    self.refuse_overflow(state, *op, lhs, rhs)?;
                }
                self.int_binary(state, *op, lhs, rhs)
            }
            InstructionKind::IntCompare(predicate, lhs, rhs) => self.int_compare(state, *predicate, lhs, rhs),
            InstructionKind::Cast(cast, operand) => self.cast(state, place, *cast, operand, ty),
            InstructionKind::Select(condition, a, b) => self.select(state, condition, a, b),
            InstructionKind::Phi(_) => Err(Stop::unsupported("a phi after other instructions").into()),
            InstructionKind::Alloca(element, length, align) => self.alloca(state, element, length, *align),
            InstructionKind::Load { pointer, .. } => self.load(state, place, pointer, ty),
            InstructionKind::Store { value, ty, pointer, .. } => self.store(state, place, value, ty, pointer),
            InstructionKind::PointerOffset { base, offset, scaled } => {
                self.pointer_offset(state, base, *offset, scaled)
            }
            InstructionKind::ExtractElement(vector, index) => self.extract_element(state, vector, index),
            InstructionKind::InsertElement(vector, element, index) => {
                self.insert_element(state, vector, element, index)
            }
            InstructionKind::ShuffleVector(a, b, mask) => self.shuffle_vector(state, a, b, mask, ty),
            InstructionKind::ExtractValue(aggregate, path) => self.extract_value(state, aggregate, path, ty),
            InstructionKind::InsertValue(aggregate, element, path) => {
                self.insert_value(state, aggregate, element, path, ty)
            }
            InstructionKind::Freeze(operand) => self.freeze(state, operand),
            InstructionKind::Call(..) => Err(Stop::unsupported("a call outside its handler").into()),
            InstructionKind::Unsupported(what) => Err(Stop::Unsupported(what.clone()).into()),
        }
    }

    /// `freeze`: undefined scalars become arbitrary ones, which control may depend on; the state remembers.
    fn freeze(&mut self, state: &mut State<D>, operand: &Operand) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut value = self.operand(state, operand)?;
        for scalar in &mut value {
            state.is_arbitrary |= scalar.tainted;
            scalar.tainted = false;
        }
        Ok(value)
    }

    /// The value of an operand in the innermost activation.
    ///
    /// # Errors
    ///
    /// Constants that are not understood, and values that were not computed.
    pub fn operand(&mut self, state: &State<D>, operand: &Operand) -> Result<ValueOf<D>, HaltOf<D>> {
        match operand {
            Operand::Constant(constant) => Ok(self.constant(constant)?),
            Operand::Value(id) => {
                let frame = state.frame().ok_or_else(|| Stop::unsupported("a value outside any function"))?;
                match frame.values.get(id.index()) {
                    Some(Some(value)) => Ok(value.clone()),
                    _ => Err(Stop::unsupported("a value used before its definition").into()),
                }
            }
        }
    }

    /// The value of an operand in the innermost activation, not copied where it was computed before.
    pub(crate) fn operand_in<'a>(
        &mut self,
        state: &'a State<D>,
        operand: &Operand,
    ) -> Result<Cow<'a, ValueOf<D>>, HaltOf<D>> {
        let Operand::Value(id) = operand else { return Ok(Cow::Owned(self.operand(state, operand)?)) };
        match state.frame().and_then(|frame| frame.value(*id)) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => Err(Stop::unsupported("a value used before its definition").into()),
        }
    }

    /// The value of an operand of a scalar type.
    pub(crate) fn scalar(&mut self, state: &State<D>, operand: &Operand) -> Result<ScalarOf<D>, HaltOf<D>> {
        if let Operand::Value(id) = operand
            && let Some(scalar) = state.frame().and_then(|frame| frame.value(*id)?.first())
        {
            return Ok(scalar.clone());
        }
        let value = self.operand(state, operand)?;
        value.into_iter().next().ok_or_else(|| Stop::unsupported("an empty value as a scalar").into())
    }

    /// An integer's value if it is known here.
    pub fn known(&self, state: &State<D>, int: &IntOf<D>) -> Option<u128> {
        match int.symbol() {
            None => int.concrete(),
            Some(symbol) => self.domain.known_value(&state.path, symbol),
        }
    }

    /// A truth value that control depends on.
    ///
    /// # Errors
    ///
    /// [`Halt::Split`] where it is not known.
    pub fn decide(&mut self, state: &State<D>, bit: &IntOf<D>) -> Result<bool, HaltOf<D>> {
        match (self.known(state, bit), bit.symbol()) {
            (Some(value), _) => Ok(value != 0),
            (None, Some(symbol)) => Err(Halt::Split(Box::new(Split {
                symbol: symbol.clone(),
                bits: 1,
                candidates: vec![1, 0],
                is_exhaustive: true,
                otherwise: Stop::SymbolicValue,
            }))),
            (None, None) => Ok(false),
        }
    }

    /// An integer that must be known, such as a size; symbols are split over `candidates`.
    pub(crate) fn concrete(
        &mut self,
        state: &State<D>,
        int: &IntOf<D>,
        candidates: impl FnOnce(&mut D, &D::Symbol) -> Vec<u128>,
    ) -> Result<u128, HaltOf<D>> {
        self.concrete_or(state, int, |domain, symbol| (candidates(domain, symbol), Stop::SymbolicValue))
    }

    /// The same, where `candidates` also says why a path with none of them stops.
    pub(crate) fn concrete_or(
        &mut self,
        state: &State<D>,
        int: &IntOf<D>,
        candidates: impl FnOnce(&mut D, &D::Symbol) -> (Vec<u128>, Stop),
    ) -> Result<u128, HaltOf<D>> {
        match (self.known(state, int), int.symbol()) {
            (Some(value), _) => Ok(value),
            (None, Some(symbol)) => {
                let (candidates, otherwise) = candidates(&mut self.domain, symbol);
                let symbol = symbol.clone();
                Err(Halt::Split(Box::new(Split {
                    symbol,
                    bits: int.bits(),
                    candidates,
                    is_exhaustive: false,
                    otherwise,
                })))
            }
            (None, None) => Err(Stop::unsupported("a size of more than 128 bits").into()),
        }
    }
}

/// The integer in a scalar.
pub(crate) fn int_of<F, S>(scalar: &Scalar<F, S>) -> Result<&Int<S>, Stop> {
    match &scalar.datum {
        Datum::Int(int) => Ok(int),
        _ => Err(Stop::unsupported("an operand that should be an integer")),
    }
}

/// The float in a scalar.
pub(crate) fn float_of<F, S>(scalar: &Scalar<F, S>) -> Result<&F, Stop> {
    match &scalar.datum {
        Datum::Float(float) => Ok(float),
        _ => Err(Stop::unsupported("an operand that should be a float")),
    }
}

/// The pointer in a scalar.
pub(crate) fn pointer_of<F, S>(scalar: &Scalar<F, S>) -> Result<&Pointer<S>, Stop> {
    match &scalar.datum {
        Datum::Pointer(pointer) => Ok(pointer),
        _ => Err(Stop::unsupported("an operand that should be a pointer")),
    }
}

impl Place {
    /// The same place, another lane.
    pub(crate) fn at_lane(&self, lane: usize) -> Place {
        Place { lane: lane as u32, ..*self }
    }

    /// The same place, another of the operations that the instruction stands for.
    pub(crate) fn at_part(&self, part: usize) -> Place {
        Place { part: part as u32, ..*self }
    }

    /// The same place inside a power by an integer.
    pub(crate) fn in_power(&self) -> Place {
        Place { is_power: true, ..*self }
    }

    /// The same place inside a library function's model.
    pub(crate) fn in_library(&self) -> Place {
        Place { in_library: true, ..*self }
    }
}

/// The format of a float type.
pub(crate) fn format_of(kind: crate::ScalarKind) -> Result<Format, Stop> {
    match kind {
        crate::ScalarKind::Float(format) => Ok(format),
        _ => Err(Stop::unsupported("a float type was expected")),
    }
}
