//! What is known at one point of some runs.

use std::collections::BTreeMap;

use labrys_program::FloatPredicate;

use crate::graph::{BranchId, Domain, Graph, NodeId, Op, Value};
use crate::memory::Memory;

/// Two floats whose relation is known: one of those that the predicate allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Order {
    pub left: NodeId,
    pub right: NodeId,
    pub relation: FloatPredicate,
}

/// What is known of nodes and of memory. See [`crate::graph`] for its meaning.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub branch: BranchId,
    /// Domains smaller than the nodes' own.
    pub facts: BTreeMap<NodeId, Domain>,
    pub orders: Vec<Order>,
    pub memory: Memory,
}

/// A function's values by [`labrys_program::ValueId`].
pub(crate) type Values = Vec<Option<Value>>;

/// More facts and orders than that are forgotten, oldest first, which is always sound.
const MAX_FACTS: usize = 512;
const MAX_ORDERS: usize = 48;

/// Any relation.
pub(crate) const ANY_RELATION: FloatPredicate =
    FloatPredicate { less: true, equal: true, greater: true, unordered: true };

/// The relation seen from the other side.
pub(crate) fn mirrored(relation: FloatPredicate) -> FloatPredicate {
    FloatPredicate { less: relation.greater, greater: relation.less, ..relation }
}

/// What both relations allow.
pub(crate) fn meet(a: FloatPredicate, b: FloatPredicate) -> FloatPredicate {
    FloatPredicate {
        less: a.less && b.less,
        equal: a.equal && b.equal,
        greater: a.greater && b.greater,
        unordered: a.unordered && b.unordered,
    }
}

/// What either relation allows.
pub(crate) fn either(a: FloatPredicate, b: FloatPredicate) -> FloatPredicate {
    FloatPredicate {
        less: a.less || b.less,
        equal: a.equal || b.equal,
        greater: a.greater || b.greater,
        unordered: a.unordered || b.unordered,
    }
}

impl State {
    /// Nothing is known; no memory but the globals.
    pub fn new(branch: BranchId) -> State {
        State { branch, facts: BTreeMap::new(), orders: Vec::new(), memory: Memory::default() }
    }

    /// What is known of a node here.
    pub fn domain<'a>(&'a self, graph: &'a Graph, node: NodeId) -> &'a Domain {
        self.facts.get(&node).unwrap_or(&graph.node(node).domain)
    }

    /// Remembers a domain, which is a subset of what was known.
    pub fn set(&mut self, node: NodeId, domain: Domain) {
        self.facts.insert(node, domain);
        if self.facts.len() > MAX_FACTS {
            self.facts.pop_first();
        }
    }

    /// Remembers a relation.
    pub fn relate(&mut self, left: NodeId, right: NodeId, relation: FloatPredicate) {
        if let Some(order) = self.orders.iter_mut().find(|order| order.left == left && order.right == right) {
            order.relation = meet(order.relation, relation);
            return;
        }
        if self.orders.len() >= MAX_ORDERS {
            self.orders.remove(0);
        }
        self.orders.push(Order { left, right, relation });
    }

    /// The relation of two floats, as far as it was remembered.
    pub fn relation(&self, graph: &Graph, left: NodeId, right: NodeId) -> FloatPredicate {
        let mut relation = ANY_RELATION;
        for order in &self.orders {
            if graph.same(order.left, left) && graph.same(order.right, right) {
                relation = meet(relation, order.relation);
            } else if graph.same(order.left, right) && graph.same(order.right, left) {
                relation = meet(relation, mirrored(order.relation));
            }
        }
        relation
    }

    /// The node of an operation on nodes whose domain is known already: one that there is, or a new one.
    pub fn node(&mut self, graph: &mut Graph, op: Op, args: &[NodeId], domain: Domain) -> NodeId {
        let known = args.iter().flat_map(|arg| graph.users(*arg)).rev().take(48).copied().find(|user| {
            let node = graph.node(*user);
            node.op == op
                && node.args[..] == *args
                && crate::graph::same_shape(&node.domain, &domain)
                && graph.is_ancestor(node.branch, self.branch)
        });
        let Some(known) = known else { return graph.push(self.branch, op, args, domain) };
        let before = self.domain(graph, known);
        if let Some(both) = before.intersect(&domain)
            && both != *before
        {
            self.set(known, both);
        }
        known
    }

    /// A node of which only the domain is known.
    pub fn opaque(&self, graph: &mut Graph, domain: Domain) -> NodeId {
        graph.push(self.branch, Op::Opaque, &[], domain)
    }
}
