//! Domains of results from domains of operands, and back.
//!
//! [`forward`] gives a superset of an operation's results on members of its arguments' domains; [`backward`] gives, for
//! each argument, a superset of the members that have partners with which the result is in its domain. Both are the
//! projections of [`labrys_solver::domain::project`] and those of [`crate::float`] and [`crate::integer`].

use labrys_float::{Format, RoundingMode};
use labrys_interp::{ClassMask, FloatOperation};
use labrys_program::{FloatPredicate, IntBinary, IntPredicate};
use labrys_solver::domain::project::{forward as direct, inverse};
use labrys_solver::domain::{FloatDomain, ModeDomain, Range};
use smallvec::SmallVec;

use crate::float::{self, NEAREST};
use crate::graph::{Domain, Graph, NodeId, Op, float_of, int_of};
use crate::integer::{self, IntDomain};
use crate::pointer::{Base, PointerDomain};
use crate::relations;
use crate::state::{State, meet};

/// Conversions to integers truncate.
const TRUNCATING: ModeDomain = ModeDomain(1 << 4);

/// The relations that a predicate does not allow.
pub(crate) fn opposite(predicate: FloatPredicate) -> FloatPredicate {
    FloatPredicate {
        less: !predicate.less,
        equal: !predicate.equal,
        greater: !predicate.greater,
        unordered: !predicate.unordered,
    }
}

/// The floats of some classes.
pub(crate) fn class_set(mask: ClassMask, format: Format) -> FloatDomain {
    let normal = float::min_normal(format);
    let all = FloatDomain::numbers(format);
    let range = |subnormal: ClassMask, of_normal: ClassMask, all: Option<Range>| {
        let all = all?;
        match (mask.contains(subnormal), mask.contains(of_normal)) {
            (true, true) => Some(all),
            (true, false) => (normal > 1).then_some(Range { low: 1, high: normal - 1 }),
            (false, true) => Some(Range { low: normal, high: all.high }),
            (false, false) => None,
        }
    };
    FloatDomain {
        format,
        negative: range(ClassMask::NEGATIVE_SUBNORMAL, ClassMask::NEGATIVE_NORMAL, all.negative),
        positive: range(ClassMask::POSITIVE_SUBNORMAL, ClassMask::POSITIVE_NORMAL, all.positive),
        minus_zero: mask.contains(ClassMask::NEGATIVE_ZERO),
        plus_zero: mask.contains(ClassMask::POSITIVE_ZERO),
        minus_infinity: mask.contains(ClassMask::NEGATIVE_INFINITY),
        plus_infinity: mask.contains(ClassMask::POSITIVE_INFINITY),
        // A NaN is of the class whether it is quiet or signaling, where the mask has either.
        nan: mask.intersects(ClassMask::NAN),
    }
}

impl State {
    /// The node of an operation on nodes: one that there is already, or a new one.
    pub fn compute(&mut self, graph: &mut Graph, op: Op, args: &[NodeId], shape: &Domain) -> NodeId {
        let domain = forward(graph, self, op, args, shape);
        self.node(graph, op, args, domain)
    }
}

/// Every value of a domain's type.
fn top(shape: &Domain) -> Domain {
    crate::types::top(crate::types::kind(shape))
}

/// The results of an operation; `shape` is any domain of the result's type.
pub(crate) fn forward(graph: &Graph, state: &State, op: Op, args: &[NodeId], shape: &Domain) -> Domain {
    let result = results(graph, state, op, args, shape);
    breakable!(domain, crate::mutation::of_op(op), result.unwrap_or_else(|| top(shape)))
}

fn results(graph: &Graph, state: &State, op: Op, args: &[NodeId], shape: &Domain) -> Option<Domain> {
    let float = |i: usize| args.get(i).and_then(|arg| float_of(state.domain(graph, *arg)));
    let int = |i: usize| args.get(i).and_then(|arg| int_of(state.domain(graph, *arg)));
    let same = args.len() > 1 && graph.same(args[0], args[1]);
    Some(match op {
        Op::Opaque => return None,
        Op::Float(operation) => {
            let sets: Option<SmallVec<[FloatDomain; 3]>> = (0..args.len()).map(float).collect();
            let result = float::operate(operation, &sets?, same).0;
            Domain::Float(relations::related(graph, state, operation, args, result))
        }
        Op::Library(function) => {
            let sets: Option<SmallVec<[FloatDomain; 3]>> = (0..args.len()).map(float).collect();
            Domain::Float(graph.library.call(function, &sets?).0)
        }
        Op::FloatCompare(predicate) => {
            let (a, b) = (float(0)?, float(1)?);
            let known = state.relation(graph, args[0], args[1]);
            let known = if same { meet(known, EQUAL_OR_UNORDERED) } else { known };
            let may = |predicate: FloatPredicate| !float::compared(meet(predicate, known), &a, &b).0.is_empty();
            Domain::Int(IntDomain::truth(may(predicate), may(opposite(predicate))))
        }
        Op::Class(mask) => {
            let a = float(0)?;
            let may = |mask: ClassMask| !a.intersect(&class_set(mask, a.format)).is_empty();
            Domain::Int(IntDomain::truth(may(mask), may(!mask)))
        }
        Op::FloatToInt { signed } => {
            let (a, bits) = (float(0)?, int_of(shape)?.bits);
            let set = if signed {
                direct::to_signed(TRUNCATING, &a, bits)
            } else {
                direct::to_unsigned(TRUNCATING, &a, bits)
            };
            match signed_conversion(&a, bits, signed) {
                Some(exact) => Domain::Int(exact),
                None => Domain::Int(IntDomain::of_bit_vectors(&set)),
            }
        }
        Op::IntToFloat { signed } => Domain::Float(int_to_float(&int(0)?, float_of(shape)?.format, signed)),
        Op::IntBinary(op) => Domain::Int(int_binary(op, &int(0)?, &int(1)?, same)),
        Op::IntCompare(predicate) => match (state.domain(graph, args[0]), state.domain(graph, args[1])) {
            (Domain::Int(a), Domain::Int(b)) => {
                let may = |predicate| IntDomain::compared(predicate, a, b).is_some();
                let (holds, fails) = (may(predicate), may(integer::negated(predicate)));
                match same {
                    true => Domain::Int(IntDomain::truth(is_reflexive(predicate), !is_reflexive(predicate))),
                    false => Domain::Int(IntDomain::truth(holds, fails)),
                }
            }
            (Domain::Pointer(a), Domain::Pointer(b)) => Domain::Int(pointers_compared(predicate, a, b)),
            _ => return None,
        },
        Op::Resize { signed } => Domain::Int(int(0)?.resized(int_of(shape)?.bits, signed)),
        Op::Select => {
            let (a, b) = (state.domain(graph, *args.get(1)?), state.domain(graph, *args.get(2)?));
            match int(0)?.single() {
                Some(0) => b.clone(),
                Some(_) => a.clone(),
                None => a.hull(b),
            }
        }
        Op::ToBits => Domain::Int(IntDomain::of_bit_vectors(&bits_of(&float(0)?))),
        Op::FromBits => Domain::Float(direct::from_bits(&int(0)?.bit_vectors(), float_of(shape)?.format)),
    })
}

const EQUAL_OR_UNORDERED: FloatPredicate = FloatPredicate { less: false, equal: true, greater: false, unordered: true };

fn is_reflexive(predicate: IntPredicate) -> bool {
    use IntPredicate as P;
    matches!(predicate, P::Eq | P::Uge | P::Ule | P::Sge | P::Sle)
}

/// A NaN may have any encoding of one.
fn bits_of(a: &FloatDomain) -> labrys_solver::domain::BitVecDomain {
    if a.nan { labrys_solver::domain::BitVecDomain::top(a.format.width()) } else { direct::to_bits(a) }
}

/// The truncated ends, where both fit.
fn signed_conversion(a: &FloatDomain, bits: u32, signed: bool) -> Option<IntDomain> {
    if !float::truncation_flags(a, bits, signed).is_empty() {
        return None;
    }
    let end = |value: labrys_float::Float| {
        let environment = labrys_float::Environment::default();
        let int = environment.to_integer(&value, RoundingMode::TowardZero, bits, signed).0?;
        i128::try_from(int).ok()
    };
    let (low, high) = (end(a.min_member()?)?, end(a.max_member()?)?);
    // Unsigned numbers that read as negative are left to the bit vectors.
    (signed || high >> (bits - 1) == 0).then(|| IntDomain::between(bits, low, high))
}

/// Integers as floats. Intervals that cross zero are taken apart, so that their ends stay tight.
fn int_to_float(a: &IntDomain, to: Format, signed: bool) -> FloatDomain {
    let part = |part: &IntDomain| {
        if signed {
            direct::from_signed(NEAREST, &part.bit_vectors(), to)
        } else {
            direct::from_unsigned(NEAREST, &part.bit_vectors(), to)
        }
    };
    let mut result = FloatDomain::empty(to);
    for part in [a.clip(i128::MIN, -1).as_ref().map(part), a.clip(0, i128::MAX).as_ref().map(part)] {
        result = part.map_or(result, |part| result.hull(&part));
    }
    result
}

fn int_binary(op: IntBinary, a: &IntDomain, b: &IntDomain, same: bool) -> IntDomain {
    match op {
        IntBinary::Sub | IntBinary::Xor if same => IntDomain::only(a.bits, 0),
        IntBinary::And | IntBinary::Or if same => *a,
        IntBinary::Mul if same => {
            let square = IntDomain::binary(op, a, b).unwrap_or(IntDomain::top(a.bits));
            let whole = IntDomain::top(a.bits);
            if square.low == whole.low && square.high == whole.high {
                whole
            } else {
                square.clip(0, i128::MAX).unwrap_or(square)
            }
        }
        // One bit: truth tables.
        IntBinary::And | IntBinary::Or if a.bits == 1 => {
            let absorbing = if op == IntBinary::And { 0 } else { -1 };
            match (a.single(), b.single()) {
                (Some(x), _) if x == absorbing => *a,
                (_, Some(y)) if y == absorbing => *b,
                (Some(_), _) => *b,
                (_, Some(_)) => *a,
                _ => IntDomain::top(1),
            }
        }
        _ => IntDomain::binary(op, a, b).unwrap_or(IntDomain::top(a.bits)),
    }
}

fn pointers_compared(predicate: IntPredicate, a: &PointerDomain, b: &PointerDomain) -> IntDomain {
    let (mut equal, mut different) = (true, true);
    if let (Some(x), Some(y)) = (a.targets(), b.targets()) {
        // Behind one object another may begin.
        let is_start = |of: &crate::pointer::Target| of.offset.single() == Some(0);
        let are_objects = |a: Base, b: Base| matches!((a, b), (Base::Object(_), Base::Object(_)));
        let meets = |a: &crate::pointer::Target, b: &crate::pointer::Target| match a.base == b.base {
            true => a.offset.intersect(&b.offset).is_some(),
            false => are_objects(a.base, b.base) && !(is_start(a) && is_start(b)),
        };
        equal = x.iter().any(|x| y.iter().any(|y| meets(x, y)));
        let single = |targets: &[crate::pointer::Target]| match targets {
            [target] => target.offset.single().map(|offset| (target.base, offset)),
            _ => None,
        };
        different = single(x).is_none() || single(x) != single(y);
        if let ([x], [y]) = (x, y)
            && x.base == y.base
        {
            // Within one object, or as addresses, offsets decide; objects are below half of the address space.
            let may = |predicate| IntDomain::compared(predicate, &x.offset, &y.offset).is_some();
            return IntDomain::truth(may(predicate), may(integer::negated(predicate)));
        }
    }
    match predicate {
        IntPredicate::Eq => IntDomain::truth(equal, different),
        IntPredicate::Ne => IntDomain::truth(different, equal),
        _ => IntDomain::top(1),
    }
}

/// What is left of a node's arguments, as far as that is worked out.
pub(crate) fn backward(graph: &Graph, state: &State, node: NodeId) -> SmallVec<[(NodeId, Domain); 3]> {
    breakable!(narrowed, crate::mutation::of_op(graph.node(node).op), left_of_arguments(graph, state, node))
}

fn left_of_arguments(graph: &Graph, state: &State, node: NodeId) -> SmallVec<[(NodeId, Domain); 3]> {
    let mut narrowed = SmallVec::new();
    let of = graph.node(node);
    let args = &of.args;
    let domain = state.domain(graph, node);
    let float = |i: usize| args.get(i).and_then(|arg| float_of(state.domain(graph, *arg)));
    let int = |i: usize| args.get(i).and_then(|arg| int_of(state.domain(graph, *arg)));
    match (of.op, domain) {
        (Op::Float(operation), Domain::Float(result)) => {
            if let Some(sets) = (0..args.len()).map(float).collect::<Option<SmallVec<[FloatDomain; 3]>>>() {
                float_backward(graph, operation, args, result, &sets, &mut narrowed);
            }
        }
        (Op::FloatCompare(predicate), Domain::Int(bit)) => {
            if let (Some(a), Some(b), Some(bit)) = (float(0), float(1), bit.single()) {
                let holds = if bit != 0 { predicate } else { opposite(predicate) };
                let (a, b) = match graph.same(args[0], args[1]) {
                    // A number equals itself, and a NaN is unordered.
                    true => {
                        let numbers = if holds.equal { a } else { FloatDomain::empty(a.format) };
                        let set = FloatDomain { nan: a.nan && holds.unordered, ..numbers };
                        (set, set)
                    }
                    false => float::compared(holds, &a, &b),
                };
                narrowed.push((args[0], Domain::Float(a)));
                narrowed.push((args[1], Domain::Float(b)));
            }
        }
        (Op::Class(mask), Domain::Int(bit)) => {
            if let (Some(a), Some(bit)) = (float(0), bit.single()) {
                let set = class_set(if bit != 0 { mask } else { !mask }, a.format);
                narrowed.push((args[0], Domain::Float(a.intersect(&set))));
            }
        }
        (Op::IntToFloat { signed }, Domain::Float(result)) => {
            if let Some(a) = int(0) {
                narrowed.push((args[0], Domain::Int(int_from_float(&a, result, signed))));
            }
        }
        (Op::FloatToInt { signed }, Domain::Int(result)) => {
            if let Some(a) = float(0) {
                narrowed.push((args[0], Domain::Float(float_from_int(&a, result, signed))));
            }
        }
        (Op::FromBits, Domain::Float(result)) => {
            if let Some(a) = int(0) {
                let kept = inverse::from_bits(result, &a.bit_vectors());
                narrowed.push((args[0], Domain::Int(IntDomain::of_bit_vectors(&kept))));
            }
        }
        (Op::ToBits, Domain::Int(result)) => {
            if let Some(a) = float(0).filter(|a| !a.nan) {
                narrowed.push((args[0], Domain::Float(inverse::to_bits(&result.bit_vectors(), &a))));
            }
        }
        (Op::Select, result) => select_backward(graph, state, args, result, &mut narrowed),
        (_, Domain::Int(result)) => crate::int_backward::narrow(graph, state, node, result, &mut narrowed),
        _ => {}
    }
    narrowed
}

/// The parts on either side of zero apart, like [`int_to_float`].
fn int_from_float(a: &IntDomain, result: &FloatDomain, signed: bool) -> IntDomain {
    let part = |part: IntDomain| {
        let kept = if signed {
            inverse::from_signed(NEAREST, result, &part.bit_vectors())
        } else {
            inverse::from_unsigned(NEAREST, result, &part.bit_vectors())
        };
        (kept.low <= kept.high).then(|| IntDomain::of_bit_vectors(&kept))
    };
    let parts = [a.clip(i128::MIN, -1).and_then(part), a.clip(0, i128::MAX).and_then(part)];
    match parts {
        [Some(a), Some(b)] => a.hull(&b),
        [Some(a), None] | [None, Some(a)] => a,
        // Nothing: the empty interval meets no other.
        [None, None] => IntDomain { low: 1, high: 0, ..*a },
    }
}

fn float_from_int(a: &FloatDomain, result: &IntDomain, signed: bool) -> FloatDomain {
    let part = |part: IntDomain| {
        let set = part.bit_vectors();
        if signed { inverse::to_signed(TRUNCATING, &set, a) } else { inverse::to_unsigned(TRUNCATING, &set, a) }
    };
    let parts = [result.clip(i128::MIN, -1), result.clip(0, i128::MAX)];
    parts.into_iter().flatten().map(part).fold(FloatDomain::empty(a.format), |all, part| all.hull(&part))
}

fn select_backward(
    graph: &Graph,
    state: &State,
    args: &[NodeId],
    result: &Domain,
    narrowed: &mut SmallVec<[(NodeId, Domain); 3]>,
) {
    let [condition, a, b] = *args else { return };
    let may = |arg: NodeId| state.domain(graph, arg).intersect(result).is_some();
    match int_of(state.domain(graph, condition)).and_then(|bit| bit.single()) {
        Some(0) => narrowed.push((b, result.clone())),
        Some(_) => narrowed.push((a, result.clone())),
        None if !may(a) => narrowed.push((condition, Domain::Int(IntDomain::only(1, 0)))),
        None if !may(b) => narrowed.push((condition, Domain::Int(IntDomain::only(1, 1)))),
        None => {}
    }
}

fn float_backward(
    graph: &Graph,
    operation: FloatOperation,
    args: &[NodeId],
    result: &FloatDomain,
    sets: &[FloatDomain],
    narrowed: &mut SmallVec<[(NodeId, Domain); 3]>,
) {
    let mut push = |place: usize, set: FloatDomain| narrowed.push((args[place], Domain::Float(set)));
    let (a, b) = (&sets[0], sets.get(1).unwrap_or(&sets[0]));
    let same = args.len() > 1 && graph.same(args[0], args[1]);
    match operation {
        FloatOperation::Mul if same => {
            let half = |negative: bool| {
                let half = if negative { a.clip(i128::MIN, -1) } else { a.clip(0, i128::MAX) };
                inverse::mul(NEAREST, result, &half, &half).0
            };
            push(0, FloatDomain { nan: a.nan && result.nan, ..half(true).hull(&half(false)) });
        }
        _ if same => {}
        FloatOperation::Add | FloatOperation::Sub | FloatOperation::Mul | FloatOperation::Div => {
            let (x, y) = match operation {
                FloatOperation::Add => inverse::add(NEAREST, result, a, b),
                FloatOperation::Sub => inverse::sub(NEAREST, result, a, b),
                FloatOperation::Mul => inverse::mul(NEAREST, result, a, b),
                _ => inverse::div(NEAREST, result, a, b),
            };
            push(0, x);
            push(1, y);
        }
        FloatOperation::Sqrt => push(0, inverse::sqrt(NEAREST, result, a)),
        FloatOperation::Neg => push(0, inverse::neg(result, a)),
        FloatOperation::Abs => push(0, inverse::abs(result, a)),
        FloatOperation::RoundToIntegral { mode, .. } => {
            let mode = ModeDomain::only(mode.unwrap_or(RoundingMode::NearestEven));
            push(0, inverse::round_to_integral(mode, result, a));
        }
        FloatOperation::Convert(_) => push(0, inverse::from_float(NEAREST, result, a)),
        FloatOperation::MinNum | FloatOperation::MaxNum => {
            let (x, y) = if operation == FloatOperation::MinNum {
                inverse::min(result, a, b)
            } else {
                inverse::max(result, a, b)
            };
            push(0, x);
            push(1, y);
        }
        _ => {}
    }
}
