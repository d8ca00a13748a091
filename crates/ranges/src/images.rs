//! Globals as they are before the program runs, made into objects when they are looked at.

use std::sync::Arc;

use labrys_interp::ScalarKind;
use labrys_program::{Constant, GlobalId, Program, Type};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use crate::graph::{Graph, NodeId};
use crate::memory::{Cell, Content, Memory, Object, zero};
use crate::types;

/// Bytes that a global may have that is defined elsewhere: what is declared of it may be less, as in `extern double table[];`.
const OPEN: u64 = 1 << 40;

/// The globals of a program.
#[derive(Debug)]
pub(crate) struct Images<'p> {
    program: &'p Program,
    made: FxHashMap<GlobalId, Arc<Object>>,
}

impl<'p> Images<'p> {
    /// Of a program; nodes are made in the graph that is passed later, always the same.
    pub fn new(program: &'p Program) -> Images<'p> {
        Images { program, made: FxHashMap::default() }
    }

    /// A global that is not among a memory's objects.
    pub fn object(&mut self, graph: &mut Graph, memory: &Memory, id: GlobalId) -> Option<Arc<Object>> {
        let global = self.program.globals.get(id.index())?;
        let size = if global.initializer.is_some() { global.size } else { OPEN };
        if memory.are_globals_unknown && !global.is_constant {
            return Some(Arc::new(Object::new(size, false)));
        }
        if let Some(made) = self.made.get(&id) {
            return Some(made.clone());
        }
        let mut object = Object::new(size, matches!(global.initializer, Some(Constant::Zero(_))));
        object.is_writable = !global.is_constant;
        if let Some(initializer) = &global.initializer {
            fill(graph, &mut object, 0, &global.ty, initializer);
        }
        let object = Arc::new(object);
        self.made.insert(id, object.clone());
        Some(object)
    }
}

/// Writes a constant of a type; what is not understood stays unknown.
fn fill(graph: &mut Graph, object: &mut Object, offset: u64, ty: &Type, constant: &Constant) {
    match (constant, ty) {
        (Constant::Aggregate(_, members), Type::Struct(layout)) => {
            for ((member, field), at) in members.iter().zip(&layout.fields).zip(&layout.offsets) {
                fill(graph, object, offset + at, field, member);
            }
        }
        (Constant::Aggregate(_, members), Type::Array(element, _)) => {
            for (i, member) in members.iter().enumerate() {
                fill(graph, object, offset + i as u64 * element.alloc_size(), element, member);
            }
        }
        (Constant::Zero(_), _) if object.is_zero => {}
        (Constant::Zero(ty), _) if ty.store_size() <= 1 << 16 => {
            for (at, kind) in types::scalars(ty).unwrap_or_default() {
                let node = zero(graph, kind);
                object.store(offset + at, Cell { size: kind.size(), content: Content::Node(node) });
            }
        }
        _ => {
            let (Some(nodes), Ok(places)) = (nodes(graph, constant), types::scalars(ty)) else { return };
            for (node, (at, kind)) in nodes.into_iter().zip(places) {
                object.store(offset + at, Cell { size: kind.size(), content: Content::Node(node) });
            }
        }
    }
}

/// The nodes of a constant's scalars; `None` if one is not a literal.
pub(crate) fn nodes(graph: &mut Graph, constant: &Constant) -> Option<Vec<NodeId>> {
    Some(match constant {
        Constant::Int { bits, value } if (1..=128).contains(bits) => vec![graph.int(*bits, value.to_u128()?)],
        Constant::Float(value) if labrys_solver::domain::FloatDomain::supports(value.format()) => {
            vec![graph.float(value)]
        }
        Constant::Null => vec![graph.null()],
        Constant::Zero(ty) => {
            let kinds: Vec<ScalarKind> = types::kinds(ty).ok()?;
            kinds.into_iter().map(|kind| zero(graph, kind)).collect()
        }
        Constant::Aggregate(_, members) => {
            let mut all = Vec::new();
            for member in members {
                all.extend(nodes(graph, member)?);
            }
            all
        }
        Constant::Global(id, offset) => vec![graph.global(*id, *offset)],
        Constant::Function(id) => vec![graph.function(*id)],
        _ => return None,
    })
}
