//! Calls: of the program's functions (inlined), of intrinsics, of the library.

use labrys_float::Flags;
use labrys_interp::{ClassMask, FloatOperation};
use labrys_program::{
    BlockId, Callee, Extreme, FloatCall, FunctionId, Instruction, IntegerCall, Intrinsic, IntrinsicKind, Operand, Type,
    indirect_targets,
};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::block::{Place, define, is_hint};
use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine};
use crate::pointer::Base;
use crate::proof::{ANYTHING, TRAP};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};

/// What recursion into the function that is analysed rests on. Its analysis is for any arguments, so that what each activation of it
/// executes, up to calls of itself, is in the record; but it takes the memory behind its pointers to be as a caller from outside gives it.
const OWN_RESULTS: &str = "a function that calls itself passes pointers as its callers do";

/// Activations of one function at a time; a deeper recursion may do anything.
const MAX_RECURSION: usize = 4;

/// What a call that is no float operation comes to.
pub(crate) enum Called {
    /// A result; empty for none.
    Value(Value),
    /// No run gets past it.
    Nothing,
}

impl Machine<'_> {
    /// A call; the states after it.
    pub fn call(
        &mut self,
        activation: &Activation,
        place: Place,
        instruction: &Instruction,
        (callee, operands): (&Callee, &[Operand]),
        mut snapshot: Snapshot,
    ) -> Result<Vec<Snapshot>, Stop> {
        if is_hint(callee) {
            if let (Callee::Intrinsic(called), Some(_)) = (callee, self.checked)
                && let Some(begins) = called.begins_life()
            {
                self.mark_life(&mut snapshot, operands, begins)?;
            }
            let value = self.unknown(&snapshot, &instruction.ty)?;
            define(&mut snapshot, instruction, value);
            return Ok(vec![snapshot]);
        }
        let targets = match callee {
            Callee::Function(id) => Some(vec![*id]),
            Callee::Indirect(address) => {
                Some(self.targets(activation, place, &snapshot, (address, operands), instruction)?)
            }
            Callee::Intrinsic(_) => None,
            Callee::InlineAsm(text) if text.is_empty() && operands.is_empty() => return Ok(vec![snapshot]),
            Callee::InlineAsm(_) => return Err(unsupported("inline assembly")),
        };
        let Some(targets) = targets else {
            let Callee::Intrinsic(called) = callee else { return Err(unsupported("a call")) };
            let called = match called.kind() {
                IntrinsicKind::Float(call) => {
                    self.float_call(activation, place, instruction, (call, operands), &mut snapshot)?
                }
                _ => self.intrinsic(instruction, called, operands, &mut snapshot)?,
            };
            return Ok(finished(instruction, snapshot, called));
        };
        let mut states = Vec::new();
        let last = targets.len().saturating_sub(1);
        for (i, target) in targets.into_iter().enumerate() {
            let mut state = snapshot.clone();
            if last > 0 || i > 0 {
                state.state.branch = self.graph.fork(state.state.branch);
            }
            states.extend(self.call_function(activation, place, instruction, (target, operands), state)?);
        }
        Ok(states)
    }

    /// The functions that a computed address may be.
    fn targets(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &Snapshot,
        (address, operands): (&Operand, &[Operand]),
        instruction: &Instruction,
    ) -> Result<Vec<FunctionId>, Stop> {
        let node = self.scalar(snapshot, address)?;
        let Domain::Pointer(pointer) = self.domain(snapshot, node) else {
            return Err(unsupported("a call through something that is no pointer"));
        };
        // Behind a function's beginning there may be another's.
        let function = |target: &crate::pointer::Target| match target.base {
            Base::Function(id) if target.offset.single() == Some(0) => Some(Some(id)),
            Base::Absolute if target.offset.single() == Some(0) => Some(None),
            _ => None,
        };
        let known: Option<Vec<Option<FunctionId>>> =
            pointer.targets().and_then(|targets| targets.iter().map(function).collect());
        if let Some(known) = known {
            return Ok(known.into_iter().flatten().collect());
        }
        // It may be code that nobody knows.
        if self.is_recording {
            self.record_instruction(activation.function, (place.block, place.instruction), instruction);
        }
        let types: Result<Vec<Type>, Stop> = operands.iter().map(|operand| self.type_of(activation, operand)).collect();
        let taken = self.calls.address_taken();
        Ok(indirect_targets(self.program, &types?, &instruction.ty, taken))
    }

    fn call_function(
        &mut self,
        activation: &Activation,
        place: Place,
        instruction: &Instruction,
        (id, operands): (FunctionId, &[Operand]),
        mut snapshot: Snapshot,
    ) -> Result<Vec<Snapshot>, Stop> {
        let program = self.program;
        let function = &program.functions[id.index()];
        self.thrown(activation, place, id)?;
        if let Some(call) = self.verifier.and_then(|of| of(function)) {
            let called = self.verifier_call(instruction, call, operands, &mut snapshot)?;
            return Ok(finished(instruction, snapshot, called));
        }
        if function.blocks.is_empty() {
            let called = self.library(activation, place, instruction, (function, operands), &mut snapshot)?;
            return Ok(finished(instruction, snapshot, called));
        }
        let mut arguments = Vec::with_capacity(operands.len());
        for operand in operands {
            arguments.push(self.operand(&snapshot, operand)?);
        }
        if self.covered == Some(id) {
            self.assume(OWN_RESULTS);
            return self.unknown_after(instruction, snapshot).map(|state| vec![state]);
        }
        let active = self.stack.iter().filter(|active| **active == id).count();
        if self.stack.len() >= self.effort.depth || active >= MAX_RECURSION {
            return self.anything(instruction, id, "recursion", snapshot).map(|state| vec![state]);
        }
        if arguments.len() < function.parameters.len() {
            return Err(unsupported("a call with too few arguments"));
        }
        for (parameter, argument) in function.parameters.iter().zip(&mut arguments) {
            if let (Some((size, _)), Some(from)) = (parameter.by_value, argument.first().copied()) {
                *argument = self.copied(&mut snapshot, from, size)?;
            }
        }
        let values = std::mem::take(&mut snapshot.values);
        let before = Snapshot { state: snapshot.state.clone(), values: Vec::new() };
        match self.call_summarised(id, &arguments, snapshot) {
            Ok(returned) => Ok(returned
                .into_iter()
                .map(|returned| {
                    let result = returned.values.into_iter().next().flatten();
                    let mut after = Snapshot { state: returned.state, values: values.clone() };
                    define(&mut after, instruction, result.unwrap_or_default());
                    after
                })
                .collect()),
            Err(Stop::Unsupported(what)) => {
                let snapshot = Snapshot { values, ..before };
                self.anything(instruction, id, &what, snapshot).map(|state| vec![state])
            }
            Err(stop) => Err(stop),
        }
    }

    /// The address of a copy, as a callee gets of what is passed by value in memory.
    fn copied(&mut self, snapshot: &mut Snapshot, from: NodeId, size: u64) -> Result<Value, Stop> {
        let id = self.new_object();
        let object = crate::memory::Object::new(size, false);
        snapshot.state.memory.objects.insert(id, std::sync::Arc::new(object));
        let domain = Domain::Pointer(crate::pointer::PointerDomain::object(id));
        let to = snapshot.state.opaque(&mut self.graph, domain);
        let size = self.graph.int(64, u128::from(size));
        self.copy(snapshot, to, from, size)?;
        Ok(smallvec![to])
    }

    /// A callee that may raise everything at every site that it can reach, write everything and return anything.
    fn anything(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        why: &str,
        snapshot: Snapshot,
    ) -> Result<Snapshot, Stop> {
        if self.is_recording {
            self.record.opaque.entry(id).or_insert_with(|| why.to_owned());
            for function in self.reached(id) {
                self.record_all(function);
            }
        }
        self.unknown_after(instruction, snapshot)
    }

    /// The functions whose code may be executed in a call, but for what is told elsewhere. A function that is not known, such as
    /// qsort, may call any whose address is taken.
    pub fn reached(&self, id: FunctionId) -> Vec<FunctionId> {
        let mut seen: FxHashSet<FunctionId> = self.covered.into_iter().collect();
        let mut found: Vec<FunctionId> = seen.insert(id).then_some(id).into_iter().collect();
        let mut next = 0;
        while let Some(&function) = found.get(next) {
            next += 1;
            found.extend(self.calls.callees(function).iter().copied().filter(|callee| seen.insert(*callee)));
            let of = &self.program.functions[function.index()];
            if of.blocks.is_empty() && of.known.is_none() {
                found.extend(self.calls.address_taken().iter().copied().filter(|callee| seen.insert(*callee)));
            }
        }
        found
    }

    /// The state after a call that may have written everything and returned anything.
    fn unknown_after(&mut self, instruction: &Instruction, mut snapshot: Snapshot) -> Result<Snapshot, Stop> {
        snapshot.state.branch = self.graph.fork(snapshot.state.branch);
        snapshot.state.memory.forget_all();
        let value = self.unknown(&snapshot, &instruction.ty)?;
        define(&mut snapshot, instruction, value);
        Ok(snapshot)
    }

    /// Takes every site of a function to raise all it can.
    pub fn record_all(&mut self, id: FunctionId) {
        self.note_anything(id);
        for block in 0..self.program.functions[id.index()].blocks.len() {
            self.record_block(id, BlockId(block as u32));
        }
    }

    /// Takes every site of a block to raise all it can.
    pub fn record_block(&mut self, id: FunctionId, block: BlockId) {
        self.note_entered(id, block);
        let function = &self.program.functions[id.index()];
        for (index, instruction) in function.blocks[block.index()].instructions.iter().enumerate() {
            self.record_instruction(id, (block.0, index as u32), instruction);
        }
    }

    /// Takes every site of an instruction to raise all it can.
    fn record_instruction(&mut self, id: FunctionId, (block, index): (u32, u32), instruction: &Instruction) {
        if self.checked.is_some() {
            self.record.failing.insert((ANYTHING, (id, BlockId(block), index)));
        }
        let function = &self.program.functions[id.index()];
        for (lane, operator) in labrys_symex::site_operators(self.program, function, instruction) {
            let flags = operator.possible();
            *self.record.sites.entry((id, block, index, lane, operator)).or_insert(Flags::empty()) |= flags;
        }
    }

    /// The nodes of the first `count` operands, which are scalars.
    pub fn scalars(&mut self, snapshot: &Snapshot, operands: &[Operand], count: usize) -> Result<Vec<NodeId>, Stop> {
        if operands.len() < count {
            return Err(unsupported("a call with too few arguments"));
        }
        operands[..count].iter().map(|operand| self.scalar(snapshot, operand)).collect()
    }

    /// Intrinsics that do nothing to floats.
    fn intrinsic(
        &mut self,
        instruction: &Instruction,
        called: &Intrinsic,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let survives = |survives: bool| if survives { Called::Value(Value::new()) } else { Called::Nothing };
        Ok(match called.kind() {
            IntrinsicKind::Copy => {
                let of = self.scalars(snapshot, operands, 3)?;
                survives(self.copy(snapshot, of[0], of[1], of[2])?)
            }
            IntrinsicKind::Fill => {
                let of = self.scalars(snapshot, operands, 3)?;
                survives(self.set(snapshot, of[0], of[1], of[2])?)
            }
            IntrinsicKind::Trap => {
                self.may_fail(TRAP);
                Called::Nothing
            }
            IntrinsicKind::Identity => {
                let operand = operands.first().ok_or_else(|| unsupported("a call with too few arguments"))?;
                Called::Value(self.operand(snapshot, operand)?)
            }
            IntrinsicKind::Class => {
                let of = self.scalars(snapshot, operands, 2)?;
                let mask = match self.domain(snapshot, of[1]) {
                    Domain::Int(set) => set.single_bits().unwrap_or_default() as u32,
                    _ => 0,
                };
                let value = self.operand(snapshot, &operands[0])?;
                let mask = ClassMask::from_bits_truncate(mask);
                let bit = Domain::Int(IntDomain::top(1));
                let classify = |node: &NodeId| snapshot.state.compute(&mut self.graph, Op::Class(mask), &[*node], &bit);
                Called::Value(value.iter().map(classify).collect())
            }
            // The rounding mode is to nearest, C's 1.
            IntrinsicKind::Rounding => Called::Value(smallvec![self.graph.int(32, 1)]),
            IntrinsicKind::Integer(call @ (IntegerCall::Abs | IntegerCall::Extreme(Extreme { signed: true, .. }))) => {
                Called::Value(self.int_extreme(instruction, call, operands, snapshot)?)
            }
            IntrinsicKind::StackSave
            | IntrinsicKind::IsConstant
            | IntrinsicKind::ObjectSize
            | IntrinsicKind::Integer(_) => Called::Value(self.unknown(snapshot, &instruction.ty)?),
            _ => return Err(unsupported(format!("intrinsic {called}"))),
        })
    }

    /// Signed extremes and absolute values.
    fn int_extreme(
        &mut self,
        instruction: &Instruction,
        call: IntegerCall,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Value, Stop> {
        let of = self.scalars(snapshot, operands, call.arity())?;
        if instruction.ty.scalar_count() != 1 {
            return self.unknown(snapshot, &instruction.ty);
        }
        let Domain::Int(a) = self.domain(snapshot, of[0]) else { return Err(unsupported("an extreme of no integer")) };
        let result = match of.get(1).map(|b| self.domain(snapshot, *b)) {
            Some(Domain::Int(b)) if matches!(call, IntegerCall::Extreme(Extreme { greatest: true, .. })) => {
                IntDomain { low: a.low.max(b.low), high: a.high.max(b.high), stride: 1, ..a }
            }
            Some(Domain::Int(b)) => IntDomain { low: a.low.min(b.low), high: a.high.min(b.high), stride: 1, ..a },
            _ => absolute(&a),
        };
        Ok(smallvec![snapshot.state.opaque(&mut self.graph, Domain::Int(result))])
    }

    /// An operation of the library, or of an intrinsic, on floats.
    pub fn float_call(
        &mut self,
        activation: &Activation,
        place: Place,
        instruction: &Instruction,
        (call, operands): (FloatCall, &[Operand]),
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let mut all = Vec::with_capacity(operands.len());
        for operand in operands {
            // Metadata operands of constrained operations have no value.
            match self.operand(snapshot, operand) {
                Ok(value) => all.push(value),
                Err(_) => break,
            }
        }
        let too_few = || unsupported("a call with too few arguments");
        Ok(Called::Value(match call {
            FloatCall::Operation(operation) => {
                let operands = all.get(..operation.arity()).ok_or_else(too_few)?;
                self.float_lanes(activation, place, snapshot, operation, operands)?
            }
            FloatCall::MultiplyAdd => {
                let [a, b, c] = &all[..] else { return Err(too_few()) };
                if self.program.functions[activation.function.index()].features.fma {
                    self.float_lanes(activation, place, snapshot, FloatOperation::Fma, &all)?
                } else {
                    let factors = [a.clone(), b.clone()];
                    let product = self.float_lanes(activation, place, snapshot, FloatOperation::Mul, &factors)?;
                    let terms = [product, c.clone()];
                    self.float_lanes(activation, place, snapshot, FloatOperation::Add, &terms)?
                }
            }
            _ => return self.further_float_call(activation, place, instruction, (call, &all), snapshot),
        }))
    }
}

/// The states after a call with a result.
fn finished(instruction: &Instruction, mut snapshot: Snapshot, called: Called) -> Vec<Snapshot> {
    match called {
        Called::Value(value) => {
            define(&mut snapshot, instruction, value);
            vec![snapshot]
        }
        Called::Nothing => Vec::new(),
    }
}

/// |x|; the least number of the width is its own.
pub(crate) fn absolute(a: &IntDomain) -> IntDomain {
    let least = IntDomain::top(a.bits).low;
    if a.low == least {
        return IntDomain::top(a.bits);
    }
    let most = a.low.abs().max(a.high.abs());
    let low = if a.low > 0 {
        a.low
    } else if a.high < 0 {
        -a.high
    } else {
        0
    };
    IntDomain { low, high: most, stride: 1, ..*a }
}
