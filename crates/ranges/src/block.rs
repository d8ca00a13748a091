//! Blocks: instructions in lockstep for all states of a block, then the terminator.

use std::sync::Arc;

use labrys_interp::{FloatOperation, ScalarKind};
use labrys_program::{BlockId, Callee, Constant, Instruction, InstructionKind, Operand, Type};
use smallvec::smallvec;

use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine, Outcome};
use crate::pointer::PointerDomain;
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
        self.note_entered(activation.function, block_id);
        for (index, instruction) in block.instructions.iter().enumerate() {
            if matches!(instruction.kind, InstructionKind::Phi(_)) {
                continue;
            }
            let place = Place { block: block_id.0, instruction: index as u32, lane: 0 };
            let mut next = Vec::with_capacity(states.len());
            for mut snapshot in states {
                self.step()?;
                self.at = (activation.function, block_id, place.instruction);
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
        self.at = (activation.function, block_id, block.instructions.len() as u32);
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
            InstructionKind::IntBinary { op, lhs, rhs, may_poison } => {
                let (a, b) = (self.operand(snapshot, lhs)?, self.operand(snapshot, rhs)?);
                let mut value = Value::new();
                for (a, b) in a.iter().zip(&b) {
                    let (Domain::Int(x), Domain::Int(y)) = (self.domain(snapshot, *a), self.domain(snapshot, *b))
                    else {
                        return Err(unsupported("integer arithmetic on something else"));
                    };
                    self.check_integers(*op, *may_poison, &x, &y);
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
                for (a, b) in a.iter().zip(&b) {
                    self.check_addresses(snapshot, *predicate, *a, *b);
                }
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

    /// What is known of a node in a snapshot.
    pub fn domain(&self, snapshot: &Snapshot, node: NodeId) -> Domain {
        snapshot.state.domain(&self.graph, node).clone()
    }

    /// The float that a node is; `None` for other types.
    pub fn float(&self, snapshot: &Snapshot, node: NodeId) -> Option<labrys_solver::domain::FloatDomain> {
        crate::graph::float_of(snapshot.state.domain(&self.graph, node))
    }

    /// The value of an operand.
    pub fn operand(&mut self, snapshot: &Snapshot, operand: &Operand) -> Result<Value, Stop> {
        match operand {
            Operand::Value(id) => match snapshot.values.get(id.index()) {
                Some(Some(value)) => Ok(value.clone()),
                _ => Err(unsupported("a value used before its definition")),
            },
            Operand::Constant(constant) => self.constant(snapshot, constant),
        }
    }

    /// The value of a constant. What is undefined or not understood is any value, each time another.
    fn constant(&mut self, snapshot: &Snapshot, constant: &Constant) -> Result<Value, Stop> {
        match (images::nodes(&mut self.graph, constant), constant) {
            (Some(nodes), _) => Ok(nodes.into()),
            (None, Constant::Aggregate(_, members)) => {
                let mut all = Value::default();
                for member in members {
                    all.extend(self.constant(snapshot, member)?);
                }
                Ok(all)
            }
            (None, _) => self.unknown(snapshot, &constant.ty()),
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
    matches!(callee, Callee::Intrinsic(called) if called.kind().is_hint())
}

/// Defines an instruction's result.
pub(crate) fn define(snapshot: &mut Snapshot, instruction: &Instruction, value: Value) {
    if let Some(result) = instruction.result
        && let Some(slot) = snapshot.values.get_mut(result.index())
    {
        *slot = Some(value);
    }
}
