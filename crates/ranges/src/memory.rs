//! Memory of a state: objects of typed cells.
//!
//! A cell holds the node of the scalar that was stored there last. Bytes of no cell are zero, or unknown: uninitialised
//! memory holds whatever was there before, as it does on the machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use labrys_interp::ScalarKind;

use crate::graph::{Graph, NodeId};
use crate::pointer::ObjectId;
use crate::types;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Content {
    Node(NodeId),
    /// Any bytes.
    Unknown,
}

/// A run of bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub size: u64,
    pub content: Content,
}

/// One object. Cells do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    pub size: u64,
    /// Whether bytes of no cell are zero; else they are unknown.
    pub is_zero: bool,
    pub is_writable: bool,
    pub cells: BTreeMap<u64, Cell>,
}

/// What a read finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    /// A scalar of that size, of whatever kind.
    Node(NodeId),
    Zero,
    Unknown,
}

/// The objects of a state that differ from the program's globals as they are at first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub objects: BTreeMap<ObjectId, Arc<Object>>,
    /// Whether somebody unknown may have written to globals that are not among the objects.
    pub are_globals_unknown: bool,
}

impl Object {
    /// Without cells.
    pub fn new(size: u64, is_zero: bool) -> Object {
        Object { size, is_zero, is_writable: true, cells: BTreeMap::new() }
    }

    /// The cells that have bytes of `offset..offset + size`.
    pub fn overlapping(&self, offset: u64, size: u64) -> impl Iterator<Item = (u64, Cell)> + '_ {
        let end = offset.saturating_add(size);
        let before = self.cells.range(..offset).next_back().filter(|(at, cell)| **at + cell.size > offset);
        let inside = self.cells.range(offset..end);
        before.into_iter().chain(inside).map(|(at, cell)| (*at, *cell))
    }

    /// Reads a scalar of so many bytes.
    pub fn load(&self, offset: u64, size: u64) -> Found {
        let mut cells = self.overlapping(offset, size);
        match (cells.next(), cells.next()) {
            (None, _) if self.is_zero => Found::Zero,
            (Some((at, Cell { size: own, content: Content::Node(node) })), None) if at == offset && own == size => {
                Found::Node(node)
            }
            _ => Found::Unknown,
        }
    }

    /// Writes a cell; what is left of cells that it covers in part is unknown.
    pub fn store(&mut self, offset: u64, cell: Cell) {
        let end = offset + cell.size;
        let covered: Vec<(u64, Cell)> = self.overlapping(offset, cell.size).collect();
        for (at, old) in covered {
            self.cells.remove(&at);
            let unknown = |size| Cell { size, content: Content::Unknown };
            if at < offset {
                self.cells.insert(at, unknown(offset - at));
            }
            if at + old.size > end {
                self.cells.insert(end, unknown(at + old.size - end));
            }
        }
        self.cells.insert(offset, cell);
    }

    /// Makes a range unknown.
    pub fn forget(&mut self, offset: u64, size: u64) {
        let size = size.min(self.size.saturating_sub(offset));
        if size > 0 {
            self.store(offset, Cell { size, content: Content::Unknown });
        }
    }

    /// Makes a range zero.
    pub fn clear(&mut self, graph: &mut Graph, offset: u64, size: u64) {
        if size == 0 {
            return;
        }
        self.forget(offset, size);
        self.cells.remove(&offset);
        if !self.is_zero {
            // Bytes as cells: joined by no read, so that only objects cleared as a whole stay precise.
            if offset == 0 && size == self.size {
                self.is_zero = true;
            } else {
                let zero = graph.int(8, 0);
                for at in offset..offset + size.min(4096) {
                    self.cells.insert(at, Cell { size: 1, content: Content::Node(zero) });
                }
                if size > 4096 {
                    self.forget(offset + 4096, size - 4096);
                }
            }
        }
    }

    /// Copies `size` bytes from another object, which may be this one's former self.
    pub fn copy(&mut self, to: u64, from: &Object, at: u64, size: u64) {
        if size == 0 {
            return;
        }
        self.forget(to, size);
        self.cells.remove(&to);
        if from.is_zero != self.is_zero {
            // Gaps mean something else here.
            let mut next = at;
            let cells: Vec<(u64, Cell)> = from.overlapping(at, size).collect();
            for (start, cell) in cells.into_iter().chain([(at + size, Cell { size: 0, content: Content::Unknown })]) {
                if start > next {
                    self.cells.insert(to + (next - at), Cell { size: start - next, content: Content::Unknown });
                }
                next = next.max(start + cell.size);
            }
        }
        for (start, cell) in from.overlapping(at, size) {
            let (low, high) = (start.max(at), (start + cell.size).min(at + size));
            let is_whole = low == start && high == start + cell.size;
            let content = if is_whole { cell.content } else { Content::Unknown };
            self.cells.insert(to + (low - at), Cell { size: high - low, content });
        }
    }
}

impl Memory {
    /// A changeable object, which is among the objects.
    pub fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(&id).map(Arc::make_mut)
    }

    /// Forgets the contents of everything that can be written.
    pub fn forget_all(&mut self) {
        self.are_globals_unknown = true;
        for object in self.objects.values_mut().filter(|object| object.is_writable) {
            let object = Arc::make_mut(object);
            object.cells.clear();
            object.is_zero = false;
        }
    }
}

/// The node of a zero of a kind.
pub(crate) fn zero(graph: &mut Graph, kind: ScalarKind) -> NodeId {
    match kind {
        ScalarKind::Int(bits) => graph.int(bits, 0),
        ScalarKind::Float(format) => graph.float(&labrys_float::Float::zero(format, false)),
        ScalarKind::Pointer => graph.null(),
    }
}

/// The bytes of a node's kind in memory.
pub(crate) fn size_of(graph: &Graph, node: NodeId) -> u64 {
    types::kind(&graph.node(node).domain).size()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(size: u64, node: u32) -> Cell {
        Cell { size, content: Content::Node(NodeId(node)) }
    }

    #[test]
    fn what_is_stored_is_found_and_parts_are_unknown() {
        let mut object = Object::new(32, true);
        object.store(8, cell(8, 1));
        assert_eq!(object.load(8, 8), Found::Node(NodeId(1)));
        assert_eq!(object.load(8, 4), Found::Unknown);
        assert_eq!(object.load(0, 8), Found::Zero);
        object.store(12, cell(8, 2));
        assert_eq!(object.load(8, 8), Found::Unknown);
        assert_eq!(object.load(12, 8), Found::Node(NodeId(2)));
        assert_eq!(object.load(24, 8), Found::Zero);
    }

    #[test]
    fn copies_take_cells_and_gaps_along() {
        let mut from = Object::new(32, true);
        from.store(8, cell(8, 1));
        from.store(16, cell(8, 2));
        let mut to = Object::new(32, false);
        to.copy(0, &from, 8, 12);
        assert_eq!(to.load(0, 8), Found::Node(NodeId(1)));
        assert_eq!(to.load(8, 4), Found::Unknown);
        to.copy(0, &from, 0, 24);
        assert_eq!(to.load(8, 8), Found::Node(NodeId(1)));
        assert_eq!(to.load(0, 8), Found::Unknown);
        let mut same = Object::new(32, true);
        same.copy(0, &from, 0, 32);
        assert_eq!((same.load(0, 8), same.load(16, 8)), (Found::Zero, Found::Node(NodeId(2))));
    }
}
