//! Joining what is known on several ways to one point, and comparing it.
//!
//! **Claim.** [`Joiner::join`] describes every concrete state that either side describes; if [`includes`] holds, the
//! first snapshot describes every concrete state that the second does.
//!
//! **Argument.** Slots that hold one node on both sides keep it: the node was made before the ways parted, and with it
//! everything that is known of it in the common branch. Other slots get a new node without definition, one for each
//! pair of nodes, whose value is taken to be the slot's; its domain holds both. Facts stay where both sides have them.
//! For [`includes`], take an assignment for the second state; a node without definition that was made when the first
//! was joined occurs in nothing but slots, so that it can be given the value that the second state has there, as long
//! as it is the same in all slots.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::graph::{BranchId, Domain, Graph, NodeId, Op, Value, same_shape};
use crate::images::Images;
use crate::memory::{self, Cell, Content, Found, Memory, Object};
use crate::pointer::ObjectId;
use crate::state::{State, Values, either};
use crate::widening::Thresholds;

/// A state and the values of the function that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub state: State,
    pub values: Values,
}

/// One join.
pub(crate) struct Joiner<'a, 'p> {
    graph: &'a mut Graph,
    images: &'a mut Images<'p>,
    /// Where domains that grow are widened to.
    thresholds: Option<&'a Thresholds>,
    branch: BranchId,
    pairs: FxHashMap<(NodeId, NodeId), NodeId>,
}

/// Joins two snapshots of one point; domains that grow from the first to the join are widened if there are thresholds.
pub(crate) fn join<'p>(
    graph: &mut Graph,
    images: &mut Images<'p>,
    a: &Snapshot,
    b: &Snapshot,
    thresholds: Option<&Thresholds>,
) -> Snapshot {
    let common = graph.common(a.state.branch, b.state.branch);
    let branch = graph.fork(common);
    Joiner { graph, images, thresholds, branch, pairs: FxHashMap::default() }.join(a, b)
}

impl Joiner<'_, '_> {
    fn join(mut self, a: &Snapshot, b: &Snapshot) -> Snapshot {
        let mut state = State::new(self.branch);
        for (&node, domain) in &a.state.facts {
            if let Some(other) = b.state.facts.get(&node) {
                let joined = self.widened(domain, other);
                if joined != self.graph.node(node).domain {
                    state.facts.insert(node, joined);
                }
            }
        }
        for order in &a.state.orders {
            let same = |other: &&crate::state::Order| other.left == order.left && other.right == order.right;
            if let Some(other) = b.state.orders.iter().find(same) {
                state.orders.push(crate::state::Order { relation: either(order.relation, other.relation), ..*order });
            }
        }
        let slots = a.values.iter().zip(&b.values);
        let values = slots.map(|(x, y)| self.value(a, b, x.as_ref()?, y.as_ref()?)).collect();
        state.memory = self.memory(a, b);
        Snapshot { state, values }
    }

    fn widened(&self, a: &Domain, b: &Domain) -> Domain {
        match self.thresholds {
            Some(thresholds) => thresholds.widen(a, b),
            None => a.hull(b),
        }
    }

    fn value(&mut self, a: &Snapshot, b: &Snapshot, x: &Value, y: &Value) -> Option<Value> {
        if x.len() != y.len() {
            return None;
        }
        x.iter().zip(y).map(|(x, y)| self.node(&a.state, &b.state, *x, *y)).collect()
    }

    /// The node of a slot; `None` if its types differ.
    fn node(&mut self, a: &State, b: &State, x: NodeId, y: NodeId) -> Option<NodeId> {
        if x == y {
            return Some(x);
        }
        if let Some(&known) = self.pairs.get(&(x, y)) {
            return Some(known);
        }
        let (left, right) = (a.domain(self.graph, x), b.domain(self.graph, y));
        if !same_shape(left, right) {
            return None;
        }
        let domain = self.widened(left, right);
        let joined = self.graph.push(self.branch, Op::Opaque, &[], domain);
        self.pairs.insert((x, y), joined);
        Some(joined)
    }

    fn memory(&mut self, a: &Snapshot, b: &Snapshot) -> Memory {
        let (x, y) = (&a.state.memory, &b.state.memory);
        let are_globals_unknown = x.are_globals_unknown || y.are_globals_unknown;
        let mut objects = BTreeMap::new();
        let mut ids: Vec<ObjectId> = x.objects.keys().chain(y.objects.keys()).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let left = self.object(x, id);
            let right = self.object(y, id);
            let joined = match (left, right) {
                (Some(left), Some(right)) if Arc::ptr_eq(&left, &right) => Some(left),
                (Some(left), Some(right)) => {
                    Some(Arc::new(self.contents([&a.state, &b.state], [&left, &right], false)))
                }
                // Only one way made it, and the other has no pointer to it.
                (Some(only), None) => Some(Arc::new(self.contents([&a.state; 2], [&only; 2], true))),
                (None, Some(only)) => Some(Arc::new(self.contents([&b.state; 2], [&only; 2], true))),
                (None, None) => None,
            };
            if let Some(joined) = joined {
                objects.insert(id, joined);
            }
        }
        Memory { objects, are_globals_unknown }
    }

    fn object(&mut self, memory: &Memory, id: ObjectId) -> Option<Arc<Object>> {
        match (memory.objects.get(&id), id) {
            (Some(object), _) => Some(object.clone()),
            (None, ObjectId::Global(global)) => self.images.object(self.graph, memory, global),
            (None, ObjectId::Dynamic(_)) => None,
        }
    }

    /// `is_one_sided` says that both sides are one, whose nodes the joined state does not know.
    fn contents(&mut self, [a, b]: [&State; 2], [x, y]: [&Object; 2], is_one_sided: bool) -> Object {
        let mut joined = Object {
            size: x.size,
            is_zero: x.is_zero && y.is_zero,
            is_writable: x.is_writable && y.is_writable,
            cells: BTreeMap::new(),
        };
        let ours = x.cells.iter().map(|(at, cell)| (*at, cell.size));
        let theirs = y.cells.iter().map(|(at, cell)| (*at, cell.size));
        let mut places: Vec<(u64, u64)> = ours.chain(theirs).collect();
        places.sort_unstable();
        places.dedup();
        for (at, size) in places {
            let content = match (self.found(x, at, size), self.found(y, at, size)) {
                (Some(left), Some(right)) => match self.cell([a, b], left, right, is_one_sided) {
                    Some(node) => Content::Node(node),
                    None => Content::Unknown,
                },
                _ => Content::Unknown,
            };
            // A place that another one overlaps is unknown on the side that it does not fit.
            let overlaps = joined.overlapping(at, size).next().is_some();
            if overlaps {
                joined.forget(at, size);
            } else {
                joined.cells.insert(at, Cell { size, content });
            }
        }
        joined
    }

    fn cell(&mut self, [a, b]: [&State; 2], left: Found, right: Found, is_one_sided: bool) -> Option<NodeId> {
        let (x, y) = match (left, right) {
            (Found::Node(x), Found::Node(y)) => (x, y),
            (Found::Node(x), Found::Zero) => {
                let kind = crate::types::kind(&self.graph.node(x).domain);
                (x, memory::zero(self.graph, kind))
            }
            (Found::Zero, Found::Node(y)) => {
                let kind = crate::types::kind(&self.graph.node(y).domain);
                (memory::zero(self.graph, kind), y)
            }
            _ => return None,
        };
        if is_one_sided && !self.graph.is_ancestor(self.graph.node(x).branch, self.branch) {
            // The node is not valid in the joined state: one that is takes its place.
            if let Some(&known) = self.pairs.get(&(x, x)) {
                return Some(known);
            }
            let domain = a.domain(self.graph, x).clone();
            let fresh = self.graph.push(self.branch, Op::Opaque, &[], domain);
            self.pairs.insert((x, x), fresh);
            return Some(fresh);
        }
        self.node(a, b, x, y)
    }

    fn found(&self, object: &Object, at: u64, size: u64) -> Option<Found> {
        match object.load(at, size) {
            Found::Unknown => None,
            found => Some(found),
        }
    }
}

/// The comparison of two snapshots.
struct Inclusion<'a> {
    graph: &'a Graph,
    head: &'a Snapshot,
    next: &'a Snapshot,
    /// What the head's own nodes are in the other.
    images: FxHashMap<NodeId, NodeId>,
}

/// Whether `head`, which a join made, describes everything that `next` does.
pub(crate) fn includes(graph: &Graph, head: &Snapshot, next: &Snapshot) -> bool {
    let mut inclusion = Inclusion { graph, head, next, images: FxHashMap::default() };
    let slots = head.values.iter().zip(&next.values).all(|(x, y)| match (x, y) {
        (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| inclusion.node(*x, *y)),
        (None, _) => true,
        (Some(_), None) => false,
    });
    slots && inclusion.memory() && inclusion.facts() && inclusion.orders()
}

impl Inclusion<'_> {
    fn node(&mut self, x: NodeId, y: NodeId) -> bool {
        let node = self.graph.node(x);
        let is_free = node.op == Op::Opaque && node.branch == self.head.state.branch;
        if is_free {
            if let Some(&known) = self.images.get(&x) {
                return known == y;
            }
            self.images.insert(x, y);
        } else if x != y {
            return false;
        }
        self.head.state.domain(self.graph, x).includes(self.next.state.domain(self.graph, y))
    }

    fn facts(&self) -> bool {
        let is_free = |node: NodeId| self.images.contains_key(&node);
        let mut facts = self.head.state.facts.iter().filter(|(node, _)| !is_free(**node));
        facts.all(|(node, domain)| domain.includes(self.next.state.domain(self.graph, *node)))
    }

    fn orders(&self) -> bool {
        self.head.state.orders.iter().all(|order| {
            self.next.state.orders.iter().any(|other| {
                let same = other.left == order.left && other.right == order.right;
                same && either(order.relation, other.relation) == order.relation
            })
        })
    }

    fn memory(&mut self) -> bool {
        let (head, next) = (&self.head.state.memory, &self.next.state.memory);
        if next.are_globals_unknown && !head.are_globals_unknown {
            return false;
        }
        let new_global = |id: &ObjectId| matches!(id, ObjectId::Global(_)) && !head.objects.contains_key(id);
        if next.objects.keys().any(new_global) {
            return false;
        }
        for (id, object) in &head.objects {
            let Some(other) = next.objects.get(id) else { return false };
            if !Arc::ptr_eq(object, other) && !self.object(object, other) {
                return false;
            }
            if Arc::ptr_eq(object, other) && !self.object(object, object) {
                return false;
            }
        }
        true
    }

    fn object(&mut self, head: &Object, next: &Object) -> bool {
        if head.is_writable && !next.is_writable {
            return false;
        }
        if head.is_zero {
            let covered = |(at, cell): (&u64, &Cell)| {
                let inside: u64 = head.overlapping(*at, cell.size).map(|(_, cell)| cell.size).sum();
                inside >= cell.size
            };
            if !next.is_zero || !next.cells.iter().all(covered) {
                return false;
            }
        }
        head.cells.iter().all(|(at, cell)| match cell.content {
            Content::Unknown => true,
            Content::Node(x) => match next.load(*at, cell.size) {
                Found::Node(y) => self.node(x, y),
                // A zero is compared as the literal that a join would have made of it.
                Found::Zero | Found::Unknown => false,
            },
        })
    }
}

/// The known integers and pointers among a snapshot's values.
fn known(graph: &Graph, snapshot: &Snapshot) -> Vec<Option<i128>> {
    let nodes = snapshot.values.iter().flatten().flatten();
    nodes
        .map(|node| match snapshot.state.domain(graph, *node) {
            Domain::Int(set) => set.single(),
            _ => None,
        })
        .collect()
}

/// Joins states of one point until at most `limit` are left. Those that agree on the known integers and pointers among their values (a
/// status code, a loop's counter, a flag) are joined first: what differs is then mostly a range of floats.
pub(crate) fn reduce(graph: &mut Graph, images: &mut Images<'_>, states: Vec<Snapshot>, limit: usize) -> Vec<Snapshot> {
    let limit = limit.max(1);
    if states.len() <= limit {
        return states;
    }
    let mut groups: Vec<(Vec<Option<i128>>, Vec<Snapshot>)> = Vec::new();
    for snapshot in states {
        let key = known(graph, &snapshot);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(snapshot),
            None => groups.push((key, vec![snapshot])),
        }
    }
    let mut count: usize = groups.iter().map(|(_, group)| group.len()).sum();
    // Within the largest group first.
    while count > limit {
        let Some((_, group)) = groups.iter_mut().max_by_key(|(_, group)| group.len()) else { break };
        if group.len() < 2 {
            break;
        }
        if let (Some(b), Some(a)) = (group.pop(), group.pop()) {
            group.push(join(graph, images, &a, &b, None));
        }
        count -= 1;
    }
    let mut rest: Vec<Snapshot> = groups.into_iter().flat_map(|(_, group)| group).collect();
    while rest.len() > limit {
        let (Some(b), Some(a)) = (rest.pop(), rest.pop()) else { break };
        rest.push(join(graph, images, &a, &b, None));
    }
    rest
}
