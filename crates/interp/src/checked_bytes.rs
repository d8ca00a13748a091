//! Copies, fills and frees with [`crate::Checks::accesses`]: lengths that are not known, overlap, second frees.
//!
//! A length that is not known is decided to fit first. Then each byte that it may cover is selected, or, where undefined bytes
//! are about, the path parts over the lengths.

use labrys_program::{HeapFamily, IntPredicate};

use crate::machine::{HaltOf, IntOf, ScalarOf, int_of, pointer_of};
use crate::{
    Base, Domain, Halt, Int, Machine, MemoryFault, MemoryFaultKind, ObjectId, ObjectKind, Place, Scalar, ScalarKind,
    Split, State, Stop, bits,
};

/// Bytes of the longest range whose length is not known.
const MAX_LENGTH: u64 = 256;

/// Bytes that are set one by one to a byte that is not known.
const MAX_SYMBOLIC_FILL: u64 = 1 << 16;

/// A place in memory.
type At = (ObjectId, u64);

/// A range's length, known to fit.
enum Length {
    Known(u64),
    /// Not known, but at most so many bytes.
    AtMost(u64),
}

impl<D: Domain> Machine<'_, D> {
    fn fault(place: &Place, kind: MemoryFaultKind, is_write: bool, size: u64) -> HaltOf<D> {
        Stop::Memory(MemoryFault { kind, is_write, size, location: place.location }).into()
    }

    /// The places of ranges of a length, each to be read or written, and the length. `None` for no bytes.
    fn ranges(
        &mut self,
        state: &State<D>,
        place: &Place,
        ranges: &[(&ScalarOf<D>, bool)],
        length: &ScalarOf<D>,
    ) -> Result<Option<(Vec<At>, Length)>, HaltOf<D>> {
        if length.tainted {
            return Err(Stop::Undefined.into());
        }
        let length = int_of(length)?;
        let known = self.known(state, length).map(|length| u64::try_from(length).unwrap_or(u64::MAX));
        let is_empty = bits::compare(&mut self.domain, IntPredicate::Eq, length, &Int::new(length.bits(), 0));
        if known == Some(0) || (known.is_none() && self.decide(state, &is_empty)?) {
            return Ok(None);
        }
        let mut places = Vec::with_capacity(ranges.len());
        let mut least: Option<(u64, bool)> = None;
        for &(pointer, is_write) in ranges {
            let size = known.unwrap_or(0);
            let found = self.bounded(state, place, pointer, size, is_write)?;
            let offset = self.chosen_offset(state, &found, size)?;
            let room = state.memory.size(found.id) - offset;
            if least.is_none_or(|(least, _)| room < least) {
                least = Some((room, is_write));
            }
            places.push((found.id, offset));
        }
        let (room, is_write) = least.unwrap_or_default();
        if let Some(known) = known {
            return Ok(Some((places, Length::Known(known))));
        }
        // Wider than any object.
        let wide = bits::zero_extend(&mut self.domain, length, length.bits().max(64));
        let fits = bits::compare(&mut self.domain, IntPredicate::Ule, &wide, &Int::new(wide.bits(), u128::from(room)));
        if !self.decide(state, &fits)? {
            return Err(Self::fault(place, MemoryFaultKind::OutOfBounds, is_write, room.saturating_add(1)));
        }
        Ok(Some((places, Length::AtMost(room))))
    }

    /// `memcpy`, or `memmove` where ranges may overlap.
    pub(crate) fn copy_checked(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        to: &ScalarOf<D>,
        from: &ScalarOf<D>,
        length: &ScalarOf<D>,
        may_overlap: bool,
    ) -> Result<(), HaltOf<D>> {
        let Some((places, extent)) = self.ranges(state, place, &[(from, false), (to, true)], length)? else {
            return Ok(());
        };
        let (source, target) = (places[0], places[1]);
        let near = |length: u64| {
            !may_overlap && source.0 == target.0 && source.1 != target.1 && source.1.abs_diff(target.1) < length
        };
        match extent {
            Length::Known(length) if near(length) => Err(Self::fault(place, MemoryFaultKind::Overlap, true, length)),
            Length::Known(length) => {
                state.memory.copy(&mut self.domain, target, source, length);
                Ok(())
            }
            Length::AtMost(most) if near(most) => Err(self.choose_length(state, int_of(length)?, most)?),
            Length::AtMost(most) => {
                let load = |machine: &mut Self, state: &State<D>, i| {
                    state.memory.load(&mut machine.domain, source.0, source.1 + i, ScalarKind::Int(8))
                };
                self.write_up_to(state, int_of(length)?, most, target, load)
            }
        }
    }

    /// `memset`.
    pub(crate) fn fill_checked(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        to: &ScalarOf<D>,
        byte: &ScalarOf<D>,
        length: &ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        let Some((places, extent)) = self.ranges(state, place, &[(to, true)], length)? else { return Ok(()) };
        let target = places[0];
        let low = bits::zero_extend(&mut self.domain, int_of(byte)?, 8);
        let known = self.known(state, &low);
        match (extent, known) {
            (Length::Known(length), _) if byte.tainted => {
                state.memory.forget(&mut self.domain, target.0, target.1, length);
                Ok(())
            }
            (Length::Known(length), Some(known)) => {
                state.memory.fill(&mut self.domain, target.0, target.1, length, known as u8);
                Ok(())
            }
            (Length::Known(length), None) if length <= MAX_SYMBOLIC_FILL => {
                for i in 0..length {
                    let byte = Scalar::int(low.clone());
                    state.memory.store(&mut self.domain, target.0, target.1 + i, 1, byte);
                }
                Ok(())
            }
            (Length::Known(_), None) => Err(Stop::SymbolicValue.into()),
            (Length::AtMost(most), _) => {
                let filled = Scalar::int(low).taint(byte.tainted);
                self.write_up_to(state, int_of(length)?, most, target, |_, _, _| filled.clone())
            }
        }
    }

    /// Writes the first `length` bytes of so many at a place.
    fn write_up_to(
        &mut self,
        state: &mut State<D>,
        length: &IntOf<D>,
        most: u64,
        target: At,
        mut content: impl FnMut(&mut Self, &State<D>, u64) -> ScalarOf<D>,
    ) -> Result<(), HaltOf<D>> {
        let most = self.greatest(state, length, most)?;
        let mut written = Vec::new();
        for i in 0..most {
            let new = content(self, state, i);
            let old = state.memory.load(&mut self.domain, target.0, target.1 + i, ScalarKind::Int(8));
            if new.tainted != old.tainted {
                return Err(self.choose_length(state, length, most)?);
            }
            let here =
                bits::compare(&mut self.domain, IntPredicate::Ult, &Int::new(length.bits(), u128::from(i)), length);
            written.push(self.select_scalar(state, &Scalar::int(here), &new, &old)?);
        }
        for (i, scalar) in written.into_iter().enumerate() {
            state.memory.store(&mut self.domain, target.0, target.1 + i as u64, 1, scalar);
        }
        Ok(())
    }

    /// The greatest length that is possible, as far as that is cheap to tell.
    fn greatest(&mut self, state: &State<D>, length: &IntOf<D>, most: u64) -> Result<u64, Stop> {
        let Some(symbol) = length.symbol() else { return Ok(most) };
        let most = if most <= MAX_LENGTH {
            most
        } else {
            // Looked for far enough to see whether it is within the limit.
            let candidates = (0..=most.min(16 * MAX_LENGTH)).map(u128::from).collect();
            let possible = self.domain.possible(&state.path, symbol, candidates);
            possible.last().map_or(0, |&last| last as u64)
        };
        if most <= MAX_LENGTH { Ok(most) } else { Err(Stop::SymbolicValue) }
    }

    /// The choice of a length.
    fn choose_length(&mut self, state: &State<D>, length: &IntOf<D>, most: u64) -> Result<HaltOf<D>, Stop> {
        let most = self.greatest(state, length, most)?;
        let Some(symbol) = length.symbol().cloned() else { return Err(Stop::SymbolicValue) };
        let candidates = self.domain.possible(&state.path, &symbol, (0..=u128::from(most)).collect());
        Ok(Halt::Split(Box::new(Split {
            symbol,
            bits: length.bits(),
            candidates,
            is_exhaustive: true,
            otherwise: Stop::SymbolicValue,
        })))
    }

    /// `free` and its kin: of which family, and with what size where it is told one.
    pub(crate) fn free_checked(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        scalar: &ScalarOf<D>,
        (family, size): (HeapFamily, Option<&ScalarOf<D>>),
    ) -> Result<(), HaltOf<D>> {
        if scalar.tainted {
            return Err(Stop::Undefined.into());
        }
        let pointer = self.resolved(state, pointer_of(scalar)?)?;
        let is_start = bits::compare(&mut self.domain, IntPredicate::Eq, &pointer.offset, &Int::new(64, 0));
        let is_start = self.decide(state, &is_start)?;
        match pointer.base {
            Base::Absolute if is_start => Ok(()),
            Base::Object { id, .. } if is_start && state.memory.kind(id) == ObjectKind::Heap(family) => {
                state.memory.check(id, 0, 0, false).map_err(|kind| match kind {
                    MemoryFaultKind::Dead => Self::fault(place, MemoryFaultKind::DoubleFree, true, 0),
                    kind => Self::fault(place, kind, true, 0),
                })?;
                if let Some(size) = size {
                    if size.tainted {
                        return Err(Stop::Undefined.into());
                    }
                    let own = Int::new(64, u128::from(state.memory.size(id)));
                    let is_right = bits::compare(&mut self.domain, IntPredicate::Eq, int_of(size)?, &own);
                    if !self.decide(state, &is_right)? {
                        return Err(Self::fault(place, MemoryFaultKind::BadFree, true, 0));
                    }
                }
                state.memory.end(id);
                Ok(())
            }
            _ => Err(Self::fault(place, MemoryFaultKind::BadFree, true, 0)),
        }
    }
}
