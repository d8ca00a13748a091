//! Instructions on floats: results, and what their sites may raise.

use labrys_elementary::Function;
use labrys_float::{Flags, Format};
use labrys_interp::{FloatOperation, ScalarKind};
use labrys_program::{Cast, FloatPredicate, Operand, Type};
use labrys_solver::domain::FloatDomain;
use labrys_symex::{LibraryOperator, SiteOperator};
use smallvec::SmallVec;

use crate::assumptions::LIBM;
use crate::block::Place;
use crate::float;
use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

impl Machine<'_> {
    /// Notes that a site is executed and may raise `flags`.
    pub fn note(&mut self, activation: &Activation, place: Place, operator: SiteOperator, flags: Flags) {
        if self.is_recording {
            let key = (activation.function, place.block, place.instruction, place.lane, operator);
            *self.record.sites.entry(key).or_insert(Flags::empty()) |= flags & Flags::NOTABLE;
        }
    }

    /// An operation elementwise.
    pub fn float_lanes(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        operation: FloatOperation,
        operands: &[Value],
    ) -> Result<Value, Stop> {
        let lanes = operands.iter().map(|operand| operand.len()).min().unwrap_or(0);
        let mut value = Value::new();
        for lane in 0..lanes {
            let args: SmallVec<[NodeId; 3]> = operands.iter().map(|operand| operand[lane]).collect();
            value.push(self.float_operation(activation, place.at_lane(lane), snapshot, operation, &args)?);
        }
        Ok(value)
    }

    /// One operation.
    pub fn float_operation(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        operation: FloatOperation,
        args: &[NodeId],
    ) -> Result<NodeId, Stop> {
        let sets: Option<SmallVec<[FloatDomain; 3]>> = args.iter().map(|arg| self.float(snapshot, *arg)).collect();
        let sets = sets.ok_or_else(|| unsupported("a float operation on something else"))?;
        let same = args.len() > 1 && self.graph.same(args[0], args[1]);
        let (result, mut flags) = float::operate(operation, &sets, same);
        let op = Op::Float(operation);
        // Relations between the operands say more than their sets.
        let known = crate::relations::related(&self.graph, &snapshot.state, operation, args, result);
        if known != result && !float::has_infinity(&known) {
            flags -= Flags::OVERFLOW;
        }
        if let Some(operator) = SiteOperator::of(operation, sets[0].format) {
            self.note(activation, place, operator, flags);
        }
        Ok(snapshot.state.node(&mut self.graph, op, args, Domain::Float(known)))
    }

    /// A comparison elementwise; quiet, as C's are here.
    pub fn float_compare(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        predicate: FloatPredicate,
        a: &Value,
        b: &Value,
    ) -> Value {
        let mut value = Value::new();
        for (lane, (a, b)) in a.iter().zip(b).enumerate() {
            self.note(activation, place.at_lane(lane), SiteOperator::Compare { signaling: false }, Flags::empty());
            let bit = Domain::Int(IntDomain::top(1));
            value.push(snapshot.state.compute(&mut self.graph, Op::FloatCompare(predicate), &[*a, *b], &bit));
        }
        value
    }

    /// A call of a function of libm.
    pub fn library_function(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        function: Function,
        args: &[NodeId],
    ) -> Result<NodeId, Stop> {
        let sets: Option<SmallVec<[FloatDomain; 3]>> = args.iter().map(|arg| self.float(snapshot, *arg)).collect();
        let sets = sets.ok_or_else(|| unsupported("a function of libm on something else"))?;
        self.assume(LIBM);
        let (result, flags) = self.graph.library.call(function, &sets);
        self.note(activation, place, SiteOperator::Library(LibraryOperator::Elementary(function)), flags);
        Ok(snapshot.state.node(&mut self.graph, Op::Library(function), args, Domain::Float(result)))
    }

    /// A conversion, elementwise.
    pub fn cast(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        cast: Cast,
        operand: &Operand,
        ty: &Type,
    ) -> Result<Value, Stop> {
        let value = self.operand(snapshot, operand)?;
        if cast == Cast::BitCast {
            let kinds = types::kinds(ty)?;
            if kinds.len() != value.len() {
                return self.unknown(snapshot, ty);
            }
            let lanes = value.iter().zip(kinds);
            return Ok(lanes.map(|(node, kind)| self.reinterpret(snapshot, *node, kind)).collect());
        }
        let kind = types::element_kind(ty)?;
        let mut result = Value::new();
        for (lane, node) in value.iter().enumerate() {
            result.push(self.cast_scalar(activation, place.at_lane(lane), snapshot, cast, *node, kind)?);
        }
        Ok(result)
    }

    fn cast_scalar(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        cast: Cast,
        node: NodeId,
        kind: ScalarKind,
    ) -> Result<NodeId, Stop> {
        let top = types::top(kind);
        let graph = &mut self.graph;
        Ok(match (cast, kind) {
            (Cast::Trunc | Cast::ZExt, _) => snapshot.state.compute(graph, Op::Resize { signed: false }, &[node], &top),
            (Cast::SExt, _) => snapshot.state.compute(graph, Op::Resize { signed: true }, &[node], &top),
            (Cast::FpTrunc | Cast::FpExt, ScalarKind::Float(to)) => {
                return self.float_operation(activation, place, snapshot, FloatOperation::Convert(to), &[node]);
            }
            (Cast::FpToSi | Cast::FpToUi, ScalarKind::Int(bits)) => {
                let signed = cast == Cast::FpToSi;
                return self.float_to_int(activation, place, snapshot, node, bits, signed);
            }
            (Cast::SiToFp | Cast::UiToFp, ScalarKind::Float(to)) => {
                return self.int_to_float(activation, place, snapshot, node, cast == Cast::SiToFp, to);
            }
            (Cast::AddrSpaceCast, _) => node,
            // Pointers as integers and back are not followed.
            _ => snapshot.state.opaque(graph, top),
        })
    }

    /// A truncating conversion to an integer.
    pub fn float_to_int(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        node: NodeId,
        bits: u32,
        signed: bool,
    ) -> Result<NodeId, Stop> {
        let set = self.float(snapshot, node).ok_or_else(|| unsupported("a conversion of no float"))?;
        let flags = float::truncation_flags(&set, bits, signed);
        self.check_conversion(flags);
        self.note(activation, place, SiteOperator::FloatToInt { bits, signed }, flags);
        let top = Domain::Int(IntDomain::top(bits));
        Ok(snapshot.state.compute(&mut self.graph, Op::FloatToInt { signed }, &[node], &top))
    }

    /// A conversion from an integer.
    pub fn int_to_float(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        node: NodeId,
        signed: bool,
        to: Format,
    ) -> Result<NodeId, Stop> {
        let Domain::Int(set) = self.domain(snapshot, node) else {
            return Err(unsupported("a conversion of no integer"));
        };
        let op = Op::IntToFloat { signed };
        let top = Domain::Float(FloatDomain::top(to));
        let result = snapshot.state.compute(&mut self.graph, op, &[node], &top);
        let overflow = self.float(snapshot, result).is_none_or(|result| float::has_infinity(&result));
        let flags = if overflow { Flags::OVERFLOW } else { Flags::empty() };
        self.note(activation, place, SiteOperator::IntToFloat { bits: set.bits, signed, to }, flags);
        Ok(result)
    }
}
