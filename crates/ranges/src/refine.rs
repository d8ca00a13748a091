//! What a branch's condition says of everything else: narrowing, back through definitions and on to uses.

use std::collections::VecDeque;

use crate::graph::{Domain, Graph, NodeId, Op};
use crate::integer::IntDomain;
use crate::state::State;
use crate::transfer;

/// Steps of one refinement; what is not done by then is not known, which is sound.
const MAX_STEPS: usize = 160;

/// What is to be looked at.
enum Work {
    /// A node's value is in a set.
    Within(NodeId, Domain),
    /// An argument of a node is known better.
    Again(NodeId),
}

/// Assumes that a node's value is in a set; `false` if no run does that.
pub(crate) fn assume(graph: &Graph, state: &mut State, node: NodeId, domain: Domain) -> bool {
    let mut work: VecDeque<Work> = VecDeque::from([Work::Within(node, domain)]);
    for _ in 0..MAX_STEPS {
        let (node, wanted) = match work.pop_front() {
            None => break,
            Some(Work::Within(node, wanted)) => (node, wanted),
            Some(Work::Again(node)) => {
                let of = graph.node(node);
                (node, transfer::forward(graph, state, of.op, &of.args, &of.domain))
            }
        };
        if is_empty(&wanted) {
            return false;
        }
        let old = state.domain(graph, node);
        let Some(new) = old.intersect(&wanted) else { return false };
        if new == *old {
            continue;
        }
        state.set(node, new);
        remember_order(graph, state, node);
        let arguments = transfer::backward(graph, state, node);
        work.extend(arguments.into_iter().map(|(argument, domain)| Work::Within(argument, domain)));
        for &user in graph.users(node) {
            // Once is enough for all of its arguments.
            let is_waiting = work.iter().any(|other| matches!(other, Work::Again(node) if *node == user));
            if !is_waiting && graph.is_ancestor(graph.node(user).branch, state.branch) {
                work.push_back(Work::Again(user));
            }
        }
    }
    true
}

fn is_empty(domain: &Domain) -> bool {
    match domain {
        Domain::Float(set) => set.is_empty(),
        Domain::Int(set) => set.low > set.high,
        Domain::Pointer(_) => false,
    }
}

/// Assumes a truth value.
pub(crate) fn assume_bit(graph: &Graph, state: &mut State, node: NodeId, truth: bool) -> bool {
    assume(graph, state, node, Domain::Int(IntDomain::only(1, u128::from(truth))))
}

/// A decided comparison tells the relation of its operands.
fn remember_order(graph: &Graph, state: &mut State, node: NodeId) {
    let of = graph.node(node);
    if let (Op::FloatCompare(predicate), Domain::Int(bit)) = (of.op, state.domain(graph, node))
        && let Some(bit) = bit.single()
    {
        let relation = if bit != 0 { predicate } else { transfer::opposite(predicate) };
        state.relate(of.args[0], of.args[1], relation);
    }
}
