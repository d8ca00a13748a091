//! Reading a table at a symbolic offset without choosing one: the value is a selection among all entries.
//!
//! A path that chose would part into as many as the table has entries. The selection is a balanced tree of comparisons
//! with the offset (more exactly, with the index that it is computed from), so that it is as deep as the logarithm of the
//! table's length. Only scalars that are no pointers are selected, and only where no entry is undefined; everything else
//! is left to a choice.

use labrys_program::Type;

use crate::access::offsets;
use crate::machine::{HaltOf, ScalarOf, ValueOf, pointer_of};
use crate::state::single;
use crate::{Base, Datum, Domain, Lookup, Machine, MemoryFault, Place, Scalar, ScalarKind, State, Stop};

/// Entries of the largest table that is selected from. GSL's table of factorials has 171 entries, its largest of
/// zeros 1024; a selection's terms are as many as the entries.
const MAX_ENTRIES: usize = 1024;

impl<D: Domain> Machine<'_, D> {
    /// Reads a scalar at an offset that is not known; `None` where the path must choose the offset first.
    pub(crate) fn load_from_table(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        pointer: &ScalarOf<D>,
        ty: &Type,
    ) -> Result<Option<ValueOf<D>>, HaltOf<D>> {
        let Ok(kind @ (ScalarKind::Int(_) | ScalarKind::Float(_))) = ScalarKind::of(ty) else { return Ok(None) };
        let tainted = pointer.tainted;
        let pointer = pointer_of(pointer)?;
        let (Base::Object { id, .. }, Some(symbol)) = (pointer.base, pointer.offset.symbol()) else { return Ok(None) };
        if tainted || self.known(state, &pointer.offset).is_some() {
            return Ok(None);
        }
        let (size, end) = (kind.size(), state.memory.size(id));
        let candidates: Vec<u128> = offsets(self.domain.stride(symbol), size, end).take(MAX_ENTRIES + 1).collect();
        let is_readable = candidates.first().is_some_and(|&at| state.memory.check(id, at as u64, size, false).is_ok());
        if !is_readable || candidates.len() > MAX_ENTRIES {
            return Ok(None);
        }
        let Some(lookup) = self.domain.lookup(symbol, &candidates) else { return Ok(None) };
        let mut entries = Vec::with_capacity(lookup.order.len());
        for &index in &lookup.order {
            let entry = state.memory.load(&mut self.domain, id, candidates[index] as u64, kind);
            if entry.tainted || matches!(entry.datum, Datum::Pointer(_)) {
                return Ok(None);
            }
            entries.push(entry);
        }
        if !self.decide(state, &lookup.inside)? {
            let kind = state.memory.outside(id);
            return Err(Stop::Memory(MemoryFault { kind, is_write: false, size, location: place.location }).into());
        }
        self.select_entry(state, lookup, entries).map(|entry| entry.map(single))
    }

    /// The entry at the symbol's value: neighbours are paired until one is left.
    fn select_entry(
        &mut self,
        state: &State<D>,
        lookup: Lookup<D::Symbol>,
        entries: Vec<ScalarOf<D>>,
    ) -> Result<Option<ScalarOf<D>>, HaltOf<D>> {
        // Each with the position of its first entry.
        let mut layer: Vec<(usize, ScalarOf<D>)> = entries.into_iter().enumerate().collect();
        while layer.len() > 1 {
            let mut paired = Vec::with_capacity(layer.len().div_ceil(2));
            for pair in layer.chunks(2) {
                paired.push(match pair {
                    [(first, left), (second, right)] => {
                        let bit = Scalar::int(lookup.before[second - 1].clone());
                        (*first, self.select_scalar(state, &bit, left, right)?)
                    }
                    rest => rest[0].clone(),
                });
            }
            layer = paired;
        }
        Ok(layer.pop().map(|(_, entry)| entry))
    }
}
