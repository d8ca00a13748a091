//! What a result of integer operations leaves of the operands.

use labrys_program::{IntBinary, IntPredicate};
use smallvec::SmallVec;

use crate::graph::{Domain, Graph, NodeId, Op, int_of};
use crate::integer::{IntDomain, negated};
use crate::pointer::{Base, PointerDomain};
use crate::state::State;

type Narrowed = SmallVec<[(NodeId, Domain); 3]>;

/// Adds what is left of a node's arguments.
pub(crate) fn narrow(graph: &Graph, state: &State, node: NodeId, result: &IntDomain, narrowed: &mut Narrowed) {
    let of = graph.node(node);
    let int = |i: usize| of.args.get(i).and_then(|arg| int_of(state.domain(graph, *arg)));
    match of.op {
        Op::IntBinary(op) => {
            if let (Some(a), Some(b)) = (int(0), int(1)) {
                binary(graph, op, &of.args, result, [&a, &b], narrowed);
            }
        }
        Op::IntCompare(predicate) => compare(graph, state, predicate, &of.args, result, narrowed),
        Op::Resize { signed } => {
            if let Some(a) = int(0) {
                resize(of.args[0], &a, result, signed, narrowed);
            }
        }
        _ => {}
    }
}

fn binary(
    graph: &Graph,
    op: IntBinary,
    args: &[NodeId],
    result: &IntDomain,
    [a, b]: [&IntDomain; 2],
    narrowed: &mut Narrowed,
) {
    let mut push = |place: usize, set: Option<IntDomain>| {
        if let Some(set) = set {
            narrowed.push((args[place], Domain::Int(set)));
        }
    };
    if graph.same(args[0], args[1]) {
        return;
    }
    match op {
        // Wrapping sums can be undone.
        IntBinary::Add => {
            push(0, IntDomain::binary(IntBinary::Sub, result, b));
            push(1, IntDomain::binary(IntBinary::Sub, result, a));
        }
        IntBinary::Sub => {
            push(0, IntDomain::binary(IntBinary::Add, result, b));
            push(1, IntDomain::binary(IntBinary::Sub, a, result));
        }
        IntBinary::Xor if result.single().is_some() && b.single().is_some() => {
            push(0, IntDomain::binary(IntBinary::Xor, result, b));
        }
        IntBinary::And if a.bits == 1 && result.single() == Some(-1) => {
            push(0, Some(*result));
            push(1, Some(*result));
        }
        IntBinary::Or if a.bits == 1 && result.single() == Some(0) => {
            push(0, Some(*result));
            push(1, Some(*result));
        }
        // With one side known to be neutral, the other is the result.
        IntBinary::And | IntBinary::Or if a.bits == 1 && result.single().is_some() => {
            let neutral = if op == IntBinary::And { -1 } else { 0 };
            if a.single() == Some(neutral) {
                push(1, Some(*result));
            } else if b.single() == Some(neutral) {
                push(0, Some(*result));
            }
        }
        _ => {}
    }
}

fn compare(
    graph: &Graph,
    state: &State,
    predicate: IntPredicate,
    args: &[NodeId],
    result: &IntDomain,
    narrowed: &mut Narrowed,
) {
    let Some(bit) = result.single() else { return };
    let predicate = if bit != 0 { predicate } else { negated(predicate) };
    if graph.same(args[0], args[1]) {
        return;
    }
    match (state.domain(graph, args[0]), state.domain(graph, args[1])) {
        (Domain::Int(a), Domain::Int(b)) => {
            // An empty side shows that the comparison cannot come out like this.
            let nothing = IntDomain { low: 1, high: 0, ..*a };
            let (a, b) = IntDomain::compared(predicate, a, b).unwrap_or((nothing, nothing));
            narrowed.push((args[0], Domain::Int(a)));
            narrowed.push((args[1], Domain::Int(b)));
        }
        (Domain::Pointer(a), Domain::Pointer(b)) => {
            for (place, own, other) in [(0, a, b), (1, b, a)] {
                if let Some(kept) = pointers(predicate, own, other) {
                    narrowed.push((args[place], Domain::Pointer(kept)));
                }
            }
        }
        _ => {}
    }
}

fn pointers(predicate: IntPredicate, own: &PointerDomain, other: &PointerDomain) -> Option<PointerDomain> {
    let is_null = *other == PointerDomain::null();
    match predicate {
        IntPredicate::Eq => own.intersect(other),
        IntPredicate::Ne if is_null => {
            own.filter(|target| target.base != Base::Absolute || target.offset.single() != Some(0))
        }
        _ => None,
    }
}

fn resize(arg: NodeId, a: &IntDomain, result: &IntDomain, signed: bool, narrowed: &mut Narrowed) {
    let kept = if a.bits == 1 {
        result.single().map(|value| IntDomain::only(1, value as u128 & 1))
    } else if result.bits < a.bits {
        // Cut: only where nothing is lost.
        let whole = IntDomain::top(result.bits);
        if a.low >= whole.low && a.high <= whole.high { a.clip(result.low, result.high) } else { None }
    } else if signed || a.low >= 0 {
        a.clip(result.low, result.high)
    } else {
        None
    };
    if let Some(kept) = kept {
        narrowed.push((arg, Domain::Int(kept)));
    }
}
