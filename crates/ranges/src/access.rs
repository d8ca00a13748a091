//! Loads, stores and copies.
//!
//! Accesses are assumed to stay inside their objects and off null: what a run does after leaving them is undefined by
//! the language, and nothing is claimed of it. Where a pointer has one target at one offset, a store replaces what was
//! there (a strong update); else what may be overwritten holds both.

use std::sync::Arc;

use labrys_interp::ScalarKind;
use labrys_program::Type;

use crate::assumptions::{CONSTANTS, IN_BOUNDS};
use crate::graph::{Domain, NodeId, Value};
use crate::machine::Machine;
use crate::memory::{Cell, Content, Found, Object, size_of, zero};
use crate::pointer::{Base, ObjectId};
use crate::proof::{ANYWHERE, UNWRITTEN};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

/// More places than that are the whole object.
const MAX_PLACES: u128 = 2048;

/// The places of one object that an access may touch.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub object: ObjectId,
    /// Ascending offsets.
    pub offsets: Vec<u64>,
}

impl Machine<'_> {
    /// An object's contents; `None` if it does not live.
    pub fn object(&mut self, snapshot: &Snapshot, id: ObjectId) -> Option<Arc<Object>> {
        let memory = &snapshot.state.memory;
        match (memory.objects.get(&id), id) {
            (Some(object), _) => Some(object.clone()),
            (None, ObjectId::Global(global)) => self.images.object(&mut self.graph, memory, global),
            (None, ObjectId::Dynamic(_)) => None,
        }
    }

    /// The object as one that the state may change.
    fn object_mut<'s>(&mut self, snapshot: &'s mut Snapshot, id: ObjectId) -> Option<&'s mut Object> {
        if !snapshot.state.memory.objects.contains_key(&id) {
            let object = self.object(snapshot, id)?;
            snapshot.state.memory.objects.insert(id, object);
        }
        snapshot.state.memory.object_mut(id)
    }

    /// Where an access of `size` bytes may go; `None` if that is not known, nothing if it goes nowhere.
    pub fn places(&mut self, snapshot: &Snapshot, pointer: NodeId, size: u64) -> Result<Option<Vec<Places>>, Stop> {
        let Domain::Pointer(pointer) = self.domain(snapshot, pointer) else {
            return Err(unsupported("an address that is no pointer"));
        };
        let Some(targets) = pointer.targets() else {
            self.may_fail(ANYWHERE);
            return Ok(None);
        };
        let mut all = Vec::new();
        for target in targets {
            let Base::Object(id) = target.base else {
                self.assume(IN_BOUNDS);
                continue;
            };
            let Some(object) = self.object(snapshot, id) else {
                self.assume(IN_BOUNDS);
                continue;
            };
            let last = i128::from(object.size) - i128::from(size);
            if target.offset.low < 0 || target.offset.high > last {
                self.assume(IN_BOUNDS);
            }
            let Some(inside) = target.offset.clip(0, last) else { continue };
            let step = inside.stride.max(if inside.count() > MAX_PLACES { 8 } else { 1 });
            if inside.count() > MAX_PLACES && inside.stride < 8 {
                self.may_fail(ANYWHERE);
                return Ok(None);
            }
            let mut offsets = Vec::new();
            let mut at = inside.low;
            while at <= inside.high && offsets.len() < (1 << 14) {
                offsets.push(at as u64);
                at += step as i128;
            }
            if at <= inside.high {
                self.may_fail(ANYWHERE);
                return Ok(None);
            }
            all.push(Places { object: id, offsets });
        }
        Ok(Some(all))
    }

    /// Reads a value of any type; `None` if no run gets past it.
    pub fn load(&mut self, snapshot: &mut Snapshot, pointer: NodeId, ty: &Type) -> Result<Option<Value>, Stop> {
        let Some(places) = self.places(snapshot, pointer, ty.store_size())? else {
            return self.unknown(snapshot, ty).map(Some);
        };
        if places.is_empty() {
            return Ok(None);
        }
        let mut value = Value::new();
        for (at, kind) in types::scalars(ty)? {
            value.push(self.load_scalar(snapshot, &places, at, kind));
        }
        Ok(Some(value))
    }

    fn load_scalar(&mut self, snapshot: &mut Snapshot, places: &[Places], at: u64, kind: ScalarKind) -> NodeId {
        let mut found: Vec<Found> = Vec::new();
        for of in places {
            let Some(object) = self.object(snapshot, of.object) else { continue };
            for offset in &of.offsets {
                let one = object.load(offset + at, kind.size());
                if one == Found::Unknown {
                    self.may_fail(UNWRITTEN);
                    return snapshot.state.opaque(&mut self.graph, types::top(kind));
                }
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        let mut joined: Option<(NodeId, Domain)> = None;
        for one in found {
            let node = match one {
                Found::Node(node) => self.reinterpret(snapshot, node, kind),
                _ => zero(&mut self.graph, kind),
            };
            let domain = self.domain(snapshot, node);
            joined = Some(match joined {
                None => (node, domain),
                // Which of them it is is not known.
                Some((_, other)) => (NodeId(u32::MAX), other.hull(&domain)),
            });
        }
        match joined {
            Some((node, _)) if node != NodeId(u32::MAX) => node,
            Some((_, domain)) => snapshot.state.opaque(&mut self.graph, domain),
            None => snapshot.state.opaque(&mut self.graph, types::top(kind)),
        }
    }

    /// Writes a value of any type; `false` if no run gets past it.
    pub fn store(&mut self, snapshot: &mut Snapshot, pointer: NodeId, value: &Value, ty: &Type) -> Result<bool, Stop> {
        let Some(places) = self.places(snapshot, pointer, ty.store_size())? else {
            snapshot.state.memory.forget_all();
            return Ok(true);
        };
        let scalars = types::scalars(ty)?;
        let is_strong = is_one(&places);
        let mut is_possible = false;
        for of in &places {
            let Some(object) = self.object(snapshot, of.object) else { continue };
            if !object.is_writable {
                self.assume(CONSTANTS);
                continue;
            }
            is_possible = true;
            if of.offsets.windows(2).any(|pair| pair[1] - pair[0] < ty.store_size()) {
                // Places that overlap: cells would not show which bytes go together.
                self.forget(snapshot, std::slice::from_ref(of), ty.store_size());
                continue;
            }
            for offset in &of.offsets {
                for (node, (at, kind)) in value.iter().zip(&scalars) {
                    let cell = if is_strong {
                        Cell { size: kind.size(), content: Content::Node(*node) }
                    } else {
                        self.weak(snapshot, &object, offset + at, *node)
                    };
                    if let Some(object) = self.object_mut(snapshot, of.object) {
                        object.store(offset + at, cell);
                    }
                }
            }
        }
        Ok(is_possible)
    }

    /// A cell that holds a node's value, or what was there before.
    fn weak(&mut self, snapshot: &mut Snapshot, object: &Object, at: u64, node: NodeId) -> Cell {
        let size = size_of(&self.graph, node);
        let kind = types::kind(&self.graph.node(node).domain);
        let before = match object.load(at, size) {
            Found::Node(before) => Some(self.reinterpret(snapshot, before, kind)),
            Found::Zero => Some(zero(&mut self.graph, kind)),
            Found::Unknown => None,
        };
        let content = match before {
            Some(before) => {
                let domain = self.domain(snapshot, before).hull(&self.domain(snapshot, node));
                Content::Node(snapshot.state.opaque(&mut self.graph, domain))
            }
            None => Content::Unknown,
        };
        Cell { size, content }
    }

    /// `memcpy`, `memmove`; `false` if no run gets past it.
    pub fn copy(&mut self, snapshot: &mut Snapshot, to: NodeId, from: NodeId, size: NodeId) -> Result<bool, Stop> {
        let Some(size) = self.known_size(snapshot, size) else {
            self.may_fail("memory of a size that is not known");
            snapshot.state.memory.forget_all();
            return Ok(true);
        };
        if size == 0 {
            return Ok(true);
        }
        let (source, target) = (self.places(snapshot, from, size)?, self.places(snapshot, to, size)?);
        let Some(target) = target else {
            snapshot.state.memory.forget_all();
            return Ok(true);
        };
        let meets = |of: &Places| source.iter().flatten().any(|other| other.object == of.object);
        if target.iter().any(meets) {
            self.may_fail("memory may be copied onto itself");
        }
        self.check_writable(snapshot, &target);
        let source = source.filter(|source| is_one(source));
        let source = source.and_then(|source| Some((self.object(snapshot, source[0].object)?, source[0].offsets[0])));
        match (source, is_one(&target)) {
            (Some((object, at)), true) => {
                if let Some(into) = self.object_mut(snapshot, target[0].object) {
                    into.copy(target[0].offsets[0], &object, at, size);
                }
            }
            _ => self.forget(snapshot, &target, size),
        }
        Ok(!target.is_empty())
    }

    /// `memset`; `false` if no run gets past it.
    pub fn set(&mut self, snapshot: &mut Snapshot, to: NodeId, byte: NodeId, size: NodeId) -> Result<bool, Stop> {
        let Some(size) = self.known_size(snapshot, size) else {
            self.may_fail("memory of a size that is not known");
            snapshot.state.memory.forget_all();
            return Ok(true);
        };
        if size == 0 {
            return Ok(true);
        }
        let Some(target) = self.places(snapshot, to, size)? else {
            snapshot.state.memory.forget_all();
            return Ok(true);
        };
        self.check_writable(snapshot, &target);
        let is_zero = matches!(self.domain(snapshot, byte), Domain::Int(set) if set.single() == Some(0));
        if is_zero && is_one(&target) {
            let Some(mut object) = self.object(snapshot, target[0].object) else { return Ok(false) };
            Arc::make_mut(&mut object).clear(&mut self.graph, target[0].offsets[0], size);
            snapshot.state.memory.objects.insert(target[0].object, object);
        } else {
            self.forget(snapshot, &target, size);
        }
        Ok(!target.is_empty())
    }

    /// In a proof: whether what is written to may be.
    fn check_writable(&mut self, snapshot: &Snapshot, places: &[Places]) {
        if self.checked.is_none() {
            return;
        }
        for of in places {
            if self.object(snapshot, of.object).is_some_and(|object| !object.is_writable) {
                self.may_fail(CONSTANTS);
            }
        }
    }

    fn forget(&mut self, snapshot: &mut Snapshot, places: &[Places], size: u64) {
        for of in places {
            if let Some(object) = self.object_mut(snapshot, of.object).filter(|object| object.is_writable) {
                for offset in &of.offsets {
                    object.forget(*offset, size);
                }
            }
        }
    }

    pub fn known_size(&self, snapshot: &Snapshot, size: NodeId) -> Option<u64> {
        match self.domain(snapshot, size) {
            Domain::Int(set) => set.single_bits().and_then(|size| u64::try_from(size).ok()),
            _ => None,
        }
    }
}

/// Whether an access has one place.
fn is_one(places: &[Places]) -> bool {
    places.len() == 1 && places[0].offsets.len() == 1
}
