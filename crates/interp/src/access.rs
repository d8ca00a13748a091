//! Memory instructions: `alloca`, `load`, `store`, address arithmetic, and how pointers are checked.

use labrys_program::{IntBinary, Operand, Type};

use crate::machine::{HaltOf, ScalarOf, ValueOf, int_of, pointer_of};
use crate::state::single;
use crate::{
    Base, Datum, Domain, Int, Machine, MemoryFault, MemoryFaultKind, ObjectId, ObjectKind, Place, Pointer, Scalar,
    State, Stop, bits, types,
};

/// How many values of a symbolic offset are offered at most.
const MAX_OFFSETS: usize = 256;

impl<D: Domain> Machine<'_, D> {
    /// `alloca`.
    pub(crate) fn alloca(
        &mut self,
        state: &mut State<D>,
        element: &Type,
        length: &Operand,
        align: u64,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let length = self.scalar(state, length)?;
        let length = self.concrete(state, int_of(&length)?, |_, _| (0..=16).collect())?;
        let size = length.saturating_mul(u128::from(element.alloc_size()));
        let pointer = self.allocate(state, size, align, ObjectKind::Stack, None)?;
        if let (Base::Object { id, .. }, Some(frame)) = (pointer.base, state.frame_mut()) {
            frame.locals.push(id);
        }
        Ok(single(Scalar::pointer(pointer)))
    }

    /// A new object, if its size is within the limit.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] if it is not.
    pub fn allocate(
        &mut self,
        state: &mut State<D>,
        size: u128,
        align: u64,
        kind: ObjectKind,
        fill: Option<u8>,
    ) -> Result<Pointer<D::Symbol>, Stop> {
        match u64::try_from(size) {
            Ok(_) if state.memory.is_full() => Err(Stop::unsupported("more than 2^32 objects")),
            Ok(size) if size <= self.limits.object => Ok(state.memory.allocate(size, align, kind, fill)),
            _ => Err(Stop::unsupported(format!("an object of {size} bytes"))),
        }
    }

    /// Checks an access of `size` bytes and finds its place.
    ///
    /// # Errors
    ///
    /// What is wrong with the access, or the choice of an offset that is not known.
    pub fn locate(
        &mut self,
        state: &State<D>,
        place: &Place,
        pointer: &ScalarOf<D>,
        size: u64,
        is_write: bool,
    ) -> Result<(ObjectId, u64), HaltOf<D>> {
        if self.checks.accesses {
            let found = self.bounded(state, place, pointer, size, is_write)?;
            return Ok((found.id, self.chosen_offset(state, &found, size)?));
        }
        if pointer.tainted {
            return Err(Stop::Undefined.into());
        }
        let pointer = pointer_of(pointer)?;
        let stop = |kind| Stop::Memory(MemoryFault { kind, is_write, size, location: place.location });
        let fault = |kind| HaltOf::<D>::from(stop(kind));
        let Base::Object { id, .. } = pointer.base else {
            let is_null = pointer.base == Base::Absolute && pointer.offset.concrete().is_some_and(|at| at < 4096);
            return Err(fault(if is_null { MemoryFaultKind::Null } else { MemoryFaultKind::Wild }));
        };
        if state.memory.object(id).is_none() {
            return Err(fault(MemoryFaultKind::Dead));
        }
        let end = state.memory.size(id);
        let offset = self.concrete_or(state, &pointer.offset, |domain, symbol| {
            let mut inside: Vec<u128> = offsets(domain.stride(symbol), size, end).take(MAX_OFFSETS + 1).collect();
            if inside.len() <= MAX_OFFSETS {
                return (inside, stop(state.memory.outside(id)));
            }
            inside.truncate(MAX_OFFSETS);
            (inside, Stop::SymbolicValue)
        })? as u64;
        if let Some(touched) = self.touched.as_mut().filter(|_| size > 0) {
            let end = touched.entry(id).or_default();
            *end = offset.saturating_add(size).max(*end);
        }
        state.memory.check(id, offset, size, is_write).map_err(fault)?;
        Ok((id, offset))
    }

    /// `load`.
    pub(crate) fn load(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        pointer: &Operand,
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let pointer = self.scalar(state, pointer)?;
        self.load_value(state, place, &pointer, ty)
    }

    /// Reads a value of any type.
    ///
    /// # Errors
    ///
    /// As [`Machine::locate`].
    pub fn load_value(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        pointer: &ScalarOf<D>,
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if self.checks.accesses
            && let Ok(kind) = types::ScalarKind::of(ty)
        {
            let size = kind.size();
            let found = self.bounded(state, place, pointer, size, false)?;
            return Ok(single(self.selected_load(state, &found, (0, kind), size)?));
        }
        if self.checks.accesses
            && let Some(layout) = Self::access_layout(ty)?
        {
            let size = ty.store_size();
            let found = self.bounded(state, place, pointer, size, false)?;
            return layout.into_iter().map(|part| self.selected_load(state, &found, part, size)).collect();
        }
        if let Some(value) = self.load_from_table(state, place, pointer, ty)? {
            return Ok(value);
        }
        let (id, offset) = self.locate(state, place, pointer, ty.store_size(), false)?;
        if let Some((bits, lanes)) = types::is_bit_packed(ty) {
            let whole = types::ScalarKind::of(&Type::Int(bits * lanes))?;
            let whole = single(state.memory.load(&mut self.domain, id, offset, whole));
            return (0..lanes).map(|i| Ok(self.gather(&whole, bits * lanes, i * bits, bits)?)).collect();
        }
        if !matches!(ty, Type::Vector(..) | Type::Array(..) | Type::Struct(_)) {
            let kind = types::ScalarKind::of(ty)?;
            return Ok(single(state.memory.load(&mut self.domain, id, offset, kind)));
        }
        let places = types::scalars(ty)?;
        Ok(places.into_iter().map(|(at, kind)| state.memory.load(&mut self.domain, id, offset + at, kind)).collect())
    }

    /// `store`.
    pub(crate) fn store(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        value: &Operand,
        ty: &Type,
        pointer: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let pointer = self.scalar(state, pointer)?;
        let value = self.operand(state, value)?;
        self.store_value(state, place, &pointer, value, ty)?;
        Ok(ValueOf::<D>::new())
    }

    /// Writes a value of any type.
    ///
    /// # Errors
    ///
    /// As [`Machine::locate`].
    pub fn store_value(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        pointer: &ScalarOf<D>,
        value: ValueOf<D>,
        ty: &Type,
    ) -> Result<(), HaltOf<D>> {
        let size = ty.store_size();
        if self.checks.accesses
            && let Ok(kind) = types::ScalarKind::of(ty)
        {
            let found = self.bounded(state, place, pointer, size, true)?;
            return self.selected_store(state, &found, &value, &[(0, kind)], size);
        }
        if self.checks.accesses
            && let Some(layout) = Self::access_layout(ty)?
        {
            let found = self.bounded(state, place, pointer, size, true)?;
            return self.selected_store(state, &found, &value, &layout, size);
        }
        let (id, offset) = self.locate(state, place, pointer, size, true)?;
        if let Some((bits, lanes)) = types::is_bit_packed(ty) {
            let whole = self.gather(&value, bits, 0, bits * lanes)?;
            state.memory.store(&mut self.domain, id, offset, size, whole);
            return Ok(());
        }
        if !matches!(ty, Type::Vector(..) | Type::Array(..) | Type::Struct(_)) {
            if let Some(scalar) = value.into_iter().next() {
                state.memory.store(&mut self.domain, id, offset, size, scalar);
            }
            return Ok(());
        }
        for (scalar, (at, kind)) in value.into_iter().zip(types::scalars(ty)?) {
            state.memory.store(&mut self.domain, id, offset + at, kind.size(), scalar);
        }
        Ok(())
    }

    /// Address arithmetic; a vector among the operands makes a vector of pointers.
    pub(crate) fn pointer_offset(
        &mut self,
        state: &mut State<D>,
        base: &Operand,
        offset: i64,
        scaled: &[(Operand, i64)],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let bases = self.operand(state, base)?;
        let mut indices = Vec::with_capacity(scaled.len());
        for (index, scale) in scaled {
            indices.push((self.operand(state, index)?, *scale));
        }
        let lanes = indices.iter().map(|(index, _)| index.len()).chain([bases.len()]).max().unwrap_or(0);
        let mut result = ValueOf::<D>::new();
        for lane in 0..lanes {
            let base = lane_of::<D>(&bases, lane)?;
            let mut tainted = base.tainted;
            let Pointer { base, offset: start } = pointer_of(base)?.clone();
            let mut at = self.add_offset(&start, &Int::new(64, offset as u128))?;
            for (index, scale) in &indices {
                let index = lane_of::<D>(index, lane)?;
                tainted |= index.tainted;
                let wide = bits::sign_extend(&mut self.domain, int_of(index)?, 64);
                let scaled = if *scale == 1 {
                    wide
                } else {
                    bits::total(&mut self.domain, IntBinary::Mul, &wide, &Int::new(64, *scale as u128))?
                };
                at = self.add_offset(&at, &scaled)?;
            }
            let pointer = Pointer { base, offset: at };
            result.push(Scalar { datum: Datum::Pointer(pointer), tainted });
        }
        Ok(result)
    }

    /// A pointer some bytes further on.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] for a scalar that is no pointer.
    pub fn offset_scalar(&mut self, pointer: &ScalarOf<D>, by: u64) -> Result<ScalarOf<D>, Stop> {
        let Pointer { base, offset } = pointer_of(pointer)?.clone();
        let offset = self.add_offset(&offset, &Int::new(64, u128::from(by)))?;
        Ok(Scalar { datum: Datum::Pointer(Pointer { base, offset }), tainted: pointer.tainted })
    }

    fn add_offset(&mut self, a: &Int<D::Symbol>, b: &Int<D::Symbol>) -> Result<Int<D::Symbol>, Stop> {
        match (a.concrete(), b.concrete()) {
            (_, Some(0)) => Ok(a.clone()),
            (Some(0), _) => Ok(b.clone()),
            _ => bits::total(&mut self.domain, IntBinary::Add, a, b),
        }
    }
}

/// The offsets at which an access of `size` bytes fits into an object of `end` bytes, given a stride and a remainder of
/// the offset.
pub(crate) fn offsets((stride, remainder): (u64, u64), size: u64, end: u64) -> impl Iterator<Item = u128> {
    let stride = stride.max(1);
    let places = (end.saturating_sub(size) + 1).saturating_sub(remainder).div_ceil(stride);
    (0..places).map(move |i| u128::from(remainder + i * stride))
}

/// A lane of a vector, or the scalar that stands for all lanes.
fn lane_of<D: Domain>(value: &ValueOf<D>, lane: usize) -> Result<&ScalarOf<D>, Stop> {
    let lane = if value.len() == 1 { 0 } else { lane };
    value.get(lane).ok_or_else(|| Stop::unsupported("vectors of different lengths"))
}
