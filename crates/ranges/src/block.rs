//! Blocks: instructions in lockstep for all states of a block, then the terminator.

use std::sync::Arc;

use labrys_interp::{FloatOperation, ScalarKind};
use labrys_program::{
    BlockId, Callee, Constant, Instruction, InstructionKind, IntPredicate, Operand, Terminator, Type,
};
use num_traits::ToPrimitive;
use smallvec::smallvec;

use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine, Outcome};
use crate::pointer::PointerDomain;
use crate::refine;
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::{images, types};

/// Where an instruction stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub block: u32,
    pub instruction: u32,
    pub lane: u32,
}

impl Place {
    /// The same place, another lane.
    pub fn at_lane(self, lane: usize) -> Place {
        Place { lane: lane as u32, ..self }
    }
}

impl Machine<'_> {
    /// Runs a block from states at its start.
    pub fn run_block(
        &mut self,
        activation: &mut Activation,
        block_id: BlockId,
        mut states: Vec<Snapshot>,
    ) -> Result<Outcome, Stop> {
        let program = self.program;
        let block = &program.functions[activation.function.index()].blocks[block_id.index()];
        for (index, instruction) in block.instructions.iter().enumerate() {
            if matches!(instruction.kind, InstructionKind::Phi(_)) {
                continue;
            }
            let place = Place { block: block_id.0, instruction: index as u32, lane: 0 };
            let mut next = Vec::with_capacity(states.len());
            for mut snapshot in states {
                self.step()?;
                match &instruction.kind {
                    InstructionKind::Call(callee, operands) => {
                        next.extend(self.call(activation, place, instruction, (callee, operands), snapshot)?);
                    }
                    _ => {
                        if self.execute(activation, place, instruction, &mut snapshot)? {
                            next.push(snapshot);
                        }
                    }
                }
            }
            states = self.reduced(next);
        }
        let mut outcome = Outcome::default();
        for snapshot in states {
            self.step()?;
            self.terminator(activation, block_id, &block.terminator, snapshot, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Executes an instruction that is no call; `false` if no run survives it.
    fn execute(
        &mut self,
        activation: &mut Activation,
        place: Place,
        instruction: &Instruction,
        snapshot: &mut Snapshot,
    ) -> Result<bool, Stop> {
        let ty = &instruction.ty;
        let value = match &instruction.kind {
            InstructionKind::FloatBinary(op, a, b) => {
                let operands = [self.operand(snapshot, a)?, self.operand(snapshot, b)?];
                self.float_lanes(activation, place, snapshot, FloatOperation::from(*op), &operands)?
            }
            InstructionKind::FloatNegate(a) => {
                let operand = self.operand(snapshot, a)?;
                self.float_lanes(activation, place, snapshot, FloatOperation::Neg, &[operand])?
            }
            InstructionKind::FloatCompare(predicate, a, b) => {
                let (a, b) = (self.operand(snapshot, a)?, self.operand(snapshot, b)?);
                self.float_compare(activation, place, snapshot, *predicate, &a, &b)
            }
            InstructionKind::IntBinary { op, lhs, rhs, .. } => {
                let (a, b) = (self.operand(snapshot, lhs)?, self.operand(snapshot, rhs)?);
                let mut value = Value::new();
                for (a, b) in a.iter().zip(&b) {
                    let (Domain::Int(x), Domain::Int(y)) = (self.domain(snapshot, *a), self.domain(snapshot, *b))
                    else {
                        return Err(unsupported("integer arithmetic on something else"));
                    };
                    if IntDomain::binary(*op, &x, &y).is_none() {
                        // Division by zero traps.
                        return Ok(false);
                    }
                    value.push(snapshot.state.compute(
                        &mut self.graph,
                        Op::IntBinary(*op),
                        &[*a, *b],
                        &Domain::Int(IntDomain::top(x.bits)),
                    ));
                }
                value
            }
            InstructionKind::IntCompare(predicate, a, b) => {
                let (a, b) = (self.operand(snapshot, a)?, self.operand(snapshot, b)?);
                let bit = Domain::Int(IntDomain::top(1));
                let compare = |(a, b): (&NodeId, &NodeId)| {
                    snapshot.state.compute(&mut self.graph, Op::IntCompare(*predicate), &[*a, *b], &bit)
                };
                a.iter().zip(&b).map(compare).collect()
            }
            InstructionKind::Cast(cast, operand) => self.cast(activation, place, snapshot, *cast, operand, ty)?,
            InstructionKind::Select(condition, a, b) => self.select(snapshot, condition, a, b)?,
            InstructionKind::Alloca(element, length, _) => self.alloca(activation, place, snapshot, element, length)?,
            InstructionKind::Load { pointer, .. } => {
                let pointer = self.scalar(snapshot, pointer)?;
                match self.load(snapshot, pointer, ty)? {
                    Some(value) => value,
                    None => return Ok(false),
                }
            }
            InstructionKind::Store { value, ty, pointer, .. } => {
                let pointer = self.scalar(snapshot, pointer)?;
                let value = self.operand(snapshot, value)?;
                return self.store(snapshot, pointer, &value, ty);
            }
            InstructionKind::PointerOffset { base, offset, scaled } => {
                self.pointer_offset(snapshot, base, *offset, scaled)?
            }
            InstructionKind::ExtractValue(aggregate, path) => {
                let of = self.type_of(activation, aggregate)?;
                let (first, count) = types::member(&of, path)?;
                let value = self.operand(snapshot, aggregate)?;
                let member = value.get(first..first + count).ok_or_else(|| unsupported("a member out of range"))?;
                member.iter().copied().collect()
            }
            InstructionKind::InsertValue(aggregate, element, path) => {
                let (first, count) = types::member(ty, path)?;
                let mut value = self.operand(snapshot, aggregate)?;
                let element = self.operand(snapshot, element)?;
                if element.len() != count || first + count > value.len() {
                    return Err(unsupported("a member out of range"));
                }
                value[first..first + count].copy_from_slice(&element);
                value
            }
            InstructionKind::ExtractElement(..)
            | InstructionKind::InsertElement(..)
            | InstructionKind::ShuffleVector(..) => self.vector(snapshot, &instruction.kind, ty)?,
            InstructionKind::Freeze(operand) => self.operand(snapshot, operand)?,
            InstructionKind::Phi(_) | InstructionKind::Call(..) => return Err(unsupported("a misplaced instruction")),
            InstructionKind::Unsupported(what) => return Err(Stop::Unsupported(what.clone())),
        };
        define(snapshot, instruction, value);
        Ok(true)
    }

    fn vector(&mut self, snapshot: &mut Snapshot, kind: &InstructionKind, ty: &Type) -> Result<Value, Stop> {
        let lane = |machine: &mut Self, snapshot: &Snapshot, index: &Operand| {
            let index = machine.scalar(snapshot, index)?;
            match machine.domain(snapshot, index) {
                Domain::Int(set) => Ok(set.single_bits()),
                _ => Err(unsupported("a lane that is no integer")),
            }
        };
        match kind {
            InstructionKind::ExtractElement(vector, index) => {
                let lanes = self.operand(snapshot, vector)?;
                match lane(self, snapshot, index)?.and_then(|lane| lanes.get(lane as usize)) {
                    Some(node) => Ok(smallvec![*node]),
                    None => self.unknown(snapshot, ty),
                }
            }
            InstructionKind::InsertElement(vector, element, index) => {
                let mut lanes = self.operand(snapshot, vector)?;
                let element = self.scalar(snapshot, element)?;
                match lane(self, snapshot, index)? {
                    Some(lane) if (lane as usize) < lanes.len() => lanes[lane as usize] = element,
                    _ => lanes = self.unknown(snapshot, ty)?,
                }
                Ok(lanes)
            }
            InstructionKind::ShuffleVector(a, b, mask) => {
                let mut lanes = self.operand(snapshot, a)?;
                lanes.extend(self.operand(snapshot, b)?);
                let kind = types::element_kind(ty)?;
                let pick = |lane: &Option<u32>| match lane.and_then(|lane| lanes.get(lane as usize)) {
                    Some(node) => *node,
                    None => snapshot.state.opaque(&mut self.graph, types::top(kind)),
                };
                Ok(mask.iter().map(pick).collect())
            }
            _ => Err(unsupported("a misplaced instruction")),
        }
    }

    fn select(
        &mut self,
        snapshot: &mut Snapshot,
        condition: &Operand,
        a: &Operand,
        b: &Operand,
    ) -> Result<Value, Stop> {
        let condition = self.operand(snapshot, condition)?;
        let (a, b) = (self.operand(snapshot, a)?, self.operand(snapshot, b)?);
        let mut value = Value::new();
        for (lane, (a, b)) in a.iter().zip(&b).enumerate() {
            let bit = *condition.get(lane).or(condition.first()).ok_or_else(|| unsupported("an empty condition"))?;
            value.push(self.choose(snapshot, bit, *a, *b));
        }
        Ok(value)
    }

    /// One lane of a select. Each side is looked at under the condition that chooses it.
    fn choose(&mut self, snapshot: &mut Snapshot, bit: NodeId, a: NodeId, b: NodeId) -> NodeId {
        match self.domain(snapshot, bit) {
            Domain::Int(set) if set.single() == Some(0) => return b,
            Domain::Int(set) if set.single().is_some() => return a,
            _ if a == b => return a,
            _ => {}
        }
        let mut under = |node: NodeId, truth: bool| {
            let mut state = snapshot.state.clone();
            state.branch = self.graph.fork(state.branch);
            let is_possible = refine::assume_bit(&self.graph, &mut state, bit, truth);
            is_possible.then(|| state.domain(&self.graph, node).clone())
        };
        let domain = match (under(a, true), under(b, false)) {
            (Some(x), Some(y)) => x.hull(&y),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => self.domain(snapshot, a),
        };
        snapshot.state.node(&mut self.graph, Op::Select, &[bit, a, b], domain)
    }

    fn pointer_offset(
        &mut self,
        snapshot: &mut Snapshot,
        base: &Operand,
        offset: i64,
        scaled: &[(Operand, i64)],
    ) -> Result<Value, Stop> {
        let bases = self.operand(snapshot, base)?;
        let mut by = IntDomain::only(64, offset as u128);
        for (index, scale) in scaled {
            let index = self.operand(snapshot, index)?;
            let ([index], 1) = (&index[..], bases.len()) else { return Err(unsupported("vectors of pointers")) };
            let Domain::Int(index) = self.domain(snapshot, *index) else {
                return Err(unsupported("an index that is no integer"));
            };
            let index = index.resized(64, true);
            let scale = IntDomain::only(64, *scale as u128);
            let part = IntDomain::binary(labrys_program::IntBinary::Mul, &index, &scale);
            let sum = part.and_then(|part| IntDomain::binary(labrys_program::IntBinary::Add, &by, &part));
            by = sum.unwrap_or(IntDomain::top(64));
        }
        let mut value = Value::new();
        for base in &bases {
            if by.single() == Some(0) {
                value.push(*base);
                continue;
            }
            let Domain::Pointer(pointer) = self.domain(snapshot, *base) else {
                return Err(unsupported("an address that is no pointer"));
            };
            value.push(snapshot.state.opaque(&mut self.graph, Domain::Pointer(pointer.moved(&by))));
        }
        Ok(value)
    }

    /// Goes where a terminator leads.
    fn terminator(
        &mut self,
        activation: &Activation,
        from: BlockId,
        terminator: &Terminator,
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        match terminator {
            Terminator::Return(operand) => {
                let value = match operand {
                    Some(operand) => Some(self.operand(&snapshot, operand)?),
                    None => None,
                };
                snapshot.values = vec![value];
                outcome.finish(snapshot);
            }
            Terminator::Branch(target) => self.enter(activation, from, *target, snapshot, outcome)?,
            Terminator::CondBranch(condition, if_true, if_false) => {
                let condition = self.scalar(&snapshot, condition)?;
                let Domain::Int(set) = self.domain(&snapshot, condition) else {
                    return Err(unsupported("a condition that is no integer"));
                };
                match set.single() {
                    Some(0) => self.enter(activation, from, *if_false, snapshot, outcome)?,
                    Some(_) => self.enter(activation, from, *if_true, snapshot, outcome)?,
                    None => {
                        for (truth, target) in [(true, *if_true), (false, *if_false)] {
                            let mut way = snapshot.clone();
                            way.state.branch = self.graph.fork(way.state.branch);
                            if refine::assume_bit(&self.graph, &mut way.state, condition, truth) {
                                self.enter(activation, from, target, way, outcome)?;
                            }
                        }
                    }
                }
            }
            Terminator::Switch { value, cases, default } => {
                self.switch(activation, from, (value, cases, *default), snapshot, outcome)?;
            }
            Terminator::Unreachable => {}
            Terminator::Unsupported(what) => return Err(Stop::Unsupported(what.clone())),
        }
        Ok(())
    }

    fn switch(
        &mut self,
        activation: &Activation,
        from: BlockId,
        (value, cases, default): (&Operand, &[(num_bigint::BigUint, BlockId)], BlockId),
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let value = self.scalar(&snapshot, value)?;
        for (case, target) in cases {
            let Domain::Int(set) = self.domain(&snapshot, value) else {
                return Err(unsupported("a switch on no integer"));
            };
            let case = IntDomain::only(set.bits, case.to_u128().unwrap_or_default());
            let mut way = snapshot.clone();
            way.state.branch = self.graph.fork(way.state.branch);
            if refine::assume(&self.graph, &mut way.state, value, Domain::Int(case)) {
                self.enter(activation, from, *target, way, outcome)?;
            }
            let Some((rest, _)) = IntDomain::compared(IntPredicate::Ne, &set, &case) else { return Ok(()) };
            snapshot.state.branch = self.graph.fork(snapshot.state.branch);
            if !refine::assume(&self.graph, &mut snapshot.state, value, Domain::Int(rest)) {
                return Ok(());
            }
        }
        self.enter(activation, from, default, snapshot, outcome)
    }

    /// Moves to a block: its phis all read the values from before, and values that nobody reads any more are dropped.
    fn enter(
        &mut self,
        activation: &Activation,
        from: BlockId,
        target: BlockId,
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let program = self.program;
        let block = &program.functions[activation.function.index()].blocks[target.index()];
        let mut defined = Vec::new();
        for instruction in &block.instructions {
            let InstructionKind::Phi(incoming) = &instruction.kind else { break };
            let operand = incoming.iter().find(|(block, _)| *block == from).map(|(_, operand)| operand);
            let operand = operand.ok_or_else(|| unsupported("a phi without this predecessor"))?;
            defined.push((instruction, self.operand(&snapshot, operand)?));
        }
        for (instruction, value) in defined {
            define(&mut snapshot, instruction, value);
        }
        if activation.cfg.is_join[target.index()] {
            for (index, slot) in snapshot.values.iter_mut().enumerate() {
                if slot.is_some() && !activation.cfg.is_live(target, index) {
                    *slot = None;
                }
            }
        }
        outcome.exit(target, snapshot);
        Ok(())
    }

    /// What is known of a node in a snapshot.
    pub fn domain(&self, snapshot: &Snapshot, node: NodeId) -> Domain {
        snapshot.state.domain(&self.graph, node).clone()
    }

    /// The float that a node is; `None` for other types.
    pub fn float(&self, snapshot: &Snapshot, node: NodeId) -> Option<labrys_solver::domain::FloatDomain> {
        crate::transfer::float_of(snapshot.state.domain(&self.graph, node))
    }

    /// The value of an operand.
    pub fn operand(&mut self, snapshot: &Snapshot, operand: &Operand) -> Result<Value, Stop> {
        match operand {
            Operand::Value(id) => match snapshot.values.get(id.index()) {
                Some(Some(value)) => Ok(value.clone()),
                _ => Err(unsupported("a value used before its definition")),
            },
            Operand::Constant(constant) => match (images::nodes(&mut self.graph, constant), constant) {
                (Some(nodes), _) => Ok(nodes.into()),
                // Any value, each time another.
                (None, Constant::Undef(ty) | Constant::Poison(ty)) => self.unknown(snapshot, ty),
                (None, _) => Err(unsupported("a constant")),
            },
        }
    }

    /// The node of a scalar operand.
    pub fn scalar(&mut self, snapshot: &Snapshot, operand: &Operand) -> Result<NodeId, Stop> {
        let value = self.operand(snapshot, operand)?;
        value.first().copied().ok_or_else(|| unsupported("an empty value as a scalar"))
    }

    /// Any value of a type.
    pub fn unknown(&mut self, snapshot: &Snapshot, ty: &Type) -> Result<Value, Stop> {
        let kinds = types::kinds(ty)?;
        Ok(kinds.into_iter().map(|kind| snapshot.state.opaque(&mut self.graph, types::top(kind))).collect())
    }

    /// The type of an operand.
    pub fn type_of(&self, activation: &Activation, operand: &Operand) -> Result<Type, Stop> {
        let function = &self.program.functions[activation.function.index()];
        function.type_of(operand).ok_or_else(|| unsupported("an operand without a type"))
    }

    /// Stack memory of a known size.
    fn alloca(
        &mut self,
        activation: &mut Activation,
        place: Place,
        snapshot: &mut Snapshot,
        element: &Type,
        length: &Operand,
    ) -> Result<Value, Stop> {
        let length = self.scalar(snapshot, length)?;
        let Domain::Int(length) = self.domain(snapshot, length) else {
            return Err(unsupported("an object of a length that is no integer"));
        };
        let count = length.single().and_then(|count| u64::try_from(count).ok());
        let count = count.ok_or_else(|| unsupported("stack memory of a size that is not known"))?;
        let size = count.saturating_mul(element.alloc_size());
        let key = (place.block, place.instruction);
        let id = match activation.entry_locals.get(&key) {
            Some(id) if place.block == 0 => *id,
            _ => {
                let id = self.new_object();
                activation.locals.push(id);
                activation.entry_locals.insert(key, id);
                id
            }
        };
        snapshot.state.memory.objects.insert(id, Arc::new(crate::memory::Object::new(size, false)));
        let pointer = snapshot.state.opaque(&mut self.graph, Domain::Pointer(PointerDomain::object(id)));
        Ok(smallvec![pointer])
    }

    /// A name for a new object.
    pub fn new_object(&mut self) -> crate::pointer::ObjectId {
        self.next_object += 1;
        crate::pointer::ObjectId::Dynamic(self.next_object)
    }

    /// A conversion to `kind` that keeps bits, where the sizes are equal; any value where that is not modelled.
    pub fn reinterpret(&mut self, snapshot: &mut Snapshot, node: NodeId, kind: ScalarKind) -> NodeId {
        let domain = self.domain(snapshot, node);
        let top = types::top(kind);
        match (types::kind(&domain), kind) {
            (own, wanted) if own == wanted => node,
            (ScalarKind::Float(format), ScalarKind::Int(bits)) if format.width() == bits => {
                snapshot.state.compute(&mut self.graph, Op::ToBits, &[node], &top)
            }
            (ScalarKind::Int(bits), ScalarKind::Float(format)) if format.width() == bits => {
                snapshot.state.compute(&mut self.graph, Op::FromBits, &[node], &top)
            }
            (ScalarKind::Int(own), ScalarKind::Int(bits)) if own.div_ceil(8) == bits.div_ceil(8) => {
                // A truth value is stored as a byte.
                snapshot.state.compute(&mut self.graph, Op::Resize { signed: false }, &[node], &top)
            }
            _ => snapshot.state.opaque(&mut self.graph, top),
        }
    }
}

/// Whether a callee is an intrinsic that only tells the optimiser something.
pub(crate) fn is_hint(callee: &Callee) -> bool {
    const HINTS: [&str; 10] = [
        "llvm.lifetime.start",
        "llvm.lifetime.end",
        "llvm.invariant.start",
        "llvm.invariant.end",
        "llvm.experimental.noalias.scope.decl",
        "llvm.donothing",
        "llvm.sideeffect",
        "llvm.prefetch",
        "llvm.stackrestore",
        "llvm.assume",
    ];
    matches!(callee, Callee::Intrinsic(name) if HINTS.contains(&&**name) || name.starts_with("llvm.dbg."))
}

/// Defines an instruction's result.
pub(crate) fn define(snapshot: &mut Snapshot, instruction: &Instruction, value: Value) {
    if let Some(result) = instruction.result
        && let Some(slot) = snapshot.values.get_mut(result.index())
    {
        *slot = Some(value);
    }
}
