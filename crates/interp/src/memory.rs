//! Memory: objects of bytes at made-up addresses, shared between states until one of them writes.
//!
//! Addresses are deterministic, never reused and far enough apart that no pointer that is a little out of its object's
//! bounds falls into another.

use std::sync::Arc;

use labrys_program::HeapFamily;

use crate::cells::{Cells, Extent, Held};
use crate::chunks::Chunks;
use crate::merging::Choice;
use crate::types::ScalarKind;
use crate::{Base, Datum, Domain, MemoryFaultKind, ObjectId, Pointer, Scalar};

/// Why an object exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A global variable.
    Global,
    /// A local variable.
    Stack,
    /// Made by `malloc` and its kin.
    Heap(HeapFamily),
    /// An argument's memory.
    Argument,
}

/// One object.
#[derive(Clone, Debug)]
pub(crate) struct Object<F, S> {
    /// Size in bytes.
    pub(crate) size: u64,
    /// Why it exists.
    pub(crate) kind: ObjectKind,
    /// Its address.
    pub(crate) address: u64,
    /// Whether its life lasts.
    is_alive: bool,
    /// Whether the program may write to it.
    is_writable: bool,
    /// Whether it may be longer than its size: a global that is defined elsewhere.
    is_open: bool,
    cells: Arc<Cells<F, S>>,
}

impl<F: Clone, S: Clone> Object<F, S> {
    /// What is in the cell of so many bytes at an offset, or in a filled one around.
    pub(crate) fn held(&self, offset: u64, size: u64) -> Option<Held<'_, F, S>> {
        self.cells.held(offset, size)
    }

    /// The cell of so many bytes at an offset.
    pub(crate) fn cell(&self, offset: u64, size: u64) -> Option<usize> {
        self.cells.cell(offset, size)
    }
}

impl<F, S> Object<F, S> {
    /// Whether all but the contents is the same.
    fn is_like(&self, other: &Object<F, S>) -> bool {
        let of = |object: &Object<F, S>| {
            let Object { size, kind, address, is_alive, is_writable, is_open, cells: _ } = object;
            (*size, *kind, *address, *is_alive, *is_writable, *is_open)
        };
        of(self) == of(other)
    }
}

/// All objects of a state. Cloning shares them; records and contents are copied when written.
#[derive(Clone, Debug)]
pub struct Memory<F, S> {
    /// Ascending by address.
    objects: Chunks<Object<F, S>>,
    next_address: u64,
    /// What objects hold whose lives are over.
    nothing: Arc<Cells<F, S>>,
}

/// Where objects start: above all code.
pub(crate) const FIRST_ADDRESS: u64 = 0x1000_0000;

/// Bytes left free between objects.
const GAP: u64 = 64;

impl<F: Clone, S: Clone> Default for Memory<F, S> {
    fn default() -> Self {
        Memory { objects: Chunks::default(), next_address: FIRST_ADDRESS, nothing: Arc::new(Cells::new(0, None)) }
    }
}

impl<F: Clone, S: Clone> Memory<F, S> {
    /// A new writable object of `size` bytes, uninitialised or filled with a byte.
    pub fn allocate(&mut self, size: u64, align: u64, kind: ObjectKind, fill: Option<u8>) -> Pointer<S> {
        let id = ObjectId(self.objects.len() as u32);
        let address = self.next_address.next_multiple_of(align.clamp(1, 1 << 20).next_power_of_two().max(16));
        self.next_address = address.saturating_add(size).saturating_add(GAP);
        let cells = Arc::new(Cells::new(size, fill));
        self.objects.push(Object { size, kind, address, is_alive: true, is_writable: true, is_open: false, cells });
        Pointer::new(Base::Object { id, address }, 0)
    }

    /// A pointer to the start of an object.
    pub fn pointer_to(&self, id: ObjectId) -> Pointer<S> {
        Pointer::new(Base::Object { id, address: self.object(id).address }, 0)
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object<F, S> {
        &self.objects[id.0 as usize]
    }

    fn object_mut(&mut self, id: ObjectId) -> &mut Object<F, S> {
        &mut self.objects[id.0 as usize]
    }

    /// The size of an object in bytes.
    pub fn size(&self, id: ObjectId) -> u64 {
        self.object(id).size
    }

    /// Why an object exists.
    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        self.object(id).kind
    }

    /// Forbids writes.
    pub fn set_constant(&mut self, id: ObjectId) {
        self.object_mut(id).is_writable = false;
    }

    /// Notes that the object may be longer than its size.
    pub fn set_open(&mut self, id: ObjectId) {
        self.object_mut(id).is_open = true;
    }

    /// Notes that the object is no longer than its size.
    pub fn set_closed(&mut self, id: ObjectId) {
        self.object_mut(id).is_open = false;
    }

    /// What an access outside the object's size is.
    pub fn outside(&self, id: ObjectId) -> MemoryFaultKind {
        if self.object(id).is_open { MemoryFaultKind::Undeclared } else { MemoryFaultKind::OutOfBounds }
    }

    /// Begins an object's life anew: nothing is written.
    pub fn revive(&mut self, id: ObjectId) {
        let object = self.object_mut(id);
        object.is_alive = true;
        object.cells = Arc::new(Cells::new(object.size, None));
    }

    /// Ends an object's life.
    pub fn release(&mut self, id: ObjectId) {
        let nothing = self.nothing.clone();
        let object = self.object_mut(id);
        object.is_alive = false;
        object.cells = nothing;
    }

    /// Whether there is an object from `malloc` whose life lasts.
    pub fn has_heap(&self) -> bool {
        let is_heap = |object: &Object<F, S>| object.is_alive && matches!(object.kind, ObjectKind::Heap(_));
        (0..self.objects.len()).any(|index| is_heap(&self.objects[index]))
    }

    /// Bytes of objects from `malloc` whose life lasts, and to which no pointer leads from the others. Pointers that were taken
    /// apart into bytes do not count.
    pub fn leaked(&self) -> u64 {
        let count = self.objects.len();
        let is_root =
            |&index: &usize| self.objects[index].is_alive && !matches!(self.objects[index].kind, ObjectKind::Heap(_));
        let mut pending: Vec<usize> = (0..count).filter(is_root).collect();
        let mut is_reached = vec![false; count];
        pending.iter().for_each(|&index| is_reached[index] = true);
        while let Some(index) = pending.pop() {
            for scalar in self.objects[index].cells.scalars() {
                let base = match &scalar.datum {
                    Datum::Pointer(pointer) => pointer.base,
                    Datum::Int(int) if int.bits() == 64 => match int.concrete() {
                        Some(address) => self.pointer_at(address as u64).base,
                        None => continue,
                    },
                    _ => continue,
                };
                if let Base::Object { id, .. } = base
                    && !std::mem::replace(&mut is_reached[id.0 as usize], true)
                {
                    pending.push(id.0 as usize);
                }
            }
        }
        let is_lost = |&index: &usize| self.objects[index].is_alive && !is_reached[index];
        (0..count).filter(is_lost).map(|index| self.objects[index].size).sum()
    }

    /// The object whose bytes (or end) an address is, as a pointer; absolute if there is none.
    pub fn pointer_at(&self, address: u64) -> Pointer<S> {
        let after = self.objects.partition_point(|object| object.address <= address);
        if let Some(index) = after.checked_sub(1)
            && let Some(object) = self.objects.get(index)
        {
            let offset = address - object.address;
            if offset <= object.size {
                let base = Base::Object { id: ObjectId(index as u32), address: object.address };
                return Pointer::new(base, offset);
            }
        }
        Pointer::new(Base::Absolute, address)
    }

    /// Whether `size` bytes at `offset` may be read or written.
    pub fn check(&self, id: ObjectId, offset: u64, size: u64, is_write: bool) -> Result<(), MemoryFaultKind> {
        let object = self.object(id);
        if !object.is_alive {
            Err(MemoryFaultKind::Dead)
        } else if offset.checked_add(size).is_none_or(|end| end > object.size) {
            Err(self.outside(id))
        } else if is_write && !object.is_writable {
            Err(MemoryFaultKind::ReadOnly)
        } else {
            Ok(())
        }
    }

    /// Reads a scalar; the access has passed [`Memory::check`].
    pub fn load<D>(&self, domain: &mut D, id: ObjectId, offset: u64, kind: ScalarKind) -> Scalar<F, S>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let mut scalar = self.object(id).cells.load(domain, offset, kind);
        if let Datum::Pointer(pointer) = &scalar.datum
            && pointer.base == Base::Absolute
            && let Some(address) = pointer.offset.concrete()
        {
            scalar.datum = Datum::Pointer(self.pointer_at(address as u64));
        }
        scalar
    }

    /// Writes a scalar of so many bytes; the access has passed [`Memory::check`].
    pub fn store<D>(&mut self, domain: &mut D, id: ObjectId, offset: u64, size: u64, scalar: Scalar<F, S>)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        self.cells_mut(id).store(domain, offset, size, scalar);
    }

    /// Has a cell of an object hold a scalar of its size; the access has passed [`Memory::check`].
    pub(crate) fn set_cell(&mut self, id: ObjectId, cell: usize, scalar: Scalar<F, S>) {
        self.cells_mut(id).set(cell, scalar);
    }

    /// Sets a checked range to one byte value.
    pub fn fill<D>(&mut self, domain: &mut D, id: ObjectId, offset: u64, size: u64, byte: u8)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        self.cells_mut(id).fill(domain, offset, size, byte);
    }

    /// Makes a checked range uninitialised.
    pub fn forget<D>(&mut self, domain: &mut D, id: ObjectId, offset: u64, size: u64)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        self.cells_mut(id).forget(domain, offset, size);
    }

    /// Copies between checked ranges, which may overlap.
    pub fn copy<D>(&mut self, domain: &mut D, to: (ObjectId, u64), from: (ObjectId, u64), size: u64)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let extent: Extent<F, S> = self.object(from.0).cells.extent(domain, from.1, size);
        self.cells_mut(to.0).paste(domain, to.1, extent);
    }

    /// Copies a checked range out of another memory.
    pub fn copy_from<D>(
        &mut self,
        domain: &mut D,
        to: (ObjectId, u64),
        memory: &Memory<F, S>,
        from: (ObjectId, u64),
        size: u64,
    ) where
        D: Domain<Float = F, Symbol = S>,
    {
        let extent = memory.object(from.0).cells.extent(domain, from.1, size);
        self.cells_mut(to.0).paste(domain, to.1, extent);
    }

    /// This memory where a choice's condition holds, else the other one; `None` where there is no such memory ([`crate::merging`]).
    pub(crate) fn merged<D>(&self, other: &Memory<F, S>, choice: &mut Choice<'_, D>) -> Option<Memory<F, S>>
    where
        D: Domain<Float = F, Symbol = S>,
        F: PartialEq,
    {
        let (long, short) = if self.objects.len() >= other.objects.len() { (self, other) } else { (other, self) };
        let common = short.objects.len();
        let is_over = |object: &Object<F, S>| !object.is_alive && object.kind == ObjectKind::Stack;
        if !(common..long.objects.len()).all(|index| is_over(&long.objects[index])) {
            return None;
        }
        let mut merged = long.clone();
        for index in 0..common {
            if self.objects.shares(&other.objects, index) {
                continue;
            }
            let (a, b) = (&self.objects[index], &other.objects[index]);
            if Arc::ptr_eq(&a.cells, &b.cells) && a.is_like(b) {
                continue;
            }
            if !a.is_like(b) {
                return None;
            }
            if !a.is_alive {
                continue;
            }
            let cells = a.cells.merged(&b.cells, choice)?;
            merged.object_mut(ObjectId(index as u32)).cells = Arc::new(cells);
        }
        Some(merged)
    }

    fn cells_mut(&mut self, id: ObjectId) -> &mut Cells<F, S> {
        Arc::make_mut(&mut self.object_mut(id).cells)
    }
}
