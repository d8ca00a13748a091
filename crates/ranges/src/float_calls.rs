//! Calls on floats that are more than one operation, or that go to libm.

use labrys_elementary::Function;
use labrys_float::{Environment, Flags};
use labrys_interp::{FloatOperation, ScalarKind};
use labrys_program::{FloatCall, Instruction, Type, reduction_steps};
use labrys_solver::domain::FloatDomain;
use labrys_symex::{LibraryOperator, SiteOperator};

use crate::block::Place;
use crate::calls::Called;
use crate::float;
use crate::graph::{Domain, NodeId, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

impl Machine<'_> {
    /// What [`Machine::call`] leaves over.
    pub fn further_float_call(
        &mut self,
        activation: &Activation,
        place: Place,
        instruction: &Instruction,
        (call, operands): (FloatCall, &[Value]),
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let first = operands.first().ok_or_else(|| unsupported("a call with too few arguments"))?;
        let value = match call {
            FloatCall::Elementary(function) => {
                self.elementary_lanes(activation, place, snapshot, function, operands)?
            }
            FloatCall::SineCosine => {
                let mut value = self.elementary_lanes(activation, place, snapshot, Function::Sin, operands)?;
                value.extend(self.elementary_lanes(activation, place, snapshot, Function::Cos, operands)?);
                value
            }
            FloatCall::IntegerPower => {
                let operator = SiteOperator::Library(LibraryOperator::IntegerPower);
                for lane in 0..first.len() {
                    self.note(activation, place.at_lane(lane), operator.clone(), operator.possible());
                }
                self.unknown(snapshot, &instruction.ty)?
            }
            FloatCall::Scale => self.scale(activation, place, snapshot, operands)?,
            FloatCall::FractionExponent => return self.fraction_exponent(snapshot, operands),
            FloatCall::FractionIntegral => return self.fraction_integral(snapshot, operands, &instruction.ty),
            FloatCall::PositiveDifference => {
                let difference = self.float_lanes(
                    activation,
                    place,
                    snapshot,
                    FloatOperation::Sub,
                    &operands[..2.min(operands.len())],
                )?;
                let positive = |node: &NodeId| {
                    let set = self.float(snapshot, *node).unwrap_or(FloatDomain::top(labrys_float::Format::BINARY64));
                    let set = FloatDomain { plus_zero: true, nan: set.nan, ..set.clip(0, i128::MAX) };
                    snapshot.state.opaque(&mut self.graph, Domain::Float(set))
                };
                difference.iter().map(positive).collect()
            }
            FloatCall::Convert => {
                let ScalarKind::Float(to) = types::element_kind(&instruction.ty)? else {
                    return Err(unsupported("a conversion to no float"));
                };
                self.float_lanes(activation, place, snapshot, FloatOperation::Convert(to), &operands[..1])?
            }
            FloatCall::ToInteger { signed, .. } => {
                // Saturating ones and those to nearest: only what they raise is worked out.
                let ScalarKind::Int(bits) = types::element_kind(&instruction.ty)? else {
                    return Err(unsupported("a conversion to no integer"));
                };
                for (lane, node) in first.iter().enumerate() {
                    let set = self.float(snapshot, *node).ok_or_else(|| unsupported("a conversion of no float"))?;
                    let flags = float::to_integer_flags(&set, bits, signed);
                    let operator = SiteOperator::FloatToInt { bits, signed };
                    self.note(activation, place.at_lane(lane), operator, flags);
                }
                self.unknown(snapshot, &instruction.ty)?
            }
            FloatCall::FromInteger { signed } => {
                let ScalarKind::Float(to) = types::element_kind(&instruction.ty)? else {
                    return Err(unsupported("a conversion to no float"));
                };
                let mut value = Value::new();
                for (lane, node) in first.iter().enumerate() {
                    value.push(self.int_to_float(activation, place.at_lane(lane), snapshot, *node, signed, to)?);
                }
                value
            }
            FloatCall::Reduction(operation) => {
                let has_start = operands.len() > 1;
                let lanes = operands.last().map_or(0, |lanes| lanes.len());
                let mut all: Value = operands.iter().flatten().copied().collect();
                for (into, other) in reduction_steps(lanes, has_start, instruction.fast_math.allow_reassociation) {
                    let pair = [all[into], all[other]];
                    all[into] = self.float_operation(activation, place, snapshot, operation, &pair)?;
                }
                all.truncate(1);
                if all.is_empty() {
                    return Err(unsupported("an empty reduction"));
                }
                all
            }
            FloatCall::Operation(..) | FloatCall::MultiplyAdd => return Err(unsupported("a misplaced call")),
        };
        Ok(Called::Value(value))
    }

    fn elementary_lanes(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        function: Function,
        operands: &[Value],
    ) -> Result<Value, Stop> {
        let operands = operands.get(..function.arity()).ok_or_else(|| unsupported("a call with too few arguments"))?;
        let lanes = operands.iter().map(|operand| operand.len()).min().unwrap_or(0);
        let mut value = Value::new();
        for lane in 0..lanes {
            let args: Vec<NodeId> = operands.iter().map(|operand| operand[lane]).collect();
            value.push(self.library_function(activation, place.at_lane(lane), snapshot, function, &args)?);
        }
        Ok(value)
    }

    /// x · 2^n, rounded once: monotone in n and in x's magnitude.
    fn scale(
        &mut self,
        activation: &Activation,
        place: Place,
        snapshot: &mut Snapshot,
        operands: &[Value],
    ) -> Result<Value, Stop> {
        let [of, by, ..] = operands else { return Err(unsupported("a call with too few arguments")) };
        let mut value = Value::new();
        for (lane, node) in of.iter().enumerate() {
            let by = by.get(lane).or(by.first()).ok_or_else(|| unsupported("ldexp without an exponent"))?;
            let (Some(set), Domain::Int(by)) = (self.float(snapshot, *node), self.domain(snapshot, *by)) else {
                return Err(unsupported("ldexp of something else"));
            };
            let (result, flags) = scaled(&set, &by);
            self.note(activation, place.at_lane(lane), SiteOperator::Library(LibraryOperator::Scale), flags);
            value.push(snapshot.state.opaque(&mut self.graph, Domain::Float(result)));
        }
        Ok(value)
    }

    /// C's frexp, and LLVM's, which returns both parts.
    fn fraction_exponent(&mut self, snapshot: &mut Snapshot, operands: &[Value]) -> Result<Called, Stop> {
        let Some([node]) = operands.first().map(|value| &value[..]) else {
            return Err(unsupported("frexp of vectors"));
        };
        let set = self.float(snapshot, *node).ok_or_else(|| unsupported("frexp of no float"))?;
        let (fraction, exponent) = fraction_and_exponent(&set);
        let fraction = snapshot.state.opaque(&mut self.graph, Domain::Float(fraction));
        let exponent = snapshot.state.opaque(&mut self.graph, Domain::Int(exponent));
        self.both_parts(snapshot, operands, fraction, (exponent, &Type::Int(32)))
    }

    /// C's modf, and LLVM's, which returns both parts.
    fn fraction_integral(&mut self, snapshot: &mut Snapshot, operands: &[Value], ty: &Type) -> Result<Called, Stop> {
        let Some([node]) = operands.first().map(|value| &value[..]) else {
            return Err(unsupported("modf of vectors"));
        };
        let (integral, fraction) = self.integral_and_fraction(snapshot, *node)?;
        self.both_parts(snapshot, operands, fraction, (integral, ty))
    }

    /// A fraction as the result, and the other part behind the second operand if there is one.
    fn both_parts(
        &mut self,
        snapshot: &mut Snapshot,
        operands: &[Value],
        fraction: NodeId,
        (other, ty): (NodeId, &Type),
    ) -> Result<Called, Stop> {
        let Some(pointer) = operands.get(1).and_then(|value| value.first()) else {
            return Ok(Called::Value([fraction, other].into_iter().collect()));
        };
        let survives = self.store(snapshot, *pointer, &[other].into_iter().collect(), ty)?;
        Ok(if survives { Called::Value([fraction].into_iter().collect()) } else { Called::Nothing })
    }
}

/// The results of ldexp, and what it may raise.
pub(crate) fn scaled(set: &FloatDomain, by: &IntDomain) -> (FloatDomain, Flags) {
    let environment = Environment::default();
    let power = |by: i128| by.clamp(-1_000_000, 1_000_000) as i64;
    let mut result = FloatDomain { negative: None, positive: None, ..*set };
    let mut flags = Flags::empty();
    for half in [set.clip(i128::MIN, -2), set.clip(1, i128::MAX)] {
        let half = float::nonzero(&half);
        let Some(range) = float::magnitudes(&half) else { continue };
        let sign = |magnitude: u128| {
            let value = half.at_rank(magnitude as i128);
            if half.negative.is_some() { value.neg() } else { value }
        };
        let least = environment.scale(&sign(range.low), power(by.low));
        let most = environment.scale(&sign(range.high), power(by.high));
        flags |= (least.flags | most.flags) & (Flags::OVERFLOW | Flags::UNDERFLOW);
        // Tiny results are inexact for some operand, if not for the least.
        let tiny =
            FloatDomain::rank_of(&least.value.abs()).is_none_or(|rank| rank as u128 <= float::min_normal(set.format));
        if tiny {
            flags |= Flags::UNDERFLOW;
        }
        let (low, high) = if half.negative.is_some() { (most.value, least.value) } else { (least.value, most.value) };
        result = result.hull(&FloatDomain::between(&low, &high));
    }
    breakable!(raising, "ldexp", (result, flags))
}

/// The parts of frexp on a set: fractions have magnitudes from ½ to below 1.
pub(crate) fn fraction_and_exponent(set: &FloatDomain) -> (FloatDomain, IntDomain) {
    let half = Environment::default().scale(&labrys_float::Float::one(set.format), -1).value;
    let below = labrys_float::Float::one(set.format).next_down();
    let mut fraction = FloatDomain { negative: None, positive: None, ..*set };
    let positive = FloatDomain::between(&half, &below);
    let negative = FloatDomain::between(&below.neg(), &half.neg());
    if set.positive.is_some() {
        fraction = fraction.hull(&positive);
    }
    if set.negative.is_some() {
        fraction = fraction.hull(&negative);
    }
    let exponents = float::magnitudes(set).and_then(|range| {
        let of = |magnitude: u128| set.at_rank(magnitude as i128).exponent().map(|exponent| i128::from(exponent) + 1);
        Some((of(range.low)?, of(range.high)?))
    });
    let has_special = set.nan || float::has_zero(set) || float::has_infinity(set);
    let exponent = match exponents {
        // glibc stores 0 for infinities and NaNs, where C leaves it open.
        Some((low, high)) if !has_special => IntDomain::between(32, low, high),
        Some((low, high)) => IntDomain::between(32, low.min(0), high.max(0)),
        None => IntDomain::only(32, 0),
    };
    let is_open = set.nan || float::has_infinity(set);
    breakable!(parts, "frexp", (fraction, if is_open { IntDomain::top(32) } else { exponent }))
}
