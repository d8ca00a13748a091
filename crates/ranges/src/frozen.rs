//! What a callee can see of a state, and what it leaves behind, without the nodes of an analysis.
//!
//! A [`Frozen`] state has a number for each distinct scalar that the callee can get at (through its arguments, memory that they point
//! to, and globals that differ from their initial values) and what is known of it; memory that it cannot get at is not there.
//! Objects are named in the order in which they are found, so that states of one shape are equal wherever they arise.
//!
//! **Claim.** A concrete state that a snapshot describes is described, as far as the callee sees it, by what [`freeze`] makes of the
//! snapshot; and so is every one that another describes which
//! it is [`Frozen::including`].
//!
//! **Argument.** Freezing forgets (how scalars were computed, how they are ordered, what else is in memory) and keeps which places
//! hold the same scalar. Forgetting only adds concrete states, and a callee reaches nothing else: an address that is not known
//! reads anything, and writing to one is kept as [`Exit::forgets`]. For the inclusion, every scalar of the larger state must
//! stand for one scalar of the smaller one in all its places.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::graph::{Domain, Graph, NodeId, Value};
use crate::memory::{Cell, Content, Memory, Object};
use crate::pointer::{Base, ObjectId, PointerDomain, Target};
use crate::snapshot::Snapshot;
use crate::state::State;

/// Objects that every callee can get at have their own names: globals, and the one behind `errno`.
const ERRNO: ObjectId = ObjectId::Dynamic(0);
/// The name of objects that do not live any more.
const DEAD: ObjectId = ObjectId::Dynamic(u32::MAX);

/// The number of a scalar.
pub(crate) type Number = u32;

/// An object with numbers for nodes; `None` where bytes are unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Contents {
    size: u64,
    is_zero: bool,
    is_writable: bool,
    /// Offset, size and scalar.
    cells: Vec<(u64, u64, Option<Number>)>,
}

/// What a callee can see of a state when it is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frozen {
    /// What is known of each scalar.
    pub domains: Vec<Domain>,
    arguments: Vec<Vec<Number>>,
    objects: Vec<(ObjectId, Contents)>,
    are_globals_unknown: bool,
}

/// Where a frozen state's scalars and objects are in a snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    pub nodes: Vec<NodeId>,
    numbers: FxHashMap<NodeId, Number>,
    /// The snapshot's objects by their names.
    objects: FxHashMap<ObjectId, ObjectId>,
    names: FxHashMap<ObjectId, ObjectId>,
}

/// One way in which a callee returns.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    /// Scalars of the call of which more is known now.
    narrowed: Vec<(Number, Domain)>,
    /// What is known of scalars that are new; their numbers follow those of the call.
    new: Vec<Domain>,
    value: Option<Vec<Number>>,
    /// Objects that were written to.
    objects: Vec<(ObjectId, Contents)>,
    /// Whether something was written through an address that is not known.
    forgets: bool,
}

impl Places {
    /// The places of the scalars of another state that has them by these numbers here.
    pub fn renumbered(&self, numbers: &[Number]) -> Places {
        let nodes = numbers.iter().map(|number| self.nodes[*number as usize]).collect();
        Places { nodes, ..self.clone() }
    }

    fn number(&mut self, node: NodeId) -> (Number, bool) {
        let next = self.nodes.len() as Number;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        (number, number == next)
    }

    fn bind(&mut self, name: ObjectId, object: ObjectId) {
        self.objects.insert(name, object);
        self.names.insert(object, name);
    }

    /// The name of an object; globals and `errno` are their own.
    fn name(&self, object: ObjectId) -> Option<ObjectId> {
        match object {
            ObjectId::Global(_) | ERRNO => Some(object),
            _ => self.names.get(&object).copied(),
        }
    }

    fn object(&self, name: ObjectId) -> ObjectId {
        self.objects.get(&name).copied().unwrap_or(name)
    }
}

/// A domain whose pointers point to other objects.
fn renamed(domain: &Domain, mut rename: impl FnMut(ObjectId) -> ObjectId) -> Domain {
    let Domain::Pointer(pointer) = domain else { return domain.clone() };
    let Some(targets) = pointer.targets() else { return domain.clone() };
    let mut moved: Vec<Target> = targets
        .iter()
        .map(|target| match target.base {
            Base::Object(id) => Target { base: Base::Object(rename(id)), ..*target },
            _ => *target,
        })
        .collect();
    moved.sort_unstable_by_key(|target| target.base);
    if moved.windows(2).any(|pair| pair[0].base == pair[1].base) {
        // Dead objects that are one now.
        return Domain::Pointer(PointerDomain::Any);
    }
    Domain::Pointer(PointerDomain::Targets(moved.into()))
}

/// Freezes what a call with these arguments sees.
pub(crate) fn freeze(graph: &Graph, state: &State, arguments: &[Value]) -> (Frozen, Places) {
    let mut freezer =
        Freezer { graph, state, places: Places::default(), domains: Vec::new(), left: VecDeque::new(), next: 1 };
    let arguments = arguments.iter().map(|value| value.iter().map(|node| freezer.scalar(*node)).collect()).collect();
    for &id in state.memory.objects.keys().filter(|id| matches!(id, ObjectId::Global(_) | &&ERRNO)) {
        freezer.places.bind(id, id);
        freezer.left.push_back(id);
    }
    let mut objects = Vec::new();
    while let Some(id) = freezer.left.pop_front() {
        if let (Some(object), Some(name)) = (state.memory.objects.get(&id), freezer.places.name(id)) {
            let contents = contents(object, |node| freezer.scalar(node));
            objects.push((name, contents));
        }
    }
    let are_globals_unknown = state.memory.are_globals_unknown;
    (Frozen { domains: freezer.domains, arguments, objects, are_globals_unknown }, freezer.places)
}

fn contents(object: &Object, mut number: impl FnMut(NodeId) -> Number) -> Contents {
    let mut cell = |(at, cell): (&u64, &Cell)| match cell.content {
        Content::Node(node) => (*at, cell.size, Some(number(node))),
        Content::Unknown => (*at, cell.size, None),
    };
    Contents {
        size: object.size,
        is_zero: object.is_zero,
        is_writable: object.is_writable,
        cells: object.cells.iter().map(&mut cell).collect(),
    }
}

/// The object that a frozen one stands for.
fn thawed(contents: &Contents, nodes: &[NodeId]) -> Object {
    let cell = |(at, size, number): &(u64, u64, Option<Number>)| {
        let node = number.and_then(|number| nodes.get(number as usize).copied());
        (*at, Cell { size: *size, content: node.map_or(Content::Unknown, Content::Node) })
    };
    Object {
        size: contents.size,
        is_zero: contents.is_zero,
        is_writable: contents.is_writable,
        cells: contents.cells.iter().map(cell).collect(),
    }
}

struct Freezer<'a> {
    graph: &'a Graph,
    state: &'a State,
    places: Places,
    domains: Vec<Domain>,
    /// Objects whose contents are still to be frozen.
    left: VecDeque<ObjectId>,
    next: u32,
}

impl Freezer<'_> {
    fn scalar(&mut self, node: NodeId) -> Number {
        let (number, is_new) = self.places.number(node);
        if is_new {
            self.domains.push(Domain::Pointer(PointerDomain::Any));
            let domain = renamed(self.state.domain(self.graph, node), |id| self.object(id));
            self.domains[number as usize] = domain;
        }
        number
    }

    fn object(&mut self, id: ObjectId) -> ObjectId {
        if let Some(name) = self.places.name(id) {
            return name;
        }
        let name = ObjectId::Dynamic(self.next);
        self.next += 1;
        self.places.bind(name, id);
        self.left.push_back(id);
        name
    }
}

impl Frozen {
    /// If every concrete state that `other` describes is described, the number that each scalar has in the other.
    pub fn including(&self, other: &Frozen) -> Option<Vec<Number>> {
        let mut pairs: Vec<(Number, Number)> = Vec::new();
        if self.are_globals_unknown != other.are_globals_unknown
            || self.arguments.len() != other.arguments.len()
            || self.objects.len() != other.objects.len()
        {
            return None;
        }
        for (x, y) in self.arguments.iter().zip(&other.arguments) {
            if x.len() != y.len() {
                return None;
            }
            pairs.extend(x.iter().copied().zip(y.iter().copied()));
        }
        for ((name, x), (other_name, y)) in self.objects.iter().zip(&other.objects) {
            let is_alike = name == other_name
                && (x.size, x.is_zero, x.is_writable) == (y.size, y.is_zero, y.is_writable)
                && x.cells.len() == y.cells.len();
            if !is_alike {
                return None;
            }
            for ((at, size, x), (other_at, other_size, y)) in x.cells.iter().zip(&y.cells) {
                match (x, y) {
                    _ if (at, size) != (other_at, other_size) => return None,
                    (Some(x), Some(y)) => pairs.push((*x, *y)),
                    (Some(_), None) => return None,
                    (None, _) => {}
                }
            }
        }
        let mut images: Vec<Option<Number>> = vec![None; self.domains.len()];
        for (x, y) in pairs {
            let known = images[x as usize].get_or_insert(y);
            if *known != y || !self.domains[x as usize].includes(&other.domains[y as usize]) {
                return None;
            }
        }
        images.into_iter().collect()
    }

    /// The same with every float anything: a state that includes many.
    pub fn with_any_floats(&self) -> Frozen {
        let domains = self.domains.iter().map(|domain| match domain {
            Domain::Float(_) => crate::types::top(crate::types::kind(domain)),
            _ => domain.clone(),
        });
        Frozen { domains: domains.collect(), ..self.clone() }
    }

    /// A snapshot of nothing else, and the arguments in it; `new_object` makes objects.
    pub fn thaw(&self, graph: &mut Graph, mut new_object: impl FnMut() -> ObjectId) -> (Snapshot, Vec<Value>, Places) {
        let branch = graph.fork(Graph::ROOT);
        let mut places = Places::default();
        for (name, _) in &self.objects {
            let object = if matches!(name, ObjectId::Global(_) | &ERRNO) { *name } else { new_object() };
            places.bind(*name, object);
        }
        let mut state = State::new(branch);
        for domain in &self.domains {
            // What points to no object of the state points to a dead one.
            let domain = renamed(domain, |name| match name {
                ObjectId::Global(_) | ERRNO => name,
                _ => places.objects.get(&name).copied().unwrap_or(DEAD),
            });
            let node = state.opaque(graph, domain);
            places.number(node);
        }
        let mut memory = Memory { are_globals_unknown: self.are_globals_unknown, ..Memory::default() };
        for (name, contents) in &self.objects {
            memory.objects.insert(places.object(*name), Arc::new(thawed(contents, &places.nodes)));
        }
        state.memory = memory;
        let value = |numbers: &Vec<Number>| numbers.iter().map(|number| places.nodes[*number as usize]).collect();
        let arguments = self.arguments.iter().map(value).collect();
        (Snapshot { state, values: Vec::new() }, arguments, places)
    }
}

impl Exit {
    /// What a callee that began in `before` leaves behind; `None` if it made objects that its caller can get at.
    pub fn of(graph: &Graph, frozen: &Frozen, before: &Memory, places: &Places, after: &Snapshot) -> Option<Exit> {
        let state = &after.state;
        let mut all = places.clone();
        let mut narrowed = Vec::new();
        for (number, (node, before)) in (0..).zip(places.nodes.iter().zip(&frozen.domains)) {
            let known = state.domain(graph, *node);
            if !matches!(known, Domain::Pointer(_)) && known != before {
                narrowed.push((number, known.clone()));
            }
        }
        let value = match after.values.first() {
            Some(Some(value)) => Some(value.iter().map(|node| all.number(*node).0).collect()),
            _ => None,
        };
        let mut objects = Vec::new();
        for (id, object) in &state.memory.objects {
            let is_untouched = before.objects.get(id).is_some_and(|before| Arc::ptr_eq(before, object));
            if let (false, Some(name)) = (is_untouched, places.name(*id)) {
                objects.push((name, contents(object, |node| all.number(node).0)));
            }
        }
        let mut escapes = false;
        let mut name = |id| {
            let known = places.name(id);
            escapes |= known.is_none() && state.memory.objects.contains_key(&id);
            known.unwrap_or(DEAD)
        };
        let new: Vec<Domain> =
            all.nodes[places.nodes.len()..].iter().map(|node| renamed(state.domain(graph, *node), &mut name)).collect();
        if escapes {
            return None;
        }
        let forgets = state.memory.are_globals_unknown && !before.are_globals_unknown;
        Some(Exit { narrowed, new, value, objects, forgets })
    }

    /// The caller's state after such a return, whose only value is the function's; `None` if its own state excludes that.
    pub fn apply(&self, graph: &mut Graph, caller: &State, places: &Places) -> Option<Snapshot> {
        let mut state = caller.clone();
        state.branch = graph.fork(state.branch);
        for (number, domain) in &self.narrowed {
            if !crate::refine::assume(graph, &mut state, places.nodes[*number as usize], domain.clone()) {
                return None;
            }
        }
        if self.forgets {
            state.memory.forget_all();
        }
        let mut nodes = places.nodes.clone();
        for domain in &self.new {
            let domain = renamed(domain, |name| places.object(name));
            nodes.push(state.opaque(graph, domain));
        }
        for (name, contents) in &self.objects {
            state.memory.objects.insert(places.object(*name), Arc::new(thawed(contents, &nodes)));
        }
        let value = self.value.as_ref().map(|value| value.iter().map(|number| nodes[*number as usize]).collect());
        Some(Snapshot { state, values: vec![value] })
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::Float;
    use labrys_solver::domain::FloatDomain;
    use smallvec::smallvec;

    use super::*;
    use crate::library::Library;

    fn between(low: f64, high: f64) -> Domain {
        Domain::Float(FloatDomain::between(&Float::from_f64(low), &Float::from_f64(high)))
    }

    /// A state with two floats.
    fn start(x: Domain, y: Domain) -> (Graph, State, [NodeId; 2]) {
        let mut graph = Graph::new(Library::new(0));
        let branch = graph.fork(Graph::ROOT);
        let state = State::new(branch);
        let nodes = [state.opaque(&mut graph, x), state.opaque(&mut graph, y)];
        (graph, state, nodes)
    }

    fn frozen(x: Domain, y: Domain, places: &[usize]) -> Frozen {
        let (graph, state, nodes) = start(x, y);
        let arguments: Vec<Value> = places.iter().map(|place| smallvec![nodes[*place]]).collect();
        freeze(&graph, &state, &arguments).0
    }

    #[test]
    fn larger_sets_include_smaller_ones_and_one_scalar_is_not_two() {
        let (small, large) = (|| between(1.0, 2.0), || between(0.0, 3.0));
        let apart = frozen(large(), large(), &[0, 1]);
        assert_eq!(apart.including(&frozen(small(), small(), &[0, 1])), Some(vec![0, 1]));
        assert_eq!(frozen(small(), small(), &[0, 1]).including(&apart), None);
        let one = frozen(large(), large(), &[0, 0]);
        assert_eq!(apart.including(&one), Some(vec![0, 0]));
        assert_eq!(one.including(&apart), None);
        assert_eq!(apart.with_any_floats().including(&apart), Some(vec![0, 1]));
        assert_eq!(apart.including(&frozen(small(), small(), &[0])), None);
    }

    #[test]
    fn states_of_one_shape_are_equal_whatever_their_objects_are_called() {
        let make = |id: u32| {
            let (mut graph, mut state, [x, _]) = start(between(0.0, 1.0), between(0.0, 1.0));
            let mut object = Object::new(16, false);
            object.store(8, Cell { size: 8, content: Content::Node(x) });
            let pointer = state.opaque(&mut graph, Domain::Pointer(PointerDomain::object(ObjectId::Dynamic(id))));
            state.memory.objects.insert(ObjectId::Dynamic(id), Arc::new(object));
            // Out of the callee's reach.
            state.memory.objects.insert(ObjectId::Dynamic(id + 1), Arc::new(Object::new(id.into(), true)));
            freeze(&graph, &state, &[smallvec![pointer], smallvec![x]]).0
        };
        assert_eq!(make(7), make(90));
        assert_eq!(make(7).objects.len(), 1);
    }

    #[test]
    fn what_a_callee_writes_is_there_afterwards() {
        let (mut graph, mut state, [x, _]) = start(between(-1.0, 1.0), between(0.0, 1.0));
        let id = ObjectId::Dynamic(5);
        state.memory.objects.insert(id, Arc::new(Object::new(8, false)));
        let pointer = state.opaque(&mut graph, Domain::Pointer(PointerDomain::object(id)));
        let (entry, places) = freeze(&graph, &state, &[smallvec![pointer], smallvec![x]]);
        let mut next = 10;
        let (mut inside, arguments, own) = entry.thaw(&mut graph, || {
            next += 1;
            ObjectId::Dynamic(next)
        });
        let before = inside.state.memory.clone();
        // The callee finds its argument positive, and stores it.
        assert!(crate::refine::assume(&graph, &mut inside.state, arguments[1][0], between(0.5, 4.0)));
        let cell = Cell { size: 8, content: Content::Node(arguments[1][0]) };
        inside.state.memory.object_mut(ObjectId::Dynamic(11)).unwrap().store(0, cell);
        inside.values = vec![Some(smallvec![arguments[1][0]])];
        let exit = Exit::of(&graph, &entry, &before, &own, &inside).unwrap();
        let after = exit.apply(&mut graph, &state, &places).unwrap();
        assert_eq!(after.values, [Some(smallvec![x])]);
        assert_eq!(*after.state.domain(&graph, x), between(0.5, 1.0));
        assert_eq!(after.state.memory.objects[&id].load(0, 8), crate::memory::Found::Node(x));
        // A caller that knows that it is negative never sees this return.
        assert!(crate::refine::assume(&graph, &mut state, x, between(-1.0, -0.5)));
        assert!(exit.apply(&mut graph, &state, &places).is_none());
    }
}
