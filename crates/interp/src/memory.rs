//! Memory: objects of bytes at made-up addresses, shared between states until one of them writes.
//!
//! Addresses are deterministic, never reused and far enough apart that no pointer that is a little out of its object's
//! bounds falls into another. Of objects that are over for good [`crate::objects`] keeps little: an address among several of them that lie
//! together is said to be in one of them, between which it may be.

use std::rc::Rc;

use labrys_program::HeapFamily;
use rustc_hash::FxHashSet;

use crate::cells::{Cells, Extent, Held};
use crate::merging::Join;
use crate::objects::{Known, Objects};
use crate::types::ScalarKind;
use crate::{Base, Datum, Domain, Int, MemoryFaultKind, ObjectId, Pointer, Scalar};

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

/// Where an object is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// It may be accessed.
    Lasts,
    /// It may not, but a life may begin anew: a local variable out of its scope.
    Pauses,
    /// It may not, for ever.
    Over,
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
    life: Life,
    /// Whether the program may write to it.
    is_writable: bool,
    /// Whether it may be longer than its size: a global that is defined elsewhere.
    is_open: bool,
    cells: Rc<Cells<F, S>>,
}

impl<F: Clone, S: Clone> Object<F, S> {
    /// What is in the cell of so many bytes at an offset, or in a filled one around.
    pub(crate) fn held(&self, offset: u64, size: u64) -> Option<Held<'_, F, S>> {
        self.cells.held(offset, size)
    }

    /// The scalars in it.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = &Scalar<F, S>> {
        self.cells.scalars()
    }

    /// The cell of so many bytes at an offset.
    pub(crate) fn cell(&self, offset: u64, size: u64) -> Option<usize> {
        self.cells.cell(offset, size)
    }
}

impl<F, S> Object<F, S> {
    /// A writable one.
    pub(crate) fn new(size: u64, kind: ObjectKind, address: u64, cells: Rc<Cells<F, S>>) -> Object<F, S> {
        Object { size, kind, address, life: Life::Lasts, is_writable: true, is_open: false, cells }
    }

    /// Whether its life lasts.
    fn is_alive(&self) -> bool {
        self.life == Life::Lasts
    }

    /// Whether its life has ended for ever.
    pub(crate) fn is_over(&self) -> bool {
        self.life == Life::Over
    }

    /// Ends its life for ever.
    pub(crate) fn end(&mut self, nothing: Rc<Cells<F, S>>) {
        self.life = Life::Over;
        self.cells = nothing;
    }

    /// Whether it may be accessed so.
    pub(crate) fn check(&self, offset: u64, size: u64, is_write: bool) -> Result<(), MemoryFaultKind> {
        if !self.is_alive() {
            Err(MemoryFaultKind::Dead)
        } else if offset.checked_add(size).is_none_or(|end| end > self.size) {
            Err(self.outside())
        } else if is_write && !self.is_writable {
            Err(MemoryFaultKind::ReadOnly)
        } else {
            Ok(())
        }
    }

    /// What an access outside its size is.
    pub(crate) fn outside(&self) -> MemoryFaultKind {
        if self.is_open { MemoryFaultKind::Undeclared } else { MemoryFaultKind::OutOfBounds }
    }

    /// Whether all but the contents and the life is the same.
    fn is_like(&self, other: &Object<F, S>) -> bool {
        let of = |object: &Object<F, S>| {
            let Object { size, kind, address, life: _, is_writable, is_open, cells: _ } = object;
            (*size, *kind, *address, *is_writable, *is_open)
        };
        of(self) == of(other)
    }
}

/// All objects of a state. Cloning shares them; records and contents are copied when written.
#[derive(Clone, Debug)]
pub struct Memory<F, S> {
    objects: Objects<F, S>,
    next_address: u64,
    /// Whether addresses are multiples of what is asked for, and of no more.
    is_exact: bool,
    /// What objects hold whose lives are over.
    nothing: Rc<Cells<F, S>>,
}

/// Where objects start: above all code.
pub(crate) const FIRST_ADDRESS: u64 = 0x1000_0000;

/// Bytes left free between objects.
const GAP: u64 = 64;

impl<F: Clone, S: Clone> Default for Memory<F, S> {
    fn default() -> Self {
        Memory {
            objects: Objects::default(),
            next_address: FIRST_ADDRESS,
            is_exact: false,
            nothing: Rc::new(Cells::new(0, None)),
        }
    }
}

impl<F: Clone, S: Clone> Memory<F, S> {
    /// A new writable object of `size` bytes, uninitialised or filled with a byte.
    pub fn allocate(&mut self, size: u64, align: u64, kind: ObjectKind, fill: Option<u8>) -> Pointer<S> {
        let align = align.clamp(1, 1 << 20).next_power_of_two();
        let address = match self.is_exact {
            true => self.next_address.next_multiple_of(2 * align) + align,
            false => self.next_address.next_multiple_of(align.max(16)),
        };
        self.next_address = address.saturating_add(size).saturating_add(GAP);
        let cells = Rc::new(Cells::new(size, fill));
        let id = self.objects.push(Object::new(size, kind, address, cells));
        Pointer::new(Base::Object { id, address }, 0)
    }

    /// The same, whose objects lie at multiples of what is asked for, and of no more.
    pub(crate) fn exact(is_exact: bool) -> Memory<F, S> {
        Memory { is_exact, ..Memory::default() }
    }

    /// Whether there can be no more objects.
    pub(crate) fn is_full(&self) -> bool {
        self.objects.len() == u32::MAX
    }

    /// A pointer to the start of an object; null for one that is over.
    pub fn pointer_to(&self, id: ObjectId) -> Pointer<S> {
        match self.object(id) {
            Some(Object { address, .. }) => Pointer::new(Base::Object { id, address: *address }, 0),
            None => Pointer::null(),
        }
    }

    /// An object, where it is not over and forgotten.
    #[inline]
    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object<F, S>> {
        self.objects.get(id)
    }

    /// Whether an object lives.
    pub(crate) fn lives(&self, id: ObjectId) -> bool {
        self.object(id).is_some_and(Object::is_alive)
    }

    /// The size of an object in bytes; 0 for one that is over.
    pub fn size(&self, id: ObjectId) -> u64 {
        self.object(id).map_or(0, |object| object.size)
    }

    /// Why an object exists.
    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        match self.objects.find(id) {
            Some(Known::Kept(object)) => object.kind,
            Some(Known::Over(kind)) => kind,
            None => ObjectKind::Stack,
        }
    }

    /// Forbids writes.
    pub fn set_constant(&mut self, id: ObjectId) {
        self.change(id, |object| object.is_writable = false);
    }

    /// Notes that the object may be longer than its size.
    pub fn set_open(&mut self, id: ObjectId) {
        self.change(id, |object| object.is_open = true);
    }

    /// Notes that the object is no longer than its size.
    pub fn set_closed(&mut self, id: ObjectId) {
        self.change(id, |object| object.is_open = false);
    }

    fn change(&mut self, id: ObjectId, change: impl FnOnce(&mut Object<F, S>)) {
        if let Some(object) = self.objects.get_mut(id) {
            change(object);
        }
    }

    /// What an access outside the object's size is.
    pub fn outside(&self, id: ObjectId) -> MemoryFaultKind {
        self.object(id).map_or(MemoryFaultKind::OutOfBounds, Object::outside)
    }

    /// Begins an object's life anew, unless it is over for good: nothing is written.
    pub fn revive(&mut self, id: ObjectId) {
        self.change(id, |object| {
            if !object.is_over() {
                object.life = Life::Lasts;
                object.cells = Rc::new(Cells::new(object.size, None));
            }
        });
    }

    /// Ends an object's life, which may begin anew.
    pub fn release(&mut self, id: ObjectId) {
        let nothing = self.nothing.clone();
        self.change(id, |object| {
            if !object.is_over() {
                object.life = Life::Pauses;
                object.cells = nothing;
            }
        });
    }

    /// Ends an object's life for good.
    pub fn end(&mut self, id: ObjectId) {
        let nothing = self.nothing.clone();
        self.change(id, |object| object.end(nothing));
        self.objects.forget(id);
    }

    /// Whether there is an object from `malloc` whose life lasts.
    pub fn has_heap(&self) -> bool {
        self.objects.kept().any(|(_, object)| object.is_alive() && matches!(object.kind, ObjectKind::Heap(_)))
    }

    /// Bytes of objects from `malloc` whose life lasts, and to which no pointer leads from the others. Pointers that were taken
    /// apart into bytes do not count. `address_in` tells the machine's own address that a number which is not known was computed from.
    pub fn leaked(&self, address_in: impl Fn(&S) -> Option<u64>) -> u64 {
        let is_root = |object: &Object<F, S>| object.is_alive() && !matches!(object.kind, ObjectKind::Heap(_));
        let mut pending: Vec<ObjectId> =
            self.objects.kept().filter(|(_, object)| is_root(object)).map(|(id, _)| id).collect();
        let mut is_reached: FxHashSet<ObjectId> = pending.iter().copied().collect();
        while let Some(object) = pending.pop().map(|id| self.object(id)) {
            for scalar in object.into_iter().flat_map(|object| object.scalars()) {
                let number = match &scalar.datum {
                    Datum::Pointer(pointer) if pointer.base == Base::Absolute => &pointer.offset,
                    Datum::Int(int) if int.bits() == 64 => int,
                    _ => &Int::new(64, 0),
                };
                let address = match number.symbol() {
                    Some(symbol) => address_in(symbol),
                    None => number.concrete().map(|address| address as u64),
                };
                let base = match &scalar.datum {
                    Datum::Pointer(pointer) if pointer.base != Base::Absolute => pointer.base,
                    _ => self.pointer_at(address.unwrap_or_default()).base,
                };
                if let Base::Object { id, .. } = base
                    && is_reached.insert(id)
                {
                    pending.push(id);
                }
            }
        }
        let is_lost = |id: &ObjectId, object: &Object<F, S>| object.is_alive() && !is_reached.contains(id);
        self.objects.kept().filter(|(id, object)| is_lost(id, object)).map(|(_, object)| object.size).sum()
    }

    /// The object whose bytes (or end) an address is, as a pointer; absolute if there is none. Among objects that are over and forgotten it is
    /// the start of one.
    pub fn pointer_at(&self, address: u64) -> Pointer<S> {
        match self.objects.at(address).filter(|_| address < self.next_address) {
            Some((id, start, Known::Kept(object))) if address - start <= object.size => {
                Pointer::new(Base::Object { id, address: start }, address - start)
            }
            Some((id, _, Known::Over(_))) => Pointer::new(Base::Object { id, address }, 0),
            _ => Pointer::new(Base::Absolute, address),
        }
    }

    /// Whether `size` bytes at `offset` may be read or written.
    pub fn check(&self, id: ObjectId, offset: u64, size: u64, is_write: bool) -> Result<(), MemoryFaultKind> {
        self.object(id).map_or(Err(MemoryFaultKind::Dead), |object| object.check(offset, size, is_write))
    }

    /// Reads a scalar; the access has passed [`Memory::check`].
    pub fn load<D>(&self, domain: &mut D, id: ObjectId, offset: u64, kind: ScalarKind) -> Scalar<F, S>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let mut scalar = self.cells(id).load(domain, offset, kind);
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
        if let Some(cells) = self.cells_mut(id) {
            cells.store(domain, offset, size, scalar);
        }
    }

    /// Has a cell of an object hold a scalar of its size; the access has passed [`Memory::check`].
    pub(crate) fn set_cell(&mut self, id: ObjectId, cell: usize, scalar: Scalar<F, S>) {
        if let Some(cells) = self.cells_mut(id) {
            cells.set(cell, scalar);
        }
    }

    /// Sets a checked range to one byte value.
    pub fn fill<D>(&mut self, domain: &mut D, id: ObjectId, offset: u64, size: u64, byte: u8)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        if let Some(cells) = self.cells_mut(id) {
            cells.fill(domain, offset, size, byte);
        }
    }

    /// Makes a checked range uninitialised.
    pub fn forget<D>(&mut self, domain: &mut D, id: ObjectId, offset: u64, size: u64)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        if let Some(cells) = self.cells_mut(id) {
            cells.forget(domain, offset, size);
        }
    }

    /// Copies between checked ranges, which may overlap.
    pub fn copy<D>(&mut self, domain: &mut D, to: (ObjectId, u64), from: (ObjectId, u64), size: u64)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let extent: Extent<F, S> = self.cells(from.0).extent(domain, from.1, size);
        if let Some(cells) = self.cells_mut(to.0) {
            cells.paste(domain, to.1, extent);
        }
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
        let extent = memory.cells(from.0).extent(domain, from.1, size);
        if let Some(cells) = self.cells_mut(to.0) {
            cells.paste(domain, to.1, extent);
        }
    }

    /// The scalars in all objects that live, the program may write to, and have no more than so many bytes.
    pub fn scalars(&self, most: u64) -> impl Iterator<Item = (ObjectId, &Scalar<F, S>)> {
        let kept = self.objects.kept();
        let changing = kept.filter(move |(_, of)| of.is_alive() && of.is_writable && of.size <= most);
        changing.flat_map(|(id, object)| object.scalars().map(move |scalar| (id, scalar)))
    }

    /// The memory that stands for both; `None` where there is no such memory ([`crate::merging`]).
    pub(crate) fn joined<D>(
        &self,
        other: &Memory<F, S>,
        domain: &mut D,
        join: &mut impl Join<D>,
    ) -> Option<Memory<F, S>>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let long = if self.objects.len() >= other.objects.len() { self } else { other };
        let mut merged = long.clone();
        merged.next_address = self.next_address.max(other.next_address);
        self.objects.differences(&other.objects, &mut |id, known| {
            let (a, b) = match known {
                [Some(Known::Kept(a)), Some(Known::Kept(b))] if a.is_alive() || b.is_alive() => (a, b),
                [Some(a), Some(b)] => return (a.is_dead() && b.is_dead() && a.kind() == b.kind()).then_some(()),
                // Made on one side alone.
                [Some(one), None] | [None, Some(one)] => {
                    let is_fine = one.kind() == ObjectKind::Stack || join.forget(true);
                    return (one.is_dead() && is_fine).then_some(());
                }
                [None, None] => return Some(()),
            };
            if !a.is_like(b) {
                return None;
            }
            match (a.life, b.life) {
                (x, y) if x == y => {}
                // Nothing is found in it until its life begins anew.
                (Life::Lasts, Life::Pauses) | (Life::Pauses, Life::Lasts) if join.forget(!a.is_alive()) => {
                    merged.release(id);
                    return Some(());
                }
                _ => return None,
            }
            if !Rc::ptr_eq(&a.cells, &b.cells) {
                let cells = Rc::new(a.cells.joined(&b.cells, domain, join)?);
                merged.change(id, |object| object.cells = cells);
            }
            Some(())
        })?;
        Some(merged)
    }

    /// The contents of an object; none of one that is over.
    fn cells(&self, id: ObjectId) -> &Cells<F, S> {
        self.object(id).map_or(&self.nothing, |object| &object.cells)
    }

    fn cells_mut(&mut self, id: ObjectId) -> Option<&mut Cells<F, S>> {
        self.objects.get_mut(id).map(|object| Rc::make_mut(&mut object.cells))
    }
}

impl<F: Clone, S: Clone> Known<'_, F, S> {
    fn is_dead(&self) -> bool {
        match self {
            Known::Kept(object) => !object.is_alive(),
            Known::Over(_) => true,
        }
    }

    fn kind(&self) -> ObjectKind {
        match self {
            Known::Kept(object) => object.kind,
            Known::Over(kind) => *kind,
        }
    }
}
