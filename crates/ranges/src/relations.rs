//! Results that depend on how the operands relate, beyond their sets.

use labrys_interp::FloatOperation;
use labrys_solver::domain::FloatDomain;

use crate::float;
use crate::graph::{Domain, Graph, NodeId, Op, float_of};
use crate::state::{ANY_RELATION, State};

/// A difference of floats whose relation is known: with gradual underflow it is zero only where they are equal.
pub(crate) fn related(
    graph: &Graph,
    state: &State,
    operation: FloatOperation,
    args: &[NodeId],
    result: FloatDomain,
) -> FloatDomain {
    if operation == FloatOperation::Add {
        return midpoint(graph, state, args, result);
    }
    if operation != FloatOperation::Sub || state.orders.is_empty() {
        return result;
    }
    let relation = state.relation(graph, args[0], args[1]);
    if relation == ANY_RELATION {
        return result;
    }
    let mut kept = result;
    if !relation.equal {
        (kept.plus_zero, kept.minus_zero) = (false, false);
    }
    if !relation.less {
        (kept.negative, kept.minus_infinity) = (None, false);
    }
    if !relation.greater {
        (kept.positive, kept.plus_infinity) = (None, false);
    }
    breakable!(float, "difference", if kept.is_empty() { result } else { kept })
}

/// x + (y − x)/2 for finite x and y of one sign lies between them, both included.
///
/// Let 0 ≤ x ≤ y. Where y > 2x the difference, rounded, is at most y, its half at most y/2, and x + y/2 at most y. Else
/// the difference is exact (Sterbenz), and so is its half or, where that is subnormal, it rounds to no more than the
/// difference; the sum is at most y before it is rounded. It is at least x since nothing is negative. Where y ≤ x, the same
/// holds with a fall instead: for y ≥ x/2 it is exact, and else at most x/2, which leaves x/2 > y. Negative numbers mirror it.
fn midpoint(graph: &Graph, state: &State, args: &[NodeId], result: FloatDomain) -> FloatDomain {
    let of = |node: NodeId, other: NodeId| {
        let difference = graph.node(halved(graph, node)?);
        let is_fitting = difference.op == Op::Float(FloatOperation::Sub) && graph.same(difference.args[1], other);
        is_fitting.then(|| difference.args[0])
    };
    let found = of(args[1], args[0]).map(|y| (args[0], y)).or_else(|| of(args[0], args[1]).map(|y| (args[1], y)));
    let Some((x, y)) = found else { return result };
    let (Some(x), Some(y)) = (float_of(state.domain(graph, x)), float_of(state.domain(graph, y))) else {
        return result;
    };
    let both = x.hull(&y);
    let is_finite = !both.nan && !float::has_infinity(&both);
    let is_signed = both.clip(i128::MIN, -1).is_empty() || both.clip(0, i128::MAX).is_empty();
    if !is_finite || !is_signed {
        return result;
    }
    let (Some(least), Some(greatest)) = (both.min_rank(), both.max_rank()) else { return result };
    // A hull has a gap beside its zeros: it is no interval. A sum of numbers of different signs that cancel is +0.
    let mut between = FloatDomain { plus_zero: true, ..FloatDomain::empty(both.format) };
    between.insert(least, greatest);
    let kept = result.intersect(&between);
    breakable!(float, "midpoint", if kept.is_empty() { result } else { kept })
}

/// The node that a node is half of: divided by 2, or multiplied by ½.
fn halved(graph: &Graph, node: NodeId) -> Option<NodeId> {
    let node = graph.node(node);
    let is = |arg: NodeId, exponent: i64| match &graph.node(arg).domain {
        Domain::Float(set) => set.as_single().is_some_and(|value| {
            let power = labrys_float::Environment::default().scale(&labrys_float::Float::one(set.format), exponent);
            value == power.value
        }),
        _ => false,
    };
    match node.op {
        Op::Float(FloatOperation::Div) if is(node.args[1], 1) => Some(node.args[0]),
        Op::Float(FloatOperation::Mul) if is(node.args[1], -1) => Some(node.args[0]),
        Op::Float(FloatOperation::Mul) if is(node.args[0], -1) => Some(node.args[1]),
        _ => None,
    }
}
