//! Accesses at offsets that are not known, with [`crate::Checks::accesses`]: decided to be inside, then selected.
//!
//! **Argument.** The decision leaves offsets at which the access fits. Of these, `possible_offsets` lists all that the symbol
//! may have: multiples of the largest power of two that divides its stride (which wrapping keeps), without what the domain
//! excludes. A read is then a tree of comparisons with these offsets in ascending order, whose leaf at each is what memory
//! holds there. A write replaces what is at each of them by itself where the offset is another one. Undefined contents are
//! no terms: where only some of the places are undefined, the path parts on which these are.

use std::borrow::Cow;

use labrys_program::{IntBinary, IntPredicate, Type};

use crate::access::offsets;
use crate::cells::encoding;
use crate::machine::{HaltOf, IntOf, ScalarOf, ValueOf, pointer_of};
use crate::{
    Base, Datum, Domain, Halt, Int, Machine, MemoryFault, MemoryFaultKind, ObjectId, ObjectKind, Place, Pointer,
    Scalar, ScalarKind, Split, State, Stop, bits, cells, types,
};

/// Places of the largest access that is selected.
const MAX_PLACES: usize = 1024;

/// Multiples of the stride that are looked through for these.
const MAX_CANDIDATES: u64 = 1 << 16;

/// Places that a path parts over where selecting does not do.
const MAX_CHOICES: usize = 256;

/// An access that is inside an object.
pub(crate) struct Inside<D: Domain> {
    pub(crate) id: ObjectId,
    pub(crate) offset: IntOf<D>,
}

/// What a write leaves: offsets, sizes in bytes, contents.
type Written<D> = Vec<(u64, u64, ScalarOf<D>)>;

/// A place that an access may have: its offset, and what is there.
type Entry<D> = (u64, ScalarOf<D>);

impl<D: Domain> Machine<'_, D> {
    /// Decides that an access is inside an object that may be accessed so.
    pub(crate) fn bounded(
        &mut self,
        state: &State<D>,
        place: &Place,
        pointer: &ScalarOf<D>,
        size: u64,
        is_write: bool,
    ) -> Result<Inside<D>, HaltOf<D>> {
        if pointer.tainted {
            return Err(Stop::Undefined.into());
        }
        let fault =
            |kind| HaltOf::<D>::from(Stop::Memory(MemoryFault { kind, is_write, size, location: place.location }));
        let pointer = self.resolved(state, pointer_of(pointer)?)?;
        let Base::Object { id, .. } = pointer.base else {
            let is_null =
                pointer.base == Base::Absolute && self.known(state, &pointer.offset).is_some_and(|at| at < 4096);
            return Err(fault(if is_null { MemoryFaultKind::Null } else { MemoryFaultKind::Wild }));
        };
        if state.memory.outside(id) == MemoryFaultKind::Undeclared {
            return Err(Stop::unsupported("an access to a global that is defined elsewhere").into());
        }
        let precise = |kind| fault(state.memory.precise(id, kind));
        if let Some(offset) = self.known(state, &pointer.offset) {
            state.memory.check(id, offset as u64, size, is_write).map_err(precise)?;
            return Ok(Inside { id, offset: Int::new(64, offset) });
        }
        state.memory.check(id, 0, 0, is_write).map_err(precise)?;
        let offset = pointer.offset.clone();
        let room = state.memory.size(id).checked_sub(size);
        let outside = match room {
            Some(room) => bits::compare(&mut self.domain, IntPredicate::Ugt, &offset, &Int::new(64, u128::from(room))),
            None => Int::bool(true),
        };
        if self.goes_wrong(state, &outside)? {
            return Err(fault(MemoryFaultKind::OutOfBounds));
        }
        Ok(Inside { id, offset })
    }

    /// A pointer with the object that it points into, where it is an address that is not known.
    pub(crate) fn resolved<'a>(
        &mut self,
        state: &State<D>,
        pointer: &'a Pointer<D::Symbol>,
    ) -> Result<Cow<'a, Pointer<D::Symbol>>, HaltOf<D>> {
        let (Base::Absolute, Some(symbol)) = (pointer.base, pointer.offset.symbol()) else {
            return Ok(Cow::Borrowed(pointer));
        };
        if let Some(address) = self.known(state, &pointer.offset) {
            return Ok(Cow::Owned(state.memory.pointer_at(address as u64)));
        }
        let near = self.domain.known_address(symbol).map(|address| state.memory.pointer_at(address));
        if let Some(Pointer { base: base @ Base::Object { id, .. }, .. }) = near {
            let start = cells::address(&mut self.domain, &Pointer::new(base, 0));
            let is_forgotten = state.memory.object(id).is_none();
            let offset = bits::total(&mut self.domain, IntBinary::Sub, &pointer.offset, &start)?;
            let end = Int::new(64, u128::from(state.memory.size(id)));
            let inside = bits::compare(&mut self.domain, IntPredicate::Ule, &offset, &end);
            // How far one that is over went is not known; no access to it is right.
            if is_forgotten || self.decide(state, &inside)? {
                return Ok(Cow::Owned(Pointer { base, offset }));
            }
        }
        let is_null = bits::compare(&mut self.domain, IntPredicate::Eq, &pointer.offset, &Int::new(64, 0));
        if self.decide(state, &is_null)? {
            return Ok(Cow::Owned(Pointer::null()));
        }
        Err(Stop::unsupported("a pointer to an object that is not known").into())
    }

    /// All offsets inside the object that the symbol may have, ascending.
    fn possible_offsets(
        &mut self,
        state: &State<D>,
        id: ObjectId,
        symbol: &D::Symbol,
        size: u64,
    ) -> Result<Vec<u64>, HaltOf<D>> {
        let (stride, remainder) = self.domain.stride(symbol);
        let stride = stride.max(1);
        // The part of the stride that products modulo 2^64 keep.
        let stride = stride & stride.wrapping_neg();
        let end = state.memory.size(id);
        if end / stride > MAX_CANDIDATES {
            return Err(choice_of::<D>(symbol, None));
        }
        let candidates = offsets((stride, remainder % stride), size, end).collect();
        let possible = self.domain.possible(&state.path, symbol, candidates);
        match possible.len() {
            0 => Err(Stop::unsupported("an offset that is none of the possible ones").into()),
            count if count > MAX_PLACES => Err(choice_of::<D>(symbol, None)),
            _ => Ok(possible.into_iter().map(|offset| offset as u64).collect()),
        }
    }

    /// An offset as a number, if it is known, or after a choice among those that it may have.
    pub(crate) fn chosen_offset(&mut self, state: &State<D>, found: &Inside<D>, size: u64) -> Result<u64, HaltOf<D>> {
        let Some(symbol) = found.offset.symbol() else { return Ok(found.offset.concrete().unwrap_or_default() as u64) };
        let places = self.possible_offsets(state, found.id, symbol, size)?;
        Err(choice_of::<D>(symbol, Some(&places)))
    }

    /// Reads the scalar that is `at` bytes behind an offset. `size` is that of the whole access.
    pub(crate) fn selected_load(
        &mut self,
        state: &State<D>,
        found: &Inside<D>,
        (at, kind): (u64, ScalarKind),
        size: u64,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let Some(symbol) = found.offset.symbol() else {
            let offset = found.offset.concrete().unwrap_or_default() as u64;
            return Ok(state.memory.load(&mut self.domain, found.id, offset + at, kind));
        };
        let places = self.possible_offsets(state, found.id, symbol, size)?;
        let mut entries: Vec<Entry<D>> = Vec::with_capacity(places.len());
        for place in places {
            entries.push((place, state.memory.load(&mut self.domain, found.id, place + at, kind)));
        }
        // Undefined places and defined ones make different paths, and so do pointers into different objects.
        let entries = self.alike(state, &found.offset, entries, |scalar| Some(scalar.tainted))?;
        if entries.iter().all(|(_, scalar)| scalar.tainted) {
            return Ok(self.zero(kind).taint(true));
        }
        let entries = self.alike(state, &found.offset, entries, |scalar| match &scalar.datum {
            Datum::Pointer(pointer) => Some(pointer.base),
            _ => None,
        })?;
        self.selected(state, &found.offset, entries)
    }

    /// Those of the entries that are alike and hold the offset: the path parts where there are several kinds.
    fn alike<K: PartialEq>(
        &mut self,
        state: &State<D>,
        offset: &IntOf<D>,
        entries: Vec<Entry<D>>,
        kind: impl Fn(&ScalarOf<D>) -> K,
    ) -> Result<Vec<Entry<D>>, HaltOf<D>> {
        let mut rest = entries;
        loop {
            let Some((_, first)) = rest.first() else { return Err(Stop::SymbolicValue.into()) };
            let first = kind(first);
            let (same, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, scalar)| kind(scalar) == first);
            if others.is_empty() {
                return Ok(same);
            }
            let mut is_same = Int::bool(false);
            for (place, _) in &same {
                let here = self.is_at(offset, *place);
                is_same = bits::select(&mut self.domain, &here, &Int::bool(true), &is_same);
            }
            if self.decide(state, &is_same)? {
                return Ok(same);
            }
            rest = others;
        }
    }

    fn is_at(&mut self, offset: &IntOf<D>, place: u64) -> IntOf<D> {
        bits::compare(&mut self.domain, IntPredicate::Eq, offset, &Int::new(64, u128::from(place)))
    }

    /// The entry at an offset: neighbours are paired until one is left.
    fn selected(
        &mut self,
        state: &State<D>,
        offset: &IntOf<D>,
        entries: Vec<Entry<D>>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let mut layer = entries;
        while layer.len() > 1 {
            let mut paired = Vec::with_capacity(layer.len().div_ceil(2));
            for pair in layer.chunks(2) {
                paired.push(match pair {
                    [(first, left), (second, right)] => {
                        let bound = Int::new(64, u128::from(*second));
                        let before = bits::compare(&mut self.domain, IntPredicate::Ult, offset, &bound);
                        (*first, self.select_scalar(state, &Scalar::int(before), left, right)?)
                    }
                    rest => rest[0].clone(),
                });
            }
            layer = paired;
        }
        layer.pop().map(|(_, entry)| entry).ok_or_else(|| Stop::SymbolicValue.into())
    }

    /// Writes scalars behind an offset; `size` is that of the whole access. Nothing is written on `Err`.
    pub(crate) fn selected_store(
        &mut self,
        state: &mut State<D>,
        found: &Inside<D>,
        value: &ValueOf<D>,
        layout: &[(u64, ScalarKind)],
        size: u64,
    ) -> Result<(), HaltOf<D>> {
        let Some(symbol) = found.offset.symbol().cloned() else {
            let offset = found.offset.concrete().unwrap_or_default() as u64;
            for (scalar, (at, kind)) in value.iter().zip(layout) {
                state.memory.store(&mut self.domain, found.id, offset + at, kind.size(), scalar.clone());
            }
            return Ok(());
        };
        let places = self.possible_offsets(state, found.id, &symbol, size)?;
        let overlap = places.windows(2).any(|pair| pair[1] - pair[0] < size);
        let is_defined = value.iter().all(|scalar| !scalar.tainted);
        let written = match (is_defined, overlap) {
            (false, _) => None,
            (true, false) => self.replaced(state, found, value, layout, &places)?,
            (true, true) => self.replaced_bytes(state, found, value, layout, &places)?,
        };
        let Some(written) = written else { return Err(choice_of::<D>(&symbol, Some(&places))) };
        for (place, size, scalar) in written {
            state.memory.store(&mut self.domain, found.id, place, size, scalar);
        }
        Ok(())
    }

    /// What a write between places that do not overlap leaves at each; `None` where some place is undefined.
    fn replaced(
        &mut self,
        state: &State<D>,
        found: &Inside<D>,
        value: &ValueOf<D>,
        layout: &[(u64, ScalarKind)],
        places: &[u64],
    ) -> Result<Option<Written<D>>, HaltOf<D>> {
        let mut written = Vec::with_capacity(places.len());
        for &place in places {
            let here = Scalar::int(self.is_at(&found.offset, place));
            for (new, &(at, kind)) in value.iter().zip(layout) {
                let old = state.memory.load(&mut self.domain, found.id, place + at, kind);
                if old.tainted {
                    return Ok(None);
                }
                written.push((place + at, kind.size(), self.select_scalar(state, &here, new, &old)?));
            }
        }
        Ok(Some(written))
    }

    /// The same byte by byte.
    fn replaced_bytes(
        &mut self,
        state: &State<D>,
        found: &Inside<D>,
        value: &ValueOf<D>,
        layout: &[(u64, ScalarKind)],
        places: &[u64],
    ) -> Result<Option<Written<D>>, HaltOf<D>> {
        let byte = ScalarKind::Int(8);
        let mut pieces = Vec::new();
        for (scalar, &(at, kind)) in value.iter().zip(layout) {
            let whole = encoding(&mut self.domain, &scalar.datum);
            let whole = bits::zero_extend(&mut self.domain, &whole, 8 * kind.size() as u32);
            for i in 0..kind.size() {
                let low = 8 * i as u32;
                pieces.push((at + i, bits::extract(&mut self.domain, &whole, low + 7, low)));
            }
        }
        let mut written = std::collections::BTreeMap::new();
        for &place in places {
            let here = self.is_at(&found.offset, place);
            for (at, piece) in &pieces {
                let old = match written.get(&(place + at)) {
                    Some(old) => Int::clone(old),
                    None => {
                        let old = state.memory.load(&mut self.domain, found.id, place + at, byte);
                        match old.datum {
                            Datum::Int(int) if !old.tainted => int,
                            _ => return Ok(None),
                        }
                    }
                };
                written.insert(place + at, bits::select(&mut self.domain, &here, piece, &old));
            }
        }
        Ok(Some(written.into_iter().map(|(place, int)| (place, 1, Scalar::int(int))).collect()))
    }

    /// The scalars that an access reads or writes; `None` for vectors whose lanes share bytes.
    pub(crate) fn access_layout(ty: &Type) -> Result<Option<Vec<(u64, ScalarKind)>>, Stop> {
        match ty {
            _ if types::is_bit_packed(ty).is_some() => Ok(None),
            Type::Vector(..) | Type::Array(..) | Type::Struct(_) => types::scalars(ty).map(Some),
            ty => Ok(Some(vec![(0, ScalarKind::of(ty)?)])),
        }
    }
}

/// The choice of one of the places; of any where they are too many.
fn choice_of<D: Domain>(symbol: &D::Symbol, places: Option<&[u64]>) -> HaltOf<D> {
    let few = places.filter(|places| places.len() <= MAX_CHOICES);
    Halt::Split(Box::new(Split {
        symbol: symbol.clone(),
        bits: 64,
        candidates: few.into_iter().flatten().map(|&place| u128::from(place)).collect(),
        is_exhaustive: few.is_some(),
        otherwise: Stop::SymbolicValue,
    }))
}

impl<F: Clone, S: Clone> crate::Memory<F, S> {
    /// What an access to an object whose life has ended is, told apart by why the object existed.
    pub(crate) fn precise(&self, id: ObjectId, kind: MemoryFaultKind) -> MemoryFaultKind {
        match (kind, self.kind(id)) {
            (MemoryFaultKind::Dead, ObjectKind::Heap(_)) => MemoryFaultKind::Freed,
            (MemoryFaultKind::Dead, ObjectKind::Stack) => MemoryFaultKind::Returned,
            (kind, _) => kind,
        }
    }
}
