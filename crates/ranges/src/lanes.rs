//! Instructions that pick and move values: vectors, selections, addresses.

use labrys_program::{InstructionKind, Operand, Type};
use smallvec::smallvec;

use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::Machine;
use crate::refine;
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

impl Machine<'_> {
    /// Vector instructions.
    pub fn vector(&mut self, snapshot: &mut Snapshot, kind: &InstructionKind, ty: &Type) -> Result<Value, Stop> {
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

    /// `select`, lane by lane.
    pub fn select(
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

    /// Address arithmetic.
    pub fn pointer_offset(
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
}
